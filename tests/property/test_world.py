"""A state against a plain model, its root always against a full rebuild."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from hexary import (
    Account,
    Address,
    State,
    apply_access_list,
    collect_garbage,
    state_differences,
)
from hexary.trie import NodeCache
from oracle import oracle_keccak256, oracle_rlp, oracle_root
from stores import KINDS, StoreHome

addresses = st.sampled_from([Address(bytes([n]) * 20) for n in range(6)])
slots = st.sampled_from([0, 1, 2, 7, 2**64, 2**256 - 1])
words = st.sampled_from([0, 1, 2, 0x7F, 0x80, 2**200, 2**256 - 1])
nonces = st.integers(0, 3)
balances = st.sampled_from([0, 1, 10**18, 2**256 - 1])
codes = st.sampled_from([b"", b"\x00", b"\x60" * 40])


@dataclass
class ModelAccount:
    """An account of the model."""

    nonce: int = 0
    balance: int = 0
    code: bytes = b""
    storage: dict[int, int] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        return not (self.nonce or self.balance or self.code)


Model = dict[Address, ModelAccount]


def minimal(number: int) -> bytes:
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


def rebuilt_root(model: Model) -> bytes:
    """Return the state root of a model, by the oracle alone."""
    values = {}
    for address, account in model.items():
        storage = {
            slot.to_bytes(32, "big"): oracle_rlp(minimal(value))
            for slot, value in account.storage.items()
        }
        values[bytes(address)] = oracle_rlp(
            [
                minimal(account.nonce),
                minimal(account.balance),
                oracle_root(storage, secure=True),
                oracle_keccak256(account.code),
            ]
        )
    return oracle_root(values, secure=True)


def as_alloc(model: Model) -> dict[Address, Account]:
    return {
        address: Account(each.nonce, each.balance, each.code, each.storage)
        for address, each in model.items()
    }


class StateMachine(RuleBasedStateMachine):
    """Setters, checkpoints, reverts, copies, commits, reopening and collecting."""

    @initialize(
        kind=st.sampled_from(KINDS), delete_empty=st.booleans(), cache=st.integers(0, 9)
    )
    def begin(self, kind: str, delete_empty: bool, cache: int) -> None:
        self.home = StoreHome(kind)
        self.store = self.home.open()
        self.cache = cache
        self.delete_empty = delete_empty
        self.state = State(store=self.nodes(), delete_empty=delete_empty)
        self.model: Model = {}
        self.touched: set[Address] = set()
        self.checkpoints: list[tuple[int, Model, set[Address]]] = []
        self.saved: dict[str, Model] = {}

    def nodes(self) -> NodeCache:
        return NodeCache(self.store, self.cache)

    def changed(self, address: Address) -> ModelAccount:
        self.touched.add(address)
        return self.model.setdefault(address, ModelAccount())

    @rule(address=addresses, nonce=nonces)
    def set_nonce(self, address: Address, nonce: int) -> None:
        self.state.set_nonce(address, nonce)
        self.changed(address).nonce = nonce

    @rule(address=addresses, balance=balances)
    def set_balance(self, address: Address, balance: int) -> None:
        self.state.set_balance(address, balance)
        self.changed(address).balance = balance

    @rule(address=addresses, code=codes)
    def set_code(self, address: Address, code: bytes) -> None:
        self.state.set_code(address, code)
        self.changed(address).code = code

    @rule(address=addresses, slot=slots, value=words)
    def set_storage(self, address: Address, slot: int, value: int) -> None:
        self.state.set_storage(address, slot, value)
        if value:
            self.changed(address).storage[slot] = value
        elif address in self.model:
            self.changed(address).storage.pop(slot, None)

    @rule(address=addresses, nonce=nonces, code=codes, slot=slots, value=words)
    def create(
        self, address: Address, nonce: int, code: bytes, slot: int, value: int
    ) -> None:
        self.state.create_account(address, Account(nonce, 0, code, {slot: value}))
        self.changed(address)
        storage = {slot: value} if value else {}
        self.model[address] = ModelAccount(nonce, 0, code, storage)

    @rule(address=addresses)
    def destroy(self, address: Address) -> None:
        self.state.destroy_account(address)
        self.model.pop(address, None)

    @rule(address=addresses)
    def touch(self, address: Address) -> None:
        self.state.touch(address)
        self.touched.add(address)

    @rule()
    def switch(self) -> None:
        """As at the fork that brings EIP-161: what is empty by then stays so."""
        self.remove_empty()
        self.delete_empty = self.state.delete_empty = not self.delete_empty

    @rule()
    def checkpoint(self) -> None:
        self.remove_empty()
        self.checkpoints.append(
            (self.state.checkpoint(), copy.deepcopy(self.model), set(self.touched))
        )

    @precondition(lambda self: self.checkpoints)
    @rule(data=st.data())
    def revert(self, data: st.DataObject) -> None:
        at = data.draw(st.integers(0, len(self.checkpoints) - 1))
        number, self.model, self.touched = self.checkpoints[at]
        del self.checkpoints[at:]
        self.state.revert(number)
        # Accounts that were as they are now, and were seen to, are seen to again.
        self.remove_empty()

    @precondition(lambda self: self.checkpoints)
    @rule(data=st.data())
    def accept(self, data: st.DataObject) -> None:
        at = data.draw(st.integers(0, len(self.checkpoints) - 1))
        self.state.accept(self.checkpoints[at][0])
        del self.checkpoints[at:]

    @rule()
    def copied(self) -> None:
        self.remove_empty()
        other = self.state.copy()
        self.state.set_balance(Address(bytes([1]) * 20), 77).destroy_account(
            bytes([2]) * 20
        )
        self.state = other
        self.checkpoints = []

    @rule(name=st.sampled_from("ab"))
    def commit(self, name: str) -> None:
        self.remove_empty()
        assert self.state.commit(name) == rebuilt_root(self.model)
        self.saved[name] = copy.deepcopy(self.model)
        self.checkpoints = []

    @precondition(lambda self: self.saved)
    @rule(data=st.data(), anew=st.booleans())
    def reopen(self, data: st.DataObject, anew: bool) -> None:
        name = data.draw(st.sampled_from(sorted(self.saved)))
        if anew:
            self.store = self.home.open()
        self.state = State(self.nodes(), self.store.root(name))
        self.state.delete_empty = self.delete_empty
        self.model = copy.deepcopy(self.saved[name])
        self.touched = set()
        self.checkpoints = []

    @precondition(lambda self: self.state._base in self.store.roots().values())
    @rule(batch=st.integers(1, 30))
    def collect(self, batch: int) -> None:
        collect_garbage(self.store, batch=batch)

    @precondition(lambda self: self.saved)
    @rule(data=st.data())
    def compare(self, data: st.DataObject) -> None:
        self.remove_empty()
        name = data.draw(st.sampled_from(sorted(self.saved)))
        other = State(self.nodes(), self.store.root(name))
        found = {
            (each.address, each.field, each.slot): (each.before, each.after)
            for each in state_differences(other, self.state)
        }
        assert found == expected_differences(self.saved[name], self.model)

    @rule()
    def root(self) -> None:
        self.remove_empty()
        assert self.state.root() == rebuilt_root(self.model)

    @rule(address=addresses, slot=slots)
    def read(self, address: Address, slot: int) -> None:
        account = self.model.get(address)
        assert (address in self.state) == (account is not None)
        account = account or ModelAccount()
        assert self.state.get_nonce(address) == account.nonce
        assert self.state.get_balance(address) == account.balance
        assert self.state.get_code(address) == account.code
        assert self.state.get_storage(address, slot) == account.storage.get(slot, 0)

    def remove_empty(self) -> None:
        """Ask for the root, which removes what is empty and was changed or touched."""
        self.state.root()
        if self.delete_empty:
            for address in self.touched:
                if address in self.model and self.model[address].is_empty:
                    del self.model[address]
        self.touched = set()

    @invariant()
    def same_root_without_side_effects(self) -> None:
        if hasattr(self, "state") and not self.delete_empty:
            self.touched = set()
            assert self.state.root() == rebuilt_root(self.model)

    def teardown(self) -> None:
        if hasattr(self, "state"):
            self.remove_empty()
            assert self.state.alloc() == as_alloc(self.model)
            self.store = self.home.open()
            for name, model in self.saved.items():
                found = State(self.store, self.store.root(name))
                assert found.root() == rebuilt_root(model)
                assert found.alloc() == as_alloc(model)
            self.home.remove()


def expected_differences(before: Model, after: Model) -> dict[object, object]:
    found: dict[object, object] = {}
    for address in {*before, *after}:
        old, new = before.get(address), after.get(address)
        if (old is None) != (new is None):
            found[address, "exists", None] = (old is not None, new is not None)
        old, new = old or ModelAccount(), new or ModelAccount()
        for name in ("nonce", "balance", "code"):
            if getattr(old, name) != getattr(new, name):
                found[address, name, None] = getattr(old, name), getattr(new, name)
        for slot in {*old.storage, *new.storage}:
            values = old.storage.get(slot, 0), new.storage.get(slot, 0)
            if values[0] != values[1]:
                found[address, "storage", slot] = values
    return found


TestStateMachine = StateMachine.TestCase
TestStateMachine.settings = settings(max_examples=200, stateful_step_count=40)

accounts = st.builds(
    Account, nonces, balances, codes, st.dictionaries(slots, words, max_size=4)
)
allocs = st.dictionaries(addresses, accounts, max_size=6)


@given(allocs, allocs)
def test_an_access_list_of_all_that_differs_leads_to_the_other_state(before, after):
    """Accounts never vanish in a block but by being empty, so none is dropped here."""
    after = {**before, **after}
    entries = []
    for address, account in after.items():
        old = before.get(address, Account())
        touched = {*old.storage, *account.storage}
        entries.append(
            [
                address,
                [[slot, [[1, account.storage.get(slot, 0)]]] for slot in touched],
                [],
                [[1, int(account.balance)]],
                [[1, 5], [2, int(account.nonce)]],
                [[1, bytes(account.code)]],
            ]
        )
    expected = {
        address: account for address, account in after.items() if not account.is_empty
    }
    assert apply_access_list(State(before), entries).root() == State(expected).root()
