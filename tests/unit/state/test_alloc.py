from __future__ import annotations

import copy
import json
import pickle
from collections.abc import ItemsView, Mapping, ValuesView
from pathlib import Path
from typing import Any

import pytest

from hexary import Genesis, recording
from hexary.errors import (
    ExecutionNeededError,
    FixtureError,
    HexError,
    InputTypeError,
    SizeError,
)
from hexary.state import Account, Alloc, state_root
from hexary.trie import EMPTY_ROOT
from hexary.typed import Address

A = "0x00000000000000000000000000000000000000aa"
B = "0x00000000000000000000000000000000000000bb"


def test_addresses_are_found_in_any_spelling() -> None:
    alloc = Alloc({A: Account(nonce=1), bytes(20): Account(nonce=2)})
    assert list(alloc) == [Address(A), Address(bytes(20))]
    assert all(type(address) is Address for address in alloc)
    for spelling in (
        A,
        A.upper().replace("X", "x"),
        A[2:],
        Address(A),
        bytes.fromhex(A[2:]),
    ):
        assert alloc[spelling].nonce == 1
    assert B not in alloc
    assert "nonsense" not in alloc
    assert bytes(3) not in alloc
    with pytest.raises(KeyError):
        alloc[None]


def test_an_alloc_is_an_immutable_mapping() -> None:
    alloc = Alloc({A: Account(nonce=1)})
    assert isinstance(alloc, Mapping)
    assert Alloc(alloc) == alloc
    assert alloc == {Address(A): Account(nonce=1)}
    assert alloc != {}
    assert alloc != 3
    assert hash(alloc) == hash(Alloc({A.upper()[2:]: Account(nonce=1)}))
    assert len(Alloc()) == 0
    assert repr(alloc) == "Alloc(1 account)"
    assert repr(Alloc()) == "Alloc(0 accounts)"
    assert not hasattr(alloc, "__setitem__")


def test_an_alloc_survives_copying_and_pickling() -> None:
    alloc = Alloc({A: Account(storage={1: 2})})
    assert pickle.loads(pickle.dumps(alloc)) == alloc
    assert copy.deepcopy(alloc) == alloc


def test_views_know_addresses_in_any_spelling() -> None:
    one, two = Account(nonce=1), Account(nonce=2)
    alloc = Alloc({A: one, B: two})
    items, values = alloc.items(), alloc.values()
    assert isinstance(items, ItemsView)
    assert isinstance(values, ValuesView)
    assert list(items) == [(Address(A), one), (Address(B), two)]
    assert list(values) == [one, two]
    assert (len(items), len(values)) == (2, 2)
    assert (A, one) in items
    assert (A[2:], Account(nonce=1)) in items
    assert (A, two) not in items
    assert ("nonsense", two) not in items
    assert 3 not in values
    assert two in values
    assert Account(nonce=2) in values
    assert items & {(Address(A), one)} == {(Address(A), one)}
    assert items - alloc.items() == set()
    assert items | {(1, 2)} == {*items, (1, 2)}
    assert items == dict(alloc).items()
    assert items <= {*items, 1}
    assert items.isdisjoint([(Address(A), two)])
    assert repr(values) == "EntryValues(Alloc(2 accounts))"


def test_two_allocs_join_and_the_right_one_wins() -> None:
    left = Alloc({A: Account(nonce=1), B: Account(nonce=2)})
    joined = left | {B: Account(nonce=3)}
    assert {address.hex(): account.nonce for address, account in joined.items()} == {
        A: 1,
        B: 3,
    }
    assert left[B].nonce == 2
    with pytest.raises(TypeError):
        left | 3


@pytest.mark.parametrize(
    ("accounts", "error"),
    [
        ({A: {"balance": 1}}, InputTypeError),
        ({"0xaa": Account()}, SizeError),
        ({"0xzz": Account()}, HexError),
        ([(A, Account())], InputTypeError),
        ({A: Account(), A.upper()[2:]: Account()}, FixtureError),
    ],
)
def test_what_is_no_alloc_is_refused(accounts: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        Alloc(accounts)
    with pytest.raises(error):
        state_root(accounts)


def test_the_root_of_no_accounts_is_the_empty_tries() -> None:
    assert Alloc.from_json({}).state_root() == EMPTY_ROOT
    assert state_root({}) == EMPTY_ROOT
    assert Alloc({A: Account()}).state_root(delete_empty=True) == EMPTY_ROOT
    assert Alloc({A: Account()}).state_root() != EMPTY_ROOT


def test_empty_accounts_are_named() -> None:
    alloc = Alloc({A: Account(), B: Account(nonce=1)})
    assert alloc.empty_accounts() == (Address(A),)
    assert alloc.state_root(delete_empty=True) == state_root({B: Account(nonce=1)})


def test_the_order_of_accounts_does_not_matter() -> None:
    alloc = {bytes([index]) * 20: Account(balance=index) for index in range(1, 40)}
    assert state_root(alloc) == state_root(dict(reversed(alloc.items())))


def test_every_hash_goes_through_the_one_dispatch() -> None:
    """Two addresses, one code twice, one slot, and the nodes of both tries."""
    alloc = Alloc({A: Account(code="0x01"), B: Account(code="0x01", storage={0: 1})})
    with recording() as seen:
        alloc.state_root()
    assert seen.calls == 2 + 1 + 1 + 1 + 3


def test_the_dialects_of_geth_eest_and_besu_are_one_alloc() -> None:
    expected = Alloc({A: Account(1, 10**18, b"\x00", {0: 1})})
    geth = {
        A[2:]: {
            "balance": "0xde0b6b3a7640000",
            "nonce": "0x1",
            "code": "0x00",
            "storage": {"0x" + "00" * 32: "0x" + "01".zfill(64)},
        }
    }
    eest = {
        A: {
            "nonce": "0x01",
            "balance": "0x0de0b6b3a7640000",
            "code": "0x00",
            "storage": {"0x00": "0x01"},
            "secretKey": "0x" + "45" * 32,
        }
    }
    besu = {
        A.upper()[2:]: {
            "balance": "1000000000000000000",
            "nonce": 1,
            "code": "00",
            "storage": {"00" * 32: "01".zfill(64)},
            "privateKey": "8f2a",
            "comment": "never in production",
        }
    }
    for dialect in (geth, eest, besu):
        assert Alloc.from_json(dialect) == expected


def test_json_integers_are_exact() -> None:
    document = json.loads(f'{{"{A}": {{"balance": {2**200 + 1}}}}}')
    assert Alloc.from_json(document)[A].balance == 2**200 + 1


def test_json_goes_there_and_back() -> None:
    alloc = Alloc({A: Account(1, 2, b"\x03", {4: 5}), B: Account()})
    written = json.loads(json.dumps(alloc.to_json()))
    assert list(written) == [A, B]
    assert Alloc.from_json(written) == alloc


def test_a_note_on_a_precompile_is_no_account() -> None:
    """Chainspecs list precompiled contracts among the accounts."""
    alloc = Alloc.from_json(
        {
            A: {"builtin": {"name": "ecrecover"}},
            B: {"builtin": {"name": "identity"}, "balance": "1"},
        }
    )
    assert alloc == Alloc({B: Account(balance=1)})


def test_no_spelling_hides_an_account_or_a_constructor() -> None:
    """The names of all fields are compared without regard to case; null is absent."""
    assert Alloc.from_json({A: {"builtin": {}, "Balance": "1"}}) == Alloc(
        {A: Account(balance=1)}
    )
    assert len(Alloc.from_json({A: {"BuiltIn": {}, "balance": None}})) == 0
    assert len(Alloc.from_json({A: {"builtin": None}})) == 1
    with pytest.raises(ExecutionNeededError):
        Alloc.from_json({A: {"Constructor": "0x00"}})


def test_a_constructor_needs_an_evm() -> None:
    with pytest.raises(ExecutionNeededError) as caught:
        Alloc.from_json({A: {"balance": "0", "constructor": "0x00"}}, file="spec.json")
    assert caught.value.field == f"alloc.{A}"
    assert "needs an EVM" in caught.value.rule
    assert Alloc.from_json({A: {"constructor": None}}) == Alloc({A: Account()})


@pytest.mark.parametrize(
    ("value", "field", "rule"),
    [
        (None, "alloc", "must be an object, got null"),
        ([], "alloc", "must be an object, got list of 0"),
        ({"": {}}, "alloc.", "an address is 20 bytes, got 0: ''"),
        ({"0xaa": {}}, "alloc.0xaa", "an address is 20 bytes, got 1: '0xaa'"),
        ({A + "00": {}}, f"alloc.{A}00", "an address is 20 bytes, got 21"),
        ({A[:-1]: {}}, f"alloc.{A[:-1]}", "even number of hex digits"),
        ({"z" * 40: {}}, "alloc." + "z" * 40, "hex digits are"),
        ({7: {}}, "alloc", "must be hex text, got int 7"),
        ({A: None}, f"alloc.{A}", "must be an object"),
        ({A: {"balance": "1e18"}}, f"alloc.{A}.balance", "decimal digits are"),
        ({A: {"balance": 1e18}}, f"alloc.{A}.balance", "got float"),
        (
            {A: {"storage": {"0x1": 1, "0x01": 1}}},
            f"alloc.{A}.storage",
            "slot 1 occurs twice, as '0x1' and '0x01'",
        ),
        (
            {A: {}, A[2:].upper(): {}},
            "alloc",
            f"the address {A} occurs twice, as '{A}' and '{A[2:].upper()}'",
        ),
    ],
)
def test_malformed_json_is_refused_with_its_path(
    value: object, field: str, rule: str
) -> None:
    with pytest.raises(FixtureError) as caught:
        Alloc.from_json(value, file="f.json")
    assert (caught.value.file, caught.value.field) == ("f.json", field)
    assert rule in caught.value.rule


def test_hostile_keys_make_no_long_or_broken_message() -> None:
    with pytest.raises(FixtureError) as caught:
        Alloc.from_json({"\n" + "x" * 1_000_000: {}})
    assert len(str(caught.value)) < 400
    assert "\n" not in str(caught.value)


def test_accounts_stay_in_order_however_they_are_spelled() -> None:
    alloc = Alloc.from_json(
        {
            A: {"balance": "10"},
            "0x" + 40 * "1": {"builtin": {"name": "identity"}},
            "0x" + 40 * "2": {"balance": 3, "comment": "an int"},
            B: {"balance": "0x1"},
        }
    )
    assert [(address.hex(), one.balance) for address, one in alloc.items()] == [
        (A, 10),
        ("0x" + 40 * "2", 3),
        (B, 1),
    ]


@pytest.mark.parametrize(
    ("entries", "field"),
    [
        ({A: {}, B: {"nonce": []}, 40 * "1": {"balance": "x"}}, f"alloc.{B}.nonce"),
        ({A: {"nonce": []}, B: {}, "0xaa": {}}, f"alloc.{A}.nonce"),
        ({A: {}, "0xaa": {}, B: {"nonce": []}}, "alloc.0xaa"),
        ({A: {"nonce": []}, A[2:]: {}}, f"alloc.{A}.nonce"),
        ({A: {"builtin": {}}, A[2:]: {"nonce": []}}, "alloc"),
    ],
)
def test_the_first_fault_of_an_alloc_is_told(entries: Any, field: str) -> None:
    with pytest.raises(FixtureError) as caught:
        Alloc.from_json(entries)
    assert caught.value.field == field


def test_numbers_of_accounts_are_hex_or_decimal() -> None:
    most = 2**256 - 1
    for balance in (hex(most), str(most), f"0x{most:064X}", f"00{most}"):
        assert Alloc.from_json({A: {"balance": balance}})[A].balance == most
    for balance in (hex(most + 1), str(most + 1), "1_0", " 1", "-1", "a"):
        with pytest.raises(FixtureError):
            Alloc.from_json({A: {"balance": balance}})


def test_a_file_of_an_alloc_is_read(tmp_path: Path) -> None:
    alloc = Alloc({A: Account(nonce=1), B: Account(storage={1: 2})})
    file = tmp_path / "alloc.json"
    file.write_text(json.dumps(alloc.to_json()), encoding="utf-8")
    assert Alloc.from_file(file) == Alloc.from_file(str(file)) == alloc
    file.write_text(json.dumps({A: {"nonce": "0xzz"}}), encoding="utf-8")
    with pytest.raises(FixtureError) as caught:
        Alloc.from_file(file)
    assert (caught.value.file, caught.value.field) == (str(file), f"{A}.nonce")
    with pytest.raises(FixtureError, match="No such file"):
        Alloc.from_file(tmp_path / "none.json")


def test_a_genesis_is_no_alloc_and_told_where_it_is_read(checkout: Path) -> None:
    files = [checkout / "fixtures/genesis" / name for name in ("sepolia.json",)]
    documents = [json.loads(file.read_bytes()) for file in files]
    documents += [{"alloc": {}}, {"accounts": {}, "genesis": {}}, {"gasLimit": "0x1"}]
    for document in documents:
        with pytest.raises(FixtureError, match=r"genesis, which hexary\.Genesis reads"):
            Alloc.from_json(document)
    with pytest.raises(FixtureError, match=r"genesis, which hexary\.Genesis reads"):
        Alloc.from_file(files[0])


@pytest.mark.parametrize("read", [Alloc.from_json, Genesis.from_json])
def test_text_is_to_be_read_as_json_first(read: Any) -> None:
    for text in ("{}", b"{}", ' \n{"alloc": {}}' + " " * 1000):
        with pytest.raises(FixtureError, match=r"read with json\.loads first"):
            read(text)
    with pytest.raises(FixtureError, match=r"must be an object, got str 'alloc'$"):
        read("alloc")
