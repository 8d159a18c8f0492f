"""
Both sides of the tables for those who come from other packages do the same.

Each section of the page has what both sides need: a ``py`` block for the other package
and right after it a ``python`` block for hexary.  The rows of a table with a third
column run one after the other, each side with names of its own: what they return is
equal, or both raise, or are classes; a row that returns nothing has to leave equal
roots.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from hexary.errors import HexaryError

PAGE = Path(__file__).resolve().parents[2] / "docs" / "coming-from-tries.md"

SETUP = re.compile(
    r"^```py\n(.*?)^```\n\n^```python\n(.*?)^```", re.MULTILINE | re.DOTALL
)

ROW = re.compile(r"^\| `(.+?)` \| `(.+?)` \| ?(.*)\|$", re.MULTILINE)

MISSING = object()


def sections() -> dict[str, str]:
    """Return the text of each section by its title."""
    parts = re.split(r"^## (.+)$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def run(code: str, names: dict[str, Any]) -> Any:
    """Return what *code* returns, its error, or nothing for a statement."""
    try:
        compiled = compile(code, "row", "eval")
    except SyntaxError:
        exec(compile(code, "row", "exec"), names)  # noqa: S102 - our own page
        return MISSING
    try:
        return eval(compiled, names)  # noqa: S307 - our own page
    except Exception as error:  # noqa: BLE001 - of a foreign package
        return error


def plain(value: Any) -> Any:
    """Return *value* in a form that both sides have in common."""
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if hasattr(value, "root_hash"):
        return bytes(value.root_hash)
    return bytes(value) if isinstance(value, bytes) else value


def root(names: dict[str, Any]) -> bytes:
    """Return the root of the trie that a section is about, whatever it is."""
    trie = names.get("trie")
    if trie is None:
        return b""
    if hasattr(trie, "root_hash"):
        return bytes(trie.root_hash)
    return bytes(names["root"](trie))


def is_class(value: Any) -> bool:
    """Whether *value* is a class of errors."""
    return isinstance(value, type) and issubclass(value, Exception)


@pytest.mark.parametrize("title", sections())
def test_both_sides_do_the_same(title: str) -> None:
    theirs: dict[str, Any] = {}
    ours: dict[str, Any] = {}
    section = sections()[title]
    setup = SETUP.search(section)
    assert setup is not None
    try:
        exec(setup[1], theirs)  # noqa: S102 - our own page
    except ModuleNotFoundError as error:
        pytest.skip(f"{error.name} is not installed")
    for line in re.findall(r"^>>> (from hexary .+)$", PAGE.read_text("utf-8"), re.M):
        run(line, ours)
    for line in re.findall(r"^>>> (.+)$", setup[2], re.M):
        run(line, ours)
    rows = ROW.findall(section)
    assert len(rows) >= 7
    for there, here, _ in rows:
        row = f"{there} | {here}"
        their_result = run(there, theirs)
        if here == "not here":
            assert not isinstance(their_result, Exception), row
            continue
        our_result = run(here, ours)
        if isinstance(their_result, Exception):
            assert isinstance(our_result, (HexaryError, KeyError)), row
        elif is_class(their_result):
            assert is_class(our_result), row
        elif their_result is MISSING or their_result is None:
            assert not isinstance(our_result, Exception), row
            assert root(ours) == root(theirs), row
        else:
            assert plain(our_result) == plain(their_result), row


def test_every_row_is_run() -> None:
    """None is lost because it is written in another way."""
    for title, section in sections().items():
        tables = re.findall(r"(?:^\|.*\|\n)+", section, re.MULTILINE)
        for table in tables:
            lines = table.splitlines()
            if lines[1] == "|---|---|---|":
                assert len(ROW.findall(table)) == len(lines) - 2, title
