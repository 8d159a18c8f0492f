"""`MemoryStore`: a store that lasts as long as the process."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from hexary.errors import StoreReason
from hexary.trie.store import StoreBase, Swept
from hexary.typed import Hash

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hexary.trie.store import Blobs

__all__ = ["MemoryStore"]


class MemoryStore(StoreBase):
    r"""
    A store in memory, for tests and for tries that share their nodes.

    It pickles, and copies by `copy.copy` and `copy.deepcopy` alike, with all it holds.

    Args:
        nodes: hash → bytes of what it holds from the beginning, as `write` takes it: a
            mapping, or an iterable of pairs.  It is copied.

    Raises:
        InputTypeError: if a hash, or what it stands for, is not bytes.
        StoreError: if the hash of the bytes is another.

    Example:
        >>> from hexary.trie import Trie
        >>> with MemoryStore() as store:
        ...     root = Trie({b"do": b"verb"}, store=store).commit("words")
        ...     Trie(store, store.root("words"))[b"do"]
        b'verb'
        >>> nodes = {root: b"\xc9\x83\x20\x64\x6f\x84verb"}
        >>> Trie(MemoryStore(nodes), root)[b"do"]
        b'verb'
    """

    def __init__(self, nodes: Blobs = (), /) -> None:
        super().__init__("memory")
        self._closed = False
        self._blobs = dict(self._checked(nodes, "nodes"))
        self._roots: dict[str, Hash] = {}
        self._marks: set[bytes] = set()
        self._pending: dict[bytes, bytes] = {}

    def __len__(self) -> int:
        """Return the number of blobs."""
        return len(self._blobs)

    def __bool__(self) -> bool:
        return True

    def roots(self) -> dict[str, Hash]:
        """Return all named roots."""
        self._check_open()
        return dict(self._roots)

    def close(self) -> None:
        """Forget everything; the store cannot be used afterwards."""
        self._closed = True
        self._blobs = {}

    @contextmanager
    def transaction(self) -> Iterator[_Transaction]:
        """Begin a write transaction; an error inside it undoes all of it."""
        with self._exclusive():
            self._check_open()
            transaction = _Transaction(self)
            yield transaction
            # Nodes before roots: a reader may look between the two.
            self._blobs.update(transaction.blobs)
            self._roots = transaction.named

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:  # copies, as others may write while this is pickled
            copied = {
                "_blobs": self._blobs.copy(),
                "_roots": self._roots.copy(),
                "_marks": self._marks.copy(),
                "_pending": self._pending.copy(),
            }
        return super().__getstate__() | copied

    def _find(self, digest: bytes) -> bytes | None:
        self._check_open()
        return self._blobs.get(digest)

    def _check_open(self) -> None:
        if self._closed:
            raise self._error(StoreReason.CLOSED)


class _Transaction:
    """
    A write transaction: what it puts in is set aside until it ends.

    Marks are changed at once: that a blob is marked without need does no harm.
    """

    def __init__(self, store: MemoryStore) -> None:
        self.blobs: dict[bytes, bytes] = {}
        self.named = dict(store._roots)
        self._store = store

    def find(self, digest: bytes) -> bytes | None:
        return self.blobs.get(digest, self._store._blobs.get(digest))

    def put(self, blobs: list[tuple[bytes, bytes]]) -> None:
        self.blobs.update(blobs)

    def roots(self) -> dict[str, Hash]:
        return dict(self.named)

    def point(self, name: str, digest: bytes | None) -> None:
        if digest is None:
            self.named.pop(name, None)
        else:
            self.named[name] = Hash(digest)

    def mark(self, digest: bytes, path: bytes) -> bool:
        if digest in self._store._marks:
            return False
        self._store._pending[digest] = path
        self._store._marks.add(digest)
        return True

    def pending(self, limit: int) -> list[tuple[bytes, bytes]]:
        following = iter(self._store._pending.items())
        return [pair for _, pair in zip(range(limit), following, strict=False)]

    def is_pending(self, digest: bytes) -> bool:
        return digest in self._store._pending

    def is_marked(self, digest: bytes) -> bool:
        return digest in self._store._marks

    def settle(self, digest: bytes) -> None:
        self._store._pending.pop(digest, None)

    def marked(self) -> int:
        return len(self._store._marks)

    def unmark(self) -> None:
        self._store._marks = set()
        self._store._pending = {}

    def sweep(self) -> Swept:
        before, marks = self._store._blobs, self._store._marks
        kept = {digest: blob for digest, blob in before.items() if digest in marks}
        size = sum(map(len, before.values())) - sum(map(len, kept.values()))
        self._store._blobs = kept
        self.unmark()
        return Swept(len(before) - len(kept), size)
