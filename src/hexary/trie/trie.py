"""`Trie`: a Merkle-Patricia trie as a mutable mapping."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any, overload

from hexary.errors import StoreError, StoreReason
from hexary.trie.core import Core
from hexary.trie.input import exact_count, exact_hash, pairs_of
from hexary.trie.nibbles import Nibbles
from hexary.trie.node_cache import NodeCache, cache_of, is_store, no_store
from hexary.trie.nodes import EMPTY_ROOT, HashNode
from hexary.trie.provable import ProvableTrie
from hexary.trie.walk import LeafPage, gather_statistics, walk_nodes
from hexary.typed.buffer import exact_bytes

if TYPE_CHECKING:
    from typing import Self

    from hexary.trie.core import PureCore
    from hexary.trie.input import Pairs
    from hexary.trie.store import NodeStore
    from hexary.trie.walk import TrieStatistics, WalkedNode
    from hexary.typed import Hash

__all__ = ["Trie"]

_NO_DEFAULT = object()


class Trie(ProvableTrie, MutableMapping[bytes, bytes]):
    """
    A Merkle-Patricia trie: a mapping of byte keys to byte values with a root hash.

    Keys are bytes of any length, the empty key and keys that begin other keys included;
    values are bytes of one byte or more, and setting an empty value deletes.  Iteration
    is in key order, over the trie as it was when the iteration began.  The root hash is
    computed when it is asked for, and then only for what changed.

    Bytearrays and memoryviews are accepted for keys and values, and kept as bytes.

    On a store, ``Trie(store, root)`` is the trie that was committed with that root.  It
    reads a node when the way leads there, so opening takes the same time whatever its
    size; where a node is not in the store, the operation raises `MissingNodeError` and
    leaves the trie as it was.  Changes are in memory until `commit`.

    How many keys an opened trie has is not known: ``len()`` walks all of it, once.

    Args:
        pairs: what to put in: a mapping or an iterable of key and value.
        store: where to commit to and to read from, ``None`` for memory alone.  Tries
            that are to share the nodes they have decoded share a `NodeCache`.
        root: the root to begin with, ``None`` for the empty trie.

    Raises:
        InputTypeError: if a key or a value is of another type.
        MissingNodeError: if the root is not in the store.

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

    __slots__ = ("_base", "_core", "_length", "_nodes")

    _core: PureCore
    _length: int | None
    _nodes: NodeCache | None
    _base: bytes
    """The root from which all nodes that are not in memory can be reached."""

    @overload
    def __init__(
        self,
        pairs: Pairs = (),
        /,
        *,
        store: NodeStore | NodeCache | None = None,
        root: bytes | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self, store: NodeStore | NodeCache, root: bytes | None = None, /
    ) -> None: ...
    def __init__(
        self,
        first: Pairs | NodeStore | NodeCache = (),
        second: bytes | None = None,
        /,
        *,
        store: NodeStore | NodeCache | None = None,
        root: bytes | None = None,
    ) -> None:
        pairs: Any = first
        if is_store(first):
            pairs, store, root = (), first, second
        elif second is not None:
            raise no_store(first, "the first of two arguments")
        self._open(cache_of(store), root)
        self.update(pairs)

    def _open(self, nodes: NodeCache | None, root: bytes | None) -> None:
        """Begin with what has this root, ``None`` for nothing."""
        self._nodes = nodes
        self._base = EMPTY_ROOT
        self._length = 0
        self._core = Core(None, nodes)
        if root is None:
            return
        root = exact_hash(root, "root")
        if root != EMPTY_ROOT:
            top = HashNode(root)
            self._core = Core(top, nodes)
            self._core.opened(top, b"")
            self._base = root
            self._length = None

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
        other._nodes = self._nodes
        other._base = self._base
        return other

    @property
    def store(self) -> NodeStore | None:
        """The store that the trie is on, ``None`` if it is in memory alone."""
        return None if self._nodes is None else self._nodes.store

    def commit(self, name: str | None = None) -> Hash:
        """
        Write what is new since the last commit to the store, in one transaction.

        Nodes go in before those that refer to them, and a named root moves last.  What
        no named root leads to, `collect_garbage` may remove.

        Args:
            name: the name that is to lead to the new root, ``None`` for none.

        Returns:
            The root, for ``Trie(store, root)``.

        Raises:
            StoreError: if the trie has no store, or the store could not write; the
                changes are still in the trie then.

        Example:
            >>> from hexary.trie import MemoryStore
            >>> store = MemoryStore()
            >>> trie = Trie({b"do": b"verb"}, store=store)
            >>> trie.commit("words") == store.root("words")
            True
        """
        if self._nodes is None:
            detail = "pass store= when it is made; root_hash needs none"
            raise StoreError(StoreReason.NO_STORE, detail=detail)
        root = self.root_hash
        keys = self._unsaved_keys()
        if name is not None or root != self._base or keys:
            self._nodes.store.write(
                keys + self._core.new_nodes(),
                roots={} if name is None else {name: root},
                base=self._base,
            )
        self._core.settle()
        self._base = root
        return root

    @contextmanager
    def transaction(self) -> Iterator[Self]:
        """
        Undo all changes made inside a ``with`` block if it ends with an error.

        Transactions nest.  What was committed to the store inside stays there.

        Example:
            >>> trie = Trie({b"do": b"verb"})
            >>> try:
            ...     with trie.transaction():
            ...         del trie[b"do"]
            ...         del trie[b"dog"]
            ... except KeyError:
            ...     print(trie[b"do"])
            b'verb'
        """
        before = self.copy()
        try:
            yield self
        except BaseException:
            self._restore(before)
            raise

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
        if self._length is not None:
            self._length -= 1

    def __contains__(self, key: object, /) -> bool:
        return self._core.get(self._stored(key)) is not None

    # Not as MutableMapping has them, whose types they keep: it takes any KeyError for
    # "the key is absent", whoever has raised it.
    if not TYPE_CHECKING:

        def get(self, key: bytes, default: Any = None) -> Any:
            """Return the value at *key*, *default* if the key is absent."""
            value = self._core.get(self._stored(key))
            return default if value is None else value

        def pop(self, key: bytes, default: Any = _NO_DEFAULT) -> Any:
            """Remove *key* and return its value; *default*, if given, if absent."""
            value = self._core.get(self._stored(key))
            if value is not None:
                del self[key]
            elif default is _NO_DEFAULT:
                raise KeyError(key)
            return default if value is None else value

        def setdefault(self, key: bytes, default: Any = None) -> Any:
            """Return the value at *key*; if absent, *default*, which is put there."""
            value = self._core.get(self._stored(key))
            if value is None:
                self[key] = value = default
            return value

    def __len__(self) -> int:
        if self._length is None:
            self._length = sum(1 for _ in self._core.items())
        return self._length

    def __bool__(self) -> bool:
        return not self._core.is_empty

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
        # No walk, which could be long and could fail.
        count = "unknown" if self._length is None else self._length
        return f"<{type(self).__name__} of {count} keys, root {self.root_hash}>"

    def update(self, pairs: Pairs = (), /) -> None:  # type: ignore[override]  # no text keys
        """
        Put in all *pairs*, in their order; an empty value deletes its key.

        Args:
            pairs: a mapping or an iterable of key and value.

        If that fails, whatever the reason, the trie is as it was; or as it is to be, if
        a signal's handler raises an exception when all is done.

        Raises:
            InputTypeError: if a key or a value is not bytes.
            MissingNodeError: if a node that is needed is not available.
        """
        if type(self) is Trie and self._put_at_once(pairs):
            return
        before = self.copy()
        try:
            for key, value in pairs_of(pairs):
                self[key] = value
        except BaseException:
            self._restore(before)
            raise

    def clear(self) -> None:
        """Remove all keys."""
        self._open(self._nodes, None)

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

    def page(
        self,
        size: int,
        *,
        cursor: bytes | None = None,
        prefix: bytes = b"",
        stop: bytes | None = None,
    ) -> LeafPage:
        """
        Return up to *size* keys and values, and where the next page begins.

        Args:
            size: the most pairs, one or more.
            cursor: that of the page before, ``None`` for the first page.
            prefix: as in `items`.
            stop: as in `items`.

        Raises:
            InputTypeError, RangeError: if *size* is no number from 1 on.

        Example:
            >>> trie = Trie({b"do": b"verb", b"dog": b"puppy", b"horse": b"stallion"})
            >>> trie.page(2)
            LeafPage(pairs=[(b'do', b'verb'), (b'dog', b'puppy')], cursor=b'horse')
            >>> trie.page(2, cursor=b"horse").cursor is None
            True
        """
        size = exact_count(size, "size")
        found = self.items(prefix=prefix, start=cursor, stop=stop)
        pairs = list(islice(found, size + 1))
        following = self._stored(pairs[size][0]) if len(pairs) > size else None
        return LeafPage(pairs[:size], following)

    def nodes(
        self, *, prefix: bytes = b"", after: bytes | None = None
    ) -> Iterator[WalkedNode]:
        """
        Yield the nodes, each before those below it, in the order of their paths.

        Args:
            prefix: nibbles; only nodes all of whose keys begin with them.
            after: the path of a node; only what comes after it.  So a walk that was
                stopped goes on where it was.

        Example:
            >>> trie = Trie({b"do": b"verb", b"dog": b"puppy"})
            >>> for walked in trie.nodes():
            ...     print(walked.depth, walked.path, walked.node)
            0  ExtensionNode(646f, ...)
            1 646f BranchNode(children at 6, value 76657262)
            2 646f6 LeafNode(7, 7075707079)
        """
        return walk_nodes(
            self._core.copy(),
            prefix=Nibbles(exact_bytes(prefix, "prefix")),
            after=None if after is None else Nibbles(exact_bytes(after, "after")),
        )

    def statistics(self, *, prefix: bytes = b"") -> TrieStatistics:
        """
        Walk over all nodes and return what the trie is made of.

        Args:
            prefix: nibbles; only nodes all of whose keys begin with them.

        Example:
            >>> Trie({b"do": b"verb", b"dog": b"puppy"}).statistics().depths
            {1: 1, 2: 1}
        """
        nibbles = Nibbles(exact_bytes(prefix, "prefix"))
        return gather_statistics(self._core, prefix=nibbles)

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

    def _restore(self, before: Self) -> None:
        """Become what *before*, a copy of this trie from earlier, is."""
        self._core = before._core
        self._length = before._length
        self._base = before._base

    def _stored(self, key: object) -> bytes:
        """Return the bytes at which the core holds *key*."""
        return exact_bytes(key, "key")

    def _put(self, stored: bytes, value: bytes) -> None:
        """Put *value* at the stored form of a key; delete it if *value* is empty."""
        change = self._core.set(stored, value) if value else -self._core.delete(stored)
        if self._length is not None:
            self._length += change

    def _put_at_once(self, stored: Pairs) -> bool:
        """Put in all of *stored* if the core can; tell whether it has."""
        length, self._length = self._length, None
        growth = self._core.update(stored)
        if growth is None:
            self._length = length
        elif length is not None:
            self._length = length + growth
        return growth is not None

    def _unsaved_keys(self) -> list[tuple[bytes, bytes]]:
        """Return hashes and keys that the store needs to know."""
        return []
