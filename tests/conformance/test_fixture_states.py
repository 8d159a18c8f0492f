"""
Headers and allocs inside published fixtures: block hashes and state roots.

A blockchain test carries the state before it (``pre``) with the genesis header whose
state root that has, the last state (``postState``) likewise, and the hash of every
header.  A filled state test carries the state after each case with its root.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conformance.vector_files import vector_cases
from hexary.chain import Header
from hexary.state import Alloc
from hexary.typed import Address, Bloom, Bytes, Hash, HeaderNonce

FIXTURE_NAMES = {
    "parentHash": ("parent_hash", Hash),
    "uncleHash": ("ommers_hash", Hash),
    "coinbase": ("coinbase", Address),
    "stateRoot": ("state_root", Hash),
    "transactionsTrie": ("transactions_root", Hash),
    "receiptTrie": ("receipts_root", Hash),
    "bloom": ("logs_bloom", Bloom),
    "difficulty": ("difficulty", lambda text: int(text, 16)),
    "number": ("number", lambda text: int(text, 16)),
    "gasLimit": ("gas_limit", lambda text: int(text, 16)),
    "gasUsed": ("gas_used", lambda text: int(text, 16)),
    "timestamp": ("timestamp", lambda text: int(text, 16)),
    "extraData": ("extra_data", Bytes),
    "mixHash": ("mix_hash", Hash),
    "nonce": ("nonce", HeaderNonce),
    "baseFeePerGas": ("base_fee_per_gas", lambda text: int(text, 16)),
    "withdrawalsRoot": ("withdrawals_root", Hash),
    "blobGasUsed": ("blob_gas_used", lambda text: int(text, 16)),
    "excessBlobGas": ("excess_blob_gas", lambda text: int(text, 16)),
    "parentBeaconBlockRoot": ("parent_beacon_block_root", Hash),
    "requestsHash": ("requests_hash", Hash),
    "blockAccessListHash": ("block_access_list_hash", Hash),
    "slotNumber": ("slot_number", lambda text: int(text, 16)),
}


def header_of(fields: dict[str, str]) -> Header:
    values: dict[str, Any] = {}
    for name, text in fields.items():
        if name != "hash":
            ours, read = FIXTURE_NAMES[name]
            values[ours] = read(text)
    return Header(**values)


def headers_in(document: Any) -> Iterator[dict[str, str]]:
    if isinstance(document, dict):
        if {"parentHash", "uncleHash", "hash"} <= document.keys():
            yield document
        for value in document.values():
            yield from headers_in(value)
    elif isinstance(document, list):
        for value in document:
            yield from headers_in(value)


def states_in(document: Any) -> Iterator[tuple[str, Any, str]]:
    """Yield name, alloc and root of each state that a fixture file tells both of."""
    for name, case in document.items():
        if not isinstance(case, dict):
            continue
        if "pre" in case and "genesisBlockHeader" in case:
            yield f"{name} pre", case["pre"], case["genesisBlockHeader"]["stateRoot"]
        for fork, results in case.get("post", {}).items():
            for index, result in enumerate(results):
                if "state" in result:
                    yield f"{name} {fork}[{index}]", result["state"], result["hash"]


def whole_file(path: Path) -> Iterator[tuple[str, Any]]:
    if b'"genesisBlockHeader"' in path.read_bytes():
        yield "blocks", path


def states_file(path: Path) -> Iterator[tuple[str, Any]]:
    data = path.read_bytes()
    if b'"pre"' in data and (b'"genesisBlockHeader"' in data or b'"state"' in data):
        yield "states", path


def check_headers(path: Path) -> None:
    headers = list(headers_in(json.loads(path.read_bytes())))
    assert headers
    for fields in headers:
        assert header_of(fields).hash().hex() == fields["hash"]


def check_states(path: Path) -> None:
    states = list(states_in(json.loads(path.read_bytes())))
    assert states
    for name, alloc, root in states:
        assert Alloc.from_json(alloc).state_root().hex() == root, name


@vector_cases("blockchain", whole_file, at_least=151)
def test_header_hashes_of_blockchain_tests(case: Path) -> None:
    check_headers(case)


@vector_cases("eest", whole_file, at_least=11)
def test_header_hashes_of_filled_fixtures(case: Path) -> None:
    """Among them the fields of Amsterdam: access list hash, then slot number."""
    check_headers(case)


@vector_cases("blockchain", states_file, at_least=151)
def test_state_roots_of_blockchain_tests(case: Path) -> None:
    check_states(case)


@vector_cases("eest", states_file, at_least=36)
def test_state_roots_of_filled_fixtures(case: Path) -> None:
    check_states(case)
