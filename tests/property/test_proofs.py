"""Proofs from an adversary never prove what is not so, and fail in one way only."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adversary import KEYS, VALUES, forged, mutated
from hexary import (
    ProofError,
    SecureTrie,
    Trie,
    keccak256,
    verify_many,
    verify_proof,
)
from oracle import OracleError, oracle_keccak256, oracle_lookup

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


@settings(max_examples=800, deadline=None)
@given(st.data(), PAIRS.filter(bool), st.booleans(), st.booleans())
def test_a_forged_trie_is_read_as_by_a_reader_that_shares_no_code(
    data, pairs, secure, sized
):
    """An adversary's own root: a value, an absence, or a refusal, as the rules say."""
    trie = (SecureTrie if secure else Trie)(pairs)
    root, nodes = forged(data, trie.prove_many(pairs))
    key = data.draw(st.sampled_from([*pairs, data.draw(KEYS)]))
    size = len(key) if sized else None
    stored = oracle_keccak256(key) if secure else key
    path = [half for byte in stored for half in (byte >> 4, byte & 15)]
    length = 64 if secure else None if size is None else 2 * size
    options = {"secure": secure, "key_size": size, "allow_extra": True}
    try:
        expected = oracle_lookup(root, nodes, path, length=length)
    except OracleError:
        with pytest.raises(ProofError):
            verify_proof(root, key, nodes, **options)
        return
    assert verify_proof(root, key, nodes, **options) == expected


LONG = b"v" * 40
KINDS = {
    "a key at a leaf": ({b"\x11\x11": LONG, b"\x12": LONG}, b"\x11\x11"),
    "a key at a branch": ({b"\x11": b"v", b"\x11\x22": LONG, b"\x12": b"w"}, b"\x11"),
    "a key in an embedded leaf": (
        {b"\x11": b"v", b"\x12": b"w", b"\x21": LONG},
        b"\x11",
    ),
    "the empty key": ({b"": b"v", b"\x12": LONG}, b""),
    "an empty trie": ({}, b"\x11"),
    "an empty slot": ({b"\x11": LONG, b"\x12": LONG, b"\x21": b"w"}, b"\x13"),
    "no value at a branch": ({b"\x11\x11": LONG, b"\x11\x21": LONG}, b"\x11"),
    "another leaf": ({b"\x11\x11": LONG, b"\x12": LONG}, b"\x11\x12"),
    "an embedded leaf": ({b"\x11\x11": b"v", b"\x21": LONG}, b"\x11"),
    "another extension": ({b"\x11\x11": LONG, b"\x11\x12": LONG}, b"\x11\x21"),
    "a shorter key": ({b"\x11\x11": LONG, b"\x11\x12": LONG}, b"\x11"),
}


@pytest.mark.parametrize("kind", [Trie, SecureTrie], ids=["plain", "secure"])
@pytest.mark.parametrize(("pairs", "key"), KINDS.values(), ids=KINDS)
def test_each_byte_of_each_kind_of_proof_counts(kind, pairs, key):
    """Every byte to three other values, every node dropped, doubled, cut, replaced."""
    trie = kind(pairs)
    options = {"secure": kind is SecureTrie}
    root, proof, right = trie.root_hash, trie.prove(key), pairs.get(key)
    assert verify_proof(root, key, proof, **options) == right

    def refuse(nodes, allow_extra=(False, True)):
        for allowed in allow_extra:
            with pytest.raises(ProofError):
                verify_proof(root, key, nodes, allow_extra=allowed, **options)

    stranger = Trie({b"k": LONG}).prove(b"k")[0]
    for index, node in enumerate(proof):
        before, after = proof[:index], proof[index + 1 :]
        refuse([*before, *after])
        refuse([*proof, node], [False])
        assert verify_proof(root, key, [*proof, node], allow_extra=True, **options) == (
            right
        )
        for other in (b"", b"\x80", node[:-1], node + b"\0", stranger, keccak256(node)):
            refuse([*before, other, *after])
        for place, byte in enumerate(node):
            for mask in (0x01, 0x80, 0xFF):
                changed = node[:place] + bytes([byte ^ mask]) + node[place + 1 :]
                refuse([*before, changed, *after])
                with pytest.raises(ProofError):
                    verify_proof(root, key, {root: changed}, **options)
    refuse([*proof, stranger], [False])
    if pairs:
        refuse([])
    for turned in (proof[::-1], [*proof[1:], *proof[:1]]):
        assert verify_proof(root, key, turned, **options) == right
