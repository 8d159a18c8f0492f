"""
Cases of public bug reports that concern RLP, by their ids in ``reports/cases.json``.

Each answer that is a matter of choice is told where its case is tested.
"""

from __future__ import annotations

import copy
import gc
import sys
import threading
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

from hexary import DecodeError, DecodeReason, InputTypeError, rlp
from hexary.rlp import Item, Raw
from hexary.typed.hexstr import parse_quantity

R = DecodeReason


def cases(identity: str, *values: Any) -> Any:
    """Parametrise with ids that begin with the case's."""
    return [
        pytest.param(
            *(value if isinstance(value, tuple) else (value,)),
            id=f"{identity}-{number}",
        )
        for number, value in enumerate(values)
    ]


def refusal(function: Callable[..., Any], *args: Any, **options: Any) -> DecodeError:
    with pytest.raises(DecodeError) as caught:
        function(*args, **options)
    return caught.value


def nested(depth: int) -> bytes:
    """Encode the empty string in *depth* lists, without the encoder under test."""
    headers: list[bytes] = []
    size = 1
    for _ in range(depth):
        if size < 56:
            header = bytes([0xC0 + size])
        else:
            length = size.to_bytes((size.bit_length() + 7) // 8, "big")
            header = bytes([0xF7 + len(length)]) + length
        headers.append(header)
        size += len(header)
    return b"".join(reversed(headers)) + b"\x80"


@pytest.mark.parametrize(
    ("data", "reason", "offset", "canonical"),
    cases(
        "U002",
        ("8100", R.NON_CANONICAL_BYTE, 0, "00"),
        ("817f", R.NON_CANONICAL_BYTE, 0, "7f"),
        ("b800", R.LEADING_ZERO_LENGTH, 0, "80"),
        ("b9000141", R.LEADING_ZERO_LENGTH, 0, "41"),
        ("f8020102", R.NON_CANONICAL_LENGTH, 0, "c20102"),
    ),
)
def test_one_value_has_one_encoding(
    data: str, reason: DecodeReason, offset: int, canonical: str
) -> None:
    error = refusal(rlp.decode, bytes.fromhex(data))
    assert (error.reason, error.offset) == (reason, offset)
    assert rlp.encode(rlp.decode(bytes.fromhex(canonical))).hex() == canonical


@pytest.mark.parametrize(
    ("read", "data", "offset"),
    cases(
        "U006",
        (rlp.decode_uint, "0102", 1),
        (rlp.decode_bytes, "83646f6780", 4),
        (rlp.decode, "0102", 1),
        (rlp.decode, "83646f6780", 4),
    ),
)
def test_typed_decoders_refuse_what_follows(read: Any, data: str, offset: int) -> None:
    """The message says bytes are left over; the prefix API is another function."""
    error = refusal(read, bytes.fromhex(data))
    assert (error.reason, error.offset) == (R.TRAILING_BYTES, offset)
    assert "bytes are left over" in str(error)
    item, rest = rlp.decode_prefix(bytes.fromhex(data))
    assert rlp.encode(item) + rest == bytes.fromhex(data)


@pytest.mark.parametrize("read", cases("U007", rlp.decode_uint))
def test_an_integer_is_all_there_is(read: Any) -> None:
    assert read(b"\x2a") == 42
    error = refusal(read, b"\x2a\x01")
    assert (error.reason, error.offset) == (R.TRAILING_BYTES, 1)


@pytest.mark.parametrize("data", cases("U009", "90" + 16 * "00"))
def test_a_padded_integer_field_is_refused_by_name(data: str) -> None:
    """
    There is no lenient decoder.

    A caller who must read such bytes takes the string with `decode_bytes` and decides.
    """
    payload = rlp.decode_bytes(bytes.fromhex(data))
    error = refusal(rlp.uint_from_payload, payload, offset=12, field="value")
    assert (error.reason, error.offset) == (R.LEADING_ZERO_INTEGER, 12)
    assert error.field == "value"
    assert str(error).startswith("value: an integer has no leading zero byte")
    assert refusal(rlp.decode_uint, bytes.fromhex(data)).reason is error.reason


@pytest.mark.parametrize("payload", cases("U010", "00", "0005"))
def test_an_integer_has_no_leading_zero(payload: str) -> None:
    error = refusal(rlp.uint_from_payload, bytes.fromhex(payload))
    assert error.reason is R.LEADING_ZERO_INTEGER
    assert rlp.encode(0) == rlp.encode(b"") == b"\x80"
    assert rlp.uint_from_payload(b"") == 0


@pytest.mark.parametrize("data", cases("U011", "c3820001"))
def test_an_integer_inside_a_list_has_no_leading_zero(data: str) -> None:
    """The bytes are canonical RLP of a string; as an integer they are refused."""
    item = rlp.decode(bytes.fromhex(data))
    assert item == [b"\x00\x01"]
    error = refusal(rlp.uint_from_payload, item[0], offset=1, field="seq")
    assert (error.reason, error.offset, error.field) == (
        R.LEADING_ZERO_INTEGER,
        1,
        "seq",
    )


@pytest.mark.parametrize(
    ("data", "answer"),
    cases(
        "U012",
        ("80", False),
        ("01", True),
        ("00", R.NOT_A_BOOLEAN),
        ("02", R.NOT_A_BOOLEAN),
        ("8101", R.NON_CANONICAL_BYTE),
        ("c0", R.EXPECTED_STRING),
    ),
)
def test_booleans_have_two_encodings(data: str, answer: Any) -> None:
    if isinstance(answer, bool):
        assert rlp.decode_bool(bytes.fromhex(data)) is answer
        assert rlp.encode(answer) == bytes.fromhex(data)
    else:
        assert refusal(rlp.decode_bool, bytes.fromhex(data)).reason is answer


@pytest.mark.parametrize("item", cases("U015", b"a", bytearray(b"a"), memoryview(b"a")))
def test_a_memoryview_is_a_string(item: Any) -> None:
    assert rlp.encode(item) == b"\x61"
    assert rlp.encode([item]) == b"\xc1\x61"


@pytest.mark.parametrize("data", cases("U019", "ffffffffffffffffff000000"))
def test_the_longest_length_is_truncated(data: str) -> None:
    tracemalloc.start()
    try:
        error = refusal(rlp.decode, bytes.fromhex(data))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (error.reason, error.offset) == (R.TRUNCATED, 0)
    assert peak < 50_000


@pytest.mark.parametrize("data", cases("U021", "bfffffffffffffffff0041424344"))
def test_a_length_is_never_negative(data: str) -> None:
    error = refusal(rlp.decode, bytes.fromhex(data))
    assert (error.reason, error.offset) == (R.TRUNCATED, 0)


@pytest.mark.parametrize("sizes", cases("U023", (((300, "9"), (10, "2"), (15, "3")),)))
def test_a_list_of_330_bytes_round_trips(sizes: Any) -> None:
    item = [(count * text).encode() for count, text in sizes]
    encoded = rlp.encode(item)
    assert encoded[:3].hex() == "f9014a"
    assert len(encoded) == rlp.encoded_size(item) == 333
    assert rlp.decode(encoded) == item


@pytest.mark.parametrize(
    ("data", "reason"),
    cases(
        "U024",
        *(
            (text, R.TRUNCATED)
            for text in ("81", "b8", "b9", "bf", "c1", "f8", "f9", "ff")
        ),
        ("", R.EMPTY_INPUT),
    ),
)
def test_a_lone_prefix_is_truncated(data: str, reason: DecodeReason) -> None:
    for read in (rlp.decode, rlp.decode_prefix, rlp.decode_bytes, Raw):
        error = refusal(read, bytes.fromhex(data))
        assert (error.reason, error.offset) == (reason, 0)


@pytest.mark.parametrize(
    "item",
    cases(
        "U025",
        *(
            fill * size
            for size in (0, 1, 55, 56, 255, 256, 65_536)
            for fill in (b"\0", b"\xff")
        ),
        *([b"dog"] * count for count in (0, 1, 13, 14, 63, 64, 16_384)),
        *(1 << bits for bits in (0, 6, 7, 8, 63, 64, 255, 256, 439, 440, 448)),
        0,
        [[], [[1, (b"",)]]],
    ),
)
def test_the_encoded_size_is_exact(item: Any) -> None:
    assert rlp.encoded_size(item) == len(rlp.encode(item))
    assert rlp.encoded_size([item]) == len(rlp.encode([item]))


@pytest.mark.parametrize("size", cases("U026", 60))
def test_a_raw_item_is_spliced(size: int) -> None:
    string = bytes(range(size))
    encoded = rlp.encode([Raw(b"\xb8\x3c" + string)])
    assert encoded == b"\xf8\x3e\xb8\x3c" + string
    assert rlp.decode(encoded) == [string]


@pytest.mark.parametrize("depth", cases("U027", 1_024, 10_000, 100_000))
def test_depth_is_a_documented_limit(depth: int) -> None:
    """Refused where deeper than ``max_depth``, and decoded where that allows it."""
    data = nested(depth)
    if depth == 10_000:
        assert len(data) == 29_791
    if depth <= rlp.DEFAULT_MAX_DEPTH:
        assert rlp.encode(rlp.decode(data)) == data
    else:
        error = refusal(rlp.decode, data)
        assert error.reason is R.TOO_DEEP
        inner = nested(depth - 1024)
        assert error.offset == len(data) - len(inner)
    assert rlp.encode(rlp.decode(data, max_depth=depth)) == data
    assert refusal(rlp.decode, data, max_depth=depth - 1).reason is R.TOO_DEEP


def _verdicts() -> list[object]:
    """Return what decoding, encoding and measuring say about each depth."""
    found: list[object] = []
    for depth in (331, 332, 333, 334, 500, 1_024, 1_025):
        data = nested(depth)
        try:
            item = rlp.decode(data)
        except DecodeError as error:
            found.append((depth, error.reason, error.offset, error.data))
        else:
            found.append((depth, rlp.encode(item) == data, rlp.encoded_size(item)))
    return found


def _at_depth(frames: int, function: Callable[[], Any]) -> Any:
    """Call *function* below *frames* Python frames."""
    return function() if frames == 0 else _at_depth(frames - 1, function)


def _current_depth() -> int:
    frame, depth = sys._getframe(), 0
    while frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    return depth


@pytest.mark.parametrize("limit", cases("U028", 200, 1_000, 10_000))
@pytest.mark.parametrize("deep", [False, True], ids=["shallow", "deep"])
def test_the_verdict_does_not_depend_on_the_stack(limit: int, deep: bool) -> None:
    """In a thread of its own, whose stack is that of the test alone."""
    expected = _verdicts()
    assert [verdict[1] for verdict in expected] == [True] * 6 + [R.TOO_DEEP]
    answers: list[object] = []

    def run() -> None:
        former = sys.getrecursionlimit()
        sys.setrecursionlimit(limit)
        try:
            # Some frames are left for the calls that the verdict really takes.
            frames = limit - _current_depth() - 40 if deep else 0
            answers.append(_at_depth(min(frames, 5_000), _verdicts))
        finally:
            sys.setrecursionlimit(former)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert answers == [expected]


@pytest.mark.parametrize("depth", cases("U029", 10_000))
def test_deep_values_are_handled_without_the_stack(depth: int) -> None:
    """
    Decoding, encoding, measuring, hashing, copying and dropping never recurse.

    Decoded lists are plain lists.  Their ``==``, ``repr`` and ``copy.deepcopy`` are
    Python's, which raise RecursionError beyond a depth of the interpreter's choice;
    comparing encodings, ``rlp.keccak256`` and decoding again do the same work at any
    depth.
    """
    data = nested(depth)
    item = rlp.decode(data, max_depth=depth)
    again = rlp.decode(data, max_depth=depth)
    assert rlp.encode(item) == rlp.encode(again) == data
    assert rlp.encoded_size(item) == len(data)
    assert rlp.keccak256(item) == rlp.keccak256(again)
    assert len(copy.copy(item)) == 1
    for handle in (repr, copy.deepcopy, again.__eq__):
        try:
            handle(item)
        except RecursionError:
            continue
    with pytest.raises(InputTypeError) as refused:
        rlp.encode([item, {"item": item}])
    assert "dict of 1" in str(refused.value)
    with pytest.raises(InputTypeError):
        rlp.decode([item])
    assert refusal(rlp.uint_from_payload, item).reason is R.EXPECTED_STRING
    del item, again
    gc.collect()


def _sized(size: int) -> Callable[[bytes], object]:
    return lambda data: rlp.decode_bytes(data, size=size)


def _uint(bits: int) -> Callable[[bytes], object]:
    return lambda data: rlp.decode_uint(data, bits=bits)


@pytest.mark.parametrize(
    ("read", "data", "reason", "expected"),
    cases(
        "U032",
        (_uint(256), "a1" + 33 * "01", R.INTEGER_TOO_LARGE, "256 bits, got 257"),
        (_uint(64), "8901" + 8 * "00", R.INTEGER_TOO_LARGE, "64 bits, got 65"),
        (_sized(32), "9f" + 31 * "00", R.WRONG_SIZE, "32 bytes, got 31"),
        (_sized(20), "8101", R.NON_CANONICAL_BYTE, ""),
        (_sized(20), "01", R.WRONG_SIZE, "20 bytes, got 1"),
    ),
)
def test_values_outside_their_type_are_decode_errors(
    read: Any, data: str, reason: DecodeReason, expected: str
) -> None:
    error = refusal(read, bytes.fromhex(data))
    assert error.reason is reason
    assert expected in str(error)


@pytest.mark.parametrize(
    ("read", "payload"),
    cases(
        "U032",
        (lambda item, **place: rlp.uint_from_payload(item, bits=64, **place), bytes(9)),
        (lambda item, **place: rlp.bytes_from_payload(item, size=32, **place), b"12"),
    ),
)
def test_the_path_of_a_field_is_carried(read: Any, payload: bytes) -> None:
    error = refusal(read, payload, offset=40, field="block.transactions[3].to")
    assert (error.field, error.offset) == ("block.transactions[3].to", 40)
    assert str(error).startswith("block.transactions[3].to: ")


@pytest.mark.parametrize("data", cases("U035", "00"))
def test_a_zero_byte_is_no_zero(data: str) -> None:
    """JSON text ``0x00`` is zero; the zero byte as an RLP integer is refused."""
    assert parse_quantity("0x00") == 0
    error = refusal(rlp.decode_uint, bytes.fromhex(data))
    assert error.reason is R.LEADING_ZERO_INTEGER


MINIMAL_FORM: list[tuple[str, DecodeReason]] = [
    ("8100", R.NON_CANONICAL_BYTE),
    ("817f", R.NON_CANONICAL_BYTE),
    ("b80100", R.NON_CANONICAL_LENGTH),
    ("b837" + 55 * "61", R.NON_CANONICAL_LENGTH),
    ("b90038" + 56 * "61", R.LEADING_ZERO_LENGTH),
    ("f800", R.LEADING_ZERO_LENGTH),
    ("f80180", R.NON_CANONICAL_LENGTH),
    ("f837" + 55 * "80", R.NON_CANONICAL_LENGTH),
    ("f90038" + 56 * "80", R.LEADING_ZERO_LENGTH),
    ("82aa", R.TRUNCATED),
    ("b838" + 55 * "61", R.TRUNCATED),
    ("c2c1", R.TRUNCATED),
    ("f838" + 55 * "80", R.TRUNCATED),
    ("c182", R.OVERRUN),
]


@pytest.mark.parametrize(("data", "reason"), cases("U036", *MINIMAL_FORM))
def test_forms_that_are_not_minimal_or_too_short(
    data: str, reason: DecodeReason
) -> None:
    """The published list of them is ``fixtures/rlp/refused.json``."""
    assert refusal(rlp.decode, bytes.fromhex(data)).reason is reason


def test_every_accepted_short_input_is_canonical() -> None:
    """U002, for all inputs of up to two bytes and all of three that begin a list."""
    starts = [b"", *(bytes([first]) for first in range(256))]
    inputs = [start + bytes([last]) for start in starts for last in range(256)]
    inputs += [b"\xc2" + data for data in inputs if len(data) == 2]
    values: dict[bytes, bytes] = {}
    accepted = 0
    for data in inputs:
        try:
            item: Item = rlp.decode(data)
        except DecodeError:
            continue
        accepted += 1
        assert rlp.encode(item) == data
        assert values.setdefault(repr(item).encode(), data) == data
    # One byte: 00 to 7f, 80 and c0.  Two: 81 80 to 81 ff, and a list of one of those.
    # Three: a list of two items of one byte, or of one of two.
    assert accepted == 130 + (128 + 130) + (130 * 130 + 258)
