"""`Preimages`: the keys that were hashed, found again by their hashes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexary.trie.store import read_blob

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hexary.trie.store import NodeStore

__all__ = ["Preimages"]


class Preimages:
    """
    Keys by their keccak-256: those of this process, and those in a store.

    A copy knows what its original knew, and each of them saves all of it: what one has
    committed may be collected before the other commits.

    Args:
        store: where keys are kept that were there before, ``None`` for nowhere.

    Example:
        >>> from hexary import hash as hashing
        >>> keys = Preimages()
        >>> keys.remember(hashing.keccak256(b"do"), b"do")
        >>> keys.find(hashing.keccak256(b"do")), keys.find(bytes(32))
        (b'do', None)
    """

    __slots__ = ("_known", "_shared", "_store")

    def __init__(self, store: NodeStore | None = None) -> None:
        self._known: dict[bytes, bytes] = {}
        self._shared: tuple[dict[bytes, bytes], ...] = ()
        """What copies know too: tables that never change, the newest last."""
        self._store = store

    def copy(self) -> Preimages:
        """Return an independent table that knows the same, in constant time mostly."""
        if self._known:
            newest, older = self._known, list(self._shared)
            # Each table is twice as large as the next or more, so there are few.
            while older and len(older[-1]) < 2 * len(newest):
                newest = older.pop() | newest
            self._shared = (*older, newest)
            self._known = {}
        other = Preimages(self._store)
        other._shared = self._shared
        return other

    def remember(self, digest: bytes, key: bytes) -> None:
        """Note that *digest* is the hash of *key*."""
        self._known[digest] = key

    def remember_all(self, pairs: Iterable[tuple[bytes, bytes]]) -> None:
        """Note hashes and the keys that they are of."""
        self._known.update(pairs)

    def find(self, digest: bytes) -> bytes | None:
        """Return the key with this hash, ``None`` if it is not known."""
        key = self._known.get(digest)
        if key is not None:
            return key
        for table in reversed(self._shared):
            if digest in table:
                return table[digest]
        return None if self._store is None else read_blob(self._store, digest)

    def unsaved(self) -> list[tuple[bytes, bytes]]:
        """Return hash and key of those that are only in this process."""
        found: dict[bytes, bytes] = {}
        for table in (*self._shared, self._known):
            found |= table
        return list(found.items())

    def forget(self) -> None:
        """Drop all keys, which are in the store now."""
        self._known = {}
        self._shared = ()
