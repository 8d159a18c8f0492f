"""
The bytes that a buffer holds, whatever its class makes of them.

A subclass of bytes may answer ``len()``, iterate, compare, or fill a memoryview as it
likes.  What counts here are the bytes that it holds, which the methods of bytes itself
read; so one value has one encoding and one hash, on every version of Python.
"""

from __future__ import annotations

from typing import Any

from hexary.errors import InputTypeError
from hexary.message import bytes_hint

__all__ = ["bytes_of_buffer", "exact_bytes"]


def bytes_of_buffer(value: Any, argument: str = "value") -> bytes | None:
    """
    Return the bytes of bytes, a bytearray or a memoryview; ``None`` for other types.

    Args:
        value: anything.
        argument: its name, for the message.

    Raises:
        InputTypeError: *value* is a memoryview that was released.

    Example:
        >>> bytes_of_buffer(memoryview(b"dog")[::-1]), bytes_of_buffer("dog")
        (b'god', None)
    """
    # By the real type: ``isinstance`` asks the value, and a mock answers as it likes.
    kind = type(value)
    if issubclass(kind, bytes):
        return bytes.__bytes__(value)
    if kind is memoryview:
        try:
            return value.tobytes()  # type: ignore[no-any-return]  # a memoryview, told by its class
        except ValueError:
            rule = "a memoryview that is not released"
            raise InputTypeError(argument, rule, value) from None
    if issubclass(kind, bytearray):
        return bytes(value if kind is bytearray else bytearray.copy(value))
    return None


def exact_bytes(value: object, argument: str, *, hint: str = "") -> bytes:
    """
    Return the bytes of bytes, a bytearray or a memoryview as plain bytes.

    Args:
        value: a buffer of one of these types, a memoryview of any format and shape.
        argument: its name, for the message.
        hint: what to do about another type, for the message; ``""`` for what
            `bytes_hint` says.

    Raises:
        InputTypeError: *value* is of another type, or a memoryview that was released.

    Example:
        >>> exact_bytes(bytearray(b"dog"), "key")
        b'dog'
    """
    if type(value) is bytes:
        return value
    data = bytes_of_buffer(value, argument)
    if data is None:
        accepted = "bytes, bytearray or memoryview"
        raise InputTypeError(argument, accepted, value, hint=hint or bytes_hint(value))
    return data
