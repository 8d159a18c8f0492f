"""
eth-utils' published tables of hex text, numbers and addresses.

Not offered: text in UTF-8 (``*_text`` of ``test_conversions``) and ints as bytes of
minimal length (``test_to_bytes_primitive``, which is RLP's business).  Functions that
add, remove or look for a prefix are not needed, as text is read with and without one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.vector_files import vector_cases
from hexary.errors import HexaryError, HexError, InputTypeError, SizeError
from hexary.typed import (
    Address,
    Bytes,
    FixedSizeBytes,
    HexNumber,
    Number,
    to_bytes,
    to_fixed_size_bytes,
    to_hex,
    to_number,
)
from hexary.typed.hexstr import parse_bytes


def eth_utils_cases(*tests: str) -> Any:
    """Return a reader of the tables of *tests*, with marked bytes turned into bytes."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict) and "bytes" in value:
            return bytes.fromhex(value["bytes"][2:])
        return (
            int(value["int"]) if isinstance(value, dict) and "int" in value else value
        )

    def read(path: Path) -> Iterator[tuple[str, Any]]:
        for table in json.loads(path.read_bytes()):
            if table["test"] in tests:
                for index, case in enumerate(table["cases"]):
                    values = case if isinstance(case, list) else [case]
                    yield f"{table['test']}:{index}", [plain(value) for value in values]

    return read


@vector_cases(
    "typed/eth-utils", eth_utils_cases("test_is_hex", "test_is_hexstr"), at_least=31
)
def test_hex_text_of_eth_utils(case: Any) -> None:
    """Theirs allows an odd number of digits; the empty text is no hex to them."""
    text, is_hex = case
    if not isinstance(text, str):
        with pytest.raises(InputTypeError):
            parse_bytes(text)
    elif is_hex or text == "":
        assert "0x" + parse_bytes(text, odd="pad").hex() == "0x" + (
            "0" * (len(text) % 2) + text.lower().removeprefix("0x")
        )
    else:
        with pytest.raises(HexError):
            parse_bytes(text, odd="pad")


@vector_cases(
    "typed/eth-utils", eth_utils_cases("test_is_hex_rejects_non_text_types"), at_least=3
)
def test_what_is_no_text_to_eth_utils(case: Any) -> None:
    with pytest.raises(InputTypeError):
        parse_bytes(case[0])
    with pytest.raises(InputTypeError):
        Bytes.from_text(case[0])


@vector_cases("typed/eth-utils", eth_utils_cases("test_to_bytes_hexstr"), at_least=9)
def test_bytes_of_text_of_eth_utils(case: Any) -> None:
    text, data = case
    assert Bytes.from_text(text, odd="pad") == data


@vector_cases("typed/eth-utils", eth_utils_cases("test_to_int"), at_least=6)
def test_numbers_of_eth_utils(case: Any) -> None:
    value, number = case
    assert to_number(value) == Number(value) == number


@vector_cases("typed/eth-utils", eth_utils_cases("test_to_int_text"), at_least=3)
def test_decimal_numbers_of_eth_utils(case: Any) -> None:
    value, number = case
    assert to_number(value) == Number(value) == number


@vector_cases("typed/eth-utils", eth_utils_cases("test_to_int_hexstr"), at_least=8)
def test_hex_numbers_of_eth_utils(case: Any) -> None:
    """Their ``hexstr=`` makes text without a prefix hex; here it takes the prefix."""
    text, number = case
    assert to_number(text if text.startswith("0x") else "0x" + text) == number
    assert int.from_bytes(parse_bytes(text, odd="pad"), "big") == number


@vector_cases("typed/eth-utils", eth_utils_cases("test_to_hex"), at_least=14)
def test_text_of_eth_utils(case: Any) -> None:
    value, text = case
    if isinstance(value, bytes):
        assert to_hex(value) == str(Bytes(value)) == text
    else:
        assert str(HexNumber(value)) == text


@vector_cases(
    "typed/eth-utils", eth_utils_cases("test_big_endian_conversions"), at_least=6
)
def test_big_endian_numbers_of_eth_utils(case: Any) -> None:
    number, data = case
    assert to_number(data) == number
    assert to_fixed_size_bytes(number, len(data)) == data
    assert FixedSizeBytes[len(data)](number) == data


def parses(text: Any) -> bool:
    """Whether *text* is the text of an address."""
    try:
        Address.from_text(text)
    except HexaryError:
        return False
    return True


@vector_cases("typed/eth-utils", eth_utils_cases("test_is_address"), at_least=31)
def test_addresses_of_eth_utils(case: Any) -> None:
    """Theirs takes a text in mixed case for a checksum, and refuses a wrong one."""
    value, is_any, is_text, is_binary = case
    if is_text:
        assert parses(value)
        assert len(Address(value)) == 20
    elif is_binary:
        assert Address(value) == value
    else:
        assert not is_any
        wrong_checksum = isinstance(value, str) and parses(value)
        if wrong_checksum:
            assert value.lower() != value
            with pytest.raises(HexError):
                Address.from_checksum(value)
        else:
            with pytest.raises((HexError, SizeError, InputTypeError)):
                Address(value)


@vector_cases(
    "typed/eth-utils", eth_utils_cases("test_is_checksum_address"), at_least=14
)
def test_checksums_of_eth_utils(case: Any) -> None:
    text, right = case
    if right:
        assert Address.from_checksum(text).checksum() == text
    else:
        with pytest.raises((HexError, InputTypeError)):
            Address.from_checksum(text)


@vector_cases(
    "typed/eth-utils", eth_utils_cases("test_to_checksum_address"), at_least=7
)
def test_making_checksums_of_eth_utils(case: Any) -> None:
    value, text = case
    assert Address(value).checksum() == text


@vector_cases(
    "typed/eth-utils", eth_utils_cases("test_to_normalized_address"), at_least=3
)
def test_normal_addresses_of_eth_utils(case: Any) -> None:
    value, text = case
    assert str(Address(value)) == text


@vector_cases(
    "typed/eth-utils", eth_utils_cases("test_is_normalized_address"), at_least=14
)
def test_what_is_normal_to_eth_utils(case: Any) -> None:
    value, normal = case
    try:
        address = Address(value)
    except HexaryError:
        assert not normal
    else:
        assert (isinstance(value, str) and str(address) == value) is normal


@vector_cases("typed/eth-utils", eth_utils_cases("test_is_same_address"), at_least=4)
def test_same_addresses_of_eth_utils(case: Any) -> None:
    one, other, same = case
    assert (Address(one) == Address(other)) is same
    assert (Address(one) == other) is same
    assert (other == Address(one)) is same


@vector_cases(
    "typed/eth-utils", eth_utils_cases("test_to_canonical_address"), at_least=3
)
def test_binary_addresses_of_eth_utils(case: Any) -> None:
    value, data = case
    assert bytes(Address(value)) == to_bytes(value) == data


@vector_cases(
    "typed/eth-utils", eth_utils_cases("test_is_canonical_address"), at_least=4
)
def test_what_is_binary_to_eth_utils(case: Any) -> None:
    value, binary = case
    made = isinstance(value, bytes) and len(value) == 20 and Address(value) == value
    assert made is binary


@vector_cases(
    "typed/eth-utils",
    eth_utils_cases("test_add_0x_prefix", "test_remove_0x_prefix"),
    at_least=10,
)
def test_a_prefix_changes_nothing(case: Any) -> None:
    text, other = case
    data = Bytes.from_text(text, odd="pad")
    assert data == Bytes.from_text(other, odd="pad")
    assert data.hex() == f"0x{bytes(data).hex()}"
    digits = other.lower().removeprefix("0x")
    assert bytes(data).hex() == digits.zfill(len(digits) + len(digits) % 2)


@vector_cases("typed/eth-utils", eth_utils_cases("test_is_0x_prefixed"), at_least=5)
def test_a_prefix_makes_a_number_hex(case: Any) -> None:
    text, prefixed = case
    if text in ("", "0x"):
        with pytest.raises(HexError):
            HexNumber(text)
    else:
        assert HexNumber(text) == int(text, 16 if prefixed else 10)


@vector_cases(
    "typed/eth-utils",
    eth_utils_cases(
        "test_add_0x_prefix_rejects_non_text_types",
        "test_remove_0x_prefix_rejects_non_text_types",
        "test_is_0x_prefixed_rejects_non_text_types",
    ),
    at_least=9,
)
def test_only_text_has_a_prefix(case: Any) -> None:
    with pytest.raises(InputTypeError):
        parse_bytes(case[0])
