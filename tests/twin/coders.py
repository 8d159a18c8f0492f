"""Coders of records side by side: the accelerator's and that in compiled Python."""

from __future__ import annotations

from functools import cache
from typing import Any

from hexary import rlp
from hexary.rlp.codec import codec_of
from hexary.rlp.record_coder import Coder, PureCoder
from hexary.rlp.source import RETRIES


class Pair:
    """Both coders of a class."""

    def __init__(self, cls: Any, without: frozenset[str] = frozenset()) -> None:
        codec = codec_of(cls)
        self.native: Any = Coder(codec, without)
        self.pure: Any = PureCoder(codec, without)
        assert type(self.native) is not PureCoder

    def check_reading(self, data: bytes, start: int = 0) -> Any:
        """Return what both read alone, ``None`` if both give up."""
        native = read(self.native.read_alone, data, start)
        pure = read(self.pure.read_alone, data, start)
        assert native == pure
        assert shape(native) == shape(pure)
        return native

    def check_encoding(self, record: Any) -> bytes:
        """Return what both encode a record as, in all forms."""
        for name in ("encode", "encode_item"):
            native, pure = getattr(self.native, name), getattr(self.pure, name)
            assert native(record) == pure(record)
        for extra in (b"", rlp.encode([b"more"])):
            assert self.native.encode_with(record, extra) == self.pure.encode_with(
                record, extra
            )
        encoded: bytes = self.native.encode_alone(record)
        assert encoded == self.pure.encode_alone(record)
        return encoded


@cache
def pair_of(cls: Any) -> Pair:
    """Return the coders of a class that many cases are about."""
    return Pair(cls)


def read(function: Any, data: bytes, start: int = 0) -> Any:
    """Return what a reader returns, ``None`` if it gives up."""
    try:
        record, stop = function(data, start)
    except RETRIES:
        return None
    # Compiled Python leaves it to its caller to see that the bytes are all there.
    return (record, stop) if stop <= len(data) else None


def shape(value: Any) -> Any:
    """Return a value with the classes of all that it is made of."""
    if isinstance(value, rlp.Record):
        inner = [shape(getattr(value, name)) for name in value.__rlp_fields__]
        return type(value), inner
    if isinstance(value, (list, tuple)):
        return type(value), [shape(one) for one in value]
    return type(value), value


def outcome(function: Any, *arguments: Any) -> object:
    """Return what a call returns, or what its error tells."""
    try:
        return function(*arguments)
    except Exception as error:  # noqa: BLE001 - whatever it is, both have to raise it
        return type(error), str(error)
