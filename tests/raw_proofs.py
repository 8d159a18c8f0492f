"""Proofs put together by hand: nodes that no trie makes, and why they are refused."""

from __future__ import annotations

from typing import Any

import pytest

from hexary import ProofError, ProofReason, rlp, verify_proof
from hexary.trie import hp_encode

__all__ = ["branch", "extension", "leaf", "refused"]


def leaf(path: bytes, value: bytes) -> bytes:
    """Return the encoding of a leaf."""
    return rlp.encode([hp_encode(path, leaf=True), value])


def extension(path: bytes, child: Any) -> bytes:
    """Return the encoding of an extension; the child is a hash, or a node's items."""
    return rlp.encode([hp_encode(path, leaf=False), child])


def branch(slots: dict[int, Any], value: bytes = b"") -> bytes:
    """Return the encoding of a branch with these children, hashes or nodes' items."""
    return rlp.encode([*(slots.get(nibble, b"") for nibble in range(16)), value])


def refused(
    root: bytes, key: bytes, nodes: Any, reason: ProofReason, **options: Any
) -> ProofError:
    """Return the error with which a proof is refused, which has this reason."""
    with pytest.raises(ProofError) as caught:
        verify_proof(root, key, nodes, **options)
    assert caught.value.reason is reason
    return caught.value
