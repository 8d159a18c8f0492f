"""
What the transactions of all types have in common: hashes, signatures, senders.

A transaction is signed over its own encoding without the signature, and known by the
hash of the one with it.  Who sent it is not written in it; that follows from the
signature.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar, Self

from hexary import rlp
from hexary.chain.instances import require_instance
from hexary.chain.signature import Signature
from hexary.errors import InputTypeError

if TYPE_CHECKING:
    from hexary.chain.access_list import AccessList
    from hexary.typed import Address, Bytes, Hash

__all__ = [
    "MOST_NONCE",
    "BaseTransaction",
    "TypedTransaction",
    "require_transaction",
]

MOST_NONCE = (1 << 64) - 2
"""The largest nonce that can be used up, as the next one has to fit (EIP-2681)."""


def require_transaction(value: object) -> None:
    """
    Refuse what is no transaction, such as the wrapper that one travels in.

    Raises:
        InputTypeError: if it is none.

    Example:
        >>> require_transaction(None)
        Traceback (most recent call last):
        hexary.errors.InputTypeError: transaction must be a transaction, got None
    """
    if not isinstance(value, BaseTransaction):
        wrapped = isinstance(getattr(value, "transaction", None), BaseTransaction)
        hint = "take the transaction out of the wrapper" if wrapped else ""
        raise InputTypeError("transaction", "a transaction", value, hint=hint)


class BaseTransaction(rlp.Record):
    """
    A transaction of some type: what one can rely on without knowing which.

    Example:
        >>> from hexary.chain import AccessListTransaction
        >>> issubclass(AccessListTransaction, BaseTransaction)
        True
    """

    __slots__ = ()

    type: ClassVar[int]
    """The type (EIP-2718), 0 for legacy transactions."""

    if TYPE_CHECKING:
        nonce: int
        gas_limit: int
        to: Address | None
        value: int
        data: Bytes
        r: int
        s: int

    @property
    @abstractmethod
    def highest_gas_price(self) -> int:
        """The most that it pays for a unit of gas, in wei."""

    @property
    @abstractmethod
    def priority_fee(self) -> int:
        """The most that the fee recipient gets for a unit of gas, in wei."""

    def effective_gas_price(self, base_fee_per_gas: int) -> int:
        """
        Return what it pays for a unit of gas in a block, in wei (EIP-1559).

        Args:
            base_fee_per_gas: of the block; at most `highest_gas_price`, or the
                transaction cannot be in it.
        """
        return min(self.highest_gas_price, base_fee_per_gas + self.priority_fee)

    @property
    @abstractmethod
    def signature(self) -> Signature:
        """The signature's three numbers, none of them checked."""

    @property
    @abstractmethod
    def signed_chain_id(self) -> int | None:
        """The only chain that it is for, ``None`` if it is for any (before EIP-155)."""

    @abstractmethod
    def signing_hash(self) -> Hash:
        """Return the hash that the sender signs."""

    @abstractmethod
    def signed(self, signature: Signature) -> Self:
        """
        Return the transaction with a signature.

        Args:
            signature: the signature of its `signing_hash`.

        Raises:
            InputTypeError: if it is none.
        """

    def sign(self, private_key: bytes | int) -> Self:
        """
        Return the transaction with the signature by a private key.

        Args:
            private_key: 32 bytes, or the number that they are.

        Raises:
            InputTypeError, RangeError, SizeError: if it is not a private key.
            MissingExtraError: if coincurve is not installed.
        """
        return self.signed(Signature.of(self.signing_hash(), private_key=private_key))

    def sender(self) -> Address:
        """
        Return the account that has signed it.

        Whether the signature keeps the rules of a fork (EIP-2, EIP-155) is for
        `check_transaction` to say.

        Raises:
            InvalidError: if a number of the signature is out of its range, or there is
                no such account.
            MissingExtraError: if coincurve is not installed.
        """
        return self.signature.signer(self.signing_hash())

    @property
    def is_creation(self) -> bool:
        """Whether it creates a contract, as it has no recipient."""
        return self.to is None


class TypedTransaction(BaseTransaction):
    """A transaction with a type byte, so one that is for one chain only (EIP-2718)."""

    __slots__ = ()

    if TYPE_CHECKING:
        chain_id: int
        access_list: AccessList
        y_parity: int

    @property
    def signature(self) -> Signature:
        """The signature's three numbers, none of them checked."""
        return Signature(self.y_parity, self.r, self.s)

    @property
    def signed_chain_id(self) -> int | None:
        """The only chain that it is for."""
        return self.chain_id

    def signing_hash(self) -> Hash:
        """Return the hash that the sender signs."""
        return self.hash(view="signing")

    def signed(self, signature: Signature) -> Self:
        """
        Return the transaction with a signature.

        Args:
            signature: the signature of its `signing_hash`.

        Raises:
            InputTypeError: if it is none.
        """
        require_instance(signature, Signature, "signature", "a Signature")
        return self.replace(y_parity=signature.y_parity, r=signature.r, s=signature.s)
