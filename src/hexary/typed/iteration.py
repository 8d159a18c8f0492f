"""Several things where one of them would pass for several as well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hexary.errors import InputTypeError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["iterate"]


def iterate(values: Any, argument: str, accepted: str) -> Iterator[Any]:
    """
    Return an iterator over *values*, whatever they are.

    Args:
        values: an iterable, but not a single text or byte string.
        argument: name of the argument, for the message.
        accepted: the accepted types, for the message.

    Raises:
        InputTypeError: if *values* is no such iterable.

    Example:
        >>> list(iterate([b"a", b"b"], "values", "byte strings in order"))
        [b'a', b'b']
    """
    # These are iterable too, and an empty one would pass for no values.
    if not issubclass(type(values), (bytes, bytearray, memoryview, str)):
        try:
            return iter(values)
        except TypeError:  # not iterable, or an array of no dimension
            pass
    raise InputTypeError(argument, accepted, values)
