"""What counts is what a buffer holds, not what its class says about it."""

from __future__ import annotations

import array
import hashlib

import numpy
import pytest

import hexary
from case_names import shown
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


TEXT_HINT = "encode text first, or read hex text with hexary.Bytes"

DOORS = {
    "hash": hexary.keccak256,
    "hash many": lambda value: hexary.keccak256_many([value]),
    "decode": hexary.rlp.decode,
    "decode prefix": hexary.rlp.decode_prefix,
    "raw": hexary.rlp.Raw,
    "encode": hexary.rlp.encode,
    "encode inside": lambda value: hexary.rlp.encode([b"", [value]]),
    "key": lambda value: hexary.Trie().get(value),
    "pairs": lambda value: hexary.Trie({value: b""}),
    "root": lambda value: hexary.trie_root({b"key": value}),
    "ordered root": lambda value: hexary.ordered_trie_root([value]),
    "proof root": lambda value: hexary.verify_proof(value, b"key", []),
    "proof nodes": lambda value: hexary.verify_proof(bytes(32), b"key", [value]),
    "trie at a root": lambda value: hexary.Trie(hexary.MemoryStore(), value),
    "transaction": hexary.decode_transaction,
    "private key": hexary.private_key_address,
}


@pytest.mark.parametrize("text", ["0xc0", "", "text"])
@pytest.mark.parametrize("door", DOORS)
def test_text_is_refused_with_the_same_hint_everywhere(door, text):
    with pytest.raises(InputTypeError) as caught:
        DOORS[door](text)
    assert str(caught.value).endswith("; " + TEXT_HINT)


def test_the_hint_works():
    assert hexary.rlp.decode(Bytes("0xc0")) == []
    assert hexary.keccak256(Bytes("0x")) == hexary.keccak256(b"")


def test_an_item_is_told_to_be_encoded():
    hint = r"; an RLP item is encoded with hexary\.rlp\.encode$"
    with pytest.raises(
        InputTypeError, match=r"nodes\[0\] must be .* list of 17" + hint
    ):
        hexary.verify_proof(bytes(32), b"key", [[b""] * 17])
    with pytest.raises(InputTypeError, match=hint):
        exact_bytes((b"a",), "key")
    with pytest.raises(InputTypeError, match=r"got int 5$"):
        exact_bytes(5, "key")


@pytest.mark.parametrize(
    "array",
    [numpy.array([1, 2], numpy.uint8), numpy.array(5), range(3), iter([1])],
    ids=shown,
)
def test_an_array_is_to_be_made_bytes(array):
    for make in (Bytes, to_bytes):
        with pytest.raises(InputTypeError, match="make it bytes or a list, whichever"):
            make(array)
