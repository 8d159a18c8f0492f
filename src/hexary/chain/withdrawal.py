"""Withdrawals from the beacon chain, which a block credits to accounts (EIP-4895)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexary import rlp
from hexary.chain.instances import instances
from hexary.trie import ordered_trie_root
from hexary.typed import Address, Hash

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "Withdrawal",
    "withdrawals_root",
]

_ZERO_ADDRESS = Address(bytes(20))


@rlp.record
class Withdrawal(rlp.Record):
    """
    A withdrawal.

    Example:
        >>> one = Withdrawal(index=1, validator_index=2, address=bytes(20), amount=3)
        >>> one.rlp().hex()
        'd8010294000000000000000000000000000000000000000003'
    """

    index: rlp.U64 = 0
    """Counts all withdrawals of the chain."""

    validator_index: rlp.U64 = 0
    """Number of the validator whose stake it is."""

    address: Address = _ZERO_ADDRESS
    """Who gets it."""

    amount: rlp.U64 = 0
    """How much, in gwei."""


def withdrawals_root(withdrawals: Iterable[Withdrawal]) -> Hash:
    """
    Return the root of a block's withdrawals, as its header has it.

    Args:
        withdrawals: the withdrawals, in order.

    Raises:
        InputTypeError: if one is none.

    Example:
        >>> withdrawals_root([])
        Hash('0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421')
    """
    found = instances(
        withdrawals,
        Withdrawal,
        "withdrawals",
        "a Withdrawal",
        encoded="ordered_trie_root",
    )
    return ordered_trie_root(one.rlp() for one in found)
