"""What ``import hexary`` loads, reads and touches."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from source_tree import module_names

LAZY = {
    *("hexary.chain", "hexary.cli", "hexary.fixtures", "hexary.state"),
    *("click", "msgspec", "numpy", "pydantic", "rich"),
    *("argparse", "asyncio", "concurrent", "csv", "dataclasses", "decimal", "email"),
    *("fractions", "http", "inspect", "json", "logging", "multiprocessing", "pathlib"),
    *("pickle", "random", "socket", "sqlite3", "ssl", "statistics", "subprocess"),
    *("tempfile", "tomllib", "unittest", "urllib", "zoneinfo"),
}
"""Modules that only some users of hexary need: loaded when they are used."""

LIBRARIES = "import hashlib, Crypto, Crypto.Hash.keccak, typing, os, sys"
"""What the backends need is theirs to load, and is not counted."""


def run(code: str, environment: dict[str, str]) -> str:
    """Return what *code* prints in a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={
            name: value
            for name, value in environment.items()
            if not name.startswith("COV")  # measuring coverage costs, and loads modules
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_leaves_what_few_need_unloaded(
    clean_environment: dict[str, str],
) -> None:
    code = (
        f"{LIBRARIES}\nbefore = set(sys.modules)\nimport hexary\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    loaded = run(code, clean_environment).split()
    assert "hexary.trie" in loaded
    too_early = {
        name for name in loaded if name in LAZY or name.split(".")[0] in LAZY
    } | {name for name in loaded if ".".join(name.split(".")[:2]) in LAZY}
    assert too_early == set()


def test_import_reads_one_variable_and_no_file(
    clean_environment: dict[str, str],
) -> None:
    """
    Of files only Python's own: source, byte code, extension modules, folders.

    Without an accelerator, what the build has recorded about that is read as well.
    """
    code = f"""
{LIBRARIES}
asked, opened = [], []
class Environment(dict):
    def get(self, name, default=None):
        asked.append(name); return super().get(name, default)
    def __getitem__(self, name):
        asked.append(name); return super().__getitem__(name)
    def __contains__(self, name):
        asked.append(name); return super().__contains__(name)
os.environ = Environment(os.environ)
watched = ("open", "os.listdir", "os.mkdir", "os.remove", "socket.", "subprocess.")
def hook(event, arguments):
    if event.startswith(watched) or event == "_thread.start_new_thread":
        opened.append([event, str(arguments[0])])
sys.addaudithook(hook)
import hexary
import json
print(json.dumps([sorted(set(asked)), opened]))
"""
    asked, opened = json.loads(run(code, clean_environment))
    assert asked in (["HEXARY_BACKEND"], ["HEXARY_BACKEND", "HEXARY_KECCAK"])
    of_python = (".py", ".pyc", ".so", ".pyd")
    touched = [
        [event, name]
        for event, name in opened
        if event != "os.listdir" and ".pyc." not in name  # byte code being written
        if not name.endswith((*of_python, "not_built.txt"))
    ]
    assert touched == []


def test_a_quiet_run_of_the_verifier_loads_what_it_uses(
    clean_environment: dict[str, str], tmp_path: Path
) -> None:
    """Tables, XML, archives and networking belong to other runs."""
    fixture = tmp_path / "dogs.json"
    fixture.write_text('{"dogs": {"in": "dog", "out": "0x83646f67"}}')
    code = (
        "import sys\nfrom hexary.cli import main\n"
        f"assert main(['verify', '-q', '-j', '1', {str(fixture)!r}]) == 0\n"
        "print(*sorted(sys.modules))"
    )
    loaded = set(run(code, clean_environment).split())
    assert "hexary.fixtures.formats.rlp_tests" in loaded
    unused = {"rich", "xml.sax", "urllib.request", "tarfile", "zipfile", "secrets"}
    assert unused & loaded == set()


@pytest.mark.parametrize(
    "module", [name for name in module_names() if not name.endswith("__main__")]
)
def test_each_module_imports_alone(
    module: str, clean_environment: dict[str, str]
) -> None:
    """In a fresh interpreter, with every warning an error."""
    code = (
        "import sys, warnings; warnings.simplefilter('error')\n"
        f"import {module}; print(sys.modules[{module!r}].__name__)"
    )
    assert run(code, clean_environment).strip() == module
