"""
Typed values: bytes and numbers that print, parse and serialise as Ethereum's JSON does.

Bytes are in `data`, `address` and `bloom`, numbers in `number` and `wei`; `hexstr` is
the only parser of text, and `conversion` turns what may stand for bytes or a number
into it.  The names are those of the base types of execution-specs' testing package.
"""

from hexary.typed.address import Address
from hexary.typed.bloom import Bloom
from hexary.typed.concatenation import BytesConcatenation
from hexary.typed.conversion import (
    BytesConvertible,
    FixedSizeBytesConvertible,
    NumberConvertible,
    to_bytes,
    to_fixed_size_bytes,
    to_hex,
    to_json,
    to_number,
)
from hexary.typed.data import (
    BLSPublicKey,
    BLSSignature,
    Bytes,
    CoerceBytes,
    FixedSizeBytes,
    ForkHash,
    Hash,
    HeaderNonce,
    StorageKey,
)
from hexary.typed.number import (
    FixedSizeHexNumber,
    HashInt,
    HexNumber,
    Number,
    NumberBoundTypeVar,
    ZeroPaddedHexNumber,
)
from hexary.typed.wei import Wei

__all__ = [
    "Address",
    "BLSPublicKey",
    "BLSSignature",
    "Bloom",
    "Bytes",
    "BytesConcatenation",
    "BytesConvertible",
    "CoerceBytes",
    "FixedSizeBytes",
    "FixedSizeBytesConvertible",
    "FixedSizeHexNumber",
    "ForkHash",
    "Hash",
    "HashInt",
    "HeaderNonce",
    "HexNumber",
    "Number",
    "NumberBoundTypeVar",
    "NumberConvertible",
    "StorageKey",
    "Wei",
    "ZeroPaddedHexNumber",
    "to_bytes",
    "to_fixed_size_bytes",
    "to_hex",
    "to_json",
    "to_number",
]
