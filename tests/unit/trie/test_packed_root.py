"""Roots of keys and values that stand in two buffers."""

from __future__ import annotations

from array import array

import pytest

from hexary.errors import InputTypeError, RangeError, SizeError
from hexary.trie import EMPTY_ROOT, packed_trie_root
from oracle import oracle_root


def offsets(*places: int) -> memoryview:
    return memoryview(array("Q", places))


def test_pieces_of_one_size_and_of_many():
    table = {b"dog1": b"verb", b"dog2": b"puppy"}
    keys, values = b"dog1dog2", bytearray(b"verbpuppy")
    ends = offsets(0, 4, 9)
    for sizes in (4, offsets(0, 4, 8)):
        root = packed_trie_root(keys, values, key_offsets=sizes, value_offsets=ends)
        assert root == oracle_root(table)


def test_the_last_of_equal_keys_counts_and_empty_values_are_absent():
    ends = offsets(0, 1, 1, 3)
    root = packed_trie_root(b"aba", b"123", key_offsets=1, value_offsets=ends)
    assert root == oracle_root({b"a": b"23"})
    assert packed_trie_root(b"", b"", key_offsets=1, value_offsets=1) == EMPTY_ROOT


@pytest.mark.parametrize(
    ("key_offsets", "value_offsets", "error"),
    [
        (3, 2, SizeError),
        (1, 2, SizeError),
        (0, 2, RangeError),
        (2, offsets(0, 5), RangeError),
        (2, offsets(0, 3, 2), RangeError),
        (2, "2", InputTypeError),
        (2, memoryview(b"12345678"), InputTypeError),
    ],
)
def test_what_does_not_fit_is_refused(key_offsets, value_offsets, error):
    with pytest.raises(error):
        packed_trie_root(
            b"keys", b"vals", key_offsets=key_offsets, value_offsets=value_offsets
        )


@pytest.mark.parametrize(("threads", "error"), [(0, RangeError), (1.0, InputTypeError)])
def test_threads_are_a_number(threads, error):
    with pytest.raises(error):
        packed_trie_root(b"", b"", key_offsets=1, value_offsets=1, threads=threads)


def test_a_buffer_holds_a_multiple_of_the_size():
    with pytest.raises(SizeError, match=r"^keys holds a multiple of 3 bytes, got 4"):
        packed_trie_root(b"keys", b"vals", key_offsets=3, value_offsets=2)
