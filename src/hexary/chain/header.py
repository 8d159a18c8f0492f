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
the signature, 65 bytes, as items 13 and 14 instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hexary import hash as hashing
from hexary import rlp
from hexary.errors import EncodeError, InputTypeError, RangeError
from hexary.trie import EMPTY_ROOT
from hexary.typed import Address, Bloom, Bytes, FixedSizeBytes, Hash, HeaderNonce

__all__ = [
    "EMPTY_BLOCK_ACCESS_LIST_HASH",
    "EMPTY_OMMERS_HASH",
    "EMPTY_REQUESTS_HASH",
    "Header",
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
_SEAL_SIGNATURE_SIZE = 65

_KINDS: dict[str, Any] = {
    "parent_hash": Hash,
    "ommers_hash": Hash,
    "coinbase": Address,
    "state_root": Hash,
    "transactions_root": Hash,
    "receipts_root": Hash,
    "logs_bloom": Bloom,
    "difficulty": 256,
    "number": 64,
    "gas_limit": 64,
    "gas_used": 64,
    "timestamp": 64,
    "extra_data": Bytes,
    "mix_hash": Hash,
    "nonce": HeaderNonce,
    "base_fee_per_gas": 256,
    "withdrawals_root": Hash,
    "blob_gas_used": 64,
    "excess_blob_gas": 64,
    "parent_beacon_block_root": Hash,
    "requests_hash": Hash,
    "block_access_list_hash": Hash,
    "slot_number": 64,
    "step": 64,
    "signature": FixedSizeBytes[_SEAL_SIGNATURE_SIZE],  # type: ignore[misc]
}
"""Each field's type, or, of a number, its width in bits."""

_NAMES = tuple(_KINDS)
_FIRST = _NAMES[:13]
_APPENDED = _NAMES[15:23]


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """
    A block header; immutable.

    The defaults are those of a block without a parent, transactions or ommers.  A
    field of a fork that the block does not have is ``None``.

    Args:
        parent_hash: typed bytes, as are *state_root*, *coinbase* and the like; plain
            bytes and 0x-hex text of the right size are converted.
        difficulty: below 2^256, as is *base_fee_per_gas*.
        number: below 2^64, as are *gas_limit*, *gas_used*, *timestamp*,
            *blob_gas_used*, *excess_blob_gas*, *slot_number* and *step*.
        step: with *signature* the seal of authority round, which takes the place of
            *mix_hash* and *nonce*.

    Raises:
        InputTypeError, HexError, SizeError, RangeError: if a field does not fit.
        EncodeError: if a field comes without an earlier one, or with two seals.

    Example:
        >>> header = Header(
        ...     difficulty=0x20000, gas_limit=0x2FEFD8, timestamp=0x5D9676DB,
        ...     extra_data=Bytes(b"phoenix chicken absurd banana"),
        ... )
        >>> header.hash()
        Hash('0xa68ebde7932eccb177d38d55dcc6461a019dd795a681e59b5a3e4f3a7259a3f1')
    """

    parent_hash: Hash = _ZERO_HASH
    ommers_hash: Hash = EMPTY_OMMERS_HASH
    coinbase: Address = _ZERO_ADDRESS
    state_root: Hash = EMPTY_ROOT
    transactions_root: Hash = EMPTY_ROOT
    receipts_root: Hash = EMPTY_ROOT
    logs_bloom: Bloom = _NO_LOGS
    difficulty: int = 0
    number: int = 0
    gas_limit: int = 0
    gas_used: int = 0
    timestamp: int = 0
    extra_data: Bytes = _NO_DATA
    mix_hash: Hash | None = None
    nonce: HeaderNonce | None = None
    base_fee_per_gas: int | None = None
    withdrawals_root: Hash | None = None
    blob_gas_used: int | None = None
    excess_blob_gas: int | None = None
    parent_beacon_block_root: Hash | None = None
    requests_hash: Hash | None = None
    block_access_list_hash: Hash | None = None
    slot_number: int | None = None
    step: int | None = None
    signature: FixedSizeBytes | None = None

    def __post_init__(self) -> None:
        self._settle_seal()
        for name, kind in _KINDS.items():
            value = getattr(self, name)
            if value is None and name not in _FIRST:
                continue
            object.__setattr__(self, name, _fit(name, kind, value))
        absent = ""
        for name in _APPENDED:
            if getattr(self, name) is None:
                absent = absent or name
            elif absent:
                raise EncodeError(
                    f"a header with {name} has {absent} as well", path=(name,)
                )

    def _settle_seal(self) -> None:
        """Give a header without a seal the zero one, and refuse half or two seals."""
        if self.step is None and self.signature is None:
            if self.mix_hash is None:
                object.__setattr__(self, "mix_hash", _ZERO_HASH)
            if self.nonce is None:
                object.__setattr__(self, "nonce", _ZERO_NONCE)
            return
        for name in ("step", "signature"):
            if getattr(self, name) is None:
                raise EncodeError(
                    "a seal of authority round has a step and a signature", path=(name,)
                )
        for name in ("mix_hash", "nonce"):
            if getattr(self, name) is not None:
                raise EncodeError(
                    f"a header with a step and a signature has no {name}", path=(name,)
                )

    def items(self) -> list[bytes | int]:
        """Return the items of the header's RLP list, in order."""
        seal = ("mix_hash", "nonce") if self.step is None else ("step", "signature")
        values = [getattr(self, name) for name in (*_FIRST, *seal, *_APPENDED)]
        return [value for value in values if value is not None]

    def rlp(self) -> bytes:
        """Return the header's encoding."""
        return rlp.encode(self.items())

    def hash(self) -> Hash:
        """Return the keccak-256 of the encoding: the block's hash."""
        return Hash(hashing.keccak256(self.rlp()))


def _fit(name: str, kind: Any, value: Any) -> Any:
    """Return a field's value as its type, which is a class or a number of bits."""
    if not isinstance(kind, int):
        if isinstance(value, int):
            raise InputTypeError(name, "bytes or hex text", value)
        return kind(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise InputTypeError(name, "an int", value)
    if value < 0 or value >> kind:
        raise RangeError(name, int(value), 0, (1 << kind) - 1)
    return int(value)
