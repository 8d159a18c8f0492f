"""The accelerator's waiting pairs are those of the pure code, and so is what builds."""

from __future__ import annotations

import copy
import gc
import io
import pickle
import sys
import weakref
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hexary import Hash, MemoryStore, TrieBuilder, trie_root
from hexary.trie import builder as builder_module
from hexary.trie.waiting_pairs import PureWaitingPairs, WaitingPairs
from twin.outcome import outcome

if WaitingPairs is PureWaitingPairs:
    pytest.skip("no accelerator in use", allow_module_level=True)

KINDS = [PureWaitingPairs, WaitingPairs]

# Few letters, so that keys are often equal or begin each other; and odd ones.
KEYS = st.one_of(
    st.binary(max_size=2),
    st.lists(st.sampled_from([0x00, 0x0F, 0xFF]), max_size=9).map(bytes),
    st.binary(min_size=32, max_size=32),
)
VALUES = st.binary(max_size=3) | st.integers(0, 300).map(bytes)
ODD = st.sampled_from(
    [
        None,
        b"ab",
        "ab",
        (),
        (b"a",),
        (b"a", b"b", b"c"),
        (b"a", None),
        ("a", b"b"),
        [b"\xff", b"v"],
        [b"\xff", 5],
        (bytearray(b"\xff\xff"), b"v"),
        (b"\xff\xff\xff", memoryview(b"v")),
        (Hash(2**256 - 1), b"v"),
    ]
)
PAIRS = st.lists(st.tuples(KEYS, VALUES), max_size=40)
SOURCES = st.one_of(
    PAIRS,
    PAIRS.map(sorted),
    PAIRS.map(lambda pairs: sorted(dict(pairs).items())),
    st.tuples(PAIRS.map(lambda pairs: sorted(dict(pairs).items())), ODD).map(
        lambda both: [*both[0], both[1], *both[0]]
    ),
    st.lists(st.tuples(KEYS, VALUES) | ODD, max_size=20),
)


def state(waiting: Any) -> tuple[object, ...]:
    """Return all that is in waiting pairs."""
    return waiting.pairs, waiting.last, waiting.count, waiting.room


@given(given=SOURCES, room=st.integers(-500, 2_000))
def test_they_take_the_same(given, room):
    """What they refuse, and where they stop, is the same as well."""
    kinds = [(kind([], b"", 0, room), iter(given)) for kind in KINDS]
    for _ in range(len(given) + 2):
        pure, native = [waiting.take(source, 144) for waiting, source in kinds]
        assert native == pure
        assert state(kinds[1][0]) == state(kinds[0][0])


@given(given=SOURCES)
def test_they_take_the_same_one_by_one(given):
    pure, native = [kind([], b"", 0, 500) for kind in KINDS]
    for pair in given:
        assert native.put(pair, 144) is pure.put(pair, 144)
        assert state(native) == state(pure)


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 31, 32, 33])
def test_only_a_key_above_the_last_one_is_taken(size):
    last = b"\x80" * size
    others = {last + b"\0", last[:-1], b"", b"\xff", last[:-1] + b"\x81"}
    others |= {last[:-1] + b"\x7f\xff", b"\x7f" + last, last, bytes([*last, 255])}
    for key in others:
        waiting = WaitingPairs([], last, 1, 500)
        assert waiting.put((key, b"v"), 144) is (key > last)
        # Before the first one there is nothing that it has to follow.
        assert WaitingPairs([], last, 0, 500).put((key, b"v"), 144) is True


def build(kind: Any, waiting: int, sources: list[Any]) -> list[object]:
    """Return all that comes of a builder that is given one source after the other."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(builder_module, "WaitingPairs", kind)
        patch.setattr(builder_module, "_MOST_WAITING", waiting)
        builder = TrieBuilder()
        told: list[object] = []
        for source in sources:
            left = iter(source)
            told.append(outcome(builder.update, left))
            told.append((list(left), len(builder)))
            if len(source) % 2:
                told.append(outcome(builder.add, b"\xfe" * len(source), b"more"))
                told.append(builder.finish())
        return [*told, builder.finish()]


@given(
    sources=st.lists(SOURCES, max_size=4), waiting=st.sampled_from([1, 500, 1 << 20])
)
def test_a_builder_comes_to_the_same(sources, waiting):
    pure, native = (build(kind, waiting, sources) for kind in KINDS)
    assert native == pure


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("waiting", [1, 700, 1 << 20])
def test_an_iterator_may_use_the_builder_that_reads_it(kind, waiting, monkeypatch):
    monkeypatch.setattr(builder_module, "WaitingPairs", kind)
    monkeypatch.setattr(builder_module, "_MOST_WAITING", waiting)
    builder = TrieBuilder()
    told: list[int] = []

    def key(number: int) -> bytes:
        return number.to_bytes(2, "big")

    def source() -> Iterator[tuple[bytes, bytes]]:
        for number in range(0, 300, 3):
            told.append(len(builder))
            yield key(number), b"v" * 40
            builder.add(key(number + 1), b"added")
            builder.update([(key(number + 2), b"updated")])
            if not number % 50:
                told.append(-len(builder))
                assert builder.finish() == trie_root(expected(number + 3))

    def expected(count: int) -> dict[bytes, bytes]:
        values = (b"v" * 40, b"added", b"updated")
        return {key(number): values[number % 3] for number in range(count)}

    builder.update(source())
    assert told[:5] == [0, -3, 3, 6, 9]
    assert len(builder) == 300
    assert builder.finish() == trie_root(expected(300))


class Rewinding:
    """An iterator that begins anew whenever it is asked for one."""

    def __init__(self, pairs: list[Any]) -> None:
        self.pairs = pairs
        self.at = 0

    def __iter__(self) -> Rewinding:
        self.at = 0
        return self

    def __next__(self) -> Any:
        if self.at == len(self.pairs):
            raise StopIteration
        self.at += 1
        return self.pairs[self.at - 1]


class OnlyNext(Rewinding):
    """What gives an iterator that is none for a loop."""

    __iter__ = None  # type: ignore[assignment]

    def __init__(self, pairs: list[Any]) -> None:
        super().__init__(pairs)
        self.source = type("Source", (), {"__iter__": lambda _: self})()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("waiting", [1, 700, 1 << 20])
@pytest.mark.parametrize("form", [tuple, list])
def test_an_iterator_is_asked_for_once(kind, waiting, form, monkeypatch):
    monkeypatch.setattr(builder_module, "WaitingPairs", kind)
    monkeypatch.setattr(builder_module, "_MOST_WAITING", waiting)
    pairs = [form((b"%04d" % number, b"v" * 40)) for number in range(60)]
    for source in (Rewinding(pairs), OnlyNext(pairs).source):
        builder = TrieBuilder()
        builder.update(source)
        assert builder.finish() == trie_root(pairs)


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_store_adds_while_it_writes_is_kept(kind, monkeypatch):
    class Adding(MemoryStore):
        builder: Any = None

        def write(self, *arguments: Any, **named: Any) -> None:
            super().write(*arguments, **named)
            if self.builder is not None and len(self.builder) == 100:
                self.builder.add(b"zz", b"1")

    monkeypatch.setattr(builder_module, "WaitingPairs", kind)
    store = Adding()
    builder = TrieBuilder(store=store)
    pairs = [(b"%03d" % number, b"v" * 40) for number in range(100)]
    builder.update(pairs)
    builder.finish()
    store.builder = builder
    builder.finish()
    assert len(builder) == 101
    assert builder.finish() == trie_root([*pairs, (b"zz", b"1")])


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_of_the_iterator_goes_through(kind, monkeypatch):
    monkeypatch.setattr(builder_module, "WaitingPairs", kind)

    def source() -> Iterator[tuple[bytes, bytes]]:
        yield b"a", b"1"
        raise KeyboardInterrupt

    builder = TrieBuilder()
    with pytest.raises(KeyboardInterrupt):
        builder.update(source())
    assert len(builder) == 1
    builder.add(b"b", b"2")
    assert builder.finish() == trie_root({b"a": b"1", b"b": b"2"})


def test_copies_and_pickles_go_their_own_way():
    builder = TrieBuilder()
    builder.update([(b"a", b"1"), (b"b", b"2")])
    others = [copy.copy(builder), copy.deepcopy(builder)]
    others += [pickle.loads(pickle.dumps(builder, version)) for version in range(2, 6)]
    pickled = io.BytesIO()
    pickler = pickle.Pickler(pickled)
    pickler.dispatch_table = {}
    pickler.dump(builder)
    others.append(pickle.loads(pickled.getvalue()))
    for number, other in enumerate(others):
        other.add(b"c", b"%d" % number)
        expected = {b"a": b"1", b"b": b"2", b"c": b"%d" % number}
        assert (len(other), other.finish()) == (3, trie_root(expected))
    assert (len(builder), builder.finish()) == (2, trie_root({b"a": b"1", b"b": b"2"}))


def use(pairs: list[Any], pair: tuple[bytes, bytes]) -> None:
    """Take pairs, and have wrong arguments refused."""
    waiting = WaitingPairs(pairs, b"", 0, 500)
    source = iter([pair, pair, None])
    assert waiting.take(source, 144) == (pair,)
    assert waiting.take(source, 144) == (None,)
    assert waiting.take(source, 144) is None
    assert waiting.put(pair, 144) is False
    wrong: Any
    for wrong in ((), (source,), (pairs, 144), (source, "144"), (source, 2**200)):
        with pytest.raises((TypeError, OverflowError)):
            waiting.take(*wrong)
    for wrong in ((), (pair,), (pair, "144"), (pair, 2**200), (pair, 144, 0)):
        with pytest.raises((TypeError, OverflowError)):
            waiting.put(*wrong)
    for wrong in ((), (pairs, b"", 0), ((), b"", 0, 0), (pairs, "", 0, 0)):
        with pytest.raises(TypeError):
            WaitingPairs(*wrong)
    pairs.clear()


def test_references_are_given_back():
    pair = (bytes(bytearray(b"k" * 40)), bytes(bytearray(b"v" * 40)))
    pairs: list[Any] = []
    counted = [pair, *pair, pairs, WaitingPairs]
    gc.collect()  # what other tests have left
    counts = [sys.getrefcount(each) for each in counted]
    use(pairs, pair)
    gc.collect()
    assert counts == [sys.getrefcount(each) for each in counted]


def test_cycles_are_collected():
    waiting = WaitingPairs([], b"", 0, 500)
    watched: Any = type("Watched", (), {})()
    watched.waiting = waiting
    waiting.pairs.append(watched)
    gone = weakref.ref(watched)
    del waiting, watched
    gc.collect()
    assert gone() is None


def test_what_was_taken_away_is_missed():
    waiting = WaitingPairs([], b"", 0, 500)
    waiting.last = b"last"
    del waiting.pairs
    with pytest.raises(AttributeError):
        waiting.put((b"m", b"v"), 144)
    for wrong, error in ((None, TypeError), ("last", TypeError)):
        waiting.last, waiting.count = wrong, 1  # type: ignore[assignment]
        with pytest.raises(error):
            waiting.put((b"m", b"v"), 144)
    del waiting.last
    with pytest.raises(AttributeError):
        waiting.put((b"m", b"v"), 144)
    waiting.last, waiting.count = b"last", 0
    waiting.pairs = ()  # type: ignore[assignment]
    with pytest.raises(SystemError):
        waiting.put((b"m", b"v"), 144)
    assert (waiting.last, waiting.count, waiting.room) == (b"last", 0, 500)
