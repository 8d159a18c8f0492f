"""`Journal`: what has to be put back so that a state is as it was at a checkpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hexary.errors import RangeError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Journal"]

_FIRST = 1

_SHOWN = 5
"""Checkpoints that a message names, of those that are open."""


class _Checkpoint(NamedTuple):
    """A checkpoint that is open, and how much the journal held when it began."""

    number: int
    length: int


class Journal:
    """
    Undo steps, and the checkpoints that one can go back to.

    Nothing is kept while no checkpoint is open.

    Example:
        >>> values, journal = {"a": 1}, Journal()
        >>> checkpoint = journal.open()
        >>> journal.note(values.__setitem__, "a", 1)
        >>> values["a"] = 2
        >>> journal.undo(checkpoint)
        >>> values, journal.open() > checkpoint
        ({'a': 1}, True)
    """

    __slots__ = ("_checkpoints", "_last", "_steps")

    def __init__(self) -> None:
        self._steps: list[tuple[Callable[..., object], tuple[object, ...]]] = []
        self._checkpoints: list[_Checkpoint] = []
        self._last = _FIRST - 1

    @property
    def is_open(self) -> bool:
        """Whether there is a checkpoint to go back to."""
        return bool(self._checkpoints)

    def open(self) -> int:
        """Begin a checkpoint inside those that are open; return its number."""
        self._last += 1
        self._checkpoints.append(_Checkpoint(self._last, len(self._steps)))
        return self._last

    def note(self, undo: Callable[..., object], *arguments: object) -> None:
        """Note what undoes the change that is about to be made."""
        if self._checkpoints:
            self._steps.append((undo, arguments))

    def undo(self, number: int) -> None:
        """
        Undo all since a checkpoint, which ends with those inside it.

        Raises:
            RangeError: if it is not open.
        """
        length = self._close(number)
        while len(self._steps) > length:
            undo, arguments = self._steps.pop()
            undo(*arguments)

    def accept(self, number: int) -> None:
        """
        Keep all since a checkpoint, which ends with those inside it.

        Raises:
            RangeError: if it is not open.
        """
        self._close(number)
        if not self._checkpoints:
            self._steps.clear()

    def clear(self) -> None:
        """End all checkpoints and keep the changes."""
        self._checkpoints.clear()
        self._steps.clear()

    def _close(self, number: int) -> int:
        """End a checkpoint and those inside it; return where it began."""
        for index, checkpoint in enumerate(self._checkpoints):
            if checkpoint.number == number:
                del self._checkpoints[index:]
                return checkpoint.length
        numbers = [checkpoint.number for checkpoint in self._checkpoints]
        rule = "one that is open, and none is"
        if numbers:
            last = numbers[-_SHOWN:]
            more = "…, " if len(numbers) > len(last) else ""
            rule = f"one that is open ({more}{', '.join(map(str, last))})"
        raise RangeError("a checkpoint", number, _FIRST, self._last, rule=rule)
