"""``hexary header``: the hash of a header."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from hexary.cli.chain_input import FIRST_LIST, read_document
from hexary.errors import DecodeError, DecodeReason
from hexary.rlp.decoding import fault, read_header
from hexary.typed import Hash

if TYPE_CHECKING:
    from hexary.chain import AuthorityRoundHeader, Header

__all__ = ["command"]


@click.group("header")
def command() -> None:
    """Hash headers."""


@command.command("hash")
@click.argument("file")
@click.option("--expect", metavar="HASH", help="Exit 1 unless this is the hash.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def hash_header(file: str, expect: str | None, as_json: bool) -> int:
    """
    Print the hash of a header, which is that of its block.

    FILE is the RLP of a header or a block, raw or as hex text; or JSON: a header or
    a block, as JSON-RPC or a blockchain test has it. - is standard input.

    Exit codes: 0 done, 1 the hash is not the expected one, 2 the file is at fault.
    """
    header = _header(file)
    found = header.hash()
    wrong = expect is not None and found != Hash(expect)
    if as_json:
        told = {
            "ok": not wrong,
            "file": file,
            "hash": str(found),
            "header": header.to_json(),
        }
        click.echo(json.dumps(told, indent=2))
    else:
        click.echo(f"hash    {found}")
        click.echo(f"number  {header.number:,}")
        click.echo(f"parent  {header.parent_hash}")
    if wrong:
        click.echo(f"hexary: hash: got {found}, expected {expect}", err=True)
    return 1 if wrong else 0


def _header(file: str) -> Header | AuthorityRoundHeader:
    """Return the header in a file."""
    from hexary.chain import AuthorityRoundHeader, Header

    document = read_document(file)
    if not isinstance(document, bytes):
        inner = document.get("blockHeader")
        value = inner if isinstance(inner, dict) else document
        if "step" in value:
            return AuthorityRoundHeader.from_json(value)
        return Header.from_json(value)
    encoded = _encoded_header(document)
    try:
        return Header.from_rlp(encoded)
    except DecodeError as error:
        first = error
    try:
        return AuthorityRoundHeader.from_rlp(encoded)
    except DecodeError as second:
        # It is meant to be the one that it looks like for longer.
        raise max(first, second, key=lambda error: error.offset) from None


def _encoded_header(data: bytes) -> bytes:
    """Return the encoding of a header, the first item of a block's, in a file."""
    start, stop = read_header(data, 0, len(data), DecodeReason.TRUNCATED)
    if stop != len(data):
        raise fault(DecodeReason.TRAILING_BYTES, data, stop)
    if start == stop or data[0] < FIRST_LIST or data[start] < FIRST_LIST:
        return data
    _, end = read_header(data, start, stop, DecodeReason.OVERRUN)
    return data[start:end]
