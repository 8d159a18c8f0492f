"""
Which functions the accelerator replaces, decided in one place.

Everything in hexary is written in Python, completely, and that is its definition.  A
function that is marked with `twin` is replaced at import by the accelerator's function
of the same name, if the backend in use (`hexary.hash.BACKEND`) has an accelerator and
that has such a function.  The two return the same values and raise the same errors,
with the same attributes, for every argument.  With any other backend the mark does
nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from hexary import hash as hashing

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["adopt", "pure_twins", "twin"]

_Function = TypeVar("_Function", bound="Callable[..., Any]")

_pure: dict[str, Callable[..., Any]] = {}


def twin(pure: _Function) -> _Function:
    """
    Return the accelerator's twin of *pure*, or *pure* itself where there is none.

    Example:
        >>> @twin
        ... def double(number: int) -> int:
        ...     return 2 * number
        >>> double(4)
        8
    """
    accelerator = hashing.BACKEND.accelerator
    native: _Function | None = (
        None if accelerator is None else accelerator.twin_of(pure)
    )
    if native is None:
        return pure
    _pure[f"{pure.__module__}.{pure.__qualname__}"] = pure
    return native


def adopt(**helpers: object) -> None:
    """
    Hand functions and classes to the accelerator, if there is one.

    It raises the errors of the pure code with them, and knows its classes.
    """
    if hashing.BACKEND.accelerator is not None:
        hashing.BACKEND.accelerator.adopt(**helpers)


def pure_twins() -> dict[str, Callable[..., Any]]:
    """Return the pure functions that were replaced, by full name."""
    return dict(_pure)
