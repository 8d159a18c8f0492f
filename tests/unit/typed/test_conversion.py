"""What stands for bytes, what for a number, and what for neither."""

from __future__ import annotations

import array
import enum
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy
import pytest
from pydantic import BaseModel

from hexary.errors import HexError, InputTypeError, RangeError, SizeError
from hexary.typed import (
    Address,
    Bytes,
    Hash,
    HexNumber,
    to_bytes,
    to_fixed_size_bytes,
    to_hex,
    to_json,
    to_number,
)
from odd_values import OddText, TextEnum


class AsBytes:
    """An object that turns into two bytes."""

    def __bytes__(self) -> bytes:
        return b"\x01\x02"


class AsIndex:
    """An object that is the number seven."""

    def __index__(self) -> int:
        return 7


@pytest.mark.parametrize(
    ("value", "data"),
    [
        ("0x0102", b"\1\2"),
        ("0102", b"\1\2"),
        (numpy.str_("0x0102"), b"\1\2"),
        (b"\1\2", b"\1\2"),
        (Bytes("0x0102"), b"\1\2"),
        (numpy.bytes_(b"\1\2"), b"\1\2"),
        (bytearray(b"\1\2"), b"\1\2"),
        (memoryview(b"\1\0\2\0")[::2], b"\1\2"),
        (memoryview(array.array("H", [0x0202])), b"\2\2"),
        (AsBytes(), b"\1\2"),
        ([1, 2], b"\1\2"),
        ((1, 2), b"\1\2"),
        ([True, numpy.uint8(2)], b"\1\2"),
        ([], b""),
    ],
)
def test_what_stands_for_bytes(value: Any, data: bytes) -> None:
    assert to_bytes(value) == data
    assert type(to_bytes(value)) is bytes


@pytest.mark.parametrize(
    "value",
    [
        None,
        1.5,
        object(),
        {1: 2},
        {1, 2},
        iter([1]),
        AsBytes,
        bytes,
        Decimal(1),
        numpy.array([1, 2], dtype=numpy.uint8),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize(
    "convert",
    [to_bytes, to_hex, to_number, lambda value: to_fixed_size_bytes(value, 4)],
    ids=["to_bytes", "to_hex", "to_number", "to_fixed_size_bytes"],
)
def test_what_stands_for_nothing(convert: Any, value: Any) -> None:
    with pytest.raises(InputTypeError):
        convert(value)


@pytest.mark.parametrize("value", [5, True, numpy.int64(5), AsIndex(), HexNumber(5)])
def test_an_int_is_not_bytes_without_a_size(value: Any) -> None:
    with pytest.raises(InputTypeError, match="an int has no size of its own"):
        to_bytes(value)
    with pytest.raises(InputTypeError, match="an int has no size of its own"):
        to_hex(value)


def test_a_list_names_its_offending_item() -> None:
    with pytest.raises(RangeError, match="item 1 of a list of bytes must be from 0"):
        to_bytes([255, 256, 257])
    with pytest.raises(RangeError, match=r"item 0 .*got -1"):
        to_bytes([-1])
    with pytest.raises(RangeError, match=r"item 0 .*int of 333 bits"):
        to_bytes([10**100 + 1, 1])
    with pytest.raises(
        InputTypeError, match="item 1 of a list of bytes must be an int"
    ):
        to_bytes([1, "2"])
    with pytest.raises(InputTypeError, match="item 0"):
        to_bytes([[1]])


@pytest.mark.parametrize("value", [1, True, numpy.uint8(1), HexNumber(1)])
@pytest.mark.parametrize(
    "padding", [{}, {"left_padding": True}, {"right_padding": True}]
)
def test_ints_are_always_padded_on_the_left(value: Any, padding: Any) -> None:
    assert to_fixed_size_bytes(value, 4, **padding) == b"\0\0\0\1"


def test_bytes_and_text_are_padded_only_if_asked_for() -> None:
    assert to_fixed_size_bytes("0x01", 4, left_padding=True) == b"\0\0\0\1"
    assert to_fixed_size_bytes(b"\1", 4, right_padding=True) == b"\1\0\0\0"
    assert to_fixed_size_bytes(b"", 0) == b""
    assert to_fixed_size_bytes(0, 0) == b""
    with pytest.raises(SizeError) as caught:
        to_fixed_size_bytes("0x01", 4)
    assert (caught.value.expected, caught.value.got) == (4, 1)


@pytest.mark.parametrize("padding", ["left_padding", "right_padding"])
def test_nothing_is_ever_cut(padding: str) -> None:
    with pytest.raises(SizeError) as caught:
        to_fixed_size_bytes(bytes(5), 4, **{padding: True})
    assert (caught.value.expected, caught.value.got) == (4, 5)


def test_padding_goes_to_one_side() -> None:
    with pytest.raises(InputTypeError, match="padding must be left or right, not both"):
        to_fixed_size_bytes(b"\1", 4, left_padding=True, right_padding=True)


@pytest.mark.parametrize("value", [-1, 2**32, numpy.int64(-1), -(2**300)])
def test_ints_outside_the_size_are_refused(value: Any) -> None:
    with pytest.raises(RangeError) as caught:
        to_fixed_size_bytes(value, 4, type_name="Four")
    assert (caught.value.minimum, caught.value.maximum) == (0, 2**32 - 1)
    assert str(caught.value).startswith("Four must be from 0 to 2^32-1, got ")


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("0x10", 16),
        ("16", 16),
        ("-0x10", -16),
        (16, 16),
        (-16, -16),
        (True, 1),
        (HexNumber(16), 16),
        (numpy.int64(-16), -16),
        (numpy.uint64(2**64 - 1), 2**64 - 1),
        (AsIndex(), 7),
        (b"\1\0", 256),
        (b"", 0),
        (bytearray(b"\1\0"), 256),
        (memoryview(b"\1\0"), 256),
        (Hash(256), 256),
        (AsBytes(), 258),
    ],
)
def test_what_stands_for_a_number(value: Any, number: int) -> None:
    assert to_number(value) == number
    assert type(to_number(value)) is int


@pytest.mark.parametrize(
    "value",
    [1.0, numpy.float64(1), numpy.bool_(True), Decimal(1), Fraction(1), [1], (1,)],
    ids=lambda value: type(value).__name__,
)
def test_floats_fractions_lists_and_numpy_booleans_are_no_numbers(value: Any) -> None:
    with pytest.raises(InputTypeError):
        to_number(value)


def test_number_text_is_strict() -> None:
    for text in ("", "0x", "ff", "0b1", " 1", "1_0", "1.0", "+1", "007"):
        with pytest.raises(HexError):
            to_number(text)


def test_hex_text_is_prefixed_and_lower_case() -> None:
    assert to_hex("AB") == to_hex(b"\xab") == "0xab"


class Model(BaseModel):
    """A model as fixtures have them."""

    address: Address
    number: HexNumber | None = None


def test_json_forms() -> None:
    assert to_json(Address(1)) == "0x" + "00" * 19 + "01"
    assert to_json(HexNumber(16)) == "0x10"
    assert to_json([b"\1", (bytearray(b"\2"), memoryview(b"\3"))]) == [
        "0x01",
        ["0x02", "0x03"],
    ]
    assert to_json("text") == "text"
    assert to_json(16) == "16"
    assert to_json(True) == "1"
    assert to_json([Model(address=Address(1))]) == [
        {"address": "0x" + "00" * 19 + "01"}
    ]


@pytest.mark.parametrize("value", [None, 1.5, object(), {1: 2}])
def test_other_values_have_no_json_form(value: Any) -> None:
    with pytest.raises(InputTypeError):
        to_json(value)


@pytest.mark.parametrize(
    ("size", "error"),
    [
        *(("4", InputTypeError), (None, InputTypeError), (True, InputTypeError)),
        (-1, RangeError),
    ],
)
@pytest.mark.parametrize("value", [5, b"\5", "0x05"])
def test_a_size_that_is_none_is_refused(value, size, error):
    with pytest.raises(error, match=r"^size of the value"):
        to_fixed_size_bytes(value, size, left_padding=True)


def test_a_wrong_item_is_named_as_a_number():
    class Foreign:
        def __index__(self) -> int:
            return 300

    with pytest.raises(RangeError, match="got 300") as caught:
        to_bytes([1, Foreign()])
    assert caught.value.value == 300


def test_json_of_foreign_subclasses_is_hex_and_decimal():
    class Kind(int, enum.Enum):
        FIVE = 5

    class Data(bytes):
        pass

    class Pieces(bytearray):
        pass

    assert to_json([Data(b"ab"), Pieces(b"ab"), numpy.bytes_(b"ab")]) == ["0x6162"] * 3
    assert to_json(Kind.FIVE) == "5"
    assert to_json(TextEnum.VALUE) == "0xab"
    assert type(to_json(OddText("0xab"))) is str


def test_json_of_deep_lists_does_not_recurse():
    deep: list[Any] = [b"end"]
    for _ in range(100_000):
        deep = [deep, b"\1"]
    form = to_json(deep)
    for _ in range(100_000):
        form, after = form
        assert after == "0x01"
    assert form == ["0x656e64"]


def test_json_of_a_list_in_itself_is_an_error():
    knot: list[Any] = [b""]
    knot.append([knot])
    with pytest.raises(InputTypeError, match="does not contain itself"):
        to_json(knot)
    same: list[Any] = []
    assert to_json([same, same]) == [[], []]
