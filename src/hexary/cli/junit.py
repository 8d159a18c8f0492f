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
        strict_files: whether a file of no known format is an error.

    Attributes:
        path: where it is.

    Raises:
        OSError: it cannot be written.
    """

    def __init__(self, path: str, *, strict_files: bool = False) -> None:
        self.path = path
        self._errors = {FileStatus.UNREADABLE, FileStatus.LOST}
        if strict_files:
            self._errors.add(FileStatus.UNRECOGNISED)
        self._file: TextIO = open(path, "w", encoding="utf-8")  # noqa: SIM115 - closed by __exit__
        self._put('<?xml version="1.0" encoding="utf-8"?>\n')
        self._put('<testsuites name="hexary verify">\n')
        self._under_way = ""
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
        """Write the end of the document, also of a run that was stopped in a file."""
        if self._cases:
            self._write(self._under_way, seconds=0.0)
        self._put("</testsuites>\n")
        try:
            self._file.close()
        except OSError as fault:
            raise OSError(fault.errno, fault.strerror, self.path) from fault

    def _put(self, text: str) -> None:
        """Write some text; an error names the file, unlike that of a full disk."""
        try:
            self._file.write(text)
        except OSError as error:
            raise OSError(error.errno, error.strerror, self.path) from error

    def add(self, result: Check | FileOutcome) -> None:
        """Take in a result; the outcome of a file writes its suite."""
        if isinstance(result, Check):
            self._under_way = result.file
            kept = self._cases.setdefault(result.case, [])
            if result.status is not Status.PASSED:
                kept.append(result)
            return
        if result.status is FileStatus.VERIFIED:
            self._write(result.file, seconds=result.seconds)
        elif result.status in self._errors:
            name = _attribute(result.file)
            told = f"{result.status}: {result.reason}"
            self._put(
                f'<testsuite name={name} tests="1" failures="0" errors="1" '
                f'skipped="0"><testcase classname={name} name="file">'
                f"<error message={_attribute(told)}/></testcase></testsuite>\n"
            )
        self._cases.clear()

    def _write(self, file: str, *, seconds: float) -> None:
        """Write the suite of a file."""
        failures = sum(
            any(check.status is Status.FAILED for check in checks)
            for checks in self._cases.values()
        )
        name = _attribute(file)
        self._put(
            f'<testsuite name={name} tests="{len(self._cases)}" '
            f'failures="{failures}" errors="0" skipped="0" '
            f'time="{seconds:.3f}">\n'
        )
        for case, checks in self._cases.items():
            self._put(f"<testcase classname={name} name={_attribute(case)}")
            if not checks:
                self._put("/>\n")
                continue
            self._put(">")
            failed = [check for check in checks if check.status is Status.FAILED]
            if failed:
                text = "\n".join(str(check) for check in failed)
                self._put(
                    f"<failure message={_attribute(failed[0].name)}>"
                    f"{escape(_FORBIDDEN.sub('?', text))}</failure>"
                )
            rest = [check for check in checks if check.status is not Status.FAILED]
            if rest:
                text = "\n".join(str(check) for check in rest)
                told = escape(_FORBIDDEN.sub("?", text))
                self._put(f"<system-out>{told}</system-out>")
            self._put("</testcase>\n")
        self._put("</testsuite>\n")


def _attribute(text: str) -> str:
    """Return the text of an attribute, in quotes."""
    return quoteattr(_FORBIDDEN.sub("?", text))
