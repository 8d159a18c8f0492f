"""
Published vectors as tests: one case is one test id, and no suite may run thin.

The vectors stay where they are, ``HEXARY_VECTORS`` or ``shared/vectors`` beside the
checkout; ``tests/README.md`` tells how to lay out that folder.  A suite is one line::

    @vector_cases("rlp/ethereum-tests", read_cases, at_least=60)
    def test_valid_items_encode_and_decode(case): ...

where ``read_cases(path)`` yields ``(name, case)`` for one file.  It runs while tests
are collected, so it should read no more than it needs to name its cases.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest

__all__ = [
    "SAMPLE_SIZE",
    "VECTORS",
    "evenly_spaced",
    "files",
    "missing_vectors",
    "vector_cases",
]

_Item = TypeVar("_Item")

_BESIDE_CHECKOUT = Path(__file__).resolve().parents[2].parent / "shared" / "vectors"

VECTORS = Path(os.environ.get("HEXARY_VECTORS") or _BESIDE_CHECKOUT)

SAMPLE_SIZE = 40
"""Cases of each suite that ``--conformance=sample`` keeps."""


def missing_vectors() -> str:
    """Return why there are no vectors and what to do, ``""`` if there are."""
    if VECTORS.is_dir():
        return ""
    return (
        f"there are no published vectors at {VECTORS}: set HEXARY_VECTORS to a folder "
        "laid out as tests/README.md tells"
    )


def files(folder: str, pattern: str = "**/*.json") -> list[Path]:
    """Return the vector files below *folder*, sorted, without expected answers."""
    found = sorted((VECTORS / folder).glob(pattern))
    return [
        path
        for path in found
        if path.is_file() and not path.name.startswith("EXPECTED")
    ]


def evenly_spaced(items: Sequence[_Item], size: int = SAMPLE_SIZE) -> list[_Item]:
    """Return at most *size* of *items*, the first and the last among them."""
    if len(items) <= size:
        return list(items)
    step = (len(items) - 1) / (size - 1)
    return [items[round(index * step)] for index in range(size)]


def vector_cases(
    folder: str,
    read: Callable[[Path], Iterable[tuple[str, Any]]],
    *,
    at_least: int,
    pattern: str = "**/*.json",
    slow: frozenset[str] = frozenset(),
) -> pytest.MarkDecorator:
    """
    Return a decorator that runs a test once for each case below *folder*.

    The test takes one argument, ``case``; its id is ``file:name``.

    Args:
        folder: a folder of the vectors, with "/".
        read: yields name and case, in a fixed order, for a file.
        at_least: floor of the number of cases; fewer is an error.
        pattern: which files below the folder to read.
        slow: ids of cases that take more than about five seconds.

    Raises:
        ValueError: if there are fewer cases than *at_least*, or two have the same id.
    """
    root = VECTORS / folder
    params = []
    for path in files(folder, pattern):
        for name, case in read(path):
            identity = f"{path.relative_to(root)}:{name}"
            marks = [pytest.mark.vectors(path)]
            if identity in slow:
                marks.append(pytest.mark.slow)
            params.append(pytest.param(case, id=identity, marks=marks))
    if len(params) < at_least:
        raise ValueError(
            f"{root}: {len(params)} cases, fewer than the {at_least} expected"
        )
    names = [param.id for param in params]
    if len(set(names)) != len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise ValueError(f"{root}: cases share an id: {twice[:5]}")
    return pytest.mark.parametrize("case", params)
