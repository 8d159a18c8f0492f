"""
`packed_trie_root` and `trie_root`: the accelerator and the Python code that it replaces
find the same root, or refuse with the same error.

Input: two bytes for the form of the offsets, the number of keys, a byte for each offset
of keys and values, then the bytes of both.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from itertools import accumulate
from typing import Any

from hexary.trie.root import packed_trie_root, trie_root
from hexary.twin import pure_twins

_PURE = pure_twins()


def _outcome(function: Callable[..., Any], *arguments: Any, **named: Any) -> object:
    """Return what *function* returns, or all that its error says."""
    try:
        return function(*arguments, **named)
    except Exception as error:  # noqa: BLE001  # whatever it is, both have to raise it
        return type(error), str(error), vars(error)


def _offsets(form: int, sizes: bytes) -> object:
    """Return offsets for pieces of these sizes, or what is none."""
    if form < 160:
        return memoryview(array("Q", accumulate(sizes, initial=0)))
    if form < 200:
        return memoryview(array("Q", list(sizes)))  # not rising, mostly
    if form < 240:
        return form - 200
    return memoryview(array("I", list(sizes)))


def test_one_input(data: bytes) -> None:
    """Find the root of the pairs that *data* describes, by both."""
    if not _PURE:
        raise SystemExit("no accelerator in use: there is nothing to compare")
    if len(data) < 3:
        return
    count = data[2] % 64
    key_sizes, rest = data[3 : 3 + count], data[3 + count :]
    value_sizes, rest = rest[:count], rest[count:]
    keys = rest[: sum(key_sizes)]
    values = rest[sum(key_sizes) :]
    if len(values) < sum(value_sizes) and data[1] % 2 == 0:
        values += b"v" * (sum(value_sizes) - len(values))
    named: dict[str, Any] = {
        "key_offsets": _offsets(data[0], key_sizes),
        "value_offsets": _offsets(data[1], value_sizes),
        "threads": 1 + data[0] % 2,
    }
    pure = _PURE["hexary.trie.root.packed_trie_root"]
    mine = _outcome(packed_trie_root, keys, values, **named)
    theirs = _outcome(pure, keys, values, **named)
    if mine != theirs:
        raise AssertionError(f"packed pairs: {mine!r}, not {theirs!r}")
    pairs, place = [], 0
    for size, value_size in zip(key_sizes, value_sizes, strict=False):
        pairs.append((rest[place : place + size], b"v" * value_size))
        place += size
    if trie_root(pairs) != _PURE["hexary.trie.root.trie_root"](pairs):
        raise AssertionError(f"the root of {pairs!r}")
