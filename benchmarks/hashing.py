"""Keccak of a short message: hexary's backends, the bare libraries, and peers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator

import sha3
import tiny_keccak
from Crypto.Hash import keccak
from eth_hash.auto import keccak as eth_hash
from measurement import Row

import hexary
from hexary._backends import openssl, pycryptodome

__all__ = ["rows"]

MESSAGE = bytes(range(100))


def bare_pycryptodome() -> bytes:
    """Call pycryptodome the cheapest way that its documentation shows."""
    return keccak.new(digest_bits=256, data=MESSAGE).digest()


def bare_hashlib_copy() -> Callable[[], bytes]:
    """Return the cheapest call of hashlib: the copy of a prepared object."""
    prepared = hashlib.new("keccak-256")

    def call() -> bytes:
        state = prepared.copy()
        state.update(MESSAGE)
        return state.digest()

    return call


def rows() -> Iterator[Row]:
    """Yield a row per backend that is usable here, then one with the peers."""
    peers: dict[str, Callable[[], object]] = {
        "eth-hash": lambda: eth_hash(MESSAGE),
        "safe-pysha3": lambda: sha3.keccak_256(MESSAGE).digest(),
        "tiny-keccak": lambda: tiny_keccak.keccak256(MESSAGE),
    }
    with_pycryptodome = pycryptodome.load().keccak256
    yield Row(
        "keccak256(100 B), pycryptodome",
        {
            "hexary": lambda: with_pycryptodome(MESSAGE),
            "bare call": bare_pycryptodome,
            **peers,
        },
        goal=1.15,
        goal_peer="bare call",
    )
    try:
        with_hashlib = openssl.load().keccak256
    except ValueError:
        return
    yield Row(
        "keccak256(100 B), hashlib",
        {
            "hexary": lambda: with_hashlib(MESSAGE),
            "bare call": bare_hashlib_copy(),
            "hashlib.new": lambda: hashlib.new("keccak-256", MESSAGE).digest(),
        },
        goal=1.15,
        goal_peer="bare call",
    )
    many = [MESSAGE] * 1000
    yield Row(
        f"keccak256_many(1,000 × 100 B), {hexary.BACKEND.name}",
        {
            "hexary": lambda: hexary.keccak256_many(many),
            "one by one": lambda: [hexary.keccak256(item) for item in many],
        },
    )
