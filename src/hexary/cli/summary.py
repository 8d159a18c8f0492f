"""What a run of the verifier comes to: the table, what was left aside, the verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hexary.cli.terminal import Printer
    from hexary.fixtures import Check, FileOutcome, Report

__all__ = ["count", "line_of", "print_summary", "print_verdict"]

_LISTED = 10
"""How many unrecognised files are listed unless all are asked for."""


def line_of(
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
    if result.status is FileStatus.LOST:
        return (("LOST ", "bold red"), result.file, f": {result.reason}")
    if result.status is FileStatus.VERIFIED and verbose:
        cases = count(result.cases, "case")
        return (f"checked {result.file}: {result.format}, {cases}",)
    return ()


def _failure(check: Check) -> list[str]:
    """Spell a failure on one line: file › case › check: got, expected (reason)."""
    place = f"{check.file} › {check.path}"
    reason = f" ({check.reason})" if check.reason and check.values else check.reason
    return [place, ": ", check.values, reason]


def print_summary(out: Printer, report: Report, *, verbose: bool) -> None:
    """Print the table, the skip reasons, the files left aside, the backend."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from hexary import hash as hashing
    from hexary.fixtures.check import printable

    if report.formats:
        total = report.total
        table = Table(
            box=SIMPLE_HEAD,
            pad_edge=False,
            show_footer=len(report.formats) > 1,
            # One column more has to find room in 80 signs.
            collapse_padding=total.expected > 0,
        )
        columns = ["files", "cases", "checks", "failed", "skipped"]
        if total.expected:
            columns.insert(4, "expected")
        rows = [("format", *columns, "time")]
        for name, counts in (*report.formats.items(), ("all", total)):
            numbers = (f"{getattr(counts, column):,}" for column in columns)
            rows.append((name, *numbers, f"{counts.seconds:.1f} s"))
        for index, (head, *cells, foot) in enumerate(zip(*rows, strict=True)):
            table.add_column(
                head,
                footer=foot,
                justify="right" if index else "left",
                # A name that is cut is of no use to --only, nor a number to anybody.
                min_width=max(map(len, (head, *cells, foot))),
            )
        for row in rows[1:-1]:
            table.add_row(*row)
        out.table(table)
        for name, counts in report.formats.items():
            for reason, times in sorted(counts.skips.items()):
                out.line(f"skipped {times:,} of {name}: {reason}")
    if report.left_out:
        out.line(f"{count(report.left_out, 'file')} left out, as asked")
    _print_files(out, "unrecognised", report.unrecognised, verbose=verbose)
    _print_files(out, "companion", report.companions, verbose=verbose, listed=0)
    if report.expected_unreadable:
        number = count(len(report.expected_unreadable), "file")
        out.line(f"{number} unreadable, as expected")
    if report.unmet:
        number = count(len(report.unmet), "entry", "entries")
        more = "" if verbose or len(report.unmet) <= _LISTED else " (-v lists all)"
        out.line(f"{number} of the expected failures met no file{more}")
        for path in report.unmet[: None if verbose else _LISTED]:
            out.line(f"  {printable(path)}")
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
    out.line(f"{count(len(outcomes), f'{kind} file')}, not checked{more}")
    for outcome in shown:
        out.line(
            f"  {outcome.file}" + (f": {outcome.reason}" if outcome.reason else "")
        )


def print_verdict(out: Printer, report: Report, *, seconds: float) -> None:
    """Print the last line: what it all comes to."""
    total = report.total
    faults = [
        count(len(report.lost), "lost file") if report.lost else "",
        count(len(report.unreadable), "unreadable file") if report.unreadable else "",
        count(total.failed, "failed check") if total.failed else "",
        _nothing(report)
        if report.nothing_recognised and not report.interrupted
        else "",
    ]
    if report.strict_files and report.unrecognised:
        faults.append(count(len(report.unrecognised), "unrecognised file"))
    if report.too_few:
        faults.append(f"fewer than {count(report.min_checks, 'check')} passed")
    if report.interrupted:
        faults.append("interrupted before the end")
    passed = f"{count(total.passed, 'check')} passed"
    if total.skipped:
        passed += f", {total.skipped:,} skipped"
    if total.expected:
        passed += f", {total.expected:,} failed as expected"
    passed += f" in {seconds:.1f} s"
    if report.ok:
        out.line(("OK: ", "bold green"), passed)
    else:
        told = ", ".join(fault for fault in faults if fault)
        out.line(("NOT OK: ", "bold red"), f"{told}; {passed}")


def _nothing(report: Report) -> str:
    """Say why nothing was checked."""
    return "nothing was selected" if report.left_out else "nothing was recognised"


def count(number: int, noun: str, plural: str = "") -> str:
    """
    Spell a number of things.

    Example:
        >>> count(1, "check"), count(2000, "file"), count(0, "entry", "entries")
        ('1 check', '2,000 files', '0 entries')
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
