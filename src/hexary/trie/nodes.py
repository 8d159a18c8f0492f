"""
The three kinds of trie node, their encodings, and how a parent refers to them.

A node is an immutable value (Yellow Paper, appendix D)::

    LeafNode       [hex-prefix(path, leaf), value]
    ExtensionNode  [hex-prefix(path), child]            path of 1 or more nibbles
    BranchNode     [child 0, …, child 15, value]        two or more of them present

A parent holds each child as a `NodeRef`: **empty**; the child's own encoding,
**embedded**, where that is under 32 bytes; else the **hash** of the encoding.  So a
reference of 32 bytes is always a hash.  The rule stands in `_is_embedded` alone.

`HashNode` stands for a subtree of which only the hash is known.

The encoding of a node and the item by which its parent holds it are computed once and
kept; nothing else of a node ever changes, and setting an attribute is refused.  The
constructors trust their caller; bytes from elsewhere come in by `decode_node`, which
accepts exactly the canonical form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hexary import hash as hashing
from hexary import rlp
from hexary.errors import DecodeError, NodeError, NodeReason
from hexary.trie.nibbles import Nibbles, hp_decode, hp_encode
from hexary.trie.node_items import node_items
from hexary.twin import adopt
from hexary.typed import Hash
from hexary.typed.buffer import exact_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Self

__all__ = [
    "EMPTY_ITEM",
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


def _is_embedded(size: int) -> bool:
    """Whether a parent holds a node whose encoding has *size* bytes as it is."""
    return size < Hash.byte_length


def _hash_item(digest: bytes) -> bytes:
    """Return the RLP item of a hash: a header and the 32 bytes."""
    return b"\xa0" + digest


def _reference(item: bytes) -> NodeRef:
    """Return the reference that a parent holds as *item*."""
    return item if _is_embedded(len(item)) else item[1:]


def reference_items(encodings: Sequence[bytes]) -> list[bytes]:
    """
    Return the RLP items by which parents hold the nodes with these *encodings*.

    All that need hashing are hashed in one batch.

    Example:
        >>> reference_items([bytes.fromhex("c22076")])[0].hex()
        'c22076'
        >>> reference_items([bytes(32)])[0].hex()[:12]
        'a0290decd954'
    """
    embedded = [_is_embedded(len(encoding)) for encoding in encodings]
    long = [
        encoding
        for encoding, as_it_is in zip(encodings, embedded, strict=True)
        if not as_it_is
    ]
    digests = iter(hashing.keccak256_many(long))
    return [
        encoding if as_it_is else _hash_item(next(digests))
        for encoding, as_it_is in zip(encodings, embedded, strict=True)
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

    @property
    def encoding(self) -> bytes:
        """The node's RLP, computed once."""
        encoding = self._encoding
        if encoding is None:
            encoding = self._encode()
            _set_encoding(self, encoding)
        return encoding

    @property
    def reference(self) -> NodeRef:
        """How a parent holds this node: its hash, or its encoding if under 32 bytes."""
        return _reference(_known_item(self))

    @property
    def hash(self) -> Hash:
        """Keccak-256 of the encoding, also where the node would be embedded."""
        reference = self.reference
        if _is_embedded(len(reference)):
            return Hash(hashing.keccak256(reference))
        return Hash(reference)

    @property
    def is_embedded(self) -> bool:
        """Whether a parent holds this node's encoding, not its hash."""
        return _is_embedded(len(_known_item(self)))

    def children(self) -> Iterator[Node]:
        """Yield the nodes directly below."""
        return iter(())

    def _encode(self) -> bytes:
        raise AttributeError(f"a {type(self).__name__} has no encoding")

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse: what is kept would no longer be true."""
        raise AttributeError(
            f"a {type(self).__name__} is immutable; cannot set {name!r}"
        )

    def __delattr__(self, name: str) -> None:
        """Refuse, as setting."""
        raise AttributeError(
            f"a {type(self).__name__} is immutable; cannot delete {name!r}"
        )

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by the encoding: what is below by its hash."""
        return decode_node, (self.encoding,)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Node):
            return NotImplemented
        return _known_item(self) == _known_item(other)

    def __hash__(self) -> int:
        return hash(_known_item(self))


# A slot's own setter passes by the refusal above: for constructors and what is kept.
_set_item = vars(Node)["item"].__set__
_set_encoding = vars(Node)["_encoding"].__set__


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
        # Tries that share a node, as copies do, meet it more than once.
        fresh = {id(each): each for each in level if each.item is None}.values()
        items = reference_items([each.encoding for each in fresh])
        for each, item in zip(fresh, items, strict=True):
            _set_item(each, item)


class HashNode(Node):
    """
    A subtree of which only the hash is known.

    Args:
        digest: keccak-256 of the encoding of the subtree's top node, 32 bytes.
    """

    __slots__ = ()

    def __init__(self, digest: bytes) -> None:
        _set_item(self, _hash_item(digest))
        _set_encoding(self, None)

    def __reduce__(self) -> tuple[Any, ...]:
        return HashNode, (self.reference,)

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
        _set_leaf_path(self, path)
        _set_leaf_value(self, value)
        _set_item(self, None)
        _set_encoding(self, None)

    def _encode(self) -> bytes:
        return rlp.encode_list(
            rlp.encode_bytes(hp_encode(self.path, leaf=True))
            + rlp.encode_bytes(self.value)
        )

    def __repr__(self) -> str:
        return f"LeafNode({str(Nibbles(self.path)) or '-'}, {bytes.hex(self.value)})"


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
        _set_extension_path(self, path)
        _set_extension_child(self, child)
        _set_item(self, None)
        _set_encoding(self, None)

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
        _set_branch_slots(self, slots)
        _set_branch_value(self, value)
        _set_item(self, None)
        _set_encoding(self, None)

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


_set_leaf_path = vars(LeafNode)["path"].__set__
_set_leaf_value = vars(LeafNode)["value"].__set__
_set_extension_path = vars(ExtensionNode)["path"].__set__
_set_extension_child = vars(ExtensionNode)["child"].__set__
_set_branch_slots = vars(BranchNode)["slots"].__set__
_set_branch_value = vars(BranchNode)["value"].__set__


def decode_node(encoding: bytes, *, digest: bytes | None = None) -> Node:
    """
    Read a node, accepting exactly the canonical form.

    Embedded children come back as nodes, hashed ones as `HashNode`.

    Args:
        encoding: the node's RLP.
        digest: its keccak-256 where the caller has verified it, so that it is not
            computed again.

    Raises:
        NodeError: with the reason, and the offset of the offending item.

    Example:
        >>> decode_node(bytes.fromhex("c22076"))
        LeafNode(-, 76)
        >>> try:
        ...     decode_node(bytes.fromhex("c22f76"))
        ... except NodeError as error:
        ...     error.reason.name, error.offset, error.detail
        ('BAD_PATH', 1, 'the padding nibble is not 0')
    """
    encoding = exact_bytes(encoding, "encoding")
    try:
        items = node_items(encoding)
    except DecodeError as error:
        raise NodeError(
            NodeReason.NOT_RLP,
            offset=error.offset,
            data=error.data,
            detail=error.reason.value,
        ) from error
    node = _read_node(items, encoding, 0)
    _set_encoding(node, encoding)
    if digest is not None and not _is_embedded(len(encoding)):
        _set_item(node, _hash_item(digest))
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
    return BranchNode(tuple(slots), value)


def _read_child(item: rlp.Item, encoding: bytes, offset: int) -> Node | None:
    """Return the node that a decoded reference stands for, ``None`` if it is empty."""
    if isinstance(item, bytes):
        if not item:
            return None
        if len(item) == Hash.byte_length:
            return HashNode(item)
        detail = f"it is a string of {len(item)} bytes"
        raise _fault(NodeReason.BAD_REFERENCE, encoding, offset, detail=detail)
    size = rlp.encoded_size(item)
    if not _is_embedded(size):
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


adopt(decode_node=decode_node, hash_node=HashNode)
