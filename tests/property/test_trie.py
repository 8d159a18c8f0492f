"""A trie against a dict, and its root against the oracle, over random histories."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
)

from hexary import SecureTrie, Trie, ordered_trie_root, secure_trie_root, trie_root
from hexary.errors import NodeError
from hexary.trie import EMPTY_ROOT, decode_node, hp_decode, hp_encode, pack, unpack
from oracle import oracle_rlp, oracle_root

# Few letters and short keys meet, nest and part often; some keys are anything.
keys = st.one_of(
    st.binary(max_size=4).map(lambda raw: bytes(byte & 0x11 for byte in raw)),
    st.lists(st.sampled_from([0, 1, 0x10, 0x11, 0xFF]), max_size=6).map(bytes),
    st.binary(max_size=40),
)
values = st.one_of(
    st.binary(min_size=1, max_size=3), st.binary(min_size=25, max_size=70)
)
tables = st.dictionaries(keys, values, max_size=25)


class TrieMachine(RuleBasedStateMachine):
    """Set, delete, copy, iterate: always the same as a dict, with the oracle's root."""

    used = Bundle("used")

    @initialize(secure=st.booleans())
    def begin(self, secure: bool) -> None:
        self.secure = secure
        self.trie = SecureTrie() if secure else Trie()
        self.model: dict[bytes, bytes] = {}
        self.snapshots: list[tuple[Trie, dict[bytes, bytes]]] = []

    @rule(target=used, key=keys, value=values)
    def set(self, key: bytes, value: bytes) -> bytes:
        self.trie[key] = value
        self.model[key] = value
        return key

    @rule(key=used)
    def delete(self, key: bytes) -> None:
        assert (key in self.trie) == (key in self.model)
        if self.model.pop(key, None) is None:
            self.trie[key] = b""
        else:
            del self.trie[key]

    @rule(key=keys)
    def delete_unknown(self, key: bytes) -> None:
        self.trie[key] = b""
        self.model.pop(key, None)

    @rule(pairs=tables)
    def update(self, pairs: dict[bytes, bytes]) -> None:
        self.trie.update(pairs)
        self.model.update(pairs)

    @rule(key=keys)
    def read(self, key: bytes) -> None:
        assert self.trie.get(key) == self.model.get(key)

    @rule()
    def root(self) -> None:
        assert self.trie.root_hash == oracle_root(self.model, secure=self.secure)

    @rule()
    def snapshot(self) -> None:
        self.snapshots.append((self.trie.copy(), dict(self.model)))

    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        if self.snapshots:
            trie, model = data.draw(st.sampled_from(self.snapshots))
            self.trie, self.model = trie.copy(), dict(model)

    @rule(key=keys)
    def neighbours(self, key: bytes) -> None:
        if not self.secure:
            after = min((each for each in self.model if each > key), default=None)
            before = max((each for each in self.model if each < key), default=None)
            assert self.trie.next_key(key) == after
            assert self.trie.previous_key(key) == before

    @rule(
        prefix=keys,
        start=st.none() | keys,
        stop=st.none() | keys,
        reverse=st.booleans(),
    )
    def walk(
        self, prefix: bytes, start: bytes | None, stop: bytes | None, reverse: bool
    ) -> None:
        if not self.secure:
            prefix = prefix[:1]
            expected = [
                (key, value)
                for key, value in sorted(self.model.items(), reverse=reverse)
                if key.startswith(prefix)
                and (start is None or key >= start)
                and (stop is None or key < stop)
            ]
            found = self.trie.items(
                prefix=prefix, start=start, stop=stop, reverse=reverse
            )
            assert list(found) == expected

    @invariant()
    def same_content(self) -> None:
        assert len(self.trie) == len(self.model)
        assert dict(self.trie.items()) == self.model

    def teardown(self) -> None:
        """Old snapshots are untouched by all that came after."""
        for trie, model in getattr(self, "snapshots", []):
            assert trie.root_hash == oracle_root(model, secure=self.secure)


TestTrieMachine = TrieMachine.TestCase
TestTrieMachine.settings = settings(max_examples=60, stateful_step_count=40)


@given(tables)
def test_roots_equal_the_oracle(pairs):
    expected = oracle_root(pairs)
    assert trie_root(pairs) == expected
    assert trie_root(list(pairs.items())[::-1]) == expected
    assert Trie(pairs).root_hash == expected
    hashed = oracle_root(pairs, secure=True)
    assert secure_trie_root(pairs) == SecureTrie(pairs).root_hash == hashed


@given(st.lists(st.one_of(st.just(b""), values), max_size=140))
def test_ordered_roots_equal_the_oracle(items):
    keyed = {}
    for index, value in enumerate(items):
        plain = index.to_bytes((index.bit_length() + 7) // 8, "big")
        keyed[oracle_rlp(plain)] = value
    assert ordered_trie_root(items) == oracle_root(keyed)


@given(tables, st.randoms(use_true_random=False))
def test_order_never_matters_and_deleting_returns_to_the_old_root(pairs, random_order):
    base = Trie(pairs)
    root = base.root_hash
    shuffled = list(pairs.items())
    random_order.shuffle(shuffled)
    trie = Trie(shuffled)
    assert trie.root_hash == root
    extra = {b"\x11" + key: b"extra" for key in pairs} | {b"": b"x" * 40}
    extra = {key: value for key, value in extra.items() if key not in pairs}
    trie.update(extra)
    assert not extra or trie.root_hash != root
    doomed = list(extra)
    random_order.shuffle(doomed)
    for key in doomed:
        del trie[key]
    assert trie.root_hash == root
    for key, _ in shuffled:
        del trie[key]
    assert (trie.root_hash, len(trie)) == (EMPTY_ROOT, 0)


def test_large_random_tries_equal_the_oracle():
    source = random.Random(20)
    for size in (1, 2, 15, 16, 17, 300, 5000):
        pairs = {
            source.randbytes(source.choice((1, 2, 3, 20, 32))): source.randbytes(
                source.choice((1, 20, 32, 80))
            )
            for _ in range(size)
        }
        expected = oracle_root(pairs)
        assert trie_root(pairs) == expected
        assert Trie(pairs).root_hash == expected


@given(
    st.binary(max_size=70).map(lambda raw: bytes(byte & 15 for byte in raw)),
    st.booleans(),
)
def test_hex_prefix_round_trips(nibbles, leaf):
    assert hp_decode(hp_encode(nibbles, leaf=leaf)) == (nibbles, leaf)


@given(st.binary(max_size=70))
def test_hex_prefix_has_one_spelling(data):
    try:
        nibbles, leaf = hp_decode(data)
    except NodeError:
        return
    assert hp_encode(nibbles, leaf=leaf) == data


@given(st.binary(max_size=70))
def test_packing_round_trips(data):
    assert pack(unpack(data)) == data


@given(tables, st.data())
def test_a_mutated_node_is_refused_or_canonical(pairs, data):
    """Whatever `decode_node` accepts is the one spelling of what it returns."""
    root = Trie(pairs)._core.root
    if root is None:
        return
    nodes = [root]
    for node in nodes:
        nodes.extend(node.children())
    encoding = bytearray(data.draw(st.sampled_from(nodes)).encoding)
    assert decode_node(encoding).encoding == encoding
    index = data.draw(st.integers(0, len(encoding) - 1))
    encoding[index] = data.draw(st.integers(0, 255))
    try:
        node = decode_node(encoding)
    except NodeError as error:
        assert 0 <= error.offset <= len(encoding)
        return
    assert node._encode() == encoding
