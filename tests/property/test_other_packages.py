"""Hexary gives the answers that independent packages give, on input of all kinds."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import ethereum_rlp
import pytest
import rlp as pyrlp
from eth_hash.auto import keccak as eth_hash_keccak
from hypothesis import given
from hypothesis import strategies as st
from trie import HexaryTrie

import hexary
from hexary import rlp

ITEMS = st.recursive(st.binary(max_size=80), lambda inner: st.lists(inner, max_size=6))
PAIRS = st.dictionaries(
    st.binary(min_size=1, max_size=34), st.binary(min_size=1, max_size=60), max_size=40
)


def plain(item: Any) -> Any:
    """Return nested lists of bytes, whatever sequence a package decodes to."""
    return bytes(item) if isinstance(item, bytes) else [plain(part) for part in item]


def verdict(decode: Any, data: bytes, error: type[Exception]) -> Any:
    """Return what *decode* makes of *data*, "refused" if it raises *error*."""
    try:
        return plain(decode(data))
    except error:
        return "refused"


@given(st.binary(max_size=300))
def test_keccak_is_that_of_eth_hash(message: bytes) -> None:
    assert hexary.keccak256(message) == eth_hash_keccak(message)


@given(ITEMS)
def test_encodings_are_those_of_rlp_and_ethereum_rlp(item: Any) -> None:
    encoded = rlp.encode(item)
    assert encoded == pyrlp.encode(item)
    assert encoded == ethereum_rlp.encode(item)


@given(st.integers(0, 2**256 - 1))
def test_integers_encode_as_in_rlp(number: int) -> None:
    assert rlp.encode(number) == pyrlp.encode(number)


@given(
    st.one_of(
        st.binary(max_size=60),
        st.tuples(ITEMS, st.integers(0, 400), st.binary(max_size=3)).map(
            lambda parts: (
                (encoded := rlp.encode(parts[0]))[: (at := parts[1] % len(encoded))]
                + parts[2]
                + encoded[at + 1 :]
            )
        ),
    )
)
def test_mutated_encodings_get_the_verdict_of_rlp(data: bytes) -> None:
    """The same items, or refused by both: neither is laxer than the other."""
    ours = verdict(rlp.decode, data, hexary.DecodeError)
    assert ours == verdict(pyrlp.decode, data, pyrlp.DecodingError)


@given(PAIRS)
def test_roots_are_those_of_py_trie(pairs: dict[bytes, bytes]) -> None:
    theirs = HexaryTrie({})
    for key, value in pairs.items():
        theirs[key] = value
    assert hexary.trie_root(pairs) == theirs.root_hash
    assert hexary.Trie(pairs).root_hash == theirs.root_hash


@given(PAIRS, st.data())
def test_roots_after_deleting_are_those_of_py_trie(
    pairs: dict[bytes, bytes], data: st.DataObject
) -> None:
    ours, theirs = hexary.Trie(pairs), HexaryTrie({})
    for key, value in pairs.items():
        theirs[key] = value
    gone = (
        data.draw(st.lists(st.sampled_from(sorted(pairs)), unique=True))
        if pairs
        else []
    )
    for key in gone:
        del ours[key]
        del theirs[key]
    assert ours.root_hash == theirs.root_hash


@pytest.fixture(scope="module")
def eels() -> Any:
    """The trie of the execution specs; their import raises the recursion limit."""
    limit = sys.getrecursionlimit()
    try:
        return importlib.import_module("ethereum.forks.osaka.trie")
    except ModuleNotFoundError:
        return pytest.skip("ethereum-execution cannot be installed for this Python")
    finally:
        sys.setrecursionlimit(limit)


@given(PAIRS)
def test_roots_are_those_of_the_execution_specs(
    eels: Any, pairs: dict[bytes, bytes]
) -> None:
    for secured, root in ((False, hexary.trie_root), (True, hexary.secure_trie_root)):
        theirs = eels.Trie(secured=secured, default=b"")
        for key, value in pairs.items():
            eels.trie_set(theirs, key, value)
        assert root(pairs) == eels.root(theirs)
