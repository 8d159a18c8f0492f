"""
Test the one wheel in dist/ as users have it: installed, on one Python after the other.

    python tools/try_wheel.py [--extra NAME] PYTHON… [-- PYTEST_ARGUMENTS…]

A PYTHON is a program or a version, such as 3.12, which is looked for on the path and
among pyenv's.  For each a virtual environment of its own, `.venv-wheel/VERSION`, gets
the wheel, with the extra NAME if one is given, and nothing of the source tree.  The
tests run in a folder outside the tree, with ``HEXARY_REQUIRE_INSTALLED=1``, under which
they refuse to start unless hexary comes from site-packages, accelerator included.

Without arguments for pytest they are what ``[tool.cibuildwheel]`` in pyproject.toml
says that every wheel of a release has to pass.  Exit code 1 if tests failed on any
Python, 2 if a Python or the wheel is missing.
"""

from __future__ import annotations

import argparse
import glob
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parent.parent
ENVIRONMENTS = CHECKOUT / ".venv-wheel"


def version_of(program: str | Path) -> str:
    """Return the version of a Python; empty if it does not run."""
    code = "import sys; print('.'.join(map(str, sys.version_info[:3])))"
    try:
        done = subprocess.run(
            [program, "-c", code], capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def find_python(wanted: str) -> tuple[str, str]:
    """Return the program and the version of the Python called *wanted*."""
    candidates = [wanted, f"python{wanted}"]
    pyenv = os.environ.get("PYENV_ROOT") or os.path.expanduser("~/.pyenv")
    candidates += sorted(glob.glob(f"{pyenv}/versions/{wanted}.*/bin/python"))[::-1]
    for candidate in candidates:
        program = shutil.which(candidate)
        version = version_of(program) if program else ""
        if program and version:
            return program, version
    print(
        f"there is no Python {wanted} on the path or among pyenv's; name others with "
        'PYTHONS, as in make test-pythons PYTHONS="3.11 3.13"',
        file=sys.stderr,
    )
    sys.exit(2)


def find_wheel() -> Path:
    """Return the wheel that was built."""
    wheels = sorted((CHECKOUT / "dist").glob("*.whl"))
    if len(wheels) != 1:
        print(
            f"dist/ holds {len(wheels)} wheels; `make wheel` makes one", file=sys.stderr
        )
        sys.exit(2)
    return wheels[0]


def release_test() -> dict[str, Any]:
    """Return what every wheel of a release has to pass."""
    text = (CHECKOUT / "pyproject.toml").read_text(encoding="utf-8")
    table: dict[str, Any] = tomllib.loads(text)["tool"]["cibuildwheel"]
    return table


def environment_for(program: str, version: str, requirements: list[str]) -> Path:
    """Return the Python of an environment with *requirements*, the wheel the first."""
    folder = ENVIRONMENTS / version
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        subprocess.run([program, "-m", "venv", "--clear", folder], check=True)
    pip: list[str | Path] = [
        python,
        "-m",
        "pip",
        "install",
        "-qq",
        "--disable-pip-version-check",
    ]
    subprocess.run([*pip, "--no-input", *requirements], check=True)
    wheel = requirements[0].partition("[")[0]
    subprocess.run([*pip, "--no-deps", "--force-reinstall", wheel], check=True)
    return python


def main() -> int:
    """Test on each Python of the command line."""
    own, _, given = " ".join(map(shlex.quote, sys.argv[1:])).partition(" -- ")
    parser = argparse.ArgumentParser()
    parser.add_argument("--extra", default="")
    parser.add_argument("pythons", nargs="+", metavar="PYTHON")
    options = parser.parse_args(shlex.split(own))
    release = release_test()
    command = shlex.split(release["test-command"].replace("{project}", str(CHECKOUT)))
    arguments = shlex.split(given) or command[1:]
    wheel = str(find_wheel())
    requirements = [f"{wheel}[{options.extra}]" if options.extra else wheel]
    if not options.extra:
        requirements += release["test-requires"]
    pythons = [find_python(wanted) for wanted in options.pythons]
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "HEXARY_BACKEND"))
    } | release["test-environment"]
    failed = []
    for program, version in pythons:
        print(f"-- {Path(wheel).name} on Python {version}", flush=True)
        python = environment_for(program, version, requirements)
        pytest: list[str | Path] = [
            python,
            "-P",
            "-m",
            "pytest",
            "-c",
            CHECKOUT / "pyproject.toml",
        ]
        pytest += ["--rootdir", CHECKOUT, "-p", "no:cacheprovider"]
        with tempfile.TemporaryDirectory() as outside:
            done = subprocess.run(
                [*pytest, *arguments], cwd=outside, env=environment, check=False
            )
        if done.returncode != 0:
            failed.append(version)
    if failed:
        print(f"tests failed on Python {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
