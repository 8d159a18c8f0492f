"""The distributions that the packaging tests look into, built once."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

LEFT_OUT = (".*", "*.egg-info", "__pycache__", "_build", "build", "dist", "htmlcov")


class Distributions(NamedTuple):
    """The two files that a release consists of."""

    sdist: Path
    wheel: Path


@pytest.fixture(scope="session")
def distributions(
    checkout: Path, tmp_path_factory: pytest.TempPathFactory
) -> Distributions:
    """
    Build the sdist, and the wheel out of it, from a copy of the checkout.

    A copy, so that nothing an earlier build left there can slip in.
    """
    source = tmp_path_factory.mktemp("source") / "hexary"
    shutil.copytree(checkout, source, ignore=shutil.ignore_patterns(*LEFT_OUT))
    target = tmp_path_factory.mktemp("dist")
    done = subprocess.run(
        [sys.executable, "-m", "build", "--outdir", target, source],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (sdist,) = target.glob("*.tar.gz")
    (wheel,) = target.glob("*.whl")
    return Distributions(sdist, wheel)


class CleanVenv:
    """A virtual environment that holds nothing but what a test installs."""

    def __init__(self, folder: Path) -> None:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        self._bin = folder / ("Scripts" if sys.platform == "win32" else "bin")

    def run(
        self, program: str, *arguments: str | Path, **options: object
    ) -> subprocess.CompletedProcess[str]:
        """Run a program of this environment and return what it printed."""
        return subprocess.run(  # type: ignore[call-overload,no-any-return]
            [self._bin / program, *arguments],
            capture_output=True,
            text=True,
            check=False,
            **options,
        )

    def install(self, *requirements: str | Path) -> None:
        """Install from the package index."""
        pip = ("-m", "pip", "install", "-qq", "--disable-pip-version-check")
        done = self.run("python", *pip, *requirements)
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def clean_venv(tmp_path: Path) -> CleanVenv:
    """A fresh virtual environment."""
    return CleanVenv(tmp_path / "venv")
