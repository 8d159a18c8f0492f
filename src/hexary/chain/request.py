"""
Requests to the beacon chain, and the hash that a header has of them (EIP-7685).

A request is the byte of its type and then data, here both as one byte string, as the
Engine API has it: all requests of one type together, in ascending order of the types,
and none without data.  The data are the requests themselves, one after the other, each
with fields of fixed sizes and numbers in little-endian order; none has an RLP form:

==== ======================== ============================================ ==========
type class                    since                                        size
==== ======================== ============================================ ==========
0    `DepositRequest`         Prague, EIP-6110                             192 bytes
1    `WithdrawalRequest`      Prague, EIP-7002                             76 bytes
2    `ConsolidationRequest`   Prague, EIP-7251                             116 bytes
==== ======================== ============================================ ==========
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from hexary import rlp
from hexary.chain.instances import instances
from hexary.errors import InvalidError, InvalidReason, SizeError
from hexary.trie.input import byte_strings
from hexary.typed import Address, BLSPublicKey, BLSSignature, Bytes, Hash
from hexary.typed.buffer import exact_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = [
    "ConsolidationRequest",
    "DepositRequest",
    "Request",
    "WithdrawalRequest",
    "check_requests",
    "decode_requests",
    "encode_requests",
    "requests_hash",
]


@rlp.record
class DepositRequest(rlp.Record):
    """
    A deposit that the deposit contract has logged (EIP-6110).

    Example:
        >>> decode_requests(bytes([0]) + bytes(192))[0].amount
        0
    """

    type: ClassVar[int] = 0
    """The type (EIP-7685)."""

    public_key: BLSPublicKey
    """The validator's key."""

    withdrawal_credentials: Hash
    """Who may withdraw it."""

    amount: rlp.U64
    """In gwei."""

    signature: BLSSignature
    """By the validator's key."""

    index: rlp.U64
    """Counts all deposits."""

    def to_bytes(self) -> Bytes:
        """Return the data, without the byte of the type."""
        return Bytes(
            self.public_key
            + self.withdrawal_credentials
            + self.amount.to_bytes(8, "little")
            + self.signature
            + self.index.to_bytes(8, "little")
        )


@rlp.record
class WithdrawalRequest(rlp.Record):
    """
    A withdrawal that a validator's owner has asked for (EIP-7002).

    Example:
        >>> decode_requests(bytes([1]) + bytes(76))[0].source_address
        Address('0x0000000000000000000000000000000000000000')
    """

    type: ClassVar[int] = 1
    """The type (EIP-7685)."""

    source_address: Address
    """The account that asks."""

    validator_public_key: BLSPublicKey
    """The validator's key."""

    amount: rlp.U64
    """In gwei; 0 for an exit."""

    def to_bytes(self) -> Bytes:
        """Return the data, without the byte of the type."""
        return Bytes(
            self.source_address
            + self.validator_public_key
            + self.amount.to_bytes(8, "little")
        )


@rlp.record
class ConsolidationRequest(rlp.Record):
    """
    A merger of two validators that their owner has asked for (EIP-7251).

    Example:
        >>> len(decode_requests(bytes([2]) + bytes(2 * 116)))
        2
    """

    type: ClassVar[int] = 2
    """The type (EIP-7685)."""

    source_address: Address
    """The account that asks."""

    source_public_key: BLSPublicKey
    """The key of the validator that goes."""

    target_public_key: BLSPublicKey
    """The key of the validator that stays."""

    def to_bytes(self) -> Bytes:
        """Return the data, without the byte of the type."""
        return Bytes(
            self.source_address + self.source_public_key + self.target_public_key
        )


Request: TypeAlias = DepositRequest | WithdrawalRequest | ConsolidationRequest
"""A request of any type."""

_REQUESTS = (DepositRequest, WithdrawalRequest, ConsolidationRequest)


def _deposit(data: bytes) -> DepositRequest:
    """Read a deposit."""
    return DepositRequest(
        BLSPublicKey(data[:48]),
        Hash(data[48:80]),
        int.from_bytes(data[80:88], "little"),
        BLSSignature(data[88:184]),
        int.from_bytes(data[184:192], "little"),
    )


def _withdrawal(data: bytes) -> WithdrawalRequest:
    """Read a withdrawal."""
    return WithdrawalRequest(
        Address(data[:20]),
        BLSPublicKey(data[20:68]),
        int.from_bytes(data[68:76], "little"),
    )


def _consolidation(data: bytes) -> ConsolidationRequest:
    """Read a consolidation."""
    return ConsolidationRequest(
        Address(data[:20]), BLSPublicKey(data[20:68]), BLSPublicKey(data[68:116])
    )


_READERS: dict[int, tuple[int, Callable[[bytes], Request]]] = {
    0: (192, _deposit),
    1: (76, _withdrawal),
    2: (116, _consolidation),
}


def decode_requests(data: bytes) -> tuple[Request, ...]:
    """
    Return the requests in one of a block's byte strings.

    Args:
        data: the byte of a type, and the requests of that type.

    Raises:
        InputTypeError: if *data* are not bytes.
        InvalidError: if there is no such type, or no data.
        SizeError: if the size is not a multiple of that of a request.

    Example:
        >>> decode_requests(bytes([7]))
        Traceback (most recent call last):
        hexary.errors.InvalidError: type: a request is of a type that there is
        (EIP-7685); got 7
    """
    data = exact_bytes(data, "data")
    if not data:
        raise InvalidError(InvalidReason.REQUEST_EMPTY, got=data)
    known = _READERS.get(data[0])
    if known is None:
        raise InvalidError(InvalidReason.REQUEST_TYPE, field="type", got=data[0])
    if len(data) == 1:
        raise InvalidError(InvalidReason.REQUEST_EMPTY, got=data)
    size, read = known
    if (len(data) - 1) % size:
        raise SizeError(
            f"a request of type {data[0]}", size, (len(data) - 1) % size, data
        )
    return tuple(
        read(data[start : start + size]) for start in range(1, len(data), size)
    )


def encode_requests(requests: Iterable[Request]) -> tuple[Bytes, ...]:
    """
    Return the byte strings of a block's requests, in ascending order of the types.

    Args:
        requests: the requests; those of one type stay in their order.

    Raises:
        InputTypeError: if one is none.

    Example:
        >>> one = decode_requests(bytes([1]) + bytes(76))[0]
        >>> [len(data) for data in encode_requests([one, one])]
        [153]
    """
    found: dict[int, list[Bytes]] = {}
    for request in instances(requests, _REQUESTS, "requests", "a request"):
        found.setdefault(request.type, []).append(request.to_bytes())
    return tuple(
        Bytes(bytes([number]) + b"".join(parts))
        for number, parts in sorted(found.items())
    )


def check_requests(requests: Sequence[bytes]) -> None:
    r"""
    Check the order of a block's requests, and that each has data.

    Types that there are not, and data of the wrong size, have their own hash, and so
    never agree with a header; they are not looked for here.

    Args:
        requests: a byte string for each type.

    Raises:
        InputTypeError: if they are not byte strings.
        InvalidError: if a rule is broken.

    Example:
        >>> check_requests([b"\x01data", b"\x00data"])
        Traceback (most recent call last):
        hexary.errors.InvalidError: requests[1]: requests are in strictly ascending
        order of their types (EIP-7685); got 0
    """
    previous = -1
    for place, request in enumerate(byte_strings(requests, "requests")):
        if len(request) < 2:
            raise InvalidError(
                InvalidReason.REQUEST_EMPTY, field=f"requests[{place}]", got=request
            )
        if request[0] <= previous:
            raise InvalidError(
                InvalidReason.REQUEST_ORDER, field=f"requests[{place}]", got=request[0]
            )
        previous = request[0]


def requests_hash(requests: Iterable[bytes]) -> Hash:
    r"""
    Return the hash of a block's requests, as its header has it.

    It is the SHA-256 of the SHA-256 of each; those without data are left out.

    Args:
        requests: a byte string for each type, in ascending order.

    Raises:
        InputTypeError: if they are not byte strings.

    Example:
        >>> requests_hash([]) == requests_hash([b"\x00"])
        True
        >>> requests_hash([])
        Hash('0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    """
    outer = sha256()
    for request in byte_strings(requests, "requests"):
        if len(request) > 1:
            outer.update(sha256(request).digest())
    return Hash(outer.digest())
