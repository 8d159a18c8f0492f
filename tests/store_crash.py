"""
A process that commits in a loop, killed at random moments, and what it leaves behind.

The content of every commit follows from its number, so whoever looks afterwards knows
what has to be there.
"""

from __future__ import annotations

import os
import random
import select
import signal
import struct
import time
from pathlib import Path
from typing import NamedTuple

from hexary import LMDBStore, SQLiteStore, Trie, collect_garbage
from hexary.trie.store import StoreBase

__all__ = ["CrashReport", "kill_committers"]

KEYS = 300
CHANGES = 20
NAME = "latest"

PATIENCE = 120
"""Seconds that a first commit may take, however busy the machine is."""

_RECORD = struct.Struct(">Q32s")


class CrashReport(NamedTuple):
    """What a series of kills came to."""

    kills: int
    commits: int
    unacknowledged: int
    """Kills after which the store was one commit further than it had said."""

    while_opening: int
    """Kills before the first commit of the process; at most every fourth."""


def _open(kind: str, path: Path) -> StoreBase:
    return SQLiteStore(path) if kind == "sqlite" else LMDBStore(path)


def _changes(number: int) -> dict[bytes, bytes]:
    """Return what commit *number* changes; an empty value deletes."""
    source = random.Random(number)
    changes = {b"number": number.to_bytes(8, "big") * 5}
    for _ in range(CHANGES):
        key = source.randrange(KEYS).to_bytes(2, "big") * 16
        changes[key] = source.randbytes(source.choice((0, 3, 40, 90)))
    return changes


def _commit_for_ever(kind: str, path: Path, number: int, out: int) -> None:
    """Commit, and write down each commit once it is acknowledged."""
    store = _open(kind, path)
    trie = Trie(store, store.root(NAME))
    while True:
        number += 1
        trie.update(_changes(number))
        root = trie.commit(NAME)
        os.write(out, _RECORD.pack(number, root))
        if number % 5 == 0:
            collect_garbage(store, batch=100)


def _killed_committer(
    kind: str, path: Path, number: int, seconds: float, *, after_commit: bool
) -> list[tuple[int, bytes]]:
    """
    Start a process, kill it after some time, return what it had acknowledged.

    The time begins with its first commit, or with its start, when it may not even have
    opened the store.
    """
    readable, writable = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.close(readable)
            _commit_for_ever(kind, path, number, writable)
        finally:
            os._exit(1)
    os.close(writable)
    if after_commit and not select.select([readable], [], [], PATIENCE)[0]:
        os.kill(child, signal.SIGKILL)
        raise AssertionError(f"no commit within {PATIENCE} seconds")
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    said = b""
    while part := os.read(readable, 1 << 16):
        said += part
    os.close(readable)
    if os.WIFEXITED(status):
        raise AssertionError("the committing process failed by itself")
    return list(_RECORD.iter_unpack(said[: len(said) // _RECORD.size * _RECORD.size]))


def kill_committers(kind: str, path: Path, *, kills: int, seed: int) -> CrashReport:
    """
    Kill a committing process *kills* times, and look at the store after each.

    Raises:
        AssertionError: if the store does not open, has another root than the last one
            that was acknowledged (or the next), or lacks or garbles any node of it.
    """
    source = random.Random(seed)
    expected = Trie()
    number = unacknowledged = while_opening = 0
    for kill in range(kills):
        seconds = source.choice((0.01, 0.05, 0.2)) * source.random()
        # How far a process gets in some time depends on the machine, so that most are
        # killed after a commit, and every fourth wherever it is.
        after_commit = kill % 4 != 3
        said = _killed_committer(kind, path, number, seconds, after_commit=after_commit)
        assert said or not after_commit
        for acknowledged, root in said:
            assert acknowledged == number + 1
            number = acknowledged
            expected.update(_changes(number))
            assert root == expected.root_hash
        while_opening += not said
        with _open(kind, path) as store:
            root = store.root(NAME)
            if root != (expected.root_hash if number else None):
                # It was killed between the commit and saying so.
                number += 1
                unacknowledged += 1
                expected.update(_changes(number))
            assert root == (expected.root_hash if number else None)
            found = Trie(store, root)
            # Reading verifies the hash of each node.
            assert dict(found.items()) == dict(expected.items())
            assert found.statistics() == expected.statistics()
    return CrashReport(kills, number, unacknowledged, while_opening)
