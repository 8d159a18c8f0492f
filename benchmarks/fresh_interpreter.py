"""What a program measures of itself in a process that has done nothing else."""

from __future__ import annotations

import os
import subprocess
import sys

__all__ = ["run_code"]


def run_code(code: str, *, backend: str) -> str:
    """Return what *code* prints, run by a fresh interpreter with a backend chosen."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=dict(os.environ, HEXARY_BACKEND=backend),
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout
