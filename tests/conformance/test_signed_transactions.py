"""
Signing, hashing and sending accounts of published transactions, messages and keys.

The tables of ethers sign each transaction in every form; signatures are those of
RFC 6979, so they have to be the same to the byte.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.vector_files import vector_cases
from hexary.chain import (
    AccessListEntry,
    AccessListTransaction,
    BlobTransaction,
    FeeMarketTransaction,
    LegacyTransaction,
    Signature,
    TypedData,
    decode_transaction,
    private_key_address,
)
from hexary.hash import keccak256
from hexary.typed.hexstr import parse_quantity

pytest.importorskip("coincurve", reason="the extra secp256k1 is not installed")


def listed(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the entries of a JSON list, numbered."""
    for index, entry in enumerate(json.loads(path.read_bytes())):
        yield str(index), entry


def number(value: Any) -> int:
    """Return a number as ethers has it: absent or without digits for 0."""
    if value in (None, "0x"):
        return 0
    return value if isinstance(value, int) else parse_quantity(value)


def forms(value: dict[str, Any], chain: int) -> Iterator[tuple[str, Any]]:
    """
    Yield name and unsigned transaction of each form of a transaction.

    Without ``chainId``, a transaction with a type is for *chain*.
    """
    common = {
        "nonce": number(value.get("nonce")),
        "gas_limit": number(value.get("gasLimit")),
        "to": bytes.fromhex(value["to"][2:]) if value.get("to") else None,
        "value": number(value.get("value")),
        "data": bytes.fromhex(value.get("data", "0x")[2:]),
    }
    chain_id = number(value.get("chainId"))
    access_list = tuple(
        AccessListEntry.from_json(entry) for entry in value.get("accessList") or ()
    )
    gas_price = number(value.get("gasPrice"))
    fees = {
        "max_priority_fee_per_gas": number(value.get("maxPriorityFeePerGas")),
        "max_fee_per_gas": number(value.get("maxFeePerGas")),
    }
    legacy = LegacyTransaction(gas_price=gas_price, **common)
    yield "Legacy", legacy
    if chain_id:
        yield "Eip155", legacy.for_chain(chain_id)
    chain_id = chain_id if "chainId" in value else chain
    typed = {"chain_id": chain_id, "access_list": access_list, **common}
    yield "Berlin", AccessListTransaction(gas_price=gas_price, **typed)
    yield "London", FeeMarketTransaction(**fees, **typed)
    if common["to"] is not None:
        yield (
            "Cancun",
            BlobTransaction(
                max_fee_per_blob_gas=number(value.get("maxFeePerBlobGas")),
                blob_versioned_hashes=tuple(value.get("blobVersionedHashes") or ()),
                **fees,
                **typed,
            ),
        )


def check_forms(case: dict[str, Any], *, chain: int) -> int:
    """Check each form that the case has; return how many there were."""
    key = bytes.fromhex(case["privateKey"][2:])
    sender = private_key_address(key)
    count = 0
    for name, unsigned in forms(case["transaction"], chain):
        if f"signed{name}" not in case:
            continue
        count += 1
        data = bytes.fromhex(case[f"unsigned{name}"][2:])
        assert unsigned.signing_hash() == keccak256(data)
        signed = unsigned.sign(key)
        data = bytes.fromhex(case[f"signed{name}"][2:])
        assert signed.rlp() == data
        assert decode_transaction(data) == signed
        assert signed.hash() == keccak256(data)
        assert signed.sender() == sender
        if f"signature{name}" in case:
            told = case[f"signature{name}"]
            assert signed.r == int(told["r"], 16)
            assert signed.s == int(told["s"], 16)
    return count


@vector_cases("typed/ethers", listed, at_least=896, pattern="transaction.json")
def test_transactions_of_ethers(case: Any) -> None:
    assert check_forms(case, chain=1) >= 3


@vector_cases("typed/ethers", listed, at_least=400, pattern="transactions-sample.json")
def test_sample_of_the_newer_transactions_of_ethers(case: Any) -> None:
    assert check_forms(case, chain=0) >= 3


@vector_cases("typed/ethers", listed, at_least=259, pattern="accounts.json")
def test_addresses_of_private_keys(case: Any) -> None:
    key = bytes.fromhex(case["privateKey"][2:])
    assert private_key_address(key).checksum() == case["address"]
    assert private_key_address(int.from_bytes(key, "big")) == case["address"]


@vector_cases("typed/ethers", listed, at_least=130, pattern="typed-data.json")
def test_typed_data_of_ethers(case: Any) -> None:
    data = TypedData.from_json(
        {
            "types": case["types"],
            "primaryType": case["primaryType"],
            "domain": case["domain"],
            "message": case["data"],
        }
    )
    assert data.encode_struct(data.primary_type, data.message) == case["encoded"]
    assert data.hash() == case["digest"]


@vector_cases("typed/ethereum-tests/BasicTests", listed, at_least=2, pattern="txtest.*")
def test_transactions_of_basic_tests(case: Any) -> None:
    """The unsigned forms of that time have zeros for the signature."""
    transaction = LegacyTransaction(
        nonce=case["nonce"],
        gas_price=case["gasprice"],
        gas_limit=case["startgas"],
        to=bytes.fromhex(case["to"]) or None,
        value=case["value"],
        data=bytes.fromhex(case["data"]),
    )
    assert transaction.rlp().hex() == case["unsigned"]
    told = decode_transaction(bytes.fromhex(case["signed"]))
    sender = private_key_address(bytes.fromhex(case["key"]))
    assert told.sender() == sender
    assert told.replace(v=0, r=0, s=0) == transaction
    signed = transaction.sign(bytes.fromhex(case["key"]))
    assert signed.sender() == sender


@vector_cases(
    "typed/ethereum-tests/BasicTests", listed, at_least=2, pattern="keyaddrtest.*"
)
def test_keys_and_signatures_of_basic_tests(case: Any) -> None:
    """What was signed the file does not tell: it is not the empty string's hash."""
    key = bytes.fromhex(case["key"])
    assert keccak256(case["seed"].encode()) == key
    assert private_key_address(key) == case["addr"]
    told = case["sig_of_emptystring"]
    signature = Signature(int(told["v"]) - 27, int(told["r"]), int(told["s"]))
    signature.check(low_s=False)
    assert signature.signer(keccak256(b"")) != case["addr"]
    assert Signature.from_bytes(signature.to_bytes()) == signature
