"""How the trie reads the pairs, values and hashes that callers pass."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from hexary.errors import InputTypeError, RangeError, SizeError
from hexary.integer import exact_int
from hexary.typed.buffer import exact_bytes
from hexary.typed.iteration import iterate

__all__ = [
    "Pairs",
    "byte_strings",
    "checked_pairs",
    "exact_count",
    "exact_hash",
    "exact_pair",
    "pairs_of",
]

_MOST = sys.maxsize // 2
"""More than there can be of anything in memory, and Python counts to twice that."""

Pairs = Mapping[bytes, bytes] | Iterable[tuple[bytes, bytes]]
"""Keys and values: a mapping, or an iterable of pairs."""


def pairs_of(pairs: object, argument: str = "pairs") -> Iterable[tuple[bytes, bytes]]:
    """
    Return the keys and values of a mapping, or of an iterable of pairs.

    Args:
        pairs: the mapping or the iterable.
        argument: name of the argument, for the message.

    Raises:
        InputTypeError: if *pairs* is neither, or (when iterated) one of its elements is
            not a pair.

    Example:
        >>> list(pairs_of({b"do": b"verb"})) == list(pairs_of([(b"do", b"verb")]))
        True
    """
    if isinstance(pairs, Mapping):
        items = pairs.items()
        # Only a dict's own are sure to be pairs.
        return items if type(pairs) is dict else ((key, value) for key, value in items)
    accepted = "a mapping or an iterable of pairs"
    return checked_pairs(iterate(pairs, argument, accepted), argument=argument)


def byte_strings(
    values: Any, argument: str, accepted: str = "byte strings"
) -> Iterator[bytes]:
    """
    Return an iterator over byte strings, each as plain bytes.

    Args:
        values: an iterable of bytes, bytearrays and memoryviews.
        argument: name of the argument, for the message.
        accepted: what they are, for the message.

    Raises:
        InputTypeError: if *values* is no iterable, or a single byte string, or (when
            iterated) one of its elements is no byte string.

    Example:
        >>> list(byte_strings([b"a", bytearray(b"b")], "values"))
        [b'a', b'b']
    """
    return (
        exact_bytes(value, f"{argument}[{index}]")
        for index, value in enumerate(iterate(values, argument, accepted))
    )


def exact_hash(value: object, argument: str) -> bytes:
    """
    Return a hash as plain bytes.

    Args:
        value: bytes, a bytearray or a memoryview.
        argument: its name, for the message.

    Raises:
        InputTypeError, SizeError: if it is not 32 bytes.

    Example:
        >>> exact_hash(bytearray(32), "root") == bytes(32)
        True
    """
    digest = exact_bytes(value, argument)
    if len(digest) != 32:
        raise SizeError(argument, 32, len(digest), digest)
    return digest


def exact_count(value: object, argument: str) -> int:
    """
    Return a number of things, one or more, as a plain int.

    Raises:
        InputTypeError: if it is no int.
        RangeError: if it is below 1, or more than any memory holds.

    Example:
        >>> exact_count(0, "size")
        Traceback (most recent call last):
            ...
        hexary.errors.RangeError: size must be from 1 to ..., got 0
    """
    count = exact_int(value, argument)
    if not 1 <= count <= _MOST:
        raise RangeError(argument, count, 1, _MOST)
    return count


def checked_pairs(
    pairs: Iterable[object], *, start: int = 0, argument: str = "pairs"
) -> Iterator[tuple[bytes, bytes]]:
    """
    Yield the elements of *pairs*, each of which has to be a pair.

    Args:
        pairs: the elements.
        start: the number of the first one, for the message.
        argument: name of the argument, for the message.

    Raises:
        InputTypeError: if one is no tuple or list of two.

    Example:
        >>> list(checked_pairs([[b"do", b"verb"]]))
        [(b'do', b'verb')]
    """
    for index, pair in enumerate(pairs, start):
        if type(pair) is tuple and len(pair) == 2:
            yield pair
        else:
            yield exact_pair(pair, f"{argument}[{index}]")


def exact_pair(pair: object, argument: str) -> tuple[Any, Any]:
    """
    Return what a pair holds, whatever the methods of its class make of it.

    Args:
        pair: a tuple or a list.
        argument: its name, for the message.

    Raises:
        InputTypeError: if it is neither, or does not hold two.

    Example:
        >>> exact_pair([b"do", b"verb"], "pairs[0]")
        (b'do', b'verb')
    """
    # A two-letter text or a dict of two would unpack as well, into nonsense.
    held: Sequence[Any] = ()
    if isinstance(pair, tuple):
        held = tuple.__getitem__(pair, slice(None))
    elif isinstance(pair, list):
        held = list.__getitem__(pair, slice(None))
    if len(held) != 2:
        raise InputTypeError(argument, "a pair of key and value", pair)
    return held[0], held[1]
