"""Fixture files with anything in any place: the verifier tells, and never raises."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hexary.errors import FixtureError
from hexary.fixtures import Check, FileOutcome, Status
from hexary.fixtures.compact_witness import read_compact_witness
from hexary.fixtures.registry import known_formats
from hexary.fixtures.simple_serialize import read_parts, write_parts
from hexary.fixtures.task import Task
from unit.fixtures.chain_documents import DOCUMENTS
from unit.fixtures.format_documents import FORMAT_DOCUMENTS, compact
from unit.fixtures.format_files import FILES

pytest.importorskip("coincurve", reason="the extra secp256k1 is not installed")

ALL_DOCUMENTS = DOCUMENTS | FORMAT_DOCUMENTS


def nested(depth: int) -> Any:
    """Return an empty array in so many others."""
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


ODD: list[Any] = [
    None, True, 0, -1, 1.5, 10**400, 2**63, 2**64, "", "0x", "0x0", "0xzz", "00",
    "text", "0x" + "ff" * 33, [], {}, [None], [[]], [{}], {"": None}, {"0x": {}},
    ["0x"], "0x" + "00" * 32, "0xc0", "0xf8", "0x80", "0x01c0", "9" * 5000,
    "0x" + "f" * 70_000, {"0x" + "00" * 32: "0x"}, nested(600), "\x00\u202e",
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


def check(data: bytes, name: str = "a.json") -> list[Check]:
    """Verify a file; whatever is in it, the results are results."""
    results = list(Task(name, data=data).results(FORMATS))
    outcome = results.pop()
    assert isinstance(outcome, FileOutcome)
    checks = []
    for result in results:
        assert isinstance(result, Check)
        assert str(result).isprintable()
        if result.status is Status.FAILED:
            assert result.got or result.reason
        if result.status is Status.SKIPPED:
            assert result.reason
        checks.append(result)
    return checks


@pytest.mark.parametrize("name", ALL_DOCUMENTS)
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_odd_values_anywhere_are_told(name: str, data: st.DataObject) -> None:
    document = copy.deepcopy(ALL_DOCUMENTS[name]())
    for _ in range(data.draw(st.integers(1, 2))):
        found = places(document)
        if not found:
            break
        owner, key = found[data.draw(st.integers(0, len(found) - 1))]
        action = data.draw(st.sampled_from(["replace", "remove", "double", "move"]))
        if action == "remove":
            del owner[key]
        elif action == "double" and isinstance(owner, list):
            owner.append(copy.deepcopy(owner[key]))
        elif action == "move":
            other, place = found[data.draw(st.integers(0, len(found) - 1))]
            owner[key] = copy.deepcopy(other[place])
        else:
            # A copy: a later step may change it.
            owner[key] = copy.deepcopy(data.draw(st.sampled_from(ODD)))
    # A document of a contract is known by its name.
    check(json.dumps(document).encode(), f"{name}.json")


@pytest.mark.parametrize("name", ALL_DOCUMENTS)
def test_each_odd_value_in_each_place_at_the_top_is_told(name: str) -> None:
    """What a format looks for first is where a wrong type is met first."""
    document = ALL_DOCUMENTS[name]()
    top = document if isinstance(document, dict) else document[0]
    inner = [value for value in top.values() if isinstance(value, dict)]
    for owner in [top, *inner]:
        for key in list(owner):
            before = owner[key]
            for odd in ODD:
                owner[key] = odd
                check(json.dumps(document).encode(), f"{name}.json")
            owner[key] = before
    for odd in ODD:
        check(json.dumps(odd).encode(), f"{name}.json")
        check(json.dumps([odd]).encode(), f"{name}.json")


@pytest.mark.parametrize("name", FILES)
@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_odd_bytes_anywhere_are_told(name: str, data: st.DataObject) -> None:
    content = bytearray(FILES[name]())
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(content)))
        action = data.draw(st.sampled_from(["cut", "put", "flip", "double"]))
        if action == "cut":
            del content[start : start + data.draw(st.integers(1, 200))]
        elif action == "double":
            content[start:start] = content[start : start + 200]
        elif action == "flip" and start < len(content):
            content[start] ^= data.draw(st.integers(1, 255))
        else:
            content[start:start] = data.draw(st.binary(max_size=8))
    check(bytes(content), name)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_compact_witness_or_refused(data: bytes) -> None:
    try:
        found = read_compact_witness(data)
    except FixtureError as error:
        assert error.rule
        assert error.field.startswith("byte ")
    else:
        assert len(found.root) == 32


@given(st.data())
def test_a_changed_compact_witness_is_refused_or_has_another_root(
    data: st.DataObject,
) -> None:
    """Save for its version and the size of the code, which build nothing."""
    program, root = compact()
    place = data.draw(st.integers(1, len(program) - 2))
    changed = bytearray(program)
    changed[place] ^= data.draw(st.integers(1, 255))
    try:
        found = read_compact_witness(bytes(changed))
    except FixtureError:
        return
    assert found.root != root


@given(st.lists(st.binary(max_size=20), max_size=6))
def test_parts_are_read_as_they_were_written(parts: list[bytes]) -> None:
    assert read_parts(write_parts(parts)) == parts


@given(st.binary(max_size=60))
def test_any_bytes_are_parts_or_refused(data: bytes) -> None:
    try:
        parts = read_parts(data, field="here")
    except FixtureError as error:
        assert error.field == "here"
    else:
        assert write_parts(parts) == data
