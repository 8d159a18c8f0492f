"""Constructing a typed 32-byte value."""

from __future__ import annotations

from collections.abc import Iterator

from ethereum_types.bytes import Bytes32
from hexbytes import HexBytes
from measurement import Row

from hexary import Hash

__all__ = ["rows"]


def rows() -> Iterator[Row]:
    """Yield construction from bytes and from text."""
    raw = bytes(range(32))
    text = "0x" + raw.hex()
    yield Row(
        "Hash(bytes32)",
        {
            "hexary": lambda: Hash(raw),
            "ethereum-types": lambda: Bytes32(raw),
            "hexbytes": lambda: HexBytes(raw),
        },
        goal=0.5e-6,
    )
    yield Row(
        "Hash(0x-text)",
        {"hexary": lambda: Hash(text), "hexbytes": lambda: HexBytes(text)},
    )
