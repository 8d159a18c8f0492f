"""A count that goes up, for work whose end nobody knows: on a terminal only."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["running_count"]


@contextmanager
def running_count(
    label: str, total: int | None = None
) -> Iterator[Callable[[int], None]]:
    """
    Show how far work is, on standard error, if a person is watching.

    Args:
        label: what is counted.
        total: how many there will be, ``None`` if that is not known.

    Yields:
        A function to be called with the number that is done.
    """
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    from hexary.cli.terminal import Printer

    console = Printer(stderr=True).console
    if console.is_dumb_terminal:  # It cannot go back and erase the bar.
        yield lambda _: None
        return
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    with bar:
        task = bar.add_task(label, total=total)
        yield lambda done: bar.update(task, completed=done)
