"""The base fee of a block, which follows from the block before (EIP-1559)."""

from __future__ import annotations

from hexary.errors import RangeError
from hexary.integer import exact_int

__all__ = ["next_base_fee"]

_CHANGE_DENOMINATOR = 8


def next_base_fee(*, base_fee_per_gas: int, gas_used: int, gas_target: int) -> int:
    """
    Return the base fee of the next block.

    It moves by up to an eighth, as the block has used more or less than its target.

    Args:
        base_fee_per_gas: of the block, in wei.
        gas_used: by the block.
        gas_target: of the block: half its gas limit.

    Raises:
        InputTypeError: if one is not an int.
        RangeError: if *gas_target* is not positive, or another number is negative.

    Example:
        >>> next_base_fee(
        ...     base_fee_per_gas=1000, gas_used=30_000_000, gas_target=15_000_000
        ... )
        1125
        >>> next_base_fee(base_fee_per_gas=1000, gas_used=0, gas_target=15_000_000)
        875
    """
    base_fee_per_gas = exact_int(base_fee_per_gas, "base_fee_per_gas")
    gas_used = exact_int(gas_used, "gas_used")
    gas_target = exact_int(gas_target, "gas_target")
    for name, value, least in (
        ("base_fee_per_gas", base_fee_per_gas, 0),
        ("gas_used", gas_used, 0),
        ("gas_target", gas_target, 1),
    ):
        if value < least:
            raise RangeError(name, value, least, None)
    if gas_used == gas_target:
        return base_fee_per_gas
    off_target = base_fee_per_gas * abs(gas_used - gas_target) // gas_target
    change = off_target // _CHANGE_DENOMINATOR
    if gas_used > gas_target:
        # Always by something, or a low fee would never rise.
        return base_fee_per_gas + max(change, 1)
    return base_fee_per_gas - change
