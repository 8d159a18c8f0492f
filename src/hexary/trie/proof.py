"""
Proofs that a key has a value, or that it is absent, under a root hash.

A proof is the list of the nodes on the way from the root to where the key's value is,
or to where the way ends without one.  Nodes that their parents embed are not listed.

The verifier is for proofs from anybody.  It trusts the root hash alone, and yields the
value, or ``None`` for an absence that is proven; whatever shows neither raises
`ProofError`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexary import hash as hashing
from hexary.errors import ProofReason, SizeError
from hexary.trie.absence import Absence
from hexary.trie.input import byte_strings, exact_hash
from hexary.trie.nibbles import unpack
from hexary.trie.proof_nodes import ProofNodes
from hexary.typed.buffer import exact_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hexary.trie.proof_nodes import NodesInput

__all__ = [
    "stored_path",
    "verify_exclusion",
    "verify_inclusion",
    "verify_many",
    "verify_proof",
]


_KEY_SIZE = 32
"""Bytes of a hashed key."""


def verify_proof(
    root: bytes,
    key: bytes,
    nodes: NodesInput,
    *,
    secure: bool = False,
    key_size: int | None = None,
    allow_extra: bool = False,
    where: str = "",
) -> bytes | None:
    """
    Return the value at *key*, or ``None`` if it is proven that there is none.

    Args:
        root: the root hash that is trusted.
        key: the key.
        nodes: encoded nodes in any order, or hash → encoded node.  All are hashed.  The
            empty trie's proof is no node, or the one node ``0x80``.
        secure: whether the trie holds each key at its keccak-256, as state and storage
            tries do; *key* is the key before hashing.
        key_size: bytes of every key of the trie, where they are all of one size (in a
            secure trie they are): a path of another length is refused.
        allow_extra: whether nodes may be there that are not needed, or twice.
        where: what the proof is about, for messages.

    Raises:
        ProofError: if the nodes prove neither; its cause is the `NodeError` where a
            node is malformed.

    Example:
        >>> from hexary.trie import Trie
        >>> trie = Trie({b"do": b"verb", b"dog": b"puppy"})
        >>> verify_proof(trie.root_hash, b"dog", trie.prove(b"dog"))
        b'puppy'
        >>> verify_proof(trie.root_hash, b"cat", trie.prove(b"cat")) is None
        True
        >>> verify_proof(trie.root_hash, b"cat", [])
        Traceback (most recent call last):
            ...
        hexary.errors.ProofError: a node that the proof needs is not in it; at depth ...
    """
    proof = ProofNodes(
        nodes,
        key_size=_KEY_SIZE if secure else key_size,
        allow_extra=allow_extra,
        where=where,
    )
    found = proof.settle(
        exact_hash(root, "root"),
        stored_path(key, "key", secure=secure, key_size=key_size),
    )
    return None if isinstance(found, Absence) else found


def verify_inclusion(
    root: bytes,
    key: bytes,
    nodes: NodesInput,
    *,
    value: bytes | None = None,
    secure: bool = False,
    key_size: int | None = None,
    allow_extra: bool = False,
    where: str = "",
) -> bytes:
    """
    Return the value that *key* is proven to have.

    Args:
        root: as in `verify_proof`, like all that are not here.
        key: likewise.
        nodes: likewise.
        value: the value that it should be, ``None`` for any.
        secure: as in `verify_proof`.
        key_size: likewise.
        allow_extra: likewise.
        where: likewise.

    Raises:
        ProofError: if the key is absent, has another value, or nothing is proven.

    Example:
        >>> from hexary.trie import Trie
        >>> trie = Trie({b"do": b"verb"})
        >>> verify_inclusion(trie.root_hash, b"do", trie.prove(b"do"), value=b"verb")
        b'verb'
    """
    proof = ProofNodes(
        nodes,
        key_size=_KEY_SIZE if secure else key_size,
        allow_extra=allow_extra,
        where=where,
    )
    found = proof.settle(
        exact_hash(root, "root"),
        stored_path(key, "key", secure=secure, key_size=key_size),
    )
    expected = None if value is None else exact_bytes(value, "value")
    if isinstance(found, Absence):
        raise proof.error(
            ProofReason.ABSENT,
            depth=found.depth,
            path=found.path,
            got=found.kind.value,
            expected=expected,
        )
    if expected is not None and found != expected:
        raise proof.error(ProofReason.WRONG_VALUE, got=found, expected=expected)
    return found


def verify_exclusion(
    root: bytes,
    key: bytes,
    nodes: NodesInput,
    *,
    secure: bool = False,
    key_size: int | None = None,
    allow_extra: bool = False,
    where: str = "",
) -> Absence:
    """
    Return how it is proven that *key* is absent.

    Args:
        root: as in `verify_proof`, like all others.
        key: likewise.
        nodes: likewise.
        secure: likewise.
        key_size: likewise.
        allow_extra: likewise.
        where: likewise.

    Raises:
        ProofError: if the key is there, or nothing is proven.

    Example:
        >>> from hexary.trie import Trie
        >>> trie = Trie({b"do": b"verb"})
        >>> verify_exclusion(trie.root_hash, b"dog", trie.prove(b"dog")).kind.name
        'DIVERGENT_LEAF'
    """
    proof = ProofNodes(
        nodes,
        key_size=_KEY_SIZE if secure else key_size,
        allow_extra=allow_extra,
        where=where,
    )
    found = proof.settle(
        exact_hash(root, "root"),
        stored_path(key, "key", secure=secure, key_size=key_size),
    )
    if isinstance(found, Absence):
        return found
    raise proof.error(ProofReason.PRESENT, got=found)


def verify_many(
    root: bytes,
    keys: Iterable[bytes],
    nodes: NodesInput,
    *,
    secure: bool = False,
    key_size: int | None = None,
    allow_extra: bool = False,
    where: str = "",
) -> dict[bytes, bytes | None]:
    """
    Return the value of each of *keys*, ``None`` for those that are proven absent.

    Args:
        root: as in `verify_proof`, like all that are not here.
        keys: the keys.
        nodes: the nodes of all their proofs together, shared ones once.
        secure: as in `verify_proof`.
        key_size: likewise.
        allow_extra: likewise.
        where: likewise.

    Raises:
        ProofError: if one of them is not proven to be either.

    Example:
        >>> from hexary.trie import Trie
        >>> trie = Trie({b"do": b"verb", b"dog": b"puppy"})
        >>> verify_many(trie.root_hash, [b"do", b"cat"], trie.prove_many([b"do"]))
        {b'do': b'verb', b'cat': None}
    """
    root = exact_hash(root, "root")
    paths = {
        key: stored_path(key, f"keys[{index}]", secure=secure, key_size=key_size)
        for index, key in enumerate(byte_strings(keys, "keys"))
    }
    proof = ProofNodes(
        nodes,
        key_size=_KEY_SIZE if secure else key_size,
        allow_extra=allow_extra,
        where=where,
    )
    answers = {}
    for key, path in paths.items():
        found = proof.find(root, path)
        answers[key] = None if isinstance(found, Absence) else found
    proof.finish()
    return answers


def stored_path(key: bytes, name: str, *, secure: bool, key_size: int | None) -> bytes:
    """
    Return the nibbles at which a trie holds *key*.

    Args:
        key: the key.
        name: what it is, for messages.
        secure: whether it is held at its keccak-256.
        key_size: bytes of every key of a trie that does not hash, ``None`` for any.

    Raises:
        InputTypeError, SizeError: if it is not bytes, or of another size.

    Example:
        >>> stored_path(b"do", "key", secure=False, key_size=2).hex()
        '0604060f'
    """
    key = exact_bytes(key, name)
    if secure:
        return unpack(hashing.keccak256(key))
    if key_size is not None and len(key) != key_size:
        raise SizeError(name, key_size, len(key), key)
    return unpack(key)
