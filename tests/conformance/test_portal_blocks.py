"""
Mainnet blocks as the Portal network has them, from Frontier to Prague.

Headers are RLP, under keys that end in their hashes.  Bodies and receipts are either
RLP or SSZ around RLP; receipts come with and without bloom filters.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.json_messages import load
from conformance.simple_serialize import container, offset_list
from conformance.vector_files import VECTORS, vector_cases
from hexary import rlp
from hexary.chain import (
    Block,
    BlockBody,
    Header,
    NetworkReceipt,
    Receipt,
    Withdrawal,
    decode_transaction,
    receipts_root,
    transactions_root,
    withdrawals_root,
)

PORTAL = VECTORS / "rpc" / "portal-history"


def unhex(text: str) -> bytes:
    """Return the bytes of 0x-text."""
    return bytes.fromhex(text[2:])


def whole(path: Path) -> Iterator[tuple[str, Path]]:
    """Yield a file."""
    yield "file", path


@vector_cases("rpc/portal-history/block_data", whole, at_least=12)
def test_whole_blocks(case: Path) -> None:
    """Header, body and receipts of one block, all of them RLP."""
    answers = json.loads((PORTAL / "EXPECTED.json").read_bytes())["items"]
    answer = answers[f"block_data/{case.name}"]
    value = load(case)
    header = Header.from_rlp(unhex(value["header"]))
    assert header.rlp() == unhex(value["header"])
    assert header.hash() == answer["hash"]
    assert header.number == answer["number"]
    assert header.transactions_root == answer["transactionsRoot"]
    assert header.receipts_root == answer["receiptsRoot"]
    body = BlockBody.from_rlp(unhex(value["body"]))
    assert body.rlp() == unhex(value["body"])
    assert len(body.transactions) == answer["body"][0]
    assert len(body.ommers) == answer["body"][1]
    block = body.block(header)
    assert block.check() == header.hash()
    assert Block.from_rlp(block.rlp()) == block
    sent = rlp.decode(tuple[NetworkReceipt, ...], unhex(value["receipts"]))
    assert rlp.encode(sent) == unhex(value["receipts"])
    assert len(sent) == answer["receipts"]
    receipts = [one.receipt() for one in sent]
    block.check_receipts(receipts)
    assert receipts_root(receipts) == answer["receiptsRoot"]
    types = [transaction.type for transaction in block.transactions]
    assert [receipt.type for receipt in receipts] == types


def headers(path: Path) -> Iterator[tuple[str, tuple[bytes, bytes]]]:
    """Yield key and value of each header with its proof."""
    value = load(path)
    entries = [value] if "content_key" in value else value.values()
    for place, entry in enumerate(entries):
        yield str(place), (unhex(entry["content_key"]), unhex(entry["content_value"]))


@vector_cases(
    "rpc/portal-history/headers_with_proof", headers, at_least=25, pattern="*.json"
)
def test_headers_under_their_hashes(case: tuple[bytes, bytes]) -> None:
    key, value = case
    data = container(value, 2)[0]
    header = Header.from_rlp(data)
    assert header.rlp() == data
    if key[0] == 0:
        assert header.hash() == key[1:]
    else:
        assert header.number == int.from_bytes(key[1:], "little")


@vector_cases(
    "rpc/portal-history/headers_with_proof",
    whole,
    at_least=11,
    pattern="block_proofs_*/*.json",
)
def test_proofs_are_of_the_headers_beside_them(case: Path) -> None:
    number = case.stem.rpartition("-")[2]
    proven = load(case)["execution_block_header"]
    beside = load(case.parents[1] / f"{number}.json")
    assert Header.from_rlp(container(unhex(beside["content_value"]), 2)[0]).hash() == (
        proven
    )


def body_of(data: bytes, header: Header) -> Block:
    """Return the block of an SSZ body and its header."""
    parts = container(data, 2 if header.withdrawals_root is None else 3)
    transactions = tuple(map(decode_transaction, offset_list(parts[0])))
    ommers = rlp.decode(tuple[Header, ...], parts[1])
    withdrawals = None
    if header.withdrawals_root is not None:
        withdrawals = tuple(map(Withdrawal.from_rlp, offset_list(parts[2])))
    return Block(header, transactions, ommers, withdrawals)


@vector_cases("rpc/portal-history/bodies", headers, at_least=2)
def test_bodies_have_the_roots_of_their_headers(case: tuple[bytes, bytes]) -> None:
    key, value = case
    parts = container(value, int.from_bytes(value[:4], "little") // 4)
    transactions = [decode_transaction(one) for one in offset_list(parts[0])]
    assert [one.rlp() for one in transactions] == offset_list(parts[0])
    root = transactions_root(transactions)
    if len(parts) == 3:
        withdrawals = [Withdrawal.from_rlp(one) for one in offset_list(parts[2])]
        assert len(withdrawals) == 16
        assert [one.rlp() for one in withdrawals] == offset_list(parts[2])
        assert withdrawals_root(withdrawals) != root
        return
    beside = load(PORTAL / "headers_with_proof" / "14764013.json")
    header = Header.from_rlp(container(unhex(beside["content_value"]), 2)[0])
    assert header.hash() == key[1:]
    assert body_of(value, header).check() == header.hash()


@vector_cases("rpc/portal-history/receipts", headers, at_least=1)
def test_receipts_have_the_root_of_their_header(case: tuple[bytes, bytes]) -> None:
    key, value = case
    receipts = [Receipt.from_rlp(one) for one in offset_list(value)]
    assert [one.rlp() for one in receipts] == offset_list(value)
    beside = load(PORTAL / "headers_with_proof" / "14764013.json")
    header = Header.from_rlp(container(unhex(beside["content_value"]), 2)[0])
    assert header.hash() == key[1:]
    Block(header).check_receipts(receipts)


def mainnet_blocks(path: Path) -> Iterator[tuple[str, tuple[str, dict[str, Any]]]]:
    """Yield hash and parts of each block; the answers name them all."""
    answers = load(path.parent / "EXPECTED.json")[path.name]
    blocks = load(path)
    for name, answer in answers.items():
        if "header" in answer["keys"]:
            assert answer["hash"] is True
            yield name, (name, blocks[name])


@vector_cases("rpc/nimbus-portal-blocks", mainnet_blocks, at_least=50)
def test_blocks_of_nimbus(case: tuple[str, dict[str, Any]]) -> None:
    digest, value = case
    data = unhex(value["header"])
    header = Header.from_rlp(data)
    assert header.rlp() == data
    assert header.hash() == digest
    if value.get("number") is not None:
        assert header.number == value["number"]
    block = body_of(unhex(value["body"]), header)
    assert block.check() == digest
    if "receipts" in value:
        receipts = [
            Receipt.from_rlp(one) for one in offset_list(unhex(value["receipts"]))
        ]
        block.check_receipts(receipts)


def test_a_large_block_of_trin(vectors: Path) -> None:
    folder = vectors / "rpc" / "trin" / "mainnet" / "large_content" / "15040641"
    header = Header.from_rlp(container((folder / "header.bin").read_bytes(), 2)[0])
    assert header.number == 15040641
    block = body_of((folder / "body.bin").read_bytes(), header)
    assert block.check() == header.hash()
    assert len(block.transactions) > 300
    receipts = [
        Receipt.from_rlp(one)
        for one in offset_list((folder / "receipts.bin").read_bytes())
    ]
    block.check_receipts(receipts)


def test_a_changed_byte_of_a_body_is_found(vectors: Path) -> None:
    folder = vectors / "rpc" / "trin" / "mainnet" / "large_content" / "15040641"
    header = Header.from_rlp(container((folder / "header.bin").read_bytes(), 2)[0])
    block = body_of((folder / "body.bin").read_bytes(), header)
    changed = block.replace(transactions=block.transactions[:-1])
    with pytest.raises(ValueError, match="the header has the root of the transactions"):
        changed.check()
