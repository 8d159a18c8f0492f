"""Proofs: what they prove, every kind of absence, and which of them are refused."""

from __future__ import annotations

import pytest

from hexary import (
    EMPTY_ROOT,
    AbsenceKind,
    InputTypeError,
    MemoryStore,
    ProofError,
    ProofReason,
    SecureTrie,
    SizeError,
    Trie,
    keccak256,
    verify_exclusion,
    verify_inclusion,
    verify_many,
    verify_proof,
)
from raw_proofs import leaf, refused

LONG = b"v" * 40
WORDS = {b"do": b"verb", b"dog": b"puppy", b"doge": b"coin", b"horse": b"stallion"}


@pytest.mark.parametrize("kind", [Trie, SecureTrie])
@pytest.mark.parametrize("pad", [b"", LONG], ids=["embedded", "hashed"])
def test_every_key_is_proven_and_every_other_key_is_excluded(kind, pad) -> None:
    trie = kind({key: value + pad for key, value in WORDS.items()})
    secure = kind is SecureTrie
    for key in (*WORDS, b"", b"d", b"dot", b"doges", b"horses", b"x"):
        proof = trie.prove(key)
        assert keccak256(proof[0]) == trie.root_hash
        value = verify_proof(trie.root_hash, key, proof, secure=secure)
        assert value == trie.get(key)
        assert verify_proof(trie.root_hash, key, proof[::-1], secure=secure) == value
        mapping = {keccak256(node): node for node in proof}
        assert verify_proof(trie.root_hash, key, mapping, secure=secure) == value


def test_a_stored_trie_makes_the_same_proofs() -> None:
    store = MemoryStore()
    trie = Trie({key: value + LONG for key, value in WORDS.items()}, store=store)
    before = [trie.prove(key) for key in WORDS]
    opened = Trie(store, trie.commit())
    assert [opened.prove(key) for key in WORDS] == before
    assert opened.prove_many(WORDS) == trie.prove_many(WORDS)


def test_many_keys_share_their_nodes() -> None:
    trie = Trie({key: value + LONG for key, value in WORDS.items()})
    keys = [*WORDS, b"cat", b"doges"]
    proof = trie.prove_many(keys)
    assert len(set(proof)) == len(proof) < sum(len(trie.prove(key)) for key in keys)
    assert verify_many(trie.root_hash, keys, proof) == {
        key: trie.get(key) for key in keys
    }
    with pytest.raises(ProofError) as caught:
        verify_many(trie.root_hash, keys, proof[:-1])
    assert caught.value.reason is ProofReason.MISSING_NODE


ABSENCES = [
    ({}, b"a", AbsenceKind.EMPTY_TRIE, 0, ""),
    ({b"\x11": LONG, b"\x12": LONG}, b"\x13", AbsenceKind.EMPTY_SLOT, 1, "1"),
    (
        {b"\x11": LONG, b"\x11\x22": LONG, b"\x11\x33": LONG, b"\x12": LONG},
        b"",
        AbsenceKind.DIVERGENT_EXTENSION,
        0,
        "",
    ),
    (
        {b"\x11\x11": LONG, b"\x11\x22": LONG},
        b"\x11",
        AbsenceKind.NO_BRANCH_VALUE,
        1,
        "11",
    ),
    ({b"\x11\x11": LONG}, b"\x11\x12", AbsenceKind.DIVERGENT_LEAF, 0, ""),
    ({b"\x11\x11": LONG}, b"\x11", AbsenceKind.DIVERGENT_LEAF, 0, ""),
    ({b"\x11": LONG}, b"\x11\x11", AbsenceKind.DIVERGENT_LEAF, 0, ""),
    (
        {b"\x11\x11": LONG, b"\x11\x22": LONG},
        b"\x12",
        AbsenceKind.DIVERGENT_EXTENSION,
        0,
        "",
    ),
]


@pytest.mark.parametrize(("pairs", "key", "kind", "depth", "path"), ABSENCES)
def test_absence_shows_in_five_ways(pairs, key, kind, depth, path) -> None:
    trie = Trie(pairs)
    proof = trie.prove(key)
    assert verify_proof(trie.root_hash, key, proof) is None
    absence = verify_exclusion(trie.root_hash, key, proof)
    assert (absence.kind, absence.depth, str(absence.path)) == (kind, depth, path)
    with pytest.raises(ProofError) as caught:
        verify_inclusion(trie.root_hash, key, proof, value=b"x")
    assert caught.value.reason is ProofReason.ABSENT
    assert (caught.value.got, caught.value.expected) == (kind.value, b"x")


def test_absence_shows_in_a_secure_trie_too() -> None:
    """In four ways: keys of one size never end at a branch."""
    words = [bytes([number]) for number in range(200)]
    first = keccak256(words[0])[0] >> 4
    alike = [word for word in words if keccak256(word)[0] >> 4 == first]
    other = next(word for word in words if word not in alike)
    one, two, three = alike[:3]
    found = {}
    for pairs, key in (
        ({}, one),
        ({one: LONG}, two),
        ({one: LONG, two: LONG}, other),
        ({one: LONG, two: b"v", other: LONG}, three),
        (dict.fromkeys(words, LONG), b"absent"),
    ):
        trie = SecureTrie(pairs)
        proof = trie.prove(key)
        absence = verify_exclusion(trie.root_hash, key, proof, secure=True)
        assert verify_proof(trie.root_hash, key, proof, secure=True) is None
        assert (
            bytes(absence.path)
            == bytes(
                half for byte in keccak256(key) for half in (byte >> 4, byte & 15)
            )[: len(absence.path)]
        )
        found.setdefault(absence.kind, absence)
        # The same nodes say nothing about the key that is not hashed.
        if pairs:
            with pytest.raises(ProofError):
                verify_inclusion(trie.root_hash, key, proof)
    assert set(found) == set(AbsenceKind) - {AbsenceKind.NO_BRANCH_VALUE}


def test_presence_is_no_absence_and_another_value_is_refused() -> None:
    trie = Trie(WORDS)
    proof = trie.prove(b"dog")
    assert verify_inclusion(trie.root_hash, b"dog", proof) == b"puppy"
    with pytest.raises(ProofError) as caught:
        verify_exclusion(trie.root_hash, b"dog", proof)
    assert (caught.value.reason, caught.value.got) == (ProofReason.PRESENT, b"puppy")
    with pytest.raises(ProofError) as caught:
        verify_inclusion(trie.root_hash, b"dog", proof, value=b"kitten")
    assert caught.value.reason is ProofReason.WRONG_VALUE


def test_a_missing_node_is_named_with_its_place() -> None:
    trie = Trie({key: value + LONG for key, value in WORDS.items()})
    proof = trie.prove(b"doge")
    for depth, node in enumerate(proof):
        rest = [other for other in proof if other != node]
        error = refused(trie.root_hash, b"doge", rest, ProofReason.MISSING_NODE)
        assert (error.depth, error.expected) == (depth, keccak256(node))
    assert "at depth 0, path (root)" in str(
        refused(trie.root_hash, b"doge", [], ProofReason.MISSING_NODE)
    )


def test_a_mapping_is_hashed_again() -> None:
    trie = Trie(WORDS)
    proof = trie.prove(b"dog")
    given = {keccak256(node): node for node in proof}
    given[trie.root_hash] = leaf(b"", b"forged")
    error = refused(trie.root_hash, b"dog", given, ProofReason.WRONG_HASH)
    assert error.expected == trie.root_hash


def test_surplus_and_duplicate_nodes_are_refused_unless_allowed() -> None:
    trie = Trie(WORDS)
    proof = trie.prove(b"dog")
    stray = leaf(b"\x01", LONG)
    assert (
        refused(trie.root_hash, b"dog", [*proof, stray], ProofReason.SURPLUS_NODE).got
        == stray
    )
    refused(trie.root_hash, b"dog", [*proof, proof[0]], ProofReason.DUPLICATE_NODE)
    for short in (b"\x80", b"\xc0", leaf(b"\x01", b"v"), b""):
        nodes = [*proof, short]
        error = refused(trie.root_hash, b"dog", nodes, ProofReason.SURPLUS_NODE)
        assert error.got == short
    for more in (stray, proof[0], b"\xff"):
        nodes = [*proof, more]
        assert verify_proof(trie.root_hash, b"dog", nodes, allow_extra=True) == b"puppy"


def test_a_value_is_not_taken_for_a_reference() -> None:
    """A value that is the hash of a node, or a node, leads nowhere."""
    below = leaf(b"\x01\x01", LONG)
    digest = keccak256(below)
    trie = Trie({b"\x11": digest, b"\x12": below})
    proof = trie.prove(b"\x11")
    assert verify_proof(trie.root_hash, b"\x11", proof) == digest
    refused(trie.root_hash, b"\x11\x11", [*proof, below], ProofReason.SURPLUS_NODE)
    assert verify_proof(trie.root_hash, b"\x11\x11", proof) is None


def test_a_root_of_another_size_is_refused() -> None:
    with pytest.raises(SizeError):
        verify_proof(b"", b"", [])
    with pytest.raises(InputTypeError):
        verify_proof(EMPTY_ROOT, b"", b"\x80")
    with pytest.raises(InputTypeError):
        verify_many(EMPTY_ROOT, b"key", [])


def test_errors_say_which_proof_they_are_about() -> None:
    with pytest.raises(
        ProofError, match=r"^slot 7: a node that the proof needs"
    ) as caught:
        verify_proof(bytes(32), b"", [], where="slot 7")
    assert caught.value.where == "slot 7"


def test_a_deep_proof_is_one_like_others() -> None:
    """Keys that begin one another: as many nodes as the longest has bytes."""
    count = 300
    trie = Trie({b"\x11" * size: LONG for size in range(1, count)})
    key = b"\x11" * (count - 1)
    proof = trie.prove(key)
    assert len(proof) > count
    assert verify_proof(trie.root_hash, key, proof) == LONG
    assert verify_proof(trie.root_hash, key + b"\x11", proof) is None
    double = [*proof, proof[-1]]
    refused(trie.root_hash, key, double, ProofReason.DUPLICATE_NODE)


def test_nodes_are_bytes_of_any_kind_and_never_text() -> None:
    trie = Trie({key: value + LONG for key, value in WORDS.items()})
    root, proof = trie.root_hash, trie.prove(b"dog")
    value = WORDS[b"dog"] + LONG
    for kind in (bytes, bytearray, memoryview):
        assert verify_proof(root, b"dog", [kind(node) for node in proof]) == value
        mapping = {keccak256(node): kind(node) for node in proof}
        assert verify_proof(root, b"dog", mapping) == value
    assert verify_proof(bytearray(root), memoryview(b"dog"), iter(proof)) == value
    for wrong in (
        "0x80",
        None,
        7,
        [*proof, None],
        ["0x" + node.hex() for node in proof],
        {node.hex(): node for node in proof},
        {keccak256(node): node.hex() for node in proof},
    ):
        with pytest.raises(InputTypeError):
            verify_proof(root, b"dog", wrong)


def test_the_empty_key_is_a_key_like_others() -> None:
    for pairs, there in (
        ({b"": LONG}, LONG),
        ({b"": b"v", b"\x11": LONG}, b"v"),
        ({b"\x11": LONG}, None),
        ({b"\x11": LONG, b"\x21": LONG}, None),
        ({}, None),
    ):
        trie = Trie(pairs)
        assert verify_proof(trie.root_hash, b"", trie.prove(b"")) == there
    trie = Trie({b"\x11": LONG, b"\x21": LONG})
    absence = verify_exclusion(trie.root_hash, b"", trie.prove(b""))
    assert absence.kind is AbsenceKind.NO_BRANCH_VALUE


def test_keys_of_a_proof_of_many_may_repeat() -> None:
    trie = Trie({key: value + LONG for key, value in WORDS.items()})
    keys = [b"dog", b"cat", b"dog", bytearray(b"dog"), memoryview(b"cat")]
    proof = trie.prove_many(keys)
    assert verify_many(trie.root_hash, keys, proof) == {
        b"dog": WORDS[b"dog"] + LONG,
        b"cat": None,
    }
    # Proofs one after the other repeat the nodes that they share.
    joined = trie.prove(b"dog") + trie.prove(b"cat")
    with pytest.raises(ProofError) as caught:
        verify_many(trie.root_hash, keys, joined)
    assert caught.value.reason is ProofReason.DUPLICATE_NODE
    assert verify_many(trie.root_hash, keys, joined, allow_extra=True)[b"cat"] is None
    # No key needs no node.
    assert verify_many(trie.root_hash, [], []) == {}
    with pytest.raises(ProofError):
        verify_many(trie.root_hash, [], proof)
