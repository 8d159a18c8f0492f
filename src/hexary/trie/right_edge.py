"""
The right edge of a trie that is being built: what `hexary.trie.builder` holds of it.

The branches on it are open: on the way to the next key.  All else is finished, and an
item in one of them.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from hexary import hash as hashing
from hexary import rlp
from hexary.trie.core import Core
from hexary.trie.nibbles import common_prefix_length, hp_encode_digits, unpack
from hexary.trie.nodes import (
    EMPTY_ITEM,
    EMPTY_ROOT,
    ExtensionNode,
    LeafNode,
    decode_node,
    hash_nodes,
    reference_items,
)
from hexary.trie.root import subtree_item, trie_root
from hexary.typed import Hash

if TYPE_CHECKING:
    from hexary.trie.nodes import Node

__all__ = ["RightEdge"]

_VALUE = 16
"""A branch's item that holds the value of the key that ends there."""


class _Fork:
    """
    An open branch.

    Attributes:
        depth: nibbles from the root to it.
        items: its RLP items: sixteen children and the value.
    """

    __slots__ = ("depth", "items")

    def __init__(self, depth: int, items: list[bytes]) -> None:
        self.depth = depth
        self.items = items


class RightEdge:
    """
    The open branches, all of them on the way to the next pair.

    Args:
        forks: the branches, from the top down.
        nodes: gets the hash and the encoding of each finished node, children before
            their parents; ``None`` if nobody wants them.

    Example:
        >>> edge = RightEdge([], None)
        >>> edge.place([(b"do", b"verb"), (b"dog", b"puppy")], b"horse")
        >>> [fork.depth for fork in edge.forks]
        [1]
    """

    __slots__ = ("forks", "nodes")

    def __init__(
        self, forks: list[_Fork], nodes: list[tuple[bytes, bytes]] | None
    ) -> None:
        self.forks = forks
        self.nodes = nodes

    def copy(self) -> RightEdge:
        """Return one that can be changed while this one stays."""
        forks = [_Fork(fork.depth, fork.items.copy()) for fork in self.forks]
        return RightEdge(forks, None if self.nodes is None else self.nodes.copy())

    def place(self, pairs: list[tuple[bytes, bytes]], following: bytes | None) -> None:
        """
        Put pairs where they belong, and close all branches that end with them.

        Args:
            pairs: sorted pairs, the first of which the open branches lead to.
            following: the key that comes next, to which they lead afterwards; ``None``
                if this is the end, and there is an open branch.
        """
        start = 0
        while start < len(pairs):
            key, value = pairs[start]
            ahead = -1 if following is None else _shared_nibbles(key, following)
            if not self.forks or self.forks[-1].depth < ahead:
                self.forks.append(_Fork(ahead, [EMPTY_ITEM] * 17))
            fork = self.forks[-1]
            if 2 * len(key) == fork.depth:
                fork.items[_VALUE] = rlp.encode_bytes(value)
                start += 1
            else:
                # Neither what was before nor what follows goes by this nibble.
                end = _subtree_end(pairs, start, fork.depth + 1)
                fork.items[_nibble(key, fork.depth)] = self._subtree(
                    pairs[start:end], fork.depth + 1
                )
                start = end
            after = pairs[start][0] if start < len(pairs) else following
            if after is not None:
                self._close(key, _shared_nibbles(key, after))

    def root(self, pairs: list[tuple[bytes, bytes]]) -> Hash:
        """Put in the last pairs, close all branches, and return the root hash."""
        if not self.forks:
            if self.nodes is None:
                return trie_root(pairs)
            return self._whole(pairs)
        self.place(pairs, None)
        key = pairs[-1][0]
        top = self.forks[0]
        self._close(key, top.depth)
        encoding = rlp.encode_list(b"".join(top.items))
        if top.depth:
            encoding = _extension(bytes.hex(key)[: top.depth], self._item(encoding))
        return self._keep_root(encoding)

    def _close(self, key: bytes, depth: int) -> None:
        """
        Finish the branches below *depth*, where the way to the next key turns off.

        Args:
            key: the last key that was placed.
            depth: the nibbles that the next one shares with it.
        """
        forks = self.forks
        while forks[-1].depth > depth:
            fork = forks.pop()
            if not forks or forks[-1].depth < depth:
                forks.append(_Fork(depth, [EMPTY_ITEM] * 17))
            parent = forks[-1]
            item = self._item(rlp.encode_list(b"".join(fork.items)))
            if fork.depth > parent.depth + 1:
                digits = bytes.hex(key)[parent.depth + 1 : fork.depth]
                item = self._item(_extension(digits, item))
            parent.items[_nibble(key, parent.depth)] = item

    def _item(self, encoding: bytes) -> bytes:
        """Return the item by which a parent holds the node with this encoding."""
        (item,) = reference_items([encoding])
        if self.nodes is not None and item != encoding:
            self.nodes.append((item[1:], encoding))
        return item

    def _keep_root(self, encoding: bytes) -> Hash:
        """Return the hash of the top node, which is kept whatever its size."""
        digest = hashing.keccak256(encoding)
        if self.nodes is not None:
            self.nodes.append((digest, encoding))
        return Hash(digest)

    def _whole(self, pairs: list[tuple[bytes, bytes]]) -> Hash:
        """Keep the nodes of a trie of these pairs alone, and return its root hash."""
        nodes = _nodes_of(pairs)
        if self.nodes is not None:
            self.nodes += nodes
        return Hash(nodes[-1][0]) if nodes else EMPTY_ROOT

    def _subtree(self, pairs: list[tuple[bytes, bytes]], depth: int) -> bytes:
        """Return the item of the subtree of *pairs*, at *depth*; keep its nodes."""
        if self.nodes is None:
            return subtree_item(pairs, depth)
        if len(pairs) == 1:
            (key, value), *_ = pairs
            return self._item(LeafNode(unpack(key)[depth:], value).encoding)
        # A trie of these pairs alone is the same but for its top node, an extension:
        # all keys share the way to the subtree.
        *below, (digest, encoding) = _nodes_of(pairs)
        self.nodes += below
        top: Node = decode_node(encoding, digest=digest)
        path, top = top.path, top.child  # type: ignore[attr-defined]  # see above
        if len(path) > depth:
            return self._item(ExtensionNode(path[depth:], top).encoding)
        hash_nodes([top])
        return top.item  # type: ignore[return-value]  # it is set by now


def _nodes_of(pairs: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Return hash and encoding of the nodes of a trie, the root's last."""
    core = Core()
    if core.update(pairs) is None:
        for key, value in pairs:
            core.set(key, value)
    return core.new_nodes()


def _extension(digits: str, item: bytes) -> bytes:
    """Return the encoding of an extension; *digits* is its path, *item* its child."""
    return rlp.encode_list(
        rlp.encode_bytes(hp_encode_digits(digits, leaf=False)) + item
    )


def _nibble(key: bytes, index: int) -> int:
    """Return one nibble of a key."""
    byte = key[index // 2]
    return byte & 15 if index % 2 else byte >> 4


def _shared_nibbles(first: bytes, second: bytes) -> int:
    """Return how many leading nibbles two different keys share."""
    size = common_prefix_length(first, second)
    if size == min(len(first), len(second)):
        return 2 * size
    return 2 * size + (first[size] >> 4 == second[size] >> 4)


def _subtree_end(pairs: list[tuple[bytes, bytes]], start: int, depth: int) -> int:
    """
    Return the index behind the last of the pairs that share a subtree with a pair.

    Args:
        pairs: sorted pairs.
        start: the pair, whose key has *depth* nibbles or more.
        depth: how many nibbles the keys of a subtree share.
    """
    key = pairs[start][0]
    head = key[: depth // 2]
    if depth % 2 and key[len(head)] < 0xF0:
        bound = head + bytes([(key[len(head)] | 0x0F) + 1])
        return bisect_left(pairs, bound, start, key=lambda pair: pair[0])
    # After a nibble 15 there is none that begins with the same bytes.
    return bisect_left(pairs, 1, start, key=lambda pair: not pair[0].startswith(head))
