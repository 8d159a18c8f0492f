"""
`LMDBStore`: a store in one LMDB file; needs the package ``lmdb`` (the extra ``lmdb``).

LMDB maps its file into memory, so reading copies a blob once and takes no lock.  Beside
the file it keeps another with ``-lock`` at the end of its name.
"""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NoReturn
from weakref import WeakSet

from hexary.errors import MissingExtraError, StoreError, StoreReason
from hexary.trie.input import exact_count
from hexary.trie.store import StoreBase, Swept
from hexary.trie.store_file import file_name, named_roots, refuse_to_copy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hexary.typed import Hash

__all__ = ["LMDBStore"]

_FORMAT = b"hexary trie store 1"
"""What the table ``about`` says in a store of this kind."""

_TABLES = ("about", "blob", "root", "mark", "pending")

_MAP_SIZE = 1 << 40

_LITTLE = 1 << 20
"""Bytes of free space below which a failed write is put down to a full disk."""

_READERS = 1024
"""Threads and processes that may read at once."""


class LMDBStore(StoreBase):
    """
    A store in one file, by LMDB.

    Any number of threads may use one store, any number of processes one file; of the
    writers one at a time, and the others wait for it.  One process opens a file once.
    A store is not to be taken into a forked process: that is an error, and the child
    opens its own.

    Args:
        path: the file; it is made if it does not exist.
        read_only: never write; the file has to exist.
        durable: whether a write is on the disk when `write` returns.  If not, a crash
            of the whole machine may damage the file; a killed process loses nothing.
        map_size: the most bytes that the file may grow to: address space of the
            process, not memory, and not disk until it is used.

    Raises:
        MissingExtraError: if the package ``lmdb`` is not installed.
        StoreError: if the file cannot be opened, or is something else.

    Example:
        >>> import os, tempfile
        >>> from hexary.trie import Trie
        >>> path = os.path.join(tempfile.mkdtemp(), "trie.mdb")
        >>> with LMDBStore(path) as store:
        ...     root = Trie({b"do": b"verb"}, store=store).commit("words")
        >>> with LMDBStore(path, read_only=True) as store:
        ...     Trie(store, store.root("words"))[b"do"]
        b'verb'
    """

    def __init__(
        self,
        path: str | bytes | os.PathLike[str],
        *,
        read_only: bool = False,
        durable: bool = True,
        map_size: int = _MAP_SIZE,
    ) -> None:
        super().__init__(file_name(path), read_only=read_only)
        map_size = exact_count(map_size, "map_size")
        self._file = os.path.abspath(self._label)  # of the folder that is current now
        self._process = os.getpid()
        self._closed = False
        try:
            import lmdb
        except ImportError as error:
            raise MissingExtraError(
                "lmdb", package="lmdb", purpose="LMDBStore"
            ) from error
        self._engine = lmdb
        _let_go()
        with self._translated():
            self._environment: Any = lmdb.open(
                os.fsencode(self._file),
                subdir=False,
                readonly=read_only,
                create=not read_only,
                map_size=map_size,
                max_dbs=len(_TABLES),
                max_readers=_READERS,
                # A forked process that ends gives back the places of spare readers,
                # which this one would go on to use.
                max_spare_txns=0,
                metasync=durable,
                sync=durable,
            )
            try:
                self._prepare()
            except BaseException:
                self._environment.close()
                raise
        _OPENED.add(self)

    def __getstate__(self) -> NoReturn:
        refuse_to_copy(self)

    def roots(self) -> dict[str, Hash]:
        """Return all named roots."""
        with self._translated(), self._begin() as transaction:
            return _roots(transaction, self._tables["root"], self._label)

    def close(self) -> None:
        """Close the file; the store cannot be used afterwards."""
        if self._process != os.getpid():
            self._closed = True
            return
        with self._lock:
            if not self._closed:
                self._environment.close()
            self._closed = True

    @contextmanager
    def transaction(self) -> Iterator[_Transaction]:
        """Begin a write transaction; an error inside it undoes all of it."""
        self._check_open()  # before the lock, which a forked process may find held
        with (
            self._exclusive(),
            self._translated(),
            self._begin(write=True) as transaction,
        ):
            yield _Transaction(transaction, self._tables, self._label)
        with suppress(StoreError, OSError):
            self._fill()  # the commit is done either way

    def _fill(self) -> None:
        """
        Make the file as long as its pages are many.

        The memory map covers all of them, and reading what lies beyond the end of the
        file would end the process.  LMDB itself leaves out free pages at the end; what
        else may be missing reads as zeros, which no page is and no hash fits.

        Raises:
            StoreError: if it is shorter and must not be written, or could never be so
                long.
        """
        size, wanted = os.path.getsize(self._file), self._wanted_size()
        if size >= wanted:
            return
        detail = f"the file has {size} bytes of {wanted}"
        if self._read_only or wanted > self._environment.info()["map_size"]:
            raise self._error(StoreReason.CORRUPT, detail=detail)
        with self._begin(write=True):  # so that no other process makes it longer
            wanted = self._wanted_size()
            try:
                if os.path.getsize(self._file) < wanted:
                    os.truncate(self._file, wanted)
            except OSError as error:
                detail = f"{detail}; {error.strerror}"
                raise self._error(StoreReason.CORRUPT, detail=detail) from error

    def _wanted_size(self) -> int:
        """Return where the last page that is in use ends."""
        pages: int = self._environment.info()["last_pgno"] + 1
        return pages * int(self._environment.stat()["psize"])

    def _find(self, digest: bytes) -> bytes | None:
        try:
            with self._begin() as transaction:
                found: bytes | None = transaction.get(digest, db=self._tables["blob"])
                return found
        except self._engine.Error as error:
            raise self._failure(error) from error

    def _check_open(self) -> None:
        if self._closed:
            raise self._error(StoreReason.CLOSED)
        if self._process != os.getpid():
            raise self._error(StoreReason.OTHER_PROCESS)

    def _begin(self, *, write: bool = False) -> Any:
        self._check_open()
        return self._environment.begin(write=write)

    def _prepare(self) -> None:
        """Make the tables in a new file, and see that another has them."""
        environment = self._environment
        if not self._read_only:
            environment.reader_check()  # places of readers that were killed
        self._fill()
        if environment.stat()["entries"] == 0 and not self._read_only:
            with self._begin(write=True) as transaction:
                for name in _TABLES:
                    table = environment.open_db(name.encode(), txn=transaction)
                    if name == "about":
                        transaction.put(b"format", _FORMAT, db=table)
        try:
            self._tables = {
                name: environment.open_db(name.encode(), create=False)
                for name in _TABLES
            }
        except self._engine.NotFoundError:
            raise self._error(StoreReason.NOT_A_STORE) from None
        with self._begin() as transaction:
            if transaction.get(b"format", db=self._tables["about"]) != _FORMAT:
                raise self._error(StoreReason.NOT_A_STORE)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn LMDB's errors into a `StoreError`."""
        try:
            yield
        except self._engine.Error as error:
            raise self._failure(error) from error

    def _failure(self, error: Exception) -> StoreError:
        lmdb = self._engine
        reason = StoreReason.FAILED
        if isinstance(error, (lmdb.MapFullError, lmdb.DiskError)):
            reason = StoreReason.FULL
        elif isinstance(error, (lmdb.InvalidError, lmdb.VersionMismatchError)):
            reason = StoreReason.NOT_A_STORE
        elif isinstance(error, lmdb.CorruptedError):
            reason = StoreReason.CORRUPT
        elif isinstance(error, lmdb.ReadonlyError):
            reason = StoreReason.READ_ONLY
        elif isinstance(error, (lmdb.LockError, lmdb.ReadersFullError)):
            reason = StoreReason.BUSY
        elif str(error).endswith(os.strerror(errno.EROFS)):
            reason = StoreReason.READ_ONLY
        elif str(error).endswith(os.strerror(errno.EIO)) and self._disk_is_full():
            # LMDB calls it so when only a part of what it wrote found room.
            reason = StoreReason.FULL
        return self._error(reason, detail=str(error))

    def _disk_is_full(self) -> bool:
        from shutil import disk_usage

        return disk_usage(self._file).free < _LITTLE


_OPENED: WeakSet[LMDBStore] = WeakSet()
"""Stores that were opened by this process, or by the one it was forked from."""


class _Transaction:
    """A write transaction on the file."""

    def __init__(self, transaction: Any, tables: dict[str, Any], label: str) -> None:
        self._transaction = transaction
        self._label = label
        self._blob = tables["blob"]
        self._root = tables["root"]
        self._mark = tables["mark"]
        self._pending = tables["pending"]

    def find(self, digest: bytes) -> bytes | None:
        found: bytes | None = self._transaction.get(digest, db=self._blob)
        return found

    def put(self, blobs: list[tuple[bytes, bytes]]) -> None:
        # Overwriting what is there heals what the disk has changed.
        for digest, blob in blobs:
            self._transaction.put(digest, blob, db=self._blob)

    def roots(self) -> dict[str, Hash]:
        return _roots(self._transaction, self._root, self._label)

    def point(self, name: str, digest: bytes | None) -> None:
        if digest is None:
            self._transaction.delete(name.encode(), db=self._root)
        else:
            self._transaction.put(name.encode(), digest, db=self._root)

    def mark(self, digest: bytes, path: bytes) -> bool:
        if not self._transaction.put(digest, b"", db=self._mark, overwrite=False):
            return False
        self._transaction.put(digest, path, db=self._pending)
        return True

    def pending(self, limit: int) -> list[tuple[bytes, bytes]]:
        cursor = self._transaction.cursor(db=self._pending)
        return [pair for _, pair in zip(range(limit), cursor, strict=False)]

    def is_marked(self, digest: bytes) -> bool:
        return self._transaction.get(digest, db=self._mark) is not None

    def is_pending(self, digest: bytes) -> bool:
        return self._transaction.get(digest, db=self._pending) is not None

    def settle(self, digest: bytes) -> None:
        self._transaction.delete(digest, db=self._pending)

    def marked(self) -> int:
        return int(self._transaction.stat(self._mark)["entries"])

    def unmark(self) -> None:
        self._transaction.drop(self._mark, delete=False)
        self._transaction.drop(self._pending, delete=False)

    def sweep(self) -> Swept:
        blobs = size = 0
        marks = self._transaction.cursor(db=self._mark)
        cursor = self._transaction.cursor(db=self._blob)
        cursor.first()
        while digest := cursor.key():
            if marks.set_key(digest):
                cursor.next()
            else:
                blobs += 1
                size += len(cursor.value())
                cursor.delete()  # and with that the cursor is at the next
        self.unmark()
        return Swept(blobs, size)


def _let_go() -> None:
    """Close what is open here only because it was when this process was forked."""
    for store in tuple(_OPENED):
        if store._process != os.getpid() and not store._writing:
            store._environment.close()
            _OPENED.discard(store)


def _roots(transaction: Any, table: Any, label: str) -> dict[str, Hash]:
    with transaction.cursor(db=table) as cursor:
        return named_roots(cursor, label)
