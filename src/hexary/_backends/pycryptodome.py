"""
Keccak from pycryptodome, which hexary always installs, so that one backend is there.

The cheapest call it offers is ``keccak.new(digest_bits=…, data=…)``: its documentation
rules out building the hash class directly, which ``make bench`` shows to save little.
Nearly all of the time goes into creating the object, not into the permutation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import Crypto
from Crypto.Hash import keccak

from hexary._backends.backend import (
    Backend,
    HashState,
    ReadableBuffer,
    to_buffer,
    to_items,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["NAME", "load"]

NAME = "pycryptodome"

_library: Any = keccak
_new: Any = keccak.new


class _State:
    """
    A running hash that can be copied.

    Pycryptodome's Keccak object has no ``copy()``, though the C code below it has, so
    that one call reaches under the public surface.  The probe in `hexary.hash` makes a
    copy, so a version whose inside differs is refused at import with the reason, rather
    than failing later.
    """

    __slots__ = ("_bits", "_hash", "update")

    def __init__(self, bits: int) -> None:
        self._bits = bits
        self._hash = _new(digest_bits=bits, update_after_digest=True)
        self.update = self._hash.update

    def digest(self) -> bytes:
        """Return the digest of the bytes absorbed until now."""
        digest: bytes = self._hash.digest()
        return digest

    def copy(self) -> _State:
        """Return an independent state that has absorbed the same bytes."""
        other = _State(self._bits)
        copy_state = _library._raw_keccak_lib.keccak_copy
        if copy_state(self._hash._state.get(), other._hash._state.get()):
            raise RuntimeError("pycryptodome could not copy a Keccak state")
        return other


def load() -> Backend:
    """Return pycryptodome's backend."""
    return Backend(
        name=NAME,
        keccak256=_keccak256,
        keccak512=_keccak512,
        keccak256_many=_keccak256_many,
        start256=_start256,
        start512=_start512,
        describe=_describe,
    )


def _keccak256(data: ReadableBuffer, /) -> bytes:
    """Keccak-256 through pycryptodome."""
    if type(data) is not bytes:
        data = to_buffer(data)
    digest: bytes = _new(digest_bits=256, data=data).digest()
    return digest


def _keccak512(data: ReadableBuffer, /) -> bytes:
    """Keccak-512 through pycryptodome."""
    if type(data) is not bytes:
        data = to_buffer(data)
    digest: bytes = _new(digest_bits=512, data=data).digest()
    return digest


def _keccak256_many(items: Iterable[ReadableBuffer], /) -> list[bytes]:
    """Keccak-256 of each item."""
    digests: list[bytes] = []
    for item in to_items(items):
        if type(item) is not bytes:
            item = to_buffer(item, f"items[{len(digests)}]")
        digests.append(_new(digest_bits=256, data=item).digest())
    return digests


def _start256() -> HashState:
    return _State(256)


def _start512() -> HashState:
    return _State(512)


def _describe() -> tuple[str, str]:
    """Return the library's version and the module that hashes."""
    return Crypto.__version__, "Crypto.Hash.keccak"
