"""Bytes of any size and of one size, compared with whatever else there is."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from case_names import shown
from hexary.typed import Address, Bytes, Hash, HashInt, StorageKey

ONE = bytes(31) + b"\1"
TEXT = "0x" + ONE.hex()


class AsBytes:
    """An object that turns into 32 bytes."""

    def __bytes__(self) -> bytes:
        return ONE


@pytest.mark.parametrize(
    ("other", "equal"),
    [
        (Hash(1), True),
        (Hash(2), False),
        (StorageKey(1), True),
        (ONE, True),
        (bytearray(ONE), True),
        (memoryview(ONE), True),
        (Bytes(ONE), True),
        (AsBytes(), True),
        (TEXT, True),
        (TEXT[2:], True),
        (TEXT.upper(), True),
        (1, True),
        (True, True),
        (HashInt(1), True),
        (numpy.int64(1), True),
        (numpy.bytes_(ONE + b"x"), False),
        (2, False),
        (-1, False),
        (2**300, False),
        (1.0, False),
        (b"\1", False),
        (b"", False),
        ("0x1", False),
        ("1", False),
        ("", False),
        ("zz", False),
        ("0x" + "zz" * 32, False),
        ("é" * 32, False),
        ("x" * 1_000_000, False),
        (Address(1), False),
        (None, False),
        ([1], False),
        (object(), False),
        (Hash, False),
    ],
    ids=shown,
)
def test_equality_with_anything_from_either_side(other: Any, equal: bool) -> None:
    value = Hash(1)
    assert (value == other) is equal
    assert (value != other) is not equal
    assert bool(other == value) is equal
    assert bool(other != value) is not equal


@pytest.mark.parametrize(
    ("other", "equal"),
    [
        (b"\1\2", True),
        (bytearray(b"\1\2"), True),
        (memoryview(b"\1\2"), True),
        ("0x0102", True),
        ("0102", True),
        ("0X0102", True),
        ("0x102", False),
        ("zzzz", False),
        (258, False),
        (None, False),
        (1.5, False),
        ([1, 2], False),
    ],
    ids=shown,
)
def test_bytes_of_no_size_equal_bytes_and_text_but_no_numbers(
    other: Any, equal: bool
) -> None:
    value = Bytes(b"\1\2")
    assert (value == other) is equal
    assert (value != other) is not equal
    assert (other == value) is equal
    assert (other != value) is not equal


def test_storage_keys_equal_every_spelling_of_their_number() -> None:
    for text in ("0x1", "0x01", TEXT, "1"):
        assert StorageKey(1) == text
    for text in ("0x2", "zz", "0x" + "0" * 64 + "1", "x" * 100_000):
        assert StorageKey(1) != text


def test_comparing_with_an_array_is_up_to_the_array() -> None:
    array = numpy.array([1, 2])
    assert Hash(1).__eq__(array) is NotImplemented
    assert Hash(1).__ne__(array) is NotImplemented


@pytest.mark.parametrize("value", [Bytes(b"ab"), Hash(1), Address(1, label="x")])
def test_hash_is_that_of_the_plain_bytes(value: Any) -> None:
    assert hash(value) == hash(bytes(value))
    assert {value: 1}[bytes(value)] == 1
    assert {bytes(value): 1}[value] == 1
    assert value in {bytes(value)}


def test_equal_ints_and_text_do_not_find_a_key() -> None:
    assert Hash(1) == 1
    assert 1 not in {Hash(1): "one"}
    assert Hash(1) not in {1: "one"}
    assert Hash(1) == TEXT
    assert TEXT not in {Hash(1): "one"}
