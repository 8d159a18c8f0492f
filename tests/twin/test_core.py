"""The accelerator's core of a trie does what the pure core does."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, rule

from hexary import (
    EMPTY_ROOT,
    Hash,
    rlp,
    trie_root,
)
from hexary import hash as hashing
from hexary.trie import HashNode
from hexary.trie.core import Core, PureCore
from hexary.trie.diff import core_differences
from hexary.trie.node_cache import stored_node
from twin.cores import Blobs, Both, gathered

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
