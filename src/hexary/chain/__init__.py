"""
What a chain is made of above its state: forks, headers, transactions, blocks.

Everything is a frozen value; each module says what the things in it encode to.  What
needs the curve secp256k1 (senders, signing) loads coincurve when it is first used.
"""

from __future__ import annotations

from hexary.chain.abi_signature import event_topic, selector
from hexary.chain.access_list import AccessList, AccessListEntry
from hexary.chain.authorization import Authorization
from hexary.chain.base_fee import next_base_fee
from hexary.chain.blob_gas import GAS_PER_BLOB, BlobSchedule, next_excess_blob_gas
from hexary.chain.blob_sidecar import (
    Blob,
    BlobTransactionWithCellProofs,
    BlobTransactionWithProofs,
    KZGCommitment,
    KZGProof,
    PooledTransaction,
    blob_versioned_hash,
    decode_pooled_transaction,
)
from hexary.chain.block import Block, BlockBody, ommers_hash
from hexary.chain.block_access_list import (
    AccountChanges,
    BalanceChange,
    BlockAccessList,
    CodeChange,
    NonceChange,
    SlotChanges,
    StorageChange,
)
from hexary.chain.block_validity import check_block
from hexary.chain.forks import (
    BLOB_SCHEDULES,
    FORKS,
    Fork,
    HeaderField,
    fork_named,
    genesis_header_fields,
)
from hexary.chain.gas import floor_gas, intrinsic_gas
from hexary.chain.genesis import INITIAL_BASE_FEE, Genesis, is_genesis
from hexary.chain.header import (
    EMPTY_BLOCK_ACCESS_LIST_HASH,
    EMPTY_OMMERS_HASH,
    EMPTY_REQUESTS_HASH,
    AuthorityRoundHeader,
    Header,
    SealSignature,
)
from hexary.chain.log import Log, logs_bloom
from hexary.chain.message import (
    personal_message_hash,
    structured_message_hash,
    validator_message_hash,
)
from hexary.chain.payload import ExecutionPayload, NewPayload
from hexary.chain.receipt import NetworkReceipt, Receipt, receipts_root
from hexary.chain.request import (
    ConsolidationRequest,
    DepositRequest,
    Request,
    WithdrawalRequest,
    check_requests,
    decode_requests,
    encode_requests,
    requests_hash,
)
from hexary.chain.secp256k1 import (
    SECP256K1_ORDER,
    private_key_address,
    public_key,
    recover_public_key,
    sign_hash,
)
from hexary.chain.signature import SECP256K1_HALF_ORDER, Signature
from hexary.chain.stateless import (
    check_post_state,
    parent_header,
    post_state_root,
    read_header,
    read_witness,
)
from hexary.chain.transaction import (
    AccessListTransaction,
    BlobTransaction,
    FeeMarketTransaction,
    LegacyTransaction,
    SetCodeTransaction,
    Transaction,
    decode_transaction,
    transaction_from_json,
    transactions_root,
)
from hexary.chain.transaction_base import BaseTransaction, TypedTransaction
from hexary.chain.typed_data import TypedData
from hexary.chain.validity import CheckedTransaction, check_signature, check_transaction
from hexary.chain.withdrawal import Withdrawal, withdrawals_root

__all__ = [
    "BLOB_SCHEDULES",
    "EMPTY_BLOCK_ACCESS_LIST_HASH",
    "EMPTY_OMMERS_HASH",
    "EMPTY_REQUESTS_HASH",
    "FORKS",
    "GAS_PER_BLOB",
    "INITIAL_BASE_FEE",
    "SECP256K1_HALF_ORDER",
    "SECP256K1_ORDER",
    "AccessList",
    "AccessListEntry",
    "AccessListTransaction",
    "AccountChanges",
    "AuthorityRoundHeader",
    "Authorization",
    "BalanceChange",
    "BaseTransaction",
    "Blob",
    "BlobSchedule",
    "BlobTransaction",
    "BlobTransactionWithCellProofs",
    "BlobTransactionWithProofs",
    "Block",
    "BlockAccessList",
    "BlockBody",
    "CheckedTransaction",
    "CodeChange",
    "ConsolidationRequest",
    "DepositRequest",
    "ExecutionPayload",
    "FeeMarketTransaction",
    "Fork",
    "Genesis",
    "Header",
    "HeaderField",
    "KZGCommitment",
    "KZGProof",
    "LegacyTransaction",
    "Log",
    "NetworkReceipt",
    "NewPayload",
    "NonceChange",
    "PooledTransaction",
    "Receipt",
    "Request",
    "SealSignature",
    "SetCodeTransaction",
    "Signature",
    "SlotChanges",
    "StorageChange",
    "Transaction",
    "TypedData",
    "TypedTransaction",
    "Withdrawal",
    "WithdrawalRequest",
    "blob_versioned_hash",
    "check_block",
    "check_post_state",
    "check_requests",
    "check_signature",
    "check_transaction",
    "decode_pooled_transaction",
    "decode_requests",
    "decode_transaction",
    "encode_requests",
    "event_topic",
    "floor_gas",
    "fork_named",
    "genesis_header_fields",
    "intrinsic_gas",
    "is_genesis",
    "logs_bloom",
    "next_base_fee",
    "next_excess_blob_gas",
    "ommers_hash",
    "parent_header",
    "personal_message_hash",
    "post_state_root",
    "private_key_address",
    "public_key",
    "read_header",
    "read_witness",
    "receipts_root",
    "recover_public_key",
    "requests_hash",
    "selector",
    "sign_hash",
    "structured_message_hash",
    "transaction_from_json",
    "transactions_root",
    "validator_message_hash",
    "withdrawals_root",
]
