from __future__ import annotations

import copy
import hashlib
import pickle
from typing import Any

import pytest

from hexary import recording, rlp
from hexary.chain import (
    EMPTY_BLOCK_ACCESS_LIST_HASH,
    EMPTY_OMMERS_HASH,
    EMPTY_REQUESTS_HASH,
    AuthorityRoundHeader,
    Header,
    fork_named,
)
from hexary.errors import (
    DecodeError,
    DecodeReason,
    EncodeError,
    FixtureError,
    ForkError,
    HexError,
    InputTypeError,
    InvalidError,
    InvalidReason,
    RangeError,
    SizeError,
)
from hexary.hash import keccak256
from hexary.trie import EMPTY_ROOT
from hexary.typed import Address, Bloom, Bytes, Hash, HeaderNonce

APPENDED: dict[str, Any] = {
    "base_fee_per_gas": 7,
    "withdrawals_root": EMPTY_ROOT,
    "blob_gas_used": 0,
    "excess_blob_gas": 131072,
    "parent_beacon_block_root": Hash(1),
    "requests_hash": EMPTY_REQUESTS_HASH,
    "block_access_list_hash": EMPTY_BLOCK_ACCESS_LIST_HASH,
    "slot_number": 66,
}


def test_the_hashes_of_nothing_are_what_they_say() -> None:
    assert keccak256(rlp.encode([])) == EMPTY_OMMERS_HASH
    assert keccak256(rlp.encode([])) == EMPTY_BLOCK_ACCESS_LIST_HASH
    assert hashlib.sha256(b"").digest() == EMPTY_REQUESTS_HASH


def test_mainnets_first_header() -> None:
    header = Header(
        state_root=Hash(
            "0xd7f8974fb5ac78d9ac099b9ad5018bedc2ce0a72dad1827a1709da30580f0544"
        ),
        difficulty=0x400000000,
        gas_limit=5000,
        extra_data=Bytes(
            "0x11bbe8db4e347b4e8c937c1c8370e4b5ed33adb3db69cbdb7a38e1e50b1b82fa"
        ),
        nonce=HeaderNonce(0x42),
    )
    assert header.hash().hex() == (
        "0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3"
    )
    items = rlp.decode(header.rlp())
    assert len(items) == 15
    assert header.rlp() == rlp.encode(items)
    assert Header.from_rlp(header.rlp()) == header


def test_a_headers_hash_goes_through_the_one_dispatch() -> None:
    with recording() as seen:
        Header().hash()
    assert seen.calls == 1


@pytest.mark.parametrize("count", range(len(APPENDED) + 1))
def test_each_fork_appends_its_fields(count: int) -> None:
    present = dict(list(APPENDED.items())[:count])
    header = Header(**present)
    decoded = rlp.decode(header.rlp())
    assert len(decoded) == 15 + count
    assert rlp.encode(decoded[15:]) == rlp.encode(list(present.values()))
    assert Header.from_rlp(header.rlp()) == header
    for spelling in ("rpc", "fixture"):
        written = header.to_json(spelling=spelling)
        assert len(written) == 15 + count
        assert Header.from_json(written, spelling=spelling) == header


@pytest.mark.parametrize("missing", list(APPENDED)[:-1])
def test_a_later_field_needs_every_earlier_one(missing: str) -> None:
    present = {name: value for name, value in APPENDED.items() if name != missing}
    with pytest.raises(EncodeError, match=f"has {missing} as well"):
        Header(**present)


def test_the_seal_of_authority_round_stands_in_place_of_mix_hash_and_nonce() -> None:
    header = AuthorityRoundHeader(step=7, signature=bytes(65), **APPENDED)
    assert rlp.decode(header.rlp())[13:15] == [b"\x07", bytes(65)]
    assert AuthorityRoundHeader.from_rlp(header.rlp()) == header
    assert AuthorityRoundHeader.from_json(header.to_json()) == header
    with pytest.raises(DecodeError) as caught:
        Header.from_rlp(header.rlp())
    assert caught.value.reason is DecodeReason.WRONG_SIZE
    assert caught.value.field == "header.mix_hash"


@pytest.mark.parametrize("member", sorted(Header().to_json()))
def test_json_has_to_say_all_that_every_header_has(member: str) -> None:
    """The constructor has defaults for it; a file that leaves it out is wrong."""
    written = Header().to_json()
    del written[member]
    with pytest.raises(FixtureError, match="is missing") as caught:
        Header.from_json(written)
    assert caught.value.field == f"header.{member}"


@pytest.mark.parametrize(
    ("fork", "count"), [("Frontier", 0), ("London", 1), ("Prague", 6), ("Amsterdam", 8)]
)
def test_a_headers_fields_are_those_of_its_fork(fork: str, count: int) -> None:
    fields = list(APPENDED.items())
    Header(**dict(fields[:count])).check_fields(fork_named(fork))
    for other in {max(count - 1, 0), min(count + 1, 8)} - {count}:
        with pytest.raises(InvalidError) as caught:
            Header(**dict(fields[:other])).check_fields(fork_named(fork))
        assert caught.value.reason is InvalidReason.HEADER_FIELDS
        assert caught.value.field == fields[min(count, other)][0]


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"parent_hash": bytes(31)}, SizeError),
        ({"parent_hash": "0xzz"}, HexError),
        ({"parent_hash": 0}, InputTypeError),
        ({"parent_hash": None}, InputTypeError),
        ({"coinbase": bytes(21)}, SizeError),
        ({"logs_bloom": bytes(255)}, SizeError),
        ({"nonce": bytes(7)}, SizeError),
        ({"extra_data": 3}, InputTypeError),
        ({"difficulty": -1}, RangeError),
        ({"difficulty": 2**256}, RangeError),
        ({"gas_limit": 2**64}, RangeError),
        ({"number": "0x1"}, InputTypeError),
        ({"timestamp": True}, InputTypeError),
    ],
)
def test_fields_that_do_not_fit_are_refused(
    fields: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        Header(**fields)


def test_fields_are_typed_and_the_header_is_immutable() -> None:
    header = Header(parent_hash=bytes(32), coinbase="0x" + "11" * 20, **APPENDED)
    assert type(header.parent_hash) is Hash
    assert type(header.coinbase) is Address
    assert type(header.logs_bloom) is Bloom
    with pytest.raises(AttributeError, match="immutable"):
        header.number = 1
    assert pickle.loads(pickle.dumps(header)) == copy.copy(header) == header
    assert header.replace(number=1).hash() != header.hash()


def test_fields_are_checked_by_the_name_of_a_fork() -> None:
    Header(base_fee_per_gas=7).check_fields("Gray Glacier")
    for name in ("Berlin", "Shanghai"):
        with pytest.raises(InvalidError):
            Header(base_fee_per_gas=7).check_fields(name)
    with pytest.raises(ForkError):
        Header().check_fields("Eden")


def test_both_seals_stand_between_the_same_fields() -> None:
    for first, last in ((0, 13), (15, None)):
        names = Header.__rlp_fields__[first:last]
        assert AuthorityRoundHeader.__rlp_fields__[first:last] == names
        for name in names:
            annotations = [
                cls.__init__.__annotations__[name]
                for cls in (type(Header()), AuthorityRoundHeader)
            ]
            assert annotations[0] == annotations[1]
