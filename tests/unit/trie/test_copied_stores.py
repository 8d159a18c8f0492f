"""Which stores can be pickled and copied, and what is said of those that cannot."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from hexary import (
    Account,
    LMDBStore,
    MemoryStore,
    SecureTrie,
    SQLiteStore,
    State,
    StoreError,
    Trie,
    collect_garbage,
)
from hexary.trie import NodeCache, WitnessStore

PAIRS = {bytes([n]): bytes([n + 1]) * 40 for n in range(40)}

COPIES = {
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),
    "old pickle": lambda value: pickle.loads(pickle.dumps(value, 2)),
    "deepcopy": copy.deepcopy,
    "copy": copy.copy,
}
copies = pytest.mark.parametrize("make", COPIES.values(), ids=COPIES.keys())


@copies
def test_a_store_in_memory_is_copied_with_all_it_holds(make):
    store = MemoryStore()
    root = Trie(PAIRS, store=store).commit("kept")
    other = make(store)
    assert other.roots() == {"kept": root}
    assert dict(Trie(other, other.root("kept"))) == PAIRS
    more = Trie(other, root)
    more[b"new"] = b"value"
    changed = more.commit("kept")
    assert store.root("kept") == root
    assert changed not in store
    assert collect_garbage(other).removed > 0
    assert dict(Trie(store, root)) == PAIRS


@copies
def test_a_store_is_copied_while_others_write(make):
    store = MemoryStore()
    with store.transaction() as transaction:
        root = Trie(PAIRS).root_hash
        transaction.put([(bytes(root), b"not yet there")])
        other = make(store)
    assert root not in other
    assert len(other) == 0
    other.write()  # it is not in a transaction


@copies
def test_a_closed_store_stays_closed(make):
    store = MemoryStore()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        make(store).roots()


@copies
def test_views_witnesses_and_caches_are_copied_likewise(make):
    store = MemoryStore()
    root = Trie(PAIRS, store=store).commit()
    assert dict(Trie(make(store.view()), root)) == PAIRS
    assert make(store.view()).read_only
    witness = WitnessStore(Trie(store, root).prove_many(PAIRS))
    assert dict(Trie(make(witness), root)) == PAIRS
    cache = NodeCache(store, 10)
    assert dict(Trie(cache, root)) == PAIRS
    other = make(cache)
    assert len(other) == 0
    assert dict(Trie(other, root)) == PAIRS
    assert len(other) <= 10


@copies
@pytest.mark.parametrize("kind", [SQLiteStore, LMDBStore])
def test_a_store_that_holds_a_file_says_why_not(make, kind, tmp_path):
    with kind(tmp_path / "trie.db") as store:
        for value in (store, store.view(), NodeCache(store)):
            if make is copy.copy and value is not store:
                continue  # of the same store
            with pytest.raises(TypeError, match="cannot pickle or copy") as it:
                make(value)
            assert f"with {kind.__name__}(path)" in str(it.value)
            assert "trie.db" in str(it.value)


@pytest.mark.parametrize("stored", [False, True])
@copies
def test_a_copy_of_a_state_is_independent(make, stored):
    address = bytes(20)
    state = State(
        {address: Account(balance=1)}, store=MemoryStore() if stored else None
    )
    if stored:
        state.commit()
    state.set_storage(address, 1, 2)
    other: Any = make(state)
    other.set_balance(address, 5)
    assert (state.get_balance(address), other.get_balance(address)) == (1, 5)
    assert other.get_storage(address, 1) == 2
    assert other.root() != state.root()
    if stored:
        other.commit()
        assert other.get_balance(address) == 5
        state.commit()
        assert state.get_balance(address) == 1


@copies
@pytest.mark.parametrize("kind", [Trie, SecureTrie])
def test_a_copy_of_a_trie_on_a_store_is_independent(make, kind):
    trie = kind(PAIRS, store=MemoryStore())
    trie.commit()
    other = make(trie)
    other[b"new"] = b"value"
    assert (b"new" in trie, b"new" in other) == (False, True)
    assert dict(other) == PAIRS | {b"new": b"value"}
