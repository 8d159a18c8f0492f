"""
Kinds of field that are strings: bytes, integers, booleans, and items as they are.

A `Kind` is what an annotation comes to (see `hexary.rlp.fields`).  It knows how its
values are checked, read, written and spelled in JSON.  Reading is there twice: `read`
and `from_json` are the definition and explain what is wrong, `write_read` and
`write_json_read` write code that is fast and accepts nothing that those do not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple

from hexary.errors import (
    FixtureError,
    InputTypeError,
    path_text,
    shorten,
)
from hexary.rlp.layout import python_layout

if TYPE_CHECKING:
    from hexary.rlp.layout import Layout
    from hexary.rlp.reading import Path, Reader
    from hexary.rlp.source import Source

__all__ = [
    "JsonForm",
    "Kind",
    "Shape",
    "describe",
    "fail_json",
    "has_constructor",
]


class JsonForm(NamedTuple):
    """
    How records are spelled in JSON.

    Attributes:
        fixture: whether as in fixtures, else as in JSON-RPC.
        refuse_unknown: whether unknown keys are refused in reading.
    """

    fixture: bool
    refuse_unknown: bool = False

    @classmethod
    def of(cls, spelling: object, unknown: object = "ignore") -> JsonForm:
        """
        Return the form with these options, as `Record.from_json` takes them.

        Raises:
            InputTypeError: an option is none of those that there are.
        """
        if unknown == "ignore" and type(spelling) is str:
            known = _FORMS.get(spelling)
            if known is not None:
                return known
        if spelling not in ("rpc", "fixture"):
            raise InputTypeError("spelling", '"rpc" or "fixture"', spelling)
        if unknown not in ("ignore", "refuse"):
            raise InputTypeError("unknown", '"ignore" or "refuse"', unknown)
        return cls(spelling == "fixture", unknown == "refuse")


_FORMS = {"rpc": JsonForm(fixture=False), "fixture": JsonForm(fixture=True)}
"""The usual forms, by the spelling."""


class Shape(NamedTuple):
    """
    Some of the forms that the item of a kind can have.

    Attributes:
        smallest: the smallest size of the string.
        largest: the largest size of the string, ``None`` for any.
        is_list: whether it is a list instead.
    """

    smallest: int = 0
    largest: int | None = None
    is_list: bool = False

    def meets(self, other: Shape) -> bool:
        """Whether an item can be of both shapes."""
        if self.is_list or other.is_list:
            return self.is_list and other.is_list
        return (other.largest is None or self.smallest <= other.largest) and (
            self.largest is None or other.smallest <= self.largest
        )


class Kind(ABC):
    """
    One kind of field.

    Attributes:
        shapes: the forms that its items have.
    """

    __slots__ = ("shapes",)

    shapes: tuple[Shape, ...]

    @abstractmethod
    def fit(self, value: Any, path: Path) -> Any:
        """
        Return *value* as the kind's type.

        Raises:
            HexaryError: it is not one, and cannot be made one; names *path*.
        """

    @abstractmethod
    def holds(self, value: Any) -> bool:
        """Whether *value* is exactly what `fit` would return."""

    @abstractmethod
    def read(
        self, reader: Reader, position: int, end: int, depth: int, path: Path
    ) -> tuple[Any, int]:
        """Return the value of the item at *position*, and the index behind it."""

    @abstractmethod
    def write_read(self, source: Source, target: str) -> None:
        """Write code that reads the item at ``p`` into *target* and moves ``p``."""

    @abstractmethod
    def chunks(self, source: Source, value: str) -> list[str]:
        """Return expressions whose values, joined, encode the expression *value*."""

    @property
    def own_classes(self) -> frozenset[type]:
        """Classes of which every instance, of exactly that class, is a value."""
        return frozenset()

    def write_fit(self, source: Source, name: str, path: Path) -> None:
        """Write code that checks the variable *name*."""
        source.write(f"{name} = {source.bind(self.fit)}({name}, {path!r})")

    def expression(self, source: Source, value: str) -> str:
        """Return one expression that encodes the expression *value*."""
        return " + ".join(self.chunks(source, value))

    def layout(self) -> Layout:
        """Return what the kind is, for the accelerator; see `hexary.rlp.layout`."""
        return python_layout(self)

    @abstractmethod
    def to_json(self, value: Any, form: JsonForm) -> Any:
        """Return the JSON of *value*."""

    @abstractmethod
    def from_json(self, value: Any, form: JsonForm, path: Path) -> Any:
        """
        Return the value that JSON stands for.

        Raises:
            FixtureError: there is none; names *path*.
        """

    def write_json_read(
        self, source: Source, target: str, value: str, form: JsonForm
    ) -> None:
        """Write code that reads the JSON *value* into *target*, or gives up."""
        source.write(
            f"{target} = {source.bind(self.from_json)}"
            f"({value}, {source.bind(form)}, ())"
        )

    def json_layout(self, form: JsonForm) -> Layout:
        """Return how values are spelled; see `hexary.rlp.json_layout`."""

        def read(value: Any) -> Any:
            return self.fit(self.from_json(value, form, ()), ())

        return ("python", read)


def has_constructor(cls: type, constructors: frozenset[Any]) -> bool:
    """
    Whether a class is made by one of *constructors* and nothing else.

    Then an instance can be made without calling the class.
    """
    owner = next(base for base in cls.__mro__ if "__new__" in vars(base))
    return (
        vars(owner)["__new__"] in constructors
        and cls.__init__ is object.__init__  # type: ignore[misc]  # the method itself is compared, not called
        and type(cls).__call__ is type.__call__
    )


def fail_json(rule: object, path: Path) -> FixtureError:
    """Return the error for JSON that is not what it should be."""
    return FixtureError(str(rule), field=path_text(path))


def describe(value: object) -> str:
    """Return a JSON value and its kind, in a few words."""
    if value is None:
        return "null"
    if isinstance(value, (list, dict)):
        return shorten(value)
    return f"{type(value).__name__} {shorten(value)}"
