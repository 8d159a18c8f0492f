"""
What differs between two states: which accounts, which fields, which slots.

Equal parts of the tries are not looked into, so the cost grows with the difference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hexary import rlp
from hexary.state.account import TrieAccount
from hexary.trie.diff import core_differences
from hexary.typed import Address, Bytes, Hash

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hexary.state.live_accounts import LiveAccounts
    from hexary.state.world import State

__all__ = ["StateDifference", "state_differences"]


class StateDifference(NamedTuple):
    """
    One value that differs.

    Attributes:
        address: the account's address, ``None`` if only its hash is known.
        hashed_address: keccak-256 of it.
        field: ``"exists"``, ``"nonce"``, ``"balance"``, ``"code"`` or ``"storage"``.
        slot: the slot's number, ``None`` for another field, or if only its hash is
            known.
        hashed_slot: keccak-256 of the slot, ``None`` for another field.
        before: the value in the first state: a bool, an int, or the code.
        after: the value in the second state.
    """

    address: Address | None
    hashed_address: Hash
    field: str
    slot: int | None
    hashed_slot: Hash | None
    before: bool | int | Bytes
    after: bool | int | Bytes


def state_differences(first: State, second: State) -> Iterator[StateDifference]:
    """
    Iterate over all values that differ, account by account in the order of the trie.

    What is compared is the states as they are now, whatever becomes of them meanwhile.

    An account that only one state has differs in ``exists``, and in each field from one
    that has nothing.

    Args:
        first: a state.
        second: a state, on the same store or another, or in memory.

    Raises:
        MissingNodeError: if a node or a code that differs is not available.

    Example:
        >>> from hexary.state import State
        >>> address = bytes(20)
        >>> before = State().set_balance(address, 1).set_storage(address, 5, 6)
        >>> after = before.copy().set_balance(address, 2).set_storage(address, 5, 0)
        >>> for difference in state_differences(before, after):
        ...     print(difference.field, difference.slot, *difference[-2:])
        balance None 1 2
        storage 5 6 0
    """
    return _differences(first.copy()._live, second.copy()._live)


def _differences(one: LiveAccounts, two: LiveAccounts) -> Iterator[StateDifference]:
    """Yield what `state_differences` does."""
    for key, before, after in core_differences(one.core, two.core):
        known = one.blobs.find(key) or two.blobs.find(key)
        address = None if known is None else Address(known)
        ours = None if before is None else TrieAccount.from_rlp(before)
        theirs = None if after is None else TrieAccount.from_rlp(after)
        old, new = ours or TrieAccount(), theirs or TrieAccount()
        values: list[tuple[str, bool | int | Bytes, bool | int | Bytes]] = [
            ("exists", ours is not None, theirs is not None),
            ("nonce", old.nonce, new.nonce),
            ("balance", old.balance, new.balance),
        ]
        if old.code_hash != new.code_hash:
            shown = address or Address(key[:20])
            code = one.code(shown, old.code_hash), two.code(shown, new.code_hash)
            values.append(("code", *code))
        for field, was, is_now in values:
            if was != is_now:
                yield StateDifference(
                    address, Hash(key), field, None, None, was, is_now
                )
        for hashed, was_rlp, now_rlp in core_differences(
            one.storage_core(key, old), two.storage_core(key, new)
        ):
            word = one.blobs.find(hashed) or two.blobs.find(hashed)
            yield StateDifference(
                address,
                Hash(key),
                "storage",
                None if word is None else int.from_bytes(word, "big"),
                Hash(hashed),
                0 if was_rlp is None else rlp.decode_uint(was_rlp),
                0 if now_rlp is None else rlp.decode_uint(now_rlp),
            )
