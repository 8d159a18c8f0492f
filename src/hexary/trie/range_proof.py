"""
Range proofs: that some keys and values are all that a trie has between two keys.

The proof is that of two keys, the edges of the range, which need not be there.  Along
the two ways down, each node tells what lies between them: a subtree wholly inside the
range has to be the one that the given entries make, hash for hash, and one outside it
is left alone.  No trie is rebuilt; so a failure is known with its place.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

from hexary.errors import ProofReason, RangeError
from hexary.trie.input import iterate
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
from hexary.trie.proof import collect_proof, read_root, stored_path
from hexary.trie.proof_nodes import ProofNodes
from hexary.trie.root import subtree_encoding, trie_root
from hexary.typed.buffer import exact_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hexary.errors import ProofError
    from hexary.trie.core import PureCore
    from hexary.trie.proof_nodes import NodesInput

__all__ = ["RangeProof", "RangeResult", "collect_range", "verify_range"]

_PAST = b"\xff"
"""Greater than every nibble: what begins with a path comes before the path and this."""


class RangeResult(NamedTuple):
    """
    What a range proof proves beside the entries.

    Attributes:
        has_more: whether the trie has keys after the range.

    Example:
        >>> verify_range(EMPTY_ROOT, b"", [], [], [])
        RangeResult(has_more=False)
    """

    has_more: bool


class RangeProof(NamedTuple):
    """
    The entries of a range, with their proof.

    Attributes:
        start: the smallest key that the range is about, as the trie holds it.
        end: the largest, ``None`` for the last of *keys*, or the end of the trie if
            there are none.
        keys: the keys in the range, as the trie holds them: hashed in a
            `hexary.SecureTrie`.
        values: their values.
        nodes: the proofs of both edges together.

    Example:
        >>> from hexary.trie import Trie
        >>> Trie({b"do": b"verb", b"dog": b"puppy"}).prove_range(limit=1).keys
        [b'do']
    """

    start: bytes
    end: bytes | None
    keys: list[bytes]
    values: list[bytes]
    nodes: list[bytes]


def verify_range(
    root: bytes,
    start: bytes,
    keys: Iterable[bytes],
    values: Iterable[bytes],
    nodes: NodesInput | None,
    *,
    end: bytes | None = None,
    key_size: int | None = None,
    allow_extra: bool = False,
    where: str = "",
) -> RangeResult:
    r"""
    Return whether there are keys after a range whose entries are proven to be all.

    Keys are as the trie holds them: those of state and storage tries are hashes.

    Args:
        root: the root hash that is trusted.
        start: the smallest key that the range is about, whether or not it is there.
        keys: the keys of the range, rising.
        values: their values.
        nodes: the proofs of *start* and of the last key (or *end*) together, in any
            order or as hash → node; ``None`` if the entries are the whole trie.
        end: the largest key that the range is about, whether or not it is there;
            ``None`` for the last of *keys*.  If there are no keys either, the claim is
            that there is nothing from *start* on.
        key_size: bytes of every key of the trie, where they are all of one size.
        allow_extra: whether nodes may be there that are not needed, or twice.
        where: what the proof is about, for messages.

    Raises:
        ProofError: if that is not proven; with the path where trie and entries part.

    Example:
        >>> from hexary.trie import Trie
        >>> trie = Trie({bytes([number]): b"v" for number in (1, 2, 5, 7)})
        >>> root, proof = trie.root_hash, trie.prove_range(b"\x02", limit=2)
        >>> proof.keys
        [b'\x02', b'\x05']
        >>> verify_range(root, b"\x02", proof.keys, proof.values, proof.nodes)
        RangeResult(has_more=True)
        >>> verify_range(root, b"\x02", [b"\x05"], [b"v"], proof.nodes)
        Traceback (most recent call last):
            ...
        hexary.errors.ProofError: ...
    """
    root = read_root(root)
    first = stored_path(start, "start", secure=False, key_size=key_size)
    paths = [
        stored_path(key, f"keys[{index}]", secure=False, key_size=key_size)
        for index, key in enumerate(iterate(keys, "keys", "byte strings in order"))
    ]
    contents = [
        exact_bytes(value, f"values[{index}]")
        for index, value in enumerate(iterate(values, "values", "byte strings"))
    ]
    last = paths[-1] if paths else None
    if end is not None:
        last = stored_path(end, "end", secure=False, key_size=key_size)
    proof = ProofNodes(
        () if nodes is None else nodes,
        key_size=key_size,
        allow_extra=allow_extra,
        where=where,
    )
    _check_entries(proof, first, paths, contents, last)
    if nodes is None:
        got = trie_root(dict(zip(map(pack, paths), contents, strict=True)))
        if got != root:
            raise proof.error(ProofReason.WRONG_ROOT, got=got, expected=root)
        return RangeResult(has_more=False)
    comparison = _Comparison(proof, first, last, paths, contents)
    comparison.compare(root)
    proof.finish()
    return RangeResult(has_more=comparison.has_more)


def _check_entries(
    proof: ProofNodes,
    first: bytes,
    paths: list[bytes],
    contents: list[bytes],
    last: bytes | None,
) -> None:
    """Refuse entries that are not those of any range from *first* to *last*."""
    if len(contents) != len(paths):
        raise proof.error(
            ProofReason.WRONG_COUNT, got=len(contents), expected=len(paths)
        )
    for before, after in pairwise(paths):
        if after <= before:
            raise proof.error(ProofReason.UNORDERED_KEYS, got=pack(after))
    if last is not None and last < first:
        raise proof.error(ProofReason.KEY_OUTSIDE, got=pack(last))
    for path in paths[:1] + paths[-1:]:
        if path < first or (last is not None and path > last):
            raise proof.error(ProofReason.KEY_OUTSIDE, got=pack(path))
    for path, content in zip(paths, contents, strict=True):
        if not content:
            raise proof.error(ProofReason.EMPTY_VALUE, got=pack(path))


class _Comparison:
    """
    A walk, in key order, through the nodes of a range's edges.

    Args:
        proof: the nodes.
        first: the path of the smallest key in the range.
        last: that of the largest, ``None`` for no bound.
        paths: the paths of the entries, rising.
        contents: their values.

    Attributes:
        has_more: whether something after the range was seen.
    """

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
        self._last = last
        self._paths = paths
        self._contents = contents
        self._digits = [bytes.hex(pack(path)) for path in paths]
        self._done = 0
        """Entries that were compared: all before this one."""

    def compare(self, root: bytes) -> None:
        """Compare the trie with this root, as far as the range goes."""
        if root == EMPTY_ROOT:
            self._proof.note(root)
            stack: list[tuple[Node, bytes, int, Node | None]] = []
        else:
            stack = [(HashNode(root), b"", 0, None)]
        while stack:
            node, path, depth, above = stack.pop()
            if self._is_settled(node, path, depth):
                continue
            if isinstance(node, HashNode):
                node = self._proof.read(
                    node.reference, path, len(path), depth, under=above
                )
            self._proof.check_length(node, len(path), path, depth)
            if isinstance(node, LeafNode):
                self._meet(path + node.path, node.value, path, depth)
            elif isinstance(node, ExtensionNode):
                stack.append((node.child, path + node.path, depth + 1, node))
            elif isinstance(node, BranchNode):
                if node.value:
                    self._meet(path, node.value, path, depth)
                stack.extend(
                    (child, path + bytes((nibble,)), depth + 1, None)
                    for nibble, child in reversed(tuple(enumerate(node.slots)))
                    if child is not None
                )
        if self._done < len(self._paths):
            raise self._absent()

    def _is_settled(self, node: Node, path: bytes, depth: int) -> bool:
        """
        Settle a subtree that can be, without looking into it.

        Args:
            node: its top node.
            path: nibbles from the root to it, with which all its keys begin.
            depth: the number of nodes above it.

        Returns:
            Whether it is wholly before, in or after the range.
        """
        if path < self._first:
            return not self._first.startswith(path)
        if self._last is not None:
            if path > self._last:
                self.has_more = True
                return True
            if self._last.startswith(path):
                return False
        if path == self._first and isinstance(node, HashNode):
            # The node where the first key ends is part of its proof, yet not needed.
            self._proof.note(node.reference)
        if depth:
            self._match(node, path, depth)
        return bool(depth)

    def _match(self, node: Node, path: bytes, depth: int) -> None:
        """Compare a subtree that is wholly in the range with the entries there."""
        begin = bisect_left(self._paths, path, self._done)
        stop = bisect_left(self._paths, path + _PAST, begin)
        if begin > self._done:
            raise self._absent()
        hash_nodes([node])
        if begin == stop:
            raise self._proof.error(
                ProofReason.LEFT_OUT, depth=depth, path=path, expected=node.item
            )
        skip = len(path)
        got = reference_items(
            [
                subtree_encoding(
                    [
                        (self._digits[index][skip:], self._contents[index])
                        for index in range(begin, stop)
                    ]
                )
            ]
        )[0]
        if got != node.item:
            raise self._proof.error(
                ProofReason.WRONG_ENTRIES,
                depth=depth,
                path=path,
                got=got,
                expected=node.item,
            )
        self._done = stop

    def _meet(self, key: bytes, value: bytes, path: bytes, depth: int) -> None:
        """Compare one value with the entry there, if it is in the range."""
        if key < self._first:
            return
        if self._last is not None and key > self._last:
            self.has_more = True
            return
        if self._done == len(self._paths) or key < self._paths[self._done]:
            raise self._proof.error(
                ProofReason.LEFT_OUT, depth=depth, path=path, expected=pack(key)
            )
        if key > self._paths[self._done]:
            raise self._absent()
        got = self._contents[self._done]
        if got != value:
            raise self._proof.error(
                ProofReason.WRONG_VALUE,
                depth=depth,
                path=path,
                got=got,
                expected=value,
            )
        self._done += 1

    def _absent(self) -> ProofError:
        """Return the error for the next entry, which the trie does not have."""
        return self._proof.error(ProofReason.ABSENT, got=pack(self._paths[self._done]))


def collect_range(
    core: PureCore,
    start: bytes,
    *,
    end: bytes | None = None,
    limit: int | None = None,
) -> RangeProof:
    """
    Return the entries of a range with their proof.

    Args:
        core: the trie's core.
        start: the smallest key, as the core holds it, whether or not it is there.
        end: the largest key, likewise; ``None`` for no bound.
        limit: the most entries, one or more; ``None`` for no limit.

    Raises:
        MissingNodeError: if a node is not available.
        RangeError: if *limit* is below 1.

    Example:
        >>> from hexary.trie.core import PureCore
        >>> collect_range(PureCore(), b"")
        RangeProof(start=b'', end=None, keys=[], values=[], nodes=[])
    """
    if limit is not None and limit < 1:
        raise RangeError("limit", limit, 1, None)
    stop = None if end is None else end + b"\0"
    found = core.items(start=start, stop=stop)
    pairs = list(found if limit is None else islice(found, limit + 1))
    if limit is not None and len(pairs) > limit:
        # The range ends with its last entry then, and not where it was to end.
        pairs = pairs[:limit]
        end = None
    keys = [key for key, _ in pairs]
    edges = [start]
    if end is not None:
        edges.append(end)
    elif keys:
        edges.append(keys[-1])
    nodes = collect_proof(core, edges)
    return RangeProof(start, end, keys, [value for _, value in pairs], nodes)
