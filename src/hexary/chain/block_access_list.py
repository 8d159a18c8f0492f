"""
Block access lists: all accounts and slots that a block touches (EIP-7928).

The list has each account with what became of it, by the index of what did it: 0 for
the calls to system contracts before the transactions, *n* for the *n*-th transaction,
one more than there are transactions for what comes after them.  It is canonical:
accounts, slots and indexes are in strictly ascending order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hexary import hash as hashing
from hexary import rlp
from hexary.chain.instances import instances
from hexary.errors import FixtureError, InvalidError, InvalidReason
from hexary.state.access_list import apply_access_list
from hexary.typed import Address, Bytes, Hash

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hexary.rlp.records import Spelling
    from hexary.state.world import State

__all__ = [
    "AccountChanges",
    "BalanceChange",
    "BlockAccessList",
    "CodeChange",
    "NonceChange",
    "SlotChanges",
    "StorageChange",
]

_GAS_PER_ITEM = 2_000
"""Of a block's gas limit, for each account and slot that it may touch (EIP-7928)."""


@rlp.record
class StorageChange(rlp.Record):
    """
    The value of a slot after something has written it.

    Example:
        >>> StorageChange(1, 5).to_json()
        {'blockAccessIndex': '0x1', 'postValue': '0x5'}
    """

    block_access_index: rlp.U32
    post_value: rlp.U256


@rlp.record
class SlotChanges(rlp.Record):
    """
    All changes of a slot.

    Example:
        >>> SlotChanges(slot=2, changes=(StorageChange(1, 5),)).rlp().hex()
        'c502c3c20105'
    """

    slot: rlp.U256
    changes: tuple[StorageChange, ...] = rlp.field(json="slotChanges")


@rlp.record
class BalanceChange(rlp.Record):
    """
    The balance of an account after something has changed it, in wei.

    Example:
        >>> BalanceChange(1, 5).to_json()
        {'blockAccessIndex': '0x1', 'postBalance': '0x5'}
    """

    block_access_index: rlp.U32
    post_balance: rlp.U256


@rlp.record
class NonceChange(rlp.Record):
    """
    The nonce of an account after something has changed it.

    Example:
        >>> NonceChange(1, 5).to_json()
        {'blockAccessIndex': '0x1', 'postNonce': '0x5'}
    """

    block_access_index: rlp.U32
    post_nonce: rlp.U64


@rlp.record
class CodeChange(rlp.Record):
    """
    The code of an account after something has changed it.

    Example:
        >>> CodeChange(1, b"").to_json()
        {'blockAccessIndex': '0x1', 'newCode': '0x'}
    """

    block_access_index: rlp.U32
    new_code: Bytes


@rlp.record
class AccountChanges(rlp.Record):
    """
    An account that the block has touched, and what became of it.

    Example:
        >>> AccountChanges(bytes(20)).rlp().hex()
        'da940000000000000000000000000000000000000000c0c0c0c0c0'
    """

    address: Address
    storage_changes: tuple[SlotChanges, ...] = ()
    storage_reads: tuple[rlp.U256, ...] = ()
    balance_changes: tuple[BalanceChange, ...] = ()
    nonce_changes: tuple[NonceChange, ...] = ()
    code_changes: tuple[CodeChange, ...] = ()


@dataclass(frozen=True, slots=True)
class BlockAccessList:
    """
    A whole block access list; immutable.

    Args:
        accounts: the accounts, in order.

    Raises:
        InputTypeError: if there is something else among them.

    Example:
        >>> BlockAccessList().hash()
        Hash('0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347')
        >>> BlockAccessList((AccountChanges(bytes(20)),) * 2).check()
        Traceback (most recent call last):
        hexary.errors.InvalidError: [1].address: a block access list is in strictly \
ascending order (EIP-7928); got 0x0000000000000000000000000000000000000000
    """

    accounts: tuple[AccountChanges, ...] = ()

    def __post_init__(self) -> None:
        """Make the accounts a tuple; refuse what is none."""
        accounts = tuple(
            instances(self.accounts, AccountChanges, "accounts", "an AccountChanges")
        )
        object.__setattr__(self, "accounts", accounts)

    def __iter__(self) -> Iterator[AccountChanges]:
        """Iterate over the accounts."""
        return iter(self.accounts)

    def __len__(self) -> int:
        """Return how many accounts there are."""
        return len(self.accounts)

    def rlp(self) -> bytes:
        """Return the encoding, which is a list of the accounts."""
        return rlp.encode(self.accounts)

    def hash(self) -> Hash:
        """Return the hash, as the header has it."""
        return Hash(hashing.keccak256(self.rlp()))

    @classmethod
    def from_rlp(cls, data: bytes) -> BlockAccessList:
        """
        Return the list that *data* encode; its order is for `check` to look at.

        Args:
            data: the encoding.

        Raises:
            DecodeError: if they do not encode such a list.
            InputTypeError: if they are not bytes.
        """
        return cls(rlp.decode(tuple[AccountChanges, ...], data))

    @classmethod
    def from_json(
        cls, value: Sequence[Any], *, spelling: Spelling = "fixture"
    ) -> BlockAccessList:
        """
        Return the list that a JSON array stands for.

        Args:
            value: the array.
            spelling: as JSON-RPC or as fixtures have it.

        Raises:
            FixtureError: if it is not that of such a list.
        """
        if not isinstance(value, list):
            raise FixtureError("a block access list must be an array")
        accounts = []
        for place, one in enumerate(value):
            try:
                accounts.append(AccountChanges.from_json(one, spelling=spelling))
            except FixtureError as error:
                field = f"[{place}] › {error.field}"
                raise FixtureError(error.rule, field=field) from None
        return cls(tuple(accounts))

    def to_json(self, *, spelling: Spelling = "fixture") -> list[dict[str, Any]]:
        """
        Return the list as a JSON array.

        Args:
            spelling: as JSON-RPC or as fixtures have it.
        """
        return [one.to_json(spelling=spelling) for one in self.accounts]

    def apply_to(self, state: State) -> State:
        """
        Bring *state* to what it is after the block, as `hexary.apply_access_list` does.

        Args:
            state: the state before the block; it is changed.

        Returns:
            The same state; its root is the block's.

        Example:
            >>> from hexary.state import State
            >>> changes = AccountChanges(
            ...     bytes(20), balance_changes=(BalanceChange(1, 7),)
            ... )
            >>> BlockAccessList((changes,)).apply_to(State()).get_balance(bytes(20))
            7
        """
        return apply_access_list(state, self)

    def count_items(self) -> int:
        """
        Return how many accounts and slots there are, which the gas limit limits.

        Example:
            >>> account = AccountChanges(bytes(20), storage_reads=(1, 2))
            >>> BlockAccessList((account,)).count_items()
            3
        """
        return len(self.accounts) + sum(
            len(account.storage_changes) + len(account.storage_reads)
            for account in self.accounts
        )

    def check(
        self, *, transactions: int | None = None, gas_limit: int | None = None
    ) -> Hash:
        """
        Check that the list is in canonical form, and return its hash.

        That it is what the block really touches, only executing the block can tell.

        Args:
            transactions: how many the block has, which limits the indexes; ``None`` for
                any number.
            gas_limit: the block's, of which each account and slot takes 2000; ``None``
                for any.

        Raises:
            InvalidError: if a rule is broken; ``field`` is the place.
        """
        last = None if transactions is None else transactions + 1
        previous = b""
        for place, account in enumerate(self.accounts):
            if account.address <= previous:
                raise InvalidError(
                    InvalidReason.ACCESS_LIST_ORDER,
                    field=f"[{place}].address",
                    got=account.address,
                )
            previous = account.address
            _check_account(account, f"[{place}]", last)
        if gas_limit is not None and self.count_items() > gas_limit // _GAS_PER_ITEM:
            raise InvalidError(
                InvalidReason.ACCESS_LIST_SIZE,
                got=self.count_items(),
                expected=gas_limit // _GAS_PER_ITEM,
            )
        return self.hash()


def _check_account(account: AccountChanges, path: str, last: int | None) -> None:
    """Check the order of all that belongs to an account."""
    _check_ascending(
        [one.slot for one in account.storage_changes], f"{path}.storage_changes"
    )
    for place, slot in enumerate(account.storage_changes):
        field = f"{path}.storage_changes[{place}].changes"
        if not slot.changes:
            raise InvalidError(InvalidReason.ACCESS_LIST_EMPTY, field=field)
        _check_indexes(slot.changes, field, last)
    _check_ascending(account.storage_reads, f"{path}.storage_reads")
    written = {one.slot for one in account.storage_changes}
    for place, read in enumerate(account.storage_reads):
        if read in written:
            raise InvalidError(
                InvalidReason.ACCESS_LIST_READ,
                field=f"{path}.storage_reads[{place}]",
                got=read,
            )
    _check_indexes(account.balance_changes, f"{path}.balance_changes", last)
    _check_indexes(account.nonce_changes, f"{path}.nonce_changes", last)
    _check_indexes(account.code_changes, f"{path}.code_changes", last)


def _check_indexes(
    changes: Sequence[StorageChange | BalanceChange | NonceChange | CodeChange],
    field: str,
    last: int | None,
) -> None:
    """Check the indexes of changes: their order, and that there is none too large."""
    indexes = [change.block_access_index for change in changes]
    _check_ascending(indexes, field)
    if last is not None and indexes and indexes[-1] > last:
        raise InvalidError(
            InvalidReason.ACCESS_LIST_INDEX,
            field=f"{field}[{len(indexes) - 1}].block_access_index",
            got=indexes[-1],
            expected=last,
        )


def _check_ascending(values: Sequence[int], field: str) -> None:
    """Check that each value is larger than the one before."""
    for place in range(1, len(values)):
        if values[place] <= values[place - 1]:
            raise InvalidError(
                InvalidReason.ACCESS_LIST_ORDER,
                field=f"{field}[{place}]",
                got=values[place],
            )
