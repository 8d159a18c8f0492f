"""
A pytest plugin: which files of the published vectors the tests that pass have read.

A case of `vector_cases` has read the file that its mark names, any other test what it
opens itself.  Answers, in files of their own, are read while tests are collected.
``--vector-use`` names the file that gets the list, one path a line.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.vector_files import VECTORS


class _Reading:
    """What the test that runs has read, and what all that have passed have."""

    def __init__(self) -> None:
        self.running = False
        self.now: set[str] = set()
        self.passed: set[str] = set()

    def opened(self, event: str, arguments: tuple[object, ...]) -> None:
        """Take note of a file that is opened."""
        if event != "open" or not isinstance(arguments[0], (str, Path)):
            return
        path = os.fspath(arguments[0])
        if path.startswith(f"{VECTORS}{os.sep}"):
            if self.running:
                self.now.add(path)
            elif os.path.basename(path).startswith("EXPECTED"):
                self.passed.add(path)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Keep what a test has read if it passes."""
        self.now = {
            os.fspath(path)
            for mark in item.iter_markers("vectors")
            for path in mark.args
        }
        self.running = True
        try:
            yield
        finally:
            self.running = False
        self.passed |= self.now

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the list."""
        lines = sorted(self.passed)
        Path(session.config.getoption("--vector-use")).write_text(
            "\n".join(lines), encoding="utf-8"
        )


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.addoption("--vector-use", required=True)


def pytest_configure(config: pytest.Config) -> None:
    """Watch from now on."""
    reading = _Reading()
    sys.addaudithook(reading.opened)
    config.pluginmanager.register(reading)
