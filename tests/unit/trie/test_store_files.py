"""Files of stores: their names, what damaged them, and forked processes."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from hexary import collect_garbage
from hexary.errors import (
    InputTypeError,
    MissingNodeError,
    StoreError,
    StoreReason,
)
from hexary.trie import LMDBStore, SQLiteStore, Trie
from stores import StoreHome, each_file_kind


@each_file_kind
def test_a_name_counts_from_the_folder_where_it_was_opened(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    opener = SQLiteStore if kind == "sqlite" else LMDBStore
    with opener("trie.db") as store:
        monkeypatch.chdir("elsewhere")
        root = Trie({b"do": b"verb"}, store=store).commit("words")
    assert list((tmp_path / "elsewhere").iterdir()) == []
    with opener(tmp_path / "trie.db") as store:
        assert store.root("words") == root


@each_file_kind
@pytest.mark.parametrize("name", [b"\xff\xfe", b"a?b#c%20d e"])
def test_a_file_may_have_any_name(kind: str, name: bytes, tmp_path: Path) -> None:
    path = os.path.join(os.fsencode(tmp_path), name)
    opener = SQLiteStore if kind == "sqlite" else LMDBStore
    with opener(os.fsdecode(path)) as store:
        root = Trie({b"do": b"verb"}, store=store).commit("words")
    with opener(path, read_only=True) as store:
        assert store.root("words") == root


@each_file_kind
@pytest.mark.parametrize("path", ["a\0b", 3, None])
def test_what_is_no_path_is_refused(kind: str, path: object, tmp_path: Path) -> None:
    opener = SQLiteStore if kind == "sqlite" else LMDBStore
    with pytest.raises(InputTypeError, match="path"):
        opener(path)  # type: ignore[arg-type]  # refused, which is the point


@each_file_kind
@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_that_was_cut_is_told(
    kind: str, read_only: bool, tmp_path: Path
) -> None:
    """Wherever: a memory map that goes beyond its file would end the process."""
    home = StoreHome(kind, tmp_path)
    pairs = {bytes([n]) * 32: bytes([n]) * 300 for n in range(1, 60)}
    Trie(pairs, store=home.open()).commit("words")
    home.close()
    whole = home.path.read_bytes()
    sizes = range(4096, len(whole) - 1, 4096 * 2 + 1000)
    told = 0
    for size in sizes:
        home.path.write_bytes(whole[:size])
        try:
            with home.open(read_only=read_only) as store:
                assert dict(Trie(store, store.root("words"))) == pairs
        except (StoreError, MissingNodeError):
            told += 1
        home.close()
    assert told > len(sizes) // 2


def test_what_is_no_root_in_the_table_of_roots_is_told(tmp_path: Path) -> None:
    path = tmp_path / "trie.db"
    with SQLiteStore(path) as store:
        root = Trie({b"do": b"verb"}, store=store).commit("words")
    for name, digest in (
        ("x", b"short"),
        ("x", "text"),
        ("x", 5),
        (b"\xff", bytes(32)),
    ):
        with sqlite3.connect(path) as connection:
            connection.execute("DELETE FROM root")
            connection.execute("INSERT INTO root VALUES (?, ?)", (name, digest))
        connection.close()
        with SQLiteStore(path) as store:
            for use in (store.roots, lambda: collect_garbage(store)):
                with pytest.raises(StoreError) as caught:
                    use()
                assert caught.value.reason is StoreReason.CORRUPT
            assert root in store


@pytest.mark.parametrize("data", [10**12, "text", 1.5])
def test_what_is_no_bytes_in_the_table_of_blobs_is_told(
    data: object, tmp_path: Path
) -> None:
    path = tmp_path / "trie.db"
    with SQLiteStore(path) as store:
        root = Trie({b"do": b"verb"}, store=store).commit("words")
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE blob SET data = ?", (data,))
    connection.close()
    with SQLiteStore(path) as store, pytest.raises(StoreError) as caught:
        Trie(store, root)
    assert caught.value.node_hash == root
    assert caught.value.reason is StoreReason.CORRUPT


@each_file_kind
def test_a_process_forked_while_a_thread_writes_does_not_wait(
    kind: str, tmp_path: Path
) -> None:
    """The lock that the thread holds is held for good in the child."""
    home = StoreHome(kind, tmp_path)
    store = home.open()
    entered, done = threading.Event(), threading.Event()

    def hold() -> None:
        with store.transaction():
            entered.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    entered.wait()
    child = os.fork()
    if not child:
        signal.alarm(20)
        try:
            store.write()
        except StoreError as error:
            store.close()
            os._exit(error.reason is not StoreReason.OTHER_PROCESS)
        os._exit(1)
    _, status = os.waitpid(child, 0)
    done.set()
    thread.join()
    home.close()
    assert status == 0


_FORKING = """
import os, sys
from hexary import LMDBStore, SQLiteStore, Trie

opener, path = {"sqlite": SQLiteStore, "lmdb": LMDBStore}[sys.argv[1]], sys.argv[2]
store = opener(path)
trie = Trie({b"do": b"verb"}, store=store)
trie.commit("words")
for number in range(3):
    child = os.fork()
    if not child:
        if number:
            with opener(path) as own:
                theirs = Trie(own, own.root("words"))
                theirs[b"child"] = b"its own"
                theirs.commit("child")
        sys.exit()
    assert os.waitpid(child, 0)[1] == 0
    assert Trie(store, store.root("words"))[b"do"] == b"verb"
    trie[bytes([number])] = b"after the fork"
    trie.commit("words")
assert Trie(store, store.root("child"))[b"child"] == b"its own"
"""


@each_file_kind
def test_a_forked_process_opens_its_own_and_leaves_the_other(
    kind: str, tmp_path: Path
) -> None:
    """Also where it ends as programs do, and lets go of all that it inherited."""
    done = subprocess.run(
        [sys.executable, "-c", _FORKING, kind, tmp_path / "trie.db"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
