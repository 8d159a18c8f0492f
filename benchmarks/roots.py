"""Roots of tries with random 32-byte keys and 80-byte values."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

from measurement import Row
from trie import HexaryTrie

import hexary

try:
    from ethereum.forks.osaka import trie as eels
except ModuleNotFoundError:  # it cannot be installed for the newest Pythons
    eels = None

__all__ = ["rows"]


def random_pairs(count: int) -> dict[bytes, bytes]:
    """Return the same *count* pairs every time."""
    source = random.Random(count)
    return {source.randbytes(32): source.randbytes(80) for _ in range(count)}


def with_eels(pairs: Mapping[bytes, bytes]) -> bytes:
    """Return the root as the execution specs compute it."""
    trie = eels.Trie(secured=False, default=b"")
    for key, value in pairs.items():
        eels.trie_set(trie, key, value)
    return eels.root(trie)


def with_py_trie(pairs: Mapping[bytes, bytes]) -> bytes:
    """Return the root as py-trie computes it."""
    trie = HexaryTrie({})
    for key, value in pairs.items():
        trie[key] = value
    return trie.root_hash


def rows() -> Iterator[Row]:
    """Yield a small root and a large one."""
    for count, goal, rounds in ((10, None, 9), (10_000, 0.2, 3)):
        pairs = random_pairs(count)
        contestants = {
            "hexary": lambda pairs=pairs: hexary.trie_root(pairs),
            "Trie": lambda pairs=pairs: hexary.Trie(pairs).root_hash,
            "trie (py-trie)": lambda pairs=pairs: with_py_trie(pairs),
        }
        if eels:
            contestants["ethereum-execution"] = lambda pairs=pairs: with_eels(pairs)
        if len({bytes(root()) for root in contestants.values()}) != 1:
            raise SystemExit(f"the packages disagree on the root of {count} pairs")
        yield Row(f"root of {count:,} pairs", contestants, goal=goal, rounds=rounds)
