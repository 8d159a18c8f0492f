"""Values whose class answers wrongly for them, as subclasses and mocks may."""

from __future__ import annotations

import enum
from unittest.mock import Mock

import numpy

__all__ = ["BUFFERS", "CONTENT", "FOREIGN", "OddText", "TextEnum", "released"]

CONTENT = b"abc\0"
"""What each of `BUFFERS` holds."""


class _Shorter(bytes):
    def __len__(self) -> int:
        return 1


class _Other(bytes):
    def __bytes__(self) -> bytes:
        return b"other"


class _OtherBuffer(bytes):
    def __buffer__(self, flags: int) -> memoryview:  # counts from Python 3.12 on
        return memoryview(b"other")


class _OtherArray(bytearray):
    def __buffer__(self, flags: int) -> memoryview:
        return memoryview(b"other")


class _OtherItems(bytes):
    def __getitem__(self, index: object) -> int:
        return 300

    def __iter__(self) -> object:
        return iter([300])


class _EqualToAll(bytes):
    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 5


class _EqualToNone(bytes):
    def __eq__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return 7


class _Empty(bytes):
    def __bool__(self) -> bool:
        return False


class _Raising(bytes):
    def _fail(self, *_: object) -> int:
        raise RuntimeError("a subclass is not asked")

    __len__ = __bool__ = __eq__ = __hash__ = __iter__ = __getitem__ = _fail
    __bytes__ = hex = translate = __add__ = __contains__ = __str__ = __repr__ = _fail


BUFFERS = {
    kind.__name__.strip("_"): kind(CONTENT)
    for kind in (
        *(_Shorter, _Other, _OtherBuffer, _OtherArray, _OtherItems),
        *(_EqualToAll, _EqualToNone, _Empty, _Raising, numpy.bytes_),
    )
}
"""Name → an instance of a subclass of bytes or bytearray."""

FOREIGN = {
    "a mock of bytes": Mock(spec=bytes),
    "a mock of an array": Mock(spec=bytearray),
    "a mock of a view": Mock(spec=memoryview),
    "a mock of text": Mock(spec=str),
    "a mock of an int": Mock(spec=int),
    "a mock of a list": Mock(spec=list),
}
"""Name → what `isinstance` takes for something that it is not."""


class OddText(str):
    """Text with a mind of its own."""

    __slots__ = ()

    def __len__(self) -> int:
        return 1

    def __str__(self) -> str:
        return "other"

    def __getitem__(self, index: object) -> str:
        return "z"


class TextEnum(str, enum.Enum):  # noqa: UP042  # a StrEnum is its value in str()
    """Text whose ``str()`` is the name of a member."""

    VALUE = "0xab"


def released() -> memoryview:
    """Return a memoryview that was released."""
    view = memoryview(bytearray(CONTENT))
    view.release()
    return view
