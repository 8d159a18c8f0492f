"""Programs that need a process of their own, run to see that they find nothing."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

import hexary

HERE = Path(__file__).parent


@pytest.mark.parametrize(
    ("program", "arguments", "words"),
    [
        pytest.param(
            "count_differences.py",
            ["200000"],
            "0 differences in 200,000 cases",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "count_core_differences.py",
            ["100000"],
            "0 differences in 100,000 operations",
            marks=pytest.mark.slow,
        ),
        pytest.param("leaks.py", [], "ok", marks=pytest.mark.slow),
        ("no_memory.py", [], "ok"),
        ("meddling.py", [], "fine"),
        ("interpreters.py", [], "fine"),
        ("racing_offsets.py", [], "fine"),
        ("threads.py", [], "fine"),
    ],
)
def test_it_finds_nothing(program, arguments, words, clean_environment):
    if hexary.BACKEND.name != "native":
        pytest.skip("no accelerator in use")
    if program == "leaks.py" and not Path("/proc/self/statm").exists():
        pytest.skip("the size of a process is read from Linux's /proc")
    if program == "no_memory.py" and importlib.util.find_spec("_testcapi") is None:
        pytest.skip("it fails allocations by _testcapi, which is not installed here")
    if program == "racing_offsets.py" and not hasattr(os, "fork"):
        pytest.skip("it forks")
    done = subprocess.run(
        [sys.executable, HERE / program, *arguments],
        env=clean_environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert words in done.stdout
