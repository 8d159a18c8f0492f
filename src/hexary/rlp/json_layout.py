"""
Layouts of records as JSON objects: how a field is spelled, for the accelerator.

They are tuples as in `hexary.rlp.layout`, and say what the *compiled* reader accepts
(see `hexary.rlp.record_source`): what is spelled otherwise is left to the definition.

====================================  ================================================
layout                                JSON that is read
====================================  ================================================
``("bytes", smallest, largest, cls,   text of hex digits, as instances of *cls*
make)``
``("uint", most, cls, digits)``       quantities and integers of at most *most*, in text
                                      of at most *digits* characters; ``None`` for any
``("bool",)``                         quantities and integers of 0 and 1, booleans
``("sequence", element, container)``  lists
``("tuple", elements)``               lists of just as many
``("optional", inner)``               null, ``""`` and ``"0x"`` as ``None``, or *inner*
``("choice", members)``               text of exactly as many bytes as a member has, or
                                      else the last member
``("record", reader, cls)``           objects, by the reader of a codec
``("python", read)``                  whatever the function takes
====================================  ================================================

The values are such as the constructor of a record would take and leave as they are, so
that the accelerator need not call it.
"""

from __future__ import annotations

from sys import intern
from typing import TYPE_CHECKING, Any, NamedTuple

from hexary.rlp.bound_field import find_slot
from hexary.rlp.bytes_kind import BytesKind
from hexary.rlp.containers import OptionalKind, SequenceKind
from hexary.rlp.fields import MISSING
from hexary.rlp.scalar_kinds import BoolKind, UintKind
from hexary.twin import adopt

if TYPE_CHECKING:
    from collections.abc import Callable

    from hexary.rlp.bound_field import BoundField
    from hexary.rlp.codec import Codec
    from hexary.rlp.kinds import JsonForm, Kind
    from hexary.rlp.layout import Layout

__all__ = [
    "JsonFieldLayout",
    "JsonRecordLayout",
    "json_keys",
    "json_record_layout",
    "json_type_texts",
    "known_json_keys",
]


class JsonFieldLayout(NamedTuple):
    """
    One field of a record.

    Attributes:
        slot: the descriptor of the slot that has its value.
        keys: the keys that it may have, the usual one first.
        trailing: whether null stands for its absence as well.
        default: nothing, or, in a tuple, the value where there is none.
        make_default: what makes that value each time, ``None`` where nothing does.
        accepted: the values that it may have, ``None`` for all that *layout* reads.
        layout: what it holds.
    """

    slot: Any
    keys: tuple[str, ...]
    trailing: bool
    default: tuple[Any, ...]
    make_default: Callable[[], Any] | None
    accepted: frozenset[Any] | None
    layout: Layout


class JsonRecordLayout(NamedTuple):
    """
    A record.

    Attributes:
        cls: the class.
        types: what may stand under ``type``, a number and texts; ``None`` where nobody
            looks.
        known: the keys that there may be, ``None`` for any.
        fields: the fields, in order.
        has_check: whether ``__post_init__`` is to be called when a record is complete.
    """

    cls: type
    types: tuple[int, str, str] | None
    known: frozenset[str] | None
    fields: tuple[JsonFieldLayout, ...]
    has_check: bool


def json_keys(bound: BoundField, form: JsonForm) -> tuple[str, ...]:
    """Return the keys under which a field may stand, the usual one first."""
    first = bound.fixture if form.fixture else bound.json
    return tuple(intern(key) for key in dict.fromkeys((first, *bound.aliases)) if key)


def known_json_keys(codec: Codec, form: JsonForm) -> frozenset[str]:
    """Return all keys that a record's JSON object may have."""
    known = {"type"} if codec.json_type is not None else set()
    for bound in codec.all_fields.values():
        known.update(json_keys(bound, form))
    return frozenset(known)


def json_type_texts(codec: Codec) -> tuple[str, str]:
    """Return the usual texts of a record's type, which it has to have."""
    return (f"0x{codec.json_type:x}", f"0x{codec.json_type:02x}")


def json_record_layout(codec: Codec, form: JsonForm) -> JsonRecordLayout | None:
    """
    Return what a record is as a JSON object.

    Args:
        codec: the record's.
        form: how the object is spelled.

    Returns:
        The layout; ``None`` if an instance is more than its fields, as where the class
        has a ``__new__`` of its own.
    """
    cls = codec.cls
    types = None
    if codec.json_type is not None:
        types = (codec.json_type, *json_type_texts(codec))
    if cls.__new__ is not object.__new__ or type(cls).__call__ is not type.__call__:
        return None
    return JsonRecordLayout(
        cls,
        types,
        known_json_keys(codec, form) if form.refuse_unknown else None,
        tuple(_field(codec, bound, form) for bound in codec.all_fields.values()),
        codec.has_check,
    )


def _field(codec: Codec, bound: BoundField, form: JsonForm) -> JsonFieldLayout:
    """Return what a field is."""
    is_type = bound.name == codec.type_field
    default, make_default = _default(codec, bound, is_type=is_type)
    return JsonFieldLayout(
        find_slot(codec.cls, bound.name),
        json_keys(bound, form),
        bound.trailing,
        default,
        make_default,
        frozenset(codec.types) if is_type else None,
        bound.kind.json_layout(form),
    )


def _default(
    codec: Codec, bound: BoundField, *, is_type: bool
) -> tuple[tuple[Any, ...], Callable[[], Any] | None]:
    """Return the value where none is given, or what makes one."""
    value, factory = bound.options.default, bound.options.default_factory
    path = (codec.title, bound.name)
    if factory is None:
        if value is MISSING:
            return ((None,) if bound.trailing else ()), None
        if (
            value in codec.types and type(value) is int
            if is_type
            else (bound.trailing and value is None) or _is_constant(bound.kind, value)
        ):
            return (value,), None

    def make_default() -> Any:
        made = value if factory is None else factory()
        if bound.trailing and made is None:
            return None
        return codec.fit_type(made) if is_type else bound.kind.fit(made, path)

    return (), make_default


def _is_constant(kind: Kind, value: Any) -> bool:
    """Whether the constructor takes a default as it is, every time."""
    if isinstance(kind, OptionalKind):
        return value is None or _is_constant(kind.inner, value)
    if isinstance(kind, SequenceKind):
        return kind.container is tuple and type(value) is tuple and not value
    return isinstance(kind, (BytesKind, UintKind, BoolKind)) and kind.holds(value)


adopt(json_layout=json_record_layout)
