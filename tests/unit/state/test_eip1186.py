"""Answers to ``eth_getProof``: the dialects, what is proven, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from hexary import (
    EMPTY_CODE_HASH,
    EMPTY_ROOT,
    Account,
    AccountProof,
    Address,
    Bytes,
    DecodeError,
    FixtureError,
    InputTypeError,
    MemoryStore,
    ProofError,
    ProofReason,
    SecureTrie,
    State,
    TrieAccount,
    rlp,
)
from hexary.errors import RangeError, SizeError
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


class AttributeDict(Mapping[str, Any]):
    """A mapping that is no dict, as web3.py makes of objects."""

    def __init__(self, members: dict[str, Any]) -> None:
        self.members = members

    def __getitem__(self, name: str) -> Any:
        return self.members[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.members)

    def __len__(self) -> int:
        return len(self.members)


def as_web3_answers(
    document: dict[str, Any], hexbytes: Callable[[str], bytes]
) -> AttributeDict:
    """Return an answer to ``eth_getProof`` in the types that web3.py makes of it."""
    return AttributeDict(
        {
            "address": Address(document["address"]).checksum(),
            "accountProof": [hexbytes(node) for node in document["accountProof"]],
            "balance": int(document["balance"], 16),
            "codeHash": hexbytes(document["codeHash"]),
            "nonce": int(document["nonce"], 16),
            "storageHash": hexbytes(document["storageHash"]),
            "storageProof": tuple(
                AttributeDict(
                    {
                        "key": hexbytes(claim["key"]),
                        "value": hexbytes(claim["value"]),
                        "proof": tuple(hexbytes(node) for node in claim["proof"]),
                    }
                )
                for claim in document["storageProof"]
            ),
        }
    )


def test_an_answer_as_web3_returns_it_is_read() -> None:
    hexbytes = pytest.importorskip("hexbytes", reason="not installed")
    for address in (A, B, NOBODY):
        proof = STATE.prove(address, [0, 5])
        for make in (hexbytes.HexBytes, Bytes.from_text):
            document = proof.to_json()
            for claim in document["storageProof"]:
                claim["value"] = f"0x{int(claim['value'], 16):02x}"
            answer = as_web3_answers(document, make)
            read = AccountProof.from_json(answer, address=address, slots=[0, 5])
            assert read == proof
            read.verify(ROOT)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"storageHash": bytes(31)}, "storageHash"),
        ({"codeHash": 5}, "codeHash"),
        ({"address": bytes(32)}, "address"),
        ({"balance": True}, "balance"),
        ({"balance": -1}, "balance"),
        ({"balance": b""}, "balance"),
        ({"balance": bytes(33)}, "balance"),
        ({"nonce": bytes(9)}, "nonce"),
        ({"accountProof": [5]}, "accountProof[0]"),
        ({"accountProof": b"\x80"}, "accountProof"),
        ({"storageProof": [{"key": bytes(33), "value": 0, "proof": []}]}, "key"),
        ({"storageProof": [{"key": True, "value": 0, "proof": []}]}, "key"),
    ],
)
def test_bytes_and_ints_have_to_fit(changes: Any, field: str) -> None:
    with pytest.raises(FixtureError) as caught:
        AccountProof.from_json({**STATE.prove(A).to_json(), **changes})
    assert caught.value.field.endswith(field)


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


def places(value: object, above: tuple[object, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to each value in a JSON document, except to the whole."""
    members: Any = ()
    if isinstance(value, dict):
        members = value.items()
    elif isinstance(value, list):
        members = enumerate(value)
    for step, below in members:
        yield (*above, step)
        yield from places(below, (*above, step))


def put(document: Any, place: tuple[Any, ...], value: object) -> Any:
    """Return a copy of a document with another value at a place."""
    copy = json.loads(json.dumps(document))
    inner = copy
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    return copy


JUNK = [
    *(None, True, False, -1, 1.5, float("inf"), 2**300, "", "0x", "0xzz", "-1", " 0x1"),
    *("0x" + 65 * "f", 5000 * "f", [], {}, [[]], [None], [1], ["0xc0"], [{}], {"a": 1}),
    *("\u0661", "1_0", {"result": {}}, [["0x"]], "0x" + 63 * "0"),
]


@pytest.mark.parametrize(
    "where", list(places(STATE.prove(A, [1, 99]).to_json())), ids=str
)
def test_nonsense_in_any_place_is_a_fault_of_the_file_or_of_the_proof(where) -> None:
    document = STATE.prove(A, [1, 99]).to_json()
    right = (STATE.account(A), {1: 2, 99: 0})
    for junk in JUNK:
        changed = put(document, where, junk)
        try:
            found = AccountProof.from_json(changed, file="a.json").verify(ROOT)
        except FixtureError as error:
            assert error.file == "a.json"
            # The field that is at fault, or the one that it stands in.
            assert error.field.lower().startswith(str(where[0]).lower())
            continue
        except ProofError as error:
            assert error.where
            continue
        assert found.account == right[0]
        assert found.storage.items() <= right[1].items()


def test_an_answer_has_to_be_about_the_slots_that_were_asked_for() -> None:
    document = STATE.prove(A, [1, 99]).to_json()
    for slots in ([1, 99], ["0x63", 1], (bytes(31) + b"c", 1, 1)):
        proof = AccountProof.from_json(document, slots=slots)
        assert proof.verify(ROOT).storage == {1: 2, 99: 0}
    for slots, rule in (
        ([1, 99, 3], "slot 0x3 is missing"),
        ([1], "slot 0x63 was not asked for"),
        ([], "slot 0x1 was not asked for"),
    ):
        with pytest.raises(FixtureError, match=rule) as caught:
            AccountProof.from_json(document, slots=slots)
        assert caught.value.field == "storageProof"
    with pytest.raises(InputTypeError):
        AccountProof.from_json(document, slots="0x1")


def test_a_slot_may_be_claimed_twice_but_not_to_hold_two_things() -> None:
    document = STATE.prove(A, [1]).to_json()
    document["storageProof"] *= 2
    assert AccountProof.from_json(document).verify(ROOT).storage == {1: 2}
    claim = {**document["storageProof"][0], "value": "0x7"}
    for claims in (
        [claim, document["storageProof"][0]],
        [document["storageProof"][0], claim],
    ):
        refused({**document, "storageProof": claims}, ProofReason.WRONG_VALUE)


def test_an_account_is_proven_at_its_own_address_alone() -> None:
    document = STATE.prove(A, [1]).to_json()
    for other in (B, NOBODY, Address(7)):
        with pytest.raises(ProofError) as caught:
            AccountProof.from_json({**document, "address": str(other)}).verify(ROOT)
        assert caught.value.reason in (
            ProofReason.MISSING_NODE,
            ProofReason.SURPLUS_NODE,
            ProofReason.WRONG_FIELD,
        )
        assert caught.value.where.startswith(f"account {other}")


def test_slots_of_an_absent_account_are_absent_and_nothing_else() -> None:
    document = STATE.prove(NOBODY, [5]).to_json()
    assert AccountProof.from_json(document).verify(ROOT).storage == {5: 0}
    claim = document["storageProof"][0]
    there = STATE.prove(A, [5]).to_json()["storageProof"][0]
    refused(
        {**document, "storageProof": [{**claim, "value": "0x1"}]},
        ProofReason.WRONG_VALUE,
    )
    # The proof of a slot that somebody else has.
    refused({**document, "storageProof": [there]}, ProofReason.SURPLUS_NODE)
    refused(
        {
            **document,
            "storageProof": [there],
            "storageHash": str(STATE.account(A).storage_root),
        },
        ProofReason.WRONG_FIELD,
    )


def test_an_error_of_the_node_is_told_as_one() -> None:
    refusal = {"code": -32602, "message": "no such block"}
    for document in (
        {"jsonrpc": "2.0", "id": 1, "error": refusal},
        {"request": {}, "response": {"error": refusal}},
        {"error": "no such block", "result": None},
    ):
        with pytest.raises(
            FixtureError, match="the node refuses: 'no such block'"
        ) as caught:
            AccountProof.from_json(document)
        assert caught.value.field.endswith("error")
    # What comes with an answer is none.
    answer = {"jsonrpc": "2.0", "error": None, "result": STATE.prove(A).to_json()}
    assert AccountProof.from_json(answer).verify(ROOT).account == STATE.account(A)


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


@pytest.mark.parametrize("claim", [0, 1])
def test_a_zero_that_is_stored_proves_nothing(claim: int) -> None:
    """No storage holds zeros: it is no proof that the slot is empty, or other."""
    storage = SecureTrie({bytes(32): b"\x80"})
    proof = StorageProof(0, claim, tuple(storage.prove(bytes(32))))
    with pytest.raises(ProofError) as caught:
        proof.verify(storage.root_hash)
    assert caught.value.reason is ProofReason.BAD_SLOT
    assert caught.value.where == "slot 0x0"
    assert "a number from 1 to 2^256 - 1" in str(caught.value)


@pytest.mark.parametrize("slots", ["0x1", b"1", bytearray(b"1"), 7, None], ids=repr)
def test_a_single_slot_does_not_pass_for_several(slots: Any) -> None:
    """Each character of a text, or byte of bytes, would be a slot of its own."""
    part = State.from_witness(ROOT, STATE.prove(A, [1]).nodes)
    for state in (STATE, STATE.copy(), STATE.record().state, part):
        with pytest.raises(InputTypeError, match="slots must be an iterable of slots"):
            state.prove(A, slots)


def test_slots_are_given_in_any_spelling() -> None:
    assert STATE.prove(A, ["0x1", b"\x02"]) == STATE.prove(A, [1, 2])


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((-1, 0), RangeError),
        ((2**256, 0), RangeError),
        ((0, -1), RangeError),
        ((0, 2**256), RangeError),
        (("1", 0), InputTypeError),
        ((1, "x"), InputTypeError),
        ((True, 0), InputTypeError),
        ((1, 0, None), InputTypeError),
        ((1, 0, b"node"), InputTypeError),
    ],
)
def test_a_claim_about_a_slot_is_checked_at_once(
    arguments: tuple[Any, ...], error: type[Exception]
) -> None:
    with pytest.raises(error):
        StorageProof(*arguments)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"address": "x"}, InputTypeError),
        ({"address": bytes(19)}, SizeError),
        ({"nonce": -1}, RangeError),
        ({"nonce": 2**64}, RangeError),
        ({"balance": -1}, RangeError),
        ({"balance": 2**256}, RangeError),
        ({"balance": "1"}, InputTypeError),
        ({"code_hash": b""}, SizeError),
        ({"storage_root": None}, InputTypeError),
        ({"nodes": b"node"}, InputTypeError),
        ({"storage": StorageProof(1, 0)}, InputTypeError),
        ({"storage": (5,)}, InputTypeError),
    ],
)
def test_a_claim_about_an_account_is_checked_at_once(
    arguments: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        AccountProof(**{"address": A, **arguments})


def test_claims_keep_what_they_are_given_in_one_form() -> None:
    proof = AccountProof(bytes(A), [b"node"], storage=[StorageProof(1, 0, [b"n"])])  # type: ignore[arg-type]  # other forms of the same
    assert proof == AccountProof(A, (b"node",), storage=(StorageProof(1, 0, (b"n",)),))
    assert type(proof.address) is Address
