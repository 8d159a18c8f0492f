"""Allocs, accounts and storages against the oracle, and back and forth."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hexary.errors import DecodeError, HexaryError
from hexary.state import (
    Account,
    AccountStorage,
    Alloc,
    TrieAccount,
    state_root,
    storage_root,
)
from oracle import oracle_keccak256, oracle_rlp, oracle_root

WORDS = st.one_of(st.integers(0, 2**256 - 1), st.integers(0, 300))
STORAGES = st.dictionaries(WORDS, WORDS, max_size=12)
ACCOUNTS = st.builds(
    Account,
    nonce=st.integers(0, 2**64 - 1),
    balance=WORDS,
    code=st.binary(max_size=40),
    storage=STORAGES,
)
ALLOCS = st.dictionaries(st.binary(min_size=20, max_size=20), ACCOUNTS, max_size=20)


def big_endian(number: int) -> bytes:
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


def expected_storage_root(storage: Any) -> bytes:
    return oracle_root(
        {
            slot.to_bytes(32, "big"): oracle_rlp(big_endian(value))
            for slot, value in storage.items()
            if value
        },
        secure=True,
    )


def expected_account(account: Account) -> bytes:
    return oracle_rlp(
        [
            big_endian(account.nonce),
            big_endian(account.balance),
            expected_storage_root(account.storage),
            oracle_keccak256(account.code),
        ]
    )


@given(STORAGES)
def test_storage_roots_are_the_oracles(storage: dict[int, int]) -> None:
    assert storage_root(storage) == expected_storage_root(storage)


@given(ALLOCS)
def test_state_roots_are_the_oracles(accounts: dict[bytes, Account]) -> None:
    encoded = {address: expected_account(each) for address, each in accounts.items()}
    assert state_root(accounts) == oracle_root(encoded, secure=True)
    kept = {a: encoded[a] for a, each in accounts.items() if not each.is_empty}
    assert Alloc(accounts).state_root(delete_empty=True) == oracle_root(
        kept, secure=True
    )


@given(ACCOUNTS)
def test_an_account_goes_into_the_trie_and_back(account: Account) -> None:
    encoding = account.rlp()
    assert encoding == expected_account(account)
    decoded = TrieAccount.from_rlp(encoding)
    assert decoded == account.trie_account()
    assert decoded.rlp() == encoding


@given(ACCOUNTS, st.data())
def test_a_changed_encoding_is_refused_or_another_account(
    account: Account, data: st.DataObject
) -> None:
    """No account has two encodings."""
    encoding = bytearray(account.rlp())
    place = data.draw(st.integers(0, len(encoding) - 1))
    encoding[place] ^= data.draw(st.integers(1, 255))
    try:
        other = TrieAccount.from_rlp(bytes(encoding))
    except DecodeError:
        return
    assert other != account.trie_account()
    assert other.rlp() == encoding


@given(ALLOCS)
def test_json_goes_there_and_back(accounts: dict[bytes, Account]) -> None:
    alloc = Alloc(accounts)
    written = json.loads(json.dumps(alloc.to_json()))
    assert Alloc.from_json(written) == alloc


@given(WORDS, st.integers(0, 3), st.booleans())
def test_every_spelling_of_a_slot_is_one_slot(
    slot: int, zeros: int, upper: bool
) -> None:
    digits = f"{slot:x}".zfill(min(64, len(f"{slot:x}") + zeros))
    digits = digits.upper() if upper else digits
    for spelling in ("0x" + digits, f"{slot:064x}", slot.to_bytes(32, "big")):
        assert AccountStorage({spelling: 1}) == {slot: 1}


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**300)
    | st.floats(allow_nan=False)
    | st.text(max_size=6)
    | st.sampled_from(
        ["0x", "0x0", "0x01", "1", "0x" + "aa" * 20, "balance", "storage"]
    ),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text(max_size=6)
            | st.sampled_from(
                [
                    "0x" + "aa" * 20,
                    "AA" * 20,
                    "balance",
                    "nonce",
                    "code",
                    "storage",
                    "0x1",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_json_is_an_alloc_or_a_hexary_error(document: Any) -> None:
    try:
        alloc = Alloc.from_json(document)
    except HexaryError as error:
        assert str(error).isprintable()
        assert len(str(error)) < 1000
        return
    assert len(alloc.state_root()) == 32


@pytest.mark.parametrize("size", [0, 1, 2, 17, 300])
def test_larger_states_are_the_oracles(size: int) -> None:
    accounts = {
        oracle_keccak256(bytes([index & 255, index >> 8]))[:20]: Account(
            nonce=index, balance=index**9, storage={index: index, 2**255 + index: 1}
        )
        for index in range(size)
    }
    encoded = {address: expected_account(each) for address, each in accounts.items()}
    assert state_root(accounts) == oracle_root(encoded, secure=True)
