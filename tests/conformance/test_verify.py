"""The verifier over published files: nothing fails, and no suite runs thin."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from conformance.vector_files import VECTORS
from hexary.fixtures import Report, verify

FLOORS = {
    "keccak-kat": (6, 644, 1_600),
    "rlp-tests": (3, 55, 140),
    "trie-tests": (6, 37, 172),
    "genesis": (47, 47, 97),
}
"""Format → least number of files, cases and checks."""

FOLDERS = (
    "keccak/pycryptodome",
    "rlp/ethereum-tests",
    "trie/ethereum-tests",
    "genesis",
)

SKIPS = {
    "EXPECTED.json has no block0Hash for the file",
    "the state needs the code of a constructor executed",
}


@cache
def report() -> Report:
    """Run the verifier once for all tests here."""
    return Report.of(verify([VECTORS / folder for folder in FOLDERS]))


def test_published_keccak_answers_on_this_backend() -> None:
    """All but the two of 1 GiB, so that every backend meets them in every run."""
    folder = VECTORS / "keccak/pycryptodome"
    paths = [path for path in folder.glob("*KAT*.txt") if "Extremely" not in path.name]
    found = Report.of(verify(paths))
    assert found.failures == []
    assert found.exit_code == 0
    count = found.formats["keccak-kat"]
    assert (count.files, count.cases, count.skipped) == (4, 642, 0)
    assert count.passed >= 1_600


@pytest.mark.slow
def test_nothing_fails_and_everything_is_read() -> None:
    found = report()
    assert found.failures == []
    assert found.unreadable == []
    assert found.unrecognised == []
    assert found.exit_code == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", FLOORS)
def test_no_suite_runs_thin(name: str) -> None:
    count = report().formats[name]
    files, cases, checks = FLOORS[name]
    assert count.files >= files
    assert count.cases >= cases
    assert count.checks >= checks
    assert count.passed == count.checks - count.skipped


@pytest.mark.slow
def test_every_skip_has_one_of_the_known_reasons() -> None:
    assert set(report().total.skips) <= SKIPS
    assert report().total.skipped <= 17
    for name in ("keccak-kat", "rlp-tests", "trie-tests"):
        assert report().formats[name].skipped == 0


@pytest.mark.slow
@pytest.mark.parametrize("network", ["mainnet", "kovan", "chiado"])
def test_named_networks_are_among_them(network: str) -> None:
    """Mainnet's 8,893 accounts, a seal by authority, and constructors."""
    folder = VECTORS / "genesis" / network
    found = Report.of(verify(folder))
    assert found.exit_code == 0
    if network == "chiado":
        assert set(found.total.skips) == {
            "the state needs the code of a constructor executed"
        }
    else:
        assert found.total.skipped == 0
        assert found.total.passed >= 2 * len(list(folder.glob("[a-z]*.json")))


OTHER_COPIES = {
    "rlp/besu": 22,
    "rlp/ethereumjs": 100,
    "rlp/pyrlp": 80,
    "trie/ethereumjs": 172,
}
"""Copies of the same suites in other projects → least number of checks."""


@pytest.mark.parametrize("folder", OTHER_COPIES)
def test_copies_in_other_projects_pass(folder: str) -> None:
    found = Report.of(verify(VECTORS / folder))
    assert found.failures == []
    assert found.total.checks >= OTHER_COPIES[folder]


def test_a_folder_without_a_known_format_is_listed() -> None:
    found = Report.of(verify(VECTORS / "reports"))
    assert [Path(outcome.file).name for outcome in found.unrecognised] == ["cases.json"]
    assert found.exit_code == 2
