"""The RLP items of a node, before it is told what kind of node they make."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexary import rlp
from hexary.typed import Hash

if TYPE_CHECKING:
    from hexary.rlp import Item

__all__ = ["node_items"]

_MOST_ITEMS = 18 + 16 * 30
"""RLP items in a node: a branch, and what sixteen embedded nodes have at most."""


def node_items(encoding: bytes) -> Item:
    """
    Return the RLP item of a node, which is no larger and no deeper than nodes are.

    A list of millions is refused before any object is made of them.

    Args:
        encoding: the node's RLP.

    Raises:
        DecodeError: if it is no RLP, or of more items or levels than any node.

    Example:
        >>> node_items(bytes.fromhex("c22076"))
        [b' ', b'v']
    """
    # An embedded node is shorter than the one around it, the first under 32 bytes.
    return rlp.decode(encoding, max_depth=Hash.byte_length, max_items=_MOST_ITEMS)
