"""Amounts in units of ether, exact to the last wei."""

from __future__ import annotations

from typing import Any

import pytest

from hexary.errors import HexError, InputTypeError
from hexary.typed import HexNumber, Number, Wei


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("0", 0),
        ("10**18", 10**18),
        ("1e18", 10**18),
        ("1 ether", 10**18),
        ("1 eth", 10**18),
        ("2 ether", 2 * 10**18),
        ("70000 ether", 70_000 * 10**18),
        ("123456.789 ether", 123_456_789 * 10**15),
        ("2.1 ether", 21 * 10**17),
        ("2.1 Ether", 21 * 10**17),
        ("2.1 ETHER", 21 * 10**17),
        ("1 wei", 1),
        ("10**9 wei", 10**9),
        ("1 kwei", 10**3),
        ("1 babbage", 10**3),
        ("1 femtoether", 10**3),
        ("1 mwei", 10**6),
        ("1 Lovelace", 10**6),
        ("1 Picoether", 10**6),
        ("1 gwei", 10**9),
        ("1 shannon", 10**9),
        ("1 nanoether", 10**9),
        ("1 nano", 10**9),
        ("1 szabo", 10**12),
        ("1 microether", 10**12),
        ("1 micro", 10**12),
        ("1 finney", 10**15),
        ("1 milliether", 10**15),
        ("1 milli", 10**15),
        ("2**10", 1024),
        ("0x10", 16),
    ],
)
def test_amounts_in_each_unit(text: str, amount: int) -> None:
    assert Wei(text) == amount
    assert type(Wei(text)) is Wei


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("0.1 ether", 100_000_000_000_000_000),
        ("0.123456789012345678 ether", 123_456_789_012_345_678),
        ("1234567.890123456789012345 ether", 1_234_567_890_123_456_789_012_345),
        ("9007199254740993", 9_007_199_254_740_993),
        (f"{str(2**256 - 1)[:-18]}.{str(2**256 - 1)[-18:]} ether", 2**256 - 1),
    ],
)
def test_amounts_that_a_float_cannot_hold(text: str, amount: int) -> None:
    assert Wei(text) == amount


@pytest.mark.parametrize(
    "text",
    ["0.5", "1.5 wei", "0.0000000000000000001 ether", "10**-19 ether", "1e-1"],
)
def test_parts_of_a_wei_are_refused(text: str) -> None:
    with pytest.raises(HexError, match="not a whole number"):
        Wei(text)


@pytest.mark.parametrize(
    "text",
    ["", "ether", "1 bitcoin", "1ether", "1 ether ether", "inf", "nan", "1_0", "1,0"],
)
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(HexError) as caught:
        Wei(text)
    assert caught.value.text == text


@pytest.mark.parametrize(
    ("text", "place"),
    [("1ether", 1), (" 1.5GWei", 4), ("0x10wei", 4), ("10**18wei", 6), ("-2e3eth", 4)],
)
def test_a_unit_without_a_blank_is_told_so(text: str, place: int) -> None:
    with pytest.raises(HexError, match="a blank is missing between the num") as caught:
        Wei(text)
    assert caught.value.position == place


def test_an_unknown_unit_is_told_the_known_ones() -> None:
    with pytest.raises(HexError, match=r"at position 2.*the unit is one of .*gwei"):
        Wei("1 bitcoin")


@pytest.mark.parametrize("value", [1.5, None, [1]])
def test_floats_are_refused(value: Any) -> None:
    with pytest.raises(InputTypeError):
        Wei(value)


def test_other_values_are_read_as_numbers() -> None:
    assert Wei(5) == Wei(HexNumber(5)) == Wei(b"\5") == 5
    assert isinstance(Wei(5), Number)
    assert str(Wei("1.5 gwei")) == "1500000000"
    assert Wei("-1 gwei") == -(10**9)
    assert Wei(Wei(5)) == 5


def test_the_units_are_the_powers_of_a_thousand() -> None:
    assert set(Wei.units.values()) == {1000**power for power in range(7)}
    assert len(Wei.units) == 19
