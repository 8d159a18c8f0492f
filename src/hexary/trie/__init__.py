"""Merkle-Patricia tries: nodes, mutable tries, and root hashes of collections."""

from __future__ import annotations

from hexary.trie.nibbles import Nibbles, hp_decode, hp_encode, pack, unpack
from hexary.trie.nodes import (
    EMPTY_ROOT,
    BranchNode,
    ExtensionNode,
    HashNode,
    LeafNode,
    Node,
    NodeRef,
    decode_node,
)
from hexary.trie.root import (
    ordered_trie_root,
    packed_trie_root,
    secure_trie_root,
    trie_root,
)
from hexary.trie.trie import SecureTrie, Trie

__all__ = [
    "EMPTY_ROOT",
    "BranchNode",
    "ExtensionNode",
    "HashNode",
    "LeafNode",
    "Nibbles",
    "Node",
    "NodeRef",
    "SecureTrie",
    "Trie",
    "decode_node",
    "hp_decode",
    "hp_encode",
    "ordered_trie_root",
    "pack",
    "packed_trie_root",
    "secure_trie_root",
    "trie_root",
    "unpack",
]
