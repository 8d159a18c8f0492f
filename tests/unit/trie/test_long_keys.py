"""Keys that are long, or begin one another: cost, and iteration while they change."""

from __future__ import annotations

import sys
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hexary import SecureTrie, Trie, trie_root
from hexary.trie.core import PureCore
from hexary.trie.nibbles import common_prefix_length


@given(
    st.binary(max_size=200),
    st.binary(max_size=40),
    st.binary(max_size=40),
    st.integers(0, 40),
)
def test_a_shared_prefix_is_measured_as_by_a_loop(shared, one, other, start):
    first, second = shared + one, bytes(start) + shared + other
    expected = len(shared)
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        expected += 1
    assert common_prefix_length(first, second, start) == expected
    assert common_prefix_length(first.hex(), second[start:].hex()) // 2 == expected


def test_a_long_key_costs_its_length_not_its_length_at_every_node():
    """It used to be cut anew, and copied, at every extension on its way."""
    trie = Trie([(b"a" * size, b"v") for size in range(600)])
    took = []
    for size in (1, 4_000_000):
        key = b"a" * (600 + size)
        began = time.process_time()
        trie[key] = b"w"
        took.append(time.process_time() - began)
        del trie[key]
    assert took[1] < 1 + took[0]


def test_long_equal_keys_are_compared_quickly():
    size = 2_000_000
    pairs = {b"a" * size + b"1": b"v", b"a" * size + b"2": b"w", b"a": b"x"}
    began = time.process_time()
    root = Trie(pairs).root_hash
    assert root == trie_root(pairs)
    assert time.process_time() - began < 2


def test_deep_tries_need_no_recursion():
    pairs = [(b"a" * size, b"v" * 40) for size in range(400)]
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len_of_stack() + 60)
    try:
        trie = Trie(pairs)
        assert trie.root_hash == trie_root(pairs)
        assert list(trie.keys(reverse=True))[-1] == b""
        assert trie.next_key(b"a" * 300) == b"a" * 301
        for key, _ in pairs[::2]:
            del trie[key]
        assert trie.root_hash == trie_root(pairs[1::2])
        cores = PureCore(), PureCore()
        for core in cores:
            for key, value in pairs:
                core.set(key, value)
        assert hash(cores[0].root) == hash(cores[1].root)
    finally:
        sys.setrecursionlimit(limit)


def len_of_stack() -> int:
    """Return how deep the caller is."""
    frame, depth = sys._getframe(), 0
    while frame is not None:
        frame, depth = frame.f_back, depth + 1
    return depth


@pytest.mark.parametrize("kind", [Trie, SecureTrie])
def test_an_iterator_is_of_the_trie_at_the_call(kind):
    """Not of the trie as it is when the first item is asked for."""
    trie = kind({b"a": b"1", b"b": b"2"})
    before = dict(trie.items())
    iterators = [trie.items(), trie.items(reverse=True)]
    keys = [trie.keys(), iter(trie), reversed(trie)]
    values = trie.values()
    trie[b"c"] = b"3"
    del trie[b"a"]
    for each in iterators:
        assert dict(each) == before
    for each in keys:
        assert set(each) == set(before)
    assert sorted(values) == [b"1", b"2"]
    for key in trie:
        trie[key + b"+"] = b"new"
    assert len(trie) == 4


def test_threads_may_hash_and_read_one_trie():
    pairs = {number.to_bytes(4, "big"): b"v" * 40 for number in range(3000)}
    trie = Trie(pairs)
    start = threading.Barrier(4)
    roots = []

    def work() -> None:
        start.wait()
        roots.append(trie.root_hash)
        roots.append(trie_root(trie.items()))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert roots == [trie_root(pairs)] * 8
