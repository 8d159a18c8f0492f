"""
JSON documents from outside: read once, strictly, with the same verdict everywhere.

A genesis, alloc or fixture file is untrusted.  Beyond the grammar of RFC 8259 this
reader refuses what two programs could read differently, or what costs more than its
size:

- a key that occurs twice in one object (a duplicate account, say),
- ``NaN``, ``Infinity`` and numbers too large for a float,
- integers of more than 640 digits (the smallest limit to which Python can be set),
- arrays and objects nested deeper than 256,
- text that is not UTF-8, and halves of surrogate pairs,
- files of more than 1 GiB, which need many times that in memory.

Integers are exact, however large.  A byte order mark at the start is skipped.

Two readers share the work.  `msgspec` reads what is plain, fast; where it refuses, or
would let something pass that is listed above, an iterative reader of the same grammar
takes over: it decides, and knows the line.  So the verdict depends neither on
``sys.setrecursionlimit`` nor on how deep the caller's own stack is, and no value
depends on which of the two has read it.
"""

from __future__ import annotations

import json
import os
import re
from itertools import accumulate
from typing import Any, BinaryIO, NoReturn

from hexary.errors import FixtureError, InputTypeError, shorten

__all__ = [
    "MAX_BYTES",
    "MAX_DEPTH",
    "MAX_DIGITS",
    "load_json",
    "parse_json",
    "path_name",
    "refuse_head",
]

MAX_DEPTH = 256
"""How deep arrays and objects may be nested."""

MAX_DIGITS = 640
"""How many digits an integer may have; Python's own limit can be set to no less."""

MAX_BYTES = 1 << 30
"""How many bytes a file may have: 1 GiB."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_CHUNK = 1 << 20
"""Bytes that are read at a time."""

_LONG_NUMBER = re.compile(
    rb"(?<![0-9.eE+])(?<![eE]-)[0-9]{%d}" % (MAX_DIGITS + 1)  # no digits of a fraction
)
_NUMBERS = bytes(
    ord("0") if byte in b"0123456789" else ord("-" if byte in b"-[:, \t\n\r" else '"')
    for byte in range(256)
)
"""Digits as ``0``, what is before a number or its sign as ``-``, the rest as ``"``."""

_TOO_LONG = b"-" + b"0" * (MAX_DIGITS + 1)
_APART = 16
_DIGITS_APART = b"0" * ((MAX_DIGITS + 1) // _APART)
"""What every 16th byte is, at least, in digits as many as that."""

_NO_DIGIT = re.compile(rb"[^0]")

_TO_SQUARE = bytes.maketrans(b"{}", b"[]")
_NOT_MARKS = bytes(byte for byte in range(256) if byte not in b'[]{}"')
_STEPS = bytes.maketrans(b"[]", b"\x01\xff")
_USUAL_DEPTH = 16
_FEW_ESCAPES = 4096
_BLANKS = re.compile(r"[ \t\n\r]*")


def path_name(path: object) -> str:
    """
    Return a path as text; one of bytes as `os.fsdecode` has it.

    Raises:
        InputTypeError: if it is no path.

    Example:
        >>> path_name(b"genesis.json")
        'genesis.json'
    """
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise InputTypeError("path", "text, bytes or a path", path)
    return os.fsdecode(path)


def load_json(path: str | bytes | os.PathLike[str]) -> Any:
    """
    Read the JSON document in a file.

    Args:
        path: the file.

    Returns:
        Its value: dict, list, str, int, float, bool or ``None``.

    Raises:
        FixtureError: if the file cannot be read or its text is refused.
        InputTypeError: if *path* is no path.

    Example:
        >>> load_json("no-such-file.json")
        Traceback (most recent call last):
            ...
        hexary.errors.FixtureError: no-such-file.json: No such file or directory
    """
    name = path_name(path)
    try:
        with open(name, "rb") as file:
            head = file.read(_CHUNK)
            refused = refuse_head(head) if len(head) == _CHUNK else ""
            size = os.fstat(file.fileno()).st_size
            data = head if refused else _read_whole(file, size, head)
    except OSError as error:
        raise FixtureError(error.strerror or str(error), file=_shown(name)) from None
    except ValueError as error:  # a name with a NUL character in it
        raise FixtureError(str(error), file=_shown(name)) from None
    if refused:
        raise FixtureError(refused, file=_shown(name))
    if data is None:
        rule = f"a JSON file is read whole, so it has at most {MAX_BYTES >> 30} GiB"
        raise FixtureError(rule, file=_shown(name))
    return parse_json(data, file=name)


def refuse_head(head: bytes) -> str:
    """
    Return why JSON that starts like this is refused whatever follows, ``""`` if not.

    What is nothing but brackets or digits need not be held as a whole to be refused.

    Example:
        >>> refuse_head(b"[" * 1000)
        'arrays and objects are nested over 256 deep'
        >>> refuse_head(b'{"a": ')
        ''
    """
    if _depth(head) > MAX_DEPTH:
        return f"arrays and objects are nested over {MAX_DEPTH} deep"
    # What costs more is asked last: taking the strings out costs most.
    if (
        _has_long_number(head)
        and _LONG_NUMBER.search(head)
        and _LONG_NUMBER.search(_outside_strings(head))
    ):
        return f"a number of over {MAX_DIGITS} digits"
    return ""


def _read_whole(file: BinaryIO, size: int, head: bytes) -> bytes | None:
    """
    Return what an open file holds, ``None`` if that is more than `MAX_BYTES`.

    Args:
        file: the file.
        size: its size, which is 0 for a device, and which may grow.
        head: what was read of it before.
    """
    if size > MAX_BYTES:
        return None
    # What the file says that it holds is read in one go: parts take twice the memory.
    rest = file.read(max(size - len(head), 0))
    chunks = [head, rest] if rest else [head]
    done = len(head) + len(rest)
    del rest
    while chunk := file.read(_CHUNK):  # It has grown, or never told its size.
        chunks.append(chunk)
        done += len(chunk)
        if done > MAX_BYTES:
            return None
    return b"".join(chunks)


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
        InputTypeError: if *data* is not bytes.

    Example:
        >>> parse_json(b'{"nonce": 1, "nonce": 2}')
        Traceback (most recent call last):
            ...
        hexary.errors.FixtureError: the key 'nonce' occurs twice ... line 1, column 14
    """
    if not isinstance(data, (bytes, bytearray)):
        raise InputTypeError("data", "bytes", data)
    if isinstance(data, bytearray):
        data = bytes(data)
    file = _shown(file)
    marks = _marks(data)
    depth = _nesting(marks)
    if depth <= MAX_DEPTH:
        # A quote that is escaped is no mark, and is one all the same.
        quotes = (data if b"\\" in data else marks).count(b'"')
        if found := _read_plain(data, quotes=quotes):
            return found[0]
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FixtureError(
            f"not UTF-8: {error.reason} at byte {error.start}", file=file
        ) from None
    if depth > MAX_DEPTH:
        raise FixtureError(
            f"arrays and objects are nested {depth} deep, the limit is {MAX_DEPTH}",
            file=file,
        )
    value = _read(text.removeprefix("\ufeff"), file)
    if b"\\u" in data:
        _refuse_half_surrogates(value, file)
    return value


def _read_plain(data: bytes, *, quotes: int | None = None) -> tuple[Any] | None:
    """
    Return the value of a JSON document, or ``None`` if the careful reader has to look.

    What msgspec accepts has the value that the careful reader would return, but for two
    things: it reads integers of up to 4,300 digits, and it keeps the last of two
    members with the same key.  The other's key is then missing, with its quotes, from
    what it writes, which has as many quotes otherwise: it escapes those in strings as
    documents do, unless they have their number there.

    Args:
        data: the document.
        quotes: how many quotes it has, ``None`` where they were not counted.
    """
    import msgspec

    data = data.removeprefix(_BYTE_ORDER_MARK)
    if _has_long_number(data):
        return None
    try:
        value = msgspec.json.decode(data)
        written = msgspec.json.encode(value)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
    # What is one character is found far faster, where it is rare, than what is two.
    if b"\\" in written and b'\\"' in written and b"\\u0022" in data:
        return None
    if quotes is None:
        quotes = data.count(b'"')
    return (value,) if written.count(b'"') == quotes else None


def _has_long_number(data: bytes) -> bool:
    """
    Return whether there may be an integer of over `MAX_DIGITS` digits in a text.

    Only where the bytes that are looked at are digits throughout, as zeros in hex are,
    is it looked closer.
    """
    apart = data[::_APART].translate(_NUMBERS)
    start = apart.find(_DIGITS_APART)
    if start >= 0 and data[:1].isdigit():
        return True  # It is the whole document, which is rare.
    while start >= 0:
        other = _NO_DIGIT.search(apart, start)
        end = other.start() if other else len(apart)
        digits = data[max(start - 1, 0) * _APART : end * _APART]
        if _TOO_LONG in digits.translate(_NUMBERS):
            return True
        start = apart.find(_DIGITS_APART, end)
    return False


def _shown(name: str) -> str:
    """Return a file's name as messages can print it on any terminal."""
    return name if name.isprintable() else ascii(name)


def _marks(data: bytes) -> bytes:
    """Return the brackets, all as square ones, and the quotes of JSON text."""
    if b"\\" in data:
        data = _without_escapes(data)
    return data.translate(_TO_SQUARE, _NOT_MARKS)


def _depth(data: bytes) -> int:
    """Return how deep brackets are nested in JSON text, looking at no other rule."""
    return _nesting(_marks(data))


def _nesting(marks: bytes) -> int:
    """Return how deep brackets are nested, given the `_marks` of a text."""
    brackets = marks.replace(b'""', b"")
    if b'"' in brackets:  # there are brackets in strings
        brackets = b"".join(marks.split(b'"')[::2])
    # Where all are paired and few are nested, peel the innermost off, again and again.
    left = brackets
    for depth in range(_USUAL_DEPTH):
        if not left:
            return depth
        left = left.replace(b"[]", b"")
    steps = memoryview(brackets.translate(_STEPS)).cast("b")
    return max(accumulate(steps), default=0)


def _outside_strings(data: bytes) -> bytes:
    """Return JSON text with a quote for each string."""
    return b'"'.join(_without_escapes(data).split(b'"')[::2])


def _without_escapes(data: bytes) -> bytes:
    """
    Return JSON text without escaped backslashes and quotes, or without any backslash.

    Every second stretch between the quotes that are left is the inside of a string.
    """
    parts = data.split(b"\\", _FEW_ESCAPES)
    if len(parts) > _FEW_ESCAPES:
        return data.replace(b"\\\\", b"").replace(b'\\"', b"")
    kept = parts[:1]
    following = iter(parts[1:])
    for part in following:
        if part:
            kept.append(part[1:] if part[:1] == b'"' else part)
        else:  # a backslash, escaped
            kept.append(next(following, b""))
    return b"".join(kept)


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
                    f"the text {value[:32]!a} holds half of a surrogate pair",
                    file=file,
                ) from None


_HOOKS: dict[str, Any] = {
    "parse_int": _integer,
    "parse_float": _decimal,
    "parse_constant": _refuse_constant,
}
_CLOSERS = {"[": "]", "{": "}"}
_SCALARS = json.JSONDecoder(**_HOOKS)
"""Reads whatever is not nested: strings, numbers and words."""


def _read(text: str, file: str) -> Any:
    """
    Return the value of a JSON document, iteratively, or say where it is none.

    Halves of surrogate pairs are left to the caller.
    """
    try:
        return _read_nested(text, file)
    except json.JSONDecodeError as error:
        raise _refusal(
            f"not JSON: {error.msg.removesuffix(' at')}", text, error.pos, file
        ) from None


def _read_nested(text: str, file: str) -> Any:
    """Return the value of a document; open arrays and objects stand on a list."""
    outer: list[tuple[Any, str]] = []
    members: Any = None
    key = ""
    position = _skip(text, 0)
    while True:
        # One value starts at `position`.
        opener = text[position : position + 1]
        if opener in _CLOSERS:
            outer.append((members, key))
            members = {} if opener == "{" else []
            position = _skip(text, position + 1)
            if text[position : position + 1] != _CLOSERS[opener]:
                if opener == "{":
                    key, position = _key(text, position, members, file)
                continue
            value, position = members, position + 1
            members, key = outer.pop()
        else:
            value, position = _scalar(text, position, file)
        # One value is complete: put it where it belongs, and close what ends here.
        while outer:
            if isinstance(members, dict):
                members[key] = value
            else:
                members.append(value)
            position = _skip(text, position)
            follower = text[position : position + 1]
            if follower == ",":
                position = _skip(text, position + 1)
                if isinstance(members, dict):
                    key, position = _key(text, position, members, file)
                break
            if follower != ("}" if isinstance(members, dict) else "]"):
                raise json.JSONDecodeError("Expecting ',' delimiter", text, position)
            value, position = members, position + 1
            members, key = outer.pop()
        else:
            position = _skip(text, position)
            if position != len(text):
                raise json.JSONDecodeError("Extra data", text, position)
            return value


def _skip(text: str, position: int) -> int:
    """Return the position of the next character that is not blank."""
    blanks = _BLANKS.match(text, position)
    return blanks.end() if blanks else position


def _key(
    text: str, position: int, members: dict[str, Any], file: str
) -> tuple[str, int]:
    """Return an object's next key and the position of the value behind its colon."""
    if text[position : position + 1] != '"':
        raise json.JSONDecodeError(
            "Expecting property name enclosed in double quotes", text, position
        )
    key, end = _SCALARS.raw_decode(text, position)
    if key in members:
        rule = f"the key {shorten(key)} occurs twice in one object"
        raise _refusal(rule, text, position, file)
    end = _skip(text, end)
    if text[end : end + 1] != ":":
        raise json.JSONDecodeError("Expecting ':' delimiter", text, end)
    return key, _skip(text, end + 1)


def _scalar(text: str, position: int, file: str) -> tuple[Any, int]:
    """Return the string, number or word at *position* and the position behind it."""
    try:
        return _SCALARS.raw_decode(text, position)
    except FixtureError as error:
        raise _refusal(error.rule, text, position, file) from None


def _refusal(rule: str, text: str, position: int, file: str) -> FixtureError:
    """Return the error that what is at *position* breaks *rule*."""
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    return FixtureError(f"{rule} at line {line}, column {column}", file=file)
