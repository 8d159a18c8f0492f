"""Records as lines of name and value, for people to read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["pairs_text", "record_pairs"]

_LONGEST = 72
"""Characters of a value that are shown before it is cut."""


def record_pairs(fields: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """
    Yield name and text of each field of a record that stands on a line.

    Numbers are decimal, long data is cut, and of a list the length is told.

    Args:
        fields: name → value.
    """
    for name, value in fields.items():
        if value is None:
            continue
        if isinstance(value, tuple):
            text = f"{len(value)} {'entry' if len(value) == 1 else 'entries'}"
        elif isinstance(value, bytes):
            text = str(value)
            if len(text) > _LONGEST:
                text = f"{text[:_LONGEST]}… ({len(value):,} bytes)"
        else:
            text = str(value)
        yield name.replace("_", " "), text


def pairs_text(pairs: list[tuple[str, str]], *, indent: int = 0) -> Iterator[str]:
    """
    Yield a line for each pair, with the values below each other.

    Args:
        pairs: names and values.
        indent: blanks before each line.
    """
    width = max((len(name) for name, _ in pairs), default=0)
    for name, text in pairs:
        yield f"{' ' * indent}{name:{width}}  {text}"
