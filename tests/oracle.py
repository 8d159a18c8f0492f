"""
Root hashes straight from the Yellow Paper's appendix D: an oracle that shares no code.

A dict of keys becomes the trie's structure by recursion on the next nibble.  RLP,
nibbles and hex-prefix are written out again here, in the plainest way, and hashing is
pycryptodome's own function.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from Crypto.Hash import keccak

__all__ = ["oracle_keccak256", "oracle_rlp", "oracle_root"]


def oracle_keccak256(data: bytes) -> bytes:
    """Return Keccak-256 of *data*, by pycryptodome."""
    return keccak.new(digest_bits=256, data=bytes(data)).digest()


def oracle_rlp(item: Any) -> bytes:
    """Return the RLP of bytes or of nested lists of bytes."""
    if isinstance(item, bytes):
        if len(item) == 1 and item[0] < 0x80:
            return bytes(item)
        payload, base = bytes(item), 0x80
    else:
        payload, base = b"".join(map(oracle_rlp, item)), 0xC0
    if len(payload) < 56:
        return bytes([base + len(payload)]) + payload
    size = len(payload).to_bytes((len(payload).bit_length() + 7) // 8, "big")
    return bytes([base + 55 + len(size)]) + size + payload


def oracle_root(pairs: Mapping[bytes, bytes], *, secure: bool = False) -> bytes:
    """Return the root hash of the trie that holds *pairs*; empty values are absent."""
    entries = {}
    for key, value in pairs.items():
        if value:
            stored = oracle_keccak256(key) if secure else bytes(key)
            nibbles = [half for byte in stored for half in (byte >> 4, byte & 15)]
            entries[tuple(nibbles)] = bytes(value)
    structure = _structure(entries) if entries else b""
    return oracle_keccak256(oracle_rlp(structure))


def _structure(entries: dict[tuple[int, ...], bytes]) -> Any:
    """Return the node for *entries* (one or more) as nested lists."""
    paths = list(entries)
    if len(paths) == 1:
        return [_hex_prefix(paths[0], 2), entries[paths[0]]]
    shared = 0
    while all(
        len(path) > shared and path[shared] == paths[0][shared] for path in paths
    ):
        shared += 1
    if shared:
        rest = {path[shared:]: value for path, value in entries.items()}
        return [_hex_prefix(paths[0][:shared], 0), _reference(_structure(rest))]
    branch: list[Any] = []
    for nibble in range(16):
        below = {
            path[1:]: value for path, value in entries.items() if path[:1] == (nibble,)
        }
        branch.append(_reference(_structure(below)) if below else b"")
    return [*branch, entries.get((), b"")]


def _reference(structure: Any) -> Any:
    encoding = oracle_rlp(structure)
    return structure if len(encoding) < 32 else oracle_keccak256(encoding)


def _hex_prefix(path: tuple[int, ...], flag: int) -> bytes:
    nibbles = [flag + 1, *path] if len(path) % 2 else [flag, 0, *path]
    return bytes(
        16 * high + low for high, low in zip(nibbles[::2], nibbles[1::2], strict=True)
    )
