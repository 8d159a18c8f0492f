"""
Byte strings, integers and booleans as the payloads of strings.

RLP knows strings and lists only.  What a string means is a convention on top of it:

========  ==========================  ============================================
value     payload                     encodings
========  ==========================  ============================================
integer   big-endian, no leading      0 is ``80``, 15 is ``0f``, 1024 is ``820400``
          zero byte; 0 is empty
boolean   as the integers 0 and 1     false is ``80``, true is ``01``
bytes     themselves, often of a      a 20-byte address is ``94`` and its bytes
          fixed size
========  ==========================  ============================================

``decode_*`` take a whole encoding.  ``*_from_payload`` take an item that `decode` has
returned and, for the error, where it stood and which field it is; the bytes that their
errors show are those of the payload, as the input is not at hand.

**Which error wins.**  First the rules for the header of the item (see
`hexary.rlp.decoding`), then ``EXPECTED_STRING`` if it is a list, whose items are not
looked at.  Then the rules for the payload: ``LEADING_ZERO_INTEGER`` before
``INTEGER_TOO_LARGE``; ``NOT_A_BOOLEAN``; ``WRONG_SIZE``.  ``TRAILING_BYTES`` comes
last.

Source: Yellow Paper, appendix B.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexary.errors import DecodeError, DecodeReason, InputTypeError
from hexary.rlp.decoding import as_bytes, check_limit, fault, read_header

if TYPE_CHECKING:
    from hexary.rlp.decoding import BytesLike, Item

__all__ = [
    "bool_from_payload",
    "bytes_from_payload",
    "decode_bool",
    "decode_bytes",
    "decode_uint",
    "uint_from_payload",
]


def decode_uint(data: BytesLike, *, bits: int | None = 256) -> int:
    """
    Return the unsigned integer that *data* encode.

    Args:
        data: exactly one canonical encoding.
        bits: the width of the integer; ``None`` for any.

    Raises:
        DecodeError: *data* are not the encoding of such an integer.
        InputTypeError: *data* are not bytes, or *bits* is not an int.
        RangeError: *bits* is negative.

    Example:
        >>> decode_uint(bytes.fromhex("820400"))
        1024
    """
    bits = check_limit(bits, "bits")
    data = as_bytes(data)
    payload, stop = _read_string(data)
    value = _to_uint(payload, bits, _Place(data))
    _check_end(data, stop)
    return value


def decode_bool(data: BytesLike) -> bool:
    """
    Return the boolean that *data* encode: ``80`` is false and ``01`` is true.

    Args:
        data: exactly one canonical encoding.

    Raises:
        DecodeError: *data* are not the encoding of a boolean.
        InputTypeError: *data* are not bytes.

    Example:
        >>> decode_bool(bytes.fromhex("01")), decode_bool(bytes.fromhex("80"))
        (True, False)
    """
    data = as_bytes(data)
    payload, stop = _read_string(data)
    value = _to_bool(payload, _Place(data))
    _check_end(data, stop)
    return value


def decode_bytes(data: BytesLike, *, size: int | None = None) -> bytes:
    """
    Return the byte string that *data* encode.

    Args:
        data: exactly one canonical encoding.
        size: how many bytes it has to have; ``None`` for any number.

    Raises:
        DecodeError: *data* are not the encoding of such a string.
        InputTypeError: *data* are not bytes, or *size* is not an int.
        RangeError: *size* is negative.

    Example:
        >>> decode_bytes(bytes.fromhex("83646f67"), size=3)
        b'dog'
    """
    size = check_limit(size, "size")
    data = as_bytes(data)
    payload, stop = _read_string(data)
    _check_size(payload, size, _Place(data))
    _check_end(data, stop)
    return payload


def uint_from_payload(
    payload: Item, *, bits: int | None = 256, offset: int = 0, field: str = ""
) -> int:
    """
    Return the unsigned integer that a decoded item stands for.

    Args:
        payload: an item that `decode` has returned.
        bits: the width of the integer; ``None`` for any.
        offset: where the item stood in the input, for the error.
        field: the path of the field it belongs to, for the error.

    Raises:
        DecodeError: it is a list, has a leading zero byte or is too large.
        InputTypeError: *payload* is not a decoded item, or *bits* is not an int.
        RangeError: *bits* is negative.

    Example:
        >>> uint_from_payload(bytes.fromhex("0400"))
        1024
        >>> from hexary import DecodeError
        >>> try:
        ...     uint_from_payload(bytes(1), offset=7, field="transaction.value")
        ... except DecodeError as error:
        ...     print(str(error).partition(";")[0])
        transaction.value: an integer has no leading zero byte
    """
    bits = check_limit(bits, "bits")
    place = _Place(payload, offset, field)
    return _to_uint(_string(payload, place), bits, place)


def bool_from_payload(payload: Item, *, offset: int = 0, field: str = "") -> bool:
    """
    Return the boolean that a decoded item stands for.

    Args:
        payload: an item that `decode` has returned.
        offset: where the item stood in the input, for the error.
        field: the path of the field it belongs to, for the error.

    Raises:
        DecodeError: it is neither the empty string nor the byte 1.
        InputTypeError: *payload* is not a decoded item.

    Example:
        >>> bool_from_payload(bytes([1])), bool_from_payload(b"")
        (True, False)
    """
    place = _Place(payload, offset, field)
    return _to_bool(_string(payload, place), place)


def bytes_from_payload(
    payload: Item, *, size: int | None = None, offset: int = 0, field: str = ""
) -> bytes:
    """
    Return a decoded item that has to be a byte string, of *size* bytes if given.

    Args:
        payload: an item that `decode` has returned.
        size: how many bytes it has to have; ``None`` for any number.
        offset: where the item stood in the input, for the error.
        field: the path of the field it belongs to, for the error.

    Raises:
        DecodeError: it is a list, or of another size.
        InputTypeError: *payload* is not a decoded item, or *size* is not an int.
        RangeError: *size* is negative.

    Example:
        >>> bytes_from_payload(b"dog", size=3)
        b'dog'
    """
    size = check_limit(size, "size")
    place = _Place(payload, offset, field)
    string = _string(payload, place)
    _check_size(string, size, place)
    return string


class _Place:
    """Where a payload comes from, as an error tells it."""

    __slots__ = ("field", "offset", "seen")

    def __init__(self, seen: Item, offset: int = 0, field: str = "") -> None:
        self.seen = seen
        self.offset = offset
        self.field = field

    def fault(self, reason: DecodeReason, detail: str = "") -> DecodeError:
        """Return the error for a payload from here."""
        return DecodeError(
            reason,
            offset=self.offset,
            data=self.seen[:32] if isinstance(self.seen, bytes) else b"",
            field=self.field,
            detail=detail,
        )


def _to_uint(payload: bytes, bits: int | None, place: _Place) -> int:
    """Return *payload* as an integer of at most *bits* bits."""
    if payload:
        if payload[0] == 0:
            raise place.fault(DecodeReason.LEADING_ZERO_INTEGER)
        # Known from the size, so that a huge payload is refused before it is a number.
        width = 8 * (len(payload) - 1) + payload[0].bit_length()
        if bits is not None and width > bits:
            detail = f"{bits} bits, got {width}"
            raise place.fault(DecodeReason.INTEGER_TOO_LARGE, detail)
    return int.from_bytes(payload, "big")


def _to_bool(payload: bytes, place: _Place) -> bool:
    """Return *payload* as a boolean."""
    if payload not in (b"", b"\x01"):
        raise place.fault(DecodeReason.NOT_A_BOOLEAN)
    return bool(payload)


def _check_size(payload: bytes, size: int | None, place: _Place) -> None:
    """Refuse a *payload* that is not of *size* bytes."""
    if size is not None and len(payload) != size:
        detail = f"{size} bytes, got {len(payload)}"
        raise place.fault(DecodeReason.WRONG_SIZE, detail)


def _string(item: Item, place: _Place) -> bytes:
    """Return the decoded *item*, which has to be a string."""
    if issubclass(type(item), bytes):
        return as_bytes(item)  # type: ignore[arg-type]  # its class is that of bytes
    if issubclass(type(item), list):
        raise place.fault(DecodeReason.EXPECTED_STRING)
    raise InputTypeError("payload", "bytes or list, as decode returns them", item)


def _read_string(data: bytes) -> tuple[bytes, int]:
    """Return the payload of the string that *data* begin with, and where it stops."""
    if not data:
        raise fault(DecodeReason.EMPTY_INPUT, data, 0)
    start, stop = read_header(data, 0, len(data), DecodeReason.TRUNCATED)
    if data[0] >= 0xC0:
        raise fault(DecodeReason.EXPECTED_STRING, data, 0)
    return data[start:stop], stop


def _check_end(data: bytes, stop: int) -> None:
    """Refuse bytes left over from *stop*."""
    if stop != len(data):
        raise fault(DecodeReason.TRAILING_BYTES, data, stop)
