from __future__ import annotations

from typing import Any

import pytest

from hexary.chain import (
    BlobTransaction,
    Block,
    BlockAccessList,
    ExecutionPayload,
    Header,
    NewPayload,
    next_base_fee,
    requests_hash,
)
from hexary.errors import (
    FixtureError,
    InputTypeError,
    InvalidError,
    InvalidReason,
    RangeError,
    SizeError,
)
from hexary.typed import Address, Bytes, Hash

BLOB = Hash(b"\1" + bytes(31))
REQUESTS = (Bytes(b"\0data"), Bytes(b"\2data"))
ROOT = Hash(9)


def call(version: int) -> tuple[Block, NewPayload]:
    """Return a block of the time of a version, and its call."""
    fields: dict[str, Any] = {"number": 5, "base_fee_per_gas": 7, "mix_hash": Hash(3)}
    transactions: tuple[Any, ...] = ()
    access_list = None
    if version >= 3:
        fields |= {
            "withdrawals_root": Hash(0),
            "blob_gas_used": 131072,
            "excess_blob_gas": 0,
            "parent_beacon_block_root": ROOT,
        }
        transactions = (
            BlobTransaction(chain_id=1, to=Address(1), blob_versioned_hashes=(BLOB,)),
        )
    if version >= 4:
        fields["requests_hash"] = requests_hash(REQUESTS)
    if version >= 5:
        access_list = BlockAccessList()
        fields |= {"block_access_list_hash": access_list.hash(), "slot_number": 3}
    block = Block.of(Header(**fields), transactions, (), () if version >= 2 else None)
    payload = ExecutionPayload.of(block, access_list=access_list)
    if version < 3:
        return block, NewPayload(payload)
    return block, NewPayload(payload, (BLOB,), ROOT, REQUESTS if version >= 4 else None)


@pytest.mark.parametrize("version", range(1, 6))
def test_every_version_gives_the_block_again(version: int) -> None:
    block, made = call(version)
    assert made.payload.version == (1, 2, 3, 3, 4)[version - 1]
    assert made.header() == block.header
    assert made.check() == block
    params = made.to_params()
    assert len(params) == (1, 1, 3, 4, 4)[version - 1]
    assert NewPayload.from_params(params, version=version) == made
    for other in {1, 2, 3, 4, 5} - {version}:
        if (version, other) == (1, 2):
            # Version 2 takes payloads of both kinds.
            assert NewPayload.from_params(params, version=2) == made
            continue
        with pytest.raises(FixtureError):
            NewPayload.from_params(params, version=other)


def test_parts_that_do_not_agree() -> None:
    _, made = call(4)

    def reason(**changes: Any) -> InvalidReason:
        values = {
            "payload": made.payload,
            "versioned_hashes": made.versioned_hashes,
            "parent_beacon_block_root": made.parent_beacon_block_root,
            "requests": made.requests,
        }
        with pytest.raises(InvalidError) as caught:
            NewPayload(**{**values, **changes}).check()
        return caught.value.reason

    assert reason(versioned_hashes=()) is InvalidReason.VERSIONED_HASHES
    assert reason(versioned_hashes=(BLOB, BLOB)) is InvalidReason.VERSIONED_HASHES
    assert reason(requests=()) is InvalidReason.BLOCK_HASH
    assert reason(requests=REQUESTS[::-1]) is InvalidReason.REQUEST_ORDER
    assert reason(requests=(b"\0",)) is InvalidReason.REQUEST_EMPTY
    assert reason(parent_beacon_block_root=Hash(0)) is InvalidReason.BLOCK_HASH


@pytest.mark.parametrize(
    ("place", "value", "field"),
    [
        (0, None, "execution_payload"),
        (1, None, "versionedHashes"),
        (1, ["0x00"], "versionedHashes[0]"),
        (2, None, "parentBeaconBlockRoot"),
        (2, "0x00", "parentBeaconBlockRoot"),
        (3, "0x", "executionRequests"),
        (3, [5], "executionRequests[0]"),
    ],
)
def test_parameters_that_are_malformed(place: int, value: Any, field: str) -> None:
    params = call(4)[1].to_params()
    params[place] = value
    with pytest.raises(FixtureError) as caught:
        NewPayload.from_params(params, version=4)
    assert caught.value.field == field


def test_base_fees() -> None:
    """The bounds of EIP-1559; a low fee rises by at least one."""

    def after(used: int, fee: int = 1000) -> int:
        return next_base_fee(base_fee_per_gas=fee, gas_used=used, gas_target=100)

    assert [after(used) for used in (0, 50, 100, 101, 150, 200)] == [
        *(875, 938, 1000, 1001, 1062, 1125)
    ]
    assert after(101, fee=1) == 2
    assert after(0, fee=1) == 1
    assert after(0, fee=0) == 0
    for wrong in ({"gas_target": 0}, {"gas_used": -1}, {"base_fee_per_gas": -1}):
        values = {"base_fee_per_gas": 1, "gas_used": 1, "gas_target": 1, **wrong}
        with pytest.raises(RangeError):
            next_base_fee(**values)


def test_parameters_are_made_what_they_should_be() -> None:
    _, right = call(4)
    given = NewPayload(
        right.payload,
        [bytes(BLOB)],
        bytes(ROOT),
        [bytes(one) for one in REQUESTS],
    )
    assert given == right
    assert given.check() == right.check()
    assert hash(given) == hash(right)
    assert NewPayload.from_params(given.to_params(), version=4) == right
    with pytest.raises(InputTypeError):
        NewPayload(None)
    with pytest.raises(SizeError):
        NewPayload(right.payload, (), b"short")


@pytest.mark.parametrize("version", [1, 2, 3, 4, 5])
def test_a_payload_has_all_fields_of_its_version(version: int) -> None:
    block, right = call(version)
    first, *rest = right.to_params()
    for key in first:
        shorter = {name: value for name, value in first.items() if name != key}
        if (version, key) == (2, "withdrawals"):
            # The second version of the method takes both versions of the payload.
            assert NewPayload.from_params([shorter], version=2).payload.version == 1
            continue
        for without in (shorter, {**first, key: None}):
            with pytest.raises(FixtureError):
                NewPayload.from_params([without, *rest], version=version)
    assert NewPayload.from_params([first, *rest], version=version).check() == block


@pytest.mark.parametrize("number", [1.5, "1", True, None])
def test_base_fees_are_ints(number: Any) -> None:
    with pytest.raises(InputTypeError):
        next_base_fee(base_fee_per_gas=7, gas_used=number, gas_target=2)


@pytest.mark.parametrize("version", [None, "4", True, 4.0])
def test_a_version_is_a_number(version: Any) -> None:
    with pytest.raises(InputTypeError):
        NewPayload.from_params(call(1)[1].to_params(), version=version)
