"""
What the native accelerator is for: rows that only a run on it has.

    HEXARY_BENCH_BACKEND=native make bench
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from itertools import cycle

import sha3
import tiny_keccak
from Crypto.Hash import keccak
from measurement import Row

import hexary
from hexary import rlp
from hexary.trie import packed_trie_root

__all__ = ["rows"]

MESSAGE = bytes(range(100))
MILLION = 1_000_000


def rows() -> Iterator[Row]:
    """Yield hashing, RLP, and roots of up to a million pairs."""
    accelerator = hexary.BACKEND.accelerator
    if accelerator is None:
        return
    yield Row(
        f"keccak256(100 B), native, {hexary.BACKEND.detail}",
        {
            "hexary": partial(hexary.keccak256, MESSAGE),
            "tiny-keccak": partial(tiny_keccak.keccak256, MESSAGE),
            "safe-pysha3": lambda: sha3.keccak_256(MESSAGE).digest(),
            "pycryptodome": lambda: keccak.new(digest_bits=256, data=MESSAGE).digest(),
        },
        goal=1 / 1.4,
        goal_peer="tiny-keccak",
    )
    messages = [MESSAGE[: 100 - number % 2] for number in range(10_000)]
    joined = MESSAGE * 10_000
    yield Row(
        "keccak256_many(10,000 × 100 B), native",
        {
            "hexary": lambda: hexary.keccak256_many(messages),
            "packed": lambda: accelerator.keccak256_packed(joined, 100),
        },
        goal=0.9e-3,
    )
    nest = [[[b"abc"] * 10 for _ in range(10)] for _ in range(10)]
    encoded = rlp.encode(nest)
    yield Row("RLP encode 1,000 strings", {"hexary": lambda: rlp.encode(nest)}, 20e-6)
    yield Row(
        "RLP decode 1,000 strings", {"hexary": lambda: rlp.decode(encoded)}, 30e-6
    )
    yield from _roots()


def _roots() -> Iterator[Row]:
    source = random.Random(1)
    table = {source.randbytes(32): source.randbytes(80) for _ in range(MILLION)}
    # Fresh objects, so that they lie in memory in their order, as if read from a file.
    pairs = [(bytes(bytearray(key)), table[key]) for key in sorted(table)]
    keys, values = (b"".join(column) for column in zip(*pairs, strict=True))

    def packed(threads: int) -> bytes:
        return packed_trie_root(
            keys, values, key_offsets=32, value_offsets=80, threads=threads
        )

    if not packed(1) == hexary.trie_root(table) == hexary.trie_root(pairs):
        raise SystemExit("the ways to one root disagree")
    for name, root, goal in (
        ("packed", lambda: packed(1), 0.11),
        ("packed, 2 threads", lambda: packed(2), 0.11 / 1.7),
        ("sorted list", lambda: hexary.trie_root(pairs), 0.15),
        ("dict", lambda: hexary.trie_root(table), 0.26),
    ):
        yield Row(f"root of 1,000,000 pairs, {name}", {"hexary": root}, goal, rounds=10)
    accounts = {source.randbytes(20): value for value in table.values()}
    yield Row(
        "secure root of 1,000,000 addresses",
        {"hexary": lambda: hexary.secure_trie_root(accounts)},
        0.32,
        rounds=10,
    )
    few = dict(pairs[:10])
    some = dict(source.sample(pairs, 10_000))
    transactions = [source.randbytes(110) for _ in range(200)]
    small = (
        ("root of 10 pairs", lambda: hexary.trie_root(few), 8e-6),
        ("root of 10,000 pairs", lambda: hexary.trie_root(some), 1.5e-3),
        (
            "root of 200 transactions",
            lambda: hexary.ordered_trie_root(transactions),
            40e-6,
        ),
    )
    for name, root, goal in small:
        yield Row(f"{name}, native", {"hexary": root}, goal)
    yield Row(
        "Trie of 1,000,000 keys built and rooted, native",
        {"hexary": lambda: hexary.Trie(table).root_hash},
        rounds=3,
    )
    trie = hexary.Trie(table)
    known = list(table)
    changes = cycle(
        [
            [(key, source.randbytes(80)) for key in source.sample(known, 1_000)]
            for _ in range(60)
        ]
    )

    def change() -> bytes:
        trie.update(next(changes))
        return trie.root_hash

    yield Row(
        "1,000 updates of 1,000,000 keys, and root",
        {"hexary": change},
        goal=1.5e-3,
        rounds=10,
    )
    yield from _stored(table)


def _stored(table: dict[bytes, bytes]) -> Iterator[Row]:
    """Yield proofs, and changes of a trie on a store."""
    source = random.Random(2)
    keys = source.sample(sorted(table), 100_000)
    store = hexary.MemoryStore()
    trie = hexary.Trie({key: table[key] for key in keys}, store=store)
    root = trie.copy().commit()
    trie.update({keys[0]: trie[keys[0]]})
    some = keys[:1_000]
    proofs = [trie.prove(key) for key in some]
    yield Row(
        "1,000 proofs made, of 100,000 keys, native",
        {
            "hexary": lambda: [trie.prove(key) for key in some],
            "together": lambda: trie.prove_many(some),
        },
    )
    yield Row(
        "1,000 proofs verified, of 100,000 keys, native",
        {
            "hexary": lambda: [
                hexary.verify_proof(root, key, nodes)
                for key, nodes in zip(some, proofs, strict=True)
            ]
        },
    )
    updates = {key: source.randbytes(80) for key in some}

    def change_stored(nodes: hexary.trie.NodeCache) -> bytes:
        opened = hexary.Trie(nodes, root)
        opened.update(updates)
        return opened.root_hash

    warm = hexary.trie.NodeCache(store)
    yield Row(
        "1,000 updates of 100,000 keys on a MemoryStore, and root, native",
        {
            "hexary": lambda: change_stored(hexary.trie.NodeCache(store)),
            "nodes cached": lambda: change_stored(warm),
        },
    )
