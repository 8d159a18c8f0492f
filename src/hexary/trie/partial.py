"""
Partial tries: what can be done with a root hash and some of the nodes below it.

A witness is a bag of nodes (in a state's, codes and keys too).  Over it, a trie reads,
writes and deletes as any other, until the way leads to a node that is not there; then
`MissingNodeError` names it, and the trie is as it was.  That is also so where a delete
leaves a branch with one child: what becomes of the branch depends on that child, so it
has to be there, although no key below it is touched.

The other way round, `minimal_witness` tells which nodes some reads and writes need.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from hexary import hash as hashing
from hexary.errors import MissingNodeError, StoreReason
from hexary.trie.core import Core, PureCore
from hexary.trie.input import byte_strings, exact_hash, pairs_of
from hexary.trie.node_cache import NodeCache
from hexary.trie.nodes import (
    EMPTY_ROOT,
    BranchNode,
    ExtensionNode,
    HashNode,
    decode_node,
)
from hexary.trie.store import StoreBase
from hexary.trie.trie import Trie
from hexary.typed.buffer import exact_bytes
from hexary.typed.iteration import iterate

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from hexary.trie.input import Pairs
    from hexary.trie.node_source import NodeSource
    from hexary.trie.nodes import Node
    from hexary.trie.proof_nodes import NodesInput
    from hexary.trie.store import StoreTransaction
    from hexary.typed import Hash

__all__ = ["AccessRecorder", "WitnessStore", "minimal_witness", "partial_trie"]


class WitnessStore(StoreBase):
    """
    A read-only store of what a witness has.

    Args:
        blobs: nodes, and what else is to be found by its hash, in any order; or hash →
            bytes.  All are hashed.

    Raises:
        StoreError: if a hash is not that of its bytes.

    Example:
        >>> store = WitnessStore([bytes.fromhex("c22076")])
        >>> len(store), store.read_only
        (1, True)
    """

    def __init__(self, blobs: NodesInput = ()) -> None:
        super().__init__("witness", read_only=True)
        if isinstance(blobs, Mapping):
            self._blobs = dict(self._checked(blobs))
        else:
            given = list(byte_strings(blobs, "blobs"))
            self._blobs = dict(zip(hashing.keccak256_many(given), given, strict=True))

    def __len__(self) -> int:
        """Return the number of blobs, equal ones once."""
        return len(self._blobs)

    def __bool__(self) -> bool:
        return True

    def read(self, digest: bytes) -> bytes | None:
        """Return the bytes with this hash, ``None`` if they are not there."""
        # All were hashed when they came in, and nothing comes in later.
        return self._blobs.get(digest)

    def roots(self) -> dict[str, Hash]:
        """Return all named roots: none."""
        return {}

    def transaction(self) -> AbstractContextManager[StoreTransaction]:
        """Refuse: raise `StoreError`."""
        raise self._error(StoreReason.READ_ONLY)

    def _find(self, digest: bytes) -> bytes | None:
        return self._blobs.get(digest)


def partial_trie(
    root: bytes, nodes: NodesInput = (), *, kind: type[Trie] = Trie
) -> Trie:
    """
    Return the trie with this root of which only some nodes are there.

    Nodes that do not belong to it do no harm; they are never looked at.

    Args:
        root: the root hash that is trusted.
        nodes: encoded nodes in any order, or hash → encoded node; all are hashed.
        kind: `Trie`, or `SecureTrie` for a trie of hashed keys.

    Raises:
        StoreError: if a node is not of the hash that it was given for.

    Example:
        >>> whole = Trie({b"do": 40 * b"v", b"dog": 40 * b"w"})
        >>> part = partial_trie(whole.root_hash, whole.prove(b"do"))
        >>> part[b"do"] = b"verb"
        >>> whole[b"do"] = b"verb"
        >>> part.root_hash == whole.root_hash
        True
        >>> part[b"dog"]
        Traceback (most recent call last):
            ...
        hexary.errors.MissingNodeError: the node 0x... at path 6/4/6/f/6 is not ...
    """
    root = exact_hash(root, "root")
    trie = kind(store=NodeCache(WitnessStore(nodes)))
    if root != EMPTY_ROOT:
        # Not opened: of a trie without nodes, the root at least is known.
        trie._core = Core(HashNode(root), trie._nodes)
        trie._base = root
        trie._length = None
    return trie


class AccessRecorder:
    """
    The nodes of a trie as a source that notes which of them are read.

    Args:
        source: what has the nodes that are not in memory, ``None`` for nothing.

    Example:
        >>> recorder = AccessRecorder(None)
        >>> recorder.nodes()
        []
    """

    __slots__ = ("_held", "_read", "_source")

    def __init__(self, source: NodeSource | None) -> None:
        self._source = source
        self._held: dict[bytes, tuple[PureCore, bytes]] = {}
        self._read: dict[bytes, Node] = {}

    def watch(self, core: PureCore) -> PureCore:
        """Return a core with the same content, whose reads are noted from here on."""
        if core.is_empty:
            return Core(None, self)
        self.hold([core])
        return Core(HashNode(core.root_hash()), self)

    def hold(self, cores: Iterable[PureCore]) -> None:
        """Note where nodes are that may be asked for by their hashes."""
        for core in cores:
            self._held[core.root_hash()] = core.copy(), b""

    def node(self, digest: bytes, path: bytes | memoryview) -> Node:
        """Return the node with this hash, as what is below it by hashes."""
        node = self._read.get(digest)
        if node is None:
            node = self._read[digest] = self._find(digest, path)
        return node

    def encoding(self, digest: bytes, path: bytes | memoryview) -> bytes:
        """Return the encoding of the node with this hash."""
        return self.node(digest, path).encoding

    def nodes(self) -> list[bytes]:
        """Return the encodings of the nodes that were read, in that order."""
        return [node.encoding for node in self._read.values()]

    def _find(self, digest: bytes, path: bytes | memoryview) -> Node:
        """
        Return a node that was not read yet.

        The source is asked first: in a core, the way to a node begins at the root.
        """
        held = self._held.get(digest)
        if self._source is not None:
            try:
                return self._source.node(digest, path)
            except MissingNodeError:
                if held is None:
                    raise
        if held is None:
            raise MissingNodeError(digest, path)
        try:
            return self._look_up(digest, *held)
        except MissingNodeError as error:
            # Equal subtrees have one hash, and it may be held at another path.
            raise MissingNodeError(digest, path) from error

    def _look_up(self, digest: bytes, core: PureCore, path: bytes) -> Node:
        """Return the node at *path* of a core, and note where those below it are."""
        found: Any = core.node_at(path)  # there is one
        below: list[tuple[Node, bytes]] = [(found, path)]
        while below:
            top, way = below.pop()
            if isinstance(top, HashNode):
                self._held.setdefault(top.reference, (core, way))
            elif top is not found and not top.is_embedded:
                self._held.setdefault(top.reference, (PureCore(top, core.source), b""))
            elif isinstance(top, ExtensionNode):
                below.append((top.child, way + top.path))
            elif isinstance(top, BranchNode):
                below += [
                    (child, way + bytes((nibble,)))
                    for nibble, child in enumerate(top.slots)
                    if child is not None
                ]
        return decode_node(found.encoding, digest=digest)


def minimal_witness(
    trie: Trie, *, reads: Iterable[bytes] = (), writes: Pairs = ()
) -> list[bytes]:
    """
    Return exactly the nodes that some reads and writes together need.

    With them, and the root hash, a `partial_trie` reads those keys and comes to the
    same root after the writes; without any one of them it does not.  It does so in any
    order of the reads, and where writes that put something in come before those that
    delete; in another order a delete may collapse a branch that a later write restores.

    Args:
        trie: the trie before them; it is not changed.
        reads: keys that are read, whether or not they are there.
        writes: keys and new values; an empty value deletes.

    Raises:
        MissingNodeError: if a node of the trie is not available.

    Example:
        >>> trie = Trie({b"do": 40 * b"v", b"dog": 40 * b"w"})
        >>> len(minimal_witness(trie, reads=[b"do"]))
        2
        >>> len(minimal_witness(trie, writes={b"do": b""}))
        3
    """
    recorder = AccessRecorder(trie._core.source)
    core = recorder.watch(trie._core)
    changes = dict(pairs_of(writes))
    for key in iterate(reads, "reads", "byte strings"):
        core.get(trie._stored(key))
    for key, value in changes.items():
        if value:
            core.set(trie._stored(key), exact_bytes(value, "value"))
    # A delete may collapse what another write would have kept.
    for key, value in changes.items():
        if not value:
            core.delete(trie._stored(key))
    return recorder.nodes()
