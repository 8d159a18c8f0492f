"""Typed values beside objects whose classes answer wrongly, or raise."""

from __future__ import annotations

from pathlib import Path
from unittest import mock

import pytest

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
