"""Merkle-Patricia tries: nodes, mutable tries, and root hashes of collections."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexary.trie.absence import Absence, AbsenceKind
from hexary.trie.builder import TrieBuilder, ordered_pairs, sorted_trie_root
from hexary.trie.diff import (
    Divergence,
    KeyDifference,
    first_divergence,
    trie_differences,
)
from hexary.trie.memory_store import MemoryStore
from hexary.trie.nibbles import Nibbles, hp_decode, hp_encode, pack, unpack
from hexary.trie.node_cache import NodeCache
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
from hexary.trie.partial import (
    AccessRecorder,
    WitnessStore,
    minimal_witness,
    partial_trie,
)
from hexary.trie.proof import (
    verify_exclusion,
    verify_inclusion,
    verify_many,
    verify_proof,
)
from hexary.trie.provable import ProvableTrie
from hexary.trie.pruning import Collected, collect_garbage
from hexary.trie.range_proof import RangeProof, RangeResult, verify_range
from hexary.trie.root import (
    ordered_trie_root,
    packed_trie_root,
    secure_trie_root,
    trie_root,
)
from hexary.trie.secure_trie import SecureTrie
from hexary.trie.store import NodeStore
from hexary.trie.trie import Trie
from hexary.trie.walk import LeafPage, TrieStatistics, WalkedNode

if TYPE_CHECKING:
    from hexary.trie.lmdb_store import LMDBStore
    from hexary.trie.sqlite_store import SQLiteStore

__all__ = [
    "EMPTY_ROOT",
    "Absence",
    "AbsenceKind",
    "AccessRecorder",
    "BranchNode",
    "Collected",
    "Divergence",
    "ExtensionNode",
    "HashNode",
    "KeyDifference",
    "LMDBStore",
    "LeafNode",
    "LeafPage",
    "MemoryStore",
    "Nibbles",
    "Node",
    "NodeCache",
    "NodeRef",
    "NodeStore",
    "ProvableTrie",
    "RangeProof",
    "RangeResult",
    "SQLiteStore",
    "SecureTrie",
    "Trie",
    "TrieBuilder",
    "TrieStatistics",
    "WalkedNode",
    "WitnessStore",
    "collect_garbage",
    "decode_node",
    "first_divergence",
    "hp_decode",
    "hp_encode",
    "minimal_witness",
    "ordered_pairs",
    "ordered_trie_root",
    "pack",
    "packed_trie_root",
    "partial_trie",
    "secure_trie_root",
    "sorted_trie_root",
    "trie_differences",
    "trie_root",
    "unpack",
    "verify_exclusion",
    "verify_inclusion",
    "verify_many",
    "verify_proof",
    "verify_range",
]

_LATE = {"LMDBStore": "lmdb_store", "SQLiteStore": "sqlite_store"}
"""Names that only some users need, loaded on first use → the module each is in."""


def __getattr__(name: str) -> object:
    """Load the module that *name* lives in."""
    module = _LATE.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the names that are not loaded yet, too."""
    return sorted({*globals(), *__all__})
