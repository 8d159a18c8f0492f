"""What the commands about chains read: RLP, raw or as hex text, or JSON."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from hexary.errors import FixtureError
from hexary.typed.hexstr import parse_bytes

__all__ = ["read_argument", "read_document"]

_FIRST_LIST = 0xC0


def read_argument(argument: str | None) -> bytes:
    """
    Return the bytes that an argument stands for: hex text, ``@FILE``, or ``-``.

    Args:
        argument: the argument; ``None`` and ``-`` are standard input.

    Raises:
        HexError: if it is not hex text.
        UsageError: if there is neither an argument nor an input.
    """
    if argument is None and sys.stdin.isatty():
        raise click.UsageError("give a value, @FILE, or - for standard input")
    if argument is None or argument == "-":
        return _from_text(sys.stdin.buffer.read())
    if argument.startswith("@"):
        return _from_text(_read(argument[1:]))
    return parse_bytes(os.fsencode(argument).decode("latin-1"))


def read_document(file: str) -> bytes | dict[str, Any]:
    """
    Return what is in a file: the bytes of RLP, or a JSON object.

    RLP may be raw or hex text.  Of an answer of JSON-RPC, the result is returned.

    Args:
        file: its name; ``-`` is standard input.

    Raises:
        FixtureError: if it is JSON, but not an object.
        HexError: if it is none of those.
    """
    data = sys.stdin.buffer.read() if file == "-" else _read(file)
    if data[:1] >= bytes([_FIRST_LIST]):
        return data
    if not data.lstrip().startswith((b"{", b"[")):
        return _from_text(data)
    from hexary.state.json_file import parse_json

    name = "<stdin>" if file == "-" else file
    document: object = parse_json(data, file=name)
    if isinstance(document, dict) and "jsonrpc" in document:
        document = document.get("result")
    if not isinstance(document, dict):
        raise FixtureError("must be a JSON object", file=name)
    return document


def _read(file: str) -> bytes:
    """Return the bytes of a file."""
    with open(file, "rb") as stream:
        return stream.read()


def _from_text(data: bytes) -> bytes:
    """Return the bytes that hex text stands for, which may be broken into lines."""
    return parse_bytes(data.decode("latin-1"), blanks=True)
