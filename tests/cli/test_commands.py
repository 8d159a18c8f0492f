"""``hexary root``, ``keccak``, ``rlp``, ``backends`` and the command itself."""

from __future__ import annotations

import importlib.metadata
import json
from pathlib import Path
from typing import Any

import pytest

import hexary
from hexary import hash as hashing
from hexary import rlp

EMPTY_256 = "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"
HELLO_256 = "0x1c8aff950685c2ed4bc3174f3472287b56d9517b9c948127319a09a7a36deac8"
EMPTY_ROOT = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"
MORDOR = {
    "config": {"chainId": 63},
    "difficulty": "0x20000",
    "gasLimit": "0x2fefd8",
    "timestamp": "0x5d9676db",
    "extraData": "0x70686f656e697820636869636b656e206162737572642062616e616e61",
    "alloc": {},
}
MORDOR_HASH = "0xa68ebde7932eccb177d38d55dcc6461a019dd795a681e59b5a3e4f3a7259a3f1"
ALLOC = {"0xa94f5374fce5edbc8e2a8697c15331677e6ebf0b": {"balance": "1"}}
ALLOC_ROOT = "0x6c59244cf77d88aba5991e1ea64e6cc34682bc51c222c2e714e15f4ece0f56d2"


def write(folder: Path, name: str, content: str | bytes | dict[str, Any]) -> Path:
    path = folder / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


# The command itself


def test_the_version(run: Any) -> None:
    assert run("--version") == (0, f"hexary {hexary.__version__}\n", "")
    assert run("-V").out == run("--version").out


def test_no_command_shows_the_help(run: Any) -> None:
    result = run()
    assert result.code == 2
    assert "Commands:" in result.out + result.err
    assert run("-h").out == run("--help").out


def test_an_unknown_command_is_told(run: Any) -> None:
    result = run("veryfy")
    assert result.code == 2
    assert result.err.endswith(
        "Error: No such command 'veryfy'. Did you mean verify?\n"
    )
    result = run("zz\nzz")
    assert result.code == 2
    assert result.err.endswith("Error: No such command 'zz\\nzz'.\n")


@pytest.mark.parametrize(
    "start",
    [
        ("-m", "hexary"),
        ("-X", "dev", "-m", "hexary"),
        ("-c", "import sys, hexary_command as c; sys.exit(c.main())"),
    ],
    ids=["module", "options", "command"],
)
@pytest.mark.parametrize("forced", ["native", "no-such"])
def test_an_unusable_backend_is_one_line(
    program: Any, start: tuple[str, ...], forced: str
) -> None:
    if forced == "native" and hashing.probe_backends()[0].usable:
        pytest.skip("the native backend is usable here")
    result = program("backends", start=start, environment={"HEXARY_BACKEND": forced})
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("hexary: error: HEXARY_BACKEND=")
    assert result.err.count("\n") == 1


def test_a_broken_installation_keeps_its_traceback(program: Any) -> None:
    code = (
        "import sys; sys.modules['click'] = None; "
        "import hexary_command; sys.exit(hexary_command.main())"
    )
    result = program("backends", start=("-c", code))
    assert result.code == 1
    assert "Traceback" in result.err
    assert "ModuleNotFoundError" in result.err or "ImportError" in result.err


def test_the_installed_command_runs_this_main() -> None:
    """The one that turns an unusable backend into a message, not `hexary.cli.main`."""
    import hexary_command

    [entry] = importlib.metadata.entry_points(group="console_scripts", name="hexary")
    assert entry.load() is hexary_command.main


def test_a_command_loads_only_what_it_needs(program: Any) -> None:
    code = (
        "import sys; from hexary.cli import main; main(['keccak', '--hex', '0x']); "
        "print(sorted({'rich', 'hexary.fixtures', 'hexary.chain'} & set(sys.modules)))"
    )
    assert program(start=("-c", code)).out == f"{EMPTY_256}\n[]\n"


def test_standard_output_that_cannot_be_written_is_told(program: Any) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    code = (
        "import sys; sys.stdout = open('/dev/full', 'w'); "
        "from hexary.cli import main; sys.exit(main(['keccak', '--hex', '0x']))"
    )
    result = program(start=("-c", code))
    assert result.code == 2
    assert "hexary: error: standard output: No space left on device" in result.err


# hexary root


def test_root_of_a_genesis(tmp_path: Path, run: Any) -> None:
    path = write(tmp_path, "genesis.json", MORDOR)
    assert run("root", path) == (
        0,
        f"state root  {EMPTY_ROOT}\nblock hash  {MORDOR_HASH}\naccounts    0\n",
        "",
    )
    assert json.loads(run("root", path, "--json").out) == {
        "ok": True,
        "file": str(path),
        "stateRoot": EMPTY_ROOT,
        "block0Hash": MORDOR_HASH,
        "accounts": 0,
    }


def test_root_of_an_alloc(tmp_path: Path, run: Any) -> None:
    shown = f"state root  {ALLOC_ROOT}\naccounts    1\n"
    assert run("root", write(tmp_path, "a.json", ALLOC)) == (0, shown, "")
    framed = write(tmp_path, "b.json", {"alloc": ALLOC})
    assert run("root", framed).out == shown
    assert run("root", "-", stdin=json.dumps(ALLOC).encode()).out == shown
    assert json.loads(run("root", framed, "--json").out)["block0Hash"] is None


def test_root_compares(tmp_path: Path, run: Any) -> None:
    path = write(tmp_path, "genesis.json", MORDOR)
    right = ("--expect", EMPTY_ROOT[2:].upper(), "--expect-block", MORDOR_HASH)
    assert run("root", path, *right).code == 0
    wrong = run("root", path, "--expect", MORDOR_HASH)
    assert wrong.code == 1
    assert wrong.err == (
        f"hexary: state root: got {EMPTY_ROOT}, expected {MORDOR_HASH}; "
        "the other of the two hashes is the expected one\n"
    )
    assert run("root", path, "--expect-block", "00" * 32).code == 1
    assert (
        json.loads(run("root", path, "--json", "--expect", "00" * 32).out)["ok"]
        is False
    )


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("", (), "not JSON"),
        ("[]", (), "must be an object"),
        (json.dumps(MORDOR), ("--expect", "0x00"), "Hash holds 32 bytes, got 1"),
        (json.dumps(MORDOR), ("--expect", "x" * 64), "hex digits are"),
        (json.dumps(ALLOC), ("--expect-block", "00" * 32), "FILE is an alloc"),
        (json.dumps({"0x00": {}}), (), "0x00"),
        (
            json.dumps(MORDOR),
            ("--expect", ""),
            "Invalid value for --expect: Hash holds",
        ),
        (json.dumps(MORDOR), ("--expect-block", "1"), "value for --expect-block: '1'"),
        (json.dumps({"dog": {"in": "dog"}}), (), "neither a genesis file nor an alloc"),
        (json.dumps({"dog": {}, "0x00": {}}), (), "alloc.dog: 'dog' at position"),
    ],
)
def test_root_tells_what_is_wrong(
    tmp_path: Path, run: Any, content: str, options: tuple[str, ...], message: str
) -> None:
    result = run("root", write(tmp_path, "a.json", content), *options)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert "Traceback" not in result.err


def test_root_of_constructed_accounts_is_refused(tmp_path: Path, run: Any) -> None:
    genesis = {
        "engine": {},
        "genesis": {"difficulty": "0x1", "gasLimit": "0x1388"},
        "accounts": {"0x" + "01" * 20: {"constructor": "0x00"}},
    }
    result = run("root", write(tmp_path, "a.json", genesis))
    assert result.code == 2
    assert "constructor" in result.err


# hexary keccak


def test_keccak_of_hex_and_text(run: Any) -> None:
    assert run("keccak", "--hex", "0x") == (0, f"{EMPTY_256}\n", "")
    assert run("keccak", "--hex", "68656C6C6F").out == f"{HELLO_256}\n"
    assert run("keccak", "--text", "").out == f"{EMPTY_256}\n"
    both = run("keccak", "--text", "hello", "--hex", "0x")
    assert both.out == f"{EMPTY_256}\n{HELLO_256}\n"
    umlaut = run("keccak", "--text", "é").out
    assert umlaut == f"0x{hashing.keccak256('é'.encode()).hex()}\n"


def test_keccak_of_files_and_standard_input(tmp_path: Path, run: Any) -> None:
    path = write(tmp_path, "a.txt", b"hello")
    assert run("keccak", path).out == f"{HELLO_256}  {path}\n"
    assert run("keccak", stdin=b"hello").out == f"{HELLO_256}  -\n"
    assert run("keccak", "-", path, stdin=b"").out == (
        f"{EMPTY_256}  -\n{HELLO_256}  {path}\n"
    )


def test_keccak_streams(tmp_path: Path, run: Any) -> None:
    data = bytes(range(256)) * 10_000
    path = write(tmp_path, "big", data)
    assert run("keccak", path).out.startswith(f"0x{hashing.keccak256(data).hex()}  ")
    wide = run("keccak", "--512", path).out
    assert wide == f"0x{hashing.keccak512(data).hex()}  {path}\n"


def test_keccak_goes_on_after_a_file_that_is_not_there(
    tmp_path: Path, run: Any
) -> None:
    path = write(tmp_path, "a.txt", b"hello")
    result = run("keccak", "no such", tmp_path, path)
    assert result.code == 2
    assert result.out == f"{HELLO_256}  {path}\n"
    assert result.err == (
        "hexary: error: no such: No such file or directory\n"
        f"hexary: error: {tmp_path}: Is a directory\n"
    )


def test_keccak_names_cannot_forge_a_line(tmp_path: Path, run: Any) -> None:
    write(tmp_path, "a\nb", b"hello")
    result = run("keccak", tmp_path / "a\nb")
    assert result.out.count("\n") == 1
    assert "a\\nb" in result.out


@pytest.mark.parametrize(
    ("text", "rule"), [("0x0", "even number"), ("zz", "0-9, a-f"), ("0x 00", "blanks")]
)
def test_keccak_takes_strict_hex(run: Any, text: str, rule: str) -> None:
    result = run("keccak", "--hex", text)
    assert (result.code, result.out) == (2, "")
    assert rule in result.err


# hexary rlp


def test_rlp_encode(run: Any) -> None:
    assert run("rlp", "encode", '["0x636174", 1024, []]') == (
        0,
        "0xc883636174820400c0\n",
        "",
    )
    assert run("rlp", "encode", "--text", '["cat", ["dog"]]').out == (
        "0xc983636174c483646f67\n"
    )
    assert run("rlp", "encode", "true").out == "0x01\n"
    assert run("rlp", "encode", stdin=b'"0x"').out == "0x80\n"
    assert run("rlp", "encode", "-", stdin=b"0").out == "0x80\n"


def test_rlp_encode_of_a_file(tmp_path: Path, run: Any) -> None:
    path = write(tmp_path, "a.json", "[]")
    assert run("rlp", "encode", f"@{path}").out == "0xc0\n"
    gone = run("rlp", "encode", "@gone")
    assert (gone.code, gone.err) == (
        2,
        "hexary: error: gone: No such file or directory\n",
    )


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ('["cat"]', "'cat' is not 0x-hex; with --text, strings are text (at [0])"),
        ("[[1, null]]", "null has no encoding"),
        ("1.5", "1.5 has no encoding"),
        ('{"a": 1}', "dict of 1 has no encoding"),
        ('"0x0"', "even number of hex digits"),
        ("[", "not JSON"),
        (" -1", "negative"),
        ("[" * 1000, "nested 1000 deep"),
    ],
)
def test_rlp_encode_tells_what_is_wrong(run: Any, value: str, message: str) -> None:
    result = run("rlp", "encode", value)
    assert (result.code, result.out) == (2, "")
    assert message in result.err


def test_rlp_decode_as_a_tree(run: Any) -> None:
    item = [b"cat", b"", [b"\x04\x00"], b"\x00" * 40, b'say "hi"', b"x" * 50]
    result = run("rlp", "decode", rlp.encode(item).hex())
    assert result == (
        0,
        "list of 6 items, 112 bytes encoded\n"
        '  0: 0x636174 (3 bytes) "cat"\n'
        "  1: 0x (empty)\n"
        "  2: list of 1 item, 4 bytes encoded\n"
        "    0: 0x0400 (2 bytes) = 1024\n"
        "  3: 0x000000000000000000000000000000000000000000000000… (40 bytes)\n"
        '  4: 0x7361792022686922 (8 bytes) "say \\"hi\\""\n'
        '  5: 0x787878787878787878787878787878787878787878787878… (50 bytes) "'
        + "x" * 32
        + "…\n",
        "",
    )
    whole = run("rlp", "decode", "--full", rlp.encode(item).hex()).out
    assert "00" * 40 + " (40 bytes)\n" in whole
    assert run("rlp", "decode", "0x7f").out == "0x7f (1 byte) = 127\n"


def test_rlp_encode_does_not_depend_on_the_recursion_limit(program: Any) -> None:
    code = (
        "import sys; sys.setrecursionlimit(120); from hexary.cli import main; "
        "sys.exit(main(['rlp', 'encode', '[' * 250 + '-1' + ']' * 250]))"
    )
    result = program(start=("-c", code))
    assert (result.code, result.out) == (2, "")
    assert "must not be negative, got -1 (at [0][0]" in result.err


def test_rlp_decode_as_json(run: Any) -> None:
    result = run("rlp", "decode", "--json", "c883636174820400c0")
    assert json.loads(result.out) == ["0x636174", "0x0400", []]


def test_rlp_decode_reads_files_and_standard_input(tmp_path: Path, run: Any) -> None:
    folded = write(tmp_path, "a.hex", "0xc483\n 636174\n")
    raw = write(tmp_path, "a.rlp", bytes.fromhex("c483636174"))
    shown = 'list of 1 item, 5 bytes encoded\n  0: 0x636174 (3 bytes) "cat"\n'
    assert run("rlp", "decode", f"@{folded}").out == shown
    assert run("rlp", "decode", stdin=folded.read_bytes()).out == shown
    assert run("rlp", "decode", "--binary", f"@{raw}").out == shown
    assert run("rlp", "decode", "--binary", "-", stdin=raw.read_bytes()).out == shown
    assert run("rlp", "decode", "--binary", "c0").code == 2


def test_rlp_decode_of_several_encodings(run: Any) -> None:
    assert run("rlp", "decode", "c080").code == 2
    result = run("rlp", "decode", "--concatenated", "--json", "c080")
    assert result == (0, '[]\n"0x"\n', "")


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ("0xc883636174ff", "  c883636174ff\n  ^^ offset 0 of 6 bytes, TRUNCATED\n"),
        ("0xc28363", "  c28363\n    ^^ offset 1 of 3 bytes, OVERRUN\n"),
        ("0xc08080", "  c08080\n    ^^ offset 1 of 3 bytes, TRAILING_BYTES\n"),
        (
            "d0" + "80" * 15 + "8100" + "00" * 20,
            f"…{'80' * 8}8100{'00' * 18}…\n{'^^':>21} offset 16 of 38 bytes, OVERRUN\n",
        ),
        ("", "there are no bytes to decode; at offset 0\n"),
    ],
)
def test_rlp_decode_points_at_the_error(run: Any, text: str, pointer: str) -> None:
    result = run("rlp", "decode", text)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("hexary: error: ")
    assert result.err.endswith(pointer)


def nested(depth: int) -> bytes:
    """Return the encoding of *depth* lists in each other."""
    data = b""
    for _ in range(depth):
        size = len(data)
        width = (size.bit_length() + 7) // 8
        head = (
            [0xC0 + size] if size < 56 else [0xF7 + width, *size.to_bytes(width, "big")]
        )
        data = bytes(head) + data
    return data


def test_rlp_decode_of_deep_lists(tmp_path: Path, run: Any) -> None:
    path = write(tmp_path, "deep.rlp", nested(10_000))
    refused = run("rlp", "decode", "--binary", f"@{path}")
    assert refused.code == 2
    assert "TOO_DEEP" in refused.err
    options = ("--binary", "--max-depth", "10000", f"@{path}")
    tree = run("rlp", "decode", *options)
    assert tree.code == 0
    assert tree.out.splitlines()[-1].strip() == (
        "(9999 deep) 0: list of 0 items, 1 byte encoded"
    )
    assert max(map(len, tree.out.splitlines())) < 100
    assert (
        run("rlp", "decode", "--json", *options).out
        == "[" * 10_000 + "]" * 10_000 + "\n"
    )


# hexary backends


def test_backends_is_a_table(run: Any) -> None:
    result = run("backends")
    assert result.code == 0
    lines = result.out.splitlines()
    assert lines[1].split() == ["backend", "version", "self-test", "detail"]
    for name in ("native", "hashlib", "pycryptodome"):
        assert any(line.split()[:1] == [name] for line in lines)
    assert sum("in use" in line for line in lines) == 1
    assert max(map(len, lines)) <= 80


def test_backends_as_json(run: Any) -> None:
    rows = json.loads(run("backends", "--json").out)
    assert [row["name"] for row in rows] == ["native", "hashlib", "pycryptodome"]
    [used] = [row for row in rows if row["in_use"]]
    assert used["name"] == hashing.BACKEND.name
    assert used["self_test"] == "passed"
    for row in rows:
        assert row["usable"] == (row["self_test"] == "passed") == (row["reason"] == "")


def test_backends_tells_a_failed_self_test(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = hashing.BackendReport(
        name="hashlib",
        usable=False,
        self_test="failed",
        reason="wrong answer for keccak256",
        remedy="upgrade",
        version="",
        detail="",
        in_use=False,
    )
    monkeypatch.setattr(hashing, "probe_backends", lambda: [report])
    [row] = json.loads(run("backends", "--json").out)
    assert row["self_test"] == "failed"
    table = run("backends").out
    assert "failed" in table
    assert "wrong answer" in table
