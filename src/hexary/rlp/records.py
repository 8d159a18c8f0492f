"""
Records: classes whose annotations say how their instances are encoded.

`record` makes one of a class; `hexary.rlp.fields` has the table of annotations.  Its
instances are values: immutable, without a dict, compared and hashed by their fields.
The constructor checks every field and makes it what the annotation says; decoding
checks the bytes instead.  What encodes and decodes is written and compiled when the
class is first used, once (see `hexary.rlp.codec`).
"""

from __future__ import annotations

import sys
from operator import attrgetter
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
    Self,
    TypeVar,
    dataclass_transform,
    overload,
)

from hexary import hash as hashing
from hexary.errors import InputTypeError, RangeError
from hexary.rlp.fields import MISSING, Field, field
from hexary.typed import Hash

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from hexary.rlp.codec import Codec
    from hexary.rlp.decoding import BytesLike
    from hexary.rlp.encoding import Encodable

__all__ = ["Record", "Spelling", "record", "record_class"]

Spelling = Literal["rpc", "fixture"]
"""How JSON is spelled: as in JSON-RPC, or as in the files of ethereum/tests."""

AnyClass = TypeVar("AnyClass", bound=type)


class _Signature:
    """What `inspect.signature` of a record class finds: that of the constructor."""

    __slots__ = ()

    def __get__(self, instance: object, owner: type) -> Any:
        if instance is not None or record_class(owner) is None:
            raise AttributeError("__signature__")
        from inspect import signature

        _compile(owner)
        whole = signature(vars(record_class(owner))["__init__"])
        return whole.replace(parameters=[*whole.parameters.values()][1:])


class Record:
    """
    What every record has; a record class inherits it.

    `record` adds this base where it is missing, but type checkers see its methods only
    where it is written.

    Example:
        >>> from hexary import rlp
        >>> @rlp.record
        ... class Withdrawal(rlp.Record):
        ...     index: rlp.U64
        ...     amount: rlp.U64
        >>> one = Withdrawal(index=1, amount=1024)
        >>> one.rlp().hex(), one == Withdrawal.from_rlp(one.rlp())
        ('c401820400', True)
    """

    __slots__ = ()

    __signature__ = _Signature()

    __rlp_fields__: ClassVar[tuple[str, ...]] = ()
    __rlp_codec__: ClassVar[Codec]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _compile(type(self))
        type(self).__init__(self, *args, **kwargs)

    def rlp(
        self,
        *,
        view: str | None = None,
        exclude: Iterable[str] = (),
        append: Iterable[Encodable] = (),
    ) -> bytes:
        """
        Return the encoding of this record on its own, with its type byte if it has one.

        Args:
            view: leave out the fields that ``views`` of `record` has under this name.
            exclude: leave out these fields.
            append: items that come after the fields.

        Raises:
            InputTypeError: there is no such view or field.

        Example:
            >>> from hexary import rlp
            >>> @rlp.record(type_byte=2, views={"signing": ["signature"]})
            ... class Signed(rlp.Record):
            ...     number: rlp.U8
            ...     signature: bytes
            >>> signed = Signed(1, b"dog")
            >>> signed.rlp().hex(), signed.rlp(view="signing").hex()
            ('02c50183646f67', '02c101')
        """
        if view is None and not exclude and not append:
            return self.__rlp_whole__()
        from hexary.rlp.encoding import encode

        codec = _compile(type(self))
        left_out = set(exclude)
        if view is not None:
            if view not in codec.views:
                known = ", ".join(codec.views) or "none"
                raise InputTypeError("view", f"one of the views ({known})", view)
            left_out |= codec.views[view]
        extra = b"".join(map(encode, append))
        return codec.prefix(self) + codec.encoder(left_out)(self, extra)

    def hash(
        self,
        *,
        view: str | None = None,
        exclude: Iterable[str] = (),
        append: Iterable[Encodable] = (),
    ) -> Hash:
        """Return the keccak-256 of what `rlp` returns."""
        if view is None and not exclude and not append:
            return Hash(hashing.keccak256(self.__rlp_whole__()))
        return Hash(
            hashing.keccak256(self.rlp(view=view, exclude=exclude, append=append))
        )

    @classmethod
    def from_rlp(
        cls,
        data: BytesLike,
        *,
        max_depth: int = 1024,
        max_items: int | None = None,
    ) -> Self:
        """
        Return the record that *data* encode, as ``rlp.decode(cls, data)`` does.

        Args:
            data: exactly one encoding, with its type byte if it has one.
            max_depth: as in `decode`.
            max_items: as in `decode`, counting also the items inside typed records.

        Raises:
            DecodeError: *data* is not the encoding of such a record; its ``reason``,
                ``offset`` and ``field`` say why and where.
            InputTypeError: *data* are not bytes, or a limit is not an int.
            RangeError: a limit is negative.
        """
        codec = cls.__dict__.get("__rlp_codec__") or _compile(cls, exactly=True)
        made: Self = codec.decoder.decode(
            data, max_depth=max_depth, max_items=max_items
        )
        return made

    def to_json(self, *, spelling: Spelling = "rpc") -> dict[str, Any]:
        """
        Return this record as a JSON object.

        Args:
            spelling: ``"rpc"`` for keys in camelCase and numbers as short as possible,
                ``"fixture"`` for the keys of fixtures and numbers of whole bytes.

        Example:
            >>> from hexary import rlp
            >>> @rlp.record
            ... class Usage(rlp.Record):
            ...     gas_used: rlp.U64
            >>> Usage(5).to_json(), Usage(5).to_json(spelling="fixture")
            ({'gasUsed': '0x5'}, {'gasUsed': '0x05'})
        """
        from hexary.rlp.kinds import JsonForm

        return _compile(type(self)).to_json(self, JsonForm.of(spelling))

    @classmethod
    def from_json(
        cls,
        value: Mapping[str, Any],
        *,
        spelling: Spelling = "rpc",
        unknown: Literal["ignore", "refuse"] = "ignore",
    ) -> Self:
        """
        Return the record that a JSON object stands for.

        Numbers may be spelled either way, or be JSON integers.

        Args:
            value: the object, as `json.loads` returns it.
            spelling: which keys to look for, as in `to_json`.
            unknown: what to do about other keys.

        Raises:
            FixtureError: *value* is not such an object; its ``field`` says where.
        """
        from hexary.rlp.kinds import JsonForm

        codec = _compile(cls, exactly=True)
        form = JsonForm.of(spelling, unknown)
        made: Self = codec.from_json(value, form, (codec.title,))
        return made

    def replace(self, **changes: Any) -> Self:
        """
        Return a record with some fields changed, as ``copy.replace`` does.

        Example:
            >>> from hexary import rlp
            >>> @rlp.record
            ... class Pair(rlp.Record):
            ...     left: rlp.U8
            ...     right: rlp.U8
            >>> Pair(1, 2).replace(right=3)
            Pair(left=1, right=3)
        """
        values = {name: getattr(self, name) for name in self.__rlp_fields__}
        return type(self)(**{**values, **changes})

    __replace__ = replace

    def __rlp_whole__(self) -> bytes:
        """Encode the record on its own."""
        _compile(type(self))
        return self.__rlp_whole__()

    def __rlp_item__(self) -> bytes:
        """Encode the record as an item of a list."""
        _compile(type(self))
        return self.__rlp_item__()

    def __rlp_list__(self) -> bytes:
        """Encode the record as a list, without its type byte."""
        _compile(type(self))
        return self.__rlp_list__()

    def __rlp_values__(self) -> tuple[Any, ...]:
        """Return the values of the fields."""
        return tuple(getattr(self, name) for name in self.__rlp_fields__)

    def __eq__(self, other: object) -> bool:
        """Whether *other* is of the same class, with equal fields."""
        if type(self) is not type(other):
            return NotImplemented
        return self.__rlp_values__() == other.__rlp_values__()

    def __hash__(self) -> int:
        """Hash the fields."""
        return hash(self.__rlp_values__())

    def __repr__(self) -> str:
        """Return what constructs the record."""
        shown = vars(type(self)).get("__rlp_shown__", self.__rlp_fields__)
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
        return f"{type(self).__qualname__.rpartition('.')[2]}({fields})"

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: a record is immutable."""
        raise AttributeError(
            f"{type(self).__name__} is immutable, cannot set {name!r}; use replace"
        )

    def __delattr__(self, name: str) -> None:
        """Refuse: a record is immutable."""
        raise AttributeError(
            f"{type(self).__name__} is immutable, cannot delete {name!r}"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle and copy as the fields, which were checked when it was made."""
        return _restore, (type(self), self.__rlp_values__())


_STUBS = {
    name: vars(Record)[name]
    for name in ("__init__", "__rlp_item__", "__rlp_list__", "__rlp_whole__")
}
"""What compiles a class and calls itself again."""

_RESERVED = {name for name in vars(Record) if not name.startswith("_")}


class _Options:
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
        options = _Options()
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


def _make(cls: Any, options: _Options, around: tuple[dict[str, Any], ...]) -> Any:
    """Return the record class that is made of *cls*."""
    if not isinstance(cls, type):
        raise InputTypeError("cls", "a class", cls)
    if "__slots__" in vars(cls):
        raise InputTypeError("cls", "a class without __slots__ and not a record", cls)
    own = _own_fields(cls)
    annotations: dict[str, tuple[Any, type, tuple[dict[str, Any], ...]]] = {}
    fields: dict[str, Field] = {}
    for base in reversed(cls.__mro__[1:]):
        inherited: _Options | None = vars(base).get("__rlp_options__")
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
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputTypeError("type_byte", "an int or None", value)
    if not least <= value <= 127:
        raise RangeError("type_byte", value, least, 127)
    return int(value)


def _snake_case(name: str) -> str:
    """Return a class's name in small letters."""
    text = ""
    for place, letter in enumerate(name):
        if letter.isupper() and place and not name[place - 1].isupper():
            text += "_"
        text += letter.lower()
    return text


def record_class(cls: type) -> type | None:
    """Return the record that *cls* is or inherits from, ``None`` if there is none."""
    for base in cls.__mro__:
        if "__rlp_options__" in vars(base):
            return base
    return None


def _compile(cls: type, *, exactly: bool = False) -> Codec:
    """Return the codec of *cls*, or, if not *exactly*, of what it inherits from."""
    from hexary.rlp.codec import codec_of

    found = record_class(cls)
    if found is None or (exactly and found is not cls):
        raise InputTypeError(cls.__name__, "decorated with rlp.record", cls)
    return codec_of(found)


def _restore(cls: Any, values: tuple[Any, ...]) -> Any:
    """Rebuild a copied or unpickled record."""
    made = cls.__new__(cls)
    for name, value in zip(cls.__rlp_fields__, values, strict=True):
        object.__setattr__(made, name, value)
    return made
