"""The published vectors are there, and the helper that reads them never runs thin."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from conformance import vector_files
from conformance.vector_files import evenly_spaced, files, vector_cases

FLOORS = {"rlp": 7, "trie": 12, "genesis": 46, "proofs": 120, "typed": 25}


EXERCISED = (
    "rlp/besu-mainnet-blocks",
    "rlp/besu",
    "rlp/ethereumjs",
    "rlp/reth",
    "rlp/alloy-4844",
    "rlp/py-evm",
    "rpc",
    "typed",
)
"""Folders of which a test reads every file."""

ABOUT_FILES = ("SOURCE.txt",)
"""What says where the files of a folder are from, and is no vector itself."""


def read_by_tests(folders: tuple[str, ...], checkout: Path, report: Path) -> set[Path]:
    """Run the tests that name one of *folders*; return what they have read."""
    tests = checkout / "tests"
    modules = [
        module
        for module in sorted((tests / "conformance").glob("test_*.py"))
        if module != Path(__file__).resolve()
        and any(f'"{folder.split("/")[0]}' in module.read_text() for folder in folders)
    ]
    done = run_watched(modules, vector_files.VECTORS, checkout, report)
    assert done.returncode == 0, done.stdout + done.stderr
    return files_in(report)


def run_watched(
    modules: list[Path], vectors: Path, checkout: Path, report: Path
) -> subprocess.CompletedProcess[str]:
    """Run test modules on some vectors, and have what they read written to a file."""
    command = [sys.executable, "-m", "pytest", "-q", "-m", "not slow"]
    options = ["-p", "vector_use", f"--vector-use={report}", "-p", "no:cacheprovider"]
    tests = str(checkout / "tests")
    search = os.pathsep.join([tests, os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [*command, *options, f"--rootdir={checkout}", *map(str, modules)],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": search, "HEXARY_VECTORS": str(vectors)},
        capture_output=True,
        text=True,
        check=False,
    )


def files_in(report: Path) -> set[Path]:
    """Return the files that a report lists."""
    return set(map(Path, report.read_text(encoding="utf-8").splitlines()))


def all_files(folders: tuple[str, ...]) -> set[Path]:
    """Return the files of *folders*, answers among them."""
    return {
        path
        for folder in folders
        for path in (vector_files.VECTORS / folder).glob("**/*")
        if path.is_file() and path.name not in ABOUT_FILES
    }


@pytest.mark.slow
def test_a_test_reads_every_file_of_what_is_decoded(
    vectors: Path, checkout: Path, tmp_path: Path
) -> None:
    """And passes: one that is skipped, or fails, has read nothing."""
    pytest.importorskip("coincurve", reason="the extra secp256k1 is not installed")
    wanted = all_files(EXERCISED)
    assert len(wanted) > 590
    found = read_by_tests(EXERCISED, checkout, tmp_path / "read.txt")
    left = {str(path.relative_to(vectors)) for path in wanted - found}
    assert left == set()


def test_vectors_are_there(vectors: Path) -> None:
    """This one test is skipped, with the way to get them, where there are none."""
    assert (vectors / "reports" / "cases.json").is_file()
    thin = {name: len(files(name)) for name in FLOORS}
    assert {name for name, count in thin.items() if count < FLOORS[name]} == set()


MODULE = """
from pathlib import Path
import pytest
from conformance.vector_files import VECTORS

def test_reads():
    assert (VECTORS / "suite/read.json").read_text() == "1"

def test_fails():
    (VECTORS / "suite/failed.json").read_text()
    assert not VECTORS.exists()

@pytest.mark.skip(reason="to see that it counts as unread")
def test_is_skipped():
    (VECTORS / "suite/skipped.json").read_text()

@pytest.mark.vectors(VECTORS / "suite/case.json")
def test_of_a_case():
    pass

(VECTORS / "suite/imported.json").read_text()
"""


def test_what_no_passing_test_has_read_is_found(tmp_path: Path, checkout: Path) -> None:
    suite = tmp_path / "vectors" / "suite"
    suite.mkdir(parents=True)
    names = ("read", "failed", "skipped", "case", "imported", "unknown", "EXPECTED")
    for name in names:
        (suite / f"{name}.json").write_text("1")
    module = tmp_path / "test_sample.py"
    module.write_text(MODULE)
    report = tmp_path / "report.txt"
    done = run_watched([module], tmp_path / "vectors", checkout, report)
    assert "1 failed, 2 passed, 1 skipped" in done.stdout
    assert files_in(report) == {suite / "read.json", suite / "case.json"}


@pytest.fixture
def small_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A vectors folder with one suite of two files, three cases in all."""
    suite = tmp_path / "suite"
    suite.mkdir()
    (suite / "b.json").write_text(json.dumps({"one": 1}))
    (suite / "a.json").write_text(json.dumps({"two": 2, "three": 3}))
    (suite / "EXPECTED.json").write_text("{}")
    monkeypatch.setattr(vector_files, "VECTORS", tmp_path)
    return suite


def read(path: Path) -> list[tuple[str, int]]:
    """Yield the cases of one file of the small suite."""
    return list(json.loads(path.read_text()).items())


def test_one_case_is_one_id_in_file_order(small_suite: Path) -> None:
    mark = vector_cases("suite", read, at_least=3)
    assert [param.id for param in mark.args[1]] == [
        "a.json:two",
        "a.json:three",
        "b.json:one",
    ]
    assert [param.values for param in mark.args[1]] == [(2,), (3,), (1,)]


def test_slow_cases_are_marked(small_suite: Path) -> None:
    mark = vector_cases("suite", read, at_least=3, slow=frozenset({"b.json:one"}))
    slow = [
        param.id
        for param in mark.args[1]
        if any(mark.name == "slow" for mark in param.marks)
    ]
    assert slow == ["b.json:one"]


def test_a_thin_suite_is_an_error(small_suite: Path) -> None:
    with pytest.raises(ValueError, match="3 cases, fewer than the 4 expected"):
        vector_cases("suite", read, at_least=4)


def test_two_cases_with_one_id_are_an_error(small_suite: Path) -> None:
    with pytest.raises(ValueError, match=r"share an id: \['b.json:one'\]"):
        vector_cases("suite", lambda path: read(path) * 2, at_least=1, pattern="b.json")


@pytest.mark.parametrize("count", [0, 1, 39, 40, 41, 79, 1000])
def test_a_sample_is_fixed_and_spans_the_suite(count: int) -> None:
    items = list(range(count))
    sample = evenly_spaced(items)
    assert sample == evenly_spaced(items)
    assert len(sample) == min(count, 40)
    assert sample == sorted(set(sample))
    assert sample[:1] == items[:1]
    assert sample[-1:] == items[-1:]
