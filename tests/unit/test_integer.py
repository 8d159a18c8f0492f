"""What counts as an int, at every place that takes a number."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy
import pytest

import hexary
from case_names import shown
from hexary import (
    Account,
    Address,
    FixedSizeBytes,
    FixtureError,
    Hash,
    InputTypeError,
    RangeError,
    State,
    Trie,
    create_address,
    keccak256_packed,
    ordered_trie_root,
    rlp,
    secure_trie_root,
    storage_root,
    trie_root,
)
from hexary.chain import (
    BlobSchedule,
    Signature,
    TypedData,
    Withdrawal,
    next_base_fee,
    next_excess_blob_gas,
)
from hexary.chain.secp256k1 import recover_public_key
from hexary.integer import exact_int, exact_uint, int_of
from hexary.state import AccountProof, StorageProof
from hexary.trie import (
    MemoryStore,
    NodeCache,
    SQLiteStore,
    collect_garbage,
    packed_trie_root,
)
from hexary.typed import Number


class Index:
    """What Python takes for an index, as the numbers of ethereum-types are."""

    def __index__(self) -> int:
        return 5


class ByteIndex(bytes):
    """Bytes that are an index as well."""

    def __index__(self) -> int:
        return 5


def blobs(number: Any) -> int:
    schedule = BlobSchedule(target=number, maximum=9, update_fraction=number)
    return next_excess_blob_gas(
        excess_blob_gas=number,
        blob_gas_used=5 << 17,
        base_fee_per_gas=number,
        schedule=schedule,
        has_reserve_price=False,
    )


def counted_hashes(number: Any) -> tuple[int, int]:
    with hexary.recording() as seen:
        hexary.keccak256_packed(bytes(10), offsets=number)
    return seen.calls, seen.bytes


PLACES = {
    "rlp": lambda number: rlp.encode([number]),
    "account": lambda number: Account(nonce=number, balance=number),
    "account storage": lambda number: Account(storage={number: number}),
    "balance": lambda number: State().set_balance(bytes(20), number).root(),
    "nonce": lambda number: State().set_nonce(bytes(20), number).root(),
    "slot": lambda number: State().set_storage(bytes(20), number, number).root(),
    "storage root": lambda number: storage_root({number: number}),
    "contract": lambda number: create_address(bytes(20), number),
    "base fee": lambda number: next_base_fee(
        base_fee_per_gas=number, gas_used=number, gas_target=number
    ),
    "blob gas": blobs,
    "record": lambda number: Withdrawal(number, number, bytes(20), number),
    "base type": Number,
    "packed hashes": lambda number: keccak256_packed(bytes(10), offsets=number),
    "counted hashes": counted_hashes,
    "packed root": lambda number: packed_trie_root(
        b"dog1_dog2_", bytes(10), key_offsets=number, value_offsets=number
    ),
    "threads of a packed root": lambda number: packed_trie_root(
        b"ab", b"cd", key_offsets=1, value_offsets=1, threads=number
    ),
    "threads of a root": lambda number: trie_root({b"a": b"b"}, threads=number),
    "threads of a secure root": lambda number: secure_trie_root({}, threads=number),
    "threads of an ordered root": lambda number: ordered_trie_root(
        [b"a"], threads=number
    ),
    "depth": lambda number: rlp.decode(b"\xc1\xc0", max_depth=number),
    "items": lambda number: rlp.decode_prefix(b"\xc1\xc0", max_items=number),
    "limits of a record": lambda number: rlp.decode(
        Withdrawal,
        Withdrawal(1, 2, bytes(20), 3).rlp(),
        max_depth=number,
        max_items=number,
    ),
    "bits": lambda number: rlp.decode_uint(b"\x07", bits=number),
    "size": lambda number: rlp.decode_bytes(b"\x85hello", size=number),
    "chain": lambda number: Address(1).checksum(chain_id=number),
    "type of a size": lambda number: FixedSizeBytes[number](bytes(5)),
    "page": lambda number: Trie({b"a": b"b"}).page(number),
    "batch": lambda number: collect_garbage(MemoryStore(), batch=number),
    "cache": lambda number: type(NodeCache(MemoryStore(), number)).__name__,
    "slot of a proof": lambda number: StorageProof(number, 0),
    "value of a proof": lambda number: StorageProof(0, number),
    "value in an answer": lambda number: AccountProof.from_json(
        {"address": "0x" + 40 * "0", "accountProof": [], "balance": number}
    ),
    "typed data": lambda number: TypedData.from_json(
        {
            "types": {"EIP712Domain": [], "A": [{"name": "a", "type": "uint8"}]},
            "primaryType": "A",
            "domain": {},
            "message": {"a": number},
        }
    ).hash(),
    "nonce of a proof": lambda number: AccountProof(Address(1), nonce=number),
    "balance of a proof": lambda number: AccountProof(Address(1), balance=number),
    "r and s": lambda number: Signature(1, number, number).to_bytes(),
    "private key": lambda number: Signature.of(bytes(32), private_key=number),
    "signature": lambda number: recover_public_key(bytes(32), 0, 1, number),
}


OPTIONAL = {"value in an answer", "items", "bits", "size", "chain"}
"""Where there may be no number at all."""


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "number", [Index(), numpy.int64(5), numpy.uint8(5), numpy.uint64(5)], ids=shown
)
def test_what_is_an_index_counts_as_an_int(place: str, number: Any) -> None:
    result: Any = PLACES[place](number)
    assert result == PLACES[place](5)
    assert type(result) is type(PLACES[place](5))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("value", [5.0, Decimal(5), numpy.float64(5), None], ids=shown)
def test_what_is_no_int_is_refused(place: str, value: Any) -> None:
    if value is None and place in OPTIONAL:
        assert PLACES[place](None) is not None
        return
    with pytest.raises((InputTypeError, FixtureError)):
        PLACES[place](value)


def test_the_numbers_of_ethereum_types_count_as_ints() -> None:
    numeric = pytest.importorskip("ethereum_types.numeric", reason="not installed")
    for place in PLACES.values():
        assert place(numeric.Uint(5)) == place(5)  # type: ignore[no-untyped-call]
        assert place(numeric.U64(5)) == place(5)  # type: ignore[no-untyped-call]


def test_a_plain_int_comes_back() -> None:
    assert type(exact_int(numpy.int64(5), "nonce")) is int
    assert type(exact_int(Number(5), "nonce")) is int
    assert int_of(2**300) == 2**300


@pytest.mark.parametrize(
    "value",
    [True, numpy.True_, ByteIndex(b"5"), Hash(5), "5", numpy.array([1, 2]), 5.0],
    ids=shown,
)
def test_truths_bytes_text_and_arrays_are_no_ints(value: Any) -> None:
    assert int_of(value) is None
    with pytest.raises(InputTypeError, match="nonce must be an int, got"):
        exact_int(value, "nonce")


def test_an_uint_has_so_many_bits_and_no_more() -> None:
    assert exact_uint(2**64 - 1, "nonce", bits=64) == 2**64 - 1
    for value in (-1, 2**64):
        with pytest.raises(RangeError, match="nonce must be from 0 to"):
            exact_uint(value, "nonce", bits=64)


def test_a_timeout_is_a_number_of_seconds(tmp_path: Path) -> None:
    for timeout in (5, 5.0, numpy.int64(5), numpy.float64(5), Index()):
        SQLiteStore(tmp_path / "a.db", timeout=timeout).close()  # type: ignore[arg-type]  # an index as well
    for wrong in ("5", None, True):
        with pytest.raises(InputTypeError, match="timeout must be a number of seconds"):
            SQLiteStore(tmp_path / "a.db", timeout=wrong)  # type: ignore[arg-type]  # refused
