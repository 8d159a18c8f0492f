from __future__ import annotations

import pytest

from hexary.errors import FixtureError
from hexary.state.json_object import (
    JsonObject,
    join_path,
    read_data,
    read_quantity,
    same_value,
)


def quantity(value: object, bits: int = 256) -> int:
    return read_quantity(value, bits=bits, file="f", field="x.y")


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (0, 0),
        (2**256 - 1, 2**256 - 1),
        ("0x0", 0),
        ("0x00", 0),
        ("0xfF", 255),
        (
            "0x041337600e1179b05750a3490bd546ca1a0c5123",
            0x41337600E1179B05750A3490BD546CA1A0C5123,
        ),
        ("255", 255),
        ("01", 1),
        ("000", 0),
        (
            "115792089237316195423570985008687907853269984665640564039457584007913129639935",
            2**256 - 1,
        ),
        ("0x" + "0" * 600 + "1", 1),
        (b"\x01\x00", 256),
        (bytearray(b"\x00\x05"), 5),
        (b"\xff" * 32, 2**256 - 1),
    ],
)
def test_a_quantity_is_hex_decimal_or_an_integer(value: object, number: int) -> None:
    assert quantity(value) == number


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        (1.0, "must be an integer, or hex or decimal text, got float 1.0"),
        (True, "must be an integer, or hex or decimal text, got bool True"),
        (None, "must be an integer"),
        (b"", "must be 1 to 32 bytes, got 0"),
        (bytes(33), "must be 1 to 32 bytes, got 33"),
        ([1], "got list of 1"),
        (-1, "must be from 0 to 2^256-1, got -1"),
        (2**256, "must be from 0 to 2^256-1, got int of 257 bits"),
        ("0x1" + "0" * 64, "must be from 0 to 2^256-1"),
        ("-1", "decimal digits are 0-9"),
        ("ff", "decimal digits are 0-9"),
        ("", "at least one digit"),
        ("0x", "at least one digit"),
        (" 1", "decimal digits are 0-9"),
        ("1_000", "decimal digits are 0-9"),
        ("٣", "decimal digits are 0-9"),
        ("0٣", "decimal digits are 0-9"),
        ("9" * 1025, "is too long for a number"),
    ],
)
def test_anything_else_is_no_quantity(value: object, rule: str) -> None:
    with pytest.raises(FixtureError) as caught:
        quantity(value)
    assert rule in caught.value.rule
    assert (caught.value.file, caught.value.field) == ("f", "x.y")


def test_a_quantity_has_a_width() -> None:
    assert quantity("0xffffffffffffffff", 64) == 2**64 - 1
    with pytest.raises(FixtureError, match=r"from 0 to 2\^64-1"):
        quantity("0x10000000000000000", 64)


def test_data_is_hex_with_or_without_prefix() -> None:
    assert read_data("0x00fF", file="", field="") == b"\x00\xff"
    assert read_data("00ff", size=2, file="", field="") == b"\x00\xff"
    assert read_data("", file="", field="") == b""


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        (0, "must be hex text, got int 0"),
        (None, "must be hex text"),
        ("0x0", "even number of hex digits"),
        ("0xzz", "hex digits are 0-9"),
        ("0x00", "must be 2 bytes, got 1: '0x00'"),
    ],
)
def test_data_is_never_padded_or_guessed(value: object, rule: str) -> None:
    with pytest.raises(FixtureError) as caught:
        read_data(value, size=2, file="f", field="code")
    assert rule in caught.value.rule
    assert caught.value.field == "code"


def test_fields_are_found_in_any_case_and_named_as_spelled() -> None:
    fields = JsonObject({"mixhash": "0x01", "GasLimit": "x"}, path="genesis")
    assert fields.data("mixHash") == b"\x01"
    with pytest.raises(FixtureError) as caught:
        fields.quantity("gasLimit")
    assert caught.value.field == "genesis.GasLimit"


def test_null_is_absent() -> None:
    fields = JsonObject({"a": None})
    assert fields.get("a") is None
    assert fields.quantity("a") is None
    assert fields.data("a") is None
    assert fields.object("a") is None
    assert fields.data("b") is None
    with pytest.raises(FixtureError, match="a: is missing"):
        fields.required_quantity("a")


def test_two_spellings_of_one_field_must_agree() -> None:
    assert JsonObject({"mixHash": "0x", "mixhash": "0x"}).data("mixhash") == b""
    with pytest.raises(FixtureError, match="'mixHash' and 'mixhash' name one field"):
        JsonObject({"mixHash": "0x", "mixhash": "0x00"}).data("mixhash")


def test_only_an_object_with_text_keys_has_fields() -> None:
    with pytest.raises(FixtureError, match="must be an object, got list of 0"):
        JsonObject([], path="config")
    with pytest.raises(FixtureError, match="keys must be text, got int 1"):
        JsonObject({1: 2}).get("a")


def test_a_path_stays_readable_whatever_the_keys_are() -> None:
    assert join_path("", "alloc") == "alloc"
    assert join_path("alloc", "0xab") == "alloc.0xab"
    assert join_path("alloc", "a\nb") == "alloc.'a\\nb'"
    assert len(join_path("alloc", "x" * 10_000)) < 100


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (1, 1, True),
        (1, 2, False),
        ("a", b"a", False),
        ([1, [2]], [1, [2]], True),
        ([1, [2]], [1, [3]], False),
        ([1], [1, 2], False),
        ([1], 1, False),
        ({"a": [1]}, {"a": [1]}, True),
        ({"a": [1]}, {"a": [2]}, False),
        ({"a": 1}, {"b": 1}, False),
        ({}, [], False),
    ],
)
def test_values_are_compared_to_the_bottom(
    left: object, right: object, same: bool
) -> None:
    assert same_value(left, right) is same
    assert same_value(right, left) is same


def test_values_deeper_than_the_stack_are_compared() -> None:
    left: object = 1
    right: object = 1
    other: object = 2
    for _ in range(100_000):
        left, right, other = [left], [right], [other]
    assert same_value(left, right)
    assert not same_value(left, other)


def test_no_name_breaks_out_of_a_message() -> None:
    """Files and fields are named by whoever made them; attributes keep the name."""
    file, field = "a\n\x1b[31m.json", "\u202ex"
    error = FixtureError("is missing", file=file, case="two\nlines", field=field)
    assert str(error) == (
        "'a\\n\\x1b[31m.json' › 'two\\nlines' › '\\u202ex': is missing"
    )
    assert (error.file, error.field) == (file, field)
    with pytest.raises(FixtureError) as caught:
        JsonObject([], file=file)
    assert str(caught.value).isprintable()
