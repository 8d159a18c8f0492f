"""2,500 published state roots, one after another, each by what changed (zk_evm)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conformance.vector_files import VECTORS
from hexary import SecureTrie, Trie, collect_garbage
from hexary.state import TrieAccount
from hexary.typed import Hash
from stores import KINDS, StoreHome

pytestmark = pytest.mark.vectors

FILE = VECTORS / "trie/zk_evm/pyevm_account_ground_truth.json"

AT_LEAST = 2500


@pytest.fixture(scope="module")
def steps() -> list[dict[str, Any]]:
    """The accounts in the order in which they were put in."""
    found: list[dict[str, Any]] = json.loads(FILE.read_bytes())
    assert len(found) >= AT_LEAST
    return found


def account_of(step: dict[str, Any]) -> bytes:
    """Return the value of the state trie that a step puts in."""
    return TrieAccount(
        nonce=step["nonce"],
        balance=int(step["balance"], 16),
        storage_root=Hash(bytes.fromhex(step["storage_root"])),
        code_hash=Hash(bytes.fromhex(step["code_hash"])),
    ).rlp()


@pytest.mark.parametrize("kind", ["no store", *KINDS])
def test_every_root_in_one_run(
    kind: str, steps: list[dict[str, Any]], tmp_path: Path
) -> None:
    """On a store each step is a commit, and every hundredth opens it anew."""
    home = None if kind == "no store" else StoreHome(kind, tmp_path)
    trie = SecureTrie() if home is None else SecureTrie(store=home.open())
    wrong = []
    for number, step in enumerate(steps):
        trie[bytes.fromhex(step["address"])] = account_of(step)
        root = trie.root_hash if home is None else trie.commit("state")
        if root.hex() != "0x" + step["final_state_root"]:
            wrong.append(number)
        if home is not None and number % 100 == 99:
            store = home.open()
            trie = SecureTrie(store, store.root("state"))
    assert wrong == []
    assert len(trie) == len(steps)
    if home is not None:
        store = home.open()
        held = Trie(store, store.root("state")).statistics()
        collected = collect_garbage(store)
        # Beside the nodes the store has the addresses, which nothing else refers to.
        nodes = held.leaves + held.extensions + held.branches - held.embedded
        assert collected.kept == nodes + len(steps)
        assert collected.removed > 0
        assert len(list(SecureTrie(store, store.root("state")))) == len(steps)
        home.close()
