"""`NodeCache`: a bounded number of nodes in front of a store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeGuard

from hexary.errors import InputTypeError, MissingNodeError, NodeError
from hexary.integer import exact_int
from hexary.trie.nodes import Node, decode_node
from hexary.trie.store import NodeStore, read_blob

__all__ = [
    "DEFAULT_CACHE_SIZE",
    "NodeCache",
    "cache_of",
    "is_store",
    "no_store",
    "stored_node",
]

DEFAULT_CACHE_SIZE = 8192
"""Nodes that are kept; a full branch takes about 3 kB decoded, and 600 bytes else."""


class NodeCache:
    """
    The nodes of a store, those used last at hand.

    Tries over one store can share one; threads too.  What is cached can never be stale,
    since a hash has only one node.

    Args:
        store: where the nodes are.
        size: the most nodes to keep, decoded or as bytes.

    Raises:
        InputTypeError: if it is no store, or no number.

    Example:
        >>> from hexary.trie import MemoryStore, Trie
        >>> store = MemoryStore()
        >>> root = Trie({b"do": b"verb"}, store=store).commit()
        >>> NodeCache(store).node(root, b"")
        LeafNode(646f, 76657262)
    """

    __slots__ = ("_half", "_recent", "_rest", "store")

    def __init__(self, store: NodeStore, size: int = DEFAULT_CACHE_SIZE) -> None:
        if not isinstance(store, NodeStore):
            raise no_store(store, "store")
        size = exact_int(size, "size")
        self.store = store
        # Two generations: when the recent one is full it becomes the rest, and what the
        # rest held and nobody used since is gone.  Needs no order, and so no lock.
        self._half = max(size // 2, 1)
        self._recent: dict[bytes, Node | bytes] = {}
        self._rest: dict[bytes, Node | bytes] = {}

    def node(self, digest: bytes, path: bytes | memoryview) -> Node:
        """
        Return the node with this hash.

        Args:
            digest: keccak-256 of its encoding.
            path: nibbles from the root to it, for messages.

        Raises:
            MissingNodeError: if the store does not have it.
            StoreError: if the store cannot read it.
            NodeError: if the bytes with this hash are no node.
        """
        found = self._find(digest, path)
        if isinstance(found, bytes):
            found = stored_node(found, digest, path)
            self._recent[digest] = found
        return found

    def encoding(self, digest: bytes, path: bytes | memoryview) -> bytes:
        """
        Return the bytes with this hash, of which `node` makes a node if they are one.

        Raises:
            MissingNodeError: if the store does not have them.
            StoreError: if the store cannot read them.
        """
        found = self._find(digest, path)
        return found if isinstance(found, bytes) else found.encoding

    def __reduce__(self) -> tuple[type[NodeCache], tuple[NodeStore, int]]:
        return type(self), (self.store, 2 * self._half)  # what it keeps can be read

    def __len__(self) -> int:
        """Return how many nodes are kept, those in both generations twice."""
        return len(self._recent) + len(self._rest)

    def _find(self, digest: bytes, path: bytes | memoryview) -> Node | bytes:
        """Return the node with this hash, or its bytes where nobody asked for it."""
        found = self._recent.get(digest)
        if found is None:
            found = self._rest.get(digest)
            if found is None:
                found = read_blob(self.store, digest)
            if found is None:
                raise MissingNodeError(digest, path)
            if len(self._recent) >= self._half:
                self._rest, self._recent = self._recent, {}
            self._recent[digest] = found
        return found


def stored_node(encoding: bytes, digest: bytes, path: bytes | memoryview) -> Node:
    """
    Return the node that a store or a proof holds.

    Args:
        encoding: its bytes.
        digest: their keccak-256, which has been verified.
        path: nibbles from the root to it, for messages.

    Raises:
        NodeError: if the bytes are no node.
    """
    try:
        return decode_node(encoding, digest=digest)
    except NodeError as error:
        raise NodeError(
            error.reason,
            offset=error.offset,
            data=error.data,
            node_hash=digest,
            path=path,
            detail=error.detail,
        ) from error


def cache_of(store: NodeStore | NodeCache | None) -> NodeCache | None:
    """
    Return *store* behind a cache, of which it may bring its own.

    Raises:
        InputTypeError: if it is neither a store nor a cache of one.

    Example:
        >>> cache_of(None) is None
        True
    """
    if store is None or isinstance(store, NodeCache):
        return store
    return NodeCache(store)


def is_store(value: object) -> TypeGuard[NodeStore | NodeCache]:
    """
    Return whether *value* is a store, or a cache of one.

    Example:
        >>> is_store({b"do": b"verb"})
        False
    """
    if type(value) in (tuple, list, dict):
        return False  # as nearly all pairs are; asking a protocol takes longer
    return isinstance(value, (NodeCache, NodeStore))


def no_store(value: object, argument: str) -> InputTypeError:
    """
    Return the error for what is no store where one is wanted.

    Args:
        value: what was passed.
        argument: its name, for the message.

    Example:
        >>> print(no_store({}, "store"))
        store must be a store, got dict of 0; MemoryStore(nodes) is one, of hash → node
    """
    hint = "MemoryStore(nodes) is one, of hash → node"
    return InputTypeError(
        argument, "a store", value, hint=hint if isinstance(value, Mapping) else ""
    )
