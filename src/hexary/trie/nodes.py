"""
The three kinds of trie node, their encodings, and how a parent refers to them.

A node is an immutable value (Yellow Paper, appendix D)::

    LeafNode       [hex-prefix(path, leaf), value]
    ExtensionNode  [hex-prefix(path), child]            path of 1 or more nibbles
    BranchNode     [child 0, …, child 15, value]        two or more of them present

A parent holds each child as a `NodeRef`: **empty**; the child's own encoding,
**embedded**, where that is under 32 bytes; else the **hash** of the encoding.  So a
reference of 32 bytes is always a hash.  The rule stands in `reference_items` alone.

`HashNode` stands for a subtree of which only the hash is known.

The encoding of a node and the item by which its parent holds it are computed once and
kept.  The constructors trust their caller; bytes from elsewhere come in by
`decode_node`, which accepts exactly the canonical form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexary import hash as hashing
from hexary import rlp
from hexary.errors import DecodeError, NodeError, NodeReason
from hexary.trie.nibbles import Nibbles, hp_decode, hp_encode
from hexary.typed import Hash

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = [
    "EMPTY_ROOT",
    "BranchNode",
    "ExtensionNode",
    "HashNode",
    "LeafNode",
    "Node",
    "NodeRef",
    "decode_node",
    "hash_nodes",
    "reference_items",
]

NodeRef = bytes
"""How a parent holds a child: ``b""``, a hash of 32 bytes, or a shorter encoding."""

EMPTY_ITEM = b"\x80"
"""The empty string in RLP: a branch's item for an absent child or value."""

EMPTY_ROOT = Hash("0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421")
"""Root hash of the trie without keys: keccak-256 of the RLP of the empty string."""


def reference_items(encodings: Sequence[bytes]) -> list[bytes]:
    """
    Return the RLP items by which parents hold the nodes with these *encodings*.

    This is the one place that knows the 32-byte rule.  All that need hashing are hashed
    in one batch.

    Example:
        >>> reference_items([bytes.fromhex("c22076")])[0].hex()
        'c22076'
        >>> reference_items([bytes(32)])[0].hex()[:12]
        'a0290decd954'
    """
    long = [encoding for encoding in encodings if len(encoding) >= 32]
    digests = hashing.keccak256_many(long)
    if len(long) == len(encodings):
        return [b"\xa0" + digest for digest in digests]
    following = iter(digests)
    return [
        encoding if len(encoding) < 32 else b"\xa0" + next(following)
        for encoding in encodings
    ]


class Node:
    """
    What all kinds of node share.

    Attributes:
        item: the RLP item by which a parent holds this node; ``None`` until
            `reference_items` was asked for it.
    """

    __slots__ = ("_encoding", "item")

    item: bytes | None
    _encoding: bytes | None

    def __init__(self) -> None:
        self.item = None
        self._encoding = None

    @property
    def encoding(self) -> bytes:
        """The node's RLP, computed once."""
        if self._encoding is None:
            self._encoding = self._encode()
        return self._encoding

    @property
    def reference(self) -> NodeRef:
        """How a parent holds this node: its hash, or its encoding if under 32 bytes."""
        item = _known_item(self)
        return item[1:] if len(item) == 33 else item

    @property
    def hash(self) -> Hash:
        """Keccak-256 of the encoding, also where the node would be embedded."""
        item = _known_item(self)
        return Hash(item[1:] if len(item) == 33 else hashing.keccak256(item))

    def children(self) -> Iterator[Node]:
        """Yield the nodes directly below."""
        return iter(())

    def _encode(self) -> bytes:
        raise AttributeError(f"a {type(self).__name__} has no encoding")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Node):
            return NotImplemented
        return _known_item(self) == _known_item(other)

    def __hash__(self) -> int:
        return hash(_known_item(self))


def _known_item(node: Node) -> bytes:
    """Return the RLP item by which a parent holds *node*, hashing what is not yet."""
    if node.item is None:
        hash_nodes([node])
    return node.item  # type: ignore[return-value]  # it is set by now


def hash_nodes(nodes: Iterable[Node]) -> None:
    """
    Compute the items by which parents hold *nodes* and all nodes below them.

    Nodes are hashed level by level, the deepest first, each level in one batch; what
    has its item already is not visited.

    Example:
        >>> leaf = LeafNode(bytes([1]), bytes(40))
        >>> hash_nodes([leaf])
        >>> leaf.item is None
        False
    """
    levels = []
    level = [node for node in nodes if node.item is None]
    while level:
        levels.append(level)
        level = [
            child
            for parent in level
            for child in parent.children()
            if child.item is None
        ]
    for level in reversed(levels):
        items = reference_items([each.encoding for each in level])
        for each, item in zip(level, items, strict=True):
            each.item = item


class HashNode(Node):
    """
    A subtree of which only the hash is known.

    Args:
        digest: keccak-256 of the encoding of the subtree's top node, 32 bytes.
    """

    __slots__ = ()

    def __init__(self, digest: bytes) -> None:
        self.item = b"\xa0" + digest
        self._encoding = None

    def __repr__(self) -> str:
        return f"HashNode({self.reference.hex()})"


class LeafNode(Node):
    """
    The end of a path, with the value there.

    Args:
        path: the nibbles between the parent and the end of the key.
        value: the value, one byte or more.

    Example:
        >>> LeafNode(Nibbles(), b"v").encoding.hex()
        'c22076'
    """

    __slots__ = ("path", "value")

    path: bytes
    value: bytes

    def __init__(self, path: bytes, value: bytes) -> None:
        self.path = path
        self.value = value
        self.item = None
        self._encoding = None

    def _encode(self) -> bytes:
        return rlp.encode_list(
            rlp.encode_bytes(hp_encode(self.path, leaf=True))
            + rlp.encode_bytes(self.value)
        )

    def __repr__(self) -> str:
        return f"LeafNode({Nibbles(self.path)!s}, {bytes.hex(self.value)})"


class ExtensionNode(Node):
    """
    A stretch of path that all keys below share.

    Args:
        path: the shared nibbles, one or more.
        child: the branch that they lead to.
    """

    __slots__ = ("child", "path")

    path: bytes
    child: Node

    def __init__(self, path: bytes, child: Node) -> None:
        self.path = path
        self.child = child
        self.item = None
        self._encoding = None

    def children(self) -> Iterator[Node]:
        """Yield the branch below."""
        yield self.child

    def _encode(self) -> bytes:
        return rlp.encode_list(
            rlp.encode_bytes(hp_encode(self.path, leaf=False)) + _known_item(self.child)
        )

    def __repr__(self) -> str:
        return f"ExtensionNode({Nibbles(self.path)!s}, {self.child.reference.hex()})"


class BranchNode(Node):
    """
    A fork: one child for each next nibble, and a value for the key that ends here.

    Args:
        slots: sixteen children, ``None`` where there is none.
        value: the value, ``b""`` if no key ends here.
    """

    __slots__ = ("slots", "value")

    slots: Sequence[Node | None]
    value: bytes

    def __init__(self, slots: Sequence[Node | None], value: bytes) -> None:
        self.slots = slots
        self.value = value
        self.item = None
        self._encoding = None

    def children(self) -> Iterator[Node]:
        """Yield the present children, in the order of their nibbles."""
        return iter([child for child in self.slots if child is not None])

    def _encode(self) -> bytes:
        items = [
            EMPTY_ITEM if child is None else child.item or _known_item(child)
            for child in self.slots
        ]
        items.append(rlp.encode_bytes(self.value))
        return rlp.encode_list(b"".join(items))

    def __repr__(self) -> str:
        used = "".join(
            f"{nibble:x}"
            for nibble, child in enumerate(self.slots)
            if child is not None
        )
        value = bytes.hex(self.value) or "none"
        return f"BranchNode(children at {used or 'none'}, value {value})"


def decode_node(encoding: bytes) -> Node:
    """
    Read a node, accepting exactly the canonical form.

    Embedded children come back as nodes, hashed ones as `HashNode`.

    Args:
        encoding: the node's RLP.

    Raises:
        NodeError: with the reason, and the offset of the offending item.

    Example:
        >>> decode_node(bytes.fromhex("c22076"))
        LeafNode(, 76)
        >>> try:
        ...     decode_node(bytes.fromhex("c22f76"))
        ... except NodeError as error:
        ...     error.reason.name, error.offset, error.detail
        ('BAD_PATH', 1, 'the padding nibble is not 0')
    """
    encoding = bytes(encoding)
    try:
        # A node holds lists (embedded nodes) of fewer than 32 bytes: never deep.
        items = rlp.decode(encoding, max_depth=32)
    except DecodeError as error:
        raise NodeError(
            NodeReason.NOT_RLP,
            offset=error.offset,
            data=error.data,
            detail=error.reason.value,
        ) from error
    node = _read_node(items, encoding, 0)
    node._encoding = encoding
    return node


def _read_node(items: rlp.Item, encoding: bytes, start: int) -> Node:
    """
    Build a node from its decoded *items*, whose encoding starts at offset *start*.

    It recurses into embedded nodes, each shorter than the one around it and the first
    under 32 bytes, so never deeper than about a dozen.
    """
    if not isinstance(items, list):
        raise _fault(NodeReason.NOT_A_LIST, encoding, start)
    if len(items) == 17:
        return _read_branch(items, encoding, start)
    if len(items) != 2:
        raise _fault(
            NodeReason.WRONG_ITEM_COUNT,
            encoding,
            start,
            detail=f"there are {len(items)}",
        )
    first = start + rlp.encoded_size(items) - sum(map(rlp.encoded_size, items))
    second = first + rlp.encoded_size(items[0])
    if not isinstance(items[0], bytes):
        raise _fault(NodeReason.BAD_PATH, encoding, first, detail="it is a list")
    try:
        path, is_leaf = hp_decode(items[0])
    except NodeError as error:
        raise NodeError(
            NodeReason.BAD_PATH,
            offset=first,
            data=encoding[first : first + 32],
            detail=error.detail,
        ) from None
    if is_leaf:
        if not isinstance(items[1], bytes):
            raise _fault(NodeReason.VALUE_IS_LIST, encoding, second)
        if not items[1]:
            raise _fault(NodeReason.EMPTY_VALUE, encoding, second)
        return LeafNode(path, items[1])
    if not path:
        raise _fault(NodeReason.EMPTY_EXTENSION_PATH, encoding, first)
    child = _read_child(items[1], encoding, second)
    if not isinstance(child, (BranchNode, HashNode)):
        raise _fault(NodeReason.EXTENSION_CHILD_NOT_BRANCH, encoding, second)
    return ExtensionNode(path, child)


def _read_branch(items: list[rlp.Item], encoding: bytes, start: int) -> BranchNode:
    """Build a branch from its 17 decoded *items*."""
    offset = start + rlp.encoded_size(items) - sum(map(rlp.encoded_size, items))
    slots = []
    for item in items[:16]:
        slots.append(_read_child(item, encoding, offset))
        offset += rlp.encoded_size(item)
    value = items[16]
    if not isinstance(value, bytes):
        raise _fault(NodeReason.VALUE_IS_LIST, encoding, offset)
    if 16 - slots.count(None) + (value != b"") < 2:
        raise _fault(NodeReason.TOO_FEW_CHILDREN, encoding, start)
    return BranchNode(slots, value)


def _read_child(item: rlp.Item, encoding: bytes, offset: int) -> Node | None:
    """Return the node that a decoded reference stands for, ``None`` if it is empty."""
    if isinstance(item, bytes):
        if not item:
            return None
        if len(item) == 32:
            return HashNode(item)
        detail = f"it is a string of {len(item)} bytes"
        raise _fault(NodeReason.BAD_REFERENCE, encoding, offset, detail=detail)
    size = rlp.encoded_size(item)
    if size >= 32:
        detail = f"it is a list of {size} bytes"
        raise _fault(NodeReason.BAD_REFERENCE, encoding, offset, detail=detail)
    return _read_node(item, encoding, offset)


def _fault(
    reason: NodeReason, encoding: bytes, offset: int, *, detail: str = ""
) -> NodeError:
    """Return the error for the item at *offset* of *encoding*."""
    return NodeError(
        reason, offset=offset, data=encoding[offset : offset + 32], detail=detail
    )
