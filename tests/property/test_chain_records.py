"""Every record of the chain: round trips, and what mutated bytes are taken for."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hexary import rlp
from hexary.chain import (
    Block,
    BlockAccessList,
    ExecutionPayload,
    decode_pooled_transaction,
    decode_transaction,
    ommers_hash,
    transactions_root,
)
from hexary.errors import DecodeError, EncodeError, HexaryError
from hexary.hash import keccak256
from property.chain_strategies import RECORDS, TRANSACTIONS

BRIEF = settings(
    max_examples=40, suppress_health_check=[HealthCheck.too_slow], deadline=None
)

every_record = pytest.mark.parametrize("name", RECORDS)


@st.composite
def mutated(draw: st.DrawFn, data: bytes) -> bytes:
    """Return bytes that differ from *data* a little."""
    kind = draw(
        st.sampled_from(["change", "cut", "insert", "drop", "append", "double"])
    )
    place = draw(st.integers(0, max(len(data) - 1, 0)))
    byte = draw(st.binary(min_size=1, max_size=3))
    if kind == "change":
        return data[:place] + byte + data[place + len(byte) :]
    if kind == "cut":
        return data[:place]
    if kind == "insert":
        return data[:place] + byte + data[place:]
    if kind == "drop":
        return data[:place] + data[place + len(byte) :]
    if kind == "append":
        return data + byte
    return data + data


@every_record
@BRIEF
@given(data=st.data())
def test_a_record_survives_every_round_trip(name: str, data: Any) -> None:
    record = data.draw(RECORDS[name])
    encoded = record.rlp()
    assert type(record).from_rlp(encoded) == record
    assert rlp.encoded_size(record) == len(rlp.encode(record))
    if not isinstance(record, Block):
        assert record.hash() == keccak256(encoded)
    for spelling in ("rpc", "fixture"):
        if name not in ("block",):
            written = record.to_json(spelling=spelling)
            assert type(record).from_json(written, spelling=spelling) == record
    assert pickle.loads(pickle.dumps(record)) == copy.deepcopy(record) == record
    assert hash(copy.copy(record)) == hash(record)
    # The items are those of the plain codec.
    plain = encoded[1:] if encoded[0] < 0xC0 else encoded
    assert rlp.encode(rlp.decode(plain)) == plain


@every_record
@BRIEF
@given(data=st.data())
def test_mutated_bytes_are_refused_or_are_another_record(name: str, data: Any) -> None:
    """What is accepted has no second encoding; what is not, a reason and a place."""
    record = data.draw(RECORDS[name])
    changed = data.draw(mutated(record.rlp()))
    try:
        found = type(record).from_rlp(changed)
    except DecodeError as error:
        assert 0 <= error.offset <= len(changed)
        assert changed[error.offset :].startswith(error.data)
        assert error.reason
        return
    assert found.rlp() == changed
    assert (found == record) is (changed == record.rlp())


@pytest.mark.parametrize("name", TRANSACTIONS)
@BRIEF
@given(data=st.data())
def test_a_transaction_is_found_by_its_first_byte(name: str, data: Any) -> None:
    transaction = data.draw(TRANSACTIONS[name])
    assert decode_transaction(transaction.rlp()) == transaction
    assert decode_pooled_transaction(transaction.rlp()) == transaction
    changed = data.draw(mutated(transaction.rlp()))
    for decode in (decode_transaction, decode_pooled_transaction):
        try:
            assert decode(changed).rlp() == changed
        except DecodeError as error:
            assert 0 <= error.offset <= len(changed)


@pytest.mark.parametrize("name", ["pooled blobs", "pooled blobs with cells", "blobs"])
@BRIEF
@given(data=st.data())
def test_a_pooled_transaction_has_one_encoding(name: str, data: Any) -> None:
    """Whichever of the three forms changed bytes are taken for."""
    transaction = data.draw(RECORDS[name])
    encoded = transaction.rlp()
    assert decode_pooled_transaction(encoded) == transaction
    changed = data.draw(mutated(encoded))
    try:
        found = decode_pooled_transaction(changed)
    except DecodeError as error:
        assert 0 <= error.offset <= len(changed)
        return
    assert found.rlp() == changed
    assert (found == transaction) is (changed == encoded)


@BRIEF
@given(accounts=st.lists(RECORDS["account changes"], max_size=2), data=st.data())
def test_a_block_access_list_has_one_encoding(accounts: list[Any], data: Any) -> None:
    encoded = BlockAccessList(tuple(accounts)).rlp()
    changed = data.draw(mutated(encoded))
    try:
        found = BlockAccessList.from_rlp(changed)
    except DecodeError as error:
        assert 0 <= error.offset <= len(changed)
        return
    assert found.rlp() == changed
    assert (found == BlockAccessList(tuple(accounts))) is (changed == encoded)


@BRIEF
@given(data=st.data())
def test_a_block_of_any_body_agrees_with_itself(data: Any) -> None:
    block = data.draw(RECORDS["block"])
    try:
        made = Block.of(
            block.header, block.transactions, block.ommers, block.withdrawals
        )
    except EncodeError:
        assert block.header.base_fee_per_gas is None
        return
    assert made.header.transactions_root == transactions_root(block.transactions)
    assert made.header.ommers_hash == ommers_hash(block.ommers)
    if made.withdrawals is None and made.header.withdrawals_root is not None:
        return
    assert made.check() == made.header.hash() == made.hash()
    written = made.to_json(spelling="fixture")
    assert Block.from_json(written, spelling="fixture") == made
    written = made.to_json()
    assert Block.from_json(written, ommers=made.ommers) == made
    if made.header.base_fee_per_gas is not None and not made.ommers:
        listed = made.header.block_access_list_hash is not None
        payload = ExecutionPayload.of(
            made, access_list=BlockAccessList() if listed else None
        )
        assert payload.block_hash == made.hash()
        assert payload.decoded_transactions() == made.transactions
        assert ExecutionPayload.from_json(payload.to_json()) == payload


@BRIEF
@given(
    accounts=st.lists(RECORDS["account changes"], max_size=4),
)
def test_a_block_access_list_survives_and_is_checked(accounts: list[Any]) -> None:
    found = BlockAccessList(tuple(accounts))
    assert BlockAccessList.from_rlp(found.rlp()) == found
    assert BlockAccessList.from_json(found.to_json()) == found
    assert found.hash() == keccak256(rlp.encode(list(accounts)))
    try:
        assert found.check() == found.hash()
    except HexaryError:
        return
    addresses = [account.address for account in accounts]
    assert addresses == sorted(set(addresses))
    for account in accounts:
        slots = [slot.slot for slot in account.storage_changes]
        assert slots == sorted(set(slots))
        assert not set(slots) & set(account.storage_reads)


@settings(BRIEF, max_examples=1)
@given(one_of_each=st.tuples(*RECORDS.values()))
def test_every_record_of_the_chain_has_a_strategy(one_of_each: Any) -> None:
    from hexary import chain

    records = {
        thing
        for thing in vars(chain).values()
        if isinstance(thing, type)
        and issubclass(thing, rlp.Record)
        and thing not in (chain.BaseTransaction, chain.TypedTransaction)
    }
    drawn = {type(record) for record in one_of_each}
    assert {record.__name__ for record in records - drawn} == set()
