from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from hexary import rlp
from hexary.chain import (
    EMPTY_REQUESTS_HASH,
    FORKS,
    INITIAL_BASE_FEE,
    AuthorityRoundHeader,
    Genesis,
    is_genesis,
)
from hexary.errors import ExecutionNeededError, FixtureError
from hexary.state import Account, Alloc
from hexary.trie import EMPTY_ROOT
from hexary.typed import Bytes

A = "0x00000000000000000000000000000000000000aa"
LIMITS = {"difficulty": "0x1", "gasLimit": "0x1388"}
MORDOR = "0xa68ebde7932eccb177d38d55dcc6461a019dd795a681e59b5a3e4f3a7259a3f1"


def geth(**fields: Any) -> dict[str, Any]:
    return {"config": {"chainId": 7}, "alloc": {}, **LIMITS, **fields}


def chainspec(genesis: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    return {
        "name": "Test",
        "engine": {"Ethash": {}},
        "params": {"networkID": "0x7"},
        "genesis": {**LIMITS, **(genesis or {})},
        "accounts": {},
        **fields,
    }


def test_both_layouts_of_one_chain_are_one_block() -> None:
    extra = "0x" + b"phoenix chicken absurd banana".hex()
    values = {
        "difficulty": "0x20000",
        "gasLimit": "0x2fefd8",
        "timestamp": "0x5d9676db",
        "extraData": extra,
    }
    flat = Genesis.from_json({"config": {"chainId": 63}, "alloc": {}, **values})
    spec = Genesis.from_json(
        {"params": {"chainID": "0x3f"}, "genesis": values, "accounts": {}}
    )
    assert flat.header() == spec.header()
    assert flat.block_hash().hex() == spec.block_hash().hex() == MORDOR
    assert (flat.layout, spec.layout) == ("geth", "chainspec")
    assert flat.chain_id == spec.chain_id == 63
    assert repr(flat) == "Genesis(geth, chain_id=63, file='')"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0x42", 0x42),
        ("0x000000000000000", 0),
        ("0x1234", 0x1234),
        ("0x0102030405060708", 0x0102030405060708),
        ("66", 66),
        (66, 66),
        (None, 0),
    ],
)
def test_a_nonce_is_a_number_of_any_length(text: Any, number: int) -> None:
    expected = number.to_bytes(8, "big")
    assert Genesis.from_json(geth(nonce=text)).header().nonce == expected
    seal = {"seal": {"ethereum": {"nonce": text, "mixHash": "0x" + "01" * 32}}}
    header = Genesis.from_json(chainspec(seal)).header()
    assert header.nonce == expected
    assert header.mix_hash == b"\x01" * 32


def test_nimbus_puts_all_but_the_schedule_into_one_object() -> None:
    config = {"chainId": 7, "londonBlock": 0}
    values = {"alloc": {A: {"balance": 1}}, "nonce": "0x78cc16f7b4f65485", **LIMITS}
    nested = Genesis.from_json({"config": config, "genesis": values})
    flat = Genesis.from_json({"config": config, **values})
    assert nested.layout == "geth"
    assert nested.chain_id == 7
    assert nested.header() == flat.header()
    assert len(rlp.decode(Genesis.from_json({"genesis": values}).header().rlp())) == 15
    with pytest.raises(FixtureError, match=r"^genesis\.alloc\.0x1"):
        Genesis.from_json({"genesis": {**values, "alloc": {"0x1": {}}}})


@pytest.mark.parametrize("name", ["mixhash", "mixHash", "MIXHASH"])
def test_field_names_are_matched_in_any_case(name: str) -> None:
    header = Genesis.from_json(geth(**{name: "0x" + "02" * 32})).header()
    assert header.mix_hash == b"\x02" * 32


def test_numbers_may_be_decimal_and_data_empty() -> None:
    header = Genesis.from_json(geth(timestamp="1720119600", extraData="")).header()
    assert header.timestamp == 1720119600
    assert header.extra_data == b""


def test_every_value_of_a_header_is_taken_over() -> None:
    header = Genesis.from_json(
        geth(
            number="0x1",
            gasUsed="0x2",
            parentHash="0x" + "03" * 32,
            coinbase=A[2:],
            timestamp="0x4",
        )
    ).header()
    assert (header.number, header.gas_used, header.timestamp) == (1, 2, 4)
    assert header.parent_hash == b"\x03" * 32
    assert header.coinbase == A
    spec = chainspec({"author": A, "parentHash": "0x" + "03" * 32})
    assert Genesis.from_json(spec).header().coinbase == A


@pytest.mark.parametrize(
    ("given", "fee"), [(None, 10**9), ("0x0", 0), ("0x7", 7), (8, 8)]
)
def test_the_base_fee_is_one_gwei_unless_the_file_says_otherwise(
    given: Any, fee: int
) -> None:
    genesis = Genesis.from_json(geth(config={"londonBlock": 0}, baseFeePerGas=given))
    assert genesis.header().base_fee_per_gas == fee
    assert INITIAL_BASE_FEE == 10**9


def test_a_chainspec_may_set_its_own_first_base_fee() -> None:
    params = {"eip1559Transition": "0x0", "eip1559BaseFeeInitialValue": "0x5"}
    header = Genesis.from_json(chainspec(params=params)).header()
    assert header.base_fee_per_gas == 5
    header = Genesis.from_json(chainspec({"baseFeePerGas": 6}, params=params)).header()
    assert header.base_fee_per_gas == 6


def test_values_of_fields_that_the_header_lacks_are_ignored() -> None:
    genesis = Genesis.from_json(geth(baseFeePerGas="0x7", blobGasUsed=None))
    assert len(rlp.decode(genesis.header().rlp())) == 15


def test_the_fields_of_every_fork_have_their_defaults() -> None:
    genesis = Genesis.from_json(geth(config={"amsterdamTime": 0}))
    header = genesis.header()
    assert [getattr(header, name) for name in FORKS[-1].appended] == [
        INITIAL_BASE_FEE,
        EMPTY_ROOT,
        0,
        0,
        bytes(32),
        EMPTY_REQUESTS_HASH,
        header.ommers_hash,
        0,
    ]


def test_the_fields_of_every_fork_are_taken_over() -> None:
    genesis = Genesis.from_json(
        geth(
            config={"amsterdamTime": 0},
            blobGasUsed="0x1",
            excessBlobGas="0x2",
            parentBeaconBlockRoot="0x" + "03" * 32,
            slotNumber="0x4",
        )
    )
    header = genesis.header()
    assert (header.blob_gas_used, header.excess_blob_gas, header.slot_number) == (
        1,
        2,
        4,
    )
    assert header.parent_beacon_block_root == b"\x03" * 32


def test_the_seal_of_authority_round() -> None:
    seal = {"authorityRound": {"step": "0x5", "signature": "0x" + "06" * 65}}
    header = Genesis.from_json(chainspec({"seal": seal})).header()
    assert isinstance(header, AuthorityRoundHeader)
    assert rlp.decode(header.rlp())[13:] == [b"\x05", b"\x06" * 65]
    del seal["authorityRound"]["signature"]
    header = Genesis.from_json(chainspec({"seal": seal})).header()
    assert isinstance(header, AuthorityRoundHeader)
    assert header.signature == bytes(65)


def test_a_genesis_without_alloc_has_no_accounts() -> None:
    genesis = Genesis.from_json({"config": {}, **LIMITS})
    assert genesis.alloc == Alloc()
    assert genesis.state_root() == EMPTY_ROOT
    assert genesis.chain_id is None
    assert Genesis.from_json({"alloc": None, **LIMITS}).alloc == Alloc()


def test_a_genesis_without_config_has_the_first_header() -> None:
    genesis = Genesis.from_json({"alloc": {A: {"balance": "01"}}, **LIMITS})
    assert genesis.alloc == Alloc({A: Account(balance=1)})
    assert len(rlp.decode(genesis.header().rlp())) == 15
    assert genesis.state_root() is genesis.state_root()


def test_empty_accounts_are_part_of_a_genesis_state() -> None:
    genesis = Genesis.from_json(geth(alloc={A: {"balance": "0"}}))
    assert genesis.state_root() != EMPTY_ROOT


def test_a_constructor_leaves_the_state_unknown_and_the_rest_known() -> None:
    accounts = {A: {"balance": "1", "constructor": "0x6000"}}
    genesis = Genesis.from_json(chainspec(accounts=accounts), file="spec.json")
    assert genesis.chain_id == 7
    for ask in (genesis.state_root, genesis.header, genesis.block_hash):
        with pytest.raises(ExecutionNeededError) as caught:
            ask()
        assert caught.value.field == f"accounts.{A}"
        assert caught.value.file == "spec.json"
    with pytest.raises(ExecutionNeededError):
        _ = genesis.alloc


def test_a_declared_state_root_stands_in_where_there_is_a_constructor() -> None:
    accounts = {A: {"constructor": "0x6000"}}
    spec = chainspec({"stateRoot": "0x" + "09" * 32}, accounts=accounts)
    genesis = Genesis.from_json(spec)
    assert genesis.declared_state_root == b"\x09" * 32
    assert genesis.header().state_root == b"\x09" * 32
    with pytest.raises(ExecutionNeededError):
        genesis.state_root()


def test_a_declared_state_root_is_never_believed_over_the_accounts() -> None:
    genesis = Genesis.from_json(chainspec({"stateRoot": "0x" + "09" * 32}))
    assert genesis.header().state_root == EMPTY_ROOT
    assert genesis.declared_state_root != genesis.state_root()


@pytest.mark.parametrize(
    ("document", "field"),
    [
        (geth(gasLimit=None), "gasLimit"),
        (geth(difficulty=None), "difficulty"),
        (geth(difficulty=1.5), "difficulty"),
        (geth(gasLimit="0x10000000000000000"), "gasLimit"),
        (geth(nonce="0x10000000000000000"), "nonce"),
        (geth(mixHash="0x00"), "mixHash"),
        (geth(mixhash="0x00"), "mixhash"),
        (geth(coinbase="0x00"), "coinbase"),
        (geth(extraData="0x0"), "extraData"),
        (geth(extraData=0), "extraData"),
        (geth(timestamp="now"), "timestamp"),
        (geth(config=[]), "config"),
        (geth(config={"chainId": "one"}), "config.chainId"),
        (geth(config={"londonBlock": {}}), "config.londonBlock"),
        (geth(config={"londonBlock": 0}, baseFeePerGas=-1), "baseFeePerGas"),
        (geth(alloc=[]), "alloc"),
        (geth(alloc={A: {"nonce": "x"}}), f"alloc.{A}.nonce"),
        (geth(stateRoot="0x"), "stateRoot"),
        (chainspec({"difficulty": None}), "genesis.difficulty"),
        (chainspec({"author": "0x"}), "genesis.author"),
        (chainspec({"seal": {"generic": "0x"}}), "genesis.seal"),
        (chainspec({"seal": 1}), "genesis.seal"),
        (
            chainspec({"seal": {"authorityRound": {"signature": "0x"}}}),
            "genesis.seal.authorityRound.signature",
        ),
        (
            chainspec({"seal": {"authorityRound": {}}}),
            "genesis.seal.authorityRound.step",
        ),
        (chainspec(accounts={A: 5}), f"accounts.{A}"),
        (chainspec(params=[]), "params"),
    ],
)
def test_a_malformed_field_is_refused_with_its_path(
    document: dict[str, Any], field: str
) -> None:
    with pytest.raises(FixtureError) as caught:
        Genesis.from_json(document, file="g.json")
    assert (caught.value.file, caught.value.field) == ("g.json", field)


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        "0x",
        5,
        {},
        {"alloc": {}},
        {"alloc": {}, "env": {}},
        {"genesis": 5},
        {1: 2},
    ],
)
def test_what_is_no_genesis_is_refused(document: Any) -> None:
    assert not is_genesis(document)
    with pytest.raises(FixtureError):
        Genesis.from_json(document, file="g.json")


@pytest.mark.parametrize(
    "document",
    [
        geth(),
        chainspec(),
        {"config": {}, "difficulty": 1},
        {"Alloc": {}, "GasLimit": 1},
        {"genesis": {}, "params": {}},
        {"genesis": {"alloc": {}}},
    ],
)
def test_a_genesis_is_recognised_before_it_is_checked(document: Any) -> None:
    assert is_genesis(document)


def test_a_genesis_is_made_by_reading_one_only() -> None:
    with pytest.raises(TypeError, match="made by Genesis"):
        Genesis()
    genesis = Genesis.from_json(geth(alloc={A: {"nonce": 1}}))
    copied = pickle.loads(pickle.dumps(genesis))
    assert copied.block_hash() == genesis.block_hash()


def test_a_genesis_is_read_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "genesis.json"
    path.write_text(json.dumps(geth(extraData="0x01")))
    genesis = Genesis.from_file(path)
    assert genesis.header().extra_data == Bytes(b"\x01")
    assert genesis.file == str(path)
    path.write_text('{"alloc": {}, "difficulty": 1, "gasLimit": 1, "difficulty": 2}')
    with pytest.raises(FixtureError, match="'difficulty' occurs twice"):
        Genesis.from_file(path)
