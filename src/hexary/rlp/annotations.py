"""From annotations to the kinds of field that they stand for."""

from __future__ import annotations

import sys
import typing
from collections.abc import Sequence
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ForwardRef,
    NewType,
    Union,
    get_args,
    get_origin,
)

from hexary.errors import InputTypeError
from hexary.rlp import decoding
from hexary.rlp.bytes_kind import BytesKind
from hexary.rlp.containers import OptionalKind, SequenceKind, TupleKind
from hexary.rlp.decoder import Decoder
from hexary.rlp.fields import BARE, TRAILING, Size, TypeByte, Uint
from hexary.rlp.item_kinds import ItemKind, RawKind
from hexary.rlp.kinds import Kind, Shape
from hexary.rlp.raw import Raw
from hexary.rlp.records import Record, record_class
from hexary.rlp.scalar_kinds import BoolKind, UintKind
from hexary.rlp.source import compile_reader
from hexary.rlp.unions import RecordKind, ShapeUnionKind, TypedUnionKind
from hexary.typed import FixedSizeBytes, FixedSizeHexNumber

if TYPE_CHECKING:
    from hexary.rlp.reading import Path, Reader

__all__ = [
    "Markers",
    "Scope",
    "decoder_of_annotation",
    "kind_of",
    "typed_union_of",
    "union_decoder",
]

_ALIASES: Any = getattr(typing, "TypeAliasType", ())
"""The class of what a ``type`` statement makes, which there is since Python 3.12."""

_MOST_ALIASES = 16
"""
How deep annotations are in one another, and how many aliases stand for the next.

Lists in lists are loops in loops to compiled code, of which Python allows twenty.
"""

_ENDLESS = "it holds itself, or is nested deeply"

_ACCEPTED = "one that the table in hexary.rlp.fields has"


class Scope:
    """
    Where the names in an annotation are looked up, and what to call it in errors.

    Args:
        name: the field's name, with that of the record.
        names: the names around the annotation, the outermost first.
    """

    __slots__ = ("depth", "name", "names")

    def __init__(self, name: str, *names: dict[str, Any]) -> None:
        self.name = name
        self.names = names
        self.depth = 0

    @classmethod
    def of(cls, owner: type, name: str, around: tuple[dict[str, Any], ...]) -> Scope:
        """Return the scope of the field *name* in the class *owner*."""
        module = sys.modules.get(owner.__module__)
        names = around if module is None else (*around, vars(module))
        return cls(f"{owner.__qualname__}.{name}", *names)

    def resolve(self, annotation: Any) -> Any:
        """Return the annotation that text or an alias stands for, or itself."""
        for _ in range(_MOST_ALIASES):
            if isinstance(annotation, (str, ForwardRef)):
                if annotation == decoding.Item:
                    return decoding.Item
                text = annotation
                if isinstance(annotation, ForwardRef):
                    text = annotation.__forward_arg__
                annotation = self._evaluate(str(text))
            elif isinstance(annotation, NewType):
                annotation = annotation.__supertype__
            elif isinstance(annotation, _ALIASES):
                annotation = annotation.__value__
            else:
                return annotation
        raise self.refuse(annotation, _ENDLESS)

    def _evaluate(self, text: str) -> Any:
        """Return what *text* stands for."""
        hint = ""
        for names in self.names or ({},):
            try:
                # The author's own text, evaluated as typing.get_type_hints does.
                return eval(text, names)  # noqa: S307 - as typing.get_type_hints does
            except NameError as error:
                hint = hint or str(error)
            except (SyntaxError, TypeError, AttributeError) as error:
                raise self.refuse(text, str(error)) from error
        raise self.refuse(text, hint)

    def refuse(self, annotation: object, hint: str = "") -> InputTypeError:
        """Return the error for an annotation that is no kind of field."""
        return InputTypeError(
            f"annotation of {self.name}", _ACCEPTED, annotation, hint=hint
        )


class Markers:
    """What an annotation says beside the kind."""

    __slots__ = ("trailing", "type_byte")

    def __init__(self) -> None:
        self.trailing = False
        self.type_byte: TypeByte | None = None


def kind_of(annotation: Any, scope: Scope, markers: Markers | None = None) -> Kind:
    """
    Return the kind of field that *annotation* stands for.

    Args:
        annotation: the annotation, as it is or as text.
        scope: where it stands.
        markers: receives what it says beside the kind, where that is allowed.

    Raises:
        InputTypeError: it is not in the table of `hexary.rlp.fields`, or ambiguous.
    """
    if scope.depth >= _MOST_ALIASES:
        raise scope.refuse(annotation, _ENDLESS)
    scope.depth += 1
    try:
        return _kind_of(annotation, scope, markers)
    finally:
        scope.depth -= 1


def _kind_of(annotation: Any, scope: Scope, markers: Markers | None) -> Kind:
    """Return the kind of field that *annotation* stands for."""
    annotation = scope.resolve(annotation)
    if annotation is decoding.Item or annotation == decoding.Item:
        return ItemKind()
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _annotated(arguments[0], arguments[1:], scope, markers)
    if origin is Union or origin is UnionType:
        return _union(arguments, scope)
    if origin is tuple:
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return SequenceKind(kind_of(arguments[0], scope), tuple)
        elements = () if arguments == ((),) else arguments
        return TupleKind(tuple(kind_of(inner, scope) for inner in elements))
    if origin is list or origin is Sequence:
        container = list if origin is list else tuple
        return SequenceKind(kind_of(arguments[0], scope), container)
    if isinstance(origin, type) and issubclass(origin, Record):
        # A generic one: what it is of is for type checkers.
        return _class(origin, scope)
    if isinstance(annotation, type):
        return _class(annotation, scope)
    raise scope.refuse(annotation)


def _class(cls: type, scope: Scope) -> Kind:
    """Return the kind for a class."""
    if issubclass(cls, Record):
        if record_class(cls) is not cls:
            raise scope.refuse(cls, "decorate the class with rlp.record")
        from hexary.rlp.codec import codec_of

        return RecordKind(codec_of(cls))
    if cls is Raw:
        return RawKind()
    if cls is bool:
        return BoolKind()
    if issubclass(cls, bytes):
        size = getattr(cls, "byte_length", None)
        if size is None and issubclass(cls, FixedSizeBytes):
            raise scope.refuse(cls, "give it a size, as in FixedSizeBytes[4]")
        return BytesKind(cls) if size is None else BytesKind(cls, size, size)
    if cls is int:
        raise scope.refuse(cls, "say how wide it is, as in rlp.U256")
    if issubclass(cls, int):
        size = getattr(cls, "byte_length", None)
        if size is None and issubclass(cls, FixedSizeHexNumber):
            raise scope.refuse(cls, "give it a size, as in FixedSizeHexNumber[4]")
        return UintKind(None if size is None else 8 * size, cls)
    raise scope.refuse(cls)


def _annotated(
    base: Any, marks: tuple[Any, ...], scope: Scope, markers: Markers | None
) -> Kind:
    """Return the kind for ``Annotated[base, *marks]``; marks of others are ignored."""
    base = scope.resolve(base)
    kind: Kind | None = None
    for mark in marks:
        if isinstance(mark, (Uint, TypeByte)):
            if not (isinstance(base, type) and issubclass(base, int)) or base is bool:
                raise scope.refuse(base, f"{mark} is for ints")
            bits = mark.bits if isinstance(mark, Uint) else 7
            size = getattr(base, "byte_length", None)
            if size is not None and (bits is None or bits > 8 * size):
                raise scope.refuse(base, f"it holds no more than {8 * size} bits")
            kind = UintKind(bits, base)
            if isinstance(mark, TypeByte):
                if markers is None:
                    raise scope.refuse(mark, "a type byte is a field of its own")
                markers.type_byte = mark
        elif isinstance(mark, Size):
            if not (isinstance(base, type) and issubclass(base, bytes)):
                raise scope.refuse(base, f"{mark} is for bytes")
            size = getattr(base, "byte_length", None)
            if size is not None and not size == mark.smallest == mark.largest:
                raise scope.refuse(base, f"it has {size} bytes already")
            kind = BytesKind(base, mark.smallest, mark.largest)
        elif mark is BARE:
            kind = kind_of(base, scope)
            if not isinstance(kind, RecordKind):
                raise scope.refuse(base, "BARE is for records")
            kind = RecordKind(kind.codec, bare=True)
        elif mark is TRAILING:
            if markers is None:
                raise scope.refuse(base, "a trailing field is not part of another")
            markers.trailing = True
            inner = tuple(part for part in get_args(base) if part is not type(None))
            kind = _union(inner, scope)
    return kind_of(base, scope, markers) if kind is None else kind


def _union(arguments: tuple[Any, ...], scope: Scope) -> Kind:
    """Return the kind for one of several."""
    members = [kind_of(inner, scope) for inner in arguments if inner is not type(None)]
    if len(members) == 1:
        kind = members[0]
    elif all(isinstance(kind, RecordKind) and not kind.bare for kind in members):
        kind = typed_union_of(
            [kind.codec for kind in members if isinstance(kind, RecordKind)], scope
        )
    else:
        for place, one in enumerate(members):
            for other in members[:place]:
                _tell_apart(one.shapes, other.shapes, arguments, scope)
        kind = ShapeUnionKind(tuple(members))
    if len(members) < len(arguments):
        _tell_apart((Shape(0, 0),), kind.shapes, arguments, scope)
        kind = OptionalKind(kind)
    return kind


def _tell_apart(
    one: tuple[Shape, ...],
    other: tuple[Shape, ...],
    arguments: tuple[Any, ...],
    scope: Scope,
) -> None:
    """Refuse a union in which one item could be either of two members."""
    if any(left.meets(right) for left in one for right in other):
        names = " | ".join(
            one.__name__ if isinstance(one, type) else repr(one) for one in arguments
        )
        raise scope.refuse(names, "an item could be either of two of them")


def typed_union_of(codecs: list[Any], scope: Scope) -> TypedUnionKind:
    """
    Return the kind for one of several records with different type bytes.

    Raises:
        InputTypeError: two records have the same type byte, or none both.
    """
    by_type: dict[int, Any] = {}
    for codec in codecs:
        for number in codec.types:
            if number in by_type:
                names = (by_type[number].cls.__name__, codec.cls.__name__)
                raise scope.refuse(names, f"both have type {number}")
            by_type[number] = codec
    return TypedUnionKind(by_type)


_decoders: dict[Any, Decoder] = {}
"""Annotation → decoder, for those that were decoded as a whole."""

_MOST_DECODERS = 256
"""How many are kept, as annotations can be made without end."""


def decoder_of_annotation(annotation: Any) -> Decoder:
    """
    Return the decoder of whole values of the kind that *annotation* stands for.

    Raises:
        InputTypeError: it stands for none.
    """
    found = _decoders.get(annotation) if _is_hashable(annotation) else None
    if found is None:
        found = _make_decoder(annotation)
        if len(_decoders) < _MOST_DECODERS and _is_hashable(annotation):
            _decoders[annotation] = found
    return found


def _is_hashable(value: object) -> bool:
    """Whether *value* can be the key of a dict."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _make_decoder(annotation: Any) -> Decoder:
    """Return a new decoder for *annotation*."""
    if isinstance(annotation, str) and annotation != decoding.Item:
        raise InputTypeError("kind", "a record class, typed union or type", annotation)
    kind = kind_of(annotation, Scope("kind"))
    if isinstance(kind, TypedUnionKind):
        return union_decoder(kind)
    if isinstance(kind, RecordKind) and not kind.bare:
        return kind.codec.decoder

    def careful(reader: Reader, position: int, end: int, path: Path) -> tuple[Any, int]:
        return kind.read(reader, position, end, 0, path)

    return Decoder(compile_reader(kind), careful, ())


def union_decoder(kind: TypedUnionKind) -> Decoder:
    """Return the decoder of records that stand alone, each with its type byte."""
    from hexary.rlp.codec import read_alone

    readers = {number: codec.read_list for number, codec in kind.codecs.items()}

    def fast(data: bytes, position: int) -> tuple[Any, int]:
        number = data[position]
        if number >= 0xC0:
            return readers[0](data, position)
        return readers[number or -1](data, position + 1, number)

    def careful(reader: Reader, position: int, end: int, path: Path) -> tuple[Any, int]:
        return read_alone(reader, position, end, path, kind.codecs)

    return Decoder(fast, careful, ())
