"""The accelerator reads accounts and finds their roots as the pure code does."""

from __future__ import annotations

import gc
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import hexary
from hexary import Address, Bytes, Hash, ZeroPaddedHexNumber
from hexary.state import Account, Alloc, state_root, storage_root
from hexary.state.account import accounts_root, plain_account
from hexary.state.alloc import plain_accounts
from hexary.state.storage import AccountStorage, plain_slots, slots_root
from hexary.twin import pure_twins

PURE = pure_twins()

if not PURE:
    pytest.skip("no accelerator in use", allow_module_level=True)

pure_plain_slots = PURE["hexary.state.storage.plain_slots"]
pure_slots_root = PURE["hexary.state.storage.slots_root"]
pure_plain_account = PURE["hexary.state.account.plain_account"]
pure_plain_accounts = PURE["hexary.state.alloc.plain_accounts"]
pure_accounts_root = PURE["hexary.state.account.accounts_root"]


def outcome(function: Callable[..., Any], *arguments: Any) -> object:
    """Return what *function* returns, types and all, or what its error says."""
    try:
        return told(function(*arguments))
    except Exception as error:  # noqa: BLE001  # whatever it is, the twin has to raise it
        return type(error), str(error), vars(error)


def told(value: Any) -> object:
    """Return a value with the types of all that it is made of."""
    if isinstance(value, Account):
        fields = (value.nonce, value.balance, value.code)
        return Account, [(type(one), one) for one in fields], told(value.storage)
    if isinstance(value, AccountStorage):
        return AccountStorage, told(value._slots)
    if isinstance(value, dict):
        return [(type(key), key, told(one)) for key, one in value.items()]
    if isinstance(value, tuple):
        return tuple(map(told, value))
    return type(value), value


class Text(str):
    """A str, but not exactly."""

    __slots__ = ()


WORDS = st.one_of(
    st.integers(-1, 300),
    st.integers(0, 2**257),
    st.integers(0, 2**256 - 1).map(hex),
    st.integers(0, 2**256 - 1).map(lambda number: f"0X{number:064x}"),
    st.binary(max_size=34),
    st.sampled_from(["0x", "0", "7", "0xg", "0x1", "0x01", "", "x", "0x\ud800", "é"]),
    st.text("0123456789abcdefxX", max_size=70),
    st.sampled_from(
        [True, False, None, 1.5, Hash(1), ZeroPaddedHexNumber(1), Text("0x1"), (1,)]
    ),
)
NUMBERS = st.integers(0, 2**256 - 1) | st.integers(0, 260)
STORAGES = st.dictionaries(WORDS, WORDS, max_size=5)
SLOTS = st.dictionaries(NUMBERS, NUMBERS.filter(bool), max_size=20)

QUANTITIES = st.one_of(
    st.integers(0, 2**64).map(hex),
    st.integers(0, 2**257).map(hex),
    st.integers(0, 300).map(lambda number: f"0x{number:066x}"),
    st.sampled_from(
        ["0x", "0", "10", "0x0", "0X1", "0xg", "", None, 0, 5, True, "0x\0", "00", "01"]
    ),
    st.binary(max_size=34),
    st.integers(0, 2**257).map(str),
    st.sampled_from([2**64 - 1, 2**64, 2**256 - 1, 2**256, 10**78, 10**77]).map(str),
    st.sampled_from(
        ["1_0", " 1", "1 ", "+1", "-1", "\u0661", "1\0", 79 * "0", Text("1")]
    ),
    st.text("0123456789", max_size=80),
)
CODES = st.one_of(
    st.binary(max_size=40).map(lambda code: "0x" + code.hex()),
    st.binary(max_size=40).map(bytes.hex),
    st.sampled_from(["0x", "", "0x0", "0xgg", "0X00", None, b"", 0, "0xé"]),
    st.binary(max_size=40),
)
ENTRIES = st.fixed_dictionaries(
    {},
    optional={
        "nonce": QUANTITIES,
        "balance": QUANTITIES,
        "code": CODES,
        "storage": STORAGES | st.sampled_from([None, [], {}]),
        "comment": st.just("text"),
        "Nonce": QUANTITIES,
        "constructor": st.just("0x00"),
    },
)
PLAIN_ENTRIES = st.fixed_dictionaries(
    {},
    optional={
        "nonce": st.integers(0, 2**64 - 1).map(hex),
        "balance": NUMBERS.map(hex),
        "code": st.binary(max_size=60).map(lambda code: "0x" + code.hex()),
        "storage": st.dictionaries(NUMBERS.map(hex), NUMBERS.map(hex), max_size=6),
    },
)


@given(given=STORAGES)
@example({0: 1, "0x0": 2})
@example({0: 0, "0x0": 0})
@example({2**256 - 1: 2**256 - 1})
@example({2**256: 1})
@example({1: 2**63, 2: 2**64, 3: 2**63 - 1})
@example({"0x" + 63 * "0" + "1": "0x" + 64 * "f"})
def test_slots(given):
    assert outcome(plain_slots, given) == outcome(pure_plain_slots, given)


@given(entry=ENTRIES | PLAIN_ENTRIES)
def test_accounts(entry):
    assert outcome(plain_account, entry) == outcome(pure_plain_account, entry)


@given(entry=ENTRIES | PLAIN_ENTRIES)
def test_what_is_plain_is_what_the_whole_reader_reads(entry):
    found = plain_account(entry)
    if found is not None:
        assert found == Account.from_json(entry)
        assert found.storage == AccountStorage.from_json(entry.get("storage", {}))


@pytest.mark.parametrize(
    "value",
    [None, [], "0x", MappingProxyType({}), {1: 2}, {"\ud800": 1}, {b"nonce": "0x1"}],
)
def test_what_is_no_entry(value):
    assert outcome(plain_account, value) == outcome(pure_plain_account, value)
    assert outcome(plain_slots, value) == outcome(pure_plain_slots, value)


@given(slots=SLOTS)
def test_root_of_a_storage(slots):
    assert told(slots_root(slots)) == told(pure_slots_root(slots))
    assert storage_root(slots) == pure_slots_root(slots)


@pytest.mark.parametrize(
    "slots",
    [
        {-1: 1},
        {2**256: 1},
        {1: -1},
        {1: 2**256},
        {1: 0},
        {True: 1},
        {Hash(1): 1},
        [],
        1,
    ],
)
def test_slots_that_are_none(slots):
    assert outcome(slots_root, slots) == outcome(pure_slots_root, slots)


ADDRESSES = st.sampled_from(
    [
        *("0x" + 40 * "0", 40 * "0", "0X" + 40 * "a", 40 * "A", "0x" + 20 * "aA"),
        *(38 * "0", 42 * "0", "0x" + 39 * "0", "0x" + 39 * "0" + "g", "0x", ""),
        *(b"\0" * 20, 5, None, Text(40 * "b"), "\ud800" + 39 * "0", "é" + 38 * "0"),
    ]
) | st.binary(min_size=20, max_size=20).map(bytes.hex)
PLAIN_ADDRESSES = st.binary(min_size=20, max_size=20).map(lambda key: "0x" + key.hex())
ALLOCS = st.one_of(
    st.dictionaries(PLAIN_ADDRESSES, PLAIN_ENTRIES, max_size=8),
    st.dictionaries(PLAIN_ADDRESSES, PLAIN_ENTRIES | ENTRIES, max_size=8),
    st.dictionaries(ADDRESSES, PLAIN_ENTRIES | ENTRIES | st.none(), max_size=8),
)


@given(entries=ALLOCS)
@example({40 * "0": {}, "0x" + 40 * "0": {}})
@example({40 * "1": None, 40 * "2": {"balance": 1}, 40 * "3": {}})
def test_allocs(entries):
    assert outcome(plain_accounts, entries) == outcome(pure_plain_accounts, entries)


@pytest.mark.parametrize("value", [None, [], "", MappingProxyType({})])
def test_what_is_no_alloc(value):
    assert plain_accounts(value) is None
    assert pure_plain_accounts(value) is None


@pytest.mark.parametrize("arguments", [(), ({}, {})])
def test_allocs_are_read_from_one_argument(arguments):
    mine, theirs = (
        outcome(plain_accounts, *arguments),
        outcome(pure_plain_accounts, *arguments),
    )
    assert mine == theirs
    assert mine[0] is TypeError  # type: ignore[index]


def test_reading_an_alloc_leaves_the_collector_as_it_was():
    assert gc.isenabled()
    plain_accounts({40 * "0": {}})
    assert gc.isenabled()
    gc.disable()
    try:
        plain_accounts({40 * "0": {}, "": {}})
        assert not gc.isenabled()
    finally:
        gc.enable()


def _accounts(count: int) -> dict[Address, Account]:
    return {
        Address(number + 1): Account(
            nonce=number % 3 and 2**64 - number,
            balance=number * 10**18 + number,
            code=bytes([number % 5]) * (number % 5) * (number % 400),
            storage={slot: 2 ** (slot * 5 % 256) for slot in range(number % 7)},
        )
        for number in range(count)
    }


@pytest.mark.parametrize("count", [0, 1, 2, 16, 17, 300])
def test_root_of_a_state(kernel, count):
    accounts = _accounts(count)
    assert told(accounts_root(accounts)) == told(pure_accounts_root(accounts))


def test_root_of_a_state_of_which_some_storages_are_large(kernel):
    """Nodes of one storage are hashed before the next one's, and after it."""
    accounts = {
        Address(number + 1): Account(storage={slot: slot + 1 for slot in range(slots)})
        for number, slots in enumerate((1, 2000, 0, 3, 1, 700, 2, 1500, 1))
    }
    assert accounts_root(accounts) == pure_accounts_root(accounts)


@given(
    entries=st.dictionaries(
        st.binary(min_size=20, max_size=20), PLAIN_ENTRIES, max_size=8
    )
)
def test_root_of_any_state(entries):
    accounts = {
        Address(key): Account.from_json(entry) for key, entry in entries.items()
    }
    assert state_root(Alloc(accounts)) == pure_accounts_root(accounts)
    assert accounts_root(accounts) == pure_accounts_root(accounts)


def _forged(name: str, value: object) -> dict[Address, Account]:
    account = Account()
    object.__setattr__(account, name, value)
    return {Address(1): account}


class Table(dict):  # type: ignore[type-arg]  # whatever it holds
    """A dict, but not exactly."""

    __slots__ = ()


@pytest.mark.parametrize(
    "accounts",
    [
        None,
        (),
        {1: Account()},
        {Address(1): None},
        {b"short": Account(balance=1)},
        {"0x01": Account()},
        {20 * b"a": Account(nonce=1)},
        Table({Address(1): Account(code="0x00")}),
        {Address(1): Account.__new__(Account)},
        _forged("nonce", ZeroPaddedHexNumber(2**64)),
        _forged("nonce", 1.5),
        _forged("nonce", True),
        _forged("balance", 2**256),
        _forged("balance", 5),
        _forged("storage", {}),
        _forged("storage", {1: 1}),
        _forged("storage", AccountStorage.of_slots({1: -1})),
        _forged("storage", AccountStorage.of_slots({1: 0})),
        _forged("code", None),
        _forged("code", "text"),
        _forged("code", b"bytes"),
        _forged("code", bytearray(b"a")),
        _forged("code", Hash(5)),
    ],
)
def test_accounts_that_are_odd(accounts):
    assert outcome(accounts_root, accounts) == outcome(pure_accounts_root, accounts)


@pytest.mark.parametrize("name", ["nonce", "balance", "code", "storage"])
def test_a_field_that_empties_the_dict_harms_nothing(name, monkeypatch):
    """Someone may put a property in place of a field, which runs while it is read."""
    accounts = _accounts(40)
    field = vars(Account)[name]

    def empty(account: Account) -> object:
        if len(accounts) == 40:
            accounts.clear()
        return field.__get__(account)

    monkeypatch.setattr(Account, name, property(empty))
    assert outcome(accounts_root, accounts)[0] is Hash  # type: ignore[index]
    assert accounts == {}


def test_a_field_that_fills_the_dict_harms_nothing(monkeypatch):
    accounts = _accounts(40)
    other = Account()
    field = vars(Account)["nonce"]

    def fill(account: Account) -> object:
        if len(accounts) < 900:
            accounts[Address(1000 + len(accounts))] = other
        return field.__get__(account)

    monkeypatch.setattr(Account, "nonce", property(fill))
    with pytest.raises(RuntimeError, match="changed size during iteration"):
        accounts_root(accounts)


def test_what_is_hashed_is_counted():
    accounts = _accounts(40)
    with hexary.recording() as mine:
        accounts_root(accounts)
    with hexary.recording() as theirs:
        pure_accounts_root(accounts)
    assert (mine.calls, mine.bytes) == (theirs.calls, theirs.bytes)
    assert mine.permutations == theirs.permutations


def test_an_account_that_was_read_is_like_any_other():
    account = plain_account({"nonce": "0x1", "code": "0x00", "storage": {"0x1": "0x2"}})
    assert account == Account(nonce=1, code=b"\0", storage={1: 2})
    assert account is not None
    assert isinstance(account.code, Bytes)
    with pytest.raises(AttributeError):
        account.nonce = 2  # type: ignore[misc]  # refused, which is the point
