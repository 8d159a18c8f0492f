"""What counts is what a buffer holds, not what its class says about it."""

from __future__ import annotations

import array
import hashlib

import pytest

from hexary import Bytes, FixedSizeBytes, InputTypeError, Number
from hexary.typed import to_bytes, to_hex, to_json, to_number
from hexary.typed.buffer import bytes_of_buffer, exact_bytes
from odd_values import BUFFERS, CONTENT, FOREIGN, released


@pytest.mark.parametrize("value", BUFFERS.values(), ids=BUFFERS.keys())
def test_subclasses_are_read_as_what_they_hold(value):
    for got in (exact_bytes(value, "data"), bytes_of_buffer(value), to_bytes(value)):
        assert type(got) is bytes
        assert got == CONTENT
    assert to_hex(value) == to_json(value) == "0x61626300"
    assert to_number(value) == Number(value) == 0x61626300
    assert Bytes(value).sha256() == hashlib.sha256(CONTENT).digest()
    assert bytes.__eq__(FixedSizeBytes[4](value), CONTENT)


def test_views_are_read_as_their_bytes():
    view = memoryview(array.array("H", [1, 2, 3]))[::-2]
    assert exact_bytes(view, "data") == view.tobytes()
    assert exact_bytes(memoryview(b"abcd").cast("B", (2, 2)), "data") == b"abcd"


@pytest.mark.parametrize("value", FOREIGN.values(), ids=FOREIGN.keys())
@pytest.mark.parametrize(
    "read", [Bytes, FixedSizeBytes[4], Number, to_hex, to_json, Bytes.from_text]
)
def test_mocks_are_not_what_they_are_taken_for(read, value):
    assert bytes_of_buffer(value) is None
    with pytest.raises(InputTypeError):
        read(value)


@pytest.mark.parametrize(
    "read", [Bytes, FixedSizeBytes[4], Number, to_hex, to_json, bytes_of_buffer]
)
def test_a_released_view_is_refused(read):
    with pytest.raises(InputTypeError, match="released"):
        read(released())


def test_what_an_object_answers_is_plain_bytes():
    class Code:
        def __bytes__(self) -> bytes:
            return BUFFERS["Other"]

    assert to_bytes(Code()) == CONTENT
    assert type(to_bytes(Code())) is bytes
