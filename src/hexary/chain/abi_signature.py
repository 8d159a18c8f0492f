"""
Selectors of functions and topics of events, as the ABI of contracts has them.

Both are the hash of a signature's text, such as ``transfer(address,uint256)``: a
function goes by the first four bytes, an event by all of them.  The text has to be the
canonical one, since any other has another hash: types by their full names (``uint256``,
not ``uint``), tuples for structs, no blanks and no names of parameters.
"""

from __future__ import annotations

import re
from functools import lru_cache

from hexary import hash as hashing
from hexary.errors import HexError, InputTypeError
from hexary.typed import FixedSizeBytes, Hash

__all__ = [
    "event_topic",
    "selector",
]

_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*\(")
_BITS = "(?:" + "|".join(map(str, range(8, 257, 8))) + ")"
_TYPE = re.compile(
    r"(?:address|bool|string|function"
    rf"|u?int{_BITS}|u?fixed{_BITS}x(?:[1-9]|[1-7][0-9]|80)"
    r"|bytes(?:[1-9]|[12][0-9]|3[0-2])?)(?![A-Za-z0-9_$])"
)
_ARRAY = re.compile(r"(?:\[(?:[1-9][0-9]*)?\])*")
_RULE = (
    "a canonical signature is a name and, in parentheses, the types by their full "
    "names, with commas and without blanks"
)


def _check(text: str) -> None:
    """Check that *text* is a canonical signature; it is read once, left to right."""
    match = _NAME.match(text)
    if match is None:
        raise HexError(text, _RULE, position=0)
    position = match.end()
    depth = 1
    # Whether a type may stand here: if it is True, none need to.
    first: bool | None = True
    while depth:
        if text.startswith("(", position) and first is not None:
            depth += 1
            position += 1
            first = True
            continue
        if first is not None:
            match = _TYPE.match(text, position)
            if match is not None:
                array = _ARRAY.match(text, match.end())
                position = array.end() if array else match.end()
                first = None
                continue
            if not first or not text.startswith(")", position):
                raise HexError(text, _RULE, position=position)
        if text.startswith(",", position):
            position += 1
            first = False
        elif text.startswith(")", position):
            depth -= 1
            position += 1
            if depth:
                array = _ARRAY.match(text, position)
                position = array.end() if array else position
            first = None
        else:
            raise HexError(text, _RULE, position=position)
    if position != len(text):
        raise HexError(text, _RULE, position=position)


@lru_cache(maxsize=4096)
def _signature_hash(text: str) -> bytes:
    """Return the hash of a signature, which is remembered."""
    _check(text)
    return hashing.keccak256(text.encode("ascii"))


def _hash_of(text: object) -> bytes:
    """Return the hash of a signature."""
    if not isinstance(text, str):
        raise InputTypeError("signature", "text", text)
    return _signature_hash(text)


def selector(signature: str) -> FixedSizeBytes:
    """
    Return the four bytes that call data for a function begins with.

    It is computed once for each text.

    Args:
        signature: the canonical signature of the function.

    Raises:
        HexError: if it is not canonical; the position is that of the first fault.
        InputTypeError: if it is not text.

    Example:
        >>> selector("transfer(address,uint256)")
        FixedSizeBytes[4]('0xa9059cbb')
        >>> selector("transfer(address, uint256)")
        Traceback (most recent call last):
        hexary.errors.HexError: 'transfer(address, uint256)' at position 17 (' '): \
a canonical signature is a name and, in parentheses, the types by their full names, \
with commas and without blanks
    """
    return FixedSizeBytes[4](_hash_of(signature)[:4])


def event_topic(signature: str) -> Hash:
    """
    Return the first topic of the logs of an event that is not anonymous.

    It is computed once for each text.

    Args:
        signature: the canonical signature of the event, without ``indexed``.

    Raises:
        HexError: if it is not canonical; the position is that of the first fault.
        InputTypeError: if it is not text.

    Example:
        >>> event_topic("Transfer(address,address,uint256)")
        Hash('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')
    """
    return Hash(_hash_of(signature))
