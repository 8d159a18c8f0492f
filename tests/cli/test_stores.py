"""``hexary trie``, ``state import`` and ``diff``: stores and states from a shell."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from hexary import (
    EMPTY_ROOT,
    Account,
    Address,
    Alloc,
    State,
    Trie,
    keccak256,
    trie_root,
)
from hexary.chain import Genesis
from stores import StoreHome, each_file_kind

A, B = (Address(bytes(19) + bytes([n])) for n in (1, 2))
ALLOC = Alloc({A: Account(1, 10, "0x6000", {0: 1}), B: Account(balance=5)})
OTHER = Alloc({A: Account(1, 11, "0x6000", {0: 1, 7: 8})})
WORDS = {b"do": b"verb", b"dog": b"puppy", b"horse": b"stallion"}


def write(folder: Path, name: str, document: Any) -> Path:
    path = folder / name
    path.write_text(json.dumps(document))
    return path


def words(kind: str, folder: Path) -> tuple[Path, bytes]:
    """Return a store that holds a trie of words, and its root."""
    home = StoreHome(kind, folder)
    root = Trie(WORDS, store=home.open()).commit("words")
    home.close()
    return home.path, root


def dump_lines(alloc: Alloc) -> str:
    lines: list[dict[str, Any]] = [{"root": alloc.state_root().hex()}]
    for address, account in alloc.items():
        entry = {"address": address.hex(), "nonce": int(account.nonce)}
        entry["balance"] = str(int(account.balance))
        entry["code"] = account.code.hex()
        if account.storage:
            entry["storage"] = {
                f"0x{slot:064x}": f"{value:02x}"
                for slot, value in account.storage.items()
            }
        lines.append(entry)
    return "".join(json.dumps(line) + "\n" for line in lines)


@each_file_kind
def test_looking_into_a_store(kind: str, tmp_path: Path, run: Any) -> None:
    store, root = words(kind, tmp_path)
    assert run("trie", "roots", store) == (0, f"{root}  words\n", "")
    assert json.loads(run("trie", "roots", store, "--json").out) == {"words": str(root)}
    assert run("trie", "get", store, "0x" + b"dog".hex()) == (0, "0x7075707079\n", "")
    assert run("trie", "get", store, "00") == (1, "", "")
    listed = "".join(f"0x{key.hex()} 0x{value.hex()}\n" for key, value in WORDS.items())
    assert run("trie", "ls", store) == (0, listed, "")
    first = run("trie", "ls", store, "--limit", 2, "--root", "words")
    assert first.out == "".join(listed.splitlines(keepends=True)[:2])
    assert first.err == "hexary: there are more: --start 0x686f727365\n"
    rest = run("trie", "ls", store, "--start", "0x686f727365", "--limit", 1)
    assert (rest.out, rest.err) == (listed.splitlines(keepends=True)[2], "")
    assert run("trie", "ls", store, "--prefix", b"dog".hex()).out.count("\n") == 1
    found = json.loads(run("trie", "stats", store, "--root", root, "--json").out)
    assert found["keys"] == 3
    assert found["root"] == str(root)
    shown = run("trie", "stats", store).out
    assert f"root        {root}\nkeys        3\n" in shown
    assert "value size  17\n" in shown


def test_the_root_of_what_is_listed(tmp_path: Path, run: Any) -> None:
    store, root = words("sqlite", tmp_path)
    listed = run("trie", "ls", store).out
    lines = tmp_path / "lines.txt"
    lines.write_text(listed)
    assert run("trie", "root", lines).out == f"{root}\n"
    found = run("trie", "root", "-", "--expect", root, stdin=listed.encode())
    assert (found.code, found.out, found.err) == (0, f"{root}\n", "")
    assert run("trie", "root", "-", stdin=b"").out == f"{EMPTY_ROOT}\n"
    other = run("trie", "root", lines, "--expect", "0x" + 64 * "0")
    assert (other.code, other.out) == (1, f"{root}\n")
    assert other.err == f"hexary: root: got {root}, expected 0x{64 * '0'}\n"
    assert run("trie", "root", lines, "--expect", "0x00").code == 2


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("0x61 0x62\n0x6 0x62\n", "line 2: a line is a key and a value, as hex: '0x6'"),
        ("0x61\n", "line 1: a line is a key and a value, as hex, got 0x307836310a"),
        ("0x61 0x62\n\n0x63\n", "line 3: a line is a key and a value"),
        (
            "0x62 0x62\n0x61 0x62\n",
            "line 2: a key is above the one before it, 0x62, got 0x61",
        ),
        ("0x62 0x62\n\n0x62 0x63\n", "line 3: a key is above the one before it, 0x62"),
        ("0x62 0x62\n\ufeff0x63 0x63\n", "line 2: a line is a key and a value"),
        ("\xff 0x62\n", "line 1"),
    ],
)
def test_lines_that_are_no_sorted_pairs(
    lines: str, message: str, tmp_path: Path, run: Any
) -> None:
    path = tmp_path / "lines.txt"
    path.write_text(lines)
    result = run("trie", "root", path)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert run("trie", "root", tmp_path / "none.txt").code == 2


def test_blank_lines_and_a_byte_order_mark_are_no_pairs(run: Any) -> None:
    plain = run("trie", "root", "-", stdin=b"0x61 0x31\n0x62 0x32\n")
    marked = b"\xef\xbb\xbf\r\n0x61 0x31\r\n  \n\n0x62 0x32"
    assert run("trie", "root", "-", stdin=marked) == plain
    assert plain.out == f"{trie_root({b'a': b'1', b'b': b'2'})}\n"


@each_file_kind
def test_collecting(kind: str, tmp_path: Path, run: Any) -> None:
    store, root = words(kind, tmp_path)
    home = StoreHome(kind, tmp_path)
    opened = home.open()
    opened.write([(keccak256(b"lost"), b"lost")])
    opened.write(roots={"words": None})
    home.close()
    kept = run("trie", "collect", store, "--keep", root)
    assert (kept.code, kept.err) == (0, "")
    assert kept.out.endswith(", removed 1 (4 bytes)\n")
    emptied = json.loads(run("trie", "collect", store, "--json").out)
    assert emptied["kept"] == 0
    assert emptied["removed"] > 0


def test_roots_that_are_not_clear(tmp_path: Path, run: Any) -> None:
    store, root = words("sqlite", tmp_path)
    home = StoreHome("sqlite", tmp_path)
    Trie({b"a": b"b"}, store=home.open()).commit("more")
    home.close()
    unclear = run("trie", "ls", store)
    assert unclear.code == 2
    assert "Give --root; the store's names: more, words" in unclear.err
    unknown = run("trie", "ls", store, "--root", "less")
    assert unknown.code == 2
    assert "'less' is no root's name and no hash" in unknown.err
    assert run("trie", "ls", store, "--root", "words").code == 0
    absent = run("trie", "ls", store, "--root", "00" * 32)
    assert absent.code == 2
    assert "is not available" in absent.err
    assert run("trie", "get", store, "xyz", "--root", root).code == 2


def test_files_that_are_no_stores(tmp_path: Path, run: Any) -> None:
    path = write(tmp_path, "alloc.json", {})
    result = run("trie", "roots", path)
    assert result.code == 2
    assert "is not a store of this kind" in result.err
    absent = run("trie", "roots", tmp_path / "absent.db")
    assert absent.code == 2
    assert "No such file" in absent.err
    assert not (tmp_path / "absent.db").exists()


@pytest.mark.parametrize("name", ["state.db", "state.mdb"])
@pytest.mark.parametrize("form", ["alloc", "lines", "document"])
def test_importing_a_state(name: str, form: str, tmp_path: Path, run: Any) -> None:
    store = tmp_path / name
    if form == "alloc":
        file = write(tmp_path, "alloc.json", ALLOC.to_json())
    else:
        file = tmp_path / "dump.json"
        text = dump_lines(ALLOC)
        if form == "document":
            root, *entries = map(json.loads, text.splitlines())
            text = json.dumps(
                {**root, "accounts": {each["address"]: each for each in entries}}
            )
        file.write_text(text)
    done = run("state", "import", file, store)
    shown = f"state root  {ALLOC.state_root()}\naccounts    2\n"
    assert done == (0, shown, "")
    assert run("root", file) == (0, shown, "")
    value = run("trie", "get", store, "--hashed", B).out
    assert value == f"0x{ALLOC[B].rlp().hex()}\n"
    assert run("diff", file, store) == (0, "", "")
    assert run("diff", f"{store}@state", f"{store}@{ALLOC.state_root()}").code == 0


def test_importing_a_genesis(tmp_path: Path, run: Any, checkout: Path) -> None:
    file = checkout / "fixtures/genesis/sepolia.json"
    store = tmp_path / "state.db"
    assert run("state", "import", file, store, "--name", "genesis").code == 0
    assert str(Genesis.from_file(file).state_root()) in run("trie", "roots", store).out


def test_many_accounts_are_committed_in_parts(
    tmp_path: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hexary.cli.state._BATCH", 7)
    alloc = Alloc(
        {n.to_bytes(20, "big"): Account(n, n, storage={n: n}) for n in range(1, 40)}
    )
    file = write(tmp_path, "alloc.json", alloc.to_json())
    result = run("state", "import", file, tmp_path / "state.db")
    assert result.out.startswith(f"state root  {alloc.state_root()}\n")
    home = StoreHome("sqlite", tmp_path)
    home.path = tmp_path / "state.db"
    store = home.open()
    assert State(store, store.root("state")).alloc() == alloc
    home.close()


def test_a_dump_whose_root_is_another_is_not_named(tmp_path: Path, run: Any) -> None:
    lines = dump_lines(ALLOC).splitlines(keepends=True)
    file = tmp_path / "dump.jsonl"
    file.write_text("".join(lines[:-1]))
    result = run("state", "import", file, tmp_path / "state.db")
    assert result.code == 1
    assert f"the file tells {ALLOC.state_root()}" in result.err
    assert run("trie", "roots", tmp_path / "state.db").out == ""


def test_differences(tmp_path: Path, run: Any) -> None:
    one = write(tmp_path, "a.json", ALLOC.to_json())
    two = write(tmp_path, "b.json", {"alloc": OTHER.to_json()})
    assert run("diff", one, one) == (0, "", "")
    result = run("diff", one, two)
    assert (result.code, result.err) == (1, "")
    assert sorted(result.out.splitlines()) == sorted(
        [
            f"{A} balance 10 11",
            f"{A} storage 0x7 0 8",
            f"{B} exists yes no",
            f"{B} balance 5 0",
        ]
    )
    lines = run("diff", one, two, "--json").out.splitlines()
    assert json.loads(lines[0]).keys() == {"account", "field", "slot", "a", "b"}
    assert len(lines) == 4
    assert run("diff", one, tmp_path / "absent").code == 2


def test_an_empty_file_is_made_a_store_by_an_import_alone(
    tmp_path: Path, run: Any
) -> None:
    path = tmp_path / "empty.db"
    path.touch()
    for arguments in (("roots",), ("stats",), ("collect",)):
        result = run("trie", *arguments, path)
        assert result.code == 2
        assert "not a store" in result.err
    assert path.read_bytes() == b""
    file = write(tmp_path, "alloc.json", ALLOC.to_json())
    assert run("state", "import", file, path).code == 0
    assert run("diff", file, path) == (0, "", "")


def test_what_is_no_file_is_not_waited_for(tmp_path: Path, run: Any) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    file = write(tmp_path, "alloc.json", ALLOC.to_json())
    for arguments in (("trie", "roots", path), ("state", "import", file, path)):
        result = run(*arguments)
        assert result.code == 2
        assert "it is no file" in result.err


def test_a_dump_that_lists_an_account_twice(tmp_path: Path, run: Any) -> None:
    file = tmp_path / "dump.jsonl"
    lines = dump_lines(ALLOC)
    file.write_text(lines + lines.splitlines()[-1] + "\n")
    other = write(tmp_path, "alloc.json", ALLOC.to_json())
    for arguments in (
        ("root", file),
        ("state", "import", file, tmp_path / "state.db"),
        ("diff", file, other),
    ):
        result = run(*arguments)
        assert result.code == 2
        assert "twice" in result.err
