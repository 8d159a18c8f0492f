"""A trie on a store against a dict, over random histories of commits and reopening."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from hexary import SecureTrie, Trie, collect_garbage, first_divergence, trie_differences
from hexary.errors import MissingNodeError, StoreError, StoreReason
from hexary.trie import EMPTY_ROOT, KeyDifference, MemoryStore, NodeCache
from oracle import oracle_root
from stores import KINDS, StoreHome

keys = st.one_of(
    st.binary(max_size=4).map(lambda raw: bytes(byte & 0x11 for byte in raw)),
    st.lists(st.sampled_from([0, 1, 0x10, 0x11, 0xFF]), max_size=6).map(bytes),
    st.binary(min_size=30, max_size=34),
)
values = st.one_of(
    st.binary(min_size=1, max_size=3), st.binary(min_size=25, max_size=70)
)
tables = st.dictionaries(keys, values, max_size=25)

Model = dict[bytes, bytes]


class StoredTrieMachine(RuleBasedStateMachine):
    """
    Change, commit, reopen, collect, roll back: always the same as a dict.

    Two named roots and their snapshots live in one store, so that commits and
    collections of one trie meet the nodes of the other.
    """

    home: StoreHome

    @initialize(
        kind=st.sampled_from(KINDS), secure=st.booleans(), cache=st.integers(0, 40)
    )
    def begin(self, kind: str, secure: bool, cache: int) -> None:
        self.home = StoreHome(kind)
        self.store = self.home.open()
        self.kind = SecureTrie if secure else Trie
        self.secure = secure
        self.cache = cache
        self.saved: dict[str, Model] = {}
        self.trie = self.kind(self.nodes(), None)
        self.model: Model = {}

    def nodes(self) -> NodeCache:
        return NodeCache(self.store, self.cache)

    @rule(pairs=tables)
    def update(self, pairs: Model) -> None:
        self.trie.update(pairs)
        self.model.update(pairs)

    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        if self.model:
            for key in data.draw(
                st.lists(st.sampled_from(sorted(self.model)), unique=True)
            ):
                del self.trie[key]
                del self.model[key]

    @rule(key=keys)
    def delete_unknown(self, key: bytes) -> None:
        self.trie[key] = b""
        self.model.pop(key, None)

    @rule(pairs=tables, doomed=st.lists(keys))
    def roll_back(self, pairs: Model, doomed: list[bytes]) -> None:
        before = self.trie.root_hash
        with pytest.raises(ZeroDivisionError), self.trie.transaction():
            self.trie.update(pairs)
            for key in doomed:
                self.trie[key] = b""
            raise ZeroDivisionError
        assert self.trie.root_hash == before

    @rule(name=st.sampled_from("ab"))
    def commit(self, name: str) -> None:
        root = self.trie.commit(name)
        assert root == oracle_root(self.model, secure=self.secure)
        self.saved[name] = dict(self.model)

    @precondition(lambda self: self.saved)
    @rule(data=st.data(), anew=st.booleans())
    def reopen(self, data: st.DataObject, anew: bool) -> None:
        name = data.draw(st.sampled_from(sorted(self.saved)))
        if anew:
            self.store = self.home.open()
        self.trie = self.kind(self.nodes(), self.store.root(name))
        self.model = dict(self.saved[name])

    @rule(batch=st.integers(1, 50))
    def collect(self, batch: int) -> None:
        """What is not committed under a name is lost, and a commit of it says so."""
        collect_garbage(self.store, batch=batch)
        held = {oracle_root(model, secure=self.secure) for model in self.saved.values()}
        assert set(self.store.roots().values()) == held
        if self.trie._base not in held | {EMPTY_ROOT}:
            with pytest.raises(StoreError) as caught:
                self.trie.commit("c")
            assert caught.value.reason is StoreReason.BASE_COLLECTED
            self.trie = self.kind(self.nodes(), None)
            self.model = {}

    @precondition(lambda self: self.saved)
    @rule(data=st.data())
    def compare(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self.saved)))
        other = Trie(self.nodes(), self.store.root(name))
        model = self.saved[name]
        assert (first_divergence(other, self.trie) is None) == (model == self.model)
        if not self.secure:
            assert list(trie_differences(other, self.trie)) == [
                KeyDifference(key, model.get(key), self.model.get(key))
                for key in sorted({*model, *self.model})
                if model.get(key) != self.model.get(key)
            ]

    @rule(size=st.integers(1, 5))
    def page(self, size: int) -> None:
        found, cursor = {}, None
        while True:
            page = self.trie.page(size, cursor=cursor)
            found.update(page.pairs)
            cursor = page.cursor
            if cursor is None:
                break
        assert found == self.model

    @rule(data=st.data())
    def walk(self, data: st.DataObject) -> None:
        whole = list(self.trie.nodes())
        if whole:
            at = data.draw(st.integers(0, len(whole) - 1))
            assert list(self.trie.nodes(after=whole[at].path)) == whole[at + 1 :]
        assert self.trie.statistics().keys == len(self.model)

    @invariant()
    def same_content(self) -> None:
        if hasattr(self, "trie"):
            assert dict(self.trie.items()) == self.model
            assert self.trie.root_hash == oracle_root(self.model, secure=self.secure)

    def teardown(self) -> None:
        """All that was saved is whole."""
        if hasattr(self, "home"):
            self.store = self.home.open()
            for name, model in self.saved.items():
                trie = self.kind(self.store, self.store.root(name))
                assert dict(trie.items()) == model
            self.home.remove()


TestStoredTrieMachine = StoredTrieMachine.TestCase
TestStoredTrieMachine.settings = settings(max_examples=120, stateful_step_count=30)


@given(tables, st.data())
def test_a_partial_store_gives_right_answers_or_names_what_is_missing(pairs, data):
    """Never a wrong root, and never a changed trie, whatever is missing."""
    whole = MemoryStore()
    root = Trie(pairs, store=whole).commit()
    blobs = list(whole._blobs.items())
    kept = data.draw(st.lists(st.sampled_from(blobs), unique=True)) if blobs else []
    partial = MemoryStore()
    partial.write([*kept, *(pair for pair in blobs if pair[0] == root)])
    trie, model = Trie(partial, root), dict(pairs)
    for key in data.draw(st.lists(st.sampled_from(sorted(pairs)) if pairs else keys)):
        value = data.draw(st.sampled_from([b"", b"new", b"other" * 9]))
        before = trie.root_hash
        try:
            trie[key] = value
        except MissingNodeError as error:
            assert error.node_hash not in partial
            assert trie.root_hash == before
        else:
            model[key] = value
            assert trie.root_hash == oracle_root(model)
