"""JUnit XML: a suite for each file, a test for each case, written as files are done."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TextIO
from xml.sax.saxutils import escape, quoteattr

from hexary.fixtures.check import Check, FileOutcome, FileStatus, Status

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

__all__ = ["JUnitFile"]

_FORBIDDEN = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML document may have."""


class JUnitFile:
    """
    A JUnit XML file that is being written.

    Args:
        path: where to write it.

    Raises:
        OSError: it cannot be written.
    """

    def __init__(self, path: str) -> None:
        # Closed by __exit__.
        self._file: TextIO = open(path, "w", encoding="utf-8")  # noqa: SIM115 - closed by __exit__
        self._file.write('<?xml version="1.0" encoding="utf-8"?>\n')
        self._file.write('<testsuites name="hexary verify">\n')
        self._cases: dict[str, list[Check]] = {}

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Write the end of the document, also of a run that was stopped."""
        self._file.write("</testsuites>\n")
        self._file.close()

    def add(self, result: Check | FileOutcome) -> None:
        """Take in a result; the outcome of a file writes its suite."""
        if isinstance(result, Check):
            kept = self._cases.setdefault(result.case, [])
            if result.status is not Status.PASSED:
                kept.append(result)
            return
        if result.status is FileStatus.VERIFIED:
            self._write(result)
        elif result.status in (FileStatus.UNREADABLE, FileStatus.LOST):
            name = _attribute(result.file)
            self._file.write(
                f'<testsuite name={name} tests="1" failures="0" errors="1" '
                f'skipped="0"><testcase classname={name} name="file">'
                f"<error message={_attribute(result.reason)}/></testcase></testsuite>\n"
            )
        self._cases.clear()

    def _write(self, outcome: FileOutcome) -> None:
        """Write the suite of a file."""
        failures = sum(
            any(check.status is Status.FAILED for check in checks)
            for checks in self._cases.values()
        )
        name = _attribute(outcome.file)
        self._file.write(
            f'<testsuite name={name} tests="{len(self._cases)}" '
            f'failures="{failures}" errors="0" skipped="0" '
            f'time="{outcome.seconds:.3f}">\n'
        )
        for case, checks in self._cases.items():
            self._file.write(f"<testcase classname={name} name={_attribute(case)}")
            if not checks:
                self._file.write("/>\n")
                continue
            self._file.write(">")
            failed = [check for check in checks if check.status is Status.FAILED]
            if failed:
                text = "\n".join(str(check) for check in failed)
                self._file.write(
                    f"<failure message={_attribute(failed[0].name)}>"
                    f"{escape(_FORBIDDEN.sub('?', text))}</failure>"
                )
            rest = [check for check in checks if check.status is not Status.FAILED]
            if rest:
                text = "\n".join(str(check) for check in rest)
                told = escape(_FORBIDDEN.sub("?", text))
                self._file.write(f"<system-out>{told}</system-out>")
            self._file.write("</testcase>\n")
        self._file.write("</testsuite>\n")


def _attribute(text: str) -> str:
    """Return the text of an attribute, in quotes."""
    return quoteattr(_FORBIDDEN.sub("?", text))
