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
    """Yield encoding and decoding of both, with the goals of the Python code."""
    yield from with_goals((6e-6, 7e-6), (None, None))


def with_goals(
    hashes: tuple[float, float],
    nest: tuple[float | None, float | None],
    suffix: str = "",
    rounds: int = 9,
) -> Iterator[Row]:
    """Yield encoding and decoding of both; the goals are in that order."""
    shapes = (
        ("17 × 32 B", HASHES, *hashes),
        ("10 × 10 × 10 small items", NEST, *nest),
    )
    for name, items, encode_goal, decode_goal in shapes:
        encoded = rlp.encode(items)
        if not encoded == pyrlp.encode(items) == ethereum_rlp.encode(items):
            raise SystemExit(f"the packages encode {name} differently")
        yield Row(
            f"RLP encode {name}{suffix}",
            {
                "hexary": rlp.encode,
                "rlp": pyrlp.encode,
                "ethereum-rlp": ethereum_rlp.encode,
            },
            arguments=(items,),
            goal=encode_goal,
            rounds=rounds,
        )
        yield Row(
            f"RLP decode {name}{suffix}",
            {
                "hexary": rlp.decode,
                "rlp": pyrlp.decode,
                "ethereum-rlp": ethereum_rlp.decode,
            },
            arguments=(encoded,),
            goal=decode_goal,
            rounds=rounds,
        )
