"""Block access lists of Amsterdam's fixtures: right ones, and wrong ones with why."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.json_messages import load
from conformance.vector_files import VECTORS, vector_cases
from hexary.chain import (
    Block,
    BlockAccessList,
    ExecutionPayload,
    Header,
    NewPayload,
    decode_transaction,
    fork_named,
    ommers_hash,
    transactions_root,
    withdrawals_root,
)
from hexary.errors import InvalidError, InvalidReason

FOLDER = VECTORS / "eest" / "ethereumjs-bal-amsterdam"

WRONG = {
    "bal_invalid_account_order.json": InvalidReason.ACCESS_LIST_ORDER,
    "bal_invalid_duplicate_account.json": InvalidReason.ACCESS_LIST_ORDER,
    "bal_invalid_hash_mismatch.json": InvalidReason.ACCESS_LIST_HASH,
}


def answered(path: Path) -> Iterator[tuple[str, tuple[Path, dict[str, Any]]]]:
    """Yield a file and what is known of it."""
    answers = json.loads((FOLDER / "EXPECTED.json").read_bytes())["files"]
    yield "file", (path, answers[path.name])


@vector_cases(
    "eest/ethereumjs-bal-amsterdam", answered, at_least=6, pattern="bal_*.json"
)
def test_lists_of_ethereumjs(case: Any) -> None:
    path, answer = case
    value = load(path)
    if path.name not in WRONG:
        found = BlockAccessList.from_json(value)
        assert found.check() == answer["hash"]
        assert "0x" + found.rlp().hex() == answer["rlp"]
        assert BlockAccessList.from_rlp(found.rlp()) == found
        # One of the files is in the spelling of JSON-RPC.
        assert value in (found.to_json(), found.to_json(spelling="rpc"))
        assert BlockAccessList.from_json(found.to_json(spelling="rpc")) == found
        return
    (fixture,) = value.values()
    decoded = fixture["blocks"][0]["rlp_decoded"]
    header = Header.from_json(decoded["blockHeader"], spelling="fixture")
    found = BlockAccessList.from_json(decoded["blockAccessList"])
    assert found.hash() == answer["blockAccessListHashOfThisList"]
    assert header.block_access_list_hash == answer["headerBlockAccessListHash"]
    with pytest.raises(InvalidError) as caught:
        Block(header, withdrawals=()).check_access_list(found)
    assert caught.value.reason in (WRONG[path.name], InvalidReason.ACCESS_LIST_INDEX)
    with pytest.raises(InvalidError) as caught:
        block = Block.from_json(decoded, spelling="fixture")
        block.check_access_list(found)
    assert caught.value.reason is WRONG[path.name]


def test_a_block_of_amsterdam_with_its_list(vectors: Path) -> None:
    """Header, transactions, access list, and the payload that all of it makes."""
    folder = vectors / "eest" / "amsterdam-excerpt"
    answer = load(folder / "EXPECTED.json")
    (fixture,) = load(folder / answer["file"]).values()
    genesis = Header.from_json(fixture["genesisBlockHeader"], spelling="fixture")
    genesis.check_fields(fork_named("Amsterdam"))
    assert genesis.hash() == answer["published"]["genesisHash"]
    (value,) = fixture["blocks"]
    block = Block.from_rlp(bytes.fromhex(value["rlp"][2:]))
    assert block.rlp() == bytes.fromhex(value["rlp"][2:])
    assert block.check() == answer["recomputed"]["block1Hash"]
    header = Header.from_json(value["blockHeader"], spelling="fixture")
    assert block.header == header
    assert header.to_json(spelling="fixture") == value["blockHeader"]
    sent = value["transactionBytes"]
    sent = [sent] if isinstance(sent, str) else sent
    transactions = [decode_transaction(bytes.fromhex(one[2:])) for one in sent]
    assert list(block.transactions) == transactions
    assert transactions_root(transactions) == answer["published"]["transactionsTrie"]
    assert block.withdrawals is not None
    assert withdrawals_root(block.withdrawals) == header.withdrawals_root
    assert ommers_hash(block.ommers) == header.ommers_hash
    access_list = BlockAccessList.from_json(value["blockAccessList"])
    assert access_list.to_json() == value["blockAccessList"]
    assert access_list.hash() == answer["published"]["blockAccessListHash"]
    block.check_access_list(access_list)
    payload = ExecutionPayload.of(block, access_list=access_list)
    assert payload.version == 4
    call = NewPayload(payload, (), header.parent_beacon_block_root, ())
    assert call.check() == block
    assert NewPayload.from_params(call.to_params(), version=5) == call
