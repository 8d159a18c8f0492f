"""Records of classes that nobody wrote: their fields are of any kinds."""

from __future__ import annotations

from typing import Annotated, Any, Self

from hypothesis import strategies as st

from hexary import Address, Bytes, Hash, HexNumber, rlp
from hexary.typed import FixedSizeBytes
from record_specimens import SPECIMENS, Receipt


class Shout(bytes):
    """Bytes of the user's own, with a rule and another value."""

    def __new__(cls, data: bytes, /) -> Self:
        if b"?" in data:
            raise ValueError("no question")
        return super().__new__(cls, data[:60])


class Odd(int):
    """An int of the user's own that refuses some."""

    def __new__(cls, value: int, /) -> Self:
        if value % 7 == 3:
            raise ValueError("not this one")
        return super().__new__(cls, value)


class Quiet(FixedSizeBytes):
    """Bytes of the size that has no header, sometimes."""

    byte_length = 1


SIZES = st.sampled_from(
    [0, 1, 7, 8, 9, 20, 32, 33, 63, 64, 65, 255, 256, 257, 440, 500]
)
RECEIPTS = [one for one in SPECIMENS if type(one) is Receipt]


def sized(cls: Any, size: int) -> st.SearchStrategy[Any]:
    return st.binary(min_size=size, max_size=size).map(cls)


@st.composite
def uints(draw: st.DrawFn) -> tuple[Any, st.SearchStrategy[Any]]:
    bits = draw(SIZES)
    few = st.integers(0, min(300, (1 << bits) - 1))
    return Annotated[int, rlp.Uint(bits)], st.integers(0, (1 << bits) - 1) | few


@st.composite
def byte_strings(draw: st.DrawFn) -> tuple[Any, st.SearchStrategy[Any]]:
    smallest = draw(st.integers(0, 70))
    largest = smallest + draw(st.sampled_from([0, 0, 1, 60]))
    values = st.binary(min_size=smallest, max_size=largest)
    return Annotated[bytes, rlp.Size(smallest, largest)], values


SCALARS = st.one_of(
    uints(),
    byte_strings(),
    st.sampled_from(
        [
            (bool, st.booleans()),
            (bytes, st.binary(max_size=70)),
            (Bytes, st.binary(max_size=70).map(Bytes)),
            (Hash, sized(Hash, 32)),
            (Address, sized(Address, 20)),
            (Quiet, sized(Quiet, 1)),
            (HexNumber, st.integers(0, 2**70).map(HexNumber)),
            (Annotated[int, rlp.Uint(None)], st.integers(0, 2**600)),
            (
                Annotated[Odd, rlp.Uint(64)],
                st.integers(0, 99).map(lambda n: Odd(7 * n)),
            ),
            (Address | None, st.none() | sized(Address, 20)),
            (Hash | bool, st.booleans() | sized(Hash, 32)),
            (Receipt, st.sampled_from(RECEIPTS)),
            (rlp.Raw, st.sampled_from([rlp.Raw(b"\x80"), rlp.Raw(b"\xc1\x01")])),
            (rlp.Item, st.sampled_from([b"", [b"a", [b""]]])),
            (Shout, st.sampled_from([Shout(b"a"), Shout(b"loud" * 9)])),
        ]
    ),
)


@st.composite
def containers(
    draw: st.DrawFn, kinds: st.SearchStrategy[Any]
) -> tuple[Any, st.SearchStrategy[Any]]:
    """Lists and tuples of what is drawn from *kinds*."""
    form = draw(st.sampled_from(["tuple", "list", "fixed"]))
    if form == "fixed":
        inner = draw(st.lists(kinds, max_size=3))
        annotation: Any = tuple[tuple(one for one, _ in inner)] if inner else tuple[()]
        return annotation, st.tuples(*(values for _, values in inner))
    annotation, values = draw(kinds)
    many = st.lists(values, max_size=4)
    if form == "list":
        return list[annotation], many
    return tuple[annotation, ...], many.map(tuple)


KINDS = st.recursive(SCALARS, containers, max_leaves=4)


def may_be_late(kind: tuple[Any, st.SearchStrategy[Any]]) -> bool:
    """Whether there is no ``None`` but for absence, and no name to be looked up."""
    return kind[0] not in (Address | None, rlp.Item)


@st.composite
def records(draw: st.DrawFn) -> Any:
    """Any record of a class that is made up."""
    fields = draw(st.lists(KINDS, max_size=6))
    late = draw(st.lists(SCALARS.filter(may_be_late), max_size=2))
    annotations = {f"field{place}": kind for place, (kind, _) in enumerate(fields)}
    values: dict[str, Any] = {
        f"field{place}": draw(strategy) for place, (_, strategy) in enumerate(fields)
    }
    present = draw(st.integers(0, len(late)))
    for place, (kind, strategy) in enumerate(late):
        annotations[f"late{place}"] = rlp.Trailing[kind]
        values[f"late{place}"] = draw(strategy) if place < present else None
    type_byte = draw(st.none() | st.integers(1, 127))
    body = {"__annotations__": annotations, "__module__": __name__}
    cls = rlp.record(type_byte=type_byte)(type("Made", (rlp.Record,), body))
    return cls(**values)
