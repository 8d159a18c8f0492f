"""
Blocks: a header, and the body that it has the roots and hashes of.

A block is ``[header, transactions, ommers]``, with the withdrawals behind them since
Shanghai (EIP-4895).  Requests and the block access list are not part of it: a header
has their hashes, and they travel beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar

from hexary import hash as hashing
from hexary import rlp
from hexary.chain.block_access_list import BlockAccessList
from hexary.chain.header import AuthorityRoundHeader, Header
from hexary.chain.instances import instances, require_instance
from hexary.chain.log import logs_bloom
from hexary.chain.receipt import Receipt, receipts_root
from hexary.chain.request import check_requests, requests_hash
from hexary.chain.transaction import (
    Transaction,
    transaction_from_json,
    transactions_root,
)
from hexary.chain.withdrawal import Withdrawal, withdrawals_root
from hexary.errors import FixtureError, InvalidError, InvalidReason
from hexary.typed import Hash

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence


__all__ = [
    "Block",
    "BlockBody",
    "ommers_hash",
]

Part = TypeVar("Part")


def ommers_hash(ommers: Iterable[Header | AuthorityRoundHeader]) -> Hash:
    """
    Return the hash of a block's ommers, as its header has it.

    Args:
        ommers: their headers, in order.

    Raises:
        InputTypeError: if one is none.

    Example:
        >>> ommers_hash([])
        Hash('0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347')
    """
    kinds = (Header, AuthorityRoundHeader)
    found = list(instances(ommers, kinds, "ommers", "a Header"))
    return Hash(hashing.keccak256(rlp.encode(found)))


@rlp.record
class Block(rlp.Record):
    """
    A block; immutable.

    `of` makes one whose header has the roots of the body.

    Example:
        >>> block = Block.of(Header(number=1, base_fee_per_gas=7), withdrawals=[])
        >>> block.check() == block.hash() == block.header.hash()
        True
    """

    header: Header
    """The header."""

    transactions: tuple[Transaction, ...] = ()
    """The transactions."""

    ommers: tuple[Header, ...] = ()
    """Headers of stale blocks; none since Paris."""

    withdrawals: rlp.Trailing[tuple[Withdrawal, ...]] = None
    """The withdrawals; ``None`` before Shanghai."""

    @classmethod
    def of(
        cls,
        header: Header,
        transactions: Iterable[Transaction] = (),
        ommers: Iterable[Header] = (),
        withdrawals: Iterable[Withdrawal] | None = None,
    ) -> Self:
        """
        Return a block with the roots and hashes of the body put into the header.

        Args:
            header: the rest of the header.
            transactions: the transactions.
            ommers: headers of stale blocks.
            withdrawals: the withdrawals; ``None`` before Shanghai.

        Raises:
            EncodeError: if there are withdrawals, but no base fee.
        """
        block = cls(
            header,
            tuple(transactions),
            tuple(ommers),
            None if withdrawals is None else tuple(withdrawals),
        )
        changes: dict[str, Any] = {
            "transactions_root": transactions_root(block.transactions),
            "ommers_hash": ommers_hash(block.ommers),
        }
        if block.withdrawals is not None:
            changes["withdrawals_root"] = withdrawals_root(block.withdrawals)
        return block.replace(header=header.replace(**changes))

    def hash(self, **options: Any) -> Hash:
        """
        Return the block's hash, which is that of the header.

        Args:
            options: as in `hexary.rlp.Record.hash`, for the header.
        """
        return self.header.hash(**options)

    def check(self) -> Hash:
        """
        Check that the header has the roots of the body, and return the block's hash.

        Raises:
            InvalidError: if one is another.
        """
        header = self.header
        _expect(
            InvalidReason.TRANSACTIONS_ROOT,
            "header.transactions_root",
            header.transactions_root,
            transactions_root(self.transactions),
        )
        _expect(
            InvalidReason.OMMERS_HASH,
            "header.ommers_hash",
            header.ommers_hash,
            ommers_hash(self.ommers),
        )
        if (header.withdrawals_root is None) is not (self.withdrawals is None):
            raise InvalidError(InvalidReason.BODY_FIELDS, field="withdrawals")
        if header.withdrawals_root is not None and self.withdrawals is not None:
            _expect(
                InvalidReason.WITHDRAWALS_ROOT,
                "header.withdrawals_root",
                header.withdrawals_root,
                withdrawals_root(self.withdrawals),
            )
        return header.hash()

    def check_receipts(self, receipts: Sequence[Receipt]) -> None:
        """
        Check that the header has the root and the bloom filter of the receipts.

        Args:
            receipts: the receipts, in the order of the transactions.

        Raises:
            InputTypeError: if one is none.
            InvalidError: if one is another, also the filter of a receipt.
        """
        receipts = tuple(instances(receipts, Receipt, "receipts", "a Receipt"))
        for place, receipt in enumerate(receipts):
            receipt.check(field=f"receipts[{place}]")
        _expect(
            InvalidReason.RECEIPTS_ROOT,
            "header.receipts_root",
            self.header.receipts_root,
            receipts_root(receipts),
        )
        _expect(
            InvalidReason.LOGS_BLOOM,
            "header.logs_bloom",
            self.header.logs_bloom,
            logs_bloom(log for receipt in receipts for log in receipt.logs),
        )

    def check_requests(self, requests: Sequence[bytes]) -> None:
        """
        Check that requests are in order, and that the header has their hash.

        Args:
            requests: a byte string for each type.

        Raises:
            InvalidError: if they are not, or it has not.
        """
        check_requests(requests)
        if self.header.requests_hash is None:
            raise InvalidError(InvalidReason.HEADER_FIELDS, field="requests_hash")
        _expect(
            InvalidReason.REQUESTS_HASH,
            "header.requests_hash",
            self.header.requests_hash,
            requests_hash(requests),
        )

    def check_access_list(self, access_list: BlockAccessList) -> None:
        """
        Check that an access list is in order, and that the header has its hash.

        Args:
            access_list: what the block touches.

        Raises:
            InputTypeError: if it is none.
            InvalidError: if it is not, or it has not.
        """
        require_instance(
            access_list, BlockAccessList, "access_list", "a BlockAccessList"
        )
        if self.header.block_access_list_hash is None:
            raise InvalidError(
                InvalidReason.HEADER_FIELDS, field="block_access_list_hash"
            )
        found = access_list.check(
            transactions=len(self.transactions), gas_limit=self.header.gas_limit
        )
        _expect(
            InvalidReason.ACCESS_LIST_HASH,
            "header.block_access_list_hash",
            self.header.block_access_list_hash,
            found,
        )

    @classmethod
    def from_json(
        cls,
        value: Mapping[str, Any],
        *,
        spelling: rlp.Spelling = "rpc",
        unknown: Literal["ignore", "refuse"] = "ignore",
        ommers: Sequence[Header] | None = None,
    ) -> Self:
        """
        Return the block that a JSON object stands for.

        In JSON-RPC that is what ``eth_getBlockByNumber`` answers with full
        transactions; in fixtures, an item of ``blocks``.

        Args:
            value: the object.
            spelling: as JSON-RPC or as fixtures have it.
            unknown: what to do about other keys of the header; blocks have many.
            ommers: their headers, which JSON-RPC gives the hashes of only.

        Raises:
            FixtureError: if it is not that of a block, gives only the hashes of
                transactions, or those of other ommers.
        """
        if not isinstance(value, dict):
            raise FixtureError("a block must be an object", field="block")
        fixture = spelling == "fixture"
        header = Header.from_json(
            value.get("blockHeader") if fixture else value,  # type: ignore[arg-type]  # which refuses what is no object
            spelling=spelling,
            unknown=unknown,
        )
        if fixture:
            ommers = list(
                _each(
                    value,
                    "uncleHeaders",
                    lambda one: Header.from_json(one, spelling=spelling),
                )
            )
        else:
            ommers = _known_ommers(_array(value, "uncles"), ommers or ())
        withdrawals = None
        if value.get("withdrawals") is not None:
            withdrawals = tuple(
                _each(
                    value,
                    "withdrawals",
                    lambda one: Withdrawal.from_json(one, spelling=spelling),
                )
            )
        if header.withdrawals_root is None and not withdrawals:
            # Fixtures have an empty list even where there can be none.
            withdrawals = None
        return cls(
            header,
            tuple(
                _each(value, "transactions", lambda one: _transaction(one, spelling))
            ),
            tuple(ommers),
            withdrawals,
        )

    def to_json(self, *, spelling: rlp.Spelling = "rpc") -> dict[str, Any]:
        """
        Return the block as a JSON object.

        Args:
            spelling: as JSON-RPC or as fixtures have it.
        """
        header = self.header.to_json(spelling=spelling)
        transactions = [one.to_json(spelling=spelling) for one in self.transactions]
        made: dict[str, Any]
        if spelling == "fixture":
            header["hash"] = str(self.hash())
            made = {
                "blockHeader": header,
                "rlp": "0x" + self.rlp().hex(),
                "transactions": transactions,
                "uncleHeaders": [one.to_json(spelling=spelling) for one in self.ommers],
            }
        else:
            made = {
                "hash": str(self.hash()),
                **header,
                "transactions": [
                    {
                        **one,
                        "hash": str(transaction.hash()),
                        "blockHash": str(self.hash()),
                        "blockNumber": header["number"],
                        "transactionIndex": hex(place),
                    }
                    for place, (one, transaction) in enumerate(
                        zip(transactions, self.transactions, strict=True)
                    )
                ],
                "uncles": [str(one.hash()) for one in self.ommers],
            }
        if self.withdrawals is not None:
            made["withdrawals"] = [
                one.to_json(spelling=spelling) for one in self.withdrawals
            ]
        return made


@rlp.record
class BlockBody(rlp.Record):
    """
    What a block has beside its header, as nodes send it.

    Example:
        >>> body = BlockBody(withdrawals=[])
        >>> body.rlp().hex(), body.block(Header()).withdrawals
        ('c3c0c0c0', ())
    """

    transactions: tuple[Transaction, ...] = ()
    """The transactions."""

    ommers: tuple[Header, ...] = ()
    """Headers of stale blocks; none since Paris."""

    withdrawals: rlp.Trailing[tuple[Withdrawal, ...]] = None
    """The withdrawals; ``None`` before Shanghai."""

    def block(self, header: Header) -> Block:
        """
        Return the block with a header; whether they belong together, its `check` says.

        Args:
            header: the header.
        """
        return Block(header, self.transactions, self.ommers, self.withdrawals)


def _expect(reason: InvalidReason, field: str, got: bytes, expected: bytes) -> None:
    """Check that the header has what the body says."""
    if got != expected:
        raise InvalidError(reason, field=field, got=got, expected=expected)


def _array(value: Mapping[str, Any], name: str) -> list[Any]:
    """Return a member that has to be an array, or absent."""
    found = value.get(name, [])
    if not isinstance(found, list):
        raise FixtureError("must be an array", field=f"block.{name}")
    return found


def _each(
    value: Mapping[str, Any], name: str, read: Callable[[Any], Part]
) -> Iterator[Part]:
    """Yield what *read* makes of each item of an array; errors name the item."""
    for place, one in enumerate(_array(value, name)):
        try:
            yield read(one)
        except FixtureError as error:
            field = f"block.{name}[{place}]"
            if error.field:
                field += f" › {error.field}"
            raise FixtureError(error.rule, field=field) from None


def _transaction(value: object, spelling: rlp.Spelling) -> Transaction:
    """Return a transaction, of which JSON-RPC may give only the hash."""
    if isinstance(value, str):
        raise FixtureError(
            "is the hash of a transaction, where the whole of it is needed"
        )
    return transaction_from_json(value, spelling=spelling)  # type: ignore[arg-type]  # which refuses what is no object


def _known_ommers(hashes: list[Any], ommers: Sequence[Header]) -> Sequence[Header]:
    """Return *ommers*, which have to be those that JSON-RPC gives the hashes of."""
    if [str(one) for one in hashes] != [str(one.hash()) for one in ommers]:
        rule = "gives the hashes of ommers, whose headers have to be passed as well"
        raise FixtureError(rule, field="block.uncles")
    return ommers
