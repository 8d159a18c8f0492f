"""
Bytes with a type: values that are bytes, print as 0x-hex and know their size.

`Bytes` has any length, a `FixedSizeBytes` exactly ``byte_length`` bytes.  All of them
are subclasses of `bytes` without any attribute of their own, so they go wherever bytes
go, uncoerced, and cost what bytes cost.  What is particular:

* ``str`` and ``hex()`` give 0x-text, ``repr`` names the type.
* They equal bytes of the same content, and text that stands for it; a fixed size makes
  them a big-endian number too, so ``Hash(1) == 1``.  Comparing never raises.
* ``hash(x) == hash(bytes(x))``.  So bytes find a typed key in a dict and the other way
  round, but text and ints do not, equal or not: use one kind of key in a dict.

The names are those of execution-specs' testing package; docs/base-types.md compares.
"""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from hexary import hash as hashing
from hexary.errors import HexError, InputTypeError
from hexary.typed.conversion import (
    BytesConvertible,
    FixedSizeBytesConvertible,
    to_bytes,
    to_fixed_size_bytes,
)
from hexary.typed.hexstr import exact_text, parse_bytes
from hexary.typed.sized import SizedMeta, check_byte_length, reduce_sized, sized_class

if TYPE_CHECKING:
    from typing import SupportsIndex

__all__ = [
    "BLSPublicKey",
    "BLSSignature",
    "Bytes",
    "CoerceBytes",
    "FixedSizeBytes",
    "ForkHash",
    "Hash",
    "HeaderNonce",
    "StorageKey",
]

_new = bytes.__new__


class Bytes(bytes):
    r"""
    Bytes of any length.

    Args:
        value: bytes of any kind, hex text, a list of ints from 0 to 255, or an object
            with ``__bytes__``.  An instance of exactly this class is returned itself.

    Raises:
        HexError: *value* is text, but not hex; `from_text` has the lenient door.
        InputTypeError: *value* does not stand for bytes.  An int does not: it has no
            size of its own.

    Example:
        >>> Bytes("0xdead"), str(Bytes(b"\x00\x01"))
        (Bytes('0xdead'), '0x0001')
        >>> Bytes("0xdead") == b"\xde\xad" == Bytes([0xDE, 0xAD])
        True
    """

    __slots__ = ()

    def __new__(cls, value: BytesConvertible = b"", /) -> Self:
        """Return *value* as an instance of this class."""
        if type(value) is bytes:
            return _new(cls, value)
        if type(value) is cls:
            return value
        return _new(cls, to_bytes(value))

    @classmethod
    def from_text(
        cls,
        text: str,
        /,
        *,
        odd: Literal["refuse", "pad"] = "refuse",
        blanks: bool = False,
    ) -> Self:
        """
        Parse hex *text*, leniently where asked for.

        Args:
            text: two hex digits a byte, with or without ``0x``.
            odd: ``"pad"`` puts a zero digit on the left of an odd number of digits.
            blanks: skip ASCII blanks, wherever they stand.

        Raises:
            HexError: *text* is something else.
            InputTypeError: *text* is not a str.

        Example:
            >>> Bytes.from_text("0x1 23", odd="pad", blanks=True)
            Bytes('0x0123')
        """
        return cls(parse_bytes(text, odd=odd, blanks=blanks))

    @classmethod
    def fromhex(cls, text: str, /) -> Self:
        """
        Parse hex *text* as `from_text` does, and unlike `bytes.fromhex` refuse blanks.

        Example:
            >>> Bytes.fromhex("dead")
            Bytes('0xdead')
        """
        return cls.from_text(text)

    def hex(
        self, sep: str | bytes | None = None, bytes_per_sep: SupportsIndex = 1
    ) -> str:
        """
        Return ``0x`` and two lower-case digits a byte.

        Args:
            sep: one ASCII character to put between groups of digits.
            bytes_per_sep: size of a group, counted from the right; from the left
                where negative.

        Example:
            >>> Bytes("0xdeadbeef").hex(), Bytes("0xdeadbeef").hex("_", 2)
            ('0xdeadbeef', '0xdead_beef')
        """
        if sep is None:
            return "0x" + bytes.hex(self)
        return "0x" + bytes.hex(self, sep, bytes_per_sep)

    def keccak256(self) -> Hash:
        """
        Return the Keccak-256 hash of these bytes (Yellow Paper, section 2).

        Example:
            >>> Bytes(b"").keccak256()
            Hash('0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470')
        """
        return _new(Hash, hashing.keccak256(self))

    def sha256(self) -> Hash:
        """
        Return the SHA-256 hash of these bytes (FIPS 180-4).

        Example:
            >>> Bytes(b"").sha256()
            Hash('0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
        """
        from hashlib import sha256

        return _new(Hash, sha256(bytes.__bytes__(self)).digest())

    def __str__(self) -> str:
        """Return the 0x-text."""
        return "0x" + bytes.hex(self)

    def __repr__(self) -> str:
        """Return the type's name around the 0x-text."""
        return f"{type(self).__name__}('0x{bytes.hex(self)}')"

    def __format__(self, spec: str, /) -> str:
        """Format the 0x-text, so that ``f"{value:>70}"`` aligns."""
        return format("0x" + bytes.hex(self), spec)

    __hash__ = bytes.__hash__

    def __eq__(self, other: object, /) -> bool:
        """Compare with bytes, and with what stands for these bytes; never raise."""
        kind = type(other)
        if issubclass(kind, bytes):
            return bytes.__eq__(self, other)
        if issubclass(kind, str):
            return self._equals_text(other)  # type: ignore[arg-type]  # its class is a text's
        return self._equals_foreign(other)

    def __ne__(self, other: object, /) -> bool:
        """Return what ``==`` does not."""
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    def _equals_text(self, text: str) -> bool:
        """Return whether strict *text* stands for these bytes."""
        text = exact_text(text)
        if len(text) - 2 * len(self) not in (0, 2):
            return False
        try:
            return bytes.__eq__(self, parse_bytes(text))
        except HexError:
            return False

    def _equals_foreign(self, other: object) -> bool:
        """Compare with what is like bytes."""
        kind = type(other)
        if issubclass(kind, (bytearray, memoryview)):
            return bytes.__eq__(self, other)
        if hasattr(kind, "__float__") and not hasattr(kind, "__iter__"):
            # A number.  Left to itself, one of numpy's reads bytes as decimal text.
            return False
        if hasattr(kind, "__bytes__"):
            try:
                other = bytes(other)  # type: ignore[call-overload]  # its class has `__bytes__`
            except Exception:  # noqa: BLE001 - foreign code may raise anything
                # Foreign code may raise anything; what it cannot say is no match.
                return NotImplemented  # type: ignore[no-any-return]  # what a comparison may return beside a bool
        return bytes.__eq__(self, other)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy as type, content and, where there is one, dict."""
        return reduce_sized(self, _new(bytes, self))

    @classmethod
    def __get_pydantic_core_schema__(cls, source_type: Any, handler: Any) -> Any:
        """Validate by calling the class, serialise as 0x-text."""
        from hexary.typed.schema import text_schema

        return text_schema(cls, r"^0x([0-9a-fA-F]{2})*$")


class CoerceBytes(Bytes):
    r"""
    `Bytes` whose text may have blanks in it, as long hex in a source file does.

    Example:
        >>> CoerceBytes("0x 60 01\n60 02")
        CoerceBytes('0x60016002')
    """

    __slots__ = ()

    def __new__(cls, value: BytesConvertible = b"", /) -> Self:
        """Return *value* as an instance of this class, skipping blanks in text."""
        if issubclass(type(value), str):
            return _new(cls, parse_bytes(value, blanks=True))  # type: ignore[arg-type]  # its class is a text's
        return super().__new__(cls, value)


class FixedSizeBytes(Bytes, metaclass=SizedMeta):
    """
    Bytes of one size: the base of `Hash` and its like.

    ``FixedSizeBytes[4]`` is the class for four bytes.  A class statement with
    ``byte_length = 4`` makes one with a name, which is what to annotate with: a size is
    no type to a checker.

    Args:
        value: as for `Bytes`, or an int, which is padded on the left.  An instance of
            exactly this class is returned itself.
        left_padding: fill short bytes or text with zeros on the left.
        right_padding: fill short bytes or text with zeros on the right.

    Raises:
        HexError: *value* is text, but not hex.
        InputTypeError: *value* stands neither for bytes nor for an int.
        RangeError: *value* is a negative int, or one that takes more bytes.
        SizeError: *value* has another number of bytes.

    Example:
        >>> FixedSizeBytes[4](1), FixedSizeBytes[4]("0x01", right_padding=True)
        (FixedSizeBytes[4]('0x00000001'), FixedSizeBytes[4]('0x01000000'))
        >>> class Selector(FixedSizeBytes):
        ...     byte_length = 4
        >>> Selector("0xa9059cbb")
        Selector('0xa9059cbb')
    """

    __slots__ = ()

    byte_length: ClassVar[int]
    """The number of bytes."""

    def __init_subclass__(cls) -> None:
        """Refuse a ``byte_length`` that is no size."""
        super().__init_subclass__()
        check_byte_length(cls)

    def __class_getitem__(cls, size: int) -> type[Self]:
        """Return the subclass for *size* bytes, the same one every time."""
        return sized_class(cls, size)

    def __new__(
        cls,
        value: FixedSizeBytesConvertible,
        /,
        *,
        left_padding: bool = False,
        right_padding: bool = False,
    ) -> Self:
        """Return *value* as an instance of this class."""
        if type(value) is cls:
            return value
        try:
            size = cls.byte_length
        except AttributeError:
            rule = f"given a size first, as in {cls.__name__}[4]"
            raise InputTypeError(cls.__name__, rule, value) from None
        if type(value) is bytes and len(value) == size:
            return _new(cls, value)
        data = to_fixed_size_bytes(
            value,
            size,
            left_padding=left_padding,
            right_padding=right_padding,
            type_name=cls.__name__,
        )
        return _new(cls, data)

    @classmethod
    def from_text(
        cls,
        text: str,
        /,
        *,
        odd: Literal["refuse", "pad"] = "refuse",
        blanks: bool = False,
        left_padding: bool = False,
        right_padding: bool = False,
    ) -> Self:
        """
        Parse hex *text*, leniently where asked for, as `Bytes.from_text` does.

        Args:
            text: two hex digits a byte, with or without ``0x``.
            odd: ``"pad"`` puts a zero digit on the left of an odd number of digits.
            blanks: skip ASCII blanks, wherever they stand.
            left_padding: fill short text with zeros on the left.
            right_padding: fill short text with zeros on the right.

        Example:
            >>> ForkHash.from_text("0x123", odd="pad", left_padding=True)
            ForkHash('0x00000123')
        """
        data = parse_bytes(text, odd=odd, blanks=blanks)
        if not left_padding and not right_padding:
            return cls(data)  # padded as the class does by itself
        return cls(data, left_padding=left_padding, right_padding=right_padding)

    def __int__(self) -> int:
        """Return the bytes as a big-endian number, the one that they equal."""
        return int.from_bytes(self, "big")

    def _equals_foreign(self, other: object) -> bool:
        """Compare with what is like an int, or like bytes."""
        if hasattr(type(other), "__index__"):
            try:
                number = index(other)  # type: ignore[arg-type]  # its class has `__index__`
            except Exception:  # noqa: BLE001 - foreign code may raise anything
                # An array of numbers, say, that compares by itself if it wants to;
                # foreign code may raise anything else as well.
                return NotImplemented  # type: ignore[no-any-return]  # what a comparison may return beside a bool
            return int.from_bytes(self, "big") == number
        return super()._equals_foreign(other)

    @classmethod
    def __get_pydantic_core_schema__(cls, source_type: Any, handler: Any) -> Any:
        """Validate by calling the class, serialise as 0x-text."""
        from hexary.typed.schema import text_schema

        digits = 2 * getattr(cls, "byte_length", 0)
        return text_schema(cls, rf"^0x[0-9a-fA-F]{{{digits}}}$")


class Hash(FixedSizeBytes):
    """
    A 32-byte hash.

    Example:
        >>> Hash(1) == 1, Hash(1) in {1: "one"}
        (True, False)
    """

    __slots__ = ()
    byte_length = 32


class StorageKey(FixedSizeBytes):
    r"""
    A 32-byte storage slot key, written short or long.

    It is a number by nature, and clients spell it as they like (``0x5``, ``0x05``,
    ``0x``, 64 digits), so short values are padded on the left and an odd number of
    digits is fine.  ``left_padding=False`` asks for all 32 bytes.

    Example:
        >>> StorageKey("0x5") == StorageKey(5) == StorageKey(b"\x05")
        True
    """

    __slots__ = ()
    byte_length = 32

    def __new__(
        cls,
        value: FixedSizeBytesConvertible,
        /,
        *,
        left_padding: bool | None = None,
        right_padding: bool = False,
    ) -> Self:
        """Return *value* as an instance of this class, padded on the left."""
        if type(value) is bytes and len(value) == cls.byte_length:
            return _new(cls, value)
        left = not right_padding if left_padding is None else left_padding
        if left and issubclass(type(value), str):
            value = parse_bytes(value, odd="pad")  # type: ignore[arg-type]  # its class is a text's
        return super().__new__(
            cls, value, left_padding=left, right_padding=right_padding
        )

    def _equals_text(self, text: str) -> bool:
        """Return whether *text* stands for this key in any of its spellings."""
        text = exact_text(text)
        if len(text) > 2 * len(self) + 2:
            return False
        try:
            data = parse_bytes(text, odd="pad")
        except HexError:
            return False
        return bytes.__eq__(self, data.rjust(len(self), b"\0"))


class HeaderNonce(FixedSizeBytes):
    """
    The 8-byte proof-of-work nonce of a header (Yellow Paper, section 4.3).

    Example:
        >>> HeaderNonce(66)
        HeaderNonce('0x0000000000000042')
    """

    __slots__ = ()
    byte_length = 8


class ForkHash(FixedSizeBytes):
    """
    The 4-byte checksum that identifies a fork (EIP-2124).

    Example:
        >>> ForkHash("0xfc64ec04")
        ForkHash('0xfc64ec04')
    """

    __slots__ = ()
    byte_length = 4


class BLSPublicKey(FixedSizeBytes):
    """
    A 48-byte BLS12-381 public key, as deposits carry it (EIP-6110).

    Nothing says that the bytes are a point on the curve.

    Example:
        >>> len(BLSPublicKey(0))
        48
    """

    __slots__ = ()
    byte_length = 48


class BLSSignature(FixedSizeBytes):
    """
    A 96-byte BLS12-381 signature, as deposits carry it (EIP-6110).

    Nothing says that the bytes are a point on the curve.

    Example:
        >>> len(BLSSignature(0))
        96
    """

    __slots__ = ()
    byte_length = 96
