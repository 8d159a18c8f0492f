"""What ``import hexary`` takes above the import of the keccak library alone."""

from __future__ import annotations

from fresh_interpreter import run_code
from measurement import Timings

__all__ = ["measure_imports"]

ROUNDS = 15
GOAL = 0.025

TIMED = (
    "import time; s = time.perf_counter(); import {}; print(time.perf_counter() - s)"
)


def _seconds(module: str) -> float:
    """Return how long a fresh interpreter takes to import *module*."""
    return float(run_code(TIMED.format(module), backend="pycryptodome"))


def measure_imports() -> tuple[Timings, Timings]:
    """Return the times of ``import hexary`` and of ``import Crypto.Hash.keccak``."""
    for module in ("hexary", "Crypto.Hash.keccak"):
        _seconds(module)  # byte code is compiled and the files are cached
    ours, library = [], []
    for _ in range(ROUNDS):
        ours.append(_seconds("hexary"))
        library.append(_seconds("Crypto.Hash.keccak"))
    return Timings(ours), Timings(library)
