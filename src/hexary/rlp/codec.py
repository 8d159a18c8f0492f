"""
What is made of a record class at its first use: constructor, encoders, decoders.

The code of a class is written from the kinds of its fields and compiled once.  What a
decoder looks like, for a record of a hash, a number and a trailing hash::

    def read_list(data, p, number=0):
        b = data[p]                            # the header of the list
        …                                      # s: where it should end
        r = builder()
        if data[p] != 160: raise RETRY
        r.parent = new_bytes(Hash, data[p + 1:p + 33]); p += 33
        b = data[p]
        if 0 < b < 129: x1 = b & 127; p += 1   # 0x80 is 0
        else: …                                # one comparison tells a minimal integer
        r.number = x1
        if p < s: …                            # the trailing field
        else: r.root = None
        if p != s: raise RETRY
        r.__class__ = cls
        return r, p

The builder is a class with the same slots, but without the record's refusal to be
changed, so that its instance can be filled first and become a record then.
"""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING, Any

from hexary.errors import (
    DecodeError,
    DecodeReason,
    EncodeError,
    FixtureError,
    HexaryError,
    InputTypeError,
)
from hexary.rlp.annotations import Markers, Scope, kind_of
from hexary.rlp.containers import ConvertedKind
from hexary.rlp.decoder import Decoder
from hexary.rlp.fields import MISSING, Field
from hexary.rlp.kinds import (
    BytesKind,
    ItemKind,
    JsonForm,
    Kind,
    UintKind,
    describe,
    fail_json,
)
from hexary.rlp.source import Source, string_header
from hexary.rlp.unions import read_envelope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from hexary.rlp.reading import Path, Reader

__all__ = ["BoundField", "Codec", "codec_of"]

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
        return found  # type: ignore[no-any-return]
    with _lock:
        found = cls.__dict__.get("__rlp_codec__")
        if found is not None:
            return found  # type: ignore[no-any-return]
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


class BoundField:
    """One field: its name, its kind, where its values are kept, and its options."""

    __slots__ = ("aliases", "fixture", "json", "kind", "name", "options", "trailing")

    def __init__(
        self, name: str, kind: Kind, options: Field, *, trailing: bool
    ) -> None:
        self.name = name
        self.kind = kind
        self.options = options
        self.trailing = trailing
        self.json = _camel_case(name) if options.json is None else options.json
        self.fixture = self.json if options.fixture is None else options.fixture
        self.aliases = options.aliases


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
        self._builder = _builder(cls)
        self.read_list = self._write_read_list()
        self._encode_list = self._write_encode(frozenset(), extra=False)
        self.decoder = Decoder(self._read_whole(), self._read_carefully, (self.title,))

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
        encode_list = self._encode_list
        cls.__init__ = self._write_constructor()
        cls.__rlp_list__ = encode_list
        if self.types == {0}:
            cls.__rlp_item__ = cls.__rlp_whole__ = encode_list
        else:
            cls.__rlp_whole__ = self._write_envelope()
            cls.__rlp_item__ = _write_item(cls.__rlp_whole__)
        # Last: who finds it needs no lock.
        cls.__rlp_codec__ = self

    def _write_constructor(self) -> Callable[..., None]:
        """Return ``__init__``."""
        options = self.cls.__dict__["__rlp_options__"]
        source = Source()
        parameters = []
        for name, bound in self.all_fields.items():
            default = ""
            if bound.options.default_factory is not None:
                default = f"={source.bind(MISSING)}"
            elif bound.options.default is not MISSING:
                default = f"={source.bind(bound.options.default)}"
            parameters.append(name + default)
        star = ["*"] if options.kw_only and parameters else []
        # Names of fields do not begin so, and hide nothing that the code needs.
        source.open(f"def __init__({', '.join(['__self', *star, *parameters])}):")
        for name, bound in self.all_fields.items():
            if bound.options.default_factory is not None:
                factory = source.bind(bound.options.default_factory)
                missing = source.bind(MISSING)
                source.write(f"if {name} is {missing}: {name} = {factory}()")
            path = (self.title, name)
            if bound.trailing:
                source.open(f"if {name} is not None:")
            if name == self.type_field:
                source.write(f"{name} = {source.bind(self._fit_type)}({name})")
            else:
                bound.kind.write_fit(source, name, path)
            if bound.trailing:
                source.close()
            setter = source.bind(_slot(self.cls, name).__set__)
            source.write(f"{setter}(__self, {name})")
        for first, second in zip(self.fields, self.fields[1:], strict=False):
            if first.trailing:
                gap = source.bind(_gap)
                source.write(
                    f"if {first.name} is None and {second.name} is not None:"
                    f" raise {gap}({self.title!r}, {first.name!r}, {second.name!r})"
                )
        if self.has_check:
            source.write("__self.__post_init__()")
        source.write("return None")
        made = source.compile("__init__")
        made.__qualname__ = f"{self.cls.__qualname__}.__init__"
        made.__module__ = self.cls.__module__
        made.__annotations__ = {
            name: annotation for name, (annotation, *_) in options.annotations.items()
        }
        return made

    def _fit_type(self, value: Any) -> int:
        """Return the type byte *value*."""
        number = UintKind(8).fit(value, (self.title, self.type_field))
        if number not in self.types:
            known = ", ".join(map(str, sorted(self.types)))
            path = (self.title, self.type_field)
            raise EncodeError(f"type {number} is not one of {known}", path=path)
        return number

    def build(self, values: dict[str, Any]) -> Any:
        """Return a record of checked *values*, one for each field."""
        record = self._builder()
        for name, value in values.items():
            setattr(record, name, value)
        record.__class__ = self.cls
        if self.has_check:
            record.__post_init__()
        return record

    # Reading.

    def _write_read_list(self) -> Callable[..., tuple[Any, int]]:
        """Return the function that reads the list of a record."""
        source = Source()
        builder, cls = source.bind(self._builder), source.bind(self.cls)
        source.open("def read_list(data, p, number=0):")
        source.read_list_header("s")
        source.write(f"r = {builder}()")
        if self.type_field:
            source.write(f"r.{self.type_field} = number")
        waiting: list[BoundField] = []
        for bound in self.fields:
            kind = bound.kind
            if not bound.trailing and type(kind) is BytesKind and kind.header:
                waiting.append(bound)
                continue
            _write_fixed(source, waiting)
            waiting = []
            if bound.trailing:
                source.open("if p < s:")
                kind.write_read(source, f"r.{bound.name}")
                source.close()
                source.write(f"else: r.{bound.name} = None")
            else:
                kind.write_read(source, f"r.{bound.name}")
        _write_fixed(source, waiting)
        source.refuse("p != s")
        source.write(f"r.__class__ = {cls}")
        if self.has_check:
            source.write("r.__post_init__()")
        source.write("return r, p")
        return source.compile("read_list")

    def _read_whole(self) -> Callable[[bytes, int], tuple[Any, int]]:
        """Return the function that reads a record that stands alone."""
        read_list, types = self.read_list, self.types
        if types == {0}:
            return read_list

        def read_whole(data: bytes, position: int) -> tuple[Any, int]:
            number = data[position]
            if number in types and number:
                return read_list(data, position + 1, number)
            if number < 0xC0 or 0 not in types:
                raise IndexError
            return read_list(data, position)

        return read_whole

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

    # Writing.

    def _write_encode(
        self, without: frozenset[str], *, extra: bool
    ) -> Callable[..., bytes]:
        """Return the function that encodes the list *without* some fields."""
        source = Source()
        name = "encode_record"
        source.open(f"def {name}(self{', extra' if extra else ''}):")
        parts: list[str] = []
        trailing = False
        for bound in self.fields:
            if bound.name in without:
                continue
            if not bound.trailing:
                parts += bound.kind.chunks(source, f"self.{bound.name}")
                continue
            if not trailing:
                source.write(f"parts = [{', '.join(parts)}]")
                trailing = True
            source.write(f"v = self.{bound.name}")
            chunks = ", ".join(bound.kind.chunks(source, "v"))
            source.write(f"if v is not None: parts += ({chunks},)")
        if extra:
            if trailing:
                source.write("parts.append(extra)")
            else:
                parts.append("extra")
        joined = "parts" if trailing else f"({''.join(f'{x}, ' for x in parts)})"
        source.write(f"payload = b''.join({joined})")
        source.write("n = len(payload)")
        source.write("if 255 < n < 65536: return b'\\xf9' + n.to_bytes(2) + payload")
        source.write("return list_header(n) + payload")
        return source.compile(name)

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
            found = self._encoders[names] = self._write_encode(names, extra=True)
        return found

    def _write_envelope(self) -> Callable[[Any], bytes]:
        """Return the function that encodes a typed record that stands alone."""
        encode_list = self._encode_list
        if not self.type_field:
            prefix = self.prefix(None)

            def encode_typed(record: Any) -> bytes:
                return prefix + encode_list(record)

            return encode_typed
        prefixes = {number: bytes([number]) if number else b"" for number in self.types}
        number_of = _slot(self.cls, self.type_field).__get__

        def encode_by_type(record: Any) -> bytes:
            return prefixes[number_of(record)] + encode_list(record)

        return encode_by_type

    def prefix(self, record: Any) -> bytes:
        """Return the type byte of *record*, ``b""`` if it has none."""
        number = (
            getattr(record, self.type_field) if self.type_field else min(self.types)
        )
        return bytes([number]) if number else b""

    # JSON.

    def to_json(self, record: Any, form: JsonForm) -> dict[str, Any]:
        """Return the JSON object of *record*."""
        made: dict[str, Any] = {}
        if self.json_type is not None and not (form.fixture and self.json_type == 0):
            made["type"] = UintKind(8).to_json(self.json_type, form)
        for name, bound in self.all_fields.items():
            key = bound.fixture if form.fixture else bound.json
            value = getattr(record, name)
            if key and not (bound.trailing and value is None):
                made[key] = bound.kind.to_json(value, form)
        return made

    def from_json(self, value: Any, form: JsonForm, path: Path) -> Any:
        """
        Return the record that a JSON object stands for.

        Raises:
            FixtureError: there is none; names the field.
        """
        if not isinstance(value, dict):
            raise fail_json(f"expected an object, got {describe(value)}", path)
        known = {"type"} if self.json_type is not None else set()
        if known and value.get("type") is not None:
            got = UintKind(8).from_json(value["type"], form, (*path, "type"))
            if got != self.json_type:
                rule = f"expected type {self.json_type}, got {got}"
                raise fail_json(rule, (*path, "type"))
        arguments: dict[str, Any] = {}
        for name, bound in self.all_fields.items():
            first = bound.fixture if form.fixture else bound.json
            keys = [key for key in (first, *bound.aliases) if key]
            known.update(keys)
            key = next((key for key in keys if key in value), None)
            if key is not None:
                if not (bound.trailing and value[key] is None):
                    inner = (*path, key)
                    arguments[name] = bound.kind.from_json(value[key], form, inner)
            elif not bound.trailing and not _has_default(bound.options):
                raise fail_json("missing", (*path, first or name))
        if form.refuse_unknown:
            for key in value:
                if key not in known:
                    raise fail_json("unknown key", (*path, str(key)[:64]))
        try:
            # Its own checks pass once more, which costs less than the parsing.
            return self.cls(**{**self._absent(), **arguments})
        except FixtureError:
            raise
        except HexaryError as error:
            raise fail_json(error, path) from error

    def _absent(self) -> dict[str, None]:
        """Return ``None`` for the trailing fields that have no default."""
        return {
            bound.name: None
            for bound in self.fields
            if bound.trailing and not _has_default(bound.options)
        }


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


def _has_default(options: Field) -> bool:
    """Whether a field may be left out of the constructor."""
    return options.default is not MISSING or options.default_factory is not None


def _gap(title: str, absent: str, present: str) -> EncodeError:
    """Return the error for a trailing field without an earlier one."""
    return EncodeError(
        f"a record with {present} has {absent} as well", path=(title, present)
    )


def _slot(cls: type, name: str) -> Any:
    """Return the descriptor of the slot *name*."""
    return next(vars(base)[name] for base in cls.__mro__ if name in vars(base))


def _builder(cls: Any) -> Any:
    """Return a class with the layout of *cls* whose instances can be changed."""
    return type(
        f"{cls.__name__}Builder",
        cls.__bases__,
        {
            "__slots__": cls.__slots__,
            "__module__": cls.__module__,
            "__init__": object.__init__,
            "__setattr__": object.__setattr__,
            "__delattr__": object.__delattr__,
        },
    )


def _write_fixed(source: Source, fields: list[BoundField]) -> None:
    """Write code that reads neighbours of known sizes at once."""
    if len(fields) == 1:
        fields[0].kind.write_read(source, f"r.{fields[0].name}")
        return
    layout = ">"
    names, wrong, total = [], [], 0
    for bound in fields:
        kind = bound.kind
        if not isinstance(kind, BytesKind) or kind.header is None:
            continue
        size = kind.smallest
        header, data = source.fresh(), source.fresh()
        names += [header, data]
        if len(kind.header) == 1:
            layout += f"B{size}s"
            wrong.append(f"{header} != {kind.header[0]}")
        else:
            layout += f"{len(kind.header)}s{size}s"
            wrong.append(f"{header} != {kind.header!r}")
        total += len(kind.header) + size
    if not names:
        return
    source.write(f"{', '.join(names)} = {source.struct(layout)}(data, p)")
    source.refuse(" or ".join(wrong))
    for bound, data in zip(fields, names[1::2], strict=True):
        if isinstance(bound.kind, BytesKind):
            source.write(f"r.{bound.name} = {bound.kind.wrapped(source, data)}")
    source.write(f"p += {total}")


def _write_item(encode_whole: Callable[[Any], bytes]) -> Callable[[Any], bytes]:
    """Return the function that encodes a typed record inside a list."""

    def encode_item(record: Any) -> bytes:
        whole = encode_whole(record)
        if whole[0] >= 0xC0:
            return whole
        return string_header(whole) + whole

    return encode_item


def _camel_case(name: str) -> str:
    """Return a field's name as JSON-RPC spells it."""
    first, *rest = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)
