"""Keys, values and collections of classes that answer wrongly, or cannot be used."""

from __future__ import annotations

import numpy
import pytest

from hexary import (
    EMPTY_ROOT,
    Address,
    InputTypeError,
    RangeError,
    SecureTrie,
    Trie,
    ordered_trie_root,
    secure_trie_root,
    trie_root,
)
from hexary.trie import (
    LeafNode,
    Nibbles,
    decode_node,
    hp_decode,
    hp_encode,
    pack,
    unpack,
)
from odd_values import BUFFERS, CONTENT, FOREIGN, released


@pytest.mark.parametrize("value", BUFFERS.values(), ids=BUFFERS.keys())
def test_subclasses_count_as_what_they_hold(value):
    pairs = [(CONTENT, b"1"), (value, value), (CONTENT[:2], b"2"), (b"", value)]
    plain = {CONTENT: CONTENT, CONTENT[:2]: b"2", b"": CONTENT}
    trie, secure = Trie(pairs), SecureTrie(pairs)
    assert list(trie.items()) == sorted(plain.items())
    assert trie.root_hash == trie_root(pairs) == trie_root(plain)
    assert secure.root_hash == secure_trie_root(pairs) == secure_trie_root(plain)
    assert len(trie) == len(secure) == 3
    assert trie[value] == secure[value] == CONTENT
    assert {type(each) for each in trie.values()} == {bytes}
    assert ordered_trie_root([value, value]) == ordered_trie_root([CONTENT] * 2)
    assert list(trie.items(prefix=value, start=value)) == [(CONTENT, CONTENT)]
    assert trie.next_key(value) is secure.next_key(value) or secure.next_key(value)
    assert trie.previous_key(value) == CONTENT[:2]
    trie[value] = b""
    assert value not in trie


NO_BUFFERS = {**FOREIGN, "None": None, "int": 5, "text": "ab", "released": released()}


@pytest.mark.parametrize("value", NO_BUFFERS.values(), ids=NO_BUFFERS.keys())
def test_what_is_no_buffer_is_refused(value):
    trie = Trie({b"a": b"1"})
    secure = SecureTrie({b"a": b"1"})
    for each in (trie, secure):
        for read in (each.__getitem__, each.__contains__, each.get, each.next_key):
            with pytest.raises(InputTypeError):
                read(value)
        for pairs in ([(value, b"v")], [(b"k", value)]):
            with pytest.raises(InputTypeError):
                each.update(pairs)
    for pairs in ([(value, b"v")], [(b"k", value)]):
        for root in (trie_root, secure_trie_root):
            with pytest.raises(InputTypeError):
                root(pairs)
    with pytest.raises(InputTypeError):
        ordered_trie_root([b"", value])
    for read in (decode_node, hp_decode, pack, unpack, Nibbles.from_key):
        with pytest.raises(InputTypeError):
            read(value)
    with pytest.raises(InputTypeError):
        hp_encode(value, leaf=True)


@pytest.mark.parametrize(
    "values",
    [5, None, b"", "", numpy.array(5), numpy.float64(5), released()],
    ids=lambda values: type(values).__name__,
)
def test_what_cannot_be_iterated_is_refused(values):
    for read in (Trie, SecureTrie, trie_root, secure_trie_root, Trie().update):
        with pytest.raises(InputTypeError, match=r"^pairs must be"):
            read(values)
    with pytest.raises(InputTypeError, match=r"^values must be"):
        ordered_trie_root(values)


def test_nibbles_of_odd_values():
    class Odd(bytes):
        def __iter__(self) -> object:
            return iter([1])

        def __bytes__(self) -> bytes:
            return b"\1"

    assert Nibbles(Odd(b"\1\2")) == Nibbles(bytearray(b"\1\2")) == Nibbles([1, 2])
    with pytest.raises(RangeError, match="got 16"):
        Nibbles(Odd(b"\1\x10"))
    with pytest.raises(InputTypeError, match=r"^nibble 1 must be"):
        Nibbles([1, 1.5])
    for values in (5, None, "ab", numpy.array(5)):
        with pytest.raises(InputTypeError):
            Nibbles(values)


def test_a_secure_trie_gives_typed_keys_back():
    key = Address(1, label="one")
    (again,) = SecureTrie({key: b"1"})
    assert again is key
    (again,) = SecureTrie([(bytearray(b"ab"), b"1")])
    assert type(again) is bytes


def failing(pairs: list[tuple[object, object]]):
    yield from pairs
    raise RuntimeError("the source has failed")


@pytest.mark.parametrize("kind", [Trie, SecureTrie])
@pytest.mark.parametrize(
    "last", [[], [(b"c", None)], [(None, b"c")], [(b"c",)], [b"cd"], ["cd"]]
)
def test_a_source_that_fails_midway_leaves_the_trie_as_it_was(kind, last):
    trie = kind({b"a": b"1", b"x": b"2"})
    with pytest.raises((RuntimeError, InputTypeError)):
        trie.update(failing([(b"b", b"3"), (b"x", b""), *last]))
    assert dict(trie.items()) == {b"a": b"1", b"x": b"2"}
    assert len(trie) == 2
    assert trie.root_hash == kind({b"a": b"1", b"x": b"2"}).root_hash
    trie.clear()
    assert trie.root_hash == EMPTY_ROOT


def test_a_leaf_is_read_from_any_buffer():
    leaf = LeafNode(b"\1", b"v")
    for encoding in (bytearray(leaf.encoding), memoryview(leaf.encoding)):
        assert decode_node(encoding) == leaf
