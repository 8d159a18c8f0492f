"""Dumps as geth writes them: documents and lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hexary import Account, Address, Alloc, keccak256
from hexary.errors import FixtureError
from hexary.state import StateDump

A, B = (Address(bytes(19) + bytes([n])) for n in (1, 2))
ALLOC = Alloc(
    {
        A: Account(1, 10**18, "0x6000", {0: 1, 5: 2**255}),
        B: Account(balance=5),
    }
)


def entry(address: Address, account: Account) -> dict[str, Any]:
    """Return what geth writes of an account; values in storage are bare hex."""
    written: dict[str, Any] = {
        "balance": str(int(account.balance)),
        "nonce": int(account.nonce),
        "root": account.storage_root().hex(),
        "codeHash": account.code_hash().hex(),
        "address": address.hex(),
        "key": "0x" + keccak256(address).hex(),
    }
    if account.code:
        written["code"] = account.code.hex()
    if account.storage:
        written["storage"] = {
            f"0x{slot:064x}": f"{value:x}".zfill(len(f"{value:x}") + 1 & ~1)
            for slot, value in account.storage.items()
        }
    return written


def write(
    folder: Path, *, lines: bool, change: Any = None, alloc: Alloc = ALLOC
) -> Path:
    entries = {address.hex(): entry(address, each) for address, each in alloc.items()}
    if change is not None:
        change(entries)
    root = ALLOC.state_root().hex()
    path = folder / "dump.json"
    if lines:
        parts = [{"root": root}, *entries.values()]
        path.write_text("".join(json.dumps(part) + "\n" for part in parts))
    else:
        path.write_text(json.dumps({"root": root[2:], "accounts": entries}, indent=1))
    return path


@pytest.mark.parametrize("lines", [False, True])
def test_a_dump_gives_the_alloc_and_its_root(tmp_path: Path, lines: bool) -> None:
    dump = StateDump(write(tmp_path, lines=lines))
    assert dump.declared_state_root == ALLOC.state_root()
    assert dump.state_root() == ALLOC.state_root()
    assert dump.alloc() == ALLOC
    first, second = dump
    assert (first.address, first.storage) == (A, ALLOC[A].storage)
    assert second.account == ALLOC[B].trie_account()


@pytest.mark.parametrize("lines", [False, True])
def test_a_dump_without_code_storage_and_addresses_still_has_a_root(
    tmp_path: Path, lines: bool
) -> None:
    def leave_out(entries: dict[str, Any]) -> None:
        for name in ("code", "storage"):
            del entries[A.hex()][name]
        bare = entries.pop(B.hex())
        del bare["address"]
        entries[f"pre({bare['key']})"] = bare

    dump = StateDump(write(tmp_path, lines=lines, change=leave_out))
    assert dump.state_root() == ALLOC.state_root()
    assert [each.address for each in dump] == [A, None]
    assert [each.code for each in dump] == [None, b""]
    assert [each.storage for each in dump] == [None, {}]
    with pytest.raises(FixtureError, match="leaves out the account's code"):
        dump.alloc()


def test_each_gap_is_named(tmp_path: Path) -> None:
    for gap, name in (("storage", "storage"), ("address", "address")):

        def leave_out(entries: dict[str, Any], name: str = name) -> None:
            del entries[A.hex()][name]

        dump = StateDump(write(tmp_path, lines=True, change=leave_out))
        with pytest.raises(FixtureError, match=f"leaves out the account's {gap}"):
            dump.alloc()


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("key", "0x" + "11" * 32, "the address has the hash"),
        ("codeHash", "0x" + "11" * 32, "the code has the hash"),
        ("root", "0x" + "11" * 32, "the storage has the root"),
        ("nonce", -1, "nonce"),
        ("balance", "many", "balance"),
        ("storage", [], "storage"),
    ],
)
def test_what_is_told_twice_has_to_agree(
    tmp_path: Path, field: str, value: Any, message: str
) -> None:
    def spoil(entries: dict[str, Any]) -> None:
        entries[A.hex()][field] = value

    for lines in (False, True):
        dump = StateDump(write(tmp_path, lines=lines, change=spoil))
        with pytest.raises(FixtureError, match=message) as caught:
            dump.state_root()
        assert caught.value.field.startswith("line 2" if lines else f"accounts.{A}")


def test_places_that_do_not_agree(tmp_path: Path) -> None:
    def swap(entries: dict[str, Any]) -> None:
        entries[A.hex()], entries[B.hex()] = entries[B.hex()], entries[A.hex()]

    with pytest.raises(FixtureError, match="it stands at"):
        list(StateDump(write(tmp_path, lines=False, change=swap)))

    def rename(entries: dict[str, Any]) -> None:
        entries["pre(0x" + "11" * 32 + ")"] = entries.pop(A.hex())

    with pytest.raises(FixtureError, match="it stands at"):
        list(StateDump(write(tmp_path, lines=False, change=rename)))

    def strip(entries: dict[str, Any]) -> None:
        del entries[A.hex()]["address"], entries[A.hex()]["key"]

    with pytest.raises(FixtureError, match="neither an address nor a key"):
        list(StateDump(write(tmp_path, lines=True, change=strip)))


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", '{"root": 7}\n', '{"root": "0x00"}\n', '{"accounts": {}}', "x"],
)
def test_other_files_are_no_dumps(tmp_path: Path, text: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(FixtureError):
        StateDump(path)
    with pytest.raises(FixtureError, match="No such file"):
        StateDump(tmp_path / "absent")


def test_lines_are_read_one_by_one(tmp_path: Path) -> None:
    """So the fault of a later line is found when it is reached."""
    path = write(tmp_path, lines=True)
    path.write_text(path.read_text() + "\nnot JSON\n")
    accounts = iter(StateDump(path))
    assert next(accounts).address == A
    assert next(accounts).address == B
    with pytest.raises(FixtureError, match="not JSON"):
        next(accounts)


@pytest.mark.parametrize("lines", [False, True])
def test_an_account_is_listed_once(lines: bool, tmp_path: Path) -> None:
    """Also where its address is spelled in two ways."""

    def twice(entries: dict[str, Any]) -> None:
        entries[A.hex()[2:]] = entries[A.hex()]
        entries["pre(0x" + keccak256(A).hex() + ")"] = entries[A.hex()]

    dump = StateDump(write(tmp_path, lines=lines, change=twice))
    for use in (dump.state_root, dump.alloc):
        with pytest.raises(FixtureError, match="twice"):
            use()


def test_a_line_that_is_no_json_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, lines=True)
    path.write_bytes(path.read_bytes() + b"{bad")
    with pytest.raises(FixtureError, match=r"line 4: not JSON.* at column 2$"):
        StateDump(path).alloc()
