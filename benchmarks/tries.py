"""Tries that change, in memory: built key by key, and updated."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from measurement import Row
from roots import random_pairs
from trie import HexaryTrie

import hexary

__all__ = ["rows"]

KEYS = 100_000
UPDATES = 1_000


def built(pairs: Mapping[bytes, bytes], *, prune: bool, squash: bool) -> HexaryTrie:
    """Return py-trie's trie of *pairs*."""
    trie = HexaryTrie({}, prune=prune)
    if squash:
        with trie.squash_changes() as batch:
            for key, value in pairs.items():
                batch[key] = value
    else:
        for key, value in pairs.items():
            trie[key] = value
    return trie


def squashed(trie: Any, updates: Mapping[bytes, bytes]) -> bytes:
    """Return the root after *updates*, which py-trie writes all at once."""
    with trie.squash_changes() as batch:
        for key, value in updates.items():
            batch[key] = value
    return trie.root_hash


def updated(trie: Any, updates: Mapping[bytes, bytes]) -> bytes:
    """Return the root after *updates*."""
    for key, value in updates.items():
        trie[key] = value
    return trie.root_hash


def ours(trie: Any, updates: Mapping[bytes, bytes]) -> bytes:
    """Return the root after *updates*."""
    trie.update(updates)
    return trie.root_hash


@cache
def pairs() -> dict[bytes, bytes]:
    """Return the content that all begin with; made when a row is first measured."""
    return random_pairs(KEYS)


@cache
def updating(name: str) -> Callable[[], bytes]:
    """Return what changes some values of a trie that is kept, and returns its root."""
    if name == "hexary":
        trie = hexary.Trie(pairs())
        change = ours
    else:
        trie = built(pairs(), prune=name != "trie", squash=True)
        change = squashed if name == "trie, squash_changes" else updated
    source = random.Random(UPDATES)
    keys = list(pairs())

    def run() -> bytes:
        return change(
            trie, {source.choice(keys): source.randbytes(80) for _ in range(UPDATES)}
        )

    return run


def rows() -> Iterator[Row]:
    """Yield building a large trie, and changing one."""
    yield Row(
        f"{KEYS:,} keys built and rooted",
        {
            "hexary": lambda: hexary.Trie(pairs()).root_hash,
            "trie": lambda: built(pairs(), prune=False, squash=False),
            "trie, prune": lambda: built(pairs(), prune=True, squash=False),
            "trie, squash_changes": lambda: built(pairs(), prune=True, squash=True),
        },
        rounds=2,
    )
    yield Row(
        f"{UPDATES:,} updates of {KEYS:,} keys, and the root",
        {
            name: lambda name=name: updating(name)()
            for name in ("hexary", "trie", "trie, prune", "trie, squash_changes")
        },
        goal=0.08,
        rounds=5,
    )
