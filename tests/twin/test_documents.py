"""The accelerator reads JSON documents as the standard library does, strictly."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hexary import FixtureError
from hexary.state import json_file
from hexary.twin import pure_twins

PURE = pure_twins()

if not PURE:
    pytest.skip("no accelerator in use", allow_module_level=True)

pure_decode = PURE["hexary.state.json_file._decode"]


def outcome(function: Callable[..., Any], text: Any) -> object:
    """Return what *function* returns, types and order and all, or what it raises."""
    try:
        return repr(function(text))
    except Exception as error:  # noqa: BLE001  # whatever it is, the twin has to raise it
        return type(error), str(error)


def same(text: Any) -> None:
    assert outcome(json_file._decode, text) == outcome(pure_decode, text)


VALUES = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(2**70), 2**70),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(max_size=20),
    ),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(st.text(max_size=6), inner, max_size=5)
    ),
    max_leaves=30,
)

PIECES = st.sampled_from(
    [
        *("[", "]", "{", "}", ",", ":", '"', "\\", " ", "\n", "\t", "\x0b", "\x00"),
        *("\\n", "\\/", "\\x", "\\u00e9", "\\ud800", "\\udc00", "\\ud83d\\ude00"),
        *("\\u00", "\\u004G", "true", "false", "null", "NaN", "-Infinity", "nul"),
        *("0", "00", "-0", "-", "1", "1.5", "1e5", "1E400", ".5", "1.", "+1", "1_0"),
        *("123456789012345678", "1234567890123456789", "-999999999999999999999"),
        *('"a"', '"b"', '"a":1', '"a":', "é", "\u2028", "\ud800", "\ufeff"),
        *('"\x1f"', '"\x7f"', '"\x80"', '"12345678\\"', '"1234567\x01"', "//"),
    ]
)


@given(
    value=VALUES,
    ascii_only=st.booleans(),
    separators=st.sampled_from([(",", ":"), (" , ", "\r\n:\t"), (", ", ": ")]),
)
def test_documents(value, ascii_only, separators):
    text = json.dumps(value, ensure_ascii=ascii_only, separators=separators)
    same(text)
    assert json_file._decode(text) == json.loads(text)


@given(pieces=st.lists(PIECES, max_size=12))
@example(["{", '"a":1', ",", '"a":1', "}"])
@example(["{", '"a":1', ",", '"\\u0061":', "1", "}"])
@example(["[", "1", ",", "]"])
@example(["{", '"a":1', ",", "}"])
@example(["{", "}", "}"])
@example(["[", "}"])
@example([])
def test_what_looks_like_a_document(pieces):
    same("".join(pieces))


@given(value=VALUES, position=st.integers(0, 60), piece=PIECES)
def test_documents_with_something_put_in(value, position, piece):
    text = json.dumps(value)
    same(text[:position] + piece + text[position:])
    same(text[:position])


@pytest.mark.parametrize("depth", [1, 255, 256, 257, 400])
@pytest.mark.parametrize("opened", ["[", '{"a":'])
def test_depth(depth, opened):
    closed = "]" if opened == "[" else "}"
    same(depth * opened + "1" + depth * closed)
    same(depth * opened)


@pytest.mark.parametrize("digits", [17, 18, 19, 20, 639, 640, 641, 5000])
@pytest.mark.parametrize("sign", ["", "-"])
def test_integers(digits, sign):
    same(sign + digits * "9")
    same("[" + sign + digits * "9" + "]")


@pytest.mark.parametrize("size", range(40))
@pytest.mark.parametrize("ending", ['"', '\\""', "\\", "\x1f", "", "é\u20ac\U0001f600"])
def test_strings_of_every_size(size, ending):
    same('"' + size * "x" + ending + '"')


@pytest.mark.parametrize("value", [b"[]", None, 1, bytearray(b"[]")])
def test_what_is_no_text(value):
    same(value)


def test_many_keys_that_share_places():
    text = json.dumps([{f"key{number}": number} for number in range(2000)] * 2)
    same(text)


def test_the_line_of_what_is_wrong_is_told_all_the_same():
    with pytest.raises(FixtureError, match=r"occurs twice .* at line 2, column 8"):
        json_file.parse_json(b'{\n"a":1, "a":2}')
