"""Counting versions of the functions that hash, for `hexary.hash.recording`."""

from __future__ import annotations

from functools import wraps
from threading import RLock
from typing import TYPE_CHECKING, Any

from hexary._backends.backend import to_buffer, to_items

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hexary._backends.backend import ReadableBuffer

__all__ = ["Recorder", "Recording"]


class Recording:
    """
    What was hashed while a `recording` was open.

    Attributes:
        calls: digests computed; `keccak256_many` of n items counts n.
        bytes: bytes of all messages hashed.
    """

    __slots__ = ("bytes", "calls")

    def __init__(self) -> None:
        self.calls = 0
        self.bytes = 0

    def __repr__(self) -> str:
        return f"Recording(calls={self.calls}, bytes={self.bytes})"


class Recorder:
    """
    The open recordings, and functions that add to all of them.

    Args:
        plain: name → function or incremental class that does the work.

    Attributes:
        plain: the same.
        counting: name → its counting version.
    """

    def __init__(self, plain: dict[str, Any]) -> None:
        self._open: dict[int, Recording] = {}
        # Reentrant: a collection of garbage may close or feed a recording at any time,
        # also while this thread is in here.
        self._lock = RLock()
        self.plain = plain
        self.counting: dict[str, Any] = {
            "keccak256": self._counting_one(plain["keccak256"]),
            "keccak512": self._counting_one(plain["keccak512"]),
            "keccak256_many": self._counting_many(plain["keccak256_many"]),
            "Keccak256": self._counting_class(plain["Keccak256"]),
            "Keccak512": self._counting_class(plain["Keccak512"]),
        }

    def begin(self) -> Recording:
        """Open a recording."""
        record = Recording()
        with self._lock:
            self._open[id(record)] = record
        return record

    def end(self, record: Recording) -> None:
        """Close *record*."""
        with self._lock:
            self._open.pop(id(record), None)

    def bind(self, *owners: dict[str, Any]) -> None:
        """
        Put counting functions into the *owners* of names, plain ones if none is open.

        What somebody else has put there, a test or another import of the package, is
        left alone.
        """
        wanted = self.counting if self._open else self.plain
        for name, function in wanted.items():
            ours = (self.plain[name], self.counting[name])
            for owner in owners:
                if any(owner.get(name) is each for each in ours):
                    owner[name] = function

    def note(self, calls: int, size: int) -> None:
        """Add digests and bytes to every open recording."""
        with self._lock:
            for each in list(self._open.values()):
                each.calls += calls
                each.bytes += size

    def _counting_one(self, plain: Any) -> Any:
        @wraps(plain)
        def keccak(data: ReadableBuffer, /) -> bytes:
            digest: bytes = plain(data)
            self.note(1, _size(data))
            return digest

        return keccak

    def _counting_many(self, plain: Any) -> Any:
        @wraps(plain)
        def keccak256_many(items: Iterable[ReadableBuffer], /) -> list[bytes]:
            items = list(to_items(items))
            digests: list[bytes] = plain(items)
            self.note(len(digests), sum(map(_size, items)))
            return digests

        return keccak256_many

    def _counting_class(self, plain: Any) -> Any:
        note = self.note

        def update(self: Any, data: ReadableBuffer, /) -> None:
            plain.update(self, data)
            note(0, _size(data))

        def digest(self: Any) -> bytes:
            digest: bytes = plain.digest(self)
            note(1, 0)
            return digest

        members = {
            "__doc__": plain.__doc__,
            "__module__": plain.__module__,
            "__slots__": (),
            "digest": digest,
            "update": update,
        }
        return type(plain.__name__, (plain,), members)


def _size(data: ReadableBuffer) -> int:
    """Return the number of bytes that hashing *data* hashed."""
    buffer = to_buffer(data)
    return buffer.nbytes if isinstance(buffer, memoryview) else len(buffer)
