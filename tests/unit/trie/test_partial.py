"""Partial tries: read, write and delete with some nodes; and which nodes those are."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adversary import KEYS, VALUES
from hexary import (
    EMPTY_ROOT,
    MemoryStore,
    MissingNodeError,
    NodeError,
    NodeReason,
    SecureTrie,
    StoreError,
    StoreReason,
    Trie,
    keccak256,
    minimal_witness,
    partial_trie,
    rlp,
)
from hexary.trie import AccessRecorder, WitnessStore
from hexary.trie.core import Core, PureCore
from hexary.trie.node_cache import NodeCache
from hexary.trie.nodes import HashNode, Node
from oracle import oracle_root

A, B = b"A" * 33, b"B" * 33
PAIR = {b"\x11\x11": A, b"\x11\x22": B}


def test_u054_deleting_needs_the_sibling_that_stays() -> None:
    whole = Trie(PAIR)
    part = partial_trie(whole.root_hash, whole.prove(b"\x11\x11"))
    with pytest.raises(MissingNodeError) as caught:
        del part[b"\x11\x11"]
    error = caught.value
    assert error.node_hash.hex() == (
        "3b80ee9414c3a63d01adee8b7e1b1761f499262f897a4d17567034e3dceca369"
    )
    assert error.path == bytes([1, 1, 2])
    assert part.root_hash == whole.root_hash
    sibling = bytes.fromhex("e332a1") + B
    part = partial_trie(whole.root_hash, [*whole.prove(b"\x11\x11"), sibling])
    del part[b"\x11\x11"]
    assert part.root_hash.hex() == (
        "0xb6e2a83bfa495d9b21e97a558a7089ebf9275fc26c349a2d931ff7d2e61a858a"
    )


def test_u055_a_witness_has_a_sibling_only_where_it_is_needed() -> None:
    trie = Trie(PAIR)
    sibling = bytes.fromhex("e332a1") + B
    assert sibling in minimal_witness(trie, writes={b"\x11\x11": b""})
    both = minimal_witness(trie, writes={b"\x11\x11": b"", b"\x11\x33": A})
    assert sibling not in both


def test_u056_deleting_under_an_unknown_child_and_deleting_what_is_absent() -> None:
    whole = Trie({**PAIR, b"\x22\x22": A, b"\x22\x33": B})
    part = partial_trie(whole.root_hash, whole.prove(b"\x11\x11"))
    with pytest.raises(MissingNodeError):
        del part[b"\x22\x22"]
    with pytest.raises(KeyError):
        del part[b"\x33"]
    part[b"\x33"] = b""
    assert part.root_hash == whole.root_hash


def test_u057_a_root_without_nodes_is_known() -> None:
    part = partial_trie(Trie(PAIR).root_hash)
    assert part.root_hash == Trie(PAIR).root_hash
    with pytest.raises(MissingNodeError) as caught:
        part.get(b"\x11\x11")
    assert (caught.value.node_hash, caught.value.path) == (part.root_hash, b"")


def test_u058_the_empty_root_needs_no_node() -> None:
    part = partial_trie(EMPTY_ROOT)
    assert part.get(b"k") is None
    part[b"k"] = b"v"
    assert part.root_hash == Trie({b"k": b"v"}).root_hash


def test_a_mapping_is_hashed_and_stray_nodes_do_no_harm() -> None:
    trie = Trie(PAIR)
    proof = trie.prove(b"\x11\x11")
    part = partial_trie(trie.root_hash, {keccak256(node): node for node in proof})
    assert part[b"\x11\x11"] == A
    assert partial_trie(trie.root_hash, [*proof, b"", b"\xff"])[b"\x11\x11"] == A
    with pytest.raises(StoreError) as caught:
        partial_trie(trie.root_hash, {trie.root_hash: proof[1]})
    assert caught.value.reason is StoreReason.WRONG_HASH


def test_a_malformed_node_is_told_with_its_place() -> None:
    with pytest.raises(NodeError) as caught:
        partial_trie(keccak256(b"\xc0"), [b"\xc0"]).get(b"k")
    assert (caught.value.node_hash, caught.value.path) == (keccak256(b"\xc0"), b"")


def test_a_partial_trie_is_not_committed() -> None:
    trie = Trie(PAIR)
    part = partial_trie(trie.root_hash, trie.prove(b"\x11\x11"))
    part[b"\x11\x11"] = B
    with pytest.raises(StoreError) as caught:
        part.commit()
    assert caught.value.reason is StoreReason.READ_ONLY


def test_a_secure_trie_can_be_partial() -> None:
    trie = SecureTrie({bytes([number]): A for number in range(40)})
    nodes = minimal_witness(trie, reads=[b"\x07", b"\xff"], writes={b"\x01": b""})
    part = partial_trie(trie.root_hash, nodes, kind=SecureTrie)
    assert isinstance(part, SecureTrie)
    assert (part[b"\x07"], part.get(b"\xff")) == (A, None)
    del part[b"\x01"]
    del trie[b"\x01"]
    assert part.root_hash == trie.root_hash


def outcome(root, nodes, reads, writes):
    """Return what a partial trie reads, and its root after the writes."""
    part = partial_trie(root, nodes)
    values = [part.get(key) for key in reads]
    part.update((key, value) for key, value in writes.items() if value)
    part.update((key, value) for key, value in writes.items() if not value)
    return values, part.root_hash


@settings(max_examples=500, deadline=None)
@given(
    st.dictionaries(KEYS, VALUES, max_size=15),
    st.lists(KEYS, max_size=3),
    st.dictionaries(KEYS, VALUES | st.just(b""), max_size=4),
    st.data(),
)
def test_a_minimal_witness_has_all_that_is_needed_and_nothing_else(
    pairs, reads, writes, data
):
    if pairs and data.draw(st.booleans()):
        writes |= dict.fromkeys(data.draw(st.sets(st.sampled_from(sorted(pairs)))), b"")
    trie = Trie(pairs)
    if data.draw(st.booleans()):
        store = MemoryStore()
        trie = Trie(store, Trie(pairs, store=store).commit())
    nodes = minimal_witness(trie, reads=reads, writes=writes)
    after = {**pairs, **writes}
    right = ([pairs.get(key) for key in reads], oracle_root(after))
    root = trie.root_hash
    assert outcome(root, nodes, reads, writes) == right
    assert root == oracle_root(pairs)
    for node in nodes:
        rest = [other for other in nodes if other != node]
        with pytest.raises(MissingNodeError) as caught:
            outcome(root, rest, reads, writes)
        assert caught.value.node_hash == keccak256(node)


def test_a_witness_store_is_one_to_read_from() -> None:
    trie = Trie(PAIR)
    store = WitnessStore(trie.prove(b"\x11\x11"))
    assert (len(store), bool(WitnessStore()), store.roots()) == (3, True, {})
    assert (trie.root_hash in store, bytes(32) in store) == (True, False)
    assert Trie(store, trie.root_hash)[b"\x11\x11"] == A
    with pytest.raises(StoreError) as caught:
        store.write([])
    assert caught.value.reason is StoreReason.READ_ONLY


@pytest.mark.parametrize("key", [b"\x00\x00", b"\x10\x00"])
def test_a_node_that_is_missing_twice_is_named_where_it_was_needed(key) -> None:
    keys = b"\x00\x00", b"\x00\x10", b"\x10\x00", b"\x10\x10"
    trie = Trie(dict.fromkeys(keys, A))
    assert trie._core.node_at(b"\0") == trie._core.node_at(b"\1")
    part = partial_trie(trie.root_hash, trie.prove(key)[:1])
    with pytest.raises(MissingNodeError) as caught:
        minimal_witness(part, reads=[key])
    assert caught.value.path == bytes([key[0] >> 4])


def test_a_recorder_without_a_source_has_what_it_watches() -> None:
    recorder = AccessRecorder(None)
    core = recorder.watch(PureCore())
    assert core.get(b"k") is None
    with pytest.raises(MissingNodeError):
        recorder.node(bytes(32), b"")
    assert recorder.nodes() == []


def long_way(size: int) -> tuple[bytes, bytes, list[bytes]]:
    """Return root, key and nodes, where a branch stands at each nibble of the key."""
    node = rlp.encode([b"\x20", A])
    nodes = [node]
    for depth in range(2 * size):
        stranger = keccak256(depth.to_bytes(4, "big"))
        node = rlp.encode([keccak256(node), stranger, *15 * [b""]])
        nodes.append(node)
    return keccak256(node), bytes(size), nodes[::-1]


class Asked(NodeCache):
    """A source that notes what it is asked for."""

    def __init__(self, nodes: list[bytes]) -> None:
        super().__init__(WitnessStore(nodes))
        self.paths: list[bytes | memoryview] = []

    def node(self, digest: bytes, path: bytes | memoryview) -> Node:
        self.paths.append(path)
        return super().node(digest, path)

    def encoding(self, digest: bytes, path: bytes | memoryview) -> bytes:
        self.paths.append(path)
        return super().encoding(digest, path)


@pytest.mark.parametrize("way", ["get", "set", "delete", "node_at", "proof"])
def test_a_path_is_not_copied_at_each_node(way) -> None:
    """The time would be in proportion to the square of a length that others choose."""
    root, key, nodes = long_way(50)
    source = Asked(nodes)
    core = Core(HashNode(root), source)
    if way == "get":
        assert core.get(key) == A
    elif way == "set":
        assert not core.set(key, B)
    elif way == "delete":
        with pytest.raises(MissingNodeError) as caught:
            core.delete(key)
        assert caught.value.path == bytes(99) + b"\1"
    elif way == "node_at":
        assert core.node_at(bytes(100)).value == A
    else:
        assert core.proof([key]) == nodes
    on_the_way = source.paths[:101]
    assert [bytes(path) for path in on_the_way] == [bytes(size) for size in range(101)]
    assert all(isinstance(path, memoryview) for path in on_the_way)


def test_errors_keep_no_view_of_a_path() -> None:
    root, key, nodes = long_way(3)
    with pytest.raises(MissingNodeError) as missing:
        partial_trie(root, nodes[:4])[key]
    assert type(missing.value.path) is bytes
    assert missing.value.path == bytes(4)
    bad = rlp.encode([b"\x4f", A])
    above = rlp.encode([keccak256(bad), *14 * [b""], bytes(32), b""])
    with pytest.raises(NodeError) as malformed:
        partial_trie(keccak256(above), [above, bad])[b"\0"]
    assert type(malformed.value.path) is bytes
    assert malformed.value.path == b"\0"


@pytest.mark.parametrize("kept", ["stored", "changed"])
def test_a_recorder_does_not_begin_at_the_root_for_each_node(kept) -> None:
    root, key, nodes = long_way(50)
    source = Asked(nodes)
    core = Core(HashNode(root), source)
    if kept == "changed":
        core.set(b"\x0f", B)
    source.paths.clear()
    recorder = AccessRecorder(source)
    watched = recorder.watch(core)
    assert watched.get(key) == A
    assert len(recorder.nodes()) == 101
    # Twice where the source does not have a node, and for what lies beside the way.
    assert len(source.paths) < 110


def test_a_large_list_is_refused_before_anything_is_made_of_it() -> None:
    """Thirty million empty lists take as long as hashing them, and no memory."""
    bomb = b"\xc0" * 30_000_000
    bomb = b"\xfb" + len(bomb).to_bytes(4, "big") + bomb
    inside = bomb + 16 * b"\x80"
    inside = b"\xfb" + len(inside).to_bytes(4, "big") + inside
    for encoding in (bomb, inside):
        root = keccak256(encoding)
        trie = partial_trie(root, [encoding])
        for attempt in (
            lambda trie=trie: trie[b"k"],
            lambda trie=trie: trie.update({b"k": b"v"}),
            lambda trie=trie: trie.prove(b"k"),
            lambda trie=trie: list(trie.items()),
        ):
            began = time.process_time()
            with pytest.raises(NodeError) as caught:
                attempt()
            assert caught.value.reason is NodeReason.NOT_RLP
            assert caught.value.node_hash == root
            assert time.process_time() - began < 1
