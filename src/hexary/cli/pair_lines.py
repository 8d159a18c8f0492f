"""Keys and values as lines of hex, read one by one: what ``hexary trie ls`` prints."""

from __future__ import annotations

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

    Raises:
        OSError: it cannot be read.
        FixtureError: a line is not a key and a value; names the line.
    """
    if file == "-":
        yield from _pairs(standard_input(), "<stdin>")
    else:
        with open(file, "rb") as stream:
            yield from _pairs(stream, file)


def _pairs(stream: BinaryIO, name: str) -> Iterator[tuple[bytes, bytes]]:
    """Yield the pairs of a stream."""
    number = 0
    while line := stream.readline(_LONGEST):
        number += 1
        words = line.decode(errors="surrogateescape").split()
        rule = "a line is a key and a value, as hex"
        if len(words) == 2 and len(line) < _LONGEST:
            try:
                yield parse_bytes(words[0]), parse_bytes(words[1])
                continue
            except HexError as error:
                rule = f"{rule}: {error}"
        else:
            rule = f"{rule}, got {shorten(line)}"
        raise FixtureError(rule, file=name, case=f"line {number}")
