"""Keys and values for the tests of roots."""

from __future__ import annotations

import random

from hypothesis import strategies as st

# Few letters, so that keys share prefixes, begin each other and are equal.
KEYS = st.one_of(
    st.binary(max_size=3),
    st.lists(st.sampled_from([0x00, 0x01, 0x10, 0x11]), max_size=5).map(bytes),
    st.binary(min_size=32, max_size=32),
)
VALUES = st.one_of(
    st.binary(max_size=4),
    st.integers(0, 1_300).map(lambda size: bytes([size % 256]) * size),
)
PAIRS = st.lists(st.tuples(KEYS, VALUES), max_size=40)


def random_pairs(count: int, seed: int = 0) -> dict[bytes, bytes]:
    source = random.Random(seed)
    return {source.randbytes(32): source.randbytes(80) for _ in range(count)}
