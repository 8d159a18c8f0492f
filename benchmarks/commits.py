"""Tries on stores: commits, opening stores of different sizes, and reading."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from itertools import count
from pathlib import Path

from measurement import Row
from roots import random_pairs
from trie import HexaryTrie

import hexary
from hexary.trie.store import StoreBase

__all__ = ["rows"]

COMMITTED = 10_000
SMALL, LARGE = 1_000, 100_000


def _openers(folder: Path) -> dict[str, Callable[[str], StoreBase]]:
    """Return name → what makes or opens a store of that kind."""
    return {
        "SQLiteStore": lambda name: hexary.SQLiteStore(folder / f"{name}.db"),
        "LMDBStore": lambda name: hexary.LMDBStore(folder / f"{name}.mdb"),
    }


def _commit(store: StoreBase, trie: hexary.Trie) -> None:
    with store:
        hexary.Trie(trie, store=store).commit("latest")


def _read_one(store: StoreBase, key: bytes) -> None:
    """Open a store, look up a key of the trie in it, close the store."""
    with store:
        hexary.Trie(store, store.root("latest"))[key]


class Stores:
    """Stores of two sizes and of each kind, made when they are first asked for."""

    def __init__(self, folder: Path) -> None:
        self.openers = _openers(folder)
        self.numbers = count()
        self.source = random.Random(1)
        self.pairs = cache(random_pairs)
        self.keys = cache(self._keys)

    def commit(self, kind: str) -> None:
        """Build a trie and commit it to a new store."""
        opener = self.openers.get(kind, lambda _: hexary.MemoryStore())
        _commit(opener(f"new {next(self.numbers)}"), hexary.Trie(self.pairs(COMMITTED)))

    def py_trie(self) -> None:
        """Build py-trie's trie over a dict."""
        trie = HexaryTrie({}, prune=True)
        with trie.squash_changes() as batch:
            for key, value in self.pairs(COMMITTED).items():
                batch[key] = value

    def read(self, kind: str, size: int) -> None:
        """Open a store, look up a key, close the store."""
        key = self.source.choice(self.keys(kind, size))
        _read_one(self.openers[kind](str(size)), key)

    def _keys(self, kind: str, size: int) -> list[bytes]:
        _commit(self.openers[kind](str(size)), hexary.Trie(self.pairs(size)))
        return list(self.pairs(size))


def rows() -> Iterator[Row]:
    """Yield commits to new stores, and first reads of small and large ones."""
    with tempfile.TemporaryDirectory() as home:
        stores = Stores(Path(home))
        yield Row(
            f"{COMMITTED:,} keys built, rooted and committed",
            {
                "hexary": lambda: stores.commit("SQLiteStore"),
                "LMDBStore": lambda: stores.commit("LMDBStore"),
                "MemoryStore": lambda: stores.commit("MemoryStore"),
                "trie, squash_changes, dict": stores.py_trie,
            },
            rounds=3,
        )
        for kind in stores.openers:
            yield Row(
                f"{kind} opened and a key read, of {LARGE:,}",
                {
                    "hexary": lambda kind=kind: stores.read(kind, LARGE),
                    f"of {SMALL:,}": lambda kind=kind: stores.read(kind, SMALL),
                },
            )
