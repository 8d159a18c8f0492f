"""Stores of every kind, for tests that hold for all of them."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest

from hexary.trie import LMDBStore, MemoryStore, SQLiteStore
from hexary.trie.store import StoreBase

__all__ = ["FILE_KINDS", "KINDS", "StoreHome", "each_file_kind", "each_kind"]

KINDS = ("memory", "sqlite", "lmdb")
FILE_KINDS = ("sqlite", "lmdb")

each_kind = pytest.mark.parametrize("kind", KINDS)
each_file_kind = pytest.mark.parametrize("kind", FILE_KINDS)


class StoreHome:
    """Where a store of one kind lives: it can be opened, closed and opened again."""

    def __init__(self, kind: str, folder: Path | None = None) -> None:
        self.kind = kind
        self.memory = MemoryStore()
        self.own = tempfile.TemporaryDirectory() if folder is None else None
        self.path = Path(self.own.name if self.own else folder or "") / f"trie.{kind}"
        self.opened: list[StoreBase] = []

    def open(self, **options: Any) -> StoreBase:
        """Return the store, opened anew; what was opened before is closed."""
        self.close()
        if self.kind == "memory":
            return self.memory.view() if options.get("read_only") else self.memory
        options.setdefault("durable", False)  # no test cuts the power
        opener = SQLiteStore if self.kind == "sqlite" else LMDBStore
        self.opened.append(opener(self.path, **options))
        return self.opened[-1]

    def close(self) -> None:
        """Close what is open."""
        while self.opened:
            self.opened.pop().close()

    def remove(self) -> None:
        """Close what is open and remove the files."""
        self.close()
        if self.own is not None:
            self.own.cleanup()
