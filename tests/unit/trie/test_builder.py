"""The one-pass builder: any sorted keys, bounded memory, nodes that reach a store."""

from __future__ import annotations

import copy
import random
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hexary import (
    EMPTY_ROOT,
    Hash,
    InputTypeError,
    MemoryStore,
    RangeError,
    StoreError,
    Trie,
    TrieBuilder,
    keccak256,
    ordered_pairs,
    ordered_trie_root,
    recording,
    secure_trie_root,
    sorted_trie_root,
    trie_root,
)
from hexary.trie import builder as builder_module
from hexary.trie import collect_garbage, decode_node
from oracle import oracle_root
from stores import StoreHome

# Few letters, so that keys share prefixes and begin each other, with nibbles 0 and 15.
KEYS = st.one_of(
    st.binary(max_size=3),
    st.lists(st.sampled_from([0x00, 0x0F, 0x10, 0xF0, 0xFF]), max_size=6).map(bytes),
    st.binary(min_size=32, max_size=32),
)
VALUES = st.one_of(
    st.binary(max_size=4),
    st.integers(0, 300).map(lambda size: bytes([size % 256]) * size),
)
TABLES = st.dictionaries(KEYS, VALUES, max_size=40)
WAITING = st.sampled_from([1, 300, 1_000, 1 << 20])


def random_pairs(count: int, size: int = 80) -> list[tuple[bytes, bytes]]:
    source = random.Random(count)
    return sorted((source.randbytes(32), source.randbytes(size)) for _ in range(count))


def build(
    table: dict[bytes, bytes], waiting: int, *, one_by_one: bool, **options: Any
) -> TrieBuilder:
    """Return a builder with these pairs, of which *waiting* bytes may wait."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(builder_module, "_MOST_WAITING", waiting)
        builder = TrieBuilder(**options)
        if one_by_one:
            for key in sorted(table):
                builder.add(key, table[key])
        else:
            builder.update(sorted(table.items()))
        return builder


@given(table=TABLES, waiting=WAITING, one_by_one=st.booleans())
def test_the_root_is_that_of_the_oracle(table, waiting, one_by_one):
    builder = build(table, waiting, one_by_one=one_by_one)
    assert builder.finish() == oracle_root(table) == trie_root(table)
    assert type(builder.finish()) is Hash
    assert len(builder) == len(table)


@given(table=TABLES, waiting=WAITING)
def test_a_store_gets_the_nodes_that_a_trie_would_commit(table, waiting):
    store = RecordingStore()
    root = build(table, waiting, one_by_one=False, store=store).finish("it")
    assert root == oracle_root(table)
    assert store.root("it") == root
    assert dict(Trie(store, root)) == {k: v for k, v in table.items() if v}
    committed = RecordingStore()
    Trie(table, store=committed).commit()
    assert set(store.written) == set(committed.written)
    # Children before their parents: what a node refers to is there already.
    seen: set[bytes] = set()
    for digest, encoding in store.written.items():
        below = [decode_node(encoding)]
        while below:
            node = below.pop()
            for child in node.children():
                if child.is_embedded:
                    below.append(child)
                else:
                    assert child.reference in seen
        seen.add(digest)
    if table and store.written:
        assert list(store.written)[-1] == root


class RecordingStore(MemoryStore):
    """A store that tells what was written to it, in order, and how much at once."""

    def __init__(self) -> None:
        super().__init__()
        self.written: dict[bytes, bytes] = {}
        self.sizes: list[int] = []
        self.fails = 0

    def write(self, blobs: Any = (), **options: Any) -> None:
        """Write and remember; fail as often as `fails` says."""
        if self.fails:
            self.fails -= 1
            raise StoreError(builder_module.StoreReason.FULL)
        blobs = list(blobs)
        super().write(blobs, **options)
        self.sizes.append(sum(len(blob) for _, blob in blobs))
        for digest, blob in blobs:
            self.written.setdefault(digest, blob)


@pytest.mark.parametrize("count", [0, 1, 2, 16, 17, 1_000, 30_000])
def test_many_pairs(count):
    pairs = random_pairs(count)
    assert sorted_trie_root(pairs) == trie_root(pairs)
    assert sorted_trie_root(dict(pairs)) == trie_root(pairs)
    assert sorted_trie_root(iter(pairs)) == trie_root(pairs)


def test_keys_that_begin_each_other(monkeypatch):
    monkeypatch.setattr(builder_module, "_MOST_WAITING", 5_000)
    pairs = [(b"\x11" * size, b"v" * (1 + size % 60)) for size in range(400)]
    assert sorted_trie_root(pairs) == trie_root(pairs)


def test_an_empty_value_is_absent_and_its_key_counts_for_the_order():
    builder = TrieBuilder()
    builder.add(b"", b"")
    assert builder.finish() == EMPTY_ROOT
    builder.add(b"dog", b"")
    with pytest.raises(RangeError):
        builder.add(b"dog", b"puppy")
    builder.add(b"doge", b"coin")
    assert builder.finish() == trie_root({b"doge": b"coin"})


def test_hashed_keys_in_their_own_order_give_a_secure_trie():
    table = {bytes([number]): b"v" for number in range(200)}
    hashed = sorted((keccak256(key), value) for key, value in table.items())
    assert sorted_trie_root(hashed) == secure_trie_root(table)


def test_buffers_are_taken_and_kept_as_they_were():
    key, value = bytearray(b"do"), bytearray(b"verb")
    builder = TrieBuilder()
    builder.add(key, memoryview(value))
    key[:], value[:] = b"xx", b"xxxx"
    builder.update([[Hash(1 << 255), memoryview(b"hash")]])
    assert builder.finish() == trie_root({b"do": b"verb", Hash(1 << 255): b"hash"})


@given(table=TABLES, waiting=WAITING)
def test_each_node_is_hashed_once(table, waiting):
    with recording() as one_pass:
        build(table, waiting, one_by_one=False).finish()
    with recording() as at_once:
        trie_root(table)
    assert (one_pass.calls, one_pass.bytes) == (at_once.calls, at_once.bytes)


def test_more_may_follow_after_the_root_was_asked_for(monkeypatch):
    monkeypatch.setattr(builder_module, "_MOST_WAITING", 500)
    pairs = random_pairs(60)
    store = MemoryStore()
    builder = TrieBuilder(store=store)
    for number, pair in enumerate(pairs, 1):
        builder.add(*pair)
        root = builder.finish("latest")
        assert root == trie_root(pairs[:number]) == store.root("latest")
        assert dict(Trie(store, root)) == dict(pairs[:number])


def test_what_is_kept_at_once_is_bounded():
    store = RecordingStore()
    root = sorted_trie_root(random_pairs(30_000), store=store)
    assert len(store.sizes) > 2
    assert max(store.sizes) < 3 << 20
    assert collect_garbage(store).removed == len(store.written)
    assert root != EMPTY_ROOT


def stream(count: int) -> Iterator[tuple[bytes, bytes]]:
    """Yield sorted pairs that nobody keeps."""
    for number in range(count):
        yield number.to_bytes(32, "big"), b"%080d" % number


def test_memory_does_not_grow_with_the_number_of_pairs():
    peaks = []
    for count in (20_000, 60_000):
        tracemalloc.start()
        sorted_trie_root(stream(count))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0]
    assert peaks[1] < 8 << 20


@pytest.mark.parametrize("one_by_one", [True, False])
@pytest.mark.parametrize("second", [b"dog", b"cat", b"do", b""])
def test_a_key_that_does_not_follow_is_refused(second, one_by_one):
    builder = TrieBuilder()
    builder.add(b"cow", b"moo")
    builder.add(b"dog", b"puppy")
    with pytest.raises(RangeError) as caught:
        if one_by_one:
            builder.add(second, b"v")
        else:
            builder.update([(second, b"v"), (b"zebra", b"stripes")])
    assert caught.value.value == second
    assert caught.value.minimum == b"dog\0"
    assert "pairs[2]" in str(caught.value)
    assert "above the one before it, 0x646f67," in str(caught.value)
    assert f"0x{second.hex()}" in str(caught.value)
    # It is as it was.
    builder.add(b"horse", b"stallion")
    expected = {b"cow": b"moo", b"dog": b"puppy", b"horse": b"stallion"}
    assert builder.finish() == trie_root(expected)


def test_the_position_of_a_refused_key_is_among_all():
    pairs = [(number.to_bytes(2, "big"), b"v") for number in range(1_000)]
    pairs[700] = pairs[3]
    with pytest.raises(RangeError, match=r"pairs\[700\] must be above .*, 0x02bb,"):
        sorted_trie_root(iter(pairs))


@pytest.mark.parametrize(
    ("pairs", "argument"),
    [
        ([(b"a", b"b"), (b"c", "d")], "the value of pairs[1]"),
        ([(b"a", b"b"), (5, b"d")], "the key of pairs[1]"),
        ([(b"a", b"b"), (b"c",)], "pairs[1]"),
        ([(b"a", b"b"), b"cd"], "pairs[1]"),
        ([*((bytes([n]), b"v") for n in range(200)), None], "pairs[200]"),
        (b"ab", "pairs"),
        (5, "pairs"),
    ],
)
def test_what_is_no_pair_of_bytes_is_refused(pairs, argument):
    with pytest.raises(InputTypeError) as caught:
        sorted_trie_root(pairs)
    assert caught.value.argument == argument


def test_pairs_before_an_error_of_their_source_are_in_the_trie():
    def failing() -> Iterator[tuple[bytes, bytes]]:
        yield b"cat", b"kitten"
        yield b"dog", b"puppy"
        raise LookupError("the source has ended")

    builder = TrieBuilder()
    with pytest.raises(LookupError, match="the source has ended"):
        builder.update(failing())
    assert builder.finish() == trie_root({b"cat": b"kitten", b"dog": b"puppy"})


@pytest.mark.parametrize(
    ("faulty", "error"),
    [((b"\0\0", b"v"), RangeError), ((b"k", "v"), InputTypeError), (5, InputTypeError)],
)
def test_nothing_behind_the_pair_at_fault_is_taken(faulty, error):
    """What is left in the iterator can be added in another call."""
    pairs: list[Any] = [(number.to_bytes(2, "big"), b"v") for number in range(300)]
    source = iter([*pairs[:200], faulty, *pairs[200:]])
    builder = TrieBuilder()
    builder.add(*next(source))
    # The number is that among all pairs of the builder, whatever is wrong.
    with pytest.raises(error, match=r"pairs\[200\]"):
        builder.update(source)
    assert len(builder) == 200
    builder.update(source)
    assert len(builder) == 300
    assert builder.finish() == trie_root(pairs)


def test_an_update_goes_on_where_a_store_has_failed(monkeypatch):
    monkeypatch.setattr(builder_module, "_MOST_WAITING", 2_000)
    pairs = random_pairs(400)
    store = RecordingStore()
    builder = TrieBuilder(store=store)
    source = iter(pairs)
    failures = 0
    store.fails = 5
    while True:
        try:
            builder.update(source)
            break
        except StoreError:
            failures += 1
    assert failures == 5
    assert len(builder) == 400
    assert dict(Trie(store, builder.finish())) == dict(pairs)


@pytest.mark.parametrize("waiting", [500, 1 << 20])
def test_a_copy_goes_its_own_way(waiting, monkeypatch):
    monkeypatch.setattr(builder_module, "_MOST_WAITING", waiting)
    pairs = random_pairs(60)
    builder = TrieBuilder()
    builder.update(pairs[:40])
    other = copy.copy(builder)
    other.update(pairs[40:])
    assert (len(builder), len(other)) == (40, 60)
    assert builder.finish() == trie_root(pairs[:40])
    builder.update(pairs[50:])
    assert other.finish() == trie_root(pairs)
    assert builder.finish() == trie_root(pairs[:40] + pairs[50:])


def test_asking_again_and_again_hashes_only_the_way_to_the_last_pair():
    pairs = random_pairs(600)
    builder = TrieBuilder()
    with recording() as hashed:
        for pair in pairs:
            builder.add(*pair)
            root = builder.finish()
    assert root == trie_root(pairs)
    assert hashed.calls < 10 * len(pairs)


def test_a_store_that_fails_leaves_the_builder_as_it_was(monkeypatch):
    monkeypatch.setattr(builder_module, "_MOST_WAITING", 400)
    pairs = random_pairs(50)
    store = RecordingStore()
    builder = TrieBuilder(store=store)
    failures = 0
    for number, pair in enumerate(pairs):
        store.fails = 1 if number % 3 == 0 else 0
        while True:
            try:
                builder.add(*pair)
                break
            except StoreError:
                failures += 1
    store.fails = 1
    with pytest.raises(StoreError):
        builder.finish()
    root = builder.finish("it")
    assert failures > 3
    assert root == trie_root(pairs)
    assert dict(Trie(store, root)) == dict(pairs)


def test_a_store_of_each_kind(home: StoreHome):
    store = home.open()
    pairs = random_pairs(2_000)
    root = sorted_trie_root(pairs, store=store, name="sorted")
    assert store.root("sorted") == root == trie_root(pairs)
    store = home.open()
    assert list(Trie(store, root).items()) == pairs
    assert collect_garbage(store).removed == 0


def test_a_name_needs_a_store_and_a_store_is_one():
    with pytest.raises(StoreError, match="store"):
        sorted_trie_root([], name="it")
    with pytest.raises(StoreError, match="read-only"):
        TrieBuilder(store=MemoryStore().view())
    wrong: Any = {}
    with pytest.raises(InputTypeError, match="store must be a NodeStore or None"):
        TrieBuilder(store=wrong)


@pytest.mark.parametrize(
    ("store", "name", "error"),
    [
        (None, "it", StoreError),
        (MemoryStore(), "n" * 256, RangeError),
        (MemoryStore(), "", RangeError),
        (MemoryStore(), 5, InputTypeError),
        (MemoryStore().view(), None, StoreError),
    ],
)
def test_where_it_should_go_is_checked_before_anything_is_read(store, name, error):
    source = stream(3)
    with pytest.raises(error):
        sorted_trie_root(source, store=store, name=name)
    assert len(list(source)) == 3


@pytest.mark.parametrize(
    "count", [*range(4), 16, 126, 127, 128, 129, 130, 255, 256, 257, 3_000]
)
def test_values_by_index(count):
    values = [b"%d" % number * 20 for number in range(count)]
    pairs = list(ordered_pairs(iter(values)))
    assert [key for key, _ in pairs] == sorted(key for key, _ in pairs)
    assert sorted_trie_root(pairs) == ordered_trie_root(values)


def test_values_by_index_are_not_kept():
    """Only the first one waits."""
    given: list[int] = []

    def values() -> Iterator[bytes]:
        for number in range(300):
            given.append(number)
            yield b"%d" % number

    taken = ordered_pairs(values())
    for number in range(1, 128):
        assert next(taken)[1] == b"%d" % number
        assert len(given) == number + 1
    assert next(taken) == (b"\x80", b"0")
    assert next(taken) == (b"\x81\x80", b"128")


@pytest.mark.parametrize("wrong", [{b"a": b"b"}, {b"a"}, b"ab", 5])
def test_values_without_an_order_are_refused_at_the_call(wrong):
    with pytest.raises(InputTypeError, match="values must be byte strings in order"):
        ordered_pairs(wrong)


def test_a_value_of_another_type_is_named_by_its_index():
    wrong: Any = [b"a", "b"]
    with pytest.raises(InputTypeError, match=r"values\[1\]"):
        sorted_trie_root(ordered_pairs(wrong))


class Short(list[bytes]):
    """A list that says it is a pair."""

    def __len__(self) -> int:
        return 2


@pytest.mark.parametrize("function", [sorted_trie_root, trie_root])
@pytest.mark.parametrize("held", [[], [b"k"], [b"k", b"v", b"w"]])
def test_a_list_that_lies_about_its_length_is_no_pair(function, held):
    with pytest.raises(InputTypeError, match=r"^pairs\[0\] must be a pair of key and"):
        function([Short(held)])


@pytest.mark.parametrize("function", [sorted_trie_root, trie_root])
def test_pairs_of_classes_of_their_own_are_what_they_hold(function):
    class Strange(tuple[bytes, bytes]):
        __slots__ = ()

        def __len__(self) -> int:
            return 7

        def __getitem__(self, place: object) -> object:
            raise LookupError(place)

    pair = Strange((b"k", b"v"))
    assert function([pair]) == trie_root({b"k": b"v"})
