"""
Whether a block can be valid: the rules that need neither state nor its parent.

What each transaction may be is for `check_transaction`; what follows from the parent
(number, base fee, excess of blob gas) is for `next_base_fee` and
`next_excess_blob_gas`; what execution comes to is not looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexary import rlp
from hexary.chain.blob_gas import GAS_PER_BLOB
from hexary.chain.block import Block
from hexary.chain.forks import fork_named
from hexary.chain.instances import require_instance
from hexary.chain.transaction import BlobTransaction
from hexary.errors import InvalidError, InvalidReason

if TYPE_CHECKING:
    from hexary.chain.forks import Fork
    from hexary.typed import Hash

__all__ = ["check_block"]

_MOST_SIZE = 8 << 20
"""Of a block's RLP: 10 MiB, less 2 for what the beacon block adds (EIP-7934)."""

_MOST_EXTRA_DATA = 32


def check_block(block: Block, *, fork: str | Fork) -> Hash:
    """
    Check that a block can be valid after some other, and return its hash.

    The header has the fields of the fork and the roots of the body, the body has only
    types of transactions that there are, and neither is beyond what a fork allows.

    Args:
        block: the block; of block 0 the rules of EIP-3675 are not asked.
        fork: the fork, or its name.

    Raises:
        ForkError: if there is no such fork.
        InputTypeError: if *block* is none.
        InvalidError: if it breaks a rule; its ``reason`` and ``field`` say which.

    Example:
        >>> from hexary.chain import Header
        >>> block = Block.of(Header(number=1, base_fee_per_gas=7), withdrawals=[])
        >>> check_block(block, fork="Shanghai") == block.hash()
        True
        >>> check_block(block, fork="Paris")
        Traceback (most recent call last):
        hexary.errors.InvalidError: header.withdrawals_root: the header has exactly the
        fields of the fork
    """
    require_instance(block, Block, "block", "a Block")
    found = fork_named(fork)
    if 7934 in found.active:
        size = rlp.encoded_size(block)
        if size > _MOST_SIZE:
            raise InvalidError(
                InvalidReason.BLOCK_SIZE, field="block", got=size, expected=_MOST_SIZE
            )
    header = block.header
    header.check_fields(found, field="header")
    if header.gas_used > header.gas_limit:
        raise InvalidError(
            InvalidReason.GAS_USED_TOO_HIGH,
            field="header.gas_used",
            got=header.gas_used,
            expected=header.gas_limit,
        )
    if 3675 in found.active and header.number:
        _check_not_mined(block)
    for place, transaction in enumerate(block.transactions):
        if transaction.type not in found.transaction_types:
            raise InvalidError(
                InvalidReason.TYPE_NOT_SUPPORTED,
                field=f"transactions[{place}].type",
                got=transaction.type,
            )
    _check_blobs(block, found)
    return block.check()


def _check_not_mined(block: Block) -> None:
    """Check that nothing is left of the proof of work."""
    header = block.header
    for field, value in (
        ("header.difficulty", header.difficulty),
        ("header.nonce", int.from_bytes(header.nonce, "big")),
        ("ommers", len(block.ommers)),
    ):
        if value:
            raise InvalidError(
                InvalidReason.PROOF_OF_WORK, field=field, got=value, expected=0
            )
    if len(header.extra_data) > _MOST_EXTRA_DATA:
        raise InvalidError(
            InvalidReason.EXTRA_DATA_TOO_LONG,
            field="header.extra_data",
            got=len(header.extra_data),
            expected=_MOST_EXTRA_DATA,
        )


def _check_blobs(block: Block, fork: Fork) -> None:
    """Check the blob gas of a header against the blobs, and how many there are."""
    used = block.header.blob_gas_used
    if used is None:
        return
    blobs = sum(
        len(one.blob_versioned_hashes)
        for one in block.transactions
        if isinstance(one, BlobTransaction)
    )
    if used != GAS_PER_BLOB * blobs:
        raise InvalidError(
            InvalidReason.BLOB_GAS_USED,
            field="header.blob_gas_used",
            got=used,
            expected=GAS_PER_BLOB * blobs,
        )
    schedule = fork.blob_schedule
    if schedule is not None and blobs > schedule.maximum:
        raise InvalidError(
            InvalidReason.TOO_MANY_BLOCK_BLOBS,
            field="transactions",
            got=blobs,
            expected=schedule.maximum,
        )
