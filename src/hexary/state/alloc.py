"""
Allocs: which accounts there are, as genesis files and fixtures list them.

An `Alloc` maps addresses to accounts.  `Alloc.from_json` reads the spellings of geth,
EEST, besu and of chainspecs alike: addresses with and without 0x and in any case,
numbers as hex, decimal or integers, storage padded or short.  What two programs could
read differently (one address or slot twice) is refused.

The state root (Yellow Paper, section 4.1) is the root of a trie whose keys are the
keccak-256 of the addresses and whose values are what `Account.rlp` returns.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping, ValuesView
from typing import TYPE_CHECKING, Any

from hexary.errors import (
    ExecutionNeededError,
    FixtureError,
    HexaryError,
    InputTypeError,
    shorten,
)
from hexary.state.account import Account, accounts_root, plain_account
from hexary.state.entry_views import EntryItems, EntryValues
from hexary.state.json_file import load_json, path_name
from hexary.state.json_object import (
    JsonObject,
    join_path,
    no_object,
    read_data,
)
from hexary.twin import adopt, twin
from hexary.typed import Address, Hash
from hexary.typed.hexstr import parse_bytes

if TYPE_CHECKING:
    import os

__all__ = [
    "Alloc",
    "plain_accounts",
    "state_root",
]

_STATE_FIELDS = ("balance", "code", "nonce", "storage")

_GENESIS_FIELDS = frozenset(
    ("accounts", "alloc", "config", "difficulty", "gaslimit", "genesis", "params")
)
"""Of a genesis file, in lower case, which someone may take for an alloc."""


class Alloc(Mapping[Address, Account]):
    """
    An immutable mapping of addresses to accounts.

    Addresses are looked up in any spelling: an `Address`, 20 bytes, or text.

    Args:
        accounts: address → `Account`.

    Raises:
        InputTypeError, HexError, SizeError: if a key is no address, or a value no
            `Account`.
        FixtureError: if one address is given twice, in two spellings.

    Example:
        >>> alloc = Alloc({"0x" + "00" * 19 + "0a": Account(balance=1)})
        >>> alloc["0x" + "00" * 19 + "0A"].balance == 1
        True
        >>> alloc.state_root() == state_root(alloc)
        True
    """

    __slots__ = ("_accounts",)

    def __init__(self, accounts: Mapping[Any, Account] | None = None) -> None:
        self._accounts: dict[Address, Account] = {}
        if isinstance(accounts, Alloc):
            self._accounts = accounts._accounts
            return
        if accounts is None:
            return
        if not isinstance(accounts, Mapping):
            raise InputTypeError("accounts", "a mapping of address → Account", accounts)
        for key, account in accounts.items():
            if not isinstance(account, Account):
                raise InputTypeError("an alloc's value", "an Account", account)
            address = Address(key)
            if address in self._accounts:
                raise FixtureError(f"the address {address} occurs twice", field="alloc")
            self._accounts[address] = account

    @classmethod
    def from_file(cls, path: str | bytes | os.PathLike[str]) -> Alloc:
        """
        Read the JSON file of an alloc, such as the ``alloc.json`` of t8n.

        A genesis file has an alloc among other things: `hexary.Genesis` reads it.

        Args:
            path: the file.

        Raises:
            FixtureError, ExecutionNeededError: as `from_json` does, or if the file
                cannot be read or is no JSON.
            InputTypeError: if *path* is no path.
        """
        return cls.from_json(load_json(path), file=path_name(path), field="")

    @classmethod
    def from_json(cls, value: object, *, file: str = "", field: str = "alloc") -> Alloc:
        """
        Read an alloc.

        An entry with a ``builtin`` and no field of an account is a chainspec's note on
        a precompiled contract: there is no such account.  Any other entry is one, empty
        or not.

        Args:
            value: the JSON object, address → entry as `Account.from_json` reads it.
            file: the file's name, for messages.
            field: the object's path, for messages.

        Raises:
            FixtureError: if it does not have that form, or names an address twice.
            ExecutionNeededError: if an entry has a ``constructor``, whose code an EVM
                would have to run.

        Example:
            >>> Alloc.from_json({"00" * 19 + "AA": {"nonce": 1}})
            Alloc(1 account)
            >>> Alloc.from_json({"0xaa": {}})
            Traceback (most recent call last):
                ...
            hexary.errors.FixtureError: alloc.0xaa: an address is 20 bytes, got 1...
        """
        if not isinstance(value, dict):
            raise FixtureError(no_object(value), file=file, field=field)
        plain = plain_accounts(value)
        alloc = cls()
        alloc._accounts = (
            _accounts_one_by_one(value, file=file, field=field)
            if plain is None
            else _accounts_beside_plain(*plain, value, file=file, field=field)
        )
        return alloc

    def to_json(self) -> dict[str, Any]:
        """
        Return the JSON object of this alloc, as EEST spells it; geth reads it too.

        Example:
            >>> written = Alloc({bytes(20): Account(nonce=1)}).to_json()
            >>> written["0x0000000000000000000000000000000000000000"]["nonce"]
            '0x01'
        """
        return {
            address.hex(): account.to_json()
            for address, account in self._accounts.items()
        }

    def state_root(self, *, delete_empty: bool = False) -> Hash:
        """
        Return the root of the state that has these accounts and no others.

        Args:
            delete_empty: leave out accounts that are empty, as the state does after
                a transaction since EIP-161.  A genesis state keeps them.
        """
        return state_root(self, delete_empty=delete_empty)

    def empty_accounts(self) -> tuple[Address, ...]:
        """
        Return the addresses of empty accounts: nonce, balance and code zero or empty.

        Since EIP-161 the state loses such an account once a transaction touches it, so
        a fixture that starts from one is seldom what its author means.

        Example:
            >>> Alloc({bytes(20): Account()}).empty_accounts()
            (Address('0x0000000000000000000000000000000000000000'),)
        """
        return tuple(
            address for address, account in self._accounts.items() if account.is_empty
        )

    def __getitem__(self, address: bytes | str) -> Account:
        if isinstance(address, bytes):
            return self._accounts[address]  # type: ignore[index]  # equal and of equal hash
        try:
            return self._accounts[Address(address)]
        except HexaryError:
            raise KeyError(address) from None

    def __iter__(self) -> Iterator[Address]:
        return iter(self._accounts)

    def items(self) -> ItemsView[Address, Account]:
        """Return a view of the addresses and accounts."""
        return EntryItems(self, self._accounts)

    def values(self) -> ValuesView[Account]:
        """Return a view of the accounts."""
        return EntryValues(self, self._accounts)

    def __len__(self) -> int:
        return len(self._accounts)

    def __or__(self, other: Mapping[Any, Account]) -> Alloc:
        """Return an alloc of both; of an address in both, the account of *other*."""
        if not isinstance(other, Mapping):
            return NotImplemented
        joined = Alloc()
        joined._accounts = {**self._accounts, **Alloc(other)._accounts}
        return joined

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Alloc):
            return self._accounts == other._accounts
        if isinstance(other, Mapping):
            return self._accounts == dict(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(frozenset(self._accounts.items()))

    def __repr__(self) -> str:
        count = len(self._accounts)
        return f"Alloc({count} account{'' if count == 1 else 's'})"

    def __reduce__(self) -> tuple[type[Alloc], tuple[dict[Address, Account]]]:
        return Alloc, (self._accounts,)


def _plain_address(key: object) -> Address | None:
    """Return the address that plain text spells, ``None`` for any other key."""
    if type(key) is not str:
        return None
    try:
        data = parse_bytes(key)
    except HexaryError:
        return None
    return bytes.__new__(Address, data) if len(data) == 20 else None


@twin
def plain_accounts(
    entries: object,
) -> tuple[dict[Address, Account | None], list[str]] | None:
    """
    Return the accounts of an alloc, if all addresses are plainly spelled.

    That is a dict whose keys are hex text of 20 bytes, with or without 0x, and no two
    of them one address.

    Args:
        entries: address → entry.

    Returns:
        The accounts in their order, with ``None`` for an entry that is not plain (see
        `hexary.state.account.plain_account`), and the keys of those; ``None`` if the
        addresses are not plain.

    Example:
        >>> accounts, odd = plain_accounts({"0x" + 40 * "0": {}, 40 * "f": {"x": 1}})
        >>> list(accounts.values())
        [Account(nonce=0, balance=0, code='0x', storage={}), None]
        >>> odd == [40 * "f"]
        True
        >>> plain_accounts({"0xff": {}}) is None
        True
    """
    if type(entries) is not dict:
        return None
    accounts: dict[Address, Account | None] = {}
    odd: list[str] = []
    for key, entry in entries.items():
        address = _plain_address(key)
        if address is None or address in accounts:
            return None
        accounts[address] = account = plain_account(entry)
        if account is None:
            odd.append(key)
    return accounts, odd


def _accounts_beside_plain(
    accounts: dict[Address, Any],
    odd: list[str],
    entries: dict[str, Any],
    *,
    file: str,
    field: str,
) -> dict[Address, Account]:
    """Return what `plain_accounts` has, and the accounts that it has left."""
    for key in odd:
        place = join_path(field, key)
        account = _account(entries[key], file=file, field=place)
        address = _address(key, file=file, field=place)
        if account is None:
            del accounts[address]
        else:
            accounts[address] = account
    return accounts


def _accounts_one_by_one(
    entries: dict[Any, Any], *, file: str, field: str
) -> dict[Address, Account]:
    """Return the accounts of an alloc, however its addresses are spelled."""
    accounts: dict[Address, Account] = {}
    spelled: dict[Address, str] = {}
    for key, entry in entries.items():
        place = join_path(field, key) if isinstance(key, str) else field
        address = _address(key, file=file, field=place)
        if address in spelled:
            raise FixtureError(
                f"the address {address} occurs twice, "
                f"as {shorten(spelled[address])} and {shorten(key)}",
                file=file,
                field=field,
            )
        spelled[address] = key
        account = plain_account(entry) or _account(entry, file=file, field=place)
        if account is not None:
            accounts[address] = account
    return accounts


def _account(entry: object, *, file: str, field: str) -> Account | None:
    """Return the account of an entry, ``None`` for a note on a precompiled contract."""
    fields = JsonObject(entry, file=file, path=field)
    if fields.get("constructor") is not None:
        raise ExecutionNeededError(
            "the account's code is the outcome of running its "
            "constructor, which needs an EVM",
            file=file,
            field=field,
        )
    if fields.get("builtin") is not None and all(
        fields.get(name) is None for name in _STATE_FIELDS
    ):
        return None
    return Account.from_json(entry, file=file, field=field)


def _address(key: object, *, file: str, field: str) -> Address:
    """Return the address that is an alloc's key: 20 bytes, with or without 0x."""
    if isinstance(key, str) and key.lower() in _GENESIS_FIELDS:
        rule = "is no address, but a field of a genesis, which hexary.Genesis reads"
        raise FixtureError(rule, file=file, field=field)
    data = read_data(key, file=file, field=field)
    if len(data) != 20:
        raise FixtureError(
            f"an address is 20 bytes, got {len(data)}: {shorten(key)}",
            file=file,
            field=field,
        )
    return Address(data)


def state_root(accounts: Mapping[Any, Account], *, delete_empty: bool = False) -> Hash:
    """
    Return the state root of these accounts (Yellow Paper, section 4.1).

    Codes, storages and addresses are hashed in batches.

    Args:
        accounts: address → `Account`; an `Alloc`, or what one can be made of.
        delete_empty: leave out accounts that are empty, as the state does after a
            transaction since EIP-161.  A genesis state keeps them.

    Returns:
        The root; the empty trie's if there are no accounts.

    Raises:
        InputTypeError, HexError, SizeError, FixtureError: as `Alloc` does.

    Example:
        >>> address = "0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b"
        >>> state_root({address: Account(balance=1)})
        Hash('0x6c59244cf77d88aba5991e1ea64e6cc34682bc51c222c2e714e15f4ece0f56d2')
        >>> state_root({})
        Hash('0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421')
    """
    known = Alloc(accounts)._accounts
    if delete_empty:
        known = {
            address: account
            for address, account in known.items()
            if not account.is_empty
        }
    return accounts_root(known)


adopt(address_type=Address)
