"""The nodes of a proof: which are read, and every kind that no trie has."""

from __future__ import annotations

import time

import pytest

from hexary import (
    NodeError,
    NodeReason,
    ProofReason,
    SizeError,
    Trie,
    keccak256,
    rlp,
    verify_inclusion,
    verify_many,
    verify_proof,
)
from raw_proofs import branch, extension, leaf, refused

LONG = b"v" * 40


def test_a_malformed_node_is_the_cause() -> None:
    inner = bytes.fromhex("c22f76") + bytes(30)
    root = branch({1: keccak256(inner), 2: keccak256(b"")})
    error = refused(keccak256(root), b"\x11", [root, inner], ProofReason.BAD_NODE)
    assert isinstance(error.__cause__, NodeError)
    assert error.__cause__.node_hash == keccak256(inner)
    assert (error.depth, error.path, error.got) == (1, b"\x01", inner)


def test_a_node_under_32_bytes_is_not_found_by_its_hash() -> None:
    short = leaf(b"\x01", b"v")
    root = branch({1: keccak256(short), 2: keccak256(b"")})
    refused(keccak256(root), b"\x11", [root, short], ProofReason.SHORT_NODE)
    # As the root it may be that short.
    top = leaf(b"\x01\x01", b"v")
    assert verify_proof(keccak256(top), b"\x11", [top]) == b"v"


def test_an_embedded_node_of_32_bytes_or_more_is_refused() -> None:
    long = rlp.decode(leaf(b"\x01", bytes(range(1, 40))))
    root = branch({1: long, 2: bytes(32)})
    error = refused(keccak256(root), b"\x11", [root], ProofReason.BAD_NODE)
    assert error.__cause__.reason is NodeReason.BAD_REFERENCE


@pytest.mark.parametrize("size", [1, 31, 33, 64])
def test_a_child_of_odd_size_is_refused(size: int) -> None:
    root = branch({1: bytes(range(1, size + 1)), 2: bytes(32)})
    for key in (b"\x11", b"\x21", b"\x31", b""):
        error = refused(keccak256(root), key, [root], ProofReason.BAD_NODE)
        assert error.__cause__.reason is NodeReason.BAD_REFERENCE


def test_an_extension_leads_to_a_branch() -> None:
    end = leaf(b"\x01", LONG)
    root = extension(b"\x01", keccak256(end))
    refused(
        keccak256(root), b"\x11", [root, end], ProofReason.EXTENSION_CHILD_NOT_BRANCH
    )


def test_paths_that_make_half_a_byte_are_refused() -> None:
    odd = leaf(b"\x01\x01\x01", LONG)
    refused(keccak256(odd), b"\x11", [odd], ProofReason.WRONG_PATH_LENGTH)
    below = branch({1: bytes(32)}, b"value")
    root = extension(b"\x01", keccak256(below))
    refused(keccak256(root), b"\x12", [root, below], ProofReason.WRONG_PATH_LENGTH)


def test_paths_too_short_or_too_long_for_the_key_size_are_refused() -> None:
    trie = Trie({b"\x11\x11": LONG, b"\x11\x11\x11": LONG, b"\x22": LONG})
    for key in (b"\x11\x11", b"\x22\x22"):
        error = refused(
            trie.root_hash,
            key,
            trie.prove(key),
            ProofReason.WRONG_PATH_LENGTH,
            key_size=2,
        )
        assert error.expected == 4
    # Also where the path is too long already in the only node.
    for size in (1, 3):
        end = leaf(size * b"\x01\x01", LONG)
        root = keccak256(end)
        error = refused(
            root, b"\x11\x11", [end], ProofReason.WRONG_PATH_LENGTH, key_size=2
        )
        assert (error.got, error.expected) == (2 * size, 4)
    with pytest.raises(SizeError):
        verify_proof(trie.root_hash, b"\x11", [], key_size=2)
    # In a secure trie all keys have 32 bytes.
    end = leaf(b"\x01\x01", LONG)
    refused(keccak256(end), b"x", [end], ProofReason.WRONG_PATH_LENGTH, secure=True)


def test_full_sparse_and_broken_branches_are_read_alike() -> None:
    """The short cut for branches of hashes accepts what the strict reader accepts."""
    for count in (2, 3, 5, 8, 15, 16):
        slots = {nibble: keccak256(bytes([nibble])) for nibble in range(count)}
        root = branch(slots)
        for nibble in range(16):
            key = bytes([16 * nibble])
            if nibble < count:
                error = refused(keccak256(root), key, [root], ProofReason.MISSING_NODE)
                assert (error.expected, error.depth) == (slots[nibble], 1)
            else:
                assert verify_proof(keccak256(root), key, [root]) is None
        # One byte more, fewer, or another header, is refused.
        for broken in (root + b"\x80", root[:-1], b"\xf9\x00" + root[1:]):
            refused(keccak256(broken), b"\x01", [broken], ProofReason.BAD_NODE)
    # With a long header where a short one would do, too.
    lonely = branch({3: bytes(32)})
    for wrong in (lonely, b"\xf8" + bytes([len(lonely) - 1]) + lonely[1:]):
        for key in (b"\x01", b"\x31"):
            refused(keccak256(wrong), key, [wrong], ProofReason.BAD_NODE)


def test_a_value_does_not_hide_behind_the_children() -> None:
    """Of a branch whose value ends like an empty one."""
    slots = {nibble: keccak256(bytes([nibble])) for nibble in range(4)}
    empty = branch(slots)
    value = b"\xb8\x01\x80"
    wrong = rlp.encode_list(empty[3 if empty[0] == 0xF9 else 2 : -1] + value)
    for key in (b"", b"\x01", b"\x11", b"\xf1"):
        refused(keccak256(wrong), key, [wrong], ProofReason.BAD_NODE)
    # A canonical one is one, and makes a key that ends there.
    right = branch(slots, b"\x80")
    assert verify_proof(keccak256(right), b"", [right]) == b"\x80"
    above = branch({1: keccak256(right), 2: bytes(32)})
    for key in (b"\x11", b"\x1f"):
        refused(keccak256(above), key, [above, right], ProofReason.WRONG_PATH_LENGTH)


def test_a_branch_that_ends_within_or_after_a_hash_is_refused() -> None:
    """Whose last byte is like the empty value that a branch ends with."""
    whole = b"\xa0" + keccak256(b"1")
    for last in (31 * b"\x01", 20 * b"\x01", b""):
        for count in (2, 8):
            wrong = rlp.encode_list(count * whole + b"\xa0" + last + b"\x80")
            for key in (b"\x01", b"\x91", b"\xf1"):
                refused(keccak256(wrong), key, [wrong], ProofReason.BAD_NODE)


def test_headers_that_promise_another_size_are_refused() -> None:
    """Of branches: short, cut and mixed with what is no hash."""
    slots = {nibble: keccak256(bytes([nibble])) for nibble in range(16)}
    full, sparse = branch(slots), branch({1: slots[1], 2: slots[2]})
    for node in (full, sparse):
        size = len(node)
        broken = [
            node[:40],
            node[:40] + b"\x80",
            node[: size - 34] + b"\x80",
            bytes([node[0], *node[1:-1], 0x81]),
            b"\xf9" + (size - 1).to_bytes(2, "big") + node[3:] + b"\x80",
            b"\xf8" + bytes([min(size, 255)]) + node[2:],
        ]
        for wrong in broken:
            for nibble in (0, 1, 15):
                refused(
                    keccak256(wrong),
                    bytes([nibble << 4]),
                    [wrong],
                    ProofReason.BAD_NODE,
                )


def test_a_value_as_long_as_hashes_would_be_is_no_child() -> None:
    """A branch of the size of a full one, where a value stands for six children."""
    forged = leaf(b"\x01", LONG)
    value = 6 * keccak256(forged)[:31] + b"\x01\x02\x03\x04\x80"
    slots = {nibble: keccak256(bytes([nibble])) for nibble in range(10)}
    root = branch(slots, value)
    assert (len(root), root[-1]) == (532, 0x80)
    assert verify_proof(keccak256(root), b"", [root]) == value
    for nibble in range(10, 16):
        key = bytes([16 * nibble + 1])
        assert verify_proof(keccak256(root), key, [root]) is None


def test_many_keys_read_a_great_node_once() -> None:
    slots = {nibble: keccak256(bytes([nibble])) for nibble in range(8)}
    root = branch(slots, bytes(8_000_000))
    keys = [bytes([0x80 + high, low]) for high in range(16) for low in range(256)]
    began = time.process_time()
    found = verify_many(keccak256(root), keys, [root])
    assert time.process_time() - began < 8
    assert set(found.values()) == {None}
    assert len(found) == len(keys)


def test_a_list_of_millions_is_refused_for_its_length() -> None:
    """Not after a million objects were made of it."""
    for item in (b"\xc0", b"\x01"):
        node = rlp.encode_list(item * 3_000_000)
        error = refused(keccak256(node), b"\x11", [node], ProofReason.BAD_NODE)
        assert error.__cause__.reason is NodeReason.NOT_RLP
        assert "more items" in error.__cause__.detail
    # Nodes of nodes have many items, too, and are none too many.
    inner = [*[b""] * 10, *[[b"\x20", b"v"]] * 6, b""]
    full = branch(dict.fromkeys(range(16), inner), b"value")
    assert len(rlp.encode(inner)) == 30
    assert verify_proof(keccak256(full), b"", [full]) == b"value"
    assert verify_proof(keccak256(full), b"\x1c", [full]) == b"v"


def test_a_proof_of_thousands_of_nodes() -> None:
    nodes = [leaf(b"", LONG)]
    for _ in range(12_000):
        nodes.append(branch({1: keccak256(nodes[-1]), 2: b"\x07" * 32}))
    root, key = keccak256(nodes[-1]), b"\x11" * 6_000
    began = time.process_time()
    assert verify_proof(root, key, nodes) == LONG
    assert verify_proof(root, key + b"\x11", nodes) is None
    error = refused(root, key, nodes[1:], ProofReason.MISSING_NODE)
    assert (error.depth, len(error.path)) == (12_000, 12_000)
    assert time.process_time() - began < 30


@pytest.mark.slow
def test_a_node_of_a_hundred_megabytes_is_read_once_and_shown_short() -> None:
    great = leaf(b"\x01\x01", bytes(100_000_000))
    root = keccak256(great)
    assert verify_inclusion(root, b"\x11", [great]) == bytes(100_000_000)
    nodes = [great, b"\xc0" + great]
    error = refused(root, b"\x11", nodes, ProofReason.SURPLUS_NODE)
    assert len(str(error)) < 300
