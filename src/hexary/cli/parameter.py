"""Values of options and arguments that are parsed by what reads them elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import click

from hexary.errors import HexaryError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["parse_option", "parse_parameter"]

Parsed = TypeVar("Parsed")


def parse_parameter(name: str, text: str, parse: Callable[[str], Parsed]) -> Parsed:
    """
    Return what *parse* makes of the text that an option or an argument was given.

    Raises:
        click.BadParameter: *parse* refuses it; the message names the parameter.
    """
    try:
        return parse(text)
    except HexaryError as error:
        raise click.BadParameter(str(error), param_hint=name) from None


def parse_option(
    name: str, text: str | None, parse: Callable[[str], Parsed]
) -> Parsed | None:
    """
    Return the same for an option, ``None`` if it is not given.

    Raises:
        click.BadParameter: as in `parse_parameter`.
    """
    return None if text is None else parse_parameter(name, text, parse)
