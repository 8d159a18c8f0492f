"""The progress bar of a verifier run: on a terminal only, on standard error."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.progress import Progress

__all__ = ["RunProgress", "run_progress"]


class RunProgress:
    """
    How far a run is; without a bar, every method does nothing.

    Args:
        bar: the bar to move, ``None`` where nobody watches.
        files: how many files there are to look at.
    """

    def __init__(self, bar: Progress | None = None, *, files: int = 0) -> None:
        self._bar = bar
        if bar is not None:
            self._files = bar.add_task("files", total=files)
            self._bytes = bar.add_task("", total=1, visible=False)

    def file_done(self) -> None:
        """Count a file."""
        if self._bar is not None:
            self._bar.advance(self._files)

    def within_file(self, file: str, done: int, total: int) -> None:
        """Show how far a long check of one file is, in bytes."""
        if self._bar is not None:
            self._bar.update(
                self._bytes,
                description=f"…{file[-30:]}" if len(file) > 30 else file,
                completed=done,
                total=total,
                visible=done < total,
            )

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Take the bar off the screen while lines are printed."""
        if self._bar is None:
            yield
            return
        self._bar.stop()
        try:
            yield
        finally:
            self._bar.start()


@contextmanager
def run_progress(paths: Sequence[str]) -> Iterator[RunProgress]:
    """Show a bar for the files that *paths* name or hold, if a person is watching."""
    if not sys.stderr.isatty():
        yield RunProgress()
        return
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    from hexary.cli.terminal import Printer
    from hexary.fixtures.discovery import find_files

    console = Printer(stderr=True).console
    if console.is_dumb_terminal:  # It cannot go back and erase the bar.
        yield RunProgress()
        return
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    files = sum(1 for _ in find_files(paths))
    with bar:
        yield RunProgress(bar, files=files)
