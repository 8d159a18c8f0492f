"""
Account addresses: the last 20 bytes of the hash of a public key or of a creation.

::

    public key    x (32 bytes) | y (32 bytes)
    address       keccak256(x | y)[12:]            Yellow Paper, appendix F
    checksum      0x5aAeb605…: a letter is upper case where the digit at its place
                  in keccak256(the 40 lower-case digits) is 8 or more        EIP-55
"""

from __future__ import annotations

from typing import Self

from hexary import hash as hashing
from hexary.errors import HexError, InputTypeError, RangeError, SizeError
from hexary.integer import int_of
from hexary.typed.conversion import (
    BytesConvertible,
    FixedSizeBytesConvertible,
    to_bytes,
)
from hexary.typed.data import FixedSizeBytes

__all__ = ["Address"]

_new = bytes.__new__


class Address(FixedSizeBytes):
    """
    A 20-byte address, perhaps with a label for people to read.

    The label takes no part in equality, hashing or the text, but ``repr``, copies and
    pickles have it.  Text of any case is accepted, as what is not a checksum cannot be
    told from a wrong one; `from_checksum` insists on a right one.

    Args:
        value: as for `FixedSizeBytes`.  A labelled address passes its label on.
        left_padding: fill short bytes or text with zeros on the left.
        right_padding: fill short bytes or text with zeros on the right.
        label: a name.

    Example:
        >>> Address(0x1000, label="caller")
        Address('0x0000000000000000000000000000000000001000', label='caller')
        >>> Address(0x1000, label="caller") == Address(0x1000)
        True
    """

    # No __slots__: a label needs the dict, which only labelled addresses get to fill.
    byte_length = 20

    label: str | None = None
    """What people call it, ``None`` if it has no name."""

    def __new__(
        cls,
        value: FixedSizeBytesConvertible,
        /,
        *,
        left_padding: bool = False,
        right_padding: bool = False,
        label: str | None = None,
    ) -> Self:
        """Return *value* as an instance of this class."""
        if label is None:
            if type(value) is bytes and len(value) == cls.byte_length:
                return _new(cls, value)
            if type(value) is cls:
                return value
            if isinstance(value, Address):
                label = value.label
        elif not isinstance(label, str):
            raise InputTypeError("label", "str or None", label)
        elif type(value) is cls:
            # A label must not turn up on the object that was passed.
            value = bytes(value)
        self = super().__new__(
            cls, value, left_padding=left_padding, right_padding=right_padding
        )
        if label is not None:
            self.label = label
        return self

    def __repr__(self) -> str:
        """Return the type's name around the 0x-text and the label."""
        if self.label is None:
            return super().__repr__()
        return f"{type(self).__name__}('{self}', label={self.label!r})"

    def checksum(self, *, chain_id: int | None = None) -> str:
        """
        Return the address in checksummed text (EIP-55).

        Args:
            chain_id: on networks that have adopted EIP-1191 (30 and 31, say), their
                chain identifier, which is then part of the checksum.

        Raises:
            InputTypeError: *chain_id* is not an int.
            RangeError: *chain_id* is negative.

        Example:
            >>> address = Address("0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359")
            >>> address.checksum()
            '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'
            >>> address.checksum(chain_id=30)
            '0xFb6916095cA1Df60bb79ce92cE3EA74c37c5d359'
        """
        digits = bytes.hex(self)
        hashed = digits
        if chain_id is not None:
            number = int_of(chain_id)
            if number is None:
                raise InputTypeError("chain_id", "int or None", chain_id)
            if number < 0:
                raise RangeError("chain_id", number, 0, None)
            hashed = f"{number}0x{digits}"
        marks = hashing.keccak256(hashed.encode("ascii")).hex()
        return "0x" + "".join(
            digit.upper() if mark > "7" else digit
            for digit, mark in zip(digits, marks, strict=False)
        )

    @classmethod
    def from_checksum(
        cls, text: str, /, *, chain_id: int | None = None, label: str | None = None
    ) -> Self:
        """
        Parse the checksummed *text* of an address, and check it (EIP-55).

        Text in one case throughout is refused as well, unless that is its checksum.

        Args:
            text: ``0x`` and 40 digits.
            chain_id: as for `checksum`.
            label: a name.

        Raises:
            HexError: *text* is not an address, or the case of a letter is wrong.
            InputTypeError: *text* is not a str.
            SizeError: *text* has another number of digits.

        Example:
            >>> Address.from_checksum("0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359")
            Address('0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359')
        """
        address = cls.from_text(text)
        right = address.checksum(chain_id=chain_id)
        if text[:2] != "0x":
            raise HexError(text, "a checksummed address starts with 0x", position=0)
        for position, (digit, mark) in enumerate(zip(text, right, strict=True)):
            if digit != mark:
                rule = f"the checksum has {mark!r} here"
                raise HexError(text, rule, position=position)
        return cls(address, label=label)

    @classmethod
    def from_public_key(
        cls, public_key: BytesConvertible, /, *, label: str | None = None
    ) -> Self:
        """
        Return the address of the account that *public_key* controls.

        Args:
            public_key: an uncompressed secp256k1 key: 64 bytes, or 65 that start with
                4.  That it is a point on the curve is not checked.
            label: a name.

        Raises:
            HexError: *public_key* is text, but not hex.
            InputTypeError: *public_key* does not stand for bytes.
            RangeError: it has 65 bytes, but the first is not 4.
            SizeError: it has another size; 33 bytes are a compressed key, which has to
                be decompressed first.

        Example:
            >>> key = (
            ...     "0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
            ...     "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"
            ... )
            >>> Address.from_public_key(key).checksum()
            '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf'
        """
        key = to_bytes(public_key)
        if len(key) == 65:
            if key[0] != 4:
                what = "the first byte of a 65-byte public key"
                raise RangeError(what, key[0], 4, 4)
            key = key[1:]
        if len(key) != 64:
            what = "an uncompressed public key"
            if len(key) == 33:
                what += " (this one is compressed: decompress it first)"
            raise SizeError(what, 64, len(key), key)
        return cls(hashing.keccak256(key)[12:], label=label)
