"""Numbers of things that callers pass: what is none, or too large, is told apart."""

from __future__ import annotations

import numpy
import pytest

from hexary import LMDBStore, SQLiteStore, Trie, TrieBuilder
from hexary.errors import InputTypeError, RangeError, StoreError
from hexary.trie import MemoryStore, NodeCache

TRIE = Trie({bytes([n]): b"value" for n in range(9)})

USES = {
    "page": TRIE.page,
    "range": lambda count: TRIE.prove_range(limit=count),
    "map_size": lambda count: LMDBStore("never made", map_size=count),
}
uses = pytest.mark.parametrize("use", USES.values(), ids=USES.keys())


@uses
@pytest.mark.parametrize("count", [0, -1, -(2**70), 2**70, 2**64, 2**63 - 1, 2**62])
def test_a_count_that_nothing_has_is_out_of_range(use, count):
    with pytest.raises(RangeError, match=r"must be from 1 to 2\^62-1, got"):
        use(count)


@uses
@pytest.mark.parametrize("count", [1.0, 2.5, "3", b"3", float("nan"), [3], True])
def test_what_is_no_number_is_refused(use, count):
    with pytest.raises(InputTypeError, match="must be an int"):
        use(count)


def test_numbers_of_other_packages_count():
    assert TRIE.page(numpy.int64(2)) == TRIE.page(2)
    assert TRIE.prove_range(limit=numpy.uint8(2)).keys == TRIE.prove_range(limit=2).keys


def test_a_count_beyond_what_there_is_takes_all():
    assert len(TRIE.page(2**62 - 1).pairs) == 9
    assert len(TRIE.prove_range(limit=2**62 - 1).keys) == 9
    assert len(NodeCache(MemoryStore(), 2**70)) == 0


@pytest.mark.parametrize("timeout", [None, "3", b"3"])
def test_a_timeout_is_a_number_of_seconds(timeout, tmp_path):
    with pytest.raises(InputTypeError, match="timeout must be a number of seconds"):
        SQLiteStore(tmp_path / "trie.db", timeout=timeout)


def test_a_commit_without_a_store_says_how_to_have_one():
    with pytest.raises(StoreError) as caught:
        Trie().commit()
    assert str(caught.value) == (
        "it was made without a store (pass store= when it is made; "
        "root_hash needs none)"
    )


def test_a_name_for_the_root_of_a_builder_without_a_store_says_how_to_have_one():
    builder = TrieBuilder()
    builder.add(b"do", b"verb")
    with pytest.raises(StoreError) as caught:
        builder.finish("words")
    assert str(caught.value) == (
        "it was made without a store (pass store= to TrieBuilder; "
        "finish() without a name needs none)"
    )


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        (":memory:", "a store in memory is MemoryStore()"),
        (b":memory:", "a store in memory is MemoryStore()"),
        ("", "a store in memory is MemoryStore()"),
        ("file:trie?mode=memory", "a file of that name is "),
    ],
)
def test_names_that_are_no_files_to_sqlite_are_refused(
    path, hint, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputTypeError) as caught:
        SQLiteStore(path)
    assert hint in str(caught.value)
    assert list(tmp_path.iterdir()) == []
    with SQLiteStore(tmp_path / ":memory:") as store:
        assert store.roots() == {}
