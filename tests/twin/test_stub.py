"""The accelerator's stub, kept by hand, says what the module has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy.stubtest", reason="make check installs mypy")


def test_the_stub_agrees_with_the_module(accelerator, clean_environment, tmp_path):
    packages = Path(accelerator.__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "hexary._native.accelerator"],
        env=clean_environment
        | {"MYPYPATH": str(packages), "PYTHONPATH": str(packages)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
