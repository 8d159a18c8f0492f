"""The excess of blob gas: EIP-4844's sum, and EIP-7918's reserve price."""

from __future__ import annotations

from math import e
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hexary.chain import BLOB_SCHEDULES, BlobSchedule, next_excess_blob_gas
from hexary.errors import InputTypeError, RangeError

BLOB = 1 << 17
CANCUN, OSAKA = BLOB_SCHEDULES["Cancun"], BLOB_SCHEDULES["Osaka"]


def excess(before: int, used: int, *, fee: int = 7, **changes: Any) -> int:
    fields: dict[str, Any] = {
        "excess_blob_gas": before * BLOB,
        "blob_gas_used": used * BLOB,
        "base_fee_per_gas": fee,
        "schedule": OSAKA,
        "has_reserve_price": True,
    }
    return next_excess_blob_gas(**{**fields, **changes})


@pytest.mark.parametrize(
    ("before", "used", "after"), [(0, 0, 0), (0, 3, 0), (0, 6, 3), (4, 2, 3), (1, 1, 0)]
)
def test_what_is_above_the_aim_adds_up(before: int, used: int, after: int) -> None:
    found = excess(before, used, schedule=CANCUN, has_reserve_price=False)
    assert found == after * BLOB


@pytest.mark.parametrize(
    ("fee", "after"),
    [
        # A blob's gas costs 131,072 wei at the least price; 2^13 gas cost more than
        # that from a base fee of 17 wei on.
        (0, 0),
        (16, 0),
        (17, 2),
        (10**9, 2),
    ],
)
def test_below_the_reserve_price_nothing_is_taken_off(fee: int, after: int) -> None:
    assert excess(0, 6, fee=fee) == after * BLOB
    assert excess(0, 6, fee=fee, has_reserve_price=False) == 0


def test_a_price_above_the_reserve_takes_the_aim_off() -> None:
    """At an excess of 200 blobs, a unit costs e^5.2, which is 187 wei."""
    price = int(e ** (200 * BLOB / OSAKA.update_fraction))
    assert price == 187
    limit = price * BLOB // (1 << 13)
    assert excess(200, 9, fee=limit) == 203 * BLOB
    assert excess(200, 9, fee=limit + 1) == 203 * BLOB
    # Nine blobs used give the same either way; two do not.
    assert excess(200, 2, fee=limit) == 196 * BLOB
    assert excess(200, 2, fee=limit + 1) == 200 * BLOB + 2 * BLOB * 3 // 9


def test_less_than_the_aim_leaves_nothing_whatever_the_fee() -> None:
    assert excess(0, 5, fee=2**200) == 0


def test_an_excess_without_end_is_told_at_once() -> None:
    """The price would have more digits than there is memory."""
    assert excess(2**64, 9, fee=2**256 - 1) == (2**64 + 3) * BLOB


def test_a_schedule_without_blobs_divides_by_nothing() -> None:
    assert excess(9, 0, fee=10**9, schedule=BlobSchedule(0, 0, 1)) == 9 * BLOB


@given(st.integers(0, 2**20), st.integers(0, 21), st.integers(0, 2**40))
def test_the_excess_grows_by_no_more_than_the_spare(
    before: int, used: int, fee: int
) -> None:
    for name, schedule in BLOB_SCHEDULES.items():
        taken = min(used, schedule.maximum)
        after = excess(before, taken, fee=fee, schedule=schedule)
        spare = schedule.maximum - schedule.target
        assert 0 <= after <= (before + spare) * BLOB, name


@pytest.mark.parametrize(
    "name", ["excess_blob_gas", "blob_gas_used", "base_fee_per_gas"]
)
def test_other_numbers_are_refused(name: str) -> None:
    with pytest.raises(InputTypeError):
        excess(0, 0, **{name: 1.0})
    with pytest.raises(InputTypeError):
        excess(0, 0, **{name: True})
    with pytest.raises(RangeError):
        excess(0, 0, **{name: -1})


def test_a_schedule_of_other_numbers_is_refused() -> None:
    with pytest.raises(RangeError):
        BlobSchedule(6, 9, 0)
    with pytest.raises(RangeError):
        BlobSchedule(-1, 9, 1)
    with pytest.raises(InputTypeError):
        BlobSchedule(6, "9", 1)  # type: ignore[arg-type]  # that is the test
