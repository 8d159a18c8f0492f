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

__all__ = [
    "OracleError",
    "oracle_entries",
    "oracle_item",
    "oracle_keccak256",
    "oracle_lookup",
    "oracle_rlp",
    "oracle_root",
]


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


class OracleError(Exception):
    """Nodes are not those of any trie, or too few."""


def oracle_item(data: bytes) -> Any:
    """Return bytes or nested lists from canonical RLP, and refuse any other."""
    item, rest = _read(data)
    if rest or oracle_rlp(item) != data:
        raise OracleError("not canonical")
    return item


def _read(data: bytes) -> tuple[Any, bytes]:
    if not data:
        raise OracleError("cut")
    first = data[0]
    if first < 0x80:
        return data[:1], data[1:]
    base = 0x80 if first < 0xC0 else 0xC0
    start, size = 1, first - base
    if size > 55:
        start = 1 + size - 55
        size = int.from_bytes(data[1:start], "big")
    payload, rest = data[start : start + size], data[start + size :]
    if len(data) < start + size:
        raise OracleError("cut")
    if base == 0x80:
        return payload, rest
    items = []
    while payload:
        item, payload = _read(payload)
        items.append(item)
    return items, rest


def oracle_lookup(
    root: bytes, nodes: list[bytes], path: list[int], *, length: int | None = None
) -> bytes | None:
    """
    Return what is at a path under a root, from nodes that may be anything.

    Args:
        root: the root hash.
        nodes: encoded nodes in any order.
        path: the nibbles of the key.
        length: nibbles of every key, ``None`` for any even number.
    """
    known = {oracle_keccak256(node): node for node in nodes}
    if root == oracle_keccak256(b"\x80"):
        return None
    item, rest, at = _open(root, known, 0), list(path), 0
    under_extension = False
    while True:
        way, value, child = _place(item, rest)
        if under_extension and len(item) == 2:
            raise OracleError("no branch under an extension")
        reach = at + len(_path(item)[0] if len(item) == 2 else [])
        holds = bool(item[16]) if len(item) == 17 else _path(item)[1]
        if holds and (reach % 2 if length is None else reach != length):
            raise OracleError("a key of another length")
        if not holds and length is not None and reach >= length:
            raise OracleError("keys that are too long")
        if child is None:
            return value
        under_extension = len(item) == 2
        at, rest = at + way, rest[way:]
        item = child if isinstance(child, list) else _open(child, known, at)


def oracle_entries(root: bytes, nodes: list[bytes]) -> dict[bytes, bytes]:
    """Return all keys and values under a root, of which every node has to be there."""
    known = {oracle_keccak256(node): node for node in nodes}
    found: dict[bytes, bytes] = {}
    if root == oracle_keccak256(b"\x80"):
        return found
    below: list[tuple[Any, list[int], bool]] = [(_open(root, known, 0), [], False)]
    while below:
        item, path, under = below.pop()
        if under and len(item) == 2:
            raise OracleError("no branch under an extension")
        ways: list[tuple[list[int], Any]] = []
        value = b""
        if len(item) == 17:
            ways = [([nibble], item[nibble]) for nibble in range(16) if item[nibble]]
            value = item[16]
        else:
            own, is_leaf = _path(item)
            if is_leaf:
                path, value = path + own, item[1]
            else:
                ways = [(own, item[1])]
        if value:
            if len(path) % 2:
                raise OracleError("half a byte")
            pairs = zip(path[::2], path[1::2], strict=True)
            found[bytes(16 * high + low for high, low in pairs)] = value
        for step, child in ways:
            at = path + step
            inner = child if isinstance(child, list) else _open(child, known, len(at))
            below.append((inner, at, len(item) == 2))
    return found


def _open(digest: bytes, known: Mapping[bytes, bytes], at: int) -> Any:
    """Return the node behind a hash, as items that are those of a node."""
    node = known.get(digest)
    if node is None:
        raise OracleError("missing")
    if at and len(node) < 32:
        raise OracleError("an embedded node behind a hash")
    item = oracle_item(node)
    _check(item)
    return item


def _check(item: Any) -> None:
    """Refuse items that are not those of a node, embedded ones included."""
    if not isinstance(item, list) or len(item) not in (2, 17):
        raise OracleError("not a node")
    if len(item) == 17:
        if not isinstance(item[16], bytes) or sum(map(bool, item)) < 2:
            raise OracleError("not a branch")
        children = item[:16]
    else:
        path, is_leaf = _path(item)
        if is_leaf:
            if not isinstance(item[1], bytes) or not item[1]:
                raise OracleError("not a value")
            return
        if not path or not item[1]:
            raise OracleError("not an extension")
        if isinstance(item[1], list) and len(item[1]) != 17:
            raise OracleError("no branch under an extension")
        children = item[1:]
    for child in children:
        if isinstance(child, list):
            if len(oracle_rlp(child)) > 31:
                raise OracleError("too long to be embedded")
            _check(child)
        elif len(child) not in (0, 32):
            raise OracleError("not a reference")


def _path(item: list[Any]) -> tuple[list[int], bool]:
    """Return the path of a leaf or an extension, and whether it is a leaf's."""
    if not isinstance(item[0], bytes) or not item[0]:
        raise OracleError("not a path")
    nibbles = [half for byte in item[0] for half in (byte >> 4, byte & 15)]
    flag = nibbles[0]
    if flag > 3 or (flag in (0, 2) and nibbles[1]):
        raise OracleError("not a path")
    return nibbles[1 if flag % 2 else 2 :], flag > 1


def _place(item: list[Any], rest: list[int]) -> tuple[int, bytes | None, Any]:
    """Return how far a node leads, the value if the way ends there, else the child."""
    if len(item) == 17:
        if not rest:
            return 0, item[16] or None, None
        return 1, None, item[rest[0]] or None
    own, is_leaf = _path(item)
    if is_leaf:
        return 0, item[1] if rest == own else None, None
    leads = rest[: len(own)] == own
    return len(own), None, item[1] if leads else None


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
