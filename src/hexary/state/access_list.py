"""
Block access lists (EIP-7928): what a block leaves behind, without running it.

A list names, for each account that a block accesses, the values that were written and
by which transaction.  The last write of each value is what the state has after the
block, so applying these gives the block's state root.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from hexary import rlp
from hexary.errors import InputTypeError
from hexary.state.json_object import JsonObject, describe_json
from hexary.state.slots import Slots
from hexary.state.word import read_word
from hexary.typed import Address
from hexary.typed.buffer import bytes_of_buffer, exact_bytes
from hexary.typed.iteration import iterate

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hexary.state.world import State

__all__ = ["PostValues", "apply_access_list", "post_values"]


class PostValues(NamedTuple):
    """
    What an account has after a block; ``None`` is what the block did not write.

    Attributes:
        address: the account's address.
        nonce: its nonce.
        balance: its balance.
        code: its code.
        storage: slot → value of the slots that were written.
    """

    address: Address
    nonce: int | None = None
    balance: int | None = None
    code: bytes | None = None
    storage: Mapping[int, int] = Slots()


def post_values(account: Sequence[Any] | rlp.Record | Mapping[str, Any]) -> PostValues:
    """
    Return the last values in one account's entry of a block access list.

    Args:
        account: address, storage changes, storage reads, balance changes, nonce changes
            and code changes, in this order (EIP-7928), as numbers and bytes or as the
            payloads that RLP decoding returns.  A storage change is a slot with its
            changes; a change is a transaction's index with the value.  Or the record
            that has such a list for its encoding, or the JSON object of one.

    Raises:
        InputTypeError: if it does not have that form.
        FixtureError: if the JSON object does not.

    Example:
        >>> entry = [bytes(20), [[1, [[1, 5], [2, 6]]]], [], [[1, 100]], [], []]
        >>> post_values(entry)[1:]
        (None, 100, None, Slots({1: 6}))
    """
    if isinstance(account, rlp.Record):
        account = rlp.decode(account.rlp())
    elif isinstance(account, Mapping):
        account = _listed(JsonObject(account))
    if not isinstance(account, (list, tuple)) or len(account) != 6:
        raise InputTypeError("an account's changes", "a sequence of six", account)
    address, slots, _, balances, nonces, codes = account
    storage = []
    for change in _pairs(slots, "a slot's changes"):
        value = _last(change[1])
        if value is not None:
            slot = read_word(change[0], "slot")
            storage.append((slot, read_word(value, "storage value")))
    nonce, balance, code = _last(nonces), _last(balances), _last(codes)
    return PostValues(
        Address(address),
        None if nonce is None else read_word(nonce, "nonce"),
        None if balance is None else read_word(balance, "balance"),
        None if code is None else exact_bytes(code, "code"),
        Slots(storage),
    )


def apply_access_list(
    state: State,
    accounts: Iterable[PostValues | Sequence[Any] | rlp.Record | Mapping[str, Any]]
    | bytes,
) -> State:
    """
    Bring *state* to what it is after a block, by the block's access list.

    Accounts that were changed and are empty afterwards are removed (EIP-161).  Those
    that were only read are not looked at, so that they need not be there.

    Args:
        state: the state before the block; it is changed.
        accounts: the list: a `BlockAccessList`, its encoding, its JSON array, or any
            iterable with an entry for each account, as `PostValues` or as `post_values`
            takes.  Its order is not checked.

    Returns:
        The same state; its root is the block's.

    Raises:
        InputTypeError, SizeError, RangeError, FixtureError: if an entry does not have
            that form; nothing has changed then.
        DecodeError: likewise, if bytes are not an encoding.
        MissingNodeError: likewise, if the store does not have what is changed.

    Example:
        >>> from hexary.state import State
        >>> entry = [bytes(20), [[1, [[1, 5], [2, 6]]]], [], [[1, 100]], [], []]
        >>> state = apply_access_list(State(), [entry])
        >>> state.get_balance(bytes(20)), state.get_storage(bytes(20), 1)
        (100, 6)
    """
    encoding = bytes_of_buffer(accounts, "accounts")
    entries: Any = accounts if encoding is None else rlp.decode(encoding)
    changes = [
        each if isinstance(each, PostValues) else post_values(each)
        for each in iterate(entries, "accounts", "the entries of a list")
    ]
    with state.transaction():
        for address, nonce, balance, code, storage in changes:
            if not storage and all(each is None for each in (nonce, balance, code)):
                continue
            if nonce is not None:
                state.set_nonce(address, nonce)
            if balance is not None:
                state.set_balance(address, balance)
            if code is not None:
                state.set_code(address, code)
            for slot, value in storage.items():
                state.set_storage(address, slot, value)
            account = state.account(address)
            if account is not None and account.is_empty:
                state.destroy_account(address)
    return state


def _last(changes: Any) -> Any:
    """Return the value with the greatest index, ``None`` if there is no change."""
    pairs = _pairs(changes, "changes")
    if not pairs:
        return None
    value = max(pairs, key=lambda pair: read_word(pair[0], "index"))[1]
    if value is None:
        raise InputTypeError("what a change leads to", "a value", value)
    return value


def _pairs(value: Any, name: str) -> Sequence[Any]:
    """Return a sequence of pairs."""
    if not isinstance(value, (list, tuple)):
        raise InputTypeError(name, "a sequence of pairs", value)
    for pair in value:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise InputTypeError(name, "a sequence of pairs", pair)
    return value


def _listed(entry: JsonObject) -> list[Any]:
    """Return the entry that a JSON object stands for, in the order of its encoding."""
    slots = [
        [change.required_quantity("slot"), _changes(change, "slotChanges", "postValue")]
        for change in _members(entry, "storageChanges")
    ]
    codes = [
        [change.required_quantity("blockAccessIndex"), change.data("newCode")]
        for change in _members(entry, "codeChanges")
    ]
    return [
        entry.data("address", size=20),
        slots,
        _array(entry, "storageReads"),
        _changes(entry, "balanceChanges", "postBalance"),
        _changes(entry, "nonceChanges", "postNonce"),
        codes,
    ]


def _changes(owner: JsonObject, name: str, value: str) -> list[Any]:
    """Return the changes in the array *name*, which lead to the field *value*."""
    return [
        [change.required_quantity("blockAccessIndex"), change.required_quantity(value)]
        for change in _members(owner, name)
    ]


def _members(owner: JsonObject, name: str) -> list[JsonObject]:
    """Return the objects in the array *name*."""
    place = owner.field(name)
    return [
        JsonObject(one, path=f"{place}[{index}]")
        for index, one in enumerate(_array(owner, name))
    ]


def _array(owner: JsonObject, name: str) -> Sequence[Any]:
    """Return the array *name*, which must be there."""
    found = owner.get(name)
    if not isinstance(found, (list, tuple)):
        raise owner.error(name, f"must be a list, got {describe_json(found)}")
    return found
