"""Proofs on a trie of 100,000 keys: made and verified, one key, many keys, ranges."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import rlp as pyrlp
from ethereumjs import ask
from measurement import Row
from roots import random_pairs
from trie import HexaryTrie

import hexary

__all__ = ["rows"]

KEYS = 100_000
PROOFS = 1_000
MANY = 100
RANGE = 1_000
START = b"\x80" + bytes(31)


@cache
def ours() -> hexary.Trie:
    """Return hexary's trie, hashed."""
    trie = hexary.Trie(random_pairs(KEYS))
    hexary.verify_proof(trie.root_hash, b"", trie.prove(b""))
    return trie


@cache
def theirs() -> HexaryTrie:
    """Return py-trie's trie of the same pairs."""
    trie = HexaryTrie({}, prune=True)
    with trie.squash_changes() as batch:
        for key, value in random_pairs(KEYS).items():
            batch[key] = value
    return trie


@cache
def wanted(count: int) -> list[bytes]:
    """Return keys, every tenth of which is absent."""
    source = random.Random(count)
    keys = source.sample(sorted(random_pairs(KEYS)), count)
    return [
        key if index % 10 else source.randbytes(32) for index, key in enumerate(keys)
    ]


@cache
def wire(count: int) -> list[list[bytes]]:
    """Return the proofs of the keys, as bytes."""
    return [ours().prove(key) for key in wanted(count)]


def made_by(trie: Callable[[], Any], name: str) -> Callable[[], object]:
    """Return what makes the proofs of all keys."""

    def run() -> object:
        make = getattr(trie(), name)
        return [make(key) for key in wanted(PROOFS)]

    return run


def verified_by_us() -> object:
    """Verify all proofs, with every check."""
    root = ours().root_hash
    return [
        hexary.verify_proof(root, key, nodes)
        for key, nodes in zip(wanted(PROOFS), wire(PROOFS), strict=True)
    ]


def verified_by_them() -> object:
    """Verify all proofs with py-trie, which takes decoded nodes."""
    root = ours().root_hash
    return [
        HexaryTrie.get_from_proof(root, key, [pyrlp.decode(node) for node in nodes])
        for key, nodes in zip(wanted(PROOFS), wire(PROOFS), strict=True)
    ]


@cache
def many() -> list[bytes]:
    """Return the nodes of the proofs of some keys together."""
    return ours().prove_many(wanted(MANY))


def many_one_by_one() -> object:
    """Verify the keys of the proof of many with py-trie, which takes one at a time."""
    root = ours().root_hash
    nodes = [pyrlp.decode(node) for node in many()]
    return [HexaryTrie.get_from_proof(root, key, nodes) for key in wanted(MANY)]


@cache
def stretch() -> Any:
    """Return a range of the trie with its proof."""
    return ours().prove_range(START, limit=RANGE)


def range_verified() -> object:
    """Verify a range."""
    found = stretch()
    return hexary.verify_range(
        ours().root_hash, found.start, found.keys, found.values, found.nodes
    )


@cache
def built() -> None:
    """Have ethereumjs build the same trie, and keep what it will be asked about."""
    pairs = [[key.hex(), value.hex()] for key, value in random_pairs(KEYS).items()]
    root = ask("build", pairs=pairs)
    if root != str(ours().root_hash):
        raise SystemExit(f"ethereumjs has another root: {root}")
    proofs = [[node.hex() for node in nodes] for nodes in wire(PROOFS)]
    ask("keep", name="proofs", keys=hexes(wanted(PROOFS)), proofs=proofs)
    ask("keep", name="many", keys=hexes(wanted(MANY)), nodes=hexes(many()))
    found = stretch()
    part: dict[str, Any] = {"start": found.start.hex()}
    part |= {"keys": hexes(found.keys), "values": hexes(found.values)}
    ask("keep", name="range", nodes=hexes(found.nodes), range=part)


def hexes(values: list[bytes]) -> list[str]:
    """Return hex digits."""
    return [bytes.hex(value) for value in values]


def by_ethereumjs(do: str, name: str, found: int) -> Callable[[], object]:
    """Return what asks ethereumjs to do something, with the number that it answers."""

    def run() -> object:
        built()
        answer = ask(do, name=name)
        if found and answer != found:
            raise SystemExit(f"ethereumjs finds {answer}, not {found}, in {do}")
        return answer

    return run


ETHEREUMJS = "@ethereumjs/mpt"


def rows() -> Iterator[Row]:
    """Yield the rows."""
    size = f"of {KEYS:,}"
    yield Row(
        f"make {PROOFS:,} proofs {size}",
        {
            "hexary": made_by(ours, "prove"),
            "trie": made_by(theirs, "get_proof"),
            ETHEREUMJS: by_ethereumjs("make", "proofs", 0),
        },
        rounds=5,
    )
    yield Row(
        f"verify {PROOFS:,} proofs {size}",
        {
            "hexary": verified_by_us,
            "trie": verified_by_them,
            ETHEREUMJS: by_ethereumjs("verify", "proofs", PROOFS * 9 // 10),
        },
        goal=1 / 3,
        goal_peer="trie",
        rounds=7,
    )
    yield Row(
        f"make a proof of {MANY} keys {size}",
        {"hexary": lambda: ours().prove_many(wanted(MANY))},
    )
    yield Row(
        f"verify a proof of {MANY} keys {size}",
        {
            "hexary": lambda: hexary.verify_many(
                ours().root_hash, wanted(MANY), many()
            ),
            "trie, key by key": many_one_by_one,
            f"{ETHEREUMJS}, nodes in a trie": by_ethereumjs(
                "many", "many", MANY * 9 // 10
            ),
        },
        rounds=5,
    )
    yield Row(
        f"make a range of {RANGE:,} {size}",
        {"hexary": lambda: ours().prove_range(START, limit=RANGE)},
    )
    yield Row(
        f"verify a range of {RANGE:,} {size}",
        {"hexary": range_verified, ETHEREUMJS: by_ethereumjs("range", "range", 1)},
        rounds=5,
    )
