"""
The storage of one account: slots of 256 bits, each holding a number of 256 bits.

A slot that holds zero does not exist, so a storage never contains one.  Its root
(Yellow Paper, section 4.1) is that of a trie whose keys are the keccak-256 of the
slot's number as 32 bytes and whose values are the RLP of what the slot holds.

One slot has many spellings: 0, ``"0x0"``, ``"0x00"``, 32 zero bytes.  All are the same
number here.  In text, hex is told by its 0x; text without it is read only where it
cannot be misread: 64 hex digits, or a single decimal digit.  (``"10"`` is sixteen to
some clients and ten to others.)
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping, ValuesView
from typing import TYPE_CHECKING, Any

from hexary import rlp
from hexary.errors import (
    DecodeError,
    FixtureError,
    HexaryError,
    HexError,
    InputTypeError,
    ProofError,
    ProofReason,
    RangeError,
    SizeError,
    shorten,
)
from hexary.state.entry_views import EntryItems, EntryValues
from hexary.state.json_object import describe_json, join_path
from hexary.trie import secure_trie_root
from hexary.twin import adopt, twin
from hexary.typed.hexstr import encode_hex, parse_bytes
from hexary.typed.integer import int_of

if TYPE_CHECKING:
    from hexary.typed import Hash

__all__ = [
    "AccountStorage",
    "Word",
    "plain_slots",
    "proven_slot",
    "read_word",
    "slots_root",
    "storage_root",
]

Word = int | bytes | str
"""What a slot or its value may be given as: a number, up to 32 bytes, or text."""


def read_word(value: object, name: str) -> int:
    """
    Return the number from 0 to 2^256-1 that a slot, or its value, is given as.

    Args:
        value: a number, up to 32 bytes, or text as the module's docstring tells.
        name: what it is, for messages.

    Raises:
        InputTypeError, RangeError, SizeError, HexError: if it is none.

    Example:
        >>> read_word("0x0a", "slot"), read_word(bytes(32), "slot")
        (10, 0)
    """
    number = int_of(value)
    if number is not None:
        if number < 0 or number >> 256:
            raise RangeError(name, number, 0, 2**256 - 1)
        return number
    if isinstance(value, str):
        value = _word_bytes(value)
    if not isinstance(value, bytes):
        raise InputTypeError(name, "an int, bytes or text", value)
    if len(value) > 32:
        raise SizeError(name, 32, len(value), value)
    return int.from_bytes(value, "big")


def _word_bytes(text: str) -> bytes:
    """Return the bytes of a slot's or value's text, with as many digits as it has."""
    prefixed = text[:2] in ("0x", "0X")
    if not text:
        raise HexError(text, "a slot or value has digits")
    one_digit = len(text) == 1 and text in "0123456789"
    if not prefixed and len(text) != 64 and not one_digit:
        raise HexError(text, "without 0x, a slot or value has 64 hex digits")
    return parse_bytes(text, odd="pad")


def _plain_word(value: object) -> int | None:
    """Return the number that a plain slot or value is given as, ``None`` for others."""
    kind = type(value)
    if kind is int:
        number: int = value  # type: ignore[assignment]  # told by its type
        return None if number < 0 or number >> 256 else number
    if kind is str:
        text: str = value  # type: ignore[assignment]  # told by its type
        if text[:2] not in ("0x", "0X") or len(text) > 66:
            return None
        try:
            value = parse_bytes(text, odd="pad")
        except HexError:
            return None
    elif kind is not bytes:
        return None
    data: bytes = value  # type: ignore[assignment]  # told by its type
    return int.from_bytes(data, "big") if len(data) <= 32 else None


@twin
def plain_slots(given: object) -> dict[int, int] | None:
    r"""
    Return the slots that are not zero, as numbers, if they are plainly spelled.

    That is a dict with no slot twice, whose slots and values are ints, up to 32 bytes,
    or 0x-hex text of at most 64 digits.  What is not plain may be right or wrong.

    Args:
        given: slot → value.

    Returns:
        The slots, ``None`` if *given* is not plain.

    Example:
        >>> plain_slots({"0x01": "0xff", 2: 0, b"\x03": 3})
        {1: 255, 3: 3}
        >>> plain_slots({1: 255, "0x1": 0}) is None
        True
    """
    if type(given) is not dict:
        return None
    slots: dict[int, int] = {}
    for key, value in given.items():
        slot, number = _plain_word(key), _plain_word(value)
        if slot is None or number is None or slot in slots:
            return None
        slots[slot] = number
    return {slot: value for slot, value in slots.items() if value}


@twin
def slots_root(slots: dict[int, int]) -> Hash:
    """
    Return the root of a storage.

    Args:
        slots: slot → value, numbers from 0 to 2^256-1; none of the values is 0.

    Example:
        >>> slots_root({0: 1})
        Hash('0x821e2556a290c86405f8160a2d662042a431ba456b9db265c79bb837c04be5f0')
    """
    return secure_trie_root(
        [(slot.to_bytes(32, "big"), rlp.encode(value)) for slot, value in slots.items()]
    )


class AccountStorage(Mapping[int, int]):
    """
    The storage of an account: an immutable mapping of slot to value, without zeros.

    Args:
        slots: slot → value; each a number, up to 32 bytes, or text.  Zeros vanish.

    Raises:
        InputTypeError, RangeError, SizeError, HexError: if a slot or value is not one.
        FixtureError: if one slot is given twice, in two spellings.

    Example:
        >>> storage = AccountStorage({"0x01": "0xff", 2: 0})
        >>> storage
        AccountStorage({1: 255})
        >>> storage[1], storage.get(2, 0)
        (255, 0)
    """

    __slots__ = ("_slots",)

    def __init__(self, slots: Mapping[Any, Any] | None = None) -> None:
        if isinstance(slots, AccountStorage):
            self._slots: dict[int, int] = slots._slots
            return
        if slots is not None and not isinstance(slots, Mapping):
            raise InputTypeError("storage", "a mapping of slot to value", slots)
        plain = {} if slots is None else plain_slots(slots)
        self._slots = _slots(slots or {}) if plain is None else plain

    @classmethod
    def from_json(
        cls, value: object, *, file: str = "", field: str = "storage"
    ) -> AccountStorage:
        """
        Read the storage of an account in an alloc file.

        Args:
            value: the JSON object, slot text → value text (or integer).
            file: the file's name, for messages.
            field: the object's path, for messages.

        Raises:
            FixtureError: if it does not have that form, or names a slot twice.

        Example:
            >>> AccountStorage.from_json({"0x0": 1, "0": 1})
            Traceback (most recent call last):
                ...
            hexary.errors.FixtureError: storage: slot 0 occurs twice, as '0x0' and '0'
        """
        if not isinstance(value, dict):
            raise FixtureError(
                f"must be an object, got {describe_json(value)}", file=file, field=field
            )
        plain = plain_slots(value)
        return cls.of_slots(
            _slots(value, file=file, field=field) if plain is None else plain
        )

    @classmethod
    def of_slots(cls, slots: dict[int, int]) -> AccountStorage:
        """
        Return the storage that has these slots.

        Args:
            slots: as `plain_slots` returns them; they become the storage's own.

        Example:
            >>> AccountStorage.of_slots({1: 255})
            AccountStorage({1: 255})
        """
        storage = cls.__new__(cls)
        storage._slots = slots
        return storage

    def to_json(self) -> dict[str, str]:
        """
        Return the JSON object of this storage, as fixtures spell it.

        Example:
            >>> AccountStorage({0: 1, 16: 4096}).to_json()
            {'0x00': '0x01', '0x10': '0x1000'}
        """
        return {_hex(slot): _hex(self._slots[slot]) for slot in sorted(self._slots)}

    def root(self) -> Hash:
        """
        Return the root of the storage's trie.

        Example:
            >>> AccountStorage({0: 1}).root()
            Hash('0x821e2556a290c86405f8160a2d662042a431ba456b9db265c79bb837c04be5f0')
        """
        return slots_root(self._slots)

    def __getitem__(self, slot: Word) -> int:
        """Return what *slot* (in any spelling) holds; KeyError if that is zero."""
        if type(slot) is int:
            return self._slots[slot]
        try:
            return self._slots[read_word(slot, "slot")]
        except HexaryError:
            raise KeyError(slot) from None

    def __iter__(self) -> Iterator[int]:
        return iter(self._slots)

    def items(self) -> ItemsView[int, int]:
        """Return a view of the slots and what they hold."""
        return EntryItems(self, self._slots)

    def values(self) -> ValuesView[int]:
        """Return a view of what the slots hold."""
        return EntryValues(self, self._slots)

    def __len__(self) -> int:
        return len(self._slots)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, AccountStorage):
            return self._slots == other._slots
        if isinstance(other, Mapping):
            return self._slots == dict(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(frozenset(self._slots.items()))

    def __repr__(self) -> str:
        return f"AccountStorage({self._slots!r})"

    def __reduce__(self) -> tuple[type[AccountStorage], tuple[dict[int, int]]]:
        return AccountStorage, (self._slots,)


def _slots(
    given: Mapping[Any, Any], *, file: str | None = None, field: str = "storage"
) -> dict[int, int]:
    """
    Return the slots that are not zero, as numbers, refusing two of one number.

    Args:
        given: slot → value, in any spelling.
        file: name of the file they are from, which turns every error into a
            `FixtureError`; ``None`` if they are a caller's own.
        field: path of the storage in that file.
    """
    slots: dict[int, int] = {}
    for key, value in given.items():
        slot = None
        try:
            slot = read_word(key, "slot")
            number = read_word(value, "storage value")
        except HexaryError as error:
            if file is None:
                raise
            named = slot is not None and isinstance(key, str)
            place = join_path(field, key) if named else field
            raise FixtureError(str(error), file=file, field=place) from None
        if slot in slots:
            first = next(other for other in given if read_word(other, "slot") == slot)
            raise FixtureError(
                f"slot {shorten(slot)} occurs twice, "
                f"as {shorten(first)} and {shorten(key)}",
                file=file or "",
                field=field,
            )
        slots[slot] = number
    return {slot: value for slot, value in slots.items() if value}


def _hex(number: int) -> str:
    """Return a number as hex of whole bytes, at least one."""
    return encode_hex(number.to_bytes((number.bit_length() + 7) // 8 or 1, "big"))


def proven_slot(value: bytes, *, where: str) -> int:
    r"""
    Return what a slot holds that is proven to be in a storage trie.

    Args:
        value: the value in the trie.
        where: which slot it is, for messages.

    Raises:
        ProofError: if it is no number, or zero: no storage has such a trie, since
            what becomes zero is deleted.

    Example:
        >>> proven_slot(b"\x07", where="slot 0x1")
        7
    """
    try:
        number = rlp.decode_uint(value)
    except DecodeError as error:
        raise ProofError(ProofReason.BAD_SLOT, got=value, where=where) from error
    if not number:
        raise ProofError(ProofReason.BAD_SLOT, got=value, where=where)
    return number


def storage_root(storage: Mapping[Any, Any]) -> Hash:
    """
    Return the root of an account's storage (Yellow Paper, section 4.1).

    Args:
        storage: slot → value; each a number, up to 32 bytes, or text as in
            `AccountStorage`.  Zeros are absent.

    Returns:
        The root; the empty trie's if every value is zero.

    Raises:
        InputTypeError, RangeError, SizeError, HexError: if a slot or value is not one.
        FixtureError: if one slot is given twice, in two spellings.

    Example:
        >>> storage_root({0: 0xAB})
        Hash('0xa34a427fc04aa77f792798f794fcd30d49603b131d999548155afc7c847004be')
        >>> storage_root({"0x00": "0xab"}) == storage_root({bytes(32): 0xAB})
        True
    """
    return AccountStorage(storage).root()


adopt(storage_type=AccountStorage)
