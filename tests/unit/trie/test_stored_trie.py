"""Tries on a store: opened lazily, committed, rolled back."""

from __future__ import annotations

import threading

import pytest

from hexary import (
    EMPTY_ROOT,
    SecureTrie,
    Trie,
    keccak256,
    recording,
    trie_differences,
    trie_root,
)
from hexary.errors import (
    InputTypeError,
    MissingNodeError,
    NodeError,
    NodeReason,
    SizeError,
    StoreError,
    StoreReason,
)
from hexary.trie import LeafNode, MemoryStore, NodeCache
from stores import StoreHome

PAIRS = {
    b"do": b"verb",
    b"dog": b"puppy",
    b"doge": b"coin" * 10,
    b"horse": b"stallion" * 5,
    b"": b"empty",
}
MANY = {keccak256(bytes([n])): bytes([n, 1]) * 20 for n in range(200)}


class CountingStore(MemoryStore):
    """Counts the blobs that are read and those that are written."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = 0
        self.writes: list[bytes] = []

    def read(self, digest):
        self.reads += 1
        return super().read(digest)

    def write(self, blobs=(), **options):
        blobs = list(blobs)
        self.writes += [digest for digest, _ in blobs]
        super().write(blobs, **options)


@pytest.mark.parametrize("pairs", [PAIRS, MANY, {b"k": b"v"}, {}])
def test_a_committed_trie_opens_with_the_same_content(home: StoreHome, pairs) -> None:
    store = home.open()
    root = Trie(pairs, store=store).commit("latest")
    assert root == trie_root(pairs) == store.root("latest")
    store = home.open(read_only=True)
    for trie in (Trie(store, root), Trie(store=store, root=root)):
        assert trie.root_hash == root
        assert dict(trie) == pairs
        assert len(trie) == len(pairs)
        assert bool(trie) == bool(pairs)
        for key, value in pairs.items():
            assert trie[key] == value
        assert b"cat" not in trie
        assert trie.store is store


def test_opening_reads_the_root_and_a_key_reads_its_path() -> None:
    store = CountingStore()
    root = Trie(MANY, store=store).commit()
    trie = Trie(store, root)
    assert store.reads == 1
    key = next(iter(MANY))
    assert trie[key] == MANY[key]
    assert 1 < store.reads <= 5
    before = store.reads
    assert trie[key] == MANY[key]
    assert store.reads == before


def test_a_commit_writes_new_nodes_alone_children_first_and_once() -> None:
    store = CountingStore()
    trie = Trie(MANY, store=store)
    trie.commit()
    key = next(iter(MANY))
    store.writes = []
    trie[key] = b"changed" * 6
    root = trie.commit()
    assert store.writes[-1] == root
    path = [
        walked.digest for walked in trie.nodes() if walked.digest in set(store.writes)
    ]
    assert store.writes == path[::-1]
    assert len(store.writes) <= 4
    store.writes = []
    assert trie.commit() == root
    assert store.writes == []


def test_only_dirty_paths_are_hashed_again() -> None:
    store = MemoryStore()
    trie = Trie(store, Trie(MANY, store=store).commit())
    trie[next(iter(MANY))] = b"changed"
    trie[b"new"] = b"key"
    with recording() as record:
        root = trie.root_hash
    assert record.calls <= 8
    assert root == trie_root(MANY | {next(iter(MANY)): b"changed"} | {b"new": b"key"})


def test_changes_are_in_memory_until_they_are_committed(home: StoreHome) -> None:
    store = home.open()
    trie = Trie(PAIRS, store=store)
    root = trie.commit("latest")
    trie[b"cat"] = b"tiger"
    assert Trie(store, root).get(b"cat") is None
    trie.commit("latest")
    again = Trie(store, store.root("latest"))
    assert again[b"cat"] == b"tiger"
    assert again == trie
    del again[b"cat"]
    assert again.root_hash == root


def test_several_roots_over_one_store(home: StoreHome) -> None:
    store = home.open()
    one = Trie(PAIRS, store=store)
    two = Trie(MANY, store=store)
    one.commit("one")
    two.commit("two")
    snapshot = one.copy()
    one.update(MANY)
    one.commit("both")
    store = home.open()
    assert dict(Trie(store, store.root("one"))) == PAIRS
    assert dict(Trie(store, store.root("two"))) == MANY
    assert dict(Trie(store, store.root("both"))) == PAIRS | MANY
    assert snapshot.root_hash == store.root("one")


@pytest.mark.parametrize("gone", ["do", "dog", "doge", "horse", ""])
def test_deleting_in_an_opened_trie_merges_nodes(home: StoreHome, gone: str) -> None:
    """Also onto nodes that are only in the store."""
    store = home.open()
    pairs = PAIRS | {b"horses": b"many", b"zebra": b"stripes" * 6}
    trie = Trie(store, Trie(pairs, store=store).commit())
    rest = dict(pairs)
    for key in (gone.encode(), b"zebra", b"horses"):
        del trie[key]
        del rest[key]
        assert trie.root_hash == trie_root(rest)
    trie = Trie(store, trie.commit())
    for key in list(rest):
        del trie[key]
        del rest[key]
        assert trie.commit() == trie_root(rest)
    assert not trie
    assert trie.root_hash == EMPTY_ROOT


def without(store: MemoryStore, digest: bytes) -> MemoryStore:
    """Return a store that lacks a blob."""
    other = MemoryStore()
    other.write({key: blob for key, blob in store._blobs.items() if key != digest})
    return other


def test_a_missing_node_is_named_with_its_path_and_changes_nothing() -> None:
    store = MemoryStore()
    pairs = {b"\x11\x11": b"A" * 33, b"\x11\x22": b"B" * 33, b"\x30": b"C" * 33}
    root = Trie(pairs, store=store).commit()
    leaf = next(
        walked
        for walked in Trie(store, root).nodes()
        if walked.path == bytes([1, 1, 2]) and walked.digest
    )
    trie = Trie(without(store, leaf.digest), root)
    for use in (
        lambda: trie[b"\x11\x22"],
        lambda: trie.get(b"\x11\x22"),
        lambda: b"\x11\x22" in trie,
        lambda: trie.update({b"\x11\x22": b"new"}),
        lambda: trie.pop(b"\x11\x22"),
        lambda: trie.update({b"\x11\x11": b""}),  # would merge with what is missing
        lambda: list(trie),
        lambda: len(trie),
        lambda: trie.statistics(),
    ):
        with pytest.raises(MissingNodeError) as caught:
            use()
        assert caught.value.node_hash == leaf.digest
        assert caught.value.path == bytes([1, 1, 2])
        assert not isinstance(caught.value, KeyError)
    assert trie.root_hash == root
    assert list(trie.items(prefix=b"\x30")) == [(b"\x30", b"C" * 33)]
    trie[b"\x11\x11"] = b"other" * 8
    trie[b"\x30"] = b""
    assert trie.root_hash == trie_root(
        {b"\x11\x11": b"other" * 8, b"\x11\x22": b"B" * 33}
    )


def test_an_absent_root_is_refused_at_once() -> None:
    with pytest.raises(MissingNodeError, match="path \\(root\\)"):
        Trie(MemoryStore(), bytes(32))


def test_no_root_is_the_empty_trie(home: StoreHome) -> None:
    store = home.open()
    trie = Trie(store, store.root("never named"))
    assert trie.root_hash == EMPTY_ROOT
    assert trie.commit("now named") == EMPTY_ROOT
    assert store.roots() == {"now named": EMPTY_ROOT}


def test_a_blob_that_is_no_node_is_a_node_error_with_hash_and_path() -> None:
    store = MemoryStore()
    store.write([(keccak256(b"code"), b"code")])
    with pytest.raises(NodeError) as caught:
        Trie(store, keccak256(b"code"))
    assert caught.value.node_hash == keccak256(b"code")
    assert caught.value.path == b""


def test_arguments_that_do_not_fit() -> None:
    with pytest.raises(SizeError, match="root"):
        Trie(MemoryStore(), b"short")
    with pytest.raises(InputTypeError, match="root"):
        Trie(MemoryStore(), "latest")
    with pytest.raises(InputTypeError, match="a store"):
        Trie(PAIRS, store={})
    with pytest.raises(InputTypeError, match="first of two"):
        Trie(PAIRS, EMPTY_ROOT)


def test_without_a_store_there_is_nothing_to_commit_to() -> None:
    with pytest.raises(StoreError) as caught:
        Trie(PAIRS).commit()
    assert caught.value.reason is StoreReason.NO_STORE
    assert Trie().store is None


def test_a_commit_that_fails_keeps_the_changes(home: StoreHome) -> None:
    store = home.open()
    root = Trie(PAIRS, store=store).commit("latest")
    trie = Trie(store.view(), root)
    trie[b"cat"] = b"tiger"
    with pytest.raises(StoreError) as caught:
        trie.commit("latest")
    assert caught.value.reason is StoreReason.READ_ONLY
    assert trie[b"cat"] == b"tiger"
    assert store.root("latest") == root


def test_a_transaction_undoes_all_of_it_on_an_error(home: StoreHome) -> None:
    store = home.open()
    for trie in (Trie(PAIRS), Trie(store, Trie(PAIRS, store=store).commit())):
        root = trie.root_hash
        with pytest.raises(KeyError), trie.transaction() as same:
            assert same is trie
            trie[b"cat"] = b"tiger"
            del trie[b"dog"]
            with pytest.raises(KeyError), trie.transaction():
                trie.clear()
                del trie[b"dog"]
            assert trie[b"cat"] == b"tiger"
            if trie.store is not None:
                trie.commit()
            del trie[b"dog"]
        assert trie.root_hash == root
        assert dict(trie) == PAIRS
        assert len(trie) == len(PAIRS)
        with trie.transaction():
            trie[b"cat"] = b"tiger"
        assert trie[b"cat"] == b"tiger"
        if trie.store is not None:
            trie.commit()


def test_length_is_unknown_until_it_is_asked_for(home: StoreHome) -> None:
    store = home.open()
    trie = Trie(store, Trie(PAIRS, store=store).commit())
    assert "unknown keys" in repr(trie)
    trie[b"cat"] = b"tiger"
    assert "unknown keys" in repr(trie)
    assert len(trie) == len(PAIRS) + 1
    del trie[b"dog"]
    assert f"of {len(PAIRS)} keys" in repr(trie)
    assert len(trie.copy()) == len(PAIRS)
    trie.clear()
    assert len(trie) == 0


def test_tries_may_share_their_decoded_nodes() -> None:
    store = CountingStore()
    root = Trie(MANY, store=store).commit()
    cache = NodeCache(store, 1000)
    assert dict(Trie(cache, root)) == MANY
    before = store.reads
    assert dict(Trie(store=cache, root=root)) == MANY
    assert store.reads == before


def test_the_cache_is_bounded() -> None:
    store = MemoryStore()
    root = Trie(MANY, store=store).commit()
    cache = NodeCache(store, 16)
    assert dict(Trie(cache, root)) == MANY
    assert len(cache) <= 16
    one = NodeCache(store, 0)
    assert dict(Trie(one, root)) == MANY
    assert len(one) <= 2


def test_a_secure_trie_finds_its_keys_again(home: StoreHome) -> None:
    store = home.open()
    trie = SecureTrie(PAIRS, store=store)
    root = trie.commit("latest")
    store = home.open()
    trie = SecureTrie(store, root)
    assert dict(trie.items()) == PAIRS
    assert trie[b"dog"] == b"puppy"
    trie[b"cat"] = b"tiger"
    assert dict(trie.items()) == PAIRS | {b"cat": b"tiger"}
    copied = trie.copy()
    copied[b"cow"] = b"milk"
    trie.commit("latest")
    assert dict(copied.items()) == PAIRS | {b"cat": b"tiger", b"cow": b"milk"}
    copied.commit()
    again = SecureTrie(home.open(), copied.root_hash)
    assert dict(again) == PAIRS | {b"cat": b"tiger", b"cow": b"milk"}


def test_a_hashed_key_that_nobody_knows_is_named() -> None:
    store = MemoryStore()
    root = Trie({keccak256(b"dog"): b"puppy"}, store=store).commit()
    trie = SecureTrie(store, root)
    assert trie[b"dog"] == b"puppy"
    with pytest.raises(StoreError) as caught:
        list(trie)
    assert caught.value.reason is StoreReason.NO_PREIMAGE
    assert caught.value.node_hash == keccak256(b"dog")


def test_threads_read_one_trie_and_write_their_own_copies(home: StoreHome) -> None:
    store = home.open()
    trie = Trie(NodeCache(store, 50), Trie(MANY, store=store).commit())
    wrong: list[object] = []

    def work(number: int) -> None:
        mine = trie.copy()
        for key, value in MANY.items():
            if trie.get(key) != value:
                wrong.append(key)
            mine[key] = value + bytes([number])
        expected = {key: value + bytes([number]) for key, value in MANY.items()}
        if mine.root_hash != trie_root(expected):
            wrong.append(number)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert dict(trie) == MANY


def test_a_key_that_ends_in_the_middle_of_a_byte_is_named() -> None:
    store = MemoryStore()
    leaf = LeafNode(bytes([1, 2, 3]), b"v" * 40)
    store.write([(leaf.hash, leaf.encoding)])
    trie = Trie(store, leaf.hash)
    for use in (
        lambda: list(trie.items()),
        lambda: trie.next_key(b""),
        lambda: list(trie_differences(trie, Trie())),
        lambda: list(trie_differences(Trie(), trie)),
    ):
        with pytest.raises(NodeError) as caught:
            use()
        assert caught.value.reason is NodeReason.HALF_A_BYTE
        assert caught.value.path == bytes([1, 2, 3])
    assert trie.get(b"\x12") is None
