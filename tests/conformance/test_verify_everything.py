"""
The verifier over all published files: what fails is what is wrong on purpose.

``wrong-on-purpose.json`` lists it, each with the reason.  The floors say how much there
is of what cannot go missing without being seen.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from conformance.vector_files import VECTORS
from hexary.fixtures import Check, Expectations, Report, Status, known_formats, verify

pytest.importorskip("coincurve", reason="the extra secp256k1 is not installed")

pytestmark = [pytest.mark.slow, pytest.mark.vectors]

WRONG = Path(__file__).with_name("wrong-on-purpose.json")

FLOORS = {
    # format: files, cases, checks
    "keccak-kat": (6, 644, 1_600),
    "rlp-tests": (7, 155, 390),
    "trie-tests": (12, 74, 340),
    "cumulative-roots": (1, 2_500, 2_500),
    "typed-tables": (7, 316, 700),
    "genesis": (53, 53, 100),
    "blockchain-tests": (160, 704, 23_000),
    "engine-tests": (5, 5, 70),
    "state-tests": (131, 996, 8_000),
    "transaction-tests": (211, 211, 4_400),
    "transitions": (97, 97, 350),
    "access-lists": (3, 3, 6),
    "witnesses": (3, 3, 12),
    "rpc-messages": (320, 320, 19_000),
}
"""Format → least number of files, cases and checks that passed or failed."""

CHECKS = {
    ("blockchain-tests", "pre-state-root"): 695,
    ("blockchain-tests", "post-state-root"): 695,
    ("blockchain-tests", "header-hash"): 1_182 + 695,
    ("blockchain-tests", "senders"): 1_100,
    ("state-tests", "post-state-root"): 530,
    ("state-tests", "info-hash"): 530,
    ("transaction-tests", "reject"): 2_050,
    ("transitions", "state-root"): 63,
    ("engine-tests", "block-hash"): 13,
    ("rpc-messages", "header-hash"): 480,
    ("rpc-messages", "senders"): 7_000,
}
"""Format and check → least number that passed."""


class _Everything(NamedTuple):
    report: Report
    passed: Counter[tuple[str, str]]
    in_folder: Counter[str]
    files: dict[str, int]


@cache
def everything() -> _Everything:
    """Run the verifier once for all tests here."""
    report = Report()
    passed: Counter[tuple[str, str]] = Counter()
    in_folder: Counter[str] = Counter()
    files: Counter[str] = Counter()
    expected = Expectations.from_file(WRONG)
    for result in expected.apply(verify(VECTORS, workers=2)):
        report.add(result)
        if isinstance(result, Check):
            files[result.file] += 1
            if result.status is Status.PASSED:
                passed[result.format, result.name] += 1
                if result.name in ("header-hash", "block-hash"):
                    folder = Path(result.file).relative_to(VECTORS).parts[:2]
                    in_folder["/".join(folder)] += 1
    return _Everything(report, passed, in_folder, dict(files))


def test_nothing_fails_but_what_is_wrong_on_purpose() -> None:
    found = everything().report
    assert [str(check) for check in found.failures] == []
    assert found.unreadable == []
    assert found.lost == []
    assert found.exit_code == 0
    assert found.total.expected >= 45


def test_every_format_runs_over_enough() -> None:
    found = everything().report.formats
    for name, (files, cases, checks) in FLOORS.items():
        assert found[name].files >= files, name
        assert found[name].cases >= cases, name
        assert found[name].checks - found[name].skipped >= checks * 7 // 10, name
    unseen = {known.name for known in known_formats()} - set(found)
    # No file of these is published here; the tests of honesty make some.
    assert unseen == {"addresses", "pre-alloc-groups", "precompiles", "state-dumps"}


def test_every_kind_of_value_is_checked_often_enough() -> None:
    found = everything().passed
    for check, floor in CHECKS.items():
        assert found[check] >= floor, check
    assert everything().in_folder["rpc/execution-apis"] >= 370


def test_every_recognised_file_has_a_check() -> None:
    found = everything()
    files = sum(count.files for count in found.report.formats.values())
    assert len(found.files) == files


def test_no_more_is_skipped_than_was() -> None:
    assert everything().report.total.skipped <= 35
