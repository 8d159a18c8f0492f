"""
Keccak from pycryptodome, which hexary always installs, so that one backend is there.

The cheapest call it offers is ``keccak.new(digest_bits=…, data=…)``: its documentation
rules out building the hash class directly, which ``make bench`` shows to save little.
Nearly all of the time goes into creating the object, not into the permutation.
"""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING, Any

import Crypto
from Crypto.Hash import keccak
from Crypto.Util import _raw_api

from hexary._backends.backend import (
    Backend,
    HashState,
    ReadableBuffer,
    packed_with,
    to_buffer,
    to_items,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["NAME", "load"]

NAME = "pycryptodome"

_library: Any = keccak
_new: Any = keccak.new
_absorb: Any = _library._raw_keccak_lib.keccak_absorb
_copy: Any = _library._raw_keccak_lib.keccak_copy
_size: Any = _raw_api.c_size_t


class _State:
    """
    A running hash that can be copied, and that threads can share.

    Pycryptodome's Keccak object has no ``copy()``, though the C code below it has; and
    it lets the interpreter's lock go while it absorbs, however little, so that a lock
    of its own has to keep other threads out of it.  Bytes, which need no preparation,
    go to the C code at once, which saves as much as the lock costs.  The probe in
    `hexary.hash` updates and copies, so a version whose inside differs is refused at
    import with the reason, rather than failing later.
    """

    __slots__ = ("_address", "_bits", "_hash", "_lock")

    def __init__(self, bits: int) -> None:
        self._bits = bits
        self._hash = _new(digest_bits=bits, update_after_digest=True)
        self._address = self._hash._state.get()
        # Reentrant: a signal handler may use the hash that it has interrupted.
        self._lock = RLock()

    def update(self, data: ReadableBuffer, /) -> None:
        """Absorb *data*."""
        with self._lock:
            if type(data) is not bytes:
                self._hash.update(data)
                return
            failed = _absorb(self._address, data, _size(len(data)))
        if failed:
            raise RuntimeError("pycryptodome could not update a Keccak state")

    def digest(self) -> bytes:
        """Return the digest of the bytes absorbed until now."""
        with self._lock:
            digest: bytes = self._hash.digest()
        return digest

    def copy(self) -> _State:
        """Return an independent state that has absorbed the same bytes."""
        other = _State(self._bits)
        with self._lock:
            failed = _copy(self._address, other._address)
        if failed:
            raise RuntimeError("pycryptodome could not copy a Keccak state")
        return other


def load() -> Backend:
    """Return pycryptodome's backend."""
    return Backend(
        name=NAME,
        keccak256=_keccak256,
        keccak512=_keccak512,
        keccak256_many=_keccak256_many,
        keccak256_packed=packed_with(_keccak256_many),
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
