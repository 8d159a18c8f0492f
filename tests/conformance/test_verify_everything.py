"""
The verifier over all published files: what fails is what is wrong on purpose.

``wrong-on-purpose.json`` lists it, each with the reason.  The floors say how much there
is of what cannot go missing without being seen.
"""

from __future__ import annotations

import json
from collections import Counter
from fnmatch import fnmatch
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
    "typed-tables": (13, 836, 1_950),
    "precompiles": (4, 114, 114),
    "genesis": (53, 53, 100),
    "basic-tests": (6, 24, 36),
    "blockchain-tests": (160, 704, 23_000),
    "engine-tests": (5, 5, 100),
    "state-tests": (138, 1_003, 8_050),
    "transaction-tests": (211, 211, 4_400),
    "transaction-tables": (10, 1_307, 15_200),
    "transitions": (97, 97, 350),
    "tracer-files": (8, 8, 280),
    "access-lists": (3, 3, 6),
    "witnesses": (4, 4, 22),
    "zk-traces": (6, 6, 1_200),
    "account-proofs": (65, 67, 290),
    "raw-rlp": (65, 1_193, 5_700),
    "portal-content": (36, 94, 527),
    "rpc-messages": (320, 320, 19_000),
}
"""Format → least number of files, cases and checks that passed or failed."""

SKIPS = {
    "EXPECTED.json has no block0Hash for the file": 14,
    "EXPECTED.json has no entry for the file": 4,
    "there is no EXPECTED.json beside the file": 8,
    "the state needs the code of a constructor executed": 3,
    "the parent beacon block root does not come with the payload": 7,
    "the file tells no state root: the hash of the first node stands for it": 67,
    "the answer does not say whose account it is": 2,
    "the key store does not tell it": 4,
    "the state before the block is not told": 1,
    "the file does not have the nodes that lead to the account": 45,
}
"""Reason → how many checks may be skipped for it; no other reason is known."""

UNRECOGNISED = Path(__file__).with_name("unrecognised.json")
"""Pattern of paths → why no format recognises these files."""

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
    ("blockchain-tests", "last-chain"): 700,
    ("blockchain-tests", "excess-blob-gas"): 880,
    ("account-proofs", "account"): 64,
    ("account-proofs", "storage"): 43,
    ("witnesses", "nodes-linked"): 4,
    ("zk-traces", "state-root"): 6,
    ("tracer-files", "account"): 21,
    ("raw-rlp", "parent"): 1_000,
    ("rpc-messages", "header-hash"): 480,
    ("rpc-messages", "senders"): 7_000,
}
"""Format and check → least number that passed."""


IN_FOLDERS = {
    ("blockchain/ethereum-tests", "blockchain-tests", "pre-state-root"): 695,
    ("blockchain/ethereum-tests", "blockchain-tests", "post-state-root"): 695,
    ("blockchain/ethereum-tests", "blockchain-tests", "block header-hash"): 1_293,
    ("eest/ethereumjs-fusaka-devnet-5", "state-tests", "post-state-root"): 530,
    ("eest/ethereumjs-fusaka-devnet-5", "state-tests", "info-hash"): 530,
    ("dumps", "transitions", "state-root"): 63,
    ("rpc/execution-apis", "rpc-messages", "header-hash"): 370,
}
"""Folder, format and check → least number that passed: what the sources are known for.

A block's ``header-hash`` is counted apart from that of block 0.
"""

ONLY_SKIPPED = {"genesis/chiado/chainspec.json"}
"""Files of which nothing can be checked: code of constructors makes the state."""


class _Everything(NamedTuple):
    report: Report
    passed: Counter[tuple[str, str]]
    in_folder: Counter[tuple[str, str, str]]
    files: dict[str, int]
    made: set[str]


@cache
def everything() -> _Everything:
    """Run the verifier once for all tests here."""
    report = Report()
    passed: Counter[tuple[str, str]] = Counter()
    in_folder: Counter[tuple[str, str, str]] = Counter()
    made: set[str] = set()
    files: Counter[str] = Counter()
    expected = Expectations.from_file(WRONG)
    for result in expected.apply(verify(VECTORS, workers=2)):
        report.add(result)
        if isinstance(result, Check):
            files[result.file] += 1
            if result.status is Status.PASSED:
                passed[result.format, result.name] += 1
                name = result.name
                if name == "header-hash" and result.place.startswith("blocks["):
                    name = f"block {name}"
                folder = Path(result.file).relative_to(VECTORS).parts
                for depth in (1, 2):
                    whole = "/".join(folder[:depth])
                    in_folder[whole, result.format, name] += 1
            if result.status is not Status.SKIPPED:
                made.add(Path(result.file).relative_to(VECTORS).as_posix())
    return _Everything(report, passed, in_folder, dict(files), made)


def test_nothing_fails_but_what_is_wrong_on_purpose() -> None:
    found = everything().report
    assert [str(check) for check in found.failures] == []
    assert found.unreadable == []
    assert found.lost == []
    assert found.exit_code == 0
    assert found.total.expected >= 58


def test_every_format_runs_over_enough() -> None:
    found = everything().report.formats
    for name, (files, cases, checks) in FLOORS.items():
        assert found[name].files >= files, name
        assert found[name].cases >= cases, name
        assert found[name].checks - found[name].skipped >= checks * 7 // 10, name
    unseen = {known.name for known in known_formats()} - set(found)
    # No file of these is published here; the tests of honesty make some.
    assert unseen == {"addresses", "pre-alloc-groups", "state-dumps"}


def test_every_kind_of_value_is_checked_often_enough() -> None:
    found = everything().passed
    for check, floor in CHECKS.items():
        assert found[check] >= floor, check
    for where, floor in IN_FOLDERS.items():
        assert everything().in_folder[where] >= floor, where


def test_every_recognised_file_has_a_check() -> None:
    found = everything()
    files = sum(count.files for count in found.report.formats.values())
    assert len(found.files) == files
    skipped = {Path(one).relative_to(VECTORS).as_posix() for one in found.files}
    assert skipped - found.made == ONLY_SKIPPED


def test_no_more_is_skipped_than_is_known() -> None:
    found = everything().report.total
    assert found.skipped == found.skips.total()
    for reason, count in found.skips.items():
        assert count <= SKIPS[reason], reason


def test_every_unrecognised_file_is_so_for_a_reason(checkout: Path) -> None:
    """The page of the formats lists them with the reason and how many there are."""
    reasons = json.loads(UNRECOGNISED.read_text(encoding="utf-8"))
    counts: Counter[str] = Counter()
    for outcome in everything().report.unrecognised:
        name = Path(outcome.file).relative_to(VECTORS).as_posix()
        (pattern,) = (one for one in reasons if fnmatch(name, one))
        counts[pattern] += 1
    page = (checkout / "docs" / "formats.md").read_text(encoding="utf-8")
    for pattern, reason in reasons.items():
        assert f"| `{pattern}` | {counts[pattern]} | {reason} |" in page
    assert counts.total() == len(everything().report.unrecognised)
