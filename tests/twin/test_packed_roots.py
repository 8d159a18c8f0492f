"""The accelerator's roots of packed pairs are those of the pure code."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given

from hexary.trie.root import packed_trie_root
from hexary.twin import pure_twins
from twin.outcome import outcome
from twin.pairs import PAIRS, random_pairs

PURE = pure_twins()

if not PURE:
    pytest.skip("no accelerator in use", allow_module_level=True)

pure_trie_root = PURE["hexary.trie.root.trie_root"]
pure_packed_trie_root = PURE["hexary.trie.root.packed_trie_root"]


def offsets(pieces: list[bytes]) -> memoryview:
    ends = array("Q", [0])
    for each in pieces:
        ends.append(ends[-1] + len(each))
    return memoryview(ends)


@given(pairs=PAIRS)
def test_packed_pairs(pairs):
    keys, values = [key for key, _ in pairs], [value for _, value in pairs]
    arguments = b"".join(keys), b"".join(values)
    named = {"key_offsets": offsets(keys), "value_offsets": offsets(values)}
    assert packed_trie_root(*arguments, **named) == pure_trie_root(pairs)
    assert pure_packed_trie_root(*arguments, **named) == pure_trie_root(pairs)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
@pytest.mark.parametrize("threads", [1, 3])
def test_packed_pairs_of_one_size(kind, threads):
    pairs = random_pairs(5_000)
    keys, values = kind(b"".join(pairs)), kind(b"".join(pairs.values()))
    found = packed_trie_root(
        keys, values, key_offsets=32, value_offsets=80, threads=threads
    )
    assert found == pure_trie_root(pairs)
    view = memoryview(bytearray(keys))
    assert found == packed_trie_root(view, values, key_offsets=32, value_offsets=80)


PLACES = memoryview(array("Q", [0, 1, 2]))


@pytest.mark.parametrize(
    ("keys", "values", "key_offsets", "value_offsets", "more"),
    [
        (b"ab", b"cd", 1, 1, {}),
        (b"ab", b"cd", PLACES, PLACES, {}),
        (b"", b"", 5, 5, {}),
        (b"", b"", memoryview(array("Q")), memoryview(array("Q", [0])), {}),
        (b"ab", b"cde", 1, 1, {}),
        (b"abc", b"cde", 2, 1, {}),
        (b"ab", b"cd", 0, 1, {}),
        (b"ab", b"cd", -1, 1, {}),
        (b"ab", b"cd", 10**30, 1, {}),
        (b"ab", b"cd", 1, None, {}),
        (b"ab", b"cd", "1", 1, {}),
        (b"a", b"cd", PLACES, PLACES, {}),
        (b"ab", b"cd", memoryview(array("Q", [1, 0, 2])), PLACES, {}),
        (b"ab", b"cd", memoryview(array("Q", [0, 2**64 - 1])), PLACES, {}),
        (b"ab", b"cd", memoryview(array("I", [0, 1, 2])), PLACES, {}),
        (b"ab", b"cd", memoryview(array("q", [0, 1, 2])), PLACES, {}),
        (b"ab", b"cd", PLACES[::2], PLACES[::-1], {}),
        (b"abcd", b"cd", PLACES[::2], PLACES[::2], {}),
        (b"ab", b"cd", array("Q", [0, 1, 2]), PLACES, {}),
        ("ab", b"cd", 1, 1, {}),
        (b"ab", None, 1, 1, {}),
        (memoryview(b"axbx")[::2], bytearray(b"cd"), 1, 1, {}),
        (memoryview(bytes(8)).cast("I"), bytes(8), 4, 4, {}),
        (b"ab", b"cd", 1, 1, {"threads": 0}),
        (b"ab", b"cd", 1, 1, {"threads": 2}),
        (b"ab", b"cd", 1, 1, {"workers": 2}),
        (b"ab", b"cd", True, 1, {}),
    ],
)
def test_packed_arguments_are_read_or_refused_alike(
    keys, values, key_offsets, value_offsets, more
):
    named = {"key_offsets": key_offsets, "value_offsets": value_offsets, **more}
    assert outcome(packed_trie_root, keys, values, **named) == outcome(
        pure_packed_trie_root, keys, values, **named
    )
