"""Cores of tries side by side, and sources of their nodes, for the tests of cores."""

from __future__ import annotations

import random
from typing import Any

from hexary import (
    MissingNodeError,
)
from hexary.errors import HexaryError
from hexary.trie.core import Core
from hexary.trie.node_cache import stored_node
from hexary.trie.walk import walk_nodes


class Blobs:
    """A source of nodes, some of which may be missing or no nodes."""

    def __init__(self) -> None:
        self.blobs: dict[bytes, bytes] = {}

    def node(self, digest: bytes, path: bytes) -> Any:
        return stored_node(self.encoding(digest, path), digest, path)

    def encoding(self, digest: bytes, path: bytes) -> bytes:
        encoding = self.blobs.get(digest)
        if encoding is None:
            raise MissingNodeError(digest, path)
        return encoding


def outcome(function: Any, *arguments: Any, **named: Any) -> object:
    """Return what a call returns, or what its error tells."""
    try:
        return function(*arguments, **named)
    except HexaryError as error:
        told = [
            getattr(error, name, None)
            for name in ("reason", "offset", "node_hash", "path")
        ]
        return type(error), *told


def gathered(iterator: Any) -> list[object]:
    """Return what an iterator yields, and last what ends it."""
    found: list[object] = []
    while True:
        got = outcome(next, iterator, None)
        found.append(got)
        if got is None or (isinstance(got, tuple) and isinstance(got[0], type)):
            assert next(iterator, None) is None
            return found


class Both:
    """A pure core and a native one, which go through the same."""

    def __init__(self, native: Any, pure: Any) -> None:
        self.native = native
        self.pure = pure

    def same(self, name: str, *arguments: Any, **named: Any) -> Any:
        """Call a method of both."""
        mine = outcome(getattr(self.native, name), *arguments, **named)
        theirs = outcome(getattr(self.pure, name), *arguments, **named)
        assert mine == theirs
        return mine

    def check(self) -> None:
        """Compare all that can be seen."""
        self.same("root_hash")
        assert gathered(self.native.items()) == gathered(self.pure.items())
        assert dict(self.native.new_nodes()) == dict(self.pure.new_nodes())
        assert self.native.is_empty is self.pure.is_empty
        assert self.native.is_settled is self.pure.is_settled
        assert gathered(walk_nodes(self.native)) == gathered(walk_nodes(self.pure))


def stored_trie(count: int) -> tuple[dict[bytes, bytes], Blobs, Any]:
    """Return pairs, and a core of which only the root's hash is in memory."""
    source = random.Random(count)
    pairs = {source.randbytes(32): source.randbytes(40) for _ in range(count)}
    blobs = Blobs()
    core = Core(None, blobs)
    for key, value in pairs.items():
        core.set(key, value)
    blobs.blobs.update(core.new_nodes())
    core.settle()
    return pairs, blobs, core
