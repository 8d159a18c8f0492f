"""What differs between two states."""

from __future__ import annotations

from hexary import Account, Address, Alloc, State, keccak256, state_differences
from hexary.state import StateDifference
from hexary.trie import MemoryStore

A, B = (Address(bytes(19) + bytes([n])) for n in (1, 2))


def brief(first: State, second: State) -> list[tuple[object, ...]]:
    return [
        (each.address, each.field, each.slot, each.before, each.after)
        for each in state_differences(first, second)
    ]


def test_fields_and_slots_that_differ() -> None:
    before = State({A: Account(1, 2, "0x60", {1: 2, 3: 4})})
    after = before.copy().set_nonce(A, 5).set_balance(A, 6).set_code(A, "0xfe")
    after.set_storage(A, 1, 9).set_storage(A, 3, 0).set_storage(A, 7, 8)
    assert brief(before, before.copy()) == []
    found = brief(before, after)
    assert found[:3] == [
        (A, "nonce", None, 1, 5),
        (A, "balance", None, 2, 6),
        (A, "code", None, b"\x60", b"\xfe"),
    ]
    assert sorted(found[3:], key=lambda each: each[2]) == [
        (A, "storage", 1, 2, 9),
        (A, "storage", 3, 4, 0),
        (A, "storage", 7, 0, 8),
    ]
    assert brief(after, before) == [
        (*place, after, before) for *place, before, after in found
    ]


def test_accounts_that_only_one_has() -> None:
    empty, full = State(), State({A: Account(balance=1, storage={5: 6})})
    assert brief(empty, full) == [
        (A, "exists", None, False, True),
        (A, "balance", None, 0, 1),
        (A, "storage", 5, 0, 6),
    ]
    assert brief(State({B: Account()}), empty) == [(B, "exists", None, True, False)]


def test_between_roots_over_stores_and_what_is_known_by_hash() -> None:
    store, other = MemoryStore(), MemoryStore()
    alloc = Alloc({A: Account(balance=1, storage={5: 6}), B: Account(balance=2)})
    root = State(alloc, store=store).commit()
    changed = State(alloc, store=other).set_storage(A, 5, 7)
    changed.commit()
    for stored in (store, other):
        for preimage in (keccak256(A), keccak256((5).to_bytes(32, "big"))):
            del stored._blobs[preimage]
    first, second = State(store, root), State(other, changed.root())
    assert list(state_differences(first, second)) == [
        StateDifference(
            None,
            keccak256(A),
            "storage",
            None,
            keccak256((5).to_bytes(32, "big")),
            6,
            7,
        )
    ]


def test_equal_accounts_are_not_read() -> None:
    reads = []

    class Store(MemoryStore):
        def read(self, digest):
            reads.append(digest)
            return super().read(digest)

    store = Store()
    accounts = {
        n.to_bytes(20, "big"): Account(balance=n, storage={1: n, 2: n})
        for n in range(1, 1000)
    }
    before = State(accounts, store=store)
    before.commit()
    after = before.copy().set_storage((7).to_bytes(20, "big"), 1, 100)
    after.commit()
    reads.clear()
    (found,) = state_differences(State(before._nodes, before.root()), after)
    assert (found.slot, found.before, found.after) == (1, 7, 100)
    assert len(reads) < 20


def test_states_are_compared_as_they_were() -> None:
    """Changing one of them while the differences are read changes none of them."""
    one = State({A: Account(balance=1, storage={1: 2}), B: Account(storage={3: 4})})
    two = State()
    expected = list(state_differences(one, two))
    differences = state_differences(one, two)
    found = [next(differences)]
    one.destroy_account(A).destroy_account(B).root()
    found += differences
    assert found == expected
