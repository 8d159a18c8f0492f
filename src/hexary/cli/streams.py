"""
The three standard streams as the commands use them: closed, endless or full ones, too.

A stream that was closed before the command started is ``None`` in Python.  Output that
nobody can read is dropped, and the exit code still tells; input that is not there is
an error, since an empty input would have a hash and a root of its own.
"""

from __future__ import annotations

import errno
import os
import sys
from typing import BinaryIO, TextIO

import click

__all__ = [
    "OUTPUT",
    "drop_output",
    "escaped",
    "prepare_streams",
    "read_whole",
    "standard_input",
    "tell",
]

OUTPUT = "standard output"
"""What messages call the stream, as the file name of its errors."""

_LARGEST = 1 << 30
"""Bytes that are read of an input that has to stand in memory as a whole: 1 GiB."""

_CHUNK = 1 << 20
"""Bytes that are read at a time."""


def escaped(text: str) -> str:
    r"""
    Return *text* on one line, with whatever is no sign spelled as its escape.

    Messages quote file names and arguments, which may hold line breaks or control
    sequences of terminals.

    Example:
        >>> print(escaped("a\nb"), escaped("état"))
        a\nb état
    """
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)


def prepare_streams() -> None:
    """Make both outputs ones that can be written to, whatever their encoding lacks."""
    if sys.stdout is None:
        sys.stdout = _nobody()
    if sys.stderr is None:
        sys.stderr = _nobody()
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _nobody() -> TextIO:
    """Return a stream that drops what is written to it."""
    return open(os.devnull, "w", encoding="utf-8")


def tell(message: str) -> None:
    """Write a message to standard error; if that fails, the exit code has to do."""
    try:
        sys.stderr.write(f"hexary: {message}\n")
        sys.stderr.flush()
    except OSError:
        # Python flushes once more at exit and would change the exit code.
        drop_output(sys.stderr)


def drop_output(stream: TextIO) -> None:
    """Send what a stream still holds, and all that follows, to nobody."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def standard_input(*, hint: str = "") -> BinaryIO:
    """
    Return standard input.

    Args:
        hint: what to give instead, where a person at the keyboard is not meant to
            type the input.

    Raises:
        OSError: it is closed.
        click.UsageError: it is a terminal, where *hint* is given.
    """
    if sys.stdin is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF), "standard input")
    if hint and sys.stdin.isatty():
        raise click.UsageError(hint)
    return sys.stdin.buffer


def read_whole(stream: BinaryIO, name: str) -> bytes:
    """
    Return all that a stream called *name* holds.

    Raises:
        OSError: it cannot be read, is larger than 1 GiB, or has no end.
    """
    chunks = []
    rest = _LARGEST
    while chunk := stream.read(_CHUNK):
        rest -= len(chunk)
        if rest < 0:
            raise OSError(errno.EFBIG, f"larger than {_LARGEST >> 30} GiB", name)
        chunks.append(chunk)
    return b"".join(chunks)
