"""
Annotations of GitHub Actions: failures shown beside the files of a change.

The runner takes commands from what a step prints, wherever on a line they stand.  Names
of files and cases are printed, too, and could be commands; so all are turned off
(``::stop-commands::``) with a word that nobody can guess, and on again for our own.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hexary.cli.terminal import Printer
    from hexary.fixtures import Check, FileOutcome

__all__ = ["annotating", "annotation", "runs_on_github"]


def runs_on_github() -> bool:
    """Return whether this is a step of a GitHub workflow."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


@contextmanager
def annotating(out: Printer) -> Iterator[Callable[[Check | FileOutcome], None]]:
    """
    Keep the runner from taking what is printed for commands.

    Args:
        out: where everything is printed.

    Yields:
        A function that annotates a failure.
    """
    if not runs_on_github():
        yield lambda _: None
        return
    import secrets

    word = secrets.token_hex(16)

    def annotate(result: Check | FileOutcome) -> None:
        out.line(f"::{word}::")
        out.line(annotation(result))
        out.line(f"::stop-commands::{word}")

    out.line(f"::stop-commands::{word}")
    try:
        yield annotate
    finally:
        out.line(f"::{word}::")


def annotation(result: Check | FileOutcome) -> str:
    """
    Return the line that makes GitHub show a failure.

    Example:
        >>> from hexary.fixtures import FileOutcome, FileStatus
        >>> outcome = FileOutcome("a.json", FileStatus.UNREADABLE, reason="cut")
        >>> print(annotation(outcome))
        ::error file=a.json,title=a.json::unreadable: cut
    """
    from hexary.fixtures import Check

    if isinstance(result, Check):
        title, told = result.path, result.reason
        if result.values:
            told = result.values + (told and f" ({told})")
    else:
        title, told = result.file, f"{result.status}: {result.reason}"
    return (
        f"::error file={_property(result.file)},title={_property(title)}::{_text(told)}"
    )


def _text(text: str) -> str:
    """Spell a message so that it cannot end the command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Spell a property so that it can end neither itself nor the command."""
    return _text(text).replace(":", "%3A").replace(",", "%2C")
