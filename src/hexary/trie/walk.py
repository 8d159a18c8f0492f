"""
Walks over the nodes of a trie, and what they count.

A walk meets each node before those below it, and those in the order of their paths: so
a node's path says where the walk is, and a walk can be taken up again after any path.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hexary.trie.nibbles import Nibbles
from hexary.trie.nodes import BranchNode, ExtensionNode, LeafNode, Node

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hexary.trie.core import PureCore
    from hexary.typed import Hash

__all__ = [
    "LeafPage",
    "TrieStatistics",
    "WalkedNode",
    "gather_statistics",
    "walk_nodes",
]


class LeafPage(NamedTuple):
    """
    Some neighbouring keys and values.

    Attributes:
        pairs: keys and values, in order.
        cursor: where the next page begins, ``None`` after the last.
    """

    pairs: list[tuple[bytes, bytes]]
    cursor: bytes | None


class WalkedNode(NamedTuple):
    """
    A node where a walk met it.

    Attributes:
        path: nibbles from the root to it, the cursor for what comes after.
        node: the node.
        digest: its hash, ``None`` if its parent embeds it.
        depth: the number of nodes above it.
    """

    path: Nibbles
    node: Node
    digest: Hash | None
    depth: int

    @property
    def size(self) -> int:
        """Bytes of its encoding."""
        return len(self.node.encoding)


class TrieStatistics(NamedTuple):
    """
    What a trie is made of.

    Attributes:
        keys: the number of keys.
        leaves: the number of leaves; other keys end at branches.
        extensions: the number of extensions.
        branches: the number of branches.
        embedded: how many of these nodes are embedded in their parents.
        size: bytes of the encodings of the nodes that are not embedded.
        value_size: bytes of the values.
        depths: number of nodes above a value → the number of such values.
    """

    keys: int
    leaves: int
    extensions: int
    branches: int
    embedded: int
    size: int
    value_size: int
    depths: dict[int, int]


def walk_nodes(
    core: PureCore, *, prefix: bytes = b"", after: bytes | None = None
) -> Iterator[WalkedNode]:
    """
    Yield the nodes of a trie, each before those below it.

    Args:
        core: the trie's core.
        prefix: nibbles; only nodes all of whose keys begin with them.
        after: nibbles; only what comes after the node at this path.
    """
    digest = core.root_hash()
    stack: list[tuple[Node, bytes, int]] = []
    if core.root is not None:
        stack.append((core.root, b"", 0))
    while stack:
        node, path, depth = stack.pop()
        # All below a path that is before the cursor, and does not lead to it, is too.
        if after is not None and path < after and not after.startswith(path):
            continue
        if not (path.startswith(prefix) or prefix.startswith(path)):
            continue
        node = core.opened(node, path)
        reach = path
        if isinstance(node, (LeafNode, ExtensionNode)):
            reach += node.path
        if reach.startswith(prefix) and (after is None or path > after):
            known = digest if not depth else None if node.is_embedded else node.hash
            yield WalkedNode(Nibbles(path), node, known, depth)
        if isinstance(node, ExtensionNode):
            stack.append((node.child, reach, depth + 1))
        elif isinstance(node, BranchNode):
            stack.extend(
                (child, path + bytes((nibble,)), depth + 1)
                for nibble, child in reversed(tuple(enumerate(node.slots)))
                if child is not None
            )


def gather_statistics(core: PureCore, *, prefix: bytes = b"") -> TrieStatistics:
    """
    Walk over a trie and count.

    Args:
        core: the trie's core.
        prefix: nibbles; only nodes all of whose keys begin with them.
    """
    kinds = {LeafNode: 0, ExtensionNode: 0, BranchNode: 0}
    keys = embedded = size = value_size = 0
    depths: dict[int, int] = {}
    for walked in walk_nodes(core, prefix=prefix):
        node = walked.node
        kinds[type(node)] += 1
        if walked.digest is None:
            embedded += 1
        else:
            size += walked.size
        if isinstance(node, (LeafNode, BranchNode)) and node.value:
            keys += 1
            value_size += len(node.value)
            depths[walked.depth] = depths.get(walked.depth, 0) + 1
    return TrieStatistics(
        keys=keys,
        leaves=kinds[LeafNode],
        extensions=kinds[ExtensionNode],
        branches=kinds[BranchNode],
        embedded=embedded,
        size=size,
        value_size=value_size,
        depths=dict(sorted(depths.items())),
    )
