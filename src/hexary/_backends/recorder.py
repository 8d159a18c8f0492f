"""Counting versions of the functions that hash, for `hexary.hash.recording`."""

from __future__ import annotations

from functools import wraps
from itertools import pairwise
from operator import index
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeAlias

from hexary._backends.backend import to_buffer, to_items

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from hexary._backends.backend import ReadableBuffer
    from hexary.packed import Offsets

__all__ = ["Recorder", "Recording"]

Counts: TypeAlias = tuple[int, int, int]
"""Calls, bytes and permutations."""

_RATE_256 = 136
_RATE_512 = 72
"""Bytes absorbed by one permutation."""

_DIGEST_256 = 32


_NOTHING = (0, 0, 0)


class Recording:
    """
    What was hashed while a `recording` was open.

    Attributes:
        calls: digests computed; `keccak256_many` of n items counts n.
        bytes: bytes of all messages hashed.
        permutations: how often Keccak-f ran, the unit in which hashing costs time.
    """

    __slots__ = ("_noted", "_since", "_tally", "_until")

    def __init__(self, tally: Callable[[], Counts] | None = None) -> None:
        self._noted = _NOTHING
        # The accelerator counts what it hashes inside its own larger operations.
        self._tally = tally
        self._since = tally() if tally else _NOTHING
        self._until: Counts | None = None

    def add(self, calls: int, size: int, permutations: int) -> None:
        """Count *calls* digests of *size* bytes in all."""
        noted = self._noted
        self._noted = (noted[0] + calls, noted[1] + size, noted[2] + permutations)

    def close(self) -> None:
        """Count no longer."""
        self._until = self._tally() if self._tally else None

    def _total(self, index: int) -> int:
        until = self._until
        if until is None:
            until = self._tally() if self._tally else _NOTHING
        return self._noted[index] + until[index] - self._since[index]

    @property
    def calls(self) -> int:
        """Digests computed."""
        return self._total(0)

    @property
    def bytes(self) -> int:
        """Bytes of all messages hashed."""
        return self._total(1)

    @property
    def permutations(self) -> int:
        """How often Keccak-f ran."""
        return self._total(2)

    def __repr__(self) -> str:
        return (
            f"Recording(calls={self.calls}, bytes={self.bytes}, "
            f"permutations={self.permutations})"
        )


class Recorder:
    """
    The open recordings, and functions that add to all of them.

    Args:
        plain: name → function or incremental class that does the work.
        tally: returns calls, bytes and permutations that were hashed past these
            functions since the process began; ``None`` where nothing is.

    Attributes:
        plain: the same.
        counting: name → its counting version.
    """

    def __init__(
        self, plain: dict[str, Any], *, tally: Callable[[], Counts] | None = None
    ) -> None:
        self._open: dict[int, Recording] = {}
        self._tally = tally
        # Reentrant: a collection of garbage may close or feed a recording at any time,
        # also while this thread is in here.
        self._lock = RLock()
        self.plain = plain
        self.counting: dict[str, Any] = {
            "keccak256": self._counting_one(plain["keccak256"], _RATE_256),
            "keccak512": self._counting_one(plain["keccak512"], _RATE_512),
            "keccak256_many": self._counting_many(plain["keccak256_many"]),
            "keccak256_packed": self._counting_packed(plain["keccak256_packed"]),
            "Keccak256": self._counting_class(plain["Keccak256"]),
            "Keccak512": self._counting_class(plain["Keccak512"]),
        }

    def begin(self) -> Recording:
        """Open a recording."""
        record = Recording(self._tally)
        with self._lock:
            self._open[id(record)] = record
        return record

    def end(self, record: Recording) -> None:
        """Close *record*."""
        with self._lock:
            record.close()
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

    def note(self, calls: int, size: int, permutations: int) -> None:
        """Add to every open recording."""
        with self._lock:
            for each in list(self._open.values()):
                each.add(calls, size, permutations)

    def _counting_one(self, plain: Any, rate: int) -> Any:
        @wraps(plain)
        def keccak(data: ReadableBuffer, /) -> bytes:
            digest: bytes = plain(data)
            size = _size(data)
            self.note(1, size, size // rate + 1)
            return digest

        return keccak

    def _counting_many(self, plain: Any) -> Any:
        @wraps(plain)
        def keccak256_many(items: Iterable[ReadableBuffer], /) -> list[bytes]:
            items = list(to_items(items))
            digests: list[bytes] = plain(items)
            sizes = [_size(item) for item in items]
            permutations = sum(size // _RATE_256 + 1 for size in sizes)
            self.note(len(digests), sum(sizes), permutations)
            return digests

        return keccak256_many

    def _counting_packed(self, plain: Any) -> Any:
        @wraps(plain)
        def keccak256_packed(data: ReadableBuffer, /, *, offsets: Offsets) -> bytes:
            digests: bytes = plain(data, offsets=offsets)
            count = len(digests) // _DIGEST_256
            if isinstance(offsets, memoryview):
                places = offsets.tolist()
                sizes = [stop - start for start, stop in pairwise(places)]
                permutations = sum(size // _RATE_256 + 1 for size in sizes)
                total = sum(sizes)
            else:
                each = index(offsets)  # it was one
                permutations = count * (each // _RATE_256 + 1)
                total = count * each
            self.note(count, total, permutations)
            return digests

        return keccak256_packed

    def _counting_class(self, plain: Any) -> Any:
        note = self.note
        lock = self._lock
        rate = plain.block_size

        def update(self: Any, data: ReadableBuffer, /) -> None:
            plain.update(self, data)
            size = _size(data)
            with lock:
                # The first update comes out of the constructor.
                filled = getattr(self, "_filled", 0) + size
                self._filled = filled % rate
            note(0, size, filled // rate)

        def digest(self: Any) -> bytes:
            digest: bytes = plain.digest(self)
            note(1, 0, 1)
            return digest

        def copy(self: Any) -> Any:
            other = plain.copy(self)
            other._filled = self._filled
            return other

        members = {
            "__doc__": plain.__doc__,
            "__module__": plain.__module__,
            "__slots__": ("_filled",),
            "copy": copy,
            "digest": digest,
            "update": update,
        }
        return type(plain.__name__, (plain,), members)


def _size(data: ReadableBuffer) -> int:
    """Return the number of bytes that hashing *data* hashed."""
    buffer = to_buffer(data)
    return buffer.nbytes if isinstance(buffer, memoryview) else len(buffer)
