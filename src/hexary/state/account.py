"""
Accounts: what an alloc says of one, and what the state trie stores of one.

An `Account` is an entry of an alloc or a genesis file: nonce, balance, code and
storage, all there.  A `TrieAccount` is the value in the state trie (Yellow Paper,
section 4.1): the RLP of ``[nonce, balance, storage root, code hash]``, where storage
and code are represented by their hashes.  An account without storage has the root of
the empty trie, one without code the hash of the empty string; neither is ever zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hexary import hash as hashing
from hexary import rlp
from hexary.errors import HexError, RangeError, shorten
from hexary.state.json_object import JsonObject
from hexary.state.storage import AccountStorage, plain_slots
from hexary.trie import EMPTY_ROOT, secure_trie_root
from hexary.twin import adopt, twin
from hexary.typed import Bytes, Hash, ZeroPaddedHexNumber
from hexary.typed.hexstr import parse_bytes, parse_quantity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hexary.typed import Address

__all__ = [
    "EMPTY_CODE_HASH",
    "Account",
    "TrieAccount",
    "accounts_root",
    "plain_account",
]

EMPTY_CODE_HASH = Hash(
    "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"
)
"""Keccak-256 of the empty string: the code hash of an account without code."""

_FIELDS = frozenset(("nonce", "balance", "code", "storage"))


def _number(value: Any, name: str, bits: int) -> ZeroPaddedHexNumber:
    """Return a field's number (an int, or text that spells one) below 2^bits."""
    number = ZeroPaddedHexNumber(value)
    if number < 0 or number >> bits:
        raise RangeError(name, int(number), 0, (1 << bits) - 1)
    return number


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Account:
    """
    An account as an alloc lists it; immutable.

    Args:
        nonce: below 2^64; an int, or its text (0x-hex or decimal).
        balance: in wei, below 2^256; likewise.
        code: bytes, or 0x-hex text.
        storage: slot → value as in `AccountStorage`; zeros vanish.

    Raises:
        InputTypeError, HexError, RangeError, SizeError: if an argument does not fit.

    Example:
        >>> account = Account(nonce=1, balance=10, code="0x00", storage={0: 1})
        >>> account.code_hash()
        Hash('0xbc36789e7a1e281436464229828f817d6612f7b477d66591ff96a9e064bcc98a')
        >>> Account().is_empty
        True
    """

    nonce: ZeroPaddedHexNumber
    balance: ZeroPaddedHexNumber
    code: Bytes
    storage: AccountStorage

    def __init__(
        self,
        nonce: int | str = 0,
        balance: int | str = 0,
        code: bytes | str = b"",
        storage: Mapping[Any, Any] | None = None,
    ) -> None:
        put = object.__setattr__
        put(self, "nonce", _number(nonce, "nonce", 64))
        put(self, "balance", _number(balance, "balance", 256))
        put(self, "code", Bytes(code))
        put(self, "storage", AccountStorage(storage))

    @classmethod
    def from_json(
        cls, value: object, *, file: str = "", field: str = "account"
    ) -> Account:
        """
        Read an entry of an alloc, in the spelling of geth, besu or EEST.

        Fields that are absent or null are zero or empty.  Fields that say nothing about
        the state (``privateKey``, ``secretKey``, ``comment``, …) are passed over.

        Args:
            value: the JSON object.
            file: the file's name, for messages.
            field: the entry's path, for messages.

        Raises:
            FixtureError: if it does not have that form.

        Example:
            >>> Account.from_json({"balance": "1000", "comment": "a test"})
            Account(nonce=0, balance=1000, code='0x', storage={})
        """
        entry = JsonObject(value, file=file, path=field)
        storage = entry.get("storage")
        return cls(
            nonce=entry.quantity("nonce", bits=64) or 0,
            balance=entry.quantity("balance") or 0,
            code=entry.data("code") or b"",
            storage=None
            if storage is None
            else AccountStorage.from_json(
                storage, file=file, field=entry.field("storage")
            ),
        )

    def to_json(self) -> dict[str, Any]:
        """
        Return the JSON object of this entry, as EEST spells it; geth reads it too.

        Example:
            >>> Account(balance=4096).to_json()
            {'nonce': '0x00', 'balance': '0x1000', 'code': '0x', 'storage': {}}
        """
        return {
            "nonce": self.nonce.hex(),
            "balance": self.balance.hex(),
            "code": self.code.hex(),
            "storage": self.storage.to_json(),
        }

    @property
    def is_empty(self) -> bool:
        """Whether nonce, balance and code are zero or empty, as EIP-161 has it."""
        return not (self.nonce or self.balance or self.code)

    def code_hash(self) -> Hash:
        """Return the keccak-256 of the code."""
        return Hash(hashing.keccak256(self.code)) if self.code else EMPTY_CODE_HASH

    def storage_root(self) -> Hash:
        """Return the root of the storage's trie."""
        return self.storage.root() if self.storage else EMPTY_ROOT

    def trie_account(self) -> TrieAccount:
        """
        Return what the state trie stores of this account.

        Example:
            >>> Account(balance=1).trie_account().code_hash == EMPTY_CODE_HASH
            True
        """
        return TrieAccount(
            self.nonce, self.balance, self.storage_root(), self.code_hash()
        )

    def rlp(self) -> bytes:
        """Return the account's encoding in the state trie."""
        return self.trie_account().rlp()

    def __repr__(self) -> str:
        return (
            f"Account(nonce={int(self.nonce)}, balance={int(self.balance)}, "
            f"code={shorten(self.code.hex())}, storage={dict(self.storage)})"
        )


def _plain_number(text: object, bits: int) -> int | None:
    """Return the number of text that is no longer than 256 bits need, else ``None``."""
    if type(text) is not str:
        return None
    if len(text) > (66 if text[:2] in ("0x", "0X") else 78):
        return None
    try:
        number = parse_quantity(text)
    except HexError:
        return None
    return None if number >> bits else number


def _plain_code(text: object) -> bytes | None:
    """Return the bytes of 0x-hex text, ``None`` for others."""
    if type(text) is not str or text[:2] not in ("0x", "0X"):
        return None
    try:
        return parse_bytes(text)
    except HexError:
        return None


@twin
def plain_account(entry: object) -> Account | None:
    """
    Return the account of an entry of an alloc, if that is plainly spelled.

    That is a dict without other keys than ``nonce``, ``balance``, ``code`` and
    ``storage``, numbers in 0x-hex of at most 64 digits or in decimal of at most 78,
    code in 0x-hex and storage as `plain_slots` has it.  What is not plain may be right
    or wrong: `Account.from_json` knows.

    Args:
        entry: the JSON object.

    Returns:
        The account, ``None`` if the entry is not plain.

    Example:
        >>> plain_account({"balance": "0x0a"})
        Account(nonce=0, balance=10, code='0x', storage={})
        >>> plain_account({"balance": 10}) is None
        True
    """
    if type(entry) is not dict or not entry.keys() <= _FIELDS:
        return None
    nonce = _plain_number(entry.get("nonce", "0x0"), 64)
    balance = _plain_number(entry.get("balance", "0x0"), 256)
    code = _plain_code(entry.get("code", "0x"))
    slots = plain_slots(entry.get("storage", {}))
    if nonce is None or balance is None or code is None or slots is None:
        return None
    account = Account.__new__(Account)
    put = object.__setattr__
    put(account, "nonce", int.__new__(ZeroPaddedHexNumber, nonce))
    put(account, "balance", int.__new__(ZeroPaddedHexNumber, balance))
    put(account, "code", bytes.__new__(Bytes, code))
    put(account, "storage", AccountStorage.of_slots(slots))
    return account


@rlp.record(title="account")
class TrieAccount(rlp.Record):
    """
    An account as the state trie stores it (Yellow Paper, section 4.1); immutable.

    The defaults are those of an account that has nothing, which is also how EIP-1186
    describes an account that does not exist.

    Args:
        nonce: below 2^64 (EIP-2681).
        balance: in wei, below 2^256.
        storage_root: root of the storage's trie.
        code_hash: keccak-256 of the code.

    Raises:
        InputTypeError, HexError, RangeError, SizeError: if an argument does not fit.

    Example:
        >>> TrieAccount().rlp().hex()[:14]
        'f8448080a056e8'
        >>> TrieAccount.from_rlp(TrieAccount(nonce=7).rlp()).nonce
        7
    """

    nonce: rlp.U64 = 0
    balance: rlp.U256 = 0
    storage_root: Hash = EMPTY_ROOT
    code_hash: Hash = EMPTY_CODE_HASH

    @property
    def is_empty(self) -> bool:
        """Whether nonce, balance and code are zero or empty, as EIP-161 has it."""
        return not (self.nonce or self.balance or self.code_hash != EMPTY_CODE_HASH)


@twin
def accounts_root(accounts: dict[Address, Account]) -> Hash:
    """
    Return the root of a state.

    Args:
        accounts: address → account.

    Example:
        >>> accounts_root({}) == EMPTY_ROOT
        True
    """
    codes = list({account.code for account in accounts.values() if account.code})
    code_hashes = dict(zip(codes, hashing.keccak256_many(codes), strict=True))
    return secure_trie_root(
        [
            (
                address,
                TrieAccount(
                    account.nonce,
                    account.balance,
                    account.storage_root(),
                    code_hashes.get(account.code, EMPTY_CODE_HASH),  # type: ignore[arg-type]  # the constructor converts
                ).rlp(),
            )
            for address, account in accounts.items()
        ]
    )


adopt(account_type=Account, number_type=ZeroPaddedHexNumber, bytes_type=Bytes)
