"""The kind of field that is bytes, of any size or of some sizes only."""

# ruff: noqa: ARG002 - the methods of all kinds share their parameters

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hexary.errors import (
    DecodeReason,
    HexaryError,
    HexError,
    InputTypeError,
    RangeError,
    SizeError,
    path_text,
)
from hexary.rlp.kinds import (
    JsonForm,
    Kind,
    Shape,
    describe,
    fail_json,
    has_constructor,
)
from hexary.rlp.source import RetryError, string_header
from hexary.typed import Address, Bytes, FixedSizeBytes, StorageKey
from hexary.typed.hexstr import encode_hex, parse_bytes

if TYPE_CHECKING:
    from hexary.rlp.layout import Layout
    from hexary.rlp.reading import Path, Reader
    from hexary.rlp.source import Source

__all__ = ["BytesKind"]


_PLAIN_CONSTRUCTORS = frozenset(
    cls.__dict__["__new__"] for cls in (Bytes, FixedSizeBytes, Address, StorageKey)
)
"""Constructors that take bytes of the right size as they are."""


class BytesKind(Kind):
    """Strings of *smallest* to *largest* bytes (by default any), of the class *cls*."""

    __slots__ = ("_plain", "cls", "largest", "smallest")

    def __init__(
        self, cls: type[bytes] = bytes, smallest: int = 0, largest: int | None = None
    ) -> None:
        self.cls = cls
        self.smallest = smallest
        self.largest = largest
        self.shapes = (Shape(smallest, largest),)
        self._plain = cls is bytes or has_constructor(cls, _PLAIN_CONSTRUCTORS)

    @property
    def size(self) -> int | None:
        """The size, if there is only one."""
        return self.smallest if self.smallest == self.largest else None

    def fit(self, value: Any, path: Path) -> bytes:
        """Return *value* as bytes of the right size."""
        if isinstance(value, (bytearray, memoryview)):
            value = bytes(value) if isinstance(value, bytearray) else value.tobytes()
        if isinstance(value, str) and self.cls is not bytes:
            if not self._pads:
                value = _parse(value, path)
        elif not isinstance(value, bytes):
            if isinstance(value, (int, list, tuple)) or not hasattr(
                type(value), "__bytes__"
            ):
                kinds = "bytes" if self.cls is bytes else "bytes or hex text"
                raise InputTypeError(path_text(path), kinds, value)
            value = bytes(value)
        if isinstance(value, bytes):
            self._check_size(value, path)
        if type(value) is self.cls:
            return value
        if self.cls is bytes:
            return memoryview(value).tobytes()
        made: bytes = self.cls(value)
        self._check_size(made, path)
        return made

    @property
    def _pads(self) -> bool:
        """Whether the class takes short text, which it pads."""
        return issubclass(self.cls, StorageKey)

    def _check_size(self, value: bytes, path: Path) -> None:
        """Refuse *value* if it is too short or too long."""
        size = len(value)
        if size < self.smallest or (self.largest is not None and size > self.largest):
            name = path_text(path)
            if self.size is not None:
                raise SizeError(name, self.size, size, value)
            raise RangeError(f"size of {name}", size, self.smallest, self.largest)

    @property
    def _fits_class(self) -> bool:
        """Whether bytes of the right size become an instance as they are."""
        own_size = getattr(self.cls, "byte_length", self.size)
        return self._plain and own_size == self.size and not self._pads

    @property
    def own_classes(self) -> frozenset[type]:
        """The class, if all its instances have the right size."""
        own_size = getattr(self.cls, "byte_length", None) if self._plain else None
        if self.size is None:
            every = self.smallest == 0 and self.largest is None
        else:
            every = self.size == own_size
        return frozenset((self.cls,) if every else ())

    def write_fit(self, source: Source, name: str, path: Path) -> None:
        """Accept what is of exactly the class."""
        wrong = [f"__type({name}) is not {source.bind(self.cls)}"]
        own_size = getattr(self.cls, "byte_length", None) if self._plain else None
        if self.size is not None and self.size != own_size:
            wrong.append(f"__len({name}) != {self.size}")
        elif self.size is None and self.largest is not None:
            wrong.append(f"not {self.smallest} <= __len({name}) <= {self.largest}")
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
        """
        Return checked bytes as the class.

        Raises:
            ValueError: a class of the user's own refuses them, or makes others of them.
        """
        if self.cls is bytes:
            return data
        if self._plain:
            return bytes.__new__(self.cls, data)
        made = self.cls(data)
        if type(made) is not self.cls or not bytes.__eq__(made, data):
            raise RetryError("the same value has another encoding")
        return made

    def wrapped(self, source: Source, data: str) -> str:
        """Return an expression for checked bytes as the class."""
        if self.cls is bytes:
            return data
        if self._plain:
            return f"new_bytes({source.bind(self.cls)}, {data})"
        return f"{source.bind(self._wrap)}({data})"

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
            if not self._plain:
                source.refuse_cut(f"p + {whole}")
            source.write(f"{target} = {self.wrapped(source, data)}; p += {whole}")
            return
        start, stop = source.fresh(), source.fresh()
        source.read_string_header(start, stop)
        if self.largest is not None:
            source.refuse(f"not {self.smallest} <= {stop} - {start} <= {self.largest}")
        if not self._plain:
            source.refuse_cut(stop)
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

    def layout(self) -> Layout:
        """Return the sizes and the class."""
        make = None if self._plain else self._wrap
        return ("bytes", self.smallest, self.largest, self.cls, make)

    def to_json(self, value: Any, form: JsonForm) -> str:
        """Return data."""
        return encode_hex(value)

    def from_json(self, value: Any, form: JsonForm, path: Path) -> bytes:
        """Read data."""
        if not isinstance(value, str):
            raise fail_json(f"expected 0x-hex, got {describe(value)}", path)
        try:
            return self.fit(value if self._pads else parse_bytes(value), path)
        except (HexaryError, ValueError) as error:
            raise fail_json(error, path) from error

    def write_json_read(
        self, source: Source, target: str, value: str, form: JsonForm
    ) -> None:
        """Read data in place."""
        if not self._fits_class:
            super().write_json_read(source, target, value, form)
            return
        name = source.fresh()
        source.write(f"{name} = parse_bytes({value})")
        if self.size is not None:
            source.refuse(f"__len({name}) != {self.size}")
        elif self.largest is not None:
            source.refuse(f"not {self.smallest} <= __len({name}) <= {self.largest}")
        source.write(f"{target} = {self.wrapped(source, name)}")

    def json_layout(self, form: JsonForm) -> Layout:
        """Return the sizes and the class, if all bytes of them become instances."""
        return self.layout() if self._fits_class else super().json_layout(form)


def _parse(text: str, path: Path) -> bytes:
    """Return hex text as bytes; the error names the field."""
    try:
        return parse_bytes(text)
    except HexError as error:
        rule, position = f"{path_text(path)}: {error.rule}", error.position
    raise HexError(text, rule, position=position)
