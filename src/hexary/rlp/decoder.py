"""
Decoding whole inputs: the compiled code first, then, if it gives up, a `Reader`.

What the reader finds is the verdict: the error that is raised, or a value if the
compiled code has been too careful.  It alone knows the limits, so compiled code runs
only where they are too wide to matter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hexary.errors import DecodeReason
from hexary.rlp.decoding import DEFAULT_MAX_DEPTH, _check_limits, as_bytes
from hexary.rlp.reading import Reader
from hexary.rlp.source import RETRIES
from hexary.rlp.typed_unions import TypedUnion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hexary.rlp.decoding import BytesLike
    from hexary.rlp.reading import Path

__all__ = ["Decoder", "find_decoder"]


class Decoder:
    """
    What decodes one kind of value that stands alone.

    Args:
        fast: from data and position to value and the index behind it; raises
            something of `RETRIES` where that is not plainly right.
        careful: from a reader, position, end and path to the same; raises DecodeError.
        path: what to call the value in errors.
    """

    __slots__ = ("careful", "fast", "path")

    def __init__(
        self,
        fast: Callable[[bytes, int], tuple[Any, int]],
        careful: Callable[[Reader, int, int, Path], tuple[Any, int]],
        path: Path,
    ) -> None:
        self.fast = fast
        self.careful = careful
        self.path = path

    def decode(
        self,
        data: BytesLike,
        *,
        max_depth: int = DEFAULT_MAX_DEPTH,
        max_items: int | None = None,
    ) -> Any:
        """Return the value that *data* encodes, as `decode` does."""
        if type(data) is not bytes:
            data = as_bytes(data)
        if max_items is None and max_depth == DEFAULT_MAX_DEPTH:
            try:
                value, stop = self.fast(data, 0)
                if stop == len(data):
                    return value
            except RETRIES:
                pass
        else:
            max_depth, max_items = _check_limits(max_depth, max_items)
        reader = Reader(data, max_depth, max_items)
        value, stop = self.careful(reader, 0, len(data), self.path)
        if stop != len(data):
            raise reader.fault(DecodeReason.TRAILING_BYTES, stop, self.path)
        return value

    def decode_at(
        self, data: bytes, position: int, max_depth: int, max_items: int | None
    ) -> tuple[Any, int]:
        """Return the value at *position*, and the index behind it."""
        if max_items is None and max_depth == DEFAULT_MAX_DEPTH:
            try:
                value, stop = self.fast(data, position)
                if stop <= len(data):
                    return value, stop
            except RETRIES:
                pass
        reader = Reader(data, max_depth, max_items)
        return self.careful(reader, position, len(data), self.path)

    def iterate(
        self, data: bytes, max_depth: int, max_items: int | None
    ) -> Iterator[Any]:
        """Yield the values whose encodings follow each other in *data*."""
        position = 0
        while position < len(data):
            value, position = self.decode_at(data, position, max_depth, max_items)
            yield value


def find_decoder(kind: Any) -> Decoder:
    """
    Return the decoder of a record class, a typed union or an annotation.

    Raises:
        InputTypeError: *kind* is none of these.
    """
    if isinstance(kind, TypedUnion):
        return kind.decoder
    from hexary.rlp.annotations import decoder_of_annotation

    return decoder_of_annotation(kind)
