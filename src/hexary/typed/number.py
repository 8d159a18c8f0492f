"""
Numbers with a textual form: ints that print, parse and serialise as fixtures have them.

All are subclasses of `int` without attributes of their own: they compare, hash and
calculate as ints, and the result of arithmetic is a plain int.  What differs is the
text that ``str``, ``hex()`` and JSON give:

=====================  ==========  ==================
class                  ``str``     range
=====================  ==========  ==================
`Number`               ``10``      any
`HexNumber`            ``0xa``     0 and up
`ZeroPaddedHexNumber`  ``0x0a``    0 and up
`FixedSizeHexNumber`   ``0x0a``    0 to 256^n - 1
`HashInt`              ``0x0a``    0 to 2^256 - 1
=====================  ==========  ==================
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from hexary.errors import InputTypeError, RangeError
from hexary.typed.conversion import NumberConvertible, to_number
from hexary.typed.sized import SizedMeta, check_byte_length, reduce_sized, sized_class

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "FixedSizeHexNumber",
    "HashInt",
    "HexNumber",
    "Number",
    "NumberBoundTypeVar",
    "ZeroPaddedHexNumber",
]

_new: Callable[..., Any] = int.__new__


class Number(int):
    r"""
    A number whose text is decimal.

    Args:
        value: an int or what has ``__index__`` (bool and numpy's ints do), text such
            as ``"0xff"``, ``"255"`` or ``"-1"``, or bytes, read big-endian.  An
            instance of exactly this class is returned itself.

    Raises:
        HexError: *value* is text, but not a number.
        InputTypeError: *value* does not stand for a number; a float does not.

    Example:
        >>> Number("0xff"), Number(b"\x01\x00"), str(Number(255))
        (Number(255), Number(256), '255')
    """

    __slots__ = ()

    def __new__(cls, value: NumberConvertible, /) -> Self:
        """Return *value* as an instance of this class."""
        if type(value) is cls:
            return value
        return _new(cls, to_number(value))  # type: ignore[no-any-return]  # `int.__new__`, kept as any callable

    def hex(self) -> str:
        """
        Return the number as ``0x`` and hex digits without leading zeros.

        Example:
            >>> Number(10).hex()
            '0xa'
        """
        return hex(self)

    def __str__(self) -> str:
        """Return the decimal text."""
        return int.__repr__(self)

    def __repr__(self) -> str:
        """Return the type's name around the text."""
        return f"{type(self).__name__}({self})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy as type, value and, where there is one, dict."""
        return reduce_sized(self, int(self))

    @classmethod
    def __get_pydantic_core_schema__(cls, source_type: Any, handler: Any) -> Any:
        """Validate by calling the class, serialise as its text."""
        from hexary.typed.schema import number_schema

        return number_schema(cls)


class HexNumber(Number):
    """
    A number from 0 up whose text is hex, as JSON-RPC writes quantities.

    Raises:
        RangeError: the number is negative; its text would have no hex form.

    Example:
        >>> str(HexNumber(10)), f"{HexNumber(10):d}"
        ('0xa', '10')
    """

    __slots__ = ()

    def __new__(cls, value: NumberConvertible, /) -> Self:
        """Return *value* as an instance of this class."""
        if type(value) is cls:
            return value
        number = to_number(value)
        if number < 0:
            raise RangeError(cls.__name__, number, 0, None)
        return _new(cls, number)  # type: ignore[no-any-return]  # `int.__new__`, kept as any callable

    def __str__(self) -> str:
        """Return the hex text."""
        return self.hex()

    @classmethod
    def __get_pydantic_core_schema__(cls, source_type: Any, handler: Any) -> Any:
        """Validate by calling the class, serialise as its text."""
        from hexary.typed.schema import text_schema

        return text_schema(cls, r"^0x[0-9a-fA-F]+$")


class ZeroPaddedHexNumber(HexNumber):
    """
    A number from 0 up whose hex text has whole bytes, as fixtures write most numbers.

    Example:
        >>> str(ZeroPaddedHexNumber(10)), str(ZeroPaddedHexNumber(0))
        ('0x0a', '0x00')
    """

    __slots__ = ()

    def hex(self) -> str:
        """
        Return the number as ``0x`` and an even number of hex digits, at least two.

        Example:
            >>> ZeroPaddedHexNumber(256).hex()
            '0x0100'
        """
        digits = int.__format__(self, "x")
        return f"0x0{digits}" if len(digits) % 2 else f"0x{digits}"

    @classmethod
    def __get_pydantic_core_schema__(cls, source_type: Any, handler: Any) -> Any:
        """Validate by calling the class, serialise as its text."""
        from hexary.typed.schema import text_schema

        return text_schema(cls, r"^0x([0-9a-fA-F]{2})+$")


class _LargestNumber:
    """The largest number of ``byte_length`` bytes, worked out when it is asked for."""

    __slots__ = ()

    def __get__(self, instance: object, owner: type[FixedSizeHexNumber]) -> int:
        return (1 << 8 * owner.byte_length) - 1


class FixedSizeHexNumber(ZeroPaddedHexNumber, metaclass=SizedMeta):
    """
    A number that fits in some bytes: the base of `HashInt`.

    ``FixedSizeHexNumber[8]`` is the class for eight bytes; a class statement with
    ``byte_length = 8`` makes one with a name, to annotate with.  Its text is not padded
    to that size.

    Raises:
        RangeError: the number is negative or too large.

    Example:
        >>> FixedSizeHexNumber[2](65535), FixedSizeHexNumber[2].max_value
        (FixedSizeHexNumber[2](0xffff), 65535)
        >>> HashInt(-1)
        Traceback (most recent call last):
        hexary.errors.RangeError: HashInt must be from 0 to 2^256-1, got -1
    """

    __slots__ = ()

    byte_length: ClassVar[int]
    """The number of bytes."""

    max_value: ClassVar[_LargestNumber] = _LargestNumber()
    """The largest number, which follows from `byte_length`."""

    def __init_subclass__(cls) -> None:
        """Refuse a ``byte_length`` that is no size."""
        super().__init_subclass__()
        check_byte_length(cls)

    def __class_getitem__(cls, size: int) -> type[Self]:
        """Return the subclass for *size* bytes, the same one every time."""
        return sized_class(cls, size)

    def __new__(cls, value: NumberConvertible, /) -> Self:
        """Return *value* as an instance of this class."""
        if type(value) is cls:
            return value
        try:
            size = cls.byte_length
        except AttributeError:
            rule = f"given a size first, as in {cls.__name__}[4]"
            raise InputTypeError(cls.__name__, rule, value) from None
        number = to_number(value)
        if number < 0 or number.bit_length() > 8 * size:
            raise RangeError(cls.__name__, number, 0, cls.max_value)
        return _new(cls, number)  # type: ignore[no-any-return]  # `int.__new__`, kept as any callable

    @classmethod
    def __get_pydantic_core_schema__(cls, source_type: Any, handler: Any) -> Any:
        """Validate by calling the class, serialise as its text."""
        from hexary.typed.schema import text_schema

        size = max(getattr(cls, "byte_length", 1), 1)
        return text_schema(cls, rf"^0x([0-9a-fA-F]{{2}}){{1,{size}}}$")


class HashInt(FixedSizeHexNumber):
    """
    A 32-byte number, as storage keys and values are.

    Example:
        >>> HashInt("0x0a"), str(HashInt(10))
        (HashInt(0x0a), '0x0a')
    """

    __slots__ = ()
    byte_length = 32


NumberBoundTypeVar = TypeVar(
    "NumberBoundTypeVar", Number, HexNumber, ZeroPaddedHexNumber
)
"""For functions that return the same class of number as they take."""
