"""What calls come to, for tests that compare twins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def outcome(function: Callable[..., Any], *arguments: Any, **named: Any) -> object:
    """Return what *function* returns, or all that its error says."""
    try:
        result = function(*arguments, **named)
    except Exception as error:  # noqa: BLE001  # whatever it is, the twin has to raise it
        return type(error), str(error), vars(error)
    return type(result), result
