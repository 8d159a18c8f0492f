"""
Nibbles, the half-bytes that a path through the trie is made of, and hex-prefix.

A key of n bytes is a path of 2n nibbles, the high half of each byte first.  Inside the
trie a path is a ``bytes`` object with **one nibble per byte** (values 0 to 15), without
a terminator; `Nibbles` is the same as a type of its own, for what callers see.

A node stores the path below it as bytes again, in hex-prefix form (Yellow Paper,
appendix C), which also says whether the node is a leaf and whether the number of
nibbles is odd.  The first nibble is a flag::

     ┌─┬─┬────┬────┐
     │0│0│leaf│odd │   0 extension, even    2 leaf, even
     └─┴─┴────┴────┘   1 extension, odd     3 leaf, odd

An even path is padded with a nibble 0 after the flag.  Here, and nowhere else, the
padding is insisted upon: ``2f…`` would be a second spelling of ``20…``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsIndex, overload

from hexary.errors import InputTypeError, NodeError, NodeReason, RangeError, SizeError
from hexary.typed.buffer import exact_bytes
from hexary.typed.iteration import iterate

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

__all__ = [
    "Nibbles",
    "common_prefix_length",
    "hp_decode",
    "hp_encode",
    "hp_encode_digits",
    "key_at",
    "pack",
    "unpack",
]

_STEP = 32
"""Nibbles that are compared one by one before slices are."""

_DIGITS = b"0123456789abcdef"
_TO_DIGIT = _DIGITS + 240 * b"-"
_FROM_DIGIT = bytes(max(_DIGITS.find(bytes([code])), 0) for code in range(256))


def key_at(path: bytes) -> bytes:
    """
    Return the key of a value.

    Args:
        path: nibbles from the root to the value, of a trie that may be from elsewhere.

    Raises:
        NodeError: if it ends in the middle of a byte.

    Example:
        >>> key_at(bytes([6, 4, 6, 15]))
        b'do'
    """
    if len(path) % 2:
        raise NodeError(NodeReason.HALF_A_BYTE, path=path)
    return pack(path)


def unpack(data: bytes) -> bytes:
    r"""
    Return the nibbles of *data*, one per byte, high half first.

    Example:
        >>> unpack(b"\x12\xab")
        b'\x01\x02\n\x0b'
    """
    try:
        # Not data.hex(): the typed subclasses of bytes spell theirs with 0x.
        return bytes.hex(data).encode().translate(_FROM_DIGIT)
    except TypeError:
        return unpack(exact_bytes(data, "data"))


def pack(nibbles: bytes) -> bytes:
    r"""
    Return the bytes whose nibbles are *nibbles*: the inverse of `unpack`.

    Raises:
        SizeError: if the number of nibbles is odd.
        RangeError: if a nibble is above 15.

    Example:
        >>> pack(bytes([1, 2, 10, 11]))
        b'\x12\xab'
    """
    digits = _digits(nibbles)
    if len(digits) % 2:
        raise SizeError(
            "an even path of nibbles", len(nibbles) + 1, len(nibbles), nibbles
        )
    try:
        return bytes.fromhex(digits)
    except ValueError:
        raise RangeError("a nibble", max(nibbles), 0, 15) from None


def _digits(nibbles: bytes) -> str:
    """Return *nibbles* as hex digits, a mark that is none for each that is above 15."""
    try:
        return bytes.translate(nibbles, _TO_DIGIT).decode()
    except TypeError:
        return _digits(exact_bytes(nibbles, "nibbles"))


def hp_encode(nibbles: bytes, *, leaf: bool) -> bytes:
    """
    Return *nibbles* in hex-prefix form.

    Args:
        nibbles: the path, one nibble per byte.
        leaf: whether the path ends at a leaf (else at an extension's child).

    Raises:
        RangeError: if a nibble is above 15.

    Example:
        >>> hp_encode(bytes([1, 2, 3]), leaf=False).hex()
        '1123'
        >>> hp_encode(b"", leaf=True).hex()
        '20'
    """
    try:
        return hp_encode_digits(_digits(nibbles), leaf=leaf)
    except ValueError:
        raise RangeError("a nibble", max(nibbles), 0, 15) from None


def hp_encode_digits(digits: str, *, leaf: bool) -> bytes:
    """
    Return a path spelled as hex *digits*, one per nibble, in hex-prefix form.

    Example:
        >>> hp_encode_digits("123", leaf=False).hex()
        '1123'
    """
    if len(digits) % 2:
        return bytes.fromhex(("3" if leaf else "1") + digits)
    return bytes.fromhex(("20" if leaf else "00") + digits)


def hp_decode(data: bytes) -> tuple[Nibbles, bool]:
    """
    Read a path in hex-prefix form.

    Returns:
        The nibbles, and whether the path is a leaf's.

    Raises:
        NodeError: with reason ``BAD_PATH`` if *data* is empty, its flag is above 3, or
            an even path's padding is not 0.

    Example:
        >>> hp_decode(bytes.fromhex("1123"))
        (Nibbles('123'), False)
    """
    data = exact_bytes(data, "data")
    flag = data[0] >> 4 if data else 16
    if flag > 3:
        detail = "the flag is above 3" if data else "it is empty"
        raise NodeError(NodeReason.BAD_PATH, data=data[:32], detail=detail)
    nibbles = unpack(data)
    if flag % 2:
        return bytes.__new__(Nibbles, nibbles[1:]), flag > 1
    if nibbles[1]:
        raise NodeError(
            NodeReason.BAD_PATH, data=data[:32], detail="the padding nibble is not 0"
        )
    return bytes.__new__(Nibbles, nibbles[2:]), flag > 1


def common_prefix_length(
    first: bytes | str, second: bytes | str, start: int = 0
) -> int:
    """
    Return how many leading nibbles, or digits, *first* and *second* share.

    Args:
        first: nibbles, one per byte, or digits.
        second: the same kind.
        start: where *second* begins, so that callers need not cut it.

    Example:
        >>> common_prefix_length(b"horse", b"house")
        2
        >>> common_prefix_length(b"rse", b"horde", start=2)
        1
    """
    length = min(len(first), len(second) - start)
    for index in range(min(length, _STEP)):
        if first[index] != second[start + index]:
            return index
    # Few share more.  Those are compared by slices, each twice as long as the last, and
    # the one that differs is halved.
    low, step = _STEP, _STEP
    while low < length:
        high = min(low + step, length)
        if first[low:high] != second[start + low : start + high]:
            while high - low > 1:
                middle = (low + high) // 2
                if first[low:middle] == second[start + low : start + middle]:
                    low = middle
                else:
                    high = middle
            return low
        low, step = high, 2 * step
    return length


class Nibbles(bytes):
    """
    An immutable sequence of nibbles, one per byte, without a terminator.

    It is a ``bytes`` object that prints as hex digits; slices and sums stay nibbles.

    Args:
        values: numbers from 0 to 15, or bytes that hold one nibble each.

    Raises:
        InputTypeError: if a value is not an int.
        RangeError: if a value is outside 0 to 15.

    Example:
        >>> path = Nibbles.from_key(b"do")
        >>> path, path[:3], len(path)
        (Nibbles('646f'), Nibbles('646'), 4)
        >>> path.pack()
        b'do'
    """

    __slots__ = ()

    def __new__(cls, values: Iterable[int] | bytes = b"") -> Self:
        """Check each value; what is `Nibbles` already is returned as it is."""
        if type(values) is cls:
            return values
        if issubclass(type(values), (bytes, bytearray)):
            values = exact_bytes(values, "values")
        else:
            values = tuple(iterate(values, "values", "numbers from 0 to 15"))
            for place, value in enumerate(values):
                if not issubclass(type(value), int):
                    raise InputTypeError(f"nibble {place}", "an int", value)
        if values and not 0 <= min(values) <= max(values) <= 15:
            wrong = next(value for value in values if not 0 <= value <= 15)
            raise RangeError("a nibble", wrong, 0, 15)
        return super().__new__(cls, values)

    @classmethod
    def from_key(cls, key: bytes) -> Self:
        """Return the nibbles of *key*, two per byte."""
        return super().__new__(cls, unpack(key))

    def pack(self) -> bytes:
        """
        Return the bytes made of these nibbles.

        Raises:
            SizeError: if their number is odd.
        """
        return pack(self)

    @overload
    def __getitem__(self, index: SupportsIndex, /) -> int: ...
    @overload
    def __getitem__(self, index: slice, /) -> Nibbles: ...
    def __getitem__(self, index: Any, /) -> int | Nibbles:
        part = super().__getitem__(index)
        return part if isinstance(part, int) else bytes.__new__(Nibbles, part)

    def __add__(self, other: Any, /) -> Nibbles:
        return bytes.__new__(Nibbles, super().__add__(Nibbles(other)))

    def __str__(self) -> str:
        return _digits(self)

    def __repr__(self) -> str:
        return f"Nibbles({str(self)!r})"
