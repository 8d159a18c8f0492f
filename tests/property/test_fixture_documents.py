"""Fixture files with anything in any place: the verifier tells, and never raises."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hexary.fixtures import Check, FileOutcome, Status
from hexary.fixtures.registry import known_formats
from hexary.fixtures.task import Task
from unit.fixtures.chain_documents import DOCUMENTS

pytest.importorskip("coincurve", reason="the extra secp256k1 is not installed")

ODD: list[Any] = [
    None, True, 0, -1, 1.5, 10**400, "", "0x", "0x0", "0xzz", "00", "text",
    "0x" + "ff" * 33, [], {}, [None], [[]], [{}], {"": None}, {"0x": {}}, ["0x"],
    "0x" + "00" * 32,
]  # fmt: skip

FORMATS = known_formats()


def places(document: Any) -> list[tuple[Any, Any]]:
    """Return every container in a document with each of its keys or indexes."""
    found = []
    waiting = [document]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            found += [(value, key) for key in value]
            waiting += value.values()
        elif isinstance(value, list):
            found += [(value, index) for index in range(len(value))]
            waiting += value
    return found


def check(document: Any) -> None:
    """Verify a document; whatever is in it, the results are results."""
    data = json.dumps(document).encode()
    results = list(Task("a.json", data=data).results(FORMATS))
    assert isinstance(results[-1], FileOutcome)
    for result in results[:-1]:
        assert isinstance(result, Check)
        if result.status is Status.FAILED:
            assert result.got or result.reason


@pytest.mark.parametrize("name", DOCUMENTS)
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_odd_values_anywhere_are_told(name: str, data: st.DataObject) -> None:
    document = copy.deepcopy(DOCUMENTS[name]())
    for _ in range(data.draw(st.integers(1, 2))):
        found = places(document)
        if not found:
            break
        owner, key = found[data.draw(st.integers(0, len(found) - 1))]
        action = data.draw(st.sampled_from(["replace", "remove", "double"]))
        if action == "remove":
            del owner[key]
        elif action == "double" and isinstance(owner, list):
            owner.append(copy.deepcopy(owner[key]))
        else:
            # A copy: a later step may change it.
            owner[key] = copy.deepcopy(data.draw(st.sampled_from(ODD)))
    check(document)
