"""Objects that are not bytes but turn into them, joined to bytes with ``+``."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from typing import TYPE_CHECKING

from hexary.typed.conversion import to_bytes

if TYPE_CHECKING:
    from typing import SupportsBytes

__all__ = ["BytesConcatenation"]


class BytesConcatenation(metaclass=ABCMeta):
    r"""
    Base of objects that turn into bytes, and so can be joined to bytes with ``+``.

    A subclass defines ``__bytes__``.

    Example:
        >>> class Push(BytesConcatenation):
        ...     def __bytes__(self):
        ...         return b"\x60\x01"
        >>> Push() + b"\x00", b"\x5b" + Push(), len(Push())
        (b'`\x01\x00', b'[`\x01', 2)
    """

    __slots__ = ()

    @abstractmethod
    def __bytes__(self) -> bytes:
        """Return the object as bytes."""

    def __len__(self) -> int:
        """Return the number of bytes."""
        return len(bytes(self))

    def __add__(self, other: bytes | SupportsBytes, /) -> bytes:
        """Return the bytes of both, these first."""
        return bytes(self) + to_bytes(other)

    def __radd__(self, other: bytes | SupportsBytes, /) -> bytes:
        """Return the bytes of both, these last."""
        return to_bytes(other) + bytes(self)
