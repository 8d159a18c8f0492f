"""
Public bug reports about proofs and ranges (``reports/cases.json``), by id.

The classes absence-proof, proof-verify and range-proof, and of security and encoding
what concerns proofs.  Elsewhere: U054–U058 in ``tests/unit/trie/test_partial.py``,
U071, U100, U101 and U107 in ``tests/unit/state/test_eip1186.py``, U094 in
``tests/unit/state/test_witness.py``.
"""

from __future__ import annotations

import json

import pytest

from conformance.vector_files import VECTORS
from hexary import (
    EMPTY_ROOT,
    AbsenceKind,
    NodeError,
    ProofError,
    ProofReason,
    RangeResult,
    SecureTrie,
    State,
    Trie,
    keccak256,
    storage_root,
    verify_exclusion,
    verify_proof,
    verify_range,
)

pytestmark = pytest.mark.vectors


@pytest.fixture(scope="module")
def cases() -> dict[str, dict[str, str]]:
    """Return id → case."""
    found = json.loads((VECTORS / "reports/cases.json").read_text())
    return {case["id"]: case for case in found}


def malformed(node: bytes, key: bytes) -> NodeError:
    """Return why a root node is refused."""
    with pytest.raises(ProofError) as caught:
        verify_proof(keccak256(node), key, [node])
    assert caught.value.reason is ProofReason.BAD_NODE
    assert isinstance(caught.value.__cause__, NodeError)
    return caught.value.__cause__


def hexed(*parts: str | bytes) -> bytes:
    """Return bytes from hex text and bytes."""
    return b"".join(
        bytes.fromhex(part) if isinstance(part, str) else part for part in parts
    )


HASH = "de7c50416554768fe3c81c6ffd72aa1639c7e1f57de8ec775330eab0330b0bd7"


def test_u072_a_slot_is_proven_as_a_minimal_integer(cases):
    state = State().set_balance(bytes(20), 1).set_storage(bytes(20), 0, 0xAB)
    proof = state.prove(bytes(20), [0])
    root = proof.storage_root
    assert bytes(root).hex() in cases["U072"]["expected"]
    found = verify_proof(root, bytes(32), proof.storage[0].nodes, secure=True)
    assert found == bytes.fromhex("81ab")
    assert proof.verify(state.root()).storage == {0: 0xAB}


def test_u073_a_slot_of_zero_is_absent(cases):
    expected = cases["U073"]["expected"]
    assert bytes(storage_root({0: 0})).hex() in expected
    assert bytes(storage_root({0: 0, 1: 1})).hex() in expected
    state = State().set_storage(bytes(20), 1, 1).set_storage(bytes(20), 0, bytes(32))
    proof = state.prove(bytes(20), ["0x00", bytes(32)])
    assert proof.verify(state.root()).storage == {0: 0}
    absence = verify_exclusion(
        proof.storage_root, bytes(32), proof.storage[0].nodes, secure=True
    )
    assert absence.kind is AbsenceKind.DIVERGENT_LEAF


def test_u079_a_reversed_node_is_no_absence(cases):
    trie = Trie({b"a": b"value1", b"aa": b"value2", b"aaa": b"value3"})
    assert bytes(trie.root_hash).hex() in cases["U079"]["input"]
    first, *rest = trie.prove(b"a")
    with pytest.raises(ProofError) as caught:
        verify_proof(trie.root_hash, b"a", [first[::-1], *rest])
    assert caught.value.reason is ProofReason.MISSING_NODE


def test_u082_a_child_of_31_bytes_is_malformed():
    node = hexed("f8509f", 31 * b"x", "a0" + HASH, 15 * b"\x80")
    for key in (b"\x00", b"\x10", b"\x20"):
        malformed(node, key)


def test_u083_a_child_of_33_bytes_or_an_embedded_one_of_36_is_malformed():
    string = hexed("f852a1", 33 * b"x", "a0" + HASH, 15 * b"\x80")
    inline = hexed("f854e331a1", 33 * b"A", "a0" + HASH, 15 * b"\x80")
    for node in (string, inline):
        for key in (b"\x00", b"\x10", b"\x20"):
            malformed(node, key)


def test_u084_the_padding_nibble_of_a_path_is_zero(cases):
    wrong, right = bytes.fromhex("c22f76"), bytes.fromhex("c22076")
    for node in (wrong, right):
        assert keccak256(node).hex() in cases["U084"]["input"]
    malformed(wrong, b"")
    assert verify_proof(keccak256(right), b"", [right]) == b"v"


def test_u085_a_flag_of_4_is_malformed():
    malformed(bytes.fromhex("c24076"), b"")


def test_u088_a_branch_has_two_of_children_and_value():
    malformed(hexed("f1a0" + HASH, 16 * b"\x80"), b"")
    malformed(hexed("d1", 17 * b"\x80"), b"")


def test_u093_no_node_and_the_empty_node_prove_the_empty_trie(cases):
    assert bytes(EMPTY_ROOT).hex() in cases["U093"]["input"]
    for nodes in ([], [b"\x80"]):
        for key in (b"", b"key", bytes(32)):
            assert verify_proof(EMPTY_ROOT, key, nodes) is None
            absence = verify_exclusion(EMPTY_ROOT, key, nodes)
            assert absence.kind is AbsenceKind.EMPTY_TRIE
    with pytest.raises(ProofError):
        verify_proof(bytes(32), b"key", [])


def test_u095_a_leaf_of_another_key_proves_absence(cases):
    trie = Trie({b"\x11\x11": 40 * b"v"})
    proof = trie.prove(b"\x11\x12")
    assert [node.hex() for node in proof] == ["ed83201111a8" + (40 * b"v").hex()]
    absence = verify_exclusion(trie.root_hash, b"\x11\x12", proof)
    assert absence.kind is AbsenceKind.DIVERGENT_LEAF


def test_u097_embedded_nodes_need_not_be_listed_and_may_be(cases):
    trie = Trie({b"dog": b"puppy", b"doge": b"coin"})
    node = bytes.fromhex(
        "e28400646f67dc808080808080c63584636f696e808080808080808080857075707079"
    )
    assert bytes(trie.root_hash).hex() in cases["U097"]["input"]
    assert trie.prove(b"doge") == [node]
    assert verify_proof(trie.root_hash, b"doge", [node]) == b"coin"
    branch = bytes.fromhex("dc808080808080c63584636f696e808080808080808080857075707079")
    leaf = bytes.fromhex("c63584636f696e")
    assert verify_proof(trie.root_hash, b"doge", [node, branch, leaf]) == b"coin"


def test_u098_a_single_leaf_is_a_proof(cases):
    trie = Trie({b"my-key": b"some-value"})
    assert bytes(trie.root_hash).hex() in cases["U098"]["expected"]
    proof = trie.prove(b"my-key")
    assert len(proof) == 1
    assert verify_proof(trie.root_hash, b"my-key", proof) == b"some-value"


def test_u099_an_empty_slot_proves_absence():
    trie = Trie({bytes([number]): 40 * b"v" for number in (0x11, 0x12, 0x13)})
    proof = trie.prove(b"\x14")
    assert verify_proof(trie.root_hash, b"\x14", proof) is None
    assert verify_exclusion(trie.root_hash, b"\x14", proof).kind is (
        AbsenceKind.EMPTY_SLOT
    )


def test_u106_a_leaf_of_another_key_does_not_end_the_way():
    trie = SecureTrie({bytes([number]): 40 * b"v" for number in range(20)})
    *way, leaf = trie.prove(b"\x07")
    for other in range(20):
        end = trie.prove(bytes([other]))[-1]
        if end == leaf:
            continue
        for nodes in ([*way, end], [*way, end, *way]):
            with pytest.raises(ProofError) as caught:
                verify_proof(
                    trie.root_hash, b"\x07", nodes, secure=True, allow_extra=True
                )
            assert caught.value.reason is ProofReason.MISSING_NODE


def word(number: int) -> bytes:
    return number.to_bytes(32, "big")


NUMBERS = [1, 2, 3, 4, 16, 17, 18, 19, 20]
NUMBERED = Trie({word(number): bytes([number]) for number in NUMBERS})


def test_u108_a_range_without_keys_is_a_claim_about_the_end(cases):
    root = NUMBERED.root_hash
    assert bytes(root).hex() in cases["U108"]["input"]
    with pytest.raises(ProofError) as caught:
        verify_range(root, word(5), [], [], NUMBERED.prove(word(5)))
    assert caught.value.reason is ProofReason.LEFT_OUT
    result = verify_range(root, word(21), [], [], NUMBERED.prove(word(21)))
    assert result == RangeResult(has_more=False)


def test_u109_a_single_element_with_an_absent_edge(cases):
    key = 32 * b"\x01"
    trie = Trie({key: b"\x01"})
    assert bytes(trie.root_hash).hex() in cases["U109"]["input"]
    nodes = trie.prove_many([bytes(32), key])
    result = verify_range(trie.root_hash, bytes(32), [key], [b"\x01"], nodes)
    assert result == RangeResult(has_more=False)


def test_u113_an_absent_origin_and_the_proof_of_the_last_key(cases):
    root = NUMBERED.root_hash
    assert bytes(root).hex() in cases["U113"]["input"]
    keys = [word(number) for number in (16, 17, 18)]
    values = [NUMBERED[key] for key in keys]
    nodes = NUMBERED.prove_many([word(10), keys[-1]])
    result = verify_range(root, word(10), keys, values, nodes)
    assert result == RangeResult(has_more=True)


def test_u114_a_whole_trie_is_rebuilt_from_the_keys_as_they_are():
    trie = SecureTrie({bytes([number]): b"v" for number in range(30)})
    hashed = sorted(keccak256(bytes([number])) for number in range(30))
    result = verify_range(trie.root_hash, b"", hashed, 30 * [b"v"], None)
    assert result == RangeResult(has_more=False)
    plain = [bytes([number]) for number in range(30)]
    with pytest.raises(ProofError) as caught:
        verify_range(trie.root_hash, b"", plain, 30 * [b"v"], None)
    assert caught.value.reason is ProofReason.WRONG_ROOT
