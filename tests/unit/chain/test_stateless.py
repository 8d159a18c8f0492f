"""A block's state root from its parent's witness and its access list."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hexary import (
    Account,
    Address,
    BlockAccessList,
    FixtureError,
    Header,
    InvalidError,
    InvalidReason,
    MissingNodeError,
    ProofError,
    ProofReason,
    State,
    Witness,
    apply_access_list,
    keccak256,
    rlp,
    state_root,
)
from hexary.chain import (
    check_post_state,
    parent_header,
    post_state_root,
    read_header,
    read_witness,
)

A, B = Address(1), Address(2)
BEFORE = State(
    {
        A: Account(1, 1000, storage={slot: slot + 1 for slot in range(9)}),
        **{Address(number): Account(number) for number in range(3, 30)},
    }
)
ENTRIES = [
    [A, [[1, [[1, 5]]], [2, [[1, 0]]]], [3], [[1, 900]], [[1, 2]], []],
    [B, [], [], [[1, 100]], [], []],
]
ACCESS_LIST = BlockAccessList.from_rlp(rlp.encode(ENTRIES))
PARENT = Header(number=6, state_root=BEFORE.root())


def recorded() -> tuple[Header, Witness]:
    recorder = BEFORE.record()
    after = apply_access_list(recorder.state, ENTRIES).root()
    header = Header(
        number=7,
        parent_hash=PARENT.hash(),
        state_root=after,
        base_fee_per_gas=7,
        withdrawals_root=bytes(32),
        blob_gas_used=0,
        excess_blob_gas=0,
        parent_beacon_block_root=bytes(32),
        requests_hash=bytes(32),
        block_access_list_hash=ACCESS_LIST.hash(),
    )
    return header, replace(recorder.witness(), headers=(PARENT.rlp(),))


def test_the_access_list_leads_from_the_witness_to_the_state_after() -> None:
    header, witness = recorded()
    assert parent_header(header, witness) == PARENT
    assert check_post_state(header, witness, ACCESS_LIST) == header.state_root
    again = Witness.from_json(witness.to_json())
    assert post_state_root(PARENT.state_root, again, ACCESS_LIST) == header.state_root


def test_every_node_of_the_recorded_witness_is_needed() -> None:
    header, witness = recorded()
    for node in witness.nodes:
        nodes = tuple(other for other in witness.nodes if other != node)
        with pytest.raises(MissingNodeError):
            check_post_state(header, replace(witness, nodes=nodes), ACCESS_LIST)


def test_what_was_only_read_need_not_be_in_the_witness() -> None:
    header, witness = recorded()
    reads = [
        [Address(number), [], [1, 2] if number % 2 else [], [], [], []]
        for number in (3, 9, 29, 77)
    ]
    with_reads = BlockAccessList.from_rlp(rlp.encode([*ENTRIES, *reads]))
    root = post_state_root(PARENT.state_root, witness, with_reads)
    assert root == header.state_root


ADDRESSES = st.integers(1, 9).map(Address)
SLOTS = st.integers(0, 9)
WORDS = st.sampled_from([0, 1, 2**255])


def indexed(values):
    """Return lists of changes, at rising indexes."""
    return st.lists(values, max_size=2).map(lambda found: list(enumerate(found, 1)))


CHANGES = st.dictionaries(
    ADDRESSES,
    st.tuples(
        st.dictionaries(SLOTS, indexed(WORDS), max_size=4),
        indexed(st.integers(0, 3)),
        indexed(st.integers(0, 3)),
        indexed(st.sampled_from([b"", b"\x60"])),
    ),
    max_size=5,
)
ALLOCS = st.dictionaries(
    ADDRESSES,
    st.builds(
        Account,
        nonce=st.integers(1, 3),
        balance=st.integers(0, 3),
        storage=st.dictionaries(SLOTS, st.integers(1, 2**256 - 1), max_size=6),
    ),
    max_size=9,
)


@settings(max_examples=150, deadline=None)
@given(ALLOCS, CHANGES)
def test_any_access_list_leads_to_the_root_of_what_it_leaves(alloc, changes) -> None:
    """From a minimal witness, against the root of all accounts anew."""
    entries, after = [], dict(alloc)
    for address, (slots, balances, nonces, codes) in sorted(changes.items()):
        entries.append(
            [
                address,
                [[slot, found] for slot, found in sorted(slots.items())],
                [],
                balances,
                nonces,
                codes,
            ]
        )
        if not (balances or nonces or codes or any(slots.values())):
            continue
        held = alloc.get(address, Account())
        ends = {slot: found[-1][1] for slot, found in slots.items() if found}
        account = Account(
            nonces[-1][1] if nonces else held.nonce,
            balances[-1][1] if balances else held.balance,
            codes[-1][1] if codes else held.code,
            {**held.storage, **ends},
        )
        after[address] = account
        if not (account.nonce or account.balance or account.code):
            del after[address]
    before = State(alloc)
    recorder = before.record()
    apply_access_list(recorder.state, entries)
    witness = recorder.witness()
    access_list = BlockAccessList.from_rlp(rlp.encode(entries))
    assert post_state_root(before.root(), witness, access_list) == state_root(after)
    for node in witness.nodes:
        rest = Witness(tuple(other for other in witness.nodes if other != node))
        with pytest.raises(MissingNodeError) as caught:
            post_state_root(before.root(), rest, access_list)
        assert caught.value.node_hash == keccak256(node)


def test_anything_else_is_refused() -> None:
    header, witness = recorded()
    with pytest.raises(InvalidError) as invalid:
        check_post_state(header, witness, BlockAccessList())
    assert invalid.value.reason is InvalidReason.ACCESS_LIST_HASH
    with pytest.raises(ProofError) as caught:
        check_post_state(header, replace(witness, headers=()), ACCESS_LIST)
    assert caught.value.reason is ProofReason.WRONG_HEADER
    other = header.replace(state_root=BEFORE.root())
    with pytest.raises(ProofError) as caught:
        check_post_state(other, witness, ACCESS_LIST)
    assert caught.value.reason is ProofReason.WRONG_ROOT
    assert caught.value.got == header.state_root


def test_headers_are_read_in_every_form() -> None:
    digest = PARENT.hash()
    document = {**PARENT.to_json(), "hash": str(digest)}
    for source in (PARENT, PARENT.rlp(), document, {"id": 1, "result": document}):
        assert read_header(source) == PARENT
        assert read_header(source, block_hash=digest) == PARENT
        with pytest.raises(ProofError) as caught:
            read_header(source, block_hash=bytes(32))
        assert (caught.value.got, caught.value.expected) == (digest, bytes(32))
    with pytest.raises(ProofError):
        read_header({**document, "hash": "0x" + 64 * "0"})
    with pytest.raises(FixtureError):
        read_header({"result": [1]})


def test_witnesses_are_read_with_headers_of_both_kinds() -> None:
    """Geth gives headers as JSON objects, and keys as null; others give bytes."""
    header, witness = recorded()
    plain = witness.to_json()
    object_ = {**PARENT.to_json(), "hash": str(PARENT.hash())}
    geth = {**plain, "keys": None, "headers": [object_]}
    for document in (geth, {"jsonrpc": "2.0", "id": 1, "result": geth}):
        found = read_witness(document)
        assert found == replace(witness, keys=())
        assert check_post_state(header, found, ACCESS_LIST) == header.state_root
    assert read_witness(plain) == Witness.from_json(plain) == witness
    mixed = {**plain, "headers": [object_, plain["headers"][0]]}
    assert read_witness(mixed).headers == 2 * (PARENT.rlp(),)


def test_headers_in_a_witness_that_are_none_are_told_with_their_place() -> None:
    _, witness = recorded()
    plain = witness.to_json()
    for header, field in (
        ({"number": "0x1"}, "headers[0].header.parentHash"),
        ({**PARENT.to_json(), "number": "x"}, "headers[0].header.number"),
        (7, "headers[0]"),
        ("0xzz", "headers[0]"),
    ):
        with pytest.raises(FixtureError) as caught:
            read_witness({**plain, "headers": [header]}, file="w.json")
        assert caught.value.file == "w.json"
        assert caught.value.field.startswith("headers[0]"), caught.value
        assert caught.value.field in (field, "headers[0].number")
    with pytest.raises(ProofError) as proof:
        read_witness(
            {**plain, "headers": [{**PARENT.to_json(), "hash": "0x" + 64 * "0"}]}
        )
    assert proof.value.reason is ProofReason.WRONG_HEADER
    with pytest.raises(FixtureError):
        read_witness({**plain, "headers": 7})


def test_a_block_that_is_no_header_is_told_with_its_file() -> None:
    with pytest.raises(FixtureError) as caught:
        read_header({"result": {"number": "0x1"}}, file="block.json")
    assert caught.value.file == "block.json"
    assert "parentHash" in caught.value.field
