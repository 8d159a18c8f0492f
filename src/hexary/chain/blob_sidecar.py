"""
Blobs, and the form in which blob transactions travel between nodes.

A block has a blob transaction without its blobs.  Between nodes it is wrapped with
them, their commitments and proofs::

    0x03 | rlp([transaction, blobs, commitments, proofs])              EIP-4844
    0x03 | rlp([transaction, 1, blobs, commitments, cell proofs])      EIP-7594, Osaka

where *transaction* is the list that otherwise stands behind the type byte.  With cell
proofs there are 128 for each blob.  A blob's versioned hash is that of its commitment;
that the commitment and the proofs are those of the blob takes KZG, and is not checked.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Annotated, ClassVar, TypeAlias

from hexary import rlp
from hexary.chain.transaction import BlobTransaction, Transaction, decode_transaction
from hexary.errors import DecodeError, DecodeReason, InvalidError, InvalidReason
from hexary.rlp.decoding import as_bytes, read_header
from hexary.typed import FixedSizeBytes, Hash

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "Blob",
    "BlobTransactionWithCellProofs",
    "BlobTransactionWithProofs",
    "KZGCommitment",
    "KZGProof",
    "PooledTransaction",
    "blob_versioned_hash",
    "decode_pooled_transaction",
]

_CELLS_PER_BLOB = 128


class Blob(FixedSizeBytes):
    """
    A blob: 4096 field elements of 32 bytes (EIP-4844).

    Example:
        >>> len(Blob(0))
        131072
    """

    __slots__ = ()
    byte_length = 131_072


class KZGCommitment(FixedSizeBytes):
    """
    A KZG commitment, a point on BLS12-381 (EIP-4844).

    Example:
        >>> len(KZGCommitment(0))
        48
    """

    __slots__ = ()
    byte_length = 48


class KZGProof(FixedSizeBytes):
    """
    A KZG proof, a point on BLS12-381 (EIP-4844).

    Example:
        >>> len(KZGProof(0))
        48
    """

    __slots__ = ()
    byte_length = 48


def blob_versioned_hash(commitment: bytes) -> Hash:
    """
    Return the versioned hash by which transactions name a blob.

    It is the SHA-256 of the commitment, its first byte replaced by 1.

    Args:
        commitment: the blob's KZG commitment, 48 bytes.

    Raises:
        HexError, InputTypeError, SizeError: if it is none.

    Example:
        >>> blob_versioned_hash(bytes([0xC0]) + bytes(47))
        Hash('0x010657f37554c781402a22917dee2f75def7ab966d7b770905398eba3c444014')
    """
    return Hash(b"\x01" + sha256(KZGCommitment(commitment)).digest()[1:])


def _check(
    transaction: BlobTransaction,
    blobs: Sequence[bytes],
    commitments: Sequence[bytes],
    proofs: Sequence[bytes],
    proofs_per_blob: int,
) -> None:
    """Check the counts of a sidecar's parts, and the versioned hashes."""
    hashes = transaction.blob_versioned_hashes
    for field, got, expected in (
        ("blobs", len(blobs), len(hashes)),
        ("commitments", len(commitments), len(hashes)),
        ("proofs", len(proofs), len(hashes) * proofs_per_blob),
    ):
        if got != expected:
            raise InvalidError(
                InvalidReason.SIDECAR_COUNT, field=field, got=got, expected=expected
            )
    for place, commitment in enumerate(commitments):
        found = blob_versioned_hash(commitment)
        if found != hashes[place]:
            raise InvalidError(
                InvalidReason.SIDECAR_COMMITMENT,
                field=f"commitments[{place}]",
                got=found,
                expected=hashes[place],
            )


@rlp.record(type_byte=3)
class BlobTransactionWithProofs(rlp.Record):
    """
    A blob transaction with its blobs and a proof for each (EIP-4844).

    Example:
        >>> wrapped = BlobTransactionWithProofs(BlobTransaction(chain_id=1))
        >>> decode_pooled_transaction(wrapped.rlp()) == wrapped
        True
    """

    version: ClassVar[int] = 0
    """Of the wrapper; this one does not say it."""

    transaction: Annotated[BlobTransaction, rlp.BARE]
    blobs: tuple[Blob, ...] = rlp.field(default=(), repr=False)
    commitments: tuple[KZGCommitment, ...] = ()
    proofs: tuple[KZGProof, ...] = ()

    def check(self) -> None:
        """
        Check the counts of the parts, and that the commitments have the hashes.

        Raises:
            InvalidError: if a rule is broken.
        """
        _check(self.transaction, self.blobs, self.commitments, self.proofs, 1)


@rlp.record(type_byte=3)
class BlobTransactionWithCellProofs(rlp.Record):
    """
    A blob transaction with its blobs and a proof for each cell (EIP-7594).

    Example:
        >>> wrapped = BlobTransactionWithCellProofs(BlobTransaction(chain_id=1))
        >>> decode_pooled_transaction(wrapped.rlp()).version
        1
    """

    version: ClassVar[int] = 1
    """Of the wrapper."""

    transaction: Annotated[BlobTransaction, rlp.BARE]
    wrapper_version: rlp.U8 = 1
    blobs: tuple[Blob, ...] = rlp.field(default=(), repr=False)
    commitments: tuple[KZGCommitment, ...] = ()
    cell_proofs: tuple[KZGProof, ...] = rlp.field(default=(), repr=False)

    def __post_init__(self) -> None:
        if self.wrapper_version != 1:
            raise InvalidError(
                InvalidReason.SIDECAR_VERSION,
                field="wrapper_version",
                got=self.wrapper_version,
                expected=1,
            )

    def check(self) -> None:
        """
        Check the counts of the parts, and that the commitments have the hashes.

        Raises:
            InvalidError: if a rule is broken.
        """
        _check(
            self.transaction,
            self.blobs,
            self.commitments,
            self.cell_proofs,
            _CELLS_PER_BLOB,
        )


PooledTransaction: TypeAlias = (
    Transaction | BlobTransactionWithProofs | BlobTransactionWithCellProofs
)
"""A transaction as it travels between nodes."""


def decode_pooled_transaction(data: bytes) -> PooledTransaction:
    """
    Return the transaction that *data* encode, as it travels between nodes.

    Blob transactions may come with their blobs, in either wrapper, or without.

    Args:
        data: an RLP list, or the byte of a type and then a list.

    Raises:
        DecodeError: if they do not encode a transaction.
        InputTypeError: if they are not bytes.

    Example:
        >>> decode_pooled_transaction(bytes.fromhex("01cb01058080808080c0808080")).type
        1
    """
    data = as_bytes(data)
    wrapper = _wrapper(data)
    if wrapper is None:
        return decode_transaction(data)
    return wrapper.from_rlp(data)


def _wrapper(
    data: bytes,
) -> type[BlobTransactionWithProofs | BlobTransactionWithCellProofs] | None:
    """Return which wrapper *data* seem to have, ``None`` for none."""
    if data[:1] != b"\x03" or len(data) < 2:
        return None
    try:
        start, end = read_header(data, 1, len(data), DecodeReason.TRUNCATED)
        # The first item of the transaction itself is a number, its chain id.
        if start == end or data[start] < 0xC0:
            return None
        _, second = read_header(data, start, end, DecodeReason.OVERRUN)
    except DecodeError:
        # What is wrong, the decoder says.
        return None
    if second < end and data[second] < 0xC0:
        return BlobTransactionWithCellProofs
    return BlobTransactionWithProofs
