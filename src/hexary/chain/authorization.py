"""Authorizations: an account lets its code be that of another one (EIP-7702)."""

from __future__ import annotations

from hexary import hash as hashing
from hexary import rlp
from hexary.chain.signature import Signature
from hexary.chain.transaction_base import MOST_NONCE
from hexary.errors import InvalidError, InvalidReason
from hexary.typed import Address, Hash

__all__ = ["Authorization"]

_MAGIC = b"\x05"
_ZERO_ADDRESS = Address(bytes(20))


@rlp.record
class Authorization(rlp.Record):
    """
    What an account signs to delegate its code.

    Example:
        >>> unsigned = Authorization(chain_id=1, address=bytes(20), nonce=5)
        >>> unsigned.sign(1).authority()
        Address('0x7e5f4552091a69125d5dfcb7b8c2659029395bdf')
    """

    chain_id: rlp.U256 = 0
    """The only chain that it is for; 0 for any."""

    address: Address = _ZERO_ADDRESS
    """Whose code it is to be; the zero address ends the delegation."""

    nonce: rlp.U64 = 0
    """The nonce that the account has to have."""

    y_parity: rlp.U8 = rlp.field(default=0, aliases=("v",))
    """Of the signature."""

    r: rlp.U256 = 0
    """Of the signature."""

    s: rlp.U256 = 0
    """Of the signature."""

    @property
    def signature(self) -> Signature:
        """The signature's three numbers."""
        return Signature(self.y_parity, self.r, self.s)

    def signing_hash(self) -> Hash:
        """Return the hash that the account signs."""
        unsigned = rlp.encode([self.chain_id, self.address, self.nonce])
        return Hash(hashing.keccak256(_MAGIC + unsigned))

    def sign(self, private_key: bytes | int) -> Authorization:
        """
        Return the authorization with the signature by a private key.

        Args:
            private_key: 32 bytes, or the number that they are.

        Raises:
            InputTypeError, RangeError, SizeError: if it is not a private key.
            MissingExtraError: if coincurve is not installed.
        """
        signature = Signature.of(self.signing_hash(), private_key=private_key)
        return Authorization(self.chain_id, self.address, self.nonce, *signature)

    def authority(self) -> Address:
        """
        Return the account that has signed.

        A transaction with an authorization that is not valid is valid all the same;
        the authorization has no effect.

        Raises:
            InvalidError: if the nonce is one that no account goes beyond, a number of
                the signature is out of its range, or there is no such account.
            MissingExtraError: if coincurve is not installed.
        """
        if self.nonce > MOST_NONCE:
            raise InvalidError(
                InvalidReason.NONCE_TOO_HIGH,
                field="authorization.nonce",
                got=self.nonce,
            )
        self.signature.check()
        return self.signature.signer(self.signing_hash())
