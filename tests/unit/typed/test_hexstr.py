"""The one parser of hex and number text: what it takes, and where it says no."""

from __future__ import annotations

import sys
import time
import tracemalloc
from typing import Any

import pytest

from hexary.errors import HexError, InputTypeError
from hexary.typed.hexstr import encode_hex, parse_amount, parse_bytes, parse_quantity

UNITS = {"one": 1, "kilo": 1000}

HEX_RULE = "hex digits are 0-9, a-f and A-F"
DECIMAL_RULE = "decimal digits are 0-9, and hex needs 0x"


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("", b""),
        ("0x", b""),
        ("0X", b""),
        ("00", b"\0"),
        ("0x00ff", b"\0\xff"),
        ("0X00FF", b"\0\xff"),
        ("dEaDbEeF", b"\xde\xad\xbe\xef"),
        ("0x" + "ab" * 100_000, b"\xab" * 100_000),
    ],
)
def test_data_is_two_digits_a_byte_with_or_without_prefix(
    text: str, data: bytes
) -> None:
    assert parse_bytes(text) == data
    assert type(parse_bytes(text)) is bytes


@pytest.mark.parametrize(
    ("text", "position", "rule"),
    [
        ("0x1", None, "bytes take an even number of hex digits, got 1"),
        ("123", None, "bytes take an even number of hex digits, got 3"),
        ("0", None, "bytes take an even number of hex digits, got 1"),
        ("0xzz", 2, HEX_RULE),
        ("zz", 0, HEX_RULE),
        ("0x0g1", 3, HEX_RULE),
        ("0x01zz01", 4, HEX_RULE),
        ("0x0x01", 3, HEX_RULE),
        ("x0", 0, HEX_RULE),
        ("é", 0, HEX_RULE),
        ("0xé0", 2, HEX_RULE),
        ("\uff11\uff12", 0, HEX_RULE),
        ("0x1\u0661", 3, HEX_RULE),
        ("0x1_0", 3, HEX_RULE),
        ("0x1_00", 3, HEX_RULE),
        ("-0x10", 0, HEX_RULE),
        ("+10", 0, HEX_RULE),
        ("0x12\x00", 4, HEX_RULE),
        ("12\x0034", 2, HEX_RULE),
        ("0x\u00a012", 2, HEX_RULE),
        ("0x\ud800", 2, HEX_RULE),
        (" 0x12", 0, "blanks are not allowed"),
        ("0x12\n", 4, "blanks are not allowed"),
        ("12 34", 2, "blanks are not allowed"),
        ("1 2", 1, "blanks are not allowed"),
        ("0x\t12", 2, "blanks are not allowed"),
    ],
)
def test_other_text_is_refused_with_position_and_rule(
    text: str, position: int | None, rule: str
) -> None:
    with pytest.raises(HexError) as caught:
        parse_bytes(text)
    assert (caught.value.text, caught.value.position) == (text, position)
    assert caught.value.rule == rule
    assert rule in str(caught.value)


@pytest.mark.parametrize(
    ("text", "data"),
    [("0x1", b"\x01"), ("123", b"\x01\x23"), ("", b""), ("0x", b""), ("0x12", b"\x12")],
)
def test_an_odd_number_of_digits_is_padded_on_the_left_if_asked_for(
    text: str, data: bytes
) -> None:
    assert parse_bytes(text, odd="pad") == data


@pytest.mark.parametrize(
    ("text", "data"),
    [
        (" 0x12\n34\t", b"\x12\x34"),
        ("0 x 1 2", b"\x12"),
        ("1\r2\f3\v4", b"\x12\x34"),
        (" ", b""),
    ],
)
def test_ascii_blanks_are_skipped_anywhere_if_asked_for(text: str, data: bytes) -> None:
    assert parse_bytes(text, blanks=True) == data


def test_both_leniencies_combine() -> None:
    assert parse_bytes(" 0x 1 23", odd="pad", blanks=True) == b"\x01\x23"


@pytest.mark.parametrize(
    ("text", "position"), [("0 x 1 g", 6), ("12\u00a0", 2), (" zz", 1)]
)
def test_positions_count_in_the_text_as_given_even_with_blanks(
    text: str, position: int
) -> None:
    with pytest.raises(HexError) as caught:
        parse_bytes(text, blanks=True)
    assert caught.value.position == position


def test_leniency_never_covers_other_faults() -> None:
    with pytest.raises(HexError) as caught:
        parse_bytes(" 12", odd="pad")
    assert caught.value.position == 0
    with pytest.raises(HexError) as caught:
        parse_bytes("1 23", blanks=True)
    assert caught.value.rule == "bytes take an even number of hex digits, got 3"


@pytest.mark.parametrize("value", [None, 5, 1.5, b"12", ["12"], object()])
@pytest.mark.parametrize("parse", [parse_bytes, parse_quantity])
def test_only_text_is_parsed(parse: Any, value: Any) -> None:
    with pytest.raises(InputTypeError) as caught:
        parse(value)
    assert caught.value.argument == "text"
    assert caught.value.got is type(value)
    with pytest.raises(InputTypeError):
        parse_amount(value, units=UNITS)


def test_an_unknown_rule_for_odd_text_is_refused() -> None:
    with pytest.raises(InputTypeError, match='odd must be "refuse" or "pad"'):
        parse_bytes("12", odd="left")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "0x"),
        (b"\0\1", "0x0001"),
        (bytearray(b"\xff"), "0xff"),
        (memoryview(b"abcd")[::2], "0x6163"),
    ],
)
def test_encoding_gives_prefixed_lower_case_text(data: Any, text: str) -> None:
    assert encode_hex(data) == text


@pytest.mark.parametrize("value", [None, 5, "0x12", [1]])
def test_encoding_takes_bytes_only(value: Any) -> None:
    with pytest.raises(InputTypeError, match="data must be bytes, bytearray or memory"):
        encode_hex(value)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("00", 0),
        ("255", 255),
        ("0x0", 0),
        ("0x00", 0),
        ("0xff", 255),
        ("0XFF", 255),
        ("0x0ff", 255),
        ("0x" + "0" * 100 + "1", 1),
        ("1" + "0" * 639, 10**639),
        ("0x" + "f" * 200, 16**200 - 1),
    ],
)
def test_a_quantity_is_prefixed_hex_or_decimal(text: str, number: int) -> None:
    assert parse_quantity(text) == number


@pytest.mark.parametrize(
    ("text", "position", "rule"),
    [
        ("", 0, "a number has at least one digit"),
        ("0x", 2, "a number has at least one digit"),
        ("ff", 0, DECIMAL_RULE),
        ("0b101", 1, DECIMAL_RULE),
        ("0o17", 1, DECIMAL_RULE),
        ("1_000", 1, DECIMAL_RULE),
        ("0x1_0", 3, HEX_RULE),
        ("0x0x10", 3, HEX_RULE),
        ("0xg", 2, HEX_RULE),
        (" 1", 0, DECIMAL_RULE),
        ("1 ", 1, DECIMAL_RULE),
        ("0x1\n", 3, HEX_RULE),
        ("-1", 0, DECIMAL_RULE),
        ("-0x1", 0, DECIMAL_RULE),
        ("+1", 0, DECIMAL_RULE),
        ("1.0", 1, DECIMAL_RULE),
        ("1e3", 1, DECIMAL_RULE),
        ("\u0661", 0, DECIMAL_RULE),
        ("\u00b2", 0, DECIMAL_RULE),
        ("0x\uff11", 2, HEX_RULE),
        ("1\x00", 1, DECIMAL_RULE),
        ("010", 0, "a decimal number has no leading zeros"),
        ("1" * 641, 0, "a decimal number has at most 640 digits"),
    ],
)
def test_other_quantities_are_refused_with_position_and_rule(
    text: str, position: int, rule: str
) -> None:
    with pytest.raises(HexError) as caught:
        parse_quantity(text)
    assert (caught.value.position, caught.value.rule) == (position, rule)


def test_hex_has_no_limit() -> None:
    assert parse_quantity("0x" + "f" * 10_000) == 16**10_000 - 1


def test_signs_and_emptiness_are_accepted_only_by_name() -> None:
    assert parse_quantity("-0x10", signed=True) == -16
    assert parse_quantity("-16", signed=True) == -16
    assert parse_quantity("16", signed=True) == 16
    assert parse_quantity("", empty=True) == 0
    assert parse_quantity("0x", empty=True) == 0
    for text in ("-", "-0x", "--1", "+1"):
        with pytest.raises(HexError):
            parse_quantity(text, signed=True, empty=True)


def test_verdicts_do_not_depend_on_the_interpreters_digit_limit() -> None:
    before = sys.get_int_max_str_digits()
    try:
        for limit in (640, 0):
            sys.set_int_max_str_digits(limit)
            assert parse_quantity("9" * 640) == 10**640 - 1
            with pytest.raises(HexError):
                parse_quantity("9" * 641)
    finally:
        sys.set_int_max_str_digits(before)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("0", 0),
        ("00", 0),
        ("1", 1),
        ("01.0 kilo", 1000),
        ("1 kilo", 1000),
        ("  1 \t kilo\n", 1000),
        ("1 KiLo", 1000),
        ("0.001 kilo", 1),
        (".5 kilo", 500),
        ("5. kilo", 5000),
        ("-1.5 kilo", -1500),
        ("1e3", 1000),
        ("1E+3", 1000),
        ("1500e-3 kilo", 1500),
        ("2**10", 1024),
        ("2**0", 1),
        ("1.5**2 kilo", 2250),
        ("2**-1 kilo", 500),
        ("10**-3 kilo", 1),
        ("1e1**2", 100),
        ("0x10", 16),
        ("0x10 kilo", 16_000),
        ("1e640", 10**640),
        ("2**1024", 2**1024),
    ],
)
def test_amounts_are_exact(text: str, amount: int) -> None:
    assert parse_amount(text, units=UNITS) == amount


@pytest.mark.parametrize(
    ("text", "position", "rule"),
    [
        ("", None, "an amount starts with a number"),
        (" \n", None, "an amount starts with a number"),
        ("kilo", 0, "a number is decimal digits, with a fraction, e or ** at most"),
        ("1 mega", 2, "the unit is one of kilo, one"),
        ("1kilo", 1, "a blank is missing between the number and its unit"),
        (" 1  kilo one", 9, "an amount is a number and a unit, nothing more"),
        ("1\u3000kilo", 1, "an amount is ASCII text"),
        ("\uff11 kilo", 0, "an amount is ASCII text"),
        ("0.5", None, "the amount is not a whole number"),
        ("0.0001 kilo", None, "the amount is not a whole number"),
        ("2**-1", None, "the amount is not a whole number"),
        ("1_0", 1, "a number is decimal digits, with a fraction, e or ** at most"),
        ("+1", 0, "a number is decimal digits, with a fraction, e or ** at most"),
        ("1,5 kilo", 1, "a number is decimal digits, with a fraction, e or ** at most"),
        ("1.2.3", 3, "a number is decimal digits, with a fraction, e or ** at most"),
        ("nan", 0, "a number is decimal digits, with a fraction, e or ** at most"),
        ("inf", 0, "a number is decimal digits, with a fraction, e or ** at most"),
        (".", 0, "a number has at least one digit"),
        ("-", 1, "a number has at least one digit"),
        ("1e", 2, "an exponent is a whole number in decimal digits"),
        ("1e+", 3, "an exponent is a whole number in decimal digits"),
        ("1e1.5", 3, "an exponent is a whole number in decimal digits"),
        ("1e641", 2, "an exponent is at most 640"),
        ("1e-641", 3, "an exponent is at most 640"),
        ("2**", 3, "an exponent is a whole number in decimal digits"),
        ("2**x", 3, "an exponent is a whole number in decimal digits"),
        ("2**3**4", 4, "an exponent is a whole number in decimal digits"),
        ("2**+3", 3, "an exponent is a whole number in decimal digits"),
        (" 2**1025", 4, "an exponent is at most 1024"),
        ("1e78**2", 0, "the base of a power is under 2^256"),
        ("1e-78**2", 0, "the base of a power is under 2^256"),
        ("0**-1", 3, "zero has no negative power"),
        ("-2**2", 0, "a power has no sign"),
        ("**2", 0, "a number has at least one digit"),
        ("0x", 2, "a number has at least one digit"),
        (" 0x1g kilo", 4, HEX_RULE),
        ("9" * 641, 0, "a decimal number has at most 640 digits"),
    ],
)
def test_other_amounts_are_refused_with_position_and_rule(
    text: str, position: int | None, rule: str
) -> None:
    with pytest.raises(HexError) as caught:
        parse_amount(text, units=UNITS)
    assert caught.value.rule == rule
    if text.strip():
        assert caught.value.position == position


@pytest.mark.parametrize(
    "text",
    [
        "9" * 1_000_000,
        "0x" + "f" * 1_000_001,
        "0x" + "f" * 1_000_000 + "g",
        "1e" + "9" * 1_000_000,
        "9" * 77 + "**" + "9" * 100_000,
        " " * 1_000_000 + "x",
    ],
    ids=["decimal", "odd", "last", "exponent", "power", "blanks"],
)
def test_long_text_costs_no_more_than_its_length(text: str) -> None:
    """Quadratic conversion of a million digits would take minutes."""
    begin = time.process_time()
    with pytest.raises(HexError) as caught:
        parse_bytes(text + "z")
    assert len(str(caught.value)) < 300
    with pytest.raises(HexError):
        parse_quantity(text + "z")
    with pytest.raises(HexError):
        parse_amount(text + "z", units=UNITS)
    assert time.process_time() - begin < 5


@pytest.mark.parametrize("separator", [chr(code) for code in (0x1C, 0x1D, 0x1E, 0x1F)])
@pytest.mark.parametrize("place", ["1{}kilo", "{}1", "1{}", "1 {}kilo"])
def test_control_characters_are_no_blanks_in_amounts(place, separator):
    with pytest.raises(HexError):
        parse_amount(place.format(separator), units={"kilo": 1000})


def test_a_hex_amount_may_be_negative():
    assert parse_amount("-0x10 kilo", units={"kilo": 1000}) == -16_000
    with pytest.raises(HexError) as caught:
        parse_amount(" -0x1g", units={})
    assert caught.value.position == 5


@pytest.mark.parametrize(
    ("text", "position"),
    [("0 xzz", 3), (" 0 x 1 1 z", 9), ("  z", 2), ("x0", 0), ("00x", 2), ("0x0x", 3)],
)
def test_the_place_of_a_fault_counts_skipped_blanks(text, position):
    with pytest.raises(HexError) as caught:
        parse_bytes(text, blanks=True)
    assert caught.value.position == position


def test_refusing_long_text_takes_little_memory():
    text = "0x" + "00" * 1_000_000
    for wrong in (text + "z", text + "0"):
        tracemalloc.start()
        with pytest.raises(HexError):
            parse_bytes(wrong)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert most < 10 * len(text)
