"""`Absence`: how a proof shows that a key is not there."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from hexary.trie.nibbles import Nibbles

__all__ = ["Absence", "AbsenceKind"]


class AbsenceKind(Enum):
    """
    The five ways in which the way to a key can end without a value.

    The value is the fact in words.
    """

    EMPTY_TRIE = "the trie is empty"
    EMPTY_SLOT = "the branch has no child at the key's next nibble"
    NO_BRANCH_VALUE = "the key ends at a branch that holds no value"
    DIVERGENT_LEAF = "the leaf where the key would be belongs to another key"
    DIVERGENT_EXTENSION = "the extension where the key would be leads elsewhere"


class Absence(NamedTuple):
    """
    The evidence that a key is absent.

    Attributes:
        kind: how it shows.
        depth: the number of nodes above the one that shows it.
        path: nibbles from the root to that node.

    Example:
        >>> from hexary.trie import Nibbles
        >>> Absence(AbsenceKind.EMPTY_TRIE, 0, Nibbles()).kind.value
        'the trie is empty'
    """

    kind: AbsenceKind
    depth: int
    path: Nibbles
