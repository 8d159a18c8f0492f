"""
`ProofNodes`: the nodes that somebody else gave as a proof, and walks through them.

Nothing about them is believed.  Each is hashed here, and found by that hash alone, so
what a walk meets is what the root commits to or an error; a node is read strictly when
a walk comes to it.  Not even a root of one's own making gets a wrong node accepted:
what no trie has, like a leaf whose path makes half a byte, is refused as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from hexary import hash as hashing
from hexary.errors import NodeError, ProofError, ProofReason
from hexary.trie.absence import Absence, AbsenceKind
from hexary.trie.input import byte_strings
from hexary.trie.nibbles import Nibbles
from hexary.trie.node_cache import stored_node
from hexary.trie.nodes import (
    EMPTY_ITEM,
    EMPTY_ROOT,
    BranchNode,
    ExtensionNode,
    HashNode,
    LeafNode,
    Node,
)
from hexary.typed.buffer import exact_bytes

if TYPE_CHECKING:
    from typing import NoReturn

__all__ = ["NodesInput", "ProofNodes"]

NodesInput = Iterable[bytes] | Mapping[bytes, bytes]
"""Encoded nodes in any order, or hash → encoded node."""

_FULL_SIZE = 3 + 16 * 33 + 1
_FULL_HEADER = bytes.fromhex("f90211")
_HASH_HEADERS = 16 * b"\xa0"


class ProofNodes:
    """
    The nodes of a proof by their hashes, and which of them were of use.

    Args:
        nodes: encoded nodes in any order, or hash → encoded node.
        key_size: bytes of every key of the trie, ``None`` if they are of any size.
        allow_extra: whether nodes may be there that no walk comes to, or twice.
        where: which of several proofs it is, for messages.

    Raises:
        ProofError: if a hash is wrong, or a node is there twice.

    Example:
        >>> leaf = bytes.fromhex("c22076")
        >>> proof = ProofNodes([leaf])
        >>> proof.find(hashing.keccak256(leaf), b"")
        b'v'
        >>> proof.finish()
    """

    __slots__ = (
        "_embedded",
        "_encodings",
        "_extra",
        "_length",
        "_read",
        "_used",
        "_where",
    )

    def __init__(
        self,
        nodes: NodesInput,
        *,
        key_size: int | None = None,
        allow_extra: bool = False,
        where: str = "",
    ) -> None:
        self._extra = allow_extra
        self._length = None if key_size is None else 2 * key_size
        self._where = where
        self._used: set[bytes] = set()
        self._embedded: list[Node] = []
        self._read: dict[bytes, Node] = {}
        self._encodings: dict[bytes, bytes]
        if isinstance(nodes, Mapping):
            self._encodings = self._from_mapping(nodes)
        else:
            self._encodings = self._from_list(nodes)

    def _from_mapping(self, nodes: Mapping[bytes, bytes]) -> dict[bytes, bytes]:
        given = {
            exact_bytes(digest, "a node's hash"): exact_bytes(node, "a node")
            for digest, node in nodes.items()
        }
        actual = hashing.keccak256_many(list(given.values()))
        for digest, right in zip(given, actual, strict=True):
            if digest != right:
                raise self.error(ProofReason.WRONG_HASH, got=right, expected=digest)
        return given

    def _from_list(self, nodes: Iterable[bytes]) -> dict[bytes, bytes]:
        accepted = "a list of encoded nodes, or a mapping to them"
        given = list(byte_strings(nodes, "nodes", accepted))
        found = dict(zip(hashing.keccak256_many(given), given, strict=True))
        if len(found) < len(given) and not self._extra:
            met: set[bytes] = set()
            for node in given:
                if node in met:
                    raise self.error(ProofReason.DUPLICATE_NODE, got=node)
                met.add(node)
        return found

    def settle(self, root: bytes, path: bytes) -> bytes | Absence:
        """Return what `find` does of the one key that the proof is about."""
        found = self.find(root, path)
        self.finish()
        return found

    def find(self, root: bytes, path: bytes) -> bytes | Absence:
        """
        Walk from the root along a key.

        Args:
            root: the hash that is trusted.
            path: the key's nibbles.

        Returns:
            The value at the key, or how its absence shows.

        Raises:
            ProofError: if the nodes show neither.
        """
        if root == EMPTY_ROOT:
            self.note(root)
            return Absence(AbsenceKind.EMPTY_TRIE, 0, Nibbles())
        digest, at, depth = root, 0, 0
        above: Node | None = None
        while True:
            encoding = self._encodings.get(digest)
            if encoding is None:
                self._fail_missing(digest, path, at, depth)
            self._used.add(digest)
            if at < len(path):
                child = _child_hash(encoding, path[at])
                if child is not None:
                    if not child:
                        return _absence(AbsenceKind.EMPTY_SLOT, depth, path[:at])
                    digest, above = child, None
                    at += 1
                    depth += 1
                    continue
            node = self.read(digest, path, at, depth, under=above)
            while not isinstance(node, HashNode):
                answer = self._step(node, path, at, depth)
                if isinstance(answer, (bytes, Absence)):
                    return answer
                above, (node, at) = node, answer
                depth += 1
                if not isinstance(node, HashNode):
                    self._embedded.append(node)
            digest = node.reference

    def read(
        self,
        digest: bytes,
        path: bytes,
        at: int,
        depth: int,
        *,
        under: Node | None = None,
    ) -> Node:
        """
        Return the node with this hash, read strictly.

        Args:
            digest: its hash, as its parent has it.
            path: nibbles from the root to it, and maybe more.
            at: how many of them lead to it.
            depth: the number of nodes above it.
            under: its parent, where that matters: an extension.

        Raises:
            ProofError: if it is not there, or not what can stand there.
        """
        encoding = self._encodings.get(digest)
        if encoding is None:
            self._fail_missing(digest, path, at, depth)
        self._used.add(digest)
        node = self._read.get(digest)
        try:
            if node is None:
                # Once only: many keys may lead through one great node.
                place = memoryview(path)[:at]
                node = self._read[digest] = stored_node(encoding, digest, place)
        except NodeError as error:
            raise self.error(
                ProofReason.BAD_NODE, depth=depth, path=path[:at], got=encoding
            ) from error
        if depth and node.is_embedded:
            raise self.error(
                ProofReason.SHORT_NODE, depth=depth, path=path[:at], got=encoding
            )
        if isinstance(under, ExtensionNode) and not isinstance(node, BranchNode):
            raise self.error(
                ProofReason.EXTENSION_CHILD_NOT_BRANCH,
                depth=depth,
                path=path[:at],
                got=encoding,
            )
        return node

    def note(self, digest: bytes) -> None:
        """Count a node as being of use, if it is there."""
        if digest in self._encodings:
            self._used.add(digest)

    def check_length(self, node: Node, at: int, path: bytes, depth: int) -> None:
        """
        Refuse a node that would make keys of a length that there is not.

        Args:
            node: a leaf, an extension or a branch.
            at: the number of nibbles from the root to it.
            path: these nibbles, and maybe more.
            depth: the number of nodes above it.

        Raises:
            ProofError: if it does.
        """
        reach = at + (
            len(node.path) if isinstance(node, (LeafNode, ExtensionNode)) else 0
        )
        ends = isinstance(node, LeafNode) or (
            isinstance(node, BranchNode) and bool(node.value)
        )
        most = self._length
        if ends:
            wrong = reach % 2 == 1 if most is None else reach != most
        else:
            wrong = most is not None and reach >= most
        if wrong:
            raise self.error(
                ProofReason.WRONG_PATH_LENGTH,
                depth=depth,
                path=path[:at],
                got=reach,
                expected=most,
            )

    def finish(self) -> None:
        """
        Refuse nodes that no walk came to.

        A node that its parent embeds may be listed too, as py-trie does it.

        Raises:
            ProofError: if there is another one.
        """
        if self._extra or len(self._used) == len(self._encodings):
            return
        unused = [
            encoding
            for digest, encoding in self._encodings.items()
            if digest not in self._used
        ]
        embedded = {node.encoding for node in self._embedded} if unused else set()
        for encoding in unused:
            if encoding not in embedded:
                raise self.error(ProofReason.SURPLUS_NODE, got=encoding)

    def error(
        self,
        reason: ProofReason,
        *,
        depth: int | None = None,
        path: bytes | None = None,
        got: object = None,
        expected: object = None,
    ) -> ProofError:
        """Return an error about this proof."""
        return ProofError(
            reason,
            depth=depth,
            path=None if path is None else Nibbles(path),
            got=got,
            expected=expected,
            where=self._where,
        )

    def _step(
        self, node: Node, path: bytes, at: int, depth: int
    ) -> bytes | Absence | tuple[Node, int]:
        """Return what is at *path*, or the node further down and where it is."""
        self.check_length(node, at, path, depth)
        if isinstance(node, LeafNode):
            if path[at:] == node.path:
                return node.value
            return _absence(AbsenceKind.DIVERGENT_LEAF, depth, path[:at])
        if isinstance(node, ExtensionNode):
            if path.startswith(node.path, at):
                return node.child, at + len(node.path)
            return _absence(AbsenceKind.DIVERGENT_EXTENSION, depth, path[:at])
        # It is a branch: reading yields no other kind.
        branch: BranchNode = node  # type: ignore[assignment]  # see above
        if at == len(path):
            if branch.value:
                return branch.value
            return _absence(AbsenceKind.NO_BRANCH_VALUE, depth, path[:at])
        child = branch.slots[path[at]]
        if child is None:
            return _absence(AbsenceKind.EMPTY_SLOT, depth, path[:at])
        return child, at + 1

    def _fail_missing(
        self, digest: bytes, path: bytes, at: int, depth: int
    ) -> NoReturn:
        got = None
        if not depth:
            # Mostly the whole proof is of another root; the first node tells which.
            got = next(iter(self._encodings), None)
        raise self.error(
            ProofReason.MISSING_NODE,
            depth=depth,
            path=path[:at],
            got=got,
            expected=digest,
        )


def _absence(kind: AbsenceKind, depth: int, path: bytes) -> Absence:
    return Absence(kind, depth, Nibbles(path))


def _child_hash(encoding: bytes, nibble: int) -> bytes | None:
    """
    Return a child of the most frequent kind of node without reading all of it.

    That is a branch without a value whose children are all hashes or empty.

    Args:
        encoding: the encoding of any node.
        nibble: which child.

    Returns:
        The child's hash, ``b""`` for an empty child, ``None`` if the encoding is not
        canonical or that of another kind.
    """
    size = len(encoding)
    if (
        size == _FULL_SIZE
        and encoding[3:-1:33] == _HASH_HEADERS
        and encoding.startswith(_FULL_HEADER)
        and encoding.endswith(EMPTY_ITEM)
    ):
        start = 4 + 33 * nibble
        return encoding[start : start + 32]
    if size > 257 and encoding[0] == 0xF9:
        at, content = 3, int.from_bytes(encoding[1:3], "big")
    elif 58 <= size <= 257 and encoding[0] == 0xF8:
        at, content = 2, encoding[1]
    else:
        return None
    if at + content != size or not encoding.endswith(EMPTY_ITEM):
        return None
    found = b""
    for slot in range(16):
        header = encoding[at]
        if header == 0xA0:
            if slot == nibble:
                found = encoding[at + 1 : at + 33]
            at += 33
            if at >= size:
                return None
        elif header == 0x80:
            at += 1
            if at == size:
                return None
        else:
            return None
    # At this size there are two children at least.
    return found if at == size - 1 else None
