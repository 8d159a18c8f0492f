"""
RLP of other clients' tests: blocks, headers, wire messages, blob transactions.

Everything is decoded, checked against the answers, and encoded byte for byte again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.vector_files import VECTORS, vector_cases
from hexary import rlp
from hexary.chain import (
    BlobTransaction,
    BlobTransactionWithCellProofs,
    BlobTransactionWithProofs,
    Block,
    Header,
    check_signature,
    decode_pooled_transaction,
)
from hexary.errors import DecodeError, InvalidError, InvalidReason
from hexary.typed import Address, Hash

BLOCKS = VECTORS / "rlp" / "besu-mainnet-blocks"


def hex_file(path: Path) -> bytes:
    """Return the bytes that a file of hex text stands for."""
    return bytes.fromhex(path.read_text(encoding="ascii").strip().removeprefix("0x"))


def whole(path: Path) -> Iterator[tuple[str, Path]]:
    """Yield a file."""
    if path.name != "SOURCE.txt":
        yield "file", path


def check_blocks(path: Path, answer: dict[str, Any]) -> list[Block]:
    """Check a file of blocks one after the other against its answers."""
    data = path.read_bytes()
    blocks = list(rlp.decode_concatenated(Block, data))
    assert len(blocks) == answer["blocks"]
    assert b"".join(block.rlp() for block in blocks) == data
    previous = None
    counts = set()
    for block in blocks:
        assert block.check() == block.header.hash()
        counts.add(len(rlp.decode(block.header.rlp())))
        if previous is not None and block.header.number:
            assert block.header.parent_hash == previous
        previous = block.hash()
    assert sorted(counts) == answer["headerFieldCounts"]
    for place, block in ((0, blocks[0]), (-1, blocks[-1])):
        told = answer["first" if place == 0 else "last"]
        assert (block.header.number, block.hash()) == (told["number"], told["hash"])
    return blocks


@vector_cases("rlp/besu-mainnet-blocks", whole, at_least=9, pattern="*.blocks")
def test_mainnet_blocks(case: Path) -> None:
    answers = json.loads((BLOCKS / "EXPECTED-rlp.json").read_bytes())["files"]
    blocks = check_blocks(case, answers[case.name])
    if case.name == "block_4400000.blocks":
        pytest.importorskip("coincurve")
        for transaction in blocks[0].transactions:
            check_signature(transaction, fork="Byzantium", chain_id=1)
            assert transaction.sender()


def test_the_chain_of_execution_apis(vectors: Path) -> None:
    folder = vectors / "rpc" / "execution-apis"
    answers = json.loads((folder / "EXPECTED-rlp.json").read_bytes())["files"]
    blocks = check_blocks(folder / "chain.rlp", answers["chain.rlp"])
    types = {transaction.type for block in blocks for transaction in block.transactions}
    assert types == {0, 1, 2, 3, 4}


def test_headers_of_ropsten(vectors: Path) -> None:
    """One of each epoch; the chain is gone, but its blocks have these numbers."""
    lines = (vectors / "rlp" / "py-evm" / "ropston_epoch_headers.rlp").read_text()
    numbers = []
    for line in lines.splitlines():
        if line.startswith("#") or not line.strip():
            continue
        header = Header.from_rlp(bytes.fromhex(line.strip()[2:]))
        assert header.rlp() == bytes.fromhex(line.strip()[2:])
        numbers.append(header.number)
    assert numbers == [1 + 30000 * epoch for epoch in range(40)]


@rlp.record
class NewBlock(rlp.Record):
    """The message with which nodes told each other of a block."""

    block: Block
    total_difficulty: rlp.U128


@vector_cases("rlp/reth", whole, at_least=3, pattern="*new_block_network*")
def test_new_block_messages(case: Path) -> None:
    """BSC still sends them; its blocks are Ethereum's in all but their seal."""
    data = hex_file(case)
    message = NewBlock.from_rlp(data)
    assert message.rlp() == data
    assert message.block.check() == message.block.hash()
    assert message.block.header.number in (19410504, 19410524, 19410658)
    pytest.importorskip("coincurve")
    for transaction in message.block.transactions:
        check_signature(transaction, fork="London", chain_id=56)
        assert isinstance(transaction.sender(), Address)


def test_hashes_of_pooled_transactions(vectors: Path) -> None:
    data = hex_file(vectors / "rlp" / "reth" / "new_pooled_transactions_network_rlp")
    hashes = rlp.decode(tuple[Hash, ...], data)
    assert len(hashes) == 896
    assert rlp.encode(hashes) == data


def test_a_pooled_blob_transaction(vectors: Path) -> None:
    data = hex_file(vectors / "rlp" / "reth" / "blob_transaction")
    item = rlp.decode_bytes(data)
    transaction = decode_pooled_transaction(item)
    assert isinstance(transaction, BlobTransactionWithProofs)
    transaction.check()
    assert transaction.rlp() == item
    pytest.importorskip("coincurve")
    assert transaction.transaction.sender() == (
        "0x544d89af306136234fda4508b94ff95cc753aaa3"
    )


@vector_cases("rlp/alloy-4844", whole, at_least=7, pattern="*.rlp")
def test_blob_transactions_with_their_blobs(case: Path) -> None:
    data = hex_file(case)
    wrapped = decode_pooled_transaction(data)
    newer = case.name.startswith("7594")
    cls = BlobTransactionWithCellProofs if newer else BlobTransactionWithProofs
    assert isinstance(wrapped, cls)
    assert wrapped.version == int(newer)
    wrapped.check()
    assert wrapped.rlp() == data
    inner = wrapped.transaction
    assert len(wrapped.blobs) == len(inner.blob_versioned_hashes)
    alone = decode_pooled_transaction(inner.rlp())
    assert isinstance(alone, BlobTransaction)
    assert alone == inner
    assert type(wrapped).from_json(wrapped.to_json()) == wrapped
    fewer = wrapped.replace(blobs=wrapped.blobs[:-1])
    with pytest.raises(InvalidError) as caught:
        fewer.check()
    assert caught.value.reason is InvalidReason.SIDECAR_COUNT
    other = wrapped.replace(commitments=(bytes(48),) * len(wrapped.commitments))
    with pytest.raises(InvalidError) as caught:
        other.check()
    assert caught.value.reason is InvalidReason.SIDECAR_COMMITMENT
    with pytest.raises(DecodeError):
        decode_pooled_transaction(data[:-1])
    pytest.importorskip("coincurve")
    check_signature(inner, fork="Cancun")
    assert isinstance(inner.sender(), Address)
