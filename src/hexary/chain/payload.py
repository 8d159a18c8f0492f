"""
Execution payloads: blocks as the Engine API of clients has them.

A payload has the fields of a header that are not the same in all blocks since Paris,
and the body.  The rest comes beside it, as other parameters of ``engine_newPayload``:

======= ============================ ==================================================
version payload                      other parameters
======= ============================ ==================================================
1       Paris
2       withdrawals (Shanghai), or 1
3       blob gas (Cancun)            versioned hashes, the beacon block's root
4       as in 3 (Prague)             execution requests
5       access list, slot            as in 4
        (Amsterdam)
======= ============================ ==================================================
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hexary import rlp
from hexary.chain.block import Block
from hexary.chain.block_access_list import BlockAccessList
from hexary.chain.header import Header
from hexary.chain.instances import require_instance
from hexary.chain.request import check_requests, requests_hash
from hexary.chain.transaction import (
    BlobTransaction,
    Transaction,
    decode_transaction,
)
from hexary.chain.withdrawal import Withdrawal, withdrawals_root
from hexary.errors import (
    DecodeError,
    FixtureError,
    InputTypeError,
    InvalidError,
    InvalidReason,
)
from hexary.integer import exact_int
from hexary.state.json_object import read_data
from hexary.trie import ordered_trie_root
from hexary.typed import Address, Bloom, Bytes, Hash

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "ExecutionPayload",
    "NewPayload",
]

_VERSIONED_HASHES = 3
_REQUESTS = 4
_MOST_VERSION = 5


@rlp.record(kw_only=True)
class ExecutionPayload(rlp.Record):
    """
    An execution payload, ExecutionPayloadV1 to ExecutionPayloadV4; immutable.

    It is JSON by nature: no protocol has its RLP.

    Example:
        >>> block = Block.of(Header(base_fee_per_gas=7), withdrawals=[])
        >>> payload = ExecutionPayload.of(block)
        >>> payload.version, payload.header() == block.header
        (2, True)
    """

    parent_hash: Hash
    fee_recipient: Address
    state_root: Hash
    receipts_root: Hash
    logs_bloom: Bloom
    prev_randao: Hash
    block_number: rlp.U64
    gas_limit: rlp.U64
    gas_used: rlp.U64
    timestamp: rlp.U64
    extra_data: Bytes
    base_fee_per_gas: rlp.U256
    block_hash: Hash
    transactions: tuple[Bytes, ...]
    withdrawals: rlp.Trailing[tuple[Withdrawal, ...]] = None
    blob_gas_used: rlp.Trailing[rlp.U64] = None
    excess_blob_gas: rlp.Trailing[rlp.U64] = None
    block_access_list: rlp.Trailing[Bytes] = None
    slot_number: rlp.Trailing[rlp.U64] = None

    @classmethod
    def of(
        cls, block: Block, *, access_list: BlockAccessList | None = None
    ) -> ExecutionPayload:
        """
        Return the payload of a block.

        Args:
            block: the block, one since Paris.
            access_list: its block access list; ``None`` before Amsterdam.

        Raises:
            EncodeError: if a field comes without an earlier one.
            InputTypeError: if it is no block, or has no base fee.
        """
        require_instance(block, Block, "block", "a Block")
        if access_list is not None:
            require_instance(
                access_list, BlockAccessList, "access_list", "a BlockAccessList"
            )
        header = block.header
        return cls(
            parent_hash=header.parent_hash,
            fee_recipient=header.coinbase,
            state_root=header.state_root,
            receipts_root=header.receipts_root,
            logs_bloom=header.logs_bloom,
            prev_randao=header.mix_hash,
            block_number=header.number,
            gas_limit=header.gas_limit,
            gas_used=header.gas_used,
            timestamp=header.timestamp,
            extra_data=header.extra_data,
            base_fee_per_gas=header.base_fee_per_gas,  # type: ignore[arg-type]  # the constructor refuses None
            block_hash=block.hash(),
            transactions=tuple(Bytes(one.rlp()) for one in block.transactions),
            withdrawals=block.withdrawals,
            blob_gas_used=header.blob_gas_used,
            excess_blob_gas=header.excess_blob_gas,
            block_access_list=None if access_list is None else Bytes(access_list.rlp()),
            slot_number=header.slot_number,
        )

    @property
    def version(self) -> int:
        """Which of ExecutionPayloadV1 to ExecutionPayloadV4 it is."""
        if self.block_access_list is not None:
            return 4
        if self.blob_gas_used is not None:
            return 3
        return 1 if self.withdrawals is None else 2

    def header(
        self,
        *,
        parent_beacon_block_root: Hash | None = None,
        requests: Sequence[bytes] | None = None,
    ) -> Header:
        """
        Return the header that belongs to the payload.

        Args:
            parent_beacon_block_root: since Cancun, the root of the beacon block before.
            requests: since Prague, the execution requests.

        Raises:
            EncodeError: if a field comes without an earlier one.
        """
        withdrawals = self.withdrawals
        access_list = self.block_access_list
        return Header(
            parent_hash=self.parent_hash,
            coinbase=self.fee_recipient,
            state_root=self.state_root,
            transactions_root=ordered_trie_root(self.transactions),
            receipts_root=self.receipts_root,
            logs_bloom=self.logs_bloom,
            number=self.block_number,
            gas_limit=self.gas_limit,
            gas_used=self.gas_used,
            timestamp=self.timestamp,
            extra_data=self.extra_data,
            mix_hash=self.prev_randao,
            base_fee_per_gas=self.base_fee_per_gas,
            withdrawals_root=None
            if withdrawals is None
            else withdrawals_root(withdrawals),
            blob_gas_used=self.blob_gas_used,
            excess_blob_gas=self.excess_blob_gas,
            parent_beacon_block_root=parent_beacon_block_root,
            requests_hash=None if requests is None else requests_hash(requests),
            block_access_list_hash=None
            if access_list is None
            else access_list.keccak256(),
            slot_number=self.slot_number,
        )

    def decoded_transactions(self) -> tuple[Transaction, ...]:
        """
        Return the transactions.

        Raises:
            DecodeError: if one does not encode a transaction; ``field`` says which.
        """
        decoded = []
        for place, data in enumerate(self.transactions):
            try:
                decoded.append(decode_transaction(data))
            except DecodeError as error:
                raise DecodeError(
                    error.reason,
                    offset=error.offset,
                    data=error.data,
                    field=f"payload.transactions[{place}] › {error.field}",
                    detail=error.detail,
                ) from None
        return tuple(decoded)


@dataclass(frozen=True, slots=True)
class NewPayload:
    """
    The parameters of ``engine_newPayload``, in any version.

    Attributes:
        payload: the payload.
        versioned_hashes: those of all blobs, in order; ``None`` before Cancun.
        parent_beacon_block_root: of the beacon block before; ``None`` before Cancun.
        requests: the execution requests; ``None`` before Prague.

    Raises:
        HexError, InputTypeError, SizeError: if a value does not fit.

    Example:
        >>> block = Block.of(Header(base_fee_per_gas=7), withdrawals=[])
        >>> call = NewPayload(ExecutionPayload.of(block))
        >>> call.check() == block
        True
        >>> NewPayload.from_params(call.to_params(), version=2) == call
        True
    """

    payload: ExecutionPayload
    versioned_hashes: tuple[Hash, ...] | None = None
    parent_beacon_block_root: Hash | None = None
    requests: tuple[Bytes, ...] | None = None

    def __post_init__(self) -> None:
        """Make each parameter what the annotations say."""
        if not isinstance(self.payload, ExecutionPayload):
            raise InputTypeError("payload", "an ExecutionPayload", self.payload)
        hashes, root, requests = (
            self.versioned_hashes,
            self.parent_beacon_block_root,
            self.requests,
        )
        if hashes is not None:
            object.__setattr__(self, "versioned_hashes", tuple(map(Hash, hashes)))
        if root is not None:
            object.__setattr__(self, "parent_beacon_block_root", Hash(root))
        if requests is not None:
            object.__setattr__(self, "requests", tuple(map(Bytes, requests)))

    @classmethod
    def from_params(
        cls, params: Sequence[Any], *, version: int, file: str = ""
    ) -> NewPayload:
        """
        Read the parameters as JSON-RPC has them.

        Args:
            params: the array of parameters.
            version: of the method, 1 to 5.
            file: the file's name, for messages.

        Raises:
            FixtureError: if they are not those of the version.
            InputTypeError: if *version* is not an int.
        """
        version = exact_int(version, "version")
        if not 1 <= version <= _MOST_VERSION:
            raise FixtureError(f"there is no engine_newPayloadV{version}", file=file)
        count = 1 if version < _VERSIONED_HASHES else min(version, _REQUESTS)
        if not isinstance(params, list) or len(params) != count:
            raise FixtureError(
                f"engine_newPayloadV{version} takes {count} parameters", file=file
            )
        payload = ExecutionPayload.from_json(params[0])
        allowed = {1: (1,), 2: (1, 2), 3: (3,), 4: (3,), 5: (4,)}[version]
        if payload.version not in allowed:
            raise FixtureError(
                f"engine_newPayloadV{version} takes no payload of version "
                f"{payload.version}",
                file=file,
            )
        # Nothing comes after these, so that the record does not miss them.
        for least, name, key in (
            (3, "excess_blob_gas", "excessBlobGas"),
            (4, "slot_number", "slotNumber"),
        ):
            if payload.version >= least and getattr(payload, name) is None:
                raise FixtureError(
                    "is missing", file=file, field=f"execution_payload.{key}"
                )
        if version < _VERSIONED_HASHES:
            return cls(payload)
        return cls(
            payload,
            _data_array(params[1], "versionedHashes", file, 32),  # type: ignore[arg-type]  # bytes, which the constructor converts
            read_data(  # type: ignore[arg-type]  # bytes, which the constructor converts
                params[2], size=32, file=file, field="parentBeaconBlockRoot"
            ),
            _data_array(params[3], "executionRequests", file)  # type: ignore[arg-type]  # bytes, which the constructor converts
            if version >= _REQUESTS
            else None,
        )

    def to_params(self) -> list[Any]:
        """Return the parameters as JSON-RPC has them."""
        params: list[Any] = [self.payload.to_json()]
        if self.versioned_hashes is not None:
            params.append([str(one) for one in self.versioned_hashes])
            params.append(str(self.parent_beacon_block_root))
        if self.requests is not None:
            params.append([str(one) for one in self.requests])
        return params

    def header(self) -> Header:
        """
        Return the header that belongs to the parameters.

        Raises:
            EncodeError: if a field comes without an earlier one.
        """
        return self.payload.header(
            parent_beacon_block_root=self.parent_beacon_block_root,
            requests=self.requests,
        )

    def check(self) -> Block:
        """
        Check all that needs no state, and return the block.

        The parts agree with each other: the requests are in order, the block hash is
        that of the header, the versioned hashes are those of the transactions, and the
        access list is canonical.

        Raises:
            DecodeError: if a transaction or the access list is malformed.
            EncodeError: if a field comes without an earlier one.
            InvalidError: if a rule is broken.
        """
        payload = self.payload
        if self.requests is not None:
            check_requests(self.requests)
        transactions = payload.decoded_transactions()
        header = self.header()
        found = header.hash()
        if found != payload.block_hash:
            raise InvalidError(
                InvalidReason.BLOCK_HASH,
                field="payload.block_hash",
                got=payload.block_hash,
                expected=found,
            )
        if self.versioned_hashes is not None:
            hashes = tuple(
                one
                for transaction in transactions
                if isinstance(transaction, BlobTransaction)
                for one in transaction.blob_versioned_hashes
            )
            if hashes != self.versioned_hashes:
                raise InvalidError(
                    InvalidReason.VERSIONED_HASHES,
                    field="versioned_hashes",
                    got=self.versioned_hashes,
                    expected=hashes,
                )
        if payload.block_access_list is not None:
            BlockAccessList.from_rlp(payload.block_access_list).check(
                transactions=len(transactions), gas_limit=payload.gas_limit
            )
        return Block(header, transactions, (), payload.withdrawals)


def _data_array(
    value: object, field: str, file: str, size: int | None = None
) -> list[bytes]:
    """Return the bytes in a JSON array of hex text."""
    if not isinstance(value, list):
        raise FixtureError("must be an array", file=file, field=field)
    return [
        read_data(one, size=size, file=file, field=f"{field}[{place}]")
        for place, one in enumerate(value)
    ]
