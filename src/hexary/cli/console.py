"""The console of rich, as the command line uses it; importing it takes a while."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from typing import TextIO

__all__ = ["TextConsole"]


class TextConsole(Console):
    """
    A console that takes no text for markup.

    Args:
        stream: where to print.
        width: columns, ``None`` for those of the terminal.
    """

    def __init__(self, stream: TextIO, *, width: int | None) -> None:
        super().__init__(
            file=stream, markup=False, highlight=False, emoji=False, width=width
        )

    def on_broken_pipe(self) -> NoReturn:
        """Raise instead of exiting: a reader that went away is the caller's matter."""
        raise BrokenPipeError

    def print_line(self, *parts: str | tuple[str, str]) -> None:
        """Print one line of text and of text with a style; it is not wrapped."""
        self.print(Text.assemble(*parts), soft_wrap=True)
