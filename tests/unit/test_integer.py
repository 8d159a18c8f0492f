"""What counts as an int, at every place that takes a number."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy
import pytest

from hexary import (
    Account,
    Hash,
    InputTypeError,
    State,
    create_address,
    rlp,
    storage_root,
)
from hexary.chain import (
    BlobSchedule,
    Withdrawal,
    next_base_fee,
    next_excess_blob_gas,
)
from hexary.integer import exact_int, int_of
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
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "number", [Index(), numpy.int64(5), numpy.uint8(5), numpy.uint64(5)], ids=repr
)
def test_what_is_an_index_counts_as_an_int(place: str, number: Any) -> None:
    result: Any = PLACES[place](number)
    assert result == PLACES[place](5)
    assert type(result) is type(PLACES[place](5))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("value", [5.0, Decimal(5), numpy.float64(5), None], ids=repr)
def test_what_is_no_int_is_refused(place: str, value: Any) -> None:
    with pytest.raises(InputTypeError):
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
    ids=repr,
)
def test_truths_bytes_text_and_arrays_are_no_ints(value: Any) -> None:
    assert int_of(value) is None
    with pytest.raises(InputTypeError, match="nonce must be an int, got"):
        exact_int(value, "nonce")
