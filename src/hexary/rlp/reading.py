"""
Reading items off encoded bytes one by one, with the rules and limits of `decode`.

A `Reader` is what decodes records where the compiled code has given up (see
`hexary.rlp.codec`): slowly, with the path of the field in every error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from hexary.errors import DecodeError, DecodeReason, path_text
from hexary.rlp.decoding import DEFAULT_MAX_DEPTH, decode, read_header

if TYPE_CHECKING:
    from hexary.errors import NodeReason
    from hexary.rlp.decoding import Item

__all__ = ["Path", "Reader"]

Path: TypeAlias = tuple[int | str, ...]
"""Names of fields and indexes of items, from the outside in."""


class Reader:
    """
    Encoded bytes that are being read, and what is left of the limits.

    Args:
        data: the bytes.
        max_depth: as in `decode`.
        max_items: as in `decode`.
    """

    __slots__ = ("_outside", "data", "max_depth", "max_items", "seen")

    def __init__(self, data: bytes, max_depth: int, max_items: int | None) -> None:
        self.data = data
        self.max_depth = max_depth
        self.max_items = max_items
        self.seen = 0
        self._outside = DecodeReason.TRUNCATED

    @property
    def is_wide(self) -> bool:
        """Whether the limits are too wide to matter to compiled code."""
        return self.max_items is None and self.max_depth == DEFAULT_MAX_DEPTH

    def fault(
        self,
        reason: DecodeReason | NodeReason,
        offset: int,
        path: Path,
        detail: str = "",
    ) -> DecodeError:
        """Return the error for what starts at *offset* and belongs to *path*."""
        return DecodeError(
            reason,
            offset=offset,
            data=self.data[offset : offset + 32],
            field=path_text(path),
            detail=detail,
        )

    def _open(self, position: int, end: int, path: Path) -> tuple[int, int]:
        """Return where the payload of the item at *position* starts and stops."""
        if position >= end:
            # The input is empty, or a type byte is all that there is of a record.
            empty = self._outside if self.data else DecodeReason.EMPTY_INPUT
            raise self.fault(empty, position, path)
        self.seen += 1
        if self.max_items is not None and self.seen > self.max_items:
            raise self.fault(DecodeReason.TOO_MANY_ITEMS, position, path)
        outside, self._outside = self._outside, DecodeReason.OVERRUN
        try:
            return read_header(self.data, position, end, outside)
        except DecodeError as error:
            reason = error.reason
        raise self.fault(reason, position, path)

    def mark(self) -> tuple[int, DecodeReason]:
        """Return what `reset` needs to forget what is read from now on."""
        return self.seen, self._outside

    def reset(self, mark: tuple[int, DecodeReason]) -> None:
        """Forget what was read since *mark* was taken."""
        self.seen, self._outside = mark

    def string(self, position: int, end: int, path: Path) -> tuple[int, int]:
        """
        Return where the payload of the string at *position* starts and stops.

        Raises:
            DecodeError: as `decode`, and if it is a list.
        """
        start, stop = self._open(position, end, path)
        if self.data[position] >= 0xC0:
            raise self.fault(DecodeReason.EXPECTED_STRING, position, path)
        return start, stop

    def list(self, position: int, end: int, depth: int, path: Path) -> tuple[int, int]:
        """
        Return where the payload of the list at *position* starts and stops.

        Args:
            position: where the list starts.
            end: where the list (or input, or string) that holds it ends.
            depth: how many lists are around it.
            path: what it belongs to.

        Raises:
            DecodeError: as `decode`, and if it is a string.
        """
        start, stop = self._open(position, end, path)
        if self.data[position] < 0xC0:
            raise self.fault(DecodeReason.EXPECTED_LIST, position, path)
        if depth >= self.max_depth:
            raise self.fault(DecodeReason.TOO_DEEP, position, path)
        return start, stop

    def item(self, position: int, end: int, depth: int, path: Path) -> tuple[Item, int]:
        """
        Return the item of any form at *position*, and the index behind it.

        Raises:
            DecodeError: as `decode`.
        """
        _, stop = self._open(position, end, path)
        more = None
        if self.max_items is not None:
            more = self.max_items - self.seen + 1
        try:
            item = decode(
                self.data[position:stop],
                max_depth=max(self.max_depth - depth, 0),
                max_items=more,
            )
        except DecodeError as error:
            reason, offset = error.reason, position + error.offset
        else:
            self.seen += _count(item) - 1
            return item, stop
        raise self.fault(reason, offset, path)


def _count(item: Item) -> int:
    """Return how many strings and lists *item* is made of."""
    waiting = [item]
    count = 0
    while waiting:
        inner = waiting.pop()
        count += 1
        if isinstance(inner, list):
            waiting += inner
    return count
