"""What is encoded as what, and what is refused where."""

from __future__ import annotations

import array
import collections
import copy
import decimal
import sys
from enum import IntEnum
from typing import Any, NamedTuple

import numpy
import pytest

from case_names import shown
from hexary import Address, Bytes, EncodeError, Hash, InputTypeError, Wei, rlp
from hexary.rlp import Raw
from hexary.rlp.encoding import encode_bytes, encode_list


class Pair(NamedTuple):
    """A tuple with names."""

    left: bytes
    right: int


class Index:
    """What Python takes for an index, as the numbers of ethereum-types are."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __index__(self) -> int:
        return self.number


class Colour(IntEnum):
    """An int with a name."""

    RED = 300


PUBLISHED = [
    (b"", "80"),
    (b"\x00", "00"),
    (b"\x0f", "0f"),
    (b"\x7f", "7f"),
    (b"\x80", "8180"),
    (b"\xff", "81ff"),
    (b"\x04\x00", "820400"),
    (b"dog", "83646f67"),
    (bytes(55), "b7" + 55 * "00"),
    (bytes(56), "b838" + 56 * "00"),
    (bytes(255), "b8ff" + 255 * "00"),
    (bytes(256), "b90100" + 256 * "00"),
    (bytes(65_536), "ba010000" + 65_536 * "00"),
    ([], "c0"),
    ([b"cat", b"dog"], "c88363617483646f67"),
    ([[], [[]], [[], [[]]]], "c7c0c1c0c3c0c1c0"),
    ([b""] * 55, "f7" + 55 * "80"),
    ([b""] * 56, "f838" + 56 * "80"),
    ([b""] * 256, "f90100" + 256 * "80"),
    ([bytes(54)], "f7b6" + 54 * "00"),
    ([bytes(55)], "f838b7" + 55 * "00"),
]

ACCEPTED: list[tuple[Any, str]] = [
    (0, "80"),
    (1, "01"),
    (15, "0f"),
    (127, "7f"),
    (128, "8180"),
    (255, "81ff"),
    (256, "820100"),
    (1024, "820400"),
    (2**256 - 1, "a0" + 32 * "ff"),
    (2**440, "b8380" + "1" + 110 * "0"),
    (False, "80"),
    (True, "01"),
    (Colour.RED, "82012c"),
    (Wei(1024), "820400"),
    (numpy.uint64(1024), "820400"),
    (numpy.int8(0), "80"),
    (Index(1024), "820400"),
    ([Index(5)], "c105"),
    (bytearray(b"dog"), "83646f67"),
    (bytearray(b"\x05"), "05"),
    (memoryview(b"dog"), "83646f67"),
    (memoryview(b"abcdef")[::2], "83616365"),
    (memoryview(b"abcdef")[::-1], "86666564636261"),
    (memoryview(b"abcdef").cast("B", (2, 3)), "86616263646566"),
    (memoryview(array.array("H", [1])), "82" + array.array("H", [1]).tobytes().hex()),
    (memoryview(numpy.array(7, dtype=">u2")), "820007"),
    (Bytes(b""), "80"),
    (Bytes(b"\x05"), "05"),
    (Address(1), "94" + 19 * "00" + "01"),
    (Hash(1), "a0" + 31 * "00" + "01"),
    ((), "c0"),
    ((b"cat", [b"dog"]), "c983636174c483646f67"),
    (Pair(b"a", 2), "c26102"),
    (collections.deque([1, 2]), "c20102"),
    (collections.UserList([1, 2]), "c20102"),
    (range(3), "c3800102"),
    ([True, False, [True]], "c40180c101"),
]


@pytest.mark.parametrize(("item", "encoding"), PUBLISHED + ACCEPTED, ids=shown)
def test_an_item_is_encoded_as(item: Any, encoding: str) -> None:
    encoded = rlp.encode(item)
    assert encoded.hex() == encoding.lower()
    assert type(encoded) is bytes
    assert rlp.encoded_size(item) == len(encoded)
    assert rlp.encode([item, item]) == encode_list(encoded * 2)
    assert rlp.encoded_size([item, item]) == len(encode_list(encoded * 2))


@pytest.mark.parametrize(("item", "encoding"), PUBLISHED)
def test_bytes_and_lists_decode_to_what_was_encoded(item: Any, encoding: str) -> None:
    assert rlp.decode(bytes.fromhex(encoding)) == item


@pytest.mark.parametrize("size", [0, 1, 2, 55, 56, 255, 256, 65_535, 65_536, 1 << 24])
def test_the_size_is_known_for_every_class_of_sizes(size: int) -> None:
    """U025, at each boundary, for strings and for lists."""
    for string in (bytes(size), b"\xff" * size, bytearray(size)):
        assert rlp.encoded_size(string) == len(rlp.encode(string))
        assert rlp.encoded_size([string]) == len(rlp.encode([string]))
    if size < 70_000:
        assert rlp.encoded_size([b""] * size) == len(rlp.encode([b""] * size))
        assert rlp.encoded_size([[5] * size]) == len(rlp.encode([[5] * size]))


def test_bytes_subclasses_are_encoded_by_what_they_hold() -> None:
    """Whatever their methods answer: a subclass is taken as its bytes."""

    class Odd(bytes):
        def __eq__(self, other: object) -> bool:
            raise AssertionError("not compared")

        def __radd__(self, other: object) -> bytes:
            raise AssertionError("not added")

        def __str__(self) -> str:
            return "odd"

        __hash__ = bytes.__hash__

    assert rlp.encode(Odd(b"dog")) == b"\x83dog"
    assert rlp.encode([Odd(b"\x01")]) == b"\xc1\x01"
    assert type(rlp.encode(Odd(b"\x01"))) is bytes


def test_one_list_may_stand_in_two_places() -> None:
    """Only a list inside itself is refused."""
    shared = [b"a"]
    assert rlp.encode([shared, shared, [shared]]).hex() == "c7c161c161c2c161"


def test_a_list_is_not_changed() -> None:
    item = [b"a", [1, (2,)], bytearray(b"b")]
    before = copy.deepcopy(item)
    rlp.encode(item)
    rlp.encoded_size(item)
    assert item == before


NAN = float("nan")

REFUSED = [
    ("dog", "hexary.Bytes"),
    (collections.UserString("dog"), "as bytes yourself"),
    (None, "b''"),
    (1.0, "fractions"),
    (NAN, "fractions"),
    ({"a": 1}, "no order"),
    ({1, 2}, "no order"),
    (frozenset([1]), "no order"),
    (iter([1]), "make it a list"),
    ((value for value in [1]), "make it a list"),
    ({1: 2}.keys(), "make it a list"),
    (array.array("B", b"dog"), "make it a list"),
    (numpy.array([1, 2]), "make it a list"),
    (numpy.array(5), "make it a list"),
    (numpy.True_, ""),
    (decimal.Decimal(5), ""),
    (object(), ""),
    (int, ""),
]


@pytest.mark.parametrize("function", [rlp.encode, rlp.encoded_size, rlp.keccak256])
@pytest.mark.parametrize(("value", "hint"), REFUSED, ids=shown)
def test_other_types_are_refused_with_their_place(
    function: Any, value: Any, hint: str
) -> None:
    for item, place in [
        (value, "obj"),
        ([value], "obj[0]"),
        ([b"", (value,)], "obj[1][0]"),
        ([[], [1, [2, 3, value, 4]]], "obj[1][1][2]"),
        (collections.deque([1, [value]]), "obj[1][0]"),
    ]:
        with pytest.raises(InputTypeError) as caught:
            function(item)
        assert caught.value.argument == place
        assert caught.value.got is type(value)
        assert str(caught.value).startswith(f"{place} must be bytes, an int, ")
        assert hint in str(caught.value)


@pytest.mark.parametrize("function", [rlp.encode, rlp.encoded_size])
@pytest.mark.parametrize("value", [-1, -(2**300), Colour.RED - 301, numpy.int64(-1)])
def test_negative_ints_are_refused_with_their_place(function: Any, value: int) -> None:
    for item, path in [(value, ()), ([b"", (0, value)], (1, 1))]:
        with pytest.raises(EncodeError, match="must not be negative") as caught:
            function(item)
        assert caught.value.path == path


@pytest.mark.parametrize("function", [rlp.encode, rlp.encoded_size])
def test_a_list_inside_itself_is_refused(function: Any) -> None:
    """At once, whatever else it holds, through any kind of sequence."""
    direct: list[Any] = [b"a"]
    direct.append(direct)
    through_tuple: list[Any] = [b"a"]
    through_tuple.append((1, 2, through_tuple))
    user = collections.UserList([b""])
    user.append([user])
    wide: list[Any] = [[b""]] * 1000
    wide.append([[wide]])
    for item, path in [
        (direct, (1,)),
        (through_tuple, (1, 2)),
        (user, (1, 0)),
        (wide, (1000, 0, 0)),
        ([0, direct], (1, 1)),
    ]:
        with pytest.raises(EncodeError, match="must not contain itself") as caught:
            function(item)
        assert caught.value.path == path


def test_depth_is_no_limit_for_the_encoder() -> None:
    deep: Any = b""
    size = 1
    for _ in range(100_000):
        deep = [deep]
        size += 1 if size < 56 else 2 if size < 256 else 3 if size < 65_536 else 4
    encoded = rlp.encode(deep)
    assert rlp.encoded_size(deep) == len(encoded) == size == 377_876
    assert int.from_bytes(encoded[1:4], "big") == size - 4
    assert encoded.endswith(b"\xc2\xc1\x80")
    for _ in range(100_000):
        deep = (deep,)
    assert rlp.encoded_size(deep) == len(rlp.encode(deep))


def test_the_place_of_a_deep_fault_is_told_in_few_words() -> None:
    deep: Any = "text"
    for _ in range(5_000):
        deep = [deep]
    with pytest.raises(InputTypeError) as caught:
        rlp.encode(deep)
    assert len(str(caught.value)) < 300
    deep = -1
    for _ in range(5_000):
        deep = [b"", deep]
    with pytest.raises(EncodeError) as negative:
        rlp.encode(deep)
    assert negative.value.path == (1,) * 5_000
    assert len(str(negative.value)) < 300


def test_a_huge_number_of_items_takes_one_pass() -> None:
    encoded = rlp.encode([[b"ab"] * 10] * 20_000)
    assert len(encoded) == 4 + 20_000 * 31
    assert sys.getsizeof(encoded) < 700_000


def test_keccak256_hashes_the_encoding() -> None:
    """The hashes of the empty string and list are in the Yellow Paper's roots."""
    assert rlp.keccak256(b"") == Hash(
        "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"
    )
    assert rlp.keccak256([]) == Hash(
        "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347"
    )
    assert type(rlp.keccak256([1])) is Hash


def test_keccak256_is_seen_by_a_recording() -> None:
    from hexary import recording

    with recording() as record:
        rlp.keccak256([b"cat", b"dog"])
    assert (record.calls, record.bytes) == (1, 9)


def test_the_parts_of_the_encoder_agree_with_the_whole() -> None:
    for size in (0, 1, 2, 55, 56, 300):
        for fill in (b"\x00", b"\x7f", b"\x80"):
            string = fill * size
            assert encode_bytes(string) == rlp.encode(string)
    for count in (0, 1, 27, 28, 29, 300):
        items = [b"dog"] * count
        assert encode_list(b"".join(map(encode_bytes, items))) == rlp.encode(items)


def test_a_raw_item_is_spliced_in_unchanged() -> None:
    raw = Raw(rlp.encode([1, [b"dog"]]))
    assert rlp.encode(raw) == raw.encoded
    assert rlp.encode([b"", raw, (raw,)]) == rlp.encode(
        [b"", [1, [b"dog"]], [[1, [b"dog"]]]]
    )
    assert rlp.encoded_size([b"", raw]) == len(rlp.encode([b"", raw]))
