"""Allocs, accounts and storages against the oracle, and back and forth."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
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


def spelled(number: int, digits: int) -> st.SearchStrategy[object]:
    """Return spellings of a number, not all of which are right."""
    return st.sampled_from(
        [
            *(hex(number), f"0X{number:0{digits}X}", str(number), f"{number:x}"),
            *(number, f"0{number}", f"0x{number:0{digits + 2}x}", -number, None),
        ]
    )


ADDRESSES = st.integers(0, 3).flatmap(
    lambda number: st.sampled_from(
        [
            *(f"0x{number:040x}", f"{number:040X}", f"0X{number:040x}"),
            *(f"0x{number:038x}", f"{number:040x}g", ""),
        ]
    )
) | st.binary(min_size=20, max_size=20).map(lambda key: "0x" + key.hex())
SPELLED_STORAGES = st.dictionaries(
    st.integers(0, 2).flatmap(lambda slot: spelled(slot, 64)),
    WORDS.flatmap(lambda value: spelled(value, 64)),
    max_size=3,
)
ENTRIES = st.fixed_dictionaries(
    {},
    optional={
        "nonce": st.integers(0, 2**65).flatmap(lambda nonce: spelled(nonce, 16)),
        "balance": WORDS.flatmap(lambda balance: spelled(balance, 64)),
        "code": st.sampled_from(["0x", "0x00", "00", "", "0x0", None, 5, "0xgg"]),
        "storage": SPELLED_STORAGES | st.sampled_from([None, [], {"0x1": "0x1"}]),
        "builtin": st.sampled_from([None, {"name": "identity"}]),
        "constructor": st.sampled_from([None, None, "0x00"]),
        "Balance": st.just("0x1"),
        "comment": st.text(max_size=3),
    },
)
PLAIN_ENTRIES = st.fixed_dictionaries(
    {"balance": WORDS.map(hex) | WORDS.map(str)},
    optional={"nonce": st.integers(0, 2**64 - 1).map(hex), "code": st.just("0x6001")},
)
SPELLED_ALLOCS = st.one_of(
    st.dictionaries(ADDRESSES, PLAIN_ENTRIES, max_size=4),
    st.dictionaries(ADDRESSES, PLAIN_ENTRIES | ENTRIES, max_size=4),
    st.dictionaries(
        ADDRESSES | st.sampled_from([5, None]), ENTRIES | st.none(), max_size=4
    ),
)


def told(entries: object) -> object:
    """Return the accounts with the types of all their values, or all of the error."""
    try:
        alloc = Alloc.from_json(entries, file="a.json", field="pre")
    except HexaryError as error:
        return type(error), str(error), vars(error)
    return [
        (
            *(type(address), address, type(one.nonce), one.nonce),
            *(type(one.balance), one.balance, type(one.code), one.code),
            *(type(one.storage), list(one.storage.items())),
        )
        for address, one in alloc.items()
    ]


@given(SPELLED_ALLOCS)
@example({40 * "0": {"balance": "7"}, "0x" + 40 * "0": {}})
@example({40 * "0": {"builtin": {}}, 40 * "1": {"balance": "0x1"}, "0x": {}})
def test_plain_allocs_are_read_as_each_account_by_itself_is(entries: Any) -> None:
    """What is plain takes another way, to the same accounts and the same errors."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hexary.state.alloc.plain_accounts", lambda _: None)
        patch.setattr("hexary.state.alloc.plain_account", lambda _: None)
        patch.setattr("hexary.state.storage.plain_slots", lambda _: None)
        expected = told(entries)
    assert told(entries) == expected
