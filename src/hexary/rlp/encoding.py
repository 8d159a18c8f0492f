"""
Encode to RLP, and measure encodings, in linear time and without recursion.

The encoding itself is explained in the docstring of `hexary.rlp`.  What is encoded as
what:

==============================  ===================================================
object                          encoded as
==============================  ===================================================
bytes and subclasses            the string of these bytes
bytearray, memoryview           the string of their bytes; ``tobytes()`` for a view of
                                any format and shape, which is never taken as a list
int and subclasses              the minimal big-endian string: 0 is the empty string,
                                a bool is 0 or 1; negatives are refused
objects with ``__index__``      that of the int: numbers of numpy, of ethereum-types
list, tuple, other sequences    the list of their items
`Raw`                           itself
`Record`                        its encoding; inside a list that of a typed record is
                                wrapped into a string
==============================  ===================================================

All else is refused with the place where it stands: ``str`` (which bytes?), ``None``,
``float``, mappings and sets (in which order?), and iterators, which could be read only
once.  A sequence that is also a buffer (``array.array``) could be meant as either, so
it is refused too.
"""

from __future__ import annotations

from collections import UserString
from collections.abc import Iterable, Sequence
from operator import index
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeAlias

from hexary import hash as hashing
from hexary.errors import EncodeError, HexaryError, InputTypeError, path_text, shorten
from hexary.integer import int_of
from hexary.message import bytes_hint
from hexary.rlp.raw import Raw, _restore
from hexary.rlp.records import Record
from hexary.twin import adopt, twin
from hexary.typed import Hash
from hexary.typed.buffer import bytes_of_buffer

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "LIST_HEADERS",
    "STRING_HEADERS",
    "Encodable",
    "encode",
    "encode_bytes",
    "encode_list",
    "encoded_size",
    "keccak256",
    "long_header",
]

Encodable: TypeAlias = (
    "bytes | bytearray | memoryview | SupportsIndex | Raw | Record"
    " | Sequence[Encodable]"
)
"""What has an encoding."""

_HINTS: dict[type, str] = {
    str: bytes_hint(""),
    UserString: "encode text as bytes yourself",
    type(None): "the empty string is b''",
    float: "RLP has no fractions",
    dict: "a mapping has no order; pass a list",
    set: "a set has no order; pass a list",
    frozenset: "a set has no order; pass a list",
}

# Headers of payloads that are shorter than 56 bytes, by their size.
STRING_HEADERS = tuple(bytes([0x80 + size]) for size in range(56))
LIST_HEADERS = tuple(bytes([0xC0 + size]) for size in range(56))

# Stands for a record until it is known where.
_RECORD = Raw(b"\x80")

# The strings of the integers of up to 8 bits.
_SMALL_INTS = (b"", *(bytes([value]) for value in range(1, 256)))


@twin
def encode(obj: Encodable) -> bytes:
    """
    Return the encoding of *obj*.

    There is no limit to the depth.  What is nested more than 1024 deep needs a larger
    ``max_depth`` to be decoded.

    Args:
        obj: bytes, an int, a `Raw`, a `Record`, or a sequence of such items; the
            docstring of `hexary.rlp.encoding` has the table.

    Raises:
        InputTypeError: something in *obj* has a type without an encoding; its
            ``argument`` says where, as in ``obj[1][0]``.
        EncodeError: an int in *obj* is negative, or a list contains itself; its
            ``path`` says where, as in ``(1, 0)``.

    Example:
        >>> encode([b"cat", 1, [b""]]).hex()
        'c78363617401c180'

    Source: Yellow Paper, appendix B.
    """
    chunks: list[bytes] = []
    add = chunks.append
    # The size of a list is known when its last item is done.  Until then an empty
    # chunk keeps the place of its header, so that nothing is ever copied twice.
    size = 0
    owner: Sequence[Any] = (obj,)
    values = iter(owner)
    slot = start = 0
    parents: list[tuple[Sequence[Any], Iterator[Any], int, int]] = []
    open_lists: set[int] = set()
    while True:
        for value in values:
            form = value
            kind = type(value)
            if kind is not bytes:
                if kind is not list and kind is not tuple:
                    form = _plain_form(value)
                    kind = type(form)
                if kind is list or kind is tuple:
                    if id(value) in open_lists:
                        raise _cycle([*parents, (owner, values)])
                    open_lists.add(id(value))
                    parents.append((owner, values, slot, start))
                    owner, values, slot, start = value, iter(form), len(chunks), size
                    add(b"")
                    break
                if kind is Raw:
                    encoded = form.encoded
                    if form is _RECORD:
                        # Alone, a typed record is not wrapped into a string.
                        encoded = (
                            value.__rlp_item__() if parents else value.__rlp_whole__()
                        )
                    add(encoded)
                    size += len(encoded)
                    continue
                if form is None:
                    raise _refusal(value, [*parents, (owner, values)])
            length = len(form)
            if length >= 56:
                header = long_header(0xB7, length)
                add(header)
                size += len(header)
            elif length != 1 or form[0] >= 0x80:
                add(STRING_HEADERS[length])
                size += 1
            add(form)
            size += length
        else:
            if not parents:
                return b"".join(chunks)
            length = size - start
            header = LIST_HEADERS[length] if length < 56 else long_header(0xF7, length)
            chunks[slot] = header
            size += len(header)
            open_lists.remove(id(owner))
            owner, values, slot, start = parents.pop()


@twin
def encoded_size(obj: Encodable) -> int:
    """
    Return ``len(encode(obj))`` without building the encoding.

    Args:
        obj: as in `encode`.

    Raises:
        InputTypeError: as in `encode`.
        EncodeError: as in `encode`.

    Example:
        >>> encoded_size([b"cat", bytes(1024)])
        1034
    """
    size = 0
    owner: Sequence[Any] = (obj,)
    values = iter(owner)
    start = 0
    parents: list[tuple[Sequence[Any], Iterator[Any], int]] = []
    open_lists: set[int] = set()
    while True:
        for value in values:
            form = value if type(value) is bytes else _plain_form(value)
            if isinstance(form, (list, tuple)):
                if id(value) in open_lists:
                    raise _cycle([*parents, (owner, values)])
                open_lists.add(id(value))
                parents.append((owner, values, start))
                owner, values, start = value, iter(form), size
                break
            if form is None:
                raise _refusal(value, [*parents, (owner, values)])
            if isinstance(form, Raw):
                encoded = form.encoded
                if form is _RECORD:
                    encoded = value.__rlp_item__() if parents else value.__rlp_whole__()
                size += len(encoded)
                continue
            length = len(form)
            if length != 1 or form[0] >= 0x80:
                size += _header_size(length)
            size += length
        else:
            if not parents:
                return size
            size += _header_size(size - start)
            open_lists.remove(id(owner))
            owner, values, start = parents.pop()


def encode_bytes(data: bytes, /) -> bytes:
    """
    Return the encoding of the string *data*: `encode` for bytes alone, without checks.

    Example:
        >>> encode_bytes(b"dog").hex()
        '83646f67'
    """
    length = len(data)
    if length >= 56:
        return long_header(0xB7, length) + data
    if length == 1 and data[0] < 0x80:
        return data
    return STRING_HEADERS[length] + data


def encode_list(payload: bytes, /) -> bytes:
    """
    Return the encoding of the list whose items are already encoded.

    Args:
        payload: the encodings of the items, one after the other; not checked.

    Example:
        >>> encode_list(encode_bytes(b"cat") + encode_bytes(b"dog")).hex()
        'c88363617483646f67'
    """
    length = len(payload)
    header = LIST_HEADERS[length] if length < 56 else long_header(0xF7, length)
    return header + payload


def keccak256(obj: Encodable) -> Hash:
    """
    Return the keccak-256 hash of the encoding of *obj*.

    Args:
        obj: as in `encode`.

    Raises:
        InputTypeError: as in `encode`.
        EncodeError: as in `encode`.

    Example:
        >>> keccak256(b"")
        Hash('0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421')
    """
    return Hash(hashing.keccak256(encode(obj)))


def _plain_form(value: Any) -> bytes | Sequence[Any] | Raw | None:
    """
    Return *value* as bytes, list, tuple or `Raw`; ``None`` if it has no encoding.

    Subclasses of bytes are returned as plain bytes, those of list and tuple as lists.
    `_RECORD` stands for a record.
    """
    kind = type(value)
    if kind is list or kind is tuple or kind is Raw:
        return value  # type: ignore[no-any-return]  # `kind` is its class
    if issubclass(kind, bytes):
        return bytes.__bytes__(value)
    if issubclass(kind, int):
        return _string_of(index(value))
    data = bytes_of_buffer(value, "a memoryview to encode")
    if data is not None:
        return data
    if issubclass(kind, Record):
        return _RECORD
    if not issubclass(kind, Sequence) or issubclass(kind, (str, UserString)):
        number = _number(value)
        return None if number is None else _string_of(number)
    if not issubclass(kind, (list, tuple)) and _is_buffer(value):
        return None
    return list(value)


def _string_of(number: int) -> bytes | None:
    """Return the string of an int, ``None`` for a negative one."""
    if number < 0:
        return None
    if number < 256:
        return _SMALL_INTS[number]
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


def _number(value: Any) -> int | None:
    """Return the int that *value* is, ``None`` if it is none."""
    if issubclass(type(value), int):
        return index(value)
    # An array of numpy's may be an index, too, but is meant to be a list.
    return None if issubclass(type(value), Iterable) else int_of(value)


def _is_buffer(value: Any) -> bool:
    """Whether *value* holds bytes that a memoryview can be made of."""
    try:
        memoryview(value)
    except TypeError:
        return False
    return True


def _header_size(length: int) -> int:
    """Return the size of the header of a payload of *length* bytes."""
    return 1 if length < 56 else 1 + (length.bit_length() + 7) // 8


def long_header(base: int, length: int) -> bytes:
    r"""
    Return the header of a payload of 56 bytes or more.

    Args:
        base: 0xB7 for a string, 0xF7 for a list.
        length: how many bytes the payload has.

    Example:
        >>> long_header(0xB7, 1024)
        b'\xb9\x04\x00'
    """
    size = length.to_bytes((length.bit_length() + 7) // 8, "big")
    return bytes([base + len(size)]) + size


def _path(frames: list[tuple[Any, ...]]) -> tuple[int, ...]:
    """
    Return the indexes of the value that *frames* have read last.

    A frame begins with a sequence and the iterator that has read it so far, of a list
    or tuple.  The first one holds nothing but the whole item, so it is left out.
    """
    # Pickling a list's or tuple's iterator tells the index of the item that is next.
    return tuple(values.__reduce__()[2] - 1 for _, values, *_ in frames[1:])


def _cycle(frames: list[tuple[Any, ...]]) -> EncodeError:
    """Return the error for a list that *frames* have read inside itself."""
    return EncodeError("a list must not contain itself", path=_path(frames))


def _refusal(value: object, frames: list[tuple[Any, ...]]) -> HexaryError:
    """Return the error for *value*, which has no encoding and is last in *frames*."""
    path = _path(frames)
    number = _number(value)
    if number is not None:
        message = f"an int must not be negative, got {shorten(number)}"
        return EncodeError(message, path=path)
    hint = next(
        (text for kind, text in _HINTS.items() if issubclass(type(value), kind)), ""
    )
    if not hint and isinstance(value, Iterable):
        hint = "make it a list, or bytes, whichever is meant"
    accepted = "bytes, an int, a sequence of such items, or Raw"
    return InputTypeError(path_text(("obj", *path)), accepted, value, hint=hint)


def _form_for_native(value: Any, depth: int) -> bytes | Sequence[Any] | Raw | None:
    """Return what `_plain_form` does, but a record's encoding for a record."""
    form = _plain_form(value)
    if form is _RECORD:
        return _restore(value.__rlp_item__() if depth else value.__rlp_whole__())
    return form


adopt(plain_form=_form_for_native, raw=Raw)
