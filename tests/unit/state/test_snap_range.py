"""Ranges of accounts and slots of the snap protocol."""

from __future__ import annotations

import pytest

from hexary import (
    Account,
    Address,
    DecodeError,
    InputTypeError,
    ProofError,
    ProofReason,
    SecureTrie,
    SizeError,
    State,
    TrieAccount,
    keccak256,
    rlp,
)
from hexary.state import (
    slim_account,
    verify_account_range,
    verify_storage_range,
)

STATE = State(
    {
        Address(number): Account(number, 5, b"\x60" * (number % 2), {1: number % 3})
        for number in range(1, 60)
    }
)
TRIE = SecureTrie(
    {
        bytes(Address(number)): STATE.account(Address(number)).rlp()
        for number in range(1, 60)
    }
)
SLOTS = SecureTrie(
    {number.to_bytes(32, "big"): rlp.encode(number + 1) for number in range(50)}
)


def response(start: bytes, limit: int):
    found = TRIE.prove_range(start, limit=limit)
    slim = [slim_account(TrieAccount.from_rlp(value)) for value in found.values]
    return list(zip(found.keys, slim, strict=True)), found.nodes


def test_the_tries_are_those_of_the_state() -> None:
    assert TRIE.root_hash == STATE.root()


def test_the_whole_state_in_pieces() -> None:
    origin = bytes(32)
    found: dict[bytes, TrieAccount] = {}
    more = True
    while more:
        accounts, nodes = response(origin, 13)
        piece, more = verify_account_range(STATE.root(), origin, accounts, nodes)
        found.update(piece)
        origin = (int.from_bytes(accounts[-1][0], "big") + 1).to_bytes(32, "big")
    assert found == {
        keccak256(Address(number)): STATE.account(Address(number))
        for number in range(1, 60)
    }
    accounts, _ = response(bytes(32), 100)
    whole = verify_account_range(STATE.root(), bytes(32), accounts, None)
    assert (len(whole.accounts), whole.has_more) == (59, False)


def test_accounts_that_are_not_slim_or_not_right_are_refused() -> None:
    accounts, nodes = response(bytes(32), 5)
    key, slim = accounts[2]
    items = rlp.decode(slim)
    account = TrieAccount.from_rlp(TRIE.get(next(iter(TRIE))))
    bad = [
        account.rlp() if b"" in items[2:] else slim[:-1],
        b"",
        b"\x80",
        rlp.encode(items[:3]),
        rlp.encode([b"\x00", *items[1:]]),
        TrieAccount().rlp(),
    ]
    for wrong in bad:
        with pytest.raises(ProofError) as caught:
            verify_account_range(
                STATE.root(),
                bytes(32),
                [*accounts[:2], (key, wrong), *accounts[3:]],
                nodes,
            )
        assert caught.value.reason is ProofReason.BAD_ACCOUNT
        assert isinstance(caught.value.__cause__, DecodeError)
    richer = rlp.encode([items[0], 6, *items[2:]])
    with pytest.raises(ProofError) as caught:
        verify_account_range(
            STATE.root(),
            bytes(32),
            [*accounts[:2], (key, richer), *accounts[3:]],
            nodes,
        )
    assert caught.value.reason in (ProofReason.WRONG_ENTRIES, ProofReason.WRONG_VALUE)


def test_slots() -> None:
    found = SLOTS.prove_range(bytes([0x40]) + bytes(31), limit=10)
    slots = list(zip(found.keys, found.values, strict=True))
    result = verify_storage_range(SLOTS.root_hash, found.start, slots, found.nodes)
    assert result.has_more
    assert len(result.slots) == 10
    assert list(result.slots.values()) == [rlp.decode_uint(value) for _, value in slots]
    with pytest.raises(ProofError):
        verify_storage_range(SLOTS.root_hash, found.start, slots[1:], found.nodes)


@pytest.mark.parametrize(
    "value",
    [b"\x80", b"\x00", b"\xc0", b"\xa1" + 33 * b"\1"],
    ids=["zero", "zero as a byte", "a list", "33 bytes"],
)
@pytest.mark.parametrize("is_whole", [True, False])
def test_a_slot_holds_a_number_that_is_not_zero(value: bytes, is_whole: bool) -> None:
    odd = SecureTrie({b"a": b"\1", b"k": value})
    found = odd.prove_range(bytes(32))
    slots = list(zip(found.keys, found.values, strict=True))
    nodes = None if is_whole else found.nodes
    with pytest.raises(ProofError) as caught:
        verify_storage_range(odd.root_hash, bytes(32), slots, nodes)
    assert caught.value.reason is ProofReason.BAD_SLOT
    assert caught.value.where == f"slot 0x{keccak256(b'k').hex()}"
    assert caught.value.got == value


def test_what_a_peer_sends_fails_in_one_way_only() -> None:
    """Keys of another size are the peer's fault, and so a `ProofError`."""
    accounts, nodes = response(bytes(32), 3)
    found = SLOTS.prove_range(bytes(32), limit=3)
    slots = list(zip(found.keys, found.values, strict=True))
    for key in (b"", accounts[1][0][:31], accounts[1][0] + b"\0"):
        with pytest.raises(ProofError) as caught:
            verify_account_range(
                STATE.root(),
                bytes(32),
                [accounts[0], (key, accounts[1][1]), accounts[2]],
                nodes,
            )
        assert caught.value.reason is ProofReason.WRONG_PATH_LENGTH
        with pytest.raises(ProofError) as caught:
            verify_storage_range(
                SLOTS.root_hash, bytes(32), [(key, slots[0][1])], found.nodes
            )
        assert caught.value.reason is ProofReason.WRONG_PATH_LENGTH
    for twice in ([accounts[0], *accounts], accounts[::-1]):
        with pytest.raises(ProofError) as caught:
            verify_account_range(STATE.root(), bytes(32), twice, nodes)
        assert caught.value.reason is ProofReason.UNORDERED_KEYS
    gone = [(slots[0][0], b""), *slots[1:]]
    with pytest.raises(ProofError) as caught:
        verify_storage_range(SLOTS.root_hash, bytes(32), gone, found.nodes)
    assert caught.value.reason is ProofReason.EMPTY_VALUE
    # What the caller gets wrong is not.
    with pytest.raises(SizeError):
        verify_account_range(STATE.root(), b"", accounts, nodes)
    for wrong in (7, [b"ab"], [("0x", b"")]):
        with pytest.raises(InputTypeError):
            verify_account_range(STATE.root(), bytes(32), wrong, nodes)
    whole = verify_account_range(STATE.root(), bytes(32), dict(accounts), nodes)
    assert len(whole.accounts) == 3
