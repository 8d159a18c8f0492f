"""Answers to ``eth_getProof``: the dialects, what is proven, and what is refused."""

from __future__ import annotations

import pytest

from hexary import (
    EMPTY_CODE_HASH,
    EMPTY_ROOT,
    Account,
    AccountProof,
    Address,
    DecodeError,
    FixtureError,
    MemoryStore,
    ProofError,
    ProofReason,
    SecureTrie,
    State,
    TrieAccount,
    rlp,
)
from hexary.state import StorageProof

A, B = Address(1), Address(2)
STATE = State(
    {
        A: Account(1, 1000, "0x60", {slot: slot + 1 for slot in range(30)}),
        B: Account(0, 5),
        **{Address(number): Account(number) for number in range(3, 40)},
    }
)
ROOT = STATE.root()
NOBODY = Address(99)
ZEROS = "0x" + 64 * "0"


def refused(document, reason, root=ROOT) -> ProofError:
    with pytest.raises(ProofError) as caught:
        AccountProof.from_json(document).verify(root)
    assert caught.value.reason is reason
    return caught.value


def test_what_a_state_proves_is_what_it_holds() -> None:
    proof = STATE.prove(A, [0, 29, 30, "0x05"])
    verified = proof.verify(ROOT)
    assert verified.account == STATE.account(A)
    assert verified.storage == {0: 1, 29: 30, 30: 0, 5: 6}
    assert AccountProof.from_json(proof.to_json()) == proof


def test_a_stored_state_makes_the_same_proofs() -> None:
    store = MemoryStore()
    root = State(STATE.alloc(), store=store).commit()
    assert State(store, root).prove(A, [0, 30]) == STATE.prove(A, [0, 30])


def test_changes_are_in_the_proof() -> None:
    state = STATE.copy().set_storage(A, 0, 77).set_balance(NOBODY, 3)
    verified = state.prove(A, [0]).verify(state.root())
    assert verified.storage == {0: 77}
    assert state.prove(NOBODY).verify(state.root()).account == TrieAccount(balance=3)


@pytest.mark.parametrize(
    "hashes", [(ZEROS, ZEROS), (str(EMPTY_CODE_HASH), str(EMPTY_ROOT))]
)
def test_u101_an_absent_account_has_zero_or_empty_hashes(hashes) -> None:
    code_hash, storage_hash = hashes
    changes = {"codeHash": code_hash, "storageHash": storage_hash}
    absent = {**STATE.prove(NOBODY, [0]).to_json(), **changes}
    verified = AccountProof.from_json(absent).verify(ROOT)
    assert (verified.account, verified.storage) == (None, {0: 0})
    # Of an account that is there, they are refused.
    present = {**STATE.prove(A).to_json(), "nonce": "0x0", "balance": "0x0", **changes}
    refused(present, ProofReason.WRONG_FIELD)
    # And an absent account has nothing else.
    refused({**absent, "balance": "0x1"}, ProofReason.WRONG_FIELD)
    refused({**absent, "codeHash": "0x" + 64 * "1"}, ProofReason.WRONG_FIELD)


def test_u100_an_account_without_storage_and_an_absent_one_hold_zero() -> None:
    assert STATE.prove(B, [0]).verify(ROOT).storage == {0: 0}
    assert STATE.prove(NOBODY, [0]).verify(ROOT).storage == {0: 0}
    # Also where the empty trie is given as its one node.
    document = STATE.prove(B, [0]).to_json()
    document["storageProof"][0]["proof"] = ["0x80"]
    assert AccountProof.from_json(document).verify(ROOT).storage == {0: 0}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("0x5", "0x6"),
        ("5", "0x06"),
        ("0x05", "0x" + 63 * "0" + "6"),
        (63 * "0" + "5", "0x0000000006"),
        (62 * "0" + "5", "6"),
        ("0x" + 63 * "0" + "5", 6),
    ],
)
def test_u071_spellings_of_slots_and_values(key, value) -> None:
    document = STATE.prove(A, [5]).to_json()
    document["storageProof"][0] |= {"key": key, "value": value}
    assert AccountProof.from_json(document).verify(ROOT).storage == {5: 6}


def test_wrappers_and_nested_fields() -> None:
    proof = STATE.prove(A, [5])
    plain = proof.to_json()
    nested = {
        "account": {
            "nonce": plain["nonce"],
            "balance": plain["balance"],
            "storageRoot": plain["storageHash"],
            "codeHash": plain["codeHash"],
        },
        "accountProof": plain["accountProof"],
        "storageProof": plain["storageProof"],
    }
    for document in (
        {"jsonrpc": "2.0", "id": 1, "result": plain},
        {"request": {}, "response": {"result": plain}},
        nested,
    ):
        assert AccountProof.from_json(document, address=A) == proof
    with pytest.raises(FixtureError, match="address"):
        AccountProof.from_json(nested)
    with pytest.raises(FixtureError, match="is not 0x"):
        AccountProof.from_json(plain, address=B)


@pytest.mark.parametrize(
    "changes",
    [
        {"accountProof": None},
        {"accountProof": "0x"},
        {"accountProof": ["xx"]},
        {"storageProof": {}},
        {"storageProof": [{"key": "0x0", "proof": []}]},
        {"storageProof": [{"key": "10", "value": "0x0", "proof": []}]},
        {"storageProof": [{"key": "0x0", "value": "0x0", "proof": None}]},
        {"nonce": "0x10000000000000000"},
        {"codeHash": "0x12"},
    ],
)
def test_other_forms_are_refused(changes) -> None:
    with pytest.raises(FixtureError):
        AccountProof.from_json({**STATE.prove(A).to_json(), **changes})


def test_u107_every_fault_is_told_with_its_place_and_depth() -> None:
    document = STATE.prove(A, [1, 2, 3]).to_json()
    document["storageProof"][0]["proof"].pop()
    document["storageProof"][2]["value"] = "0x99"
    proof = AccountProof.from_json(document)
    missing, wrong = proof.faults(ROOT)
    assert missing.where == f"slot 0x1 of {A}"
    assert (missing.reason, missing.depth) == (
        ProofReason.MISSING_NODE,
        len(document["storageProof"][0]["proof"]),
    )
    assert (wrong.where, wrong.got, wrong.expected) == (
        f"slot 0x3 of {A}",
        "0x99",
        "0x4",
    )
    # Where the account is not proven, its slots cannot be.
    (fault,) = proof.faults(bytes(32))
    assert (fault.where, fault.depth) == (f"account {A}", 0)


def test_values_that_are_no_accounts_and_no_numbers() -> None:
    trie = SecureTrie({bytes(A): b"\xc0"})
    proof = AccountProof(A, tuple(trie.prove(bytes(A))))
    with pytest.raises(ProofError) as caught:
        proof.verify(trie.root_hash)
    assert caught.value.reason is ProofReason.BAD_ACCOUNT
    assert isinstance(caught.value.__cause__, DecodeError)
    for value in (b"\xc0", b"\x00", rlp.encode(1 << 256)):
        storage = SecureTrie({bytes(32): value})
        with pytest.raises(ProofError) as caught:
            StorageProof(0, 0, tuple(storage.prove(bytes(32)))).verify(
                storage.root_hash
            )
        assert caught.value.reason is ProofReason.BAD_SLOT
    # A zero that is stored is no proof that the slot holds nothing.
    storage = SecureTrie({bytes(32): b"\x80"})
    with pytest.raises(ProofError) as caught:
        StorageProof(0, 0, tuple(storage.prove(bytes(32)))).verify(storage.root_hash)
    assert caught.value.reason is ProofReason.WRONG_VALUE
