"""Published execution witnesses: whole, of use, and without anything that is not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conformance.vector_files import VECTORS
from hexary import (
    EMPTY_ROOT,
    AccountProof,
    Address,
    Header,
    MissingNodeError,
    State,
    Witness,
    create_address,
    keccak256,
    partial_trie,
    rlp,
)
from hexary.chain import (
    Block,
    BlockAccessList,
    parent_header,
    post_state_root,
    read_header,
)
from hexary.errors import ProofError
from hexary.state import TrieAccount
from hexary.trie import BranchNode, LeafNode, decode_node

pytestmark = pytest.mark.vectors

NIMBUS = VECTORS / "witness/nimbus"
NAMES = ("mainnet_100", "mainnet_73141")

FILES = {
    "nimbus/mainnet_100": "mainnet_100_witness.json",
    "nimbus/mainnet_73141": "mainnet_73141_witness.json",
    "scroll-sbv-ethereum/1-23587691.json": "1-23587691.json",
    "zevm-stateless/test_block": "test_block_witness.json",
}


def load(name: str) -> tuple[Witness, dict[str, Any]]:
    """Return a witness, and what is expected of it."""
    folder = VECTORS / "witness" / name.partition("/")[0]
    expected = json.loads((folder / "EXPECTED.json").read_text())
    document = json.loads((folder / FILES[name]).read_text())
    facts = expected.get(name.partition("/")[2], expected)
    return Witness.from_json(document), facts


def reachable(root: bytes, witness: Witness) -> tuple[set[bytes], list[TrieAccount]]:
    """Return the hashes of the nodes that the root leads to, and the accounts."""
    nodes = {keccak256(node): node for node in witness.nodes}
    met: set[bytes] = set()
    accounts = []
    tops = [(root, True)]
    while tops:
        top, is_state = tops.pop()
        if top not in nodes or top in met or top == EMPTY_ROOT:
            continue
        met.add(top)
        below = [decode_node(nodes[top])]
        while below:
            node = below.pop()
            for child in node.children():
                if child.is_embedded:
                    below.append(child)
                else:
                    tops.append((child.reference, is_state))
            if is_state and isinstance(node, LeafNode):
                account = TrieAccount.from_rlp(node.value)
                accounts.append(account)
                tops.append((account.storage_root, False))
            assert not (is_state and isinstance(node, BranchNode) and node.value)
    return met, accounts


@pytest.mark.parametrize("name", FILES)
def test_every_node_is_one_that_the_root_leads_to(name: str) -> None:
    witness, facts = load(name)
    assert len(witness.nodes) == facts["nodes"]
    root = bytes.fromhex(facts["preStateRoot"][2:])
    met, accounts = reachable(root, witness)
    stray = {keccak256(node) for node in witness.nodes} - met
    # Some have the empty trie as a node.
    assert stray <= {keccak256(b"\x80")}
    assert accounts
    assert State.from_witness(root, witness).root() == root


@pytest.mark.parametrize("name", FILES)
def test_accounts_are_found_by_their_keys(name: str) -> None:
    witness, facts = load(name)
    root = bytes.fromhex(facts["preStateRoot"][2:])
    state = State.from_witness(root, witness)
    addresses = [Address(key) for key in witness.keys if len(key) == 20]
    codes = {keccak256(code) for code in witness.codes}
    for address in addresses:
        account = state.account(address)
        if account is not None and account.code_hash in codes:
            assert keccak256(state.get_code(address)) == account.code_hash
        proof = state.prove(address)
        assert proof.verify(root).account == account
    if name == "scroll-sbv-ethereum/1-23587691.json":
        assert addresses == []
    else:
        assert addresses


def test_the_state_after_a_block_with_nothing_but_its_reward() -> None:
    """Block 100 of mainnet: 5 ether for its miner, and no transactions."""
    witness, facts = load("nimbus/mainnet_100")
    document = json.loads((NIMBUS / "mainnet_100_block.json").read_text())
    header = read_header(document, block_hash=bytes.fromhex(facts["blockHash"][2:]))
    before = parent_header(header, witness).state_root
    assert before.hex() == facts["preStateRoot"]
    state = State.from_witness(before, witness)
    miner = header.coinbase
    state.set_balance(miner, state.get_balance(miner) + 5 * 10**18)
    assert state.root() == header.state_root
    assert header.state_root.hex() == facts["postStateRoot"]
    # Every node is needed for that: the witness is a minimal one.
    for node in witness.nodes:
        rest = Witness(tuple(other for other in witness.nodes if other != node))
        short = State.from_witness(before, rest)
        with pytest.raises(MissingNodeError) as caught:
            short.set_balance(miner, 1).root()
        assert caught.value.node_hash == keccak256(node)


@pytest.mark.parametrize("name", NAMES)
def test_a_witness_has_the_header_before(name: str) -> None:
    witness, facts = load(f"nimbus/{name}")
    document = json.loads((NIMBUS / f"{name}_block.json").read_text())
    header = read_header(document)
    assert header.hash().hex() == facts["blockHash"]
    assert parent_header(header, witness).state_root.hex() == facts["preStateRoot"]
    with pytest.raises(ProofError):
        parent_header(header, Witness(witness.nodes))
    with pytest.raises(ProofError):
        read_header(document, block_hash=bytes(32))
    with pytest.raises(ProofError):
        parent_header(Header(), witness)


def test_published_proofs_together_are_a_witness() -> None:
    folder = VECTORS / "proofs/helios/rpc"
    proofs = [
        AccountProof.from_json(json.loads((folder / name).read_text()))
        for name in ("proof.json", "block_miner_proof.json")
    ]
    block = json.loads((folder / "block.json").read_text())
    root = bytes.fromhex(block["stateRoot"][2:])
    state = State.from_witness(root, Witness.from_proofs(proofs))
    for proof in proofs:
        assert state.get_balance(proof.address) == proof.balance
        for claim in proof.storage:
            assert state.get_storage(proof.address, claim.slot) == claim.value
    trie = partial_trie(root, Witness.from_proofs(proofs).nodes)
    assert trie.get(keccak256(proofs[0].address)) is not None


def test_the_state_after_a_block_that_makes_a_contract() -> None:
    """
    Block 73141 of mainnet, whose changes fill an access list (EIP-7928).

    Two transfers, and a contract whose constructor sets five slots: what they leave
    behind can be told from the transactions and the block's gas.
    """
    witness, facts = load("nimbus/mainnet_73141")
    document = json.loads((NIMBUS / "mainnet_73141_block.json").read_text())
    block = Block.from_json(document)
    before = bytes.fromhex(facts["preStateRoot"][2:])
    assert before == parent_header(block.header, witness).state_root
    state = State.from_witness(before, witness)
    creation, first, second = block.transactions
    maker, payer = (
        Address("0x008fc7cbadffbd0d7fe44f8dfd60a79d721a1c9c"),
        Address("0x120a270bbc009644e35f0bb6ab13f95b8199c4ad"),
    )
    made, miner = create_address(maker, creation.nonce), block.header.coinbase
    gas = block.header.gas_used - 2 * 21_000
    fees = (
        gas * creation.gas_price,
        *(21_000 * each.gas_price for each in (first, second)),
    )
    spent = (first.value + fees[1], first.value + fees[1] + second.value + fees[2])
    earned = (fees[0], fees[0] + fees[1], sum(fees), sum(fees) + 5 * 10**18)

    def entry(address, *, slots=(), balances=(), nonces=(), codes=()):
        held = state.get_balance(address)
        return [
            address,
            [[slot, [[1, value]]] for slot, value in slots],
            [],
            [[index, held + change] for index, change in balances],
            [[index, nonce] for index, nonce in nonces],
            [[index, code] for index, code in codes],
        ]

    words = (int(maker.hex(), 16), int(maker.hex(), 16), block.header.timestamp)
    words += (1_000_000_000_000_000, 600)
    changes = [
        entry(
            made,
            slots=enumerate(words),
            nonces=() if state.get_nonce(made) == 0 else [(1, 1)],
            codes=[(1, creation.data[-0xEF:])],
        ),
        entry(maker, balances=[(1, -fees[0])], nonces=[(1, creation.nonce + 1)]),
        entry(
            payer,
            balances=[(2, -spent[0]), (3, -spent[1])],
            nonces=[(2, first.nonce + 1), (3, second.nonce + 1)],
        ),
        entry(first.to, balances=[(2, first.value)]),
        entry(second.to, balances=[(3, second.value)]),
        entry(miner, balances=list(enumerate(earned, 1))),
    ]
    changes.sort(key=lambda change: bytes(change[0]))
    access_list = BlockAccessList.from_rlp(rlp.encode(changes))
    root = post_state_root(before, witness, access_list)
    assert root == block.header.state_root
    assert root.hex() == facts["postStateRoot"]
    # Without any one of its nodes it is not computed.
    for node in witness.nodes:
        rest = Witness(tuple(other for other in witness.nodes if other != node))
        if keccak256(node) != EMPTY_ROOT:
            with pytest.raises(MissingNodeError) as caught:
                post_state_root(before, rest, access_list)
            assert caught.value.node_hash == keccak256(node)
