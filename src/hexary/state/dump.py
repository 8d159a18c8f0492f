"""
State dumps as geth writes them: one JSON document, or a line for each account.

A dump tells of each account its nonce, balance, storage root and code hash, and, unless
it was left out, its code and storage.  Where geth does not know an address, it gives
the hash alone, as ``key`` or as ``pre(0x…)`` in place of the address; so a dump always
has a root, and not always an alloc.

What a dump says twice has to agree: the code with its hash, the storage with its root,
the address with its key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from hexary import hash as hashing
from hexary.errors import FixtureError
from hexary.state.account import EMPTY_CODE_HASH, Account, TrieAccount
from hexary.state.alloc import Alloc
from hexary.state.json_file import load_json, parse_json, path_name
from hexary.state.json_object import JsonObject, join_path, read_data
from hexary.state.storage import AccountStorage
from hexary.trie import EMPTY_ROOT, trie_root
from hexary.typed import Address, Bytes, Hash

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator
    from typing import Self

__all__ = ["LONGEST_FIRST", "DumpedAccount", "StateDump", "has_dump_lines", "is_dump"]

LONGEST_FIRST = 1024
"""Bytes of the first line, if it is one of lines: the root alone."""

_LONGEST_LINE = 1 << 28
"""Bytes of one account's line."""


class DumpedAccount(NamedTuple):
    """
    An account of a dump.

    Attributes:
        hashed_address: keccak-256 of its address.
        address: its address, ``None`` if the dump does not know it.
        account: what the state trie holds of it.
        code: its code, ``None`` if the dump leaves it out.
        storage: its storage, ``None`` if the dump leaves it out.
    """

    hashed_address: Hash
    address: Address | None
    account: TrieAccount
    code: Bytes | None
    storage: AccountStorage | None


class StateDump:
    """
    A dump in a file, whose accounts are read while one iterates over it.

    Args:
        path: the file: a document, which is read whole, or lines, which are not.

    Attributes:
        file: the file's name.
        declared_state_root: the state root that the dump itself tells.

    Raises:
        FixtureError: if it cannot be read, or is no dump.

    Example:
        >>> import json, os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "dump.jsonl")
        >>> address = "0x" + "00" * 19 + "01"
        >>> with open(path, "w") as lines:
        ...     print(json.dumps({"root": "0x" + "00" * 32}), file=lines)
        ...     print(json.dumps({"address": address, "balance": "7"}), file=lines)
        >>> for account in StateDump(path):
        ...     print(account.address.hex()[-2:], account.account.balance)
        01 7
    """

    __slots__ = ("_entries", "declared_state_root", "file")

    file: str
    declared_state_root: Hash
    _entries: dict[Any, Any] | None
    """The accounts of a document; lines are read anew."""

    def __init__(self, path: str | bytes | os.PathLike[str]) -> None:
        self.file = path_name(path)
        first = _first_line(self.file)
        if _is_first_line(first):
            self._entries = None
            self._read_root(first["root"])
        else:
            self._read_document(load_json(path))

    @classmethod
    def from_json(cls, document: object, *, file: str = "") -> Self:
        """
        Return the dump that a JSON document is.

        Args:
            document: the document, as a JSON reader returns it.
            file: the file's name, for messages.

        Raises:
            FixtureError: if it is no dump.

        Example:
            >>> StateDump.from_json({"root": "00" * 32, "accounts": {}}).state_root()
            Hash('0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421')
        """
        dump = cls.__new__(cls)
        dump.file = file
        dump._read_document(document)
        return dump

    def _read_document(self, document: Any) -> None:
        if not is_dump(document):
            rule = "not a dump: it has no root and accounts"
            raise FixtureError(rule, file=self.file)
        self._entries = document["accounts"]
        self._read_root(document["root"])

    def _read_root(self, root: object) -> None:
        self.declared_state_root = Hash(
            read_data(root, size=32, file=self.file, field="root")
        )

    def __iter__(self) -> Iterator[DumpedAccount]:
        """
        Yield the accounts in the order of the dump.

        Raises:
            FixtureError: if one is malformed, or says two things that do not agree.
        """
        if self._entries is None:
            yield from self._lines()
            return
        for name, value in self._entries.items():
            place = join_path("accounts", name)
            yield _account(JsonObject(value, file=self.file, path=place), name)

    def state_root(self) -> Hash:
        """
        Return the root of the accounts that the dump lists.

        Raises:
            FixtureError: if it lists one twice, or one is malformed.
        """
        return trie_root(self.trie_accounts())

    def trie_accounts(self) -> dict[bytes, bytes]:
        """Return all accounts as the state trie holds them, by hashed address."""
        found: dict[bytes, bytes] = {}
        for each in self:
            if each.hashed_address in found:
                place = str(each.address or each.hashed_address)
                raise self.repeated(place)
            found[each.hashed_address] = each.account.rlp()
        return found

    def repeated(self, place: str) -> FixtureError:
        """Return the error for an account that the dump lists twice."""
        rule = "the dump lists the account twice"
        return FixtureError(rule, file=self.file, field=place)

    def alloc(self) -> Alloc:
        """
        Return all accounts.

        Raises:
            FixtureError: if an address, a code or a storage is not in the dump, or an
                account is there twice.
        """
        found: dict[Address, Account] = {}
        for address, account in self.accounts():
            if address in found:
                raise self.repeated(str(address))
            found[address] = account
        return Alloc(found)

    def accounts(self) -> Iterator[tuple[Address, Account]]:
        """Yield addresses and accounts, one after the other, as `alloc` has them."""
        for key, address, account, code, storage in self:
            place = str(address or key)
            if address is None:
                self._refuse_gap("address", place)
            elif code is None:
                self._refuse_gap("code", place)
            elif storage is None:
                self._refuse_gap("storage", place)
            else:
                yield address, Account(account.nonce, account.balance, code, storage)

    def _refuse_gap(self, what: str, place: str) -> NoReturn:
        rule = f"the dump leaves out the account's {what}"
        raise FixtureError(rule, file=self.file, field=place)

    def _lines(self) -> Iterator[DumpedAccount]:
        with open(self.file, "rb") as lines:
            number = 1
            lines.readline(_LONGEST_LINE)
            while line := lines.readline(_LONGEST_LINE):
                number += 1
                if line.strip():
                    place = f"line {number}"
                    try:
                        document = parse_json(line, file=self.file)
                    except FixtureError as error:
                        rule = error.rule.replace(" at line 1, ", " at ")
                        raise FixtureError(rule, file=self.file, field=place) from None
                    yield _account(JsonObject(document, file=self.file, path=place), "")


def has_dump_lines(path: str | bytes | os.PathLike[str]) -> bool:
    """
    Return whether a file looks like a dump of geth's in lines.

    Raises:
        FixtureError: if it cannot be read.

    Example:
        >>> has_dump_lines("fixtures/genesis/sepolia.json")
        False
    """
    return _is_first_line(_first_line(path_name(path)))


def _is_first_line(value: object) -> bool:
    """Whether the first of a dump's lines is this JSON value."""
    return isinstance(value, dict) and value.keys() == {"root"}


def _first_line(name: str) -> Any:
    """Return the JSON value that a file's first line is, ``None`` if it is none."""
    try:
        with open(name, "rb") as lines:
            first = lines.readline(LONGEST_FIRST)
    except OSError as error:
        raise FixtureError(error.strerror or str(error), file=name) from None
    try:
        return parse_json(first, file=name)
    except FixtureError:
        return None


def is_dump(document: object) -> bool:
    """
    Return whether a JSON document looks like a dump of geth's.

    Example:
        >>> is_dump({"root": "0x", "accounts": {}}), is_dump({"alloc": {}})
        (True, False)
    """
    if not isinstance(document, dict) or "root" not in document:
        return False
    return isinstance(document.get("accounts"), dict)


def _account(entry: JsonObject, name: str) -> DumpedAccount:
    """
    Read an account.

    Args:
        entry: its object.
        name: the key that it stands at: its address, ``pre(0x…)``, or ``""``.
    """
    key, address = _place(entry, name)
    code = entry.data("code")
    code_hash = entry.data("codeHash", size=32)
    if code is not None:
        actual = hashing.keccak256(code)
        if code_hash not in (None, actual):
            raise entry.error("codeHash", f"the code has the hash 0x{actual.hex()}")
        code_hash = actual
    elif code_hash in (None, EMPTY_CODE_HASH):
        code, code_hash = b"", EMPTY_CODE_HASH
    root = entry.data("root", size=32)
    slots = entry.get("storage")
    storage = None
    if slots is not None or root in (None, EMPTY_ROOT):
        storage = AccountStorage.from_json(
            _prefixed(slots) if slots else {},
            file=entry.file,
            field=entry.field("storage"),
        )
        if root not in (None, storage.root()):
            raise entry.error("root", f"the storage has the root {storage.root()}")
        root = storage.root()
    return DumpedAccount(
        key,
        address,
        TrieAccount(
            entry.quantity("nonce", bits=64) or 0,
            entry.quantity("balance") or 0,
            Hash(root),
            Hash(code_hash),
        ),
        None if code is None else Bytes(code),
        storage,
    )


def _place(entry: JsonObject, name: str) -> tuple[Hash, Address | None]:
    """Return the hashed address of an account, and its address if that is told."""
    key = entry.data("key", size=32)
    address = entry.data("address", size=20)
    if name.startswith("pre(") and name.endswith(")"):
        told = read_data(name[4:-1], size=32, file=entry.file, field=entry.path)
        if key not in (None, told):
            raise entry.error("key", f"it stands at {name}")
        key = told
    elif name:
        told = read_data(name, size=20, file=entry.file, field=entry.path)
        if address not in (None, told):
            raise entry.error("address", f"it stands at {name}")
        address = told
    if address is None:
        if key is None:
            raise entry.error("address", "there is neither an address nor a key")
        return Hash(key), None
    hashed = hashing.keccak256(address)
    if key not in (None, hashed):
        raise entry.error("key", f"the address has the hash 0x{hashed.hex()}")
    return Hash(hashed), Address(address)


def _prefixed(slots: Any) -> Any:
    """Return slots whose values have the 0x that geth leaves out."""
    if not isinstance(slots, dict):
        return slots
    return {
        slot: f"0x{value}" if isinstance(value, str) and value[:2] != "0x" else value
        for slot, value in slots.items()
    }
