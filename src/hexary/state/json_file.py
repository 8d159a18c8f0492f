"""
JSON documents from outside: read once, strictly, with the same verdict everywhere.

A genesis, alloc or fixture file is untrusted.  Beyond the grammar of RFC 8259 this
reader refuses what two programs could read differently, or what costs more than its
size:

- a key that occurs twice in one object (a duplicate account, say),
- ``NaN``, ``Infinity`` and numbers too large for a float,
- integers of more than 640 digits (the smallest limit to which Python can be set),
- arrays and objects nested deeper than 256,
- text that is not UTF-8, and halves of surrogate pairs.

Integers are exact, however large.  A byte order mark at the start is skipped.

The verdict depends neither on ``sys.setrecursionlimit`` nor on how deep the caller's own
stack is: the standard library's scanner, which recurses, does the work while it can,
and an iterative reader of the same grammar takes over where it cannot.
"""

from __future__ import annotations

import json
import os
import re
from itertools import accumulate
from json.decoder import scanstring
from typing import Any, NoReturn

from hexary.errors import FixtureError, shorten

__all__ = [
    "MAX_DEPTH",
    "MAX_DIGITS",
    "load_json",
    "parse_json",
]

MAX_DEPTH = 256
"""How deep arrays and objects may be nested."""

MAX_DIGITS = 640
"""How many digits an integer may have; ``sys.set_int_max_str_digits`` allows no less."""

_OUTER_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")
_NOT_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")
_BLANKS = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORDS = (("true", True), ("false", False), ("null", None))
_REFUSED_WORDS = ("NaN", "Infinity", "-Infinity")


def load_json(path: str | os.PathLike[str]) -> Any:
    """
    Read the JSON document in a file.

    Args:
        path: the file.

    Returns:
        Its value: dict, list, str, int, float, bool or ``None``.

    Raises:
        FixtureError: if the file cannot be read or its text is refused.

    Example:
        >>> load_json("no-such-file.json")
        Traceback (most recent call last):
            ...
        hexary.errors.FixtureError: no-such-file.json: No such file or directory
    """
    name = os.fspath(path)
    try:
        with open(name, "rb") as file:
            data = file.read()
    except OSError as error:
        raise FixtureError(error.strerror or str(error), file=_shown(name)) from None
    except ValueError as error:  # a name with a NUL character in it
        raise FixtureError(str(error), file=_shown(name)) from None
    return parse_json(data, file=name)


def parse_json(data: bytes, *, file: str = "") -> Any:
    """
    Read a JSON document.

    Args:
        data: its bytes, UTF-8.
        file: name of the file they are from, for messages.

    Returns:
        Its value: dict, list, str, int, float, bool or ``None``.

    Raises:
        FixtureError: if the text is not JSON, or is refused for what this module's
            docstring lists.

    Example:
        >>> parse_json(b'{"nonce": 1, "nonce": 2}')
        Traceback (most recent call last):
            ...
        hexary.errors.FixtureError: the key 'nonce' occurs twice in one object
    """
    file = _shown(file)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FixtureError(
            f"not UTF-8: {error.reason} at byte {error.start}", file=file
        ) from None
    text = text.removeprefix("\ufeff")
    depth = _depth(data)
    if depth > MAX_DEPTH:
        raise FixtureError(
            f"arrays and objects are nested {depth} deep, the limit is {MAX_DEPTH}",
            file=file,
        )
    try:
        try:
            value = json.loads(
                text,
                object_pairs_hook=_object,
                parse_int=_integer,
                parse_float=_decimal,
                parse_constant=_refuse_constant,
            )
        except RecursionError:
            value = _read(text)
    except json.JSONDecodeError as error:
        raise FixtureError(
            f"not JSON: {error.msg} at line {error.lineno}, column {error.colno}",
            file=file,
        ) from None
    except FixtureError as error:
        raise FixtureError(error.rule, file=file) from None
    if b"\\u" in data:
        _refuse_half_surrogates(value, file)
    return value


def _shown(name: str) -> str:
    """Return a file's name as messages can print it on any terminal."""
    return name if name.isprintable() else ascii(name)


def _depth(data: bytes) -> int:
    """
    Return how deep brackets are nested in JSON text, looking at no other rule.

    With escaped backslashes and escaped quotes gone, every second stretch between
    quotes is the inside of a string.
    """
    plain = data.replace(b"\\\\", b"").replace(b'\\"', b"")
    outside = b"".join(plain.split(b'"')[::2])
    steps = outside.translate(_OUTER_STEPS, _NOT_BRACKETS)
    return max(accumulate(memoryview(steps).cast("b")), default=0)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of these members, refusing a key that occurs twice."""
    members = dict(pairs)
    if len(members) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise FixtureError(f"the key {shorten(key)} occurs twice in one object")
            seen.add(key)
    return members


def _integer(text: str) -> int:
    """Return an integer, exact, refusing what Python may refuse to convert."""
    digits = len(text) - text.startswith("-")
    if digits > MAX_DIGITS:
        raise FixtureError(
            f"an integer of {digits} digits is over the limit of {MAX_DIGITS}"
        )
    return int(text)


def _decimal(text: str) -> float:
    """Return a float, refusing what only infinity could stand for."""
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise FixtureError(f"the number {shorten(text)} is too large")
    return number


def _refuse_constant(word: str) -> NoReturn:
    """Refuse the three words that Python's reader takes and JSON does not have."""
    raise FixtureError(f"{word} is not a JSON value")


def _refuse_half_surrogates(document: object, file: str) -> None:
    """Refuse strings that cannot be written as UTF-8 (half a surrogate pair)."""
    waiting = [document]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(value)
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, str):
            try:
                value.encode()
            except UnicodeEncodeError:
                raise FixtureError(
                    f"the text {ascii(value[:32])} holds half of a surrogate pair",
                    file=file,
                ) from None


def _read(text: str) -> Any:
    """
    Return the value of a JSON document, iteratively.

    It takes and refuses what ``json.loads`` with this module's hooks does, and says so
    in the same words.  Open arrays and objects stand on a list of their own.
    """
    position = _skip(text, 0)
    open_containers: list[tuple[list[Any] | list[tuple[str, Any]], str | None]] = []
    members: list[Any] = []
    in_object = False
    key: str | None = None
    while True:
        # One value starts at `position`.
        opener = text[position : position + 1]
        if opener and opener in "[{":
            open_containers.append((members, key if in_object else None))
            members, in_object = [], opener == "{"
            position = _skip(text, position + 1)
            if text[position : position + 1] != ("}" if in_object else "]"):
                if in_object:
                    key, position = _key(text, position)
                continue
            value, position = ({} if in_object else []), position + 1
            members, key = open_containers.pop()
            in_object = key is not None
        else:
            value, position = _scalar(text, position)
        # One value is complete: put it where it belongs, and close what ends here.
        while True:
            if not open_containers:
                position = _skip(text, position)
                if position != len(text):
                    raise json.JSONDecodeError("Extra data", text, position)
                return value
            members.append((key, value) if in_object else value)
            position = _skip(text, position)
            follower = text[position : position + 1]
            if follower == ",":
                position = _skip(text, position + 1)
                if in_object:
                    key, position = _key(text, position)
                break
            if follower != ("}" if in_object else "]"):
                raise json.JSONDecodeError("Expecting ',' delimiter", text, position)
            position += 1
            value = _object(members) if in_object else members
            members, key = open_containers.pop()
            in_object = key is not None


def _skip(text: str, position: int) -> int:
    """Return the position of the next character that is not blank."""
    blanks = _BLANKS.match(text, position)
    return blanks.end() if blanks else position


def _key(text: str, position: int) -> tuple[str, int]:
    """Return an object's next key and the position of the value behind its colon."""
    if text[position : position + 1] != '"':
        raise json.JSONDecodeError(
            "Expecting property name enclosed in double quotes", text, position
        )
    key, position = scanstring(text, position + 1, True)
    position = _skip(text, position)
    if text[position : position + 1] != ":":
        raise json.JSONDecodeError("Expecting ':' delimiter", text, position)
    return key, _skip(text, position + 1)


def _scalar(text: str, position: int) -> tuple[Any, int]:
    """Return the string, number or word at *position* and the position behind it."""
    if text[position : position + 1] == '"':
        return scanstring(text, position + 1, True)
    for word in _REFUSED_WORDS:
        if text.startswith(word, position):
            _refuse_constant(word)
    for word, value in _WORDS:
        if text.startswith(word, position):
            return value, position + len(word)
    number = _NUMBER.match(text, position)
    if number is None:
        raise json.JSONDecodeError("Expecting value", text, position)
    if number[2] or number[3]:
        return _decimal(number[0]), number.end()
    return _integer(number[0]), number.end()
