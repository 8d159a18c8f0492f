"""Proofs from an adversary never prove what is not so, and fail in one way only."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from adversary import KEYS, VALUES, mutated
from hexary import (
    ProofError,
    SecureTrie,
    Trie,
    keccak256,
    verify_many,
    verify_proof,
)

PAIRS = st.dictionaries(KEYS, VALUES, max_size=12)


@settings(max_examples=600, deadline=None)
@given(st.data(), PAIRS, st.booleans(), st.booleans())
def test_no_change_of_a_proof_proves_anything_else(data, pairs, secure, allow_extra):
    trie = (SecureTrie if secure else Trie)(pairs)
    keys = [*pairs, data.draw(KEYS)]
    key = data.draw(st.sampled_from(keys))
    proof = trie.prove(key)
    assert verify_proof(trie.root_hash, key, proof, secure=secure) == pairs.get(key)
    others = trie.prove_many(keys) + Trie({b"k": b"v" * 40}).prove(b"k")
    forged = mutated(data, proof, others)
    options = {"secure": secure, "allow_extra": allow_extra}
    try:
        value = verify_proof(trie.root_hash, key, forged, **options)
    except ProofError:
        return
    assert value == pairs.get(key)
    # With every check on, an accepted proof is the proof, in some order, perhaps with
    # the nodes that their parents embed, or the empty trie's one node.
    if not allow_extra:
        assert {node for node in forged if len(node) >= 32} == {
            node for node in proof if len(node) >= 32
        }


@settings(max_examples=200, deadline=None)
@given(st.data(), PAIRS, st.booleans())
def test_no_change_of_a_proof_of_many_proves_anything_else(data, pairs, secure):
    trie = (SecureTrie if secure else Trie)(pairs)
    keys = [*pairs, *data.draw(st.lists(KEYS, max_size=3))]
    proof = trie.prove_many(keys)
    right = {key: pairs.get(key) for key in keys}
    assert verify_many(trie.root_hash, keys, proof, secure=secure) == right
    forged = mutated(data, proof, [*proof, b"\x80"])
    try:
        found = verify_many(trie.root_hash, keys, forged, secure=secure)
    except ProofError:
        return
    assert found == right


@settings(max_examples=300, deadline=None)
@given(st.data(), PAIRS, PAIRS)
def test_a_forged_root_yields_what_is_in_the_nodes_or_an_error(data, pairs, other):
    """Whatever root an adversary makes up, only `ProofError` comes out."""
    forged = mutated(data, Trie(pairs).prove_many(pairs), Trie(other).prove_many(other))
    for node in forged:
        try:
            verify_proof(keccak256(node), data.draw(KEYS), forged, allow_extra=True)
        except ProofError as error:
            assert error.reason
