"""
Look into an encoding without decoding it: a `View` reads the headers on its way only.

**What is checked.**  Whoever makes a view of an item has looked at its header, which is
held to the rules of `decode` (see `hexary.rlp.decoding`), and so have the headers of
the items before it in its list.  What was not looked at was not checked: an item that
is found is where it would be found in a right encoding, but only `View.check` and
`View.decode` tell whether all inside it is right.  Errors have the reason that `decode`
gives, and the offset in the whole input.

**What is remembered.**  A list knows where its items end, up to the last that it was
asked for, in eight bytes for each and as many again for those to come, until it knows
all; so reading it in any order takes linear time.  Going through a list remembers
nothing.

**Why there is no lock.**  What a list knows is one pair, of an array and of how many of
its places count, and is replaced as a whole.  Whoever finds more writes it behind what
counts, where any other thread would write the same, and then shows a new pair.  So a
signal, a fork or another thread may come at any time: at worst something that was found
is looked for again.

**What is held.**  A view and all that come of it hold the input.  Bytes are held as
they are, and so is a memoryview that is read-only and contiguous, such as that of a
file mapped for reading: whoever passes one promises that what is behind it does not
change.  Anything else, as a bytearray, is copied once, so that later changes do not
show.
"""

from __future__ import annotations

from array import array
from operator import index as as_index
from typing import TYPE_CHECKING, Any, TypeVar, final, overload

from hexary.errors import DecodeError, DecodeReason, InputTypeError, RangeError
from hexary.rlp.decoding import (
    DEFAULT_MAX_DEPTH,
    BytesLike,
    Item,
    as_bytes,
    check_depth,
    decode,
    fault,
    read_header,
)
from hexary.rlp.scalars import uint_from_payload

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from hexary.rlp.typed_unions import TypedUnion

    _Bytes: TypeAlias = bytes

__all__ = ["View", "view"]

Decoded = TypeVar("Decoded")
"""What a kind decodes to."""

_NOTHING: tuple[array[int], int] = (array("Q"), 0)
"""What a list knows of its items at first; it has no place that could be written."""

_FIRST_PLACES = 8
"""For how many items there is room at first."""

_ABSENT: Any = object()
"""Tells a kind that was not passed from one that is ``None``."""


def view(data: BytesLike, *, max_depth: int = DEFAULT_MAX_DEPTH) -> View:
    """
    Return a view of the item that *data* encode, of which only the header is read.

    Args:
        data: exactly one encoding.  A read-only memoryview is held, not copied: what it
            is of must not change.
        max_depth: as in `decode`: how deep the lists that are looked at may be nested.

    Raises:
        DecodeError: the header breaks a rule, or is not that of all *data*.
        InputTypeError: *data* are not bytes, or *max_depth* is not an int.
        RangeError: *max_depth* is negative.

    Example:
        >>> from hexary import rlp
        >>> block = view(rlp.encode([[1, b"coinbase"], [b"first", b"second"], []]))
        >>> block[1, 0].bytes, len(block[1]), block[0, 1].offset
        (b'first', 2, 3)
    """
    held = _hold(data)
    check_depth(max_depth)
    size = len(held)
    if not size:
        raise fault(DecodeReason.EMPTY_INPUT, held, 0)
    whole = _view_at(held, 0, size, 0, max_depth, DecodeReason.TRUNCATED)
    if whole._stop != size:
        raise fault(DecodeReason.TRAILING_BYTES, held, whole._stop)
    return whole


@final
class View:
    """
    An item of an encoding, of which the header was read; `view` makes the first one.

    ``len(view)``, ``view[i]``, ``view[i:j]`` and iteration are those of a list, each
    item a view again, and ``view[3, 0]`` is ``view[3][0]``.  On a string they raise
    `DecodeError`.  A view is true if there is anything in it, a byte or an item.

    Attributes:
        is_list: whether the item is a list, not a string.
        offset: where it starts in the whole input.

    Example:
        >>> from hexary import rlp
        >>> words = view(rlp.encode([b"cat", [b"dog"], b""]))
        >>> len(words), words[0].bytes, words[-1].offset
        (3, b'cat', 10)
        >>> [word.is_list for word in words]
        [False, True, False]
        >>> words[1].decode()
        [b'dog']
    """

    __slots__ = (
        *("_data", "_depth", "_found", "_max_depth", "_start", "_stop"),
        *("is_list", "offset"),
    )

    def __init__(
        self,
        data: _Bytes | memoryview,
        offset: int,
        start: int,
        stop: int,
        depth: int,
        max_depth: int,
    ) -> None:
        """
        Trust the caller: what `view` has found.

        Args:
            data: the whole input.
            offset: where the item starts.
            start: where its payload starts.
            stop: where it ends.
            depth: how many lists are around it.
            max_depth: as in `decode`.
        """
        self._data = data
        self._start = start
        self._stop = stop
        self._depth = depth
        self._max_depth = max_depth
        self._found = _NOTHING
        self.offset = offset
        self.is_list = data[offset] >= 0xC0

    @property
    def rlp(self) -> memoryview:
        """The encoding, header included; not copied."""
        return memoryview(self._data)[self.offset : self._stop]

    @property
    def memory(self) -> memoryview:
        """The payload: a string's bytes, or the encodings of a list's items."""
        return memoryview(self._data)[self._start : self._stop]

    @property
    def bytes(self) -> _Bytes:
        """
        The bytes of a string, copied.

        Raises:
            DecodeError: with reason ``EXPECTED_STRING``, if it is a list.
        """
        if self.is_list:
            raise fault(DecodeReason.EXPECTED_STRING, self._data, self.offset)
        payload = self._data[self._start : self._stop]
        return payload if isinstance(payload, bytes) else payload.tobytes()

    def uint(self, *, bits: int | None = 256) -> int:
        """
        Return the number that a string stands for.

        Args:
            bits: how many it may have, ``None`` for any number.

        Raises:
            DecodeError: as `decode_uint`.
        """
        return uint_from_payload(self.bytes, bits=bits, offset=self.offset)

    def __len__(self) -> int:
        """
        Return how many items a list has: reads all their headers.

        Raises:
            DecodeError: if it is a string, or a header breaks a rule.
        """
        self._expect_list()
        return self._reach(self._stop)[1]

    def __bool__(self) -> bool:
        """Return whether there is a byte in the string, or an item in the list."""
        return self._start != self._stop

    def __iter__(self) -> Iterator[View]:
        """
        Iterate over the items of a list.

        Raises:
            DecodeError: if it is a string; when iterated, if a header breaks a rule.
        """
        self._expect_list()
        return self._items()

    @overload
    def __getitem__(self, index: int | tuple[int, ...], /) -> View: ...
    @overload
    def __getitem__(self, index: slice, /) -> list[View]: ...
    def __getitem__(self, index: Any, /) -> View | list[View]:
        """
        Return an item of a list, some of them, or one further inside.

        Raises:
            DecodeError: if what it is looked for in is a string, or a header on the way
                breaks a rule.
            IndexError: if there are not as many items.
            InputTypeError: if the index is of another type.
            RangeError: if the step of a slice is zero.
        """
        if isinstance(index, tuple):
            found = self
            for step in index:
                found = found._item(_checked_index(step))
            return found
        if isinstance(index, slice):
            within = _checked_slice(index)
            return [self._item(place) for place in range(*within.indices(len(self)))]
        return self._item(_checked_index(index))

    @overload
    def decode(self, /, *, max_items: int | None = None) -> Item: ...
    @overload
    def decode(
        self,
        kind: type[Decoded] | TypedUnion[Decoded],
        /,
        *,
        max_items: int | None = None,
    ) -> Decoded: ...
    def decode(self, kind: Any = _ABSENT, /, *, max_items: int | None = None) -> Any:
        """
        Decode the item: bytes, lists of them, or a record, as `decode` does.

        Args:
            kind: a record class, or another kind that `decode` takes; or nothing.
            max_items: as in `decode`.

        Raises:
            DecodeError: something in it breaks a rule.
        """
        encoded = memoryview(self._data)[self.offset : self._stop].tobytes()
        given: Any = (encoded,) if kind is _ABSENT else (kind, encoded)
        depth = self._max_depth - self._depth
        try:
            return decode(*given, max_depth=depth, max_items=max_items)
        except DecodeError as error:
            if not self.offset:
                raise
            found = error
        raise DecodeError(
            found.reason,
            offset=self.offset + found.offset,
            data=found.data,
            field=found.field,
            detail=found.detail,
        )

    def check(self) -> View:
        """
        Check all that is inside, without making objects of it; return the view.

        Raises:
            DecodeError: something in it breaks a rule: the error of `decode`.

        Example:
            >>> hostile = view(bytes.fromhex("c3058105"))
            >>> hostile[0].uint()
            5
            >>> try:
            ...     hostile.check()
            ... except DecodeError as error:
            ...     print(error.reason.name, error.offset)
            NON_CANONICAL_BYTE 2
        """
        data = self._data
        position = self._start
        ends = [self._stop] if self.is_list else []
        while ends:
            end = ends[-1]
            if position == end:
                ends.pop()
                continue
            if data[position] < 0x80:
                position += 1
                continue
            start, stop = read_header(data, position, end, DecodeReason.OVERRUN)
            if data[position] < 0xC0:
                position = stop
            else:
                if self._depth + len(ends) >= self._max_depth:
                    raise fault(DecodeReason.TOO_DEEP, data, position)
                ends.append(stop)
                position = start
        return self

    def __repr__(self) -> str:
        """Tell the kind, the size of the encoding, and where it starts."""
        kind = "list" if self.is_list else "string"
        size = self._stop - self.offset
        return f"<View of a {kind}, {size} bytes at offset {self.offset}>"

    def __copy__(self) -> View:
        """Return the view itself: it does not change, nor does its input."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> View:
        """Return the view itself, as a copy."""
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """
        Pickle the view, with the whole input.

        Raises:
            InputTypeError: the input is a memoryview, which cannot be pickled.
        """
        if not isinstance(self._data, bytes):
            name = "the input of a view that is pickled"
            hint = "pickle bytes(view.rlp) and make a view of them"
            raise InputTypeError(name, "bytes", self._data, hint=hint)
        places = (self.offset, self._start, self._stop)
        return (View, (self._data, *places, self._depth, self._max_depth))

    def _expect_list(self) -> None:
        """Refuse what is no list."""
        if not self.is_list:
            raise fault(DecodeReason.EXPECTED_LIST, self._data, self.offset)

    def _item(self, index: int) -> View:
        """Return one item of a list."""
        self._expect_list()
        wanted = index if index >= 0 else index + len(self)
        ends, count = self._reach(wanted)
        if not 0 <= wanted < count:
            raise IndexError(
                f"no item {index} in the list of {count} at offset {self.offset}"
            )
        return self._view_below(ends[wanted - 1] if wanted else self._start)

    def _items(self) -> Iterator[View]:
        """Yield the items of a list."""
        position = self._start
        while position < self._stop:
            item = self._view_below(position)
            position = item._stop
            yield item

    def _view_below(self, position: int) -> View:
        """Return the item of this list that starts at *position*."""
        return _view_at(
            self._data,
            position,
            self._stop,
            self._depth + 1,
            self._max_depth,
            DecodeReason.OVERRUN,
        )

    def _reach(self, index: int) -> tuple[array[int], int]:
        """
        Return where items end, at least those up to *index* if there are any.

        Returns:
            An array, and how many of its places count.
        """
        known = self._found
        ends, count = known
        data, end = self._data, self._stop
        position = ends[count - 1] if count else self._start
        if index < count or position == end:
            return known
        too_deep = self._depth + 1 >= self._max_depth
        try:
            while position < end and index >= count:
                prefix = data[position]
                if prefix < 0x80:
                    stop = position + 1
                else:
                    _, stop = read_header(data, position, end, DecodeReason.OVERRUN)
                    if prefix >= 0xC0 and too_deep:
                        raise fault(DecodeReason.TOO_DEEP, data, position)
                if count == len(ends):
                    # Others may be using that one: its size stays.
                    ends = ends + array("Q", bytes(8 * max(count, _FIRST_PLACES)))
                ends[count] = position = stop
                count += 1
            if position == end:
                ends = ends[:count]
        finally:
            found = (ends, count)
            if count > self._found[1]:
                self._found = found
        return found


def _view_at(
    data: bytes | memoryview,
    position: int,
    end: int,
    depth: int,
    max_depth: int,
    outside: DecodeReason,
) -> View:
    """Read the header at *position*, as `read_header` does, and return the view."""
    start, stop = read_header(data, position, end, outside)
    if depth >= max_depth and data[position] >= 0xC0:
        raise fault(DecodeReason.TOO_DEEP, data, position)
    return View(data, position, start, stop, depth, max_depth)


def _checked_index(index: object) -> int:
    """Return an index as an int."""
    try:
        return as_index(index)  # type: ignore[arg-type]  # it raises for what is none
    except TypeError:
        accepted = "an int, a slice, or a tuple of ints"
        raise InputTypeError("index", accepted, index) from None


def _checked_slice(index: slice) -> slice:
    """Return a slice of ints and ``None``."""
    given = (index.start, index.stop, index.step)
    parts = [part if part is None else _checked_index(part) for part in given]
    if parts[2] == 0:
        rule = "at least 1, or negative"
        raise RangeError("the step of a slice", 0, 1, None, rule=rule)
    return slice(*parts)


def _hold(data: BytesLike) -> bytes | memoryview:
    """Return what a view holds: *data*, or a copy of what may change."""
    if type(data) is memoryview:
        try:
            if data.readonly and data.c_contiguous:
                return data.cast("B")
        except (TypeError, ValueError):
            # Of no size, of a format that is not native, or released already.
            pass
    return as_bytes(data)
