"""How the trie reads the keys, values and pairs that callers pass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hexary.errors import InputTypeError

__all__ = ["Pairs", "pairs_of", "plain_bytes"]

Pairs = Mapping[bytes, bytes] | Iterable[tuple[bytes, bytes]]
"""Keys and values: a mapping, or an iterable of pairs."""


def plain_bytes(value: object, argument: str) -> bytes:
    """
    Return *value* as bytes; bytes and its subclasses pass as they are.

    Args:
        value: bytes, bytearray, or a memoryview of any format and shape.
        argument: name of the argument, for the message.

    Raises:
        InputTypeError: for every other type.

    Example:
        >>> plain_bytes(bytearray(b"dog"), "key")
        b'dog'
    """
    if isinstance(value, bytes):
        return value
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value) if isinstance(value, bytearray) else value.tobytes()
    raise InputTypeError(argument, "bytes, bytearray or memoryview", value)


def pairs_of(pairs: object) -> Iterable[tuple[bytes, bytes]]:
    """
    Return the keys and values of a mapping, or of an iterable of pairs.

    Raises:
        InputTypeError: if *pairs* is neither, or (when iterated) one of its elements is
            not a pair.

    Example:
        >>> list(pairs_of({b"do": b"verb"})) == list(pairs_of([(b"do", b"verb")]))
        True
    """
    if isinstance(pairs, Mapping):
        return pairs.items()
    # These are iterable too, and an empty one would pass for no pairs.
    text_or_bytes = isinstance(pairs, (bytes, bytearray, memoryview, str))
    if isinstance(pairs, Iterable) and not text_or_bytes:
        return _checked(pairs)
    raise InputTypeError("pairs", "a mapping or an iterable of pairs", pairs)


def _checked(pairs: Iterable[object]) -> Iterable[tuple[bytes, bytes]]:
    """Yield the elements of *pairs*, each of which has to be a pair."""
    for index, pair in enumerate(pairs):
        # A two-letter text or a dict of two would unpack as well, into nonsense.
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise InputTypeError(f"pairs[{index}]", "a pair of key and value", pair)
        yield pair[0], pair[1]
