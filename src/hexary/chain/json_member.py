"""
Members that a JSON object has to have.

A record that people make by hand has defaults for its fields.  A file that leaves a
field out is another matter: it is not what it says it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hexary.errors import FixtureError
from hexary.twin import twin

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["require_members"]


@twin
def require_members(
    value: Mapping[str, Any], members: Iterable[tuple[str, ...]], *, path: str
) -> None:
    """
    Check that an object has each of *members*, under one of its names.

    Args:
        value: the object.
        members: the names of each.
        path: the object's own path, for messages.

    Raises:
        FixtureError: if one is missing.

    Example:
        >>> require_members({"gas": "0x1"}, [("gas", "gasLimit"), ("to",)], path="tx")
        Traceback (most recent call last):
        hexary.errors.FixtureError: tx.to: is missing
    """
    for names in members:
        if names[0] not in value and not any(name in value for name in names):
            raise FixtureError("is missing", field=f"{path}.{names[0]}")
