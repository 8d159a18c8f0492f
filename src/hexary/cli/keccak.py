"""``hexary keccak``: hashes of files, of standard input, of text and of hex."""

from __future__ import annotations

import os
from typing import BinaryIO

import click

from hexary import hash as hashing
from hexary.cli.streams import escaped, standard_input, tell
from hexary.typed.hexstr import parse_bytes

__all__ = ["command"]

_CHUNK = 1 << 20
"""Bytes that are read at a time."""


@click.command("keccak")
@click.option("--512", "wide", is_flag=True, help="Keccak-512 instead of Keccak-256.")
@click.option(
    "--hex",
    "hex_texts",
    multiple=True,
    metavar="HEX",
    help="Hash the bytes of this hex.",
)
@click.option(
    "--text", "texts", multiple=True, metavar="TEXT", help="Hash this text, as UTF-8."
)
@click.argument("files", nargs=-1, metavar="[FILE...]")
def command(
    wide: bool,
    hex_texts: tuple[str, ...],
    texts: tuple[str, ...],
    files: tuple[str, ...],
) -> int:
    """
    Print keccak hashes, one a line.

    A hash of --hex or --text stands alone; one of a file is followed by the file's
    name, as sha256sum has it. FILE may be - for standard input, and is if nothing
    is given. Files are streamed. This is Ethereum's keccak, not SHA-3.
    """
    for text in hex_texts:
        _print_hash(_new(wide=wide, data=parse_bytes(text)))
    for text in texts:
        _print_hash(_new(wide=wide, data=os.fsencode(text)))
    if not (hex_texts or texts or files):
        standard_input(hint="give a FILE, - for standard input, --text or --hex")
        files = ("-",)
    code = 0
    for file in files:
        try:
            state = _hash_file(file, wide=wide)
        except OSError as error:
            shown = "standard input" if file == "-" else escaped(file) or repr(file)
            tell(f"error: {shown}: {error.strerror}")
            code = 2
            continue
        _print_hash(state, file)
    return code


def _new(*, wide: bool, data: bytes = b"") -> hashing.Keccak256 | hashing.Keccak512:
    """Start a hash."""
    return hashing.Keccak512(data) if wide else hashing.Keccak256(data)


def _hash_file(file: str, *, wide: bool) -> hashing.Keccak256 | hashing.Keccak512:
    """Hash a file or standard input."""
    if file == "-":
        return _hash_stream(standard_input(), wide=wide)
    with open(file, "rb") as stream:
        return _hash_stream(stream, wide=wide)


def _hash_stream(
    stream: BinaryIO, *, wide: bool
) -> hashing.Keccak256 | hashing.Keccak512:
    """Hash all of a stream, a chunk at a time."""
    state = _new(wide=wide)
    while chunk := stream.read(_CHUNK):
        state.update(chunk)
    return state


def _print_hash(state: hashing.Keccak256 | hashing.Keccak512, name: str = "") -> None:
    """Print a hash, and the name of what was hashed where it has one."""
    shown = name if name.isprintable() else ascii(name)
    click.echo(f"0x{state.hexdigest()}" + (f"  {shown}" if shown else ""))
