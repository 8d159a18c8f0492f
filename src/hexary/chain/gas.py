"""
Gas that a transaction uses before any code runs (Yellow Paper, section 6.2).

=============================== ======= ================================================
for                             gas     since
=============================== ======= ================================================
every transaction               21,000  Frontier
creating a contract             32,000  Homestead (EIP-2)
each zero byte of data          4       Frontier
each other byte of data         68, 16  Frontier, Istanbul (EIP-2028)
each account of an access list  2,400   Berlin (EIP-2930)
each slot of an access list     1,900   Berlin (EIP-2930)
each 32 bytes of init code      2       Shanghai (EIP-3860)
each authorization              25,000  Prague (EIP-7702)
=============================== ======= ================================================

Since Prague (EIP-7623) there is a floor beside it: 21,000, 10 for each zero byte and 40
for each other byte of data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexary.chain.forks import fork_named
from hexary.chain.transaction import LegacyTransaction, SetCodeTransaction
from hexary.chain.transaction_base import require_transaction
from hexary.errors import ForkError

if TYPE_CHECKING:
    from hexary.chain.forks import Fork
    from hexary.chain.transaction import Transaction

__all__ = [
    "floor_gas",
    "intrinsic_gas",
    "settled_fork",
]

_TRANSACTION = 21_000
_CREATION = 32_000
_ZERO_BYTE = 4
_OTHER_BYTE_AT_FIRST = 68
_OTHER_BYTE = 16
_ACCESSED_ACCOUNT = 2_400
_ACCESSED_SLOT = 1_900
_INIT_CODE_WORD = 2
_AUTHORIZATION = 25_000
_FLOOR_ZERO_BYTE = 10
_FLOOR_OTHER_BYTE = 40


def settled_fork(fork: str | Fork) -> Fork:
    """
    Return the fork, whose gas costs and sizes have to be final.

    Raises:
        ForkError: if there is no such fork, or they are not settled for it.
    """
    found = fork_named(fork)
    if not found.gas_settled:
        raise ForkError(found.name, "what gas costs is not settled for it")
    return found


def intrinsic_gas(transaction: Transaction, *, fork: str | Fork) -> int:
    """
    Return the gas that a transaction uses before any code runs.

    Args:
        transaction: the transaction; whether the fork has its type does not matter.
        fork: the fork, or its name.

    Raises:
        ForkError: if there is no such fork, or what gas costs is not settled for it.
        InputTypeError: if *transaction* is none.

    Example:
        >>> from hexary.chain import LegacyTransaction
        >>> transaction = LegacyTransaction(to=bytes(20), data=b"a" + bytes(1))
        >>> [intrinsic_gas(transaction, fork=fork) for fork in ("Frontier", "Istanbul")]
        [21072, 21020]
    """
    require_transaction(transaction)
    active = settled_fork(fork).active
    data = transaction.data
    zeros = data.count(0)
    other_byte = _OTHER_BYTE if 2028 in active else _OTHER_BYTE_AT_FIRST
    gas = _TRANSACTION + _ZERO_BYTE * zeros + other_byte * (len(data) - zeros)
    if transaction.is_creation:
        if 2 in active:
            gas += _CREATION
        if 3860 in active:
            gas += _INIT_CODE_WORD * ((len(data) + 31) // 32)
    if not isinstance(transaction, LegacyTransaction):
        gas += _ACCESSED_ACCOUNT * len(transaction.access_list)
        gas += _ACCESSED_SLOT * sum(
            len(entry.storage_keys) for entry in transaction.access_list
        )
    if isinstance(transaction, SetCodeTransaction):
        gas += _AUTHORIZATION * len(transaction.authorization_list)
    return gas


def floor_gas(transaction: Transaction, *, fork: str | Fork) -> int:
    """
    Return the least gas that a transaction uses, whatever it does (EIP-7623).

    Args:
        transaction: the transaction.
        fork: the fork, or its name; before Prague, the floor is 0.

    Raises:
        ForkError: if there is no such fork, or what gas costs is not settled for it.
        InputTypeError: if *transaction* is none.

    Example:
        >>> from hexary.chain import LegacyTransaction
        >>> transaction = LegacyTransaction(to=bytes(20), data=b"a" + bytes(1))
        >>> [floor_gas(transaction, fork=fork) for fork in ("Cancun", "Prague")]
        [0, 21050]
    """
    require_transaction(transaction)
    if 7623 not in settled_fork(fork).active:
        return 0
    data = transaction.data
    zeros = data.count(0)
    return (
        _TRANSACTION
        + _FLOOR_ZERO_BYTE * zeros
        + _FLOOR_OTHER_BYTE * (len(data) - zeros)
    )
