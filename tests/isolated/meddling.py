"""
Change what the accelerator works on while it works, wherever Python lets code run.

    python tests/isolated/meddling.py [ROUNDS [SEED]]

Garbage is collected as often as can be, and each time the lists, dicts, tries and
iterators in use are changed; so they are by sources of nodes and by iterators.  What
comes of it is not told, but nothing crashes, and what is raised is no SystemError.
"""

from __future__ import annotations

import contextlib
import gc
import random
import sys
from collections.abc import Callable, Iterator
from typing import Any

from parcels import PARCEL, Parcel, call_before_encoding

import hexary
from hexary import Address, Trie, rlp
from hexary.chain import Receipt
from hexary.state import Account
from hexary.state.account import accounts_root, plain_account
from hexary.state.alloc import plain_accounts
from hexary.state.storage import plain_slots, slots_root
from hexary.trie import HashNode, TrieBuilder, sorted_trie_root
from hexary.trie.core import Core, hash_cores
from hexary.trie.node_cache import stored_node
from hexary.trie.root import (
    ordered_trie_root,
    secure_trie_root,
    subtree_item,
    trie_root,
)

PAIRS = {bytes([number, 7]) * 9: bytes([number]) * 40 for number in range(60)}
KEYS = list(PAIRS)
TOP = HashNode(bytes(trie_root(PAIRS)))
BLOBS = dict(Trie(PAIRS)._core.new_nodes())


class Meddler:
    """What changes things in use."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.in_use: list[Any] = []
        self.is_busy = False

    def meddle(self, *_: object) -> None:
        """Change everything in use, unless that is what is being done."""
        if self.is_busy:
            return
        self.is_busy = True
        try:
            for each in list(self.in_use):
                with contextlib.suppress(
                    ValueError, TypeError, StopIteration, hexary.HexaryError
                ):
                    self.change(each)
        finally:
            self.is_busy = False

    def change(self, each: Any) -> None:
        """Change one thing in use."""
        kind = self.random.random()
        if isinstance(each, list):
            if kind < 0.3:
                each.clear()
            elif kind < 0.6:
                each.append((bytes(bytearray(b"zz")), bytearray(b"q" * 9)))
            elif each:
                del each[self.random.randrange(len(each))]
        elif isinstance(each, dict):
            if kind < 0.3:
                each.clear()
            else:
                each[self.random.randbytes(5)] = b"v" * self.random.randrange(1, 60)
        elif isinstance(each, TrieBuilder):
            self.change_builder(each, kind)
        elif isinstance(each, Core):
            self.change_core(each, kind)
        else:
            next(each)

    def change_builder(self, builder: TrieBuilder, kind: float) -> None:
        """Add to a builder, or have it place what waits, or forget it."""
        waiting = builder._waiting
        if kind < 0.3:
            builder.add(self.random.randbytes(5), b"v" * 40)
        elif kind < 0.6:
            builder._settle()
        else:
            waiting.pairs, waiting.last = [], bytes(bytearray(b"last"))
            waiting.room = self.random.randrange(-5, 5_000)

    def change_core(self, core: Any, kind: float) -> None:
        """Change a trie, or make or drop a copy."""
        key = self.random.choice(KEYS)
        if kind < 0.3:
            core.set(key, b"n" * self.random.randrange(1, 50))
        elif kind < 0.6:
            core.delete(key)
        elif kind < 0.7:
            core.update(list(PAIRS.items())[:5])
        elif kind < 0.8 and core.source is not None:
            BLOBS.update(core.new_nodes())
            core.settle()
        elif kind < 0.9:
            core.root_hash()
        elif len(self.in_use) < 12:
            self.in_use.append(core.copy())

    def node(self, digest: bytes, path: bytes) -> object:
        """Return a node, as a source does."""
        self.meddle()
        return stored_node(BLOBS[digest], digest, path)

    def encoding(self, digest: bytes, _: bytes) -> bytes:
        """Return the encoding of a node, as a source does."""
        self.meddle()
        return BLOBS[digest]

    def keys(self) -> Iterator[bytes]:
        """Yield some keys."""
        for key in KEYS[:6]:
            self.meddle()
            yield key

    def pairs(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield pairs in order."""
        for number in range(60):
            self.meddle()
            yield number.to_bytes(40, "big"), bytes(bytearray(b"v" * number))

    def operations(self) -> list[Callable[[], object]]:
        """Return what is to be done with things that are in use from now on."""
        listed: list[Any] = [*PAIRS.items(), [b"k", bytearray(b"v")]]
        table: dict[Any, Any] = dict(PAIRS)
        accounts: dict[Any, Any] = {
            Address(number): Account(balance=2**80, storage={1: 2**200}, code=b"code")
            for number in range(5)
        }
        storage = {"0x1": "0x2", 5: 2**200, b"\1": b"a"}
        entry = {
            "nonce": "0x1",
            "balance": hex(2**90),
            "code": "0x",
            "storage": storage,
        }
        log = {"address": "0x" + 40 * "1", "topics": ["0x" + 64 * "2"] * 3}
        logs = [log] * 3
        receipt: dict[Any, Any] = {
            "status": "0x1",
            "cumulativeGasUsed": "0x5",
            "type": "0x1",
            "logsBloom": "0x" + 512 * "0",
            "logs": logs,
        }
        entries = {f"{number:040x}": entry for number in range(5)}
        lazy, own, builder = Core(TOP, self), Core(), TrieBuilder()
        own.update(dict(PAIRS))
        parcel = PARCEL.replace(slips=list(PARCEL.slips))
        walks = [lazy.items(), own.items(reverse=True)]
        self.in_use = [listed, table, accounts, storage, entry, entries, lazy, own]
        self.in_use.append(builder)
        self.in_use += [parcel.slips, *walks]
        self.in_use += [receipt, logs, log, log["topics"]]
        running: list[Any] = [hexary.BACKEND.start256() for _ in range(9)]
        pieces: list[Any] = [bytearray(700) for _ in range(9)]
        self.in_use += [running, pieces]
        return [
            *(lambda: trie_root(listed), lambda: trie_root(table)),
            lambda: subtree_item(listed, 0),
            *(lambda: builder.update(self.pairs()), lambda: builder.update(listed)),
            *(lambda: sorted_trie_root(table), builder.finish),
            *(lambda: secure_trie_root(listed), lambda: ordered_trie_root(listed)),
            *(lambda: accounts_root(accounts), lambda: plain_account(entry)),
            lambda: plain_accounts(entries),
            *(lambda: plain_slots(storage), lambda: slots_root({bytes(32): 6})),
            lambda: Receipt.from_json(receipt),
            *(lambda: lazy.get(KEYS[3]), lambda: lazy.set(KEYS[5], b"other")),
            *(lambda: lazy.delete(KEYS[7]), lambda: lazy.proof(self.keys())),
            *(lambda: lazy.node_at(b"\0"), lambda: lazy.opened(TOP, b"")),
            *(lambda: list(lazy.items(start=KEYS[2])), lambda: lazy.new_nodes()),
            *(lambda: lazy.update(listed), lambda: own.update(table)),
            *(lambda: own.update(listed), lambda: own.proof(KEYS), lambda: own.root),
            *(lambda: list(own.items()), lambda: own.new_nodes()),
            *(lambda: list(walks[0]), lambda: list(walks[1])),
            *(lambda: hash_cores([lazy, own, lazy.copy()]), lambda: lazy.root),
            *(lambda: rlp.encode(listed), lambda: rlp.encode([listed, table])),
            *(lambda: rlp.decode(rlp.encode([[b"a"] * 20] * 20)), lazy.root_hash),
            *(lambda: parcel.rlp(), lambda: rlp.decode(Parcel, PARCEL.rlp())),
            *(
                lambda: hexary.keccak256_many(listed),
                lambda: hexary.keccak256_many(KEYS),
                lambda: hexary.BACKEND.update_many(running, pieces),
            ),
        ]


def main() -> None:
    """Do everything some times."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    meddler = Meddler(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    gc.callbacks.append(meddler.meddle)
    call_before_encoding(meddler.meddle)
    done = refused = 0
    for _ in range(rounds):
        for operation in meddler.operations():
            gc.set_threshold(meddler.random.choice((1, 2, 5)), 1, 1)
            try:
                operation()
            except (
                *(hexary.HexaryError, TypeError, ValueError, LookupError),
                RuntimeError,  # a dict or list that has changed under an iterator
                AttributeError,  # accounts that are none now
            ):
                refused += 1
            finally:
                gc.set_threshold(700, 10, 10)
            done += 1
    gc.callbacks.clear()
    print(f"fine: {done:,} operations, of which {refused:,} were refused")  # noqa: T201


if __name__ == "__main__":
    main()
