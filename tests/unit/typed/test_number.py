"""Numbers with a textual form."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy
import pytest

from case_names import shown
from hexary.errors import HexError, InputTypeError, RangeError
from hexary.typed import (
    FixedSizeHexNumber,
    Hash,
    HashInt,
    HexNumber,
    Number,
    Wei,
    ZeroPaddedHexNumber,
)

ALL = [Number, Wei, HexNumber, ZeroPaddedHexNumber, FixedSizeHexNumber[8], HashInt]
ABOVE_ZERO = ALL[2:]


@pytest.mark.parametrize("cls", ALL)
@pytest.mark.parametrize(
    "value",
    [16, "0x10", "16", "0x0010", b"\x10", Hash(16), numpy.int32(16), HexNumber(16)],
    ids=shown,
)
def test_numbers_are_read_from_ints_text_and_bytes(cls: Any, value: Any) -> None:
    number = cls(value)
    assert type(number) is cls
    assert isinstance(number, int)
    assert number == 16
    assert cls(number) is number


@pytest.mark.parametrize("cls", ALL)
def test_bool_is_zero_or_one(cls: Any) -> None:
    assert (cls(False), cls(True)) == (0, 1)
    assert type(cls(True)) is cls


@pytest.mark.parametrize("cls", ALL)
@pytest.mark.parametrize(
    "value",
    [None, 1.0, numpy.float64(1), numpy.bool_(True), Decimal(1), [1], {}, object()],
    ids=shown,
)
def test_other_types_are_refused(cls: Any, value: Any) -> None:
    with pytest.raises(InputTypeError):
        cls(value)


@pytest.mark.parametrize("cls", ALL)
@pytest.mark.parametrize(
    "text", ["", "0x", "zz", "0xg", "1_000", "0b1", "\u0661", "é", "0x1\0", "+1"]
)
def test_other_text_is_refused(cls: Any, text: str) -> None:
    with pytest.raises(HexError):
        cls(text)


@pytest.mark.parametrize("cls", [Number, Wei])
def test_decimal_numbers_may_be_negative(cls: Any) -> None:
    assert cls(-5) == cls("-5") == cls(numpy.int8(-5)) == -5
    assert str(cls(-5)) == "-5"
    assert cls(-5).hex() == "-0x5"


@pytest.mark.parametrize("cls", ABOVE_ZERO)
@pytest.mark.parametrize("value", [-1, "-1", "-0x1", numpy.int64(-1), -(2**300)])
def test_hex_numbers_may_not(cls: Any, value: Any) -> None:
    with pytest.raises(RangeError) as caught:
        cls(value)
    assert caught.value.type_name == cls.__name__
    assert caught.value.minimum == 0


@pytest.mark.parametrize(
    ("cls", "value", "text"),
    [
        (Number, 0, "0"),
        (Number, 255, "255"),
        (Wei, 10**18, "1000000000000000000"),
        (HexNumber, 0, "0x0"),
        (HexNumber, 10, "0xa"),
        (HexNumber, 2**256, "0x1" + "0" * 64),
        (ZeroPaddedHexNumber, 0, "0x00"),
        (ZeroPaddedHexNumber, 10, "0x0a"),
        (ZeroPaddedHexNumber, 255, "0xff"),
        (ZeroPaddedHexNumber, 256, "0x0100"),
        (FixedSizeHexNumber[8], 0, "0x00"),
        (FixedSizeHexNumber[8], 256, "0x0100"),
        (HashInt, 10, "0x0a"),
        (HashInt, 2**256 - 1, "0x" + "ff" * 32),
    ],
)
def test_texts(cls: Any, value: int, text: str) -> None:
    number = cls(value)
    assert str(number) == f"{number}" == text
    assert cls(text) == number
    assert repr(number) == f"{cls.__name__}({text})"
    if text.startswith("0x"):
        assert number.hex() == text


def test_format_codes_are_those_of_int() -> None:
    assert f"{HexNumber(10):d}" == "10"
    assert f"{Number(10):#x}" == "0xa"
    assert f"{HashInt(10):04x}" == "000a"
    assert f"{Number(10_000):,}" == "10,000"


def test_decimal_numbers_have_plain_hex_too() -> None:
    assert Number(255).hex() == "0xff"


@pytest.mark.parametrize("cls", ALL)
def test_arithmetic_gives_plain_ints_that_compare_and_hash_as_such(cls: Any) -> None:
    number = cls(5)
    assert type(number + 1) is int
    assert type(number + cls(1)) is int
    assert sum([cls(1), cls(2)]) == 3
    assert number < 6
    assert number == 5 == number
    assert number != "5"
    assert hash(number) == hash(5)
    assert {5: "five"}[number] == "five"
    assert {number: "five"}[5] == "five"
    assert [10, 20, 30, 40, 50, 60][number] == 60
    assert sorted([cls(3), 1, cls(2)]) == [1, 2, 3]
    assert not hasattr(number, "__dict__")


@pytest.mark.parametrize("size", [0, 1, 8, 32, 100])
def test_fixed_sizes_bound_their_numbers(size: int) -> None:
    cls: Any = FixedSizeHexNumber[size]
    assert (cls.byte_length, cls.max_value) == (size, 256**size - 1)
    assert cls(256**size - 1) == 256**size - 1
    with pytest.raises(RangeError) as caught:
        cls(256**size)
    assert caught.value.maximum == 256**size - 1
    with pytest.raises(RangeError):
        cls(bytes([1]) + bytes(size))


def test_hash_int_has_32_bytes_and_does_not_wrap() -> None:
    assert HashInt.byte_length == 32
    assert issubclass(HashInt, FixedSizeHexNumber)
    with pytest.raises(RangeError, match=r"HashInt must be from 0 to 2\^256-1, got -1"):
        HashInt(-1)


def test_a_size_is_needed() -> None:
    with pytest.raises(InputTypeError, match="given a size first"):
        FixedSizeHexNumber(1)


def test_a_class_statement_with_a_size() -> None:
    class Gas(FixedSizeHexNumber):
        """Eight bytes."""

        __slots__ = ()
        byte_length = 8

    assert Gas.max_value == 2**64 - 1
    with pytest.raises(RangeError, match="Gas must be from 0"):
        Gas(2**64)


def test_long_decimal_text_is_refused_not_converted() -> None:
    with pytest.raises(HexError, match="at most 640 digits"):
        Number("9" * 5000)
