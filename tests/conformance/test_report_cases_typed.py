"""
Cases of public bug reports (``reports/cases.json``) that concern typed values.

All of the classes *hex-parsing* and *typed-bytes* are here, which the test beside this
one sees to; of U104, what does not take a proof.  U032 and U035 are here as far as they
concern types; their RLP halves are tested with RLP.

Decided otherwise, because the base types of execution-specs' testing package behave so
and fillers rely on it (each is tested for what is decided):

======  ===============================================================================
U120    ``hex()`` and ``str`` give the prefix; ``bytes.hex(x)`` is the form without.
U124    an int given to a fixed-size type is a number, padded on the left, never a
        length.  `Bytes`, which has no size, refuses ints.
U125    number text is parsed; bool is 0 or 1, as `int` has it.  A float is refused, as
        the report asks.
U127    the report is about bounds and messages of another library's ``Uint``: errors
        here name type, value and bounds, format codes and ``sum`` work.  Arithmetic
        gives plain ints without bounds.
U128    numbers mix freely in arithmetic: they are ints with a textual form, not
        machine words.  Equality and hash by value, as the report asks.
======  ===============================================================================
"""

from __future__ import annotations

from typing import Any

import pytest

from hexary.errors import HexError, InputTypeError, RangeError, SizeError
from hexary.typed import (
    Bytes,
    FixedSizeBytes,
    FixedSizeHexNumber,
    Hash,
    HashInt,
    HexNumber,
    Number,
    StorageKey,
    ZeroPaddedHexNumber,
    to_hex,
    to_number,
)
from hexary.typed.hexstr import parse_bytes, parse_quantity

pytestmark = pytest.mark.vectors

U64: Any = FixedSizeHexNumber[8]
U8: Any = FixedSizeHexNumber[1]
Bytes2: Any = FixedSizeBytes[2]
Bytes4: Any = FixedSizeBytes[4]
Bytes20: Any = FixedSizeBytes[20]
Bytes32: Any = FixedSizeBytes[32]

SLOT_0 = "0x290decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e563"
SLOT_1 = "0xb10e2d527612073b26eecdfd717e6a320cf44b4afac2b0732d9fcbe2b7fa0cf6"


def test_u032() -> None:
    """Values out of a type's range or size are errors that carry the size."""
    with pytest.raises(RangeError) as caught:
        HashInt(b"\1" * 33)
    assert caught.value.maximum == 2**256 - 1
    with pytest.raises(RangeError):
        U64(b"\1" + bytes(8))
    for cls, data, size in ((Bytes32, bytes(31), 32), (Bytes20, b"\1", 20)):
        with pytest.raises(SizeError) as wrong:
            cls(data)
        assert (wrong.value.expected, wrong.value.got) == (size, len(data))


def test_u035() -> None:
    """Zero written 0x00 in JSON is the number zero."""
    assert parse_quantity("0x00") == HexNumber("0x00") == 0


def test_u071() -> None:
    """Slot keys hash as 32 bytes, however they are spelled."""
    for spelling in (0, "0x0", "0x00", bytes(32)):
        assert StorageKey(spelling).keccak256() == SLOT_0
    for spelling in (1, "0x1", "0x01", Hash(1)):
        assert StorageKey(spelling).keccak256() == SLOT_1


def test_u104() -> None:
    """Slot keys match by number in every spelling."""
    for spelling in ("0x5", "0x05", "0x" + "00" * 31 + "05", "5", 5):
        assert StorageKey(spelling) == StorageKey(5)
        assert StorageKey(5) == spelling
    for spelling in ("0x", "0x0", "0x00"):
        assert StorageKey(spelling) == StorageKey(0)
        assert StorageKey(0) == spelling


def test_u105() -> None:
    """A quantity may have a leading zero and an odd number of digits."""
    padded = "0x041337600e1179b05750a3490bd546ca1a0c5123"
    short = "0x41337600e1179b05750a3490bd546ca1a0c5123"
    for cls in (Number, HexNumber, ZeroPaddedHexNumber, HashInt):
        assert cls(padded) == cls(short) == int(short, 16)
    assert str(HexNumber(padded)) == short
    assert str(ZeroPaddedHexNumber(short)) == padded


def test_u119() -> None:
    """Text beyond ASCII is an error of ours, a ValueError, with the position."""
    for text, position in (("é", 0), ("\uff11\uff12", 0), ("0x1é", 3)):
        for parse in (parse_bytes, parse_quantity, Bytes, Number, Hash):
            with pytest.raises(ValueError) as caught:
                parse(text)
            assert isinstance(caught.value, HexError)
            assert caught.value.position == position
            assert not isinstance(caught.value, UnicodeError)


def test_u120() -> None:
    """The prefix is always there; the form without has another call."""
    value = Bytes(b"\xab")
    assert value.hex() == str(value) == to_hex(value) == "0xab"
    assert bytes.hex(value) == bytes(value).hex() == "ab"
    assert Bytes("ab") == Bytes("0xab") == b"\xab"


def test_u124() -> None:
    """An int is a number, never a length."""
    assert bytes(Bytes20(20)) == bytes(19) + b"\x14"
    assert bytes(Bytes4(4)) == b"\0\0\0\4"
    empty: Any = FixedSizeBytes[0]
    assert bytes(empty(0)) == b""
    with pytest.raises(RangeError):
        empty(1)
    with pytest.raises(InputTypeError):
        Bytes(20)


def test_u125() -> None:
    """Bool counts, floats do not, text is parsed."""
    assert Number(True) == 1
    assert Number("1") == 1
    with pytest.raises(TypeError) as caught:
        Number(1.0)
    assert isinstance(caught.value, InputTypeError)


def test_u127() -> None:
    """Errors name type, value and bounds; format codes and sum work."""
    with pytest.raises(OverflowError, match="HexNumber must be at least 0, got -1"):
        HexNumber(-1)
    with pytest.raises(OverflowError, match=r"HashInt must be from 0 to 2\^256-1, got"):
        HashInt(2**256)
    assert U8(255) + U8(1) == 256
    assert type(U8(255) + U8(1)) is int
    assert f"{HexNumber(5):x}" == "5"
    assert sum([HexNumber(1), HexNumber(2)]) == 3
    assert HexNumber(1) < 2


def test_u128() -> None:
    """Numbers mix, and are equal and hash by value."""
    assert HashInt(1) + U64(2) - Number(1) == 2
    assert HashInt(5) == U64(5) == Number(5) == 5
    assert hash(HashInt(5)) == hash(U64(5)) == hash(5)


def test_u129() -> None:
    """Fixed-size bytes are neither cut nor padded unless asked for."""
    for value in ("0x123456", b"\x12\x34\x56"):
        for padding in ({}, {"left_padding": True}, {"right_padding": True}):
            with pytest.raises(SizeError) as caught:
                Bytes2(value, **padding)
            assert (caught.value.expected, caught.value.got) == (2, 3)
    with pytest.raises(SizeError):
        Bytes2("0x12")
    assert Bytes2("0x12", right_padding=True) == "0x1200"


def test_u130() -> None:
    """Text is hex or an error, never characters to encode."""
    data = b"\xc6\x42"
    held_as_text = data.decode("latin-1")
    with pytest.raises(HexError):
        Bytes(held_as_text)
    with pytest.raises(HexError):
        to_number(held_as_text)
    assert Bytes("0xc642").keccak256() == Bytes(data).keccak256()
