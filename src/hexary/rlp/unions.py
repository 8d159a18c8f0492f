"""
Kinds of field that are records, or one of several kinds.

A *typed* record (EIP-2718) stands alone as ``type || list`` and inside a list as the
string of that.  Of several records, the type byte says which one it is, and a list
without one is the *legacy* record.  Of several other kinds, the form says which one it
is: list or string, and of which size.
"""

# ruff: noqa: ARG002 - the methods of all kinds share their parameters

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hexary.errors import (
    DecodeReason,
    FixtureError,
    HexaryError,
    InputTypeError,
    path_text,
)
from hexary.rlp.kinds import JsonForm, Kind, Shape, describe, fail_json
from hexary.rlp.record_json import read_object, read_type, write_object
from hexary.rlp.records import record_class

if TYPE_CHECKING:
    from collections.abc import Callable

    from hexary.rlp.codec import Codec
    from hexary.rlp.layout import Layout
    from hexary.rlp.reading import Path, Reader
    from hexary.rlp.source import Source

__all__ = [
    "RecordKind",
    "ShapeUnionKind",
    "TypedUnionKind",
    "read_envelope",
    "read_typed",
    "write_typed",
]


class RecordKind(Kind):
    """
    A record.

    Args:
        codec: the record's.
        bare: leave its type byte out.
    """

    __slots__ = ("bare", "codec")

    def __init__(self, codec: Codec, *, bare: bool = False) -> None:
        self.codec = codec
        self.bare = bare
        shapes = []
        if bare or 0 in codec.types:
            shapes.append(Shape(is_list=True))
        if not bare and codec.types != {0}:
            shapes.append(Shape(2))
        self.shapes = tuple(shapes)

    def fit(self, value: Any, path: Path) -> Any:
        """Return *value*, an instance."""
        if not self.holds(value):
            raise InputTypeError(path_text(path), f"a {self.codec.cls.__name__}", value)
        return value

    @property
    def own_classes(self) -> frozenset[type]:
        """The class."""
        return frozenset((self.codec.cls,))

    def write_fit(self, source: Source, name: str, path: Path) -> None:
        """Accept an instance."""
        source.open(f"if __type({name}) is not {source.bind(self.codec.cls)}:")
        super().write_fit(source, name, path)
        source.close()

    def holds(self, value: Any) -> bool:
        """Whether it is an instance."""
        return record_class(type(value)) is self.codec.cls

    def read(
        self, reader: Reader, position: int, end: int, depth: int, path: Path
    ) -> tuple[Any, int]:
        """Return the record."""
        if self.bare:
            return self.codec.read(reader, position, end, depth, path, 0)
        return read_typed(
            reader,
            position,
            end,
            depth,
            path,
            dict.fromkeys(self.codec.types, self.codec),
        )

    def write_read(self, source: Source, target: str) -> None:
        """Call the record's own decoder."""
        if self.bare or self.codec.types == {0}:
            source.write(f"{target}, p = {source.bind(self.codec.read_list)}(data, p)")
        else:
            write_typed(source, target, dict.fromkeys(self.codec.types, self.codec))

    def chunks(self, source: Source, value: str) -> list[str]:
        """Call the record's own encoder."""
        method = "__rlp_list__" if self.bare else "__rlp_item__"
        return [f"{value}.{method}()"]

    def layout(self) -> Layout:
        """Return the codec and the types that it has here."""
        types = (0,) if self.bare else tuple(sorted(self.codec.types))
        return ("record", self.codec, types)

    def to_json(self, value: Any, form: JsonForm) -> dict[str, Any]:
        """Return an object."""
        return write_object(type(value).__rlp_codec__, value, form)

    def from_json(self, value: Any, form: JsonForm, path: Path) -> Any:
        """Read an object."""
        return read_object(self.codec, value, form, path)

    def write_json_read(
        self, source: Source, target: str, value: str, form: JsonForm
    ) -> None:
        """Call the record's own reader."""
        reader = self.codec.json_reader(form)
        source.write(f"{target} = {source.bind(reader)}({value})")

    def json_layout(self, form: JsonForm) -> Layout:
        """Return the record's own reader."""
        return ("record", self.codec.json_reader(form), self.codec.cls)


class TypedUnionKind(Kind):
    """
    One of several records, told apart by the type byte.

    Args:
        codecs: type → the record's; 0 for the one without a type byte.
    """

    __slots__ = ("classes", "codecs")

    def __init__(self, codecs: dict[int, Codec]) -> None:
        self.codecs = codecs
        self.classes = tuple(dict.fromkeys(codec.cls for codec in codecs.values()))
        shapes = [Shape(is_list=True)] if 0 in codecs else []
        self.shapes = (*shapes, Shape(2))

    def fit(self, value: Any, path: Path) -> Any:
        """Return *value*, an instance of one of the classes."""
        if not self.holds(value):
            names = ", ".join(cls.__name__ for cls in self.classes)
            raise InputTypeError(path_text(path), f"one of {names}", value)
        return value

    @property
    def own_classes(self) -> frozenset[type]:
        """The classes."""
        return frozenset(self.classes)

    def holds(self, value: Any) -> bool:
        """Whether it is an instance."""
        return record_class(type(value)) in self.classes

    def read(
        self, reader: Reader, position: int, end: int, depth: int, path: Path
    ) -> tuple[Any, int]:
        """Return the record."""
        return read_typed(reader, position, end, depth, path, self.codecs)

    def write_read(self, source: Source, target: str) -> None:
        """Look the record's decoder up."""
        write_typed(source, target, self.codecs)

    def chunks(self, source: Source, value: str) -> list[str]:
        """Call the record's own encoder."""
        return [f"{value}.__rlp_item__()"]

    def layout(self) -> Layout:
        """Return the codecs."""
        return ("typed", self.codecs)

    def to_json(self, value: Any, form: JsonForm) -> dict[str, Any]:
        """Return an object."""
        return write_object(type(value).__rlp_codec__, value, form)

    def from_json(self, value: Any, form: JsonForm, path: Path) -> Any:
        """Read an object, whose ``type`` says which record it is."""
        if not isinstance(value, dict):
            raise fail_json(f"expected an object, got {describe(value)}", path)
        kind = read_type(value, form, path)
        if kind is None:
            if 0 not in self.codecs:
                raise fail_json("missing", (*path, "type"))
            kind = 0
        codec = self.codecs.get(kind)
        if codec is None:
            known = ", ".join(map(str, sorted(self.codecs)))
            raise fail_json(f"type {kind} is not one of {known}", (*path, "type"))
        return read_object(codec, value, form, path or (codec.title,))


def read_typed(
    reader: Reader,
    position: int,
    end: int,
    depth: int,
    path: Path,
    codecs: dict[int, Codec],
) -> tuple[Any, int]:
    """Return the record at *position* inside a list, and the index behind it."""
    if position < end and reader.data[position] >= 0xC0:
        if 0 in codecs:
            return codecs[0].read(reader, position, end, depth, path, 0)
        reader.string(position, end, path)
    start, stop = reader.string(position, end, path)
    if set(codecs) == {0}:
        raise reader.fault(DecodeReason.EXPECTED_LIST, position, path)
    value, position = read_envelope(reader, start, stop, depth, path, codecs)
    if position != stop:
        raise reader.fault(DecodeReason.TRAILING_BYTES, position, path)
    return value, stop


def read_envelope(
    reader: Reader,
    position: int,
    end: int,
    depth: int,
    path: Path,
    codecs: dict[int, Codec],
) -> tuple[Any, int]:
    """Return the record whose type byte is at *position*, and the index behind it."""
    got = "no byte" if position >= end else str(reader.data[position])
    codec = None if position >= end else codecs.get(reader.data[position] or -1)
    if codec is None:
        known = ", ".join(str(number) for number in sorted(codecs) if number)
        detail = f"{known or 'none'}, got {got}"
        raise reader.fault(DecodeReason.UNKNOWN_TYPE, position, path, detail)
    number = reader.data[position]
    path = path or (codec.title,)
    return codec.read(reader, position + 1, end, depth, path, number)


def write_typed(source: Source, target: str, codecs: dict[int, Codec]) -> None:
    """Write code that reads a record inside a list."""
    start, stop, number = source.fresh(), source.fresh(), source.fresh()
    if 0 in codecs:
        legacy = source.bind(codecs[0].read_list)
        source.open("if data[p] >= 192:")
        source.write(f"{target}, p = {legacy}(data, p)")
        source.close()
        source.open("else:")
    source.read_string_header(start, stop)
    readers: dict[int, Callable[..., Any]] = {
        number: codec.read_list for number, codec in codecs.items() if number
    }
    source.write(f"{number} = data[{start}]")
    source.refuse(f"{number} not in {source.bind(readers)}")
    source.write(
        f"{target}, p = {source.bind(readers)}[{number}](data, {start} + 1, {number})"
    )
    source.refuse(f"p != {stop}")
    if 0 in codecs:
        source.close()


class ShapeUnionKind(Kind):
    """One of several kinds, told apart by the form of the item."""

    __slots__ = ("_in_json", "members")

    def __init__(self, members: tuple[Kind, ...]) -> None:
        self.members = members
        # Bytes first: 32 zero bytes are a hash, and only then perhaps a number.
        self._in_json = sorted(members, key=lambda kind: -kind.shapes[0].smallest)
        self.shapes = tuple(shape for kind in members for shape in kind.shapes)

    def fit(self, value: Any, path: Path) -> Any:
        """Return *value* as the type of the first member that takes it."""
        for kind in self.members:
            if kind.holds(value):
                return value
        failures = []
        for kind in self.members:
            try:
                return kind.fit(value, path)
            except HexaryError as error:
                failures.append(error)
        # That of the member that comes nearest: its type was right.
        raise next(
            (error for error in failures if not isinstance(error, TypeError)),
            failures[0],
        )

    def _member(self, shape: Shape) -> Kind | None:
        """Return the member for an item of this form."""
        for kind in self.members:
            if any(shape.meets(other) for other in kind.shapes):
                return kind
        return None

    def read(
        self, reader: Reader, position: int, end: int, depth: int, path: Path
    ) -> tuple[Any, int]:
        """Return the value of the member that has the item's form."""
        mark = reader.mark()
        kind = None
        if position < end and reader.data[position] >= 0xC0:
            kind = self._member(Shape(is_list=True))
        if kind is None:
            start, stop = reader.string(position, end, path)
            size = stop - start
            kind = self._member(Shape(size, size))
            if kind is None:
                detail = f"got {size} bytes"
                raise reader.fault(DecodeReason.WRONG_SIZE, position, path, detail)
            # It is read again, and counts once.
            reader.reset(mark)
        return kind.read(reader, position, end, depth, path)

    def write_read(self, source: Source, target: str) -> None:
        """Choose by the form."""
        source.open("if data[p] >= 192:")
        kind = self._member(Shape(is_list=True))
        if kind is None:
            source.write("raise RETRY")
        else:
            kind.write_read(source, target)
        source.close()
        source.open("else:")
        start, stop = source.fresh(), source.fresh()
        source.read_string_header(start, stop)
        opened = 0
        for kind in self.members:
            for shape in kind.shapes:
                if not shape.is_list:
                    most = "" if shape.largest is None else f" <= {shape.largest}"
                    source.open(f"if {shape.smallest} <= {stop} - {start}{most}:")
                    kind.write_read(source, target)
                    source.close()
                    source.open("else:")
                    opened += 1
        source.write("raise RETRY")
        for _ in range(opened):
            source.close()
        source.close()

    def chunks(self, source: Source, value: str) -> list[str]:
        """Choose by the class."""
        name = source.fresh()
        value = f"({name} := {value})"
        text = ""
        for kind in self.members[:-1]:
            holds = source.bind(kind.holds)
            text += f"{kind.expression(source, name)} if {holds}({value}) else "
            value = name
        return [f"({text}{self.members[-1].expression(source, name)})"]

    def holds(self, value: Any) -> bool:
        """Whether a member does."""
        return any(kind.holds(value) for kind in self.members)

    def layout(self) -> Layout:
        """Return the members, with what tells them apart."""
        members = ((kind.shapes, kind.holds, kind.layout()) for kind in self.members)
        return ("choice", tuple(members))

    def to_json(self, value: Any, form: JsonForm) -> Any:
        """Return the JSON of the member that takes the value."""
        kind = next(kind for kind in self.members if kind.holds(value))
        return kind.to_json(value, form)

    def from_json(self, value: Any, form: JsonForm, path: Path) -> Any:
        """Read JSON as the first member that takes it."""
        failures = []
        for kind in self._in_json:
            try:
                return kind.from_json(value, form, path)
            except FixtureError as error:
                failures.append(error)
        raise failures[-1]

    def json_layout(self, form: JsonForm) -> Layout:
        """Return the layouts, if the size of a text tells the members apart."""
        *sized, _ = layouts = [kind.json_layout(form) for kind in self._in_json]
        for word, *sizes in sized:
            if word != "bytes" or sizes[0] != sizes[1]:
                return super().json_layout(form)
        return ("choice", tuple(layouts))
