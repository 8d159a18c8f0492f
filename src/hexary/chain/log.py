"""Logs: what contracts leave in receipts (Yellow Paper, section 4.3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexary import rlp
from hexary.chain.instances import instances
from hexary.typed import Address, Bloom, Bytes, Hash

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "Log",
    "logs_bloom",
]

_NO_DATA = Bytes(b"")


@rlp.record
class Log(rlp.Record):
    """
    An entry that a contract has logged.

    Example:
        >>> Log(address=bytes(20), topics=[], data=b"dog").rlp().hex()
        'da940000000000000000000000000000000000000000c083646f67'
    """

    address: Address
    """The contract."""

    topics: tuple[Hash, ...] = ()
    """Up to four words to search for; of most events, the first names the event."""

    data: Bytes = _NO_DATA
    """The rest."""


def logs_bloom(logs: Iterable[Log]) -> Bloom:
    """
    Return the filter of the addresses and topics of logs.

    Args:
        logs: the logs of a receipt, or of all receipts of a block.

    Raises:
        InputTypeError: if one is none.

    Example:
        >>> bloom = logs_bloom([Log(address=bytes(20), topics=[bytes(32)])])
        >>> bytes(20) in bloom, bytes(32) in bloom, b"other" in bloom
        (True, True, False)
    """
    items: list[bytes] = []
    for log in instances(logs, Log, "logs", "a Log"):
        items.append(log.address)
        items += log.topics
    # Contracts log the same topics over and over, and each costs a hash.
    return Bloom.from_items(dict.fromkeys(items))
