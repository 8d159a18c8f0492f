"""
Block headers: the fields of every fork, their encoding and the block's hash.

A header is an RLP list (Yellow Paper, section 4.3).  The first fifteen fields are those
of Frontier; each later fork appends some, so the number of items tells which there are,
and a later field never comes without all earlier ones:

==== ======================== =================================================
item field                    since
==== ======================== =================================================
0    parent_hash              Frontier
1    ommers_hash
2    coinbase                 (the fee recipient)
3    state_root
4    transactions_root
5    receipts_root
6    logs_bloom
7    difficulty
8    number
9    gas_limit
10   gas_used
11   timestamp
12   extra_data
13   mix_hash                 (prev_randao since Paris)
14   nonce
15   base_fee_per_gas         London, EIP-1559
16   withdrawals_root         Shanghai, EIP-4895
17   blob_gas_used            Cancun, EIP-4844
18   excess_blob_gas
19   parent_beacon_block_root Cancun, EIP-4788
20   requests_hash            Prague, EIP-7685
21   block_access_list_hash   Amsterdam, EIP-7928
22   slot_number              Amsterdam, EIP-7843
==== ======================== =================================================

Chains of authority round (Kovan, Gnosis before its merge) have the step, a number, and
the signature, 65 bytes, as items 13 and 14 instead: an `AuthorityRoundHeader`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from hexary import rlp
from hexary.chain.forks import fork_named
from hexary.chain.json_member import require_members
from hexary.errors import InvalidError, InvalidReason
from hexary.trie import EMPTY_ROOT
from hexary.typed import Address, Bloom, Bytes, FixedSizeBytes, Hash, HeaderNonce

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hexary.chain.forks import Fork

__all__ = [
    "EMPTY_BLOCK_ACCESS_LIST_HASH",
    "EMPTY_OMMERS_HASH",
    "EMPTY_REQUESTS_HASH",
    "AuthorityRoundHeader",
    "Header",
    "SealSignature",
]

EMPTY_OMMERS_HASH = Hash(
    "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347"
)
"""Keccak-256 of the RLP of an empty list: a block without ommers."""

EMPTY_BLOCK_ACCESS_LIST_HASH = EMPTY_OMMERS_HASH
"""Keccak-256 of the RLP of an empty list: a block that touches no state (EIP-7928)."""

EMPTY_REQUESTS_HASH = Hash(
    "0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
)
"""SHA-256 of the empty string: a block without requests (EIP-7685)."""

_ZERO_HASH = Hash(bytes(32))
_ZERO_NONCE = HeaderNonce(bytes(8))
_ZERO_ADDRESS = Address(bytes(20))
_NO_LOGS = Bloom(bytes(256))
_NO_DATA = Bytes(b"")

_REQUIRED = (
    ("parentHash",),
    ("sha3Uncles", "uncleHash"),
    ("miner", "coinbase"),
    ("stateRoot",),
    ("transactionsRoot", "transactionsTrie"),
    ("receiptsRoot", "receiptTrie"),
    ("logsBloom", "bloom"),
    ("difficulty",),
    ("number",),
    ("gasLimit",),
    ("gasUsed",),
    ("timestamp",),
    ("extraData",),
)
"""What JSON has to say of every header, though the constructor does not insist."""


class SealSignature(FixedSizeBytes):
    """
    The signature in the seal of authority round: r, s, and the parity of y.

    Example:
        >>> len(SealSignature(0))
        65
    """

    __slots__ = ()
    byte_length = 65


@rlp.record(kw_only=True, title="header")
class _FirstFields(rlp.Record):
    """The thirteen fields that a header has under any seal."""

    _required: ClassVar[tuple[tuple[str, ...], ...]] = _REQUIRED

    parent_hash: Hash = _ZERO_HASH
    ommers_hash: Hash = rlp.field(
        default=EMPTY_OMMERS_HASH,
        json="sha3Uncles",
        fixture="uncleHash",
        aliases=("sha3Uncles", "uncleHash"),
    )
    coinbase: Address = rlp.field(
        default=_ZERO_ADDRESS,
        json="miner",
        fixture="coinbase",
        aliases=("miner", "coinbase"),
    )
    state_root: Hash = EMPTY_ROOT
    transactions_root: Hash = rlp.field(
        default=EMPTY_ROOT,
        fixture="transactionsTrie",
        aliases=("transactionsRoot", "transactionsTrie"),
    )
    receipts_root: Hash = rlp.field(
        default=EMPTY_ROOT,
        fixture="receiptTrie",
        aliases=("receiptsRoot", "receiptTrie"),
    )
    logs_bloom: Bloom = rlp.field(
        default=_NO_LOGS, fixture="bloom", aliases=("logsBloom", "bloom")
    )
    difficulty: rlp.U256 = 0
    number: rlp.U64 = 0
    gas_limit: rlp.U64 = 0
    gas_used: rlp.U64 = 0
    timestamp: rlp.U64 = 0
    extra_data: Bytes = _NO_DATA

    @classmethod
    def from_json(
        cls,
        value: Mapping[str, Any],
        *,
        spelling: rlp.Spelling = "rpc",
        unknown: Literal["ignore", "refuse"] = "ignore",
    ) -> Self:
        """
        Return the header that a JSON object stands for, such as a block's.

        Args:
            value: the object; the keys of either spelling are understood.
            spelling: as JSON-RPC or as fixtures have it.
            unknown: what to do about other keys.

        Raises:
            FixtureError: if it is not that of a header.
        """
        if isinstance(value, dict):
            require_members(value, cls._required, path="header")
        return super().from_json(value, spelling=spelling, unknown=unknown)


@rlp.record(kw_only=True)
class Header(_FirstFields):
    """
    A block header; immutable.

    The defaults are those of a block without a parent, transactions or ommers.  A
    field of a fork that the block does not have is ``None``.

    Args:
        parent_hash, state_root, coinbase, …: typed bytes; plain bytes and 0x-hex text
            of the right size are converted.
        difficulty, base_fee_per_gas: below 2^256.
        number, gas_limit, gas_used, timestamp, …: below 2^64, as are blob_gas_used,
            excess_blob_gas and slot_number.

    Raises:
        InputTypeError, HexError, SizeError, RangeError: if a field does not fit.
        EncodeError: if a field comes without an earlier one.

    Example:
        >>> header = Header(
        ...     difficulty=0x20000, gas_limit=0x2FEFD8, timestamp=0x5D9676DB,
        ...     extra_data=Bytes(b"phoenix chicken absurd banana"),
        ... )
        >>> header.hash()
        Hash('0xa68ebde7932eccb177d38d55dcc6461a019dd795a681e59b5a3e4f3a7259a3f1')
        >>> Header.from_rlp(header.rlp()) == header
        True
    """

    _required: ClassVar[tuple[tuple[str, ...], ...]] = (
        *_REQUIRED,
        ("mixHash",),
        ("nonce",),
    )

    mix_hash: Hash = _ZERO_HASH
    nonce: HeaderNonce = _ZERO_NONCE
    base_fee_per_gas: rlp.Trailing[rlp.U256] = None
    withdrawals_root: rlp.Trailing[Hash] = None
    blob_gas_used: rlp.Trailing[rlp.U64] = None
    excess_blob_gas: rlp.Trailing[rlp.U64] = None
    parent_beacon_block_root: rlp.Trailing[Hash] = None
    requests_hash: rlp.Trailing[Hash] = None
    block_access_list_hash: rlp.Trailing[Hash] = None
    slot_number: rlp.Trailing[rlp.U64] = None

    def check_fields(self, fork: str | Fork, *, field: str = "") -> None:
        """
        Check that the header has exactly the fields of a fork.

        Args:
            fork: the fork, or its name.
            field: the path of the header, for messages.

        Raises:
            ForkError: if there is no such fork.
            InvalidError: if one is missing or should not be there.

        Example:
            >>> Header().check_fields("London")
            Traceback (most recent call last):
            hexary.errors.InvalidError: base_fee_per_gas: the header has exactly the \
fields of the fork
        """
        expected = fork_named(fork).appended
        for name in _APPENDED:
            if (getattr(self, name) is not None) is not (name in expected):
                raise InvalidError(
                    InvalidReason.HEADER_FIELDS,
                    field=f"{field}.{name}" if field else name,
                )


_APPENDED = Header.__rlp_fields__[15:]


@rlp.record(kw_only=True)
class AuthorityRoundHeader(_FirstFields):
    """
    A header with the seal of authority round (Kovan, Gnosis before its merge).

    Example:
        >>> header = AuthorityRoundHeader(step=1, signature=SealSignature(0))
        >>> AuthorityRoundHeader.from_rlp(header.rlp()).step
        1
    """

    _required: ClassVar[tuple[tuple[str, ...], ...]] = (
        *_REQUIRED,
        ("step",),
        ("signature",),
    )

    step: rlp.U64
    signature: SealSignature
    # As in `Header`: a record has the fields of what it inherits from first, and these
    # come behind the seal, which is another one; so they stand in both.
    base_fee_per_gas: rlp.Trailing[rlp.U256] = None
    withdrawals_root: rlp.Trailing[Hash] = None
    blob_gas_used: rlp.Trailing[rlp.U64] = None
    excess_blob_gas: rlp.Trailing[rlp.U64] = None
    parent_beacon_block_root: rlp.Trailing[Hash] = None
    requests_hash: rlp.Trailing[Hash] = None
    block_access_list_hash: rlp.Trailing[Hash] = None
    slot_number: rlp.Trailing[rlp.U64] = None
