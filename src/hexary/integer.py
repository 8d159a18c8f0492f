"""
The integer that a value is, where a number is wanted and text is not.

An int is one, and so is what Python takes for an index: the numbers of numpy and those
of ethereum-types.  A bool is a truth, and bytes stand for a number only where a reader
says so, though both may have ``__index__``.
"""

from __future__ import annotations

from operator import index
from typing import Any

from hexary.errors import InputTypeError, RangeError

__all__ = ["exact_int", "exact_uint", "int_of"]


def int_of(value: Any) -> int | None:
    """
    Return the plain int that *value* is, ``None`` if it is none.

    Example:
        >>> int_of(5), int_of(True), int_of(5.0), int_of(b"5")
        (5, None, None, None)
    """
    kind = type(value)
    if kind is int:
        return value  # type: ignore[no-any-return]  # `kind` is its class
    if not hasattr(kind, "__index__") or issubclass(kind, (bool, bytes)):
        return None
    try:
        return int(index(value))
    except TypeError:
        # An array of one number is an index, one of several and numpy's bool are not.
        return None


def exact_int(value: object, argument: str) -> int:
    """
    Return the plain int that *value* is.

    Args:
        value: an int, or an object with ``__index__``; no bool.
        argument: its name, for the message.

    Raises:
        InputTypeError: if it is something else.

    Example:
        >>> exact_int(True, "nonce")
        Traceback (most recent call last):
        hexary.errors.InputTypeError: nonce must be an int, got bool True
    """
    number = int_of(value)
    if number is None:
        raise InputTypeError(argument, "an int", value)
    return number


def exact_uint(value: object, argument: str, *, bits: int) -> int:
    """
    Return the plain int that *value* is, which has to be one of so many bits.

    Args:
        value: as in `exact_int`.
        argument: its name, for the message.
        bits: how many bits it may have.

    Raises:
        InputTypeError: if it is something else.
        RangeError: if it is negative, or too large.

    Example:
        >>> exact_uint(-1, "nonce", bits=64)
        Traceback (most recent call last):
        hexary.errors.RangeError: nonce must be from 0 to 2^64-1, got -1
    """
    number = exact_int(value, argument)
    if number < 0 or number >> bits:
        raise RangeError(argument, number, 0, 2**bits - 1)
    return number
