"""One of several records, told apart by the type byte in front of it (EIP-2718)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, final

from hexary.errors import InputTypeError
from hexary.rlp.decoding import DEFAULT_MAX_DEPTH

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hexary.rlp.decoder import Decoder
    from hexary.rlp.decoding import BytesLike
    from hexary.rlp.records import Spelling
    from hexary.rlp.unions import TypedUnionKind

__all__ = ["TypedUnion", "typed_union"]

Member = TypeVar("Member")


@final
class TypedUnion(Generic[Member]):
    """
    What `typed_union` returns: something to decode one of several records with.

    Attributes:
        classes: type → record class; 0 for the one without a type byte.
    """

    __slots__ = ("_decoder", "_kind", "classes")

    def __init__(self, classes: Mapping[int, type[Member]]) -> None:
        self.classes = dict(classes)
        self._kind: TypedUnionKind | None = None
        self._decoder: Decoder | None = None

    def from_rlp(
        self,
        data: BytesLike,
        *,
        max_depth: int = DEFAULT_MAX_DEPTH,
        max_items: int | None = None,
    ) -> Member:
        """Return the record that *data* encode, as `Record.from_rlp` does."""
        made: Member = self.decoder.decode(
            data, max_depth=max_depth, max_items=max_items
        )
        return made

    def from_json(
        self,
        value: Mapping[str, Any],
        *,
        spelling: Spelling = "rpc",
        unknown: Literal["ignore", "refuse"] = "ignore",
    ) -> Member:
        """Return the record that a JSON object stands for, chosen by its ``type``."""
        from hexary.rlp.kinds import JsonForm

        form = JsonForm.of(spelling, unknown)
        made: Member = self.kind.from_json(value, form, ())
        return made

    @property
    def kind(self) -> TypedUnionKind:
        """The kind of field; found at the first use, when all classes are there."""
        if self._kind is None:
            from hexary.rlp.annotations import Scope, typed_union_of
            from hexary.rlp.codec import codec_of

            codecs = [codec_of(cls) for cls in dict.fromkeys(self.classes.values())]
            kind = typed_union_of(codecs, Scope("typed union"))
            for number, cls in self.classes.items():
                if number not in kind.codecs or kind.codecs[number].cls is not cls:
                    rule = "the type bytes of the classes"
                    raise InputTypeError("types of a union", rule, number)
            self._kind = kind
        return self._kind

    @property
    def decoder(self) -> Decoder:
        """What decodes one of the records."""
        if self._decoder is None:
            from hexary.rlp.annotations import union_decoder

            self._decoder = union_decoder(self.kind)
        return self._decoder

    def __repr__(self) -> str:
        members = ", ".join(
            f"{number}: {cls.__name__}" for number, cls in sorted(self.classes.items())
        )
        return f"TypedUnion({{{members}}})"


def typed_union(
    types: Mapping[int, type[Member]], /, *, legacy: type[Member] | None = None
) -> TypedUnion[Member]:
    """
    Return something to decode one of several records with, chosen by the type byte.

    In the annotation of a field, plain ``A | B`` of the same records does this.

    Args:
        types: type byte → the record class with that ``type_byte``.
        legacy: the record class without one.

    Raises:
        InputTypeError: (at the first use) a class has another type byte.

    Example:
        >>> from hexary import rlp
        >>> @rlp.record
        ... class Old(rlp.Record):
        ...     number: rlp.U8
        >>> @rlp.record(type_byte=1)
        ... class New(rlp.Record):
        ...     number: rlp.U8
        >>> AnyOfThem: rlp.TypedUnion[Old | New] = rlp.typed_union({1: New}, legacy=Old)
        >>> rlp.decode(AnyOfThem, bytes.fromhex("c107"))
        Old(number=7)
        >>> rlp.decode(AnyOfThem, bytes.fromhex("01c107"))
        New(number=7)
    """
    classes = {} if legacy is None else {0: legacy}
    return TypedUnion({**classes, **types})
