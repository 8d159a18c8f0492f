"""
Measure hexary and its peers and print a table: ``make bench``.

    python benchmarks/run.py [WORD…]      only operations that contain one of the words

The backend is pycryptodome, which the goals are stated for, unless
``HEXARY_BENCH_BACKEND`` names another; rows that name a backend load it directly.
"""

from __future__ import annotations

import os
import sys

# Before hexary is imported, which chooses once.
os.environ["HEXARY_BACKEND"] = os.environ.get("HEXARY_BENCH_BACKEND", "pycryptodome")

import codec
import commits
import hashing
import memory
import native
import proofs
import records
import roots
import tries
import typed_bytes
from import_time import GOAL, measure_imports
from measurement import Row, measure
from table import conditions, duration, lines


def wanted(operation: str) -> bool:
    """Whether the command line asks for *operation*."""
    words = sys.argv[1:]
    return not words or any(word.lower() in operation.lower() for word in words)


def main() -> None:
    """Print the table."""
    print("\n".join(conditions()), end="\n\n")
    print("| operation | who | time | goal |\n|---|---|---|---|")
    for noun in (
        hashing, typed_bytes, codec, records, roots, native, tries, proofs, commits,
    ):  # fmt: skip
        for row in noun.rows():
            if wanted(row.operation):
                print("\n".join(lines(row, *measure(row))), flush=True)
    operation = f"memory of {memory.KEYS:,} keys"
    if wanted(operation):
        for name, grown in memory.measure_memory().items():
            reached = "yes" if grown <= memory.GOAL else "NO"
            goal = (
                f"≤ {memory.GOAL / 1e6:.0f} MB: {reached}" if name == "hexary" else ""
            )
            print(f"| {operation} | {name} | {grown / 1e6:.0f} MB | {goal} |")
            operation = ""
    if wanted("import hexary"):
        ours, library = measure_imports()
        row = Row("import hexary", {})
        print("\n".join(lines(row, {"hexary": ours, "Crypto.Hash.keccak": library})))
        above = ours.best - library.best
        print(
            f"| above that | hexary | {duration(above)} | ≤ {duration(GOAL)}: ", end=""
        )
        print("yes |" if above <= GOAL else "NO |")


if __name__ == "__main__":
    main()
