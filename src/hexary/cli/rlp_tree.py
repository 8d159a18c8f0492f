"""
Decoded RLP as text: a tree for people, JSON for programs.

Both are written without recursion, and the indentation stops growing at some depth, so
that a thousand nested lists cost no more than their size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["json_text", "tree_lines"]

_SHOWN = 32
"""Bytes of a string that are shown unless all are asked for."""

_DEEPEST_INDENT = 16
"""Depth from which lines are no longer moved to the right but say their depth."""


def tree_lines(item: object, *, full: bool = False) -> Iterator[str]:
    r"""
    Yield the lines of a tree: sizes for everything, numbers and text where likely.

    Args:
        item: bytes, or nested lists of them.
        full: whether to show long strings whole.

    Example:
        >>> for line in tree_lines([b"cat", b"", [b"\x04\x00"]]):
        ...     print(line)
        list of 3 items, 10 bytes encoded
          0: 0x636174 (3 bytes) "cat"
          1: 0x (empty)
          2: list of 1 item, 4 bytes encoded
            0: 0x0400 (2 bytes) = 1024
    """
    if isinstance(item, bytes):
        yield _string(item, full=full)
        return
    sizes = _sizes(item)
    stack: list[tuple[object, int, str]] = [(item, 0, "")]
    while stack:
        current, depth, label = stack.pop()
        indent = "  " * min(depth, _DEEPEST_INDENT)
        if depth > _DEEPEST_INDENT:
            indent += f"({depth} deep) "
        if isinstance(current, list):
            noun = "item" if len(current) == 1 else "items"
            size = _bytes(sizes[id(current)])
            yield f"{indent}{label}list of {len(current)} {noun}, {size} encoded"
            stack.extend(
                (current[index], depth + 1, f"{index}: ")
                for index in range(len(current) - 1, -1, -1)
            )
        elif isinstance(current, bytes):
            yield f"{indent}{label}{_string(current, full=full)}"


def _sizes(item: object) -> dict[int, int]:
    """Return the size of the encoding of every list, by identity."""
    order: list[list[object]] = []
    stack = [item]
    while stack:
        current = stack.pop()
        if isinstance(current, list):
            order.append(current)
            stack.extend(current)
    sizes: dict[int, int] = {}
    for current in reversed(order):  # the inner ones first
        payload = 0
        for child in current:
            if isinstance(child, list):
                payload += sizes[id(child)]
            elif isinstance(child, bytes):
                alone = len(child) == 1 and child[0] < 0x80
                payload += 1 if alone else len(child) + _head(len(child))
        sizes[id(current)] = payload + _head(payload)
    return sizes


def _head(payload: int) -> int:
    """Return the size of the prefix of a payload (Yellow Paper, appendix B)."""
    return 1 if payload < 56 else 1 + (payload.bit_length() + 7) // 8


def _bytes(size: int) -> str:
    """Spell a number of bytes."""
    return f"{size:,} byte" + ("" if size == 1 else "s")


def _string(data: bytes, *, full: bool) -> str:
    """Spell a byte string, with a guess at what it means."""
    if not data:
        return "0x (empty)"
    cut = len(data) > _SHOWN and not full
    shown = data[: _SHOWN - 8].hex() + "…" if cut else data.hex()
    line = f"0x{shown} ({_bytes(len(data))})"
    if len(data) >= 2 and data.isascii() and data.decode("ascii").isprintable():
        text = data[:_SHOWN].decode("ascii").replace("\\", "\\\\").replace('"', '\\"')
        return f'{line} "{text}' + ("…" if len(data) > _SHOWN else '"')
    if len(data) <= 8 and data[0]:
        return f"{line} = {int.from_bytes(data, 'big')}"
    return line


def json_text(item: object) -> str:
    """
    Return nested lists of 0x-hex strings as JSON, on one line.

    Example:
        >>> json_text([b"cat", [b""]])
        '["0x636174", ["0x"]]'
    """
    parts: list[str] = []
    # Each entry: what to write, as an item or as text.
    stack: list[tuple[bool, object]] = [(True, item)]
    while stack:
        is_item, current = stack.pop()
        if not is_item:
            parts.append(str(current))
        elif isinstance(current, list):
            parts.append("[")
            stack.append((False, "]"))
            for index in range(len(current) - 1, -1, -1):
                stack.append((True, current[index]))
                if index:
                    stack.append((False, ", "))
        elif isinstance(current, bytes):
            parts.append(f'"0x{current.hex()}"')
    return "".join(parts)
