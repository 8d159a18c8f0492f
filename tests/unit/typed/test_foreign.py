"""Typed values beside objects whose classes answer wrongly, or raise."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from unittest import mock

import numpy
import pytest

from case_names import shown
from hexary.errors import HexError, SizeError
from hexary.typed import Bytes, CoerceBytes, Hash, Number, StorageKey, Wei
from odd_values import FOREIGN, OddText, TextEnum, released


class Raising:
    """What turns into neither bytes nor a number, though it seems to."""

    def __bytes__(self) -> bytes:
        raise RuntimeError("no bytes")


class RaisingIndex:
    def __index__(self) -> int:
        raise ValueError("no number")


@pytest.mark.parametrize("value", [Bytes(b"abc"), Hash(1), StorageKey(1)])
@pytest.mark.parametrize(
    "other",
    [Raising(), RaisingIndex(), Path("\ud800"), released(), *FOREIGN.values()],
    ids=lambda other: type(other).__name__,
)
def test_comparing_with_foreign_objects_never_raises(value, other):
    assert (value == other) is False
    assert value != other


@pytest.mark.parametrize(
    "number",
    [
        *(12, 12.0, numpy.int64(12), numpy.uint8(12), numpy.float64(12), Decimal(12)),
        *(numpy.bool_(True), True, 1j, Fraction(1), numpy.float32("nan")),
    ],
    ids=shown,
)
def test_bytes_without_a_size_equal_no_number(number):
    for data in (b"12", b"abc", b"", b"1", b"\1", b"\x0c"):
        assert (Bytes(data) == number) is False
        assert (Bytes(data) != number) is True


@pytest.mark.parametrize(
    "number",
    [1.0, numpy.float64(1), numpy.bool_(True), Decimal(1), Fraction(1), 1 + 0j],
)
def test_a_hash_equals_ints_alone(number):
    assert Hash(1) == numpy.int64(1) == 1
    assert (Hash(1) == number) is False


def test_comparing_leaves_the_last_word_to_the_other_side():
    assert Bytes(b"abc") == mock.ANY
    assert Hash(1) == mock.ANY
    assert (Hash(1) != mock.ANY) is False


def test_text_counts_by_its_characters():
    assert Bytes(OddText("0xab")) == Bytes(TextEnum.VALUE) == b"\xab"
    assert Bytes(b"\xab") == OddText("0xab")
    assert StorageKey(0xAB) == OddText("0xab") == TextEnum.VALUE
    assert Hash(0xAB) != OddText("0xab")
    assert Number(OddText("0xab")) == Wei(OddText("0xab")) == 0xAB
    assert CoerceBytes(OddText("0x a b")) == b"\xab"
    with pytest.raises(HexError) as caught:
        Bytes(OddText("0xzz"))
    assert (caught.value.text, caught.value.position) == ("0xzz", 2)


def test_a_short_storage_key_is_padded_by_every_door():
    assert StorageKey.from_text("0x05") == StorageKey.fromhex("05") == StorageKey(5)
    assert StorageKey.from_text("0x5", odd="pad") == StorageKey(5)
    assert StorageKey.from_text("05", right_padding=True)[0] == 5
    with pytest.raises(SizeError):
        Hash.from_text("0x05")
