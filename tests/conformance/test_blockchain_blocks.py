"""
Blocks of blockchain fixtures: RLP, JSON, roots, hashes, senders; nothing is executed.

A block that has to be refused may well be fine as far as can be told without a state;
what is malformed or disagrees with itself has to show here.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.json_messages import load
from conformance.vector_files import vector_cases
from hexary.chain import Block, Header, check_block, fork_named
from hexary.errors import HexaryError


def blocks(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the blocks of each case of a file."""
    document = load(path)
    if not isinstance(document, dict):
        return
    for name, case in document.items():
        if not isinstance(case, dict) or "blocks" not in case:
            continue
        for place, block in enumerate(case["blocks"]):
            yield f"{name}#{place}", block
        if "genesisRLP" in case:
            genesis = {"rlp": case["genesisRLP"]}
            genesis["blockHeader"] = case["genesisBlockHeader"]
            yield f"{name}#genesis", genesis


def check(value: dict[str, Any]) -> None:
    """Check a block that has to be right, or one that has to be refused."""
    data = bytes.fromhex(value["rlp"][2:])
    if "blockHeader" not in value:
        try:
            block = Block.from_rlp(data)
            block.check()
        except HexaryError:
            return
        assert block.rlp() == data
        return
    block = Block.from_rlp(data)
    assert block.rlp() == data
    header = Header.from_json(value["blockHeader"], spelling="fixture")
    assert block.header == header
    if "hash" in value["blockHeader"]:
        assert block.check() == value["blockHeader"]["hash"]
    if "transactions" in value:
        told = Block.from_json(value, spelling="fixture")
        assert told == block
        written = told.to_json(spelling="fixture")
        assert Block.from_json(written, spelling="fixture") == block
        assert written["rlp"] == value["rlp"]
        pytest.importorskip("coincurve")
        for one, transaction in zip(
            value["transactions"], block.transactions, strict=True
        ):
            if "sender" in one:
                assert transaction.sender() == one["sender"]


@vector_cases("blockchain/ethereum-tests", blocks, at_least=1000)
def test_blocks_of_ethereum_tests(case: dict[str, Any]) -> None:
    check(case)


@vector_cases("eest/eest-framework-fixtures", blocks, at_least=18)
def test_blocks_of_execution_spec_tests(case: dict[str, Any]) -> None:
    check(case)


NOT_THE_FORKS = {"fp_to_g1_0.json", "fp_to_g1_1.json", "fp_to_g1_99.json"}
"""Made of a draft of Prague, whose headers had no hash of requests yet."""


def blocks_of_one_fork(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the blocks that have to be right, of cases that stay at one fork."""
    document = load(path)
    if not isinstance(document, dict) or path.name in NOT_THE_FORKS:
        return
    for name, case in document.items():
        if not isinstance(case, dict) or "blocks" not in case:
            continue
        if "AtTime" in case["network"] or "To" in case["network"]:
            continue
        for place, block in enumerate(case["blocks"]):
            if "blockHeader" in block:
                told = {"network": case["network"], "rlp": block["rlp"]}
                yield f"{name}#{place}", told


@vector_cases("blockchain", blocks_of_one_fork, at_least=1000)
def test_blocks_are_what_their_fork_allows(case: dict[str, Any]) -> None:
    block = Block.from_rlp(bytes.fromhex(case["rlp"][2:]))
    assert check_block(block, fork=fork_named(case["network"])) == block.hash()
