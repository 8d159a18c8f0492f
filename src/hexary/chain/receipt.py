"""
Receipts: what became of a transaction (Yellow Paper, section 4.3.1).

A receipt is ``[outcome, cumulative gas used, bloom, logs]``, behind the type byte of
its transaction where that has one.  The outcome was the root of the state after the
transaction until Byzantium, and has been a status since (EIP-658).

Between nodes, receipts have travelled as ``[type, outcome, cumulative gas used, logs]``
since eth/69 (EIP-7642): the bloom filter follows from the logs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Self

from hexary import rlp
from hexary.chain.instances import instances
from hexary.chain.log import Log, logs_bloom
from hexary.errors import FixtureError, InvalidError, InvalidReason
from hexary.trie import ordered_trie_root
from hexary.typed import Bloom, Hash

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hexary.rlp.records import Spelling

__all__ = [
    "NetworkReceipt",
    "Receipt",
    "receipts_root",
]


class _Outcome(rlp.Record):
    """What the two forms of a receipt have in common."""

    __slots__ = ()

    if TYPE_CHECKING:
        outcome: bool | Hash

    @property
    def status(self) -> bool | None:
        """Whether the transaction succeeded; ``None`` before Byzantium."""
        return self.outcome if isinstance(self.outcome, bool) else None

    @property
    def post_state(self) -> Hash | None:
        """The root of the state after the transaction; ``None`` since Byzantium."""
        return None if isinstance(self.outcome, bool) else self.outcome


@rlp.record
class Receipt(_Outcome):
    """
    A receipt.

    `of` makes one with the bloom filter of its logs.

    Example:
        >>> receipt = Receipt.of(type=2, outcome=True, cumulative_gas_used=21000)
        >>> receipt.rlp()[:7].hex(), receipt.status, receipt.post_state
        ('02f90108018252', True, None)
    """

    type: Annotated[int, rlp.TypeByte(1, 2, 3, 4)]
    """The type of the transaction."""

    outcome: bool | Hash = rlp.field(json="status", aliases=("root",))
    """The status, or the root of the state."""

    cumulative_gas_used: rlp.U64
    """Of the block, up to and with the transaction."""

    logs_bloom: Bloom = rlp.field(fixture="bloom", aliases=("logsBloom",))
    """The filter of the logs."""

    logs: tuple[Log, ...]
    """What contracts have logged."""

    @classmethod
    def of(
        cls,
        *,
        type: int = 0,  # noqa: A002 - the field's name
        outcome: bool | Hash,
        cumulative_gas_used: int,
        logs: Iterable[Log] = (),
    ) -> Self:
        """
        Return a receipt with the bloom filter of its logs.

        Args:
            type: the type of the transaction.
            outcome: the status, or the root of the state.
            cumulative_gas_used: of the block, up to and with the transaction.
            logs: what contracts have logged.

        Raises:
            InputTypeError, RangeError, SizeError: if a value does not fit.
        """
        entries = tuple(logs)
        bloom = logs_bloom(entries)
        return cls(type, outcome, cumulative_gas_used, bloom, entries)

    def check(self, *, field: str = "receipt") -> None:
        """
        Check that the bloom filter is that of the logs.

        Args:
            field: the receipt's path, for messages.

        Raises:
            InvalidError: if it is another.
        """
        expected = logs_bloom(self.logs)
        if self.logs_bloom != expected:
            raise InvalidError(
                InvalidReason.LOGS_BLOOM,
                field=f"{field}.logs_bloom",
                got=self.logs_bloom,
                expected=expected,
            )

    def to_json(self, *, spelling: Spelling = "rpc") -> dict[str, Any]:
        """
        Return the receipt as a JSON object.

        Args:
            spelling: as JSON-RPC or as fixtures have it.
        """
        made = super().to_json(spelling=spelling)
        if self.post_state is not None:
            # The root has its own key, and stands where the status would.
            return {
                "root" if key == "status" else key: value for key, value in made.items()
            }
        return made

    @classmethod
    def from_json(
        cls, value: Mapping[str, Any], *, spelling: Spelling = "rpc", **options: Any
    ) -> Self:
        """
        Return the receipt that a JSON object stands for.

        Nodes leave ``type`` out of receipts of legacy transactions.

        Args:
            value: the object.
            spelling: as JSON-RPC or as fixtures have it.
            options: as in `hexary.rlp.Record.from_json`.

        Raises:
            FixtureError: if it is not that of a receipt.
        """
        if not isinstance(value, dict):
            raise FixtureError("a receipt must be an object", field="receipt")
        if "root" in value or value.get("type") is None or value.get("status") is None:
            value = {"type": "0x0"} | {
                key: inner
                for key, inner in value.items()
                # Some nodes say both, and null or nothing for what there is not.
                if not (
                    (inner is None and key in ("type", "status"))
                    or (key == "root" and inner in (None, "", "0x"))
                )
            }
        return super().from_json(value, spelling=spelling, **options)


@rlp.record
class NetworkReceipt(_Outcome):
    """
    A receipt without its bloom filter, as nodes send it (eth/69, EIP-7642).

    Example:
        >>> NetworkReceipt(2, True, 21000, ()).rlp().hex()
        'c60201825208c0'
    """

    type: rlp.U8
    """The type of the transaction."""

    outcome: bool | Hash
    """The status, or the root of the state."""

    cumulative_gas_used: rlp.U64
    """Of the block, up to and with the transaction."""

    logs: tuple[Log, ...]
    """What contracts have logged."""

    def receipt(self) -> Receipt:
        """Return the receipt with its bloom filter."""
        return Receipt.of(
            type=self.type,
            outcome=self.outcome,
            cumulative_gas_used=self.cumulative_gas_used,
            logs=self.logs,
        )


def receipts_root(receipts: Iterable[Receipt]) -> Hash:
    """
    Return the root of a block's receipts, as its header has it.

    Args:
        receipts: the receipts, in the order of the transactions.

    Raises:
        InputTypeError: if one is none, such as a `NetworkReceipt`.

    Example:
        >>> receipts_root([])
        Hash('0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421')
    """
    found = instances(
        receipts, Receipt, "receipts", "a Receipt", encoded="ordered_trie_root"
    )
    return ordered_trie_root(one.rlp() for one in found)
