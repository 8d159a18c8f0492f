"""
What a store of somebody else's may raise or return when it is read.

An absent key, a node that is not there, and a store that does not work are three things
(an invariant of this package), whichever way of reading a trie comes across them.
"""

from __future__ import annotations

from typing import Any

import pytest

from case_names import shown
from hexary import (
    Account,
    MemoryStore,
    MissingNodeError,
    SecureTrie,
    State,
    StoreError,
    StoreReason,
    Trie,
    collect_garbage,
)
from hexary.trie import NodeStore
from hexary.trie.store import StoreBase

PAIRS = {bytes([i, j]): bytes([i]) * 40 for i in range(16) for j in range(3)}
KEY, OTHER = b"\x05\x01", b"\x05\x09"


class Store:
    """A store that works *good* times and then answers with something else."""

    read_only = False

    def __init__(self, inner: MemoryStore, answer: object, good: int = 1) -> None:
        self.inner, self.answer, self.good = inner, answer, good

    def read(self, digest: bytes) -> Any:
        if self.good:
            self.good -= 1
            return self.inner.read(digest)
        if isinstance(self.answer, Exception):
            raise self.answer
        if callable(self.answer):
            return self.answer(self.inner.read(digest))
        return self.answer

    def __contains__(self, digest: object) -> bool:
        return digest in self.inner

    def write(self, *arguments: Any, **named: Any) -> None:
        self.inner.write(*arguments, **named)

    def root(self, name: str) -> Any:
        return self.inner.root(name)

    def roots(self) -> Any:
        return self.inner.roots()


def opened(kind: type[Trie], answer: object, *, good: int = 1) -> Trie:
    """Return a trie whose root can be read, and what comes after it not."""
    inner = MemoryStore()
    root = kind(PAIRS, store=inner).commit()
    return kind(Store(inner, answer, good), root)


USES = {
    "in": lambda trie: KEY in trie,
    "[]": lambda trie: trie[KEY],
    "get": lambda trie: trie.get(KEY),
    "get with a default": lambda trie: trie.get(KEY, b"absent"),
    "pop": lambda trie: trie.pop(KEY),
    "pop with a default": lambda trie: trie.pop(KEY, b"absent"),
    "popitem": lambda trie: trie.popitem(),
    "setdefault": lambda trie: trie.setdefault(OTHER, b"new"),
    "set": lambda trie: trie.__setitem__(KEY, b"new"),
    "delete": lambda trie: trie.__delitem__(KEY),
    "update": lambda trie: trie.update({KEY: b"new"}),
    "iterate": lambda trie: list(trie),
    "values": lambda trie: list(trie.values()),
    "backwards": lambda trie: list(reversed(trie)),
    "page": lambda trie: trie.page(3),
    "next": lambda trie: trie.next_key(KEY),
    "previous": lambda trie: trie.previous_key(KEY),
    "len": len,
    "==": lambda trie: trie == PAIRS,
    "nodes": lambda trie: list(trie.nodes()),
    "prove": lambda trie: trie.prove(KEY),
    "range": lambda trie: trie.prove_range(KEY),
}

kinds = pytest.mark.parametrize("kind", [Trie, SecureTrie])
uses = pytest.mark.parametrize("use", USES.values(), ids=USES.keys())


@kinds
@uses
@pytest.mark.parametrize("error", [KeyError(b"x"), StopIteration(), KeyError()])
def test_what_python_takes_for_absent_or_the_end_is_an_error_of_the_store(
    kind, use, error
):
    trie = opened(kind, error)
    before = trie.root_hash
    with pytest.raises(StoreError, match=r"read raised (KeyError|StopIteration)") as it:
        use(trie)
    assert it.value.reason is StoreReason.BAD_ANSWER
    assert it.value.store == "Store"
    assert it.value.node_hash in trie.store.inner
    assert it.value.__cause__ is error
    assert trie.root_hash == before


@kinds
@uses
@pytest.mark.parametrize(
    "error",
    [
        IndexError("of the store"),
        LookupError("of the store"),
        OSError("of the store"),
        StoreError(StoreReason.FAILED, detail="of the store"),
        MissingNodeError(bytes(32), detail="of the store"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_every_other_error_comes_out_as_it_is(kind, use, error):
    trie = opened(kind, error)
    with pytest.raises(type(error), match="of the store") as it:
        use(trie)
    assert it.value is error


@kinds
@uses
@pytest.mark.parametrize("answer", [5, 0, "x", [], b"".join, True], ids=shown)
def test_what_is_neither_bytes_nor_none_is_an_error_of_the_store(kind, use, answer):
    trie = opened(kind, lambda _: answer)
    with pytest.raises(StoreError, match="read returned ") as it:
        use(trie)
    assert it.value.reason is StoreReason.BAD_ANSWER
    assert it.value.node_hash in trie.store.inner
    assert type(answer).__name__ in str(it.value)


@kinds
@uses
def test_what_is_not_there_is_a_missing_node(kind, use):
    with pytest.raises(MissingNodeError):
        use(opened(kind, None))


class Bytes(bytes):
    def __len__(self) -> int:
        return 1


@kinds
@uses
@pytest.mark.parametrize("wrap", [bytes, bytearray, memoryview, Bytes])
def test_other_buffers_count_as_their_bytes(kind, use, wrap):
    right = opened(kind, None, good=10**6)
    assert use(opened(kind, wrap)) == use(right) or use is USES["nodes"]
    assert opened(kind, wrap) == opened(kind, None, good=10**6) == PAIRS


def test_keys_of_a_secure_trie_are_read_likewise():
    inner = MemoryStore()
    root = SecureTrie({b"do": b"verb"}, store=inner).commit()
    for answer in (KeyError(), 5):
        with pytest.raises(StoreError, match="as a NodeStore does"):
            list(SecureTrie(Store(inner, answer), root))
    assert list(SecureTrie(Store(inner, memoryview), root)) == [b"do"]


def test_a_state_reads_accounts_storage_and_code_likewise():
    inner = MemoryStore()
    accounts = {
        bytes([n]) * 20: Account(balance=n, code=bytes([n]) * 50, storage={n: n})
        for n in range(1, 20)
    }
    root = State(accounts, store=inner).commit()
    address = bytes([7]) * 20
    uses = [
        lambda state: state.get_balance(address),
        lambda state: state.account(address),
        lambda state: state.get_storage(address, 7),
        lambda state: state.get_code(address),
        lambda state: state.alloc(),
    ]
    assert isinstance(Store(inner, None), NodeStore)
    for use in uses:
        for answer in (KeyError(address), StopIteration(), 5, "x"):
            for good in range(1, 4):
                state = State(Store(inner, answer, good), root)
                try:
                    use(state)
                except StoreError as error:
                    assert error.reason is StoreReason.BAD_ANSWER
                else:
                    assert state.store.good == 0
        assert use(State(Store(inner, bytearray), root)) == use(State(inner, root))


def test_collecting_garbage_reads_likewise():
    class Odd(MemoryStore):
        def read(self, digest: bytes) -> bytes | None:
            raise KeyError(digest)

    store = Odd()
    Trie(PAIRS, store=store).commit("kept")
    assert isinstance(store, StoreBase)
    with pytest.raises(StoreError, match="read raised KeyError"):
        collect_garbage(store)


def test_an_absent_key_is_none_or_a_key_error():
    trie = Trie(PAIRS)
    assert trie.get(OTHER) is None
    assert trie.get(OTHER, 5) == 5
    assert trie.get(key=KEY) == PAIRS[KEY]
    assert trie.pop(OTHER, None) is None
    assert trie.pop(KEY) == PAIRS[KEY]
    assert KEY not in trie
    assert len(trie) == len(PAIRS) - 1
    with pytest.raises(KeyError):
        trie.pop(KEY)
    assert trie.setdefault(KEY, bytearray(b"new")) == b"new"
    assert trie.setdefault(KEY, b"newer") == b"new"
    assert trie[KEY] == b"new"
