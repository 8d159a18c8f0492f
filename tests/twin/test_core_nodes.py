"""The native core reads the nodes that the pure one reads, and refuses the others."""

from __future__ import annotations

from typing import Any

import pytest

from hexary import HexaryError, Trie, keccak256, recording, rlp
from hexary.trie import WitnessStore
from hexary.trie.core import Core, PureCore, hash_cores
from hexary.trie.node_cache import NodeCache
from hexary.trie.nodes import HashNode

if Core is PureCore:
    pytest.skip("no accelerator in use", allow_module_level=True)

LEAF = [b"\x20", b"v"]
LONG = b"v" * 40
FORK = [LEAF, LEAF, *15 * [b""]]
NODES = {
    "a leaf": [b"\x31\x23", LONG],
    "an even leaf": [b"\x20\x12\x34", LONG],
    "an embedded leaf": [LEAF, *14 * [b""], bytes(32), b"v"],
    "an embedded branch": [[b"\x11", FORK], bytes(32), *15 * [b""]],
    "an extension": [b"\x11", keccak256(rlp.encode([bytes(32), LONG]))],
    "an extension with a branch": [b"\x11", FORK],
    "a full branch": [*16 * [bytes(32)], LONG],
    "a branch and its value": [*15 * [b""], bytes(32), LONG],
}
ODD_NODES = {
    "a list in place of a path": [[], b"v"],
    "a list in place of a value": [b"\x20", []],
    "no value": [b"\x20", b""],
    "no path": [b"", LONG],
    "an empty path": [b"\x00", bytes(32)],
    "a padding that is not 0": [b"\x21", LONG],
    "a flag above 3": [b"\x4f", LONG],
    "a hash too short": [bytes(31), bytes(32), *14 * [b""], LONG],
    "a hash too long": [bytes(33), bytes(32), *14 * [b""], LONG],
    "an embedded node of 32 bytes": [[b"\x20", b"v" * 29], LEAF, *15 * [b""]],
    "an extension of a leaf": [b"\x11", LEAF],
    "an extension of an extension": [b"\x11", [b"\x11", FORK]],
    "an extension of nothing": [b"\x11", b""],
    "one child": [bytes(32), *16 * [b""]],
    "a value alone": [*16 * [b""], LONG],
    "a list in place of a branch's value": [LEAF, LEAF, *14 * [b""], LEAF],
    "three items": [LEAF, LEAF, LEAF],
    "eighteen items": [*17 * [b""], LONG],
    "an odd node inside": [[LEAF, *16 * [b""]], LEAF, *15 * [b""]],
}


def told(kind: type[PureCore], encoding: bytes) -> list[object]:
    """Return what comes of each operation on a trie with this root node."""
    answers: list[object] = []
    root = HashNode(keccak256(encoding))

    def attempt(name: str, *arguments: Any) -> None:
        core = kind(root, NodeCache(WitnessStore([encoding])))
        try:
            found = getattr(core, name)(*arguments)
            answers.append(list(found) if name == "items" else found)
        except HexaryError as error:
            names = ("reason", "offset", "data", "node_hash", "path")
            answers.append(
                (type(error), *(getattr(error, each, None) for each in names))
            )
        answers.append(core.root_hash())

    for key in (b"", b"\x00", b"\x11", b"\x12\x34"):
        attempt("get", key)
        attempt("set", key, LONG)
        attempt("delete", key)
    attempt("proof", [b"\x10"])
    attempt("items")
    return answers


@pytest.mark.parametrize("items", ODD_NODES.values(), ids=ODD_NODES)
def test_what_is_no_node_is_refused_alike(items):
    encoding = rlp.encode(items)
    answers = told(Core, encoding)
    assert answers == told(PureCore, encoding)
    assert all(isinstance(answer, tuple) for answer in answers[::2])


@pytest.mark.parametrize("items", NODES.values(), ids=NODES)
def test_each_byte_of_a_node_counts_alike(items):
    """Each byte to other values, bytes cut off, and bytes after the end."""
    encoding = rlp.encode(items)
    changed = [encoding, encoding + b"\0", encoding + encoding]
    for place, byte in enumerate(encoding):
        changed.append(encoding[:place])
        changed.extend(
            encoding[:place] + bytes([byte ^ mask]) + encoding[place + 1 :]
            for mask in (0x01, 0x20, 0x80)
        )
    for other in changed:
        assert told(Core, other) == told(PureCore, other), other.hex()


SIZES = [*range(1, 60), *range(95, 140), *range(230, 280), *range(1040, 1100)]


@pytest.mark.parametrize("size", SIZES)
def test_nodes_of_every_size_have_the_pure_hashes(size):
    """Around what is embedded, and around what the hash takes in at once."""
    pairs = {b"\x11": bytes([7]) * size, b"\x12": b"w", b"\x21": bytes([8]) * size}
    both = [Core(), PureCore()]
    for core in both:
        for key, value in pairs.items():
            core.set(key, value)
    native, pure = both
    assert native.root_hash() == pure.root_hash() == Trie(pairs).root_hash
    assert native.proof(pairs) == pure.proof(pairs)
    for core in both:
        core.set(b"\x12", b"x" * size)
        core.delete(b"\x21")
    assert native.root_hash() == pure.root_hash()


def test_a_copy_does_not_see_what_changes_later():
    """Nor does the trie see what changes in a copy, at leaves, branches, extensions."""
    pairs = {bytes([high, low]): LONG for high in range(4) for low in range(4)}
    pairs |= {b"\x11\x11" + bytes([low]): LONG for low in range(3)}
    first = Core()
    for key, value in pairs.items():
        first.set(key, value)
    root = first.root_hash()
    for key in pairs:
        for value in (b"w" * 40, b"x"):
            other = first.copy()
            other.set(key, value)
            assert other.get(key) == value
            assert first.get(key) == LONG
            changed = other.copy()
            changed.delete(key)
            expected = {**pairs, key: value}
            assert other.root_hash() == Trie(expected).root_hash
            del expected[key]
            assert changed.root_hash() == Trie(expected).root_hash
            assert first.root_hash() == root


def test_a_branch_that_takes_a_collapsed_one_s_place_is_not_new():
    """It was read to see what it is, and stays as it is in the store."""
    pairs = {b"\x01": LONG, b"\x11": LONG, b"\x12": LONG}
    found = []
    for kind in (Core, PureCore):
        core = kind()
        for key, value in pairs.items():
            core.set(key, value)
        stored = dict(core.new_nodes())
        core = kind(HashNode(core.root_hash()), NodeCache(WitnessStore(stored)))
        assert core.delete(b"\x01")
        found.append(core.new_nodes())
        assert len(found[-1]) == 1
    assert found[0] == found[1]


def test_what_tries_share_is_hashed_once():
    counted = []
    for kind in (Core, PureCore):
        first = kind()
        for number in range(200):
            first.set(keccak256(bytes([number])), LONG)
        second = first.copy()
        second.set(b"\x11", LONG)
        third = kind()
        third.set(b"\x11", LONG)
        with recording() as record:
            hash_cores([first, second, third])
        counted.append((record.calls, record.bytes))
    assert counted[0] == counted[1]
