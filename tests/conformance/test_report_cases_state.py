"""
Cases from public bug reports that concern accounts, allocs and their files.

The inputs are written out here; the answers are those of ``reports/cases.json``, and
each test asserts that its answer still stands there.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hexary import rlp
from hexary.errors import DecodeError, DecodeReason, FixtureError
from hexary.hash import keccak256
from hexary.state import (
    EMPTY_CODE_HASH,
    Account,
    AccountStorage,
    Alloc,
    TrieAccount,
    parse_json,
    state_root,
    storage_root,
)
from hexary.state.json_object import read_quantity
from hexary.trie import EMPTY_ROOT, SecureTrie

A = "0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b"
Z = "0xc94f5374fce5edbc8e2a8697c15331677e6ebf0b"
SLOT_SPELLINGS = [0, "0x0", "0x00", bytes(32)]


@pytest.fixture(scope="module")
def answers(vectors: Path) -> dict[str, str]:
    cases = json.loads((vectors / "reports" / "cases.json").read_bytes())
    return {case["id"]: case["expected"] for case in cases}


def case_id(name: str) -> Any:
    return pytest.mark.parametrize("name", [name])


@pytest.mark.parametrize(
    ("name", "items", "reason", "field", "size"),
    [
        (
            "U032",
            [b"", b"\x01" * 33, bytes(32), bytes(32)],
            DecodeReason.INTEGER_TOO_LARGE,
            "balance",
            "256 bits",
        ),
        (
            "U032",
            [b"\x01" + bytes(8), b"", bytes(32), bytes(32)],
            DecodeReason.INTEGER_TOO_LARGE,
            "nonce",
            "64 bits",
        ),
        (
            "U032",
            [b"", b"", bytes(31), bytes(32)],
            DecodeReason.WRONG_SIZE,
            "storage_root",
            "32 bytes",
        ),
        (
            "U032",
            [b"", b"", bytes(32), b"\x01"],
            DecodeReason.WRONG_SIZE,
            "code_hash",
            "32 bytes",
        ),
    ],
)
def test_values_out_of_range_are_decode_errors_with_field_and_size(
    name: str, items: Any, reason: DecodeReason, field: str, size: str
) -> None:
    with pytest.raises(DecodeError, match=size) as caught:
        TrieAccount.from_rlp(rlp.encode(items))
    assert (caught.value.reason, caught.value.field) == (reason, f"account.{field}")


@case_id("U035")
def test_zero_in_json_may_be_padded_and_in_rlp_may_not(name: str) -> None:
    assert read_quantity("0x00", bits=64, file="", field="chainId") == 0
    assert Account.from_json({"nonce": "0x00"}).nonce == 0
    with pytest.raises(DecodeError) as caught:
        TrieAccount.from_rlp(rlp.encode([b"\x00", b"", EMPTY_ROOT, EMPTY_CODE_HASH]))
    assert caught.value.reason is DecodeReason.LEADING_ZERO_INTEGER


@case_id("U059")
def test_two_accounts_of_the_same_value(name: str, answers: dict[str, str]) -> None:
    """The report's 83-byte value is that of an account of 10^12 ether."""
    account = Account(balance=10**30)
    first = "0x2e5b91ac3b6f501a555d27e3dd6295339f1310f3"
    second = "0x62a496c75751c67e600f5d04e763b85d4069af8e"
    assert len(account.rlp()) == 83
    one, two = (
        state_root({first: account}),
        state_root({first: account, second: account}),
    )
    assert one.hex()[2:] in answers[name]
    assert two.hex()[2:] in answers[name]
    trie = SecureTrie()
    trie[bytes.fromhex(first[2:])] = account.rlp()
    assert trie.root_hash == one
    trie[bytes.fromhex(second[2:])] = account.rlp()
    assert trie.root_hash == two


@pytest.mark.parametrize(
    ("name", "value"), [("U065", v) for v in (1, 0xAB, 2**256 - 1)]
)
def test_roots_of_one_slot(name: str, value: int, answers: dict[str, str]) -> None:
    assert storage_root({0: value}).hex()[2:] in answers[name]


@pytest.mark.parametrize(("name", "slot"), [("U071", slot) for slot in SLOT_SPELLINGS])
def test_a_slots_spelling_does_not_change_its_key(
    name: str, slot: Any, answers: dict[str, str]
) -> None:
    assert storage_root({slot: 7}) == storage_root({0: 7})
    trie = SecureTrie()
    trie[bytes(32)] = b"\x07"
    assert trie.root_hash == storage_root({slot: 7})
    assert keccak256(bytes(32)).hex() in answers[name]
    assert keccak256(bytes(31) + b"\x01").hex() in answers[name]


@case_id("U074")
def test_empty_accounts_are_kept_unless_asked_otherwise(
    name: str, answers: dict[str, str]
) -> None:
    alloc = Alloc({A: Account(balance=1), Z: Account()})
    without, kept = (part[:64] for part in answers[name].split(" ") if len(part) >= 64)
    assert alloc.state_root(delete_empty=True).hex()[2:] == without
    assert alloc.state_root().hex()[2:] == kept
    assert [address.hex() for address in alloc.empty_accounts()] == [Z]


@case_id("U075")
def test_an_account_of_nothing_has_no_zero_hashes(
    name: str, answers: dict[str, str]
) -> None:
    nothing = TrieAccount()
    assert (nothing.nonce, nothing.balance) == (0, 0)
    assert nothing.storage_root.hex()[2:] in answers[name]
    assert nothing.code_hash.hex()[2:] in answers[name]
    assert nothing.rlp().hex().startswith("f8448080a056e8")
    assert Alloc().get(A) is None


@case_id("U076")
def test_a_state_root_with_code_and_storage(name: str, answers: dict[str, str]) -> None:
    account = Account(nonce=1, balance=10, code="0x00", storage={0: 1})
    assert state_root({A: account}).hex()[2:] == answers[name]


@pytest.mark.parametrize("name", ["U104"])
@pytest.mark.parametrize("five", ["0x5", "0x05", "0x" + "5".zfill(64)])
@pytest.mark.parametrize("zero", ["0x", "0x0", "0x00"])
def test_storage_keys_match_by_number(name: str, five: str, zero: str) -> None:
    storage = AccountStorage.from_json({five: "0x1", zero: "0x2"})
    assert storage[5] == storage["0x05"] == 1
    assert storage[0] == storage["0x"] == 2


@case_id("U105")
def test_a_quantity_may_have_leading_zeros_and_odd_digits(name: str) -> None:
    padded = {"balance": "0x041337600e1179b05750a3490bd546ca1a0c5123"}
    short = {"balance": "0x41337600e1179b05750a3490bd546ca1a0c5123"}
    assert Account.from_json(padded) == Account.from_json(short)


@case_id("U150")
def test_storage_spelled_short_padded_or_as_a_digit_is_one_storage(name: str) -> None:
    for spelled in (
        {"0x00": "0x04"},
        {"0": "4"},
        {"0x" + "0" * 64: "0x" + "4".zfill(64)},
        {"0" * 64: "4".zfill(64)},
    ):
        assert AccountStorage.from_json(spelled) == {0: 4}
    for misleading in ({"0": "10"}, {"0": "ff"}):
        with pytest.raises(FixtureError, match="without 0x"):
            AccountStorage.from_json(misleading)
    with pytest.raises(FixtureError, match="even number of hex digits"):
        Account.from_json({"code": "0x4"})


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "U151",
            b'{\n"a": 1,\n"a": 2}',
            ("f.json: the key 'a' occurs twice in one object at line 3, column 1"),
        ),
        (
            "U151",
            b'{\n"a": 1,\n}',
            (
                "f.json: not JSON: Expecting property name enclosed in "
                "double quotes at line 3, column 1"
            ),
        ),
    ],
)
def test_invalid_json_is_refused_with_file_and_line(
    name: str, text: bytes, message: str
) -> None:
    with pytest.raises(FixtureError) as caught:
        parse_json(text, file="f.json")
    assert str(caught.value) == message


@case_id("U151")
def test_one_address_in_two_cases_is_refused(name: str) -> None:
    with pytest.raises(FixtureError, match="occurs twice"):
        Alloc.from_json({A: {}, A[2:].upper(): {}}, file="f.json")


@case_id("U155")
def test_an_empty_alloc_is_the_empty_trie(name: str, answers: dict[str, str]) -> None:
    assert Alloc.from_json({}).state_root().hex()[2:] in answers[name]


@case_id("U164")
def test_accounts_with_equal_storage_keep_their_own(
    name: str, answers: dict[str, str]
) -> None:
    """Values share nothing that one could lose through the other."""
    both = Alloc({A: Account(storage={0: 1}), Z: Account(storage={0: 1})})
    cleared = both | {A: Account()}
    assert cleared[Z].storage[0] == 1
    assert cleared[Z].storage_root().hex()[2:10] in answers[name]
