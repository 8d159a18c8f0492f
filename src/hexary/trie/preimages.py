"""`Preimages`: the keys that were hashed, found again by their hashes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hexary.trie.store import NodeStore

__all__ = ["Preimages"]


class Preimages:
    """
    Keys by their keccak-256: those of this process, and those in a store.

    A hash has one preimage for good, so that all tries of one store can share a table,
    and a copy of a trie its original's.

    Args:
        store: where keys are kept that were there before, ``None`` for nowhere.

    Example:
        >>> from hexary import hash as hashing
        >>> keys = Preimages()
        >>> keys.remember(hashing.keccak256(b"do"), b"do")
        >>> keys.find(hashing.keccak256(b"do")), keys.find(bytes(32))
        (b'do', None)
    """

    __slots__ = ("_known", "_store")

    def __init__(self, store: NodeStore | None = None) -> None:
        self._known: dict[bytes, bytes] = {}
        self._store = store

    def remember(self, digest: bytes, key: bytes) -> None:
        """Note that *digest* is the hash of *key*."""
        self._known[digest] = key

    def find(self, digest: bytes) -> bytes | None:
        """Return the key with this hash, ``None`` if it is not known."""
        key = self._known.get(digest)
        if key is None and self._store is not None:
            return self._store.read(digest)
        return key

    def unsaved(self) -> list[tuple[bytes, bytes]]:
        """Return hash and key of those that are only in this process."""
        return list(self._known.items())

    def forget(self, saved: list[tuple[bytes, bytes]]) -> None:
        """Drop keys that are in the store now."""
        for digest, _ in saved:
            self._known.pop(digest, None)
