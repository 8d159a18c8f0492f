"""
Pairs that a builder has taken and not placed yet.

`PureWaitingPairs` defines them, and `WaitingPairs` is what builders have: those of the
accelerator, if there is one, else these.  What they hold is there for their builder to
read and to set; they take pairs from an iterator, and are right at any time in between:
the iterator may well ask the builder how far it is, or add to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hexary.twin import twin

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["PureWaitingPairs", "WaitingPairs"]

_END = object()
"""What an iterator that has ended gives."""


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

    def put(self, pair: Any, pair_size: int) -> bool:
        """
        Take a pair if it can wait as it is, and return whether it can.

        It cannot if it is no tuple of two plain byte strings, or its value is empty, or
        its key is not above the last one: that is for the caller to look at.

        Args:
            pair: anything.
            pair_size: bytes that a pair takes beside those of its key and value.

        Example:
            >>> waiting = WaitingPairs([], b"", 0, 500)
            >>> waiting.put((b"do", b"verb"), 144), waiting.room
            (True, 350)
            >>> waiting.put((b"dog", b""), 144), waiting.count
            (False, 1)
        """
        if type(pair) is not tuple or len(pair) != 2:
            return False
        key, value = pair
        if type(key) is not bytes or type(value) is not bytes or not value:
            return False
        if key <= self.last and self.count:
            return False
        size = len(key) + len(value) + pair_size
        # No call from here on, after which a signal could leave half of it done.
        self.pairs += (pair,)
        self.room -= size
        self.last = key
        self.count += 1
        return True

    def take(self, source: Iterator[Any], pair_size: int) -> tuple[Any, ...] | None:
        """
        Take pairs from *source*, one at least, until there is no room for more.

        Args:
            source: yields pairs, or anything else.
            pair_size: as in `put`.

        Returns:
            ``None`` if *source* has ended; the empty tuple if there is no room; else a
            tuple of what `put` does not take.

        Example:
            >>> waiting = WaitingPairs([], b"", 0, 500)
            >>> source = iter([(b"do", b"verb"), (b"dog", b""), (b"doge", b"coin")])
            >>> waiting.take(source, 144), waiting.count
            (((b'dog', b''),), 1)
            >>> waiting.take(source, 144), waiting.last
            (None, b'doge')
        """
        # Not by a loop over it, which would ask it for an iterator anew with each call.
        while (pair := next(source, _END)) is not _END:
            if not self.put(pair, pair_size):
                return (pair,)
            if self.room <= 0:
                return ()
        return None


WaitingPairs = twin(PureWaitingPairs)
