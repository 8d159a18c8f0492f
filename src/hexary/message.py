"""How values, kinds and places are spelled in the messages of errors."""

from __future__ import annotations

from operator import index
from typing import Any

__all__ = [
    "bytes_hint",
    "describe",
    "nibbles_text",
    "path_text",
    "requirement",
    "shorten",
]

_SHOWN = 64
"""Characters of a value that a message shows before it is cut."""


def shorten(value: object, limit: int = _SHOWN) -> str:
    """
    Return *value* as one line of at most about *limit* characters, for a message.

    Bytes become 0x-hex with their size where cut, text keeps its quotes, containers and
    objects of other kinds are named by their type.  Only the part that is shown is
    formatted, and no foreign ``repr`` runs, so the cost does not grow with the value.

    Example:
        >>> shorten(bytes(100))
        '0x00000000000000000000000000000000… (100 bytes)'
        >>> shorten("0xzz"), shorten([1, 2]), shorten(None)
        ("'0xzz'", 'list of 2', 'None')
    """
    # By the real type: ``isinstance`` asks the value, and a mock answers as it likes.
    kind = type(value)
    if issubclass(kind, (bytes, bytearray, memoryview)):
        return _shorten_buffer(value, limit)
    if issubclass(kind, str):
        text = str.__str__(value)
        if len(text) <= limit:
            return repr(text)
        return f"{text[: limit // 2]!r}… ({len(text)} characters)"
    if value is None or kind is bool:
        return repr(value)
    if issubclass(kind, int):
        number = index(value)  # type: ignore[arg-type]  # its class is an int's
        if number.bit_length() > 256:
            # Decimal text of a huge int is quadratic, and refused beyond 4,300 digits.
            return f"int of {number.bit_length()} bits"
        return repr(number)
    for plain in (float, complex):
        if issubclass(kind, plain):
            return plain.__repr__(value)
    for sized in (list, tuple, dict, set, frozenset):
        if issubclass(kind, sized):
            return f"{_name(kind)} of {sized.__len__(value)}"  # type: ignore[arg-type]  # its class is `sized`
    return _name(kind)


def _shorten_buffer(value: Any, limit: int) -> str:
    """Return bytes, a bytearray or a memoryview as `shorten` does."""
    if isinstance(value, memoryview):
        try:
            size, flat = value.nbytes, value.itemsize == 1 == value.ndim
        except ValueError:
            return "memoryview, released"
        if not flat:
            return f"memoryview of {size} bytes"
        seen = value[: limit // 2 + 1].tobytes()
    else:
        kind = bytes if issubclass(type(value), bytes) else bytearray
        size = kind.__len__(value)
        seen = bytes(kind.__getitem__(value, slice(limit // 2 + 1)))
    if 2 * size <= limit:
        return "0x" + seen.hex()
    return f"0x{seen[: limit // 4].hex()}… ({size} bytes)"


def _name(kind: type) -> str:
    """Return the name of a type, which some program may have made very long."""
    name = kind.__name__
    return name if len(name) <= _SHOWN else name[:_SHOWN] + "…"


def describe(value: object) -> str:
    """
    Return the kind of *value* and the value, in a few words, for a message.

    Example:
        >>> describe(1.5), describe([]), describe(None), describe(object())
        ('float 1.5', 'list of 0', 'None', 'object')
    """
    shown = shorten(value)
    kind = _name(type(value))
    return shown if value is None or shown.startswith(kind) else f"{kind} {shown}"


def path_text(path: tuple[int | str, ...]) -> str:
    """
    Spell the place of an item inside another.

    Example:
        >>> path_text(("transactions", 3, "to"))
        'transactions[3].to'
    """
    shown = path if len(path) <= 12 else (*path[:6], "…", *path[-5:])
    text = ""
    for step in shown:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def nibbles_text(path: bytes) -> str:
    """
    Spell a path through a trie: at most the first 64 nibbles, and that there are more.

    Example:
        >>> nibbles_text(bytes([1, 10, 15])), nibbles_text(b"")
        ('1/a/f', '(root)')
        >>> nibbles_text(bytes(65))[-5:]
        '0/0/…'
    """
    steps = [f"{nibble:x}" for nibble in path[:64]]
    return "/".join([*steps, "…"] if len(path) > 64 else steps) or "(root)"


def bytes_hint(value: object) -> str:
    """
    Return what to do about a value where bytes are wanted, ``""`` if that is not known.

    Example:
        >>> bytes_hint("0xc0")
        'encode text first, or read hex text with hexary.Bytes'
        >>> bytes_hint([b"decoded", b"node"])
        'an RLP item is encoded with hexary.rlp.encode'
    """
    kind = type(value)
    if issubclass(kind, str):
        return "encode text first, or read hex text with hexary.Bytes"
    if issubclass(kind, (list, tuple)):
        return "an RLP item is encoded with hexary.rlp.encode"
    if callable(getattr(kind, "rlp", None)):
        return "pass its encoding, which rlp() returns"
    return ""


def requirement(extra: str, package: str) -> str:
    """
    Return what hexary's own metadata ask for of *package*, at least its name.

    So that the package can be installed alone: an extra is of use only to who installs
    hexary itself.

    Example:
        >>> requirement("no such extra", "coincurve")
        'coincurve'
    """
    from importlib.metadata import PackageNotFoundError, requires

    try:
        lines = requires("hexary") or []
    except PackageNotFoundError:  # imported from a checkout that is not installed
        return package
    for line in lines:
        wanted, _, marker = line.partition(";")
        wanted = wanted.strip()
        if wanted.startswith(package) and f'"{extra}"' in marker.replace("'", '"'):
            return wanted
    return package
