from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from hexary.errors import FixtureError, InputTypeError
from hexary.state import json_file
from hexary.state.json_file import (
    MAX_DEPTH,
    MAX_DIGITS,
    _depth,
    _read,
    load_json,
    parse_json,
)


def nested(depth: int) -> bytes:
    """Return JSON nested *depth* deep, by objects and arrays in turn."""
    opened = b"".join(b'{"a":' if level % 2 else b"[" for level in range(depth))
    closed = b"".join(b"}" if level % 2 else b"]" for level in reversed(range(depth)))
    return opened + b"0" + closed


def verdict(data: bytes) -> str:
    try:
        parse_json(data)
    except FixtureError as error:
        return str(error)
    return "accepted"


def at_stack_depth(depth: int, call: Any) -> Any:
    return call() if depth == 0 else at_stack_depth(depth - 1, call)


REFUSED = [
    (b"", "not JSON: Expecting value at line 1, column 1"),
    (b"\n\n  nul", "not JSON: Expecting value at line 3, column 3"),
    (b"[1,\n2", "not JSON: Expecting ',' delimiter at line 2, column 2"),
    (b'{"a" 1}', "not JSON: Expecting ':' delimiter at line 1, column 6"),
    (b"[] []", "not JSON: Extra data at line 1, column 4"),
    (b'"\\x"', "not JSON: Invalid \\escape at line 1, column 2"),
    (b'"a\nb"', "not JSON: Invalid control character at line 1, column 3"),
    (b"01", "not JSON: Extra data at line 1, column 2"),
    (b"NaN", "NaN is not a JSON value at line 1, column 1"),
    (b"[Infinity]", "Infinity is not a JSON value at line 1, column 2"),
    (b'{"a": -Infinity}', "-Infinity is not a JSON value at line 1, column 7"),
    (b"1e999", "the number '1e999' is too large at line 1, column 1"),
    (b"[-1e999]", "the number '-1e999' is too large at line 1, column 2"),
    (
        b'{"a": 1, "b": 2, "a": 1}',
        "the key 'a' occurs twice in one object at line 1, column 18",
    ),
    (
        b'{"x": {"a": 1,\n"\\u0061": 1}}',
        "the key 'a' occurs twice in one object at line 2, column 1",
    ),
    (
        b"9" * 641,
        "an integer of 641 digits is over the limit of 640 at line 1, column 1",
    ),
    (
        b"-" + b"9" * 5000,
        "an integer of 5000 digits is over the limit of 640 at line 1, column 1",
    ),
    (b'"\\ud800"', "the text '\\ud800' holds half of a surrogate pair"),
    (b'{"\\udfff": [1]}', "the text '\\udfff' holds half of a surrogate pair"),
    (
        b'["ok", {"a": "b\\ud800"}]',
        "the text 'b\\ud800' holds half of a surrogate pair",
    ),
    (b'"\xff"', "not UTF-8: invalid start byte at byte 1"),
    (b"\xff\xfe[\x00]\x00", "not UTF-8: invalid start byte at byte 0"),
]


@pytest.mark.parametrize(("data", "rule"), REFUSED)
def test_what_is_not_plain_json_is_refused_with_its_place(
    data: bytes, rule: str
) -> None:
    with pytest.raises(FixtureError) as caught:
        parse_json(data, file="alloc.json")
    assert caught.value.rule == rule
    assert caught.value.file == "alloc.json"
    assert str(caught.value) == f"alloc.json: {rule}"


ACCEPTED = [
    (b" [1, -0, 2.5, 1e3, true, false, null] ", [1, 0, 2.5, 1000.0, True, False, None]),
    (b'{"a": {}, "b": [], "c": [{}, [[]]]}', {"a": {}, "b": [], "c": [{}, [[]]]}),
    (b'"\\ud83d\\ude00 [[[ \\" \\\\"', '\U0001f600 [[[ " \\'),
    (b"\xef\xbb\xbf{}", {}),
    (b"123456789012345678901234567890", 123456789012345678901234567890),
    (b"9" * MAX_DIGITS, 10**MAX_DIGITS - 1),
]


@pytest.mark.parametrize(("data", "value"), ACCEPTED)
def test_plain_json_is_read_exactly(data: bytes, value: object) -> None:
    assert parse_json(data) == value


@pytest.mark.parametrize(("data", "value"), ACCEPTED)
def test_the_iterative_reader_reads_the_same(data: bytes, value: object) -> None:
    assert _read(data.decode("utf-8-sig"), "") == value


def test_nesting_has_a_limit() -> None:
    assert verdict(nested(MAX_DEPTH)) == "accepted"
    assert verdict(nested(MAX_DEPTH + 1)) == (
        "arrays and objects are nested 257 deep, the limit is 256"
    )
    assert verdict(b"[" * 1_000_000) == (
        "arrays and objects are nested 1000000 deep, the limit is 256"
    )


def test_brackets_in_strings_are_not_nesting() -> None:
    assert _depth(b'["[[[", "\\"[[", "\\\\", {"]]": []}]') == 3
    assert verdict(json.dumps(["[" * 1000, '"[' * 1000, "\\[" * 1000]).encode()) == (
        "accepted"
    )


@pytest.mark.parametrize("limit", [120, 200, 1000, 20_000])
def test_no_verdict_depends_on_the_recursion_limit(limit: int) -> None:
    documents = [nested(depth) for depth in (5, 90, 110, 256, 257, 5000)]
    documents += [b"[" * 100 + b'{"a":1,"a":2}' + b"]" * 100, b"[" * 200 + b"nul"]
    expected = [verdict(data) for data in documents]
    got: list[str] = []

    def run() -> None:
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(limit)
        try:
            got.extend(verdict(data) for data in documents)
        finally:
            sys.setrecursionlimit(before)

    # A thread starts with a short stack; this one is too long for a limit of 120.
    thread = Thread(target=run)
    thread.start()
    thread.join()
    assert got == expected
    assert expected[:3] == ["accepted"] * 3
    assert "occurs twice" in expected[-2]
    assert "Expecting value" in expected[-1]


def test_no_verdict_depends_on_the_callers_stack() -> None:
    documents = [nested(depth) for depth in (3, 90, 256, 257)]
    expected = [verdict(data) for data in documents]
    used = len(_frames())
    for room in (400, 100, 60, 40):
        depth = sys.getrecursionlimit() - used - room
        got = at_stack_depth(depth, lambda: [verdict(data) for data in documents])
        assert got == expected


def _frames() -> list[object]:
    frame: Any = sys._getframe()
    frames = []
    while frame:
        frames.append(frame)
        frame = frame.f_back
    return frames


@pytest.mark.parametrize("limit", [640, 4300, 0])
def test_no_verdict_depends_on_pythons_limit_of_digits(limit: int) -> None:
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(limit)
    try:
        assert verdict(b"7" * 640) == "accepted"
        assert "641 digits" in verdict(b"7" * 641)
    finally:
        sys.set_int_max_str_digits(before)


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b'{"a": [1]}')
    assert load_json(path) == {"a": [1]}
    assert load_json(str(path)) == {"a": [1]}


def test_an_error_in_a_file_names_it(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_bytes(b"[")
    with pytest.raises(FixtureError) as caught:
        load_json(path)
    assert caught.value.file == str(path)


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("absent.json", "No such file or directory"),
        (".", "Is a directory"),
        ("nul\0byte", "embedded null byte"),
        ("x" * 300, "File name too long"),
    ],
)
def test_an_unreadable_file_is_a_fixture_error(
    tmp_path: Path, name: str, rule: str
) -> None:
    with pytest.raises(FixtureError) as caught:
        load_json(os.path.join(tmp_path, name))
    assert caught.value.rule == rule
    assert str(caught.value).isprintable()


def test_a_long_document_costs_no_more_than_its_size() -> None:
    """Neither quotes nor backslashes nor brackets make the reader go back."""
    for data in (b'"\\"' * 500_000, b"\\" * 1_000_000, b"[]" * 500_000, b'"' * 500_000):
        assert verdict(data).startswith("not JSON")


def test_a_path_may_be_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"[1]")
    assert load_json(os.fsencode(path)) == [1]


@pytest.mark.parametrize("path", [None, 5, ["a.json"]])
def test_what_is_no_path_is_refused(path: Any) -> None:
    with pytest.raises(InputTypeError, match="path must be text, bytes or a path"):
        load_json(path)


@pytest.mark.parametrize("data", [None, 5, "{}", memoryview(b"{}")])
def test_a_document_is_bytes(data: Any) -> None:
    with pytest.raises(InputTypeError, match="data must be bytes"):
        parse_json(data)


def test_a_file_has_a_largest_size(tmp_path: Path) -> None:
    """It costs nothing to make a file with a hole of 60 GB."""
    path = tmp_path / "a.json"
    with path.open("wb") as file:
        file.truncate(60_000_000_000)
    with pytest.raises(FixtureError) as caught:
        load_json(path)
    assert str(caught.value) == (
        f"{path}: a JSON file is read whole, so it has at most 1 GiB"
    )


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="needs /dev/zero")
def test_a_file_without_an_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_file, "MAX_BYTES", 1 << 22)
    with pytest.raises(FixtureError, match="a JSON file is read whole"):
        load_json("/dev/zero")


def test_a_large_file_of_brackets_is_refused_for_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    with open(path, "wb") as file:
        file.write(b"[" * (1 << 20))
        file.truncate(1 << 30)  # The rest is not read, and takes no space.
    with pytest.raises(FixtureError, match="nested over 256 deep"):
        load_json(path)
