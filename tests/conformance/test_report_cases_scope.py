"""
Which cases of public bug reports (``reports/cases.json``) are tested, and which not.

Every exact case of the classes below has a test that carries its id, in the name of a
test function or in the id of a parameter, or stands in `LEFT_OUT` with the reason.
"""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

from conformance.vector_files import VECTORS

CLASSES = {
    "absence-proof",
    "backend-selection",
    "encoding",
    "hex-parsing",
    "persistence-corruption",
    "proof-verify",
    "range-proof",
    "rlp-strictness",
    "security",
    "trie-delete",
    "typed-bytes",
}

LEFT_OUT: dict[str, str] = {}
"""Exact cases without a test of their own → why."""

DECIDED = {
    "U120": "hex() gives 0x-text, as the base types that fillers use do",
    "U124": "an int given to a fixed-size type is a number, as there",
    "U125": "number text parses and bool is 0 or 1, as there; floats are refused",
}
"""Exact cases tested for what is decided, which is not what the report asks → why."""

_IN_NAME = re.compile(r"(?:^|_)u(\d{3})(?=_|$)")
_IN_TEXT = re.compile(r"^U(\d{3})\b")


def _tested() -> set[str]:
    """Return the ids in names of test functions and in texts of the test sources."""
    found = set()
    for path in Path(__file__).resolve().parents[1].rglob("test_*.py"):
        if path.name == Path(__file__).name:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                found.update(_IN_NAME.findall(node.name))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.update(_IN_TEXT.findall(node.value))
    return {f"U{number}" for number in found}


@pytest.mark.vectors
def test_every_exact_case_is_tested_or_left_out_with_a_reason():
    cases = json.loads((VECTORS / "reports/cases.json").read_text(encoding="utf-8"))
    exact = {
        case["id"]
        for case in cases
        if case["kind"] == "exact" and case["class"] in CLASSES
    }
    assert len(exact) == 69
    assert set(LEFT_OUT) | set(DECIDED) <= exact
    assert exact - _tested() - set(LEFT_OUT) == set()
    assert set(LEFT_OUT) & _tested() == set()


@pytest.mark.vectors
def test_every_case_about_proofs_is_tested():
    """Described behaviours too."""
    about = {"absence-proof", "encoding", "proof-verify", "range-proof", "security"}
    cases = json.loads((VECTORS / "reports/cases.json").read_text(encoding="utf-8"))
    inside = {case["id"] for case in cases if case["class"] in about}
    assert len(inside) == 45
    assert inside - _tested() == set()
