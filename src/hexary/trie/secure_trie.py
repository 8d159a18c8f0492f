"""`SecureTrie`: a trie that holds each key at its keccak-256."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING, Any

from hexary import hash as hashing
from hexary.errors import StoreError, StoreReason
from hexary.trie.input import pairs_of
from hexary.trie.preimages import Preimages
from hexary.trie.trie import Trie
from hexary.typed.buffer import exact_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

    from hexary.trie.input import Pairs
    from hexary.trie.node_cache import NodeCache
    from hexary.typed import Hash

__all__ = ["SecureTrie"]


class SecureTrie(Trie):
    """
    A trie that holds each key at its keccak-256, as state and storage tries do.

    It takes and yields the caller's keys, but their order is that of the hashes, and so
    are the bounds of `items`: they are bytes of *hashed* keys, and `next_key` and
    `previous_key` go from one key to its neighbour by hash.

    To be able to yield keys, it remembers every key that was set, until a commit writes
    them to the store; so does a copy, and deleting forgets nothing.  On a
    store that does not know a key, yielding it raises `StoreError`.

    Args:
        pairs: what to put in: a mapping or an iterable of key and value.
        store: as in `Trie`.
        root: as in `Trie`.

    Example:
        >>> trie = SecureTrie({b"do": b"verb"})
        >>> trie[b"do"], list(trie)
        (b'verb', [b'do'])
        >>> trie.root_hash == Trie({hashing.keccak256(b"do"): b"verb"}).root_hash
        True
    """

    __slots__ = ("_preimages",)

    _preimages: Preimages

    def _open(self, nodes: NodeCache | None, root: bytes | None) -> None:
        self._preimages = Preimages(None if nodes is None else nodes.store)
        super()._open(nodes, root)

    def commit(self, name: str | None = None) -> Hash:
        """Write what is new since the last commit, keys included; as `Trie.commit`."""
        root = super().commit(name)
        self._preimages.forget()
        return root

    def copy(self) -> Self:
        """Return an independent trie with the same content, in constant time."""
        other = super().copy()
        other._preimages = self._preimages.copy()
        return other

    def _restore(self, before: Self) -> None:
        super()._restore(before)
        self._preimages = before._preimages

    def __setitem__(self, key: bytes, value: bytes, /) -> None:
        value = exact_bytes(value, "value")
        plain = exact_bytes(key, "key")
        stored = self._stored(plain)
        if value:
            # A subclass is kept as it came, so that an address comes back as one.
            typed = issubclass(type(key), bytes)
            self._preimages.remember(stored, key if typed else plain)
        self._put(stored, value)

    def update(self, pairs: Pairs = (), /) -> None:  # type: ignore[override]  # as in Trie
        """
        Put in all *pairs*, in their order; an empty value deletes its key.

        The keys of a dict, a list or a tuple are hashed together.

        Args:
            pairs: a mapping or an iterable of key and value.

        If that fails, whatever the reason, the trie is as it was; or as it is to be, if
        a signal's handler raises an exception when all is done.

        Raises:
            InputTypeError: if a key or a value is not bytes.
            MissingNodeError: if a node that is needed is not available.
        """
        # An iterator may look at the trie between two pairs.
        if type(self) is not SecureTrie or type(pairs) not in (dict, list, tuple):
            super().update(pairs)
            return
        plain = _plain_columns(pairs)
        if plain is not None:
            self._put_together(*plain)
            return
        keys: list[bytes] = []
        values: list[bytes] = []
        for key, value in pairs_of(pairs):
            value = exact_bytes(value, "value")
            # As in __setitem__, a subclass is kept as it came.
            typed = issubclass(type(key), bytes)
            keys.append(key if typed else exact_bytes(key, "key"))
            values.append(value)
        self._put_together(keys, values)

    def _put_together(self, keys: list[bytes], values: list[bytes]) -> None:
        """Put each of *values* at the hash of its key, all of them or none."""
        digests = hashing.keccak256_many(keys)
        # The last value of a key is what it comes to; unlike pairs, a dict of bytes is
        # nothing that the garbage collector looks through.
        if not self._put_at_once(dict(zip(digests, values, strict=True))):
            before = self.copy()
            try:
                for digest, value in zip(digests, values, strict=True):
                    self._put(digest, value)
            except BaseException:
                self._restore(before)
                raise
        known = zip(digests, keys, strict=True)
        self._preimages.remember_all(known if all(values) else compress(known, values))

    def items(  # type: ignore[override]  # as in Trie
        self,
        *,
        prefix: bytes = b"",
        start: bytes | None = None,
        stop: bytes | None = None,
        reverse: bool = False,
    ) -> Iterator[tuple[bytes, bytes]]:
        """
        Iterate over keys and values in the order of the hashed keys.

        Args:
            prefix: only keys whose hash begins with it.
            start: only keys whose hash is this one or after it.
            stop: only keys whose hash is before this one.
            reverse: whether to begin at the largest hash.
        """
        hashed = super().items(prefix=prefix, start=start, stop=stop, reverse=reverse)
        # Those of now: the trie may be cleared while the caller iterates.
        keys = self._preimages
        return ((_key(keys, digest), value) for digest, value in hashed)

    def _stored(self, key: object) -> bytes:
        return hashing.keccak256(exact_bytes(key, "key"))

    def _unsaved_keys(self) -> list[tuple[bytes, bytes]]:
        return self._preimages.unsaved()


def _plain_columns(pairs: Any) -> tuple[list[bytes], list[bytes]] | None:
    """
    Return the keys and the values of pairs that need no conversion, else ``None``.

    Args:
        pairs: a dict, a list or a tuple.
    """
    if type(pairs) is dict:
        keys, values = list(pairs), list(pairs.values())
    elif set(map(type, pairs)) <= {tuple} and set(map(len, pairs)) <= {2}:
        keys = [key for key, _ in pairs]
        values = [value for _, value in pairs]
    else:
        return None
    typed = all(issubclass(kind, bytes) for kind in set(map(type, keys)))
    return (keys, values) if typed and set(map(type, values)) <= {bytes} else None


def _key(keys: Preimages, digest: bytes) -> bytes:
    """Return the key with this hash."""
    key = keys.find(digest)
    if key is None:
        raise StoreError(StoreReason.NO_PREIMAGE, node_hash=digest)
    return key
