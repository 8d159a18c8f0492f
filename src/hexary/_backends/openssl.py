"""
Keccak from the OpenSSL that Python's `hashlib` is linked with (3.2 or later).

The cheapest call it offers for a short message is the ``copy()`` of a prepared object:
`hashlib.new` looks the algorithm up by name each time, which costs as much again
(``make bench`` prints both).
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from hexary._backends.backend import (
    Backend,
    HashState,
    ReadableBuffer,
    packed_with,
    to_buffer,
    to_items,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["NAME", "load"]

NAME = "hashlib"


def load() -> Backend:
    """
    Return the backend of this interpreter's hashlib.

    `hashlib.algorithms_available` is not asked: it leaves keccak out on builds that
    have it.

    Raises:
        ValueError: if hashlib does not know keccak (OpenSSL before 3.2).
    """
    start256: Callable[[], HashState] = hashlib.new("keccak-256").copy
    start512: Callable[[], HashState] = hashlib.new("keccak-512").copy

    def keccak256(data: ReadableBuffer, /) -> bytes:
        """Keccak-256 through hashlib."""
        if type(data) is not bytes:
            data = to_buffer(data)
        state = start256()
        state.update(data)
        return state.digest()

    def keccak512(data: ReadableBuffer, /) -> bytes:
        """Keccak-512 through hashlib."""
        if type(data) is not bytes:
            data = to_buffer(data)
        state = start512()
        state.update(data)
        return state.digest()

    def keccak256_many(items: Iterable[ReadableBuffer], /) -> list[bytes]:
        """Keccak-256 of each item."""
        digests: list[bytes] = []
        for item in to_items(items):
            if type(item) is not bytes:
                item = to_buffer(item, f"items[{len(digests)}]")
            state = start256()
            state.update(item)
            digests.append(state.digest())
        return digests

    return Backend(
        name=NAME,
        keccak256=keccak256,
        keccak512=keccak512,
        keccak256_many=keccak256_many,
        keccak256_packed=packed_with(keccak256_many),
        start256=start256,
        start512=start512,
        describe=_describe,
    )


def _describe() -> tuple[str, str]:
    """Return OpenSSL's version and its full name (imports `ssl`, so only on demand)."""
    import ssl

    words = ssl.OPENSSL_VERSION.split()
    return (words[1] if len(words) > 1 else ssl.OPENSSL_VERSION), ssl.OPENSSL_VERSION
