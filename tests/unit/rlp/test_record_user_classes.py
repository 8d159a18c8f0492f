"""Records with classes and functions of their users' own, good ones and bad ones."""

from __future__ import annotations

import copy
import pickle
from enum import IntEnum
from typing import Annotated, Any, Generic, Self, TypeVar
from unittest.mock import ANY

import pytest

from hexary import Hash, rlp
from hexary.errors import (
    DecodeError,
    DecodeReason,
    EncodeError,
    FixtureError,
    HexaryError,
    InputTypeError,
    SizeError,
)
from hexary.typed import FixedSizeBytes, FixedSizeHexNumber, HashInt, Wei

Content = TypeVar("Content")


class Colour(IntEnum):
    """A number of a few."""

    RED = 0
    BLUE = 200


class Lower(bytes):
    """Text that has one spelling."""

    def __new__(cls, value: bytes = b"", /) -> Self:
        return super().__new__(cls, bytes(value).lower())


class Longer(bytes):
    """Bytes that are not as many as they say."""

    byte_length = 4

    def __new__(cls, value: bytes = b"", /) -> Self:
        return super().__new__(cls, bytes(value) + b"x")


class Checked(FixedSizeBytes):
    """Two bytes with a rule that the constructor does not know."""

    byte_length = 2

    def __init__(self, _: object, /) -> None:
        if self[0]:
            raise ValueError("the first byte is 0")


class Even(int):
    """A number with a rule of its own."""

    def __new__(cls, value: int) -> Self:
        if value % 2:
            raise ValueError("it is even")
        return super().__new__(cls, value)


class Rounded(int):
    """A number that stands for several."""

    def __new__(cls, value: int) -> Self:
        return super().__new__(cls, value // 10 * 10)


@rlp.record
class Painted(rlp.Record):
    """An enumeration and a price."""

    colour: Annotated[Colour, rlp.Uint(8)]
    price: Wei
    size: HashInt


@rlp.record
class Named(rlp.Record):
    """A name."""

    name: Lower


@rlp.record
class Long(rlp.Record):
    """Bytes that grow."""

    data: Longer


@rlp.record
class Flagged(rlp.Record):
    """Bytes with a rule."""

    flags: Checked


@rlp.record
class Pairs(rlp.Record):
    """How many pairs."""

    count: Annotated[Even, rlp.Uint(16)]


@rlp.record
class Tens(rlp.Record):
    """About how many."""

    count: Annotated[Rounded, rlp.Uint(16)]


@rlp.record
class Box(rlp.Record, Generic[Content]):
    """A class that is generic for the type checker's sake."""

    number: rlp.U8


@rlp.record
class Wide(rlp.Record):
    """Numbers beyond what chains have."""

    some: Annotated[int, rlp.Uint(8192)]
    any: Annotated[int, rlp.Uint(None)]


@rlp.record
class Topics(rlp.Record):
    """A list."""

    topics: tuple[Hash, ...] = ()


def test_members_of_an_enumeration_are_decoded_as_members() -> None:
    painted = Painted(Colour.BLUE, Wei(5), HashInt(7))
    found = rlp.decode(Painted, painted.rlp())
    assert found == painted
    assert found.colour is Colour.BLUE
    assert type(found.price) is Wei
    assert pickle.loads(pickle.dumps(found)) == copy.deepcopy(found) == painted
    assert Painted.from_json(painted.to_json()) == painted


@pytest.mark.parametrize(
    ("kind", "data", "detail"),
    [
        (Painted, b"\xe3\x07\x05\xa0" + bytes(32), "7 is not a valid Colour"),
        (Named, b"\xc4\x83Dog", "the same value has another encoding"),
        (Long, b"\xc5\x84abcd", "the same value has another encoding"),
        (Flagged, b"\xc3\x82\x01\x00", "the first byte is 0"),
        (Pairs, b"\xc1\x05", "it is even"),
        (Tens, b"\xc1\x05", "the same value has another encoding"),
    ],
)
def test_what_a_class_refuses_or_changes_is_no_encoding(
    kind: type[rlp.Record], data: bytes, detail: str
) -> None:
    for options in ({}, {"max_items": 100}):
        with pytest.raises(DecodeError) as caught:
            rlp.decode(kind, data, **options)
        assert caught.value.reason is DecodeReason.INVALID_VALUE
        assert caught.value.offset == 1
        assert caught.value.detail == detail


def test_what_a_class_accepts_is_decoded() -> None:
    for record in (Named(Lower(b"dog")), Pairs(Even(4)), Tens(Rounded(20))):
        assert rlp.decode(type(record), record.rlp()) == record
    assert rlp.decode(Flagged, b"\xc3\x82\x00\x07").flags == b"\x00\x07"


def test_an_instance_of_another_size_than_its_class_says_is_refused() -> None:
    with pytest.raises(SizeError, match="holds 4 bytes, got 5"):
        Long(Longer(b"abcd"))


@pytest.mark.parametrize(
    ("kind", "value"),
    [(Flagged, {"flags": "0x0101"}), (Pairs, {"count": 5}), (Pairs, {"count": "0x5"})],
)
def test_what_a_class_refuses_in_json_names_the_field(
    kind: type[rlp.Record], value: dict[str, Any]
) -> None:
    with pytest.raises(FixtureError) as caught:
        kind.from_json(value)
    assert caught.value.field.endswith(next(iter(value)))


@pytest.mark.parametrize(
    "annotation",
    [
        Annotated[Hash, rlp.Size(4)],
        Annotated[Hash, rlp.Size(32, 64)],
        Annotated[FixedSizeHexNumber[1], rlp.Uint(64)],
        Annotated[FixedSizeHexNumber[1], rlp.Uint(None)],
    ],
)
def test_a_class_with_a_size_has_no_other(annotation: Any) -> None:
    with pytest.raises(InputTypeError, match="annotation of kind"):
        rlp.decode(annotation, b"\x80")


def test_a_class_with_a_size_may_say_it_again() -> None:
    one = Annotated[Hash, rlp.Size(32)]
    assert rlp.decode(one, b"\xa0" + bytes(32)) == Hash(0)
    assert rlp.decode(Annotated[FixedSizeHexNumber[2], rlp.Uint(8)], b"\x07") == 7


@pytest.mark.parametrize("error", [KeyError("k"), IndexError("k"), ValueError("k")])
def test_functions_that_find_nothing_refuse_the_value(error: Exception) -> None:
    def refuse(_: object) -> bytes:
        raise error

    @rlp.record
    class Looked(rlp.Record):
        up: object = rlp.field(wire=bytes, encode=lambda _: b"a", decode=refuse)

    @rlp.record
    class Written(rlp.Record):
        up: object = rlp.field(wire=bytes, encode=refuse, decode=bytes)

    with pytest.raises(DecodeError) as caught:
        rlp.decode(Looked, b"\xc1a")
    assert caught.value.reason is DecodeReason.INVALID_VALUE
    assert caught.value.__cause__ is error
    with pytest.raises(FixtureError):
        Looked.from_json({"up": "0x61"})
    with pytest.raises(EncodeError):
        Written(1)


def test_a_record_may_be_generic() -> None:
    box: Box[str] = Box(5)
    assert rlp.decode(Box, box.rlp()) == box == Box[int](5)


def test_wide_numbers_survive_json() -> None:
    wide = Wide((1 << 8192) - 1, 1 << 20_000)
    assert rlp.decode(Wide, wide.rlp()) == wide
    for spelling in ("rpc", "fixture"):
        assert Wide.from_json(wide.to_json(spelling=spelling), spelling=spelling) == (
            wide
        )
    with pytest.raises(FixtureError, match="too long for a number"):
        Wide.from_json({"some": "0x" + "0" * 3000, "any": "0x1"})


def test_what_equals_everything_is_no_empty_list() -> None:
    with pytest.raises(HexaryError):
        Topics(ANY)
