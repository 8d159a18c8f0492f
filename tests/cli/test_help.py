"""
The help texts are pinned in ``docs/cli_help.txt``.

After a wanted change, write the file anew and read its difference::

    HEXARY_PIN=1 python -m pytest tests/cli/test_help.py
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

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


def test_every_command_is_pinned(run: Any) -> None:
    from hexary.cli.application import application

    names = set(application.list_commands(None))
    assert names == {command[0] for command in COMMANDS if command}
