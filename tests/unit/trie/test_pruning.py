"""Garbage goes; nothing that a root leads to ever does."""

from __future__ import annotations

import threading

import pytest

from hexary import SecureTrie, Trie, collect_garbage, keccak256, rlp, trie_root
from hexary.errors import (
    InputTypeError,
    MissingNodeError,
    NodeError,
    RangeError,
    SizeError,
    StoreError,
    StoreReason,
)
from hexary.trie import Collected, MemoryStore
from stores import StoreHome

PAIRS = {keccak256(bytes([n])): bytes([n, 1]) * 20 for n in range(100)}


def reachable(store, root) -> int:
    """Return the number of stored nodes of a trie, all of which are read."""
    return len({walked.digest for walked in Trie(store, root).nodes()} - {None})


def test_old_roots_go_and_named_ones_stay_whole(home: StoreHome) -> None:
    store = home.open()
    trie = Trie(PAIRS, store=store)
    roots = [trie.commit("first")]
    for n in range(5):
        trie[bytes([n]) * 32] = bytes([n]) * 40
        roots.append(trie.commit("latest"))
    held = {root: reachable(store, root) for root in roots}
    collected = collect_garbage(store)
    assert collected.kept > max(held.values())
    assert collected.removed > 0
    assert collected.removed_size > collected.removed * 32
    for root in (roots[0], roots[-1]):
        assert reachable(store, root) == held[root]
    for root in roots[1:-1]:
        assert root not in store
    assert dict(Trie(store, store.root("first"))) == PAIRS
    assert collect_garbage(store) == Collected(collected.kept, 0, 0)


def test_roots_without_a_name_stay_if_they_are_listed(home: StoreHome) -> None:
    store = home.open()
    root = Trie(PAIRS, store=store).commit()
    other = Trie({b"k": b"v" * 40}, store=store).commit("other")
    before = reachable(store, root)
    collect_garbage(store, keep=[root])
    assert reachable(store, root) == before
    store.write(roots={"other": None})
    assert collect_garbage(store, keep=[root]).removed == 1
    assert other not in store
    assert collect_garbage(store).kept == 0
    assert root not in store


def test_what_leaves_refer_to_stays(home: StoreHome) -> None:
    """Keys that were hashed, and hashes in lists: storage tries and codes."""
    store = home.open()
    inner = Trie({b"a" * 32: b"slot" * 10, b"b" * 32: b"slot" * 11}, store=store)
    inner.commit()
    code = b"code" * 30
    store.write([(keccak256(code), code), (keccak256(b"lost"), b"lost")])
    outer = SecureTrie(store=store)
    outer[b"account"] = rlp.encode([1, 2, inner.root_hash, keccak256(code)])
    outer.commit("state")
    collected = collect_garbage(store)
    assert collected.removed == 1
    assert keccak256(b"lost") not in store
    assert store.read(keccak256(code)) == code
    assert dict(Trie(store, inner.root_hash)) == dict(inner)
    assert list(SecureTrie(store, outer.root_hash)) == [b"account"]
    collect_garbage(store, references=lambda *_: ())
    assert keccak256(code) not in store
    assert outer.root_hash in store


def test_code_that_looks_like_a_node_is_no_trouble(home: StoreHome) -> None:
    store = home.open()
    code = rlp.encode([b"\x16\xff", bytes(32)])  # an extension to what is not there
    store.write([(keccak256(code), code)])
    trie = Trie({b"k" * 32: rlp.encode([1, 2, keccak256(code)])}, store=store)
    trie.commit("state")
    assert collect_garbage(store) == Collected(2, 0, 0)


def test_a_root_that_is_not_whole_stops_it_and_nothing_is_removed() -> None:
    store = MemoryStore()
    trie = Trie(PAIRS, store=store)
    root = trie.commit("latest")
    old = Trie({b"k": b"v"}, store=store).commit()
    broken = next(
        walked.digest for walked in trie.nodes() if walked.depth == 1 and walked.digest
    )
    del store._blobs[broken]
    with pytest.raises(MissingNodeError) as caught:
        collect_garbage(store)
    assert caught.value.node_hash == broken
    assert len(caught.value.path) == 1
    assert old in store
    store.write(roots={"latest": None})
    collect_garbage(store)
    assert root not in store
    store.write([(keccak256(b"no node"), b"no node")])
    with pytest.raises(NodeError):
        collect_garbage(store, keep=[keccak256(b"no node")])
    assert keccak256(b"no node") in store


def test_it_goes_on_where_it_was_stopped(home: StoreHome) -> None:
    store = home.open()
    trie = Trie(PAIRS, store=store)
    root = trie.commit("latest")
    Trie({b"k": b"v"}, store=store).commit()
    seen: list[int] = []

    def stop(done: int) -> None:
        seen.append(done)
        if done >= 40:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        collect_garbage(store, batch=10, progress=stop)
    assert seen == [1, 11, 21, 31, 41]
    store = home.open()
    trie = Trie(store, root)
    trie[b"more"] = b"between the two"
    trie.commit("latest")
    total: list[int] = []
    collected = collect_garbage(store, batch=10, progress=total.append)
    assert total[-1] <= reachable(store, trie.root_hash) - 41 + 10
    assert dict(Trie(store, store.root("latest"))) == PAIRS | {
        b"more": b"between the two"
    }
    assert collected.removed >= 1
    # The old root was marked before it lost its name; the next collection has it.
    collect_garbage(store)
    assert root not in store


def test_a_trie_whose_beginning_was_collected_cannot_commit(home: StoreHome) -> None:
    store = home.open()
    trie = Trie(PAIRS, store=store)
    trie.commit("latest")
    mine = trie.copy()
    trie[b"theirs"] = b"1" * 40
    trie.commit("latest")
    mine[b"mine"] = b"2" * 40
    collect_garbage(store)
    with pytest.raises(StoreError) as caught:
        mine.commit("mine")
    assert caught.value.reason is StoreReason.BASE_COLLECTED
    assert store.root("mine") is None
    assert dict(Trie(store, store.root("latest"))) == PAIRS | {b"theirs": b"1" * 40}


def test_only_a_store_that_can_be_written_is_collected(home: StoreHome) -> None:
    store = home.open()
    Trie(PAIRS, store=store).commit()
    with pytest.raises(StoreError) as caught:
        collect_garbage(store.view())
    assert caught.value.reason is StoreReason.READ_ONLY


def test_commits_go_on_while_it_runs(home: StoreHome) -> None:
    store = home.open()
    trie = Trie(PAIRS, store=store)
    trie.commit("latest")
    done = threading.Event()
    wrong: list[BaseException] = []
    model = dict(PAIRS)

    def commit() -> None:
        number = 0
        try:
            while not done.is_set():
                number += 1
                key = keccak256(bytes([number % 120]))
                model[key] = trie[key] = number.to_bytes(40, "big")
                trie.commit("latest")
        except BaseException as error:
            wrong.append(error)
            raise

    thread = threading.Thread(target=commit)
    thread.start()
    for _ in range(5):
        collect_garbage(store, batch=7)
    done.set()
    thread.join()
    assert wrong == []
    assert trie.root_hash == trie_root(model)
    assert dict(Trie(home.open(), trie.root_hash)) == model


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"batch": 0}, RangeError),
        ({"batch": -1}, RangeError),
        ({"keep": bytes(32)}, InputTypeError),
        ({"keep": None}, InputTypeError),
        ({"keep": [5]}, InputTypeError),
        ({"keep": ["0x" + "00" * 32]}, InputTypeError),
        ({"keep": [b"short"]}, SizeError),
    ],
)
def test_arguments_that_do_not_fit_remove_nothing(
    arguments, error, home: StoreHome
) -> None:
    store = home.open()
    root = Trie(PAIRS, store=store).commit("latest")
    Trie({b"k": b"v"}, store=store).commit()
    with pytest.raises(error):
        collect_garbage(store, **arguments)
    assert dict(Trie(store, root)) == PAIRS
    assert collect_garbage(store).removed == 1


def test_only_a_store_of_this_package_is_collected() -> None:
    with pytest.raises(InputTypeError, match="store"):
        collect_garbage(Trie())  # type: ignore[arg-type]  # refused, which is the point


def nothing(key: bytes, value: bytes) -> tuple[bytes, ...]:
    """References of a store whose values refer to nothing."""
    return ()


def stop(done: int) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("first", [nothing, lambda *_: ()])
def test_marks_made_by_other_references_are_not_taken_up(
    first, home: StoreHome
) -> None:
    """What they have passed over would be swept."""
    store = home.open()
    code = b"code" * 30
    store.write([(keccak256(code), code)])
    Trie({b"k" * 32: rlp.encode([1, keccak256(code)])}, store=store).commit("state")
    with pytest.raises(KeyboardInterrupt):
        collect_garbage(store, references=first, batch=1, progress=stop)
    assert collect_garbage(store) == Collected(2, 0, 0)
    assert keccak256(code) in store


def test_a_collection_with_other_references_stops_the_one_before_it(
    home: StoreHome,
) -> None:
    store = home.open()
    Trie(PAIRS, store=store).commit("latest")
    Trie({b"k": b"v"}, store=store).commit()

    def other(done: int) -> None:
        with pytest.raises(KeyboardInterrupt):
            collect_garbage(store, batch=1, progress=stop)

    with pytest.raises(StoreError) as caught:
        collect_garbage(store, references=nothing, batch=1, progress=other)
    assert caught.value.reason is StoreReason.BUSY
    assert collect_garbage(store).removed == 1


def test_a_copy_saves_its_keys_itself(home: StoreHome) -> None:
    """What another has saved may be collected with the root that it was saved for."""
    store = home.open()
    trie = SecureTrie({b"first": b"1"}, store=store)
    trie.commit("latest")
    trie[b"second"] = b"2" * 40
    copied = trie.copy()
    trie.commit()
    collect_garbage(store)
    root = copied.commit("latest")
    assert sorted(SecureTrie(store, root)) == [b"first", b"second"]


def test_a_transaction_that_is_undone_takes_no_keys_with_it(home: StoreHome) -> None:
    store = home.open()
    trie = SecureTrie({b"first": b"1"}, store=store)
    trie.commit("latest")
    trie[b"second"] = b"2" * 40
    with pytest.raises(ZeroDivisionError), trie.transaction():
        trie[b"third"] = b"3"
        trie.commit()
        raise ZeroDivisionError
    with pytest.raises(ZeroDivisionError), trie.transaction():
        trie.clear()
        raise ZeroDivisionError
    collect_garbage(store)
    assert sorted(trie) == [b"first", b"second"]
    assert sorted(SecureTrie(store, trie.commit("latest"))) == [b"first", b"second"]
