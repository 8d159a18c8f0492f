"""
`RangeComparison`: a trie and the entries that are claimed to be all in a range of it.

Along the two ways down to the edges of the range, each node tells what lies between
them: a subtree wholly inside the range has to be the one that the given entries make,
hash for hash, and one outside it is left alone.  No trie is rebuilt; so a failure is
known with its place.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple

from hexary.errors import ProofReason
from hexary.trie.nibbles import pack
from hexary.trie.nodes import (
    EMPTY_ROOT,
    BranchNode,
    ExtensionNode,
    HashNode,
    LeafNode,
    Node,
    hash_nodes,
    reference_items,
)
from hexary.trie.root import subtree_encoding

if TYPE_CHECKING:
    from hexary.trie.proof_nodes import ProofNodes

__all__ = ["RangeComparison"]


class _Place(NamedTuple):
    """
    A node on the way to an edge of the range, and what lies there.

    Attributes:
        node: the node.
        edge: a path that begins with the node's own.
        at: how many of its nibbles are the node's own path.
        begin: the first entry whose path begins with the node's own.
        stop: the entry after the last of them.
        on_first: whether the way to the first key goes on below the node.
        on_last: whether the last key's path begins with the node's own.
        depth: the number of nodes above it.
        under: the node above it, where that is an extension.
    """

    node: Node
    edge: bytes
    at: int
    begin: int
    stop: int
    on_first: bool
    on_last: bool
    depth: int
    under: Node | None = None


class RangeComparison:
    """
    A walk through the nodes on the ways to the two edges of a range.

    A path is never cut out or put together on the way, except for an error: it would
    cost its length at every node, and that is up to whoever made the proof.

    Args:
        proof: the nodes.
        first: the path of the smallest key in the range.
        last: that of the largest, ``None`` for no bound.
        paths: the paths of the entries, rising, none of them outside the range.
        contents: their values.

    Attributes:
        has_more: whether something after the range was seen.

    Example:
        >>> from hexary.trie.proof_nodes import ProofNodes
        >>> comparison = RangeComparison(ProofNodes([]), b"", None, [], [])
        >>> comparison.compare(EMPTY_ROOT)
        >>> comparison.has_more
        False
    """

    __slots__ = (
        "_contents",
        "_digits",
        "_first",
        "_has_last",
        "_last",
        "_paths",
        "_proof",
        "_stack",
        "has_more",
    )

    def __init__(
        self,
        proof: ProofNodes,
        first: bytes,
        last: bytes | None,
        paths: list[bytes],
        contents: list[bytes],
    ) -> None:
        self.has_more = False
        self._proof = proof
        self._first = first
        self._last = b"" if last is None else last
        self._has_last = last is not None
        self._paths = paths
        self._contents = contents
        self._digits = [bytes.hex(pack(path)) for path in paths]
        self._stack: list[_Place] = []

    def compare(self, root: bytes) -> None:
        """Compare the trie with this root, as far as the range goes."""
        stop = len(self._paths)
        if root == EMPTY_ROOT:
            self._proof.note(root)
            self._refuse(0, stop)
            return
        on_first = bool(self._first)
        edge = self._first if on_first else self._last
        self._stack = [
            _Place(HashNode(root), edge, 0, 0, stop, on_first, self._has_last, 0)
        ]
        while self._stack:
            place = self._stack.pop()
            node = place.node
            if isinstance(node, HashNode):
                node = self._proof.read(
                    node.reference,
                    place.edge,
                    place.at,
                    place.depth,
                    under=place.under,
                )
            self._proof.check_length(node, place.at, place.edge, place.depth)
            if isinstance(node, LeafNode):
                self._compare_leaf(place, node)
            elif isinstance(node, ExtensionNode):
                self._compare_extension(place, node)
            elif isinstance(node, BranchNode):
                self._compare_branch(place, node)

    def _compare_leaf(self, place: _Place, leaf: LeafNode) -> None:
        at, begin = place.at, place.begin
        if place.on_first and leaf.path < self._first[at:]:
            self._refuse(begin, place.stop)
        elif place.on_last and leaf.path > self._last[at:]:
            self.has_more = True
            self._refuse(begin, place.stop)
        else:
            rest = self._paths[begin][at:] if begin < place.stop else None
            if rest is not None and rest < leaf.path:
                self._refuse(begin, place.stop)
            self._meet(place, leaf.value, leaf.path, there=rest == leaf.path)
            self._refuse(begin + 1, place.stop)

    def _compare_extension(self, place: _Place, node: ExtensionNode) -> None:
        at, own = place.at, node.path
        reach = at + len(own)
        begin = bisect_left(
            self._paths, own, place.begin, place.stop, key=lambda path: path[at:reach]
        )
        stop = bisect_right(
            self._paths, own, begin, place.stop, key=lambda path: path[at:reach]
        )
        self._refuse(place.begin, begin)
        self._refuse(stop, place.stop)
        on_first, on_last = place.on_first, place.on_last
        if on_first and not self._first.startswith(own, at):
            if own < self._first[at:reach]:
                return
            on_first = False
        if on_last and not self._last.startswith(own, at):
            if own > self._last[at:reach]:
                self.has_more = True
                return
            on_last = False
        self._go_on(
            place,
            node.child,
            own,
            begin,
            stop,
            on_first=on_first,
            on_last=on_last,
            under=node,
        )

    def _compare_branch(self, place: _Place, node: BranchNode) -> None:
        at, begin, stop = place.at, place.begin, place.stop
        there = begin < stop and len(self._paths[begin]) == at
        if node.value and not place.on_first:
            self._meet(place, node.value, b"", there=there)
            begin += 1
        elif there:
            self._refuse(begin, stop)
        low = self._first[at] if place.on_first else -1
        high = 16
        if place.on_last:
            high = self._last[at] if at < len(self._last) else -1
        for nibble, child in enumerate(node.slots):
            end = begin
            if begin < stop and self._paths[begin][at] == nibble:
                end = bisect_right(
                    self._paths, nibble, begin, stop, key=lambda path: path[at]
                )
            if child is None or nibble < low or nibble > high:
                self._refuse(begin, end)
                self.has_more |= child is not None and nibble > high
            else:
                self._go_on(
                    place,
                    child,
                    bytes((nibble,)),
                    begin,
                    end,
                    on_first=nibble == low,
                    on_last=nibble == high,
                )
            begin = end

    def _go_on(
        self,
        place: _Place,
        child: Node,
        step: bytes,
        begin: int,
        stop: int,
        *,
        on_first: bool,
        on_last: bool,
        under: Node | None = None,
    ) -> None:
        """
        Open a child that is on the way to an edge, settle one that is in the range.

        Args:
            place: where its parent is.
            child: the child.
            step: nibbles from the parent to it.
            begin: the first entry below it.
            stop: the entry after the last of them.
            on_first: whether the first key's path begins with the child's.
            on_last: whether the last key's path does.
            under: the parent, if it is an extension.
        """
        reach = place.at + len(step)
        if on_first and reach == len(self._first):
            on_first = False
            if isinstance(child, HashNode):
                # Where the first key ends: part of its proof, yet not needed.
                self._proof.note(child.reference)
        depth = place.depth + 1
        if on_first or on_last:
            edge = self._first if on_first else self._last
            self._stack.append(
                _Place(child, edge, reach, begin, stop, on_first, on_last, depth, under)
            )
        else:
            self._match(place, child, step, begin, stop, under)

    def _match(
        self,
        place: _Place,
        child: Node,
        step: bytes,
        begin: int,
        stop: int,
        under: Node | None,
    ) -> None:
        """Compare a subtree that is wholly in the range with the entries there."""
        hash_nodes([child])
        skip = place.at + len(step)
        reason, got = ProofReason.LEFT_OUT, None
        if begin < stop:
            entries = [
                (self._digits[index][skip:], self._contents[index])
                for index in range(begin, stop)
            ]
            got = reference_items([subtree_encoding(entries)])[0]
            reason = ProofReason.WRONG_ENTRIES
            if got == child.item:
                # Sorted as they are, they fork at once if the outer two do.
                if under is None or entries[0][0][:1] != entries[-1][0][:1]:
                    return
                reason = ProofReason.EXTENSION_CHILD_NOT_BRANCH
        raise self._proof.error(
            reason,
            depth=place.depth + 1,
            path=place.edge[: place.at] + step,
            got=got,
            expected=child.item,
        )

    def _meet(self, place: _Place, value: bytes, step: bytes, *, there: bool) -> None:
        """
        Compare one value of the trie with the first entry at a place.

        Args:
            place: where the node with the value is.
            value: the value.
            step: nibbles from the node to the end of the value's key.
            there: whether that entry has this key.
        """
        reason, got, expected = ProofReason.LEFT_OUT, None, value
        if there:
            got = self._contents[place.begin]
            if got == value:
                return
            reason = ProofReason.WRONG_VALUE
        else:
            expected = pack(place.edge[: place.at] + step)
        raise self._proof.error(
            reason,
            depth=place.depth,
            path=place.edge[: place.at],
            got=got,
            expected=expected,
        )

    def _refuse(self, begin: int, stop: int) -> None:
        """Refuse entries that the trie does not have, if there are any."""
        if begin < stop:
            raise self._proof.error(ProofReason.ABSENT, got=pack(self._paths[begin]))
