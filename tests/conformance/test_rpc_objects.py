"""
Every file of JSON-RPC messages: all headers, transactions, receipts and logs in them.

Each object is read, written and read again, as JSON and as RLP; a hash, sender or bloom
filter that the file tells is computed.  What is wrong on purpose stands in a table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.json_messages import kind_of, load, objects
from conformance.vector_files import VECTORS, vector_cases
from hexary import rlp
from hexary.chain import (
    AccessListEntry,
    ExecutionPayload,
    Header,
    Log,
    Receipt,
    Withdrawal,
    decode_transaction,
    transaction_from_json,
)
from hexary.errors import FixtureError, InvalidError, InvalidReason

pytest.importorskip("coincurve", reason="the extra secp256k1 is not installed")

WRONG_HASHES = {
    "ethereumjs-block/testdata-from-rpc-difficulty-as-integer.json": 3,
    "optimism/blocks/post-shanghai-bad-receipts-hash_data.json": 1,
    "optimism/blocks/post-shanghai-bad-transactions-hash_data.json": 1,
    "optimism/blocks/post-shanghai-bad-withdrawals-hash_data.json": 1,
    "optimism/blocks/pre-shanghai-bad-receipts-hash_data.json": 1,
    "optimism/blocks/pre-shanghai-bad-transactions-hash_data.json": 1,
    "optimism/headers/post-shanghai-bad-receipts_data.json": 1,
    "optimism/headers/post-shanghai-bad-transactions_data.json": 1,
    "optimism/headers/post-shanghai-bad-withdrawals_data.json": 1,
    "optimism/headers/pre-shanghai-bad-receipts_data.json": 1,
    "optimism/headers/pre-shanghai-bad-transactions_data.json": 1,
}
"""File → how many hashes it tells that are not those of their objects."""

PENDING = {
    "geth-ethapi/eth_getBlockByNumber-tag-pending-fullTx.json",
    "geth-ethapi/eth_getBlockByNumber-tag-pending.json",
    "geth-ethapi/eth_getHeaderByNumber-tag-pending.json",
}
"""A pending block has nulls for what is not known yet: it is not a block."""

UNSIGNED = "eth_simulateV1"
"""What is only simulated has r and s of 0."""


def messages(path: Path) -> Iterator[tuple[str, Path]]:
    """Yield a file."""
    if path.suffix in (".json", ".io"):
        yield "file", path


def check_header(value: dict[str, Any]) -> int:
    """Check a header, alone or in a block; return 1 if the hash is another."""
    header = Header.from_json(value)
    assert Header.from_rlp(header.rlp()) == header
    for spelling in ("rpc", "fixture"):
        written = header.to_json(spelling=spelling)
        assert Header.from_json(written, spelling=spelling) == header
    return int("hash" in value and header.hash() != value["hash"])


def check_transaction(value: dict[str, Any], *, signed: bool) -> int:
    """Check a transaction; return 1 if the hash is another."""
    transaction = transaction_from_json(value)
    assert decode_transaction(transaction.rlp()) == transaction
    for spelling in ("rpc", "fixture"):
        written = transaction.to_json(spelling=spelling)
        again = transaction_from_json(written, spelling=spelling)
        assert again == transaction
    if "hash" in value and transaction.hash() != value["hash"]:
        return 1
    if signed and "from" in value:
        assert transaction.sender() == value["from"]
    elif not signed:
        with pytest.raises(InvalidError) as caught:
            transaction.sender()
        assert caught.value.reason is InvalidReason.SIGNATURE_R
    return 0


def check_receipt(value: dict[str, Any]) -> None:
    """Check a receipt and its bloom filter."""
    receipt = Receipt.from_json(value)
    receipt.check()
    assert Receipt.from_rlp(receipt.rlp()) == receipt
    for spelling in ("rpc", "fixture"):
        written = receipt.to_json(spelling=spelling)
        assert Receipt.from_json(written, spelling=spelling) == receipt


def check_payload(value: dict[str, Any]) -> None:
    """Check a payload; of the older ones, nothing but itself makes the hash."""
    payload = ExecutionPayload.from_json(value)
    assert ExecutionPayload.from_json(payload.to_json()) == payload
    if payload.version <= 2:
        payload.header()


@vector_cases("rpc", messages, at_least=490, pattern="**/*")
def test_all_objects_of_a_file(case: Path) -> None:
    name = str(case.relative_to(VECTORS / "rpc"))
    wrong = 0
    for value in objects(load(case)):
        kind = kind_of(value)
        if kind == "header" and name in PENDING:
            with pytest.raises(FixtureError, match=r"header\.miner"):
                Header.from_json(value)
        elif kind == "header":
            wrong += check_header(value)
        elif kind == "transaction":
            signed = UNSIGNED not in name or value["r"] != "0x0"
            wrong += check_transaction(value, signed=signed)
        elif kind == "receipt":
            check_receipt(value)
        elif kind == "payload":
            check_payload(value)
        elif kind == "log":
            log = Log.from_json(value)
            assert rlp.decode(Log, log.rlp()) == log
            assert Log.from_json(log.to_json()) == log
        elif kind == "access":
            entry = AccessListEntry.from_json(value)
            assert AccessListEntry.from_rlp(entry.rlp()) == entry
            assert entry.to_json() == {**value, "address": value["address"].lower()}
        elif kind == "withdrawal":
            withdrawal = Withdrawal.from_json(value)
            assert Withdrawal.from_rlp(withdrawal.rlp()) == withdrawal
            assert withdrawal.to_json() == value
    assert wrong == WRONG_HASHES.get(name, 0)


def test_there_are_as_many_objects_as_there_were(vectors: Path) -> None:
    counts: Counter[str] = Counter()
    for path in (vectors / "rpc").glob("**/*"):
        if path.suffix in (".json", ".io") and not path.name.startswith("EXPECTED"):
            counts.update(map(kind_of, objects(load(path))))
    floors = {
        "header": 466,
        "transaction": 5336,
        "receipt": 2939,
        "log": 6388,
        "payload": 30,
        "withdrawal": 500,
        "access": 200,
    }
    assert {kind for kind, floor in floors.items() if counts[kind] < floor} == set()
