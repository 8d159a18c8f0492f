"""Access lists: what a transaction says in advance that it will touch (EIP-2930)."""

from __future__ import annotations

from typing import TypeAlias

from hexary import rlp
from hexary.typed import Address, Hash

__all__ = [
    "AccessList",
    "AccessListEntry",
]


@rlp.record
class AccessListEntry(rlp.Record):
    """
    An account in an access list, and which of its slots.

    Example:
        >>> AccessListEntry(address=bytes(20), storage_keys=[bytes(32)]).to_json()
        {'address': '0x0000000000000000000000000000000000000000', 'storageKeys': \
['0x0000000000000000000000000000000000000000000000000000000000000000']}
    """

    address: Address
    """The account."""

    storage_keys: tuple[Hash, ...] = ()
    """The slots, in any order and perhaps more than once."""


AccessList: TypeAlias = tuple[AccessListEntry, ...]
"""A whole access list; accounts may stand in it more than once."""
