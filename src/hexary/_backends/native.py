"""Keccak from hexary's own C accelerator, where it was built."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hexary._backends.backend import Backend

__all__ = ["NAME", "load"]

NAME = "native"


def load() -> Backend:
    """
    Return the accelerator's backend.

    Raises:
        ImportError: if the accelerator was not built or does not load.
    """
    try:
        accelerator = import_module("hexary._native")
    except ModuleNotFoundError as error:
        if error.name != "hexary._native":
            raise
        raise ImportError("this installation has no native accelerator") from None
    backend: Backend = accelerator.load()
    return backend
