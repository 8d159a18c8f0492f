from __future__ import annotations

from typing import Any

import pytest

from hexary.chain import (
    TypedData,
    personal_message_hash,
    structured_message_hash,
    validator_message_hash,
)
from hexary.errors import FixtureError, HexError, InputTypeError, SizeError
from hexary.hash import keccak256

MAIL: dict[str, Any] = {
    "types": {
        "EIP712Domain": [
            {"name": "name", "type": "string"},
            {"name": "version", "type": "string"},
            {"name": "chainId", "type": "uint256"},
            {"name": "verifyingContract", "type": "address"},
        ],
        "Person": [
            {"name": "name", "type": "string"},
            {"name": "wallet", "type": "address"},
        ],
        "Mail": [
            {"name": "from", "type": "Person"},
            {"name": "to", "type": "Person"},
            {"name": "contents", "type": "string"},
        ],
    },
    "primaryType": "Mail",
    "domain": {
        "name": "Ether Mail",
        "version": "1",
        "chainId": 1,
        "verifyingContract": "0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC",
    },
    "message": {
        "from": {"name": "Cow", "wallet": "0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826"},
        "to": {"name": "Bob", "wallet": "0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB"},
        "contents": "Hello, Bob!",
    },
}
"""The example of EIP-712."""


def test_personal_messages() -> None:
    assert personal_message_hash(b"hello").hex() == (
        "0x50b2c43fd39106bafbba0da34fc430e1f91e3c96ea2acee2bc34119f92b37750"
    )
    assert personal_message_hash("hello") == personal_message_hash(bytearray(b"hello"))
    # The size is that of the bytes, and hex text is text.
    assert personal_message_hash("é") == personal_message_hash("é".encode())
    assert personal_message_hash("0x00") != personal_message_hash(b"\0")
    with pytest.raises(InputTypeError):
        personal_message_hash(5)


def test_text_without_utf_8_has_no_hash() -> None:
    """Wallets would sign different bytes for half of a surrogate pair."""
    with pytest.raises(HexError) as caught:
        personal_message_hash("dog\ud800")
    assert caught.value.position == 3
    for change in (
        {"message": {**MAIL["message"], "contents": "\ud800"}},
        {"domain": {**MAIL["domain"], "name": "\udfff"}},
        {"types": {**MAIL["types"], "Mail": [{"name": "\ud800", "type": "string"}]}},
        {"types": {**MAIL["types"], "Mail": [{"name": "to", "type": "\ud800"}]}},
    ):
        with pytest.raises(FixtureError, match="half of a surrogate pair"):
            TypedData.from_json({**MAIL, **change}).hash()


def test_messages_for_a_contract_and_of_typed_data() -> None:
    assert validator_message_hash(b"\1" * 20, b"data") == keccak256(
        b"\x19\x00" + b"\1" * 20 + b"data"
    )
    assert structured_message_hash(b"\1" * 32, b"\2" * 32) == keccak256(
        b"\x19\x01" + b"\1" * 32 + b"\2" * 32
    )
    with pytest.raises(SizeError):
        validator_message_hash(bytes(19), b"")
    with pytest.raises(SizeError):
        structured_message_hash(bytes(31), bytes(32))
    with pytest.raises(InputTypeError):
        validator_message_hash(bytes(20), "00")


def test_the_example_of_the_proposal() -> None:
    data = TypedData.from_json(MAIL)
    assert data.encode_type("Mail") == (
        "Mail(Person from,Person to,string contents)Person(string name,address wallet)"
    )
    assert data.hash_struct("Mail", data.message).hex() == (
        "0xc52c0ee5d84264471806290a3f2c4cecfc5490626bf912d01f240d7a274b371e"
    )
    assert data.domain_separator().hex() == (
        "0xf2cee375fa42b42143804025fc449deafd50cc031ca257e0b194a650a912090f"
    )
    assert data.hash().hex() == (
        "0xbe609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2"
    )
    # The type of the domain may be left to its members.
    types = {name: MAIL["types"][name] for name in ("Person", "Mail")}
    assert TypedData.from_json({**MAIL, "types": types}).hash() == data.hash()


@pytest.mark.parametrize(
    ("kind", "value", "word"),
    [
        ("uint8", 255, "ff".rjust(64, "0")),
        ("uint256", str(2**256 - 1), "f" * 64),
        ("int8", -1, "f" * 64),
        ("int8", "-128", "f" * 62 + "80"),
        ("int256", "0x10", "10".rjust(64, "0")),
        ("bool", True, "1".rjust(64, "0")),
        ("bytes3", "0x010203", "010203".ljust(64, "0")),
        ("address", "0x" + "11" * 20, ("11" * 20).rjust(64, "0")),
    ],
)
def test_values_in_a_word(kind: str, value: object, word: str) -> None:
    data = TypedData.from_json(
        {
            "types": {"One": [{"name": "a", "type": kind}]},
            "primaryType": "One",
            "domain": {},
            "message": {"a": value},
        }
    )
    encoded = data.encode_struct("One", data.message)
    assert encoded[:32] == keccak256(f"One({kind} a)".encode())
    assert bytes(encoded[32:]).hex() == word


@pytest.mark.parametrize(
    ("kind", "value", "rule"),
    [
        ("uint8", 256, "out of the range of uint8"),
        ("uint8", -1, "out of the range"),
        ("int8", 128, "out of the range"),
        ("uint256", True, "must be a number"),
        ("uint256", None, "must be a number"),
        ("uint256", "ten", "decimal digits"),
        ("uint7", 1, "there is no type uint7"),
        ("uint264", 1, "there is no type uint264"),
        ("Unknown", {}, "there is no type Unknown"),
        ("bytes3", "0x0102", "must be 3 bytes, got 2"),
        ("bytes", "zz", "hex"),
        ("bytes", 5, "must be hex text"),
        ("string", 5, "must be text"),
        ("bool", 1, "must be true or false"),
        ("address", "0x11", "20 bytes"),
        ("uint8[2]", [1], "must have 2 items, got 1"),
        ("uint8[]", 1, "must be a list"),
        ("One", None, "must be an object"),
    ],
)
def test_values_that_do_not_fit(kind: str, value: object, rule: str) -> None:
    data = TypedData.from_json(
        {
            "types": {"One": [], "Two": [{"name": "a", "type": kind}]},
            "primaryType": "Two",
            "domain": {},
            "message": {"a": value},
        }
    )
    with pytest.raises(FixtureError, match=rule) as caught:
        data.hash()
    assert caught.value.field.startswith("Two.a")


@pytest.mark.parametrize(
    "change",
    [
        {"types": None},
        {"types": {"Mail": {}}},
        {"types": {"Mail": [{"name": "a"}]}},
        {"types": {"Mail": [5]}},
        {"primaryType": "Letter"},
        {"primaryType": None},
        {"domain": None},
        {"message": []},
    ],
)
def test_what_is_not_typed_data(change: dict[str, Any]) -> None:
    with pytest.raises(FixtureError):
        TypedData.from_json({**MAIL, **change})
    with pytest.raises(FixtureError):
        TypedData.from_json([])


def test_the_domain_alone_and_members_that_are_missing() -> None:
    """As wallets have it, a message of the domain's own type is only the domain."""
    data = TypedData.from_json({**MAIL, "primaryType": "EIP712Domain"})
    assert data.hash() == keccak256(b"\x19\x01" + data.domain_separator())
    with pytest.raises(FixtureError, match="is not one of the types"):
        data.encode_type("Letter")
    fewer = {**MAIL, "message": {**MAIL["message"], "to": {"name": "Bob"}}}
    with pytest.raises(FixtureError, match="is missing") as caught:
        TypedData.from_json(fewer).hash()
    assert caught.value.field == "Mail.to.wallet"
    raw = {**MAIL["message"], "to": {"name": "Bob", "wallet": bytes(20)}}
    assert TypedData.from_json({**MAIL, "message": raw}).hash()


def test_nesting_is_bounded() -> None:
    message: dict[str, Any] = {"inner": []}
    for _ in range(1000):
        message = {"inner": [message]}
    data = TypedData.from_json(
        {
            "types": {"Nest": [{"name": "inner", "type": "Nest[]"}]},
            "primaryType": "Nest",
            "domain": {},
            "message": message,
        }
    )
    assert data.encode_type("Nest") == "Nest(Nest[] inner)"
    with pytest.raises(FixtureError, match="nested deeper than 128"):
        data.hash()


def test_types_that_refer_to_many_are_bounded() -> None:
    """Their texts would be of the square of the size of the input."""
    count = 1000
    many = [{"name": f"m{place}", "type": f"Part{place}"} for place in range(count)]
    types: dict[str, Any] = {f"Part{place}": [] for place in range(count)}
    types |= {
        f"Whole{place}": [{"name": "all", "type": "Every[]"}] for place in range(count)
    }
    types["Every"] = many
    types["Top"] = [
        {"name": f"w{place}", "type": f"Whole{place}"} for place in range(count)
    ]
    data = TypedData.from_json(
        {
            "types": types,
            "primaryType": "Top",
            "domain": {},
            "message": {f"w{place}": {"all": []} for place in range(count)},
        }
    )
    with pytest.raises(FixtureError, match="refer to each other too much"):
        data.hash()
