"""
The excess of blob gas, which follows from the block before (EIP-4844, EIP-7918).

A fork aims at a number of blobs per block, and allows some more.  What blocks use above
the aim adds up as the excess, from which the price of blob gas follows.  Since Osaka
(EIP-7918) blob gas is not to be much cheaper than gas: while it is, the excess is not
brought down.
"""

from __future__ import annotations

from dataclasses import dataclass

from hexary.errors import RangeError
from hexary.integer import exact_int

__all__ = ["GAS_PER_BLOB", "BlobSchedule", "next_excess_blob_gas"]

GAS_PER_BLOB = 1 << 17
"""Gas of its own kind that each blob uses (EIP-4844)."""

_BASE_COST = 1 << 13
"""Gas that a blob's gas is not to be cheaper than (EIP-7918)."""

_LEAST_PRICE = 1
"""Of a unit of blob gas, in wei (EIP-4844)."""


def _at_least(least: int, value: object, name: str) -> int:
    """Return an int, which must not be less than *least*."""
    number = exact_int(value, name)
    if number < least:
        raise RangeError(name, number, least, None)
    return number


@dataclass(frozen=True, slots=True)
class BlobSchedule:
    """
    How many blobs there are per block, and how fast their price moves (EIP-7840).

    Args:
        target: blobs per block aimed at.
        maximum: blobs that a block may have.
        update_fraction: ``baseFeeUpdateFraction``; the greater, the slower.

    Raises:
        InputTypeError: if one is not an int.
        RangeError: if one is negative, or the last one 0.

    Example:
        >>> BlobSchedule(target=6, maximum=9, update_fraction=5_007_716).target
        6
    """

    target: int
    maximum: int
    update_fraction: int

    def __post_init__(self) -> None:
        for name, least in (("target", 0), ("maximum", 0), ("update_fraction", 1)):
            number = _at_least(least, getattr(self, name), name)
            object.__setattr__(self, name, number)


def next_excess_blob_gas(
    *,
    excess_blob_gas: int,
    blob_gas_used: int,
    base_fee_per_gas: int,
    schedule: BlobSchedule,
    has_reserve_price: bool,
) -> int:
    """
    Return the excess of blob gas of the next block.

    Args:
        excess_blob_gas: of the block; 0 for one before Cancun, as are the next two.
        blob_gas_used: by the block.
        base_fee_per_gas: of the block, in wei.
        schedule: that of the next block.
        has_reserve_price: whether EIP-7918 holds for the next block.

    Raises:
        InputTypeError: if a number is not an int.
        RangeError: if one is negative.

    Example:
        >>> from hexary.chain import BLOB_SCHEDULES
        >>> common = {
        ...     "excess_blob_gas": 0,
        ...     "blob_gas_used": 6 << 17,
        ...     "schedule": BLOB_SCHEDULES["Osaka"],
        ...     "has_reserve_price": True,
        ... }
        >>> next_excess_blob_gas(base_fee_per_gas=16, **common) >> 17
        0
        >>> next_excess_blob_gas(base_fee_per_gas=17, **common) >> 17
        2
    """
    excess_blob_gas = _at_least(0, excess_blob_gas, "excess_blob_gas")
    blob_gas_used = _at_least(0, blob_gas_used, "blob_gas_used")
    base_fee_per_gas = _at_least(0, base_fee_per_gas, "base_fee_per_gas")
    before = excess_blob_gas + blob_gas_used
    aim = schedule.target * GAS_PER_BLOB
    if before < aim:
        return 0
    if has_reserve_price and schedule.maximum:
        # The greatest price of blob gas that is below what as much gas would cost.
        reserve = (_BASE_COST * base_fee_per_gas - 1) // GAS_PER_BLOB
        if _price_is_at_most(reserve, excess_blob_gas, schedule.update_fraction):
            spare = schedule.maximum - schedule.target
            return excess_blob_gas + blob_gas_used * spare // schedule.maximum
    return before - aim


def _price_is_at_most(limit: int, excess: int, fraction: int) -> bool:
    """
    Return whether the price of blob gas, e to the excess by *fraction*, is no more.

    The sum stops where it is beyond the limit: the whole number may have more digits
    than any memory.
    """
    total, step, term = 0, 1, _LEAST_PRICE * fraction
    while term:
        total += term
        if total // fraction > limit:
            return False
        term = term * excess // (fraction * step)
        step += 1
    return True
