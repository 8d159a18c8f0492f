"""Kinds of field that hold other kinds: lists, tuples, absent values, conversions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hexary.errors import (
    DecodeReason,
    EncodeError,
    HexaryError,
    InputTypeError,
    path_text,
)
from hexary.rlp.bytes_kind import BytesKind
from hexary.rlp.kinds import JsonForm, Kind, Shape, describe, fail_json
from hexary.rlp.source import RetryError, Source, compile_run_reader

if TYPE_CHECKING:
    from collections.abc import Callable

    from hexary.rlp.fields import Field
    from hexary.rlp.layout import Layout
    from hexary.rlp.reading import Path, Reader

__all__ = ["ConvertedKind", "OptionalKind", "SequenceKind", "TupleKind"]


class SequenceKind(Kind):
    """Lists of any number of items of one kind, as a tuple or a list."""

    __slots__ = ("_read_run", "container", "element")

    def __init__(self, element: Kind, container: type[Any]) -> None:
        self.element = element
        self.container = container
        self._read_run: Callable[[bytes, int, int, list[Any]], int] | None = None
        self.shapes = (Shape(is_list=True),)

    def fit(self, value: Any, path: Path) -> Any:
        """Return the items of *value*, each as the kind's type."""
        if isinstance(value, (str, bytes, bytearray, memoryview, dict, set, frozenset)):
            raise InputTypeError(path_text(path), "a tuple or list", value)
        try:
            values = list(value)
        except TypeError:
            raise InputTypeError(path_text(path), "a tuple or list", value) from None
        fit = self.element.fit
        return self.container(
            fit(inner, (*path, place)) for place, inner in enumerate(values)
        )

    def write_fit(self, source: Source, name: str, path: Path) -> None:
        """Accept the empty tuple, and, as a tuple, values told by their class alone."""
        classes = self.element.own_classes
        if self.container is tuple and classes:
            wrong = f"not {source.bind(classes)}.issuperset(map(__type, {name}))"
        else:
            wrong = name
        source.open(f"if __type({name}) is not tuple or {wrong}:")
        super().write_fit(source, name, path)
        if self.container is list:
            source.close()
            source.open("else:")
            source.write(f"{name} = []")
        source.close()

    def holds(self, value: Any) -> bool:
        """Whether it is a sequence of the right type."""
        return type(value) is self.container and all(map(self.element.holds, value))

    def read(
        self, reader: Reader, position: int, end: int, depth: int, path: Path
    ) -> tuple[Any, int]:
        """
        Return the items.

        What is wrong with a long list is wrong with one of its items, so compiled code
        reads the others, where the limits allow it.
        """
        position, stop = reader.list(position, end, depth, path)
        values: list[Any] = []
        read_run = self._run_reader() if reader.is_wide else None
        while position < stop:
            if read_run is not None:
                position = read_run(reader.data, position, stop, values)
                if position == stop:
                    break
            inner = (*path, len(values))
            value, position = self.element.read(
                reader, position, stop, depth + 1, inner
            )
            values.append(value)
        return self.container(values), stop

    def _run_reader(self) -> Callable[[bytes, int, int, list[Any]], int]:
        """Return the compiled code that reads items as far as they are right."""
        if self._read_run is None:
            self._read_run = compile_run_reader(self.element)
        return self._read_run

    def write_read(self, source: Source, target: str) -> None:
        """Loop over the items."""
        stop, values, value = source.fresh(), source.fresh(), source.fresh()
        source.read_list_header(stop)
        source.write(f"{values} = []")
        source.open(f"while p < {stop}:")
        self.element.write_read(source, value)
        source.write(f"{values}.append({value})")
        source.close()
        source.refuse(f"p != {stop}")
        if self.container is tuple:
            values = f"tuple({values})"
        source.write(f"{target} = {values}")

    def chunks(self, source: Source, value: str) -> list[str]:
        """Join the items."""
        if self.container is list:
            # Someone may have put anything into it since it was checked.
            path = (value.rpartition(".")[2],)
            value = f"{source.bind(self.fit)}({value}, {path!r})"
        name, inner = source.fresh(), source.fresh()
        header = self.element.header if isinstance(self.element, BytesKind) else None
        if header is not None:
            items = f"{header!r} + {header!r}.join({name})"
        else:
            each = self.element.expression(source, inner)
            items = f"b''.join([{each} for {inner} in {name}])"
        return [rf"(encode_list({items}) if ({name} := {value}) else b'\xc0')"]

    def layout(self) -> Layout:
        """Return the items' layout and the container."""
        fit = self.fit if self.container is list else None
        return ("sequence", self.element.layout(), self.container, fit)

    def to_json(self, value: Any, form: JsonForm) -> list[Any]:
        """Return a list."""
        return [self.element.to_json(inner, form) for inner in value]

    def from_json(self, value: Any, form: JsonForm, path: Path) -> Any:
        """Read a list."""
        if not isinstance(value, list):
            raise fail_json(f"expected a list, got {describe(value)}", path)
        return self.container(
            self.element.from_json(inner, form, (*path, place))
            for place, inner in enumerate(value)
        )

    def write_json_read(
        self, source: Source, target: str, value: str, form: JsonForm
    ) -> None:
        """Loop over the items."""
        values, each, inner = source.fresh(), source.fresh(), source.fresh()
        source.refuse(f"__type({value}) is not list")
        source.write(f"{values} = []")
        source.open(f"for {each} in {value}:")
        self.element.write_json_read(source, inner, each, form)
        source.write(f"{values}.append({inner})")
        source.close()
        if self.container is tuple:
            values = f"tuple({values})"
        source.write(f"{target} = {values}")

    def json_layout(self, form: JsonForm) -> Layout:
        """Return the items' layout and the container."""
        return ("sequence", self.element.json_layout(form), self.container)


class TupleKind(Kind):
    """Lists of a fixed number of items, each of a kind of its own."""

    __slots__ = ("elements",)

    def __init__(self, elements: tuple[Kind, ...]) -> None:
        self.elements = elements
        self.shapes = (Shape(is_list=True),)

    def fit(self, value: Any, path: Path) -> tuple[Any, ...]:
        """Return the items of *value*, each as its kind's type."""
        accepted = f"a tuple of {len(self.elements)}"
        if not isinstance(value, (tuple, list)) or len(value) != len(self.elements):
            raise InputTypeError(path_text(path), accepted, value)
        return tuple(
            kind.fit(inner, (*path, place))
            for place, (kind, inner) in enumerate(
                zip(self.elements, value, strict=True)
            )
        )

    def holds(self, value: Any) -> bool:
        """Whether it is a tuple of the right size and types."""
        return (
            type(value) is tuple
            and len(value) == len(self.elements)
            and all(
                kind.holds(inner)
                for kind, inner in zip(self.elements, value, strict=True)
            )
        )

    def read(
        self, reader: Reader, position: int, end: int, depth: int, path: Path
    ) -> tuple[tuple[Any, ...], int]:
        """Return the items."""
        offset = position
        position, stop = reader.list(position, end, depth, path)
        values: list[Any] = []
        for kind in self.elements:
            if position >= stop:
                break
            inner = (*path, len(values))
            value, position = kind.read(reader, position, stop, depth + 1, inner)
            values.append(value)
        if position < stop or len(values) < len(self.elements):
            got = f"only {len(values)}" if position >= stop else "more"
            detail = f"{len(self.elements)} items, got {got}"
            raise reader.fault(DecodeReason.WRONG_ITEM_COUNT, offset, path, detail)
        return tuple(values), stop

    def write_read(self, source: Source, target: str) -> None:
        """Read one after the other."""
        stop = source.fresh()
        source.read_list_header(stop)
        names = []
        for kind in self.elements:
            names.append(source.fresh())
            kind.write_read(source, names[-1])
        source.refuse(f"p != {stop}")
        source.write(f"{target} = ({''.join(name + ', ' for name in names)})")

    def chunks(self, source: Source, value: str) -> list[str]:
        """Join the items."""
        name = source.fresh()
        # The first thing that is evaluated gives the tuple a name.
        parts = [f"b'' if ({name} := {value}) is None else b''"]
        for place, kind in enumerate(self.elements):
            parts += kind.chunks(source, f"{name}[{place}]")
        return [f"encode_list(b''.join(({', '.join(parts)})))"]

    def layout(self) -> Layout:
        """Return the items' layouts."""
        return ("tuple", tuple(kind.layout() for kind in self.elements))

    def to_json(self, value: Any, form: JsonForm) -> list[Any]:
        """Return a list."""
        return [
            kind.to_json(inner, form)
            for kind, inner in zip(self.elements, value, strict=True)
        ]

    def from_json(self, value: Any, form: JsonForm, path: Path) -> tuple[Any, ...]:
        """Read a list."""
        size = len(self.elements)
        if not isinstance(value, list) or len(value) != size:
            raise fail_json(f"expected a list of {size}, got {describe(value)}", path)
        return tuple(
            kind.from_json(inner, form, (*path, place))
            for place, (kind, inner) in enumerate(
                zip(self.elements, value, strict=True)
            )
        )

    def json_layout(self, form: JsonForm) -> Layout:
        """Return the items' layouts."""
        return ("tuple", tuple(kind.json_layout(form) for kind in self.elements))


class OptionalKind(Kind):
    """A kind, or the empty string for ``None``."""

    __slots__ = ("inner",)

    def __init__(self, inner: Kind) -> None:
        self.inner = inner
        self.shapes = (Shape(0, 0), *inner.shapes)

    def fit(self, value: Any, path: Path) -> Any:
        """Return ``None``, or *value* as the kind's type."""
        return None if value is None else self.inner.fit(value, path)

    def write_fit(self, source: Source, name: str, path: Path) -> None:
        """Accept ``None``."""
        source.open(f"if {name} is not None:")
        self.inner.write_fit(source, name, path)
        source.close()

    def holds(self, value: Any) -> bool:
        """Whether it is ``None`` or of the kind."""
        return value is None or self.inner.holds(value)

    def read(
        self, reader: Reader, position: int, end: int, depth: int, path: Path
    ) -> tuple[Any, int]:
        """Return the value."""
        if position < end and reader.data[position] == 0x80:
            _, stop = reader.string(position, end, path)
            return None, stop
        return self.inner.read(reader, position, end, depth, path)

    def write_read(self, source: Source, target: str) -> None:
        """Look at the first byte."""
        source.write(f"if data[p] == 128: {target} = None; p += 1")
        source.open("else:")
        self.inner.write_read(source, target)
        source.close()

    def chunks(self, source: Source, value: str) -> list[str]:
        """Choose."""
        name = value
        if not value.isidentifier():
            name = source.fresh()
            value = f"({name} := {value})"
        some = self.inner.expression(source, name)
        return [rf"(b'\x80' if {value} is None else {some})"]

    def layout(self) -> Layout:
        """Return the layout of what is not ``None``."""
        return ("optional", self.inner.layout())

    def to_json(self, value: Any, form: JsonForm) -> Any:
        """Return null, in fixtures the empty text, or the value."""
        if value is None:
            return "" if form.fixture else None
        return self.inner.to_json(value, form)

    def from_json(self, value: Any, form: JsonForm, path: Path) -> Any:
        """Read null, the empty text, or the value."""
        if value is None or value in ("", "0x"):
            return None
        return self.inner.from_json(value, form, path)

    def write_json_read(
        self, source: Source, target: str, value: str, form: JsonForm
    ) -> None:
        """Look for what stands for ``None``."""
        source.write(f"if {value} is None or {value} in ('', '0x'): {target} = None")
        source.open("else:")
        self.inner.write_json_read(source, target, value, form)
        source.close()

    def json_layout(self, form: JsonForm) -> Layout:
        """Return the layout of what is not ``None``."""
        return ("optional", self.inner.json_layout(form))


class ConvertedKind(Kind):
    """What functions of the user's own turn into another kind and back."""

    __slots__ = ("_decode", "_encode", "_from_json", "_to_json", "wire")

    def __init__(self, wire: Kind, options: Field) -> None:
        self.wire = wire
        self.shapes = wire.shapes
        self._encode = options.encode
        self._decode = options.decode
        self._to_json = options.to_json
        self._from_json = options.from_json

    def fit(self, value: Any, path: Path) -> Any:
        """Return *value* if it can be encoded."""
        if self._encode is None:
            return self.wire.fit(value, path)
        self._to_wire(value, path)
        return value

    def holds(self, value: Any) -> bool:
        """Whether `fit` returns the same object."""
        return self.fit(value, ()) is value

    def _to_wire(self, value: Any, path: Path) -> Any:
        """Return what is encoded for *value*."""
        if self._encode is None:
            return value
        try:
            return self.wire.fit(self._encode(value), path)
        except (TypeError, ValueError, LookupError) as error:
            if isinstance(error, HexaryError):
                raise
            raise EncodeError(str(error), path=path) from error

    def _from_wire(self, value: Any) -> Any:
        """
        Return the value that is encoded as *value*.

        Raises:
            ValueError: there is none, or it has another encoding as well.
        """
        if self._decode is None or self._encode is None:
            return value
        made = self._decode(value)
        if self.wire.fit(self._encode(made), ()) != value:
            raise RetryError("the same value has another encoding")
        return made

    def read(
        self, reader: Reader, position: int, end: int, depth: int, path: Path
    ) -> tuple[Any, int]:
        """Return the value."""
        value, stop = self.wire.read(reader, position, end, depth, path)
        try:
            return self._from_wire(value), stop
        except (ValueError, LookupError, HexaryError) as error:
            cause = error
        reason = DecodeReason.INVALID_VALUE
        raise reader.fault(reason, position, path, str(cause)) from cause

    def write_read(self, source: Source, target: str) -> None:
        """Read, then convert."""
        self.wire.write_read(source, target)
        if self._decode is not None:
            source.refuse_cut()
            source.write(f"{target} = {source.bind(self._from_wire)}({target})")

    def chunks(self, source: Source, value: str) -> list[str]:
        """Convert, then encode."""
        if self._encode is not None:
            value = f"{source.bind(self._to_wire)}({value}, ())"
        return self.wire.chunks(source, value)

    def layout(self) -> Layout:
        """Return the layout of what is encoded, and the conversions."""
        from_wire = None if self._decode is None else self._from_wire
        to_wire = None if self._encode is None else self._convert
        return ("converted", self.wire.layout(), from_wire, to_wire)

    def _convert(self, value: Any) -> Any:
        """Return what is encoded for *value*, which was checked before."""
        return self._to_wire(value, ())

    def to_json(self, value: Any, form: JsonForm) -> Any:
        """Return the JSON of the user's function, or that of what is encoded."""
        if self._to_json is not None:
            return self._to_json(value)
        return self.wire.to_json(self._to_wire(value, ()), form)

    def from_json(self, value: Any, form: JsonForm, path: Path) -> Any:
        """Read JSON with the user's function, or as what is encoded."""
        try:
            if self._from_json is not None:
                return self.fit(self._from_json(value), path)
            return self._from_wire(self.wire.from_json(value, form, path))
        except (TypeError, ValueError, LookupError) as error:
            raise fail_json(error, path) from error
