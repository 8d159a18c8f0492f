"""``hexary rlp``: encode JSON to RLP, show RLP as a tree or as JSON."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from hexary import rlp
from hexary.cli.rlp_tree import json_text, tree_lines
from hexary.cli.streams import read_whole, standard_input, tell
from hexary.errors import DecodeError, EncodeError, shorten
from hexary.typed.hexstr import parse_bytes

if TYPE_CHECKING:
    from hexary.rlp import Encodable

__all__ = ["command"]

_BEFORE = 8
"""Bytes that are shown before the place of an error."""

_AFTER = 20
"""Bytes that are shown from the place of an error."""


@click.group("rlp")
def command() -> None:
    """Encode JSON to RLP, or decode RLP."""


@command.command("encode")
@click.argument("json_value", required=False, metavar="[JSON]")
@click.option("--text", is_flag=True, help="Strings are text (UTF-8), not 0x-hex.")
def encode(json_value: str | None, text: bool) -> None:
    """
    Print the RLP of a JSON value, as 0x-hex.

    JSON is a string of 0x-hex, an integer, true or false, or a list of those;
    @FILE reads a file, - or nothing reads standard input.

    \b
    hexary rlp encode '["0x636174", 1024, []]'
    hexary rlp encode --text '["cat", ["dog"]]'
    """  # noqa: D301 - click wants the control character
    from hexary.state.json_file import parse_json

    value = parse_json(_read(json_value))
    click.echo("0x" + rlp.encode(_convert(value, text=text)).hex())


@command.command("decode")
@click.argument("hex_text", required=False, metavar="[HEX]")
@click.option("--json", "as_json", is_flag=True, help="Print nested lists of 0x-hex.")
@click.option("--full", is_flag=True, help="Print long strings whole.")
@click.option("--binary", is_flag=True, help="The input is raw bytes, not hex.")
@click.option(
    "--concatenated", is_flag=True, help="Any number of encodings, one after another."
)
@click.option(
    "--max-depth",
    type=click.IntRange(min=0),
    default=rlp.DEFAULT_MAX_DEPTH,
    show_default=True,
    help="Refuse lists nested deeper than this.",
)
def decode(
    hex_text: str | None,
    as_json: bool,
    full: bool,
    binary: bool,
    concatenated: bool,
    max_depth: int,
) -> int:
    """
    Print what an RLP encoding holds, as a tree.

    HEX is hex text; @FILE reads a file, - or nothing reads standard input. Only
    the canonical form is accepted; what is not is told with the place.

    \b
    hexary rlp decode 0xc88363617483646f67
    hexary rlp decode --binary --concatenated @blocks.rlp
    """  # noqa: D301 - click wants the control character
    data = _binary_or_hex(hex_text, binary=binary)
    items = (
        rlp.decode_concatenated(data, max_depth=max_depth)
        if concatenated
        else (rlp.decode(encoding, max_depth=max_depth) for encoding in (data,))
    )
    try:
        for item in items:
            lines = [json_text(item)] if as_json else tree_lines(item, full=full)
            sys.stdout.writelines(f"{line}\n" for line in lines)
    except DecodeError as error:
        tell("\n".join([f"error: {error}", *_surroundings(data, error)]))
        return 2
    return 0


def _surroundings(data: bytes, error: DecodeError) -> list[str]:
    """Return the bytes around the place of an error, with a caret below it."""
    if not data:
        return []
    start = max(0, error.offset - _BEFORE)
    before = data[start : error.offset].hex()
    after = data[error.offset : error.offset + _AFTER].hex()
    left = "…" if start else ""
    right = "…" if error.offset + _AFTER < len(data) else ""
    blanks = " " * (len(left) + len(before))
    place = f"offset {error.offset} of {len(data)} bytes, {error.reason.name}"
    return [f"  {left}{before}{after}{right}", f"  {blanks}^^ {place}"]


def _binary_or_hex(argument: str | None, *, binary: bool) -> bytes:
    """Return the bytes that an argument of ``decode`` stands for."""
    inline = argument is not None and argument != "-" and not argument.startswith("@")
    data = _read(argument)
    if binary:
        if inline:
            raise click.UsageError("--binary goes with @FILE or standard input")
        return data
    # Hex in a file may be broken into lines; hex on the command line may not.
    return parse_bytes(data.decode(errors="surrogateescape"), blanks=not inline)


def _read(argument: str | None) -> bytes:
    """Return what an argument gives: itself, a file, or standard input."""
    if argument is None or argument == "-":
        hint = "give a value, @FILE, or - for standard input"
        stream = standard_input(hint=hint if argument is None else "")
        return read_whole(stream, "standard input")
    if argument == "@":
        raise click.UsageError("@ is followed by the name of a file")
    if argument.startswith("@"):
        with open(argument[1:], "rb") as stream:
            return read_whole(stream, argument[1:])
    return os.fsencode(argument)


def _convert(value: object, *, text: bool) -> Encodable:
    """
    Return what to encode for a JSON value.

    Raises:
        EncodeError, HexError: a value in it has no encoding.
    """
    if not isinstance(value, list):
        return _scalar(value, (), text=text)
    # No recursion: the verdict must not depend on the interpreter's limit.
    whole: list[Encodable] = []
    waiting: list[tuple[list[object], list[Encodable], tuple[int, ...]]] = [
        (value, whole, ())
    ]
    while waiting:
        values, items, path = waiting.pop()
        for index, one in enumerate(values):
            if isinstance(one, list):
                inner: list[Encodable] = []
                items.append(inner)
                waiting.append((one, inner, (*path, index)))
            else:
                items.append(_scalar(one, (*path, index), text=text))
    return whole


def _scalar(value: object, path: tuple[int, ...], *, text: bool) -> Encodable:
    """Return what to encode for the value at *path*, which is no list."""
    if isinstance(value, str):
        if text:
            return value.encode()
        if not value.startswith("0x"):
            rule = f"{shorten(value)} is not 0x-hex; with --text, strings are text"
            raise EncodeError(rule, path=path)
        return parse_bytes(value)
    if isinstance(value, int):
        return value
    rule = f"{'null' if value is None else shorten(value)} has no encoding"
    raise EncodeError(f"{rule}; give strings, integers and lists", path=path)
