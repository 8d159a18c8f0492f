"""
From anything that can stand for bytes or a number to exactly that.

The functions have the names and the parameters of the ones that the types of
execution-specs' testing package are built on, and the strictness of this package.
What counts as what:

* **bytes**: bytes and its subclasses, bytearray, memoryview (any format and shape, as
  its ``tobytes()``), objects with ``__bytes__``, a list or tuple of ints from 0 to 255,
  and hex text.  An int has no size of its own, so it is not bytes.
* **number**: int and its subclasses, so that ``True`` is 1; objects with ``__index__``,
  which is what numpy's ints are; text (``"0xff"`` or ``"255"``); and bytes, read as a
  big-endian number.  A float is never a number here.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import index
from typing import TYPE_CHECKING, Any, SupportsBytes, SupportsIndex, TypeAlias

from hexary.errors import InputTypeError, RangeError, SizeError
from hexary.typed.buffer import bytes_of_buffer
from hexary.typed.hexstr import encode_hex, parse_bytes, parse_quantity
from hexary.typed.sized import checked_size

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "BytesConvertible",
    "FixedSizeBytesConvertible",
    "NumberConvertible",
    "to_bytes",
    "to_fixed_size_bytes",
    "to_hex",
    "to_json",
    "to_number",
]

BytesConvertible: TypeAlias = (
    str | bytes | bytearray | memoryview | SupportsBytes | list[int] | tuple[int, ...]
)
"""What `to_bytes` accepts."""

FixedSizeBytesConvertible: TypeAlias = BytesConvertible | int | SupportsIndex
"""What `to_fixed_size_bytes` accepts."""

NumberConvertible: TypeAlias = (
    str | bytes | bytearray | memoryview | SupportsBytes | int | SupportsIndex
)
"""What `to_number` accepts."""

_BYTES_TYPES = (
    "bytes, bytearray, memoryview, hex text, an object with __bytes__ or a list of ints"
)
_NUMBER_TYPES = "an int, an object with __index__, number text or bytes"


def to_bytes(value: BytesConvertible, /) -> bytes:
    r"""
    Return *value* as plain bytes.

    Raises:
        HexError: *value* is text, but not hex.
        InputTypeError: *value* does not stand for bytes.
        RangeError: *value* is a list with an int outside 0 to 255.

    Example:
        >>> to_bytes("0xdead"), to_bytes([1, 2]), to_bytes(bytearray(b"ab"))
        (b'\xde\xad', b'\x01\x02', b'ab')
    """
    kind = type(value)
    if issubclass(kind, str):
        return parse_bytes(value)  # type: ignore[arg-type]  # its class is a text's
    data = bytes_of_buffer(value)
    if data is not None:
        return data
    if issubclass(kind, (list, tuple)):
        return _bytes_of_ints(value)  # type: ignore[arg-type]  # its class is a sequence's
    if hasattr(kind, "__bytes__"):
        # What the object answers may be of a class of its own again.
        return bytes.__bytes__(bytes(value))  # type: ignore[arg-type]  # its class has `__bytes__`
    hint = ""
    if issubclass(kind, Iterable):
        hint = "make it bytes or a list, whichever is meant"
    elif hasattr(kind, "__index__"):
        hint = "an int has no size of its own, so use a fixed-size type"
    raise InputTypeError("value", _BYTES_TYPES, value, hint=hint)


def _bytes_of_ints(values: Sequence[int]) -> bytes:
    """Return a list of small ints as bytes, naming the one that is not."""
    try:
        return bytes(values)
    except (TypeError, ValueError, OverflowError):
        for place, value in enumerate(values):
            if not hasattr(type(value), "__index__"):
                raise InputTypeError(
                    f"item {place} of a list of bytes", "an int", value
                ) from None
            number = index(value)
            if not 0 <= number <= 255:
                raise RangeError(
                    f"item {place} of a list of bytes", number, 0, 255
                ) from None
        raise  # pragma: no cover - an __index__ that fails by itself


def to_fixed_size_bytes(
    value: FixedSizeBytesConvertible,
    /,
    size: int,
    *,
    left_padding: bool = False,
    right_padding: bool = False,
    type_name: str = "the value",
) -> bytes:
    r"""
    Return *value* as exactly *size* plain bytes.

    Ints are always padded on the left: they are big-endian numbers.  Everything else is
    padded only where it is asked for, and never cut.

    Args:
        value: bytes as in `to_bytes`, or a number that is an int.
        size: the number of bytes.
        left_padding: fill short bytes with zeros on the left.
        right_padding: fill short bytes with zeros on the right.
        type_name: what to call the value in errors.

    Raises:
        HexError: *value* is text, but not hex.
        InputTypeError: *value* does not stand for bytes, *size* is not an int, or both
            paddings are asked for.
        RangeError: *value* is a negative int, or one that takes more bytes; or *size*
            is negative.
        SizeError: *value* has another number of bytes.

    Example:
        >>> to_fixed_size_bytes(1, 4)
        b'\x00\x00\x00\x01'
        >>> to_fixed_size_bytes("0x01", 4, right_padding=True)
        b'\x01\x00\x00\x00'
    """
    if left_padding and right_padding:
        rule = "left or right, not both"
        raise InputTypeError("padding", rule, (left_padding, right_padding))
    if type(size) is not int or size < 0:
        size = checked_size(size, f"size of {type_name}")
    if issubclass(type(value), (bytes, str)):
        # Told apart first: numpy's text and bytes scalars are of these.
        data = to_bytes(value)  # type: ignore[arg-type]  # its class has `__bytes__`
    elif hasattr(type(value), "__index__"):
        number = _index(value, _BYTES_TYPES + ", or an int")
        if number < 0 or number.bit_length() > 8 * size:
            raise RangeError(type_name, number, 0, (1 << 8 * size) - 1)
        return number.to_bytes(size, "big")
    else:
        data = to_bytes(value)  # type: ignore[arg-type]  # its class has `__bytes__`
    if len(data) == size:
        return data
    if len(data) < size:
        if left_padding:
            return data.rjust(size, b"\0")
        if right_padding:
            return data.ljust(size, b"\0")
    raise SizeError(type_name, size, len(data), value)


def to_hex(value: BytesConvertible, /) -> str:
    r"""
    Return *value*, bytes as in `to_bytes`, as ``0x`` and two digits a byte.

    Example:
        >>> to_hex(b"\x0f"), to_hex("0F")
        ('0x0f', '0x0f')
    """
    return encode_hex(to_bytes(value))


def to_number(value: NumberConvertible, /) -> int:
    r"""
    Return *value* as a plain int.

    Raises:
        HexError: *value* is text, but not a number.
        InputTypeError: *value* does not stand for a number.

    Example:
        >>> to_number("0xff"), to_number("255"), to_number(b"\x00\xff")
        (255, 255, 255)
    """
    kind = type(value)
    if issubclass(kind, str):
        return parse_quantity(value, signed=True)  # type: ignore[arg-type]  # its class is a text's
    data = bytes_of_buffer(value)
    if data is not None:
        return int.from_bytes(data, "big")
    if hasattr(kind, "__index__"):
        return _index(value, _NUMBER_TYPES)
    if hasattr(kind, "__bytes__"):
        return int.from_bytes(to_bytes(value), "big")  # type: ignore[arg-type]  # its class has `__bytes__`
    raise InputTypeError("value", _NUMBER_TYPES, value)


def _index(value: Any, accepted: str) -> int:
    """Return the int that *value* is, also where its ``__index__`` has conditions."""
    try:
        return index(value)
    except TypeError:
        # An array of one number is an index, one of several is not.
        raise InputTypeError("value", accepted, value) from None


def to_json(value: Any, /) -> Any:
    r"""
    Return *value* in the form that it has in a fixture's JSON.

    Typed values become their text, other bytes 0x-hex and other ints decimal text; a
    list or tuple becomes the list of its items' forms; a pydantic model is dumped by
    alias and without its empty fields.  Also fits ``enc_hook`` of msgspec.

    Raises:
        InputTypeError: *value* is of another type, or a list that contains itself.

    Example:
        >>> from hexary.typed import Address, HexNumber
        >>> to_json([HexNumber(16), b"\x01"])
        ['0x10', '0x01']
    """
    if not issubclass(type(value), (list, tuple)):
        return _json_form(value)
    # Not by recursion: what `rlp.decode` returns may be deeper than Python's limit.
    top: list[Any] = []
    stack = [(value, iter(value), top)]
    opened = {id(value)}
    while stack:
        owner, values, forms = stack[-1]
        for item in values:
            if issubclass(type(item), (list, tuple)):
                if id(item) in opened:
                    rule = "a list that does not contain itself"
                    raise InputTypeError("value", rule, item)
                opened.add(id(item))
                stack.append((item, iter(item), []))
                forms.append(stack[-1][2])
                break
            forms.append(_json_form(item))
        else:
            opened.remove(id(owner))
            stack.pop()
    return top


def _json_form(value: Any) -> Any:
    """Return *value*, no list, in the form that `to_json` gives it."""
    from hexary.typed.number import Number

    kind = type(value)
    if hasattr(kind, "model_dump"):
        return value.model_dump(mode="json", by_alias=True, exclude_none=True)
    if issubclass(kind, str):
        return str.__str__(value)
    data = bytes_of_buffer(value)
    if data is not None:
        # Of any class: the text of foreign ones is not hex.
        return encode_hex(data)
    if issubclass(kind, Number):
        return str(value)
    if issubclass(kind, int):
        return int.__repr__(index(value))
    raise InputTypeError("value", "a typed value, a model or a list of them", value)
