"""
Values that have to be of a class, such as the receipts that a root is of.

Much has an encoding and would have a root: a transaction in the wrapper that it travels
in, or a receipt as nodes send it.  It would be the wrong one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from hexary.errors import InputTypeError
from hexary.typed.iteration import iterate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["instances", "require_instance"]

Kind = TypeVar("Kind")


def require_instance(
    value: object, kind: type | tuple[type, ...], name: str, wanted: str
) -> None:
    """
    Refuse a value that is not of a class.

    Args:
        value: the value.
        kind: the class, or several.
        name: what the value is called, for the message.
        wanted: what it has to be, in words.

    Raises:
        InputTypeError: if it is of another.

    Example:
        >>> require_instance(5, bytes, "seal", "a seal")
        Traceback (most recent call last):
        hexary.errors.InputTypeError: seal must be a seal, got int 5
    """
    if not isinstance(value, kind):
        raise InputTypeError(name, wanted, value)


def instances(
    values: Iterable[Kind],
    kind: type | tuple[type, ...],
    name: str,
    wanted: str,
    *,
    encoded: str = "",
) -> Iterator[Kind]:
    """
    Yield *values*, each of which has to be of a class.

    Args:
        values: the values.
        kind: the class, or several.
        name: what they are called, for the message.
        wanted: what each has to be, in words.
        encoded: what takes their encodings, for the message.

    Raises:
        InputTypeError: if *values* cannot be iterated, or are a text or a byte string,
            or one is of another class.

    Example:
        >>> list(instances([b"", 5], bytes, "seals", "a seal"))
        Traceback (most recent call last):
        hexary.errors.InputTypeError: seals[1] must be a seal, got int 5
    """
    found: Iterator[Kind] = iterate(values, name, f"an iterable, each item {wanted}")
    for place, value in enumerate(found):
        if not isinstance(value, kind):
            hint = ""
            if isinstance(value, (bytes, bytearray, memoryview, str)):
                hint = "decode it first"
                hint += f"; {encoded} takes encodings" if encoded else ""
            raise InputTypeError(f"{name}[{place}]", wanted, value, hint=hint)
        yield value
