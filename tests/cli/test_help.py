"""
The help texts are pinned in ``docs/cli_help.txt``.

After a wanted change, write the file anew and read its difference::

    HEXARY_PIN=1 python -m pytest tests/cli/test_help.py
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

COMMANDS = (
    (),
    ("verify",),
    ("fixtures",),
    ("fixtures", "list"),
    ("fixtures", "fetch"),
    ("root",),
    ("diff",),
    ("state",),
    ("state", "import"),
    ("trie",),
    ("trie", "roots"),
    ("trie", "stats"),
    ("trie", "get"),
    ("trie", "ls"),
    ("trie", "root"),
    ("trie", "collect"),
    ("keccak",),
    ("rlp",),
    ("rlp", "encode"),
    ("rlp", "decode"),
    ("proof",),
    ("proof", "verify"),
    ("proof", "make"),
    ("tx",),
    ("tx", "decode"),
    ("block",),
    ("block", "decode"),
    ("header",),
    ("header", "hash"),
    ("backends",),
)


def test_help_texts_are_the_pinned_ones(
    run: Any, checkout: Path, monkeypatch: Any
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    parts = []
    for command in COMMANDS:
        result = run(*command, "--help")
        assert (result.code, result.err) == (0, "")
        assert max(map(len, result.out.splitlines())) <= 80
        line = " ".join(("$ hexary", *command, "--help"))
        parts.append(f"{line}\n{result.out}")
    text = "\n".join(parts)
    pinned = checkout / "docs" / "cli_help.txt"
    if os.environ.get("HEXARY_PIN"):
        pinned.write_text(text, encoding="utf-8")
    assert text == pinned.read_text(encoding="utf-8")


GROUPS = sorted({command[:-1] for command in COMMANDS if command})


@pytest.mark.parametrize("group", GROUPS, ids=" ".join)
def test_a_group_without_a_command_shows_its_help(run: Any, group: Any) -> None:
    told = run(*group)
    assert (told.code, told.out) == (2, "")
    assert told.err == run(*group, "--help").out


def test_no_summary_of_a_command_is_cut(run: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for group in GROUPS:
        assert "..." not in run(*group, "--help").out.partition("Commands:")[2]


def test_every_command_is_pinned(run: Any) -> None:
    from hexary.cli.application import application

    names = set(application.list_commands(None))
    assert names == {command[0] for command in COMMANDS if command}
