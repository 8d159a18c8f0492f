"""
What an annotation can say about a field of a record, and the options of a field.

The kinds of field, and how each is encoded (see `hexary.rlp` for the encoding itself):

===============================  ==================================================
annotation                       encoded as
===============================  ==================================================
``bytes``, ``Bytes``             the string
``Hash``, ``Address``, …         the string, of exactly the type's size
``Annotated[bytes, Size(1, 9)]`` the string, of one of these sizes
``U64`` (any width: ``Uint``)    the integer, without leading zero bytes
``HashInt``, ``HexNumber``, …    likewise; the value has this type
``bool``                         the integers 0 and 1
a record                         its list; a string around type and list if typed
``Annotated[Rec, BARE]``         its list, also where the record is typed
``tuple[X, ...]``, ``list[X]``   the list of the items
``tuple[A, B]``                  the list of the two
``X | None``                     the empty string for ``None``
``A | B``                        whichever it is, told apart by the form or the size
``A | B`` of records             whichever it is, told apart by the type byte
``Trailing[X]``                  nothing at all for ``None``, at the end of the record
``Raw``                          the item as it is; ``Item``: as `decode` returns it
``Annotated[int, TypeByte(1)]``  not in the list: the type byte around it, 0 for none
===============================  ==================================================
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias, TypeVar, final

from hexary.errors import InputTypeError, RangeError
from hexary.integer import exact_int

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "BARE",
    "MISSING",
    "TRAILING",
    "U8",
    "U16",
    "U32",
    "U64",
    "U128",
    "U256",
    "Field",
    "Size",
    "Trailing",
    "TypeByte",
    "Uint",
    "field",
]


def _natural(name: str, value: object, most: int | None = None) -> int:
    """Return *value*, which has to be an int from 0 to *most*."""
    number = exact_int(value, name)
    if number < 0 or (most is not None and number > most):
        raise RangeError(name, number, 0, most)
    return number


class _Mark:
    """A word that a checker of the types sees as one of these objects."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name


BARE: Final = _Mark("BARE")
"""In ``Annotated[Rec, BARE]``: the list of a typed record, without its type byte."""

TRAILING: Final = _Mark("TRAILING")
"""What `Trailing` puts into the annotation."""

MISSING: Any = _Mark("MISSING")
"""Stands for a default that there is not."""


@final
class Uint:
    """
    In ``Annotated[int, Uint(24)]``: an unsigned integer of at most so many bits.

    Args:
        bits: the width; ``None`` for any.

    Example:
        >>> from typing import Annotated
        >>> from hexary import rlp
        >>> @rlp.record
        ... class Pixel(rlp.Record):
        ...     colour: Annotated[int, rlp.Uint(24)]
        >>> Pixel(1 << 24)
        Traceback (most recent call last):
        hexary.errors.RangeError: pixel.colour must be from 0 to 2^24-1, got 16777216
    """

    __slots__ = ("bits",)

    def __init__(self, bits: int | None) -> None:
        self.bits = None if bits is None else _natural("bits", bits)

    def __repr__(self) -> str:
        return f"Uint({self.bits})"


@final
class Size:
    """
    In ``Annotated[bytes, Size(4)]``: the size, or the smallest and the largest size.

    Args:
        smallest: the smallest size.
        largest: the largest size, by default the smallest.

    Example:
        >>> from typing import Annotated
        >>> from hexary import rlp
        >>> @rlp.record
        ... class Note(rlp.Record):
        ...     text: Annotated[bytes, rlp.Size(0, 32)]
        >>> Note(b"short").rlp().hex()
        'c68573686f7274'
    """

    __slots__ = ("largest", "smallest")

    def __init__(self, smallest: int, largest: int | None = None) -> None:
        self.smallest = _natural("smallest", smallest)
        self.largest = smallest if largest is None else _natural("largest", largest)
        if self.largest < self.smallest:
            raise RangeError("largest", largest, smallest, None)

    def __repr__(self) -> str:
        return f"Size({self.smallest}, {self.largest})"


@final
class TypeByte:
    """
    In ``Annotated[int, TypeByte(1, 2)]``: a field that is the type byte of the list.

    With 0, the record stands without a type byte (EIP-2718 calls that legacy).  It
    is for records that look the same under every type, as receipts do.

    Args:
        types: the types that there are, of 1 to 127.

    Example:
        >>> from typing import Annotated
        >>> from hexary import rlp
        >>> @rlp.record
        ... class Receipt(rlp.Record):
        ...     type: Annotated[int, rlp.TypeByte(1, 2)]
        ...     status: bool
        >>> Receipt(0, True).rlp().hex(), Receipt(2, True).rlp().hex()
        ('c101', '02c101')
    """

    __slots__ = ("types",)

    def __init__(self, *types: int) -> None:
        for value in types:
            if _natural("type", value, 127) == 0:
                raise RangeError("type", value, 1, 127)
        self.types = frozenset(types)

    def __repr__(self) -> str:
        return f"TypeByte{tuple(sorted(self.types))}"


U8: TypeAlias = Annotated[int, Uint(8)]
"""An unsigned integer of up to 8 bits."""

U16: TypeAlias = Annotated[int, Uint(16)]
"""An unsigned integer of up to 16 bits."""

U32: TypeAlias = Annotated[int, Uint(32)]
"""An unsigned integer of up to 32 bits."""

U64: TypeAlias = Annotated[int, Uint(64)]
"""An unsigned integer of up to 64 bits."""

U128: TypeAlias = Annotated[int, Uint(128)]
"""An unsigned integer of up to 128 bits."""

U256: TypeAlias = Annotated[int, Uint(256)]
"""An unsigned integer of up to 256 bits."""

FieldType = TypeVar("FieldType")

Trailing: TypeAlias = Annotated[FieldType | None, TRAILING]
"""
``Trailing[X]``: a last field that older records do not have.

``None`` stands for its absence.  It is there only if all trailing fields before it
are.  Give it the default ``None``.
"""


@final
class Field:
    """The options of one field, as `field` takes them."""

    __slots__ = (
        "aliases",
        "decode",
        "default",
        "default_factory",
        "encode",
        "fixture",
        "from_json",
        "json",
        "repr",
        "to_json",
        "wire",
    )

    def __init__(self, **options: Any) -> None:
        for name in self.__slots__:
            setattr(self, name, options.get(name))

    default: Any
    default_factory: Callable[[], Any] | None
    json: str | None
    fixture: str | None
    aliases: tuple[str, ...]
    wire: Any
    encode: Callable[[Any], Any] | None
    decode: Callable[[Any], Any] | None
    to_json: Callable[[Any], Any] | None
    from_json: Callable[[Any], Any] | None
    repr: bool


def field(
    *,
    default: Any = MISSING,
    default_factory: Callable[[], Any] | None = None,
    json: str | None = None,
    fixture: str | None = None,
    aliases: tuple[str, ...] = (),
    wire: Any = None,
    encode: Callable[[Any], Any] | None = None,
    decode: Callable[[Any], Any] | None = None,
    to_json: Callable[[Any], Any] | None = None,
    from_json: Callable[[Any], Any] | None = None,
    repr: bool = True,  # noqa: A002 - the name that dataclasses use
) -> Any:
    """
    Return the options of a field, to stand where its default would.

    Args:
        default: the value of the field where none is given.
        default_factory: called for that value each time.
        json: the field's key in JSON-RPC, by default its name in camelCase.
        fixture: its key in fixtures, by default *json*.
        aliases: other keys that are accepted in reading either.
        wire: with *encode* and *decode*: the annotation of what is encoded.
        encode: turns the field's value into one of *wire* (by default, any item).
        decode: the opposite of *encode*.  Either may refuse a value with a ValueError
            or LookupError, which becomes an EncodeError or DecodeError.
        to_json: turns the field's value into its JSON, in either spelling.
        from_json: the opposite of *to_json*.
        repr: whether ``repr`` shows the field.

    Example:
        >>> from hexary import rlp
        >>> @rlp.record
        ... class Named(rlp.Record):
        ...     name: str = rlp.field(
        ...         wire=bytes, encode=str.encode, decode=bytes.decode,
        ...         to_json=str, from_json=str,
        ...     )
        >>> Named("dog").rlp().hex(), rlp.decode(Named, bytes.fromhex("c483646f67"))
        ('c483646f67', Named(name='dog'))
    """
    if (encode is None) != (decode is None):
        raise InputTypeError("encode and decode", "given both or neither", encode)
    if default is not MISSING and default_factory is not None:
        raise InputTypeError("default and default_factory", "given one of them", field)
    return Field(
        default=default,
        default_factory=default_factory,
        json=json,
        fixture=fixture,
        aliases=tuple(aliases),
        wire=wire,
        encode=encode,
        decode=decode,
        to_json=to_json,
        from_json=from_json,
        repr=repr,
    )
