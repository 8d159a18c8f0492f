"""
Ranges of accounts and slots, as the snap protocol moves them from node to node.

A response to ``GetAccountRange`` has hashed addresses with *slim* accounts, in which
the roots and hashes of nothing are empty; one to ``GetStorageRanges`` has hashed slots
with their values.  Both come with the proof of their edges, or without one if they are
the whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hexary import rlp
from hexary.errors import DecodeError, ProofError, ProofReason
from hexary.state.account import EMPTY_CODE_HASH, TrieAccount
from hexary.state.storage import proven_slot
from hexary.trie import EMPTY_ROOT, verify_range
from hexary.trie.input import pairs_of
from hexary.typed import Hash
from hexary.typed.buffer import exact_bytes
from hexary.typed.hexstr import encode_hex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hexary.trie.proof_nodes import NodesInput

__all__ = [
    "AccountRange",
    "StorageRange",
    "slim_account",
    "verify_account_range",
    "verify_storage_range",
]

_KEY_SIZE = 32


class AccountRange(NamedTuple):
    """
    Accounts that are proven to be all in a range.

    Attributes:
        accounts: hashed address → account, in order.
        has_more: whether there are accounts after them.
    """

    accounts: dict[Hash, TrieAccount]
    has_more: bool


class StorageRange(NamedTuple):
    """
    Slots that are proven to be all in a range.

    Attributes:
        slots: hashed slot → value, in order.
        has_more: whether there are slots after them.
    """

    slots: dict[Hash, int]
    has_more: bool


@rlp.record(title="account")
class _SlimAccount(rlp.Record):
    """An account as snap sends it: ``None`` for the root or hash of nothing."""

    nonce: rlp.U64
    balance: rlp.U256
    storage_root: Hash | None
    code_hash: Hash | None

    def __post_init__(self) -> None:
        if self.storage_root == EMPTY_ROOT or self.code_hash == EMPTY_CODE_HASH:
            raise ValueError("it is not slim")


def slim_account(account: TrieAccount) -> bytes:
    """
    Return the encoding of an account as snap sends it.

    Args:
        account: the account.

    Example:
        >>> slim_account(TrieAccount(nonce=7)).hex()
        'c407808080'
    """
    root, code_hash = account.storage_root, account.code_hash
    return _SlimAccount(
        account.nonce,
        account.balance,
        None if root == EMPTY_ROOT else root,
        None if code_hash == EMPTY_CODE_HASH else code_hash,
    ).rlp()


def verify_account_range(
    state_root: bytes,
    origin: bytes,
    accounts: Sequence[tuple[bytes, bytes]],
    nodes: NodesInput | None,
) -> AccountRange:
    """
    Return the accounts of a response, proven to be all from *origin* to the last.

    Args:
        state_root: the state root that is trusted.
        origin: the hash that the request began at.
        accounts: hashed addresses and slim accounts, in order.
        nodes: the proof; ``None`` if the accounts are the whole state.

    Raises:
        ProofError: if they are not, or one is no account.

    Example:
        >>> verify_account_range(EMPTY_ROOT, bytes(32), [], None)
        AccountRange(accounts={}, has_more=False)
    """
    keys, read = [], []
    for digest, slim in pairs_of(accounts):
        keys.append(exact_bytes(digest, "a hashed address"))
        try:
            read.append(_read_slim(slim))
        except DecodeError as error:
            raise ProofError(
                ProofReason.BAD_ACCOUNT,
                got=slim,
                where=f"account {encode_hex(keys[-1])}",
            ) from error
    result = verify_range(
        state_root,
        origin,
        keys,
        [account.rlp() for account in read],
        nodes,
        key_size=_KEY_SIZE,
    )
    accounts_by_hash = dict(zip(map(Hash, keys), read, strict=True))
    return AccountRange(accounts_by_hash, result.has_more)


def verify_storage_range(
    storage_root: bytes,
    origin: bytes,
    slots: Sequence[tuple[bytes, bytes]],
    nodes: NodesInput | None,
) -> StorageRange:
    """
    Return the slots of a response, proven to be all from *origin* to the last.

    Args:
        storage_root: root of the account's storage, which is trusted.
        origin: the hash that the request began at.
        slots: hashed slots and values as the trie holds them, in order.
        nodes: the proof; ``None`` if the slots are the whole storage.

    Raises:
        ProofError: if they are not, or one holds no number, or zero.

    Example:
        >>> verify_storage_range(EMPTY_ROOT, bytes(32), [], None)
        StorageRange(slots={}, has_more=False)
    """
    keys, values = [], []
    for digest, value in pairs_of(slots):
        keys.append(exact_bytes(digest, "a hashed slot"))
        values.append(exact_bytes(value, "a value"))
    result = verify_range(storage_root, origin, keys, values, nodes, key_size=_KEY_SIZE)
    read = {
        Hash(digest): proven_slot(value, where=f"slot {encode_hex(digest)}")
        for digest, value in zip(keys, values, strict=True)
    }
    return StorageRange(read, result.has_more)


def _read_slim(data: bytes) -> TrieAccount:
    """Return the account of a slim encoding."""
    slim = _SlimAccount.from_rlp(data)
    root = EMPTY_ROOT if slim.storage_root is None else slim.storage_root
    code_hash = EMPTY_CODE_HASH if slim.code_hash is None else slim.code_hash
    return TrieAccount(slim.nonce, slim.balance, root, code_hash)
