"""Hexary works with the oldest dependencies it admits, and with the newest."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

BEHAVIOUR = (
    *("tests/unit/hash", "tests/unit/rlp", "tests/cli"),
    *("tests/unit/state/test_json_file.py", "tests/property/test_json_readers.py"),
)
"""Tests that touch each dependency: keccak's, the command line's two, JSON's."""

TOOLS = ("pytest", "hypothesis", "lmdb", "mypy", "numpy", "pydantic")
"""What those tests need beside."""


def dependencies(checkout: Path) -> list[str]:
    """Return the run-time requirements of pyproject.toml."""
    text = (checkout / "pyproject.toml").read_text(encoding="utf-8")
    found: list[str] = tomllib.loads(text)["project"]["dependencies"]
    return found


def test_every_dependency_has_a_floor_and_no_cap(checkout: Path) -> None:
    for requirement in dependencies(checkout):
        assert re.fullmatch(r"[a-z-]+>=[\d.]+", requirement), requirement


@pytest.mark.slow
@pytest.mark.parametrize("age", ["oldest", "newest"])
def test_behaviour_with(
    age: str,
    distributions,
    clean_venv,
    checkout: Path,
    clean_environment: dict[str, str],
) -> None:
    """The wheel in a fresh environment, tested from the checkout."""
    wanted = dependencies(checkout)
    if age == "oldest":
        wanted = [requirement.replace(">=", "==") for requirement in wanted]
    clean_venv.install(distributions.wheel, *wanted, *TOOLS)
    folders = [folder for folder in BEHAVIOUR if (checkout / folder).exists()]
    assert folders
    options = ("-q", "-p", "no:cacheprovider", "-m", "not slow")
    done = clean_venv.run(
        "python", "-m", "pytest", *options, *folders, cwd=checkout,
        env={**clean_environment, "HEXARY_BACKEND": "pycryptodome"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\d+ passed", done.stdout)
