"""Witnesses: their shapes, states made of one, and exactly what is recorded."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hexary import (
    EMPTY_ROOT,
    Account,
    Address,
    FixtureError,
    InputTypeError,
    MemoryStore,
    MissingNodeError,
    ProofError,
    State,
    StoreError,
    Witness,
    keccak256,
)
from hexary.state import apply_access_list

A, B, C = Address(1), Address(2), Address(3)
ALLOC = {
    A: Account(1, 1000, "0x60016000", {slot: slot + 1 for slot in range(20)}),
    B: Account(0, 5),
    **{Address(number): Account(number) for number in range(4, 40)},
}
STATE = State(ALLOC)
ROOT = STATE.root()


def hexes(blobs) -> list[str]:
    return ["0x" + bytes.hex(blob) for blob in blobs]


def by_hash(blobs) -> dict[str, str]:
    return {"0x" + keccak256(blob).hex(): "0x" + bytes.hex(blob) for blob in blobs}


def test_the_shapes_of_clients() -> None:
    nodes = STATE.prove(A, [1]).nodes
    codes = (b"\x60\x01\x60\x00",)
    in_hex = {"codes": hexes(codes)}
    plain = {"state": hexes(nodes), "codes": hexes(codes), "headers": []}
    expected = Witness(nodes, codes)
    for document in (
        plain,
        {**plain, "keys": None},
        {"state": by_hash(nodes), "codes": by_hash(codes)},
        {"jsonrpc": "2.0", "result": plain},
        {"executionWitness": plain},
        {"result": {"witness": plain}},
        {"states": hexes(nodes), "codes": hexes(codes)},
        # As a program has it that has read it already.
        {"state": nodes, "codes": list(map(bytearray, codes)), "headers": ()},
        MappingProxyType({"state": {keccak256(one): one for one in nodes}, **in_hex}),
        {"state": MappingProxyType(by_hash(nodes)), "codes": codes},
    ):
        assert Witness.from_json(document) == expected
    assert Witness.from_json(expected.to_json()) == expected
    wrong = {"state": dict.fromkeys(by_hash(nodes), "0x80")}
    for document in (
        *(wrong, {"codes": []}, {"state": "0x"}, {"state": [1]}, []),
        *({"state": {bytes(32): nodes[0]}}, {"state": {7: "0x"}}),
        *({"state": {bytes(31): nodes[0]}}, {"state": {"0x": None}}),
        *({**plain, name: 7} for name in plain),
        *({**plain, name: [[]]} for name in plain),
        *({**plain, name: {"0x12": "0x"}} for name in plain),
    ):
        with pytest.raises(FixtureError):
            Witness.from_json(document)


def test_several_proofs_make_a_witness() -> None:
    witness = Witness.from_proofs(
        [STATE.prove(A, [1, 99]), STATE.prove(B)], codes=[b"\x60\x01\x60\x00"]
    )
    assert len(set(witness.nodes)) == len(witness.nodes)
    state = State.from_witness(ROOT, witness)
    assert (state.get_balance(A), state.get_balance(B)) == (1000, 5)
    assert state.get_code(A) == b"\x60\x01\x60\x00"
    assert (state.get_storage(A, 1), state.get_storage(A, 99)) == (2, 0)
    with pytest.raises(MissingNodeError):
        state.get_storage(A, 7)
    state.set_balance(A, 7).set_storage(A, 1, 9)
    assert state.root() == STATE.copy().set_balance(A, 7).set_storage(A, 1, 9).root()
    with pytest.raises(StoreError):
        state.commit()


def test_proofs_of_several_blocks_do_not_mix() -> None:
    later = STATE.copy().set_balance(A, 77)
    proofs = [STATE.prove(A, [1]), later.prove(A), later.prove(B)]
    witness = Witness.from_proofs(proofs)
    # Each root finds its own; nothing of the other is ever taken for it.
    assert State.from_witness(ROOT, witness).get_balance(A) == 1000
    state = State.from_witness(later.root(), witness)
    assert (state.get_balance(A), state.get_balance(B)) == (77, 5)
    with pytest.raises(MissingNodeError) as missing:
        State.from_witness(ROOT, Witness.from_proofs(proofs[1:])).get_balance(A)
    assert (missing.value.node_hash, missing.value.path) == (ROOT, b"")
    with pytest.raises(ProofError) as caught:
        Witness.from_proofs(proofs, state_root=ROOT)
    assert caught.value.where == f"account {A}"
    assert Witness.from_proofs(proofs[1:], state_root=later.root()).keys == (A, B)


def test_a_state_is_made_of_bare_nodes_too() -> None:
    nodes = STATE.prove(B).nodes
    for some in (nodes, list(nodes), {keccak256(node): node for node in nodes}):
        assert State.from_witness(ROOT, some).get_balance(B) == 5
    with pytest.raises(StoreError):
        State.from_witness(ROOT, {ROOT: nodes[1]})
    for wrong in (None, 7, "0x", b"", ["0x80"], {"state": []}):
        with pytest.raises(InputTypeError):
            State.from_witness(ROOT, wrong)


def test_keys_are_what_was_read_or_written() -> None:
    recorder = STATE.record()
    state = recorder.state
    assert state.get_storage(A, 3) == 4
    state.set_storage(C, 7, 1)
    state.set_storage(A, 99, 0)
    copy = state.copy()
    assert copy.get_balance(Address(20)) == 0
    copy.create_account(Address(50), Account(1, storage={8: 1}))
    copy.root()
    words = [number.to_bytes(32, "big") for number in (3, 99, 7, 8)]
    witness = recorder.witness(headers=[b"\xc0", bytearray(b"\xc1\x80")])
    assert witness.keys == (
        bytes(A),
        *words[:2],
        bytes(C),
        words[2],
        bytes(Address(20)),
        bytes(Address(50)),
        words[3],
    )
    assert witness.headers == (b"\xc0", b"\xc1\x80")
    # With its keys, a witness of all is as good as the state.
    small = State({A: Account(1, 5, storage={1: 2}), B: Account(2)})
    recorder = small.record()
    assert (recorder.state.get_storage(A, 1), recorder.state.get_nonce(B)) == (2, 2)
    again = State.from_witness(small.root(), recorder.witness())
    assert again.alloc() == small.alloc()
    for wrong in (b"\xc0", ["0xc0"], 7):
        with pytest.raises(InputTypeError):
            recorder.witness(headers=wrong)


def test_a_recorded_witness_is_written_in_the_shapes_of_clients() -> None:
    recorder = STATE.record()
    assert recorder.state.get_code(A)
    witness = recorder.witness(headers=[b"\xc0"])
    plain, mapped = witness.to_json(), witness.to_json(by_hash=True)
    assert [*plain] == [*mapped] == ["state", "codes", "keys", "headers"]
    assert plain["state"] == hexes(witness.nodes)
    assert mapped["state"] == by_hash(witness.nodes)
    assert mapped["keys"] == {"0x" + keccak256(A).hex(): str(A)}
    assert plain["headers"] == mapped["headers"] == ["0xc0"]
    for document in (plain, mapped):
        assert Witness.from_json(document) == witness


def test_headers_that_are_objects_are_for_another_reader() -> None:
    document = {"state": [], "codes": [], "headers": [{"number": "0x1"}]}
    with pytest.raises(FixtureError, match="read_witness") as caught:
        Witness.from_json(document, file="w.json")
    assert (caught.value.file, caught.value.field) == ("w.json", "headers[0]")


def test_what_a_witness_does_not_have_is_named() -> None:
    state = State.from_witness(ROOT, Witness())
    assert state.root() == ROOT
    with pytest.raises(MissingNodeError) as caught:
        state.get_balance(A)
    assert (caught.value.node_hash, caught.value.path) == (ROOT, b"")
    state = State.from_witness(ROOT, Witness.from_proofs([STATE.prove(A)]))
    with pytest.raises(MissingNodeError, match=f"the code of {A}"):
        state.get_code(A)
    with pytest.raises(MissingNodeError, match=f"in the storage of {A}"):
        state.get_storage(A, 1)


def test_u094_an_empty_storage_needs_no_node() -> None:
    recorder = STATE.record()
    assert recorder.state.get_storage(B, 0) == 0
    assert b"\x80" not in recorder.witness().nodes
    # One that is given does no harm.
    witness = recorder.witness()
    more = Witness((*witness.nodes, b"\x80"))
    assert State.from_witness(ROOT, more).get_storage(B, 0) == 0
    assert State.from_witness(EMPTY_ROOT, Witness()).get_balance(A) == 0


def test_nothing_read_needs_nothing() -> None:
    assert STATE.record().witness() == Witness()


def test_a_recorded_state_is_a_copy_that_cannot_be_committed() -> None:
    store = MemoryStore()
    state = State(ALLOC, store=store)
    recorder = state.record()
    recorder.state.set_balance(A, 1)
    assert state.get_balance(A) == 1000
    with pytest.raises(StoreError):
        recorder.state.commit()


def test_codes_are_in_the_witness_if_they_were_there_before() -> None:
    recorder = STATE.record()
    recorder.state.set_code(B, "0x6002")
    assert recorder.state.get_code(B) == b"\x60\x02"
    assert recorder.state.get_code(A) == b"\x60\x01\x60\x00"
    assert recorder.witness().codes == (b"\x60\x01\x60\x00",)


def test_a_block_access_list_is_applied_to_a_witness() -> None:
    entries = [
        [A, [[1, [[1, 5]]], [2, [[1, 0]]]], [3], [[1, 900]], [[1, 2]], []],
        [B, [], [], [[1, 0]], [], []],
        [C, [], [], [[2, 100]], [], [[2, b"\x60"]]],
    ]
    recorder = STATE.record()
    expected = apply_access_list(recorder.state, entries).root()
    witness = recorder.witness()
    assert expected == apply_access_list(State(ALLOC), entries).root()
    assert apply_access_list(State.from_witness(ROOT, witness), entries).root() == (
        expected
    )


def under_one_branch(keys) -> tuple[object, object, object]:
    """Return three keys whose hashes part at the second nibble."""
    groups: dict[int, dict[int, object]] = {}
    for key, digest in keys:
        group = groups.setdefault(digest[0] >> 4, {})
        group.setdefault(digest[0] & 15, key)
        if len(group) == 3:
            return tuple(group.values())
    raise AssertionError("there are not enough keys")


def test_a_slot_that_is_put_in_keeps_the_branch_that_another_leaves() -> None:
    words = ((slot, keccak256(slot.to_bytes(32, "big"))) for slot in range(999))
    gone, stays, comes = under_one_branch(words)
    # Others see to it that there is a branch above.
    storage = {gone: 1 << 250, stays: 2 << 250, 1000: 1, 1001: 1, 1002: 1}
    state = State({A: Account(1, storage=storage)})
    leaf = state.prove(A, [stays]).storage[0].nodes[-1]
    for changes in ({gone: 0}, {gone: 0, comes: 1}):
        recorder = state.record()
        for slot, value in changes.items():
            recorder.state.set_storage(A, slot, value)
        nodes = recorder.witness().nodes
        assert (leaf in nodes) == (comes not in changes)


def test_an_account_that_is_made_keeps_the_branch_that_another_leaves() -> None:
    addresses = ((Address(n), keccak256(Address(n))) for n in range(1, 999))
    for gone, stays, comes in (
        (a, b, c)
        for one in [under_one_branch(addresses)]
        for a, b, c in (one, one[::-1], (one[1], one[2], one[0]))
    ):
        others = {Address(number): Account(1) for number in range(1000, 1040)}
        spread = {
            address: account
            for address, account in others.items()
            if keccak256(address)[0] >> 4 != keccak256(gone)[0] >> 4
        }
        state = State({gone: Account(1), stays: Account(2), **spread})
        leaf = state.prove(stays).nodes[-1]
        for makes in (False, True):
            recorder = state.record()
            recorder.state.destroy_account(gone)
            if makes:
                recorder.state.set_balance(comes, 1)
            assert (leaf in recorder.witness().nodes) is not makes


ADDRESSES = st.integers(1, 12).map(Address)
SLOTS = st.integers(0, 12)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("balance"), ADDRESSES, st.integers(0, 5)),
        st.tuples(st.just("storage"), ADDRESSES, SLOTS, st.integers(0, 2)),
        st.tuples(st.just("destroy"), ADDRESSES),
        st.tuples(st.just("read"), ADDRESSES),
        st.tuples(st.just("slot"), ADDRESSES, SLOTS),
    ),
    max_size=8,
)
ALLOCS = st.dictionaries(
    ADDRESSES,
    st.builds(
        Account,
        nonce=st.integers(0, 3),
        storage=st.dictionaries(SLOTS, st.integers(1, 2**256 - 1), max_size=8),
    ),
    max_size=10,
)


def run(state: State, steps) -> tuple[list[object], bytes]:
    """Take steps and return what was read, and the root."""
    seen: list[object] = []
    for way, address, *rest in steps:
        if way == "balance":
            state.set_balance(address, rest[0])
        elif way == "storage":
            state.set_storage(address, *rest)
        elif way == "destroy":
            state.destroy_account(address)
        elif way == "read":
            seen.append(state.get_nonce(address))
        else:
            seen.append(state.get_storage(address, rest[0]))
    return seen, state.root()


@settings(max_examples=300, deadline=None)
@given(ALLOCS, STEPS, st.booleans())
def test_a_witness_has_all_that_is_needed_and_nothing_else(alloc, steps, stored):
    state = State(alloc)
    if stored:
        store = MemoryStore()
        state = State(store, State(alloc, store=store).commit())
    root = state.root()
    recorder = state.record()
    expected = run(recorder.state, steps)
    witness = recorder.witness()
    assert expected == run(State(alloc), steps)
    assert run(State.from_witness(root, witness), steps) == expected
    for node in witness.nodes:
        rest = tuple(other for other in witness.nodes if other != node)
        with pytest.raises(MissingNodeError):
            run(State.from_witness(root, Witness(rest)), steps)


@pytest.mark.parametrize("delete_empty", [False, True])
def test_nodes_come_in_the_order_of_the_accesses(delete_empty) -> None:
    """And not in that of a set, which is another one in each process."""
    addresses = [Address(number) for number in range(40, 60)]
    state = State(
        {each: Account(1, storage={1: 10**20 + each[-1]}) for each in addresses},
        delete_empty=delete_empty,
    )
    state.root()
    recorder = state.record()
    for address in addresses:
        recorder.state.set_storage(address, 1, 10**20)
    leaves = [node for node in recorder.witness().nodes if node[1:2] == b"\xa1"]
    values = [int.from_bytes(leaf[-9:], "big") for leaf in leaves]
    assert values == [10**20 + each[-1] for each in addresses]


@pytest.mark.parametrize("name", ["nodes", "codes", "keys", "headers"])
def test_a_single_byte_string_does_not_pass_for_several(name: str) -> None:
    with pytest.raises(InputTypeError, match=f"{name} must be byte strings"):
        Witness(**{name: b"abc"})  # type: ignore[arg-type]  # refused
    assert getattr(Witness(**{name: [b"abc"]}), name) == (b"abc",)  # type: ignore[arg-type]  # kept as a tuple


def test_a_witness_is_made_of_several_proofs_and_codes() -> None:
    wrong: list[tuple[Any, Any]] = [(5, ()), ([5], ()), ([], b"code"), ([], "code")]
    for proofs, codes in wrong:
        with pytest.raises(InputTypeError):
            Witness.from_proofs(proofs, codes=codes)
