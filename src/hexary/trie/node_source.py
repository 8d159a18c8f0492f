"""`NodeSource`: where a trie gets the nodes of which it holds only the hash."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from hexary.trie.nodes import Node

__all__ = ["NodeSource"]


class NodeSource(Protocol):
    """Where a core gets the nodes of which it holds only the hash."""

    def node(self, digest: bytes, path: bytes | memoryview) -> Node:
        """
        Return the node with this hash.

        Args:
            digest: keccak-256 of the node's encoding.
            path: nibbles from the root to it, for messages; a view is not to be kept.

        Raises:
            MissingNodeError: if there is none.
            NodeError: if the bytes with this hash are no node.
        """
        ...

    def encoding(self, digest: bytes, path: bytes | memoryview) -> bytes:
        """
        Return the bytes of which `node` makes the node; they may be no node.

        The native core reads them itself; where it cannot, it asks for the node, and
        has the error.
        """
        ...
