"""
What differs between two tries, without looking where they are equal.

Equal subtrees have equal references, so a comparison goes down only where something
differs: its cost grows with the difference, not with the tries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hexary.trie.nibbles import Nibbles, common_prefix_length, key_at
from hexary.trie.nodes import BranchNode, ExtensionNode, LeafNode, Node

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hexary.trie.core import PureCore
    from hexary.trie.trie import Trie

__all__ = [
    "Divergence",
    "KeyDifference",
    "core_differences",
    "first_divergence",
    "trie_differences",
]


class KeyDifference(NamedTuple):
    """
    A key whose values differ.

    Attributes:
        key: the key as the trie holds it: hashed in a `hexary.SecureTrie`.
        before: the first trie's value, ``None`` if the key is absent there.
        after: the second trie's value, likewise.
    """

    key: bytes
    before: bytes | None
    after: bytes | None


class Divergence(NamedTuple):
    """
    The first place where two tries part.

    Attributes:
        path: nibbles from the root to it.
        first: the first trie's node there, ``None`` if it has none.
        second: the second trie's node there, likewise.
    """

    path: Nibbles
    first: Node | None
    second: Node | None


class _Place(NamedTuple):
    """
    A subtree seen from a point on the path of its top node.

    Attributes:
        node: the top node.
        skip: nibbles of the node's own path that lie above the point.
    """

    node: Node
    skip: int = 0


def trie_differences(first: Trie, second: Trie) -> Iterator[KeyDifference]:
    """
    Yield the keys whose values differ, in key order.

    Args:
        first: a trie.
        second: a trie, on the same store or another, or in memory.

    Raises:
        MissingNodeError: if a node that differs is not available.

    Example:
        >>> from hexary.trie import Trie
        >>> before = Trie({b"do": b"verb", b"dog": b"puppy"})
        >>> after = before.copy()
        >>> after.update({b"dog": b"", b"doge": b"coin"})
        >>> for difference in trie_differences(before, after):
        ...     print(*difference)
        b'dog' b'puppy' None
        b'doge' None b'coin'
    """
    return core_differences(first._core.copy(), second._core.copy())


def core_differences(first: PureCore, second: PureCore) -> Iterator[KeyDifference]:
    """Yield what `trie_differences` does, of two cores."""
    if first.root_hash() == second.root_hash():
        return
    top = [None if core.root is None else _Place(core.root) for core in (first, second)]
    stack: list[tuple[_Place | None, _Place | None, bytes]] = [(top[0], top[1], b"")]
    while stack:
        before, after, path = stack.pop()
        if before is None or after is None:
            if before is not None:
                for key, value in _leaves(first, before, path):
                    yield KeyDifference(key, value, None)
            elif after is not None:
                for key, value in _leaves(second, after, path):
                    yield KeyDifference(key, None, value)
            continue
        if _same(before, after):
            continue
        before, after = _opened(first, before, path), _opened(second, after, path)
        shared = common_prefix_length(_rest(before), _rest(after))
        if shared:
            # All keys on both sides go this way.
            path += _rest(before)[:shared]
            before, after = _advanced(before, shared), _advanced(after, shared)
            stack.append((before, after, path))
            continue
        old, new = _value(before), _value(after)
        if old != new:
            yield KeyDifference(key_at(path), old, new)
        ours, theirs = _below(before), _below(after)
        stack.extend(
            (ours.get(nibble), theirs.get(nibble), path + bytes((nibble,)))
            for nibble in sorted({*ours, *theirs}, reverse=True)
        )


def first_divergence(first: Trie, second: Trie) -> Divergence | None:
    """
    Return the first place, in key order, where two tries part.

    Args:
        first: a trie.
        second: a trie.

    Returns:
        The path down to which both have nodes of the same kinds, and what each has
        there; ``None`` if the tries are equal.

    Example:
        >>> from hexary.trie import Trie
        >>> before = Trie({b"do": b"verb", b"horse": b"stallion"})
        >>> first_divergence(before, Trie({b"do": b"noun", b"horse": b"stallion"}))
        Divergence(path=Nibbles('64'), first=..., second=...)
        >>> first_divergence(before, before.copy()) is None
        True
    """
    ours, theirs = first._core, second._core
    if ours.root_hash() == theirs.root_hash():
        return None
    path = b""
    one, two = ours.root, theirs.root
    while one is not None and two is not None:
        one, two = ours.opened(one, path), theirs.opened(two, path)
        if isinstance(one, ExtensionNode) and isinstance(two, ExtensionNode):
            if one.path != two.path:
                break
            path += one.path
            one, two = one.child, two.child
        elif isinstance(one, BranchNode) and isinstance(two, BranchNode):
            apart = [
                nibble
                for nibble in range(16)
                if _reference(one.slots[nibble]) != _reference(two.slots[nibble])
            ]
            # The value here belongs to the key that comes before all below.
            if one.value != two.value or not apart:
                break
            path += bytes(apart[:1])
            one, two = one.slots[apart[0]], two.slots[apart[0]]
        else:
            break
    if one is not None:
        one = ours.opened(one, path)
    if two is not None:
        two = theirs.opened(two, path)
    return Divergence(Nibbles(path), one, two)


def _reference(node: Node | None) -> bytes:
    return b"" if node is None else node.reference


def _same(before: _Place, after: _Place) -> bool:
    """Whether two subtrees are known to be equal without looking into them."""
    if before.skip != after.skip:
        return False
    return before.node is after.node or before.node.reference == after.node.reference


def _opened(core: PureCore, place: _Place, path: bytes) -> _Place:
    """Return *place* with its node at hand."""
    return _Place(core.opened(place.node, path), place.skip)


def _rest(place: _Place) -> bytes:
    """Return the nibbles of the node's own path that lie below the point."""
    node = place.node
    return (
        node.path[place.skip :] if isinstance(node, (LeafNode, ExtensionNode)) else b""
    )


def _advanced(place: _Place, steps: int) -> _Place:
    """Return the same keys seen from *steps* nibbles further down the node's path."""
    node, skip = place.node, place.skip + steps
    if isinstance(node, ExtensionNode) and skip == len(node.path):
        return _Place(node.child)
    return _Place(node, skip)


def _value(place: _Place) -> bytes | None:
    """Return the value of the key that ends at the point."""
    node = place.node
    if isinstance(node, BranchNode):
        return node.value or None
    if isinstance(node, LeafNode) and place.skip == len(node.path):
        return node.value
    return None


def _below(place: _Place) -> dict[int, _Place]:
    """Return the subtrees one nibble further down."""
    if isinstance(place.node, BranchNode):
        return {
            nibble: _Place(child)
            for nibble, child in enumerate(place.node.slots)
            if child is not None
        }
    rest = _rest(place)
    return {rest[0]: _advanced(place, 1)} if rest else {}


def _leaves(
    core: PureCore, place: _Place, path: bytes
) -> Iterator[tuple[bytes, bytes]]:
    """Yield all keys and values of a subtree."""
    stack = [(place, path)]
    while stack:
        place, path = stack.pop()
        place = _opened(core, place, path)
        rest = _rest(place)
        if rest:
            stack.append((_advanced(place, len(rest)), path + rest))
            continue
        value = _value(place)
        if value is not None:
            yield key_at(path), value
        stack.extend(
            (below, path + bytes((nibble,)))
            for nibble, below in reversed(_below(place).items())
        )
