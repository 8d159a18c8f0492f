"""
Root hashes of whole collections, without building a trie that lasts.

Sorted, neighbouring keys tell the shape of the trie: two keys part at a branch as deep
as the prefix that they share, so a leaf hangs from the branch at the longer of the
prefixes shared with its two neighbours (Yellow Paper, appendix D, read from the leaves
up).  One pass over the keys finds all branches; then they are encoded and hashed level
by level, the deepest first, each level in one batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

from hexary import hash as hashing
from hexary import rlp
from hexary.errors import InputTypeError, RangeError, SizeError
from hexary.integer import exact_int
from hexary.packed import split_packed
from hexary.trie.input import pairs_of
from hexary.trie.nibbles import common_prefix_length, hp_encode_digits
from hexary.trie.nodes import EMPTY_ITEM, EMPTY_ROOT, reference_items
from hexary.twin import adopt, twin
from hexary.typed import Hash
from hexary.typed.buffer import exact_bytes
from hexary.typed.iteration import iterate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hexary.packed import Offsets
    from hexary.trie.input import Pairs

__all__ = [
    "ordered_trie_root",
    "packed_trie_root",
    "secure_trie_root",
    "subtree_encoding",
    "subtree_item",
    "trie_root",
    "values_in_order",
]

_NIBBLE = {digit: value for value, digit in enumerate("0123456789abcdef")}

_BATCH = 4096
"""Leaves encoded before they are hashed together; bounds what is held at once."""

_VALUE = 16
"""A branch's item that holds the value of the key that ends there."""


@twin
def trie_root(pairs: Pairs, *, threads: int = 1) -> Hash:
    """
    Return the root hash of the trie that holds *pairs*.

    Args:
        pairs: a mapping, or an iterable of key and value, in any order.  Of equal keys
            the last counts; a key with an empty value is absent.
        threads: how many threads may work at it; only the accelerator uses more than
            one, and only where there are thousands of pairs.

    Raises:
        InputTypeError: if a key or a value is not bytes, bytearray or memoryview, or
            *threads* is not an int.
        RangeError: if *threads* is below 1.

    Example:
        >>> trie_root([(b"do", b"verb"), (b"dog", b"puppy")])
        Hash('0x779db3986dd4f38416bfde49750ef7b13c6ecb3e2221620bcad9267e94604d36')
        >>> trie_root({}) == EMPTY_ROOT
        True
    """
    _check_threads(threads)
    return _root(_table(pairs))


@twin
def secure_trie_root(pairs: Pairs, *, threads: int = 1) -> Hash:
    """
    Return the root hash of the trie that holds *pairs* at the keccak-256 of each key.

    State and storage tries are of this kind.

    Args:
        pairs: as in `trie_root`.
        threads: as in `trie_root`.

    Raises:
        InputTypeError: as in `trie_root`.
        RangeError: as in `trie_root`.

    Example:
        >>> hashed = hashing.keccak256(b"do")
        >>> secure_trie_root({b"do": b"verb"}) == trie_root({hashed: b"verb"})
        True
    """
    _check_threads(threads)
    table = _table(pairs)
    hashed = hashing.keccak256_many(table)
    return _root(dict(zip(hashed, table.values(), strict=True)))


@twin
def ordered_trie_root(values: Iterable[bytes], *, threads: int = 1) -> Hash:
    r"""
    Return the root hash of the trie that holds each value at the RLP of its index.

    The roots of a block's transactions, receipts and withdrawals are of this kind
    (Yellow Paper, section 4.3); keys are not hashed.

    Args:
        values: the encoded items, in order.  An empty one leaves its index absent.
        threads: as in `trie_root`.

    Raises:
        InputTypeError: if a value is not bytes, bytearray or memoryview, or *threads*
            is not an int.
        RangeError: if *threads* is below 1.

    Example:
        >>> ordered_trie_root([b"\x01", b"\x02", b"\x03"])
        Hash('0x7212ba90919b517ec43266a4223e445fdb0c0bd5cb45187e7698f771cee150ba')
    """
    _check_threads(threads)
    return _root(
        {
            rlp.encode(index): exact_bytes(value, f"values[{index}]")
            for index, value in enumerate(values_in_order(values))
        }
    )


@twin
def packed_trie_root(
    keys: bytes | bytearray | memoryview,
    values: bytes | bytearray | memoryview,
    *,
    key_offsets: Offsets,
    value_offsets: Offsets,
    threads: int = 1,
) -> Hash:
    r"""
    Return the root hash of a trie whose keys and values stand in two buffers.

    Columns of data come in this form; the accelerator reads them where they are,
    without an object for each key and value.

    Args:
        keys: all keys, one after the other.
        values: all values, likewise.
        key_offsets: the size of each key; or, where sizes differ, a memoryview of
            unsigned 64-bit numbers: where each key begins, and where the last one ends.
        value_offsets: likewise for the values.
        threads: as in `trie_root`.

    Raises:
        InputTypeError: if an argument has another type.
        RangeError: if an offset is outside its buffer or before the one in front of it,
            or a size or *threads* is below 1.
        SizeError: if a buffer is no multiple of the given size, or there are not as
            many values as keys.

    Example:
        >>> from array import array
        >>> ends = memoryview(array("Q", [0, 4, 9]))
        >>> keys, values = b"dog1dog2", b"verbpuppy"
        >>> packed_trie_root(keys, values, key_offsets=4, value_offsets=ends)
        Hash('0xd4690ecc52739ccf42e9e6e7e8d2303337298f6a66573ab5ba1437354d007f45')
    """
    _check_threads(threads)
    keys, values = exact_bytes(keys, "keys"), exact_bytes(values, "values")
    all_keys = split_packed(keys, key_offsets, "keys", "key_offsets")
    all_values = split_packed(values, value_offsets, "values", "value_offsets")
    if len(all_keys) != len(all_values):
        raise SizeError("values", len(all_keys), len(all_values), values)
    return _root(dict(zip(all_keys, all_values, strict=True)))


def _check_threads(threads: int) -> None:
    """Refuse what is not a number of threads."""
    number = exact_int(threads, "threads")
    if number < 1:
        raise RangeError("threads", number, 1, None)


def values_in_order(values: Any) -> Iterator[Any]:
    """
    Return an iterator over *values*, which have to have an order.

    Raises:
        InputTypeError: if they are none, or a mapping or a set.

    Example:
        >>> list(values_in_order((b"a", b"b")))
        [b'a', b'b']
    """
    accepted = "byte strings in order"
    if isinstance(values, (Mapping, AbstractSet)):
        raise InputTypeError("values", accepted, values)
    return iterate(values, "values", accepted)


def _table(pairs: Pairs) -> dict[bytes, bytes]:
    """Return *pairs* by key, the last of equal keys, as plain bytes."""
    return {
        exact_bytes(key, "key"): exact_bytes(value, "value")
        for key, value in pairs_of(pairs)
    }


@twin
def subtree_item(pairs: list[tuple[bytes, bytes]], depth: int) -> bytes:
    """
    Return the RLP item by which a branch holds the subtree of some pairs.

    Args:
        pairs: one or more keys and values of one byte or more; sorted, all different.
        depth: how many leading nibbles, which all keys share, lead to the subtree.

    Example:
        >>> subtree_item([(b"do", b"verb")], 3).hex()
        'c63f8476657262'
    """
    entries = [(bytes.hex(key)[depth:], value) for key, value in pairs]
    return reference_items([subtree_encoding(entries)])[0]


class _Fork:
    """
    A branch being filled.

    Attributes:
        depth: nibbles from the root to it.
        items: its RLP items: sixteen children and the value.
        parent: the branch above, ``None`` for the topmost.
        digits: the way down from the parent: the nibble in it, then the path of the
            extension between the two, if any.
    """

    __slots__ = ("depth", "digits", "items", "parent")

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.items = [EMPTY_ITEM] * 17
        self.parent: _Fork | None = None
        self.digits = ""


def _root(table: Mapping[bytes, bytes]) -> Hash:
    """Return the root hash for the entries of *table* whose value is not empty."""
    # Not key.hex(): the typed subclasses of bytes spell theirs with 0x.
    entries = sorted((bytes.hex(key), value) for key, value in table.items() if value)
    if not entries:
        return EMPTY_ROOT
    return Hash(hashing.keccak256(subtree_encoding(entries)))


def subtree_encoding(entries: Sequence[tuple[str, bytes]]) -> bytes:
    """
    Return the encoding of the top node over some entries.

    Args:
        entries: one or more paths, as hex digits from that node on, and values of one
            byte or more; sorted, all different.

    Example:
        >>> subtree_encoding([("6", b"v")]).hex()
        'c23676'
    """
    if len(entries) == 1:
        return _leaf(*entries[0])
    forks = _grow(entries)
    by_depth: dict[int, list[_Fork]] = {}
    for fork in forks:
        by_depth.setdefault(fork.depth, []).append(fork)
    top = forks[-1]
    for depth in sorted(by_depth, reverse=True)[:-1]:
        _settle(by_depth[depth])
    encoding = rlp.encode_list(b"".join(top.items))
    if top.depth:
        encoding = _extension(top.digits, reference_items([encoding])[0])
    return encoding


def _grow(entries: Sequence[tuple[str, bytes]]) -> list[_Fork]:
    """
    Return the branches of the trie with these *entries*, leaves already in their place.

    Args:
        entries: two or more keys, as hex digits, and values, sorted, all different.

    Returns:
        The branches, each after those below it; the topmost is last.
    """
    done: list[_Fork] = []
    opened: list[_Fork] = []
    leaves: list[bytes] = []
    places: list[tuple[_Fork, int]] = []
    before = -1
    for index, (digits, value) in enumerate(entries):
        after = -1
        if index + 1 < len(entries):
            after = common_prefix_length(digits, entries[index + 1][0])
        if after > before:
            opened.append(_Fork(after))
        fork = opened[-1]
        if len(digits) == fork.depth:
            fork.items[_VALUE] = rlp.encode_bytes(value)
        else:
            leaves.append(_leaf(digits[fork.depth + 1 :], value))
            places.append((fork, _NIBBLE[digits[fork.depth]]))
            if len(leaves) == _BATCH:
                _place(leaves, places)
        while opened and opened[-1].depth > after:
            closed = opened.pop()
            done.append(closed)
            if after >= 0 and (not opened or opened[-1].depth < after):
                opened.append(_Fork(after))
            closed.parent = opened[-1] if opened else None
            closed.digits = digits[
                closed.parent.depth if closed.parent else 0 : closed.depth
            ]
        before = after
    _place(leaves, places)
    return done


def _place(nodes: list[bytes], places: list[tuple[_Fork, int]]) -> None:
    """Hash encoded *nodes* in a batch, put each in its place, clear both lists."""
    for (fork, nibble), item in zip(places, reference_items(nodes), strict=True):
        fork.items[nibble] = item
    nodes.clear()
    places.clear()


def _settle(forks: list[_Fork]) -> None:
    """Encode branches of one depth, whose items are all there, into their parents."""
    items = reference_items([rlp.encode_list(b"".join(fork.items)) for fork in forks])
    extensions: list[bytes] = []
    places: list[tuple[_Fork, int]] = []
    for fork, item in zip(forks, items, strict=True):
        # Only the topmost has no parent, and that one is not settled into another.
        parent: _Fork = fork.parent  # type: ignore[assignment]  # as said above
        nibble = _NIBBLE[fork.digits[0]]
        if len(fork.digits) == 1:
            parent.items[nibble] = item
        else:
            extensions.append(_extension(fork.digits[1:], item))
            places.append((parent, nibble))
    _place(extensions, places)


def _leaf(digits: str, value: bytes) -> bytes:
    """Return the encoding of a leaf; *digits* is its path."""
    return rlp.encode_list(
        rlp.encode_bytes(hp_encode_digits(digits, leaf=True)) + rlp.encode_bytes(value)
    )


def _extension(digits: str, item: bytes) -> bytes:
    """Return the encoding of an extension; *digits* is its path, *item* its child."""
    return rlp.encode_list(
        rlp.encode_bytes(hp_encode_digits(digits, leaf=False)) + item
    )


adopt(
    plain_bytes=exact_bytes,
    pairs_of=pairs_of,
    values_of=values_in_order,
    hash_type=Hash,
)
