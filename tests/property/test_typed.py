"""Typed values against plain bytes and ints, on whatever hypothesis thinks of."""

from __future__ import annotations

import pickle
from fractions import Fraction
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from hexary import hash as hashing
from hexary.errors import HexaryError, HexError
from hexary.typed import (
    Address,
    Bloom,
    Bytes,
    FixedSizeBytes,
    FixedSizeHexNumber,
    Hash,
    HashInt,
    HexNumber,
    Number,
    StorageKey,
    Wei,
    ZeroPaddedHexNumber,
)
from hexary.typed.hexstr import parse_amount, parse_bytes, parse_quantity

HEX_DIGITS = set("0123456789abcdefABCDEF")
DECIMAL_DIGITS = set("0123456789")

anything = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=70),
    st.text("0123456789abcdefxX ", max_size=70),
    st.binary(max_size=40),
    st.binary(min_size=32, max_size=32),
    st.lists(st.integers(), max_size=4),
    st.dictionaries(st.integers(), st.integers(), max_size=2),
)


@given(st.text() | st.text("0xXabAB19 _é\uff11\n", max_size=12))
@example("0x0x00")
@example("0X")
@example("\ud800")
def test_data_text_is_accepted_by_the_rule_alone(text: str) -> None:
    """The rule, written once more in the plainest way."""
    digits = text[2:] if text[:2] in ("0x", "0X") else text
    right = len(digits) % 2 == 0 and set(digits) <= HEX_DIGITS
    try:
        data = parse_bytes(text)
    except HexError as error:
        assert not right
        if error.position is not None:
            assert text[error.position] not in HEX_DIGITS
    else:
        assert right
        assert data.hex() == digits.lower()


@given(st.text() | st.text("0xXabAB19 _é\uff11\n-", max_size=12))
@example("00")
@example("0x")
def test_quantity_text_is_accepted_by_the_rule_alone(text: str) -> None:
    if text[:2] in ("0x", "0X"):
        right = len(text) > 2 and set(text[2:]) <= HEX_DIGITS
    else:
        right = bool(text) and set(text) <= DECIMAL_DIGITS
        right = right and (text[0] != "0" or set(text) == {"0"})
    try:
        number = parse_quantity(text)
    except HexError:
        assert not right
    else:
        assert right
        assert number == int(text, 0)


@given(st.binary(), st.text(" \n\t\r", max_size=3), st.data())
def test_blanks_anywhere_change_nothing_when_skipped(
    data: bytes, blanks: str, draw: st.DataObject
) -> None:
    text = "0x" + data.hex()
    place = draw.draw(st.integers(0, len(text)))
    assert parse_bytes(text[:place] + blanks + text[place:], blanks=True) == data


@given(st.binary())
def test_bytes_round_trip(data: bytes) -> None:
    value = Bytes(data)
    assert Bytes(str(value)) == Bytes(value.hex()[2:]) == value == data
    assert eval(repr(value)) == data  # noqa: S307 - our own text
    assert hash(value) == hash(data)
    assert bytes(value) == data
    assert pickle.loads(pickle.dumps(value)) == value
    assert (value == "0x" + data.hex().upper()) is True


@given(st.integers(0, 2**256 - 1))
def test_a_hash_is_its_big_endian_number(number: int) -> None:
    value = Hash(number)
    assert value == number == int(value)
    assert Number(value) == HashInt(value) == number
    assert Hash(hex(number)[2:].rjust(64, "0")) == value
    assert StorageKey(hex(number)) == value
    assert bytes(StorageKey(number)) == bytes(value)


@given(st.integers(0, 40), anything)
def test_sized_bytes_have_the_size_or_raise_ours(size: int, value: Any) -> None:
    cls: Any = FixedSizeBytes[size]
    for padding in ({}, {"left_padding": True}, {"right_padding": True}):
        try:
            made = cls(value, **padding)
        except HexaryError:
            continue
        assert type(made) is cls
        assert len(made) == size


@given(anything)
def test_numbers_are_made_or_ours_is_raised(value: Any) -> None:
    classes: list[Any] = [
        *(Number, Wei, HexNumber, ZeroPaddedHexNumber, HashInt),
        FixedSizeHexNumber[2],
    ]
    for cls in classes:
        try:
            made = cls(value)
        except HexaryError:
            continue
        assert type(made) is cls
        assert cls(str(made)) == made


@given(anything, st.binary(max_size=40) | st.binary(min_size=32, max_size=32))
def test_comparing_never_raises_and_is_symmetric(other: Any, data: bytes) -> None:
    values: list[Any] = [Bytes(data)]
    if len(data) == 32:
        values += [Hash(data), StorageKey(data)]
    for value in values:
        assert (value == other) is (other == value)
        assert (value != other) is not (value == other)


@given(st.binary(min_size=20, max_size=20), st.none() | st.integers(0, 2**64))
def test_checksums_parse_back(data: bytes, chain_id: int | None) -> None:
    address = Address(data)
    text = address.checksum(chain_id=chain_id)
    assert Address.from_checksum(text, chain_id=chain_id) == address
    assert text.lower() == str(address)


@given(
    st.integers(-(10**30), 10**30),
    st.integers(0, 40),
    st.sampled_from(sorted(Wei.units)),
)
def test_amounts_equal_exact_fractions(digits: int, places: int, unit: str) -> None:
    exact = Fraction(digits, 10**places) * Wei.units[unit]
    sign, text = ("-" if digits < 0 else ""), str(abs(digits)).rjust(places + 1, "0")
    whole, part = text[: len(text) - places], text[len(text) - places :]
    for amount in (
        f"{sign}{whole}.{part} {unit}",
        f"{digits}e-{places} {unit.upper()}",
    ):
        if exact.denominator == 1:
            assert Wei(amount) == exact
        else:
            try:
                Wei(amount)
            except HexError as error:
                assert "not a whole number" in error.rule
            else:
                raise AssertionError(amount)


@given(st.text("0123456789.e-*+ xwi", max_size=20))
def test_amount_text_is_read_exactly_or_refused(text: str) -> None:
    try:
        amount = parse_amount(text, units={"wei": 1})
    except HexError:
        return
    word = text.split()[0]
    if word[:2] == "0x":
        assert amount == int(word, 16)
        return
    base, _, power = word.partition("**")
    assert amount == Fraction(base) ** int(power or "1")


@given(
    st.lists(st.binary(max_size=40), max_size=10), st.lists(st.binary(), max_size=10)
)
def test_blooms_hold_what_was_added_and_join(
    one: list[bytes], two: list[bytes]
) -> None:
    first, second = Bloom.from_items(one), Bloom.from_items(two)
    assert all(item in first for item in one)
    assert first | second == Bloom.from_items(one + two)
    by_hand = bytearray(256)
    for item in one:
        digest = hashing.keccak256(item)
        for place in (0, 2, 4):
            bit = (digest[place] & 7) << 8 | digest[place + 1]
            by_hand[255 - bit // 8] |= 1 << bit % 8
    assert first == by_hand
