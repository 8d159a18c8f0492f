"""What a chain is made of above its state: forks, headers, genesis files."""

from __future__ import annotations

from hexary.chain.forks import FORKS, Fork, HeaderField, genesis_header_fields
from hexary.chain.genesis import INITIAL_BASE_FEE, Genesis, is_genesis
from hexary.chain.header import (
    EMPTY_BLOCK_ACCESS_LIST_HASH,
    EMPTY_OMMERS_HASH,
    EMPTY_REQUESTS_HASH,
    Header,
)

__all__ = [
    "EMPTY_BLOCK_ACCESS_LIST_HASH",
    "EMPTY_OMMERS_HASH",
    "EMPTY_REQUESTS_HASH",
    "FORKS",
    "INITIAL_BASE_FEE",
    "Fork",
    "Genesis",
    "Header",
    "HeaderField",
    "genesis_header_fields",
    "is_genesis",
]
