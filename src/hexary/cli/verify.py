"""``hexary verify``: check every fixture file that is named or that a folder holds."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hexary.cli.terminal import Printer
    from hexary.fixtures import Check, FileOutcome, Report

__all__ = ["command"]

_LISTED = 10
"""How many unrecognised files are listed unless all are asked for."""


@click.command("verify", short_help="Check fixture files: all that needs no EVM.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--strict-files", is_flag=True, help="Exit 2 if a file is of no known format."
)
@click.option(
    "--stdin-name",
    default="<stdin>",
    metavar="NAME",
    help="The name to judge standard input by.",
)
@click.option("-q", "--quiet", is_flag=True, help="Print only what went wrong.")
@click.option("-v", "--verbose", is_flag=True, help="List every file.")
def command(
    paths: tuple[str, ...],
    as_json: bool,
    strict_files: bool,
    stdin_name: str,
    quiet: bool,
    verbose: bool,
) -> int:
    """
    Check fixture files: keccak answers, RLPTests, TrieTests, genesis files.

    PATH is a file, a folder (walked), or - for standard input. Every check that
    fails is told on one line, with what was got and what was expected.

    Exit codes: 0 nothing failed, 1 a check failed, 2 a file could not be read or
    nothing was recognised.
    """
    from hexary.cli.progress import run_progress
    from hexary.cli.terminal import Printer
    from hexary.fixtures import FileOutcome, Report, verify

    out = Printer()
    start = time.perf_counter()
    report = Report(strict_files=strict_files)
    try:
        with run_progress(paths) as progress:
            for result in verify(
                paths, stdin_name=stdin_name, on_progress=progress.within_file
            ):
                report.add(result)
                if isinstance(result, FileOutcome):
                    progress.file_done()
                parts = () if as_json else _line_of(result, verbose=verbose)
                if parts:
                    with progress.paused():
                        out.line(*parts)
    except KeyboardInterrupt:
        report.interrupted = True
    if as_json:
        click.echo(json.dumps(report.to_json(), indent=2))
    elif not quiet:
        _print_summary(out, report, verbose=verbose)
        _print_verdict(out, report, seconds=time.perf_counter() - start)
    return report.exit_code


def _line_of(
    result: Check | FileOutcome, *, verbose: bool
) -> Sequence[str | tuple[str, str]]:
    """Return the line that tells a result at once, nothing for most."""
    from hexary.fixtures import Check, FileStatus, Status

    if isinstance(result, Check):
        if result.status is Status.FAILED:
            return (("FAILED ", "bold red"), *_failure(result))
        return ()
    if result.status is FileStatus.UNREADABLE:
        return (("UNREADABLE ", "bold red"), result.file, f": {result.reason}")
    if result.status is FileStatus.VERIFIED and verbose:
        cases = _count(result.cases, "case")
        return (f"checked {result.file}: {result.format}, {cases}",)
    return ()


def _failure(check: Check) -> list[str]:
    """Spell a failure on one line: file › case › check: got, expected (reason)."""
    place = " › ".join(part for part in (check.file, check.case, check.name) if part)
    values = f"got {check.got}, expected {check.expected}" if check.expected else ""
    reason = f" ({check.reason})" if check.reason and values else check.reason
    return [place, ": ", values, reason]


def _print_summary(out: Printer, report: Report, *, verbose: bool) -> None:
    """Print the table, the skip reasons, the files left aside, the backend."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from hexary import hash as hashing

    if report.formats:
        table = Table(
            box=SIMPLE_HEAD, pad_edge=False, show_footer=len(report.formats) > 1
        )
        total = report.total
        table.add_column("format", footer="all")
        for title, number in (
            ("files", total.files),
            ("cases", total.cases),
            ("checks", total.checks),
            ("failed", total.failed),
            ("skipped", total.skipped),
        ):
            table.add_column(title, footer=f"{number:,}", justify="right")
        table.add_column("time", footer=f"{total.seconds:.1f} s", justify="right")
        for name, count in report.formats.items():
            table.add_row(
                name,
                f"{count.files:,}",
                f"{count.cases:,}",
                f"{count.checks:,}",
                f"{count.failed:,}",
                f"{count.skipped:,}",
                f"{count.seconds:.1f} s",
            )
        out.table(table)
        for name, count in report.formats.items():
            for reason, times in sorted(count.skips.items()):
                out.line(f"skipped {times:,} of {name}: {reason}")
    _print_files(out, "unrecognised", report.unrecognised, verbose=verbose)
    _print_files(out, "companion", report.companions, verbose=verbose, listed=0)
    backend = hashing.BACKEND
    out.line(f"backend: {backend.name} {backend.version} ({backend.detail})")


def _print_files(
    out: Printer,
    kind: str,
    outcomes: Sequence[FileOutcome],
    *,
    verbose: bool,
    listed: int = _LISTED,
) -> None:
    """Print how many files of a kind there are, and their names as far as wanted."""
    if not outcomes:
        return
    shown = outcomes if verbose else outcomes[:listed]
    rest = len(outcomes) - len(shown)
    more = "" if not rest else " (-v lists them)" if not shown else " (-v lists all)"
    out.line(f"{_count(len(outcomes), f'{kind} file')}, not checked{more}")
    for outcome in shown:
        out.line(
            f"  {outcome.file}" + (f": {outcome.reason}" if outcome.reason else "")
        )


def _print_verdict(out: Printer, report: Report, *, seconds: float) -> None:
    """Print the last line: what it all comes to."""
    total = report.total
    faults = [
        _count(len(report.unreadable), "unreadable file") if report.unreadable else "",
        _count(total.failed, "failed check") if total.failed else "",
        "nothing was recognised" if not report.formats else "",
    ]
    if report.strict_files and report.unrecognised:
        faults.append(_count(len(report.unrecognised), "unrecognised file"))
    if report.interrupted:
        faults.append("interrupted before the end")
    passed = f"{_count(total.passed, 'check')} passed"
    if total.skipped:
        passed += f", {total.skipped:,} skipped"
    passed += f" in {seconds:.1f} s"
    if report.ok:
        out.line(("OK: ", "bold green"), passed)
    else:
        told = ", ".join(fault for fault in faults if fault)
        out.line(("NOT OK: ", "bold red"), f"{told}; {passed}")


def _count(number: int, noun: str) -> str:
    """Spell a number of things."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
