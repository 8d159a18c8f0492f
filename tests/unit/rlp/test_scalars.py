"""Integers, booleans and sized strings: what is refused, and which rule wins."""

from __future__ import annotations

import time
from typing import Any

import pytest

from case_names import shown
from hexary import Bytes, DecodeError, DecodeReason, InputTypeError, rlp

R = DecodeReason


@pytest.mark.parametrize(
    ("text", "bits", "value"),
    [
        ("80", 256, 0),
        ("80", 0, 0),
        ("01", 1, 1),
        ("7f", 7, 127),
        ("8180", 8, 128),
        ("820400", 11, 1024),
        ("88" + 8 * "ff", 64, 2**64 - 1),
        ("a0" + 32 * "ff", 256, 2**256 - 1),
        ("a101" + 32 * "00", None, 2**256),
        ("b83801" + 55 * "00", None, 2**440),
    ],
)
def test_integers_are_read(text: str, bits: int | None, value: int) -> None:
    data = bytes.fromhex(text)
    assert rlp.decode_uint(data, bits=bits) == value
    payload = rlp.decode(data)
    assert rlp.uint_from_payload(payload, bits=bits) == value
    assert rlp.encode(value) == data


INTEGERS = [
    ("", 256, R.EMPTY_INPUT, 0),
    ("00", 256, R.LEADING_ZERO_INTEGER, 0),
    ("820005", 256, R.LEADING_ZERO_INTEGER, 0),
    ("90" + 16 * "00", 64, R.LEADING_ZERO_INTEGER, 0),
    ("02", 1, R.INTEGER_TOO_LARGE, 0),
    ("01", 0, R.INTEGER_TOO_LARGE, 0),
    ("8901" + 8 * "00", 64, R.INTEGER_TOO_LARGE, 0),
    ("a1" + 33 * "01", 256, R.INTEGER_TOO_LARGE, 0),
    ("c0", 256, R.EXPECTED_STRING, 0),
    ("c28100", 256, R.EXPECTED_STRING, 0),
    ("c1", 256, R.TRUNCATED, 0),
    ("8101", 256, R.NON_CANONICAL_BYTE, 0),
    ("b801", 256, R.NON_CANONICAL_LENGTH, 0),
    ("0102", 256, R.TRAILING_BYTES, 1),
    ("0002", 256, R.LEADING_ZERO_INTEGER, 0),
    ("c000", 256, R.EXPECTED_STRING, 0),
]


@pytest.mark.parametrize(("text", "bits", "reason", "offset"), INTEGERS)
def test_integers_are_refused(
    text: str, bits: int, reason: DecodeReason, offset: int
) -> None:
    data = bytes.fromhex(text)
    with pytest.raises(DecodeError) as caught:
        rlp.decode_uint(data, bits=bits)
    error = caught.value
    assert (error.reason, error.offset) == (reason, offset)
    assert error.data == data[offset : offset + 32]


def test_the_message_of_an_integer_tells_field_rule_and_sizes() -> None:
    with pytest.raises(DecodeError) as caught:
        rlp.uint_from_payload(
            b"\x01" + bytes(8), bits=64, offset=7, field="transaction.nonce"
        )
    error = caught.value
    assert str(error) == (
        "transaction.nonce: the integer is too large for its field "
        "(64 bits, got 65); at offset 7, where the bytes are 0x010000000000000000"
    )
    assert (error.field, error.offset) == ("transaction.nonce", 7)
    with pytest.raises(DecodeError) as caught:
        rlp.uint_from_payload(bytes(16), offset=3, field="value")
    assert str(caught.value).startswith("value: an integer has no leading zero byte")
    assert caught.value.reason is R.LEADING_ZERO_INTEGER


def test_a_huge_payload_is_refused_without_making_a_number_of_it() -> None:
    payload = b"\x01" + bytes(50_000_000)
    started = time.process_time()
    with pytest.raises(DecodeError) as caught:
        rlp.uint_from_payload(payload)
    assert time.process_time() - started < 0.5
    assert caught.value.reason is R.INTEGER_TOO_LARGE
    assert len(caught.value.data) == 32


@pytest.mark.parametrize(("text", "value"), [("80", False), ("01", True)])
def test_booleans_are_read(text: str, value: bool) -> None:
    data = bytes.fromhex(text)
    assert rlp.decode_bool(data) is value
    assert rlp.bool_from_payload(rlp.decode(data)) is value
    assert rlp.encode(value) == data


@pytest.mark.parametrize(
    ("text", "reason", "offset"),
    [
        ("", R.EMPTY_INPUT, 0),
        ("00", R.NOT_A_BOOLEAN, 0),
        ("02", R.NOT_A_BOOLEAN, 0),
        ("820001", R.NOT_A_BOOLEAN, 0),
        ("8101", R.NON_CANONICAL_BYTE, 0),
        ("c0", R.EXPECTED_STRING, 0),
        ("0101", R.TRAILING_BYTES, 1),
        ("0201", R.NOT_A_BOOLEAN, 0),
    ],
)
def test_booleans_are_refused(text: str, reason: DecodeReason, offset: int) -> None:
    data = bytes.fromhex(text)
    with pytest.raises(DecodeError) as caught:
        rlp.decode_bool(data)
    assert (caught.value.reason, caught.value.offset) == (reason, offset)
    assert caught.value.data == data[offset : offset + 32]


def test_sized_strings_are_read() -> None:
    assert rlp.decode_bytes(b"\x83dog") == b"dog"
    assert rlp.decode_bytes(b"\x83dog", size=3) == b"dog"
    assert rlp.decode_bytes(b"\x80", size=0) == b""
    payload = rlp.bytes_from_payload(Bytes(b"dog"), size=3)
    assert (payload, type(payload)) == (b"dog", bytes)


@pytest.mark.parametrize(
    ("text", "size", "reason", "offset"),
    [
        ("9f" + 31 * "00", 32, R.WRONG_SIZE, 0),
        ("80", 32, R.WRONG_SIZE, 0),
        ("8101", 20, R.NON_CANONICAL_BYTE, 0),
        ("c0", 0, R.EXPECTED_STRING, 0),
        ("83646f6780", 3, R.TRAILING_BYTES, 4),
        ("83646f6780", 4, R.WRONG_SIZE, 0),
        ("83646f6780", None, R.TRAILING_BYTES, 4),
        ("", None, R.EMPTY_INPUT, 0),
    ],
)
def test_sized_strings_are_refused(
    text: str, size: int | None, reason: DecodeReason, offset: int
) -> None:
    data = bytes.fromhex(text)
    with pytest.raises(DecodeError) as caught:
        rlp.decode_bytes(data, size=size)
    assert (caught.value.reason, caught.value.offset) == (reason, offset)


def test_the_message_of_a_sized_string_tells_both_sizes() -> None:
    with pytest.raises(DecodeError, match=r"to: .* \(20 bytes, got 1\); at offset 9"):
        rlp.bytes_from_payload(b"\x01", size=20, offset=9, field="to")


FROM_PAYLOAD = [rlp.uint_from_payload, rlp.bool_from_payload, rlp.bytes_from_payload]


@pytest.mark.parametrize("read", FROM_PAYLOAD)
def test_a_list_is_no_string(read: Any) -> None:
    with pytest.raises(DecodeError) as caught:
        read([b"\x01"], offset=5, field="value")
    error = caught.value
    assert (error.reason, error.offset) == (R.EXPECTED_STRING, 5)
    assert (error.field, error.data) == ("value", b"")


@pytest.mark.parametrize("read", FROM_PAYLOAD)
@pytest.mark.parametrize("value", [1, "01", None, (b"\x01",)], ids=shown)
def test_what_decode_does_not_return_is_refused(read: Any, value: Any) -> None:
    with pytest.raises(InputTypeError) as caught:
        read(value)
    assert caught.value.argument == "payload"


@pytest.mark.parametrize("read", [rlp.decode_uint, rlp.decode_bool, rlp.decode_bytes])
def test_only_bytes_are_decoded(read: Any) -> None:
    with pytest.raises(InputTypeError):
        read("01")
    assert read(bytearray(b"\x01")) in (1, True, b"\x01")
    assert read(memoryview(b"\x01")) in (1, True, b"\x01")
