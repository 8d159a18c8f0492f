"""What ``import hexary`` takes above the import of the keccak library alone."""

from __future__ import annotations

import os
import subprocess
import sys

from measurement import Timings

__all__ = ["measure_imports"]

ROUNDS = 15
GOAL = 0.025

TIMED = (
    "import time; s = time.perf_counter(); import {}; print(time.perf_counter() - s)"
)


def _seconds(module: str) -> float:
    """Return how long a fresh interpreter takes to import *module*."""
    environment = dict(os.environ, HEXARY_BACKEND="pycryptodome")
    command = [sys.executable, "-c", TIMED.format(module)]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def measure_imports() -> tuple[Timings, Timings]:
    """Return the times of ``import hexary`` and of ``import Crypto.Hash.keccak``."""
    for module in ("hexary", "Crypto.Hash.keccak"):
        _seconds(module)  # byte code is compiled and the files are cached
    ours, library = [], []
    for _ in range(ROUNDS):
        ours.append(_seconds("hexary"))
        library.append(_seconds("Crypto.Hash.keccak"))
    return Timings(ours), Timings(library)
