"""
Range proofs: that some keys and values are all that a trie has between two keys.

The proof is that of two keys, the edges of the range, which need not be there.
`RangeComparison` holds it against the entries.
"""

from __future__ import annotations

from itertools import islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

from hexary.errors import ProofReason
from hexary.trie.input import byte_strings, exact_count, exact_hash
from hexary.trie.nibbles import pack, unpack
from hexary.trie.proof import stored_path
from hexary.trie.proof_nodes import ProofNodes
from hexary.trie.range_comparison import RangeComparison
from hexary.trie.root import trie_root

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hexary.trie.core import PureCore
    from hexary.trie.proof_nodes import NodesInput

__all__ = ["RangeProof", "RangeResult", "collect_range", "verify_range"]


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
    root = exact_hash(root, "root")
    first = stored_path(start, "start", secure=False, key_size=key_size)
    paths = [unpack(key) for key in byte_strings(keys, "keys", "byte strings in order")]
    contents = list(byte_strings(values, "values"))
    last = paths[-1] if paths else None
    if end is not None:
        last = stored_path(end, "end", secure=False, key_size=key_size)
    proof = ProofNodes(
        () if nodes is None else nodes,
        key_size=key_size,
        allow_extra=allow_extra,
        where=where,
    )
    for path in paths:
        # The keys are whose the proof is, so this is no mistake of the caller's.
        if key_size is not None and len(path) != 2 * key_size:
            raise proof.error(
                ProofReason.WRONG_PATH_LENGTH, got=pack(path), expected=2 * key_size
            )
    _check_entries(proof, first, paths, contents, last)
    if nodes is None:
        got = trie_root(dict(zip(map(pack, paths), contents, strict=True)))
        if got != root:
            raise proof.error(ProofReason.WRONG_ROOT, got=got, expected=root)
        return RangeResult(has_more=False)
    comparison = RangeComparison(proof, first, last, paths, contents)
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
        InputTypeError, RangeError: if *limit* is no number from 1 on.

    Example:
        >>> from hexary.trie.core import PureCore
        >>> collect_range(PureCore(), b"")
        RangeProof(start=b'', end=None, keys=[], values=[], nodes=[])
    """
    if limit is not None:
        limit = exact_count(limit, "limit")
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
    nodes = core.proof(edges)
    return RangeProof(start, end, keys, [value for _, value in pairs], nodes)
