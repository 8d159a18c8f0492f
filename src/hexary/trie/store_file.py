"""What the stores that hold a file share."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NoReturn

from hexary.errors import InputTypeError, SizeError, StoreError, StoreReason, shorten
from hexary.typed import Hash

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hexary.trie.store import StoreBase

__all__ = ["file_name", "named_roots", "refuse_to_copy"]


def named_roots(pairs: Iterable[tuple[Any, Any]], store: str) -> dict[str, Hash]:
    """
    Return the named roots that a store's table tells.

    Args:
        pairs: names, as text or UTF-8, and hashes, as the storage engine gives them.
        store: the store's file, for messages.

    Raises:
        StoreError: if one is no name, or no hash.
    """
    found: dict[str, Hash] = {}
    for name, digest in pairs:
        try:
            text = name if isinstance(name, str) else bytes.decode(name)
            found[text] = Hash(bytes.__bytes__(digest))
        except (TypeError, UnicodeDecodeError, SizeError):
            detail = f"a root is {shorten(name)}: {shorten(digest)}"
            reason = StoreReason.CORRUPT
            raise StoreError(reason, store=store, detail=detail) from None
    return found


def refuse_to_copy(store: StoreBase) -> NoReturn:
    """
    Refuse to pickle or copy a store that holds a file.

    Raises:
        TypeError: always, as for every file that is open.
    """
    kind = type(store).__name__
    raise TypeError(
        f"cannot pickle or copy a {kind}, which holds {store._label} open: "
        f"open that again with {kind}(path) where it is needed"
    )


def file_name(path: str | bytes | os.PathLike[str]) -> str:
    """
    Return the name of a store's file as text, whatever its bytes are.

    Raises:
        InputTypeError: if it is no path, or has a null byte, which none has.
    """
    try:
        name = os.fsdecode(path)
    except TypeError:
        raise InputTypeError("path", "a path", path) from None
    if "\0" in name:
        raise InputTypeError("path", "a path without null bytes", path)
    return name
