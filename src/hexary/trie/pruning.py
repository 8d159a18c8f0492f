"""
Removing from a store what no root leads to any more.

`collect_garbage` works in two steps.  It **marks** what the roots lead to, a batch at a
time, each batch a short transaction: others go on reading and writing, and a collection
that is stopped goes on from its marks the next time.  Then, in one transaction, it
marks what has been named meanwhile and **sweeps** what has no mark.

Nodes never change and marks stay until the sweep, so what is marked stays whole,
whatever is committed between the batches.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from hexary import hash as hashing
from hexary import rlp
from hexary.errors import (
    DecodeError,
    InputTypeError,
    MissingNodeError,
    NodeError,
    StoreError,
    StoreReason,
)
from hexary.trie.input import exact_count, exact_hash
from hexary.trie.nibbles import pack
from hexary.trie.node_cache import stored_node
from hexary.trie.nodes import (
    EMPTY_ROOT,
    BranchNode,
    ExtensionNode,
    HashNode,
    LeafNode,
    Node,
)
from hexary.trie.store import StoreBase, read_blob
from hexary.typed.iteration import iterate

if TYPE_CHECKING:
    from hexary.trie.store import StoreTransaction

__all__ = ["Collected", "collect_garbage", "hashes_in_leaf"]

References = Callable[[bytes, bytes], Iterable[bytes]]
"""From a key and a value of a trie to the hashes of what they refer to."""

_BATCH = 1000


class Collected(NamedTuple):
    """
    What `collect_garbage` has done.

    Attributes:
        kept: the number of blobs that are left.
        removed: the number of blobs that are gone.
        removed_size: their bytes.
    """

    kept: int
    removed: int
    removed_size: int


def hashes_in_leaf(key: bytes, value: bytes) -> Iterator[bytes]:
    """
    Yield all that may be the hash of something in a key and a value.

    That is the key itself, which may be hashed, and what is 32 bytes long in a value
    that is an RLP list, as the storage root and the code hash of an account are.

    Example:
        >>> value = rlp.encode([1, b"short", bytes(32)])
        >>> list(hashes_in_leaf(b"key", value)) == [bytes(32)]
        True
    """
    if len(key) == 32:
        yield key
    if value[0] >= 0xC0:
        try:
            items = rlp.decode(value)
        except DecodeError:
            return
        yield from (
            item for item in items if isinstance(item, bytes) and len(item) == 32
        )


def collect_garbage(
    store: StoreBase,
    *,
    keep: Iterable[bytes] = (),
    references: References = hashes_in_leaf,
    progress: Callable[[int], object] | None = None,
    batch: int = _BATCH,
) -> Collected:
    """
    Remove from *store* all that neither its named roots nor *keep* lead to.

    A trie that others have open and not yet committed is safe if the root it was opened
    at is kept; if not, its next commit raises `StoreError`, and the store stays whole.

    Args:
        store: one of this package's stores.
        keep: roots to keep beside the named ones.
        references: from a key and a value to hashes of what they refer to.  What is not
            in the store is passed over, so it may name too much.  A collection that was
            stopped is taken up only with the same function of a module.
        progress: called with the number of blobs expanded so far.
        batch: how many blobs are expanded in one transaction, one or more.

    Returns:
        What was kept and removed.

    Raises:
        MissingNodeError: if a node that a root leads to is not there; nothing is
            removed then.
        StoreError: if the store is read-only, or fails, or another collection with
            other *references* has begun; nothing is removed then.
        InputTypeError, SizeError, RangeError: if an argument does not fit.

    Example:
        >>> from hexary.trie import MemoryStore, Trie
        >>> store = MemoryStore()
        >>> trie = Trie({b"do": b"verb"}, store=store)
        >>> old, trie[b"do"] = trie.commit("words"), b"noun"
        >>> new = trie.commit("words")
        >>> collect_garbage(store)
        Collected(kept=1, removed=1, removed_size=10)
        >>> old in store, new in store
        (False, True)
    """
    if not isinstance(store, StoreBase):
        raise InputTypeError("store", "a store of this package", store)
    given = iterate(keep, "keep", "hashes of roots")
    roots = [exact_hash(root, "a root to keep") for root in given]
    batch = exact_count(batch, "batch")
    owner = _owner(references)
    done = 0
    try:
        with store.transaction() as transaction:
            if not transaction.is_marked(owner):
                transaction.unmark()
            _mark_roots(transaction, roots, owner)
        while True:
            with store.transaction() as transaction:
                entries = transaction.pending(batch)
            if not entries:
                break
            # Others may write now, while the batch is read and decoded.
            plans = _plans(store, entries, references)
            with store.transaction() as transaction:
                _check_owner(transaction, owner)
                _carry_out(transaction, plans)
            done += len(plans)
            if progress is not None:
                progress(done)
        with store.transaction() as transaction:
            _check_owner(transaction, owner)
            _mark_roots(transaction, roots, owner)
            while entries := transaction.pending(batch):
                _carry_out(transaction, _plans(store, entries, references))
            kept = transaction.marked() - 1  # the owner is no blob
            swept = transaction.sweep()
    except (MissingNodeError, NodeError):
        # A root is not whole; once it is no longer named it must not be in the way.
        with store.transaction() as transaction:
            transaction.unmark()
        raise
    return Collected(kept, swept.blobs, swept.size)


class _Plan(NamedTuple):
    """
    What expanding one blob comes to.

    Attributes:
        digest: the blob's hash.
        needed: hash and pending path of each node below, which has to be there.
        offered: the same for what may be there or not.
    """

    digest: bytes
    needed: list[tuple[bytes, bytes]]
    offered: list[tuple[bytes, bytes]]


_NODE = b"\x00"
_PERHAPS = b"\x01"
"""
What a pending path begins with: whether the blob has to be a node, or was found by
`References`, so that it and all below may be a node, something else, or nothing.
"""


def _owner(references: References) -> bytes:
    """
    Return the mark that says by which references the marks of a store were made.

    What was expanded by others may lead to less, so their marks are of no use.
    """
    name = getattr(references, "__qualname__", "<")
    if "<" in name or hasattr(references, "__self__"):
        return os.urandom(32)  # others may have the same name
    return hashing.keccak256(f"{references.__module__}.{name}".encode())


def _check_owner(transaction: StoreTransaction, owner: bytes) -> None:
    """Refuse to go on from marks that were made by other references."""
    # No marks at all: another collection with the same references has finished.
    if not transaction.is_marked(owner) and transaction.marked():
        detail = "a collection with other references"
        raise StoreError(StoreReason.BUSY, detail=detail)


def _mark_roots(transaction: StoreTransaction, keep: list[bytes], owner: bytes) -> None:
    transaction.mark(owner, _PERHAPS)
    transaction.settle(owner)
    for root in (*transaction.roots().values(), *keep):
        if root != EMPTY_ROOT:
            transaction.mark(bytes(root), _NODE)


def _plans(
    store: StoreBase, entries: list[tuple[bytes, bytes]], references: References
) -> list[_Plan]:
    """Read pending blobs and find out what they refer to."""
    plans = []
    for digest, place in entries:
        kind, path = place[:1], place[1:]
        plan = _Plan(digest, [], [])
        plans.append(plan)
        blob = read_blob(store, digest)
        if blob is None:
            if kind == _NODE:
                raise MissingNodeError(digest, path)
            continue
        try:
            node = stored_node(blob, digest, path)
        except NodeError:
            if kind == _NODE:
                raise
            continue
        below = plan.needed if kind == _NODE else plan.offered
        _look_into(node, path, kind, below, plan.offered, references)
    return plans


def _look_into(
    node: Node,
    path: bytes,
    kind: bytes,
    below: list[tuple[bytes, bytes]],
    offered: list[tuple[bytes, bytes]],
    references: References,
) -> None:
    """Gather what *node*, with all that is embedded in it, refers to."""
    stack = [(node, path)]
    while stack:
        node, path = stack.pop()
        value = b""
        if isinstance(node, HashNode):
            below.append((node.reference, kind + path))
        elif isinstance(node, LeafNode):
            path += node.path
            value = node.value
        elif isinstance(node, ExtensionNode):
            stack.append((node.child, path + node.path))
        elif isinstance(node, BranchNode):
            value = node.value
            stack += [
                (child, path + bytes((nibble,)))
                for nibble, child in enumerate(node.slots)
                if child is not None
            ]
        if value and len(path) % 2 == 0:
            offered += [
                (bytes(digest), _PERHAPS) for digest in references(pack(path), value)
            ]


def _carry_out(transaction: StoreTransaction, plans: list[_Plan]) -> None:
    for plan in plans:
        # Another collection may have finished since the plan was made.
        if not transaction.is_pending(plan.digest):
            continue
        for digest, place in plan.needed:
            transaction.mark(digest, place)
        for digest, place in plan.offered:
            if transaction.find(digest) is not None:
                transaction.mark(digest, place)
        transaction.settle(plan.digest)
