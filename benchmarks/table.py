"""The measured rows as a Markdown table, with what is needed to judge them."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from measurement import Row, Timings

import hexary

__all__ = ["conditions", "duration", "lines", "verdict"]

PACKAGES = (
    *("pycryptodome", "trie", "rlp", "ethereum-rlp", "ethereum-execution"),
    *("ethereum-types", "eth-hash", "safe-pysha3", "tiny-keccak", "hexbytes", "lmdb"),
)


def _processor() -> str:
    """Return the processor's name where the system tells it."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    names = [line for line in text.splitlines() if line.startswith("model name")]
    return names[0].partition(": ")[2] if names else platform.machine()


def _installed() -> Iterator[str]:
    """Yield name and version of the packages that are there."""
    for name in PACKAGES:
        with suppress(PackageNotFoundError):
            yield f"{name} {version(name)}"


def conditions() -> list[str]:
    """Return machine, versions, backend and command, one a line."""
    info = hexary.backend_info()
    return [
        f"machine: {_processor()}, {os.cpu_count()} cores, {platform.system()}",
        f"Python: {platform.python_implementation()} {platform.python_version()}",
        f"hexary: {hexary.__version__} on {info['name']} {info['version']}",
        "peers: " + ", ".join(_installed()),
        f"command: python {' '.join(sys.argv)}",
        "each time: least of the rounds (mean ± standard deviation), per call;",
        "all of a row in one alternating run; × is the time in terms of hexary's",
    ]


def duration(seconds: float) -> str:
    """Return *seconds* with three digits and the fitting unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if abs(seconds) >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def _cell(timings: Timings, ours: Timings | None) -> str:
    text = (
        f"{duration(timings.best)} "
        f"({duration(timings.mean)} ± {duration(timings.deviation)})"
    )
    return text if ours is None else f"{text} {timings.best / ours.best:.2f}×"


def verdict(row: Row, timings: dict[str, Timings]) -> str:
    """Return the goal and whether the least time reaches it."""
    if row.goal is None:
        return ""
    ours = timings["hexary"].best
    if row.goal_peer:
        reached = ours / timings[row.goal_peer].best
        goal = f"≤ {row.goal:.2f} × {row.goal_peer}"
        return f"{goal}: {'yes' if reached <= row.goal else 'NO'} ({reached:.3f})"
    return f"≤ {duration(row.goal)}: {'yes' if ours <= row.goal else 'NO'}"


def lines(
    row: Row, timings: dict[str, Timings], absent: Mapping[str, str] = {}
) -> list[str]:
    """Return the table's lines for one operation, a contestant each."""
    ours = timings["hexary"]
    measured = [
        f"| {row.operation if name == 'hexary' else ''} | {name} "
        f"| {_cell(timing, None if name == 'hexary' else ours)} "
        f"| {verdict(row, timings) if name == 'hexary' else ''} |"
        for name, timing in timings.items()
    ]
    return measured + [
        f"|  | {name} | absent: {why} |  |" for name, why in absent.items()
    ]
