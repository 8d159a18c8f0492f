"""
Records with every kind of field, for the programs in this folder.

They run as programs do, so that they find this file beside them, and no other of the
tests.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Self

from hexary import Address, Hash, HashInt, rlp

__all__ = ["PARCEL", "PARTS", "Parcel", "call_before_encoding", "made_up"]

_calls: list[Callable[[], object]] = []


def call_before_encoding(function: Callable[[], object]) -> None:
    """Call *function* whenever a field is converted."""
    _calls.append(function)


def _encode(text: str) -> bytes:
    for function in _calls:
        function()
    return text.encode()


class Even(int):
    """An int of the user's own."""

    def __new__(cls, value: int, /) -> Self:
        if value % 2:
            raise ValueError("odd")
        return super().__new__(cls, value)


@rlp.record
class Slip(rlp.Record):
    """A small record, with a conversion."""

    text: str = rlp.field(wire=bytes, encode=_encode, decode=bytes.decode)


@rlp.record(type_byte=3)
class Tag(rlp.Record):
    """A typed record."""

    number: rlp.U256
    owner: Address | None


@rlp.record(views={"short": ("slips", "late")})
class Parcel(rlp.Record):
    """Many fields."""

    root: Hash
    owner: Address
    number: rlp.U64
    large: rlp.U256
    key: HashInt
    even: Annotated[Even, rlp.Uint(16)]
    data: bytes
    flag: bool
    outcome: Hash | bool
    keys: tuple[Hash, ...]
    slips: list[Slip]
    tags: tuple[Tag | Slip, ...]
    bare: Annotated[Tag, rlp.BARE]
    pair: tuple[rlp.U8, bytes]
    item: rlp.Item
    raw: rlp.Raw
    late: rlp.Trailing[rlp.U64] = None

    def __post_init__(self) -> None:
        if self.number == 13:
            raise ValueError("thirteen")


PARCEL = Parcel(
    root=Hash(bytes(range(32))),
    owner=Address(bytes(range(20))),
    number=2**60,
    large=2**250,
    key=HashInt(2**200),
    even=Even(700),
    data=bytes(range(100)),
    flag=True,
    outcome=Hash(7),
    keys=(Hash(1), Hash(2)),
    slips=[Slip("one"), Slip("two"), Slip("three")],
    tags=(Tag(2**70, None), Slip("four"), Tag(1, Address(bytes(20)))),
    bare=Tag(5, Address(bytes(20))),
    pair=(7, b"pair"),
    item=[b"a", [b"b"]],
    raw=rlp.Raw(rlp.encode([b"raw", 1])),
    late=77,
)


PARTS = [
    value
    for name in Parcel.__rlp_fields__
    if type(value := getattr(PARCEL, name)) is not bool and value != PARCEL.late
]
"""The values of its fields, but for those that all of Python shares."""


def made_up() -> Any:
    """Make a class, use it, and return a record of it."""

    @rlp.record
    class Brief(rlp.Record):
        number: rlp.U64
        keys: tuple[Hash, ...]

    return rlp.decode(Brief, Brief(5, (Hash(1),)).rlp())
