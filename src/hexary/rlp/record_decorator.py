"""
`record`, the decorator that makes a record of an annotated class.

The class is built a second time, with slots.  Its methods that need a codec are stubs
at first, which compile it and call what then has taken their place, so that a module
full of records loads fast, and an annotation may name a class that comes later.
"""

from __future__ import annotations

import sys
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, dataclass_transform, overload

from hexary.errors import InputTypeError, RangeError
from hexary.integer import int_of
from hexary.rlp.fields import MISSING, Field, field
from hexary.rlp.records import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

__all__ = ["RecordOptions", "record"]

AnyClass = TypeVar("AnyClass", bound=type)

_STUBS = {
    name: vars(Record)[name]
    for name in ("__init__", "__rlp_item__", "__rlp_list__", "__rlp_whole__")
}
"""What compiles a class and calls itself again."""

_RESERVED = {name for name in vars(Record) if not name.startswith("_")}


class RecordOptions:
    """What `record` has found out about a class."""

    __slots__ = (
        "annotations",
        "fields",
        "json_type",
        "kw_only",
        "title",
        "type_byte",
        "views",
    )

    annotations: dict[str, tuple[Any, type, tuple[dict[str, Any], ...]]]
    fields: dict[str, Field]
    json_type: int | None
    kw_only: bool
    title: str
    type_byte: int | None
    views: dict[str, frozenset[str]]


@overload
def record(cls: AnyClass, /) -> AnyClass: ...


@overload
def record(
    *,
    type_byte: int | None = None,
    json_type: int | None = None,
    views: Mapping[str, Iterable[str]] | None = None,
    title: str | None = None,
    kw_only: bool = False,
) -> Callable[[AnyClass], AnyClass]: ...


@dataclass_transform(frozen_default=True, field_specifiers=(Field, field))
def record(
    cls: Any = None,
    /,
    *,
    type_byte: int | None = None,
    json_type: int | None = None,
    views: Mapping[str, Iterable[str]] | None = None,
    title: str | None = None,
    kw_only: bool = False,
) -> Any:
    """
    Make a record of an annotated class: the decorator of `Record` classes.

    A method ``__post_init__`` of the class is called whenever a record is made, and may
    refuse it with a `HexaryError` or ValueError.

    Args:
        cls: the class, where the decorator stands without parentheses.
        type_byte: the byte, 1 to 127, that stands before the encoding (EIP-2718).
        json_type: the number under ``type`` in JSON, by default *type_byte*; 0 for a
            record without a type byte that is one of several.
        views: name → the fields that ``rlp(view=name)`` leaves out.
        title: what errors call the record, by default the class's name in snake_case.
        kw_only: let the constructor take keywords only.

    Returns:
        A class of the same name, with slots, which takes the place of *cls*.

    Raises:
        InputTypeError, RangeError: the class or an option cannot be made a record.

    Example:
        >>> from hexary import Address, Bytes, DecodeError, rlp
        >>> @rlp.record
        ... class Payment(rlp.Record):
        ...     nonce: rlp.U64
        ...     to: Address | None
        ...     value: rlp.U256
        ...     memo: rlp.Trailing[Bytes] = None
        >>> payment = Payment(nonce=1, to=None, value=10**18)
        >>> payment.rlp().hex()
        'cb0180880de0b6b3a7640000'
        >>> rlp.decode(Payment, payment.rlp()) == payment
        True
        >>> try:
        ...     rlp.decode(Payment, bytes.fromhex("c3018000"))
        ... except DecodeError as error:
        ...     print(error.field, error.reason.name, error.offset)
        payment.value LEADING_ZERO_INTEGER 3
    """
    around = _names_around(sys._getframe(1))

    def decorate(cls: Any) -> Any:
        if not isinstance(cls, type):
            raise InputTypeError("cls", "a class", cls)
        options = RecordOptions()
        options.type_byte = _type_byte(type_byte, 1)
        options.json_type = _type_byte(type_byte if json_type is None else json_type, 0)
        options.title = _snake_case(cls.__name__) if title is None else title
        options.kw_only = kw_only
        made = _make(cls, options, around)
        options.views = {
            name: frozenset(fields) for name, fields in (views or {}).items()
        }
        for name, fields in options.views.items():
            for one in fields - set(made.__rlp_fields__):
                raise InputTypeError(f"view {name!r}", "made of fields", one)
        return made

    return decorate if cls is None else decorate(cls)


def _names_around(frame: Any) -> tuple[dict[str, Any], ...]:
    """Return the names that annotations of a class defined in *frame* can use."""
    if frame.f_locals is frame.f_globals:
        return (frame.f_globals,)
    return (frame.f_globals, {**frame.f_globals, **frame.f_locals})[::-1]


def _make(cls: Any, options: RecordOptions, around: tuple[dict[str, Any], ...]) -> Any:
    """Return the record class that is made of *cls*."""
    if "__slots__" in vars(cls):
        raise InputTypeError("cls", "a class without __slots__ and not a record", cls)
    for name in _STUBS:
        if name in vars(cls):
            hint = "a check goes into __post_init__" if name == "__init__" else ""
            raise InputTypeError("cls", f"a class without {name}", cls, hint=hint)
    own = _own_fields(cls)
    annotations: dict[str, tuple[Any, type, tuple[dict[str, Any], ...]]] = {}
    fields: dict[str, Field] = {}
    for base in reversed(cls.__mro__[1:]):
        inherited: RecordOptions | None = vars(base).get("__rlp_options__")
        if inherited is not None:
            annotations |= inherited.annotations
            fields |= inherited.fields
    inherited_names = set(annotations)
    namespace = dict(vars(cls))
    for name, annotation in own.items():
        if name in _RESERVED or name.startswith("__"):
            rule = "other than those of the methods of a record"
            raise InputTypeError("name of a field", rule, name)
        value = namespace.pop(name, MISSING)
        annotations[name] = (annotation, cls, around)
        fields[name] = value if isinstance(value, Field) else field(default=value)
    for name in ("__dict__", "__weakref__"):
        namespace.pop(name, None)
    options.annotations, options.fields = annotations, fields
    names = tuple(annotations)
    namespace |= {
        "__slots__": tuple(name for name in own if name not in inherited_names),
        "__qualname__": cls.__qualname__,
        "__match_args__": () if options.kw_only else names,
        "__rlp_fields__": names,
        "__rlp_options__": options,
        "__rlp_shown__": tuple(name for name in names if fields[name].repr),
        "__rlp_values__": _getter(names),
        **_STUBS,
    }
    bases = tuple(base for base in cls.__bases__ if base is not object)
    if not issubclass(cls, Record):
        bases = (*bases, Record)
    made = type(cls)(cls.__name__, bases, namespace)
    _repair_super(cls, made)
    _check_order(made, fields, kw_only=options.kw_only)
    return made


def _own_fields(cls: type) -> dict[str, Any]:
    """Return the annotations of *cls* itself that are fields."""
    annotations = cls.__annotations__  # of the class itself, never inherited
    return {
        name: annotation
        for name, annotation in annotations.items()
        if not _is_class_variable(annotation)
    }


def _is_class_variable(annotation: Any) -> bool:
    """Whether an annotation is a ``ClassVar``, told from the text if it is text."""
    if isinstance(annotation, str):
        name = annotation.partition("[")[0]
        return name.rpartition(".")[2].strip() == "ClassVar"
    return annotation is ClassVar or getattr(annotation, "__origin__", 0) is ClassVar


def _getter(names: tuple[str, ...]) -> Any:
    """Return a method that returns the values of the fields."""
    if len(names) < 2:
        return vars(Record)["__rlp_values__"]
    get = attrgetter(*names)

    def values(self: Any) -> Any:
        return get(self)

    return values


def _repair_super(old: type, new: type) -> None:
    """Let ``super()`` in the methods of the class mean the new one."""
    for value in vars(new).values():
        function = getattr(value, "__func__", getattr(value, "fget", value))
        for cell in getattr(function, "__closure__", None) or ():
            try:
                if cell.cell_contents is old:
                    cell.cell_contents = new
            except ValueError:  # an empty cell
                continue


def _check_order(cls: type, fields: dict[str, Field], *, kw_only: bool) -> None:
    """Refuse a field without a default after one that has a default."""
    optional = ""
    for name, options in fields.items():
        if options.default is not MISSING or options.default_factory is not None:
            optional = name
        elif optional and not kw_only:
            rule = f"given a default, or kw_only, as it follows {optional}"
            raise InputTypeError(f"{cls.__name__}.{name}", rule, MISSING)


def _type_byte(value: int | None, least: int) -> int | None:
    """Return a type byte, which has to be one of EIP-2718."""
    if value is None:
        return None
    number = int_of(value)
    if number is None:
        raise InputTypeError("type_byte", "an int or None", value)
    if not least <= number <= 127:
        raise RangeError("type_byte", number, least, 127)
    return number


def _snake_case(name: str) -> str:
    """Return a class's name in small letters."""
    text = ""
    for place, letter in enumerate(name):
        if letter.isupper() and place and not name[place - 1].isupper():
            text += "_"
        text += letter.lower()
    return text
