"""
Stores: where the nodes of tries outlive the trie, and mostly the process.

A store maps keccak-256 hashes to the bytes that have that hash: encoded nodes, and what
else a trie's owner wants to find by its hash (code, the keys that were hashed).  Beside
them it keeps **named roots**, from which everything that is to stay can be reached.

What every store promises:

* Bytes go in only under their own hash, and are hashed again whenever they are read.
* `NodeStore.write` is one transaction: all of it is there afterwards, or nothing.
* A root is named only if its node is there.
* A failed write is a `StoreError`, and what was in the store before is still there.
* Any number of threads may read at once, while one writes.

`NodeStore` is what a trie needs of a store, `StoreBase` the part that the stores of
this package share.  Each of them has a file of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import contextmanager
from threading import RLock
from typing import (
    TYPE_CHECKING,
    Any,
    NamedTuple,
    Protocol,
    runtime_checkable,
)

from hexary import hash as hashing
from hexary.errors import (
    InputTypeError,
    RangeError,
    StoreError,
    StoreReason,
    describe,
)
from hexary.trie.input import exact_hash, pairs_of
from hexary.trie.nodes import EMPTY_ROOT
from hexary.typed.buffer import exact_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from types import TracebackType
    from typing import Self

    from hexary.typed import Hash

__all__ = [
    "NodeStore",
    "StoreBase",
    "StoreTransaction",
    "StoreView",
    "Swept",
    "check_root_name",
    "read_blob",
]

Blobs = Mapping[bytes, bytes] | Iterable[tuple[bytes, bytes]]
"""Hash and bytes of each of several blobs."""

_LONGEST_NAME = 255
"""Bytes of a root's name in UTF-8, for engines whose keys are short."""


@runtime_checkable
class NodeStore(Protocol):
    """
    What a trie needs of a store; the module's docstring tells what it promises.

    Example:
        >>> from hexary.trie import MemoryStore
        >>> isinstance(MemoryStore(), NodeStore), isinstance({}, NodeStore)
        (True, False)
    """

    @property
    def read_only(self) -> bool:
        """Whether the store refuses to write."""
        ...

    def read(self, digest: bytes) -> bytes | None:
        """
        Return the bytes with this hash, ``None`` if they are not there.

        A bytearray or a memoryview will do.  A KeyError is not taken for "not there",
        since it may come from anything that the store does.

        Raises:
            StoreError: if what is stored does not have that hash, or cannot be read.
        """
        ...

    def __contains__(self, digest: object) -> bool: ...

    def write(
        self,
        blobs: Blobs = (),
        *,
        roots: Mapping[str, bytes | None] | None = None,
        base: bytes | None = None,
    ) -> None:
        """
        Put in blobs and then move named roots, all in one transaction.

        Args:
            blobs: hash and bytes of each, children before their parents.
            roots: name → the hash that it leads to from now on; ``None`` removes it.
            base: a root that has to be in the store still: the one that the blobs
                build upon.

        Raises:
            StoreError: if a hash is wrong, a root or the base is not in the store, the
                store is read-only or closed, or the disk is full; nothing has changed.
        """
        ...

    def root(self, name: str) -> Hash | None:
        """Return the root of this name, ``None`` if there is none."""
        ...

    def roots(self) -> dict[str, Hash]:
        """Return all named roots."""
        ...


class Swept(NamedTuple):
    """
    What a sweep removed.

    Attributes:
        blobs: the number of blobs.
        size: their bytes.
    """

    blobs: int
    size: int


class StoreTransaction(Protocol):
    """
    A write transaction of a store: what `StoreBase` asks of a storage engine.

    The marks are those that pruning puts on what is to stay.  A marked blob is pending,
    or else all that it refers to is marked too.  They outlive the process, so that
    pruning can go on where it was stopped.
    """

    def find(self, digest: bytes) -> bytes | None:
        """Return the bytes stored under this hash, as they are."""
        ...

    def put(self, blobs: list[tuple[bytes, bytes]]) -> None:
        """Store blobs whose hashes are right."""
        ...

    def roots(self) -> dict[str, Hash]:
        """Return all named roots."""
        ...

    def point(self, name: str, digest: bytes | None) -> None:
        """Let a named root lead to this hash, or to nothing any more."""
        ...

    def mark(self, digest: bytes, path: bytes) -> bool:
        """Mark a blob, pending at *path*; return whether it was not marked before."""
        ...

    def pending(self, limit: int) -> list[tuple[bytes, bytes]]:
        """Return up to *limit* blobs that are pending, each with its path."""
        ...

    def is_pending(self, digest: bytes) -> bool:
        """Whether a marked blob is pending."""
        ...

    def is_marked(self, digest: bytes) -> bool:
        """Whether a blob is marked, pending or not."""
        ...

    def settle(self, digest: bytes) -> None:
        """Note that all that a marked blob refers to is marked."""
        ...

    def marked(self) -> int:
        """Return how many blobs are marked."""
        ...

    def unmark(self) -> None:
        """Take all marks back."""
        ...

    def sweep(self) -> Swept:
        """Remove every blob that is not marked, and all marks."""
        ...


class StoreBase:
    """
    The part that the stores of this package share: what goes in and out is checked.

    Example:
        >>> from hexary.trie import MemoryStore
        >>> isinstance(MemoryStore(), StoreBase), isinstance(MemoryStore(), NodeStore)
        (True, True)
    """

    _label: str
    _read_only: bool

    def __init__(self, label: str, *, read_only: bool = False) -> None:
        self._label = label
        self._read_only = read_only
        self._lock = RLock()
        self._writing = False

    @property
    def read_only(self) -> bool:
        """Whether the store refuses to write."""
        return self._read_only

    def read(self, digest: bytes) -> bytes | None:
        """
        Return the bytes with this hash, ``None`` if they are not there.

        Raises:
            StoreError: if what is stored does not have that hash, or cannot be read.
        """
        digest = exact_bytes(digest, "digest")
        blob = self._find(digest) if len(digest) == 32 else None
        if blob is not None:
            actual = hashing.keccak256(blob)
            if actual != digest:
                raise self._error(
                    StoreReason.CORRUPT,
                    node_hash=digest,
                    detail=f"{len(blob)} bytes with hash 0x{actual.hex()}",
                )
        return blob

    def __contains__(self, digest: object) -> bool:
        """Whether there are bytes with this hash; they are not read."""
        if not isinstance(digest, bytes) or len(digest) != 32:
            return False
        return self._find(digest) is not None

    def write(
        self,
        blobs: Blobs = (),
        *,
        roots: Mapping[str, bytes | None] | None = None,
        base: bytes | None = None,
    ) -> None:
        """
        Put in blobs and then move named roots, all in one transaction.

        Args:
            blobs: hash and bytes of each, children before their parents.
            roots: name → the hash that it leads to from now on; ``None`` removes it.
            base: a root that has to be in the store still: the one that the blobs
                build upon.

        Raises:
            StoreError: if a hash is wrong, a root or the base is not in the store, the
                store is read-only or closed, or the disk is full; nothing has changed.
            InputTypeError, SizeError: if an argument does not fit.
        """
        checked = self._checked(blobs)
        targets = _targets({} if roots is None else roots)
        base = None if base is None else exact_bytes(base, "base")
        with self.transaction() as transaction:
            if base is not None and not _holds(transaction, base):
                raise self._error(StoreReason.BASE_COLLECTED, node_hash=base)
            transaction.put(checked)
            for name, digest in targets.items():
                if digest is not None and not _holds(transaction, digest):
                    raise self._error(StoreReason.UNKNOWN_ROOT, node_hash=digest)
                transaction.point(name, digest)

    def root(self, name: str) -> Hash | None:
        """Return the root of this name, ``None`` if there is none."""
        return self.roots().get(name)

    def roots(self) -> dict[str, Hash]:
        """Return all named roots."""
        raise NotImplementedError

    def transaction(self) -> AbstractContextManager[StoreTransaction]:
        """Begin a write transaction; an error inside it undoes all of it."""
        raise NotImplementedError

    def view(self) -> StoreView:
        """Return the same store as one that cannot be written to."""
        return StoreView(self)

    def close(self) -> None:
        """Let go of what the store holds open; it cannot be used afterwards."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._label}>"

    def __getstate__(self) -> dict[str, Any]:
        """Pickle, or copy, what is in memory: all but the lock."""
        state = self.__dict__.copy()
        del state["_lock"], state["_writing"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = RLock()
        self._writing = False

    def _find(self, digest: bytes) -> bytes | None:
        """Return the bytes stored under this hash, as they are."""
        raise NotImplementedError

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        """Keep other threads from writing, and this one from doing it twice at once."""
        if self._read_only:
            raise self._error(StoreReason.READ_ONLY)
        with self._lock:
            if self._writing:
                raise self._error(StoreReason.BUSY, detail="it is this same thread")
            self._writing = True
            try:
                yield
            finally:
                self._writing = False

    def _checked(
        self, blobs: Blobs, argument: str = "blobs"
    ) -> list[tuple[bytes, bytes]]:
        """Return *blobs* as plain bytes, each of which has the hash it came with."""
        checked = [
            (exact_bytes(digest, "hash"), exact_bytes(blob, "blob"))
            for digest, blob in pairs_of(blobs, argument)
        ]
        actual = hashing.keccak256_many([blob for _, blob in checked])
        for (digest, blob), right in zip(checked, actual, strict=True):
            if digest != right:
                raise self._error(
                    StoreReason.WRONG_HASH,
                    node_hash=digest,
                    detail=f"{len(blob)} bytes with hash 0x{right.hex()}",
                )
        return checked

    def _error(
        self, reason: StoreReason, *, node_hash: bytes | None = None, detail: str = ""
    ) -> StoreError:
        return StoreError(reason, store=self._label, node_hash=node_hash, detail=detail)


class StoreView(StoreBase):
    """
    Another store, as one that cannot be written to.

    Args:
        store: the store that it reads.

    Example:
        >>> from hexary.trie import MemoryStore
        >>> view = MemoryStore().view()
        >>> view.read_only, view.root("latest")
        (True, None)
    """

    def __init__(self, store: StoreBase) -> None:
        super().__init__(store._label, read_only=True)
        self._store = store

    def roots(self) -> dict[str, Hash]:
        """Return all named roots."""
        return self._store.roots()

    def transaction(self) -> AbstractContextManager[StoreTransaction]:
        """Refuse: raise `StoreError`."""
        raise self._error(StoreReason.READ_ONLY, detail="this is a view of it")

    def _find(self, digest: bytes) -> bytes | None:
        return self._store._find(digest)


def read_blob(store: NodeStore, digest: bytes) -> bytes | None:
    """
    Return the bytes with this hash in a store of whatever kind, ``None`` without any.

    A store may be anybody's.  What it raises comes out as it is, but for the two errors
    that Python itself takes for "the key is absent" and "this is the end".

    Args:
        store: the store.
        digest: the hash.

    Raises:
        StoreError: if the store raises KeyError or StopIteration, or returns neither
            ``None`` nor bytes, a bytearray or a memoryview; or of the store's own.

    Example:
        >>> from hexary.trie import MemoryStore
        >>> read_blob(MemoryStore(), bytes(32)) is None
        True
    """
    try:
        blob: object = store.read(digest)
    except (KeyError, StopIteration) as error:
        detail = f"read raised {type(error).__name__}; what is not there is None"
        raise _bad_answer(store, digest, detail) from error
    if blob is None or type(blob) is bytes:
        return blob
    try:
        return exact_bytes(blob, "blob")
    except InputTypeError as error:
        detail = f"read returned {describe(blob)}, which is neither bytes nor None"
        raise _bad_answer(store, digest, detail) from error


def _bad_answer(store: NodeStore, digest: bytes, detail: str) -> StoreError:
    return StoreError(
        StoreReason.BAD_ANSWER,
        store=store._label if isinstance(store, StoreBase) else type(store).__name__,
        node_hash=digest,
        detail=detail,
    )


def _holds(transaction: StoreTransaction, root: bytes) -> bool:
    """Whether a root's node is there; the empty trie has none and needs none."""
    return root == EMPTY_ROOT or transaction.find(root) is not None


def _targets(roots: Mapping[str, bytes | None]) -> dict[str, bytes | None]:
    """Return what names are to lead to: hashes, or ``None``."""
    targets: dict[str, bytes | None] = {}
    if not isinstance(roots, Mapping):
        raise InputTypeError("roots", "a mapping of name to hash", roots)
    for name, digest in roots.items():
        check_root_name(name)
        if digest is not None:
            digest = exact_hash(digest, f"roots[{name!r}]")
        targets[name] = digest
    return targets


def check_root_name(name: object) -> None:
    """
    Refuse what no root in a store can be called.

    Raises:
        InputTypeError: it is no text, or none that UTF-8 has.
        RangeError: it is empty, or longer than 255 bytes.

    Example:
        >>> check_root_name("latest")
    """
    if not isinstance(name, str):
        raise InputTypeError("a root's name", "text", name)
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        rule = "text without lone surrogates"
        raise InputTypeError("a root's name", rule, name) from None
    if not 1 <= size <= _LONGEST_NAME:
        raise RangeError("the size of a name", size, 1, _LONGEST_NAME)
