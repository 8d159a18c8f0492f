"""
Views of the entries of a mapping that keeps them in a dict.

The views that `collections.abc` makes look up each key again, in whatever spelling the
mapping allows.  These go through the dict, and leave to the mapping whether an entry is
in them.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping, ValuesView
from typing import Any, TypeVar

__all__ = ["EntryItems", "EntryValues"]

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class EntryItems(ItemsView[_Key, _Value]):
    """
    The keys and values of a mapping, as a set.

    Args:
        mapping: the mapping.
        entries: the dict that has its entries.

    Example:
        >>> from hexary.state import Account, Alloc
        >>> items = Alloc({bytes(20): Account()}).items()
        >>> len(list(items)), ("0x" + 40 * "0", Account()) in items
        (1, True)
    """

    __slots__ = ("_entries",)

    def __init__(
        self, mapping: Mapping[_Key, _Value], entries: dict[_Key, _Value]
    ) -> None:
        super().__init__(mapping)
        self._entries = entries

    def __iter__(self) -> Iterator[tuple[_Key, _Value]]:
        return iter(self._entries.items())


class EntryValues(ValuesView[_Value]):
    """
    The values of a mapping.

    Args:
        mapping: the mapping.
        entries: the dict that has its entries.

    Example:
        >>> from hexary.state import AccountStorage
        >>> list(AccountStorage({1: 255}).values())
        [255]
    """

    __slots__ = ("_entries",)

    def __init__(
        self, mapping: Mapping[Any, _Value], entries: dict[Any, _Value]
    ) -> None:
        super().__init__(mapping)
        self._entries = entries

    def __iter__(self) -> Iterator[_Value]:
        return iter(self._entries.values())

    def __contains__(self, value: object) -> bool:
        return value in self._entries.values()
