"""Kinds of field that are items of any form, as they are or decoded."""

# ruff: noqa: ARG002 - the methods of all kinds share their parameters

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hexary.errors import (
    DecodeError,
    HexaryError,
    InputTypeError,
    path_text,
)
from hexary.rlp.decoding import decode
from hexary.rlp.encoding import encode
from hexary.rlp.kinds import JsonForm, Kind, Shape, describe, fail_json
from hexary.rlp.raw import Raw
from hexary.typed.hexstr import encode_hex, parse_bytes

if TYPE_CHECKING:
    from hexary.rlp.layout import Layout
    from hexary.rlp.reading import Path, Reader
    from hexary.rlp.source import Source

__all__ = ["ItemKind", "RawKind"]


class ItemKind(Kind):
    """Items of any form, as `decode` returns them."""

    __slots__ = ()

    def __init__(self) -> None:
        self.shapes = (Shape(is_list=True), Shape())

    def fit(self, value: Any, path: Path) -> Any:
        """Return a copy of *value* that has no other types in it."""
        try:
            return decode(encode(value))
        except DecodeError as error:
            raise InputTypeError(path_text(path), str(error), value) from error

    def holds(self, value: Any) -> bool:
        """Whether it is bytes or lists of such."""
        waiting = [value]
        while waiting:
            inner = waiting.pop()
            if type(inner) is list:
                waiting += inner
            elif type(inner) is not bytes:
                return False
        return True

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

    def layout(self) -> Layout:
        """Return the word."""
        return ("item",)

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
            raise InputTypeError(path_text(path), "a Raw item", value)
        return value

    def holds(self, value: Any) -> bool:
        """Whether it is a `Raw`."""
        return isinstance(value, Raw)

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

    def layout(self) -> Layout:
        """Return the word."""
        return ("raw",)

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
