"""
Slots and what they hold, kept so that nobody can choose how their hashes fall.

The hash of an int is known to all: a file could make all of its slots collide, and what
a dict then takes grows with the square of their number.  The hash of 32 bytes is not.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping, ValuesView
from typing import TYPE_CHECKING

from hexary.errors import HexaryError
from hexary.state.entry_views import EntryValues
from hexary.state.word import read_word

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hexary.state.word import Word

__all__ = ["Slots"]


class _SlotItems(ItemsView[int, int]):
    """The slots as numbers, and what they hold, as a set."""

    __slots__ = ("_slots",)

    def __init__(self, mapping: Slots, slots: dict[bytes, int]) -> None:
        super().__init__(mapping)
        self._slots = slots

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return zip(map(int.from_bytes, self._slots), self._slots.values(), strict=True)


class Slots(Mapping[int, int]):
    """
    An immutable mapping of slots to what they hold, numbers of 256 bits both.

    It is equal to any other mapping of the same numbers, and a slot may be asked for in
    any spelling.

    Args:
        pairs: each slot with its value; of a slot given twice the last value counts.

    Example:
        >>> slots = Slots([(5, 6), (7, 0)])
        >>> slots, slots[5], slots["0x07"], slots == {5: 6, 7: 0}
        (Slots({5: 6, 7: 0}), 6, 0, True)
    """

    __slots__ = ("_slots",)

    def __init__(self, pairs: Iterable[tuple[int, int]] = ()) -> None:
        self._slots: dict[bytes, int] = {
            slot.to_bytes(32, "big"): value for slot, value in pairs
        }

    def by_word(self) -> dict[bytes, int]:
        """
        Return a dict of the slots, as 32 bytes each, and what they hold.

        Example:
            >>> Slots([(0, 1)]).by_word() == {bytes(32): 1}
            True
        """
        return dict(self._slots)

    def __getitem__(self, slot: Word) -> int:
        """Return what *slot* (in any spelling) holds; KeyError if it is not here."""
        try:
            return self._slots[read_word(slot, "slot").to_bytes(32, "big")]
        except (HexaryError, KeyError):
            raise KeyError(slot) from None

    def __iter__(self) -> Iterator[int]:
        return map(int.from_bytes, self._slots)

    def items(self) -> ItemsView[int, int]:
        """Return a view of the slots and what they hold."""
        return _SlotItems(self, self._slots)

    def values(self) -> ValuesView[int]:
        """Return a view of what the slots hold."""
        return EntryValues(self, self._slots)

    def __len__(self) -> int:
        return len(self._slots)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Slots):
            return self._slots == other._slots
        if isinstance(other, Mapping):
            # Not by a dict of this one's ints, which may collide.
            return len(self) == len(other) and all(
                slot in other and other[slot] == value for slot, value in self.items()
            )
        return NotImplemented

    def __hash__(self) -> int:
        return hash(frozenset(self._slots.items()))

    def __repr__(self) -> str:
        shown = ", ".join(f"{slot}: {value}" for slot, value in self.items())
        return f"{type(self).__name__}({{{shown}}})"

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (list(self.items()),)
