"""``hexary proof verify`` and ``hexary proof make``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hexary import Account, AccountProof, Header, SQLiteStore, State

ADDRESS = "0x" + 38 * "0" + "01"
NOBODY = "0x" + 38 * "0" + "02"
STATE = State({ADDRESS: Account(1, 1000, "0x60", {5: 6}), "0x" + 40 * "1": Account(2)})
ROOT = str(STATE.root())


def write(path: Path, content: Any) -> Path:
    path.write_text(json.dumps(content))
    return path


@pytest.fixture
def answer(tmp_path: Path) -> Path:
    return write(tmp_path / "answer.json", STATE.prove(ADDRESS, [5, 7]).to_json())


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "state.sqlite"
    with SQLiteStore(path) as opened:
        State(STATE.alloc(), store=opened).commit("latest")
    return path


def test_what_is_proven_is_printed(run: Any, answer: Path) -> None:
    result = run("proof", "verify", answer, "--state-root", ROOT)
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines()[:3] == [
        f"account  {ADDRESS}",
        "  nonce        0x1",
        "  balance      0x3e8",
    ]
    assert result.out.splitlines()[-2:] == ["  slot 0x5  0x6", "  slot 0x7  0x0"]


def test_an_absent_account_is_proven(run: Any, tmp_path: Path) -> None:
    answer = write(tmp_path / "a.json", [STATE.prove(NOBODY).to_json()])
    result = run("proof", "verify", answer, "--state-root", ROOT)
    assert (result.code, result.out) == (
        0,
        f"account  {NOBODY}\n  does not exist\n",
    )


def test_json(run: Any, answer: Path) -> None:
    result = run("proof", "verify", answer, "--state-root", ROOT, "--json")
    told = json.loads(result.out)
    assert told["ok"] is True
    assert told["stateRoot"] == ROOT
    assert told["accounts"][0]["storage"] == {"0x5": "0x6", "0x7": "0x0"}


def test_each_claim_that_is_not_proven_is_told(run: Any, tmp_path: Path) -> None:
    document = STATE.prove(ADDRESS, [5, 7]).to_json()
    for claim in document["storageProof"]:
        claim["value"] = "0x9"
    good = STATE.prove(NOBODY).to_json()
    file = write(tmp_path / "a.json", {ADDRESS: document, NOBODY: good})
    result = run("proof", "verify", file, "--state-root", ROOT)
    assert result.code == 1
    assert result.out == f"account  {NOBODY}\n  does not exist\n"
    lines = result.err.splitlines()
    assert lines[0].startswith(f"hexary: not proven: slot 0x5 of {ADDRESS}: the key")
    assert lines[1].startswith(f"hexary: not proven: slot 0x7 of {ADDRESS}: the key")
    assert run("proof", "verify", file, "--state-root", ADDRESS + 24 * "0").code == 1


def test_the_state_root_comes_from_a_block(
    run: Any, answer: Path, tmp_path: Path
) -> None:
    header = Header(state_root=STATE.root(), number=7)
    block = {**header.to_json(), "hash": str(header.hash())}
    file = write(tmp_path / "block.json", {"result": block})
    assert run("proof", "verify", answer, "--block", file).code == 0
    good = ("--block", file, "--block-hash", str(header.hash()))
    assert run("proof", "verify", answer, *good).code == 0
    result = run("proof", "verify", answer, "--block", file, "--block-hash", ROOT)
    assert result.code == 2
    assert "the header is not the one of this hash" in result.err
    write(file, {**block, "hash": ROOT})
    assert run("proof", "verify", answer, "--block", file).code == 2
    (tmp_path / "header.rlp").write_bytes(header.rlp())
    file = tmp_path / "header.rlp"
    assert run("proof", "verify", answer, "--block", file).code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--state-root", ROOT, "--block", "b.json"),
        ("--state-root", "0x12"),
        ("--state-root", ROOT, "--block-hash", ROOT),
    ],
)
def test_wrong_calls(run: Any, answer: Path, arguments: tuple[str, ...]) -> None:
    assert run("proof", "verify", answer, *arguments).code == 2


def test_a_file_at_fault(run: Any, tmp_path: Path) -> None:
    for content in ([1], {"accountProof": []}, {"address": ADDRESS}):
        file = write(tmp_path / "a.json", content)
        result = run("proof", "verify", file, "--state-root", ROOT)
        assert (result.code, result.out) == (2, "")


def test_a_proof_is_made_from_a_store(run: Any, store: Path) -> None:
    result = run("proof", "make", store, ADDRESS, "0x5", "7")
    assert (result.code, result.err) == (0, "")
    proof = AccountProof.from_json(json.loads(result.out))
    assert proof.verify(STATE.root()).storage == {5: 6, 7: 0}
    again = run("proof", "verify", "-", "--state-root", ROOT, stdin=result.out.encode())
    assert again.code == 0
    for root in ("latest", ROOT):
        assert run("proof", "make", store, ADDRESS, "--root", root).code == 0
    assert run("proof", "make", store, ADDRESS, "--root", "other").code == 2
    assert run("proof", "make", store, "0x1").code == 2
    assert run("proof", "make", store, ADDRESS, "xx").code == 2
    assert run("proof", "make", "absent.sqlite", ADDRESS).code == 2


def test_json_tells_what_is_not_proven(run: Any, tmp_path: Path) -> None:
    document = STATE.prove(ADDRESS, [5, 7]).to_json()
    document["storageProof"][0]["value"] = "0x9"
    document["storageProof"][1]["proof"] = []
    file = write(tmp_path / "a.json", document)
    result = run("proof", "verify", file, "--state-root", ROOT, "--json")
    told = json.loads(result.out)
    assert (result.code, told["ok"], told["accounts"]) == (1, False, [])
    wrong, missing = told["failures"]
    assert (wrong["reason"], wrong["got"], wrong["expected"], wrong["path"]) == (
        "WRONG_VALUE",
        "0x9",
        "0x6",
        None,
    )
    assert (missing["reason"], missing["depth"], missing["path"]) == (
        "MISSING_NODE",
        0,
        "",
    )
    assert missing["where"] == f"slot 0x7 of {ADDRESS}"
    assert missing["expected"] == document["storageHash"]


def test_the_answer_has_to_be_the_one_to_the_question(
    run: Any, answer: Path, tmp_path: Path
) -> None:
    call = ("proof", "verify", answer, "--state-root", ROOT)
    assert run(*call, "--address", ADDRESS).code == 0
    assert run(*call, "--slot", "0x5", "--slot", "7").code == 0
    for more, message in (
        (("--address", NOBODY), f"address: is not {NOBODY}"),
        (("--slot", "5"), "storageProof: slot 0x7 was not asked for"),
        (("--slot", "5", "--slot", "7", "--slot", "8"), "slot 0x8 is missing"),
        (("--address", "0x12"), "Invalid value for --address"),
        (("--slot", "0xzz"), "Invalid value for --slot"),
    ):
        result = run(*call, *more)
        assert (result.code, result.out) == (2, "")
        assert message in result.err
    # Some answers do not name their account.
    bare = STATE.prove(ADDRESS).to_json()
    del bare["address"]
    file = write(tmp_path / "bare.json", bare)
    call = ("proof", "verify", file, "--state-root", ROOT)
    assert run(*call).code == 2
    assert run(*call, "--address", ADDRESS).code == 0
    named = write(tmp_path / "named.json", {ADDRESS: bare})
    call = ("proof", "verify", named, "--state-root", ROOT)
    assert run(*call).code == 0
    assert "is not" in run(*call, "--address", NOBODY).err


def test_faults_of_files_are_told_with_their_place(run: Any, tmp_path: Path) -> None:
    good = STATE.prove(ADDRESS).to_json()
    for document, message in (
        ([], "there is no answer in it"),
        ([good, []], "[1]: must be an object"),
        ([good, {**good, "nonce": "x"}], "[1] › nonce: "),
        ({NOBODY: 7}, f"{NOBODY}: must be an object"),
        ({"accounts": {ADDRESS: {**good, "balance": []}}}, f"{ADDRESS} › balance: "),
        ({"error": {"code": 1, "message": "pruned"}}, "the node refuses: 'pruned'"),
    ):
        file = write(tmp_path / "a.json", document)
        for more in ((), ("--json",)):
            result = run("proof", "verify", file, "--state-root", ROOT, *more)
            assert (result.code, result.out) == (2, "")
            assert f"{file}" in result.err
            assert message in result.err
    block = write(tmp_path / "block.json", {"number": "0x1"})
    file = write(tmp_path / "a.json", good)
    result = run("proof", "verify", file, "--block", block)
    assert result.code == 2
    assert f"{block} › header.parentHash" in result.err
