"""
Addresses of contracts: what CREATE and CREATE2 make of their creator.

A contract made by a transaction or by CREATE is named by who made it and by how many
contracts and transactions that account had made before (Yellow Paper, section 7); one
made by CREATE2 (EIP-1014) by who made it, a salt, and the code that initialises it.
"""

from __future__ import annotations

from hexary import hash as hashing
from hexary import rlp
from hexary.errors import RangeError
from hexary.integer import exact_int
from hexary.typed import Address, Bytes, Hash

__all__ = [
    "create2_address",
    "create_address",
]

_MOST_NONCE = 2**64 - 1


def create_address(sender: bytes | str, nonce: int) -> Address:
    """
    Return the address of the contract that an account creates by CREATE.

    Args:
        sender: the account that creates it.
        nonce: the account's nonce before it does.

    Returns:
        The last 20 bytes of the keccak-256 of the RLP of ``[sender, nonce]``.

    Raises:
        InputTypeError, HexError, SizeError: if *sender* is no address.
        RangeError: if the nonce is not from 0 to 2^64-1.

    Example:
        >>> create_address("0x970e8128ab834e8eac17ab8e3812f010678cf791", 0).checksum()
        '0x333c3310824b7c685133F2BeDb2CA4b8b4DF633d'
    """
    nonce = exact_int(nonce, "nonce")
    if not 0 <= nonce <= _MOST_NONCE:
        raise RangeError("nonce", nonce, 0, _MOST_NONCE)
    return Address(hashing.keccak256(rlp.encode([Address(sender), nonce]))[12:])


def create2_address(
    sender: bytes | str, salt: bytes | int | str, init_code: bytes | str
) -> Address:
    """
    Return the address of the contract that an account creates by CREATE2 (EIP-1014).

    Args:
        sender: the account that creates it.
        salt: 32 bytes, their hex text, or the number that they are.
        init_code: the code that runs to return the contract's code.

    Returns:
        The last 20 bytes of the keccak-256 of 0xff, sender, salt and the keccak-256
        of the init code.

    Raises:
        InputTypeError, HexError, SizeError, RangeError: if an argument does not fit.

    Example:
        >>> create2_address(bytes(20), 0, "0x00").checksum()
        '0x4D1A2e2bB4F88F0250f26Ffff098B0b30B26BF38'
    """
    code_hash = hashing.keccak256(Bytes(init_code))
    return Address(
        hashing.keccak256(b"\xff" + Address(sender) + Hash(salt) + code_hash)[12:]
    )
