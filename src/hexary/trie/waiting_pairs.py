"""
Pairs that a builder has taken and not placed yet.

`PureWaitingPairs` defines them, and `WaitingPairs` is what builders have: those of the
accelerator, if there is one, else these.  What they hold is there for their builder to
read and to set; they take pairs from an iterator, and are right at any time in between:
the iterator may well ask the builder how far it is, or add to it.
"""

from __future__ import annotations

import copyreg
from typing import TYPE_CHECKING, Any

from hexary.twin import twin

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["PureWaitingPairs", "WaitingPairs"]


class PureWaitingPairs:
    """
    The waiting pairs, and what the next one has to follow.

    Args:
        pairs: the pairs, plain bytes each, none with an empty value.
        last: the key of the last one that was taken.
        count: how many were taken, those that wait no more included.
        room: bytes that more pairs may take until there are enough.
    """

    __slots__ = ("count", "last", "pairs", "room")

    def __init__(
        self, pairs: list[tuple[bytes, bytes]], last: bytes, count: int, room: int
    ) -> None:
        self.pairs = pairs
        self.last = last
        self.count = count
        self.room = room

    def take(self, source: Iterator[Any], pair_size: int) -> tuple[Any, ...] | None:
        """
        Take pairs from *source*, one at least, until there is no room for more.

        Args:
            source: yields pairs, or anything else.
            pair_size: bytes that a pair takes beside those of its key and value.

        Returns:
            ``None`` if *source* has ended; the empty tuple if there is no room; else a
            tuple of what the caller has to look at: no tuple of two plain byte strings,
            or an empty value, or a key that is not above the last one.

        Example:
            >>> waiting = WaitingPairs([], b"", 0, 500)
            >>> source = iter([(b"do", b"verb"), (b"dog", b""), (b"doge", b"coin")])
            >>> waiting.take(source, 144), waiting.count, waiting.room
            (((b'dog', b''),), 1, 350)
            >>> waiting.take(source, 144), waiting.last
            (None, b'doge')
        """
        for pair in source:
            if type(pair) is not tuple or len(pair) != 2:
                return (pair,)
            key, value = pair
            if type(key) is not bytes or type(value) is not bytes or not value:
                return (pair,)
            if key <= self.last and self.count:
                return (pair,)
            size = len(key) + len(value) + pair_size
            # No call from here on, after which a signal could leave half of it done.
            self.pairs += (pair,)
            self.room -= size
            self.last = key
            self.count += 1
            if self.room <= 0:
                return ()
        return None


WaitingPairs = twin(PureWaitingPairs)


def _reduced(waiting: PureWaitingPairs) -> tuple[Any, ...]:
    """Pickle what they are made with."""
    return WaitingPairs, (waiting.pairs, waiting.last, waiting.count, waiting.room)


for _kind in {WaitingPairs, PureWaitingPairs}:
    copyreg.pickle(_kind, _reduced)
