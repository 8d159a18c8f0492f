"""
Records: classes whose annotations say how their instances are encoded.

`record` makes one of a class; `hexary.rlp.fields` has the table of annotations.  Its
instances are values: immutable, without a dict, compared and hashed by their fields.
The constructor checks every field and makes it what the annotation says; decoding
checks the bytes instead.  What encodes and decodes is written and compiled when the
class is first used, once (see `hexary.rlp.codec`).
"""

from __future__ import annotations

from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Literal,
    Self,
)

from hexary import hash as hashing
from hexary.errors import InputTypeError
from hexary.rlp.decoding import DEFAULT_MAX_DEPTH
from hexary.typed import Hash
from hexary.typed.iteration import iterate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hexary.rlp.codec import Codec
    from hexary.rlp.decoding import BytesLike
    from hexary.rlp.encoding import Encodable

__all__ = ["Record", "Spelling", "record_class"]

Spelling = Literal["rpc", "fixture"]
"""How JSON is spelled: as in JSON-RPC, or as in the files of ethereum/tests."""


_new_hash = bytes.__new__


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

    def __init__(self, /, *args: Any, **kwargs: Any) -> None:
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
        codec = _compile(type(self))
        left_out = set(iterate(exclude, "exclude", "names of fields"))
        more = iterate(append, "append", "items that come after the fields")
        if view is not None:
            if view not in codec.views:
                known = ", ".join(codec.views) or "none"
                raise InputTypeError("view", f"one of the views ({known})", view)
            left_out |= codec.views[view]
        return codec.prefix(self) + codec.encoder(left_out)(self, codec.join(more))

    def hash(
        self,
        *,
        view: str | None = None,
        exclude: Iterable[str] = (),
        append: Iterable[Encodable] = (),
    ) -> Hash:
        """Return the keccak-256 of what `rlp` returns."""
        if view is None and not exclude and not append:
            return _new_hash(Hash, hashing.keccak256(self.__rlp_whole__()))
        encoded = self.rlp(view=view, exclude=exclude, append=append)
        return _new_hash(Hash, hashing.keccak256(encoded))

    @classmethod
    def from_rlp(
        cls,
        data: BytesLike,
        *,
        max_depth: int = DEFAULT_MAX_DEPTH,
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
        codec = getattr(cls, "__rlp_codec__", None)
        if codec is None or codec.cls is not cls:
            codec = _compile(cls, exactly=True)
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
        return _compile(type(self)).to_json(self, spelling)

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
        codec = cls.__dict__.get("__rlp_codec__") or _compile(cls, exactly=True)
        made: Self = codec.from_json(value, spelling, unknown)
        return made

    def replace(self, /, **changes: Any) -> Self:
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
        values = zip(self.__rlp_fields__, self.__rlp_values__(), strict=True)
        return type(self)(**{**dict(values), **changes})

    if not TYPE_CHECKING:  # from 3.13 on checkers give each record its own, typed
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


def record_class(cls: type) -> type | None:
    """Return the record that *cls* is or inherits from, ``None`` if there is none."""
    for base in cls.__mro__:
        if "__rlp_options__" in vars(base):
            return base
    return None


def _compile(cls: type, *, exactly: bool = False) -> Codec:
    """Return the codec of *cls*, or, if not *exactly*, of what it inherits from."""
    codec: Codec | None = cls.__dict__.get("__rlp_codec__")
    if codec is not None:
        return codec
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
