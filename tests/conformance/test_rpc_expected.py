"""
Blocks and receipts of JSON-RPC against the EXPECTED.json beside them.

The answers there say which hash and which roots of a file are right; those that are
wrong on purpose are refused with their reason.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from conformance.json_messages import load, pointed, questions
from conformance.vector_files import VECTORS, vector_cases
from hexary import rlp
from hexary.chain import (
    Block,
    Genesis,
    Header,
    LegacyTransaction,
    Receipt,
    Withdrawal,
    decode_pooled_transaction,
    decode_transaction,
    logs_bloom,
    next_base_fee,
    ommers_hash,
    receipts_root,
    withdrawals_root,
)
from hexary.errors import FixtureError, InvalidError, InvalidReason

FOLDERS = (
    "colibri",
    "eels",
    "ethereumjs-block",
    "execution-apis",
    "geth-ethapi",
    "nimbus-verified-proxy",
    "optimism",
    "trin",
)


def expected_items(path: Path) -> Iterator[tuple[str, tuple[Any, dict[str, Any]]]]:
    """Yield what the answers of a folder speak of, and the answers."""
    if path.name != "SOURCE.txt" or path.parent.name not in FOLDERS:
        return
    folder = path.parent
    answers = json.loads((folder / "EXPECTED.json").read_bytes())["items"]
    for place, answer in answers.items():
        name, _, pointer = place.partition("#")
        yield f"{folder.name}/{place}", ((folder / name, pointer), answer)


@vector_cases("rpc", expected_items, at_least=480, pattern="*/SOURCE.txt")
def test_blocks_and_receipts_are_what_the_answers_say(case: Any) -> None:
    (path, pointer), answer = case
    value = pointed(load(path), pointer)
    if "receiptsRoot" in answer:
        receipts = [Receipt.from_json(one) for one in value]
        assert len(receipts) == answer["count"]
        assert receipts_root(receipts) == answer["receiptsRoot"]
        for receipt in receipts:
            receipt.check()
        found = answer["receiptsRootFoundIn"]
        if found is not None:
            name, _, pointer = found.partition("#")
            folder = VECTORS / "rpc" / path.relative_to(VECTORS / "rpc").parts[0]
            header = Header.from_json(pointed(load(folder / name), pointer))
            Block(header).check_receipts(receipts)
        return
    header = Header.from_json(value)
    assert (header.hash() == answer["hash"]) is answer["headerHash"]
    assert header.number == int(answer["number"], 16)
    if isinstance(answer.get("withdrawalsRoot"), str):
        with pytest.raises(FixtureError, match="expected an object"):
            Block.from_json(value)
        return
    if "withdrawalsRoot" in answer:
        withdrawals = [Withdrawal.from_json(one) for one in value["withdrawals"]]
        assert (withdrawals_root(withdrawals) == header.withdrawals_root) is answer[
            "withdrawalsRoot"
        ]
    if "transactionsRoot" not in answer:
        return
    try:
        block = Block.from_json(value)
    except FixtureError as error:
        assert error.field in ("block.uncles", "block.transactions[0]")
        return
    right = answer["transactionsRoot"] and answer.get("withdrawalsRoot", True)
    if right:
        assert block.check() == header.hash()
        assert Block.from_rlp(block.rlp()) == block
        written = block.to_json()
        assert Block.from_json(written) == block
        assert written["transactions"] == [] or (
            written["transactions"][0]["hash"] == value["transactions"][0]["hash"]
        )
        fixture = block.to_json(spelling="fixture")
        assert Block.from_json(fixture, spelling="fixture") == block
        return
    with pytest.raises(InvalidError) as caught:
        block.check()
    assert caught.value.reason in (
        InvalidReason.TRANSACTIONS_ROOT,
        InvalidReason.WITHDRAWALS_ROOT,
    )


def optimism_cases(path: Path) -> Iterator[tuple[str, tuple[Path, dict[str, Any]]]]:
    """Yield a file and what another program makes of it."""
    yield "case", (path, load(path))


@vector_cases("rpc/optimism", optimism_cases, at_least=19, pattern="**/*_metadata.json")
def test_what_is_bad_on_purpose_is_refused(case: Any) -> None:
    path, metadata = case
    value = load(path.with_name(path.name.replace("_metadata", "_data")))
    header = Header.from_json(value)
    wrong = header.hash() != value["hash"]
    if path.parent.name == "headers":
        assert wrong is bool(metadata.get("fail"))
        return
    refused: list[object] = ["hash"] if wrong else []
    try:
        Block.from_json(value).check()
    except InvalidError as error:
        refused.append(error.reason)
    except FixtureError:
        refused.append("malformed")
    assert bool(refused) is bool(metadata.get("fail")), metadata


def test_the_block_with_uncles_names_the_one_that_is_there(vectors: Path) -> None:
    folder = vectors / "rpc" / "ethereumjs-block"
    value = load(folder / "testdata-from-rpc-with-uncles.json")
    ommer = Header.from_json(
        load(folder / "testdata-from-rpc-with-uncles_uncle-block-data.json")
    )
    header = Header.from_json(value)
    assert [str(ommer.hash())] == value["uncles"]
    assert ommers_hash([ommer]) == header.ommers_hash
    with pytest.raises(FixtureError, match="hashes of ommers"):
        Block.from_json({**value, "transactions": []})
    block = Block.from_json({**value, "transactions": []}, ommers=[ommer])
    assert block.ommers == (ommer,)


def test_raw_objects_of_a_node(vectors: Path) -> None:
    """debug_getRaw… of one chain, against each other and against its hashes."""
    folder = vectors / "rpc" / "execution-apis"

    def raw(name: str) -> Any:
        return load(folder / name)[0]["result"]

    for name in ("get-genesis.io", "get-block-n.io"):
        block = Block.from_rlp(bytes.fromhex(raw(f"debug_getRawBlock/{name}")[2:]))
        header = bytes.fromhex(raw(f"debug_getRawHeader/{name}")[2:])
        assert block.header.rlp() == header
        assert Header.from_rlp(header) == block.header
        assert block.check() == block.hash()
        receipts = [
            Receipt.from_rlp(bytes.fromhex(one[2:]))
            for one in raw(f"debug_getRawReceipts/{name}")
        ]
        assert len(receipts) == len(block.transactions)
        block.check_receipts(receipts)
    genesis = load(folder / "eth_getBlockByNumber" / "get-genesis.io")[0]["result"]
    assert Header.from_json(genesis).hash() == genesis["hash"]
    asked = questions(folder / "debug_getRawTransaction" / "get-tx.io")[0]["params"]
    data = bytes.fromhex(raw("debug_getRawTransaction/get-tx.io")[2:])
    transaction = decode_transaction(data)
    assert isinstance(transaction, LegacyTransaction)
    assert transaction.hash() == asked[0]
    assert transaction.rlp() == data


def sent_transactions(path: Path) -> Iterator[tuple[str, tuple[bytes, str]]]:
    """Yield the bytes of a transaction, and the hash that a node answers with."""
    if path.suffix == ".io":
        asked, answered = questions(path), load(path)
    else:
        message = load(path)
        asked, answered = [message["request"]], [message["response"]]
    for place, (question, answer) in enumerate(zip(asked, answered, strict=True)):
        if question["method"] == "eth_sendRawTransaction" and "result" in answer:
            data = bytes.fromhex(question["params"][0][2:])
            yield str(place), (data, answer["result"])


def check_sent(data: bytes, digest: str) -> None:
    """Check a transaction that was sent to a node, perhaps with its blobs."""
    transaction = decode_pooled_transaction(data)
    assert transaction.rlp() == data
    if hasattr(transaction, "transaction"):
        transaction.check()
        transaction = transaction.transaction
    assert transaction.hash() == digest


@vector_cases(
    "rpc/execution-apis/eth_sendRawTransaction",
    sent_transactions,
    at_least=5,
    pattern="*.io",
)
def test_transactions_sent_to_geth(case: tuple[bytes, str]) -> None:
    check_sent(*case)


@vector_cases(
    "rpc/besu-engine", sent_transactions, at_least=6, pattern="**/*_send_raw_*.json"
)
def test_transactions_sent_to_besu(case: tuple[bytes, str]) -> None:
    check_sent(*case)


def test_bloom_of_the_blocks_logs(vectors: Path) -> None:
    """The logs that a node finds have to be in the filter of their block."""
    folder = vectors / "rpc" / "colibri" / "eth_getLogs1"
    header = Header.from_json(
        load(folder / "eth_getBlockByNumber_0x14d7970_false.json")["result"]
    )
    receipts = [
        Receipt.from_json(one)
        for one in load(folder / "eth_getBlockReceipts_0x14d7970.json")["result"]
    ]
    logs = [log for receipt in receipts for log in receipt.logs]
    assert logs_bloom(logs) == header.logs_bloom


def base_fees(path: Path) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield the rows of a table of base fees."""
    for place, row in enumerate(load(path)):
        yield str(place), row


@vector_cases(
    "rpc/ethereumjs-block", base_fees, at_least=25, pattern="eip1559baseFee.json"
)
def test_base_fees_of_ethereumjs(case: dict[str, int]) -> None:
    found = next_base_fee(
        base_fee_per_gas=case["parentBaseFee"],
        gas_used=case["parentGasUsed"],
        gas_target=case["parentTargetGasUsed"],
    )
    assert found == case["expectedBaseFee"]


def test_base_fees_of_a_chain(vectors: Path) -> None:
    """Each block of the chain has what follows from the one before."""
    data = (vectors / "rpc" / "execution-apis" / "chain.rlp").read_bytes()
    headers = [block.header for block in rlp.decode_concatenated(Block, data)]
    count = 0
    for parent, header in pairwise(headers):
        if parent.base_fee_per_gas is None:
            continue
        count += 1
        assert header.base_fee_per_gas == next_base_fee(
            base_fee_per_gas=parent.base_fee_per_gas,
            gas_used=parent.gas_used,
            gas_target=parent.gas_limit // 2,
        )
    assert count > 20


@pytest.mark.parametrize(
    ("genesis", "answer"),
    [
        (
            "execution-apis/genesis.json",
            "execution-apis/eth_getBlockByNumber/get-genesis.io",
        ),
        (
            "besu-engine/osaka/genesis.json",
            "besu-engine/osaka/test-cases/01_get_genesis_block_info.json",
        ),
        (
            "besu-engine/prague/genesis.json",
            "besu-engine/prague/test-cases/00_get_genesis_block_info.json",
        ),
        ("besu-engine/paris/genesis.json", ""),
        ("besu-engine/shanghai/genesis.json", ""),
    ],
)
def test_genesis_files_of_the_test_chains(
    vectors: Path, genesis: str, answer: str
) -> None:
    folder = vectors / "rpc"
    found = Genesis.from_file(folder / genesis)
    if answer:
        told = load(folder / answer)
        told = told[0] if isinstance(told, list) else told["response"]
        assert found.block_hash() == told["result"]["hash"]
        assert found.header() == Header.from_json(told["result"])
    else:
        prepared = sorted((folder / genesis).parent.glob("test-cases/01_*.json"))[0]
        state = load(prepared)["request"]["params"][0]
        assert found.block_hash() == state["headBlockHash"]
