"""
The curve secp256k1: public keys, signatures that give the key away, and signing.

The arithmetic is that of the package coincurve (libsecp256k1), which the extra
``secp256k1`` installs; without it, each function here raises `MissingExtraError`.

A public key is 64 bytes, the coordinates x and y.  A signature of the hash *e* by the
private key *d* is the pair r, s (SEC 1, section 4.1); with the parity of the y of the
point that r comes from, the public key can be computed from it (section 4.1.6).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NoReturn, Self

from hexary.errors import (
    InputTypeError,
    InvalidError,
    InvalidReason,
    MissingExtraError,
    RangeError,
    SizeError,
)
from hexary.integer import exact_int, int_of
from hexary.message import bytes_hint
from hexary.typed import Address
from hexary.typed.buffer import exact_bytes

if TYPE_CHECKING:
    from types import ModuleType

__all__ = [
    "SECP256K1_ORDER",
    "SigningKey",
    "check_signature_numbers",
    "private_key_address",
    "public_key",
    "recover_public_key",
    "sign_hash",
]

SECP256K1_ORDER = (
    0xFFFFFFFF_FFFFFFFF_FFFFFFFF_FFFFFFFE_BAAEDCE6_AF48A03B_BFD25E8C_D0364141
)
"""The number of points on the curve (SEC 2, section 2.4.1)."""

_HIDDEN = "(not shown)"
"""Stands for a secret in errors."""

_loaded: ModuleType | None = None


def _coincurve(purpose: str) -> Any:
    """Return the package coincurve."""
    global _loaded
    if _loaded is None:
        try:
            import coincurve
        except ImportError:
            raise MissingExtraError(
                "secp256k1", package="coincurve", purpose=purpose
            ) from None
        _loaded = coincurve
    return _loaded


def _digest(name: str, value: object) -> bytes:
    """Return *value*, which has to be 32 bytes."""
    data = exact_bytes(value, name)
    if len(data) != 32:
        raise SizeError(name, 32, len(data), data)
    return data


def _secret(private_key: object) -> bytes:
    """
    Return the 32 bytes of a private key.

    A key is a secret, a mistyped one nearly so: no error shows any of it.
    """
    name = "a private key"
    number = int_of(private_key)
    if number is not None:
        pass
    elif isinstance(private_key, (bytes, bytearray, memoryview)):
        data = exact_bytes(private_key, name)
        if len(data) != 32:
            raise SizeError(name, 32, len(data), _HIDDEN)
        number = int.from_bytes(data, "big")
    else:
        hint = bytes_hint(private_key)
        # Of text, the type alone is shown.
        shown = _HIDDEN if isinstance(private_key, str) else private_key
        raise InputTypeError(name, "32 bytes or an int", shown, hint=hint)
    if not 0 < number < SECP256K1_ORDER:
        raise RangeError(name, _HIDDEN, 1, SECP256K1_ORDER - 1)
    return number.to_bytes(32, "big")


def public_key(private_key: bytes | int) -> bytes:
    """
    Return the public key of a private key: 64 bytes, x and y.

    Args:
        private_key: 32 bytes, or the number that they are.

    Raises:
        InputTypeError: if *private_key* is something else.
        MissingExtraError: if coincurve is not installed.
        RangeError: if the number is 0, or not below the order of the curve.
        SizeError: if it has not 32 bytes.

    Example:
        >>> public_key(1)[:4].hex()
        '79be667e'
    """
    secret = _secret(private_key)
    # The package's private key would compute two public ones.
    key = _coincurve("computing a public key").PublicKey.from_secret(secret)
    return bytes(key.format(compressed=False)[1:])


def private_key_address(private_key: bytes | int) -> Address:
    """
    Return the address of the account that a private key controls.

    Args:
        private_key: 32 bytes, or the number that they are.

    Raises:
        InputTypeError, MissingExtraError, RangeError, SizeError: as in `public_key`.

    Example:
        >>> private_key_address(1)
        Address('0x7e5f4552091a69125d5dfcb7b8c2659029395bdf')
    """
    return Address.from_public_key(public_key(private_key))


def sign_hash(digest: bytes, private_key: bytes | int) -> tuple[int, int, int]:
    """
    Return the signature of a hash, as ``(y_parity, r, s)``.

    It depends on nothing else (RFC 6979), and s is at most half the order.

    Args:
        digest: the 32 bytes to sign.
        private_key: 32 bytes, or the number that they are.

    Raises:
        InputTypeError, MissingExtraError, RangeError, SizeError: as in `public_key`;
            also if *digest* has not 32 bytes.

    Example:
        >>> y_parity, r, s = sign_hash(bytes(32), 1)
        >>> recover_public_key(bytes(32), y_parity, r, s) == public_key(1)
        True
    """
    digest = _digest("a hash to sign", digest)
    return SigningKey(private_key).sign(digest)


class SigningKey:
    """
    A private key that signs many hashes: what the package makes of it is made once.

    It is never shown, and not pickled: where a secret is written is for its owner to
    decide.  A copy is the key itself, which nothing changes.

    Args:
        private_key: 32 bytes, or the number that they are.

    Raises:
        InputTypeError, MissingExtraError, RangeError, SizeError: as in `public_key`.

    Example:
        >>> SigningKey(1).sign(bytes(32)) == sign_hash(bytes(32), 1)
        True
    """

    __slots__ = ("_key",)

    def __init__(self, private_key: bytes | int) -> None:
        secret = _secret(private_key)
        self._key = _coincurve("signing").PrivateKey(secret)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce_ex__(self, protocol: object, /) -> NoReturn:
        """Refuse: a pickle would have the secret in the clear."""
        raise TypeError("cannot pickle a SigningKey: it is a secret")

    def sign(self, digest: bytes) -> tuple[int, int, int]:
        """
        Return the signature of a hash, as `sign_hash` does.

        Raises:
            InputTypeError, SizeError: if *digest* is not 32 bytes.
        """
        digest = _digest("a hash to sign", digest)
        signature = self._key.sign_recoverable(digest, hasher=None)
        return (
            signature[64],
            int.from_bytes(signature[:32], "big"),
            int.from_bytes(signature[32:64], "big"),
        )


def check_signature_numbers(
    y_parity: int, r: int, s: int, *, field: str = ""
) -> tuple[int, int, int]:
    """
    Return the numbers of a signature, each in its range, as plain ints.

    Args:
        y_parity: 0 or 1.
        r: from 1 to the order of the curve less 1.
        s: likewise.
        field: the signature's path, for messages.

    Raises:
        InputTypeError: if one is not an int.
        InvalidError: if one is out of its range.

    Example:
        >>> check_signature_numbers(1, 5, 1)
        (1, 5, 1)
        >>> check_signature_numbers(0, 0, 1)
        Traceback (most recent call last):
        hexary.errors.InvalidError: r: r is from 1 to the order of the curve less 1;
        got 0
    """
    prefix = f"{field}." if field else ""
    numbers = []
    for name, value, least, most, reason in (
        ("y_parity", y_parity, 0, 1, InvalidReason.SIGNATURE_Y_PARITY),
        ("r", r, 1, SECP256K1_ORDER - 1, InvalidReason.SIGNATURE_R),
        ("s", s, 1, SECP256K1_ORDER - 1, InvalidReason.SIGNATURE_S),
    ):
        number = exact_int(value, f"{prefix}{name}")
        if not least <= number <= most:
            raise InvalidError(reason, field=f"{prefix}{name}", got=number)
        numbers.append(number)
    return numbers[0], numbers[1], numbers[2]


def recover_public_key(digest: bytes, y_parity: int, r: int, s: int) -> bytes:
    """
    Return the public key, 64 bytes, by whose owner a hash was signed.

    Args:
        digest: the 32 bytes that were signed.
        y_parity: 0 or 1.
        r: from 1 to the order of the curve less 1.
        s: likewise.

    Raises:
        InputTypeError, SizeError: if *digest* is not 32 bytes, or a number none.
        InvalidError: if a number is out of its range, or if there is no such key.
        MissingExtraError: if coincurve is not installed.

    Example:
        >>> recover_public_key(bytes(32), 0, 5, 1)
        Traceback (most recent call last):
        hexary.errors.InvalidError: a signature is one by some public key
    """
    digest = _digest("a hash that was signed", digest)
    y_parity, r, s = check_signature_numbers(y_parity, r, s)
    _coincurve("recovering a public key")
    signature = b"%b%b%c" % (r.to_bytes(32, "big"), s.to_bytes(32, "big"), y_parity)
    return _recovered(signature, digest)


@lru_cache(maxsize=4096)
def _recovered(signature: bytes, digest: bytes) -> bytes:
    """
    Return the public key behind a signature of 65 bytes.

    The last ones are remembered, in about 2 MB: a transaction is met in a block, its
    payload and its receipts, and recovering its key costs more than all else.
    """
    package = _coincurve("recovering a public key")
    try:
        key = package.PublicKey.from_signature_and_message(
            signature, digest, hasher=None
        )
    except ValueError:
        raise InvalidError(InvalidReason.NO_PUBLIC_KEY) from None
    return bytes(key.format(compressed=False)[1:])
