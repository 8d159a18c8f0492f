"""
Look for memory and references that the accelerator does not give back.

    python tests/isolated/leaks.py

Each operation runs many times, good and failing; the process must not grow, and the
objects that were passed must have as many references as before.  Exit code 1 if not.
"""

from __future__ import annotations

import contextlib
import gc
import random
import sys
from array import array
from collections import UserDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hexary
from hexary import HexaryError, Trie, rlp
from hexary.trie.root import packed_trie_root

SOURCE = random.Random(1)
PAIRS = {SOURCE.randbytes(32): SOURCE.randbytes(80) for _ in range(300)}
ITEM = [[b"x" * 40, 7, 2**200, bytearray(b"y")] * 5] * 5
ENCODED = rlp.encode(ITEM)
TRIE = Trie(PAIRS)
MANY = {number.to_bytes(2, "big"): b"v" * 40 for number in range(2_500)}
KEYS, VALUES = b"".join(PAIRS), b"".join(PAIRS.values())
FALLING = memoryview(array("Q", [*range(len(PAIRS), 0, -1), 0]))
FEW = memoryview(array("Q", [0, 1, 3]))
ACCELERATOR: Any = hexary.BACKEND.accelerator
ROUNDS = 400
MOST_GROWTH = 1 << 20


class Rows(UserDict):  # type: ignore[type-arg]
    """A mapping whose items are no pairs."""

    def items(self) -> Any:
        return [(b"a", b"b"), (b"a", bytearray(b"b")), (b"a",)]


def packed(size: int, values: Any) -> object:
    """Return the root of pairs in two buffers."""
    return packed_trie_root(
        KEYS, VALUES, key_offsets=size, value_offsets=values, threads=2
    )


def attempt(function: Callable[..., object], *arguments: object) -> None:
    """Call *function*, which may refuse its arguments."""
    with contextlib.suppress(HexaryError, TypeError, ValueError, LookupError):
        function(*arguments)


def change_a_copy() -> None:
    """Copy a trie, change and hash the copy, walk through a part of it."""
    other = TRIE.copy()
    for key in list(PAIRS)[:20]:
        other[key] = b"changed"
        del other[key]
    assert other.root_hash != TRIE.root_hash
    next(other.items(start=b"\x40"))
    list(other.items(prefix=b"\x40", reverse=True))


OPERATIONS: dict[str, Callable[[], object]] = {
    "keccak256": lambda: [attempt(hexary.keccak256, each) for each in (b"a", None)],
    "keccak256_many": lambda: hexary.keccak256_many(PAIRS),
    "keccak256_many, refused": lambda: attempt(hexary.keccak256_many, [b"", None]),
    "Keccak256": lambda: hexary.Keccak256(b"a").copy().digest(),
    "encode": lambda: rlp.encode(ITEM),
    "encode, refused": lambda: attempt(rlp.encode, [ITEM, "text", ITEM]),
    "encoded_size": lambda: rlp.encoded_size(ITEM),
    "decode": lambda: rlp.decode(ENCODED),
    "decode, cut": lambda: [
        attempt(rlp.decode, ENCODED[:size]) for size in range(0, len(ENCODED), 97)
    ],
    "decode_prefix": lambda: rlp.decode_prefix(ENCODED + b"more"),
    "trie_root": lambda: hexary.trie_root(PAIRS),
    "trie_root of a list": lambda: hexary.trie_root(list(PAIRS.items())),
    "trie_root, refused": lambda: attempt(
        hexary.trie_root, [*PAIRS.items(), (b"a", None)]
    ),
    "secure_trie_root": lambda: hexary.secure_trie_root(iter(PAIRS.items())),
    "trie_root in threads": lambda: hexary.trie_root(MANY, threads=2),
    "trie_root, items of a mapping refused": lambda: attempt(hexary.trie_root, Rows()),
    "packed_trie_root": lambda: packed(32, 80),
    "packed_trie_root, offsets refused": lambda: attempt(packed, 32, FALLING),
    "packed_trie_root of what changes": lambda: packed_trie_root(
        bytearray(b"ab"), memoryview(b"12345")[::2], key_offsets=1, value_offsets=FEW
    ),
    "keccak256_packed": lambda: [
        attempt(ACCELERATOR.keccak256_packed, b"1234", size) for size in (0, 2, 3, "2")
    ],
    "ordered_trie_root": lambda: hexary.ordered_trie_root(list(PAIRS.values())),
    "Trie": lambda: Trie(PAIRS).root_hash,
    "a copy of a Trie": change_a_copy,
}


def resident() -> int:
    """Return the bytes that the process holds."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * 4096


def main() -> int:
    """Run all operations."""
    watched = [*PAIRS, *PAIRS.values(), ENCODED, ITEM, PAIRS]
    bad = 0
    for name, operation in OPERATIONS.items():
        for _ in range(ROUNDS // 4):
            operation()
        gc.collect()
        counts = [sys.getrefcount(each) for each in watched]
        size = resident()
        for _ in range(ROUNDS):
            operation()
        gc.collect()
        growth = resident() - size
        same = counts == [sys.getrefcount(each) for each in watched]
        good = same and growth < MOST_GROWTH
        bad += not good
        told = "ok" if good else "LEAKS" if same else "REFERENCES"
        print(f"{told:10} {growth:>10,} bytes  {name}")  # noqa: T201
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
