"""
The storage of one account: slots of 256 bits, each holding a number of 256 bits.

A slot that holds zero does not exist, so a storage never contains one.  Its root
(Yellow Paper, section 4.1) is that of a trie whose keys are the keccak-256 of the
slot's number as 32 bytes and whose values are the RLP of what the slot holds.

Slots are kept as 32 bytes, here and in a `State`: see `hexary.state.slots`.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    shorten,
)
from hexary.state.json_object import describe_json, join_path
from hexary.state.slots import Slots
from hexary.state.word import read_word
from hexary.trie import secure_trie_root
from hexary.twin import adopt, twin
from hexary.typed.hexstr import encode_hex, parse_bytes

if TYPE_CHECKING:
    from hexary.typed import Hash

__all__ = [
    "AccountStorage",
    "plain_slots",
    "proven_slot",
    "slots_root",
    "storage_root",
]


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
def plain_slots(given: object) -> dict[bytes, int] | None:
    r"""
    Return the slots that are not zero, as 32 bytes each, if they are plainly spelled.

    That is a dict with no slot twice, whose slots and values are ints, up to 32 bytes,
    or 0x-hex text of at most 64 digits.  What is not plain may be right or wrong.

    Args:
        given: slot → value.

    Returns:
        The slots, ``None`` if *given* is not plain.

    Example:
        >>> slots = plain_slots({"0x01": "0xff", 2: 0, b"\x03": 3})
        >>> slots == {bytes(31) + b"\x01": 255, bytes(31) + b"\x03": 3}
        True
        >>> plain_slots({1: 255, "0x1": 0}) is None
        True
    """
    if type(given) is not dict:
        return None
    slots: dict[bytes, int] = {}
    for key, value in given.items():
        slot, number = _plain_word(key), _plain_word(value)
        if slot is None or number is None:
            return None
        word = slot.to_bytes(32, "big")
        if word in slots:
            return None
        slots[word] = number
    return {word: value for word, value in slots.items() if value}


@twin
def slots_root(slots: dict[bytes, int]) -> Hash:
    """
    Return the root of a storage.

    Args:
        slots: slot, of 32 bytes → value, a number from 1 to 2^256-1.

    Example:
        >>> slots_root({bytes(32): 1})
        Hash('0x821e2556a290c86405f8160a2d662042a431ba456b9db265c79bb837c04be5f0')
    """
    return secure_trie_root(
        [(word, rlp.encode(value)) for word, value in slots.items()]
    )


class AccountStorage(Slots):
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

    __slots__ = ()

    def __init__(self, slots: Mapping[Any, Any] | None = None) -> None:
        if isinstance(slots, AccountStorage):
            self._slots: dict[bytes, int] = slots._slots
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
    def of_slots(cls, slots: dict[bytes, int]) -> AccountStorage:
        """
        Return the storage that has these slots.

        Args:
            slots: as `plain_slots` returns them; they become the storage's own.

        Example:
            >>> AccountStorage.of_slots({bytes(32): 255})
            AccountStorage({0: 255})
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
        return {
            _hex(int.from_bytes(word, "big")): _hex(self._slots[word])
            for word in sorted(self._slots)
        }

    def root(self) -> Hash:
        """
        Return the root of the storage's trie.

        Example:
            >>> AccountStorage({0: 1}).root()
            Hash('0x821e2556a290c86405f8160a2d662042a431ba456b9db265c79bb837c04be5f0')
        """
        return slots_root(self._slots)

    def __reduce__(self) -> tuple[type[AccountStorage], tuple[dict[bytes, int]]]:
        return AccountStorage, (self._slots,)


def _slots(
    given: Mapping[Any, Any], *, file: str | None = None, field: str = "storage"
) -> dict[bytes, int]:
    """
    Return the slots that are not zero, as 32 bytes each, refusing two of one number.

    Args:
        given: slot → value, in any spelling.
        file: name of the file they are from, which turns every error into a
            `FixtureError`; ``None`` if they are a caller's own.
        field: path of the storage in that file.
    """
    slots: dict[bytes, int] = {}
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
        word = slot.to_bytes(32, "big")
        if word in slots:
            first = next(other for other in given if read_word(other, "slot") == slot)
            raise FixtureError(
                f"slot {shorten(slot)} occurs twice, "
                f"as {shorten(first)} and {shorten(key)}",
                file=file or "",
                field=field,
            )
        slots[word] = number
    return {word: value for word, value in slots.items() if value}


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
