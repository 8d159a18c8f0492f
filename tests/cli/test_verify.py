"""``hexary verify``: what it prints, and its exit codes."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hexary import hash as hashing

RLP = {"dog": {"in": "dog", "out": "0x83646f67"}}
BAD_RLP = {"dog": {"in": "dog", "out": "0x83646f66"}}
GENESIS = {"difficulty": "0x1", "gasLimit": "0x1388", "alloc": {}}
LONG = "Repeat = 16777216\nText = {}\nMD = {}\n".format("ab" * 32, "00" * 32)


def write(folder: Path, name: str, content: str | dict[str, Any]) -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder, so that paths are short and the same everywhere."""
    monkeypatch.chdir(tmp_path)


def without_times(text: str) -> str:
    return re.sub(r"\d+\.\d s", "0.0 s", text)


def test_a_clean_run_prints_a_table_and_ok(tmp_path: Path, run: Any) -> None:
    write(tmp_path, "rlp.json", RLP)
    write(tmp_path, "genesis.json", GENESIS)
    write(tmp_path, "README.md", "text")
    write(tmp_path, "other.json", "{}")
    result = run("verify", ".")
    backend = hashing.BACKEND
    assert (result.code, result.err) == (0, "")
    assert without_times(result.out) == (
        "\n"
        " format      files   cases   checks   failed   skipped    time\n"
        " ─────────────────────────────────────────────────────────────\n"
        " genesis         1       1        3        0         2   0.0 s\n"
        " rlp-tests       1       1        4        0         0   0.0 s\n"
        "\n"
        " all             2       2        7        0         2   0.0 s\n"
        "\n"
        "skipped 2 of genesis: there is no EXPECTED.json beside the file\n"
        "1 unrecognised file, not checked\n"
        "  other.json: json of no known format\n"
        "1 companion file, not checked (-v lists them)\n"
        f"backend: {backend.name} {backend.version} ({backend.detail})\n"
        "OK: 5 checks passed, 2 skipped in 0.0 s\n"
    )


def test_a_failure_is_one_line_with_got_and_expected(tmp_path: Path, run: Any) -> None:
    write(tmp_path, "bad.json", BAD_RLP)
    result = run("verify", "bad.json")
    assert result.code == 1
    assert result.out.splitlines()[:2] == [
        "FAILED bad.json › dog › encode: got 0x83646f67, expected 0x83646f66",
        "FAILED bad.json › dog › decode: got 0x646f66, expected 0x646f67",
    ]
    assert "NOT OK: 3 failed checks; 1 check passed" in result.out


def test_a_failure_without_values_tells_its_reason(tmp_path: Path, run: Any) -> None:
    write(tmp_path, "bad.json", {**RLP, "cow": 7})
    line = run("verify", "bad.json").out.splitlines()[0]
    assert line.startswith(
        "FAILED bad.json › cow › layout: a case is an object with in"
    )


def test_the_exit_code_is_2_for_what_cannot_be_read(tmp_path: Path, run: Any) -> None:
    write(tmp_path, "good.json", RLP)
    write(tmp_path, "cut.json", '{"a"')
    result = run("verify", ".", "gone")
    assert result.code == 2
    assert result.out.splitlines()[:2] == [
        "UNREADABLE cut.json: not JSON: Expecting ':' delimiter at line 1, column 5",
        "UNREADABLE gone: No such file or directory",
    ]
    assert "NOT OK: 2 unreadable files; 4 checks passed" in result.out


def test_the_exit_code_is_2_if_nothing_is_recognised(tmp_path: Path, run: Any) -> None:
    write(tmp_path, "other.json", "{}")
    result = run("verify", ".")
    assert result.code == 2
    assert "NOT OK: nothing was recognised; 0 checks passed" in result.out
    (tmp_path / "other.json").unlink()
    assert run("verify", ".").code == 2


def test_strict_files_refuses_unrecognised_ones(tmp_path: Path, run: Any) -> None:
    write(tmp_path, "good.json", RLP)
    write(tmp_path, "other.json", "{}")
    assert run("verify", ".").code == 0
    result = run("verify", ".", "--strict-files")
    assert result.code == 2
    assert "NOT OK: 1 unrecognised file; 4 checks passed" in result.out


def test_long_lists_are_cut_unless_wanted(tmp_path: Path, run: Any) -> None:
    write(tmp_path, "good.json", RLP)
    for number in range(12):
        write(tmp_path, f"{number:02}.json", "{}")
    write(tmp_path, "README", "")
    short = run("verify", ".").out
    assert "12 unrecognised files, not checked (-v lists all)" in short
    assert "09.json" in short
    assert "10.json" not in short
    full = run("verify", ".", "-v").out
    assert "12 unrecognised files, not checked\n" in full
    assert "11.json" in full
    assert "  README\n" in full
    assert "checked good.json: rlp-tests, 1 case\n" in full


def test_quiet_prints_only_what_went_wrong(tmp_path: Path, run: Any) -> None:
    write(tmp_path, "good.json", RLP)
    assert run("verify", ".", "-q") == (0, "", "")
    write(tmp_path, "bad.json", BAD_RLP)
    assert run("verify", ".", "-q").out.count("\n") == 3


def test_json_is_one_object_and_the_same_every_time(tmp_path: Path, run: Any) -> None:
    write(tmp_path, "bad.json", BAD_RLP)
    write(tmp_path, "other.json", "{}")
    first, second = run("verify", ".", "--json"), run("verify", ".", "--json")
    assert first == second
    assert first.code == 1
    found = json.loads(first.out)
    assert found["ok"] is False
    assert found["backend"] == hashing.BACKEND.name
    assert found["formats"]["rlp-tests"]["failed"] == 3
    assert found["failures"][0]["check"] == "encode"
    assert found["unrecognised"] == ["other.json"]


def test_standard_input(run: Any) -> None:
    text = json.dumps(RLP).encode()
    assert run("verify", "-", stdin=text).code == 0
    case = {"in": {"a": "b"}, "root": "00" * 32}
    named = run(
        "verify",
        "-",
        "--stdin-name",
        "secure.json",
        stdin=json.dumps({"c": case}).encode(),
    )
    assert named.code == 1
    assert named.out.startswith("FAILED secure.json › c › root: got 0x")


def test_no_path_is_a_usage_error(run: Any) -> None:
    result = run("verify")
    assert result.code == 2
    assert "Missing argument 'PATH...'" in result.err


def test_ctrl_c_prints_the_summary_so_far(
    tmp_path: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "a.json", RLP)
    write(tmp_path, "b.json", RLP)

    def interrupt(data: bytes, *, file: str = "") -> Any:
        if file.endswith("b.json"):
            raise KeyboardInterrupt
        return parse(data, file=file)

    from hexary.state import json_file

    parse = json_file.parse_json
    monkeypatch.setattr(json_file, "parse_json", interrupt)
    result = run("verify", ".")
    assert result.code == 130
    assert "rlp-tests       1       1        4" in result.out
    assert "NOT OK: interrupted before the end; 4 checks passed" in result.out
    assert json.loads(run("verify", ".", "--json").out)["interrupted"] is True
    assert run("verify", ".", "-q").code == 130
    at_once = run("verify", "b.json")
    assert "NOT OK: interrupted before the end; 0 checks passed" in at_once.out


def test_ctrl_c_while_files_are_counted_prints_the_summary(
    tmp_path: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a terminal the files are counted first, for the bar."""
    write(tmp_path, "a.json", RLP)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("hexary.cli.progress.run_progress", interrupt)
    result = run("verify", ".", "--json")
    assert result.code == 130
    assert json.loads(result.out)["interrupted"] is True


def test_a_defect_of_hexary_is_one_line_and_exit_code_70(
    tmp_path: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("oh")

    write(tmp_path, "a.json", RLP)
    monkeypatch.setattr("hexary.rlp.encode", fail)
    result = run("verify", ".")
    assert result.code == 70
    assert result.err == (
        "hexary: internal error: ZeroDivisionError: oh (while verifying a.json)\n"
        "This is a defect of hexary. Set HEXARY_TRACEBACK=1 to see where.\n"
    )
    monkeypatch.setenv("HEXARY_TRACEBACK", "1")
    with pytest.raises(ZeroDivisionError):
        run("verify", ".")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_long_digests_are_told_where_they_stand(
    tmp_path: Path, run: Any, monkeypatch: pytest.MonkeyPatch, jobs: str
) -> None:
    """Whatever is computed together: before the failures of the files behind them."""
    monkeypatch.setattr("hexary.fixtures.verifier._WORTH_IT", 0)
    digest = hashing.keccak256(b"abc" * 5).hex()
    wrong = hashing.keccak512(b"abc" * 4).hex()
    unknown = "00" * 28
    write(
        tmp_path,
        "1.txt",
        f"Repeat = 5\nText = abc\nMD = {digest}\n"
        f"Repeat = 99999999999\nText = abc\nMD = {digest}\n"
        f"Repeat = 2\nText = abc\nMD = {unknown}\n",
    )
    write(tmp_path, "2.txt", f"Repeat = 3\nText = abc\nMD = {wrong}\n")
    write(tmp_path, "3.json", BAD_RLP)
    write(tmp_path, "4.txt", f"Repeat = 3\nText = abc\nMD = {wrong}\nbroken\n")
    result = run("verify", ".", "-j", jobs, "-v")
    assert (result.code, result.err) == (1, "")
    got = hashing.keccak512(b"abc" * 3).hex()
    prefix = "got [0x646f66, 0xc180], expected [0x646f67, 0xc180]"
    failed = f"Repeat = 3, line 1 › stream: got 0x{got}, expected 0x{wrong}"
    assert result.out.split("\n\n")[0].splitlines() == [
        "checked 1.txt: keccak-kat, 3 cases",
        f"FAILED 2.txt › {failed}",
        "checked 2.txt: keccak-kat, 1 case",
        "FAILED 3.json › dog › encode: got 0x83646f67, expected 0x83646f66",
        "FAILED 3.json › dog › decode: got 0x646f66, expected 0x646f67",
        f"FAILED 3.json › dog › decode-prefix: {prefix}",
        "checked 3.json: rlp-tests, 1 case",
        f"FAILED 4.txt › {failed}",
        "FAILED 4.txt › layout: line 4: 'broken' is none of Len, Msg, Repeat, Text, MD",
        "checked 4.txt: keccak-kat, 1 case",
    ]
    assert "skipped 1 of keccak-kat: neither a Keccak-256 nor a" in result.out
    assert "skipped 1 of keccak-kat: the repeated text is longer than" in result.out
    assert "6 failed checks; 2 checks passed, 2 skipped" in result.out
    first = run("verify", ".", "-j", jobs, "-q", "--fail-fast")
    assert (first.code, first.out) == (1, f"FAILED 2.txt › {failed}\n")


def test_a_signal_during_a_long_stream_ends_the_run(
    tmp_path: Path, clean_environment: dict[str, str]
) -> None:
    write(tmp_path, "bad.json", BAD_RLP)
    write(tmp_path, "long.txt", LONG)
    with subprocess.Popen(
        [sys.executable, "-m", "hexary", "verify", "bad.json", "long.txt"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=clean_environment,
        text=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()  # It has begun, however busy the machine is.
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "")
    assert "interrupted before the end" in out


def test_a_reader_that_goes_away_is_no_traceback(
    tmp_path: Path, clean_environment: dict[str, str]
) -> None:
    cases = {str(number): BAD_RLP["dog"] for number in range(5000)}
    write(tmp_path, "bad.json", cases)
    with subprocess.Popen(
        [sys.executable, "-m", "hexary", "verify", "bad.json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=clean_environment,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        err = process.stderr.read()
        code = process.wait(timeout=60)
    assert (code, err) == (141, b"")


def test_piped_output_has_no_colour_and_fits(tmp_path: Path, program: Any) -> None:
    write(tmp_path, "bad.json", BAD_RLP)
    write(tmp_path, "genesis.json", GENESIS)
    for environment in ({}, {"COLUMNS": "200"}, {"TERM": "xterm-256color"}):
        result = program("verify", ".", environment=environment)
        assert "\x1b" not in result.out + result.err
        table = [line for line in result.out.splitlines() if line.startswith(" ")]
        assert max(map(len, table)) <= 80


@pytest.mark.parametrize("columns", ["20", "80", "200"])
def test_no_number_of_the_table_is_cut(
    tmp_path: Path, clean_environment: dict[str, str], columns: str, run: Any
) -> None:
    """Not where a column more tells of expected failures, nor on a narrow terminal."""
    write(tmp_path, "bad.json", BAD_RLP)
    write(tmp_path, "README.json", {"bad.json": {"dog › encode": "on purpose"}})
    options = ["verify", ".", "--expect-failures", "README.json"]
    code, seen = on_terminal(options, clean_environment, COLUMNS=columns)
    assert code == 1
    text = re.sub(r"\x1b\[[0-9;]*m", "", seen.decode())
    assert " format     files  cases  checks  failed  expected  skipped   time" in text
    assert " rlp-tests      1      1       4       2         1        0  0." in text
    assert "…" not in text[text.index(" format ") :]
    table = [line for line in run(*options).out.splitlines() if line.startswith(" ")]
    assert max(map(len, table)) <= 80


def test_numbers_of_any_length_are_told_whole(capfd: Any) -> None:
    from hexary.cli.summary import print_summary
    from hexary.cli.terminal import Printer
    from hexary.fixtures import FormatCount, Report

    report = Report()
    number = 12_345_678_901
    report.formats["pre-alloc-groups"] = FormatCount(
        files=number, cases=number, checks=9 * number, failed=number, expected=number
    )
    print_summary(Printer(), report, verbose=False)
    row = capfd.readouterr().out.splitlines()[3]
    assert row.count("12,345,678,901") == 4
    assert "…" not in row


def test_an_encoding_that_lacks_the_signs_is_no_traceback(
    tmp_path: Path, program: Any
) -> None:
    write(tmp_path, "bad.json", BAD_RLP)
    result = program("verify", ".", environment={"PYTHONIOENCODING": "ascii"})
    assert result.code == 1
    assert result.err == ""
    assert result.out.isascii()


def on_terminal(
    arguments: list[str], environment: dict[str, str], **variables: str
) -> tuple[int, bytes]:
    """Run the command with a terminal as its output; return code and bytes."""
    master, slave = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "hexary", *arguments],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**environment, "TERM": "xterm-256color", "COLUMNS": "80", **variables},
    ) as process:
        os.close(slave)
        seen = b""
        while True:
            try:
                chunk = os.read(master, 65536)
            except OSError:  # the other end is closed
                break
            if not chunk:
                break
            seen += chunk
    os.close(master)
    return process.returncode, seen


def test_a_terminal_gets_colour_and_a_progress_bar(
    tmp_path: Path, clean_environment: dict[str, str]
) -> None:
    write(tmp_path, "bad.json", BAD_RLP)
    write(tmp_path, "long.txt", LONG.replace("16777216", "3000000"))
    clean_environment.pop("NO_COLOR", None)
    code, seen = on_terminal(["verify", "."], clean_environment)
    assert code == 1
    assert b"\x1b[1;31mFAILED" in seen
    assert b"files" in seen
    assert b"long.txt" in seen
    assert b"NOT OK" in seen


def test_no_color_is_honoured(
    tmp_path: Path, clean_environment: dict[str, str]
) -> None:
    write(tmp_path, "bad.json", BAD_RLP)
    code, seen = on_terminal(["verify", "."], {**clean_environment, "NO_COLOR": "1"})
    assert code == 1
    assert b"bad.json \xe2\x80\xba dog" in seen
    assert b"31m" not in seen


@pytest.mark.parametrize("columns", ["0", "1", "20"])
def test_a_narrow_terminal_gets_every_line_and_number(
    tmp_path: Path, clean_environment: dict[str, str], columns: str
) -> None:
    write(tmp_path, "bad.json", BAD_RLP)
    environment = {**clean_environment, "NO_COLOR": "1"}
    code, seen = on_terminal(["verify", "."], environment, COLUMNS=columns)
    assert code == 1
    assert b"bad.json \xe2\x80\xba dog" in seen
    assert b"rlp-tests       1       1        4        3" in seen
    assert b"NOT OK" in seen


def test_a_dumb_terminal_gets_no_bar(
    tmp_path: Path, clean_environment: dict[str, str]
) -> None:
    write(tmp_path, "bad.json", BAD_RLP)
    code, seen = on_terminal(["verify", "."], clean_environment, TERM="dumb")
    assert code == 1
    assert seen.startswith(b"FAILED bad.json")
    assert b"\x1b" not in seen
    assert b"\r\n\r\nFAILED" not in seen


def test_a_person_at_the_keyboard_is_told_what_to_give(
    clean_environment: dict[str, str],
) -> None:
    for arguments in (["keccak"], ["rlp", "encode"], ["rlp", "decode"]):
        code, seen = on_terminal(arguments, clean_environment)
        assert code == 2
        assert b"standard input" in seen
