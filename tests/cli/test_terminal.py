"""Lines are coloured on a terminal, or where that is asked for, and plain elsewhere."""

from __future__ import annotations

import io
import sys

import pytest

from hexary.cli.terminal import Printer

LINE = (("FAILED ", "bold red"), "a[b]: [red]x[/red]")


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        """Say that it is one."""
        return True


def printed(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, **asked: str) -> str:
    """Return what a line is on a *stream*, with variables set that ask for colours."""
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in asked.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "stdout", stream)
    Printer().line(*LINE)
    return stream.getvalue()


@pytest.mark.parametrize(
    "asked", [{}, {"FORCE_COLOR": ""}, {"TTY_COMPATIBLE": "0"}], ids=str
)
def test_a_file_gets_plain_lines(
    monkeypatch: pytest.MonkeyPatch, asked: dict[str, str]
) -> None:
    assert printed(monkeypatch, io.StringIO(), **asked) == (
        "FAILED a[b]: [red]x[/red]\n"
    )


@pytest.mark.parametrize("asked", [{"FORCE_COLOR": "1"}, {"TTY_COMPATIBLE": "1"}])
def test_a_file_gets_colours_where_they_are_asked_for(
    monkeypatch: pytest.MonkeyPatch, asked: dict[str, str]
) -> None:
    assert printed(monkeypatch, io.StringIO(), **asked) == (
        "\x1b[1;31mFAILED \x1b[0ma[b]: [red]x[/red]\n"
    )


def test_a_terminal_gets_colours_unless_they_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert printed(monkeypatch, Screen()).startswith("\x1b[1;31mFAILED ")
    assert "[31m" not in printed(monkeypatch, Screen(), NO_COLOR="1")
