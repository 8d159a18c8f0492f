"""
Byte strings that stand in one buffer, one after the other.

Columns of data come in this form.  Where each begins and the last one ends is told by
*offsets*: a number, if all are of this one size, or a memoryview of unsigned 64-bit
numbers, one more than there are byte strings.
"""

from __future__ import annotations

from itertools import pairwise

from hexary.errors import InputTypeError, RangeError, SizeError
from hexary.integer import int_of

__all__ = ["Offsets", "split_packed"]

Offsets = int | memoryview
"""The size of each byte string, or where each begins and the last one ends."""


def split_packed(
    data: bytes, offsets: Offsets, name: str, offsets_name: str
) -> list[bytes]:
    """
    Return the byte strings that *data* is made of.

    Args:
        data: the buffer.
        offsets: the size of each, or where they are.
        name: name of the buffer, for messages.
        offsets_name: name of the offsets, for messages.

    Raises:
        InputTypeError: if *offsets* is neither a number nor such a memoryview.
        RangeError: if a size is below 1, or an offset outside the buffer or before the
            one in front of it.
        SizeError: if the buffer is no multiple of the given size.

    Example:
        >>> split_packed(b"dog1dog2", 4, "keys", "key_offsets")
        [b'dog1', b'dog2']
    """
    size = len(data)
    each = int_of(offsets)
    if each is not None:
        if each < 1:
            raise RangeError(offsets_name, each, 1, None)
        if size % each:
            whole = size - size % each + each
            raise SizeError(name, whole, size, data, f"a multiple of {each}")
        return [data[start : start + each] for start in range(0, size, each)]
    places = _places(offsets)
    if places is None:
        accepted = "an int or a memoryview of unsigned 64-bit numbers"
        raise InputTypeError(offsets_name, accepted, offsets)
    before = 0
    for index, place in enumerate(places):
        if not before <= place <= size:
            raise RangeError(f"{offsets_name}[{index}]", place, before, size)
        before = place
    return [data[start:stop] for start, stop in pairwise(places)]


def _places(offsets: object) -> list[int] | None:
    """Return the numbers in a memoryview of 64-bit ones, ``None`` if it is another."""
    if not isinstance(offsets, memoryview):
        return None
    try:
        if offsets.format not in ("Q", "L") or (offsets.itemsize, offsets.ndim) != (
            8,
            1,
        ):
            return None
        return offsets.tolist()
    except ValueError:  # it was released
        return None
