"""A state that changes, goes back, is committed and opened again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from hexary import (
    EMPTY_ROOT,
    Account,
    Address,
    Alloc,
    State,
    TrieAccount,
    collect_garbage,
    keccak256,
    recording,
    state_root,
)
from hexary.chain import Genesis
from hexary.errors import (
    InputTypeError,
    MissingNodeError,
    RangeError,
    SizeError,
    StoreError,
    StoreReason,
)
from hexary.state import EMPTY_CODE_HASH
from hexary.trie import MemoryStore, NodeCache, Trie
from stores import KINDS, StoreHome

A, B, C = (Address(bytes(19) + bytes([n])) for n in (1, 2, 3))
ALLOC = Alloc(
    {
        A: Account(
            nonce=1, balance=10, code="0x6000", storage={0: 1, 2**255: 2**256 - 1}
        ),
        B: Account(balance=5),
        C: Account(storage={0: 1, 1: 2}, nonce=3),
    }
)


@pytest.fixture(params=KINDS)
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoreHome]:
    place = StoreHome(request.param, tmp_path)
    yield place
    place.remove()


def test_what_is_set_is_read_and_makes_the_root() -> None:
    state = State()
    assert state.root() == EMPTY_ROOT
    assert A not in state
    assert (state.get_balance(A), state.get_nonce(A), state.get_code(A)) == (0, 0, b"")
    assert state.get_code_hash(A) == EMPTY_CODE_HASH
    assert state.get_storage(A, 7) == 0
    assert state.account(A) is None
    state.set_balance(A, 10).set_nonce(A, 1).set_code(A, "0x6000")
    state.set_storage(A, 0, 1).set_storage(A, "0x07", b"\x08")
    expected = Account(1, 10, "0x6000", {0: 1, 7: 8})
    assert state.get_storage(str(A), bytes(31) + b"\x07") == 8
    assert state.get_code(A) == b"\x60\x00"
    assert state.account(A) == expected.trie_account()
    assert state.root() == state_root({A: expected})
    assert state.alloc() == {A: expected}
    assert list(state.accounts()) == [(keccak256(A), A, expected.trie_account())]


def test_a_state_of_an_alloc_has_its_root_and_gives_it_back(home: StoreHome) -> None:
    for state in (State(ALLOC), State(ALLOC, store=home.open())):
        assert state.root() == ALLOC.state_root()
        assert state.alloc() == ALLOC
    root = State(ALLOC, store=home.open()).commit("latest")
    store = home.open(read_only=True)
    for state in (State(store, root), State(store=NodeCache(store), root=root)):
        assert state.root() == root
        assert state.get_code(A) == b"\x60\x00"
        assert state.get_storage(A, 2**255) == 2**256 - 1
        assert state.alloc() == ALLOC
        assert state.store is store


def test_zero_deletes_a_slot_and_makes_no_account() -> None:
    state = State(ALLOC)
    for slot in (0, 1):
        state.set_storage(C, slot, 0)
    assert state.account(C) == TrieAccount(nonce=3)
    other = Address(bytes([9]) * 20)
    state.set_storage(other, 0, 0)
    assert other not in state
    state.set_storage(other, 0, 1)
    assert other in state
    state.set_storage(other, 0, 0)
    assert state.account(other) == TrieAccount()


def test_setting_nothing_makes_an_empty_account() -> None:
    assert State().set_balance(A, 0).root() == state_root({A: Account()})


def test_creating_and_destroying_replaces_all_there_was(home: StoreHome) -> None:
    store = home.open()
    state = State(store, State(ALLOC, store=store).commit())
    state.create_account(A, Account(balance=1)).create_account(B).destroy_account(C)
    state.destroy_account(bytes([7]) * 20)
    assert state.get_storage(A, 0) == 0
    assert state.get_storage(C, 0) == 0
    assert state.root() == state_root({A: Account(balance=1), B: Account()})
    state.set_storage(C, 1, 5)
    expected = {A: Account(balance=1), B: Account(), C: Account(storage={1: 5})}
    assert state.root() == state_root(expected)
    assert State(store, state.commit()).alloc() == expected


def test_empty_accounts_go_if_asked_for() -> None:
    alloc = Alloc({A: Account(balance=1), B: Account()})
    assert State(alloc).root() == alloc.state_root()
    assert State(alloc, delete_empty=True).root() == alloc.state_root(delete_empty=True)
    state = State(alloc)
    state.root()
    state.delete_empty = True
    assert state.root() == alloc.state_root()
    state.set_balance(A, 0)
    assert state.root() == state_root({B: Account()})
    state.touch(B).touch(C)
    assert state.root() == EMPTY_ROOT
    assert B not in state
    state.set_nonce(A, 1)
    assert state.root() == state_root({A: Account(nonce=1)})


def test_removing_empty_accounts_can_be_undone() -> None:
    state = State({A: Account(balance=1)}, delete_empty=True)
    root = state.root()
    checkpoint = state.checkpoint()
    state.set_balance(A, 0)
    assert state.root() == EMPTY_ROOT
    state.revert(checkpoint)
    assert state.root() == root


def test_checkpoints_nest(home: StoreHome) -> None:
    store = home.open()
    for state in (State(ALLOC), State(store, State(ALLOC, store=store).commit())):
        root = state.root()
        outer = state.checkpoint()
        state.set_balance(A, 11).set_storage(A, 0, 2).set_code(B, "0xfe")
        middle_root = state.root()
        middle = state.checkpoint()
        state.destroy_account(A).set_storage(A, 0, 9).create_account(C)
        inner = state.checkpoint()
        state.set_nonce(B, 8).set_storage(C, 1, 1)
        state.accept(inner)
        assert state.get_nonce(B) == 8
        state.revert(middle)
        assert state.root() == middle_root
        assert state.get_storage(A, 0) == 2
        state.revert(outer)
        assert state.root() == root
        assert state.alloc() == ALLOC


def test_a_checkpoint_that_is_not_open_is_refused() -> None:
    state = State(ALLOC, store=MemoryStore())
    first = state.checkpoint()
    second = state.checkpoint()
    state.revert(first)
    for number in (first, second, 0, 99):
        with pytest.raises(RangeError, match="one that is open, and none is, got"):
            state.revert(number)
    third = state.checkpoint()
    assert third > second
    with pytest.raises(RangeError, match=rf"is open \({third}\), got {second}"):
        state.revert(second)
    for _ in range(9):
        last = state.checkpoint()
    with pytest.raises(RangeError, match=rf"is open \(…, .*, {last}\), got 99"):
        state.accept(99)
    state.commit()
    with pytest.raises(RangeError):
        state.accept(third)


def test_a_transaction_keeps_or_undoes() -> None:
    state = State(ALLOC)
    root = state.root()
    with pytest.raises(ZeroDivisionError), state.transaction() as same:
        assert same is state
        state.set_balance(A, 99)
        with state.transaction():
            state.destroy_account(C)
        assert C not in state
        raise ZeroDivisionError
    assert state.root() == root
    with state.transaction():
        state.set_balance(A, 99)
    assert state.get_balance(A) == 99


def test_copies_are_independent(home: StoreHome) -> None:
    store = home.open()
    state = State(ALLOC, store=store, delete_empty=True)
    state.set_storage(A, 5, 6)
    root = state.root()
    copied = state.copy()
    assert copied.delete_empty
    copied.set_storage(A, 5, 7).set_balance(B, 1)
    state.destroy_account(A)
    assert copied.get_storage(A, 0) == 1
    again = State(ALLOC).set_storage(A, 5, 6)
    assert again.root() == root
    assert copied.root() == again.set_storage(A, 5, 7).set_balance(B, 1).root()
    assert State(store, copied.commit()).alloc() == again.alloc()
    assert State(store, state.commit()).alloc() == state.alloc()


def test_only_what_changed_is_hashed_again() -> None:
    accounts = {
        bytes(18) + n.to_bytes(2, "big"): Account(balance=n, storage={1: 1, 2: n})
        for n in range(1, 500)
    }
    state = State(accounts)
    state.root()
    with recording() as record:
        state.set_storage(bytes(18) + b"\0\x07", 1, 3).root()
    assert record.calls < 15
    with recording() as record:
        state.root()
    assert record.calls == 0


def test_a_commit_is_one_transaction_and_collecting_keeps_all_of_it(
    home: StoreHome,
) -> None:
    store = home.open()
    state = State(ALLOC, store=store)
    first = state.commit("latest")
    state.set_code(B, "0x5b").set_storage(C, 0, 0).destroy_account(A)
    second = state.commit("latest")
    assert collect_garbage(store).removed > 0
    assert first not in store
    opened = State(home.open(), second)
    assert opened.alloc() == {
        B: Account(balance=5, code="0x5b"),
        C: Account(nonce=3, storage={1: 2}),
    }
    assert opened.get_code(B) == b"\x5b"


def test_u164_two_accounts_with_one_storage_keep_it_each(home: StoreHome) -> None:
    store = home.open()
    shared = Account(storage={0: 1}, nonce=1)
    state = State(store, State({A: shared, B: shared}, store=store).commit("latest"))
    state.set_storage(A, 0, 0).commit("latest")
    collect_garbage(store)
    opened = State(home.open(), state.root())
    assert opened.get_storage(B, 0) == 1
    assert opened.account(B) == shared.trie_account()


def test_what_a_store_lacks_is_named() -> None:
    store = MemoryStore()
    root = State(ALLOC, store=store).commit()
    code_hash = keccak256(b"\x60\x00")
    del store._blobs[code_hash]
    state = State(store, root)
    with pytest.raises(MissingNodeError, match=f"the code of {A}") as caught:
        state.get_code(A)
    assert caught.value.node_hash == code_hash
    storage_root = ALLOC[A].storage_root()
    del store._blobs[bytes(storage_root)]
    state = State(store, root)
    for use in (
        lambda: state.get_storage(A, 0),
        lambda: state.set_storage(A, 0, 1).root(),
        lambda: state.alloc(),
    ):
        with pytest.raises(MissingNodeError) as caught:
            use()
        assert caught.value.node_hash == storage_root
    with pytest.raises(MissingNodeError, match=f"in the storage of {A}"):
        state.root()
    assert state.get_balance(A) == 10


def test_addresses_and_slots_that_are_known_by_hash_alone() -> None:
    store = MemoryStore()
    account = Account(balance=1, storage={5: 6})
    root = State({A: account}, store=store).commit()
    slot = keccak256((5).to_bytes(32, "big"))
    del store._blobs[slot]
    with pytest.raises(StoreError, match=f"a slot of {A}") as caught:
        State(store, root).alloc()
    assert caught.value.node_hash == slot
    del store._blobs[keccak256(A)]
    state = State(store, root)
    with pytest.raises(StoreError) as caught:
        state.alloc()
    assert caught.value.reason is StoreReason.NO_PREIMAGE
    assert list(state.accounts()) == [(keccak256(A), None, account.trie_account())]
    assert state.get_storage(A, 5) == 6


def test_arguments_that_do_not_fit() -> None:
    state = State()
    for balance in (-1, 2**256):
        with pytest.raises(RangeError, match="balance"):
            state.set_balance(A, balance)
    with pytest.raises(RangeError, match="nonce"):
        state.set_nonce(A, 2**64)
    for wrong in (True, "1", 1.0):
        with pytest.raises(InputTypeError, match="nonce"):
            state.set_nonce(A, wrong)
    with pytest.raises(SizeError):
        state.get_balance(b"short")
    with pytest.raises(RangeError, match="slot"):
        state.set_storage(A, 2**256, 1)
    with pytest.raises(RangeError, match="value"):
        state.set_storage(A, 1, -1)
    with pytest.raises(InputTypeError, match="first of two"):
        State(ALLOC, EMPTY_ROOT)
    with pytest.raises(StoreError) as caught:
        state.commit()
    assert caught.value.reason is StoreReason.NO_STORE
    assert state.root() == EMPTY_ROOT


def test_what_was_only_read_is_forgotten_at_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("hexary.state.live_accounts._MOST_READ", 10)
    state = State(ALLOC)
    state.root()
    state.set_balance(A, 77).set_storage(C, 0, 9)
    for n in range(100):
        assert state.get_balance(n.to_bytes(20, "big")) in (0, 5, 77)
        assert state.get_storage(B, n) == 0
    assert len(state._live.found) < 25
    assert state.get_storage(C, 0) == 9
    assert state.root() == State(ALLOC).set_balance(A, 77).set_storage(C, 0, 9).root()


def test_the_state_of_a_genesis(checkout: Path) -> None:
    genesis = Genesis.from_file(checkout / "fixtures/genesis/sepolia.json")
    store = MemoryStore()
    state = genesis.state(store=store, delete_empty=True)
    assert state.delete_empty
    assert state.commit("genesis") == genesis.state_root()
    assert Trie(store, store.root("genesis")).statistics().keys == len(genesis.alloc)


def test_a_touch_that_is_reverted_removes_nothing() -> None:
    """EIP-161: only what a transaction really did counts."""
    store = MemoryStore()
    first = State({A: Account(), B: Account(balance=1)}, store=store).commit()
    state = State(store, first, delete_empty=True)
    for change in (
        lambda: state.touch(A),
        lambda: state.set_balance(A, 5),
        lambda: state.set_storage(A, 1, 0),
        lambda: state.create_account(A),
        lambda: state.destroy_account(A),
        lambda: state.touch(A).root(),
    ):
        checkpoint = state.checkpoint()
        change()
        state.revert(checkpoint)
        assert state.root() == first
        assert A in state


def test_a_touch_before_a_checkpoint_outlives_it() -> None:
    state = State({A: Account()})
    state.root()
    state.delete_empty = True
    checkpoint = state.touch(A).checkpoint()
    assert state.touch(A).root() == EMPTY_ROOT
    state.revert(checkpoint)
    assert A in state
    assert state.root() == EMPTY_ROOT


def test_a_copy_saves_its_codes_itself(home: StoreHome) -> None:
    """What another has saved may be collected with the root that it was saved for."""
    store = home.open()
    state = State({B: Account(balance=1)}, store=store)
    state.commit("latest")
    state.set_code(A, b"code" * 20).set_storage(A, 5, 6)
    copied = state.copy()
    state.commit()
    collect_garbage(store)
    opened = State(store, copied.commit("latest"))
    assert opened.alloc() == {
        A: Account(code=b"code" * 20, storage={5: 6}),
        B: Account(balance=1),
    }


def test_nothing_is_committed_inside_a_transaction() -> None:
    store = MemoryStore()
    state = State(ALLOC, store=store)
    with state.transaction():
        state.set_balance(A, 99)
        with pytest.raises(StoreError) as caught:
            state.commit("latest")
    assert caught.value.reason is StoreReason.BUSY
    assert store.root("latest") is None
    assert state.get_balance(A) == 99
    assert state.commit("latest") == state.root()


def test_accounts_are_those_of_the_call() -> None:
    state = State(ALLOC)
    accounts = state.accounts()
    state.destroy_account(A).root()
    assert {address for _, address, _ in accounts} == {A, B, C}
