from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import pytest

from hexary import rlp
from hexary.errors import (
    DecodeError,
    DecodeReason,
    FixtureError,
    HexError,
    InputTypeError,
    RangeError,
    SizeError,
)
from hexary.hash import keccak256
from hexary.state import EMPTY_CODE_HASH, Account, TrieAccount
from hexary.trie import EMPTY_ROOT
from hexary.typed import Bytes, Hash, ZeroPaddedHexNumber

FULL = Account(nonce=1, balance=2**256 - 1, code="0x6001", storage={0: 1})


def test_the_empty_code_hash_is_the_hash_of_nothing() -> None:
    assert keccak256(b"") == EMPTY_CODE_HASH
    assert isinstance(EMPTY_CODE_HASH, Hash)


def test_fields_are_typed_whatever_they_were_given_as() -> None:
    account = Account(nonce="0x10", balance="1000", code="0x00", storage={"0x1": 0})
    assert (account.nonce, account.balance, account.code) == (16, 1000, b"\x00")
    assert type(account.nonce) is ZeroPaddedHexNumber
    assert type(account.code) is Bytes
    assert account.storage == {}


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"nonce": -1}, RangeError),
        ({"nonce": 2**64}, RangeError),
        ({"balance": 2**256}, RangeError),
        ({"balance": 1.5}, InputTypeError),
        ({"balance": "ether"}, HexError),
        ({"code": "0x0"}, HexError),
        ({"code": 7}, InputTypeError),
        ({"storage": 7}, InputTypeError),
        ({"storage": {0: -1}}, RangeError),
    ],
)
def test_fields_that_do_not_fit_are_refused(
    fields: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        Account(**fields)


def test_an_account_is_immutable_and_compares_by_value() -> None:
    same = Account(1, 2**256 - 1, b"\x60\x01", {"0x0": "0x1"})
    assert same == FULL
    assert hash(same) == hash(FULL)
    assert Account() != FULL
    with pytest.raises(dataclasses.FrozenInstanceError):
        FULL.nonce = 2
    assert dataclasses.replace(FULL, nonce=2) == Account(
        2, 2**256 - 1, b"\x60\x01", {0: 1}
    )


def test_an_account_survives_copying_and_pickling() -> None:
    assert pickle.loads(pickle.dumps(FULL)) == FULL
    assert copy.deepcopy(FULL) == FULL
    assert repr(Account(1, 2, b"\x60", {0: 1})) == (
        "Account(nonce=1, balance=2, code='0x60', storage={0: 1})"
    )


def test_empty_is_as_eip_161_has_it() -> None:
    assert Account().is_empty
    assert Account(storage={0: 1}).is_empty
    assert not Account(nonce=1).is_empty
    assert not Account(balance=1).is_empty
    assert not Account(code=b"\x00").is_empty


def test_the_trie_account_represents_storage_and_code_by_hash() -> None:
    trie_account = FULL.trie_account()
    assert trie_account.code_hash == keccak256(b"\x60\x01")
    assert trie_account.storage_root == FULL.storage.root()
    assert FULL.rlp() == trie_account.rlp()
    assert Account().trie_account() == TrieAccount()


def test_the_encoding_of_an_account_without_anything() -> None:
    encoding = TrieAccount().rlp()
    assert (
        encoding.hex()
        == f"f8448080a0{EMPTY_ROOT.hex()[2:]}a0{EMPTY_CODE_HASH.hex()[2:]}"
    )
    assert TrieAccount.from_rlp(encoding) == TrieAccount()


def test_a_trie_account_comes_back_typed() -> None:
    decoded = TrieAccount.from_rlp(FULL.rlp())
    assert decoded == FULL.trie_account()
    assert type(decoded.storage_root) is Hash
    assert TrieAccount.from_rlp(bytearray(FULL.rlp())) == decoded
    assert pickle.loads(pickle.dumps(decoded)) == decoded


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"nonce": -1}, RangeError),
        ({"nonce": 2**64}, RangeError),
        ({"nonce": True}, InputTypeError),
        ({"balance": "1"}, InputTypeError),
        ({"balance": 2**256}, RangeError),
        ({"storage_root": bytes(31)}, SizeError),
        ({"code_hash": 0}, InputTypeError),
    ],
)
def test_a_trie_account_holds_only_what_the_trie_can(
    fields: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        TrieAccount(**fields)


H = bytes(range(32))


@pytest.mark.parametrize(
    ("items", "field", "reason", "offset"),
    [
        ([b"", b"", H], "", DecodeReason.WRONG_ITEM_COUNT, 0),
        ([b"", b"", H, H, b""], "", DecodeReason.WRONG_ITEM_COUNT, 0),
        (b"dog", "", DecodeReason.EXPECTED_LIST, 0),
        ([b"\x00", b"", H, H], "nonce", DecodeReason.LEADING_ZERO_INTEGER, 2),
        ([b"\x01" * 9, b"", H, H], "nonce", DecodeReason.INTEGER_TOO_LARGE, 2),
        (
            [b"\x01" * 8, b"\x01" * 33, H, H],
            "balance",
            DecodeReason.INTEGER_TOO_LARGE,
            11,
        ),
        ([b"", b"\x00\x01", H, H], "balance", DecodeReason.LEADING_ZERO_INTEGER, 3),
        ([b"", b"", H[1:], H], "storage_root", DecodeReason.WRONG_SIZE, 4),
        ([b"", b"", b"", H], "storage_root", DecodeReason.WRONG_SIZE, 3),
        ([b"", b"", H, H + b"\x00"], "code_hash", DecodeReason.WRONG_SIZE, 37),
        ([[], b"", H, H], "nonce", DecodeReason.EXPECTED_STRING, 2),
        ([b"", b"", H, [H]], "code_hash", DecodeReason.EXPECTED_STRING, 37),
    ],
)
def test_anything_but_a_canonical_account_is_refused_with_field_and_offset(
    items: Any, field: str, reason: DecodeReason, offset: int
) -> None:
    with pytest.raises(DecodeError) as caught:
        TrieAccount.from_rlp(rlp.encode(items))
    assert caught.value.field == f"account{field and '.'}{field}"
    assert (caught.value.reason, caught.value.offset) == (reason, offset)


def test_bytes_that_are_no_rlp_are_refused() -> None:
    with pytest.raises(DecodeError, match="left over"):
        TrieAccount.from_rlp(TrieAccount().rlp() + b"\x00")
    with pytest.raises(DecodeError):
        TrieAccount.from_rlp(b"")
    with pytest.raises(InputTypeError):
        TrieAccount.from_rlp("0xc0")


@pytest.mark.parametrize(
    "entry",
    [
        {"balance": "0x3e8", "nonce": "1", "code": "6001", "storage": {"0x0": "0x1"}},
        {"Balance": 1000, "nonce": 1, "code": "0x6001", "storage": {"0": 1}},
        {
            "balance": "1000",
            "nonce": "0x0000000000000001",
            "code": "0x6001",
            "storage": {"0x00": "0x01", "0x05": "0x00"},
            "secretKey": "0x45",
            "privateKey": "8f2a",
            "comment": "for a test",
            "version": "0x01",
        },
    ],
)
def test_entries_of_all_dialects_are_one_account(entry: dict[str, Any]) -> None:
    assert Account.from_json(entry) == Account(1, 1000, b"\x60\x01", {0: 1})


def test_absent_and_null_fields_are_empty() -> None:
    assert Account.from_json({}) == Account()
    null = {"balance": None, "nonce": None, "code": None, "storage": None}
    assert Account.from_json(null) == Account()
    assert Account.from_json({"code": "", "storage": {}}) == Account()


@pytest.mark.parametrize(
    ("entry", "field"),
    [
        (None, "a"),
        ("0x1", "a"),
        ({"balance": 1.5}, "a.balance"),
        ({"balance": "0x1" + "0" * 64}, "a.balance"),
        ({"BALANCE": "one"}, "a.BALANCE"),
        ({"nonce": "0x10000000000000000"}, "a.nonce"),
        ({"nonce": True}, "a.nonce"),
        ({"code": "0x0"}, "a.code"),
        ({"code": 0}, "a.code"),
        ({"storage": []}, "a.storage"),
        ({"storage": ""}, "a.storage"),
        ({"storage": {"0x1": "g"}}, "a.storage.0x1"),
    ],
)
def test_a_malformed_entry_is_refused_with_its_path(entry: object, field: str) -> None:
    with pytest.raises(FixtureError) as caught:
        Account.from_json(entry, file="f.json", field="a")
    assert (caught.value.file, caught.value.field) == ("f.json", field)


def test_json_goes_there_and_back() -> None:
    written = FULL.to_json()
    assert written["nonce"] == "0x01"
    assert written["code"] == "0x6001"
    assert written["storage"] == {"0x00": "0x01"}
    assert Account.from_json(written) == FULL
