"""The careful reader of JSON takes what the standard library does, strictly."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from hexary.chain import Genesis
from hexary.errors import FixtureError, HexaryError
from hexary.state.json_file import _read, parse_json

SIGNS = st.sampled_from(
    [
        *'[]{},:"\\ \t\n0123456789-+.eEtfnuNI',
        "true",
        "null",
        "NaN",
        '"a":',
        "\\u00",
        "1e9",
    ]
)


def strict(text: str) -> Any:
    """Read a document with the standard library, no key twice and all finite."""

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) != len(pairs):
            raise FixtureError("a key occurs twice")
        return dict(pairs)

    value = json.loads(text, object_pairs_hook=members)
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        raise FixtureError("a number is not finite") from None
    return value


def verdict(read: Any, *arguments: str) -> str:
    """Return the value's text, or that there is none."""
    try:
        return json.dumps(read(*arguments))
    except (FixtureError, json.JSONDecodeError):
        return "refused"


@given(st.lists(SIGNS, max_size=30).map("".join))
@example('{"a":1,"a":2}')
@example('{"a":[{},[],{"b":-0}]}')
@example("[1,]")
@example("[-Infinity]")
def test_its_verdict_is_that_of_the_standard_library(text: str) -> None:
    assert verdict(_read, text, "") == verdict(strict, text)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(VALUES)
def test_what_is_written_is_read(value: Any) -> None:
    if "Infinity" in (text := json.dumps(value)) and '"' not in text:
        return
    try:
        assert parse_json(text.encode()) == value
        assert _read(text, "") == value
    except FixtureError as error:
        assert "Infinity" in error.rule or "surrogate" in error.rule


@given(st.binary(max_size=60))
def test_any_bytes_are_json_or_a_fixture_error(data: bytes) -> None:
    try:
        parse_json(data)
    except FixtureError as error:
        assert str(error).isprintable()


NAMES = st.sampled_from(
    [
        "config",
        "alloc",
        "genesis",
        "accounts",
        "params",
        "difficulty",
        "gasLimit",
        "nonce",
        "timestamp",
        "seal",
        "londonBlock",
        "amsterdamTime",
        "extraData",
        "authorityRound",
        "step",
        "signature",
        "mixHash",
        "baseFeePerGas",
        "stateRoot",
    ]
)
LEAVES = st.sampled_from(
    [None, 0, 1, -1, 1.5, True, "", "0x", "0x0", "0x00", "1", "x", 2**70]
)


@given(st.recursive(LEAVES, lambda inner: st.dictionaries(NAMES, inner), max_leaves=15))
def test_any_document_is_a_genesis_or_a_hexary_error(document: Any) -> None:
    try:
        genesis = Genesis.from_json(document)
        assert len(genesis.block_hash()) == 32
    except HexaryError as error:
        assert str(error).isprintable()
