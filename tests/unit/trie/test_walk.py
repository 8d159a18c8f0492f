"""Walks over nodes and leaves, by prefix, range and page, and what they count."""

from __future__ import annotations

from itertools import islice

import pytest

from hexary import Nibbles, SecureTrie, Trie, keccak256
from hexary.errors import InputTypeError, RangeError
from hexary.trie import LeafPage
from stores import StoreHome

PAIRS = {b"do": b"verb", b"dog": b"puppy", b"doge": b"coin" * 10, b"horse": b"stallion"}
MANY = {keccak256(bytes([n])): bytes([n, 1]) * 20 for n in range(100)}


def test_nodes_in_the_order_of_their_paths(home: StoreHome) -> None:
    store = home.open()
    memory = Trie(PAIRS)
    stored = Trie(store, Trie(PAIRS, store=store).commit())
    for trie in (memory, stored):
        met = [
            (str(walked.path), type(walked.node).__name__, walked.depth)
            for walked in trie.nodes()
        ]
        assert met == [
            ("", "ExtensionNode", 0),
            ("6", "BranchNode", 1),
            ("64", "ExtensionNode", 2),
            ("646f", "BranchNode", 3),
            ("646f6", "ExtensionNode", 4),
            ("646f67", "BranchNode", 5),
            ("646f676", "LeafNode", 6),
            ("68", "LeafNode", 2),
        ]
        first, *others = trie.nodes()
        assert first.digest == trie.root_hash
        assert [walked.size for walked in others if walked.digest is None] == [16]
        for walked in trie.nodes():
            assert walked.size == len(walked.node.encoding)
            if walked.digest:
                assert walked.digest == keccak256(walked.node.encoding)
                assert walked.size >= 32


def test_a_small_root_has_its_hash() -> None:
    (walked,) = Trie({b"k": b"v"}).nodes()
    assert walked.digest == Trie({b"k": b"v"}).root_hash
    assert list(Trie().nodes()) == []


@pytest.mark.parametrize("size", [1, 7, 50, 1000])
def test_a_walk_can_be_taken_up_after_any_node(size: int) -> None:
    trie = Trie(MANY)
    whole = list(trie.nodes())
    parts, cursor = [], None
    while part := list(islice(trie.nodes(after=cursor), size)):
        parts += part
        cursor = part[-1].path
    assert parts == whole
    for walked in whole[::9]:
        rest = list(trie.nodes(after=walked.path))
        assert rest == whole[whole.index(walked) + 1 :]


def test_the_node_at_a_path(home: StoreHome) -> None:
    """What proofs and comparisons ask the core for."""
    store = home.open()
    stored = Trie(store, Trie(MANY, store=store).commit())
    for trie in (Trie(MANY), stored):
        for walked in trie.nodes():
            assert trie._core.node_at(walked.path) == walked.node
        leaf = walked
        assert trie._core.node_at(leaf.path + leaf.node.path) is None
    words = Trie(PAIRS)
    for path in ("6464", "646f", "646f67656", "7"):
        nibbles = Nibbles(bytes.fromhex("0" + "0".join(path)))
        expected = [each.node for each in words.nodes() if each.path == nibbles]
        found = words._core.node_at(nibbles)
        assert ([] if found is None else [found]) == expected
    assert Trie()._core.node_at(b"") is None


def test_a_walk_reads_only_what_is_asked_for(home: StoreHome) -> None:
    store = home.open()
    trie = Trie(store, Trie(MANY, store=store).commit())
    prefix = Nibbles.from_key(next(iter(MANY)))[:2]
    expected = [
        walked
        for walked in trie.nodes()
        if (walked.path + getattr(walked.node, "path", Nibbles())).startswith(prefix)
    ]
    assert list(trie.nodes(prefix=prefix)) == expected
    assert 0 < len(expected) < 10
    assert list(trie.nodes(prefix=Nibbles([0] * 9))) == []
    with pytest.raises(InputTypeError, match="prefix"):
        trie.nodes(prefix="12")


def test_pages_of_leaves(home: StoreHome) -> None:
    store = home.open()
    trie = Trie(store, Trie(MANY, store=store).commit())
    found, cursor, pages = [], None, 0
    while True:
        page = trie.page(33, cursor=cursor)
        found += page.pairs
        pages += 1
        cursor = page.cursor
        if cursor is None:
            break
        assert len(page.pairs) == 33
    assert found == sorted(MANY.items())
    assert pages == 4
    assert Trie(PAIRS).page(9, prefix=b"dog", stop=b"doge") == LeafPage(
        [(b"dog", b"puppy")], None
    )
    with pytest.raises(RangeError, match="size"):
        trie.page(0)


def test_pages_of_hashed_keys() -> None:
    trie = SecureTrie(PAIRS)
    first = trie.page(3)
    second = trie.page(3, cursor=first.cursor)
    assert first.pairs + second.pairs == list(trie.items())
    assert first.cursor == keccak256(second.pairs[0][0])
    assert second.cursor is None


def test_statistics(home: StoreHome) -> None:
    store = home.open()
    stored = Trie(store, Trie(PAIRS, store=store).commit())
    for trie in (Trie(PAIRS), stored):
        found = trie.statistics()
        assert found.keys == 4
        assert (found.leaves, found.extensions, found.branches) == (2, 3, 3)
        assert found.embedded == 1
        assert found.size == sum(
            walked.size for walked in trie.nodes() if walked.digest
        )
        assert found.value_size == sum(map(len, PAIRS.values()))
        assert found.depths == {2: 1, 3: 1, 5: 1, 6: 1}
        assert trie.statistics(prefix=Nibbles.from_key(b"dog")).keys == 2
    assert Trie().statistics().keys == 0
    assert Trie().statistics().depths == {}


def test_prefixes_of_nodes_are_nibbles(home: StoreHome) -> None:
    """A key in place of its nibbles would find nothing and say nothing."""
    trie = Trie({b"do": b"verb"}, store=home.open())
    for use in (
        lambda: trie.nodes(prefix=b"do"),
        lambda: trie.nodes(after=b"do"),
        lambda: trie.statistics(prefix=b"do"),
    ):
        with pytest.raises(RangeError, match="nibble"):
            use()
