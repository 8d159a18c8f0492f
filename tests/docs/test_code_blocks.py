"""
Every Python and console block of README.md and docs/*.md runs and prints what it says.

Python blocks of one page share their names, in order; ``>>>`` examples are compared
with what they print.  In a console block the lines that begin with ``$ hexary`` or
``$ python -m`` run, with the checkout as working folder; the lines below are their
output, ``…`` standing for anything, and a last line ``[exit code N]`` is the exit code
where it is not 0.  Lines that begin with another command are for a person.
"""

from __future__ import annotations

import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
PAGES = [CHECKOUT / "README.md", *sorted((CHECKOUT / "docs").glob("*.md"))]
FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>[\w+-]*)[^\n]*\n(?P<body>.*?)^(?P=indent)```",
    re.MULTILINE | re.DOTALL,
)
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Block(NamedTuple):
    """One fenced block: where it stands and what it holds."""

    page: Path
    line: int
    language: str
    body: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(CHECKOUT)}:{self.line}"


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of *page*, in order."""
    text = page.read_text(encoding="utf-8")
    return [
        Block(page, text.count("\n", 0, match.start("body")) + 1, *match.group(2, 3))
        for match in FENCE.finditer(text)
    ]


class Command(NamedTuple):
    """One ``$`` line of a console block, and what is shown below it."""

    words: list[str]
    output: str
    exit_code: int


def commands(block: Block) -> list[Command]:
    """Return the commands of a console block that run."""
    found = []
    body = block.body.replace("\\\n", " ")
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        line, _, output = part.partition("\n")
        code = re.search(r"^\[exit code (\d+)\]\n?\Z", output, re.MULTILINE)
        if line.startswith(("hexary ", "python -m ")):
            words = shlex.split(line.removeprefix("python -m "), comments=True)
            shown = output[: code.start()] if code else output
            found.append(Command(words, shown, int(code[1]) if code else 0))
    return found


def same_text(shown: str, printed: str) -> bool:
    """Compare line by line without trailing blanks; ``…`` stands for anything."""
    pattern = r"\n".join(
        re.escape(line.rstrip()).replace("…", ".*")
        for line in shown.strip().splitlines()
    )
    text = "\n".join(line.rstrip() for line in printed.strip().splitlines())
    return re.fullmatch(pattern, text, re.DOTALL) is not None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_blocks_run(
    page: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(CHECKOUT)
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(page):
        if block.language != "python":
            continue
        if ">>>" in block.body:
            test = doctest.DocTestParser().get_doctest(
                block.body, names, str(block), str(page), block.line - 1
            )
            runner = doctest.DocTestRunner(optionflags=OPTIONS, verbose=False)
            failed, _ = runner.run(test, clear_globs=False)
            names.update(test.globs)  # the parser has copied them
            assert failed == 0, capsys.readouterr().out
        else:
            source = "\n" * (block.line - 1) + block.body  # tracebacks name the line
            exec(compile(source, str(page), "exec", dont_inherit=True), names)  # noqa: S102 - our own pages


CONSOLE = [
    pytest.param(command, id=f"{block}-{number}")
    for page in PAGES
    for block in blocks(page)
    if block.language == "console"
    for number, command in enumerate(commands(block))
]


@pytest.mark.parametrize("command", CONSOLE)
def test_console_blocks_run(
    command: Command, clean_environment: dict[str, str]
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *command.words],
        cwd=CHECKOUT,
        env={**clean_environment, "COLUMNS": "100", "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    printed = done.stdout + done.stderr
    assert done.returncode == command.exit_code, printed
    assert same_text(command.output, printed), printed


def test_every_page_is_read() -> None:
    languages = [block.language for page in PAGES for block in blocks(page)]
    assert languages.count("python") >= 5
    assert languages.count("console") >= 2


def test_the_readme_shows_the_commands_that_work() -> None:
    """``make verify`` and ``make test`` are targets, under these names."""
    text = (CHECKOUT / "README.md").read_text(encoding="utf-8")
    makefile = (CHECKOUT / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"\bmake ([a-z-]+)", text))
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    assert {"verify", "test"} <= named
    assert named <= targets


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    broken = [
        target
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text)
        if not (page.parent / target).exists()
    ]
    assert broken == []


def test_shown_output_is_compared() -> None:
    """The comparison itself: neither too strict nor blind."""
    assert same_text("a … c\n", "a b c \n")
    assert same_text("a\n…\nz", "a\nb\nc\nz\n")
    assert same_text("", "\n")
    assert not same_text("a", "b")
    assert not same_text("a.c", "abc")
    assert not same_text("a", "a\nb")
