"""
Arguments of contracts: hexary's values go through eth-abi as they are.

Hexary has selectors and topics, and leaves the encoding of arguments to eth-abi; what
it owes is that its values need no conversion there, and what comes out none here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import eth_abi
import pytest

from conformance.vector_files import vector_cases
from hexary import Address, Bytes, FixedSizeBytes, Hash, HexNumber, Number, Wei
from hexary.chain import event_topic, selector


def named(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the members of a JSON object."""
    yield from json.loads(path.read_bytes()).items()


def typed(kind: str, value: Any) -> Any:
    """Return an argument of the file as a value of hexary's; text is its own bytes."""
    if kind.endswith("[]"):
        return [typed(kind.removesuffix("[]"), inner) for inner in value]
    if kind.startswith("uint"):
        return HexNumber(value)
    if kind == "address":
        return Address(value)
    if kind == "bytes":
        return Bytes(value.encode())
    size = int(kind.removeprefix("bytes"))
    return FixedSizeBytes[size](value.encode())


@vector_cases("typed/ethereum-tests/ABITests", named, at_least=3)
def test_arguments_of_ethereum_tests(case: Any) -> None:
    values = [
        typed(kind, value)
        for kind, value in zip(case["types"], case["args"], strict=True)
    ]
    encoded = Bytes(case["result"])
    assert eth_abi.encode(case["types"], values) == encoded
    again = eth_abi.decode(case["types"], encoded)
    # Lists come back as tuples.
    assert [list(one) if isinstance(one, tuple) else one for one in again] == values
    assert eth_abi.encode(case["types"], again) == encoded


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("address", Address(0x1234, label="sender")),
        ("bytes32", Hash("0x" + "ab" * 32)),
        ("bytes4", selector("f()")),
        ("bytes", Bytes("0x0102")),
        ("uint256", HexNumber("0xff")),
        ("uint256", Wei("1.5 ether")),
        ("uint64", Number("21000")),
    ],
)
def test_values_of_each_type_pass(kind: str, value: Any) -> None:
    (found,) = eth_abi.decode([kind], eth_abi.encode([kind], [value]))
    assert value == found
    assert type(value)(found) == value


def test_selectors_of_the_file_are_of_these_types(vectors: Path) -> None:
    """The example of the ABI's specification, which is a case of the file as well."""
    folder = vectors / "typed" / "ethereum-tests" / "ABITests"
    case = json.loads((folder / "basic_abi_tests.json").read_bytes())["GithubWikiTest"]
    signature = f"f({','.join(case['types'])})"
    assert signature == "f(uint256,uint32[],bytes10,bytes)"
    assert selector(signature) == "0x8be65246"
    assert event_topic(signature)[:4] == selector(signature)
