"""The accelerator's core of a trie does what the pure core does."""

from __future__ import annotations

import copy
import gc
import pickle
import random
import sys
import threading
import time
import weakref
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, rule

from hexary import (
    EMPTY_ROOT,
    Hash,
    MissingNodeError,
    NodeError,
    NodeReason,
    SecureTrie,
    State,
    Trie,
    rlp,
    trie_root,
)
from hexary import hash as hashing
from hexary.errors import HexaryError
from hexary.trie import HashNode, MemoryStore
from hexary.trie.core import Core, PureCore, hash_cores
from hexary.trie.diff import core_differences
from hexary.trie.node_cache import stored_node
from hexary.trie.partial import partial_trie
from hexary.trie.walk import gather_statistics, walk_nodes
from hexary.twin import pure_twins

if Core is PureCore:
    pytest.skip("no accelerator in use", allow_module_level=True)

KEYS = st.one_of(
    st.binary(max_size=2),
    st.lists(st.sampled_from([0x00, 0x01, 0x10, 0x11, 0xFF]), max_size=5).map(bytes),
    st.binary(min_size=32, max_size=32),
)
VALUES = st.one_of(
    st.binary(min_size=1, max_size=4),
    st.integers(1, 1_300).map(lambda size: bytes([size % 256]) * size),
)
BOUNDS = st.none() | KEYS
PATHS = st.lists(st.sampled_from([0, 1, 15]), max_size=6).map(bytes)


LEAF = [b"\x20", b"v"]
ODD_NODES = [
    b"",
    b"\x80",
    b"\xc0",
    rlp.encode(LEAF),
    rlp.encode([b"\x31", b"v" * 40]),
    rlp.encode([b"\x00", bytes(32)]),
    rlp.encode([b"\x11", bytes(32)]),
    rlp.encode([b"\x11", LEAF]),
    rlp.encode([b"\x11", [LEAF, LEAF, *15 * [b""]]]),
    rlp.encode([LEAF, bytes(32), *14 * [b""], b"v"]),
    rlp.encode([*16 * [b""], b"v"]),
    rlp.encode([bytes(31), *16 * [b"v"]]),
    rlp.encode([[b"\x20", b"v" * 40], LEAF, *15 * [b""]]),
    rlp.encode([LEAF, LEAF, LEAF]),
    rlp.encode([[], b"v"]),
    rlp.encode([b"\x20", []]),
    rlp.encode([b"\x20", b""]),
    rlp.encode([b"\x4f", b"v"]),
]
"""Nodes and what is none, in place of any other; none leads on to a stored one."""


class Blobs:
    """A source of nodes, some of which may be missing or no nodes."""

    def __init__(self) -> None:
        self.blobs: dict[bytes, bytes] = {}

    def node(self, digest: bytes, path: bytes) -> Any:
        return stored_node(self.encoding(digest, path), digest, path)

    def encoding(self, digest: bytes, path: bytes) -> bytes:
        encoding = self.blobs.get(digest)
        if encoding is None:
            raise MissingNodeError(digest, path)
        return encoding


def outcome(function: Any, *arguments: Any, **named: Any) -> object:
    """Return what a call returns, or what its error tells."""
    try:
        return function(*arguments, **named)
    except HexaryError as error:
        told = [
            getattr(error, name, None)
            for name in ("reason", "offset", "node_hash", "path")
        ]
        return type(error), *told


def gathered(iterator: Any) -> list[object]:
    """Return what an iterator yields, and last what ends it."""
    found: list[object] = []
    while True:
        got = outcome(next, iterator, None)
        found.append(got)
        if got is None or (isinstance(got, tuple) and isinstance(got[0], type)):
            assert next(iterator, None) is None
            return found


class Both:
    """A pure core and a native one, which go through the same."""

    def __init__(self, native: Any, pure: Any) -> None:
        self.native = native
        self.pure = pure

    def same(self, name: str, *arguments: Any, **named: Any) -> Any:
        """Call a method of both."""
        mine = outcome(getattr(self.native, name), *arguments, **named)
        theirs = outcome(getattr(self.pure, name), *arguments, **named)
        assert mine == theirs
        return mine

    def check(self) -> None:
        """Compare all that can be seen."""
        self.same("root_hash")
        assert gathered(self.native.items()) == gathered(self.pure.items())
        assert dict(self.native.new_nodes()) == dict(self.pure.new_nodes())
        assert self.native.is_empty is self.pure.is_empty
        assert self.native.is_settled is self.pure.is_settled
        assert gathered(walk_nodes(self.native)) == gathered(walk_nodes(self.pure))


class Tries(RuleBasedStateMachine):
    """Sets, deletes, copies, commits and reads, in any order, with nodes missing."""

    tries = Bundle("tries")
    keys = Bundle("keys")

    @initialize(target=tries)
    def begin(self):
        self.source = Blobs()
        return Both(Core(None, self.source), PureCore(None, self.source))

    @rule(target=keys, key=KEYS)
    def key(self, key):
        return key

    @rule(both=tries, key=keys, value=VALUES)
    def set(self, both, key, value):
        both.same("set", key, value)

    @rule(both=tries, key=keys)
    def delete(self, both, key):
        both.same("delete", key)

    @rule(both=tries, key=keys)
    def get(self, both, key):
        both.same("get", key)

    @rule(target=tries, both=tries)
    def copy(self, both):
        return Both(both.native.copy(), both.pure.copy())

    @rule(both=tries)
    def hash(self, both):
        assert type(both.same("root_hash")) is Hash

    @rule(both=tries)
    def commit(self, both):
        nodes = both.native.new_nodes()
        assert dict(nodes) == dict(both.pure.new_nodes())
        told: set[bytes] = set()
        for digest, encoding in nodes:
            assert hashing.keccak256(encoding) == digest
            told.add(digest)
            for child in stored_node(encoding, digest, b"").children():
                if isinstance(child, HashNode) and child.reference in dict(nodes):
                    assert child.reference in told
        self.source.blobs.update(nodes)
        both.same("settle")

    @rule(both=tries, prefix=KEYS, start=BOUNDS, stop=BOUNDS, reverse=st.booleans())
    def items(self, both, prefix, start, stop, reverse):
        bounds = {"start": start, "stop": stop, "reverse": reverse}
        for head in (b"", prefix, prefix[:1]):
            assert gathered(both.native.items(prefix=head, **bounds)) == gathered(
                both.pure.items(prefix=head, **bounds)
            )

    @rule(both=tries, path=PATHS)
    def node_at(self, both, path):
        both.same("node_at", path)

    @rule(both=tries, some=st.lists(keys, max_size=3))
    def proof(self, both, some):
        both.same("proof", some)

    @rule(one=tries, two=tries)
    def differences(self, one, two):
        assert gathered(core_differences(one.native, two.native)) == gathered(
            core_differences(one.pure, two.pure)
        )

    @rule(number=st.integers(0, 99))
    def lose_a_node(self, number):
        if self.source.blobs:
            del self.source.blobs[sorted(self.source.blobs)[number % self.size]]

    @rule(number=st.integers(0, 99), odd=st.sampled_from(ODD_NODES))
    def spoil_a_node(self, number, odd):
        if self.source.blobs:
            digest = sorted(self.source.blobs)[number % self.size]
            self.source.blobs[digest] = odd

    @rule(number=st.integers(0, 99), cut=st.integers(1, 600))
    def cut_a_node(self, number, cut):
        if self.source.blobs:
            digest = sorted(self.source.blobs)[number % self.size]
            self.source.blobs[digest] = self.source.blobs[digest][:cut]

    @rule(both=tries, pairs=st.lists(st.tuples(KEYS, VALUES | st.just(b""))))
    def update(self, both, pairs):
        growth = both.native.update(pairs)
        assert both.pure.update(pairs) is None
        if growth is not None:
            assert growth == sum(
                both.pure.set(key, value) if value else -both.pure.delete(key)
                for key, value in pairs
            )

    @property
    def size(self) -> int:
        return len(self.source.blobs)

    @rule(both=tries)
    def check(self, both):
        both.check()


Tries.TestCase.settings = settings(max_examples=200, stateful_step_count=50)
TestTries = Tries.TestCase


@given(pairs=st.lists(st.tuples(KEYS, VALUES), max_size=60), seed=st.integers(0, 99))
def test_deleting_in_any_order_leads_back(pairs, seed):
    core = Core()
    for key, value in pairs:
        core.set(key, value)
    table = dict(pairs)
    assert core.root_hash() == trie_root(table)
    before = core.copy()
    keys = list(table)
    random.Random(seed).shuffle(keys)
    for key in keys:
        assert core.delete(key)
        del table[key]
        assert core.root_hash() == trie_root(table)
    assert core.root_hash() == EMPTY_ROOT
    assert before.root_hash() == trie_root(dict(pairs))
    assert dict(before.items()) == dict(pairs)


@pytest.mark.parametrize("count", [1, 2, 17, 1_000, 20_000])
def test_large_tries_on_every_kernel(kernel, count):
    source = random.Random(count)
    table = {source.randbytes(32): source.randbytes(80) for _ in range(count)}
    core = Core()
    for key, value in table.items():
        assert core.set(key, value)
    assert core.root_hash() == trie_root(table)
    assert list(core.items()) == sorted(table.items())
    assert list(core.items(reverse=True)) == sorted(table.items(), reverse=True)
    for key in list(table)[: count // 2]:
        core.set(key, b"new")
        table[key] = b"new"
    assert core.root_hash() == trie_root(table)


def test_counts_of_a_recording_are_the_pure_ones():
    source = random.Random(4)
    native, pure = Core(), PureCore()
    for _ in range(300):
        key, value = source.randbytes(source.choice([1, 2, 32])), source.randbytes(40)
        native.set(key, value)
        pure.set(key, value)
        if source.random() < 0.1:
            with hashing.recording() as mine:
                native.root_hash()
            with hashing.recording() as theirs:
                pure.root_hash()
            assert repr(mine) == repr(theirs)


def test_a_deep_trie_is_built_hashed_walked_and_freed():
    core = Core()
    longest = 20_000
    for size in range(0, longest, 2):
        core.set(b"\x11" * size, b"v" * 33)
    assert len(list(core.items())) == longest // 2
    assert core.root_hash() == trie_root(core.items())
    twin = core.copy()
    for size in range(0, longest, 4):
        core.delete(b"\x11" * size)
    assert core.root_hash() == trie_root(core.items())
    assert twin.root_hash() != core.root_hash()
    del core, twin


def test_iteration_is_over_the_trie_as_it_was_when_it_began():
    core = Core()
    for number in range(100):
        core.set(bytes([number]), b"v")
    pairs = core.items()
    first = next(pairs)
    for number in range(0, 100, 2):
        core.delete(bytes([number]))
    assert first == (b"\x00", b"v")
    assert len(list(pairs)) == 99
    assert len(list(core.items())) == 50
    assert next(pairs, None) is None


@pytest.mark.parametrize("wrong", [None, "text", 5, bytearray(b"a")])
def test_what_is_no_bytes_is_refused(wrong):
    core = Core()
    for call in (
        lambda: core.get(wrong),
        lambda: core.delete(wrong),
        lambda: core.set(wrong, b"v"),
        lambda: core.set(b"k", wrong),
        lambda: core.node_at(wrong),
        lambda: core.proof([wrong]),
        lambda: core.opened(HashNode(bytes(32)), wrong),
    ):
        with pytest.raises(TypeError):
            call()
    for call in (
        lambda: core.set(b"k"),
        lambda: core.items(b""),
        lambda: core.items(first=b""),
        lambda: core.items(start=5),
        lambda: core.root_hash(1),
        lambda: core.proof(5),
        lambda: core.opened(HashNode(bytes(32))),
        lambda: type(core)(1),
        lambda: type(core)(None, None, None),
        lambda: type(core.items())(),
    ):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(ValueError, match="one byte or more"):
        core.set(b"k", b"")
    assert core.root_hash() == EMPTY_ROOT


def stored_trie(count: int) -> tuple[dict[bytes, bytes], Blobs, Any]:
    """Return pairs, and a core of which only the root's hash is in memory."""
    source = random.Random(count)
    pairs = {source.randbytes(32): source.randbytes(40) for _ in range(count)}
    blobs = Blobs()
    core = Core(None, blobs)
    for key, value in pairs.items():
        core.set(key, value)
    blobs.blobs.update(core.new_nodes())
    core.settle()
    return pairs, blobs, core


def test_what_is_read_is_not_kept_and_what_is_changed_is():
    pairs, blobs, core = stored_trie(500)
    assert dict(core.items()) == pairs
    assert core.is_settled
    for key in pairs:
        assert core.get(key) == pairs[key]
    assert core.new_nodes() == []
    core.set(next(iter(pairs)), b"new")
    assert 1 < len(core.new_nodes()) < 6
    assert core.source is blobs


def test_a_source_may_change_the_trie_that_asks_it():
    """It is Python code: the GIL may go to another thread while it looks up a node."""
    pairs, blobs, core = stored_trie(200)
    keys = sorted(pairs)
    look_up = blobs.encoding
    turns = iter(range(6))

    def changing(digest: bytes, path: bytes) -> Any:
        if next(turns, None) is not None:
            with_it = keys.pop()
            pairs[with_it] = b"other"
            core.set(with_it, b"other")
        return look_up(digest, path)

    blobs.encoding = changing  # type: ignore[method-assign]  # a source that misbehaves
    core.set(keys[0], b"changed")
    pairs[keys[0]] = b"changed"
    core.delete(keys[1])
    del pairs[keys[1]]
    assert dict(core.items()) == pairs
    assert core.root_hash() == trie_root(pairs)


def test_an_iterator_that_its_source_asks_refuses():
    _, blobs, core = stored_trie(50)
    look_up = blobs.encoding
    iterators: list[Any] = []

    def asking(digest: bytes, path: bytes) -> Any:
        with pytest.raises(ValueError, match="already executing"):
            next(iterators[0])
        return look_up(digest, path)

    blobs.encoding = asking  # type: ignore[method-assign]  # a source that misbehaves
    iterators.append(core.items())
    assert len(list(iterators[0])) == 50


@pytest.mark.parametrize("answer", [None, b"bytes", LookupError("gone")])
def test_a_source_that_answers_nonsense_does_no_harm(answer):
    class Nonsense:
        def encoding(self, *_: object) -> object:
            if isinstance(answer, Exception):
                raise answer
            return answer

        def node(self, *_: object) -> object:
            return None

    core = Core(HashNode(bytes(32)), Nonsense())
    for call in (
        lambda: core.get(b"k"),
        lambda: core.set(b"k", b"v"),
        lambda: core.delete(b"k"),
        lambda: core.node_at(b""),
        lambda: core.proof([b"k"]),
        lambda: list(core.items()),
    ):
        with pytest.raises((TypeError, SystemError, LookupError)):
            call()
    assert core.root_hash() == bytes(32)


def test_a_child_of_an_extension_that_is_no_branch_is_refused():
    leaf = rlp.encode([b"\x20\x11", b"v" * 40])
    top = rlp.encode([b"\x11", hashing.keccak256(leaf)])
    blobs = Blobs()
    for each in (leaf, top):
        blobs.blobs[hashing.keccak256(each)] = each
    for kind in (Core, PureCore):
        core = kind(HashNode(hashing.keccak256(top)), blobs)
        for call in (
            lambda core=core: core.get(b"\x11\x11"),
            lambda core=core: core.set(b"\x11\x11", b"w"),
            lambda core=core: core.delete(b"\x11\x11"),
            lambda core=core: core.node_at(b"\1\1"),
            lambda core=core: core.proof([b"\x11"]),
            lambda core=core: list(core.items()),
        ):
            with pytest.raises(NodeError) as caught:
                call()
            assert caught.value.reason is NodeReason.EXTENSION_CHILD_NOT_BRANCH
            assert caught.value.path == b"\1"
            assert caught.value.node_hash == hashing.keccak256(leaf)


def test_half_a_byte_is_refused_and_ends_the_iteration():
    top = rlp.encode([b"\x31", b"v"])
    blobs = Blobs()
    blobs.blobs[hashing.keccak256(top)] = top
    pairs = Core(HashNode(hashing.keccak256(top)), blobs).items()
    with pytest.raises(NodeError) as caught:
        next(pairs)
    assert caught.value.reason is NodeReason.HALF_A_BYTE
    assert next(pairs, None) is None


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
