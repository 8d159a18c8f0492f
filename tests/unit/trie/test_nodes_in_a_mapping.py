"""Nodes that someone has in a dict: how they become a store, and who is told so."""

from __future__ import annotations

from collections import OrderedDict, UserDict
from collections.abc import Mapping
from typing import Any

import pytest

from hexary import (
    EMPTY_ROOT,
    InputTypeError,
    MemoryStore,
    SecureTrie,
    SizeError,
    State,
    StoreError,
    StoreReason,
    Trie,
    keccak256,
    partial_trie,
)
from hexary.trie import NodeCache
from hexary.typed import Hash

PAIRS = {bytes([n]): bytes([n + 1]) * 40 for n in range(50)}


def nodes_of(trie: Trie) -> dict[bytes, bytes]:
    """Return the nodes of a trie under their hashes, as other packages keep them."""
    encodings = {node for key in trie for node in trie.prove(key)}
    return {keccak256(encoding): encoding for encoding in encodings}


NODES = nodes_of(Trie(PAIRS))
ROOT = Trie(PAIRS).root_hash


class StoreOfADict(dict[bytes, bytes]):
    """A dict that is a store as well, since it has all that a store has."""

    read_only = False

    def __init__(self, nodes: Mapping[bytes, bytes]) -> None:
        super().__init__(nodes)
        self.inner = MemoryStore(nodes)

    def read(self, digest: bytes) -> bytes | None:
        return self.inner.read(digest)

    def write(self, blobs: Any = (), **options: Any) -> None:
        self.inner.write(blobs, **options)

    def root(self, name: str) -> Hash | None:
        return self.inner.root(name)

    def roots(self) -> dict[str, Hash]:
        return self.inner.roots()


@pytest.mark.parametrize(
    "make",
    [dict, OrderedDict, UserDict, lambda nodes: list(nodes.items()), StoreOfADict],
)
def test_a_memory_store_begins_with_nodes(make: Any) -> None:
    store = MemoryStore(make(NODES))
    assert len(store) == len(NODES)
    trie = Trie(store, ROOT)
    assert dict(trie.items()) == PAIRS
    trie[b"new"] = b"value"
    assert trie.commit() in store
    assert len(NODES) < len(store)


def test_the_nodes_are_copied() -> None:
    nodes = dict(NODES)
    store = MemoryStore(nodes)
    nodes.clear()
    assert Trie(store, ROOT)[b"\x05"] == PAIRS[b"\x05"]


def test_nodes_with_another_hash_are_refused() -> None:
    with pytest.raises(StoreError) as caught:
        MemoryStore({**NODES, bytes(32): b"\x80"})
    assert caught.value.reason is StoreReason.WRONG_HASH
    assert caught.value.node_hash == bytes(32)
    for wrong in (5, None, "nodes", [b"node"]):
        with pytest.raises(InputTypeError):
            MemoryStore(wrong)  # type: ignore[arg-type]  # what is tested
    with pytest.raises(InputTypeError, match=r"hexary\.Bytes"):
        MemoryStore({ROOT.hex(): b""})  # type: ignore[dict-item]  # what is tested
    with pytest.raises((StoreError, SizeError)):
        MemoryStore({b"short": b"node"})


@pytest.mark.parametrize("make", [dict, OrderedDict, UserDict])
@pytest.mark.parametrize(
    "call",
    [
        lambda nodes: Trie(nodes, ROOT),
        lambda nodes: Trie(nodes, EMPTY_ROOT),
        lambda nodes: SecureTrie(nodes, ROOT),
        lambda nodes: State(nodes, ROOT),
        lambda nodes: Trie(store=nodes, root=ROOT),
        lambda nodes: State(store=nodes),
        NodeCache,
    ],
)
def test_a_dict_for_a_store_is_told_what_makes_one(call: Any, make: Any) -> None:
    with pytest.raises(InputTypeError, match=r"; MemoryStore\(nodes\) is one, of hash"):
        call(make(NODES))


def test_what_is_no_mapping_gets_no_hint() -> None:
    with pytest.raises(InputTypeError, match=r"a store, got list of 0$"):
        Trie([], ROOT)  # type: ignore[call-overload]  # what is tested


def test_a_dict_that_is_a_store_is_one() -> None:
    store = StoreOfADict(NODES)
    trie = Trie(store, ROOT)
    assert trie.store is store
    assert trie[b"\x05"] == PAIRS[b"\x05"]
    assert Trie(OrderedDict(PAIRS)).root_hash == ROOT


def test_nodes_alone_are_pairs_like_others() -> None:
    """A trie of nodes is a trie: what they were meant for, nothing in them tells."""
    assert Trie(NODES).root_hash != ROOT
    assert partial_trie(ROOT, NODES.values())[b"\x05"] == PAIRS[b"\x05"]
