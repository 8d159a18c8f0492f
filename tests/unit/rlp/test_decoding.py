"""Every rule of the decoder: its reason, its offset, and which one wins."""

from __future__ import annotations

import pickle
import sys
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from case_names import shown
from hexary import (
    Bytes,
    DecodeError,
    DecodeReason,
    InputTypeError,
    RangeError,
    rlp,
)
from hexary.rlp.encoding import encode_list

R = DecodeReason

BROKEN = [
    # Nothing there.
    ("", R.EMPTY_INPUT, 0),
    # The outermost item goes beyond the input: in its header, in its payload.
    ("81", R.TRUNCATED, 0),
    ("b7", R.TRUNCATED, 0),
    ("83646f", R.TRUNCATED, 0),
    ("b8", R.TRUNCATED, 0),
    ("b900", R.TRUNCATED, 0),
    ("b90100", R.TRUNCATED, 0),
    ("bf", R.TRUNCATED, 0),
    ("bf01000000000000", R.TRUNCATED, 0),
    ("bfffffffffffffffff", R.TRUNCATED, 0),
    ("b838" + 55 * "00", R.TRUNCATED, 0),
    ("c1", R.TRUNCATED, 0),
    ("c283", R.TRUNCATED, 0),
    ("f8", R.TRUNCATED, 0),
    ("f838" + 55 * "80", R.TRUNCATED, 0),
    ("ff", R.TRUNCATED, 0),
    ("ffffffffffffffffff", R.TRUNCATED, 0),
    # An item goes beyond the list that holds it, within the input or not.
    ("c181", R.OVERRUN, 1),
    ("c28380", R.OVERRUN, 1),
    ("c3c28281", R.OVERRUN, 2),
    ("c2c28080", R.OVERRUN, 1),
    ("c4c183646f", R.OVERRUN, 2),
    ("c1b8", R.OVERRUN, 1),
    ("c1f8", R.OVERRUN, 1),
    ("c2b901", R.OVERRUN, 1),
    ("c2b838", R.OVERRUN, 1),
    ("c980bfffffffffffffff", R.OVERRUN, 2),
    ("ca80bfffffffffffffffff", R.OVERRUN, 2),
    ("ca80ffffffffffffffffff", R.OVERRUN, 2),
    ("c3c18100", R.OVERRUN, 2),
    # Bytes after the item.
    ("8080", R.TRAILING_BYTES, 1),
    ("0000", R.TRAILING_BYTES, 1),
    ("83646f6780", R.TRAILING_BYTES, 4),
    ("c000", R.TRAILING_BYTES, 1),
    ("c180c0", R.TRAILING_BYTES, 2),
    ("b838" + 56 * "00" + "8100", R.TRAILING_BYTES, 58),
    # A byte that stands for itself.
    ("8100", R.NON_CANONICAL_BYTE, 0),
    ("817f", R.NON_CANONICAL_BYTE, 0),
    ("c28100", R.NON_CANONICAL_BYTE, 1),
    ("c5c0c3808105", R.NON_CANONICAL_BYTE, 4),
    # The long form for what is short.
    ("b801ff", R.NON_CANONICAL_LENGTH, 0),
    ("b837" + 55 * "00", R.NON_CANONICAL_LENGTH, 0),
    ("f801c0", R.NON_CANONICAL_LENGTH, 0),
    ("f837" + 55 * "80", R.NON_CANONICAL_LENGTH, 0),
    ("c3b80105", R.NON_CANONICAL_LENGTH, 1),
    ("c480f801c0", R.NON_CANONICAL_LENGTH, 2),
    # A length with a zero in front.
    ("b800", R.LEADING_ZERO_LENGTH, 0),
    ("f800", R.LEADING_ZERO_LENGTH, 0),
    ("b90038" + 56 * "00", R.LEADING_ZERO_LENGTH, 0),
    ("f90038" + 56 * "80", R.LEADING_ZERO_LENGTH, 0),
    ("bf0000000000000038" + 56 * "00", R.LEADING_ZERO_LENGTH, 0),
    ("c4b9003800", R.LEADING_ZERO_LENGTH, 1),
]

ORDER = [
    # The header's own form comes before how much it promises.
    ("b801", R.NON_CANONICAL_LENGTH, 0),
    ("f837", R.NON_CANONICAL_LENGTH, 0),
    ("b9000141", R.LEADING_ZERO_LENGTH, 0),
    ("f900ff", R.LEADING_ZERO_LENGTH, 0),
    # A length that is not there cannot be judged.
    ("ba00", R.TRUNCATED, 0),
    ("c2b900", R.OVERRUN, 1),
    # What does not fit comes before what it says.
    ("c1817f", R.OVERRUN, 1),
    # A list before its items, and the outermost first.
    ("c38100", R.TRUNCATED, 0),
    ("c4c38100", R.TRUNCATED, 0),
    ("c3c38100", R.OVERRUN, 1),
    # From the left: the first of two.
    ("c48100817f", R.NON_CANONICAL_BYTE, 1),
    ("c581808100c0", R.NON_CANONICAL_BYTE, 3),
    ("c48100b800", R.NON_CANONICAL_BYTE, 1),
    # Inside before behind.
    ("c28100ff", R.NON_CANONICAL_BYTE, 1),
    ("8100ff", R.NON_CANONICAL_BYTE, 0),
]

TABLE = [pytest.param(*case, id=case[0][:24] or "empty") for case in BROKEN + ORDER]


def check(error: DecodeError, reason: DecodeReason, offset: int, data: bytes) -> None:
    """Compare all that an error tells."""
    assert (error.reason, error.offset) == (reason, offset)
    assert error.data == data[offset : offset + 32]
    assert error.field == ""
    assert str(error).startswith(f"{reason.value}; at offset {offset}")
    again = pickle.loads(pickle.dumps(error))
    assert (again.reason, again.offset, again.data) == (reason, offset, error.data)


@pytest.mark.parametrize(("text", "reason", "offset"), TABLE)
def test_a_broken_rule_is_told_with_its_place(
    text: str, reason: DecodeReason, offset: int
) -> None:
    data = bytes.fromhex(text)
    with pytest.raises(DecodeError) as caught:
        rlp.decode(data)
    check(caught.value, reason, offset, data)


@pytest.mark.parametrize(("text", "reason", "offset"), TABLE)
def test_a_prefix_breaks_the_same_rules(
    text: str, reason: DecodeReason, offset: int
) -> None:
    """Except that what follows is returned."""
    data = bytes.fromhex(text)
    if reason is R.TRAILING_BYTES:
        item, rest = rlp.decode_prefix(data)
        assert rest == data[offset:]
        assert rlp.encode(item) == data[:offset]
    else:
        with pytest.raises(DecodeError) as caught:
            rlp.decode_prefix(data)
        check(caught.value, reason, offset, data)


@pytest.mark.parametrize(("text", "reason", "offset"), TABLE)
def test_concatenated_items_break_the_same_rules_further_on(
    text: str, reason: DecodeReason, offset: int
) -> None:
    data = b"\x83dog" + bytes.fromhex(text)
    items = rlp.decode_concatenated(data)
    assert next(items) == b"dog"
    if reason is R.EMPTY_INPUT:
        assert list(items) == []
    elif reason is not R.TRAILING_BYTES:
        with pytest.raises(DecodeError) as caught:
            list(items)
        check(caught.value, reason, offset + 4, data)


@pytest.mark.parametrize(("text", "reason", "offset"), TABLE)
def test_an_item_in_a_long_list_breaks_the_same_rules(
    text: str, reason: DecodeReason, offset: int
) -> None:
    """Except that the list, not the input, is what it goes beyond."""
    if reason in (R.EMPTY_INPUT, R.TRAILING_BYTES):
        return
    reason = R.OVERRUN if reason is R.TRUNCATED else reason
    data = encode_list(300 * b"\x80" + bytes.fromhex(text))
    with pytest.raises(DecodeError) as caught:
        rlp.decode(data)
    check(caught.value, reason, 3 + 300 + offset, data)


def test_what_a_message_says() -> None:
    with pytest.raises(DecodeError) as caught:
        rlp.decode(bytes.fromhex("c28100"))
    assert str(caught.value) == (
        "a single byte below 0x80 stands for itself and takes no prefix; "
        "at offset 1, where the bytes are 0x8100"
    )


def test_every_proper_part_of_an_encoding_is_truncated() -> None:
    encoded = rlp.encode([b"cat", [bytes(60), [5, b"dog"] * 20], b"\x90"])
    for size in range(1, len(encoded)):
        with pytest.raises(DecodeError) as caught:
            rlp.decode(encoded[:size])
        assert (caught.value.reason, caught.value.offset) == (R.TRUNCATED, 0)


def nested(depth: int) -> bytes:
    """Return the encoding of *depth* lists, each in the one before."""
    item: Any = []
    for _ in range(depth - 1):
        item = [item]
    return rlp.encode(item)


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        ("80", 0),
        ("05", 0),
        ("b838" + 56 * "00", 0),
        ("c0", 1),
        ("c180", 1),
        ("c1c0", 2),
        ("c3c08001", 2),
        ("c480c2c180", 3),
        ("f83a" + "c180" * 29, 2),
        ("f83a" + "c1c0" * 29, 3),
    ],
)
def test_max_depth_is_the_greatest_depth_accepted(text: str, depth: int) -> None:
    data = bytes.fromhex(text)
    item = rlp.decode(data, max_depth=depth)
    assert rlp.encode(item) == data
    if depth:
        with pytest.raises(DecodeError) as caught:
            rlp.decode(data, max_depth=depth - 1)
        assert caught.value.reason is R.TOO_DEEP


def test_too_deep_is_told_where_the_list_starts() -> None:
    with pytest.raises(DecodeError) as caught:
        rlp.decode(bytes.fromhex("c480c2c180"), max_depth=2)
    check(caught.value, R.TOO_DEEP, 3, bytes.fromhex("c480c2c180"))
    with pytest.raises(DecodeError) as caught:
        rlp.decode(b"\xc0", max_depth=0)
    check(caught.value, R.TOO_DEEP, 0, b"\xc0")


def test_the_default_depth_is_1024() -> None:
    assert rlp.DEFAULT_MAX_DEPTH == 1024
    assert rlp.encode(rlp.decode(nested(1024))) == nested(1024)
    with pytest.raises(DecodeError) as caught:
        rlp.decode(nested(1025))
    assert caught.value.reason is R.TOO_DEEP
    assert caught.value.offset == len(nested(1025)) - 1


def test_what_does_not_fit_comes_before_what_is_too_deep() -> None:
    with pytest.raises(DecodeError) as caught:
        rlp.decode(b"\xc1\xc1", max_depth=1)
    check(caught.value, R.OVERRUN, 1, b"\xc1\xc1")
    with pytest.raises(DecodeError) as caught:
        rlp.decode(b"\xc1", max_depth=0)
    check(caught.value, R.TRUNCATED, 0, b"\xc1")


ITEMS = bytes.fromhex("c883636174c2050580")  # offsets 0, 1, 5, 6, 7, 8


@pytest.mark.parametrize(
    ("limit", "offset"), [(0, 0), (1, 1), (2, 5), (3, 6), (4, 7), (5, 8)]
)
def test_max_items_counts_every_string_and_list(limit: int, offset: int) -> None:
    with pytest.raises(DecodeError) as caught:
        rlp.decode(ITEMS, max_items=limit)
    check(caught.value, R.TOO_MANY_ITEMS, offset, ITEMS)


@pytest.mark.parametrize("limit", [6, 7, sys.maxsize, 10**30, None])
def test_max_items_that_suffice_change_nothing(limit: int | None) -> None:
    assert rlp.decode(ITEMS, max_items=limit) == [b"cat", [b"\x05", b"\x05"], b""]


def test_too_many_items_comes_before_the_rules_of_that_item() -> None:
    for text, limit, offset in [("8100", 0, 0), ("c28100", 1, 1), ("c3808100", 2, 2)]:
        data = bytes.fromhex(text)
        with pytest.raises(DecodeError) as caught:
            rlp.decode(data, max_items=limit)
        check(caught.value, R.TOO_MANY_ITEMS, offset, data)
    with pytest.raises(DecodeError) as caught:
        rlp.decode(b"", max_items=0)
    check(caught.value, R.EMPTY_INPUT, 0, b"")


def test_an_error_further_left_comes_before_too_many_items() -> None:
    with pytest.raises(DecodeError) as caught:
        rlp.decode(bytes.fromhex("c3810080"), max_items=2)
    check(caught.value, R.NON_CANONICAL_BYTE, 1, bytes.fromhex("c3810080"))


def test_limits_hold_for_each_concatenated_item() -> None:
    data = bytes.fromhex("c180c180c28080")
    items = rlp.decode_concatenated(data, max_items=2)
    assert next(items) == [b""]
    assert next(items) == [b""]
    with pytest.raises(DecodeError) as caught:
        next(items)
    check(caught.value, R.TOO_MANY_ITEMS, 6, data)


READERS: list[Callable[..., Any]] = [
    rlp.decode,
    rlp.decode_prefix,
    rlp.decode_concatenated,
]


@pytest.mark.parametrize("read", READERS)
def test_limits_that_are_none_are_refused_at_the_call(read: Any) -> None:
    for name in ("max_depth", "max_items"):
        with pytest.raises(RangeError) as caught:
            read(b"\x80", **{name: -1})
        assert caught.value.type_name == name
        with pytest.raises(InputTypeError) as refused:
            read(b"\x80", **{name: "5"})
        assert refused.value.argument == name
    with pytest.raises(InputTypeError):
        read(b"\x80", max_depth=None)


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("value", ["80", None, 128, [128], 1.5, object()], ids=shown)
def test_only_bytes_are_decoded(read: Any, value: Any) -> None:
    with pytest.raises(InputTypeError) as caught:
        read(value)
    assert caught.value.argument == "data"
    assert ("hexary.Bytes" in str(caught.value)) is isinstance(value, str)


class Twisted(bytes):
    """Bytes whose methods lie."""

    def __getitem__(self, key: Any) -> Any:
        raise AssertionError("not asked")

    def __len__(self) -> int:
        raise AssertionError("not asked")

    def __bytes__(self) -> bytes:
        raise AssertionError("not asked")


@pytest.mark.parametrize(
    "data",
    [
        bytes.fromhex("c88363617483646f67"),
        bytearray.fromhex("c88363617483646f67"),
        memoryview(bytes.fromhex("c88363617483646f67")),
        memoryview(bytes.fromhex("676f6483746163" + "83c8"))[::-1],
        memoryview(bytes.fromhex("c88363617483646f67")).cast("B", (3, 3)),
        Bytes("0xc88363617483646f67"),
        Twisted.fromhex("c88363617483646f67"),
    ],
    ids=lambda data: type(data).__name__,
)
def test_whatever_holds_bytes_is_decoded_to_bytes(data: Any) -> None:
    item = rlp.decode(data)
    assert item == [b"cat", b"dog"]
    assert [type(part) for part in item] == [bytes, bytes]
    assert rlp.decode_prefix(data) == (item, b"")
    assert list(rlp.decode_concatenated(data)) == [item]


def test_a_prefix_is_returned_with_the_rest() -> None:
    item, rest = rlp.decode_prefix(memoryview(b"\x83dog\xc0"))
    assert (item, rest) == (b"dog", b"\xc0")
    assert type(rest) is bytes
    assert rlp.decode_prefix(b"\x00\x81") == (b"\x00", b"\x81")


def test_concatenated_items_are_read_in_order() -> None:
    assert list(rlp.decode_concatenated(b"")) == []
    items = [b"", b"a", [b"b", [b"c"]], bytes(100)]
    data = b"".join(map(rlp.encode, items))
    assert list(rlp.decode_concatenated(data)) == items


def test_lists_that_end_together_are_closed_together() -> None:
    item: Any = [b"a", [b"b", [b"c", [[], [b"d"]]]], [b"e"], []]
    assert rlp.decode(rlp.encode(item)) == item


@pytest.mark.parametrize(
    "text",
    [
        "ffffffffffffffffff000000",
        "bfffffffffffffffff000000",
        "ff7fffffffffffffff000000",
        "fb7fffffff",
        "bb7fffffff",
        "cabfffffffffffffffff00",
    ],
)
def test_a_length_in_the_input_allocates_nothing(text: str) -> None:
    data = bytes.fromhex(text)
    tracemalloc.start()
    try:
        with pytest.raises(DecodeError) as caught:
            rlp.decode(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert caught.value.reason in (R.TRUNCATED, R.OVERRUN)
    assert peak < 50_000


def test_an_error_does_not_hold_the_input() -> None:
    with pytest.raises(DecodeError) as caught:
        rlp.decode(b"\x80" + bytes(100_000))
    assert len(caught.value.data) == 32
    assert len(str(caught.value)) < 200
