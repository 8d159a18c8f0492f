"""Strategies for the chain's records: any values that their fields can have."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from hexary.chain import (
    AccessListEntry,
    AccessListTransaction,
    AccountChanges,
    AuthorityRoundHeader,
    Authorization,
    BalanceChange,
    BlobTransaction,
    BlobTransactionWithCellProofs,
    BlobTransactionWithProofs,
    Block,
    BlockBody,
    CodeChange,
    ConsolidationRequest,
    DepositRequest,
    ExecutionPayload,
    FeeMarketTransaction,
    Header,
    KZGCommitment,
    KZGProof,
    LegacyTransaction,
    Log,
    NetworkReceipt,
    NonceChange,
    Receipt,
    SetCodeTransaction,
    SlotChanges,
    StorageChange,
    Withdrawal,
    WithdrawalRequest,
)
from hexary.typed import (
    Address,
    Bloom,
    BLSPublicKey,
    BLSSignature,
    Bytes,
    Hash,
    HeaderNonce,
)

__all__ = ["RECORDS", "REQUESTS", "TRANSACTIONS"]


def numbers(bits: int) -> st.SearchStrategy[int]:
    """Return numbers of up to so many bits; small ones and the bounds are frequent."""
    most = (1 << bits) - 1
    return st.one_of(
        st.integers(0, 130), st.integers(0, most), st.sampled_from([0, 1, most])
    )


def sized(kind: Any, size: int) -> st.SearchStrategy[Any]:
    """Return typed bytes of one size."""
    return st.binary(min_size=size, max_size=size).map(kind)


def several(one: st.SearchStrategy[Any], most: int = 3) -> st.SearchStrategy[Any]:
    """Return tuples of up to so many."""
    return st.lists(one, max_size=most).map(tuple)


U8, U32, U64, U256 = numbers(8), numbers(32), numbers(64), numbers(256)
ADDRESS, HASH = sized(Address, 20), sized(Hash, 32)
BLOOM, NONCE = sized(Bloom, 256), sized(HeaderNonce, 8)
DATA = st.binary(max_size=80).map(Bytes)

ENTRY = st.builds(AccessListEntry, ADDRESS, several(HASH))
AUTHORIZATION = st.builds(Authorization, U256, ADDRESS, U64, U8, U256, U256)
LOG = st.builds(Log, ADDRESS, several(HASH, 4), DATA)
WITHDRAWAL = st.builds(Withdrawal, U64, U64, ADDRESS, U64)
SIGNATURE = {"y_parity": U8, "r": U256, "s": U256}
COMMON = {"nonce": U64, "gas_limit": U64, "value": U256, "data": DATA}
TYPED = {
    "chain_id": U64,
    "access_list": several(ENTRY),
    **COMMON,
    **SIGNATURE,
}
FEES = {"max_priority_fee_per_gas": U256, "max_fee_per_gas": U256}
ANYBODY = st.none() | ADDRESS
BLOBS = st.builds(
    BlobTransaction,
    to=ADDRESS,
    max_fee_per_blob_gas=U256,
    blob_versioned_hashes=several(HASH),
    **FEES,
    **TYPED,
)
TRANSACTIONS: dict[str, st.SearchStrategy[Any]] = {
    "legacy": st.builds(
        LegacyTransaction,
        gas_price=U256,
        to=ANYBODY,
        v=U256,
        r=U256,
        s=U256,
        **COMMON,
    ),
    "access list": st.builds(
        AccessListTransaction, gas_price=U256, to=ANYBODY, **TYPED
    ),
    "fee market": st.builds(FeeMarketTransaction, to=ANYBODY, **FEES, **TYPED),
    "blobs": BLOBS,
    "set code": st.builds(
        SetCodeTransaction,
        to=ADDRESS,
        authorization_list=several(AUTHORIZATION),
        **FEES,
        **TYPED,
    ),
}

FIRST = {
    "parent_hash": HASH,
    "ommers_hash": HASH,
    "coinbase": ADDRESS,
    "state_root": HASH,
    "transactions_root": HASH,
    "receipts_root": HASH,
    "logs_bloom": BLOOM,
    "difficulty": U256,
    "number": U64,
    "gas_limit": U64,
    "gas_used": U64,
    "timestamp": U64,
    "extra_data": DATA,
}
APPENDED = {
    "base_fee_per_gas": U256,
    "withdrawals_root": HASH,
    "blob_gas_used": U64,
    "excess_blob_gas": U64,
    "parent_beacon_block_root": HASH,
    "requests_hash": HASH,
    "block_access_list_hash": HASH,
    "slot_number": U64,
}


@st.composite
def appended(draw: st.DrawFn) -> dict[str, Any]:
    """Return the fields of some fork: those up to one of them."""
    count = draw(st.integers(0, len(APPENDED)))
    return {name: draw(kind) for name, kind in list(APPENDED.items())[:count]}


def header(kind: Any, **seal: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return headers with a seal."""
    fields = st.fixed_dictionaries({**FIRST, **seal})
    return st.tuples(fields, appended()).map(lambda pair: kind(**pair[0], **pair[1]))


HEADER = header(Header, mix_hash=HASH, nonce=NONCE)
ANY_TRANSACTION = st.one_of(list(TRANSACTIONS.values()))
WITHDRAWALS = st.none() | several(WITHDRAWAL)
OUTCOME = st.booleans() | HASH
KEY = sized(BLSPublicKey, 48)
REQUESTS = {
    "deposit request": st.builds(
        DepositRequest, KEY, HASH, U64, sized(BLSSignature, 96), U64
    ),
    "withdrawal request": st.builds(WithdrawalRequest, ADDRESS, KEY, U64),
    "consolidation request": st.builds(ConsolidationRequest, ADDRESS, KEY, KEY),
}
STORAGE_CHANGE = st.builds(StorageChange, U32, U256)
SLOT_CHANGES = st.builds(SlotChanges, U256, several(STORAGE_CHANGE))
BALANCE_CHANGE = st.builds(BalanceChange, U32, U256)
NONCE_CHANGE = st.builds(NonceChange, U32, U64)
CODE_CHANGE = st.builds(CodeChange, U32, DATA)
CHANGES = {
    "storage_changes": several(SLOT_CHANGES),
    "storage_reads": several(U256),
    "balance_changes": several(BALANCE_CHANGE),
    "nonce_changes": several(NONCE_CHANGE),
    "code_changes": several(CODE_CHANGE),
}
PAYLOAD_FIELDS = {
    "parent_hash": HASH,
    "fee_recipient": ADDRESS,
    "state_root": HASH,
    "receipts_root": HASH,
    "logs_bloom": BLOOM,
    "prev_randao": HASH,
    "block_number": U64,
    "gas_limit": U64,
    "gas_used": U64,
    "timestamp": U64,
    "extra_data": DATA,
    "base_fee_per_gas": U256,
    "block_hash": HASH,
    "transactions": several(DATA),
}

RECORDS: dict[str, st.SearchStrategy[Any]] = {
    **TRANSACTIONS,
    **REQUESTS,
    "access list entry": ENTRY,
    "authorization": AUTHORIZATION,
    "log": LOG,
    "withdrawal": WITHDRAWAL,
    "header": HEADER,
    "authority round header": header(
        AuthorityRoundHeader, step=U64, signature=st.binary(min_size=65, max_size=65)
    ),
    "receipt": st.builds(Receipt, st.integers(0, 4), OUTCOME, U64, BLOOM, several(LOG)),
    "network receipt": st.builds(NetworkReceipt, U8, OUTCOME, U64, several(LOG)),
    "block": st.builds(
        Block, HEADER, several(ANY_TRANSACTION), several(HEADER, 1), WITHDRAWALS
    ),
    "block body": st.builds(
        BlockBody, several(ANY_TRANSACTION), several(HEADER, 1), WITHDRAWALS
    ),
    "storage change": STORAGE_CHANGE,
    "slot changes": SLOT_CHANGES,
    "balance change": BALANCE_CHANGE,
    "nonce change": NONCE_CHANGE,
    "code change": CODE_CHANGE,
    "payload": st.builds(
        ExecutionPayload,
        withdrawals=several(WITHDRAWAL),
        blob_gas_used=U64,
        excess_blob_gas=U64,
        **PAYLOAD_FIELDS,
    ),
    "old payload": st.builds(ExecutionPayload, **PAYLOAD_FIELDS),
    "account changes": st.builds(AccountChanges, ADDRESS, **CHANGES),
    "pooled blobs": st.builds(
        BlobTransactionWithProofs,
        BLOBS,
        commitments=several(sized(KZGCommitment, 48)),
        proofs=several(sized(KZGProof, 48)),
    ),
    "pooled blobs with cells": st.builds(
        BlobTransactionWithCellProofs,
        BLOBS,
        commitments=several(sized(KZGCommitment, 48)),
        cell_proofs=several(sized(KZGProof, 48)),
    ),
}
"""Name → records of one class."""
