"""Kinds of field that are unsigned integers and booleans."""

# ruff: noqa: ARG002 - the methods of all kinds share their parameters

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any

from hexary.errors import (
    DecodeError,
    DecodeReason,
    FixtureError,
    HexaryError,
    InputTypeError,
    RangeError,
    path_text,
    shorten,
)
from hexary.rlp.kinds import JsonForm, Kind, Shape, fail_json, has_constructor
from hexary.rlp.scalars import bool_from_payload, uint_from_payload
from hexary.rlp.source import RetryError
from hexary.typed import FixedSizeHexNumber, HexNumber, Number
from hexary.typed.hexstr import parse_quantity

if TYPE_CHECKING:
    from hexary.rlp.layout import Layout
    from hexary.rlp.reading import Path, Reader
    from hexary.rlp.source import Source

__all__ = ["BoolKind", "UintKind"]


_PLAIN_CONSTRUCTORS = frozenset(
    vars(cls)["__new__"] for cls in (int, Number, HexNumber, FixedSizeHexNumber)
)
"""Constructors that take integers in range as they are."""

_MOST_DIGITS = 1024
"""Characters of a number in JSON, leading zeros and all, if it needs no more."""


class UintKind(Kind):
    """Unsigned integers of at most *bits* bits, of the class *cls*."""

    __slots__ = ("_plain", "bits", "cls")

    def __init__(self, bits: int | None, cls: type[int] = int) -> None:
        self.bits = bits
        self.cls = cls
        self._plain = has_constructor(cls, _PLAIN_CONSTRUCTORS)
        largest = None if bits is None else (bits + 7) // 8
        self.shapes = (Shape(0, largest),)

    def fit(self, value: Any, path: Path) -> int:
        """Return *value* as an integer in range."""
        if isinstance(value, bool) or not hasattr(type(value), "__index__"):
            raise InputTypeError(path_text(path), "an int", value)
        if isinstance(value, bytes):
            # Typed bytes are a number by nature, but never one that was meant here.
            raise InputTypeError(path_text(path), "an int", value)
        try:
            number = index(value)
        except TypeError:
            raise InputTypeError(path_text(path), "an int", value) from None
        if number < 0 or (self.bits is not None and number >> self.bits):
            most = None if self.bits is None else (1 << self.bits) - 1
            raise RangeError(path_text(path), number, 0, most)
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
            raise reader.fault(error.reason, position, path, error.detail) from None
        try:
            return self._wrap(value), stop
        except ValueError as error:
            # A class of the user's own may know rules of its own.
            detail, cause = str(error), error
        raise reader.fault(
            DecodeReason.INVALID_VALUE, position, path, detail
        ) from cause

    def _wrap(self, value: int) -> int:
        """
        Return an integer in range as the class.

        Raises:
            ValueError: a class of the user's own refuses it, or makes another of it.
        """
        if self.cls is int:
            return value
        if self._plain:
            return int.__new__(self.cls, value)
        made = self.cls(value)
        if type(made) is not self.cls or not int.__eq__(made, value):
            raise RetryError("the same value has another encoding")
        return made

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
        if not self._plain:
            source.refuse_cut()
            value = f"{source.bind(self._wrap)}({value})"
        elif self.cls is not int:
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

    def layout(self) -> Layout:
        """Return the width and the class."""
        return ("uint", self.bits, self.cls, None if self._plain else self._wrap)

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
                if self.bits is not None and len(value) > self._most_digits:
                    raise fail_json(f"{shorten(value)} is too long for a number", path)
                value = parse_quantity(value)
            return self.fit(value, path)
        except FixtureError:
            raise
        except (HexaryError, ValueError) as error:
            raise fail_json(error, path) from error

    @property
    def _most_digits(self) -> int:
        """Characters of a number in JSON, if there is a bound to its bits."""
        return max(_MOST_DIGITS, (self.bits or 0) // 4 + 4)

    def write_json_read(
        self, source: Source, target: str, value: str, form: JsonForm
    ) -> None:
        """Read a quantity in place."""
        if not self._plain or self.bits is None:
            super().write_json_read(source, target, value, form)
            return
        name = source.fresh()
        source.open(
            f"if __type({value}) is __str and __len({value}) <= {self._most_digits}:"
        )
        source.write(f"{name} = parse_quantity({value})")
        source.refuse(f"{name} > {(1 << self.bits) - 1:#x}")
        if self.cls is not int:
            name = f"new_int({source.bind(self.cls)}, {name})"
        source.write(f"{target} = {name}")
        source.close()
        source.open("else:")
        super().write_json_read(source, target, value, form)
        source.close()

    def json_layout(self, form: JsonForm) -> Layout:
        """Return the largest value, the class, and how long its text may be."""
        if not self._plain:
            return super().json_layout(form)
        if self.bits is None:
            return ("uint", None, self.cls, None)
        return ("uint", (1 << self.bits) - 1, self.cls, self._most_digits)


class BoolKind(Kind):
    """Booleans."""

    __slots__ = ()

    def __init__(self) -> None:
        self.shapes = (Shape(0, 1),)

    def fit(self, value: Any, path: Path) -> bool:
        """Return *value*, a bool or 0 or 1, as a bool."""
        if not isinstance(value, int):
            raise InputTypeError(path_text(path), "a bool", value)
        if value not in (0, 1):
            raise RangeError(path_text(path), int(value), 0, 1)
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

    def layout(self) -> Layout:
        """Return the word."""
        return ("bool",)

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

    def json_layout(self, form: JsonForm) -> Layout:
        """Return the word."""
        return ("bool",)
