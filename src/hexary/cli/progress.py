"""The progress bar of a verifier run: on a terminal only, on standard error."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.progress import Progress

__all__ = ["RunProgress", "file_size", "run_progress"]


class RunProgress:
    """
    How far a run is; without a bar, every method does nothing.

    Args:
        bar: the bar to move, ``None`` where nobody watches.
        files: how many files there are to look at.
        size: how many bytes they have.
    """

    def __init__(
        self, bar: Progress | None = None, *, files: int = 0, size: int = 0
    ) -> None:
        self._bar = bar
        self._count = files
        self._done = 0
        if bar is not None:
            self._files = bar.add_task(self._told(), total=size)
            self._bytes = bar.add_task("", total=1, visible=False)

    def _told(self) -> str:
        """Say how many files are done."""
        return f"{self._done:,} of {self._count:,} files"

    def file_done(self, size: int) -> None:
        """Count a file of *size* bytes."""
        if self._bar is not None:
            self._done += 1
            # A member of an archive is a file that nobody counted before.
            self._count = max(self._count, self._done)
            self._bar.update(self._files, advance=size, description=self._told())

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
        TransferSpeedColumn,
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
        TransferSpeedColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    files = size = 0
    for found in find_files(paths):
        files += 1
        size += file_size(found.path)
    with bar:
        yield RunProgress(bar, files=files, size=size)


def file_size(path: str) -> int:
    """Return how many bytes a file has, 0 if nobody knows."""
    try:
        return os.stat(path).st_size
    except (OSError, ValueError):
        return 0
