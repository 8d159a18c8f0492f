"""
Measure hexary and its peers and print a table: ``make bench``.

    python benchmarks/run.py [WORD…]      only operations that contain one of the words

The backend is pycryptodome, which most goals are stated for, unless the first word is
``native``, for the rows of the accelerator, or ``HEXARY_BENCH_BACKEND`` names another;
rows that name a backend load it directly.
"""

from __future__ import annotations

import os
import sys

# Before hexary is imported, which chooses once.
os.environ["HEXARY_BACKEND"] = os.environ.get(
    "HEXARY_BENCH_BACKEND",
    "native" if sys.argv[1:2] == ["native"] else "pycryptodome",
)

import codec
import commits
import hashing
import memory
import native
import proofs
import records
import roots
import states
import streams
import tries
import typed_bytes
from import_time import GOAL, measure_imports
from measurement import Row, measure
from table import conditions, duration, lines

import hexary


def wanted(operation: str) -> bool:
    """Whether the command line asks for *operation*."""
    words = sys.argv[1:]
    return not words or any(word.lower() in operation.lower() for word in words)


def main() -> None:
    """Print the table."""
    print("\n".join(conditions()), end="\n\n")
    print("| operation | who | time | goal |\n|---|---|---|---|")
    operation = "one permutation beside seven others, native"
    if wanted(operation):
        kernel = native.measure_kernel()
        if kernel:
            row = Row(operation, {}, native.KERNEL_GOAL)
            print("\n".join(lines(row, {"hexary": kernel})), flush=True)
    for noun in (
        hashing, typed_bytes, codec, records, roots, native, streams, states, tries,
        proofs, commits,
    ):  # fmt: skip
        for row in noun.rows():
            if wanted(row.operation):
                print("\n".join(lines(row, *measure(row))), flush=True)
    for backend, (keys, most) in memory.MEASURED.items():
        operation = f"memory of {keys:,} keys, {backend}"
        native_is_there = hexary.BACKEND.accelerator is not None
        if not wanted(operation) or (backend == "native" and not native_is_there):
            continue
        for name, grown in memory.measure_memory(backend).items():
            reached = "yes" if grown <= most else "NO"
            goal = f"≤ {most / 1e6:.0f} MB: {reached}" if name == "hexary" else ""
            print(f"| {operation} | {name} | {grown / 1e6:.0f} MB | {goal} |")
            operation = ""
    name = hexary.BACKEND.name
    operation = f"peak memory of {streams.COUNTS[name]:,} pairs, streamed, {name}"
    if wanted(operation):
        for function, grown in streams.measure_peak(name).items():
            print(f"| {operation} | {function} | {grown / 1e6:.1f} MB |  |")
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
