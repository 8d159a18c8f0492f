"""A field of a record, with everything that is known about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hexary.rlp.fields import MISSING

if TYPE_CHECKING:
    from hexary.rlp.fields import Field
    from hexary.rlp.kinds import Kind

__all__ = ["BoundField", "find_slot"]


class BoundField:
    """One field: its name, its kind, where its values are kept, and its options."""

    __slots__ = ("aliases", "fixture", "json", "kind", "name", "options", "trailing")

    def __init__(
        self, name: str, kind: Kind, options: Field, *, trailing: bool
    ) -> None:
        self.name = name
        self.kind = kind
        self.options = options
        self.trailing = trailing
        self.json = _camel_case(name) if options.json is None else options.json
        self.fixture = self.json if options.fixture is None else options.fixture
        self.aliases = options.aliases

    @property
    def has_default(self) -> bool:
        """Whether the field may be left out of the constructor."""
        return (
            self.options.default is not MISSING
            or self.options.default_factory is not None
        )


def find_slot(cls: type, name: str) -> Any:
    """Return the descriptor of the slot that has the field *name*."""
    return next(vars(base)[name] for base in cls.__mro__ if name in vars(base))


def _camel_case(name: str) -> str:
    """Return a field's name as JSON-RPC spells it."""
    first, *rest = name.split("_")
    return first + "".join(word[:1].upper() + word[1:] for word in rest)
