"""
What reads and encodes the records of one class.

`PureCoder` is made of compiled Python (see `hexary.rlp.record_source`).  The
accelerator's coder does the same from the record's layout (see `hexary.rlp.layout`).
Either accepts in reading what the definition accepts, or gives up with one of
`hexary.rlp.source.RETRIES`.
"""

from __future__ import annotations

from functools import cached_property
from types import FunctionType, MemberDescriptorType
from typing import TYPE_CHECKING, Any

from hexary.rlp.bound_field import find_slot
from hexary.rlp.encoding import encode
from hexary.rlp.record_source import make_encoder, make_list_reader
from hexary.rlp.source import RetryError, read_item, read_raw, string_header
from hexary.twin import adopt, twin

if TYPE_CHECKING:
    from collections.abc import Callable

    from hexary.rlp.codec import Codec

__all__ = ["Coder", "PureCoder", "as_method", "make_coder"]


class PureCoder:
    """
    The coder in compiled Python; each function is compiled when it is used first.

    Args:
        codec: that of the class.
        without: the names of fields that are left out in encoding.
    """

    def __init__(self, codec: Codec, without: frozenset[str] = frozenset()) -> None:
        self._codec = codec
        self._without = without

    # They are functions, not methods: the classes of records have them as methods.

    @cached_property
    def read(self) -> Callable[..., tuple[Any, int]]:
        """
        The function that reads the record whose list is at a position.

        It takes the bytes, the position and the type byte, and returns the record and
        the index behind it.
        """
        return make_list_reader(self._codec, self._codec.builder)

    @cached_property
    def read_alone(self) -> Callable[[bytes, int], tuple[Any, int]]:
        """The function that reads a record that stands alone."""
        read, types = self.read, self._codec.types
        if types == {0}:
            return read

        def read_alone(data: bytes, position: int) -> tuple[Any, int]:
            number = data[position]
            if number in types and number:
                return read(data, position + 1, number)
            if number < 0xC0 or 0 not in types:
                raise RetryError
            return read(data, position)

        return read_alone

    @cached_property
    def encode(self) -> Callable[[Any], bytes]:
        """The function that encodes the list of a record."""
        return make_encoder(self._codec, self._without, extra=False)

    @cached_property
    def encode_with(self) -> Callable[[Any, bytes], bytes]:
        """The function that encodes the list, with encoded items after the fields."""
        return make_encoder(self._codec, self._without, extra=True)

    @cached_property
    def encode_alone(self) -> Callable[[Any], bytes]:
        """The function that encodes a record that stands alone."""
        codec, encode_list = self._codec, self.encode
        if codec.types == {0}:
            return encode_list
        if not codec.type_field:
            prefix = codec.prefix(None)

            def encode_typed(record: Any) -> bytes:
                return prefix + encode_list(record)

            return encode_typed
        prefixes = {number: bytes([number] * (number > 0)) for number in codec.types}
        number_of = find_slot(codec.cls, codec.type_field).__get__

        def encode_by_type(record: Any) -> bytes:
            return prefixes[number_of(record)] + encode_list(record)

        return encode_by_type

    @cached_property
    def encode_item(self) -> Callable[[Any], bytes]:
        """The function that encodes a record inside a list."""
        encode_alone = self.encode_alone
        if self._codec.types == {0}:
            return encode_alone

        def encode_item(record: Any) -> bytes:
            whole = encode_alone(record)
            if whole[0] >= 0xC0:
                return whole
            return string_header(whole) + whole

        return encode_item


adopt(
    retry=RetryError,
    read_item=read_item,
    read_raw=read_raw,
    encode=encode,
    pure_coder=PureCoder,
)

Coder = twin(PureCoder)
"""The coder that records get: the accelerator's, where there is one."""


def make_coder(codec: Codec, without: frozenset[str] = frozenset()) -> Any:
    """
    Return the coder of a class.

    The accelerator makes instances as ``object.__new__`` does, and knows only fields
    that are slots, and looks for them nowhere else; a class with ways of its own stays
    with compiled Python.
    """
    cls = codec.cls
    constructor: Any = cls.__new__
    getter: Any = cls.__getattribute__
    if (
        type(cls) is type
        and constructor is object.__new__
        and getter is object.__getattribute__
        and not hasattr(cls, "__getattr__")
        and all(
            isinstance(find_slot(cls, name), MemberDescriptorType)
            for name in codec.all_fields
        )
    ):
        return Coder(codec, without)
    return PureCoder(codec, without)


def as_method(function: Callable[..., bytes]) -> Callable[[Any], bytes]:
    """Return the function of a coder as one that can be a method of a class."""
    if isinstance(function, FunctionType):
        return function

    def method(record: Any) -> bytes:
        return function(record)

    return method
