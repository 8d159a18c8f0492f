"""Nodes: encodings, references, and the strict reading of bytes from elsewhere."""

from __future__ import annotations

import copy
import pickle

import pytest

import hexary
from case_names import shown
from hexary import hash as hashing
from hexary import rlp
from hexary.errors import DecodeError, InputTypeError, NodeError, NodeReason
from hexary.trie import (
    EMPTY_ROOT,
    BranchNode,
    ExtensionNode,
    HashNode,
    LeafNode,
    Nibbles,
    Trie,
    decode_node,
)
from hexary.trie.core import PureCore
from oracle import oracle_keccak256, oracle_rlp

HASH = bytes(range(32))


def branch(*items: object) -> bytes:
    """Return a branch's RLP: the given items, then empty ones up to 17."""
    return oracle_rlp([*items, *([b""] * (17 - len(items)))])


def test_the_empty_root_is_the_hash_of_the_empty_string_in_rlp():
    assert oracle_keccak256(b"\x80") == EMPTY_ROOT
    assert type(EMPTY_ROOT) is hexary.Hash


def test_a_leaf_encodes_path_and_value():
    leaf = LeafNode(Nibbles([1, 2, 3]), b"value")
    assert leaf.encoding == oracle_rlp([b"\x31\x23", b"value"])
    assert leaf.encoding is leaf.encoding


def test_a_node_under_32_bytes_is_embedded_and_one_of_32_hashed():
    embedded = LeafNode(b"", b"v" * 28)
    assert len(embedded.encoding) == 31
    assert embedded.reference == embedded.encoding
    hashed = LeafNode(b"", b"v" * 29)
    assert len(hashed.encoding) == 32
    assert hashed.reference == oracle_keccak256(hashed.encoding)
    assert hashed.hash == hashed.reference
    assert embedded.hash == oracle_keccak256(embedded.encoding)
    assert type(embedded.hash) is hexary.Hash


def test_a_branch_holds_hashes_embedded_nodes_and_a_value():
    small, large = LeafNode(b"\1", b"s"), LeafNode(b"\2", b"L" * 40)
    slots = [None] * 16
    slots[3], slots[15] = small, large
    node = BranchNode(tuple(slots), b"end")
    expected = [b""] * 17
    expected[3] = [b"\x31", b"s"]
    expected[15] = oracle_keccak256(oracle_rlp([b"\x32", b"L" * 40]))
    expected[16] = b"end"
    assert node.encoding == oracle_rlp(expected)
    extension = ExtensionNode(b"\7\7", node)
    assert extension.encoding == oracle_rlp(
        [b"\0\x77", oracle_keccak256(oracle_rlp(expected))]
    )


def test_encoding_and_reference_are_computed_once():
    trie = Trie({bytes([n]) * 20: b"v" * 40 for n in range(64)})
    with hashing.recording() as first:
        root = trie.root_hash
    with hashing.recording() as second:
        assert trie.root_hash == root
        assert trie.copy().root_hash == root
    assert first.calls > 64
    assert second.calls == 0


def test_only_changed_paths_are_hashed_again():
    trie = Trie({hashing.keccak256(bytes([n])): b"v" * 40 for n in range(200)})
    assert trie.root_hash
    trie[hashing.keccak256(b"\0")] = b"w" * 40
    with hashing.recording() as seen:
        assert trie.root_hash
    assert seen.calls <= 4  # the leaf and the two or three branches above it


def test_hashing_goes_in_batches_level_by_level(monkeypatch):
    batches = []
    real = hashing.keccak256_many

    def noting(items):
        items = list(items)
        batches.append(len(items))
        return real(items)

    pairs = {hashing.keccak256(bytes([n])): b"v" * 40 for n in range(16)}
    monkeypatch.setattr(hashing, "keccak256_many", noting)
    monkeypatch.setattr(hashing, "keccak256", None)
    core = PureCore()
    for key, value in pairs.items():
        core.set(key, value)
    root = core.root_hash()
    depth = len(batches)
    assert depth <= 5
    assert sum(batches) > 16
    monkeypatch.undo()
    assert root == hexary.trie_root(pairs)


def test_nodes_compare_by_content_and_print_it():
    one, two = LeafNode(b"\1", b"v"), LeafNode(Nibbles([1]), b"v")
    assert one == two
    assert hash(one) == hash(two)
    assert one != LeafNode(b"\2", b"v")
    assert one != b"v"
    assert repr(one) == "LeafNode(1, 76)"
    assert repr(LeafNode(b"", b"v")) == "LeafNode(-, 76)"
    assert repr(HashNode(HASH)) == f"HashNode({HASH.hex()})"
    slots = (one, None, two) + (None,) * 13
    node = BranchNode(slots, b"")
    assert repr(node) == "BranchNode(children at 02, value none)"
    assert repr(ExtensionNode(b"\1\2", node)).startswith("ExtensionNode(12, ")


def test_a_hash_node_has_no_encoding():
    assert HashNode(HASH).reference == HASH
    with pytest.raises(AttributeError, match="HashNode has no encoding"):
        _ = HashNode(HASH).encoding


VALID = {
    "leaf": oracle_rlp([b"\x20", b"v"]),
    "long leaf": oracle_rlp([b"\x20" + HASH, b"v" * 300]),
    "extension to a hash": oracle_rlp([b"\x11", HASH]),
    "extension to an embedded branch": oracle_rlp(
        [b"\x11", [[b"\x20", b"a"], [b"\x20", b"b"], *([b""] * 15)]]
    ),
    "branch of hashes": branch(HASH, b"", HASH),
    "branch with embedded leaf and value": oracle_rlp(
        [[b"\x31", b"v"], *([b""] * 15), b"w"]
    ),
    "full branch": oracle_rlp([HASH] * 16 + [b"value"]),
}


@pytest.mark.parametrize("name", VALID)
def test_canonical_nodes_are_read_and_give_their_bytes_back(name):
    encoding = VALID[name]
    node = decode_node(encoding)
    assert node.encoding == encoding
    assert decode_node(memoryview(encoding)) == node
    fresh = _rebuilt(node)
    assert fresh.encoding == encoding


def _rebuilt(node):
    """Return an equal node that has not seen the encoding."""
    if isinstance(node, LeafNode):
        return LeafNode(node.path, node.value)
    if isinstance(node, ExtensionNode):
        return ExtensionNode(node.path, _rebuilt(node.child))
    if isinstance(node, BranchNode):
        slots = tuple(child and _rebuilt(child) for child in node.slots)
        return BranchNode(slots, node.value)
    return node


INVALID = {
    "no bytes": ("", NodeReason.NOT_RLP, 0),
    "cut short": ("c320", NodeReason.NOT_RLP, 0),
    "trailing byte": ("c2207600", NodeReason.NOT_RLP, 3),
    "a string": ("83646f67", NodeReason.NOT_A_LIST, 0),
    "empty list": ("c0", NodeReason.WRONG_ITEM_COUNT, 0),
    "three items": ("c3207676", NodeReason.WRONG_ITEM_COUNT, 0),
    "path is a list": ("c2c076", NodeReason.BAD_PATH, 1),
    "path is empty": ("c28076", NodeReason.BAD_PATH, 1),
    "path with flag 4": ("c24076", NodeReason.BAD_PATH, 1),
    "path with padding": ("c22f76", NodeReason.BAD_PATH, 1),
    "leaf with empty value": ("c22080", NodeReason.EMPTY_VALUE, 2),
    "leaf whose value is a list": ("c220c0", NodeReason.VALUE_IS_LIST, 2),
    "extension without path": (
        "e200a0" + HASH.hex(),
        NodeReason.EMPTY_EXTENSION_PATH,
        1,
    ),
    "extension to nothing": ("c21180", NodeReason.EXTENSION_CHILD_NOT_BRANCH, 2),
    "extension to a leaf": ("c411c22076", NodeReason.EXTENSION_CHILD_NOT_BRANCH, 2),
    "extension to a short string": ("c21176", NodeReason.BAD_REFERENCE, 2),
    "empty branch": ("d1" + 17 * "80", NodeReason.TOO_FEW_CHILDREN, 0),
    "branch with a value only": (
        "d1" + 16 * "80" + "76",
        NodeReason.TOO_FEW_CHILDREN,
        0,
    ),
    "branch with one child": (
        "f1a0" + HASH.hex() + 16 * "80",
        NodeReason.TOO_FEW_CHILDREN,
        0,
    ),
    "branch whose value is a list": (
        "d1" + 16 * "80" + "c0",
        NodeReason.VALUE_IS_LIST,
        17,
    ),
    "embedded node is malformed": (
        "d3c22f76" + 15 * "80" + "76",
        NodeReason.BAD_PATH,
        2,
    ),
}


def test_an_embedded_child_has_at_most_31_bytes():
    """On either side of the limit: a leaf of 31 bytes, and one of 32 in its place."""
    for size, accepted in ((28, True), (29, False)):
        child = [b"\x20", b"v" * size]
        data = oracle_rlp([child, b"", HASH, *([b""] * 14)])
        if accepted:
            assert len(oracle_rlp(child)) == 31
            assert decode_node(data).slots[0] == LeafNode(b"", b"v" * size)
            continue
        with pytest.raises(NodeError) as caught:
            decode_node(data)
        assert caught.value.reason is NodeReason.BAD_REFERENCE
        assert caught.value.detail == "it is a list of 32 bytes"


def test_embedded_nodes_nest():
    """A branch over an extension over a branch over leaves, in one node's bytes."""
    inner = [[b"\x20", b"a"], [b"\x20", b"b"], *([b""] * 15)]
    data = oracle_rlp([[b"\x11", inner], *([b""] * 15), b"v"])
    node = decode_node(data)
    leaf = node.slots[0].child.slots[1]
    assert leaf == LeafNode(b"", b"b")
    assert node._encode() == data


@pytest.mark.parametrize(
    "bad", [5, 10**12, "c22076", None, [b"\x20", b"v"], 1.5], ids=shown
)
def test_a_node_is_read_from_bytes_only(bad):
    with pytest.raises(InputTypeError, match="encoding"):
        decode_node(bad)


def test_nodes_never_change():
    slots = (LeafNode(b"", b"a"), HashNode(HASH), *([None] * 14))
    nodes = [slots[0], slots[1], ExtensionNode(b"\1", slots[1]), BranchNode(slots, b"")]
    for node in nodes:
        before = node.reference
        for name in ("value", "path", "slots", "child", "item", "_encoding", "other"):
            with pytest.raises(AttributeError, match="immutable"):
                setattr(node, name, b"x")
            with pytest.raises(AttributeError, match="immutable"):
                delattr(node, name)
        assert node.reference == before
        assert copy.copy(node) is node
        assert copy.deepcopy([node])[0] is node
        assert pickle.loads(pickle.dumps(node)) == node
    assert type(decode_node(nodes[3].encoding).slots) is tuple


@pytest.mark.parametrize("name", INVALID)
def test_everything_else_is_refused_with_reason_and_offset(name):
    text, reason, offset = INVALID[name]
    data = bytes.fromhex(text)
    with pytest.raises(NodeError) as caught:
        decode_node(data)
    error = caught.value
    assert (error.reason, error.offset) == (reason, offset)
    assert error.data == data[offset : offset + 32]
    assert isinstance(error, DecodeError)
    if reason is NodeReason.NOT_RLP:
        assert isinstance(error.__cause__, DecodeError)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.reason, again.offset) == (str(error), reason, offset)


def test_deep_nesting_in_a_node_is_an_error_not_a_crash():
    data = b"\x80"
    for _ in range(5000):
        data = rlp.encode_list(data)
    with pytest.raises(NodeError) as caught:
        decode_node(data)
    assert caught.value.reason is NodeReason.NOT_RLP


def test_a_node_error_can_name_hash_and_path():
    error = NodeError(NodeReason.EMPTY_VALUE, node_hash=HASH, path=b"\1\x0f")
    assert "node 0x000102" in str(error)
    assert "path 1/f" in str(error)
    assert error.node_hash == HASH
