"""Nibbles and hex-prefix (Yellow Paper, appendix C)."""

from __future__ import annotations

import copy
import pickle

import pytest

import hexary
from case_names import shown
from hexary.errors import InputTypeError, NodeError, NodeReason, RangeError, SizeError
from hexary.trie import Nibbles, hp_decode, hp_encode, pack, unpack
from hexary.trie.nibbles import common_prefix_length

HEX_PREFIX = [  # nibbles, leaf, encoding: all four flags, and the shortest of each
    ("", False, "00"),
    ("", True, "20"),
    ("1", False, "11"),
    ("f", True, "3f"),
    ("12345", False, "112345"),
    ("012345", False, "00012345"),
    ("0f1cb8", True, "200f1cb8"),
    ("f1cb8", True, "3f1cb8"),
]


def nibbles(digits: str) -> Nibbles:
    return Nibbles(int(digit, 16) for digit in digits)


@pytest.mark.parametrize(("digits", "leaf", "encoding"), HEX_PREFIX)
def test_hex_prefix_both_ways(digits, leaf, encoding):
    assert hp_encode(nibbles(digits), leaf=leaf).hex() == encoding
    path, is_leaf = hp_decode(bytes.fromhex(encoding))
    assert (path, is_leaf) == (nibbles(digits), leaf)
    assert type(path) is Nibbles


@pytest.mark.parametrize(
    ("encoding", "detail"),
    [
        ("", "it is empty"),
        ("40", "the flag is above 3"),
        ("ff12", "the flag is above 3"),
        ("01", "the padding nibble is not 0"),
        ("2f", "the padding nibble is not 0"),
        ("0f12", "the padding nibble is not 0"),
    ],
)
def test_hex_prefix_accepts_only_the_canonical_form(encoding, detail):
    with pytest.raises(NodeError) as caught:
        hp_decode(bytes.fromhex(encoding))
    assert caught.value.reason is NodeReason.BAD_PATH
    assert caught.value.detail == detail
    assert caught.value.data == bytes.fromhex(encoding)


def test_a_nibble_is_at_most_15():
    for call in (
        lambda: hp_encode(bytes([1, 16]), leaf=True),
        lambda: pack(bytes([255, 0])),
        lambda: Nibbles([3, 16]),
        lambda: Nibbles([-1]),
    ):
        with pytest.raises(RangeError, match="from 0 to 15"):
            call()


def test_pack_and_unpack_are_inverse():
    key = bytes(range(256))
    assert pack(unpack(key)) == key
    assert list(unpack(b"\x0f\xa0")) == [0, 15, 10, 0]


def test_pack_refuses_an_odd_path():
    with pytest.raises(SizeError):
        pack(bytes([1, 2, 3]))
    with pytest.raises(SizeError):
        nibbles("123").pack()


def test_unpack_reads_typed_bytes_whose_hex_has_a_prefix():
    assert unpack(hexary.Bytes(b"\x12")) == b"\1\2"


def test_nibbles_is_bytes_that_print_as_digits():
    path = Nibbles.from_key(b"\x12\xab")
    assert path == b"\1\2\n\x0b"
    assert isinstance(path, bytes)
    assert (repr(path), str(path)) == ("Nibbles('12ab')", "12ab")
    assert path[3] == 11
    assert path[1:] == nibbles("2ab")
    assert type(path[1:]) is Nibbles
    assert path + nibbles("f") == nibbles("12abf")
    assert type(path + b"\x0f") is Nibbles
    assert Nibbles(path) is path
    assert pickle.loads(pickle.dumps(path)) == path
    assert type(copy.copy(path)) is Nibbles
    assert {path: 1}[b"\1\2\n\x0b"] == 1
    assert path.pack() == b"\x12\xab"
    with pytest.raises(RangeError):
        path + b"\x10"


@pytest.mark.parametrize(
    ("first", "second", "length"),
    [
        (b"", b"", 0),
        (b"", b"a", 0),
        (b"ab", b"ab", 2),
        (b"ab", b"abc", 2),
        (b"ab", b"b", 0),
    ],
)
def test_common_prefix_length(first, second, length):
    assert common_prefix_length(first, second) == length
    assert common_prefix_length(second, first) == length


@pytest.mark.parametrize("bad", [5, "12", None, [1, 2], 1.5], ids=shown)
def test_paths_are_bytes(bad):
    for call in (
        lambda: pack(bad),
        lambda: unpack(bad),
        lambda: hp_decode(bad),
        lambda: hp_encode(bad, leaf=True),
    ):
        with pytest.raises(InputTypeError):
            call()


@pytest.mark.parametrize("bad", [5, None, "12", [1.5], ["1"]], ids=shown)
def test_nibbles_are_small_ints(bad):
    with pytest.raises(InputTypeError):
        Nibbles(bad)


def test_buffers_are_read_as_bytes():
    assert unpack(bytearray(b"\x12")) == b"\1\2"
    assert pack(memoryview(b"\1\2")) == b"\x12"
    assert hp_encode(bytearray(b"\1"), leaf=True) == b"\x31"
    assert hp_decode(memoryview(b"\x31")) == (b"\1", True)
