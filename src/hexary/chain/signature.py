"""
Signatures: their numbers, the rules for them, and who made one.

============= ==================================================================
r, s          from 1 to the order of the curve less 1 (Yellow Paper, appendix F)
low s         since Homestead, in transactions, s is at most half the order (EIP-2);
              otherwise anybody could make a second signature out of each
v             27 plus the parity of y; for a chain only, 35 plus twice the chain id
              plus the parity (EIP-155, since Spurious Dragon)
y_parity      the parity itself, in transactions with a type (EIP-2930)
============= ==================================================================
"""

from __future__ import annotations

from typing import NamedTuple, Self

from hexary.chain.secp256k1 import (
    SECP256K1_ORDER,
    check_signature_numbers,
    recover_public_key,
    sign_hash,
)
from hexary.errors import InvalidError, InvalidReason, SizeError
from hexary.typed import Address, Bytes
from hexary.typed.buffer import exact_bytes

__all__ = [
    "SECP256K1_HALF_ORDER",
    "Signature",
]

SECP256K1_HALF_ORDER = SECP256K1_ORDER // 2
"""The largest s of transactions since Homestead (EIP-2)."""

_SIZE = 65


class Signature(NamedTuple):
    """
    A signature on secp256k1 from which the signer can be told.

    Example:
        >>> signature = Signature.of(bytes(32), private_key=1)
        >>> signature.signer(bytes(32))
        Address('0x7e5f4552091a69125d5dfcb7b8c2659029395bdf')
    """

    y_parity: int
    """The parity of the y of the point that r comes from."""

    r: int
    """The first number."""

    s: int
    """The second number."""

    @classmethod
    def of(cls, digest: bytes, /, *, private_key: bytes | int) -> Self:
        """
        Sign a hash.

        Args:
            digest: the 32 bytes to sign.
            private_key: 32 bytes, or the number that they are.

        Raises:
            InputTypeError, RangeError, SizeError: if an argument does not fit.
            MissingExtraError: if coincurve is not installed.
        """
        return cls(*sign_hash(digest, private_key))

    @classmethod
    def from_bytes(cls, data: bytes, /) -> Self:
        r"""
        Read the 65 bytes of wallets: r, s, and 27 or 28 (or 0 or 1).

        Raises:
            InputTypeError: if they are not bytes.
            InvalidError: if the last byte is another.
            SizeError: if there are not 65.

        Example:
            >>> Signature.from_bytes(bytes(31) + b"\x05" + bytes(31) + b"\x06\x1c")
            Signature(y_parity=1, r=5, s=6)
        """
        data = exact_bytes(data, "a signature")
        if len(data) != _SIZE:
            raise SizeError("a signature", _SIZE, len(data), data)
        last = data[64]
        if last not in (0, 1, 27, 28):
            raise InvalidError(InvalidReason.SIGNATURE_V, field="v", got=last)
        return cls(
            last % 27,
            int.from_bytes(data[:32], "big"),
            int.from_bytes(data[32:64], "big"),
        )

    def to_bytes(self) -> Bytes:
        """
        Return the 65 bytes of wallets: r, s, and 27 or 28.

        Raises:
            InputTypeError, InvalidError: if a number is none, or out of its range.
        """
        y_parity, r, s = check_signature_numbers(*self)
        return Bytes(
            b"%b%b%c" % (r.to_bytes(32, "big"), s.to_bytes(32, "big"), 27 + y_parity)
        )

    def check(self, *, low_s: bool = True, field: str = "") -> None:
        """
        Check the ranges of the numbers.

        Args:
            low_s: whether s has to be at most half the order (EIP-2).
            field: the signature's path, for messages.

        Raises:
            InputTypeError: if one is not an int.
            InvalidError: if one is out of its range.

        Example:
            >>> Signature(0, 1, SECP256K1_HALF_ORDER + 1).check(low_s=False)
            >>> Signature(0, 0, 1).check()
            Traceback (most recent call last):
            hexary.errors.InvalidError: r: r is from 1 to the order of the curve less 1;
            got 0
        """
        check_signature_numbers(*self, field=field)
        if low_s and self.s > SECP256K1_HALF_ORDER:
            raise InvalidError(
                InvalidReason.SIGNATURE_HIGH_S,
                field=f"{field}.s" if field else "s",
                got=self.s,
            )

    def signer(self, digest: bytes, /) -> Address:
        """
        Return the address of the account whose key signed a hash.

        Args:
            digest: the 32 bytes that were signed.

        Raises:
            InputTypeError, SizeError: if *digest* is not 32 bytes.
            InvalidError: if a number is out of its range, or there is no such key.
            MissingExtraError: if coincurve is not installed.
        """
        return Address.from_public_key(recover_public_key(digest, *self))
