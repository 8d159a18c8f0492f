"""CREATE and CREATE2 addresses against the tables of EIP-1014, ethers and geth."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conformance.vector_files import vector_cases
from hexary.state import create2_address, create_address


def create_cases(path: Path) -> Iterator[tuple[str, Any]]:
    for index, entry in enumerate(json.loads(path.read_bytes())):
        if "creates" not in entry:
            yield str(index), entry
        for each in entry.get("creates", ()):
            yield f"{index}:{each['name']}", {"sender": entry["sender"], **each}


@vector_cases("typed/geth-create", create_cases, at_least=3, pattern="create.json")
def test_create_address_of_geth(case: Any) -> None:
    assert create_address(case["sender"], case["nonce"]).hex() == case["address"]


@vector_cases("typed/ethers", create_cases, at_least=160, pattern="create.json")
def test_create_address_of_ethers(case: Any) -> None:
    address = create_address(case["sender"], case["nonce"])
    assert address.checksum() == case["address"]


@vector_cases("typed/ethers", create_cases, at_least=128, pattern="create2.json")
def test_create2_address_of_ethers(case: Any) -> None:
    address = create2_address(case["sender"], case["salt"], case["initCode"])
    assert address.checksum() == case["address"]


@vector_cases("typed/eips", create_cases, at_least=7, pattern="*create2.json")
def test_create2_address_of_the_eip(case: Any) -> None:
    address = create2_address(case["address"], case["salt"], case["init_code"])
    assert address.checksum() == case["result"]


@vector_cases("typed/ethereumjs", create_cases, at_least=7, pattern="eip1014*.json")
def test_create2_address_of_ethereumjs(case: Any) -> None:
    address = create2_address(case["address"], case["salt"], case["initCode"])
    assert address.hex() == case["result"].lower()
