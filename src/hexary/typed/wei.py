"""
Amounts of ether, counted in wei, written as people write them.

Units are those of the Yellow Paper (section 2.1: wei, szabo, finney, ether) and the
names in common use for the other powers of a thousand.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Self

from hexary.typed.hexstr import parse_amount
from hexary.typed.number import Number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hexary.typed.conversion import NumberConvertible

__all__ = ["Wei"]


class Wei(Number):
    """
    A whole number of wei, which text may give in a larger unit.

    Text is a number and perhaps a unit: ``"1.5 ether"``, ``"10**18"``, ``"2e9 wei"``,
    ``"0x10"``.  The arithmetic is exact, and an amount that is not whole is refused.
    What is not text is read as by `Number`.

    Raises:
        HexError: *value* is text, but not an amount, or not a whole one.
        InputTypeError: *value* does not stand for a number; a float does not.

    Example:
        >>> Wei("1.5 ether"), Wei("0.1 ether") == 10**17, Wei("2**10")
        (Wei(1500000000000000000), True, Wei(1024))
        >>> Wei("0.5 wei")
        Traceback (most recent call last):
        hexary.errors.HexError: '0.5 wei': the amount is not a whole number
    """

    __slots__ = ()

    units: ClassVar[Mapping[str, int]] = MappingProxyType(
        {
            "wei": 1,
            "kwei": 10**3,
            "babbage": 10**3,
            "femtoether": 10**3,
            "mwei": 10**6,
            "lovelace": 10**6,
            "picoether": 10**6,
            "gwei": 10**9,
            "shannon": 10**9,
            "nanoether": 10**9,
            "nano": 10**9,
            "szabo": 10**12,
            "microether": 10**12,
            "micro": 10**12,
            "finney": 10**15,
            "milliether": 10**15,
            "milli": 10**15,
            "ether": 10**18,
            "eth": 10**18,
        }
    )
    """Wei in each unit, by its lower-case name; text may use either case."""

    def __new__(cls, value: NumberConvertible, /) -> Self:
        """Return *value* as an instance of this class."""
        if issubclass(type(value), str):
            value = parse_amount(value, units=cls.units)  # type: ignore[arg-type]  # its class is a text's
        return super().__new__(cls, value)
