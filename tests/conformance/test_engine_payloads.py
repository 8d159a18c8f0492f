"""
Engine API messages: payload to header, block hash and block, in every version.

Right ones have the hash that they say; wrong ones are refused with the reason that
their names tell.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.json_messages import load, questions
from conformance.vector_files import vector_cases
from hexary.chain import (
    Blob,
    ExecutionPayload,
    KZGCommitment,
    KZGProof,
    NewPayload,
    blob_versioned_hash,
)
from hexary.errors import (
    DecodeError,
    EncodeError,
    FixtureError,
    InvalidError,
    InvalidReason,
)


def whole(path: Path) -> Iterator[tuple[str, Path]]:
    """Yield a file."""
    yield "file", path


def answers(path: Path) -> dict[str, Any]:
    """Return what the answers beside a file say of it."""
    found = json.loads((path.parent / "EXPECTED.json").read_bytes())
    answer: dict[str, Any] = found[path.name]
    return answer


def new_payloads(path: Path) -> Iterator[tuple[str, tuple[Any, int, bool]]]:
    """Yield parameters, version and verdict of each engine_newPayload in a file."""
    answers = json.loads((path.parents[2] / "EXPECTED.json").read_bytes())["files"]
    verdicts = answers.get("/".join(path.parts[-3:]))
    if verdicts is None:
        return
    request = load(path)["request"]
    version = int(request["method"].removeprefix("engine_newPayloadV"))
    yield request["method"], (request["params"], version, verdicts[0])


@vector_cases(
    "rpc/besu-engine", new_payloads, at_least=10, pattern="*/test-cases/*.json"
)
def test_payloads_of_besu(case: Any) -> None:
    params, version, right = case
    if right:
        call = NewPayload.from_params(params, version=version)
        block = call.check()
        assert block.hash() == params[0]["blockHash"]
        # One file has a key of a draft besides, so they are not compared as JSON.
        assert NewPayload.from_params(call.to_params(), version=version) == call
        assert block.check() == block.hash()
        assert call.payload == ExecutionPayload.of(block)
    elif version == 4:
        with pytest.raises(FixtureError, match="executionRequests: must be an array"):
            NewPayload.from_params(params, version=version)
    else:
        call = NewPayload.from_params(params, version=version)
        assert call.payload.version == 1
        with pytest.raises(InvalidError) as caught:
            call.check()
        assert caught.value.reason is InvalidReason.BLOCK_HASH


@vector_cases("rpc/alloy-engine", whole, at_least=5)
def test_payloads_of_a_test_network(case: Path) -> None:
    message = load(case)["newPayload"]
    cancun = message["sidecar"]["cancun"]["fields"]
    prague = message["sidecar"]["prague"]["fields"]["requests"]
    params = [
        message["payload"],
        cancun["versioned_hashes"],
        cancun["parent_beacon_block_root"],
        prague,
    ]
    if not isinstance(prague, list):
        params[3] = prague["requests"]
    call = NewPayload.from_params(params, version=4)
    block = call.check()
    assert str(block.hash()) in case.name
    expected = answers(case)
    assert (block.hash() == expected["blockHash"]) is expected["agrees"] is True
    assert block.check() == block.hash()
    assert call.to_params() == params


NIMBUS: dict[str, object] = {
    "genesis_base_canonical.json": None,
    "newPayloadV4_requests_order.json": None,
    "newPayloadV4_empty_requests_data.json": InvalidReason.REQUEST_EMPTY,
    "newPayloadV4_invalid_blockhash.json": None,
    "newPayloadV4_invalid_requests.json": InvalidReason.REQUEST_EMPTY,
    "newPayloadV4_invalid_requests_order.json": InvalidReason.REQUEST_ORDER,
    "newPayloadV4_invalid_requests_type.json": InvalidReason.BLOCK_HASH,
    "newPayload_invalid_rlp.json": DecodeError,
}
"""
What is wrong with each file, if it shows without a state.

The file named for its block hash has the right one: only its execution fails.
"""


@vector_cases("rpc/nimbus-engine", whole, at_least=8)
def test_payloads_of_nimbus(case: Path) -> None:
    message = load(case)
    params = [
        message["payload"],
        message["expectedBlobVersionedHashes"],
        message["parentBeaconBlockRoot"],
    ]
    if "executionRequests" in message:
        params.append(message["executionRequests"])
    call = NewPayload.from_params(params, version=len(params))
    wrong = NIMBUS[case.name]
    if case.name != "genesis_base_canonical.json":
        expected = answers(case)
        agrees = call.header().hash() == expected["blockHash"]
        assert agrees is expected["agrees"] is (wrong is None)
    if wrong is None:
        assert call.header().hash() == message["payload"]["blockHash"]
        assert call.check().hash() == message["payload"]["blockHash"]
    elif wrong is DecodeError:
        with pytest.raises(DecodeError) as malformed:
            call.check()
        assert malformed.value.field.startswith("payload.transactions[0]")
    else:
        with pytest.raises(InvalidError) as caught:
            call.check()
        assert caught.value.reason is wrong


@vector_cases("rpc/ethereumjs-block", whole, at_least=2, pattern="payload-slot-*.json")
def test_payloads_as_the_beacon_chain_has_them(case: Path) -> None:
    """In snake_case and decimal numbers; Cancun as it was before 4844 was final."""
    message = load(case)
    root = bytes.fromhex(message.pop("parent_beacon_block_root")[2:])
    camel = {
        first + "".join(word.title() for word in rest): value
        for key, value in message.items()
        for first, *rest in [key.split("_")]
    }
    payload = ExecutionPayload.from_json(camel)
    assert payload.version == 3
    assert payload.block_number == int(message["block_number"])
    call = NewPayload(payload, None, root)
    block = call.check()
    assert block.hash() == message["block_hash"]


def built_payloads(path: Path) -> Iterator[tuple[str, tuple[Any, Any, Any]]]:
    """Yield payload, parent beacon block root and requests of what a node built."""
    if path.suffix == ".io":
        pairs = zip(questions(path), load(path), strict=True)
    else:
        message = load(path)
        pairs = iter([(message["request"], message["response"])])
    for place, (question, answer) in enumerate(pairs):
        result = answer.get("result")
        if isinstance(result, dict) and "blockHash" in result:
            yield str(place), (result, None, None)
        elif isinstance(result, dict) and "executionPayload" in result:
            requests = result.get("executionRequests")
            params = question["params"]
            root = (
                params[1]["parentBeaconBlockRoot"]
                if len(params) > 1
                else "0x" + 64 * "0"
            )
            yield str(place), (result["executionPayload"], root, requests)


def check_built(case: Any) -> None:
    """Check that the payload a node has built has the hash that it says."""
    value, root, requests = case
    payload = ExecutionPayload.from_json(value)
    header = payload.header(
        parent_beacon_block_root=root if payload.version > 2 else None,
        requests=None
        if requests is None
        else [bytes.fromhex(one[2:]) for one in requests],
    )
    assert header.hash() == value["blockHash"]
    assert len(payload.decoded_transactions()) == len(value["transactions"])


@vector_cases(
    "rpc/besu-engine", built_payloads, at_least=9, pattern="**/*_getPayload*.json"
)
def test_payloads_that_besu_built(case: Any) -> None:
    """Each was asked for with a parent beacon block root of zeros."""
    check_built(case)


@vector_cases(
    "rpc/execution-apis/testing_buildBlockV1",
    built_payloads,
    at_least=3,
    pattern="*.io",
)
def test_payloads_that_geth_built(case: Any) -> None:
    check_built(case)


def bundles(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the answers of engine_getPayload that have blobs."""
    result = load(path)["response"].get("result")
    if isinstance(result, dict) and result.get("blobsBundle"):
        yield "bundle", result


@vector_cases("rpc/besu-engine", bundles, at_least=6, pattern="**/*_getPayload*.json")
def test_blobs_beside_payloads(case: dict[str, Any]) -> None:
    """Commitments have the versioned hashes of the transactions, in order."""
    bundle = case["blobsBundle"]
    payload = ExecutionPayload.from_json(case["executionPayload"])
    hashes = [
        one
        for transaction in payload.decoded_transactions()
        for one in getattr(transaction, "blob_versioned_hashes", ())
    ]
    commitments = [KZGCommitment(one) for one in bundle["commitments"]]
    assert [blob_versioned_hash(one) for one in commitments] == hashes
    assert len([Blob(one) for one in bundle["blobs"]]) == len(hashes)
    proofs = [KZGProof(one) for one in bundle["proofs"]]
    assert len(proofs) in (len(hashes), 128 * len(hashes))


def blobs(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the blobs that engine_getBlobs answers with."""
    for place, one in enumerate(load(path)["response"].get("result") or ()):
        if one is not None:
            yield str(place), one


@vector_cases("rpc/besu-engine", blobs, at_least=3, pattern="**/*_getBlobs*.json")
def test_blobs_of_a_pool(case: dict[str, Any]) -> None:
    assert len(Blob(case["blob"])) == 131_072
    proofs = case["proofs"] if "proofs" in case else [case["proof"]]
    assert len([KZGProof(one) for one in proofs]) in (1, 128)


def filled_payloads(path: Path) -> Iterator[tuple[str, tuple[Any, int, bool]]]:
    """Yield the payloads of engine fixtures, and whether the hash has to be right."""
    for name, case in load(path).items():
        for place, item in enumerate(case.get("engineNewPayloads", [])):
            version = int(item["newPayloadVersion"])
            yield f"{name}#{place}", (item["params"], version, item)


@vector_cases("eest/eest-framework-fixtures", filled_payloads, at_least=10)
def test_payloads_of_fixtures(case: Any) -> None:
    """Those that fail do so when executed, so all have the hash that they say."""
    params, version, _ = case
    call = NewPayload.from_params(params, version=version)
    assert call.check().hash() == params[0]["blockHash"]
    assert call.to_params() == params


def test_a_payload_without_what_belongs_to_it_is_refused(vectors: Path) -> None:
    folder = vectors / "rpc" / "besu-engine" / "prague" / "test-cases"
    params = load(folder / "09_prague_newPayloadV4.json")["request"]["params"]
    for wrong, version in (
        (params[:3], 4),
        ([*params, None], 4),
        (params, 2),
        (params, 5),
        (params, 6),
        (params, 0),
        ([params[0], None, *params[2:]], 4),
        ([{**params[0], "stateRoot": None}, *params[1:]], 4),
        ("0x", 4),
    ):
        with pytest.raises(FixtureError):
            NewPayload.from_params(wrong, version=version)
    call = NewPayload.from_params(params, version=4)
    with pytest.raises(InvalidError) as caught:
        NewPayload(
            call.payload,
            (bytes(32),),
            call.parent_beacon_block_root,
            call.requests,
        ).check()
    assert caught.value.reason is InvalidReason.VERSIONED_HASHES
    with pytest.raises(EncodeError):
        NewPayload(call.payload, (), None, call.requests).check()
