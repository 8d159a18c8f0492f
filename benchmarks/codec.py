"""RLP: a branch node's worth of hashes, and a nest of small items."""

from __future__ import annotations

from collections.abc import Iterator

import ethereum_rlp
import rlp as pyrlp
from measurement import Row

from hexary import rlp

__all__ = ["rows"]

HASHES = [bytes([index]) * 32 for index in range(17)]
NEST = [
    [[bytes([65 + inner] * (inner % 4)) for inner in range(10)] for _ in range(10)]
    for _ in range(10)
]


def rows() -> Iterator[Row]:
    """Yield encoding and decoding of both."""
    shapes = (
        ("17 × 32 B", HASHES, 6e-6, 7e-6),
        ("10 × 10 × 10 small items", NEST, None, None),
    )
    for name, items, encode_goal, decode_goal in shapes:
        encoded = rlp.encode(items)
        if not encoded == pyrlp.encode(items) == ethereum_rlp.encode(items):
            raise SystemExit(f"the packages encode {name} differently")
        yield Row(
            f"RLP encode {name}",
            {
                "hexary": lambda items=items: rlp.encode(items),
                "rlp": lambda items=items: pyrlp.encode(items),
                "ethereum-rlp": lambda items=items: ethereum_rlp.encode(items),
            },
            goal=encode_goal,
        )
        yield Row(
            f"RLP decode {name}",
            {
                "hexary": lambda encoded=encoded: rlp.decode(encoded),
                "rlp": lambda encoded=encoded: pyrlp.decode(encoded),
                "ethereum-rlp": lambda encoded=encoded: ethereum_rlp.decode(encoded),
            },
            goal=decode_goal,
        )
