"""
What is made of a record class at its first use: constructor, encoders, decoders.

The code of a class is written from the kinds of its fields (see
`hexary.rlp.record_source`) and compiled once; with the accelerator, the part that reads
and encodes is its coder (see `hexary.rlp.record_coder`).  Beside it stands
`Codec.read`, which reads the same with a `Reader`, slowly, and says what is wrong and
where.
"""

from __future__ import annotations

from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, Any

from hexary.errors import (
    DecodeError,
    DecodeReason,
    EncodeError,
    HexaryError,
    InputTypeError,
)
from hexary.rlp.annotations import Markers, Scope, kind_of
from hexary.rlp.bound_field import BoundField, find_slot
from hexary.rlp.containers import ConvertedKind
from hexary.rlp.decoder import Decoder
from hexary.rlp.encoding import encode
from hexary.rlp.item_kinds import ItemKind
from hexary.rlp.kinds import JsonForm
from hexary.rlp.layout import FieldLayout, RecordLayout
from hexary.rlp.record_coder import as_method, make_coder
from hexary.rlp.record_json import read_object, write_object
from hexary.rlp.record_source import (
    make_builder,
    make_constructor,
    make_json_reader,
)
from hexary.rlp.scalar_kinds import UintKind
from hexary.rlp.unions import read_envelope

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable

    from hexary.rlp.fields import Field
    from hexary.rlp.kinds import Kind
    from hexary.rlp.reading import Path, Reader

__all__ = ["Codec", "codec_of", "read_alone"]

_lock = RLock()
_compiling: list[type] = []


def codec_of(cls: type) -> Codec:
    """
    Return the codec of a record class; the first call compiles it.

    Raises:
        InputTypeError: an annotation is no kind of field, or the class holds itself.
    """
    found = cls.__dict__.get("__rlp_codec__")
    if found is not None:
        return found  # type: ignore[no-any-return]  # what `install` has put there
    with _lock:
        found = cls.__dict__.get("__rlp_codec__")
        if found is not None:
            return found  # type: ignore[no-any-return]  # what `install` has put there
        if cls in _compiling:
            names = " → ".join(one.__name__ for one in (*_compiling, cls))
            raise InputTypeError(
                cls.__name__, "a record that does not hold itself", cls, hint=names
            )
        _compiling.append(cls)
        try:
            codec = Codec(cls)
        finally:
            _compiling.pop()
        codec.install()
        return codec


class Codec:
    """
    Everything about one record class.

    Attributes:
        cls: the class.
        title: what errors call a record that is not part of another.
        types: its type bytes, 0 for the form without one.
        fields: the fields, in order, without the one that is the type byte.
        type_field: the name of the one that is the type byte, ``""`` if none is.
    """

    def __init__(self, cls: type) -> None:
        options = cls.__dict__["__rlp_options__"]
        self.cls: Any = cls
        self.title: str = options.title
        self.type_field = ""
        self.types: set[int] = {options.type_byte or 0}
        self.json_type: int | None = options.json_type
        self.fields: list[BoundField] = []
        self.all_fields: dict[str, BoundField] = {}
        for name, (annotation, owner, around) in options.annotations.items():
            self._add(name, annotation, Scope.of(owner, name, around))
        self.least = sum(not one.trailing for one in self.fields)
        self.has_check = hasattr(cls, "__post_init__")
        self.views: dict[str, frozenset[str]] = options.views
        self._encoders: dict[frozenset[str], Callable[[Any, bytes], bytes]] = {}
        self._json_readers: dict[JsonForm, Callable[[Any], Any]] = {}
        self.coder = make_coder(self)
        self.read_list: Callable[..., tuple[Any, int]] = self.coder.read
        self.decoder = Decoder(
            self.coder.read_alone, self._read_carefully, (self.title,)
        )

    def _add(self, name: str, annotation: Any, scope: Scope) -> None:
        """Add one field."""
        options: Field = self.cls.__dict__["__rlp_options__"].fields[name]
        markers = Markers()
        if options.encode is not None:
            wire = ItemKind() if options.wire is None else kind_of(options.wire, scope)
            kind: Kind = ConvertedKind(wire, options)
        else:
            kind = kind_of(annotation, scope, markers)
            if options.to_json is not None or options.from_json is not None:
                kind = ConvertedKind(kind, options)
        bound = BoundField(name, kind, options, trailing=markers.trailing)
        self.all_fields[name] = bound
        if markers.type_byte is not None:
            if self.types != {0} or self.type_field:
                raise scope.refuse(annotation, "a record has one type byte")
            self.type_field = name
            self.types = {0, *markers.type_byte.types}
            return
        if self.fields and self.fields[-1].trailing and not bound.trailing:
            raise scope.refuse(annotation, "only trailing fields follow a trailing one")
        self.fields.append(bound)

    # The constructor.

    def install(self) -> None:
        """Give the class its compiled methods, in place of those that compile."""
        cls = self.cls
        coder = self.coder
        options = cls.__dict__["__rlp_options__"]
        constructor = make_constructor(self, kw_only=options.kw_only)
        constructor.__annotations__ = {
            name: annotation for name, (annotation, *_) in options.annotations.items()
        }
        cls.__init__ = constructor
        cls.__rlp_list__ = as_method(coder.encode)
        cls.__rlp_whole__ = as_method(coder.encode_alone)
        cls.__rlp_item__ = as_method(coder.encode_item)
        # Last: who finds it needs no lock.
        cls.__rlp_codec__ = self

    def fit_type(self, value: Any) -> int:
        """Return the type byte *value*."""
        number = UintKind(8).fit(value, (self.title, self.type_field))
        if number not in self.types:
            known = ", ".join(map(str, sorted(self.types)))
            path = (self.title, self.type_field)
            raise EncodeError(f"type {number} is not one of {known}", path=path)
        return number

    @cached_property
    def builder(self) -> Any:
        """The class whose instances are filled first and become records then."""
        return make_builder(self.cls)

    def build(self, values: dict[str, Any]) -> Any:
        """Return a record of checked *values*, one for each field."""
        record = self.builder()
        for name, value in values.items():
            setattr(record, name, value)
        record.__class__ = self.cls
        if self.has_check:
            record.__post_init__()
        return record

    # Reading.

    def _read_carefully(
        self, reader: Reader, position: int, end: int, path: Path
    ) -> tuple[Any, int]:
        """Read a record that stands alone."""
        return read_alone(reader, position, end, path, dict.fromkeys(self.types, self))

    def read(
        self,
        reader: Reader,
        position: int,
        end: int,
        depth: int,
        path: Path,
        number: int,
    ) -> tuple[Any, int]:
        """
        Return the record whose list is at *position*, and the index behind it.

        Raises:
            DecodeError: there is none; names the field.
        """
        offset = position
        position, stop = reader.list(position, end, depth, path)
        values: dict[str, Any] = {self.type_field: number} if self.type_field else {}
        for place, bound in enumerate(self.fields):
            if position < stop:
                values[bound.name], position = bound.kind.read(
                    reader, position, stop, depth + 1, (*path, bound.name)
                )
            elif bound.trailing:
                values[bound.name] = None
            else:
                detail = f"{self._item_count()}, got {place}: no {bound.name}"
                raise reader.fault(DecodeReason.WRONG_ITEM_COUNT, offset, path, detail)
        if position < stop:
            detail = f"{self._item_count()}, got more"
            raise reader.fault(DecodeReason.WRONG_ITEM_COUNT, offset, path, detail)
        try:
            return self.build(values), stop
        except DecodeError:
            raise
        except (ValueError, HexaryError) as error:
            # The check is the class's own; what it says is about these bytes.
            detail, cause = str(error), error
        reason = DecodeReason.INVALID_VALUE
        raise reader.fault(reason, offset, path, detail) from cause

    def _item_count(self) -> str:
        """Return how many items there are, in words."""
        most = len(self.fields)
        count = str(most) if most == self.least else f"{self.least} to {most}"
        return f"{count} items"

    # JSON.

    def from_json(self, value: Any, spelling: object, unknown: object) -> Any:
        """Return the record that a JSON object stands for; see `Record.from_json`."""
        return read_object(self, value, JsonForm.of(spelling, unknown), (self.title,))

    def to_json(self, record: Any, spelling: object) -> dict[str, Any]:
        """Return a record as a JSON object; see `Record.to_json`."""
        return write_object(self, record, JsonForm.of(spelling))

    def json_reader(self, form: JsonForm) -> Callable[[Any], Any]:
        """
        Return the function that reads a record of a JSON object, or gives up.

        Args:
            form: how the object is spelled, and whether all its keys have to be known.
        """
        found = self._json_readers.get(form)
        if found is None:
            found = self._json_readers[form] = make_json_reader(self, form)
        return found

    # Writing.

    def layout(self, without: Container[str] = ()) -> RecordLayout:
        """Return what the record is, for the accelerator, *without* some fields."""
        cls = self.cls
        fields = [
            FieldLayout(
                bound.name,
                find_slot(cls, bound.name),
                bound.trailing,
                bound.kind.layout(),
            )
            for bound in self.fields
            if bound.name not in without
        ]
        return RecordLayout(
            cls,
            frozenset(self.types),
            find_slot(cls, self.type_field) if self.type_field else None,
            tuple(fields),
            self.has_check,
        )

    @staticmethod
    def join(items: Iterable[Any]) -> bytes:
        """Return the encodings of items to append."""
        return b"".join(map(encode, items)) if items else b""

    def encoder(self, without: Iterable[str]) -> Callable[[Any, bytes], bytes]:
        """
        Return the function that encodes the list *without* some fields.

        It takes the record, and the encodings of items to append.

        Raises:
            InputTypeError: one of them is not a field.
        """
        names = frozenset(without)
        found = self._encoders.get(names)
        if found is None:
            for name in names:
                if name not in self.all_fields:
                    raise InputTypeError("exclude", f"fields of {self.title}", name)
            found = self._encoders[names] = make_coder(self, names).encode_with
        return found

    def prefix(self, record: Any) -> bytes:
        """Return the type byte of *record*, ``b""`` if it has none."""
        number = (
            getattr(record, self.type_field) if self.type_field else min(self.types)
        )
        return bytes([number]) if number else b""


def read_alone(
    reader: Reader, position: int, end: int, path: Path, codecs: dict[int, Codec]
) -> tuple[Any, int]:
    """Return the record that stands alone at *position*, and the index behind it."""
    if 0 in codecs and (
        position >= end or reader.data[position] >= 0xC0 or len(codecs) == 1
    ):
        path = path or (codecs[0].title,)
        return codecs[0].read(reader, position, end, 0, path, 0)
    if position >= end:
        raise reader.fault(DecodeReason.EMPTY_INPUT, position, path)
    return read_envelope(reader, position, end, 0, path, codecs)
