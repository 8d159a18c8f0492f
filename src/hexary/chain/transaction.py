"""
Transactions of all types, as they are signed and as they stand in blocks.

==== ======================= =============== ========================================
type class                   since           what is new
==== ======================= =============== ========================================
0    `LegacyTransaction`     Frontier        for one chain only since EIP-155
1    `AccessListTransaction` Berlin          access list (EIP-2930)
2    `FeeMarketTransaction`  London          maximal and priority fee (EIP-1559)
3    `BlobTransaction`       Cancun          blobs, by their hashes (EIP-4844)
4    `SetCodeTransaction`    Prague          authorizations (EIP-7702)
==== ======================= =============== ========================================

What a field of a later type means is said at `LegacyTransaction`, or at the class that
brings it.

A legacy transaction is an RLP list.  The others are the byte of their type and then an
RLP list (EIP-2718); inside a block, that is one string.  The form in which blob
transactions travel between nodes is in `hexary.chain.blob_sidecar`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

from hexary import rlp
from hexary.chain.access_list import AccessList
from hexary.chain.authorization import Authorization
from hexary.chain.forks import Fork, fork_named
from hexary.chain.instances import instances, require_instance
from hexary.chain.json_member import require_members
from hexary.chain.signature import Signature
from hexary.chain.transaction_base import BaseTransaction, TypedTransaction
from hexary.errors import FixtureError, InvalidError, InvalidReason, RangeError
from hexary.rlp.decoding import as_bytes
from hexary.trie import ordered_trie_root
from hexary.typed import Address, Bytes, Hash

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hexary.rlp.records import Spelling

__all__ = [
    "AccessListTransaction",
    "BlobTransaction",
    "FeeMarketTransaction",
    "LegacyTransaction",
    "SetCodeTransaction",
    "Transaction",
    "decode_transaction",
    "transaction_from_json",
    "transactions_root",
]

_NO_DATA = Bytes(b"")
_ZERO_ADDRESS = Address(bytes(20))
_LAST_TYPE = 0x7F
_SIGNATURE = ("y_parity", "r", "s")
_MOST_CHAIN_ID = (1 << 255) - 19
"""The largest for which v, 36 plus twice the chain id, is below 2^256."""


def _gas_limit() -> Any:
    """Return the options of the field ``gas_limit``."""
    return rlp.field(
        default=0, json="gas", fixture="gasLimit", aliases=("gasLimit", "gas")
    )


def _data() -> Any:
    """Return the options of the field ``data``."""
    return rlp.field(
        default=_NO_DATA, json="input", fixture="data", aliases=("data", "input")
    )


def _y_parity() -> Any:
    """Return the options of the field ``y_parity``, which JSON also calls ``v``."""
    return rlp.field(default=0, json="yParity", fixture="v", aliases=("yParity", "v"))


@rlp.record(json_type=0, views={"signing": ["v", "r", "s"]})
class LegacyTransaction(BaseTransaction):
    """
    A transaction without a type byte (Yellow Paper, section 4.2).

    Example:
        >>> transaction = LegacyTransaction(
        ...     nonce=9, gas_price=20 * 10**9, gas_limit=21000, to=b"5" * 20,
        ...     value=10**18,
        ... ).for_chain(1)
        >>> transaction.signing_hash()
        Hash('0xdaf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53')
        >>> transaction.sign(bytes.fromhex("46" * 32)).sender()
        Address('0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f')
    """

    type: ClassVar[int] = 0

    nonce: rlp.U64 = 0
    """How many transactions the sender has sent before."""

    gas_price: rlp.U256 = 0
    """What it pays for a unit of gas, in wei."""

    gas_limit: rlp.U64 = _gas_limit()
    """How much gas it may use."""

    to: Address | None = None
    """Who is called; ``None`` creates a contract."""

    value: rlp.U256 = 0
    """What is transferred, in wei."""

    data: Bytes = _data()
    """Call data, or init code."""

    v: rlp.U256 = 0
    """
    27 or 28, or, for a chain only, 35 or 36 plus twice its id (EIP-155).

    Unsigned, 0; or the chain's id while both r and s are 0, as EIP-155 has it.
    """

    r: rlp.U256 = 0
    """Of the signature."""

    s: rlp.U256 = 0
    """Of the signature."""

    def for_chain(self, chain_id: int) -> Self:
        """
        Return the transaction, unsigned, for one chain only (EIP-155).

        Args:
            chain_id: the chain's id, at least 1.

        Raises:
            RangeError: if there can be no chain of that id.
        """
        if not 0 < chain_id <= _MOST_CHAIN_ID:
            raise RangeError("chain_id", chain_id, 1, _MOST_CHAIN_ID)
        return self.replace(v=chain_id, r=0, s=0)

    @property
    def is_signed(self) -> bool:
        """Whether there is a signature; that it is one by somebody is not checked."""
        return bool(self.r or self.s)

    @property
    def highest_gas_price(self) -> int:
        """The most that it pays for a unit of gas, in wei."""
        return self.gas_price

    @property
    def priority_fee(self) -> int:
        """The most that the fee recipient gets for a unit of gas, in wei."""
        return self.gas_price

    @property
    def signature(self) -> Signature:
        """The signature's three numbers, none of them checked; y_parity from v."""
        if self.v >= 35:
            return Signature((self.v - 35) % 2, self.r, self.s)
        return Signature(self.v - 27, self.r, self.s)

    @property
    def signed_chain_id(self) -> int | None:
        """The only chain that it is for, ``None`` if it is for any (before EIP-155)."""
        if not self.is_signed:
            return self.v or None
        return (self.v - 35) // 2 if self.v >= 35 else None

    def signing_hash(self) -> Hash:
        """Return the hash that the sender signs."""
        chain_id = self.signed_chain_id
        if chain_id is None:
            return self.hash(view="signing")
        return self.hash(view="signing", append=[chain_id, 0, 0])

    def sender(self) -> Address:
        """
        Return the account that has signed it.

        Raises:
            InvalidError: if a number of the signature is out of its range, or there is
                no such account.
            MissingExtraError: if coincurve is not installed.
        """
        if self.v < 35 and self.v not in (27, 28):
            raise InvalidError(InvalidReason.SIGNATURE_V, field="v", got=self.v)
        return super().sender()

    def signed(self, signature: Signature) -> Self:
        """
        Return the transaction with a signature.

        Args:
            signature: the signature of its `signing_hash`.

        Raises:
            InputTypeError: if it is none.
        """
        require_instance(signature, Signature, "signature", "a Signature")
        chain_id = self.signed_chain_id
        first = 27 if chain_id is None else 35 + 2 * chain_id
        return self.replace(v=first + signature.y_parity, r=signature.r, s=signature.s)


@rlp.record(type_byte=1, views={"signing": _SIGNATURE})
class AccessListTransaction(TypedTransaction):
    """
    A transaction with an access list (EIP-2930).

    Example:
        >>> AccessListTransaction(chain_id=1, nonce=5).rlp().hex()
        '01cb01058080808080c0808080'
    """

    type: ClassVar[int] = 1

    chain_id: rlp.U64 = 0
    nonce: rlp.U64 = 0
    gas_price: rlp.U256 = 0
    gas_limit: rlp.U64 = _gas_limit()
    to: Address | None = None
    value: rlp.U256 = 0
    data: Bytes = _data()
    access_list: AccessList = ()
    """What it says in advance that it will touch."""

    y_parity: rlp.U8 = _y_parity()
    """Of the signature: 0 or 1."""

    r: rlp.U256 = 0
    s: rlp.U256 = 0

    @property
    def highest_gas_price(self) -> int:
        """The most that it pays for a unit of gas, in wei."""
        return self.gas_price

    @property
    def priority_fee(self) -> int:
        """The most that the fee recipient gets for a unit of gas, in wei."""
        return self.gas_price


@rlp.record
class _FeeMarket(TypedTransaction):
    """
    What transactions have that pay at most one price, and a tip out of it (EIP-1559).

    Behind these fields come those of each type, and then the signature.  A record has
    the fields of what it inherits from first, so the signature's, like the first ones
    of `AccessListTransaction`, which has one price, stand in each class.
    """

    chain_id: rlp.U64 = 0
    nonce: rlp.U64 = 0
    max_priority_fee_per_gas: rlp.U256 = 0
    """The most that the fee recipient gets for a unit of gas, in wei."""

    max_fee_per_gas: rlp.U256 = 0
    """The most that it pays for a unit of gas, base fee and all, in wei."""

    gas_limit: rlp.U64 = _gas_limit()
    to: Address | None = None
    value: rlp.U256 = 0
    data: Bytes = _data()
    access_list: AccessList = ()

    @property
    def highest_gas_price(self) -> int:
        """The most that it pays for a unit of gas, in wei."""
        return self.max_fee_per_gas

    @property
    def priority_fee(self) -> int:
        """The most that the fee recipient gets for a unit of gas, in wei."""
        return self.max_priority_fee_per_gas


@rlp.record(type_byte=2, views={"signing": _SIGNATURE})
class FeeMarketTransaction(_FeeMarket):
    """
    A transaction that pays the base fee and a tip, up to a maximum (EIP-1559).

    Example:
        >>> one = FeeMarketTransaction(max_priority_fee_per_gas=1, max_fee_per_gas=9)
        >>> one.effective_gas_price(5), one.effective_gas_price(9)
        (6, 9)
    """

    type: ClassVar[int] = 2

    y_parity: rlp.U8 = _y_parity()
    r: rlp.U256 = 0
    s: rlp.U256 = 0


@rlp.record(type_byte=3, views={"signing": _SIGNATURE})
# A narrower `to`: checkers of Python 3.13 also compare how it is replaced.
class BlobTransaction(_FeeMarket):  # type: ignore[override,unused-ignore]  # see above
    """
    A transaction with blobs, which it names by their hashes (EIP-4844).

    It cannot create a contract.

    Example:
        >>> BlobTransaction(chain_id=1, blob_versioned_hashes=[bytes(32)]).type
        3
    """

    type: ClassVar[int] = 3

    to: Address = _ZERO_ADDRESS
    max_fee_per_blob_gas: rlp.U256 = 0
    """The most that it pays for a unit of blob gas, in wei."""

    blob_versioned_hashes: tuple[Hash, ...] = ()
    """The hash of each blob's commitment, with a version in front."""

    y_parity: rlp.U8 = _y_parity()
    r: rlp.U256 = 0
    s: rlp.U256 = 0


@rlp.record(type_byte=4, views={"signing": _SIGNATURE})
# A narrower `to`: checkers of Python 3.13 also compare how it is replaced.
class SetCodeTransaction(_FeeMarket):  # type: ignore[override,unused-ignore]  # see above
    """
    A transaction that sets the code of accounts that have agreed to it (EIP-7702).

    It cannot create a contract.

    Example:
        >>> SetCodeTransaction(chain_id=1).authorization_list
        ()
    """

    type: ClassVar[int] = 4

    to: Address = _ZERO_ADDRESS
    authorization_list: tuple[Authorization, ...] = ()
    """What accounts have signed to let their code be set."""

    y_parity: rlp.U8 = _y_parity()
    r: rlp.U256 = 0
    s: rlp.U256 = 0


Transaction: TypeAlias = (
    LegacyTransaction
    | AccessListTransaction
    | FeeMarketTransaction
    | BlobTransaction
    | SetCodeTransaction
)
"""A transaction of any type."""

_TRANSACTIONS: rlp.TypedUnion[Transaction] = rlp.typed_union(
    {
        1: AccessListTransaction,
        2: FeeMarketTransaction,
        3: BlobTransaction,
        4: SetCodeTransaction,
    },
    legacy=LegacyTransaction,
)


def decode_transaction(data: bytes, *, fork: str | Fork | None = None) -> Transaction:
    """
    Return the transaction that *data* encode, as it is signed and hashed.

    Args:
        data: an RLP list, or the byte of a type and then a list.
        fork: refuse types that this fork has not, before looking at anything else.

    Raises:
        DecodeError: if they do not encode a transaction.
        ForkError: if there is no such fork.
        InputTypeError: if they are not bytes.
        InvalidError: if the fork has no transactions of the type.

    Example:
        >>> decode_transaction(bytes.fromhex("01cb01058080808080c0808080"))
        AccessListTransaction(chain_id=1, nonce=5, gas_price=0, gas_limit=0, to=None, \
value=0, data=Bytes('0x'), access_list=(), y_parity=0, r=0, s=0)
    """
    if fork is not None:
        _check_type(as_bytes(data), fork_named(fork))
    return rlp.decode(_TRANSACTIONS, data)


def _check_type(data: bytes, fork: Fork) -> None:
    """Refuse what begins with a type that the fork has not."""
    if data and data[0] <= _LAST_TYPE and data[0] not in (fork.transaction_types - {0}):
        raise InvalidError(
            InvalidReason.TYPE_NOT_SUPPORTED, field="transaction.type", got=data[0]
        )


def transaction_from_json(
    value: Mapping[str, Any], *, spelling: Spelling = "rpc"
) -> Transaction:
    """
    Return the transaction that a JSON object stands for.

    Where the object has no ``type``, its fields tell which it is, as in fixtures.

    Args:
        value: the object, as JSON-RPC or a fixture has it.
        spelling: which of the two.

    Raises:
        FixtureError: if it is not that of a transaction.

    Example:
        >>> transaction_from_json({
        ...     "nonce": "0x1", "gasPrice": "0xa", "gas": "0x5208", "to": None,
        ...     "value": "0x0", "input": "0x", "v": "0x1b", "r": "0x1", "s": "0x1",
        ... }).gas_limit
        21000
    """
    if not isinstance(value, dict):
        raise FixtureError("a transaction must be an object", field="transaction")
    number = _json_type(value)
    cls = _TRANSACTIONS.classes.get(number)
    if cls is None:
        raise FixtureError(
            f"there is no type {number} of transactions", field="transaction.type"
        )
    require_members(value, _REQUIRED[number], path="transaction")
    return cls.from_json(value, spelling=spelling)


_ALWAYS = (("nonce",), ("gas", "gasLimit"), ("to",), ("value",), ("input", "data"))
_TYPED = (*_ALWAYS, ("chainId",), ("accessList",))
_FEES = (*_TYPED, ("maxFeePerGas",), ("maxPriorityFeePerGas",))
_REQUIRED = (
    (*_ALWAYS, ("gasPrice",)),
    (*_TYPED, ("gasPrice",)),
    _FEES,
    (*_FEES, ("maxFeePerBlobGas",), ("blobVersionedHashes",)),
    (*_FEES, ("authorizationList",)),
)
"""By type: what JSON has to say, though a constructor would not insist."""


_TYPE_TEXTS = {f"0x{number}": number for number in range(len(_REQUIRED))}
"""How JSON-RPC spells the types."""


def _json_type(value: Mapping[str, Any]) -> int:
    """Return the type of the transaction in a JSON object."""
    given = value.get("type")
    if type(given) is str and given in _TYPE_TEXTS:
        return _TYPE_TEXTS[given]
    if given is not None:
        from hexary.state.json_object import read_quantity

        return read_quantity(given, bits=8, file="", field="transaction.type")
    for key, number in (
        ("authorizationList", 4),
        ("blobVersionedHashes", 3),
        ("maxFeePerGas", 2),
        ("accessList", 1),
    ):
        if value.get(key) is not None:
            return number
    return 0


def transactions_root(transactions: Iterable[Transaction]) -> Hash:
    """
    Return the root of a block's transactions, as its header has it.

    Args:
        transactions: the transactions, in order.

    Raises:
        InputTypeError: if one is none, such as the wrapper that blobs travel in.

    Example:
        >>> transactions_root([])
        Hash('0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421')
    """
    found = instances(
        transactions,
        BaseTransaction,
        "transactions",
        "a transaction",
        encoded="ordered_trie_root",
    )
    return ordered_trie_root(one.rlp() for one in found)
