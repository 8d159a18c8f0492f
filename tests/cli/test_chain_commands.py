"""``hexary tx decode``, ``block decode`` and ``header hash``."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hexary import rlp
from hexary.chain import (
    AccessListEntry,
    AuthorityRoundHeader,
    Authorization,
    Blob,
    BlobTransaction,
    BlobTransactionWithProofs,
    Block,
    FeeMarketTransaction,
    Header,
    KZGCommitment,
    KZGProof,
    LegacyTransaction,
    SetCodeTransaction,
    Withdrawal,
    blob_versioned_hash,
)
from hexary.typed import Address, Bytes, Hash

SIGNED = (
    "0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a"
    "76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067"
    "cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83"
)
"""The example of EIP-155."""

HASH = "0x33469b22e9f636356c4160a87eb19df52b7412e8eac32a4a55ffe88ea8350788"
SENDER = "0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f"

COMMITMENT = KZGCommitment(bytes([0xC0]) + bytes(47))
WRAPPED = BlobTransactionWithProofs(
    BlobTransaction(
        chain_id=1,
        to=Address(5),
        blob_versioned_hashes=(blob_versioned_hash(COMMITMENT),),
    ),
    (Blob(0),),
    (COMMITMENT,),
    (KZGProof(0),),
)
BLOCK = Block.of(
    Header(number=7, base_fee_per_gas=7),
    [LegacyTransaction(to=Address(5)), FeeMarketTransaction(chain_id=1)],
    [Header(number=6)],
    [Withdrawal(1, 2, Address(3), 4)],
)


def test_a_transaction_as_lines(run: Any) -> None:
    pytest.importorskip("coincurve")
    result = run("tx", "decode", SIGNED)
    assert (result.code, result.err) == (0, "")
    lines = dict(line.split("  ", 1) for line in result.out.splitlines())
    found = {name: value.strip() for name, value in lines.items()}
    assert found["type"] == "0 (legacy)"
    assert found["hash"] == HASH
    assert found["sender"] == SENDER
    assert found["nonce"] == "9"
    assert found["value"] == str(10**18)
    assert found["v"] == "37"


def test_a_transaction_as_json(run: Any, tmp_path: Path) -> None:
    pytest.importorskip("coincurve")
    file = tmp_path / "transaction.hex"
    file.write_text(SIGNED[:40] + "\n" + SIGNED[40:] + "\n")
    for arguments, stdin in (
        ((SIGNED,), b""),
        ((SIGNED[2:],), b""),
        ((f"@{file}",), b""),
        (("-",), SIGNED.encode()),
        ((), SIGNED.encode()),
    ):
        result = run("tx", "decode", "--json", *arguments, stdin=stdin)
        assert result.code == 0
        found = json.loads(result.out)
        assert (found["hash"], found["sender"]) == (HASH, SENDER)
        assert found["transaction"]["gas"] == "0x5208"
        assert "ok" not in found


def test_a_fork_may_refuse_a_transaction(run: Any) -> None:
    pytest.importorskip("coincurve")
    assert run("tx", "decode", SIGNED, "--fork", "Osaka", "--chain-id", "1").code == 0
    result = run("tx", "decode", SIGNED, "--fork", "Homestead")
    assert result.code == 1
    assert "hexary: Homestead refuses it: transaction.v: v is 27 or 28" in result.err
    result = run("tx", "decode", "--json", SIGNED, "--fork", "Osaka", "--chain-id", "5")
    assert result.code == 1
    found = json.loads(result.out)
    assert (found["ok"], found["fork"]) == (False, "Osaka")
    assert "a transaction is for this chain" in found["fault"]
    assert json.loads(run("tx", "decode", "--json", SIGNED, "--fork", "Osaka").out)[
        "ok"
    ]


def test_a_call_that_is_at_fault(run: Any) -> None:
    assert run("tx", "decode", SIGNED, "--chain-id", "1").code == 2
    result = run("tx", "decode", SIGNED, "--fork", "Eden")
    assert result.code == 2
    assert result.err.startswith(
        "hexary: error: 'Eden': is not the name of a fork (they are Frontier, "
    )
    result = run("tx", "decode", "0xc9808080808080808000")
    assert result.code == 2
    assert "legacy_transaction.s: an integer has no leading zero byte" in result.err
    assert run("tx", "decode", "0xzz").code == 2
    assert run("tx", "decode", "0x").code == 2
    assert run("tx", "decode", "@missing.hex").code == 2


def test_what_a_transaction_lists(run: Any) -> None:
    transaction = SetCodeTransaction(
        chain_id=1,
        to=Address(5),
        data=Bytes(bytes(100)),
        access_list=(AccessListEntry(Address(6), (Hash(1), Hash(2))),),
        authorization_list=(Authorization(1, Address(7), 8),),
    )
    out = run("tx", "decode", "0x" + transaction.rlp().hex()).out
    assert "4 (set code, EIP-7702)" in out
    assert "unknown: r: r is from 1" in out
    assert f"  access {Address(6)}, 2 slots\n" in out
    assert f"  authorization for {Address(7)}, nonce 8\n" in out
    assert "… (100 bytes)" in out
    creation = run("tx", "decode", "0x" + FeeMarketTransaction().rlp().hex()).out
    assert "nobody (creates a contract)" in creation


def test_a_transaction_with_its_blobs(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "blobs.hex"
    file.write_text(WRAPPED.rlp().hex())
    out = run("tx", "decode", f"@{file}").out
    assert "wrapper version" in out
    assert f"  blob {WRAPPED.transaction.blob_versioned_hashes[0]}\n" in out
    found = json.loads(run("tx", "decode", "--json", f"@{file}").out)
    assert (found["wrapperVersion"], found["blobs"]) == (0, 1)
    assert found["transaction"]["type"] == "0x3"
    assert found["hash"] == str(WRAPPED.transaction.hash())


def test_blocks_in_every_form(run: Any, tmp_path: Path) -> None:
    raw = tmp_path / "blocks.rlp"
    raw.write_bytes(BLOCK.rlp() + Block.of(Header(number=8)).rlp())
    text = tmp_path / "blocks.hex"
    text.write_text("0x" + raw.read_bytes().hex() + "\n")
    for file in (raw, text):
        result = run("block", "decode", file)
        assert (result.code, result.err) == (0, "")
        assert f"block 7, {BLOCK.hash()}\n" in result.out
        assert "block 8, 0x" in result.out
        assert "  2 transactions\n    0: type 0, 0x" in result.out
        assert " to a new contract\n" in result.out
        assert "  ommer 6, 0x" in result.out
        assert f"    1: 4 gwei to {Address(3)}\n" in result.out
        lines = run("block", "decode", "--json", file).out.splitlines()
        assert [json.loads(line)["number"] for line in lines] == ["0x7", "0x8"]
        assert all(json.loads(line)["ok"] for line in lines)
    result = run("block", "decode", "-", stdin=BLOCK.rlp())
    assert f"block 7, {BLOCK.hash()}\n" in result.out


@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize("spelling", ["rpc", "fixture"])
def test_blocks_in_json(run: Any, tmp_path: Path, spelling: Any, wrapped: bool) -> None:
    block = BLOCK.replace(ommers=())
    block = Block.of(block.header, block.transactions, (), block.withdrawals)
    value: Any = block.to_json(spelling=spelling)
    file = tmp_path / "block.json"
    file.write_text(
        json.dumps({"jsonrpc": "2.0", "result": value} if wrapped else value)
    )
    result = run("block", "decode", file)
    assert (result.code, result.err) == (0, "")
    assert f"block 7, {block.hash()}\n" in result.out
    found = run("header", "hash", file)
    assert found.out.splitlines()[0] == f"hash    {block.hash()}"


def test_a_block_and_a_fork(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "block.rlp"
    header = Header(number=7, gas_limit=5, base_fee_per_gas=7)
    file.write_bytes(Block.of(header, withdrawals=[]).rlp())
    result = run("block", "decode", "--fork", "Shanghai", file)
    assert (result.code, result.err) == (0, "")
    result = run("block", "decode", "--json", "--fork", "paris", file)
    assert (result.code, json.loads(result.out)["ok"]) == (1, False)
    assert result.err == (
        "hexary: block 7: header.withdrawals_root: the header has exactly the fields "
        "of the fork\n"
    )
    result = run("block", "decode", "--fork", "Eden", file)
    assert (result.code, result.out) == (2, "")
    assert "is not the name of a fork" in result.err


def test_a_block_whose_root_is_another(run: Any, tmp_path: Path) -> None:
    file = tmp_path / "block.rlp"
    file.write_bytes(BLOCK.replace(transactions=()).rlp())
    result = run("block", "decode", file)
    assert result.code == 1
    assert result.err.startswith(
        "hexary: block 7: header.transactions_root: the header has the root of the"
    )
    result = run("block", "decode", "--json", file)
    assert (result.code, json.loads(result.out)["ok"]) == (1, False)


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[]", b"{", b"\xc0", b"zz", b'{"jsonrpc":"2.0"}', b"\xff"]
)
def test_files_without_a_block(run: Any, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "block"
    file.write_bytes(content)
    for command in (("block", "decode"), ("header", "hash")):
        result = run(*command, file)
        assert (result.code, result.out) == (2, "")
        assert result.err.startswith("hexary: error: ")
        assert result.err.count("\n") == 1


def test_hashes_of_headers(run: Any, tmp_path: Path) -> None:
    raw = tmp_path / "header.rlp"
    raw.write_bytes(BLOCK.header.rlp())
    text = tmp_path / "block.hex"
    text.write_text(BLOCK.rlp().hex())
    spelled = tmp_path / "header.json"
    spelled.write_text(json.dumps(BLOCK.header.to_json(spelling="fixture")))
    for file in (raw, text, spelled):
        result = run("header", "hash", file)
        assert (result.code, result.err) == (0, "")
        assert result.out == (
            f"hash    {BLOCK.hash()}\nnumber  7\nparent  {BLOCK.header.parent_hash}\n"
        )
        found = json.loads(run("header", "hash", "--json", file).out)
        assert found["ok"] is True
        assert found["hash"] == str(BLOCK.hash())
        assert found["header"]["number"] == "0x7"
    assert run("header", "hash", raw, "--expect", str(BLOCK.hash())).code == 0
    result = run("header", "hash", raw, "--expect", str(Hash(1)))
    assert result.code == 1
    assert f"hexary: hash: got {BLOCK.hash()}, expected {Hash(1)}" in result.err
    result = run("header", "hash", "--json", raw, "--expect", str(Hash(1)))
    assert json.loads(result.out)["ok"] is False


def test_headers_of_authority_round(run: Any, tmp_path: Path) -> None:
    header = AuthorityRoundHeader(step=5, signature=bytes(65))
    raw = tmp_path / "header.rlp"
    raw.write_bytes(header.rlp())
    spelled = tmp_path / "header.json"
    spelled.write_text(json.dumps(header.to_json()))
    for file in (raw, spelled):
        assert run("header", "hash", file).out.startswith(f"hash    {header.hash()}\n")


@pytest.mark.parametrize("command", [("block", "decode"), ("header", "hash")])
@pytest.mark.parametrize("content", [b"", b" \n", b"0x\n"])
def test_a_file_without_anything_is_refused(
    run: Any, tmp_path: Path, command: tuple[str, str], content: bytes
) -> None:
    """What has been cut off to nothing is no list of no blocks."""
    file = tmp_path / "blocks"
    file.write_bytes(content)
    result = run(*command, file)
    assert (result.code, result.out) == (2, "")
    assert "there are no bytes to decode" in result.err


@pytest.mark.parametrize(
    "transaction", [LegacyTransaction(v=27, r=1, s=1), FeeMarketTransaction(), WRAPPED]
)
def test_a_transaction_as_it_is_in_a_file(
    run: Any, tmp_path: Path, transaction: Any
) -> None:
    file = tmp_path / "transaction.bin"
    file.write_bytes(transaction.rlp())
    as_hex = run("tx", "decode", "--json", f"0x{transaction.rlp().hex()}")
    assert as_hex.code == 0
    assert run("tx", "decode", "--json", f"@{file}") == as_hex
    assert run("tx", "decode", "--json", "-", stdin=transaction.rlp()) == as_hex


@pytest.mark.parametrize("arguments", [("0xé",), ("-",), ("@é.hex",)])
@pytest.mark.parametrize("command", [("tx", "decode"), ("rlp", "decode")])
def test_text_that_is_no_hex_is_told_as_it_is(
    program: Any, tmp_path: Path, command: Any, arguments: Any
) -> None:
    (tmp_path / "é.hex").write_text("0xé", encoding="utf-8")
    told = program(
        *command,
        *arguments,
        stdin="0xé".encode(),
        cwd=tmp_path,
        environment={"PYTHONIOENCODING": "utf-8", "PYTHONUTF8": "1"},
    )
    assert told.code == 2
    assert "'0xé' at position 2 ('é'): hex digits are" in told.err


def test_bytes_that_are_no_text_are_told(run: Any) -> None:
    told = run("tx", "decode", "-", stdin=b"0x\xa1")
    assert told.code == 2
    assert "hex digits are" in told.err


def test_no_transaction_at_all_is_told(run: Any, tmp_path: Path) -> None:
    empty = tmp_path / "empty.hex"
    empty.write_bytes(b"\n")
    nothing = "there are no bytes to decode; at offset 0\n"
    assert run("tx", "decode") == (2, "", f"hexary: error: standard input: {nothing}")
    assert run("tx", "decode", f"@{empty}") == (
        2,
        "",
        f"hexary: error: {empty}: {nothing}",
    )
    assert run("tx", "decode", "0x") == (2, "", f"hexary: error: {nothing}")


def test_an_at_sign_alone_is_told(run: Any) -> None:
    result = run("tx", "decode", "@")
    assert result.code == 2
    assert "@ is followed by the name of a file" in result.err


@pytest.mark.parametrize("spelling", ["rpc", "fixture"])
def test_json_of_a_block_has_its_hash(run: Any, tmp_path: Path, spelling: Any) -> None:
    file = tmp_path / "block.json"
    block = BLOCK.replace(
        ommers=(), header=BLOCK.header.replace(ommers_hash=Header().ommers_hash)
    )
    written = block.to_json(spelling=spelling)
    inside = written["blockHeader"] if spelling == "fixture" else written
    file.write_text(json.dumps(written))
    assert run("block", "decode", file).code == 0
    inside["hash"] = None
    file.write_text(json.dumps(written))
    assert run("block", "decode", file).code == 0
    inside["hash"] = str(Hash(5))
    file.write_text(json.dumps(written))
    result = run("block", "decode", "--json", file)
    assert (result.code, json.loads(result.out)["ok"]) == (1, False)
    assert f"got {Hash(5)}, expected {block.hash()}" in result.err
    for wrong in (5, "zz", "0x00", []):
        inside["hash"] = wrong
        file.write_text(json.dumps(written))
        assert run("block", "decode", file).code == 2


def test_a_mark_of_text_is_skipped(run: Any, tmp_path: Path) -> None:
    """As some editors put it before hex text and JSON."""
    file = tmp_path / "marked"
    mark = b"\xef\xbb\xbf"
    file.write_bytes(mark + SIGNED.encode())
    assert run("tx", "decode", f"@{file}") == run("tx", "decode", SIGNED)
    header = BLOCK.header
    for text in (json.dumps(header.to_json()), header.rlp().hex()):
        file.write_bytes(mark + text.encode())
        result = run("header", "hash", file)
        assert result.out.startswith(f"hash    {header.hash()}\n")


def test_only_the_header_of_a_block_is_read(run: Any, tmp_path: Path) -> None:
    """Whatever else it holds, which may take many times as much memory."""
    file = tmp_path / "block.rlp"
    parts = [BLOCK.header, [[]] * 1000, b"no list"]
    file.write_bytes(rlp.encode(parts))
    result = run("header", "hash", file)
    assert result.out.startswith(f"hash    {BLOCK.hash()}\n")
    file.write_bytes(rlp.encode([[[]] * 1000]))
    result = run("header", "hash", file)
    assert (result.code, result.out) == (2, "")
    assert "header.parent_hash" in result.err


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda data: data + b"\xc0", "left over"),
        (lambda data: data[:-1], "input ends before"),
        (lambda data: b"\x05" + data[1:], "left over|a list is expected"),
        (
            lambda data: data[:1] + b"\x80" * (len(data) - 1),
            "header|left over|input ends before",
        ),
    ],
)
def test_broken_headers_are_refused(
    run: Any, tmp_path: Path, change: Any, told: str
) -> None:
    file = tmp_path / "header.hex"
    for data in (BLOCK.header.rlp(), BLOCK.rlp()):
        file.write_text(change(data).hex())
        result = run("header", "hash", file)
        assert (result.code, result.out) == (2, "")
        assert re.search(told, result.err)


def test_a_broken_header_is_told_as_what_it_looks_like(
    run: Any, tmp_path: Path
) -> None:
    file = tmp_path / "header.rlp"
    aura = AuthorityRoundHeader(step=5, signature=bytes(65))
    for header in (Header(), aura):
        late = header.rlp(append=[2**256])
        file.write_bytes(late)
        result = run("header", "hash", file)
        assert result.code == 2
        assert "base_fee_per_gas" in result.err
