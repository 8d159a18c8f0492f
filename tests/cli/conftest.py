"""Running the command: in this process, and as a program."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from hexary.cli import main


class Result(NamedTuple):
    """What a run of the command gave."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Result]:
    """Run the command in this process: ``run("keccak", "--hex", "0x", stdin=b"")``."""

    def run(*arguments: str | Path, stdin: bytes = b"") -> Result:
        import io

        wrapper = io.TextIOWrapper(io.BytesIO(stdin))
        monkeypatch.setattr(sys, "stdin", wrapper)
        capfd.readouterr()
        code = main([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return Result(code, out, err)

    return run


@pytest.fixture
def program(clean_environment: dict[str, str]) -> Callable[..., Result]:
    """Run the command as a program of its own."""

    def program(
        *arguments: str | Path,
        stdin: bytes | None = None,
        environment: dict[str, str] | None = None,
        start: tuple[str, ...] = ("-m", "hexary"),
        **options: Any,
    ) -> Result:
        done = subprocess.run(
            [sys.executable, *start, *map(str, arguments)],
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            env={**clean_environment, **(environment or {})},
            capture_output=True,
            check=False,
            timeout=120,
            **options,
        )
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())

    return program
