"""
Fields of a JSON object from a genesis or alloc file, read strictly, with their place.

Clients spell the same field differently (``mixHash``, ``mixhash``) and compare names
without regard to case, so `JsonObject` finds them that way.  ``null`` is the same as
absent.  Whatever is wrong with a field is a `FixtureError` with the field's path, such
as ``alloc.0x0000000000000000000000000000000000000001.balance``.

Numbers are *quantities*: 0x-hex with any number of digits, decimal text (with leading
zeros if it must be: ``"01"`` is one), or a JSON integer; never a float or a boolean.
Bytes are *data*: hex, with or without 0x, whole bytes only.  Numbers are never padded
into data, nor data read as numbers.

A program that has read an answer may have bytes where JSON has hex text, and mappings
of its own for objects (web3.py's ``HexBytes`` and ``AttributeDict`` are such).  Bytes
stand for what their hex text would: data of the same size, or a quantity of no more
than its bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hexary.errors import FixtureError, HexaryError, describe, shorten
from hexary.integer import int_of
from hexary.typed.buffer import bytes_of_buffer
from hexary.typed.hexstr import parse_bytes, parse_quantity

__all__ = [
    "JsonObject",
    "describe_json",
    "join_path",
    "no_object",
    "read_data",
    "read_quantity",
    "same_value",
]

_LONGEST_NUMBER = 1024
"""Characters of a quantity's text; 2^256 has 78 digits, the rest would be zeros."""


def join_path(path: str, key: str) -> str:
    """Return the path of the member *key* of what stands at *path*."""
    step = key if len(key) <= 66 and key.isprintable() else shorten(key)
    return f"{path}.{step}" if path else step


def describe_json(value: object) -> str:
    """
    Return a JSON value and its kind, in a few words.

    Example:
        >>> describe_json(1.5), describe_json([]), describe_json(None)
        ('float 1.5', 'list of 0', 'null')
    """
    return "null" if value is None else describe(value)


def no_object(value: object) -> str:
    """
    Return what to say of a JSON value that has to be an object and is none.

    Example:
        >>> no_object([])
        'must be an object, got list of 0'
        >>> no_object("{}")
        "must be an object, got str '{}'; JSON text is read with json.loads first"
    """
    told = f"must be an object, got {describe_json(value)}"
    text = isinstance(value, (str, bytes)) and value[:80].lstrip()[:1] in ("{", b"{")
    return f"{told}; JSON text is read with json.loads first" if text else told


def same_value(left: object, right: object) -> bool:
    """
    Return whether two JSON values, or two decoded RLP items, are equal.

    Unlike ``==`` it does not recurse, so that the depth of a value, which is input,
    meets no limit of the interpreter's.

    Example:
        >>> same_value([1, {"a": []}], [1, {"a": []}]), same_value([[b""]], [b""])
        (True, False)
    """
    pairs = [(left, right)]
    while pairs:
        one, other = pairs.pop()
        if isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            pairs.extend(zip(one, other, strict=True))
        elif isinstance(one, dict) and isinstance(other, dict):
            if one.keys() != other.keys():
                return False
            pairs.extend((value, other[key]) for key, value in one.items())
        elif one != other:
            return False
    return True


def read_quantity(value: object, *, bits: int = 256, file: str, field: str) -> int:
    """
    Return the number that a JSON value stands for.

    Args:
        value: 0x-hex text, decimal text, an int, or at least one byte.
        bits: it is below 2^bits.
        file: the file's name, for messages.
        field: the value's path, for messages.

    Raises:
        FixtureError: if it is another kind of value, malformed, or out of range.
    """
    if isinstance(value, str):
        if len(value) > _LONGEST_NUMBER:
            raise FixtureError(
                f"{shorten(value)} is too long for a number", file=file, field=field
            )
        digits = value
        if value[:1] == "0" and value.isascii() and value.isdecimal():
            digits = value.lstrip("0") or "0"
        try:
            number = parse_quantity(digits)
        except HexaryError as error:
            raise FixtureError(str(error), file=file, field=field) from None
    else:
        found = int_of(value)
        if found is None:
            found = _number_of_bytes(value, bits, file, field)
        number = found
    if number < 0 or number >> bits:
        raise FixtureError(
            f"must be from 0 to 2^{bits}-1, got {shorten(number)}",
            file=file,
            field=field,
        )
    return number


def _number_of_bytes(value: object, bits: int, file: str, field: str) -> int:
    """Return the number that bytes are, big-endian; refuse other values."""
    data = bytes_of_buffer(value)
    if data is None:
        raise FixtureError(
            f"must be an integer, or hex or decimal text, got {describe_json(value)}",
            file=file,
            field=field,
        )
    if not 0 < 8 * len(data) <= bits:
        raise FixtureError(
            f"must be 1 to {bits // 8} bytes, got {len(data)}: {shorten(data)}",
            file=file,
            field=field,
        )
    return int.from_bytes(data, "big")


def read_data(
    value: object, *, size: int | None = None, file: str, field: str
) -> bytes:
    """
    Return the bytes that a JSON value stands for.

    Args:
        value: hex text, with or without 0x, or the bytes themselves.
        size: how many bytes there must be; any number if ``None``.
        file: the file's name, for messages.
        field: the value's path, for messages.

    Raises:
        FixtureError: if it is neither, not hex, or of another size.
    """
    data = bytes_of_buffer(value)
    if data is None:
        if not isinstance(value, str):
            raise FixtureError(
                f"must be hex text, got {describe_json(value)}", file=file, field=field
            )
        try:
            data = parse_bytes(value)
        except HexaryError as error:
            raise FixtureError(str(error), file=file, field=field) from None
    if size is not None and len(data) != size:
        raise FixtureError(
            f"must be {size} bytes, got {len(data)}: {shorten(value)}",
            file=file,
            field=field,
        )
    return data


class JsonObject:
    """
    A JSON object whose members are fields, found without regard to case.

    Args:
        value: the object, as a JSON reader returns it, or another mapping.
        file: the file's name, for messages.
        path: the object's own path, for messages.

    Raises:
        FixtureError: if *value* is not an object.

    Example:
        >>> JsonObject({"gasLimit": "0x1388"}).quantity("gaslimit")
        5000
    """

    __slots__ = ("_members", "_spellings", "file", "path")

    def __init__(self, value: object, *, file: str = "", path: str = "") -> None:
        if not isinstance(value, Mapping):
            raise FixtureError(no_object(value), file=file, field=path)
        self._members: Mapping[Any, Any] = value
        self._spellings: dict[str, list[str]] | None = None
        self.file = file
        self.path = path

    def _spelling(self, name: str) -> str | None:
        """Return how the object spells the field *name*, ``None`` if it has none."""
        if self._spellings is None:
            self._spellings = {}
            for key in self._members:
                if not isinstance(key, str):
                    raise FixtureError(
                        f"keys must be text, got {describe_json(key)}",
                        file=self.file,
                        field=self.path,
                    )
                self._spellings.setdefault(key.lower(), []).append(key)
        spellings = self._spellings.get(name.lower())
        if spellings is None:
            return None
        first, *others = spellings
        for other in others:
            if not same_value(self._members[other], self._members[first]):
                raise FixtureError(
                    f"{shorten(first)} and {shorten(other)} name one field, and differ",
                    file=self.file,
                    field=self.path,
                )
        return first

    def field(self, name: str) -> str:
        """Return the path of the field *name*, spelled as in the object."""
        return join_path(self.path, self._spelling(name) or name)

    def error(self, name: str, rule: str) -> FixtureError:
        """Return the error that the field *name* breaks *rule*."""
        return FixtureError(rule, file=self.file, field=self.field(name))

    def get(self, name: str) -> Any:
        """Return the value of the field *name*, ``None`` if absent or null."""
        spelling = self._spelling(name)
        return None if spelling is None else self._members[spelling]

    def object(self, name: str) -> JsonObject | None:
        """Return the object in the field *name*, ``None`` if absent or null."""
        value = self.get(name)
        if value is None:
            return None
        return JsonObject(value, file=self.file, path=self.field(name))

    def quantity(self, name: str, *, bits: int = 256) -> int | None:
        """Return the number in the field *name*, ``None`` if absent or null."""
        value = self.get(name)
        if value is None:
            return None
        return read_quantity(value, bits=bits, file=self.file, field=self.field(name))

    def required_quantity(self, name: str, *, bits: int = 256) -> int:
        """Return the number in the field *name*, which must be there."""
        number = self.quantity(name, bits=bits)
        if number is None:
            raise self.error(name, "is missing")
        return number

    def data(self, name: str, *, size: int | None = None) -> bytes | None:
        """Return the bytes in the field *name*, ``None`` if absent or null."""
        value = self.get(name)
        if value is None:
            return None
        return read_data(value, size=size, file=self.file, field=self.field(name))
