from __future__ import annotations

from typing import Any

import pytest

from hexary.errors import HexError, InputTypeError, RangeError, SizeError
from hexary.state import create2_address, create_address
from hexary.typed import Address

SENDER = "0x970e8128ab834e8eac17ab8e3812f010678cf791"


def test_create_addresses_by_nonce() -> None:
    assert (
        create_address(SENDER, 0).hex() == "0x333c3310824b7c685133f2bedb2ca4b8b4df633d"
    )
    assert (
        create_address(SENDER, 1).hex() == "0x8bda78331c916a08481428e4b07c96d3e916d165"
    )
    assert type(create_address(Address(SENDER), 0)) is Address
    assert create_address(SENDER, 2**64 - 1) != create_address(SENDER, 2**64 - 2)


def test_create2_takes_a_salt_as_bytes_text_or_number() -> None:
    expected = "0x60f3f640a8508fc6a86d45df051962668e1e8ac7"
    sender = "0x00000000000000000000000000000000deadbeef"
    for salt in (
        0xCAFEBABE,
        (0xCAFEBABE).to_bytes(32, "big"),
        "0x" + "cafebabe".zfill(64),
    ):
        assert create2_address(sender, salt, "0xdeadbeef").hex() == expected
        assert create2_address(sender, salt, b"\xde\xad\xbe\xef").hex() == expected


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((SENDER, -1), RangeError),
        ((SENDER, 2**64), RangeError),
        ((SENDER, "1"), InputTypeError),
        ((SENDER, True), InputTypeError),
        ((SENDER[:-2], 1), SizeError),
        (("0x" + "zz" * 20, 1), HexError),
        ((None, 1), InputTypeError),
    ],
)
def test_create_refuses_what_does_not_fit(
    arguments: Any, error: type[Exception]
) -> None:
    with pytest.raises(error):
        create_address(*arguments)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((SENDER, bytes(31), b""), SizeError),
        ((SENDER, 2**256, b""), RangeError),
        ((SENDER, -1, b""), RangeError),
        ((SENDER, 0, "0x0"), HexError),
        ((SENDER, 0, None), InputTypeError),
        ((bytes(19), 0, b""), SizeError),
    ],
)
def test_create2_refuses_what_does_not_fit(
    arguments: Any, error: type[Exception]
) -> None:
    with pytest.raises(error):
        create2_address(*arguments)
