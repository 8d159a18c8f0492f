"""`Trie` and `SecureTrie`: Merkle-Patricia tries as mutable mappings."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import TYPE_CHECKING, Any

from hexary import hash as hashing
from hexary.trie.core import PureCore
from hexary.trie.input import pairs_of
from hexary.typed.buffer import exact_bytes

if TYPE_CHECKING:
    from typing import Self

    from hexary.trie.input import Pairs
    from hexary.typed import Hash

__all__ = ["SecureTrie", "Trie"]


class Trie(MutableMapping[bytes, bytes]):
    """
    A Merkle-Patricia trie: a mapping of byte keys to byte values with a root hash.

    Keys are bytes of any length, the empty key and keys that begin other keys included;
    values are bytes of one byte or more, and setting an empty value deletes.  Iteration
    is in key order, over the trie as it was when the iteration began.  The root hash is
    computed when it is asked for, and then only for what changed.

    Bytearrays and memoryviews are accepted for keys and values, and kept as bytes.

    Args:
        pairs: what to put in: a mapping or an iterable of key and value.

    Raises:
        InputTypeError: if a key or a value is of another type.

    Example:
        >>> trie = Trie({b"do": b"verb", b"dog": b"puppy"})
        >>> trie[b"doge"] = b"coin"
        >>> trie[b"dog"], trie.get(b"cat"), len(trie)
        (b'puppy', None, 3)
        >>> list(trie.items(start=b"dog"))
        [(b'dog', b'puppy'), (b'doge', b'coin')]
        >>> before = trie.copy()
        >>> del trie[b"doge"]
        >>> trie.root_hash == before.root_hash
        False
    """

    __slots__ = ("_core", "_length")

    def __init__(self, pairs: Pairs = (), /) -> None:
        self._core = PureCore()
        self._length = 0
        self.update(pairs)

    @property
    def root_hash(self) -> Hash:
        """The root hash, 32 bytes; `hexary.EMPTY_ROOT` for the empty trie."""
        return self._core.root_hash()

    def copy(self) -> Self:
        """
        Return an independent trie with the same content, in constant time.

        The two share all nodes until one of them changes, and then all others.
        """
        other = type(self).__new__(type(self))
        other._core = self._core.copy()
        other._length = self._length
        return other

    def __getitem__(self, key: bytes, /) -> bytes:
        value = self._core.get(self._stored(key))
        if value is None:
            raise KeyError(key)
        return value

    def __setitem__(self, key: bytes, value: bytes, /) -> None:
        self._put(self._stored(key), exact_bytes(value, "value"))

    def __delitem__(self, key: bytes, /) -> None:
        if not self._core.delete(self._stored(key)):
            raise KeyError(key)
        self._length -= 1

    def __contains__(self, key: object, /) -> bool:
        return self._core.get(self._stored(key)) is not None

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[bytes]:
        return self.keys()

    def __reversed__(self) -> Iterator[bytes]:
        return self.keys(reverse=True)

    def __eq__(self, other: object, /) -> bool:
        """Compare by root hash with a trie of the same kind, else as mappings do."""
        if type(other) is type(self):
            return self.root_hash == other.root_hash
        return super().__eq__(other)

    __hash__ = None  # type: ignore[assignment]  # mutable, like every mapping

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        # Nodes, keys and values are immutable, and may be too deep to walk recursively.
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (list(self.items()),)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)} keys, root {self.root_hash}>"

    def update(self, pairs: Pairs = (), /) -> None:  # type: ignore[override]  # no text keys
        """
        Put in all *pairs*, in their order; an empty value deletes its key.

        Args:
            pairs: a mapping or an iterable of key and value.

        Raises:
            InputTypeError: if a key or a value is not bytes; pairs before it are in.
        """
        for key, value in pairs_of(pairs):
            self[key] = value

    def clear(self) -> None:
        """Remove all keys."""
        self._core = PureCore()
        self._length = 0

    def items(  # type: ignore[override]  # ordered, lazy, with bounds: not a set view
        self,
        *,
        prefix: bytes = b"",
        start: bytes | None = None,
        stop: bytes | None = None,
        reverse: bool = False,
    ) -> Iterator[tuple[bytes, bytes]]:
        """
        Iterate over keys and values in key order, of the trie as it is now.

        Finding the first takes time proportional to its depth, whatever comes before.

        Args:
            prefix: only keys that begin with it.
            start: only keys from this one on, whether or not it is there.
            stop: only keys before this one.
            reverse: whether to begin at the largest key.

        Example:
            >>> trie = Trie({b"do": b"verb", b"dog": b"puppy", b"horse": b"stallion"})
            >>> list(trie.items(prefix=b"do", reverse=True))
            [(b'dog', b'puppy'), (b'do', b'verb')]
        """
        return self._core.items(
            prefix=exact_bytes(prefix, "prefix"),
            start=None if start is None else exact_bytes(start, "start"),
            stop=None if stop is None else exact_bytes(stop, "stop"),
            reverse=reverse,
        )

    def keys(  # type: ignore[override]  # as items()
        self,
        *,
        prefix: bytes = b"",
        start: bytes | None = None,
        stop: bytes | None = None,
        reverse: bool = False,
    ) -> Iterator[bytes]:
        """Iterate over the keys of `items`."""
        pairs = self.items(prefix=prefix, start=start, stop=stop, reverse=reverse)
        return (key for key, _ in pairs)

    def values(  # type: ignore[override]  # as items()
        self,
        *,
        prefix: bytes = b"",
        start: bytes | None = None,
        stop: bytes | None = None,
        reverse: bool = False,
    ) -> Iterator[bytes]:
        """Iterate over the values of `items`."""
        pairs = self.items(prefix=prefix, start=start, stop=stop, reverse=reverse)
        return (value for _, value in pairs)

    def next_key(self, key: bytes) -> bytes | None:
        """
        Return the smallest key after *key*, which need not be there; else ``None``.

        Example:
            >>> Trie({b"cat": b"1", b"doge": b"2"}).next_key(b"catering")
            b'doge'
        """
        # No key lies between a key and the same followed by a zero byte.
        return next(self.keys(start=self._stored(key) + b"\0"), None)

    def previous_key(self, key: bytes) -> bytes | None:
        """
        Return the largest key before *key*, which need not be there; else ``None``.

        Example:
            >>> Trie({b"cat": b"1", b"doge": b"2"}).previous_key(b"doge")
            b'cat'
        """
        return next(self.keys(stop=self._stored(key), reverse=True), None)

    def _stored(self, key: object) -> bytes:
        """Return the bytes at which the core holds *key*."""
        return exact_bytes(key, "key")

    def _put(self, stored: bytes, value: bytes) -> None:
        """Put *value* at the stored form of a key; delete it if *value* is empty."""
        if value:
            self._length += self._core.set(stored, value)
        else:
            self._length -= self._core.delete(stored)


class SecureTrie(Trie):
    """
    A trie that holds each key at its keccak-256, as state and storage tries do.

    It takes and yields the caller's keys, but their order is that of the hashes, and so
    are the bounds of `items`: they are bytes of *hashed* keys, and `next_key` and
    `previous_key` go from one key to its neighbour by hash.

    To be able to yield keys, it remembers every key that was set.  Copies share that
    memory, and deleting does not shrink it.

    Args:
        pairs: what to put in: a mapping or an iterable of key and value.

    Example:
        >>> trie = SecureTrie({b"do": b"verb"})
        >>> trie[b"do"], list(trie)
        (b'verb', [b'do'])
        >>> trie.root_hash == Trie({hashing.keccak256(b"do"): b"verb"}).root_hash
        True
    """

    __slots__ = ("_preimages",)

    def __init__(self, pairs: Pairs = (), /) -> None:
        # A hash has one preimage for good, so that copies can share the table.
        self._preimages: dict[bytes, bytes] = {}
        super().__init__(pairs)

    def copy(self) -> Self:
        """Return an independent trie with the same content, in constant time."""
        other = super().copy()
        other._preimages = self._preimages
        return other

    def __setitem__(self, key: bytes, value: bytes, /) -> None:
        value = exact_bytes(value, "value")
        plain = exact_bytes(key, "key")
        stored = self._stored(plain)
        if value:
            # A subclass is kept as it came, so that an address comes back as one.
            typed = issubclass(type(key), bytes)
            self._preimages[stored] = key if typed else plain
        self._put(stored, value)

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
        preimages = self._preimages
        return ((preimages[key], value) for key, value in hashed)

    def _stored(self, key: object) -> bytes:
        return hashing.keccak256(exact_bytes(key, "key"))
