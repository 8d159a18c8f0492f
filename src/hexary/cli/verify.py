"""``hexary verify``: check every fixture file that is named or that a folder holds."""

from __future__ import annotations

import json
import os
import time
from contextlib import ExitStack, nullcontext
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from hexary.cli.junit import JUnitFile
    from hexary.cli.terminal import Printer
    from hexary.fixtures import Check, FileOutcome, Report

__all__ = ["command"]


def _list_formats(
    context: click.Context,
    parameter: click.Parameter,  # noqa: ARG001 - click passes it
    value: bool,
) -> None:
    """Print the formats and stop."""
    if not value or context.resilient_parsing:
        return
    from hexary.fixtures import known_formats

    width = max(len(known.name) for known in known_formats())
    for known in known_formats():
        click.echo(f"{known.name:<{width}}  {known.title}")
    context.exit()


def _explain(
    context: click.Context,
    parameter: click.Parameter,  # noqa: ARG001 - click passes it
    value: str | None,
) -> None:
    """Print what a check compares, in each format that has it, and stop."""
    if value is None or context.resilient_parsing:
        return
    from hexary.fixtures import COMMON_CHECKS, known_formats
    from hexary.fixtures.expectations import STALE

    names = {name for known in known_formats() for name in known.checks}
    found = [
        (known.name, known.checks[value])
        for known in known_formats()
        if value in known.checks
    ]
    if value in COMMON_CHECKS:
        found.append(("all formats", COMMON_CHECKS[value]))
    if value == STALE:
        found.append(("--expect-failures", "what the file says to fail does fail"))
    if not found:
        told = f"no format has a check {value!r}"
        nearest = _nearest(value, names | COMMON_CHECKS.keys() | {STALE})
        raise click.BadParameter(told + nearest, param_hint="--explain")
    for name, meaning in found:
        click.echo(f"{name}: {meaning}")
    context.exit()


def _nearest(word: str, known: Iterable[str]) -> str:
    """Ask whether one of the *known* words is meant, if some are alike."""
    from difflib import get_close_matches

    alike = get_close_matches(word.lower(), sorted(known), n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(alike)}?" if alike else ""


def _check_formats(
    context: click.Context,  # noqa: ARG001 - click passes it
    parameter: click.Parameter,  # noqa: ARG001 - click passes it
    value: tuple[str, ...],
) -> tuple[str, ...]:
    """Refuse a format that there is not, and tell which are like it."""
    if value:
        from hexary.fixtures import known_formats

        names = {known.name for known in known_formats()}
        for name in value:
            if name not in names:
                told = f"there is no format {name!r}"
                nearest = _nearest(name, names) or "; --list-formats tells which"
                raise click.BadParameter(told + nearest, param_hint="--only")
    return value


@click.command("verify", short_help="Check fixture files: all that needs no EVM.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(min=1),
    default=None,
    metavar="N",
    help="How many processes check side by side; as many as there are cores.",
)
@click.option(
    "--only",
    "formats",
    multiple=True,
    callback=_check_formats,
    metavar="FORMAT",
    help="Check files of this format only; may be given more than once.",
)
@click.option(
    "-k",
    "cases",
    default="",
    metavar="EXPR",
    help="Check cases whose names match: words, and, or, not, ( ).",
)
@click.option("--fail-fast", is_flag=True, help="Stop at the first failure.")
@click.option(
    "--expect-failures",
    metavar="FILE",
    help="JSON of failures that are expected, with their reasons.",
)
@click.option(
    "--write-baseline",
    metavar="FILE",
    help="Write what failed as a file for --expect-failures.",
)
@click.option(
    "--min-checks",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Fail if fewer checks passed.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option("--junit", metavar="FILE", help="Write JUnit XML to FILE as well.")
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
@click.option(
    "--list-formats",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_formats,
    help="List the formats, and stop.",
)
@click.option(
    "--explain",
    is_eager=True,
    expose_value=False,
    callback=_explain,
    metavar="CHECK",
    help="Say what a check compares, and stop.",
)
def command(
    paths: tuple[str, ...],
    *,
    strict_files: bool,
    min_checks: int,
    quiet: bool,
    verbose: bool,
    as_json: bool,
    junit: str | None,
    write_baseline: str | None,
    **options: Any,
) -> int:
    """
    Check fixture files: blocks, states, transactions, tries, RLP, messages.

    PATH is a file, a folder (walked), a pattern, a tar or zip archive (read in
    place), or - for standard input. Every check that fails is told on one line, with
    what was got and what was expected.

    Exit codes: 0 nothing failed, 1 a check failed, 2 a file could not be read or
    nothing was recognised.
    """
    from hexary.cli.annotation import annotating
    from hexary.cli.summary import print_summary, print_verdict
    from hexary.cli.terminal import Printer
    from hexary.fixtures import Report
    from hexary.fixtures.collector import collecting_rarely

    out = Printer()
    report = Report(strict_files=strict_files, min_checks=min_checks)
    with ExitStack() as stack:
        # Entered first: what cannot be written at its end costs no summary.
        suite = None
        if junit is not None:
            # Here alone: Python's XML loads its networking.
            from hexary.cli.junit import JUnitFile

            suite = stack.enter_context(JUnitFile(junit, strict_files=strict_files))
        annotate = stack.enter_context(
            nullcontext(_ignore) if as_json else annotating(out)
        )
        stack.enter_context(collecting_rarely())
        start = time.perf_counter()
        try:
            _run(
                paths,
                report,
                out,
                annotate,
                suite,
                told=not as_json,
                verbose=verbose,
                expected=options["expect_failures"],
                **{name: options[name] for name in _RUN_OPTIONS},
            )
        except KeyboardInterrupt:
            report.interrupted = True
        if as_json:
            click.echo(json.dumps(report.to_json(), indent=2))
        elif not quiet:
            print_summary(out, report, verbose=verbose)
            print_verdict(out, report, seconds=time.perf_counter() - start)
    if write_baseline is not None:
        _write_baseline(write_baseline, report)
    return report.exit_code


_RUN_OPTIONS = ("jobs", "formats", "cases", "fail_fast", "stdin_name")


def _run(
    paths: tuple[str, ...],
    report: Report,
    out: Printer,
    annotate: Callable[[Check | FileOutcome], None],
    suite: JUnitFile | None,
    *,
    told: bool,
    verbose: bool,
    expected: str | None,
    jobs: int | None,
    formats: tuple[str, ...],
    cases: str,
    fail_fast: bool,
    stdin_name: str,
) -> None:
    """Verify, telling failures when they are known, until the end or the first."""
    from hexary.cli.progress import run_progress
    from hexary.cli.summary import line_of
    from hexary.fixtures import Check, Expectations, Status, verify

    expectations = Expectations.from_file(expected) if expected is not None else None
    with ExitStack() as stack:
        progress = stack.enter_context(run_progress(paths))
        results = verify(
            paths,
            stdin_name=stdin_name,
            on_progress=progress.within_file,
            workers=jobs or os.cpu_count() or 1,
            formats=formats,
            cases=cases,
        )
        # Whatever happens, the processes have ended when this has.
        stack.callback(results.close)
        told_results: Iterable[Check | FileOutcome] = results
        if expectations is not None:
            whole = not formats and not cases
            told_results = expectations.apply(results, whole=whole)
        for result in told_results:
            if suite is not None:
                if _is_own(result, suite.path):
                    continue
                suite.add(result)
            report.add(result)
            if isinstance(result, Check):
                if result.status is Status.PASSED:
                    continue  # as most are
            else:
                progress.file_done(result.size)
            parts = line_of(result, verbose=verbose) if told else ()
            if parts:
                with progress.paused():
                    out.line(*parts)
                    if _is_fault(result):
                        annotate(result)
            if fail_fast and _is_fault(result):
                return
        if expectations is not None:
            report.unmet = expectations.unmet


def _is_own(result: Check | FileOutcome, junit: str) -> bool:
    """Return whether a file is the report that is being written."""
    name = os.path.basename(junit)
    return os.path.basename(result.file) == name and (
        os.path.realpath(result.file) == os.path.realpath(junit)
    )


def _ignore(_: Check | FileOutcome) -> None:
    """Annotate nothing."""


def _is_fault(result: Check | FileOutcome) -> bool:
    """Return whether a result makes the run fail."""
    from hexary.fixtures import FileStatus, Status

    return result.status in (Status.FAILED, FileStatus.UNREADABLE, FileStatus.LOST)


def _write_baseline(path: str, report: Report) -> None:
    """Write what failed as a file of expected failures."""
    from hexary.fixtures import write_baseline

    if report.interrupted:
        click.echo(f"interrupted, so {path} was not written", err=True)
        return
    count = write_baseline(
        path,
        report.failures + report.expected,
        report.unreadable + report.expected_unreadable,
    )
    click.echo(f"{count:,} expected failures written to {path}", err=True)
