"""The accelerator's core asks its source for nodes as the pure core does."""

from __future__ import annotations

from typing import Any

import pytest

from hexary import (
    NodeError,
    NodeReason,
    rlp,
    trie_root,
)
from hexary import hash as hashing
from hexary.trie import HashNode
from hexary.trie.core import Core, PureCore
from twin.cores import Blobs, stored_trie

if Core is PureCore:
    pytest.skip("no accelerator in use", allow_module_level=True)


def test_what_is_read_is_not_kept_and_what_is_changed_is():
    pairs, blobs, core = stored_trie(500)
    assert dict(core.items()) == pairs
    assert core.is_settled
    for key in pairs:
        assert core.get(key) == pairs[key]
    assert core.new_nodes() == []
    core.set(next(iter(pairs)), b"new")
    assert 1 < len(core.new_nodes()) < 6
    assert core.source is blobs


def test_a_source_may_change_the_trie_that_asks_it():
    """It is Python code: the GIL may go to another thread while it looks up a node."""
    pairs, blobs, core = stored_trie(200)
    keys = sorted(pairs)
    look_up = blobs.encoding
    turns = iter(range(6))

    def changing(digest: bytes, path: bytes) -> Any:
        if next(turns, None) is not None:
            with_it = keys.pop()
            pairs[with_it] = b"other"
            core.set(with_it, b"other")
        return look_up(digest, path)

    blobs.encoding = changing  # type: ignore[method-assign]  # a source that misbehaves
    core.set(keys[0], b"changed")
    pairs[keys[0]] = b"changed"
    core.delete(keys[1])
    del pairs[keys[1]]
    assert dict(core.items()) == pairs
    assert core.root_hash() == trie_root(pairs)


def test_an_iterator_that_its_source_asks_refuses():
    _, blobs, core = stored_trie(50)
    look_up = blobs.encoding
    iterators: list[Any] = []

    def asking(digest: bytes, path: bytes) -> Any:
        with pytest.raises(ValueError, match="already executing"):
            next(iterators[0])
        return look_up(digest, path)

    blobs.encoding = asking  # type: ignore[method-assign]  # a source that misbehaves
    iterators.append(core.items())
    assert len(list(iterators[0])) == 50


@pytest.mark.parametrize("answer", [None, b"bytes", LookupError("gone")])
def test_a_source_that_answers_nonsense_does_no_harm(answer):
    class Nonsense:
        def encoding(self, *_: object) -> object:
            if isinstance(answer, Exception):
                raise answer
            return answer

        def node(self, *_: object) -> object:
            return None

    core = Core(HashNode(bytes(32)), Nonsense())
    for call in (
        lambda: core.get(b"k"),
        lambda: core.set(b"k", b"v"),
        lambda: core.delete(b"k"),
        lambda: core.node_at(b""),
        lambda: core.proof([b"k"]),
        lambda: list(core.items()),
    ):
        with pytest.raises((TypeError, SystemError, LookupError)):
            call()
    assert core.root_hash() == bytes(32)


def test_a_child_of_an_extension_that_is_no_branch_is_refused():
    leaf = rlp.encode([b"\x20\x11", b"v" * 40])
    top = rlp.encode([b"\x11", hashing.keccak256(leaf)])
    blobs = Blobs()
    for each in (leaf, top):
        blobs.blobs[hashing.keccak256(each)] = each
    for kind in (Core, PureCore):
        core = kind(HashNode(hashing.keccak256(top)), blobs)
        for call in (
            lambda core=core: core.get(b"\x11\x11"),
            lambda core=core: core.set(b"\x11\x11", b"w"),
            lambda core=core: core.delete(b"\x11\x11"),
            lambda core=core: core.node_at(b"\1\1"),
            lambda core=core: core.proof([b"\x11"]),
            lambda core=core: list(core.items()),
        ):
            with pytest.raises(NodeError) as caught:
                call()
            assert caught.value.reason is NodeReason.EXTENSION_CHILD_NOT_BRANCH
            assert caught.value.path == b"\1"
            assert caught.value.node_hash == hashing.keccak256(leaf)


def test_half_a_byte_is_refused_and_ends_the_iteration():
    top = rlp.encode([b"\x31", b"v"])
    blobs = Blobs()
    blobs.blobs[hashing.keccak256(top)] = top
    pairs = Core(HashNode(hashing.keccak256(top)), blobs).items()
    with pytest.raises(NodeError) as caught:
        next(pairs)
    assert caught.value.reason is NodeReason.HALF_A_BYTE
    assert next(pairs, None) is None
