from __future__ import annotations

from typing import Any

import pytest

from hexary import rlp
from hexary.chain import (
    Blob,
    BlobTransaction,
    BlobTransactionWithCellProofs,
    BlobTransactionWithProofs,
    KZGCommitment,
    KZGProof,
    blob_versioned_hash,
    decode_pooled_transaction,
)
from hexary.errors import (
    DecodeError,
    DecodeReason,
    InvalidError,
    InvalidReason,
    SizeError,
)
from hexary.typed import Address

COMMITMENTS = (KZGCommitment(1), KZGCommitment(2))
INNER = BlobTransaction(
    chain_id=1,
    to=Address(5),
    blob_versioned_hashes=tuple(map(blob_versioned_hash, COMMITMENTS)),
)
OLDER = BlobTransactionWithProofs(
    INNER, (Blob(1), Blob(2)), COMMITMENTS, (KZGProof(1), KZGProof(2))
)
NEWER = BlobTransactionWithCellProofs(
    INNER, 1, (Blob(1), Blob(2)), COMMITMENTS, (KZGProof(1),) * 256
)


@pytest.mark.parametrize("wrapped", [OLDER, NEWER], ids=["proofs", "cell proofs"])
def test_both_wrappers_are_told_apart_and_survive(wrapped: Any) -> None:
    wrapped.check()
    data = wrapped.rlp()
    assert data[0] == 3
    items = rlp.decode(data[1:])
    assert len(items) == 4 + wrapped.version
    assert rlp.encode(items[0]) == INNER.rlp()[1:]
    found = decode_pooled_transaction(data)
    assert type(found) is type(wrapped)
    assert found == wrapped
    assert len(repr(wrapped)) < 100_000
    assert decode_pooled_transaction(INNER.rlp()) == INNER


@pytest.mark.parametrize(
    ("wrapped", "change", "reason", "field"),
    [
        (OLDER, {"blobs": OLDER.blobs[:1]}, "SIDECAR_COUNT", "blobs"),
        (OLDER, {"proofs": ()}, "SIDECAR_COUNT", "proofs"),
        (OLDER, {"commitments": COMMITMENTS * 2}, "SIDECAR_COUNT", "commitments"),
        (
            OLDER,
            {"commitments": COMMITMENTS[::-1]},
            "SIDECAR_COMMITMENT",
            "commitments[0]",
        ),
        (NEWER, {"cell_proofs": NEWER.cell_proofs[1:]}, "SIDECAR_COUNT", "proofs"),
    ],
)
def test_parts_that_do_not_belong_together(
    wrapped: Any, change: dict[str, Any], reason: str, field: str
) -> None:
    with pytest.raises(InvalidError) as caught:
        wrapped.replace(**change).check()
    assert caught.value.reason is InvalidReason[reason]
    assert caught.value.field == field


def test_there_is_one_version_that_says_so() -> None:
    for version in (0, 2, 255):
        with pytest.raises(InvalidError) as caught:
            NEWER.replace(wrapper_version=version)
        assert caught.value.reason is InvalidReason.SIDECAR_VERSION
    items = rlp.decode(NEWER.rlp()[1:])
    items[1] = b"\2"
    with pytest.raises(DecodeError) as malformed:
        decode_pooled_transaction(b"\3" + rlp.encode(items))
    assert malformed.value.reason is DecodeReason.INVALID_VALUE


@pytest.mark.parametrize(
    "data", ["03", "0380", "03c0", "03c1c0", "03c2c0", "03c2c080", "03c2c0c0", "03f8"]
)
def test_malformed_wrappers(data: str) -> None:
    with pytest.raises(DecodeError):
        decode_pooled_transaction(bytes.fromhex(data))


def test_a_versioned_hash_is_that_of_a_commitment() -> None:
    assert blob_versioned_hash(COMMITMENTS[0])[0] == 1
    with pytest.raises(SizeError):
        blob_versioned_hash(bytes(47))
    # The commitment of the empty blob, the point at infinity.
    infinity = bytes([0xC0]) + bytes(47)
    assert blob_versioned_hash(infinity).hex() == (
        "0x010657f37554c781402a22917dee2f75def7ab966d7b770905398eba3c444014"
    )
