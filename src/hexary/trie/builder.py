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

Memory is that of the waiting pairs (a few megabytes, or two pairs where those are
larger) and of one branch for each level above them, however many pairs there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self, cast

from hexary import rlp
from hexary.errors import (
    InputTypeError,
    RangeError,
    StoreError,
    StoreReason,
    shorten,
)
from hexary.trie.input import exact_pair
from hexary.trie.right_edge import RightEdge
from hexary.trie.root import values_in_order
from hexary.trie.store import NodeStore, StoreBase, check_root_name
from hexary.trie.waiting_pairs import WaitingPairs
from hexary.typed.buffer import exact_bytes
from hexary.typed.iteration import iterate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from hexary.trie.input import Pairs

    _State = tuple[dict[str, Any] | None, dict[str, Any]]
    from hexary.typed import Hash

__all__ = ["TrieBuilder", "ordered_pairs", "sorted_trie_root"]

_MOST_WAITING = 2 << 20
"""Bytes that waiting pairs may take, about."""

_PAIR_SIZE = 144
"""Bytes that a pair takes beside those of its key and value: three objects' heads."""

_FIRST_LONG_INDEX = 128
"""The RLP of this index, and of those after it, is after 0x80, that of index 0."""


class TrieBuilder:
    """
    A trie that is built from keys in ascending order, and need not fit into memory.

    One thread at a time may use it.

    Args:
        store: where the nodes go, a few megabytes at a time, children before their
            parents; ``None`` if only the root is wanted.

    Raises:
        InputTypeError: if *store* is no store.
        StoreError: if it is read-only.

    Example:
        >>> from hexary.trie import trie_root
        >>> builder = TrieBuilder()
        >>> builder.add(b"do", b"verb")
        >>> builder.add(b"dog", b"puppy")
        >>> builder.finish() == trie_root({b"do": b"verb", b"dog": b"puppy"})
        True
    """

    __slots__ = ("_asked", "_edge", "_store", "_waiting")

    def __init__(self, *, store: NodeStore | None = None) -> None:
        if store is not None and not isinstance(store, NodeStore):
            raise InputTypeError("store", "a NodeStore or None", store)
        if store is not None and store.read_only:
            raise StoreError(StoreReason.READ_ONLY, detail="a builder writes to it")
        self._store = store
        self._asked = False
        self._edge = RightEdge([], None if store is None else [])
        self._waiting = WaitingPairs([], b"", 0, _MOST_WAITING)

    def __len__(self) -> int:
        """Return how many pairs were added, those with an empty value included."""
        return self._waiting.count

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
        waiting = self._waiting
        if waiting.room <= 0 and value and key > waiting.last:
            self._settle()
        self._put((key, value))

    def update(self, pairs: Pairs) -> None:
        """
        Add many pairs, in their order.

        Errors number a pair by how many were added before it, earlier calls included.
        Nothing is taken from an iterator beyond the pair at fault.

        Args:
            pairs: a mapping, or an iterable of key and value.

        Raises:
            InputTypeError: if one is no pair, or as `add`; those before it are in the
                trie.
            RangeError: as `add`; those before the one at fault are in the trie.
            StoreError: if the store could not write; all that were taken are in the
                trie, and the next call tries to write again.

        Example:
            >>> builder = TrieBuilder()
            >>> pairs = iter([(b"dog", b"puppy"), (b"cat", b""), (b"doge", b"coin")])
            >>> try:
            ...     builder.update(pairs)
            ... except ValueError:
            ...     print(len(builder), next(pairs))
            1 (b'doge', b'coin')
        """
        if isinstance(pairs, Mapping):
            source: Iterator[Any] = iter(pairs.items())
        else:
            source = iterate(pairs, "pairs", "a mapping or an iterable of pairs")
        while (odd := self._waiting.take(source, _PAIR_SIZE)) is not None:
            for pair in odd:
                self._put(self._checked(pair))
            if self._waiting.room <= 0:
                self._settle()

    def finish(self, name: str | None = None) -> Hash:
        """
        Return the root of what was added; with a store, write what is not there yet.

        More pairs may follow, and then another call.  From the second call on, what was
        hashed for the one before is not hashed again, but for the nodes on the way to
        the last pair.

        Args:
            name: the name in the store that is to lead to the root, ``None`` for none.
                What no named root leads to, `collect_garbage` may remove.

        Raises:
            InputTypeError: if the name is no text.
            RangeError: if it is empty, or too long for the store.
            StoreError: if the store could not write, or there is a name and no store.

        Example:
            >>> from hexary.trie import MemoryStore, Trie
            >>> store = MemoryStore()
            >>> builder = TrieBuilder(store=store)
            >>> builder.add(b"do", b"verb")
            >>> Trie(store, builder.finish("words"))[b"do"]
            b'verb'
        """
        _check_name(name, self._store)
        if self._asked:
            self._settle()
        self._asked = True
        edge = self._edge.copy()
        root = edge.root(self._waiting.pairs)
        if self._store is not None:
            self._store.write(
                edge.nodes or [], roots={} if name is None else {name: root}
            )
        return root

    def __copy__(self) -> Self:
        """Return a builder with the same pairs, on the same store, for its own way."""
        other = type(self).__new__(type(self))
        other._store = self._store
        other._asked = self._asked
        other._edge = self._edge.copy()
        waiting = self._waiting
        other._waiting = WaitingPairs(
            waiting.pairs.copy(), waiting.last, waiting.count, waiting.room
        )
        return other

    def __getstate__(self) -> object:
        """Leave it to the backend that is in use then how pairs wait."""
        members, slots = cast("_State", object.__getstate__(self))
        waiting = self._waiting
        made_with = (waiting.pairs, waiting.last, waiting.count, waiting.room)
        return members, {**slots, "_waiting": made_with}

    def __setstate__(self, state: _State) -> None:
        members, slots = state
        for name, value in {**(members or {}), **slots}.items():
            setattr(self, name, value)
        self._waiting = WaitingPairs(*slots["_waiting"])

    def _checked(self, pair: object) -> tuple[bytes, bytes]:
        """Return the next pair as plain bytes, or refuse it."""
        name = f"pairs[{self._waiting.count}]"
        key, value = exact_pair(pair, name)
        return (
            exact_bytes(key, f"the key of {name}"),
            exact_bytes(value, f"the value of {name}"),
        )

    def _put(self, pair: tuple[bytes, bytes]) -> None:
        """
        Add a pair to those that wait, or just count it if its value is empty.

        Raises:
            RangeError: if the key is not above the last one.
        """
        waiting = self._waiting
        if waiting.put(pair, _PAIR_SIZE):
            return
        key, last = pair[0], waiting.last
        if key <= last and waiting.count:
            place = f"the key of pairs[{waiting.count}]"
            rule = f"above the one before it, {shorten(last)}"
            raise RangeError(place, key, last + b"\0", None, rule=rule)
        # Its value is empty.  No call in between, after which a signal could leave half
        # of it done.
        waiting.last = key
        waiting.count += 1

    def _settle(self) -> None:
        """Place the waiting pairs but the last, whose key is the next one for them."""
        waiting = self._waiting
        if len(waiting.pairs) < 2:
            return
        *ready, last = waiting.pairs
        size_of_last = _PAIR_SIZE + len(last[0]) + len(last[1])
        size = _MOST_WAITING - waiting.room - size_of_last
        edge = self._edge.copy()
        edge.place(ready, last[0])
        if self._store is not None:
            self._store.write(edge.nodes or [])
            edge.nodes = []
        count = len(ready)
        # Only now, so that an error in between leaves all as it was; see `_put`.  What
        # the store has added meanwhile waits behind the last one.
        self._edge = edge
        del waiting.pairs[:count]
        waiting.room += size


def _check_name(name: str | None, store: NodeStore | None) -> None:
    """Refuse a name that no root can get in this store."""
    if name is None:
        return
    if store is None:
        detail = "pass store= to TrieBuilder; finish() without a name needs none"
        raise StoreError(StoreReason.NO_STORE, detail=detail)
    if isinstance(store, StoreBase):
        # What names others take is theirs to say.
        check_root_name(name)


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
        RangeError: if a key is that of the pair before, or a smaller one; before any is
            read, if the name is too long.
        StoreError: if the store could not write; before any pair is read, if it is
            read-only, or there is a name and no store.

    Example:
        >>> sorted_trie_root((bytes([n]), b"%d" % n) for n in range(100))
        Hash('0x66943fd3be002de6ab80ed8727f4ce989696a7158ff151b96ec61b343753e720')
    """
    builder = TrieBuilder(store=store)
    _check_name(name, store)
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
