"""
The 2048-bit Bloom filter over log addresses and topics (Yellow Paper, section 4.3.1).

Each item sets three bits.  Their numbers are the low 11 bits of the first three pairs
of bytes of the item's hash::

    keccak256(item) = b0 b1 | b2 b3 | b4 b5 | …      bit = (b0 * 256 + b1) % 2048, …

Bit 0 is the lowest bit of the last byte, as in a big-endian number of 256 bytes.  An
item whose bits are all set is *probably* in, one with a bit missing certainly is not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from hexary import hash as hashing
from hexary.typed.conversion import BytesConvertible, to_bytes
from hexary.typed.data import FixedSizeBytes
from hexary.typed.iteration import iterate

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Bloom"]


class Bloom(FixedSizeBytes):
    """
    A 256-byte Bloom filter.

    A filter does not change: `add` and `union` return another.  ``item in bloom`` asks
    for an item, not for a substring as with other bytes.

    Example:
        >>> bloom = Bloom(0).add("0x095e7baea6a6c7c4c2dfeb977efac326af552d87")
        >>> "0x095e7baea6a6c7c4c2dfeb977efac326af552d87" in bloom, b"other" in bloom
        (True, False)
    """

    __slots__ = ()
    byte_length = 256

    @classmethod
    def from_items(cls, items: Iterable[BytesConvertible], /) -> Self:
        """
        Return the filter of all *items*: addresses, topics or other bytes.

        Raises:
            HexError: an item is text, but not hex.
            InputTypeError: an item does not stand for bytes, or is there alone.

        Example:
            >>> Bloom.from_items([b"a", b"b"]) == Bloom(0).add(b"a").add(b"b")
            True
        """
        found = iterate(items, "items", "addresses, topics or other bytes")
        bits = 0
        for digest in hashing.keccak256_many([to_bytes(item) for item in found]):
            bits |= _bits(digest)
        return cls(bits)

    def add(self, item: BytesConvertible, /) -> Self:
        """
        Return this filter with the bits of *item* set.

        Raises:
            HexError: *item* is text, but not hex.
            InputTypeError: *item* does not stand for bytes.
        """
        bits = _bits(hashing.keccak256(to_bytes(item)))
        return type(self)(int.from_bytes(self, "big") | bits)

    def union(self, *others: FixedSizeBytes | bytes | str) -> Self:
        """
        Return the filter of all items of this one and the *others*; ``|`` is the same.

        Raises:
            HexError: one of *others* is text, but not hex.
            InputTypeError: one of *others* does not stand for a filter.
            SizeError: one of *others* has another size.

        Example:
            >>> one, two = Bloom.from_items([b"a"]), Bloom.from_items([b"b"])
            >>> one.union(two) == one | two == Bloom.from_items([b"a", b"b"])
            True
        """
        bits = int.from_bytes(self, "big")
        for other in others:
            bits |= int.from_bytes(Bloom(other), "big")
        return type(self)(bits)

    def __or__(self, other: object, /) -> Self:
        """Return the union with another filter."""
        if not isinstance(other, Bloom):  # as at run time it may well not be
            return NotImplemented
        return self.union(other)

    def __contains__(self, item: object, /) -> bool:
        """Return whether all bits of *item* are set."""
        bits = _bits(hashing.keccak256(to_bytes(item)))  # type: ignore[arg-type]  # which refuses what is no bytes
        return int.from_bytes(self, "big") & bits == bits


def _bits(digest: bytes) -> int:
    """Return the number in which the three bits for an item's *digest* are set."""
    return (
        1 << (int.from_bytes(digest[0:2], "big") & 2047)
        | 1 << (int.from_bytes(digest[2:4], "big") & 2047)
        | 1 << (int.from_bytes(digest[4:6], "big") & 2047)
    )
