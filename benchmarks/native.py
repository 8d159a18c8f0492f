"""
What the native accelerator is for: rows that only a run on it has.

    make bench ARGS=native
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import cycle

import codec
import rlp as pyrlp
import sha3
import tiny_keccak
from Crypto.Hash import keccak
from measurement import Row, Timings, measure
from roots import eels, with_eels, with_py_trie

import hexary

__all__ = ["measure_kernel", "rows"]

MESSAGE = bytes(range(100))
MILLION = 1_000_000
ROUNDS = 10

REFERENCE = {"tiny-keccak": 0.36e-6, "safe-pysha3": 0.65e-6, "pycryptodome": 4.3e-6}
"""What hashing 100 bytes takes on the machine that goals in seconds are stated for."""

KERNEL_GOAL = 40e-9 / 0.85
"""XKCP's kernel for eight takes 40 ns a state there; ours should be 85 % as fast."""


def with_pycryptodome(data: bytes) -> bytes:
    """Hash as pycryptodome's documentation shows."""
    return keccak.new(digest_bits=256, data=data).digest()


def with_pysha3(data: bytes) -> bytes:
    """Hash as the documentation of safe-pysha3 shows."""
    return sha3.keccak_256(data).digest()


def rows() -> Iterator[Row]:
    """Yield hashing, RLP, and roots of up to a million pairs."""
    if hexary.BACKEND.accelerator is None:
        return
    yield Row(
        f"keccak256(100 B), native, {hexary.BACKEND.detail}",
        {
            "hexary": hexary.keccak256,
            "tiny-keccak": tiny_keccak.keccak256,
            "safe-pysha3": with_pysha3,
            "pycryptodome": with_pycryptodome,
        },
        goal=0.26e-6,
        more_goals=((1 / 1.4, "tiny-keccak"), (1 / 15, "pycryptodome")),
        arguments=(MESSAGE,),
        reference=REFERENCE,
        rounds=ROUNDS,
    )
    messages = [MESSAGE[: 100 - number % 2] for number in range(10_000)]
    joined = MESSAGE * 10_000
    yield Row(
        "keccak256_many(list of 10,000 × 100 B), native",
        {
            "hexary": hexary.keccak256_many,
            "tiny-keccak": lambda items: list(map(tiny_keccak.keccak256, items)),
        },
        goal=0.9e-3,
        arguments=(messages,),
        rounds=ROUNDS,
    )
    yield Row(
        "keccak256_packed(10,000 × 100 B), native",
        {"hexary": lambda: hexary.keccak256_packed(joined, offsets=100)},
        goal=0.6e-3,
        rounds=ROUNDS,
    )
    source = random.Random(5)
    codes = [source.randbytes(source.randrange(2_000, 24_577)) for _ in range(200)]
    yield Row(
        "keccak256_many(200 codes of 2–24 kB), native",
        {
            "hexary": hexary.keccak256_many,
            "tiny-keccak": lambda items: list(map(tiny_keccak.keccak256, items)),
            "pycryptodome": lambda items: list(map(with_pycryptodome, items)),
        },
        arguments=(codes,),
        rounds=ROUNDS,
    )
    yield from codec.with_goals((0.7e-6, 0.8e-6), (20e-6, 30e-6), ", native", ROUNDS)
    yield from _small_roots()
    yield from _roots()


def measure_kernel() -> Timings | None:
    """
    Return how long one more permutation takes, of each of many messages.

    That is a seventh of what messages of eight blocks take longer than those of one.
    """
    if hexary.BACKEND.accelerator is None:
        return None
    packed = hexary.keccak256_packed
    count = 1_000
    few, many = bytes(count * 100), bytes(count * (7 * 136 + 100))
    timings = measure(
        Row(
            "",
            {
                "one": lambda: packed(few, offsets=100),
                "eight": lambda: packed(many, offsets=7 * 136 + 100),
            },
            rounds=ROUNDS,
        )
    ).timings
    both = zip(timings["one"].seconds, timings["eight"].seconds, strict=True)
    return Timings([(eight - one) / (7 * count) for one, eight in both])


def ordered_with_py_trie(values: list[bytes]) -> bytes:
    """Return the root of *values* by their index as py-trie computes it."""
    return with_py_trie(
        {pyrlp.encode(index): value for index, value in enumerate(values)}
    )


def _small_roots() -> Iterator[Row]:
    source = random.Random(2)
    transactions = [source.randbytes(110) for _ in range(200)]
    few, some = (
        {source.randbytes(32): source.randbytes(80) for _ in range(count)}
        for count in (10, 10_000)
    )
    whole: dict[str, Callable[..., bytes]] = {
        "hexary": hexary.trie_root,
        "trie (py-trie)": with_py_trie,
    }
    if eels:
        whole["ethereum-execution"] = with_eels
    ordered: dict[str, Callable[..., bytes]] = {
        "hexary": hexary.ordered_trie_root,
        "trie (py-trie)": ordered_with_py_trie,
    }
    for name, contestants, argument, goal in (
        ("10 pairs", whole, few, 8e-6),
        ("10,000 pairs", whole, some, 1.5e-3),
        ("200 transactions", ordered, transactions, 40e-6),
    ):
        if len({bytes(root(argument)) for root in contestants.values()}) != 1:
            raise SystemExit(f"the packages disagree on the root of {name}")
        yield Row(
            f"root of {name}, native",
            contestants,
            goal,
            arguments=(argument,),
            rounds=ROUNDS,
        )


def _roots() -> Iterator[Row]:
    source = random.Random(1)
    table = {source.randbytes(32): source.randbytes(80) for _ in range(MILLION)}
    # Fresh objects, so that they lie in memory in their order, as if read from a file.
    pairs = [
        (bytes(bytearray(key)), bytes(bytearray(table[key]))) for key in sorted(table)
    ]
    keys, values = (b"".join(column) for column in zip(*pairs, strict=True))

    def packed(threads: int = 1) -> bytes:
        return hexary.packed_trie_root(
            keys, values, key_offsets=32, value_offsets=80, threads=threads
        )

    if not packed() == hexary.trie_root(table) == hexary.trie_root(pairs):
        raise SystemExit("the ways to one root disagree")
    yield Row(
        "root of 1,000,000 pairs, packed, native",
        {"hexary": packed},
        0.11,
        rounds=ROUNDS,
    )
    yield Row(
        "root of 1,000,000 pairs, packed, 2 threads, native",
        {"hexary": lambda: packed(2), "1 thread": packed},
        1 / 1.7,
        "1 thread",
        rounds=ROUNDS,
        uses_threads=True,
    )
    for name, items, goal in (("sorted list", pairs, 0.15), ("dict", table, 0.26)):
        yield Row(
            f"root of 1,000,000 pairs, {name}, native",
            {"hexary": hexary.trie_root},
            goal,
            arguments=(items,),
            rounds=ROUNDS,
        )
    accounts = {source.randbytes(20): value for value in table.values()}
    yield Row(
        "secure root of 1,000,000 addresses, native",
        {"hexary": hexary.secure_trie_root},
        0.32,
        arguments=(accounts,),
        rounds=ROUNDS,
    )
    del accounts
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
        "1,000 updates of 1,000,000 keys, and root, native",
        {"hexary": change},
        goal=1.5e-3,
        rounds=ROUNDS,
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
