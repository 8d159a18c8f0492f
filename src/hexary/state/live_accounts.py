"""
`LiveAccounts`: accounts as they are now, over tries that may lag behind.

What was read or changed is kept per account; `LiveAccounts.settle` brings what changed
into the tries.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from hexary import hash as hashing
from hexary import rlp
from hexary.errors import MissingNodeError
from hexary.state.account import EMPTY_CODE_HASH, TrieAccount
from hexary.trie import EMPTY_ROOT, HashNode
from hexary.trie.core import Core, hash_cores
from hexary.typed import Address, Bytes, Hash

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hexary.trie.core import PureCore
    from hexary.trie.preimages import Preimages

__all__ = ["LiveAccount", "LiveAccounts"]

_MOST_READ = 1 << 17
"""Accounts and slots that are remembered after they were read."""


class LiveAccount:
    """
    An account as it is now, changed or not.

    Args:
        key: keccak-256 of its address.
        account: what the state trie holds of it, ``None`` for nothing.

    Attributes:
        key: keccak-256 of its address.
        exists: whether there is such an account.
        nonce: its nonce.
        balance: its balance.
        code_hash: keccak-256 of its code.
        storage: its storage's trie, which lacks what is dirty, ``None`` if there is
            none; it may be shared and is never changed.
        slots: slots, of 32 bytes, that were read or written, with what they hold now.
        dirty: those of them that the trie does not know yet.

    Example:
        >>> LiveAccount(bytes(32), TrieAccount(nonce=1)).is_empty
        False
    """

    __slots__ = (
        "balance",
        "code_hash",
        "dirty",
        "exists",
        "key",
        "nonce",
        "slots",
        "storage",
    )

    def __init__(self, key: bytes, account: TrieAccount | None) -> None:
        self.key = key
        self.exists = account is not None
        self.nonce = account.nonce if account else 0
        self.balance = account.balance if account else 0
        self.code_hash: bytes = account.code_hash if account else EMPTY_CODE_HASH
        self.storage: PureCore | None = None
        self.slots: dict[bytes, int] = {}
        self.dirty: set[bytes] = set()

    @property
    def storage_root(self) -> Hash:
        """Root of its storage's trie."""
        return EMPTY_ROOT if self.storage is None else self.storage.root_hash()

    def stored(self) -> TrieAccount:
        """Return what the state trie holds of it, or should."""
        return TrieAccount(
            self.nonce, self.balance, self.storage_root, Hash(self.code_hash)
        )

    @property
    def is_empty(self) -> bool:
        """Whether nonce, balance and code are zero or empty, as EIP-161 has it."""
        return not (self.nonce or self.balance or self.code_hash != EMPTY_CODE_HASH)


class LiveAccounts:
    """
    Accounts by address, with the tries that they come from and go to.

    Args:
        core: the state trie's core.
        blobs: codes, addresses and slot numbers by their hashes.

    Example:
        >>> from hexary.trie.preimages import Preimages
        >>> live = LiveAccounts(Core(), Preimages())
        >>> live.find(Address(bytes(20))).exists
        False
    """

    __slots__ = (
        "blobs",
        "changed",
        "core",
        "found",
        "reads",
        "storages",
        "touched",
    )

    def __init__(self, core: PureCore, blobs: Preimages) -> None:
        self.core = core
        self.blobs = blobs
        self.storages: dict[bytes, PureCore] = {}
        """Hashed address → storage trie that is not committed; it is never changed."""
        self.found: dict[Address, LiveAccount] = {}
        # Not sets, whose order would become that of a recorded witness.
        self.changed: dict[Address, None] = {}
        """Addresses that the state trie does not know as they are."""
        self.touched: dict[Address, None] = {}
        """Addresses that were changed, or seen to, since the last root."""
        self.reads = 0

    def copy(self) -> LiveAccounts:
        """Return an independent copy; nothing may have changed since `settle`."""
        other = LiveAccounts(self.core.copy(), self.blobs.copy())
        other.storages = dict(self.storages)
        return other

    def find(self, address: Address) -> LiveAccount:
        """Return an account as it is now; look it up if it is not known yet."""
        account = self.found.get(address)
        if account is None:
            self.reads += 1
            key = hashing.keccak256(address)
            value = self.core.get(key)
            stored = None if value is None else TrieAccount.from_rlp(value)
            account = LiveAccount(key, stored)
            if stored is not None:
                storage = self.storage_core(key, stored)
                account.storage = None if storage.is_empty else storage
            self.found[address] = account
        return account

    def forget_reads(self) -> None:
        """Forget what did not change, if it is much: the tries have it."""
        if self.reads > _MOST_READ:
            self.reads = 0
            self.found = {
                address: account
                for address, account in self.found.items()
                if address in self.changed
            }

    def storage_core(self, key: bytes, account: TrieAccount) -> PureCore:
        """
        Return the storage trie of an account that is in the state trie.

        Args:
            key: the hashed address.
            account: what the state trie holds there.
        """
        known = self.storages.get(key)
        if known is not None:
            return known
        empty = account.storage_root == EMPTY_ROOT
        top = None if empty else HashNode(account.storage_root)
        return Core(top, self.core.source)

    def slot(self, address: Address, word: bytes) -> int:
        """Return what a slot, of 32 bytes, holds."""
        account = self.find(address)
        value = account.slots.get(word)
        if value is None:
            self.reads += 1
            value = 0
            if account.storage is not None:
                with _located(address):
                    found = account.storage.get(hashing.keccak256(word))
                if found is not None:
                    value = rlp.decode_uint(found)
            account.slots[word] = value
        return value

    def put_slot(self, address: Address, word: bytes, value: int) -> None:
        """Let a slot, of 32 bytes, hold something else."""
        account = self.find(address)
        account.slots[word] = value
        account.dirty.add(word)
        self.changed[address] = None

    def put_field(self, address: Address, field: str, value: object) -> None:
        """Let a field of an account be something else."""
        setattr(self.find(address), field, value)
        self.changed[address] = None

    def put_account(self, address: Address, account: LiveAccount) -> None:
        """Put another account in place of the one at *address*."""
        self.found[address] = account
        self.changed[address] = None

    def remember_code(self, code: bytes) -> bytes:
        """Return the hash of a code, by which it will be found."""
        if not code:
            return EMPTY_CODE_HASH
        digest = hashing.keccak256(code)
        self.blobs.remember(digest, bytes(code))
        return digest

    def code(self, address: Address, code_hash: bytes) -> Bytes:
        """Return the code with this hash, which *address* has."""
        if code_hash == EMPTY_CODE_HASH:
            return Bytes()
        code = self.blobs.find(code_hash)
        if code is None:
            raise MissingNodeError(code_hash, detail=f"the code of {address}")
        return Bytes(code)

    def settle(self) -> None:
        """Bring all that changed into the tries."""
        accounts = [(address, self.find(address)) for address in self.changed]
        for address, account in accounts:
            self.settle_storage(address, account)
        # The storages of all accounts together, a level at a time.
        hash_cores([each.storage for _, each in accounts if each.storage is not None])
        # A delete may collapse a branch, and for that read a node, which a later write
        # would have kept as it is: so deletes come last.
        accounts.sort(key=lambda each: not each[1].exists)
        for address, account in accounts:
            if not account.exists:
                self.core.delete(account.key)
                self.storages.pop(account.key, None)
                continue
            self.core.set(account.key, account.stored().rlp())
            self.blobs.remember(account.key, bytes(address))
            if account.storage is None or account.storage.is_settled:
                self.storages.pop(account.key, None)
            else:
                self.storages[account.key] = account.storage
        self.changed.clear()

    def settle_storage(self, address: Address, account: LiveAccount) -> None:
        """Bring the slots that changed into the account's storage trie."""
        if not account.dirty:
            return
        # Those that are deleted last: see `settle`.
        words = sorted(account.dirty, key=lambda word: (not account.slots[word], word))
        keys = hashing.keccak256_many(words)
        before = account.storage
        core = Core(None, self.core.source) if before is None else before.copy()
        with _located(address):
            for word, key in zip(words, keys, strict=True):
                value = account.slots[word]
                if value:
                    core.set(key, rlp.encode(value))
                    self.blobs.remember(key, word)
                else:
                    core.delete(key)
        account.storage = None if core.is_empty else core
        account.dirty.clear()


@contextmanager
def _located(address: Address) -> Iterator[None]:
    """Say of a missing node in whose storage it is missing."""
    try:
        yield
    except MissingNodeError as error:
        raise MissingNodeError(
            error.node_hash, error.path, detail=f"in the storage of {address}"
        ) from error
