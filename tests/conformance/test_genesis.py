"""
Genesis files of public networks: state root and hash of block 0.

Each file's answers stand in the EXPECTED.json beside it.  Those whose names end in
``_unverified`` are recomputations that nobody published; they are compared all the
same, apart from the published ones.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.vector_files import vector_cases
from hexary import rlp
from hexary.chain import Genesis
from hexary.errors import ExecutionNeededError

NETWORK_ACCOUNTS = {"mainnet": 8893, "classic": 8893, "sepolia": 15, "holesky": 317}
NETWORK_CHAIN_IDS = {
    "callisto": 820,
    "chiado": 10200,
    "classic": 61,
    "goerli": 5,
    "holesky": 17000,
    "hoodi": 560048,
    "kovan": 42,
    "mainnet": 1,
    "rinkeby": 4,
    "sepolia": 11155111,
}


def genesis_files(path: Path) -> Iterator[tuple[str, Any]]:
    expected = json.loads((path.parent / "EXPECTED.json").read_bytes())
    yield "genesis", (path, expected[path.name])


def answers(name: str) -> Any:
    """Return a reader of the files whose EXPECTED.json has *name*."""

    def read(path: Path) -> Iterator[tuple[str, Any]]:
        for case, (file, expected) in genesis_files(path):
            if expected.get(name):
                yield case, (file, expected[name])

    return read


@vector_cases("genesis", answers("stateRoot"), at_least=46)
def test_the_state_root_is_the_published_one(case: Any) -> None:
    path, expected = case
    genesis = Genesis.from_file(path)
    assert genesis.state_root().hex() == expected
    assert genesis.state().root().hex() == expected
    assert genesis.declared_state_root in (None, expected)


@vector_cases("genesis", answers("block0Hash"), at_least=32)
def test_the_block_hash_is_the_published_one(case: Any) -> None:
    path, expected = case
    assert Genesis.from_file(path).block_hash().hex() == expected


@vector_cases("genesis", answers("block0Hash_unverified"), at_least=13)
def test_the_block_hash_is_the_recomputed_one(case: Any) -> None:
    """
    One recomputation left out the slot number that the file gives, and is matched so.

    The file is besu's genesis_amsterdam.json, with ``"slotnumber": "0x42"``.
    """
    path, expected = case
    header = Genesis.from_file(path).header()
    if path.name == "genesis_amsterdam.json":
        assert header.slot_number == 0x42
        assert header.hash().hex() != expected
        header = header.replace(slot_number=0)
    assert header.hash().hex() == expected


@vector_cases("genesis", genesis_files, at_least=47)
def test_a_genesis_tells_its_accounts_and_its_chain(case: Any) -> None:
    path, expected = case
    genesis = Genesis.from_file(path)
    network = path.parent.name
    if network in NETWORK_CHAIN_IDS:
        assert genesis.chain_id == NETWORK_CHAIN_IDS[network]
    if "accounts" in expected:
        assert len(genesis.alloc) == expected["accounts"]
    if "headerExtraFields" in expected:
        items = rlp.decode(genesis.header().rlp())
        assert len(items) == 15 + expected["headerExtraFields"]
    if network in NETWORK_ACCOUNTS:
        assert len(genesis.alloc) == NETWORK_ACCOUNTS[network]


@vector_cases("genesis/chiado", genesis_files, at_least=1)
def test_constructors_make_the_state_unknown_and_say_so(case: Any) -> None:
    genesis = Genesis.from_file(case[0])
    for ask in (genesis.state_root, genesis.header, genesis.block_hash):
        with pytest.raises(ExecutionNeededError, match=r"accounts\.0x1.*constructor"):
            ask()


def test_every_genesis_file_has_an_answer_or_constructors(vectors: Path) -> None:
    """Nothing falls between the suites above: one file of all is without an answer."""
    without = [
        path.parent.name
        for folder in (vectors / "genesis").iterdir()
        for path in sorted(folder.glob("*.json"))
        if not path.name.startswith("EXPECTED")
        for _, (_, expected) in genesis_files(path)
        if not expected.get("stateRoot")
    ]
    assert without == ["chiado"]
