"""
`SQLiteStore`: a store in one SQLite file, with nothing but the standard library.

The file is in write-ahead mode: readers go on while one process writes, each seeing the
last transaction that was complete when it looked.  While the store is open SQLite keeps
two more files beside it, ``-wal`` and ``-shm``, which belong to it.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

from hexary.errors import InputTypeError, StoreError, StoreReason
from hexary.integer import int_of
from hexary.trie.store import StoreBase, Swept
from hexary.trie.store_file import file_name, named_roots, refuse_to_copy

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from hexary.typed import Hash

__all__ = ["SQLiteStore"]

_APPLICATION = 0x48585259
"""In the file's header, so that another program's database is not taken for a store."""

_VERSION = 1
"""Version of the tables below, in the file's header too."""

_TABLES = """
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS blob (hash BLOB PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS root (name TEXT PRIMARY KEY, hash BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS mark (hash BLOB PRIMARY KEY);
CREATE TABLE IF NOT EXISTS pending (hash BLOB PRIMARY KEY, path BLOB NOT NULL);
PRAGMA application_id = {application};
PRAGMA user_version = {version};
COMMIT;
"""

_PUT = """
INSERT INTO blob (hash, data) VALUES (?, ?)
ON CONFLICT (hash) DO UPDATE SET data = excluded.data WHERE data <> excluded.data
"""
"""Bytes that are there already stay, unless the disk has changed them."""

_REASONS = {
    "SQLITE_FULL": StoreReason.FULL,
    "SQLITE_READONLY": StoreReason.READ_ONLY,
    "SQLITE_BUSY": StoreReason.BUSY,
    "SQLITE_LOCKED": StoreReason.BUSY,
    "SQLITE_CORRUPT": StoreReason.CORRUPT,
    "SQLITE_NOTADB": StoreReason.NOT_A_STORE,
}
"""SQLite's name of an error, without what it may append → why a store failed."""


class SQLiteStore(StoreBase):
    """
    A store in one file, by SQLite.

    Any number of threads may use one store, any number of processes one file; of the
    writers one at a time, and the others wait for it.  A store is not to be taken into
    a forked process: that is an error, and the child opens its own.

    Args:
        path: the file; it is made if it does not exist.
        read_only: never write; the file has to exist.
        durable: whether a write is on the disk when `write` returns.  If not, a power
            failure may undo the last writes (whole ones, from the end); a killed
            process loses nothing either way.
        timeout: seconds to wait for another writer.

    Raises:
        StoreError: if the file cannot be opened, or is something else.
        InputTypeError: if *path* is no path of a file, as ``":memory:"`` is none.

    Example:
        >>> import os, tempfile
        >>> from hexary.trie import Trie
        >>> path = os.path.join(tempfile.mkdtemp(), "trie.db")
        >>> with SQLiteStore(path) as store:
        ...     root = Trie({b"do": b"verb"}, store=store).commit("words")
        >>> with SQLiteStore(path, read_only=True) as store:
        ...     Trie(store, store.root("words"))[b"do"]
        b'verb'
    """

    def __init__(
        self,
        path: str | bytes | os.PathLike[str],
        *,
        read_only: bool = False,
        durable: bool = True,
        timeout: float = 60.0,
    ) -> None:
        super().__init__(_plain_name(path), read_only=read_only)
        if not isinstance(timeout, float):
            seconds = int_of(timeout)
            if seconds is None:
                raise InputTypeError("timeout", "a number of seconds", timeout)
            timeout = seconds
        self._file = os.path.abspath(self._label)  # of the folder that is current now
        self._mode = "ro" if read_only else "rwc"
        self._durable = durable
        self._timeout = timeout
        self._process = os.getpid()
        self._closed = False
        self._idle: list[sqlite3.Connection] = []
        self._writer: sqlite3.Connection | None = None
        self._immutable = False
        with self._translated():
            try:
                self._begin()
            except _database_error() as error:
                # On a read-only disk there can be no files beside the store, and also
                # no writer, so that SQLite may do without them.
                name = getattr(error, "sqlite_errorname", "")
                log = self._file + "-wal"
                if not read_only or "CANTOPEN" not in name or os.path.exists(log):
                    raise
                self._immutable = True
                self._begin()

    def _begin(self) -> None:
        """Make the first connection."""
        connection = self._connect()
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        self._idle.append(connection)
        if not self._read_only:
            self._mode = "rw"  # a file that is removed is not made again

    def __getstate__(self) -> NoReturn:
        refuse_to_copy(self)

    def roots(self) -> dict[str, Hash]:
        """Return all named roots."""
        connection = self._borrow()
        try:
            return _roots(connection, self._label)
        except _database_error() as error:
            raise self._failure(error) from error
        finally:
            self._give_back(connection)

    def close(self) -> None:
        """Close the file; the store cannot be used afterwards."""
        self._closed = True
        if self._process != os.getpid():
            return  # SQLite's locks belong to the process that opened the file
        with self._lock:
            while self._idle:
                self._idle.pop().close()
            if self._writer is not None:
                self._writer.close()
                self._writer = None

    @contextmanager
    def transaction(self) -> Iterator[_Transaction]:
        """Begin a write transaction; an error inside it undoes all of it."""
        self._check_open()  # before the lock, which a forked process may find held
        with self._exclusive(), self._translated():
            self._check_open()
            if self._writer is None:
                self._writer = self._connect()
            writer = self._writer
            writer.execute("BEGIN IMMEDIATE")
            try:
                yield _Transaction(writer, self._label)
                writer.execute("COMMIT")
            finally:
                # After some errors SQLite has rolled back by itself.
                if writer.in_transaction:
                    writer.execute("ROLLBACK")

    def _find(self, digest: bytes) -> bytes | None:
        connection = self._borrow()
        try:
            return _find(connection, digest)
        except _database_error() as error:
            raise self._failure(error) from error
        finally:
            self._give_back(connection)

    def _borrow(self) -> sqlite3.Connection:
        """Return a connection that no other thread uses until it is given back."""
        self._check_open()
        try:
            return self._idle.pop()
        except IndexError:
            with self._translated():
                return self._connect()

    def _give_back(self, connection: sqlite3.Connection) -> None:
        if self._closed:
            connection.close()
        else:
            self._idle.append(connection)

    def _connect(self) -> sqlite3.Connection:
        import sqlite3
        from urllib.parse import quote

        # Three slashes: "//host/…" would be another machine's file.
        name = quote(os.fsencode(self._file))
        connection = sqlite3.connect(
            f"file://{name}?mode={self._mode}&immutable={self._immutable:d}",
            uri=True,
            timeout=self._timeout,
            isolation_level=None,
            check_same_thread=False,  # each is used by one thread at a time
        )
        level = "FULL" if self._durable else "NORMAL"
        try:
            connection.execute(f"PRAGMA synchronous = {level}")
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Make the tables in a new file, and see that another has them."""
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        empty = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if application == 0 and empty == 0 and not self._read_only:
            connection.execute("PRAGMA journal_mode = WAL")
            tables = _TABLES.format(application=_APPLICATION, version=_VERSION)
            for statement in tables.strip().split("\n"):
                connection.execute(statement)
            return
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if application != _APPLICATION or version != _VERSION:
            raise self._error(
                StoreReason.NOT_A_STORE,
                detail=f"application {application:#x}, version {version}; "
                f"a store has {_APPLICATION:#x}, version {_VERSION}",
            )

    def _check_open(self) -> None:
        if self._closed:
            raise self._error(StoreReason.CLOSED)
        if self._process != os.getpid():
            raise self._error(StoreReason.OTHER_PROCESS)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn SQLite's errors into a `StoreError`."""
        try:
            yield
        except _database_error() as error:
            raise self._failure(error) from error

    def _failure(self, error: sqlite3.Error) -> StoreError:
        name = getattr(error, "sqlite_errorname", "")
        kind = "_".join(name.split("_")[:2])
        reason = _REASONS.get(kind, StoreReason.FAILED)
        if self._closed:
            reason = StoreReason.CLOSED
        elif kind == "SQLITE_CANTOPEN" and os.path.exists(self._file):
            folder = os.path.dirname(self._file)
            if not os.access(folder, os.W_OK):
                reason = StoreReason.READ_ONLY
        return self._error(reason, detail=f"{error}{f', {name}' if name else ''}")


def _database_error() -> type[sqlite3.Error]:
    """Return the base of SQLite's errors; few users of hexary need the module."""
    import sqlite3

    return sqlite3.Error


def _plain_name(path: str | bytes | os.PathLike[str]) -> str:
    """
    Return the name of the file, which has no special meaning.

    SQLite's own functions take some names for no file.  A file of that name instead,
    which nobody looks for, is the last thing that somebody wants who passes one.

    Raises:
        InputTypeError: if it is no path, or such a name.
    """
    name = file_name(path)
    if name in ("", ":memory:"):
        hint = "a store in memory is MemoryStore()"
    elif name.startswith("file:"):
        hint = f"a file of that name is {os.path.join(os.curdir, name)}"
    else:
        return name
    raise InputTypeError("path", "the path of a file", path, hint=hint)


class _Transaction:
    """A write transaction on the file."""

    def __init__(self, connection: sqlite3.Connection, label: str) -> None:
        self._connection = connection
        self._label = label

    def find(self, digest: bytes) -> bytes | None:
        return _find(self._connection, digest)

    def put(self, blobs: list[tuple[bytes, bytes]]) -> None:
        self._connection.executemany(_PUT, blobs)

    def roots(self) -> dict[str, Hash]:
        return _roots(self._connection, self._label)

    def point(self, name: str, digest: bytes | None) -> None:
        if digest is None:
            self._connection.execute("DELETE FROM root WHERE name = ?", (name,))
        else:
            self._connection.execute(
                "INSERT OR REPLACE INTO root (name, hash) VALUES (?, ?)", (name, digest)
            )

    def mark(self, digest: bytes, path: bytes) -> bool:
        done = self._connection.execute(
            "INSERT OR IGNORE INTO mark (hash) VALUES (?)", (digest,)
        )
        if done.rowcount == 0:
            return False
        self._connection.execute(
            "INSERT INTO pending (hash, path) VALUES (?, ?)", (digest, path)
        )
        return True

    def pending(self, limit: int) -> list[tuple[bytes, bytes]]:
        return self._connection.execute(
            "SELECT hash, path FROM pending LIMIT ?", (limit,)
        ).fetchall()

    def is_pending(self, digest: bytes) -> bool:
        return self._has("SELECT 1 FROM pending WHERE hash = ?", digest)

    def is_marked(self, digest: bytes) -> bool:
        return self._has("SELECT 1 FROM mark WHERE hash = ?", digest)

    def _has(self, query: str, digest: bytes) -> bool:
        return self._connection.execute(query, (digest,)).fetchone() is not None

    def settle(self, digest: bytes) -> None:
        self._connection.execute("DELETE FROM pending WHERE hash = ?", (digest,))

    def marked(self) -> int:
        return int(self._connection.execute("SELECT count(*) FROM mark").fetchone()[0])

    def unmark(self) -> None:
        self._connection.execute("DELETE FROM mark")
        self._connection.execute("DELETE FROM pending")

    def sweep(self) -> Swept:
        unmarked = "WHERE hash NOT IN (SELECT hash FROM mark)"
        blobs, size = self._connection.execute(
            f"SELECT count(*), coalesce(sum(length(data)), 0) FROM blob {unmarked}"  # noqa: S608 - of constants
        ).fetchone()
        self._connection.execute(f"DELETE FROM blob {unmarked}")  # noqa: S608 - of constants
        self.unmark()
        return Swept(blobs, size)


def _find(connection: sqlite3.Connection, digest: bytes) -> bytes | None:
    found = connection.execute(
        "SELECT data FROM blob WHERE hash = ?", (digest,)
    ).fetchone()
    if found is None:
        return None
    # A column holds values of any type; what is no bytes has no hash that is right.
    return found[0] if isinstance(found[0], bytes) else b""


def _roots(connection: sqlite3.Connection, label: str) -> dict[str, Hash]:
    found = connection.execute("SELECT name, hash FROM root ORDER BY name").fetchall()
    return named_roots(found, label)
