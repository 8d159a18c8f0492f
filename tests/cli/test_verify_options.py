"""``hexary verify``: what its options do."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from hexary.fixtures import COMMON_CHECKS, known_formats
from hexary.fixtures.expectations import STALE

GOOD = {"dog": {"in": "dog", "out": "0x83646f67"}}
BAD = {"dog": {"in": "dog", "out": "0x83646f66"}}


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder, outside of any workflow."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)


def write(name: str, content: Any) -> None:
    text = content if isinstance(content, str) else json.dumps(content)
    Path(name).write_text(text)


def test_formats_are_listed(run: Any) -> None:
    result = run("verify", "--list-formats")
    assert result.code == 0
    lines = result.out.splitlines()
    assert [line.split()[0] for line in lines] == [one.name for one in known_formats()]
    titles = [one.title for one in known_formats()]
    places = {line.index(title) for line, title in zip(lines, titles, strict=True)}
    assert len(places) == 1


def test_a_check_is_explained(run: Any) -> None:
    result = run("verify", "--explain", "senders")
    assert result.code == 0
    assert "state-tests: the transaction is signed by `sender`" in result.out
    assert "all formats: " in run("verify", "--explain", "layout").out
    assert run("verify", "--explain", "nothing").code == 2


def test_every_check_is_explained(run: Any) -> None:
    names = {name for known in known_formats() for name in known.checks}
    for name in sorted(names | COMMON_CHECKS.keys() | {STALE}):
        result = run("verify", "--explain", name)
        assert result.code == 0
        assert ": " in result.out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--only", "state-test"], "did you mean state-tests"),
        (["--only", "Blockchain"], "did you mean blockchain-tests"),
        (["--only", "zzzzzz"], "--list-formats tells which"),
        (["--explain", "header_hash"], "did you mean header-hash"),
    ],
)
def test_a_name_that_is_not_known_is_met_with_the_nearest(
    run: Any, arguments: list[str], told: str
) -> None:
    result = run("verify", ".", *arguments)
    assert (result.code, result.out) == (2, "")
    assert told in " ".join(result.err.split())


def test_fail_fast_stops_at_the_first_failure(run: Any) -> None:
    write("a.json", BAD)
    write("b.json", BAD)
    result = run("verify", ".", "--fail-fast")
    assert result.code == 1
    assert result.out.count("FAILED") == 1


def test_fail_fast_stops_processes_as_well(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hexary.fixtures.verifier._WORTH_IT", 0)
    for number in range(40):
        write(f"{number:02}.json", BAD if number > 3 else GOOD)
    result = run("verify", ".", "--fail-fast", "-j", "2")
    assert result.code == 1
    assert result.out.splitlines()[0].startswith("FAILED 04.json › dog › encode")
    assert result.out.count("FAILED") == 1


def test_only_and_k_select(run: Any) -> None:
    write("a.json", GOOD | {"cat": {"in": "", "out": "0x81"}})
    assert run("verify", ".", "-k", "dog").code == 0
    assert run("verify", ".", "-k", "cat").code == 1
    result = run("verify", ".", "--only", "keccak-kat")
    assert result.code == 2
    assert "nothing was selected" in result.out
    assert "1 file left out, as asked" in result.out
    assert run("verify", ".", "--only", "unknown").code == 2
    assert run("verify", ".", "-k", "a b").code == 2


def test_expected_failures_are_counted_apart(run: Any) -> None:
    write("bad.json", BAD)
    result = run("verify", "bad.json", "--write-baseline", "EXPECTED-failures.json")
    assert result.code == 1
    assert result.err == "3 expected failures written to EXPECTED-failures.json\n"
    result = run("verify", ".", "--expect-failures", "EXPECTED-failures.json")
    assert result.code == 0
    assert "expected" in result.out
    assert "OK: 1 check passed, 3 failed as expected in" in result.out
    write("bad.json", GOOD)
    result = run("verify", ".", "--expect-failures", "EXPECTED-failures.json")
    assert result.code == 1
    assert "bad.json › dog › encode › expected-failure: got no failure" in result.out
    assert run("verify", ".", "--expect-failures", "gone.json").code == 2


def test_a_baseline_keeps_what_is_known_and_drops_what_is_over(run: Any) -> None:
    """The file of one run is taken in the next, and written anew from it."""
    write("bad.json", BAD)
    write("cut.json", "{")
    expected = {
        "bad.json": {"dog › encode": "for a reason", "dog › encoded-size": "over"},
        "cut.json": {"unreadable": "cut on purpose"},
    }
    write("README-known.json", expected)
    options = ["--expect-failures", "README-known.json"]
    result = run("verify", ".", *options, "--write-baseline", "README-new.json")
    assert result.code == 1
    assert result.err == "4 expected failures written to README-new.json\n"
    written = json.loads(Path("README-new.json").read_text())
    assert written["bad.json"]["dog › encode"] == "for a reason"
    assert set(written["bad.json"]) == {
        "dog › encode", "dog › decode", "dog › decode-prefix",
    }  # fmt: skip
    assert written["cut.json"] == {"unreadable": "cut on purpose"}
    result = run("verify", ".", "--expect-failures", "README-new.json")
    assert result.code == 0
    assert "1 file unreadable, as expected" in result.out


def test_a_baseline_that_cannot_be_written_costs_no_summary(run: Any) -> None:
    write("bad.json", BAD)
    result = run("verify", ".", "--write-baseline", "no/such/folder.json")
    assert result.code == 2
    assert "NOT OK: 3 failed checks" in result.out
    assert result.err.startswith("hexary: error: no/such/folder.json: ")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Linux has it")
@pytest.mark.parametrize("option", ["--junit", "--write-baseline"])
def test_a_report_that_does_not_fit_on_the_disk_costs_no_summary(
    run: Any, option: str
) -> None:
    write("bad.json", BAD)
    result = run("verify", ".", option, "/dev/full")
    assert result.code == 2
    assert "NOT OK: 3 failed checks" in result.out
    assert result.err == "hexary: error: /dev/full: No space left on device\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Linux has it")
@pytest.mark.parametrize("content", [GOOD, BAD])
def test_output_that_cannot_be_written_is_named(
    clean_environment: dict[str, str], content: Any
) -> None:
    write("a.json", content)
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "hexary", "verify", "a.json"],
            stdout=full,
            stderr=subprocess.PIPE,
            env=clean_environment,
            check=False,
        )
    told = b"hexary: error: standard output: No space left on device\n"
    assert (done.returncode, done.stderr) == (2, told)


def test_paths_that_lead_nowhere_are_told(run: Any) -> None:
    result = run("verify", "*.nope", "")
    assert result.code == 2
    assert result.out.splitlines()[:2] == [
        "UNREADABLE *.nope: no file is called so, and none matches the pattern",
        "UNREADABLE '': No such file or directory",
    ]


def test_entries_that_meet_no_file_are_told(run: Any) -> None:
    write("good.json", GOOD)
    write("README-known.json", {"gone/a.json": {"x": "y"}, "b.json": {"x": "y"}})
    result = run("verify", ".", "--expect-failures", "README-known.json")
    assert result.code == 0
    assert (
        "2 entries of the expected failures met no file\n  gone/a.json\n  b.json\n"
    ) in result.out
    found = run("verify", ".", "--json", "--expect-failures", "README-known.json").out
    assert json.loads(found)["unmet"] == ["gone/a.json", "b.json"]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("[]", "must be an object"),
        ("{", "not JSON"),
        ('{"a.json": []}', "a.json: must be an object: case › place › check"),
        ('{"a.json": {"x": 1}}', "with a reason each"),
        ('{"a.json": {"x": ""}}', "with a reason each"),
        ('{"a.json": {}}', "a.json: names no check"),
        ('{"a/": {"x": "y"}}', "must be the path of a file"),
        ('{"": {"x": "y"}}', "must be the path of a file"),
        ('{"a.json": {"x": "y"}, "a.json": {}}', "occurs twice"),
    ],
)
def test_a_file_of_expected_failures_of_another_shape_is_refused(
    run: Any, content: str, told: str
) -> None:
    write("a.json", GOOD)
    write("README.json", content)
    result = run("verify", ".", "--expect-failures", "README.json")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("hexary: error: README.json")
    assert told in result.err


def test_a_floor_of_checks_can_be_set(run: Any) -> None:
    write("a.json", GOOD)
    assert run("verify", ".", "--min-checks", "4").code == 0
    result = run("verify", ".", "--min-checks", "5")
    assert result.code == 1
    assert "NOT OK: fewer than 5 checks passed; 4 checks passed" in result.out


def test_junit_has_a_test_for_each_case(run: Any) -> None:
    write("a.json", BAD | {"cat\x1b & <x>": {"in": "", "out": "0x80"}})
    write("b.json", "{")
    write("c.txt", "Len = 1\nMsg = 00\nMD = " + "00" * 32 + "\n")
    assert run("verify", ".", "--junit", "out.xml", "-q").code == 1
    suites = ElementTree.parse("out.xml").getroot()  # noqa: S314 - our own
    assert [suite.get("name") for suite in suites] == ["a.json", "b.json", "c.txt"]
    first = suites[0]
    assert (first.get("tests"), first.get("failures")) == ("2", "1")
    failure = first[0].find("failure")
    assert failure is not None
    assert "got 0x83646f67, expected 0x83646f66" in (failure.text or "")
    assert suites[1].get("errors") == "1"
    told = suites[2][0].find("system-out")
    assert told is not None
    assert "skipped" in (told.text or "")
    assert run("verify", ".", "--junit", "no/such/folder.xml").code == 2


def test_junit_has_the_failure_that_stopped_the_run(run: Any) -> None:
    write("a.json", BAD)
    write("b.json", BAD)
    assert run("verify", ".", "--junit", "out.xml", "--fail-fast").code == 1
    [suite] = ElementTree.parse("out.xml").getroot()  # noqa: S314 - our own
    assert (suite.get("name"), suite.get("failures")) == ("a.json", "1")


def test_junit_has_what_strict_files_refuses(run: Any) -> None:
    write("a.json", GOOD)
    write("b.json", {"some": "thing"})
    assert run("verify", ".", "--junit", "out.xml", "--strict-files").code == 2
    assert "out.xml" not in run("verify", ".", "--junit", "./out.xml", "-v").out
    assert run("verify", ".", "--junit", "out.xml", "--strict-files").code == 2
    suites = ElementTree.parse("out.xml").getroot()  # noqa: S314 - our own
    assert [suite.get("errors") for suite in suites] == ["0", "1"]
    assert suites[1].get("name") == "b.json"
    assert run("verify", ".", "--junit", "out.xml").code == 0
    assert len(ElementTree.parse("out.xml").getroot()) == 1  # noqa: S314 - our own


HOSTILE = [
    "]]><x>&\x00", "\x1b[31m\r\nFAILED x", "\u202e", "[red]x[/red]", "a › b", "'\"<>",
    "\ufffe", "\U0001f600", "", "x" * 1000,
]  # fmt: skip


def test_no_name_breaks_a_report(run: Any) -> None:
    """XML is parsed, JSON is parsed, and no line but ours begins as ours do."""
    write("a.json", dict.fromkeys(HOSTILE, BAD["dog"]))
    for number, name in enumerate(HOSTILE):
        plain = name.replace("/", "").replace("\x00", "")[:100]
        write(f"{number}{plain}.json", BAD)
    Path(os.fsdecode(b"\xff.json")).write_text(json.dumps(BAD))
    result = run("verify", ".", "--junit", "README.xml")
    assert result.code == 1
    suites = ElementTree.parse("README.xml").getroot()  # noqa: S314 - our own
    assert len(suites) == len(HOSTILE) + 2
    assert sum(int(suite.get("tests", "")) for suite in suites) == 2 * len(HOSTILE) + 1
    failures = [line for line in result.out.splitlines() if line.startswith("FAILED")]
    assert len(failures) == 3 * (2 * len(HOSTILE) + 1)
    assert all(line.isprintable() for line in result.out.splitlines())
    found = json.loads(run("verify", ".", "--json").out)
    assert len(found["failures"]) == len(failures)
    result = run("verify", ".", "--write-baseline", "README.json", "-q")
    assert run("verify", ".", "--expect-failures", "README.json", "-q").code == 0


def test_github_is_shown_failures(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a.json", BAD)
    write("b.json", "{")
    write("c.json", {"dog": {"in": "dog", "out": 7}})
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    lines = run("verify", ".").out.splitlines()
    shown = as_github(lines)
    assert shown[0] == (
        "::error file=a.json,title=dog › encode::got 0x83646f67, expected 0x83646f66"
    )
    assert shown[3].startswith("::error file=b.json,title=b.json::unreadable: not JSON")
    assert shown[4].startswith("::error file=c.json,title=dog › layout::")
    assert len(shown) == 5
    assert "::" not in run("verify", ".", "--json").out


@pytest.mark.parametrize(
    "name", ["::error::forged", "##[add-mask]a", "a\n::error::forged", "\r::debug::x"]
)
def test_no_name_is_a_command_to_github(
    name: str, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(name + ".json").write_text("{}")
    write("cases.json", {name: BAD["dog"]})
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    shown = as_github(run("verify", ".", "-v").out.splitlines())
    assert len(shown) == 3
    for line in shown:
        assert line.startswith("::error file=cases.json,title=")
        assert line.count("::") == 2


def as_github(lines: list[str]) -> list[str]:
    """Return what the runner takes for commands, without those about commands."""
    word = lines[0].removeprefix("::stop-commands::")
    assert len(word) == 32
    found, on = [], True
    for line in lines:
        if line == f"::stop-commands::{word}":
            on = False
        elif line == f"::{word}::":
            on = True
        elif on:
            found.append(line)
    assert on
    return found


def test_processes_are_as_many_as_asked_for(run: Any) -> None:
    write("a.json", GOOD)
    assert run("verify", ".", "-j", "2").code == 0
    assert run("verify", ".", "-j", "0").code == 2


def test_a_folder_of_everything_is_understood(run: Any) -> None:
    """Good, bad, truncated, empty, binary, nested and unknown files, side by side."""
    write("good.json", GOOD)
    write("bad.json", BAD)
    write("cut.json", json.dumps(GOOD)[:-5])
    write("empty.json", "")
    Path("binary").write_bytes(bytes(range(256)))
    Path("picture.png").write_bytes(b"\x89PNG")
    write("deep.json", "[" * 100_000)
    write("unknown.json", {"some": "thing"})
    write("notes.txt", "about nothing")
    result = run("verify", ".")
    assert result.code == 1
    unreadable = [x for x in result.out.splitlines() if x.startswith("UNREADABLE")]
    assert [line.split()[1] for line in unreadable] == [
        "cut.json:", "deep.json:", "empty.json:",
    ]  # fmt: skip
    assert "nested 100000 deep, the limit is 256" in result.out
    assert "4 unrecognised files, not checked" in result.out
    assert "NOT OK: 3 unreadable files, 3 failed checks; 5 checks passed" in result.out


def test_ctrl_c_ends_the_processes_and_prints_the_summary(
    clean_environment: dict[str, str], tmp_path: Path
) -> None:
    text = "Repeat = 1048576\nText = {}\nMD = {}\n".format("ab" * 32, "00" * 32)
    for number in range(40):
        # Padded to what is worth starting processes.
        write(f"{number:02}.txt", text + "# padding\n" * 20_000)
    with subprocess.Popen(
        [sys.executable, "-m", "hexary", "verify", ".", "-j", "2"],
        env=clean_environment,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)
        rest, told = process.communicate(timeout=60)
    assert (process.returncode, told) == (130, "")
    assert first.startswith("FAILED 00.txt")
    assert "interrupted before the end" in rest
    assert not _group_is_alive(process.pid)


def _group_is_alive(group: int) -> bool:
    """Return whether some process of the group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
