"""
The rules that errors name: of encodings, tries, proofs, stores, and of the chain.

Those of encodings and tries make bytes malformed; what breaks one of the chain is
well formed all the same.  All of them can be imported from `hexary.errors`, too.
"""

from __future__ import annotations

from enum import Enum

__all__ = [
    "DecodeReason",
    "InvalidReason",
    "NodeReason",
    "ProofReason",
    "StoreReason",
]


class DecodeReason(Enum):
    """
    Which rule of RLP (Yellow Paper, appendix B) the bytes break.

    The value is the rule in words, as it stands in the message.
    """

    EMPTY_INPUT = "there are no bytes to decode"
    TRUNCATED = "the input ends before the item does"
    OVERRUN = "the item goes beyond the end of the list that holds it"
    TRAILING_BYTES = "bytes are left over after the item"
    NON_CANONICAL_BYTE = (
        "a single byte below 0x80 stands for itself and takes no prefix"
    )
    NON_CANONICAL_LENGTH = "a payload under 56 bytes takes the short form"
    LEADING_ZERO_LENGTH = "the length has a leading zero byte"
    TOO_DEEP = "lists are nested deeper than max_depth"
    TOO_MANY_ITEMS = "there are more items than max_items"
    EXPECTED_STRING = "a byte string is expected here, not a list"
    EXPECTED_LIST = "a list is expected here, not a byte string"
    WRONG_SIZE = "the byte string has the wrong size"
    LEADING_ZERO_INTEGER = "an integer has no leading zero byte"
    INTEGER_TOO_LARGE = "the integer is too large for its field"
    NOT_A_BOOLEAN = "a boolean is 0x80 (false) or 0x01 (true)"
    WRONG_ITEM_COUNT = "the list has the wrong number of items"
    UNKNOWN_TYPE = "the type byte is not one of those that there are"
    INVALID_VALUE = "the value is not one that there is"


class NodeReason(Enum):
    """
    Which rule of the trie (Yellow Paper, appendices C and D) a node's bytes break.

    The value is the rule in words, as it stands in the message.
    """

    NOT_RLP = "a node is canonical RLP"
    NOT_A_LIST = "a node is a list of 2 or 17 items"
    WRONG_ITEM_COUNT = "a node has 2 or 17 items"
    BAD_PATH = "the path is not canonical hex-prefix"
    EMPTY_EXTENSION_PATH = "an extension has a path of at least one nibble"
    EMPTY_VALUE = "a leaf has a value of at least one byte"
    VALUE_IS_LIST = "a value is a byte string"
    BAD_REFERENCE = (
        "a child is empty, a 32-byte hash, or a node embedded in under 32 bytes"
    )
    EXTENSION_CHILD_NOT_BRANCH = "the child of an extension is a branch"
    TOO_FEW_CHILDREN = "a branch has at least two of children and value"
    HALF_A_BYTE = "a key has an even number of nibbles"


class InvalidReason(Enum):
    """
    Which rule of the chain a well-formed object breaks.

    The value is the rule in words, as it stands in the message.
    """

    # Signatures (Yellow Paper, appendix F).
    SIGNATURE_R = "r is from 1 to the order of the curve less 1"
    SIGNATURE_S = "s is from 1 to the order of the curve less 1"
    SIGNATURE_HIGH_S = "s is at most half the order of the curve (EIP-2)"
    SIGNATURE_V = "v is 27 or 28, or with a chain id 35 or 36 plus twice that (EIP-155)"
    SIGNATURE_Y_PARITY = "the parity of y is 0 or 1"
    NO_PUBLIC_KEY = "a signature is one by some public key"
    # Transactions.
    TYPE_NOT_SUPPORTED = "the fork has no transactions of this type"
    WRONG_CHAIN = "a transaction is for this chain"
    NONCE_TOO_HIGH = "a nonce is at most 2^64-2 (EIP-2681)"
    GAS_LIMIT_TOO_LOW = "the gas limit covers the intrinsic gas"
    GAS_LIMIT_BELOW_FLOOR = "the gas limit covers the floor for the data (EIP-7623)"
    GAS_LIMIT_TOO_HIGH = "the gas limit of a transaction is at most 2^24 (EIP-7825)"
    COST_TOO_HIGH = "what a transaction may cost is below 2^256 wei"
    PRIORITY_FEE_TOO_HIGH = "the priority fee is part of the maximal fee (EIP-1559)"
    INIT_CODE_TOO_LARGE = "init code has at most 49,152 bytes (EIP-3860)"
    NO_BLOBS = "a blob transaction has at least one blob (EIP-4844)"
    TOO_MANY_BLOBS = "a transaction has at most as many blobs as the fork allows"
    BLOB_HASH_VERSION = "a versioned hash starts with 1 (EIP-4844)"
    NO_AUTHORIZATIONS = "the list of authorizations is not empty (EIP-7702)"
    SIDECAR_COUNT = "there are as many of each part of a sidecar as its blobs ask for"
    SIDECAR_COMMITMENT = "a versioned hash is that of its commitment (EIP-4844)"
    SIDECAR_VERSION = "a wrapper that says its version is version 1 (EIP-7594)"
    # Blocks.
    TRANSACTIONS_ROOT = "the header has the root of the transactions"
    OMMERS_HASH = "the header has the hash of the ommers"
    WITHDRAWALS_ROOT = "the header has the root of the withdrawals (EIP-4895)"
    RECEIPTS_ROOT = "the header has the root of the receipts"
    LOGS_BLOOM = "a bloom filter is that of the logs"
    REQUESTS_HASH = "the header has the hash of the requests (EIP-7685)"
    REQUEST_TYPE = "a request is of a type that there is (EIP-7685)"
    REQUEST_EMPTY = "a request has data beyond its type (EIP-7685)"
    REQUEST_ORDER = "requests are in strictly ascending order of their types (EIP-7685)"
    BLOCK_HASH = "the block hash is that of the header"
    VERSIONED_HASHES = "the versioned hashes are those of the transactions (EIP-4844)"
    HEADER_FIELDS = "the header has exactly the fields of the fork"
    BLOCK_SIZE = "the RLP of a block has at most 8 MiB (EIP-7934)"
    GAS_USED_TOO_HIGH = "the gas used is at most the gas limit"
    PROOF_OF_WORK = "since Paris difficulty and nonce are 0, without ommers (EIP-3675)"
    EXTRA_DATA_TOO_LONG = "extra data has at most 32 bytes (EIP-3675)"
    BLOB_GAS_USED = "the blob gas used is that of the blobs (EIP-4844)"
    TOO_MANY_BLOCK_BLOBS = "a block has at most as many blobs as the fork allows"
    BODY_FIELDS = "the body has exactly what the header has a root or hash of"
    # Block access lists (EIP-7928).
    ACCESS_LIST_HASH = "the header has the hash of the block access list (EIP-7928)"
    ACCESS_LIST_ORDER = "a block access list is in strictly ascending order (EIP-7928)"
    ACCESS_LIST_READ = "a slot that is written is not among those read (EIP-7928)"
    ACCESS_LIST_EMPTY = "a slot that is listed as written has a change (EIP-7928)"
    ACCESS_LIST_SIZE = "each account and slot of the list takes 2000 of the gas limit"
    ACCESS_LIST_INDEX = "an index is at most one more than there are transactions"


class ProofReason(Enum):
    """
    Which rule a proof breaks, or what it says other than was claimed.

    The value is the rule in words, as it stands in the message.
    """

    MISSING_NODE = "a node that the proof needs is not in it"
    WRONG_HASH = "the node's hash is not the one it was given for"
    BAD_NODE = "the bytes with this hash are not a canonical node"
    SHORT_NODE = "a node under 32 bytes is embedded, not referred to by its hash"
    WRONG_PATH_LENGTH = "no key of the trie has a path of this length"
    EXTENSION_CHILD_NOT_BRANCH = "the child of an extension is a branch"
    SURPLUS_NODE = "a node of the proof is not on the way to what it proves"
    DUPLICATE_NODE = "a node is in the proof twice"
    ABSENT = "the key is absent"
    PRESENT = "the key is there"
    WRONG_VALUE = "the key has another value"
    WRONG_ROOT = "the entries do not have this root"
    WRONG_ENTRIES = "the entries below this path are not those of the trie"
    LEFT_OUT = "the trie has a key in the range that is not among the keys"
    UNORDERED_KEYS = "keys rise strictly"
    KEY_OUTSIDE = "a key is outside the range"
    EMPTY_VALUE = "a value has one byte or more"
    WRONG_COUNT = "there are as many values as keys"
    BAD_ACCOUNT = "the value is not a canonical account"
    BAD_SLOT = "the value is not the canonical encoding of a number from 1 to 2^256 - 1"
    WRONG_FIELD = "a field is not what the proof proves"
    WRONG_HEADER = "the header is not the one of this hash"


class StoreReason(Enum):
    """
    Why a store did not do what it was asked.

    The value is the reason in words, as it stands in the message.
    """

    CORRUPT = "the stored bytes are not those that were written"
    WRONG_HASH = "the hash of the bytes is not the key they were given for"
    NOT_A_STORE = "the file is not a store of this kind"
    CLOSED = "the store is closed"
    READ_ONLY = "the store is read-only"
    FULL = "there is no space left"
    BUSY = "another writer holds the store"
    UNKNOWN_ROOT = "the node that a root should lead to is not in the store"
    BASE_COLLECTED = "the root that the changes start from is no longer in the store"
    NO_STORE = "it was made without a store"
    NO_PREIMAGE = "the key that was hashed is not known"
    OTHER_PROCESS = "the store was opened by another process; each opens its own"
    BAD_ANSWER = "the store does not answer as a NodeStore does"
    FAILED = "the storage engine failed"
