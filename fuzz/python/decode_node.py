"""
`decode_node` on any bytes: a `NodeError`, or a node whose encoding is just these bytes.

Children that are embedded are nodes too, and have to come back when decoded alone.
"""

from __future__ import annotations

from hexary import NodeError, keccak256
from hexary.trie.nodes import BranchNode, ExtensionNode, HashNode, Node, decode_node


def test_one_input(data: bytes) -> None:
    """Decode *data* as a node."""
    try:
        node = decode_node(data)
    except NodeError as error:
        if not 0 <= error.offset <= len(data):
            raise AssertionError(f"offset {error.offset} of {len(data)}") from error
        return
    _check(node, data)


def _check(node: Node, data: bytes) -> None:
    if node.encoding != data:
        raise AssertionError(f"{data.hex()} became {node.encoding.hex()}")
    expected = data if len(data) < 32 else keccak256(data)
    if node.reference != expected:
        raise AssertionError(f"the reference of {data.hex()} is {node.reference.hex()}")
    children: list[Node] = []
    if isinstance(node, BranchNode):
        children += node.children()
    elif isinstance(node, ExtensionNode):
        children.append(node.child)
    for child in children:
        if not isinstance(child, HashNode):
            _check(decode_node(child.encoding), child.encoding)
