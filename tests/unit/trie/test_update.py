"""`update` puts in all pairs or none, whatever kind of collection they come in."""

from __future__ import annotations

import pytest

from case_names import shown
from hexary import InputTypeError, MemoryStore, MissingNodeError, SecureTrie, Trie
from hexary.trie import partial_trie

BEFORE = {b"do": b"verb", b"dog": b"puppy", b"gone": b"soon"}
PAIRS = [(b"do", b"other"), (b"gone", b""), (b"new", b"here")]
BAD = [(b"bad", 5), ("bad", b"value"), (None, None), (b"three", b"of", b"them"), b"ab"]

kinds = pytest.mark.parametrize("kind", [Trie, SecureTrie])
shapes = pytest.mark.parametrize("shape", [list, tuple, iter, "mapping", "object"])


class Pairs:
    """An iterable of pairs of no class that is known."""

    def __init__(self, pairs):
        self.pairs = pairs

    def __iter__(self):
        return iter(self.pairs)


def shaped(pairs, shape):
    if shape == "mapping":
        if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
            pytest.skip("a mapping holds pairs")
        return dict(pairs)
    return Pairs(pairs) if shape == "object" else shape(pairs)


@kinds
@shapes
@pytest.mark.parametrize("bad", BAD, ids=shown)
@pytest.mark.parametrize("at", [0, 2, 3])
def test_after_a_bad_pair_the_trie_is_as_it_was(kind, shape, bad, at):
    trie = kind(BEFORE, store=MemoryStore())
    root = trie.root_hash
    pairs = [*PAIRS[:at], bad, *PAIRS[at:]]
    with pytest.raises(InputTypeError):
        trie.update(shaped(pairs, shape))
    assert (trie.root_hash, len(trie), dict(trie)) == (root, 3, BEFORE)
    trie.update(shaped(PAIRS, shape))
    assert dict(trie) == {b"do": b"other", b"dog": b"puppy", b"new": b"here"}
    assert len(trie) == 3
    committed = kind(trie.store, trie.commit())
    assert dict(committed) == dict(trie)


@kinds
def test_after_an_error_of_the_iterator_the_trie_is_as_it_was(kind):
    def failing():
        yield from PAIRS
        raise OSError("of the iterator")

    trie = kind(BEFORE)
    with pytest.raises(OSError, match="of the iterator"):
        trie.update(failing())
    assert dict(trie) == BEFORE


@kinds
@pytest.mark.parametrize("shape", [list, iter, dict])
def test_where_a_node_is_missing_the_trie_is_as_it_was(kind, shape):
    whole = kind({bytes([n]): bytes([n + 1]) * 40 for n in range(64)})
    part = partial_trie(whole.root_hash, whole.prove(b"\x05"), kind=kind)
    pairs = [(b"\x05", b"five"), *((bytes([n]), b"x") for n in range(6, 20))]
    with pytest.raises(MissingNodeError):
        part.update(shape(pairs))
    assert part.root_hash == whole.root_hash
    assert part[b"\x05"] == b"\x06" * 40


def test_what_an_iterator_does_to_the_trie_itself_is_undone_as_well():
    trie = Trie(BEFORE)

    def meddling():
        del trie[b"do"]
        yield b"new", b"here"
        assert trie[b"new"] == b"here"
        yield b"bad", None

    with pytest.raises(InputTypeError):
        trie.update(meddling())
    assert dict(trie) == BEFORE
