"""
Published tables of hex text, numbers, addresses, units, hashes and blooms.

Where a table of another library asks for what these types decide otherwise, the case
stands in a list here, with the reason, and is tested for what is decided.  Not of this
layer: creation addresses (``test_typed_create.py``), transactions and typed data.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.vector_files import vector_cases
from hexary.errors import HexaryError, HexError, InputTypeError, RangeError
from hexary.typed import (
    Address,
    Bloom,
    Bytes,
    FixedSizeBytes,
    FixedSizeHexNumber,
    Hash,
    HexNumber,
    Number,
    Wei,
    to_fixed_size_bytes,
    to_hex,
    to_number,
)
from hexary.typed.hexstr import parse_quantity


def listed(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the entries of a JSON list, numbered."""
    for index, entry in enumerate(json.loads(path.read_bytes())):
        yield str(index), entry


# EIP-55


@vector_cases("typed/eips", listed, at_least=8, pattern="eip-55-*.json")
def test_checksums_of_eip_55(case: Any) -> None:
    address = Address(case["lower"])
    assert address.checksum() == case["checksum"]
    assert Address.from_checksum(case["checksum"]) == address
    assert str(address) == case["lower"]
    if case["lower"] != case["checksum"]:
        with pytest.raises(HexError):
            Address.from_checksum(case["lower"])


# geth's hexutil: the inputs and wanted values are Go literals.

DATA = ("decodeBytesTests", "unmarshalBytesTests")
QUANTITIES = (
    *("decodeBigTests", "decodeUint64Tests", "unmarshalBigTests"),
    *("unmarshalU256Tests", "unmarshalUint64Tests", "unmarshalUintTests"),
)

GETH_EMPTY = "empty text is zero bytes here: the prefix may be absent"
GETH_PREFIX = "without a prefix a number is decimal here"
GETH_ZEROS = "leading zeros of hex numbers are accepted here, as fixtures have them"
GETH_NUMBER = "a JSON number is a number here as well"
GETH_NOTHING = "Go's unmarshalling makes 0 of the empty string"

DECIDED_DATA = {"": GETH_EMPTY}
DECIDED_QUANTITIES: dict[Any, tuple[int | None, str]] = {
    "0": (0, GETH_PREFIX),
    "0x01": (1, GETH_ZEROS),
    10: (10, GETH_NUMBER),
}


def hexutil_cases(tables: tuple[str, ...]) -> Any:
    """Return a reader of *tables*, yielding the input as a value and the whole case."""

    def read(path: Path) -> Iterator[tuple[str, Any]]:
        for table, cases in json.loads(path.read_bytes()).items():
            if table not in tables:
                continue
            for index, case in enumerate(cases):
                text = case["input"][1:-1]
                if table.startswith("unmarshal"):
                    if not text:
                        continue  # the end of JSON input, not a value
                    text = json.loads(text)
                yield f"{table}:{index}", (table, text, case)

    return read


def go_number(text: str) -> int:
    """Return the number of a Go literal such as ``uint64(0xff)``."""
    inner = text[text.index("(") + 1 : text.rindex(")")].strip('"')
    if inner.startswith("max"):
        return 2 ** int(inner.removeprefix("maxUint").removesuffix("bits")) - 1
    negative, digits = inner.startswith("-"), inner.lstrip("-").removeprefix("0x")
    return -int(digits, 16) if negative else int(digits, 16)


@vector_cases("typed/geth-hexutil", hexutil_cases(DATA), at_least=22)
def test_data_of_geth(case: Any) -> None:
    _, value, table = case
    if value in DECIDED_DATA:
        assert Bytes(value) == b""
    elif "wantErr" in table:
        with pytest.raises(HexaryError) as caught:
            Bytes(value)
        wanted = InputTypeError if "NonString" in table["wantErr"] else HexError
        assert type(caught.value) is wanted
    else:
        text = table["want"].removeprefix('referenceBytes("').removesuffix('")')
        if text.startswith("[]byte{"):
            numbers = text.removeprefix("[]byte{").removesuffix("}").split(",")
            data = bytes(int(number, 16) for number in numbers if number)
        else:
            data = bytes.fromhex(text)
        assert Bytes(value) == data


@vector_cases("typed/geth-hexutil", hexutil_cases(QUANTITIES), at_least=73)
def test_quantities_of_geth(case: Any) -> None:
    table, value, entry = case
    cls: Any = FixedSizeHexNumber[8] if "int" in table.lower() else HexNumber
    if "wantErr" not in entry and "maxUint" in entry["want"]:
        # The literal names a variable; the input itself is what it stands for.
        assert cls(value) == int(value, 16)
    elif value in DECIDED_QUANTITIES:
        assert cls(value) == DECIDED_QUANTITIES[value][0]
    elif "Range" in entry.get("wantErr", ""):
        with pytest.raises(RangeError):
            cls(value)
    elif "NonString" in entry.get("wantErr", ""):
        with pytest.raises(InputTypeError):
            cls(value)
    elif "wantErr" in entry:
        with pytest.raises(HexError):
            cls(value)
    elif value == "":
        # GETH_NOTHING
        with pytest.raises(HexError):
            cls(value)
        assert parse_quantity(value, empty=True) == go_number(entry["want"])
    else:
        assert cls(value) == go_number(entry["want"])


def encode_cases(path: Path) -> Iterator[tuple[str, Any]]:
    for table, cases in json.loads(path.read_bytes()).items():
        if table.startswith("encode"):
            for index, case in enumerate(cases):
                yield f"{table}:{index}", case


@vector_cases("typed/geth-hexutil", encode_cases, at_least=17)
def test_text_of_geth(case: Any) -> None:
    wanted = json.loads(case["want"])
    if case["input"].startswith("[]byte"):
        numbers = case["input"].removeprefix("[]byte{").removesuffix("}")
        data = [int(number) for number in numbers.split(",") if number.strip()]
        assert to_hex(data) == str(Bytes(data)) == wanted
    else:
        number = go_number(case["input"])
        assert Number(number).hex() == wanted
        if number >= 0:
            assert str(HexNumber(number)) == wanted
            assert HexNumber(wanted) == number


# ethers

NOT_A_UNIT = {"satoshi": "a unit of another currency"}


def unit_cases(path: Path) -> Iterator[tuple[str, Any]]:
    for entry in json.loads(path.read_bytes()):
        for unit, amount in entry.items():
            known = unit != "name" and not unit.endswith("_format")
            if known and unit not in NOT_A_UNIT:
                yield f"{entry['name']}:{unit}", (amount, unit, int(entry["wei"]))


@vector_cases("typed/ethers", unit_cases, at_least=47, pattern="units.json")
def test_units_of_ethers(case: Any) -> None:
    amount, unit, wei = case
    assert Wei(f"{amount} {unit}") == wei


PRIME = 2**256 - 2**32 - 977
GENERATOR = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)

Point = tuple[int, int] | None


def add(one: Point, two: Point) -> Point:
    """Add two points of secp256k1 (SEC 1, section 2.2.1)."""
    if one is None or two is None:
        return one or two
    if one[0] != two[0]:
        slope = (two[1] - one[1]) * pow(two[0] - one[0], -1, PRIME)
    elif one[1] == two[1]:
        slope = 3 * one[0] * one[0] * pow(2 * one[1], -1, PRIME)
    else:
        return None
    x = (slope * slope - one[0] - two[0]) % PRIME
    return x, (slope * (one[0] - x) - one[1]) % PRIME


def public_key(private_key: int) -> bytes:
    """Return the uncompressed public key, which this package does not compute."""
    point: Point = None
    power: Point = GENERATOR
    while private_key:
        if private_key & 1:
            point = add(point, power)
        power = add(power, power)
        private_key >>= 1
    assert point is not None
    return point[0].to_bytes(32, "big") + point[1].to_bytes(32, "big")


def account_cases(path: Path) -> Iterator[tuple[str, Any]]:
    for index, entry in enumerate(json.loads(path.read_bytes())):
        yield f"{index}:{entry['name']}", entry


@vector_cases("typed/ethers", account_cases, at_least=259, pattern="accounts.json")
def test_accounts_of_ethers(case: Any) -> None:
    key = public_key(to_number(case["privateKey"]))
    assert Address.from_public_key(key).checksum() == case["address"]
    assert Address.from_public_key(b"\4" + key) == case["address"]


@vector_cases(
    "typed/ethereum-tests/BasicTests", listed, at_least=2, pattern="keyaddrtest.json"
)
def test_accounts_of_ethereum_tests(case: Any) -> None:
    """The private key is the hash of the seed, too."""
    assert Bytes(case["seed"].encode()).keccak256() == case["key"]
    key = public_key(int(Hash(case["key"])))
    assert Address.from_public_key(key) == case["addr"]


def packed(kind: str, value: Any) -> bytes:
    """Return *value* as Solidity packs a value that is no array."""
    if kind == "string":
        return bytes(value.encode())
    if kind == "bytes":
        return Bytes(value)
    if kind == "address":
        return Address(value)
    if kind == "bool":
        return FixedSizeBytes[1](value)
    if kind.startswith("bytes"):
        size = int(kind.removeprefix("bytes"))
        return FixedSizeBytes[size](value)
    bits = int(kind.removeprefix("u").removeprefix("int") or 256)
    return to_fixed_size_bytes(to_number(value) % 2**bits, bits // 8)


def packed_cases(path: Path) -> Iterator[tuple[str, Any]]:
    for entry in json.loads(path.read_bytes()):
        if not any("[" in kind for kind in entry["types"]):
            yield entry["name"], entry


@vector_cases(
    "typed/ethers", packed_cases, at_least=1355, pattern="solidity-hashes.json"
)
def test_hashes_of_packed_values_of_ethers(case: Any) -> None:
    parts = [
        packed(kind, value)
        for kind, value in zip(case["types"], case["values"], strict=True)
    ]
    whole = Bytes(b"".join(parts))
    assert whole.keccak256() == case["keccak256"]
    assert whole.sha256() == case["sha256"]


# Blooms of real receipts


def receipt_cases(path: Path) -> Iterator[tuple[str, Any]]:
    content = json.loads(path.read_bytes())
    found = content["result"] if "jsonrpc" in (content or ()) else content
    for index, receipt in enumerate(found if isinstance(found, list) else [found]):
        if receipt and "logsBloom" in receipt:
            yield str(index), receipt


def check_bloom(receipt: Any) -> None:
    items = [
        item for log in receipt["logs"] for item in (log["address"], *log["topics"])
    ]
    bloom = Bloom.from_items(items)
    assert bloom == receipt["logsBloom"]
    assert str(bloom) == receipt["logsBloom"]
    assert all(item in bloom for item in items)
    assert (bloom == 0) is (not items)


@vector_cases(
    "rpc/trin/infura_batch", receipt_cases, at_least=584, pattern="receipts-*.json"
)
def test_blooms_of_mainnet_receipts(case: Any) -> None:
    check_bloom(case)


@vector_cases("rpc/geth-ethapi", receipt_cases, at_least=13, pattern="*eceipt*.json")
def test_blooms_of_geth_receipts(case: Any) -> None:
    check_bloom(case)
