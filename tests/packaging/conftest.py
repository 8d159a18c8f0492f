"""The distributions that the packaging tests look into, built once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

LEFT_OUT = (
    *(".*", "*.egg-info", "__pycache__", "_build", "build", "dist", "htmlcov"),
    *("*.so", "*.pyd", "not_built.txt"),
)


class Distributions(NamedTuple):
    """The two files that a release consists of."""

    sdist: Path
    wheel: Path


@pytest.fixture(scope="session")
def source(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout, so that nothing an earlier build left there slips in."""
    folder = tmp_path_factory.mktemp("source") / "hexary"
    shutil.copytree(checkout, folder, ignore=shutil.ignore_patterns(*LEFT_OUT))
    return folder


@pytest.fixture(scope="session")
def build(
    source: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., tuple[Distributions, str]]:
    """Build the sdist, and the wheel out of it; return them and what was printed."""

    def run(**variables: str) -> tuple[Distributions, str]:
        target = tmp_path_factory.mktemp("dist")
        done = subprocess.run(
            [sys.executable, "-m", "build", "--outdir", target, source],
            env=os.environ | variables,
            capture_output=True,
            text=True,
            check=False,
        )
        printed = done.stdout + done.stderr
        assert done.returncode == 0, printed
        (sdist,) = target.glob("*.tar.gz")
        (wheel,) = target.glob("*.whl")
        return Distributions(sdist, wheel), printed

    return run


@pytest.fixture(scope="session")
def distributions(build: Callable[..., tuple[Distributions, str]]) -> Distributions:
    """What `HEXARY_BUILD=auto` builds here."""
    return build(HEXARY_BUILD="auto")[0]


class CleanVenv:
    """A virtual environment that holds nothing but what a test installs."""

    def __init__(self, folder: Path) -> None:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        self._bin = folder / ("Scripts" if sys.platform == "win32" else "bin")

    def run(
        self, program: str, *arguments: str | Path, **options: object
    ) -> subprocess.CompletedProcess[str]:
        """Run a program of this environment and return what it printed."""
        return subprocess.run(  # type: ignore[call-overload,no-any-return]  # options of any kind
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
