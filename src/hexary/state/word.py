"""
Words: numbers of 256 bits, as a slot or what it holds is given.

One slot has many spellings: 0, ``"0x0"``, ``"0x00"``, 32 zero bytes.  All are the same
number here.  In text, hex is told by its 0x; text without it is read only where it
cannot be misread: 64 hex digits, or a single decimal digit.  (``"10"`` is sixteen to
some clients and ten to others.)
"""

from __future__ import annotations

from hexary.errors import HexError, InputTypeError, RangeError, SizeError
from hexary.integer import int_of
from hexary.typed.hexstr import parse_bytes
from hexary.typed.iteration import iterate

__all__ = ["Word", "read_slots", "read_word"]

Word = int | bytes | str
"""What a slot or its value may be given as: a number, up to 32 bytes, or text."""


def read_word(value: object, name: str) -> int:
    """
    Return the number from 0 to 2^256-1 that a slot, or its value, is given as.

    Args:
        value: a number, up to 32 bytes, or text as the module's docstring tells.
        name: what it is, for messages.

    Raises:
        InputTypeError, RangeError, SizeError, HexError: if it is none.

    Example:
        >>> read_word("0x0a", "slot"), read_word(bytes(32), "slot")
        (10, 0)
    """
    number = int_of(value)
    if number is not None:
        if number < 0 or number >> 256:
            raise RangeError(name, number, 0, 2**256 - 1)
        return number
    if isinstance(value, str):
        value = _word_bytes(value)
    if not isinstance(value, bytes):
        raise InputTypeError(name, "an int, bytes or text", value)
    if len(value) > 32:
        raise SizeError(name, 32, len(value), value)
    return int.from_bytes(value, "big")


def read_slots(slots: object) -> list[int]:
    """
    Return the numbers of several slots.

    Args:
        slots: an iterable of them, but not a single text or byte string, whose
            characters would pass for slots.

    Raises:
        InputTypeError, RangeError, SizeError, HexError: if it is none, or one of them.

    Example:
        >>> read_slots([7, "0x0a"])
        [7, 10]
    """
    accepted = "an iterable of slots: ints, bytes or text"
    return [read_word(slot, "slot") for slot in iterate(slots, "slots", accepted)]


def _word_bytes(text: str) -> bytes:
    """Return the bytes of a slot's or value's text, with as many digits as it has."""
    prefixed = text[:2] in ("0x", "0X")
    if not text:
        raise HexError(text, "a slot or value has digits")
    one_digit = len(text) == 1 and text in "0123456789"
    if not prefixed and len(text) != 64 and not one_digit:
        raise HexError(text, "without 0x, a slot or value has 64 hex digits")
    return parse_bytes(text, odd="pad")
