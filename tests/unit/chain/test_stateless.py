"""A block's state root from its parent's witness and its access list."""

from __future__ import annotations

from dataclasses import replace

import pytest

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
    rlp,
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
