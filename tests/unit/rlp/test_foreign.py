"""Items, inputs and limits of classes that answer wrongly, or cannot be used at all."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hexary import rlp
from hexary.errors import DecodeError, InputTypeError, RangeError
from odd_values import BUFFERS, CONTENT, FOREIGN, released


@pytest.mark.parametrize("value", BUFFERS.values(), ids=BUFFERS.keys())
def test_subclasses_are_encoded_as_what_they_hold(value):
    assert rlp.encode(value) == b"\x84" + CONTENT
    assert (
        rlp.encode([value, (value,)]) == b"\xcb\x84" + CONTENT + b"\xc5\x84" + CONTENT
    )
    assert rlp.encoded_size([value, (value,)]) == 12


@pytest.mark.parametrize("value", BUFFERS.values(), ids=BUFFERS.keys())
def test_subclasses_are_decoded_as_what_they_hold(value):
    item, rest = rlp.decode_prefix(value)
    assert (item, rest) == (b"a", b"bc\0")
    with pytest.raises(DecodeError) as caught:
        rlp.decode(value)
    assert (caught.value.offset, caught.value.data) == (1, b"bc\0")


def test_odd_ints_are_encoded_as_their_value():
    class Odd(int):
        def __lt__(self, other: object) -> bool:
            return True

        def __index__(self) -> int:
            return 7

        def bit_length(self) -> int:
            return 1

    for value in (0, 5, 300, 2**300):
        assert rlp.encode(Odd(value)) == rlp.encode(value)
        assert rlp.encoded_size(Odd(value)) == rlp.encoded_size(value)


@pytest.mark.parametrize("value", FOREIGN.values(), ids=FOREIGN.keys())
def test_mocks_have_no_encoding(value):
    for read in (rlp.encode, rlp.encoded_size, rlp.keccak256):
        with pytest.raises(InputTypeError) as caught:
            read([b"", [value]])
        assert caught.value.argument == "obj[1][0]"
    for read in (rlp.decode, rlp.decode_prefix, rlp.decode_concatenated, rlp.Raw):
        with pytest.raises(InputTypeError, match=r"^data must be"):
            read(value)
    for read in (rlp.uint_from_payload, rlp.bool_from_payload, rlp.bytes_from_payload):
        with pytest.raises(InputTypeError, match=r"^payload must be"):
            read(value)


def test_a_released_view_is_refused():
    for read in (rlp.encode, rlp.encoded_size, rlp.decode, rlp.decode_uint, rlp.Raw):
        with pytest.raises(InputTypeError, match="released"):
            read(released())


def test_the_place_of_an_error_does_not_ask_a_sequence_for_its_length():
    class Odd(Sequence[object]):
        def __getitem__(self, index: object) -> object:
            return [b"", None][index]

        def __len__(self) -> int:
            return 77

    for read in (rlp.encode, rlp.encoded_size):
        with pytest.raises(InputTypeError) as caught:
            read([b"", Odd()])
        assert caught.value.argument == "obj[1][1]"


def test_raw_has_no_subclasses():
    """One could hold bytes that nobody has checked."""
    with pytest.raises(TypeError, match="Raw has no subclasses"):
        type("Loose", (rlp.Raw,), {})


@pytest.mark.parametrize(
    ("limit", "error"),
    [("8", InputTypeError), (8.0, InputTypeError), (-1, RangeError)],
)
@pytest.mark.parametrize("payload", [b"", b"\x05", b"\x05\x05"])
def test_a_width_or_size_is_a_natural_number(payload, limit, error):
    """Whatever the payload: also where the limit would not have mattered."""
    encoding = rlp.encode(payload)
    for read in (rlp.decode_uint, rlp.uint_from_payload):
        data = encoding if read is rlp.decode_uint else payload
        with pytest.raises(error, match=r"^bits must be"):
            read(data, bits=limit)
    for read in (rlp.decode_bytes, rlp.bytes_from_payload):
        data = encoding if read is rlp.decode_bytes else payload
        with pytest.raises(error, match=r"^size must be"):
            read(data, size=limit)
