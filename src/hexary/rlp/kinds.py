"""
Kinds of field that are strings: bytes, integers, booleans, and items as they are.

A `Kind` is what an annotation comes to (see `hexary.rlp.fields`).  It knows how its
values are checked, read, written and spelled in JSON.  Reading is there twice: `read`
is the definition and explains what is wrong, `write_read` writes code that is fast and
accepts nothing that `read` does not.
"""

# ruff: noqa: ARG002 - the methods of all kinds share their parameters

from __future__ import annotations

from abc import ABC, abstractmethod
from operator import index
from typing import TYPE_CHECKING, Any, NamedTuple

from hexary.errors import (
    DecodeError,
    DecodeReason,
    FixtureError,
    HexaryError,
    HexError,
    InputTypeError,
    RangeError,
    SizeError,
    _path_text,
    shorten,
)
from hexary.rlp.decoding import decode
from hexary.rlp.encoding import encode
from hexary.rlp.raw import Raw
from hexary.rlp.scalars import bool_from_payload, uint_from_payload
from hexary.rlp.source import string_header
from hexary.typed import Address, Bytes, FixedSizeBytes, StorageKey
from hexary.typed.hexstr import encode_hex, parse_bytes, parse_quantity

if TYPE_CHECKING:
    from hexary.rlp.reading import Path, Reader
    from hexary.rlp.source import Source

__all__ = [
    "BoolKind",
    "BytesKind",
    "ItemKind",
    "JsonForm",
    "Kind",
    "RawKind",
    "Shape",
    "UintKind",
    "describe",
    "fail_json",
]

_PLAIN_CONSTRUCTORS = {
    cls.__dict__["__new__"] for cls in (Bytes, FixedSizeBytes, Address, StorageKey)
}
"""Constructors that take bytes of the right size as they are."""


class JsonForm(NamedTuple):
    """
    How records are spelled in JSON.

    Attributes:
        fixture: whether as in fixtures, else as in JSON-RPC.
        refuse_unknown: whether unknown keys are refused in reading.
    """

    fixture: bool
    refuse_unknown: bool = False

    @classmethod
    def of(cls, spelling: object, unknown: object = "ignore") -> JsonForm:
        """
        Return the form with these options, as `Record.from_json` takes them.

        Raises:
            InputTypeError: an option is none of those that there are.
        """
        if spelling not in ("rpc", "fixture"):
            raise InputTypeError("spelling", '"rpc" or "fixture"', spelling)
        if unknown not in ("ignore", "refuse"):
            raise InputTypeError("unknown", '"ignore" or "refuse"', unknown)
        return cls(spelling == "fixture", unknown == "refuse")


class Shape(NamedTuple):
    """
    Some of the forms that the item of a kind can have.

    Attributes:
        smallest: the smallest size of the string.
        largest: the largest size of the string, ``None`` for any.
        is_list: whether it is a list instead.
    """

    smallest: int = 0
    largest: int | None = None
    is_list: bool = False

    def meets(self, other: Shape) -> bool:
        """Whether an item can be of both shapes."""
        if self.is_list or other.is_list:
            return self.is_list and other.is_list
        return (other.largest is None or self.smallest <= other.largest) and (
            self.largest is None or other.smallest <= self.largest
        )


class Kind(ABC):
    """
    One kind of field.

    Attributes:
        shapes: the forms that its items have.
    """

    __slots__ = ("shapes",)

    shapes: tuple[Shape, ...]

    @abstractmethod
    def fit(self, value: Any, path: Path) -> Any:
        """
        Return *value* as the kind's type.

        Raises:
            HexaryError: it is not one, and cannot be made one; names *path*.
        """

    def holds(self, value: Any) -> bool:
        """Whether *value* is what `fit` returns."""
        raise InputTypeError("annotation", "a kind that can be in a union", type(self))

    @abstractmethod
    def read(
        self, reader: Reader, position: int, end: int, depth: int, path: Path
    ) -> tuple[Any, int]:
        """Return the value of the item at *position*, and the index behind it."""

    @abstractmethod
    def write_read(self, source: Source, target: str) -> None:
        """Write code that reads the item at ``p`` into *target* and moves ``p``."""

    @abstractmethod
    def chunks(self, source: Source, value: str) -> list[str]:
        """Return expressions whose values, joined, encode the expression *value*."""

    def write_fit(self, source: Source, name: str, path: Path) -> None:
        """Write code that checks the variable *name*."""
        source.write(f"{name} = {source.bind(self.fit)}({name}, {path!r})")

    def expression(self, source: Source, value: str) -> str:
        """Return one expression that encodes the expression *value*."""
        return " + ".join(self.chunks(source, value))

    @abstractmethod
    def to_json(self, value: Any, form: JsonForm) -> Any:
        """Return the JSON of *value*."""

    @abstractmethod
    def from_json(self, value: Any, form: JsonForm, path: Path) -> Any:
        """
        Return the value that JSON stands for.

        Raises:
            FixtureError: there is none; names *path*.
        """


def fail_json(rule: object, path: Path) -> FixtureError:
    """Return the error for JSON that is not what it should be."""
    return FixtureError(str(rule), field=_path_text(path))


class UintKind(Kind):
    """Unsigned integers of at most *bits* bits, of the class *cls*."""

    __slots__ = ("bits", "cls")

    def __init__(self, bits: int | None, cls: type[int] = int) -> None:
        self.bits = bits
        self.cls = cls
        largest = None if bits is None else (bits + 7) // 8
        self.shapes = (Shape(0, largest),)

    def fit(self, value: Any, path: Path) -> int:
        """Return *value* as an integer in range."""
        name = _path_text(path)
        if isinstance(value, bool) or not hasattr(type(value), "__index__"):
            raise InputTypeError(name, "an int", value)
        if isinstance(value, bytes):
            # Typed bytes are a number by nature, but never one that was meant here.
            raise InputTypeError(name, "an int", value)
        try:
            number = index(value)
        except TypeError:
            raise InputTypeError(name, "an int", value) from None
        if number < 0 or (self.bits is not None and number >> self.bits):
            most = None if self.bits is None else (1 << self.bits) - 1
            raise RangeError(name, number, 0, most)
        if self.cls is int:
            return int(number)
        return value if type(value) is self.cls else self.cls(number)

    def write_fit(self, source: Source, name: str, path: Path) -> None:
        """Check an exact int in place."""
        wrong = [f"__type({name}) is not {source.bind(self.cls)}"]
        if self.bits is None:
            wrong.append(f"{name} < 0")
        else:
            wrong.append(f"not 0 <= {name} <= {(1 << self.bits) - 1:#x}")
        source.open(f"if {' or '.join(wrong)}:")
        super().write_fit(source, name, path)
        source.close()

    def holds(self, value: Any) -> bool:
        """Whether it is an integer in range."""
        return (
            type(value) is self.cls
            and value >= 0
            and (self.bits is None or not value >> self.bits)
        )

    def read(
        self, reader: Reader, position: int, end: int, depth: int, path: Path
    ) -> tuple[int, int]:
        """Return the integer."""
        start, stop = reader.string(position, end, path)
        try:
            value = uint_from_payload(reader.data[start:stop], bits=self.bits)
        except DecodeError as error:
            reason, detail = error.reason, error.detail
        else:
            return value if self.cls is int else int.__new__(self.cls, value), stop
        raise reader.fault(reason, position, path, detail)

    def write_read(self, source: Source, target: str) -> None:
        """Read a small integer in place, others with one comparison."""
        if self.bits is None or not 7 < self.bits <= 440:
            source.write(f"v, p = read_wide(data, p, {self.bits})")
            value = "v"
        else:
            value = source.fresh()
            source.write("b = data[p]")
            source.open("if 0 < b < 129:")
            source.write(f"{value} = b & 127; p += 1")
            source.close()
            source.open("else:")
            source.write("q = p + b - 127")
            source.write(f"{value} = from_bytes(data[p + 1:q]); p = q")
            wrong = f"{value} < {source.minima(self.bits)}[b]"
            if self.bits % 8:
                wrong += f" or {value} >> {self.bits}"
            source.refuse(wrong)
            source.close()
        if self.cls is not int:
            value = f"new_int({source.bind(self.cls)}, {value})"
        source.write(f"{target} = {value}")

    def chunks(self, source: Source, value: str) -> list[str]:
        """Look small integers up."""
        if value.isidentifier():
            first = name = value
        else:
            name = source.fresh()
            first = f"({name} := {value})"
        return [f"(SMALL_INTS[{name}] if {first} < 128 else encode_uint({name}))"]

    def to_json(self, value: Any, form: JsonForm) -> str:
        """Return a quantity, in fixtures padded to whole bytes."""
        digits = int.__format__(value, "x")
        if form.fixture and len(digits) % 2:
            return f"0x0{digits}"
        return f"0x{digits}"

    def from_json(self, value: Any, form: JsonForm, path: Path) -> int:
        """Read a quantity, or a JSON integer."""
        try:
            if isinstance(value, str):
                if len(value) > 1024:
                    # 2^256 has 78 digits; what is longer is not a number to parse.
                    raise fail_json(f"{shorten(value)} is too long for a number", path)
                value = parse_quantity(value)
            return self.fit(value, path)
        except FixtureError:
            raise
        except HexaryError as error:
            raise fail_json(error, path) from error


class BoolKind(Kind):
    """Booleans."""

    __slots__ = ()

    def __init__(self) -> None:
        self.shapes = (Shape(0, 1),)

    def fit(self, value: Any, path: Path) -> bool:
        """Return *value*, a bool or 0 or 1, as a bool."""
        if not isinstance(value, int):
            raise InputTypeError(_path_text(path), "a bool", value)
        if value not in (0, 1):
            raise RangeError(_path_text(path), int(value), 0, 1)
        return bool(value)

    def write_fit(self, source: Source, name: str, path: Path) -> None:
        """Check a bool in place."""
        source.open(f"if {name} is not True and {name} is not False:")
        super().write_fit(source, name, path)
        source.close()

    def holds(self, value: Any) -> bool:
        """Whether it is a bool."""
        return value is True or value is False

    def read(
        self, reader: Reader, position: int, end: int, depth: int, path: Path
    ) -> tuple[bool, int]:
        """Return the boolean."""
        start, stop = reader.string(position, end, path)
        try:
            return bool_from_payload(reader.data[start:stop]), stop
        except DecodeError as error:
            reason = error.reason
        raise reader.fault(reason, position, path)

    def write_read(self, source: Source, target: str) -> None:
        """Read one byte."""
        source.write("b = data[p]; p += 1")
        source.refuse("b != 1 and b != 128")
        source.write(f"{target} = b == 1")

    def chunks(self, source: Source, value: str) -> list[str]:
        """Choose one byte."""
        return [rf"(b'\x01' if {value} else b'\x80')"]

    def to_json(self, value: Any, form: JsonForm) -> str:
        """Return a quantity, as JSON-RPC has for ``status`` and ``yParity``."""
        if form.fixture:
            return "0x01" if value else "0x00"
        return "0x1" if value else "0x0"

    def from_json(self, value: Any, form: JsonForm, path: Path) -> bool:
        """Read a quantity of 0 or 1, or a JSON boolean."""
        try:
            if isinstance(value, str):
                value = parse_quantity(value[:64])
            return self.fit(value, path)
        except HexaryError as error:
            raise fail_json(error, path) from error


class BytesKind(Kind):
    """Strings of *smallest* to *largest* bytes, of the class *cls*."""

    __slots__ = ("_plain", "cls", "largest", "smallest")

    def __init__(
        self, cls: type[bytes] = bytes, smallest: int = 0, largest: int | None = None
    ) -> None:
        self.cls = cls
        self.smallest = smallest
        self.largest = largest
        self.shapes = (Shape(smallest, largest),)
        self._plain = (
            cls is bytes
            or next(
                base.__dict__["__new__"]
                for base in cls.__mro__
                if "__new__" in vars(base)
            )
            in _PLAIN_CONSTRUCTORS
        )

    @property
    def size(self) -> int | None:
        """The size, if there is only one."""
        return self.smallest if self.smallest == self.largest else None

    def fit(self, value: Any, path: Path) -> bytes:
        """Return *value* as bytes of the right size."""
        name = _path_text(path)
        if isinstance(value, (bytearray, memoryview)):
            value = bytes(value) if isinstance(value, bytearray) else value.tobytes()
        if isinstance(value, str) and self.cls is not bytes:
            if not self._pads:
                value = _parse(value, name)
        elif not isinstance(value, bytes):
            if isinstance(value, (int, list, tuple)) or not hasattr(
                type(value), "__bytes__"
            ):
                kinds = "bytes" if self.cls is bytes else "bytes or hex text"
                raise InputTypeError(name, kinds, value)
            value = bytes(value)
        if isinstance(value, bytes):
            self._check_size(value, name)
        if type(value) is self.cls:
            return value
        if self.cls is bytes:
            return memoryview(value).tobytes()
        made: bytes = self.cls(value)
        self._check_size(made, name)
        return made

    @property
    def _pads(self) -> bool:
        """Whether the class takes short text, which it pads."""
        return issubclass(self.cls, StorageKey)

    def _check_size(self, value: bytes, name: str) -> None:
        """Refuse *value* if it is too short or too long."""
        size = len(value)
        if self.size is not None:
            if size != self.size:
                raise SizeError(name, self.size, size, value)
        elif size < self.smallest or (self.largest is not None and size > self.largest):
            raise RangeError(f"size of {name}", size, self.smallest, self.largest)

    def write_fit(self, source: Source, name: str, path: Path) -> None:
        """Accept what is of exactly the class."""
        wrong = [f"__type({name}) is not {source.bind(self.cls)}"]
        own_size = getattr(self.cls, "byte_length", None)
        if self.size is not None and self.size != own_size:
            wrong.append(f"__len({name}) != {self.size}")
        elif self.size is None and self.largest is not None:
            wrong.append(f"not {self.smallest} <= __len({name}) <= {self.largest}")
        elif self.size is None and self.smallest:
            wrong.append(f"__len({name}) < {self.smallest}")
        source.open(f"if {' or '.join(wrong)}:")
        super().write_fit(source, name, path)
        source.close()

    def holds(self, value: Any) -> bool:
        """Whether it is of the class and the right size."""
        return (
            type(value) is self.cls
            and self.smallest <= len(value)
            and (self.largest is None or len(value) <= self.largest)
        )

    def read(
        self, reader: Reader, position: int, end: int, depth: int, path: Path
    ) -> tuple[bytes, int]:
        """Return the string."""
        start, stop = reader.string(position, end, path)
        size = stop - start
        if size < self.smallest or (self.largest is not None and size > self.largest):
            rule = f"{self.smallest} bytes"
            if self.size is None:
                rule = f"at least {self.smallest} bytes"
                if self.largest is not None:
                    rule = f"{self.smallest} to {self.largest} bytes"
            detail = f"{rule}, got {size}"
            raise reader.fault(DecodeReason.WRONG_SIZE, position, path, detail)
        try:
            return self._wrap(reader.data[start:stop]), stop
        except ValueError as error:
            # A class of the user's own may know rules of its own.
            detail, cause = str(error), error
        raise reader.fault(
            DecodeReason.INVALID_VALUE, position, path, detail
        ) from cause

    def _wrap(self, data: bytes) -> bytes:
        """Return checked bytes as the class."""
        if self.cls is bytes:
            return data
        return bytes.__new__(self.cls, data) if self._plain else self.cls(data)

    def wrapped(self, source: Source, data: str) -> str:
        """Return an expression for checked bytes as the class."""
        if self.cls is bytes:
            return data
        name = source.bind(self.cls)
        return f"new_bytes({name}, {data})" if self._plain else f"{name}({data})"

    @property
    def header(self) -> bytes | None:
        """What every string of this kind begins with, if that is known."""
        if self.size is None or self.size == 1:
            return None
        return string_header(bytes(self.size))

    def write_read(self, source: Source, target: str) -> None:
        """Compare the header where there is only one."""
        header = self.header
        if header is not None and self.size is not None:
            skip = len(header)
            if skip == 1:
                source.refuse(f"data[p] != {header[0]}")
            else:
                source.refuse(f"data[p:p + {skip}] != {header!r}")
            whole = skip + self.size
            data = f"data[p + {skip}:p + {whole}]"
            source.write(f"{target} = {self.wrapped(source, data)}; p += {whole}")
            return
        start, stop = source.fresh(), source.fresh()
        source.read_string_header(start, stop)
        if self.size is not None or self.largest is not None:
            source.refuse(f"not {self.smallest} <= {stop} - {start} <= {self.largest}")
        elif self.smallest:
            source.refuse(f"{stop} - {start} < {self.smallest}")
        source.write(f"{target} = {self.wrapped(source, f'data[{start}:{stop}]')}")
        source.write(f"p = {stop}")

    def chunks(self, source: Source, value: str) -> list[str]:
        """Return the header and the bytes."""
        if self.header is not None:
            return [repr(self.header), value]
        if value.isidentifier():
            return [f"string_header({value})", value]
        name = source.fresh()
        return [f"string_header({name} := {value})", name]

    def to_json(self, value: Any, form: JsonForm) -> str:
        """Return data."""
        return encode_hex(value)

    def from_json(self, value: Any, form: JsonForm, path: Path) -> bytes:
        """Read data."""
        if not isinstance(value, str):
            raise fail_json(f"expected 0x-hex, got {describe(value)}", path)
        try:
            return self.fit(value if self._pads else parse_bytes(value), path)
        except HexaryError as error:
            raise fail_json(error, path) from error


class ItemKind(Kind):
    """Items of any form, as `decode` returns them."""

    __slots__ = ()

    def __init__(self) -> None:
        self.shapes = (Shape(is_list=True), Shape())

    def fit(self, value: Any, path: Path) -> Any:
        """Return a copy of *value* that has no other types in it."""
        try:
            return decode(encode(value), max_depth=1024)
        except DecodeError as error:
            raise InputTypeError(_path_text(path), str(error), value) from error

    def read(
        self, reader: Reader, position: int, end: int, depth: int, path: Path
    ) -> tuple[Any, int]:
        """Return the item."""
        return reader.item(position, end, depth, path)

    def write_read(self, source: Source, target: str) -> None:
        """Call the decoder of items."""
        source.write(f"{target}, p = read_item(data, p)")

    def chunks(self, source: Source, value: str) -> list[str]:
        """Call the encoder of items."""
        return [f"{source.bind(encode)}({value})"]

    def to_json(self, value: Any, form: JsonForm) -> str:
        """Return the encoding as data."""
        return encode_hex(encode(value))

    def from_json(self, value: Any, form: JsonForm, path: Path) -> Any:
        """Read an encoding as data."""
        return decode(RawKind().from_json(value, form, path).encoded)


class RawKind(Kind):
    """Items of any form, as they are."""

    __slots__ = ()

    def __init__(self) -> None:
        self.shapes = (Shape(is_list=True), Shape())

    def fit(self, value: Any, path: Path) -> Raw:
        """Return *value*, a `Raw`."""
        if not isinstance(value, Raw):
            raise InputTypeError(_path_text(path), "a Raw item", value)
        return value

    def read(
        self, reader: Reader, position: int, end: int, depth: int, path: Path
    ) -> tuple[Raw, int]:
        """Return the item."""
        _, stop = reader.item(position, end, depth, path)
        return Raw(reader.data[position:stop], max_depth=reader.max_depth), stop

    def write_read(self, source: Source, target: str) -> None:
        """Call the decoder of items."""
        source.write(f"{target}, p = read_raw(data, p)")

    def chunks(self, source: Source, value: str) -> list[str]:
        """Return the bytes."""
        return [f"{value}.encoded"]

    def to_json(self, value: Any, form: JsonForm) -> str:
        """Return the encoding as data."""
        return encode_hex(value.encoded)

    def from_json(self, value: Any, form: JsonForm, path: Path) -> Raw:
        """Read an encoding as data."""
        if not isinstance(value, str):
            raise fail_json(f"expected 0x-hex, got {describe(value)}", path)
        try:
            return Raw(parse_bytes(value))
        except HexaryError as error:
            raise fail_json(error, path) from error


def _parse(text: str, name: str) -> bytes:
    """Return hex text as bytes; the error names the field."""
    try:
        return parse_bytes(text)
    except HexError as error:
        rule, position = f"{name}: {error.rule}", error.position
    raise HexError(text, rule, position=position)


def describe(value: object) -> str:
    """Return a JSON value and its kind, in a few words."""
    if value is None:
        return "null"
    if isinstance(value, (list, dict)):
        return shorten(value)
    return f"{type(value).__name__} {shorten(value)}"
