"""Annotations of GitHub Actions: failures shown beside the files of a change."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hexary.fixtures import Check, FileOutcome

__all__ = ["annotation", "runs_on_github"]


def runs_on_github() -> bool:
    """Return whether this is a step of a GitHub workflow."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


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
        title, told = result.path, f"got {result.got}, expected {result.expected}"
        told = f"{told} ({result.reason})" if result.reason else told
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
