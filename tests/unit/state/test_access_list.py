"""Block access lists (EIP-7928) applied to a state."""

from __future__ import annotations

import types
from typing import Any

import pytest

from hexary import Account, Address, State, apply_access_list, rlp, state_root
from hexary.chain import AccountChanges, BlockAccessList
from hexary.errors import (
    DecodeError,
    FixtureError,
    InputTypeError,
    MissingNodeError,
    RangeError,
    SizeError,
)
from hexary.state import PostValues, post_values
from hexary.trie import MemoryStore

A, B, C = (Address(bytes(19) + bytes([n])) for n in (1, 2, 3))

BEFORE = {A: Account(1, 1000), B: Account(1, 0, "0x60", {1: 5, 2: 6})}


def test_the_last_write_of_each_value_counts() -> None:
    entry = [
        A,
        [[1, [[3, 30], [1, 10]]], [b"\x02", [[1, b""]]]],
        [4],
        [[1, 900], [2, 800]],
        [[1, 2], [2, 3]],
        [[1, b"\x60"]],
    ]
    assert post_values(entry) == PostValues(A, 3, 800, b"\x60", {1: 30, 2: 0})
    assert post_values([A, [], [9], [], [], []]) == PostValues(A)


def test_a_state_gets_the_root_of_the_block() -> None:
    entries = [
        [A, [], [], [[1, 900]], [[1, 2]], []],
        [B, [[1, [[1, 0]]], [2, [[1, 7]]]], [3], [], [], []],
        [C, [], [], [[1, 100]], [], [[1, b"\xfe"]]],
    ]
    expected = state_root(
        {
            A: Account(2, 900),
            B: Account(1, 0, "0x60", {2: 7}),
            C: Account(0, 100, "0xfe"),
        }
    )
    assert apply_access_list(State(BEFORE), entries).root() == expected
    decoded = rlp.decode(rlp.encode(entries))
    assert apply_access_list(State(BEFORE), decoded).root() == expected
    ready = [post_values(entry) for entry in entries]
    assert apply_access_list(State(BEFORE), ready).root() == expected


def test_the_list_of_a_block_is_taken_in_every_form() -> None:
    entries = [
        [A, [], [], [[1, 900]], [[1, 2]], []],
        [B, [[1, [[1, 0]]], [2, [[1, 7], [2, 8]]]], [3], [], [], []],
        [C, [], [], [[1, 100]], [], [[1, b"\xfe"]]],
    ]
    expected = apply_access_list(State(BEFORE), entries).root()
    assert expected != State(BEFORE).root()
    block = BlockAccessList.from_rlp(rlp.encode(entries))
    rpc = block.to_json(spelling="rpc")
    for form in (
        *(block, block.accounts, iter(block), block.to_json(), rpc, block.rlp()),
        *(bytearray(block.rlp()), [types.MappingProxyType(one) for one in rpc]),
    ):
        assert apply_access_list(State(BEFORE), form).root() == expected
    assert block.apply_to(State(BEFORE)).root() == expected


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"balanceChanges": None}, "balanceChanges"),
        ({"balanceChanges": [7]}, "balanceChanges[0]"),
        ({"nonceChanges": [{"postNonce": "0x1"}]}, "nonceChanges[0].blockAccessIndex"),
        ({"storageChanges": [{"slot": "0x1"}]}, "storageChanges[0].slotChanges"),
        ({"storageReads": "0x1"}, "storageReads"),
        ({"address": "0x01"}, "address"),
        (
            {"codeChanges": [{"blockAccessIndex": 1, "newCode": 5}]},
            "codeChanges[0].newCode",
        ),
    ],
)
def test_json_of_another_form_changes_nothing(change: Any, field: str) -> None:
    state = State(BEFORE)
    good = BlockAccessList.from_rlp(
        rlp.encode([[A, [[1, [[1, 1]]]], [], [[1, 9]], [], []]])
    ).to_json()[0]
    with pytest.raises(FixtureError) as caught:
        apply_access_list(state, [good, good | change])
    assert caught.value.field == field
    assert state.root() == State(BEFORE).root()


def test_what_is_no_list_of_a_block_is_refused() -> None:
    with pytest.raises(InputTypeError, match="accounts must be the entries of a list"):
        apply_access_list(State(), "0xc0")  # type: ignore[arg-type]  # the test
    with pytest.raises(InputTypeError, match="accounts must be the entries of a list"):
        apply_access_list(State(), b"\x05")
    with pytest.raises(DecodeError):
        apply_access_list(State(), b"\xc1")
    with pytest.raises(InputTypeError, match="an account's changes"):
        apply_access_list(State(), [AccountChanges(A).replace().storage_reads])


def test_accounts_that_end_empty_are_removed() -> None:
    state = State({A: Account(balance=1), B: Account()})
    apply_access_list(state, [[A, [], [], [[1, 0]], [], []]])
    assert state.root() == state_root({B: Account()})
    # Not those that a block only looked at: that is no touch of EIP-161, and a chain
    # with access lists has no empty accounts to begin with (EIP-7523).
    apply_access_list(state, [[B, [], [], [], [], []], [C, [], [1], [], [], []]])
    assert state.root() == state_root({B: Account()})
    apply_access_list(state, [[B, [], [], [[1, 0]], [], []]])
    assert state.root() == state_root({})


def test_a_list_that_is_malformed_changes_nothing() -> None:
    state = State(BEFORE)
    root = state.root()
    good = PostValues(A, balance=1)
    for wrong, error in (
        ([A, [], []], InputTypeError),
        ("text", InputTypeError),
        ([A, [[1]], [], [], [], []], InputTypeError),
        ([A, [], [], 7, [], []], InputTypeError),
        ([b"short", [], [], [], [], []], SizeError),
        (PostValues(A, nonce=2**64), RangeError),
    ):
        with pytest.raises(error):
            apply_access_list(state, [good, wrong])
        assert state.root() == root


def test_a_partial_state_is_enough_where_it_has_what_is_written() -> None:
    accounts = {n.to_bytes(20, "big"): Account(1, n) for n in range(1, 200)}
    store = MemoryStore()
    root = State(accounts, store=store).commit()
    touched = (7).to_bytes(20, "big")
    reads = []

    class Store(MemoryStore):
        def read(self, digest):
            reads.append(digest)
            return super().read(digest)

    witness = Store()
    witness.write(store._blobs)
    entries = [[touched, [], [], [[1, 10**18]], [], []]]
    expected = apply_access_list(State(witness, root), entries).root()
    partial = MemoryStore()
    partial.write({digest: store.read(digest) for digest in reads if digest in store})
    assert len(partial) < 10
    assert apply_access_list(State(partial, root), entries).root() == expected
    state = State(partial, root)
    others = [[(n).to_bytes(20, "big"), [], [], [[1, 1]], [], []] for n in range(1, 50)]
    with pytest.raises(MissingNodeError):
        apply_access_list(state, others)
    assert state.root() == root


@pytest.mark.parametrize("code", [5, 10**12, "0x60", [1, 2], None, True])
def test_code_is_bytes(code) -> None:
    state = State()
    with pytest.raises(InputTypeError, match=r"code|a change"):
        apply_access_list(state, [[bytes(20), [], [], [], [], [[1, code], [0, b""]]]])
    assert state.root() == State().root()


@pytest.mark.parametrize("accounts", [None, 5, "list", b"\x05"])
def test_a_list_is_a_list(accounts) -> None:
    with pytest.raises(InputTypeError, match="accounts"):
        apply_access_list(State(), accounts)
