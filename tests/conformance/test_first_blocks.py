"""
Headers and genesis blocks in the old tables of ethereum/tests, and paths of tries.

Blocks of a proof of concept, whose headers have thirteen fields (``blockgenesistest``),
are refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.json_messages import load
from conformance.vector_files import vector_cases
from hexary import rlp
from hexary.chain import Block, Genesis, Header
from hexary.errors import DecodeError, DecodeReason, FixtureError
from hexary.trie import Nibbles, hp_encode


def named(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the members of a JSON object."""
    yield from json.loads(path.read_bytes()).items()


@vector_cases("typed/ethereum-tests/PoWTests", named, at_least=2)
def test_hashes_that_were_sealed(case: Any) -> None:
    """Ethash seals the hash of a header without its seal."""
    data = bytes.fromhex(case["header"].removeprefix("0x"))
    header = Header.from_rlp(data)
    assert header.rlp() == data
    assert bytes(header.mix_hash).hex() == case["mixHash"]
    assert bytes(header.nonce).hex() == case["nonce"]
    sealed = header.hash(exclude=("mix_hash", "nonce"))
    assert bytes(sealed).hex() == case["header_hash"]


def test_the_genesis_of_mainnet_as_a_block(vectors: Path) -> None:
    told = load(
        vectors / "typed" / "ethereum-tests" / "BasicTests" / "genesishashestest.json"
    )
    again = load(vectors / "rpc" / "ethereumjs-block" / "genesisHashesTest.json")
    assert again["test"]["genesis_rlp_hex"] == told["genesis_rlp_hex"]
    block = Block.from_rlp(bytes.fromhex(told["genesis_rlp_hex"]))
    assert block.rlp().hex() == told["genesis_rlp_hex"]
    assert bytes(block.check()).hex() == told["genesis_hash"]
    assert bytes(block.header.state_root).hex() == told["genesis_state_root"]


@vector_cases("typed/ethereum-tests/GenesisTests", named, at_least=3)
def test_genesis_blocks(case: Any) -> None:
    if case["timestamp"] == "0x":
        # A number without digits, which other readers take for 0.
        with pytest.raises(FixtureError, match="a number has at least one digit"):
            Genesis.from_json(case)
        case = {**case, "timestamp": "0x0"}
    # The oldest name of a balance, which nobody writes any more.
    alloc = {
        address: {**account, "balance": account.get("wei", account.get("balance", "0"))}
        for address, account in case["alloc"].items()
    }
    header = Genesis.from_json({**case, "alloc": alloc}).header()
    assert isinstance(header, Header)
    assert Block(header).rlp().hex() == case["result"].removeprefix("0x")


def test_headers_of_a_proof_of_concept_are_not_headers(vectors: Path) -> None:
    folder = vectors / "typed" / "ethereum-tests" / "BasicTests"
    for case in load(folder / "blockgenesistest.json"):
        with pytest.raises(DecodeError) as caught:
            Block.from_rlp(bytes.fromhex(case["result"]))
        assert caught.value.reason is DecodeReason.WRONG_SIZE
        assert caught.value.field in (
            "block.header.state_root",
            "block.header.transactions_root",
        )
        assert len(rlp.decode(bytes.fromhex(case["result"]))[0]) == 13


@vector_cases(
    "typed/ethereum-tests/BasicTests", named, at_least=12, pattern="hexencodetest.json"
)
def test_paths_of_tries(case: Any) -> None:
    encoded = hp_encode(Nibbles(case["seq"]), leaf=case["term"])
    assert encoded.hex() == case["out"]
