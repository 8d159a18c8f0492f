"""Answers to ``eth_getProof`` of several clients, as ``EXPECTED.json`` has them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.vector_files import VECTORS
from hexary import AccountProof, ProofError, ProofReason, keccak256

pytestmark = pytest.mark.vectors


def read_document(path: Path) -> Any:
    """Return a JSON file, or the requests and answers of an ``.io`` file by turn."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".io":
        return json.loads(text)
    return [
        json.loads(line[2:])
        for line in text.splitlines()
        if line.startswith((">>", "<<"))
    ]


def answers() -> Iterator[Any]:
    """Yield the place, the answer and what is expected of every published proof."""
    if not VECTORS.is_dir():
        return
    for expected in sorted((VECTORS / "proofs").glob("*/EXPECTED.json")):
        for place, facts in json.loads(expected.read_text())["proofs"].items():
            name, _, pointer = place.partition("#/")
            value = read_document(expected.parent / name)
            for step in filter(None, pointer.split("/")):
                value = value[int(step) if isinstance(value, list) else step]
            yield pytest.param(value, facts, id=f"{expected.parent.name}/{place}")


ANSWERS = list(answers())
PROVABLE = [param for param in ANSWERS if "stateRoot" in param.values[1]]


def proof_of(answer: Any, facts: dict[str, Any]) -> AccountProof:
    return AccountProof.from_json(answer, address=facts["address"])


def test_none_is_lost() -> None:
    assert len(ANSWERS) >= 50
    assert len(PROVABLE) >= len(ANSWERS) - 1


@pytest.mark.parametrize(("answer", "facts"), PROVABLE)
def test_answers_prove_what_is_expected(answer, facts) -> None:
    proof = proof_of(answer, facts)
    root = bytes.fromhex(facts["stateRoot"][2:])
    verified = proof.verify(root)
    assert proof.faults(root) == []
    assert (verified.account is None) == (facts["account"] == "excluded")
    claims = facts.get("storage", [])
    assert len(claims) == len(proof.storage)
    for claim, expected in zip(proof.storage, claims, strict=True):
        assert claim.slot == int(expected["key"], 16)
        assert verified.storage[claim.slot] == claim.value
        assert (claim.value == 0) == (expected["result"] == "excluded")
    # What it says is read the same after it is written.
    again = AccountProof.from_json(proof.to_json())
    assert again == proof


@pytest.mark.parametrize(("answer", "facts"), PROVABLE)
def test_answers_are_refused_with_anything_wrong(answer, facts) -> None:
    proof = proof_of(answer, facts)
    root = bytes.fromhex(facts["stateRoot"][2:])
    document = proof.to_json()

    def refused(**changes: Any) -> None:
        changed = AccountProof.from_json({**document, **changes})
        with pytest.raises(ProofError):
            changed.verify(root)
        assert changed.faults(root)

    with pytest.raises(ProofError):
        proof.verify(keccak256(root))
    refused(nonce=hex(proof.nonce + 1))
    refused(balance=hex(proof.balance + 1))
    refused(codeHash="0x" + "11" * 32)
    refused(storageHash="0x" + "11" * 32)
    nodes = document["accountProof"]
    for index, node in enumerate(nodes):
        refused(accountProof=nodes[:index] + nodes[index + 1 :])
        broken = node[:-1] + ("0" if node[-1] != "0" else "1")
        refused(accountProof=[*nodes[:index], broken, *nodes[index + 1 :]])
    refused(accountProof=[*nodes, "0x80"])
    refused(accountProof=[*nodes, *nodes[-1:]])
    if facts["account"] == "included":
        nothing = "0x" + 64 * "0"
        refused(nonce="0x0", balance="0x0", codeHash=nothing, storageHash=nothing)
    for index, claim in enumerate(document["storageProof"]):
        before, after = (
            document["storageProof"][:index],
            document["storageProof"][index + 1 :],
        )
        value = hex(int(claim["value"], 16) + 1)
        refused(storageProof=[*before, {**claim, "value": value}, *after])
        proofs = claim["proof"]
        refused(
            storageProof=[*before, {**claim, "proof": proofs[:-1] or ["0x"]}, *after]
        )


def test_an_answer_without_nodes_proves_nothing() -> None:
    (answer,) = (
        param.values[0] for param in ANSWERS if "stateRoot" not in param.values[1]
    )
    with pytest.raises(ProofError) as caught:
        AccountProof.from_json(answer).verify(bytes(32))
    assert caught.value.reason is ProofReason.MISSING_NODE
