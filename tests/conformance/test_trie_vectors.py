"""TrieTests of ethereum/tests and of ethereumjs, and zk_evm's cumulative roots."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.vector_files import VECTORS, vector_cases
from hexary import (
    Address,
    SecureTrie,
    Trie,
    keccak256,
    rlp,
    secure_trie_root,
    sorted_trie_root,
    trie_root,
)
from hexary.trie import EMPTY_ROOT
from oracle import oracle_root

ORDERS = 24
"""Orders in which an any-order case is built: all of them up to four entries."""


def _bytes(text: str | None) -> bytes:
    """Read a key or value: 0x-text is hex, other text is itself, null is no value."""
    if text is None:
        return b""
    return bytes.fromhex(text[2:]) if text.startswith("0x") else text.encode()


def _content(path: Path) -> dict[str, Any]:
    """Return the cases of a file; ethereumjs keeps them one level down."""
    content = json.loads(path.read_text())
    return content.get("tests", content)


def _cases(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    if "nextprev" in path.name.lower():
        return
    secure = "secure" in path.name.lower()
    for name, case in _content(path).items():
        entries = case["in"].items() if isinstance(case["in"], dict) else case["in"]
        yield (
            name,
            {
                "pairs": [(_bytes(key), _bytes(value)) for key, value in entries],
                "ordered": isinstance(case["in"], list),
                "secure": secure,
                "root": case["root"],
            },
        )


def _check(case: dict[str, Any]) -> None:
    kind = SecureTrie if case["secure"] else Trie
    bulk = secure_trie_root if case["secure"] else trie_root
    pairs, root = case["pairs"], bytes.fromhex(case["root"][2:])
    final = {key: value for key, value in dict(pairs).items() if value}
    keys = {keccak256(key) if case["secure"] else key: key for key in final}
    ascending = ((key, final[keys[key]]) for key in sorted(keys))
    assert sorted_trie_root(ascending) == root
    assert oracle_root(final, secure=case["secure"]) == root
    assert bulk(pairs) == root
    trie = kind(pairs)
    assert trie.root_hash == root
    assert dict(trie) == final
    entries = pairs if case["ordered"] else list(final.items())
    orders = [entries]
    if not case["ordered"]:
        if len(entries) <= 4:
            orders = list(itertools.permutations(entries))
        else:
            source = random.Random(7)
            orders = [source.sample(entries, len(entries)) for _ in range(ORDERS)]
    for order in orders:
        assert kind(order).root_hash == root
        junk = kind({b"junk": b"x" * 40, b"\xffjunk": b"y"})
        junk.update(order)
        for key in (b"junk", b"\xffjunk"):
            del junk[key]
        assert junk.root_hash == root
        for key in final:
            del junk[key]
        assert junk.root_hash == EMPTY_ROOT


@vector_cases("trie/ethereum-tests", _cases, at_least=25)
def test_ethereum_tests(case):
    _check(case)


@vector_cases("trie/ethereumjs", _cases, at_least=25)
def test_ethereumjs(case):
    _check(case)


def _neighbours(path: Path) -> Iterator[tuple[str, Any]]:
    if "nextprev" in path.name.lower():
        for name, case in _content(path).items():
            for index, test in enumerate(case["tests"]):
                yield f"{name}-{index}-{test[0]}", (case["in"], test)


def _check_neighbours(case: Any) -> None:
    keys, (key, before, after) = case
    trie = Trie({name.encode(): b"v" for name in keys})
    assert (trie.previous_key(key.encode()) or b"") == before.encode()
    assert (trie.next_key(key.encode()) or b"") == after.encode()


@vector_cases("trie/ethereum-tests", _neighbours, at_least=12)
def test_neighbours_of_ethereum_tests(case):
    _check_neighbours(case)


@vector_cases("trie/ethereumjs", _neighbours, at_least=12)
def test_neighbours_of_ethereumjs(case):
    _check_neighbours(case)


@pytest.mark.vectors
def test_zk_evm_cumulative_roots():
    """One secure trie grows by an account at a time; every root on the way is right."""
    path = VECTORS / "trie/zk_evm/pyevm_account_ground_truth.json"
    rows = json.loads(path.read_text())
    assert len(rows) == 2500
    trie = SecureTrie()
    for row in rows:
        account = [
            row["nonce"],
            int(row["balance"], 16),
            bytes.fromhex(row["storage_root"]),
            bytes.fromhex(row["code_hash"]),
        ]
        trie[Address("0x" + row["address"])] = rlp.encode(account)
        assert trie.root_hash == bytes.fromhex(row["final_state_root"])
