"""
Consoles: colours on a terminal, plain text elsewhere; values are never markup.

``NO_COLOR`` turns colours off.  Lines are not wrapped by the program, so that a line
that is long stays one line for ``grep``.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from hexary.cli.streams import OUTPUT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from hexary.cli.console import TextConsole

__all__ = ["Printer"]

_ASK_FOR_COLOUR = frozenset(("FORCE_COLOR", "TTY_COMPATIBLE"))
"""Variables by which what is no terminal is written to as if it were one."""

_PIPED_WIDTH = 80
"""Columns of a table where there is no terminal that says how many it has."""

_ANY_WIDTH = 10_000
"""More columns than any table needs."""

_LEAST_WIDTH = 64
"""Columns that a table takes at least: wrapped it can be read, cut down it cannot."""


@contextmanager
def _told_output() -> Iterator[None]:
    """Name the output in an error of the block, unless nobody reads it any more."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, OUTPUT) from error


class Printer:
    """
    Writes lines and tables to standard output, or to standard error.

    Args:
        stderr: whether to write to standard error.
    """

    def __init__(self, *, stderr: bool = False) -> None:
        self._stream = sys.stderr if stderr else sys.stdout
        self._least_width = None if stderr else _LEAST_WIDTH
        # Told without rich, which plain lines do not need.
        self._is_plain = not (
            self._stream.isatty() or _ASK_FOR_COLOUR & os.environ.keys()
        )

    @cached_property
    def console(self) -> TextConsole:
        """The console, made when it is needed."""
        from hexary.cli.console import TextConsole

        width = None if self._stream.isatty() else _PIPED_WIDTH
        console = TextConsole(self._stream, width=width)
        if self._least_width is not None:
            console.width = max(console.width, self._least_width)
        return console

    @property
    def is_terminal(self) -> bool:
        """Whether a person is watching."""
        return not self._is_plain and self.console.is_terminal

    def line(self, *parts: str | tuple[str, str]) -> None:
        """
        Print one line.

        Args:
            *parts: text, or text with a style such as ``red``.
        """
        if self.is_terminal:
            self.console.print_line(*parts)
            return
        texts = (part if isinstance(part, str) else part[0] for part in parts)
        with _told_output():
            self._stream.write("".join((*texts, "\n")))
            self._stream.flush()  # A failure is told when it is found.

    def table(self, table: RenderableType) -> None:
        """Print a table, without blanks at the ends of its lines, none too narrow."""
        usual = self.console.width
        unbounded = self.console.options.update(max_width=_ANY_WIDTH)
        least = self.console.measure(table, options=unbounded).minimum
        self.console.width = max(usual, least)
        try:
            if self.is_terminal:
                self.console.print(table)
                return
            with _told_output(), self.console.capture() as capture:
                self.console.print(table)
        finally:
            self.console.width = usual
        for row in capture.get().splitlines():
            self.line(row.rstrip())
