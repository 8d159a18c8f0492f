"""Standard streams that are closed, full or endless; names that would forge lines."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hexary.cli import streams

RLP = {"dog": {"in": "dog", "out": "0x83646f67"}}
BAD_RLP = {"dog": {"in": "dog", "out": "0x83646f66"}}
GENESIS = {"difficulty": [], "gasLimit": "0x1388", "alloc": {}}
EVIL = "a\x1b[31m\n~b"
FULL = Path("/dev/full")
ZERO = Path("/dev/zero")


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.json").write_text(json.dumps(RLP))
    (tmp_path / "bad.json").write_text(json.dumps(BAD_RLP))


def shell(
    command: str, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run ``hexary`` with the redirections of a shell."""
    start = f'"{sys.executable}" -m hexary {command}'
    return subprocess.run(
        ["/bin/sh", "-c", start],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("keccak --text a >&-", 0),
        ("backends >&-", 0),
        ("--help >&-", 0),
        ("rlp decode 0xc0 >&-", 0),
        ("verify good.json >&-", 0),
        ("verify bad.json >&-", 1),
        ("verify --json bad.json >&-", 1),
        ("verify good.json 2>&-", 0),
        ("root no-such 2>&-", 2),
        ("no-such 2>&-", 2),
        ("verify bad.json <&- >&- 2>&-", 1),
    ],
)
def test_closed_output_leaves_the_exit_code(
    clean_environment: dict[str, str], command: str, code: int
) -> None:
    done = shell(command, clean_environment)
    assert done.returncode == code
    assert done.stderr == ""


@pytest.mark.parametrize(
    "command",
    [
        "keccak",
        "keccak -",
        "root -",
        "rlp decode",
        "rlp encode -",
        "tx decode",
        "tx decode -",
        "block decode -",
        "header hash -",
    ],
)
def test_closed_input_is_an_error(
    clean_environment: dict[str, str], command: str
) -> None:
    done = shell(f"{command} <&-", clean_environment)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "hexary: error: standard input: Bad file descriptor\n"


def test_closed_input_is_an_unreadable_file_to_verify(
    clean_environment: dict[str, str],
) -> None:
    done = shell("verify good.json - <&-", clean_environment)
    assert done.returncode == 2
    assert "UNREADABLE <stdin>: it is closed\n" in done.stdout
    assert "4 checks passed" in done.stdout


@pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("root no-such", 2),
        ("keccak no-such", 2),
        ("no-such", 2),
        ("verify bad.json", 1),
        ("rlp decode 0x81", 2),
    ],
)
def test_messages_that_cannot_be_written_leave_the_exit_code(
    clean_environment: dict[str, str], command: str, code: int
) -> None:
    assert shell(f"{command} 2>/dev/full", clean_environment).returncode == code


@pytest.mark.parametrize("stream", [">&-", "2>&-"])
def test_an_unusable_backend_is_code_2_on_closed_streams(
    clean_environment: dict[str, str], stream: str
) -> None:
    code = "import sys, hexary_command as c; sys.exit(c.main())"
    done = subprocess.run(
        ["/bin/sh", "-c", f'"{sys.executable}" -c "{code}" backends {stream}'],
        env={**clean_environment, "HEXARY_BACKEND": "no-such"},
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2


@pytest.mark.skipif(not ZERO.exists(), reason="needs /dev/zero")
@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        (("rlp", "decode", "--binary", "@/dev/zero"), "/dev/zero"),
        (("rlp", "encode", "@/dev/zero"), "/dev/zero"),
        (("tx", "decode", "@/dev/zero"), "/dev/zero"),
        (("block", "decode", "/dev/zero"), "/dev/zero"),
        (("header", "hash", "/dev/zero"), "/dev/zero"),
    ],
)
def test_input_without_an_end_is_refused(
    run: Any,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    place: str,
) -> None:
    monkeypatch.setattr(streams, "_LARGEST", 1 << 22)
    result = run(*arguments)
    assert (result.code, result.out) == (2, "")
    assert result.err == f"hexary: error: {place}: larger than 0 GiB\n"


def test_input_that_does_not_fit_into_memory_is_no_defect(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("hexary.rlp.decode", fail)
    result = run("rlp", "decode", "0xc0")
    assert result == (
        2,
        "",
        "hexary: error: there is not enough memory for this input\n",
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("root", EVIL),
        ("root", "good.json", EVIL),
        ("root", f"genesis{EVIL}.json"),
        ("root", "good.json", "--expect", EVIL),
        ("keccak", EVIL),
        ("keccak", f"--{EVIL}"),
        ("rlp", EVIL),
        ("rlp", "decode", f"@{EVIL}"),
        ("rlp", "decode", EVIL),
        ("rlp", "decode", "--max-depth", EVIL),
        ("rlp", "encode", f'"{EVIL}"'),
        ("verify", EVIL),
        ("verify", f"genesis{EVIL}.json"),
        ("verify", f"--{EVIL}"),
        ("verify", "-", "--stdin-name", EVIL),
        (EVIL,),
    ],
)
def test_no_name_reaches_the_terminal_as_it_is(
    tmp_path: Path, run: Any, arguments: tuple[str, ...]
) -> None:
    (tmp_path / f"genesis{EVIL}.json").write_text(json.dumps(GENESIS))
    result = run(*arguments)
    assert result.code in (1, 2)
    assert "\x1b" not in result.out + result.err
    assert "\n~b" not in result.out + result.err


def test_at_sign_alone_is_told(run: Any) -> None:
    result = run("rlp", "decode", "@")
    assert result.code == 2
    assert "@ is followed by the name of a file" in result.err


def test_ctrl_c_while_the_command_loads_is_no_traceback(
    clean_environment: dict[str, str],
) -> None:
    code = (
        "import sys, os, signal\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'hexary.cli': os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "import hexary_command\n"
        "sys.exit(hexary_command.main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=clean_environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (130, "hexary: interrupted\n")


def test_ctrl_c_while_input_is_awaited_is_no_traceback(
    clean_environment: dict[str, str],
) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "hexary", "keccak"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=clean_environment,
        text=True,
    ) as process:
        assert process.stdin is not None
        # More than a pipe holds: once it is written, the command is reading.
        process.stdin.write("00" * 500_000)
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, "", "hexary: interrupted\n")
