"""The fast reader of JSON returns what the careful one does, or leaves it to that."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hexary import FixtureError
from hexary.state.json_file import (
    MAX_DEPTH,
    _depth,
    _read,
    _read_plain,
    _refuse_half_surrogates,
    parse_json,
)


def careful(data: bytes) -> str | None:
    """Return the value that the careful reader finds, spelled, ``None`` if refused."""
    try:
        value = _read(data.decode().removeprefix("\ufeff"), "")
        _refuse_half_surrogates(value, "")
    except (FixtureError, UnicodeDecodeError):
        return None
    return repr(value)  # tells 1 from 1.0, 0.0 from -0.0, and orders of members apart


def check(data: bytes) -> bool:
    """Check that both readers agree, and return whether the fast one has read it."""
    expected = careful(data) if _depth(data) <= MAX_DEPTH else None
    found = _read_plain(data) if _depth(data) <= MAX_DEPTH else None
    if found:
        assert repr(found[0]) == expected
    try:
        value = parse_json(data)
    except FixtureError:
        assert expected is None
    else:
        assert repr(value) == expected
    return found is not None


KEYS = st.text(max_size=6) | st.sampled_from(["a", "b", 'a"', '"', "\\", '":"', "{["])
NUMBERS = st.one_of(
    st.integers(-(2**70), 2**70),
    st.sampled_from([2**63, 2**64, -(2**63) - 1, 10**640 - 1, 10**640, -(10**640)]),
    st.integers(600, 700).map(lambda digits: 10**digits),
    st.floats(allow_nan=False, allow_infinity=False),
)
VALUES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), NUMBERS, st.text(max_size=20), KEYS,
        st.integers(600, 1400).map("0".__mul__),
        st.integers(600, 700).map(lambda digits: "- " + digits * "7"),
    ),
    lambda inner: (
        st.lists(inner, max_size=5) | st.dictionaries(KEYS, inner, max_size=5)
    ),
    max_leaves=30,
)  # fmt: skip

PIECES = st.sampled_from(
    [
        *(b"[", b"]", b"{", b"}", b",", b":", b'"', b"\\", b" ", b"\n", b"\x0b", b"\0"),
        *(b"\\n", b"\\/", b"\\x", b"\\u00e9", b"\\ud800", b"\\udc00", b"\\u0022"),
        *(b"\\ud83d\\ude00", b"\\u00", b"\\u004G", b'\\"', b"\\\\", b'\\\\"'),
        *(b"true", b"false", b"null", b"NaN", b"-Infinity", b"nul", b"//"),
        *(b"0", b"00", b"-0", b"-", b"1", b"1.5", b"1e5", b"1E400", b".5", b"+1"),
        *(b"1.", b"-1e400", b"1e-400", b"1_0", b"0e0", b"-0.0", b"2.5e+3", b"1e"),
        *(b"18446744073709551615", b"18446744073709551616", b"-9223372036854775809"),
        *(b"9" * 640, b"9" * 641, b"-" + b"9" * 641, b"9" * 5000, b"1." + b"3" * 700),
        *(b'"a"', b'"b"', b'"a":1', b'"a":', b'"b":"a"', b'{"a":1,"a":1}', b'""'),
        *("é".encode(), b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf"),
        *("\u2028".encode(), b'"\x1f"', b'"\x7f"', b'"\xc2\x80"'),
    ]
)
SPACES = st.sampled_from([(",", ":"), (" , ", "\r\n:\t"), (", ", ": ")])


@given(value=VALUES, ascii_only=st.booleans(), spaces=SPACES, mark=st.booleans())
def test_documents(value: Any, ascii_only: bool, spaces: Any, mark: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, separators=spaces)
    check(mark * b"\xef\xbb\xbf" + text.encode())


@given(pieces=st.lists(PIECES, max_size=12))
@example([b"{", b'"a":1', b",", b'"a":1', b"}"])
@example([b"{", b'"a":1', b",", b'"\\u0061":', b"1", b"}"])
@example([b'{"a":1,"a":"\\u0022\\u0022"}'])
@example([b'{"a":1,"a":2,"b":"\\u0022\\u0022"}'])
@example([b'{"a":"\\"","a":"\\u0022\\u0022\\u0022"}'])
@example([b"[", b"1", b",", b"]"])
@example([b"\xef\xbb\xbf", b"\xef\xbb\xbf", b"1"])
@example([b"\xef\xbb\xbf", b"1" * 700])
@example([b"\xef\xbb\xbf-", b"1" * 700])
@example([])
def test_what_looks_like_a_document(pieces: list[bytes]) -> None:
    check(b"".join(pieces))


@given(
    value=VALUES,
    position=st.integers(0, 100),
    cut=st.integers(0, 3),
    piece=PIECES,
)
def test_documents_with_something_put_in_or_taken_out(
    value: Any, position: int, cut: int, piece: bytes
) -> None:
    data = json.dumps(value, ensure_ascii=False).encode()
    check(data[:position] + piece + data[position + cut :])
    check(data[:position])


@given(
    members=st.lists(st.tuples(KEYS, VALUES), min_size=1, max_size=4),
    again=st.integers(0, 3),
    value=VALUES,
    inside=st.booleans(),
)
def test_no_key_that_occurs_twice_is_overlooked(
    members: list[tuple[str, Any]], again: int, value: Any, inside: bool
) -> None:
    key = members[again % len(members)][0]
    spelled = [
        f"{json.dumps(name)}: {json.dumps(each)}"
        for name, each in [*members, (key, value)]
    ]
    text = "{" + ", ".join(spelled) + "}"
    data = (f'[{text}, "", {{"x": 0}}]' if inside else text).encode()
    assert not check(data)
    with pytest.raises(FixtureError):
        parse_json(data)


@pytest.mark.parametrize("depth", [1, 16, 17, 255, 256, 257, 400, 100_000])
@pytest.mark.parametrize("opened", ["[", '{"a":', '["]", '])
def test_depth(depth: int, opened: str) -> None:
    closed = "}" if opened == '{"a":' else "]"
    whole = (depth * opened + "1" + depth * closed).encode()
    assert check(whole) == (depth <= MAX_DEPTH)
    assert not check((depth * opened).encode())


@pytest.mark.parametrize("digits", [17, 18, 19, 20, 639, 640, 641, 656, 4300, 5000])
@pytest.mark.parametrize("sign", ["", "-"])
@pytest.mark.parametrize(
    "before",
    [
        *("", " ", "[", "[1,", '{"a":', '{"a"\n:\t'),
        # Digits where one looks, before those of the integer or in reach of them.
        *("[" + 64 * "1,", '["0x' + 800 * "0" + '",', '["0x' + 800 * "0" + 8 * " 0"),
    ],
)
@pytest.mark.parametrize("shift", [0, 5, 15])
def test_integers(digits: int, sign: str, before: str, shift: int) -> None:
    closed = {"[": "]", "{": "}"}.get(before[:1], "")
    if before.endswith("0"):
        before += '", '
    data = (shift * " " + before + sign + digits * "9" + closed).encode()
    # A number alone, with no character before it, is left to the careful reader.
    assert check(data) == (digits <= 640) or data[:1].isdigit()


@pytest.mark.parametrize(
    "text",
    [
        '"0x' + 2000 * "0" + '"',
        '{"' + 2000 * "1" + '": ""}',
        "[0." + 2000 * "3" + "]",
        "[0." + 2000 * "3" + "e5]",
        '{"a": {"a": "a"}, "b": "\\"\\\\\\""}',
        '["' + 5000 * '\\"[' + '"]',
        '["' + 5000 * "\\\\" + '"]',
    ],
)
def test_what_is_plain_is_read_fast(text: str) -> None:
    assert check(text.encode())
