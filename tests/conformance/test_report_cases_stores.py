"""
Public bug reports about deleting and persistence (``reports/cases.json``), on stores.

The inputs are spelled as calls; each answer is asserted to stand in the file.  The
deletions that need no store are in ``test_report_cases_trie.py`` too.
"""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from conformance.vector_files import VECTORS
from hexary import EMPTY_ROOT, MemoryStore, MissingNodeError, Trie, trie_root
from hexary.trie import decode_node
from stores import StoreHome, each_kind

pytestmark = pytest.mark.vectors


@pytest.fixture(scope="module")
def answers() -> dict[str, str]:
    """Return id → the expected answer as the file spells it."""
    cases = json.loads((VECTORS / "reports/cases.json").read_text())
    return {case["id"]: case["expected"] for case in cases}


def shown(root: bytes) -> str:
    return bytes(root).hex()


@each_kind
@pytest.mark.parametrize(
    ("case", "pairs", "doomed"),
    [
        ("U038", "do=verb doge=coin dog=puppy", "dog doge do"),
        ("U039", "a=a b=b", "b"),
        (
            "U040",
            (
                "do=verb ether=wookiedoo horse=stallion shaman=horse doge=coin "
                "dog=puppy somethingveryoddindeedthis+is=myothernodedata"
            ),
            "do",
        ),
        ("U041", "key1=value1 key2=value2", "key1"),
        ("U045", "a=1 ab=2", "a"),
    ],
    ids=lambda value: value if value[:1] == "U" else "",
)
def test_persist_reopen_and_delete(
    case: str,
    pairs: str,
    doomed: str,
    kind: str,
    answers: dict[str, str],
    tmp_path: Path,
) -> None:
    home = StoreHome(kind, tmp_path)
    table = {
        key.replace("+", " ").encode(): value.encode()
        for key, _, value in (pair.partition("=") for pair in pairs.split())
    }
    roots = [Trie(table, store=home.open()).commit("latest")]
    for key in doomed.split():
        store = home.open()
        trie = Trie(store, store.root("latest"))
        trie[key.encode()] = b""
        del table[key.encode()]
        roots.append(trie.commit("latest"))
        assert roots[-1] == trie_root(table)
    expected = answers[case]
    if case == "U038":
        assert ", ".join(map(shown, roots[1:])) == expected
    else:
        assert shown(roots[-1]) in expected
    home.close()


@each_kind
def test_u044_deleting_an_absent_key_that_begins_others(
    kind: str, answers: dict[str, str], tmp_path: Path
) -> None:
    home = StoreHome(kind, tmp_path)
    pairs = {b"\xff\xff": b"\x0a", b"\xfe\xff\xe9": b"\x0b", b"\xff\xff\xff": b"\x0c"}
    store = home.open()
    trie = Trie(store, Trie(pairs, store=store).commit())
    trie[b"\xff"] = b""
    assert shown(trie.commit()) in answers["U044"]
    home.close()


@each_kind
def test_u050_a_batch_that_changes_nothing_keeps_a_short_root(
    kind: str, answers: dict[str, str], tmp_path: Path
) -> None:
    home = StoreHome(kind, tmp_path)
    store = home.open()
    root = Trie({b"any": b"short"}, store=store).commit("latest")
    trie = Trie(store, root)
    with trie.transaction():
        pass
    assert trie.commit("latest") == root
    assert answers["U050"] == "root node still in store"
    assert root in store
    assert Trie(home.open(), root)[b"any"] == b"short"
    home.close()


def test_u053_emptied_siblings_beside_a_hash_need_the_node_behind_it() -> None:
    """Two of three children go; the third, known by its hash alone, would move up."""
    pairs = {bytes([0x10 + n, 0]): bytes([n]) * 40 for n in range(3)}
    store = MemoryStore()
    root = Trie(pairs, store=store).commit()
    third = next(
        walked for walked in Trie(store, root).nodes() if walked.path[-1:] == b"\x02"
    )
    missing = {third.digest: store._blobs.pop(bytes(third.digest))}
    trie = Trie(store, root)
    del trie[b"\x10\x00"]
    before = trie.root_hash
    with pytest.raises(MissingNodeError) as caught:
        del trie[b"\x11\x00"]
    assert caught.value.node_hash == third.digest
    assert caught.value.path == third.path
    assert trie.root_hash == before
    store.write(missing)
    del trie[b"\x11\x00"]
    assert trie.root_hash == trie_root({b"\x12\x00": b"\x02" * 40})


def test_u054_the_deleted_keys_path_alone_is_not_enough(
    answers: dict[str, str],
) -> None:
    whole = MemoryStore()
    pairs = {b"\x11\x11": b"A" * 33, b"\x11\x22": b"B" * 33}
    root = Trie(pairs, store=whole).commit()
    assert root.hex()[2:] == (
        "8fe5a3e3599be8d90f54d528cdcefc24a783397df4420c6d669226a2a1133c37"
    )
    sibling = bytes.fromhex("e332a1" + "42" * 33)
    digest = decode_node(sibling).hash
    assert shown(digest) in answers["U054"]
    partial = MemoryStore()
    partial.write(pair for pair in whole._blobs.items() if pair[0] != digest)
    trie = Trie(partial, root)
    with pytest.raises(MissingNodeError) as caught:
        del trie[b"\x11\x11"]
    assert (caught.value.node_hash, caught.value.path) == (digest, b"\x01\x01\x02")
    assert trie[b"\x11\x11"] == b"A" * 33
    partial.write([(digest, sibling)])
    del trie[b"\x11\x11"]
    assert shown(trie.root_hash) in answers["U054"]


def test_u056_deleting_beyond_a_missing_node_and_deleting_what_is_absent() -> None:
    store = MemoryStore()
    pairs = {bytes([0x10, n]): bytes([n]) * 40 for n in (0x00, 0x10, 0x11, 0x20)}
    root = Trie(pairs, store=store).commit()
    hidden = next(
        walked for walked in Trie(store, root).nodes() if walked.path == b"\x01\x00\x01"
    )
    del store._blobs[bytes(hidden.digest)]
    trie = Trie(store, root)
    with pytest.raises(MissingNodeError):
        del trie[b"\x10\x11"]
    trie[b"\x10\x30"] = b""
    with pytest.raises(KeyError):
        del trie[b"\x20\x00"]
    assert trie.root_hash == root


@each_kind
def test_u161_snapshots_written_from_two_threads_are_independent(
    kind: str, tmp_path: Path
) -> None:
    home = StoreHome(kind, tmp_path)
    store = home.open()
    pairs = {bytes([n, n]): bytes([n]) * 40 for n in range(100)}
    trie = Trie(store, Trie(pairs, store=store).commit())
    roots: dict[int, bytes] = {}

    def change(number: int, mine: Trie) -> None:
        for n in range(100):
            mine[bytes([n, n])] = bytes([number]) * (n + 1)
            if n % 20 == 0:
                mine.commit(str(number))
        roots[number] = mine.commit(str(number))

    threads = [
        threading.Thread(target=change, args=(number, trie.copy()))
        for number in (1, 2, 3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in (1, 2, 3):
        expected = {bytes([n, n]): bytes([number]) * (n + 1) for n in range(100)}
        assert roots[number] == store.root(str(number)) == trie_root(expected)
    assert dict(trie) == pairs
    home.close()


@each_kind
def test_u163_a_change_that_is_undone(kind: str, tmp_path: Path) -> None:
    home = StoreHome(kind, tmp_path)
    store = home.open()
    base = {bytes([n]) * 32: bytes([n]) * 33 for n in range(20)}
    trie, model = Trie(base, store=store), dict(base)
    first = trie.commit("latest")
    slot = b"\x05" * 31 + b"\x06"
    for key, value in ((slot, b"1"), (slot, b""), (b"\x07" * 32, b"other")):
        trie[key] = value
        model[key] = value
        root = trie.commit("latest")
        assert root == trie_root(model)
        trie = Trie(store, root)
    trie[b"\x07" * 32] = base[b"\x07" * 32]
    assert trie.commit("latest") == first
    home.close()


def test_u037_an_emptied_trie_is_the_empty_root(answers: dict[str, str]) -> None:
    store = MemoryStore()
    trie = Trie({b"k": b"v"}, store=store)
    trie.commit("latest")
    del trie[b"k"]
    assert trie.commit("latest") == EMPTY_ROOT
    assert shown(store.root("latest") or b"") == answers["U037"]


@each_kind
def test_u058_the_empty_root_needs_no_node(
    kind: str, answers: dict[str, str], tmp_path: Path
) -> None:
    home = StoreHome(kind, tmp_path)
    trie = Trie(home.open(), EMPTY_ROOT)
    assert answers["U058"] == "works: get = absent, set from empty"
    assert trie.get(b"key") is None
    trie[b"key"] = b"value"
    root = trie.commit("latest")
    assert Trie(home.open(), root)[b"key"] == b"value"
    home.close()
