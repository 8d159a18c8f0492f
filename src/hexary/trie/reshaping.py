"""How nodes part where a new key comes in, and merge where one has gone."""

from __future__ import annotations

from hexary.trie.nodes import BranchNode, ExtensionNode, LeafNode, Node

__all__ = ["fork", "prolong"]


def fork(node: Node, rest: bytes, shared: int, value: bytes) -> Node:
    """
    Return a branch that holds both *node* and a new value.

    Args:
        node: a leaf or an extension; its path parts from *rest* after *shared* nibbles.
        rest: the new value's path below the same parent.
        shared: the number of nibbles that both begin with.
        value: the new value.
    """
    slots: list[Node | None] = [None] * 16
    ending = b""
    if isinstance(node, LeafNode):
        if shared == len(node.path):
            ending = node.value
        else:
            slots[node.path[shared]] = LeafNode(node.path[shared + 1 :], node.value)
    elif isinstance(node, ExtensionNode):
        slots[node.path[shared]] = prolong(node.path[shared + 1 :], node.child)
    if shared == len(rest):
        ending = value
    else:
        slots[rest[shared]] = LeafNode(rest[shared + 1 :], value)
    return prolong(rest[:shared], BranchNode(tuple(slots), ending))


def prolong(path: bytes, node: Node) -> Node:
    """
    Return the node that stands *path* above *node*, merged with it where it can.

    A `HashNode` has to stand for a branch: the two never merge.
    """
    if not path:
        return node
    if isinstance(node, LeafNode):
        return LeafNode(path + node.path, node.value)
    if isinstance(node, ExtensionNode):
        return ExtensionNode(path + node.path, node.child)
    return ExtensionNode(path, node)
