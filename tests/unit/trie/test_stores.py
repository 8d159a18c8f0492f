"""What every store promises, on every kind of store."""

from __future__ import annotations

import os
import sqlite3
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from hexary import EMPTY_ROOT, keccak256
from hexary.errors import (
    InputTypeError,
    MissingExtraError,
    RangeError,
    SizeError,
    StoreError,
    StoreReason,
)
from hexary.trie import (
    LMDBStore,
    MemoryStore,
    NodeCache,
    NodeStore,
    SQLiteStore,
    Trie,
)
from stores import StoreHome, each_file_kind

ONE = (keccak256(b"one"), b"one")
TWO = (keccak256(b"two"), b"two")


def reason_of(error: pytest.ExceptionInfo[StoreError]) -> StoreReason:
    return error.value.reason


def test_what_goes_in_comes_out(home: StoreHome) -> None:
    store = home.open()
    assert isinstance(store, NodeStore)
    store.write([ONE])
    store.write({TWO[0]: TWO[1]}, roots={"first": ONE[0]})
    for options in ({}, {"read_only": True}, {}):
        each = store = home.open(**options)
        assert each.read(ONE[0]) == b"one"
        assert TWO[0] in each
        assert each.roots() == {"first": ONE[0]}
        assert each.root("first") == ONE[0]
        assert each.root("second") is None
        assert each.read(bytes(32)) is None
        assert bytes(32) not in each
    assert store.read(b"short") is None
    assert b"" not in store
    assert "text" not in store


def test_bytes_under_another_hash_are_refused_with_all_that_came_along(
    home: StoreHome,
) -> None:
    store = home.open()
    with pytest.raises(StoreError, match="not the key") as caught:
        store.write([ONE, (TWO[0], b"too")], roots={"first": ONE[0]})
    assert reason_of(caught) is StoreReason.WRONG_HASH
    assert caught.value.node_hash == TWO[0]
    assert ONE[0] not in store
    assert store.roots() == {}


def test_a_root_is_named_only_if_it_is_there(home: StoreHome) -> None:
    store = home.open()
    with pytest.raises(StoreError) as caught:
        store.write([ONE], roots={"first": ONE[0], "second": TWO[0]})
    assert (reason_of(caught), caught.value.node_hash) == (
        StoreReason.UNKNOWN_ROOT,
        TWO[0],
    )
    assert ONE[0] not in store
    assert store.roots() == {}
    store.write(roots={"empty": EMPTY_ROOT})
    assert store.roots() == {"empty": EMPTY_ROOT}
    store.write(roots={"empty": None, "never there": None})
    assert store.roots() == {}


def test_what_a_write_builds_upon_has_to_be_there(home: StoreHome) -> None:
    store = home.open()
    with pytest.raises(StoreError) as caught:
        store.write([ONE], base=TWO[0])
    assert reason_of(caught) is StoreReason.BASE_COLLECTED
    assert ONE[0] not in store
    store.write([ONE], base=EMPTY_ROOT)
    store.write([TWO], base=ONE[0])
    assert TWO[0] in store


def test_an_error_inside_a_transaction_undoes_it(home: StoreHome) -> None:
    store = home.open()
    store.write([ONE], roots={"first": ONE[0]})
    with pytest.raises(KeyError), store.transaction() as transaction:
        transaction.put([TWO])
        transaction.point("first", TWO[0])
        assert transaction.find(TWO[0]) == b"two"
        assert transaction.roots() == {"first": TWO[0]}
        raise KeyError("a caller's own")
    assert TWO[0] not in store
    assert store.roots() == {"first": ONE[0]}
    store.write([TWO])
    assert TWO[0] in store


def test_a_thread_that_writes_twice_at_once_is_told_so(home: StoreHome) -> None:
    store = home.open()
    with store.transaction(), pytest.raises(StoreError) as caught:
        store.write([ONE])
    assert reason_of(caught) is StoreReason.BUSY


def test_reading_only_refuses_to_write(home: StoreHome) -> None:
    home.open().write([ONE], roots={"first": ONE[0]})
    for opener in (lambda: home.open(read_only=True), lambda: home.open().view()):
        store = opener()
        assert store.read_only
        assert store.read(ONE[0]) == b"one"
        with pytest.raises(StoreError) as caught:
            store.write([TWO])
        assert reason_of(caught) is StoreReason.READ_ONLY
    assert not home.open().read_only


def test_a_closed_store_says_so(home: StoreHome) -> None:
    store = home.open()
    with store:
        store.write([ONE])
    store.close()
    for use in (
        lambda: store.read(ONE[0]),
        lambda: ONE[0] in store,
        lambda: store.roots(),
        lambda: store.write([TWO]),
    ):
        with pytest.raises(StoreError) as caught:
            use()
        assert reason_of(caught) is StoreReason.CLOSED


def test_arguments_that_do_not_fit(home: StoreHome) -> None:
    store = home.open()
    with pytest.raises(InputTypeError, match="hash"):
        store.write([("text", b"")])
    with pytest.raises(SizeError, match=r"roots\['first'\]"):
        store.write(roots={"first": b"short"})
    with pytest.raises(InputTypeError, match="name"):
        store.write(roots={1: ONE[0]})
    for name in ("", "é" * 128):
        with pytest.raises(RangeError, match="name"):
            store.write(roots={name: None})
    store.write([ONE], roots={"é" * 127: ONE[0]})
    assert store.roots() == {"é" * 127: ONE[0]}


def test_large_and_empty_blobs(home: StoreHome) -> None:
    blobs = {keccak256(blob): blob for blob in (b"", bytes(1 << 20), b"x" * 5000)}
    store = home.open()
    store.write(blobs)
    for digest, blob in blobs.items():
        assert digest in store
        assert store.read(digest) == blob


def test_many_threads_read_while_one_writes(home: StoreHome) -> None:
    store = home.open()
    blobs = {keccak256(bytes([n, 7])): bytes([n, 7]) for n in range(200)}
    store.write(blobs)
    wrong: list[object] = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            for digest, blob in blobs.items():
                try:
                    if store.read(digest) != blob or "x" in store.roots():
                        wrong.append(digest)
                except StoreError as error:
                    wrong.append(error)

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for n in range(50):
        blob = b"new" + bytes([n])
        store.write([(keccak256(blob), blob)], roots={"y": keccak256(blob)})
    done.set()
    for thread in threads:
        thread.join()
    assert wrong == []


def flip(path: Path, wanted: bytes) -> None:
    """Change a bit of *wanted* wherever it stands in the files of a store."""
    flipped = 0
    for part in path.parent.iterdir():
        content = bytearray(part.read_bytes())
        at = content.find(wanted)
        while at >= 0:
            content[at + len(wanted) // 2] ^= 1
            flipped += 1
            at = content.find(wanted, at + 1)
        part.write_bytes(content)
    assert flipped


@each_file_kind
def test_a_flipped_bit_is_found_and_named_and_a_new_write_heals_it(
    kind: str, tmp_path: Path
) -> None:
    home = StoreHome(kind, tmp_path)
    trie = Trie({b"do": b"verb", b"dog": b"a puppy of some length" * 3})
    root = trie.root_hash
    store = home.open()
    Trie(trie, store=store).commit("words")
    home.close()
    flip(home.path, b"a puppy of some length" * 3)
    store = home.open()
    opened = Trie(store, root)
    assert opened[b"do"] == b"verb"
    with pytest.raises(StoreError) as caught:
        opened[b"dog"]
    assert reason_of(caught) is StoreReason.CORRUPT
    leaf = next(
        walked.digest for walked in trie.nodes() if walked.digest and walked.depth == 2
    )
    assert caught.value.node_hash == leaf
    assert f"0x{leaf.hex()[2:]}" in str(caught.value)
    assert opened.root_hash == root
    Trie(trie, store=store).commit("words")
    assert opened[b"dog"] == trie[b"dog"]
    home.close()


def test_flipped_bytes_in_memory_are_found_too() -> None:
    store = MemoryStore()
    store.write([ONE])
    store._blobs[ONE[0]] = b"0ne"
    with pytest.raises(StoreError) as caught:
        store.read(ONE[0])
    assert (reason_of(caught), caught.value.node_hash) == (StoreReason.CORRUPT, ONE[0])


@each_file_kind
def test_a_file_of_another_kind_is_refused_and_left_alone(
    kind: str, tmp_path: Path
) -> None:
    opener = SQLiteStore if kind == "sqlite" else LMDBStore
    text = tmp_path / "notes.txt"
    text.write_bytes(b"not a store " * 1000)
    with pytest.raises(StoreError) as caught:
        opener(text)
    assert reason_of(caught) is StoreReason.NOT_A_STORE
    assert text.read_bytes() == b"not a store " * 1000
    with pytest.raises(StoreError, match="absent"):
        opener(tmp_path / "absent", read_only=True)
    assert not (tmp_path / "absent").exists()
    with pytest.raises(StoreError, match="no_folder"):
        opener(tmp_path / "no_folder" / "file")


def test_another_programs_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE blob (hash, data)")
    database.close()
    with pytest.raises(StoreError, match="application 0x0") as caught:
        SQLiteStore(path)
    assert reason_of(caught) is StoreReason.NOT_A_STORE


def test_another_programs_environment_is_refused(tmp_path: Path) -> None:
    lmdb = pytest.importorskip("lmdb")
    path = str(tmp_path / "other.mdb")
    with (
        lmdb.open(path, subdir=False) as environment,
        environment.begin(write=True) as transaction,
    ):
        transaction.put(b"key", b"value")
    with pytest.raises(StoreError) as caught:
        LMDBStore(path)
    assert reason_of(caught) is StoreReason.NOT_A_STORE


def test_without_lmdb_the_error_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "lmdb", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'lmdb>=\d") as caught:
        LMDBStore(tmp_path / "trie.mdb")
    assert caught.value.extra == "lmdb"


def test_a_full_map_is_told_and_loses_nothing(tmp_path: Path) -> None:
    home = StoreHome("lmdb", tmp_path)
    store = home.open(map_size=1 << 17)
    store.write([ONE], roots={"first": ONE[0]})
    large = bytes(1 << 17)
    with pytest.raises(StoreError) as caught:
        store.write([(keccak256(large), large)], roots={"first": keccak256(large)})
    assert reason_of(caught) is StoreReason.FULL
    assert store.root("first") == ONE[0]
    store = home.open()
    store.write([(keccak256(large), large)])
    assert store.read(ONE[0]) == b"one"
    home.close()


@each_file_kind
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_opens_its_own(kind: str, tmp_path: Path) -> None:
    home = StoreHome(kind, tmp_path)
    store = home.open()
    store.write([ONE])
    child = os.fork()
    if not child:
        status = 1
        try:
            store.read(ONE[0])
        except StoreError as error:
            status = 0 if error.reason is StoreReason.OTHER_PROCESS else 2
        os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    assert store.read(ONE[0]) == b"one"
    home.close()


@each_file_kind
def test_two_writers_take_turns(kind: str, tmp_path: Path) -> None:
    """Each thread's writes are whole; neither fails."""
    home = StoreHome(kind, tmp_path)
    store = home.open()
    wrong: list[StoreError] = []

    def write(name: str) -> None:
        for n in range(30):
            blob = f"{name} {n}".encode()
            try:
                store.write([(keccak256(blob), blob)], roots={name: keccak256(blob)})
            except StoreError as error:
                wrong.append(error)

    threads = [threading.Thread(target=write, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert store.roots() == {name: keccak256(f"{name} 29".encode()) for name in "abc"}
    home.close()


@pytest.mark.parametrize(
    "arguments",
    [
        {"roots": {"\udcff": bytes(32)}},
        {"roots": ["words"]},
        {"base": "root"},
    ],
)
def test_odd_names_and_roots_are_refused(home: StoreHome, arguments: Any) -> None:
    with pytest.raises(InputTypeError):
        home.open().write(**arguments)


def test_a_cache_is_one_of_a_store() -> None:
    with pytest.raises(InputTypeError, match="store"):
        NodeCache({})  # type: ignore[arg-type]  # refused, which is the point
    with pytest.raises(InputTypeError, match="size"):
        NodeCache(MemoryStore(), "many")  # type: ignore[arg-type]  # refused, which is the point


def test_what_is_no_nodes_is_told_by_the_name_of_the_argument():
    for wrong, name in ((None, "nodes"), (5, "nodes"), ([5], r"nodes\[0\]")):
        with pytest.raises(InputTypeError, match=rf"^{name} must be "):
            MemoryStore(wrong)
    with pytest.raises(InputTypeError, match=r"^blobs must be "):
        MemoryStore().write(5)
