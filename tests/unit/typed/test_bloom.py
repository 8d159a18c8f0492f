"""The Bloom filter over log addresses and topics."""

from __future__ import annotations

from typing import Any

import pytest

from hexary import hash as hashing
from hexary.errors import HexError, InputTypeError, SizeError
from hexary.typed import Address, Bloom, Hash

ADDRESS = "0x095e7baea6a6c7c4c2dfeb977efac326af552d87"


def bits_of(bloom: Bloom) -> list[int]:
    """Return the numbers of the bits that are set, the lowest being bit 0."""
    return [bit for bit in range(2048) if bloom[255 - bit // 8] >> bit % 8 & 1]


def test_an_item_sets_the_bits_that_its_hash_names(
    backend: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keccak-256 of the empty string starts with c5d2 4601 86f7: their low 11 bits."""
    monkeypatch.setattr(hashing, "keccak256", backend.keccak256)
    bloom = Bloom(0).add(b"")
    assert bits_of(bloom) == sorted([0xC5D2 % 2048, 0x4601 % 2048, 0x86F7 % 2048])
    assert b"" in bloom
    assert b"\0" not in bloom


def test_a_log_of_the_yellow_papers_test_suite() -> None:
    """The address and the zero topic of a log in ethereum/tests' bloom examples."""
    bloom = Bloom(0).add(ADDRESS).add(Hash(0))
    assert bits_of(bloom) == sorted(
        int.from_bytes(digest[place : place + 2], "big") % 2048
        for digest in (
            bytes(Address(ADDRESS).keccak256()),
            bytes(Hash(0).keccak256()),
        )
        for place in (0, 2, 4)
    )
    assert Address(ADDRESS) in bloom
    assert Hash(0) in bloom
    assert Hash(1) not in bloom


def test_a_filter_does_not_change() -> None:
    empty = Bloom(0)
    full = empty.add(b"a")
    assert empty == 0
    assert full != 0
    assert type(full) is Bloom
    assert full.add(b"a") == full


def test_items_are_bytes_of_any_kind() -> None:
    bloom = Bloom.from_items([ADDRESS, b"a", bytearray(b"b"), [1, 2]])
    for item in (bytes.fromhex(ADDRESS[2:]), b"a", memoryview(b"b"), b"\1\2", "0x61"):
        assert item in bloom
    assert b"c" not in bloom
    assert Bloom.from_items([]) == 0
    assert Bloom.from_items(item for item in (b"a",)) == Bloom(0).add(b"a")


def test_union() -> None:
    one, two, three = (Bloom(0).add(item) for item in (b"1", b"2", b"3"))
    assert one | two == two | one == one.union(two) == Bloom.from_items([b"1", b"2"])
    assert one.union() == one
    assert one.union(two, bytes(three)) == Bloom.from_items([b"1", b"2", b"3"])
    assert type(one | two) is Bloom
    with pytest.raises(TypeError):
        one | b"1"
    with pytest.raises(SizeError):
        one.union(b"1")


@pytest.mark.parametrize("item", [None, 5, 1.5])
def test_other_items_are_refused(item: Any) -> None:
    for use in (Bloom(0).add, Bloom(0).__contains__):
        with pytest.raises(InputTypeError):
            use(item)
    with pytest.raises(InputTypeError):
        Bloom.from_items([item])
    with pytest.raises(HexError):
        Bloom(0).add("a")
    assert b"a" not in Bloom(0)


def test_a_subclass_stays_one() -> None:
    class Mine(Bloom):
        """Another class of filters."""

        __slots__ = ()

    assert type(Mine(0).add(b"a")) is Mine
    assert type(Mine.from_items([b"a"])) is Mine
    assert type(Mine(0) | Bloom(0)) is Mine


@pytest.mark.parametrize("items", ["0x12", b"ab", bytearray(b"a"), 5, None], ids=repr)
def test_a_single_item_does_not_pass_for_several(items):
    with pytest.raises(InputTypeError, match="items must be addresses, topics"):
        Bloom.from_items(items)
