"""What the commands about chains read: RLP, raw or as hex text, or JSON."""

from __future__ import annotations

from typing import Any

import click

from hexary.cli.streams import escaped, read_whole, standard_input
from hexary.errors import DecodeError, DecodeReason, FixtureError
from hexary.typed.hexstr import parse_bytes

__all__ = ["FIRST_LIST", "read_argument", "read_document"]

FIRST_LIST = 0xC0
"""The first byte of the shortest list."""

_MARK = b"\xef\xbb\xbf"
"""What some editors put before text; no RLP begins so, it would end too late."""

_FIRST_SIGN = 9
"""The first byte of text, a tab; the types of transactions are below."""


def read_argument(argument: str | None) -> bytes:
    """
    Return the bytes that an argument stands for: hex text, ``@FILE``, or ``-``.

    Files and standard input may also have the bytes themselves.

    Args:
        argument: the argument; ``None`` and ``-`` are standard input.

    Raises:
        DecodeError: if there is nothing in it.
        HexError: if it is not hex text.
        OSError: if it cannot be read, or is larger than 1 GiB.
        UsageError: if there is neither an argument nor an input.
    """
    if argument is None:
        standard_input(hint="give a value, @FILE, or - for standard input")
        argument = "-"
    if argument == "@":
        raise click.UsageError("@ is followed by the name of a file")
    if argument == "-" or argument.startswith("@"):
        file = argument.removeprefix("@")
        data = _read(file)
        if not data or _FIRST_SIGN <= data[0] < FIRST_LIST:
            data = _from_text(data)
    else:
        file = ""
        data = parse_bytes(argument)
    if not data:
        raise _nothing(file)
    return data


def read_document(file: str) -> bytes | dict[str, Any]:
    """
    Return what is in a file: the bytes of RLP, or a JSON object.

    RLP may be raw or hex text.  Of an answer of JSON-RPC, the result is returned.

    Args:
        file: its name; ``-`` is standard input.

    Raises:
        DecodeError: if there is nothing in it.
        FixtureError: if it is JSON, but not an object.
        HexError: if it is none of those.
        OSError: if it cannot be read, or is larger than 1 GiB.
    """
    data = _read(file)
    if data[:1] >= bytes([FIRST_LIST]):
        return data
    if not data.lstrip().startswith((b"{", b"[")):
        encoded = _from_text(data)
        if not encoded:
            raise _nothing(file)
        return encoded
    from hexary.state.json_file import parse_json

    name = "<stdin>" if file == "-" else file
    document: object = parse_json(data, file=name)
    if isinstance(document, dict) and "jsonrpc" in document:
        document = document.get("result")
    if not isinstance(document, dict):
        raise FixtureError("must be a JSON object", file=name)
    return document


def _read(file: str) -> bytes:
    """Return the bytes of a file, ``-`` for standard input, without a mark of text."""
    if file == "-":
        data = read_whole(standard_input(), "standard input")
    else:
        with open(file, "rb") as stream:
            data = read_whole(stream, file)
    return data.removeprefix(_MARK)


def _from_text(data: bytes) -> bytes:
    """Return the bytes that hex text stands for, which may be broken into lines."""
    return parse_bytes(data.decode(errors="surrogateescape"), blanks=True)


def _nothing(file: str) -> DecodeError:
    """Return the error that there is nothing in a file, ``""`` for an argument."""
    place = "standard input" if file == "-" else escaped(file)
    return DecodeError(DecodeReason.EMPTY_INPUT, offset=0, data=b"", field=place)
