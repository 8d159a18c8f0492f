"""
`verify_proof` and `verify_many` on nodes from anywhere, and on honest ones changed.

Input: a byte that chooses between the two.  In the first way the rest are nodes, each
with its size before it; where a node holds 31 bytes of ff and an index, the hash of the
node of that index is put, so that the bytes can get past the hashes.  In the second way
the rest are keys of a trie, each with its size before it, then changes of its proof.

What is promised: a `ProofError` or what the trie holds; and both functions agree.
"""

from __future__ import annotations

from hexary import ProofError, Trie, keccak256, verify_many, verify_proof

_MARK = b"\xff" * 31


def _pieces(data: bytes, longest: int) -> list[bytes]:
    """Return the pieces of *data*, each with its size before it."""
    pieces, place = [], 0
    while place < len(data) and len(pieces) < 40:
        size = data[place] % (longest + 1)
        pieces.append(data[place + 1 : place + 1 + size])
        place += 1 + size
    return pieces


def _outcome(
    root: bytes, key: bytes, nodes: list[bytes], *, allow_extra: bool
) -> object:
    """Return what is proven for *key*, or the reason why nothing is."""
    try:
        one = verify_proof(root, key, nodes, allow_extra=allow_extra)
    except ProofError as error:
        one = error.reason
    try:
        many = verify_many(root, [key], nodes, allow_extra=allow_extra)[key]
    except ProofError as error:
        many = error.reason
    if one != many:
        raise AssertionError(f"verify_proof says {one!r}, verify_many {many!r}")
    return one


def test_one_input(data: bytes) -> None:
    """Verify what *data* describes."""
    if data[:1] < b"\x80":
        _from_anywhere(_pieces(data[1:], 255), data[:1])
    else:
        _with_a_fault(_pieces(data[1:], 33))


def _from_anywhere(pieces: list[bytes], flags: bytes) -> None:
    if len(pieces) < 2:
        return
    key, *nodes = pieces
    for index in range(len(nodes) - 1, 0, -1):
        mark = _MARK + bytes([index])
        digest = keccak256(nodes[index])
        nodes[:index] = [node.replace(mark, digest) for node in nodes[:index]]
    allow_extra = flags > b"\x3f"
    found = _outcome(keccak256(nodes[0]), key, nodes, allow_extra=allow_extra)
    if isinstance(found, bytes) and not any(found in node for node in nodes):
        raise AssertionError(f"the value {found.hex()} is in no node")


def _with_a_fault(pieces: list[bytes]) -> None:
    count = len(pieces) * 3 // 4
    pairs = {piece[1:]: piece[:1] * 20 for piece in pieces[:count] if piece}
    if not pairs:
        return
    trie = Trie(pairs)
    keys = [*pairs, *(piece + b"\x01" for piece in pairs), b""]
    key = keys[len(pieces[-1]) % len(keys)]
    nodes = trie.prove(key)
    if _outcome(trie.root_hash, key, nodes, allow_extra=False) != pairs.get(key):
        raise AssertionError(f"an honest proof of {key.hex()} is refused or wrong")
    for change in pieces[count:]:
        if len(change) >= 3 and nodes:
            node = bytearray(nodes[change[0] % len(nodes)])
            place = change[1] % (len(node) + 1)
            node[place : place + change[2] % 3] = change[3:]
            nodes[change[0] % len(nodes)] = bytes(node)
        elif len(change) == 2 and nodes:
            nodes.insert(change[0] % len(nodes), nodes[change[1] % len(nodes)])
        elif nodes:
            del nodes[len(change) % len(nodes)]
    found = _outcome(trie.root_hash, key, nodes, allow_extra=True)
    if not isinstance(found, (bytes, type(None))):
        return
    if found != pairs.get(key):
        raise AssertionError(f"{key.hex()} is proven to have {found!r}")
