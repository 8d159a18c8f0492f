"""The published vectors are there, and the helper that reads them never runs thin."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance import vector_files
from conformance.vector_files import evenly_spaced, files, vector_cases

FLOORS = {"rlp": 7, "trie": 12, "genesis": 46, "proofs": 120, "typed": 25}


def test_vectors_are_there(vectors: Path) -> None:
    """This one test is skipped, with the way to get them, where there are none."""
    assert (vectors / "reports" / "cases.json").is_file()
    thin = {name: len(files(name)) for name in FLOORS}
    assert {name for name, count in thin.items() if count < FLOORS[name]} == set()


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
