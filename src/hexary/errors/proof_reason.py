"""`ProofReason`: why a proof does not hold."""

from __future__ import annotations

from enum import Enum

__all__ = ["ProofReason"]


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
    BAD_SLOT = "the value is not the canonical encoding of a number below 2^256"
    WRONG_FIELD = "a field is not what the proof proves"
    WRONG_HEADER = "the header is not the one of this hash"
