"""Cores in memory: hashed together, copied, pickled, freed, and in threads."""

from __future__ import annotations

import copy
import gc
import pickle
import random
import sys
import threading
import time
import weakref

import pytest

from hexary import (
    EMPTY_ROOT,
    SecureTrie,
    State,
    Trie,
    trie_root,
)
from hexary import hash as hashing
from hexary.trie import MemoryStore
from hexary.trie.core import Core, PureCore, hash_cores
from hexary.trie.partial import partial_trie
from hexary.trie.walk import gather_statistics
from hexary.twin import pure_twins
from twin.cores import Blobs, stored_trie

if Core is PureCore:
    pytest.skip("no accelerator in use", allow_module_level=True)


def test_several_tries_are_hashed_together():
    cores = [Core() for _ in range(20)]
    for number, core in enumerate(cores):
        for key in range(number):
            core.set(hashing.keccak256(bytes([key])), b"v" * 40)
    with hashing.recording() as together:
        hash_cores(cores)
    with hashing.recording() as after:
        roots = [core.root_hash() for core in cores]
    assert (together.calls > 20, after.calls) == (True, 0)
    mixed = [cores[1], PureCore()]
    hash_cores(mixed)
    pure_twins()["hexary.trie.core.hash_cores"](cores)
    assert roots == [core.root_hash() for core in cores]


def test_copies_are_hashed_together_in_time_proportional_to_what_is_new():
    """What they share is gone through once, not once for each."""

    def changed_copies() -> list[Core]:
        whole = Core()
        whole.update({number.to_bytes(4, "big"): b"v" * 40 for number in range(10_000)})
        copies = [whole.copy() for _ in range(2_000)]
        for number, each in enumerate(copies):
            each.set(b"\0\0\0\1", number.to_bytes(40, "big"))
        return copies

    alone, together = changed_copies(), changed_copies()
    start = time.process_time()
    roots = [each.root_hash() for each in alone]
    between = time.process_time()
    hash_cores([*together, *together])
    end = time.process_time()
    assert end - between < 4 * (between - start) + 0.05
    assert [each.root_hash() for each in together] == roots


def test_references_are_given_back():
    key, value = b"k" * 40, b"v" * 40
    blobs = Blobs()
    core = Core(None, blobs)
    counted = [key, value, core, blobs]
    counts = [sys.getrefcount(each) for each in counted]
    core.set(key, value)
    core.copy().delete(key)
    list(core.items(prefix=key, start=key, stop=value))
    next(core.items(prefix=key))
    core.get(key)
    core.proof([key, value])
    core.node_at(b"")
    core.opened(core.root, b"")
    blobs.blobs.update(core.new_nodes())
    core.settle()
    core.get(key)
    core.delete(key)
    assert counts == [sys.getrefcount(each) for each in counted]


@pytest.mark.parametrize("count", [10, 5_000])
@pytest.mark.parametrize("kind", [list, tuple])
def test_references_to_pairs_with_one_key_are_given_back(kind, count):
    """Of many pairs the repeated keys are left out before the trie is changed."""
    pair = (bytes(bytearray(b"k" * 40)), bytes(bytearray(b"v" * 40)))
    listed = [pair[0], bytearray(b"w" * 40)]
    counted = [pair, *pair, listed, *listed]
    counts = [sys.getrefcount(each) for each in counted]
    core = Core()
    assert core.update(kind(count * [pair, listed])) == 1
    assert core.get(pair[0]) == b"w" * 40
    del core
    assert counts == [sys.getrefcount(each) for each in counted]


def test_a_source_that_has_its_trie_is_collected():
    class Holder(Blobs):
        pass

    holder = Holder()
    holder.core = Core(None, holder)  # type: ignore[attr-defined]  # a cycle
    holder.pairs = holder.core.items()  # type: ignore[attr-defined]  # a cycle
    gone = weakref.ref(holder)
    del holder
    gc.collect()
    assert gone() is None


def test_threads_read_one_trie_and_change_their_own():
    source = random.Random(8)
    table = {source.randbytes(32): source.randbytes(40) for _ in range(3_000)}
    store = MemoryStore()
    shared = Trie(table, store=store)
    root = trie_root(table)
    opened = Trie(store, shared.copy().commit())
    failures: list[object] = []

    def work(seed: int) -> None:
        own = (opened if seed % 2 else shared).copy()
        mine = random.Random(seed)
        keys = mine.sample(sorted(table), 500)
        for key in keys:
            if shared[key] != table[key] or shared.root_hash != root:
                failures.append(key)
            if opened.get(key) != table[key]:
                failures.append(key)
            del own[key]
        left = {key: value for key, value in table.items() if key not in set(keys)}
        if own.root_hash != trie_root(left) or dict(own.items()) != left:
            failures.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert failures == []
    assert shared.root_hash == root


def test_threads_change_one_trie_without_harm():
    """Which change comes first is not told, but each is whole."""
    pairs, _, core = stored_trie(300)

    def work(seed: int) -> None:
        for key in sorted(pairs)[seed::4]:
            core.set(key, bytes([seed + 1]))
            core.root_hash()

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    changed = {key: bytes([index % 4 + 1]) for index, key in enumerate(sorted(pairs))}
    assert dict(core.items()) == changed
    assert core.root_hash() == trie_root(changed)


def test_tries_are_made_with_the_native_core():
    assert type(Trie()._core) is Core
    assert type(SecureTrie({b"a": b"b"})._core) is Core
    assert type(partial_trie(EMPTY_ROOT)._core) is Core
    live = State().set_storage(bytes(20), 1, 2)._live
    assert type(live.core) is Core
    live.settle()
    assert {type(each) for each in live.storages.values()} == {Core}


@pytest.mark.parametrize("kind", [Core, PureCore])
def test_copies_of_every_kind_hold_the_same(kind):
    pairs, blobs, core = stored_trie(100)
    whole = kind(None, blobs)
    for key, value in pairs.items():
        whole.set(key, value)
    for made in (
        copy.copy(whole),
        copy.deepcopy(whole),
        pickle.loads(pickle.dumps(whole)),
        pickle.loads(pickle.dumps(core)),
    ):
        assert made.root_hash() == whole.root_hash()
        assert dict(made.items()) == pairs
        made.set(b"k", b"v")
        assert whole.get(b"k") is None
    empty = pickle.loads(pickle.dumps(kind()))
    assert (empty.is_empty, empty.source) == (True, None)


def test_a_state_is_pickled_with_all_that_it_holds():
    state = State()
    for number in range(50):
        state.set_storage(bytes([number]) * 20, number, number + 1)
    root = state.root()
    for made in (pickle.loads(pickle.dumps(state)), copy.deepcopy(state)):
        assert made.root() == root
        assert made.set_storage(bytes(20), 1, 2).get_storage(b"\1" * 20, 1) == 2
        assert state.root() == root


def test_statistics_are_the_pure_ones():
    pairs, _, core = stored_trie(300)
    pure = PureCore()
    for key, value in pairs.items():
        pure.set(key, value)
    assert gather_statistics(core) == gather_statistics(pure)
