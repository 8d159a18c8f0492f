"""The accelerator's roots are those of the pure code, and so are its errors."""

from __future__ import annotations

import random
import sys
import threading
from collections import OrderedDict, UserDict
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hexary
from hexary import Hash, Trie
from hexary import hash as hashing
from hexary.trie.root import (
    ordered_trie_root,
    packed_trie_root,
    secure_trie_root,
    subtree_item,
    trie_root,
)
from hexary.twin import pure_twins
from twin.outcome import outcome
from twin.pairs import PAIRS, random_pairs

PURE = pure_twins()

if not PURE:
    pytest.skip("no accelerator in use", allow_module_level=True)

pure_trie_root = PURE["hexary.trie.root.trie_root"]
pure_secure_trie_root = PURE["hexary.trie.root.secure_trie_root"]
pure_ordered_trie_root = PURE["hexary.trie.root.ordered_trie_root"]
pure_subtree_item = PURE["hexary.trie.root.subtree_item"]


@pytest.mark.parametrize("size", [1, 23, 24, 25, 47, 48, 49, 72, 130])
@pytest.mark.parametrize("shape", [list, tuple])
def test_a_sequence_is_read_the_same_wherever_something_odd_stands(shape, size):
    pairs = sorted(random_pairs(size).items())
    assert trie_root(shape(pairs)) == pure_trie_root(dict(pairs))
    for place in sorted({0, 1, 22, 23, 24, 47, 48, size // 2, size - 1}):
        if place >= size:
            continue
        key, value = pairs[place]
        for odd in (
            (key, b""),
            (bytearray(key), value),
            [key, memoryview(value)],
            (Hash(key), value),
            pairs[0],
            pairs[-1],
            (key, None),
            (key,),
            key,
        ):
            changed = shape([*pairs[:place], odd, *pairs[place + 1 :]])
            assert outcome(trie_root, changed) == outcome(pure_trie_root, changed)
            held = [sys.getrefcount(element) for element in changed]
            outcome(trie_root, changed)
            assert [sys.getrefcount(element) for element in changed] == held


@given(pairs=PAIRS)
def test_any_pairs(pairs):
    expected = pure_trie_root(pairs)
    assert trie_root(pairs) == expected
    assert trie_root(tuple(pairs)) == expected
    assert trie_root([list(pair) for pair in pairs]) == expected
    assert trie_root(iter(pairs)) == expected
    assert trie_root(dict(pairs)) == expected
    assert trie_root(sorted(dict(pairs).items())) == expected
    assert secure_trie_root(pairs) == pure_secure_trie_root(pairs)
    values = [value for _, value in pairs]
    assert ordered_trie_root(values) == pure_ordered_trie_root(values)
    assert ordered_trie_root(iter(values)) == pure_ordered_trie_root(values)


@given(pairs=PAIRS)
def test_a_recording_counts_the_same(pairs):
    table = dict(pairs)  # equal keys of secure roots are hashed each by the accelerator
    values = list(table.values())
    for native, pure, argument in (
        (trie_root, pure_trie_root, table),
        (secure_trie_root, pure_secure_trie_root, table),
        (ordered_trie_root, pure_ordered_trie_root, values),
    ):
        with hashing.recording() as mine:
            native(argument)
        with hashing.recording() as theirs:
            pure(argument)
        assert repr(mine) == repr(theirs)


def hashing_of(pairs: dict[bytes, bytes]) -> tuple[int, int, int]:
    """Return calls, bytes and permutations, from the sizes of the trie's nodes."""
    sizes = [len(each.node.encoding) for each in Trie(pairs).nodes()]
    hashed = [size for place, size in enumerate(sizes) if size >= 32 or place == 0]
    return len(hashed), sum(hashed), sum(size // 136 + 1 for size in hashed)


@pytest.mark.parametrize(
    ("count", "size"),
    [
        *(
            (1, 1),
            (1, 5_000),
            (2, 31),
            (3, 100),
            (40, 1),
            (40, 98),
            (40, 99),
            (40, 100),
        ),
        *((40, 240), (40, 1_100), (2_500, 60)),
    ],
)
@pytest.mark.parametrize("threads", [1, 3])
def test_a_recording_counts_permutations_by_the_sizes_of_nodes(
    kernel, count, size, threads
):
    pairs = {key: value[:1] * size for key, value in random_pairs(count).items()}
    with hashing.recording() as seen:
        trie_root(pairs, threads=threads)
    assert (seen.calls, seen.bytes, seen.permutations) == hashing_of(pairs)
    keys = list(pairs)
    with hashing.recording() as seen:
        packed_trie_root(
            b"".join(keys),
            b"".join(pairs.values()),
            key_offsets=32,
            value_offsets=size,
            threads=threads,
        )
    assert (seen.calls, seen.bytes, seen.permutations) == hashing_of(pairs)


@given(pairs=PAIRS, prefix=st.binary(max_size=4), half=st.booleans())
def test_a_part_of_a_trie(pairs, prefix, half):
    table = {prefix + key: value for key, value in pairs if value}
    listed = sorted(table.items())
    if listed:
        # All keys begin with the prefix, so that each depth up to its end will do.
        depth = max(2 * len(prefix) - half, 0)
        with hashing.recording() as mine:
            found = subtree_item(listed, depth)
        with hashing.recording() as theirs:
            assert found == pure_subtree_item(listed, depth)
        assert repr(mine) == repr(theirs)
        assert type(found) is bytes


@pytest.mark.parametrize("count", [1, 2, 17, 5_000])
def test_a_part_of_a_trie_on_every_kernel(kernel, count):
    listed = sorted(
        (b"\x7f" + key, value) for key, value in random_pairs(count).items()
    )
    for depth in (0, 1, 2):
        assert subtree_item(listed, depth) == pure_subtree_item(listed, depth)


@pytest.mark.parametrize(
    "arguments",
    [
        ([], 0),
        ((), 1),
        ([(b"dog", b"puppy"), (b"do", b"verb")], 1),
        ([(b"do", b"verb"), (b"do", b"verb")], 1),
        ([(b"do", b"verb"), (b"dog", b"")], 1),
        ([(b"do", b"verb"), (b"horse", b"stallion")], 2),
        ([(b"do", b"verb")], 5),
        ([(b"do", b"verb")], -1),
        ([(b"do", b"verb")], 10**30),
        ([(b"do", b"verb")], None),
        ([(b"do", None)], 1),
        ([(b"do",)], 1),
        ([b"do"], 1),
        ("do", 1),
        (None,),
    ],
)
def test_what_is_no_part_of_a_trie_is_left_to_the_pure_twin(arguments):
    mine = outcome(subtree_item, *arguments)
    assert mine == outcome(pure_subtree_item, *arguments)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 15, 16, 17, 100, 1_000, 5_000, 20_000])
def test_any_number_on_every_kernel(kernel, count):
    pairs = random_pairs(count)
    assert trie_root(pairs) == pure_trie_root(pairs)
    values = list(pairs.values())[:2_000]
    assert ordered_trie_root(values) == pure_ordered_trie_root(values)


@pytest.mark.parametrize("bits", [1, 2, 4, 8])
@pytest.mark.parametrize("longest", [1, 2, 4, 70])
def test_keys_of_every_kind(bits, longest):
    source = random.Random(bits * longest)
    pairs = [
        (
            bytes(
                source.randrange(1 << bits) for _ in range(source.randint(0, longest))
            ),
            source.randbytes(source.choice([0, 1, 5, 31, 32, 33, 100, 1_200, 5_000])),
        )
        for _ in range(6_000)
    ]
    assert trie_root(pairs) == pure_trie_root(pairs)
    assert trie_root(pairs, threads=3) == pure_trie_root(pairs)
    assert secure_trie_root(pairs) == pure_secure_trie_root(pairs)


@pytest.mark.parametrize("size", [1, 2, 31, 32, 33, 64, 300])
def test_storage_slots_whose_keys_share_their_beginning(size):
    pairs = {number.to_bytes(size + 3, "big"): b"v" * 40 for number in range(5_000)}
    assert trie_root(pairs) == pure_trie_root(pairs)


def test_deep_tries_of_keys_that_begin_each_other():
    pairs = [(b"\x11" * size, b"v" * (1 + size % 60)) for size in range(2_000)]
    assert trie_root(pairs) == pure_trie_root(pairs)
    assert trie_root(pairs[::-1]) == pure_trie_root(pairs)
    assert trie_root(pairs, threads=2) == pure_trie_root(pairs)


@pytest.mark.parametrize("threads", [1, 2, 3, 16, 40, 10**30])
def test_threads_change_nothing(threads):
    pairs = random_pairs(10_000, seed=5)
    expected = pure_trie_root(pairs)
    with hashing.recording() as seen:
        assert trie_root(pairs, threads=threads) == expected
    with hashing.recording() as alone:
        pure_trie_root(pairs)
    assert repr(seen) == repr(alone)
    below_one_prefix = {b"prefix" + key: value for key, value in pairs.items()}
    below_one_prefix[b"prefix"] = b"a value on the way"
    assert trie_root(below_one_prefix, threads=threads) == pure_trie_root(
        below_one_prefix
    )


class Pairs(UserDict):
    """A mapping that is no dict."""


class Sub(dict):
    """A dict with items of its own."""

    def items(self):
        return [(b"own", b"items")]


class Rows(UserDict):
    """A mapping whose items are what it was given, once each."""

    def __init__(self, rows: list[Callable[[], object]]) -> None:
        super().__init__()
        self.rows = rows

    def items(self):
        return (row() for row in self.rows)


def _failing() -> Iterator[tuple[bytes, bytes]]:
    yield b"a", b"b"
    raise LookupError("from the iterator")


CASES: list[Any] = [
    *({}, [], (), None, 5, "text", b"bytes", bytearray(b"ab"), memoryview(b"ab")),
    *(["ab"], [b"ab"], [(b"a",)], [(b"a", b"b", b"c")], [{b"a": 1, b"b": 2}], [None]),
    *([(b"a", "b")], [("a", b"b")], [("a", "b")], {b"a": "b"}, {"a": b"b"}, {1: b"b"}),
    *([(b"a", b"b"), (b"a", None)], [(b"a", 5), ("b", 5)], [[b"a", b"b"]]),
    *([(bytearray(b"a"), memoryview(b"b"))], [(b"a", memoryview(b"abcd")[::2])]),
    *([(Hash(1), Hash(2))], {Hash(1): bytearray(b"x"), Hash(2): memoryview(b"y")}),
    *(Pairs({b"a": b"b"}), Sub({b"a": b"b"}), OrderedDict({b"b": b"1", b"a": b"2"})),
    *(Trie({b"a": b"b"}), {b"a": b"b"}.items(), {b"a": b"b"}.keys(), {b"ab": b"b"}),
    *([(b"a", b""), (b"b", b"c"), (b"b", b"")], [(b"a", b"1"), (b"a", b"2")]),
    *(Pairs({b"a": "b"}), Pairs({"a": b"b"}), {(b"a", b"b")}, object()),
    *(Rows([tuple]), Rows([lambda: (b"a", b"b", b"c")]), Rows([lambda: b"one"])),
    *(Rows([lambda: 5]), Rows([lambda: None]), Rows([lambda: b"ab"]), Rows([list])),
    *(Rows([lambda: iter([b"a", b"b"])]), Rows([lambda: [b"a", b"b"]])),
    # Without an end: nobody may wait for it.
    *(Rows([lambda: iter(bytes, None)]), Rows([lambda: (b"a", b"b"), lambda: (b"a",)])),
]


@pytest.mark.parametrize("index", range(len(CASES)))
def test_inputs_are_read_or_refused_alike(index):
    value = CASES[index]
    assert outcome(trie_root, value) == outcome(pure_trie_root, value)
    assert outcome(secure_trie_root, value) == outcome(pure_secure_trie_root, value)


VALUE_CASES: list[Any] = [
    *([], (), None, 5, "text", b"bytes", {b"a": b"b"}, Pairs(), ["text"], [None]),
    *([b"a", 5], [bytearray(b"a"), memoryview(b"b")], [b"", b"", b"x"], {b"one"}),
    *([Hash(1)] * 3, [memoryview(b"gone!")[::2]], range(3), [b"a"] * 129),
]


@pytest.mark.parametrize("index", range(len(VALUE_CASES)))
def test_values_are_read_or_refused_alike(index):
    value = VALUE_CASES[index]
    assert outcome(ordered_trie_root, value) == outcome(pure_ordered_trie_root, value)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((), {}),
        (([], []), {}),
        (([],), {"threads": 0}),
        (([],), {"threads": -(10**30)}),
        (([],), {"threads": "2"}),
        (([],), {"threads": None}),
        (([],), {"threads": True}),
        (([],), {"workers": 2}),
        (([],), {"threads": 2, "workers": 2}),
        ((), {"pairs": [(b"a", b"b")]}),
        ((), {"values": [b"a"]}),
        (([None],), {"threads": 0}),
    ],
)
def test_odd_calls(arguments, named):
    for native, pure in (
        (trie_root, pure_trie_root),
        (secure_trie_root, pure_secure_trie_root),
        (ordered_trie_root, pure_ordered_trie_root),
    ):
        assert outcome(native, *arguments, **named) == outcome(
            pure, *arguments, **named
        )


def test_errors_of_an_iterator_pass_through():
    for native in (trie_root, secure_trie_root, ordered_trie_root):
        with pytest.raises(LookupError, match="from the iterator"):
            native(_failing()) if native is not ordered_trie_root else native(
                value for pair in _failing() for value in pair
            )


def test_an_iterator_may_yield_one_changing_buffer():
    def changing() -> Iterator[tuple[bytearray, bytearray]]:
        key = bytearray(2)
        for number in range(300):
            key[:] = number.to_bytes(2, "big")
            yield key, key

    assert trie_root(changing()) == pure_trie_root(changing())


def test_callers_objects_may_go_while_threads_work():
    pairs = list(random_pairs(30_000, seed=9).items())
    expected = pure_trie_root(pairs)
    answers = []

    def work() -> None:
        answers.extend(trie_root(pairs) == expected for _ in range(3))

    def disturb() -> None:
        for _ in range(200):
            trie_root(list(random_pairs(20).items()))

    threads = [threading.Thread(target=target) for target in (work, disturb, work)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert answers == 6 * [True]


def test_references_are_given_back():
    key, value = b"k" * 33, b"v" * 33
    pair = (key, value)
    counts = [sys.getrefcount(each) for each in (key, value, pair)]
    for argument in ([pair] * 3, {key: value}, [[key, value]], iter([pair])):
        trie_root(argument)
        secure_trie_root(argument)
    with pytest.raises(TypeError):
        trie_root([pair, (key, None)])
    with pytest.raises(TypeError):
        ordered_trie_root([value, None])
    ordered_trie_root([value, value])
    del argument
    assert [sys.getrefcount(each) for each in (key, value, pair)] == counts


def test_the_public_functions_are_the_twins():
    assert hexary.trie_root is trie_root
    assert trie_root.__module__ == "hexary.trie.root"
    assert trie_root.__doc__ == pure_trie_root.__doc__.strip() or (
        "Return the root hash of the trie that holds *pairs*." in trie_root.__doc__
    )
