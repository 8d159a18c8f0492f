"""
Whether a transaction can be valid: the rules that need no state.

What an account has (its nonce, balance, code) and what a block has (base fee, gas left,
blobs of others) is not looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hexary.chain.blob_gas import GAS_PER_BLOB
from hexary.chain.forks import fork_named
from hexary.chain.gas import floor_gas, intrinsic_gas, settled_fork
from hexary.chain.transaction import (
    BlobTransaction,
    LegacyTransaction,
    SetCodeTransaction,
)
from hexary.chain.transaction_base import MOST_NONCE, require_transaction
from hexary.errors import InvalidError, InvalidReason

if TYPE_CHECKING:
    from hexary.chain.forks import Fork
    from hexary.chain.transaction import Transaction
    from hexary.typed import Address, Hash

__all__ = [
    "CheckedTransaction",
    "check_signature",
    "check_transaction",
]

_MOST_GAS = 1 << 24
_MOST_INIT_CODE = 2 * 24_576
_BLOB_HASH_VERSION = 1


class CheckedTransaction(NamedTuple):
    """
    What `check_transaction` has found out.

    Example:
        >>> CheckedTransaction._fields
        ('hash', 'sender', 'intrinsic_gas', 'floor_gas')
    """

    hash: Hash
    """The transaction's hash."""

    sender: Address
    """Who has signed it."""

    intrinsic_gas: int
    """What it uses before any code runs."""

    floor_gas: int
    """What it uses at least; 0 before Prague."""


def check_signature(
    transaction: Transaction, *, fork: str | Fork, chain_id: int | None = None
) -> None:
    """
    Check the numbers of a signature, without asking who has signed.

    Args:
        transaction: the transaction.
        fork: the fork, or its name.
        chain_id: the chain's id; ``None`` lets any pass.

    Raises:
        ForkError: if there is no such fork.
        InputTypeError: if *transaction* is none.
        InvalidError: if a number is out of its range, or it is for another chain.

    Example:
        >>> from hexary.chain import LegacyTransaction
        >>> transaction = LegacyTransaction(v=37, r=1, s=1)
        >>> check_signature(transaction, fork="Spurious Dragon", chain_id=1)
        >>> check_signature(transaction, fork="Homestead", chain_id=1)
        Traceback (most recent call last):
        hexary.errors.InvalidError: transaction.v: v is 27 or 28, or with a chain id 35
        or 36 plus twice that (EIP-155); got 37
    """
    require_transaction(transaction)
    active = fork_named(fork).active
    field = "chain_id"
    signed_for: int | None
    if isinstance(transaction, LegacyTransaction):
        v = transaction.v
        if v not in (27, 28) and (v < 35 or 155 not in active):
            raise _broken(InvalidReason.SIGNATURE_V, "v", v)
        # Not `signed_chain_id`: without r and s, v is no signature's.
        field, signed_for = "v", (v - 35) // 2 if v >= 35 else None
    else:
        signed_for = transaction.chain_id
    if chain_id is not None and signed_for is not None and signed_for != chain_id:
        raise InvalidError(
            InvalidReason.WRONG_CHAIN,
            field=f"transaction.{field}",
            got=signed_for,
            expected=chain_id,
        )
    transaction.signature.check(low_s=2 in active, field="transaction")


def check_transaction(
    transaction: Transaction, *, fork: str | Fork, chain_id: int | None = None
) -> CheckedTransaction:
    """
    Check that a transaction can be valid in some state, and return what is found out.

    Args:
        transaction: the transaction.
        fork: the fork, or its name.
        chain_id: the chain's id; ``None`` lets any pass.

    Raises:
        ForkError: if there is no such fork, or what gas costs is not settled for it.
        InputTypeError: if *transaction* is none.
        InvalidError: if it breaks a rule; its ``reason`` and ``field`` say which.
        MissingExtraError: if coincurve is not installed.

    Example:
        >>> from hexary.chain import LegacyTransaction
        >>> payment = LegacyTransaction(gas_limit=21000, to=bytes(20)).for_chain(1)
        >>> checked = check_transaction(payment.sign(1), fork="Osaka", chain_id=1)
        >>> checked.sender, checked.intrinsic_gas
        (Address('0x7e5f4552091a69125d5dfcb7b8c2659029395bdf'), 21000)
    """
    require_transaction(transaction)
    found = fork_named(fork)
    if transaction.type not in found.transaction_types:
        raise InvalidError(
            InvalidReason.TYPE_NOT_SUPPORTED,
            field="transaction.type",
            got=transaction.type,
        )
    if transaction.nonce > MOST_NONCE:
        raise _broken(InvalidReason.NONCE_TOO_HIGH, "nonce", transaction.nonce)
    check_signature(transaction, fork=found, chain_id=chain_id)
    _check_fees(transaction)
    if isinstance(transaction, BlobTransaction):
        _check_blobs(transaction, found.most_blobs)
    if isinstance(transaction, SetCodeTransaction) and (
        not transaction.authorization_list
    ):
        raise InvalidError(
            InvalidReason.NO_AUTHORIZATIONS, field="transaction.authorization_list"
        )
    # How large init code may be is about to change as well (EIP-7954).
    settled_fork(found)
    if (
        3860 in found.active
        and transaction.is_creation
        and len(transaction.data) > _MOST_INIT_CODE
    ):
        raise _broken(InvalidReason.INIT_CODE_TOO_LARGE, "data", len(transaction.data))
    sender = transaction.sender()
    intrinsic, floor = _check_gas(transaction, found)
    return CheckedTransaction(transaction.hash(), sender, intrinsic, floor)


def _broken(reason: InvalidReason, field: str, got: int) -> InvalidError:
    """Return the error for a field of a transaction."""
    return InvalidError(reason, field=f"transaction.{field}", got=got)


def _check_fees(transaction: Transaction) -> None:
    """Check the fees, and that somebody could have that much."""
    highest = transaction.highest_gas_price
    if transaction.priority_fee > highest:
        raise InvalidError(
            InvalidReason.PRIORITY_FEE_TOO_HIGH,
            field="transaction.max_priority_fee_per_gas",
            got=transaction.priority_fee,
        )
    cost = transaction.gas_limit * highest
    if isinstance(transaction, BlobTransaction):
        blobs = len(transaction.blob_versioned_hashes)
        cost += GAS_PER_BLOB * blobs * transaction.max_fee_per_blob_gas
    if cost >> 256:
        raise InvalidError(InvalidReason.COST_TOO_HIGH, field="transaction.gas_limit")


def _check_blobs(transaction: BlobTransaction, most: int) -> None:
    """Check how many blobs there are, and their hashes."""
    hashes = transaction.blob_versioned_hashes
    field = "transaction.blob_versioned_hashes"
    if not hashes:
        raise InvalidError(InvalidReason.NO_BLOBS, field=field)
    if len(hashes) > most:
        raise InvalidError(
            InvalidReason.TOO_MANY_BLOBS, field=field, got=len(hashes), expected=most
        )
    for place, one in enumerate(hashes):
        if one[0] != _BLOB_HASH_VERSION:
            raise InvalidError(
                InvalidReason.BLOB_HASH_VERSION, field=f"{field}[{place}]", got=one
            )


def _check_gas(transaction: Transaction, fork: Fork) -> tuple[int, int]:
    """Check the gas limit, and return the intrinsic gas and the floor."""
    limit = transaction.gas_limit
    intrinsic = intrinsic_gas(transaction, fork=fork)
    floor = floor_gas(transaction, fork=fork)
    for least, reason in (
        (intrinsic, InvalidReason.GAS_LIMIT_TOO_LOW),
        (floor, InvalidReason.GAS_LIMIT_BELOW_FLOOR),
    ):
        if limit < least:
            raise InvalidError(
                reason, field="transaction.gas_limit", got=limit, expected=least
            )
    if 7825 in fork.active and limit > _MOST_GAS:
        raise _broken(InvalidReason.GAS_LIMIT_TOO_HIGH, "gas_limit", limit)
    return intrinsic, floor
