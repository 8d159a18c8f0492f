"""
A trie built in one pass over sorted keys, of which only its right edge is held.

What comes after a key in order lies to the right of its path.  So a subtree is finished
when a key beyond it arrives, and nothing of it is needed any more but the item by which
its parent holds it.  The branches that are not finished are those on the way to the
next key::

                   ○                 ○ an open branch: on the way to the next key
          ┌────┬───┴───┐             ● an item: all that is left of a finished subtree
          ●    ●       ○
                   ┌───┼───┐
                   ●   ●   ╎         ╎ the pairs that wait, and the next key

Pairs wait until there are enough of them.  Those between two keys form a few whole
subtrees, each of which hangs from an open branch or from one on the way to the next
key; `hexary.trie.root.subtree_item` finds their items, all pairs of one together.

Memory is that of the waiting pairs (a few megabytes, or a hundred pairs where those are
larger) and of one branch for each level above them, however many pairs there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from operator import lt
from typing import TYPE_CHECKING, Any

from hexary import rlp
from hexary.errors import (
    InputTypeError,
    RangeError,
    StoreError,
    StoreReason,
    shorten,
)
from hexary.trie.input import checked_pairs, iterate, pairs_of
from hexary.trie.right_edge import RightEdge
from hexary.trie.root import values_in_order
from hexary.trie.store import NodeStore
from hexary.typed.buffer import exact_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hexary.trie.input import Pairs
    from hexary.typed import Hash

__all__ = ["TrieBuilder", "ordered_pairs", "sorted_trie_root"]

_MOST_WAITING = 2 << 20
"""Bytes that waiting pairs may take, about."""

_PAIR_SIZE = 144
"""Bytes that a pair takes beside those of its key and value: three objects' heads."""

_BATCH = 128
"""Pairs that are taken from an iterable at once."""

_FIRST_LONG_INDEX = 128
"""The RLP of this index, and of those after it, is after 0x80, that of index 0."""


class TrieBuilder:
    """
    A trie that is built from keys in ascending order, and need not fit into memory.

    Args:
        store: where the nodes go, a few megabytes at a time, children before their
            parents; ``None`` if only the root is wanted.

    Raises:
        InputTypeError: if *store* is no store.

    Example:
        >>> from hexary.trie import trie_root
        >>> builder = TrieBuilder()
        >>> builder.add(b"do", b"verb")
        >>> builder.add(b"dog", b"puppy")
        >>> builder.finish() == trie_root({b"do": b"verb", b"dog": b"puppy"})
        True
    """

    __slots__ = ("_count", "_edge", "_last", "_pairs", "_room", "_store")

    def __init__(self, *, store: NodeStore | None = None) -> None:
        if store is not None and not isinstance(store, NodeStore):
            raise InputTypeError("store", "a NodeStore or None", store)
        self._store = store
        self._count = 0
        self._last = b""
        self._edge = RightEdge([], None if store is None else [])
        self._pairs: list[tuple[bytes, bytes]] = []
        self._room = _MOST_WAITING

    def __len__(self) -> int:
        """Return how many pairs were added, those with an empty value included."""
        return self._count

    def add(self, key: bytes, value: bytes) -> None:
        r"""
        Add a pair, whose key comes after all that were added before.

        Args:
            key: of any length.
            value: the value; the key is absent if it is empty.

        Raises:
            InputTypeError: if the key or the value is not bytes, bytearray or
                memoryview.
            RangeError: if the key is that of the pair before, or a smaller one.
            StoreError: if the store could not write.

            After any of them the builder is as it was, without the pair.

        Example:
            >>> builder = TrieBuilder()
            >>> builder.add(b"dog", b"puppy")
            >>> try:
            ...     builder.add(b"cat", b"kitten")
            ... except ValueError as error:
            ...     print(str(error).partition(", ")[0], error.minimum)
            the key of pairs[1] must be above the one before it b'dog\x00'
        """
        if type(key) is not bytes:
            key = exact_bytes(key, "key")
        if type(value) is not bytes:
            value = exact_bytes(value, "value")
        last = self._last
        if key <= last and self._count:
            place = f"the key of pairs[{self._count}]"
            rule = f"above the one before it, {shorten(last)}"
            raise RangeError(place, key, last + b"\0", None, rule=rule)
        if value:
            if self._room <= 0:
                self._settle(key)
            self._pairs.append((key, value))
            self._room -= len(key) + len(value) + _PAIR_SIZE
        self._last = key
        self._count += 1

    def update(self, pairs: Pairs) -> None:
        """
        Add many pairs, in their order.

        Args:
            pairs: a mapping, or an iterable of key and value.

        Raises:
            InputTypeError, RangeError, StoreError: as `add`; those before the one at
                fault are in the trie.
        """
        if isinstance(pairs, Mapping):
            source: Iterator[Any] = iter(pairs_of(pairs))
        else:
            source = iterate(pairs, "pairs", "a mapping or an iterable of pairs")
        start = 0
        more = True
        while more:
            batch: list[Any] = []
            try:
                # What comes before an error is in the list all the same.
                batch.extend(islice(source, _BATCH))
            finally:
                self._take(batch, start)
            start += len(batch)
            more = len(batch) == _BATCH

    def finish(self, name: str | None = None) -> Hash:
        """
        Return the root of what was added; with a store, write what is not there yet.

        More pairs may follow, and then another call.

        Args:
            name: the name in the store that is to lead to the root, ``None`` for none.
                What no named root leads to, `collect_garbage` may remove.

        Raises:
            StoreError: if the store could not write, or there is a name and no store.

        Example:
            >>> from hexary.trie import MemoryStore, Trie
            >>> store = MemoryStore()
            >>> builder = TrieBuilder(store=store)
            >>> builder.add(b"do", b"verb")
            >>> Trie(store, builder.finish("words"))[b"do"]
            b'verb'
        """
        if self._store is None and name is not None:
            detail = "pass store= to TrieBuilder; finish() without a name needs none"
            raise StoreError(StoreReason.NO_STORE, detail=detail)
        edge = self._edge.copy()
        root = edge.root(self._pairs)
        if self._store is not None:
            self._store.write(
                edge.nodes or [], roots={} if name is None else {name: root}
            )
        return root

    def _take(self, batch: list[Any], start: int) -> None:
        """
        Add the elements of *batch*, which are numbered from *start* on.

        Most batches are found to be right by a look at all of them at once; the others
        are added one by one.
        """
        if set(map(type, batch)) == {tuple} and set(map(len, batch)) == {2}:
            keys, values = zip(*batch, strict=True)
            if (
                {*map(type, keys), *map(type, values)} == {bytes}
                and (keys[0] > self._last or not self._count)
                and all(map(lt, keys, keys[1:]))
                and all(values)
            ):
                if self._room <= 0:
                    self._settle(keys[0])
                self._pairs += batch
                self._room -= sum(map(len, keys)) + sum(map(len, values))
                self._room -= _PAIR_SIZE * len(batch)
                self._last = keys[-1]
                self._count += len(batch)
                return
        for key, value in checked_pairs(batch, start=start):
            self.add(key, value)

    def _settle(self, following: bytes) -> None:
        """Place the waiting pairs, of which *following* is the next key."""
        edge = self._edge.copy()
        edge.place(self._pairs, following)
        if self._store is not None:
            self._store.write(edge.nodes or [])
            edge.nodes = []
        # Only now, so that an error in between leaves all as it was.
        self._edge = edge
        self._pairs = []
        self._room = _MOST_WAITING


def sorted_trie_root(
    pairs: Pairs, *, store: NodeStore | None = None, name: str | None = None
) -> Hash:
    """
    Return the root hash of the trie that holds *pairs*, whose keys are ascending.

    It is that of `trie_root`, found while the pairs are read: memory does not grow with
    their number.  For a trie with hashed keys, give the hashes, in their own order.

    Args:
        pairs: a mapping, or an iterable of key and value.  A key with an empty value is
            absent.
        store: where the nodes go, ``None`` if only the root is wanted.
        name: the name in the store that is to lead to the root, ``None`` for none.

    Raises:
        InputTypeError: if a key or a value is not bytes, bytearray or memoryview, or
            *store* is no store.
        RangeError: if a key is that of the pair before, or a smaller one.
        StoreError: if the store could not write, or there is a name and no store.

    Example:
        >>> sorted_trie_root((bytes([n]), b"%d" % n) for n in range(100))
        Hash('0x66943fd3be002de6ab80ed8727f4ce989696a7158ff151b96ec61b343753e720')
    """
    builder = TrieBuilder(store=store)
    builder.update(pairs)
    return builder.finish(name)


def ordered_pairs(values: Iterable[bytes]) -> Iterator[tuple[bytes, bytes]]:
    r"""
    Yield each value with the RLP of its index, in the order of these keys.

    With `sorted_trie_root` that gives what `ordered_trie_root` gives, for values that
    need not be in memory together.  The order is that of the values, but for the first:
    the key of index 0 is 0x80, after 0x01 to 0x7f for 1 to 127.

    Args:
        values: the encoded items, in order.

    Raises:
        InputTypeError: if *values* have no order; when iterated, if one is not bytes,
            bytearray or memoryview.

    Example:
        >>> from hexary.trie import ordered_trie_root
        >>> list(ordered_pairs([b"a", b"b", b"c"]))
        [(b'\x01', b'b'), (b'\x02', b'c'), (b'\x80', b'a')]
        >>> values = [b"%d" % number for number in range(1000)]
        >>> sorted_trie_root(ordered_pairs(values)) == ordered_trie_root(values)
        True
    """
    return _by_key(values_in_order(values))


def _by_key(values: Iterator[object]) -> Iterator[tuple[bytes, bytes]]:
    """Yield index and value, the first after those whose keys come before its own."""
    first: list[bytes] = []
    for index, given in enumerate(values):
        value = exact_bytes(given, f"values[{index}]")
        if not index:
            first.append(value)
            continue
        if index == _FIRST_LONG_INDEX:
            yield rlp.encode(0), first.pop()
        yield rlp.encode(index), value
    for value in first:
        yield rlp.encode(0), value
