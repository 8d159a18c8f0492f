"""The stores and roots that a command line names."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from hexary.errors import HexaryError, StoreError, StoreReason
from hexary.typed import Hash

if TYPE_CHECKING:
    from hexary.trie.store import StoreBase

__all__ = ["find_root", "is_store_file", "open_store"]

_SQLITE = b"SQLite format 3\0"
"""How an SQLite file begins."""

_LMDB_MAGIC = b"\xde\xc0\xef\xbe"
"""What stands at the seventeenth byte of an LMDB file, on a little-endian machine."""

_LMDB_NAMES = (".mdb", ".lmdb")
"""How the name of a new store ends that is to be LMDB's."""


def _head(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(32)


def is_store_file(path: str) -> bool:
    """Return whether *path* is a file that may be a store."""
    if not os.path.isfile(path):
        return False
    head = _head(path)
    return head.startswith(_SQLITE) or head[16:20] in (_LMDB_MAGIC, _LMDB_MAGIC[::-1])


def open_store(path: str, *, write: bool = False, create: bool = False) -> StoreBase:
    """
    Open the store in a file, of the kind that the file is.

    Args:
        path: the file.
        write: whether the command changes it.
        create: whether a file that does not exist is made; one whose name ends in
            ``.mdb`` or ``.lmdb`` is LMDB's.

    Raises:
        StoreError: if it cannot be opened.
        OSError: if it does not exist.
    """
    from hexary.trie import LMDBStore, SQLiteStore

    if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
        raise StoreError(StoreReason.NOT_A_STORE, store=path, detail="it is no file")
    if create and not os.path.exists(path):
        is_sqlite = not path.lower().endswith(_LMDB_NAMES)
    else:
        is_sqlite = _head(path).startswith(_SQLITE) or not is_store_file(path)
        if write and not create and not os.path.getsize(path):
            # Opening it for writing would make a store of it.
            detail = "the file is empty"
            raise StoreError(StoreReason.NOT_A_STORE, store=path, detail=detail)
    opener = SQLiteStore if is_sqlite else LMDBStore
    return opener(path, read_only=not write)


def find_root(store: StoreBase, root: str | None) -> Hash:
    """
    Return the root that is meant.

    Args:
        store: the store.
        root: a root's name or its hash; ``None`` for the only one that has a name.

    Raises:
        click.UsageError: if that is none, or not clear.
    """
    roots = store.roots()
    if root is None:
        if len(roots) == 1:
            return next(iter(roots.values()))
        names = ", ".join(roots) or "none"
        raise click.UsageError(f"which root? Give --root; the store's names: {names}")
    if root in roots:
        return roots[root]
    try:
        return Hash.from_text(root)
    except HexaryError:
        names = ", ".join(roots) or "none"
        raise click.UsageError(
            f"{root!r} is no root's name and no hash; the store's names: {names}"
        ) from None
