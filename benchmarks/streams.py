"""Roots of sorted pairs that come one by one, and what memory they take."""

from __future__ import annotations

import random
from collections.abc import Iterator

from fresh_interpreter import run_code
from measurement import Row

import hexary
from hexary.trie import packed_trie_root

__all__ = ["CODE", "COUNTS", "measure_peak", "rows"]

COUNTS = {"pycryptodome": 100_000, "hashlib": 100_000, "native": 1_000_000}
"""Backend → number of pairs."""

CODE = """
import hexary
step = 2**256 // {count}
def pairs():
    for number in range({count}):
        yield (number * step).to_bytes(32, "big"), b"%080d" % number
def peak():
    # Not what getrusage tells, which begins with the peak of the process before exec.
    with open("/proc/self/status") as file:
        lines = [line.split() for line in file if line.startswith("VmHWM")]
    return int(lines[0][1]) * 1024
before = peak()
hexary.{function}(pairs())
print(peak() - before)
"""
"""A program that prints the bytes that its process grows by at most."""


def measure_peak(backend: str) -> dict[str, int]:
    """Return function → bytes, each in a new process."""
    grown = {}
    for function in ("sorted_trie_root", "trie_root"):
        code = CODE.format(count=COUNTS[backend], function=function)
        grown[function] = int(run_code(code, backend=backend))
    return grown


def rows() -> Iterator[Row]:
    """Yield a root found in one pass over random keys, beside one of all at once."""
    count = COUNTS[hexary.BACKEND.name]
    source = random.Random(count)
    pairs = sorted((source.randbytes(32), source.randbytes(80)) for _ in range(count))
    keys, values = (b"".join(column) for column in zip(*pairs, strict=True))
    root = packed_trie_root(keys, values, key_offsets=32, value_offsets=80)
    if hexary.sorted_trie_root(pairs) != root:
        raise SystemExit("the two ways disagree")
    yield Row(
        f"root of {count:,} sorted pairs, streamed, {hexary.BACKEND.name}",
        {
            "hexary": lambda: hexary.sorted_trie_root(iter(pairs)),
            "trie_root": lambda: hexary.trie_root(iter(pairs)),
            "trie_root of a list": lambda: hexary.trie_root(pairs),
        },
        rounds=5,
    )
