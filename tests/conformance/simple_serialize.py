"""The little of SSZ that Portal content comes in: lists of byte strings."""

from __future__ import annotations

__all__ = ["container", "offset_list"]


def container(data: bytes, count: int) -> list[bytes]:
    """Return the *count* parts of variable size that *data* begin with offsets of."""
    starts = [
        int.from_bytes(data[4 * place : 4 * place + 4], "little")
        for place in range(count)
    ]
    assert starts[0] == 4 * count
    return [
        data[start:stop]
        for start, stop in zip(starts, [*starts[1:], len(data)], strict=True)
    ]


def offset_list(data: bytes) -> list[bytes]:
    """Return the byte strings of a list."""
    if not data:
        return []
    return container(data, int.from_bytes(data[:4], "little") // 4)
