"""The places in a JSON value, and copies with one of them changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each value in a JSON value."""
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from places(inner, (*path, index))


def changed(value: Any, path: tuple[Any, ...], change: Any) -> Any:
    """Return a copy with one place changed; with ``None``, it is left out."""
    if not path:
        return value if change is None else change(value)
    copy = dict(value) if isinstance(value, dict) else list(value)
    if change is None and len(path) == 1:
        del copy[path[0]]
    else:
        copy[path[0]] = changed(copy[path[0]], path[1:], change)
    return copy
