"""
The classes behind ``FixedSizeBytes[n]`` and ``FixedSizeHexNumber[n]``.

Each size of a class is made once, so ``FixedSizeBytes[4] is FixedSizeBytes[4]``.  The
classes and their instances survive pickling: a class is found again under its name,
``FixedSizeBytes[4]``, as an attribute of this module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from hexary.errors import InputTypeError, RangeError

__all__ = ["reduce_sized", "sized_class"]


SizedType = TypeVar("SizedType")

_LARGEST = 1 << 31
_CLASSES: dict[tuple[type, int], Any] = {}


def sized_class(generic: type[SizedType], size: object) -> type[SizedType]:
    """
    Return the subclass of *generic* for *size* bytes, always the same one.

    Raises:
        InputTypeError: *size* is not an int, or *generic* has a size already.
        RangeError: *size* is negative, or 2^31 and more.
    """
    name = generic.__name__
    if isinstance(size, bool) or not isinstance(size, int):
        raise InputTypeError(f"size of {name}", "an int", size)
    if hasattr(generic, "byte_length"):
        rule = "given to a class without a size of its own"
        raise InputTypeError(f"size of {name}", rule, size)
    if not 0 <= size < _LARGEST:
        raise RangeError(f"size of {name}", size, 0, _LARGEST - 1)
    size = int(size)
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
        if bracket and size[:-1].isdecimal() and size[-1:] == "]":
            from hexary import typed

            if generic in ("FixedSizeBytes", "FixedSizeHexNumber"):
                return getattr(typed, generic)[int(size[:-1])]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
