"""The accelerator's core of a trie does what the pure core does."""

from __future__ import annotations

import random
import sys
import threading
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, rule

from hexary import EMPTY_ROOT, Hash, SecureTrie, Trie, trie_root
from hexary import hash as hashing
from hexary.trie.core import Core, PureCore

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


class Both:
    """A pure core and a native one, which go through the same."""

    def __init__(self, native: Any, pure: PureCore) -> None:
        self.native = native
        self.pure = pure

    def check(self) -> None:
        assert list(self.native.items()) == list(self.pure.items())
        assert self.native.root_hash() == self.pure.root_hash()


class Tries(RuleBasedStateMachine):
    """Sets, deletes, copies, hashes and reads in any order."""

    tries = Bundle("tries")
    keys = Bundle("keys")

    @initialize(target=tries)
    def begin(self):
        return Both(Core(), PureCore())

    @rule(target=keys, key=KEYS)
    def key(self, key):
        return key

    @rule(both=tries, key=keys, value=VALUES)
    def set(self, both, key, value):
        assert both.native.set(key, value) is both.pure.set(key, value)

    @rule(both=tries, key=keys)
    def delete(self, both, key):
        assert both.native.delete(key) is both.pure.delete(key)

    @rule(both=tries, key=keys)
    def get(self, both, key):
        assert both.native.get(key) == both.pure.get(key)

    @rule(target=tries, both=tries)
    def copy(self, both):
        return Both(both.native.copy(), both.pure.copy())

    @rule(both=tries)
    def hash(self, both):
        with hashing.recording() as mine:
            digest = both.native.root_hash()
        assert digest == both.pure.root_hash()
        assert type(digest) is Hash
        assert mine.calls >= 0

    @rule(
        both=tries, prefix=KEYS, start=BOUNDS, stop=BOUNDS, reverse=st.booleans()
    )  # fmt: skip
    def items(self, both, prefix, start, stop, reverse):
        bounds = {"start": start, "stop": stop, "reverse": reverse}
        for head in (b"", prefix, prefix[:1]):
            assert list(both.native.items(prefix=head, **bounds)) == list(
                both.pure.items(prefix=head, **bounds)
            )

    @rule(both=tries)
    def check(self, both):
        both.check()


Tries.TestCase.settings = settings(max_examples=150, stateful_step_count=40)
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
    ):
        with pytest.raises(TypeError):
            call()
    for call in (
        lambda: core.set(b"k"),
        lambda: core.items(b""),
        lambda: core.items(first=b""),
        lambda: core.items(start=5),
        lambda: core.root_hash(1),
        lambda: type(core)(1),
    ):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(ValueError, match="one byte or more"):
        core.set(b"k", b"")
    assert core.root_hash() == EMPTY_ROOT


def test_references_are_given_back():
    key, value = b"k" * 40, b"v" * 40
    core = Core()
    counts = sys.getrefcount(key), sys.getrefcount(value), sys.getrefcount(core)
    core.set(key, value)
    core.copy().delete(key)
    list(core.items(prefix=key, start=key, stop=value))
    next(core.items(prefix=key))
    core.get(key)
    assert counts == (
        sys.getrefcount(key), sys.getrefcount(value), sys.getrefcount(core),
    )  # fmt: skip


def test_threads_read_one_trie_and_change_their_own():
    source = random.Random(8)
    table = {source.randbytes(32): source.randbytes(40) for _ in range(3_000)}
    shared = Trie(table)
    root = trie_root(table)
    failures: list[object] = []

    def work(seed: int) -> None:
        own = shared.copy()
        mine = random.Random(seed)
        keys = mine.sample(sorted(table), 500)
        for key in keys:
            if shared[key] != table[key] or shared.root_hash != root:
                failures.append(key)
            del own[key]
        left = {key: value for key, value in table.items() if key not in set(keys)}
        if own.root_hash != trie_root(left):
            failures.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert failures == []
    assert shared.root_hash == root


def test_tries_are_made_with_the_native_core():
    assert type(Trie()._core) is Core
    assert type(SecureTrie({b"a": b"b"})._core) is Core
