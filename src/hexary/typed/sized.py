"""
The classes behind ``FixedSizeBytes[n]`` and ``FixedSizeHexNumber[n]``.

Each size of a class is made once, so ``FixedSizeBytes[4] is FixedSizeBytes[4]``.  Their
instances survive pickling, and so do the classes of these two: such a class is found
again under its name, ``FixedSizeBytes[4]``, as an attribute of this module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from hexary.errors import InputTypeError, RangeError
from hexary.integer import exact_int

__all__ = [
    "SizedMeta",
    "check_byte_length",
    "checked_size",
    "reduce_sized",
    "sized_class",
]

SizedType = TypeVar("SizedType")

if TYPE_CHECKING:

    class SizedMeta(type):
        """What a checker makes of ``FixedSizeBytes[4]``: a class of the same kind."""

        def __getitem__(cls: type[SizedType], size: int) -> type[SizedType]: ...

else:
    # A metaclass of its own would keep such a class from being the base of an enum, or
    # of a class with another metaclass: ``__class_getitem__`` does the work.
    SizedMeta = type

_LARGEST = 1 << 31
_CLASSES: dict[tuple[type, int], Any] = {}


def checked_size(size: object, what: str) -> int:
    """
    Return *size*, a number of bytes, as a plain int.

    Args:
        size: the number.
        what: what to call it in errors.

    Raises:
        InputTypeError: *size* is not an int, or is a bool.
        RangeError: *size* is negative, or 2^31 and more.
    """
    number = exact_int(size, what)
    if not 0 <= number < _LARGEST:
        raise RangeError(what, number, 0, _LARGEST - 1)
    return number


def check_byte_length(cls: Any) -> None:
    """
    Refuse a class statement whose ``byte_length`` is no size.

    Raises:
        InputTypeError: as in `checked_size`.
        RangeError: as in `checked_size`.
    """
    if "byte_length" in cls.__dict__:
        what = f"byte_length of {cls.__name__}"
        cls.byte_length = checked_size(cls.__dict__["byte_length"], what)


def sized_class(generic: type[SizedType], size: object) -> type[SizedType]:
    """
    Return the subclass of *generic* for *size* bytes, always the same one.

    Raises:
        InputTypeError: *size* is not an int, or *generic* has a size already.
        RangeError: *size* is negative, or 2^31 and more.
    """
    name = generic.__name__
    size = checked_size(size, f"size of {name}")
    if hasattr(generic, "byte_length"):
        rule = "given to a class without a size of its own"
        raise InputTypeError(f"size of {name}", rule, size)
    made: type[SizedType] | None = _CLASSES.get((generic, size))
    if made is None:
        name = f"{name}[{size}]"
        namespace = {
            "__doc__": f"`{generic.__name__}` of {size} bytes.",
            "__module__": __name__,
            "__qualname__": name,
            "__slots__": (),
            "_generic_": generic,
            "byte_length": size,
        }
        # With two threads here at once, both get the class that came first.
        made = _CLASSES.setdefault((generic, size), type(name, (generic,), namespace))
    return made


def reduce_sized(value: Any, plain: bytes | int) -> tuple[Any, ...]:
    """Return what pickle and copy need of *value*, whose base value is *plain*."""
    cls = type(value)
    state = getattr(value, "__dict__", None) or None
    if "_generic_" in cls.__dict__:
        return _restore, (cls._generic_, cls.byte_length, plain), state
    return cls, (plain,), state


def _restore(generic: type, size: int, plain: bytes | int) -> Any:
    """Build a value of ``generic[size]`` again."""
    cls: Any = sized_class(generic, size)
    return cls(plain)


if not TYPE_CHECKING:

    def __getattr__(name: str) -> type:
        """Find a class by its name, so that pickle can load it."""
        generic, bracket, size = name.partition("[")
        number = size.removesuffix("]")
        # As `sized_class` spells a size, at most; no size has more than ten digits.
        if bracket and number.isascii() and number.isdecimal() and len(number) <= 10:
            from hexary import typed

            made = f"{generic}[{int(number)}]" == name and int(number) < _LARGEST
            if made and generic in ("FixedSizeBytes", "FixedSizeHexNumber"):
                return getattr(typed, generic)[int(number)]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
