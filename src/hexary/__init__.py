"""
Ethereum Merkle-Patricia tries, RLP and typed bytes, over one keccak dispatch.

Importing `hexary` chooses the keccak backend (see `hexary.hash`) and loads hashing,
typed values, RLP and tries.  States, chain objects and the fixture verifier load when
one of their names is first used.

Example:
    >>> from hexary import Bytes, Trie, rlp
    >>> Bytes("0xdead").keccak256()
    Hash('0x3905d344717efd562447a4960eea941c1244adc31f53525d0ec1397ff6951c9c')
    >>> rlp.encode([b"cat", 1]).hex()
    'c58363617401'
    >>> Trie({b"do": b"verb"}).root_hash
    Hash('0x014f07ed95e2e028804d915e0dbd4ed451e394e1acfd29e463c11a060b2ddef7')
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from hexary.errors import BackendUnavailableError

try:
    from hexary import hash as _hash  # noqa: F401 - first: it refuses to load or not
except BackendUnavailableError as error:
    # `python -m hexary` imports the package itself, where no command could catch this.
    # While runpy looks for the module to run, the program's name is "-m".
    looking = sys.argv[:1] == ["-m"] and "runpy" in sys.modules
    asked = zip(sys.orig_argv, sys.orig_argv[1:], strict=False)
    if looking and ("-m", "hexary") in asked:
        if sys.stderr is not None:
            sys.stderr.write(f"hexary: error: {error}\n")
        raise SystemExit(2) from None
    raise

from hexary import rlp
from hexary.errors import (
    DecodeError,
    DecodeReason,
    EncodeError,
    ExecutionNeededError,
    FixtureError,
    ForkError,
    HexaryError,
    HexError,
    InputTypeError,
    InvalidError,
    InvalidReason,
    MissingExtraError,
    MissingNodeError,
    NodeError,
    NodeReason,
    ProofError,
    ProofReason,
    RangeError,
    SizeError,
    StoreError,
    StoreReason,
)
from hexary.hash import (
    BACKEND,
    Backend,
    Keccak256,
    Keccak512,
    backend_info,
    keccak256,
    keccak256_many,
    keccak512,
    probe_backends,
    recording,
)
from hexary.trie import (
    EMPTY_ROOT,
    Absence,
    AbsenceKind,
    MemoryStore,
    Nibbles,
    NodeStore,
    RangeProof,
    RangeResult,
    SecureTrie,
    Trie,
    TrieBuilder,
    collect_garbage,
    first_divergence,
    minimal_witness,
    ordered_pairs,
    ordered_trie_root,
    partial_trie,
    secure_trie_root,
    sorted_trie_root,
    trie_differences,
    trie_root,
    verify_exclusion,
    verify_inclusion,
    verify_many,
    verify_proof,
    verify_range,
)
from hexary.typed import (
    Address,
    Bloom,
    BLSPublicKey,
    BLSSignature,
    Bytes,
    BytesConcatenation,
    BytesConvertible,
    CoerceBytes,
    FixedSizeBytes,
    FixedSizeBytesConvertible,
    FixedSizeHexNumber,
    ForkHash,
    Hash,
    HashInt,
    HeaderNonce,
    HexNumber,
    Number,
    NumberBoundTypeVar,
    NumberConvertible,
    StorageKey,
    Wei,
    ZeroPaddedHexNumber,
    to_bytes,
    to_fixed_size_bytes,
    to_hex,
    to_json,
    to_number,
)

if TYPE_CHECKING:
    from hexary.chain import (
        AccessListEntry,
        AccessListTransaction,
        Authorization,
        BlobTransaction,
        Block,
        BlockAccessList,
        ExecutionPayload,
        FeeMarketTransaction,
        Genesis,
        Header,
        LegacyTransaction,
        Log,
        NewPayload,
        Receipt,
        SetCodeTransaction,
        Signature,
        Transaction,
        TypedData,
        Withdrawal,
        check_block,
        check_transaction,
        decode_transaction,
        event_topic,
        fork_named,
        logs_bloom,
        ommers_hash,
        personal_message_hash,
        private_key_address,
        receipts_root,
        requests_hash,
        selector,
        transaction_from_json,
        transactions_root,
        withdrawals_root,
    )
    from hexary.fixtures import verify
    from hexary.state import (
        EMPTY_CODE_HASH,
        Account,
        AccountProof,
        Alloc,
        State,
        TrieAccount,
        Witness,
        apply_access_list,
        create2_address,
        create_address,
        state_differences,
        state_root,
        storage_root,
    )
    from hexary.trie import LMDBStore, SQLiteStore

__version__ = "0.1.0"

__all__ = [
    "BACKEND",
    "EMPTY_CODE_HASH",
    "EMPTY_ROOT",
    "Absence",
    "AbsenceKind",
    "AccessListEntry",
    "AccessListTransaction",
    "Account",
    "AccountProof",
    "Address",
    "Alloc",
    "Authorization",
    "BLSPublicKey",
    "BLSSignature",
    "Backend",
    "BackendUnavailableError",
    "BlobTransaction",
    "Block",
    "BlockAccessList",
    "Bloom",
    "Bytes",
    "BytesConcatenation",
    "BytesConvertible",
    "CoerceBytes",
    "DecodeError",
    "DecodeReason",
    "EncodeError",
    "ExecutionNeededError",
    "ExecutionPayload",
    "FeeMarketTransaction",
    "FixedSizeBytes",
    "FixedSizeBytesConvertible",
    "FixedSizeHexNumber",
    "FixtureError",
    "ForkError",
    "ForkHash",
    "Genesis",
    "Hash",
    "HashInt",
    "Header",
    "HeaderNonce",
    "HexError",
    "HexNumber",
    "HexaryError",
    "InputTypeError",
    "InvalidError",
    "InvalidReason",
    "Keccak256",
    "Keccak512",
    "LMDBStore",
    "LegacyTransaction",
    "Log",
    "MemoryStore",
    "MissingExtraError",
    "MissingNodeError",
    "NewPayload",
    "Nibbles",
    "NodeError",
    "NodeReason",
    "NodeStore",
    "Number",
    "NumberBoundTypeVar",
    "NumberConvertible",
    "ProofError",
    "ProofReason",
    "RangeError",
    "RangeProof",
    "RangeResult",
    "Receipt",
    "SQLiteStore",
    "SecureTrie",
    "SetCodeTransaction",
    "Signature",
    "SizeError",
    "State",
    "StorageKey",
    "StoreError",
    "StoreReason",
    "Transaction",
    "Trie",
    "TrieAccount",
    "TrieBuilder",
    "TypedData",
    "Wei",
    "Withdrawal",
    "Witness",
    "ZeroPaddedHexNumber",
    "apply_access_list",
    "backend_info",
    "check_block",
    "check_transaction",
    "collect_garbage",
    "create2_address",
    "create_address",
    "decode_transaction",
    "event_topic",
    "first_divergence",
    "fork_named",
    "keccak256",
    "keccak256_many",
    "keccak512",
    "logs_bloom",
    "minimal_witness",
    "ommers_hash",
    "ordered_pairs",
    "ordered_trie_root",
    "partial_trie",
    "personal_message_hash",
    "private_key_address",
    "probe_backends",
    "receipts_root",
    "recording",
    "requests_hash",
    "rlp",
    "secure_trie_root",
    "selector",
    "sorted_trie_root",
    "state_differences",
    "state_root",
    "storage_root",
    "to_bytes",
    "to_fixed_size_bytes",
    "to_hex",
    "to_json",
    "to_number",
    "transaction_from_json",
    "transactions_root",
    "trie_differences",
    "trie_root",
    "verify",
    "verify_exclusion",
    "verify_inclusion",
    "verify_many",
    "verify_proof",
    "verify_range",
    "withdrawals_root",
]

_LATE = {
    "EMPTY_CODE_HASH": "state",
    "AccessListEntry": "chain",
    "AccessListTransaction": "chain",
    "Account": "state",
    "AccountProof": "state",
    "Alloc": "state",
    "Authorization": "chain",
    "BlobTransaction": "chain",
    "Block": "chain",
    "BlockAccessList": "chain",
    "ExecutionPayload": "chain",
    "FeeMarketTransaction": "chain",
    "Genesis": "chain",
    "Header": "chain",
    "LMDBStore": "trie",
    "SQLiteStore": "trie",
    "State": "state",
    "TrieAccount": "state",
    "Witness": "state",
    "apply_access_list": "state",
    "create2_address": "state",
    "create_address": "state",
    "state_differences": "state",
    "LegacyTransaction": "chain",
    "Log": "chain",
    "NewPayload": "chain",
    "Receipt": "chain",
    "SetCodeTransaction": "chain",
    "Signature": "chain",
    "Transaction": "chain",
    "TypedData": "chain",
    "Withdrawal": "chain",
    "check_block": "chain",
    "check_transaction": "chain",
    "decode_transaction": "chain",
    "event_topic": "chain",
    "fork_named": "chain",
    "logs_bloom": "chain",
    "ommers_hash": "chain",
    "personal_message_hash": "chain",
    "private_key_address": "chain",
    "receipts_root": "chain",
    "requests_hash": "chain",
    "selector": "chain",
    "state_root": "state",
    "storage_root": "state",
    "transaction_from_json": "chain",
    "transactions_root": "chain",
    "verify": "fixtures",
    "withdrawals_root": "chain",
}
"""Names that load on first use → the layer that has them."""


def __getattr__(name: str) -> object:
    """Load the layer that *name* lives in."""
    layer = _LATE.get(name)
    if layer is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"{__name__}.{layer}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the names that are not loaded yet, too."""
    return sorted({*globals(), *__all__})
