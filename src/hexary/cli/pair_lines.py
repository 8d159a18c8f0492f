"""Keys and values as lines of hex, read one by one: what ``hexary trie ls`` prints."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, BinaryIO

from hexary.cli.streams import standard_input
from hexary.errors import FixtureError, HexError, shorten
from hexary.typed.hexstr import parse_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["read_pairs"]

_LONGEST = 64 << 20
"""Bytes of a line; what has longer ones is no such file, or has no end."""


def read_pairs(file: str) -> Iterator[tuple[bytes, bytes]]:
    """
    Yield the pairs of a file, or of standard input if it is ``-``.

    Blank lines are passed over, and so is a byte order mark before the first one.

    Raises:
        OSError: it cannot be read.
        FixtureError: a line is not a key and a value, or its key is not above the one
            before; names the line.
    """
    if file == "-":
        yield from _pairs(standard_input(), "<stdin>")
    else:
        with open(file, "rb") as stream:
            yield from _pairs(stream, file)


def _pairs(stream: BinaryIO, name: str) -> Iterator[tuple[bytes, bytes]]:
    """Yield the pairs of a stream."""
    number = 0
    last: bytes | None = None
    while line := stream.readline(_LONGEST):
        number += 1
        if number == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
        if len(line) < _LONGEST and line.isascii() and not line.strip():
            continue
        try:
            key, value = _pair(line)
            if last is not None and key <= last:
                rule = "a key is above the one before it"
                raise FixtureError(f"{rule}, {shorten(last)}, got {shorten(key)}")
        except FixtureError as error:
            raise FixtureError(error.rule, file=name, case=f"line {number}") from None
        last = key
        yield key, value


def _pair(line: bytes) -> tuple[bytes, bytes]:
    """Return the key and the value on a line."""
    words = line.decode(errors="surrogateescape").split()
    rule = "a line is a key and a value, as hex"
    if len(words) != 2 or len(line) >= _LONGEST:
        raise FixtureError(f"{rule}, got {shorten(line)}")
    try:
        return parse_bytes(words[0]), parse_bytes(words[1])
    except HexError as error:
        raise FixtureError(f"{rule}: {error}") from None
