"""
The source of a record's own functions: constructor, decoder and encoder.

What a decoder looks like, for a record of a hash, a number and a trailing hash::

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

from typing import TYPE_CHECKING, Any

from hexary.errors import EncodeError
from hexary.rlp.bound_field import find_slot
from hexary.rlp.bytes_kind import BytesKind
from hexary.rlp.fields import MISSING
from hexary.rlp.json_layout import json_keys, json_type_texts, known_json_keys
from hexary.rlp.source import Source
from hexary.twin import twin

if TYPE_CHECKING:
    from collections.abc import Callable

    from hexary.rlp.bound_field import BoundField
    from hexary.rlp.codec import Codec
    from hexary.rlp.kinds import JsonForm

__all__ = [
    "make_builder",
    "make_constructor",
    "make_encoder",
    "make_json_reader",
    "make_list_reader",
]


def make_builder(cls: Any) -> Any:
    """Return a class with the layout of *cls* whose instances can be changed."""
    body = {
        "__slots__": cls.__slots__,
        "__module__": cls.__module__,
        "__init__": object.__init__,
        "__setattr__": object.__setattr__,
        "__delattr__": object.__delattr__,
    }
    if "__orig_bases__" in vars(cls):
        # A generic class cannot be made without.
        body["__orig_bases__"] = vars(cls)["__orig_bases__"]
    return type(f"{cls.__name__}Builder", cls.__bases__, body)


def make_list_reader(codec: Codec, builder: Any) -> Callable[..., tuple[Any, int]]:
    """Return the function that reads the list of a record."""
    source = Source()
    source.open("def read_list(data, p, number=0):")
    source.read_list_header("s")
    source.write(f"r = {source.bind(builder)}()")
    if codec.type_field:
        source.write(f"r.{codec.type_field} = number")
    waiting: list[tuple[str, BytesKind, bytes]] = []
    for bound in codec.fields:
        kind, target = bound.kind, f"r.{bound.name}"
        header = kind.header if isinstance(kind, BytesKind) else None
        if isinstance(kind, BytesKind) and header and not bound.trailing:
            waiting.append((target, kind, header))
            continue
        _write_neighbours(source, waiting)
        waiting = []
        if bound.trailing:
            source.open("if p < s:")
            kind.write_read(source, target)
            source.close()
            source.write(f"else: {target} = None")
        else:
            kind.write_read(source, target)
    _write_neighbours(source, waiting)
    source.refuse("p != s")
    source.write(f"r.__class__ = {source.bind(codec.cls)}")
    if codec.has_check:
        source.refuse_cut()
        source.write("r.__post_init__()")
    source.write("return r, p")
    return source.compile("read_list")


def _write_neighbours(
    source: Source, fields: list[tuple[str, BytesKind, bytes]]
) -> None:
    """Write code that reads neighbours of known sizes, several in one call."""
    if len(fields) < 2:
        for target, kind, _ in fields:
            kind.write_read(source, target)
        return
    layout = ">"
    names, wrong, total = [], [], 0
    for _, kind, prefix in fields:
        header, data = source.fresh(), source.fresh()
        names += [header, data]
        if len(prefix) == 1:
            layout += f"B{kind.smallest}s"
            wrong.append(f"{header} != {prefix[0]}")
        else:
            layout += f"{len(prefix)}s{kind.smallest}s"
            wrong.append(f"{header} != {prefix!r}")
        total += len(prefix) + kind.smallest
    source.write(f"{', '.join(names)} = {source.struct(layout)}(data, p)")
    source.refuse(" or ".join(wrong))
    for (target, kind, _), data in zip(fields, names[1::2], strict=True):
        source.write(f"{target} = {kind.wrapped(source, data)}")
    source.write(f"p += {total}")


@twin
def make_json_reader(codec: Codec, form: JsonForm) -> Callable[[Any], Any]:
    """
    Return the function that reads a record of a JSON object.

    As the decoders do, it accepts or gives up; `hexary.rlp.record_json` knows why.
    """
    source = Source()
    missing = source.bind(MISSING)
    source.open("def read_json(value):")
    source.refuse("__type(value) is not dict")
    if codec.json_type is not None:
        source.write("v = value.get('type')")
        number = f"__type(v) is __int and v == {codec.json_type}"
        texts = json_type_texts(codec)
        source.refuse(f"v is not None and v not in {texts!r} and not ({number})")
    if form.refuse_unknown:
        known = source.bind(known_json_keys(codec, form))
        source.refuse(f"not value.keys() <= {known}")
    arguments: list[str] = []
    for name, bound in codec.all_fields.items():
        target = source.fresh()
        arguments.append(f"{name}={target}")
        default = missing
        if bound.options.default is not MISSING:
            default = source.bind(bound.options.default)
        elif bound.trailing and not bound.has_default:
            default = "None"
        absent = f"{target} = {default}"
        if default == missing and not bound.has_default:
            absent = "raise RETRY"
        first, *others = json_keys(bound, form) or ("",)
        if not first:
            source.write(absent)
            continue
        source.write(f"v = value.get({first!r}, {missing})")
        for other in others:
            source.write(f"if v is {missing}: v = value.get({other!r}, {missing})")
            source.open("else:")
            # What is spelled otherwise may mean the same, but that is not plain.
            source.write(f"w = value.get({other!r})")
            same = "__type(w) is __type(v) is __str and w == v"
            source.refuse(f"w is not None and not ({same})")
            source.close()
        source.write(f"if v is {missing}: {absent}")
        if bound.trailing:
            source.write(f"elif v is None: {absent}")
        source.open("else:")
        bound.kind.write_json_read(source, target, "v", form)
        source.close()
    source.write(f"return {source.bind(codec.cls)}({', '.join(arguments)})")
    return source.compile("read_json")


def make_constructor(codec: Codec, *, kw_only: bool) -> Callable[..., None]:
    """Return ``__init__``, which checks each field and then fills its slot."""
    source = Source()
    fields = codec.all_fields
    parameters = [_parameter(source, bound) for bound in fields.values()]
    if kw_only and parameters:
        parameters.insert(0, "*")
    # Names of fields do not begin so, and hide nothing that the code needs.
    source.open(f"def __init__({', '.join(['__self', *parameters])}):")
    for name, bound in fields.items():
        if bound.options.default_factory is not None:
            factory = source.bind(bound.options.default_factory)
            missing = source.bind(MISSING)
            source.write(f"if {name} is {missing}: {name} = {factory}()")
        if bound.trailing:
            source.open(f"if {name} is not None:")
        if name == codec.type_field:
            source.write(f"{name} = {source.bind(codec.fit_type)}({name})")
        else:
            bound.kind.write_fit(source, name, (codec.title, name))
        if bound.trailing:
            source.close()
        setter = source.bind(find_slot(codec.cls, name).__set__)
        source.write(f"{setter}(__self, {name})")
    for first, second in zip(codec.fields, codec.fields[1:], strict=False):
        if first.trailing:
            gap = source.bind(_gap)
            source.write(
                f"if {first.name} is None and {second.name} is not None:"
                f" raise {gap}({codec.title!r}, {first.name!r}, {second.name!r})"
            )
    if codec.has_check:
        source.write("__self.__post_init__()")
    source.write("return None")
    made = source.compile("__init__")
    made.__qualname__ = f"{codec.cls.__qualname__}.__init__"
    made.__module__ = codec.cls.__module__
    return made


def _parameter(source: Source, bound: BoundField) -> str:
    """Return the parameter for a field, with its default if it has one."""
    options = bound.options
    if options.default_factory is not None:
        return f"{bound.name}={source.bind(MISSING)}"
    if options.default is not MISSING:
        return f"{bound.name}={source.bind(options.default)}"
    return bound.name


def _gap(title: str, absent: str, present: str) -> EncodeError:
    """Return the error for a trailing field without an earlier one."""
    return EncodeError(
        f"a record with {present} has {absent} as well", path=(title, present)
    )


def make_encoder(
    codec: Codec, without: frozenset[str], *, extra: bool
) -> Callable[..., bytes]:
    """Return the function that encodes the list, with *extra* items if it takes any."""
    source = Source()
    source.open(f"def encode_record(self{', extra' if extra else ''}):")
    parts: list[str] = []
    trailing = False
    for bound in codec.fields:
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
    if extra and trailing:
        source.write("parts.append(extra)")
    elif extra:
        parts.append("extra")
    joined = "parts" if trailing else f"({''.join(f'{part}, ' for part in parts)})"
    source.write(f"payload = b''.join({joined})")
    source.write("n = len(payload)")
    # Most records have a length of two bytes.
    source.write(r"if 255 < n < 65536: return b'\xf9' + n.to_bytes(2) + payload")
    source.write("return list_header(n) + payload")
    return source.compile("encode_record")
