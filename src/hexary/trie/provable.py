"""`ProvableTrie`: the proofs that a trie gives of what it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexary.trie.range_proof import collect_range
from hexary.typed.buffer import exact_bytes
from hexary.typed.iteration import iterate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hexary.trie.core import PureCore
    from hexary.trie.range_proof import RangeProof

__all__ = ["ProvableTrie"]


class ProvableTrie:
    """
    The part of `Trie` that is about proofs.

    Example:
        >>> from hexary import Trie
        >>> issubclass(Trie, ProvableTrie)
        True
    """

    __slots__ = ()

    _core: PureCore

    if TYPE_CHECKING:

        def _stored(self, key: object) -> bytes: ...

    def prove(self, key: bytes) -> list[bytes]:
        """
        Return the nodes that prove the value at *key*, or its absence, the root first.

        Example:
            >>> from hexary import Trie
            >>> [node.hex() for node in Trie({b"do": b"verb"}).prove(b"cat")]
            ['c98320646f8476657262']
        """
        return self._core.proof([self._stored(key)])

    def prove_many(self, keys: Iterable[bytes]) -> list[bytes]:
        """Return the nodes of the proofs of all *keys* together, each node once."""
        wanted = iterate(keys, "keys", "byte strings")
        return self._core.proof([self._stored(key) for key in wanted])

    def prove_range(
        self, start: bytes = b"", *, end: bytes | None = None, limit: int | None = None
    ) -> RangeProof:
        """
        Return the entries from *start* to *end* with the proof that they are all.

        Args:
            start: the smallest key as the trie holds it (hashed in a secure trie).
            end: the largest key, likewise; ``None`` for no bound.
            limit: the most entries; ``None`` for no limit.
        """
        last = None if end is None else exact_bytes(end, "end")
        return collect_range(
            self._core.copy(), exact_bytes(start, "start"), end=last, limit=limit
        )
