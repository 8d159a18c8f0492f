"""What differs between two tries, and how little is read to find out."""

from __future__ import annotations

import pytest

from hexary import SecureTrie, Trie, first_divergence, keccak256, trie_differences
from hexary.errors import MissingNodeError
from hexary.trie import KeyDifference, LeafNode, MemoryStore
from stores import StoreHome

PAIRS = {b"do": b"verb", b"dog": b"puppy", b"doge": b"coin" * 10, b"horse": b"stallion"}
MANY = {keccak256(n.to_bytes(2, "big")): n.to_bytes(2, "big") * 20 for n in range(2000)}


def expected(before: dict[bytes, bytes], after: dict[bytes, bytes]):
    return [
        KeyDifference(key, before.get(key), after.get(key))
        for key in sorted({*before, *after})
        if before.get(key) != after.get(key)
    ]


@pytest.mark.parametrize(
    "change",
    [
        {},
        {b"dog": b"hound"},
        {b"do": b""},
        {b"dog": b"", b"horse": b"", b"": b"root"},
        {b"d": b"1", b"doges": b"2", b"horsd": b"3", b"hors": b"4"},
        dict.fromkeys(PAIRS, b""),
        {key: value[:-1] for key, value in PAIRS.items()},
    ],
)
def test_changed_keys_in_order(home: StoreHome, change) -> None:
    after = {key: value for key, value in (PAIRS | change).items() if value}
    store = home.open()
    one, two = Trie(PAIRS, store=store), Trie(after, store=store)
    stored = Trie(store, one.commit()), Trie(store, two.commit())
    for first, second in ((Trie(PAIRS), Trie(after)), stored):
        assert list(trie_differences(first, second)) == expected(PAIRS, after)
        assert list(trie_differences(second, first)) == expected(after, PAIRS)
    assert list(trie_differences(Trie(), stored[1])) == expected({}, after)


def test_equal_subtrees_are_not_read() -> None:
    reads = 0

    class Store(MemoryStore):
        def read(self, digest):
            nonlocal reads
            reads += 1
            return super().read(digest)

    store = Store()
    trie = Trie(MANY, store=store)
    before = trie.commit()
    key = min(MANY)
    trie[key] = b"new"
    after = trie.commit()
    reads = 0
    assert list(trie_differences(Trie(store, before), Trie(store, after))) == [
        KeyDifference(key, MANY[key], b"new")
    ]
    assert reads <= 12


def test_a_difference_behind_a_missing_node_is_an_error() -> None:
    store = MemoryStore()
    trie = Trie(MANY, store=store)
    before = trie.commit()
    key = min(MANY)
    trie[key] = b"new"
    trie.commit()
    leaf = keccak256(
        next(
            walked.node.encoding
            for walked in Trie(store, before).nodes()
            if isinstance(walked.node, LeafNode)
        )
    )
    first = Trie(store, before)
    del store._blobs[leaf]
    with pytest.raises(MissingNodeError) as caught:
        list(trie_differences(first, trie))
    assert caught.value.node_hash == leaf


def test_hashed_keys_are_shown_hashed() -> None:
    one, two = SecureTrie(PAIRS), SecureTrie(PAIRS)
    two[b"dog"] = b"hound"
    assert list(trie_differences(one, two)) == [
        KeyDifference(keccak256(b"dog"), b"puppy", b"hound")
    ]


def test_the_first_place_where_two_tries_part() -> None:
    trie = Trie(PAIRS)
    other = Trie(PAIRS | {b"doge": b"more coin", b"horse": b"mare"})
    found = first_divergence(trie, other)
    assert str(found.path) == "646f676"
    assert (found.first.value, found.second.value) == (b"coin" * 10, b"more coin")
    assert first_divergence(trie, Trie(PAIRS)) is None
    assert first_divergence(Trie(), Trie()) is None


def test_places_where_one_trie_has_nothing_or_another_kind() -> None:
    trie = Trie(PAIRS)
    found = first_divergence(Trie(), trie)
    assert (str(found.path), found.first) == ("", None)
    assert found.second.hash == trie.root_hash
    found = first_divergence(trie, Trie(PAIRS | {b"dogs": b"many"}))
    assert (str(found.path), found.first) == ("646f677", None)
    found = first_divergence(trie, Trie(PAIRS | {b"cat": b"tiger"}))
    assert (str(found.path), found.first) == ("63", None)
    found = first_divergence(trie, Trie(PAIRS | {b"dog": b"hound"}))
    assert str(found.path) == "646f67"
    assert (found.first.value, found.second.value) == (b"puppy", b"hound")
    assert first_divergence(Trie({b"a": b"1"}), Trie({b"b": b"1"})).path == b""


def test_first_divergence_on_stores(home: StoreHome) -> None:
    store = home.open()
    trie = Trie(MANY, store=store)
    before = trie.commit()
    trie[max(MANY)] = b"new"
    found = first_divergence(Trie(store, before), Trie(store, trie.commit()))
    assert isinstance(found.second, LeafNode)
    assert found.second.value == b"new"
    assert found.first.value == MANY[max(MANY)]
