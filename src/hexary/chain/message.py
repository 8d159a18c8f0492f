r"""
Hashes of messages that people sign, which no transaction can have (EIP-191).

All begin with the byte 0x19, which no RLP list does, and a version byte::

    0x19 0x00 | validator, 20 bytes  | data                for a contract that checks it
    0x19 0x01 | domain separator     | hash of the struct  typed data, see EIP-712
    0x19 0x45 | "thereum Signed Message:\n" size | data    personal messages (0x45: "E")
"""

from __future__ import annotations

from hexary import hash as hashing
from hexary.errors import HexError
from hexary.typed import Address, Hash
from hexary.typed.buffer import exact_bytes

__all__ = [
    "personal_message_hash",
    "structured_message_hash",
    "utf8",
    "validator_message_hash",
]


def utf8(text: str) -> bytes:
    """
    Return the bytes of text.

    Raises:
        HexError: if it holds half of a surrogate pair; one wallet would sign something
            else for it than another.

    Example:
        >>> utf8("é").hex()
        'c3a9'
    """
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        position = error.start
    rule = "text to sign has no half of a surrogate pair"
    raise HexError(text, rule, position=position)


def personal_message_hash(message: bytes | str) -> Hash:
    """
    Return the hash that ``personal_sign`` and ``eth_sign`` of wallets sign.

    Args:
        message: the message; text stands for its UTF-8 bytes, hex or not.

    Raises:
        HexError: if text holds half of a surrogate pair, which has no UTF-8.
        InputTypeError: if it is neither.

    Example:
        >>> personal_message_hash("Hello World")
        Hash('0xa1de988600a42c4b4ab089b619297c17d53cffae5d5120d82d8a92d0bb3b78f2')
    """
    if isinstance(message, str):
        message = utf8(message)
    data = exact_bytes(message, "message")
    return Hash(
        hashing.keccak256(b"\x19Ethereum Signed Message:\n%d%b" % (len(data), data))
    )


def validator_message_hash(validator: bytes | str, data: bytes) -> Hash:
    """
    Return the hash of data that are meant for the contract *validator*.

    Args:
        validator: address of the contract.
        data: what is signed.

    Raises:
        HexError, InputTypeError, SizeError: if an argument does not fit.

    Example:
        >>> validator_message_hash(bytes(20), b"")
        Hash('0xce1bfdc931d7a90eef9a61a731613fad641ed2057d87c0901be826fe9ff4aaed')
    """
    return Hash(
        hashing.keccak256(b"\x19\x00" + Address(validator) + exact_bytes(data, "data"))
    )


def structured_message_hash(domain_separator: bytes, struct_hash: bytes) -> Hash:
    """
    Return the hash of typed data, from the two hashes that it consists of (EIP-712).

    Args:
        domain_separator: the hash of the domain.
        struct_hash: the hash of the message.

    Raises:
        HexError, InputTypeError, SizeError: if an argument does not fit.

    Example:
        >>> structured_message_hash(bytes(32), bytes(32))
        Hash('0x0b15111afa5c2b936d8dd23e1ffc4a97dd7a9af57a8144231ff70b749ab128d0')
    """
    return Hash(
        hashing.keccak256(b"\x19\x01" + Hash(domain_separator) + Hash(struct_hash))
    )
