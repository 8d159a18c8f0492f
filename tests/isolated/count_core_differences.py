"""
Compare the accelerator's core of a trie with the pure one, operation by operation.

    python tests/isolated/count_core_differences.py [OPERATIONS [SEED]]

Tries grow, shrink, are copied, committed and opened again, while nodes of their source
go missing or turn into others.  What each operation returns, or the class, text and
attributes of what it raises, has to be equal.  Exit code 1 and the first difference if
not.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any

from hexary import HexaryError, MissingNodeError, rlp
from hexary.trie import HashNode
from hexary.trie.core import Core, PureCore, hash_cores
from hexary.trie.node_cache import stored_node
from hexary.twin import pure_twins

PURE_HASH_CORES = pure_twins().get("hexary.trie.core.hash_cores", hash_cores)
MOST_TRIES = 6
ODD = [
    b"",
    b"\x80",
    rlp.encode([b"\x20", b"v"]),
    rlp.encode([b"\x31", b"v" * 40]),
    rlp.encode([b"\x00", bytes(32)]),
    rlp.encode([b"\x11", bytes(32)]),
    rlp.encode([b"\x11", [[b"\x20", b"v"], [b"\x20", b"v"], *15 * [b""]]]),
    rlp.encode([*16 * [b""], b"v"]),
]
"""Nodes, and what is none, that take the place of others."""


class Blobs:
    """A source of nodes for both cores."""

    def __init__(self) -> None:
        self.blobs: dict[bytes, bytes] = {}

    def node(self, digest: bytes, path: bytes) -> Any:
        return stored_node(self.encoding(digest, path), digest, path)

    def encoding(self, digest: bytes, path: bytes) -> bytes:
        if digest not in self.blobs:
            raise MissingNodeError(digest, path)
        return self.blobs[digest]


def outcome(function: Callable[..., Any], *arguments: Any, **named: Any) -> object:
    """Return what *function* returns, or all that its error says."""
    try:
        return function(*arguments, **named)
    except HexaryError as error:
        return type(error), str(error), vars(error)


def walked(core: Any, **bounds: Any) -> list[object]:
    """Return what an iteration yields, and last what ends it."""
    pairs = core.items(**bounds)
    found: list[object] = []
    while not found or (isinstance(found[-1], tuple) and len(found[-1]) == 2):
        found.append(outcome(next, pairs, None))
    return found


class Tries:
    """Some tries, each with both cores, and random operations on them."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.begin()

    def begin(self) -> None:
        """Begin with an empty trie and an empty store."""
        self.source = Blobs()
        self.tries: list[tuple[Any, Any]] = [
            (Core(None, self.source), PureCore(None, self.source))
        ]

    def key(self) -> bytes:
        """Return a key that shares its beginning with others."""
        if self.random.random() < 0.1:
            return self.random.randbytes(32)
        count = self.random.randrange(4)
        return bytes(self.random.choice((0, 1, 16, 17)) for _ in range(count))

    def value(self) -> bytes:
        """Return a value, sometimes an empty one."""
        return self.random.randbytes(self.random.choice((0, 1, 2, 20, 33, 130)))

    def operation(self) -> tuple[str, tuple[Any, ...], dict[str, Any]]:
        """Return the name of a method and its arguments."""
        kind = self.random.random()
        if kind < 0.4:
            value = self.random.randbytes(self.random.choice((1, 2, 20, 33, 130)))
            return "set", (self.key(), value), {}
        if kind < 0.65:
            return "delete", (self.key(),), {}
        if kind < 0.8:
            return "get", (self.key(),), {}
        if kind < 0.85:
            return "root_hash", (), {}
        if kind < 0.9:
            path = bytes(self.random.choice((0, 1)) for _ in range(5))
            return "node_at", (path[: self.random.randrange(6)],), {}
        if kind < 0.95:
            return "proof", ([self.key(), self.key()],), {}
        if kind < 0.96:
            return "update", ([(self.key(), self.value()) for _ in range(6)],), {}
        if kind < 0.97:
            digest = self.random.choice([*self.source.blobs, bytes(32)])
            path = bytes(self.random.choice((0, 1)) for _ in range(3))
            return "opened", (HashNode(digest), path), {}
        bounds = {"start": self.key(), "stop": self.random.choice((None, self.key()))}
        return "items", (), {**bounds, "reverse": self.random.random() < 0.5}

    def disturb(self) -> None:
        """Copy or commit a trie, begin anew, or spoil the store."""
        kind = self.random.random()
        native, pure = self.random.choice(self.tries)
        if kind < 0.1:
            hash_cores([native for native, _ in self.tries])
            PURE_HASH_CORES([pure for _, pure in self.tries])
        elif kind < 0.4:
            self.source.blobs.update(pure.new_nodes())
            native.settle()
            pure.settle()
        elif kind < 0.8:
            if len(self.tries) == MOST_TRIES:
                del self.tries[self.random.randrange(MOST_TRIES)]
            self.tries.append((native.copy(), pure.copy()))
        elif kind < 0.95 and self.source.blobs:
            digest = self.random.choice(sorted(self.source.blobs))
            if self.random.random() < 0.5:
                del self.source.blobs[digest]
            else:
                self.source.blobs[digest] = self.random.choice(ODD)
        elif kind > 0.98:
            self.begin()

    def updated(self, core: Any, pairs: list[tuple[bytes, bytes]]) -> object:
        """Put in pairs as a trie does; return what an error says, or the root hash."""
        if core.update(pairs) is None:
            for key, value in pairs:
                change = (core.set, key, value) if value else (core.delete, key)
                told = outcome(*change)
                if not isinstance(told, bool):
                    return told
        return core.root_hash()

    def compare(self) -> str | None:
        """Run an operation on both cores of a trie; return what is told of a fault."""
        if self.random.random() < 0.05:
            self.disturb()
        native, pure = self.random.choice(self.tries)
        name, arguments, named = self.operation()
        if name == "update":
            (pairs,) = arguments
            mine, theirs = self.updated(native, pairs), self.updated(pure, pairs)
        elif name == "items":
            mine, theirs = walked(native, **named), walked(pure, **named)
        else:
            mine = outcome(getattr(native, name), *arguments, **named)
            theirs = outcome(getattr(pure, name), *arguments, **named)
        if mine == theirs and self.random.random() < 0.02:
            name = "new_nodes"
            mine, theirs = dict(native.new_nodes()), dict(pure.new_nodes())
        if mine == theirs:
            return None
        return f"{name}{arguments!r} {named!r}: {mine!r}, not {theirs!r}"


def main() -> int:
    """Run the operations of the command line."""
    if Core is PureCore:
        print("no accelerator in use: there is nothing to compare")  # noqa: T201 - a program's output
        return 2
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    tries = Tries(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    for done in range(count):
        told = tries.compare()
        if told is not None:
            print(f"after {done:,} operations, {told}")  # noqa: T201 - a program's output
            return 1
    print(f"0 differences in {count:,} operations")  # noqa: T201 - a program's output
    return 0


if __name__ == "__main__":
    sys.exit(main())
