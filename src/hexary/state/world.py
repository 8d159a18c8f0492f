"""
`State`: accounts, code and storage that change, and the root of what they are.

The state trie holds an account at the keccak-256 of its address, and each account has a
storage trie of its own, whose root is part of the account (Yellow Paper, section 4.1).
What has changed is kept apart, per account, until a root is asked for; then only what
changed goes into the tries, and only their dirty paths are hashed.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, overload

from hexary import rlp
from hexary.errors import (
    RangeError,
    StoreError,
    StoreReason,
)
from hexary.integer import exact_int
from hexary.state.account import Account, TrieAccount
from hexary.state.alloc import Alloc
from hexary.state.journal import Journal
from hexary.state.live_accounts import LiveAccount, LiveAccounts
from hexary.state.provable import ProvableState
from hexary.state.word import Word, read_word
from hexary.trie import NodeCache, NodeStore, Trie
from hexary.trie.node_cache import is_store, no_store
from hexary.trie.preimages import Preimages
from hexary.typed import Address, Bytes, Hash

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Self

    from hexary.trie.core import PureCore


__all__ = ["State"]


class State(ProvableState):
    """
    A world state: accounts by address, each with nonce, balance, code and storage.

    An absent account has nonce and balance 0 and no code or storage; setting any of
    them makes it.  Setters return the state, so that they can be chained.

    On a store, ``State(store, root)`` is the state that was committed with that root;
    it reads what it is asked for.  Changes are in memory until `commit`.

    A state is for one thread at a time; copies are independent of each other.

    Args:
        alloc: the accounts to begin with: an `Alloc`, or what one can be made of.
        store: where to commit to and to read from, ``None`` for memory alone.
        root: the root to begin with, ``None`` for the state without accounts.
        delete_empty: whether accounts that are changed or touched and then are empty
            are removed (EIP-161), those of *alloc* too.  It is an attribute as well.

    Raises:
        MissingNodeError: if the root is not in the store.
        InputTypeError, HexError, SizeError, FixtureError: as `Alloc` does.

    Example:
        >>> address = "0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b"
        >>> state = State().set_balance(address, 10).set_nonce(address, 1)
        >>> state.set_code(address, "0x00").set_storage(address, 0, 1).root()
        Hash('0x4f3c6a1b2f762a266d26706976f24c3779bb45725c7fc30581e9f5c7697d526e')
        >>> checkpoint = state.checkpoint()
        >>> state.set_storage(address, 0, 0).get_storage(address, 0)
        0
        >>> state.revert(checkpoint).get_storage(address, 0)
        1
    """

    @overload
    def __init__(
        self,
        alloc: Mapping[Any, Account] | None = None,
        /,
        *,
        store: NodeStore | NodeCache | None = None,
        root: bytes | None = None,
        delete_empty: bool = False,
    ) -> None: ...
    @overload
    def __init__(
        self,
        store: NodeStore | NodeCache,
        root: bytes | None = None,
        /,
        *,
        delete_empty: bool = False,
    ) -> None: ...
    def __init__(
        self,
        first: Mapping[Any, Account] | NodeStore | NodeCache | None = None,
        second: bytes | None = None,
        /,
        *,
        store: NodeStore | NodeCache | None = None,
        root: bytes | None = None,
        delete_empty: bool = False,
    ) -> None:
        alloc: Any = first
        if is_store(first):
            alloc, store, root = None, first, second
        elif second is not None:
            raise no_store(first, "the first of two arguments")
        trie = Trie(store=store, root=root)
        self.delete_empty = delete_empty
        self._nodes = trie._nodes
        self._base = trie._base
        self._live = LiveAccounts(trie._core, Preimages(trie.store))
        self._journal = Journal()
        self._transactions = 0
        if alloc is not None:
            for address, account in Alloc(alloc).items():
                self.create_account(address, account)

    # Accounts

    def __contains__(self, address: bytes | str) -> bool:
        """Whether there is an account at *address*, empty or not."""
        return self._find(address)[1].exists

    def account(self, address: bytes | str) -> TrieAccount | None:
        """Return what the state trie holds of an account, ``None`` if it is absent."""
        address, account = self._find(address)
        if not account.exists:
            return None
        self._live.settle_storage(address, account)
        return TrieAccount(
            account.nonce,
            account.balance,
            account.storage_root,
            Hash(account.code_hash),
        )

    def get_balance(self, address: bytes | str) -> int:
        """Return the balance in wei, 0 if there is no such account."""
        return self._find(address)[1].balance

    def set_balance(self, address: bytes | str, balance: int) -> Self:
        """Set the balance in wei, below 2^256."""
        return self._set(address, "balance", _number(balance, "balance", 256))

    def get_nonce(self, address: bytes | str) -> int:
        """Return the nonce, 0 if there is no such account."""
        return self._find(address)[1].nonce

    def set_nonce(self, address: bytes | str, nonce: int) -> Self:
        """Set the nonce, below 2^64 (EIP-2681)."""
        return self._set(address, "nonce", _number(nonce, "nonce", 64))

    def get_code_hash(self, address: bytes | str) -> Hash:
        """Return the code's keccak-256, also where there is no code or no account."""
        return Hash(self._find(address)[1].code_hash)

    def get_code(self, address: bytes | str) -> Bytes:
        """
        Return the code, empty if there is none.

        Raises:
            MissingNodeError: if the account has code and the store does not.
        """
        address, account = self._find(address)
        return self._live.code(address, account.code_hash)

    def set_code(self, address: bytes | str, code: bytes | str) -> Self:
        """Set the code: bytes, or 0x-hex text."""
        return self._set(address, "code_hash", self._live.remember_code(Bytes(code)))

    def get_storage(self, address: bytes | str, slot: Word) -> int:
        """Return what a slot holds, 0 if it was never set."""
        address, _ = self._find(address)
        return self._live.slot(address, read_word(slot, "slot").to_bytes(32, "big"))

    def set_storage(self, address: bytes | str, slot: Word, value: Word) -> Self:
        """Set a slot; zero deletes it, and does not make an account."""
        word = read_word(slot, "slot").to_bytes(32, "big")
        held = read_word(value, "storage value")
        address, account = self._find(address)
        if not account.exists:
            if not held:
                return self
            self._put(address, "exists", value=True)
        if self._journal.is_open:
            before = self._live.slot(address, word)
            self._journal.note(self._live.put_slot, address, word, before)
        self._live.put_slot(address, word, held)
        self._touch(address)
        return self

    def create_account(
        self, address: bytes | str, account: Account | None = None
    ) -> Self:
        """
        Put an account in place of whatever was at *address*, storage included.

        Args:
            address: where.
            account: what it is to have, ``None`` for nothing.
        """
        account = Account() if account is None else account
        address, old = self._find(address)
        new = LiveAccount(old.key, None)
        new.exists = True
        new.nonce, new.balance = int(account.nonce), int(account.balance)
        new.code_hash = self._live.remember_code(account.code)
        new.slots = account.storage.by_word()
        new.dirty = set(new.slots)
        self._replace(address, new)
        return self

    def destroy_account(self, address: bytes | str) -> Self:
        """Remove an account with its storage; nothing happens if there is none."""
        address, old = self._find(address)
        if old.exists:
            self._replace(address, LiveAccount(old.key, None))
        return self

    def touch(self, address: bytes | str) -> Self:
        """Have an account removed if it is empty and ``delete_empty`` is set."""
        self._touch(Address(address))
        return self

    # Going back

    def checkpoint(self) -> int:
        """Open a checkpoint inside those that are open, for `revert` or `accept`."""
        return self._journal.open()

    def revert(self, checkpoint: int) -> Self:
        """
        Undo all since *checkpoint*, which ends with those inside it.

        Raises:
            RangeError: if it is not open; `commit` ends all of them.
        """
        self._journal.undo(checkpoint)
        return self

    def accept(self, checkpoint: int) -> Self:
        """
        Keep all since *checkpoint*, which ends with those inside it.

        Raises:
            RangeError: if it is not open.
        """
        self._journal.accept(checkpoint)
        return self

    @contextmanager
    def transaction(self) -> Iterator[Self]:
        """
        Undo all changes made inside a ``with`` block if it ends with an error.

        Nothing can be committed inside: that is a `StoreError`.
        """
        checkpoint = self.checkpoint()
        self._transactions += 1
        try:
            yield self
        except BaseException:
            self.revert(checkpoint)
            raise
        finally:
            self._transactions -= 1
        self.accept(checkpoint)

    def copy(self) -> Self:
        """
        Return an independent state with the same content, without open checkpoints.

        It takes as long as the root does, and a little for each account whose storage
        is not committed.
        """
        self.root()
        other = type(self).__new__(type(self))
        other.delete_empty = self.delete_empty
        other._nodes = self._nodes
        other._base = self._base
        other._live = self._live.copy()
        other._journal = Journal()
        other._transactions = 0
        return other

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()  # on the same store, as a trie is

    # The whole

    @property
    def store(self) -> NodeStore | None:
        """The store that the state is on, ``None`` if it is in memory alone."""
        return None if self._nodes is None else self._nodes.store

    def root(self) -> Hash:
        """
        Return the state root; only what changed since the last time is hashed.

        Example:
            >>> State().root() == EMPTY_ROOT
            True
        """
        touched = self._live.touched
        if self.delete_empty:
            for address in tuple(touched):
                if self._live.find(address).is_empty:
                    self.destroy_account(address)
        if touched:
            self._journal.note(touched.update, dict(touched))
            touched.clear()
        self._live.settle()
        return self._live.core.root_hash()

    def commit(self, name: str | None = None) -> Hash:
        """
        Write what is new since the last commit to the store, in one transaction.

        Codes, addresses and slot numbers go in with the nodes; all checkpoints end.

        Args:
            name: the name that is to lead to the new root, ``None`` for none.

        Returns:
            The root, for ``State(store, root)``.

        Raises:
            StoreError: if there is no store, or it could not write; the changes are
                still in the state then.

        Example:
            >>> from hexary import MemoryStore
            >>> store = MemoryStore()
            >>> root = State({bytes(20): Account(balance=1)}, store=store).commit()
            >>> State(store, root).get_balance(bytes(20))
            1
        """
        if self._nodes is None:
            detail = "pass store= when it is made; root() needs none"
            raise StoreError(StoreReason.NO_STORE, detail=detail)
        if self._transactions:
            detail = "inside a transaction of the state"
            raise StoreError(StoreReason.BUSY, detail=detail)
        root = self.root()
        core, known = self._live.core, self._live.blobs
        blobs = dict(known.unsaved())
        for storage in self._live.storages.values():
            blobs.update(storage.new_nodes())
        blobs.update(core.new_nodes())
        self._nodes.store.write(
            blobs, roots={} if name is None else {name: root}, base=self._base
        )
        known.forget()
        core.settle()
        self._live = LiveAccounts(core, known)
        self._journal.clear()
        self._base = root
        return root

    def accounts(self) -> Iterator[tuple[Hash, Address | None, TrieAccount]]:
        """
        Iterate over all accounts as they are now, in the order of the state trie.

        Yields:
            The keccak-256 of the address, the address (``None`` if it is not known),
            and what the trie holds of the account.
        """
        self.root()
        return _accounts(self._live.core.copy(), self._live.blobs)

    def alloc(self) -> Alloc:
        """
        Return all accounts as an `Alloc`.

        Raises:
            StoreError: if an address or a slot is known only by its hash.
            MissingNodeError: if a node or a code is not in the store.

        Example:
            >>> alloc = Alloc({bytes(20): Account(balance=1, storage={5: 6})})
            >>> State(alloc).alloc() == alloc
            True
        """
        found: dict[Address, Account] = {}
        for key, address, account in self.accounts():
            if address is None:
                raise StoreError(StoreReason.NO_PREIMAGE, node_hash=key)
            slots = {}
            for hashed, value in self._live.storage_core(key, account).items():
                slot = self._live.blobs.find(hashed)
                if slot is None:
                    raise StoreError(
                        StoreReason.NO_PREIMAGE,
                        node_hash=hashed,
                        detail=f"a slot of {address}",
                    )
                slots[slot] = rlp.decode_uint(value)
            found[address] = Account(
                account.nonce,
                account.balance,
                self._live.code(address, account.code_hash),
                slots,
            )
        return Alloc(found)

    def __repr__(self) -> str:
        changed = len(self._live.changed)
        return f"<State with {changed} accounts changed since the last root>"

    # Inside

    def _find(self, address: bytes | str) -> tuple[Address, LiveAccount]:
        """Return an account's address and what it is now."""
        if not self._journal.is_open:
            self._live.forget_reads()
        address = Address(address)
        return address, self._live.find(address)

    def _set(self, address: bytes | str, field: str, value: object) -> Self:
        """Set one field of an account, which exists from now on."""
        address, account = self._find(address)
        if not account.exists:
            self._put(address, "exists", value=True)
        self._put(address, field, value=value)
        return self

    def _put(self, address: Address, field: str, *, value: object) -> None:
        before = getattr(self._live.find(address), field)
        self._journal.note(self._live.put_field, address, field, before)
        self._live.put_field(address, field, value)
        self._touch(address)

    def _replace(self, address: Address, new: LiveAccount) -> None:
        """Put another account in place of one."""
        self._journal.note(self._live.put_account, address, self._live.find(address))
        self._live.put_account(address, new)
        self._touch(address)

    def _touch(self, address: Address) -> None:
        """Note that an account was seen to, which a revert takes back (EIP-161)."""
        touched = self._live.touched
        if address not in touched:
            self._journal.note(touched.pop, address, None)
            touched[address] = None


def _accounts(
    core: PureCore, blobs: Preimages
) -> Iterator[tuple[Hash, Address | None, TrieAccount]]:
    """Yield what `State.accounts` does."""
    for key, value in core.items():
        address = blobs.find(key)
        yield (
            Hash(key),
            None if address is None else Address(address),
            TrieAccount.from_rlp(value),
        )


def _number(value: object, name: str, bits: int) -> int:
    """Return a number that has to be an int below 2^bits."""
    number = exact_int(value, name)
    if number < 0 or number >> bits:
        raise RangeError(name, number, 0, (1 << bits) - 1)
    return number
