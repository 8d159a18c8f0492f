"""
Decode RLP: strictly, in one pass and without recursion.

The encoding itself is explained in the docstring of `hexary.rlp`.  A decoder here
accepts exactly the bytes that `encode` produces, so that every value has one encoding
and ``encode(decode(data)) == data`` for all *data* that are accepted.

**Which error wins.**  The input is read from the left, a list before its items, and
the first broken rule is raised.  On one item the rules are tried in this order:

1. ``EMPTY_INPUT``: there is no byte at all (only where the whole input is empty).
2. ``TOO_MANY_ITEMS``: this item is number ``max_items + 1``, counting every string and
   every list, the outermost one included, in the order in which they start.
3. ``TRUNCATED`` or ``OVERRUN``: the bytes of the length do not fit.
4. ``LEADING_ZERO_LENGTH``, then ``NON_CANONICAL_LENGTH``: the length is not minimal.
5. ``TRUNCATED`` or ``OVERRUN``: the payload does not fit.
6. ``NON_CANONICAL_BYTE`` for a string, ``TOO_DEEP`` for a list.

``TRUNCATED`` is raised for the outermost item alone, which has to fit into the input,
and ``OVERRUN`` for all others, which have to fit into the list that holds them.  After
the last item comes ``TRAILING_BYTES``.  The offset is where the item (or the first
byte left over) starts.  So class, reason and offset are determined by the bytes and the
limits, never by the interpreter's recursion limit or by how deep the caller is.

**Depth.**  A string has depth 0, ``[]`` has depth 1, and a list is one deeper than its
deepest item.  ``max_depth`` is the greatest depth that is accepted.

**Cost.**  Time and memory are proportional to the bytes that are there.  A length in
the input is compared, never used to allocate.
"""

from __future__ import annotations

from functools import cache
from itertools import repeat
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, overload

from hexary.errors import DecodeError, DecodeReason, InputTypeError, RangeError
from hexary.integer import exact_int, int_of
from hexary.twin import adopt, twin
from hexary.typed.buffer import exact_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hexary.rlp.decoder import Decoder
    from hexary.rlp.typed_unions import TypedUnion

__all__ = [
    "DEFAULT_MAX_DEPTH",
    "BytesLike",
    "Item",
    "as_bytes",
    "check_depth",
    "check_limit",
    "decode",
    "decode_concatenated",
    "decode_prefix",
    "decoder_of",
    "fault",
    "read_header",
]

BytesLike: TypeAlias = bytes | bytearray | memoryview
"""What holds encoded bytes."""

Item: TypeAlias = "bytes | list[Item]"
"""A decoded item: a byte string, or a list of items."""

Decoded = TypeVar("Decoded")
"""What a kind decodes to."""

_ABSENT = object()
"""Stands for a second argument that there is not."""

DEFAULT_MAX_DEPTH = 1024
"""The depth of lists that is decoded unless ``max_depth`` says otherwise."""


@overload
def decode(
    data: BytesLike,
    *,
    max_depth: int = DEFAULT_MAX_DEPTH,
    max_items: int | None = None,
) -> Item: ...


@overload
def decode(
    kind: type[Decoded] | TypedUnion[Decoded],
    data: BytesLike,
    /,
    *,
    max_depth: int = DEFAULT_MAX_DEPTH,
    max_items: int | None = None,
) -> Decoded: ...


@twin
def decode(
    data: Any,
    encoded: Any = _ABSENT,
    *,
    max_depth: int = DEFAULT_MAX_DEPTH,
    max_items: int | None = None,
) -> Any:
    """
    Return the item, or with ``decode(kind, data)`` the record, that *data* encodes.

    Strings are returned as `bytes` and lists as `list`.

    Args:
        data: exactly one canonical encoding.  With two arguments, this is the kind: a
            record class, a `TypedUnion`, or any annotation that a field may have.
        encoded: with two arguments, the encoding.
        max_depth: how deep lists may be nested; 0 accepts strings only.
        max_items: how many strings and lists there may be in all, the outermost item
            included; ``None`` for any number (never more than *data* has bytes).

    Raises:
        DecodeError: *data* breaks a rule; see its ``reason``, ``offset`` and ``data``.
        InputTypeError: *data* are not bytes, or a limit is not an int.
        RangeError: a limit is negative.

    Example:
        >>> decode(bytes.fromhex("c88363617483646f67"))
        [b'cat', b'dog']
        >>> decode(tuple[bytes, ...], bytes.fromhex("c88363617483646f67"))
        (b'cat', b'dog')

    Source: Yellow Paper, appendix B.
    """
    if encoded is not _ABSENT:
        decoder = decoder_of(data)
        return decoder.decode(encoded, max_depth=max_depth, max_items=max_items)
    data = as_bytes(data)
    max_depth, max_items = _check_limits(max_depth, max_items)
    item, stop = _decode_item(data, 0, max_depth, max_items)
    if stop != len(data):
        raise fault(DecodeReason.TRAILING_BYTES, data, stop)
    return item


@overload
def decode_prefix(
    data: BytesLike,
    *,
    max_depth: int = DEFAULT_MAX_DEPTH,
    max_items: int | None = None,
) -> tuple[Item, bytes]: ...


@overload
def decode_prefix(
    kind: type[Decoded] | TypedUnion[Decoded],
    data: BytesLike,
    /,
    *,
    max_depth: int = DEFAULT_MAX_DEPTH,
    max_items: int | None = None,
) -> tuple[Decoded, bytes]: ...


@twin
def decode_prefix(
    data: Any,
    encoded: Any = _ABSENT,
    *,
    max_depth: int = DEFAULT_MAX_DEPTH,
    max_items: int | None = None,
) -> Any:
    """
    Return the item that *data* begin with, and the bytes after it.

    The rest is a copy: to read many items one after the other, use
    `decode_concatenated`, which takes linear time.

    Args:
        data: a canonical encoding, and anything behind it.  With two arguments, this is
            the kind, as in `decode`.
        encoded: with two arguments, what *data* is with one.
        max_depth: as in `decode`.
        max_items: as in `decode`.

    Raises:
        DecodeError: as in `decode`, except that bytes may be left over.
        InputTypeError: as in `decode`.
        RangeError: as in `decode`.

    Example:
        >>> decode_prefix(b"A, and more")
        (b'A', b', and more')
    """
    if encoded is not _ABSENT:
        decoder = decoder_of(data)
        data = as_bytes(encoded)
        max_depth, max_items = _check_limits(max_depth, max_items)
        value, stop = decoder.decode_at(data, 0, max_depth, max_items)
        return value, data[stop:]
    data = as_bytes(data)
    max_depth, max_items = _check_limits(max_depth, max_items)
    item, stop = _decode_item(data, 0, max_depth, max_items)
    return item, data[stop:]


@overload
def decode_concatenated(
    data: BytesLike,
    *,
    max_depth: int = DEFAULT_MAX_DEPTH,
    max_items: int | None = None,
) -> Iterator[Item]: ...


@overload
def decode_concatenated(
    kind: type[Decoded] | TypedUnion[Decoded],
    data: BytesLike,
    /,
    *,
    max_depth: int = DEFAULT_MAX_DEPTH,
    max_items: int | None = None,
) -> Iterator[Decoded]: ...


def decode_concatenated(
    data: Any,
    encoded: Any = _ABSENT,
    *,
    max_depth: int = DEFAULT_MAX_DEPTH,
    max_items: int | None = None,
) -> Any:
    """
    Iterate over the items whose encodings follow each other in *data*.

    This is the form of a file of blocks.  Items before a faulty one are yielded; empty
    *data* hold no item.

    Args:
        data: any number of canonical encodings, one after the other.  With two
            arguments, this is the kind, as in `decode`.
        encoded: with two arguments, what *data* is with one.
        max_depth: as in `decode`, for each.
        max_items: as in `decode`, for each.

    Raises:
        DecodeError: as in `decode`; the offset counts from the start of *data*.
        InputTypeError: as in `decode`, at the call.
        RangeError: as in `decode`, at the call.

    Example:
        >>> list(decode_concatenated(bytes.fromhex("83646f6780c0")))
        [b'dog', b'', []]
    """
    if encoded is not _ABSENT:
        decoder = decoder_of(data)
        data = as_bytes(encoded)
        max_depth, max_items = _check_limits(max_depth, max_items)
        return decoder.iterate(data, max_depth, max_items)
    data = as_bytes(data)
    max_depth, max_items = _check_limits(max_depth, max_items)
    return _iterate(data, max_depth, max_items)


def decoder_of(kind: Any) -> Decoder:
    """Return the decoder of a record class, typed union or annotation."""
    own = getattr(kind, "__rlp_codec__", None)
    if own is not None and own.cls is kind:
        return own.decoder  # type: ignore[no-any-return]  # an attribute of a class of any kind
    return _finder()(kind)


@cache
def _finder() -> Callable[[Any], Decoder]:
    """Return the function that finds decoders, from where all about records is."""
    from hexary.rlp.decoder import find_decoder

    return find_decoder


def _iterate(data: bytes, max_depth: int, max_items: int | None) -> Iterator[Item]:
    """Yield the items of checked *data*."""
    position = 0
    while position < len(data):
        item, position = _decode_item(data, position, max_depth, max_items)
        yield item


@twin
def _decode_item(
    data: bytes, position: int, max_depth: int, max_items: int | None
) -> tuple[Item, int]:
    """Return the item that starts at *position*, and the index behind it."""
    if position == len(data):
        raise fault(DecodeReason.EMPTY_INPUT, data, position)
    if max_items == 0:
        raise fault(DecodeReason.TOO_MANY_ITEMS, data, position)
    start, end = read_header(data, position, len(data), DecodeReason.TRUNCATED)
    if data[position] < 0xC0:
        return data[start:end], end
    if max_depth == 0:
        raise fault(DecodeReason.TOO_DEEP, data, position)
    if start == end:
        return [], end
    # An item takes a byte at least, so the size of the input is no limit at all.
    more_items = len(data) if max_items is None else min(max_items - 1, len(data))
    return _decode_list(data, start, end, max_depth, more_items), end


def _decode_list(
    data: bytes, position: int, end: int, max_depth: int, max_items: int
) -> list[Item]:
    """Return the items whose encodings fill *data* from *position* to *end*."""
    # The innermost open list is known by its `append` and its end; the lists around it
    # wait in `parents`.  A list that has reached its end is closed at once, so that
    # position < end wherever the loop begins.
    root: list[Item] = []
    add = root.append
    parents: list[tuple[Callable[[Item], None], int]] = []
    for _ in repeat(None, max_items):
        prefix = data[position]
        if prefix < 0x80:
            add(data[position : position + 1])
            position += 1
        elif prefix < 0xB8:
            # The header of a short string, read here because most items are one.
            stop = position + prefix - 0x7F
            if stop > end:
                raise fault(DecodeReason.OVERRUN, data, position)
            if prefix == 0x81 and data[position + 1] < 0x80:
                raise fault(DecodeReason.NON_CANONICAL_BYTE, data, position)
            add(data[position + 1 : stop])
            position = stop
        else:
            start, stop = read_header(data, position, end, DecodeReason.OVERRUN)
            if prefix < 0xC0:
                add(data[start:stop])
                position = stop
            else:
                # The parents and the innermost open list are around this one.
                if len(parents) + 2 > max_depth:
                    raise fault(DecodeReason.TOO_DEEP, data, position)
                items: list[Item] = []
                add(items)
                position = start
                if start != stop:
                    parents.append((add, end))
                    add = items.append
                    end = stop
        while position == end:
            if not parents:
                return root
            add, end = parents.pop()
    raise fault(DecodeReason.TOO_MANY_ITEMS, data, position)


def read_header(
    data: bytes | memoryview, position: int, end: int, outside: DecodeReason
) -> tuple[int, int]:
    """
    Return where the payload of the item at *position* starts and stops.

    A byte below 0x80 is its own payload.

    Args:
        data: the input.
        position: where the item starts; below *end*.
        end: where the input or the list that holds the item ends.
        outside: the reason to give for an item that goes beyond *end*.

    Raises:
        DecodeError: rules 3 to 6 of the module's docstring, except ``TOO_DEEP``.
    """
    prefix = data[position]
    if prefix < 0x80:
        return position, position + 1
    start = position + 1
    if prefix < 0xB8:
        stop = start + prefix - 0x80
    elif 0xC0 <= prefix < 0xF8:
        stop = start + prefix - 0xC0
    else:
        start += prefix - (0xB7 if prefix < 0xC0 else 0xF7)
        if start > end:
            raise fault(outside, data, position)
        if data[position + 1] == 0:
            raise fault(DecodeReason.LEADING_ZERO_LENGTH, data, position)
        size = int.from_bytes(data[position + 1 : start], "big")
        if size < 56:
            raise fault(DecodeReason.NON_CANONICAL_LENGTH, data, position)
        stop = start + size
    if stop > end:
        raise fault(outside, data, position)
    if prefix == 0x81 and data[start] < 0x80:
        raise fault(DecodeReason.NON_CANONICAL_BYTE, data, position)
    return start, stop


def fault(reason: DecodeReason, data: bytes | memoryview, offset: int) -> DecodeError:
    """Return the error for the item of *data* that starts at *offset*."""
    return DecodeError(reason, offset=offset, data=bytes(data[offset : offset + 32]))


def as_bytes(data: BytesLike) -> bytes:
    """
    Return *data* as exact bytes: themselves, or a copy of what they hold.

    Raises:
        InputTypeError: *data* are of another type, or a memoryview that was released.
    """
    if type(data) is bytes:
        return data
    return exact_bytes(data, "data")


def _check_limits(max_depth: int, max_items: int | None) -> tuple[int, int | None]:
    """Return limits as plain ints; refuse those that are not natural numbers."""
    return check_depth(max_depth), check_limit(max_items, "max_items")


def check_depth(max_depth: int) -> int:
    """
    Return a limit of depth, which has to be a natural number, as a plain int.

    Raises:
        InputTypeError: it is not an int.
        RangeError: it is negative.
    """
    depth = exact_int(max_depth, "max_depth")
    if depth < 0:
        raise RangeError("max_depth", depth, 0, None)
    return depth


def check_limit(limit: int | None, name: str) -> int | None:
    """
    Return an optional *limit*, which has to be a natural number, as a plain int.

    Raises:
        InputTypeError: it is neither an int nor ``None``.
        RangeError: it is negative.
    """
    if limit is None:
        return None
    number = int_of(limit)
    if number is None:
        raise InputTypeError(name, "an int or None", limit)
    if number < 0:
        raise RangeError(name, number, 0, None)
    return number


def _native_fault(reason: str, offset: int, seen: bytes) -> DecodeError:
    """Return the error for a verdict of the accelerator."""
    return DecodeError(DecodeReason[reason], offset=offset, data=seen)


adopt(fault=_native_fault)
