"""Layouts: what each kind of field tells the accelerator about itself."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from hexary import Address, Hash, HashInt, HexaryError, rlp
from hexary.rlp.annotations import Scope, kind_of
from hexary.rlp.codec import codec_of
from hexary.rlp.kinds import Kind
from hexary.rlp.layout import python_layout
from record_specimens import (
    SPECIMENS,
    AccessEntry,
    Even,
    Header,
    Oddities,
    Receipt,
    SmallTransaction,
)


def kind(annotation: Any) -> Kind:
    return kind_of(annotation, Scope("test"))


@pytest.mark.parametrize(
    ("annotation", "layout"),
    [
        (rlp.U64, ("uint", 64, int, None)),
        (Annotated[int, rlp.Uint(None)], ("uint", None, int, None)),
        (HashInt, ("uint", 256, HashInt, None)),
        (bytes, ("bytes", 0, None, bytes, None)),
        (Hash, ("bytes", 32, 32, Hash, None)),
        (Annotated[bytes, rlp.Size(1, 9)], ("bytes", 1, 9, bytes, None)),
        (bool, ("bool",)),
        (tuple[bool, ...], ("sequence", ("bool",), tuple, None)),
        (tuple[bool, Hash], ("tuple", (("bool",), ("bytes", 32, 32, Hash, None)))),
        (tuple[()], ("tuple", ())),
        (Address | None, ("optional", ("bytes", 20, 20, Address, None))),
        (rlp.Item, ("item",)),
        (rlp.Raw, ("raw",)),
        (AccessEntry, ("record", codec_of(AccessEntry), (0,))),
        (SmallTransaction, ("record", codec_of(SmallTransaction), (2,))),
        (Receipt, ("record", codec_of(Receipt), (0, 1, 2))),
        (
            Annotated[SmallTransaction, rlp.BARE],
            ("record", codec_of(SmallTransaction), (0,)),
        ),
        (
            AccessEntry | SmallTransaction,
            ("typed", {0: codec_of(AccessEntry), 2: codec_of(SmallTransaction)}),
        ),
    ],
)
def test_a_kind_describes_itself(annotation: Any, layout: tuple[Any, ...]) -> None:
    assert kind(annotation).layout() == layout


def test_a_class_with_a_constructor_of_its_own_is_made_by_a_function() -> None:
    word, smallest, largest, cls, make = kind(Even).layout()
    assert (word, smallest, largest, cls) == ("bytes", 2, 2, Even)
    assert make(b"\1\2") == Even(b"\1\2")
    with pytest.raises(ValueError, match="even"):
        make(b"\1\1")


def test_a_list_is_fitted_again_as_it_may_have_changed() -> None:
    word, element, container, fit = kind(list[rlp.U8]).layout()
    assert (word, element, container) == ("sequence", ("uint", 8, int, None), list)
    assert fit([1, 2], ()) == [1, 2]
    with pytest.raises(HexaryError):
        fit(["no number"], ())


def test_conversions_go_both_ways() -> None:
    text = codec_of(Oddities).all_fields["text"].kind.layout()
    word, wire, from_wire, to_wire = text
    assert (word, wire) == ("converted", ("bytes", 0, None, bytes, None))
    assert (from_wire(b"dog"), to_wire("dog")) == ("dog", b"dog")


def test_the_members_of_a_choice_come_with_what_tells_them_apart() -> None:
    word, members = kind(Hash | bool).layout()
    assert word == "choice"
    assert [(shapes, member) for shapes, _, member in members] == [
        (((32, 32, False),), ("bytes", 32, 32, Hash, None)),
        (((0, 1, False),), ("bool",)),
    ]
    assert [holds(True) for _, holds, _ in members] == [False, True]


@pytest.mark.parametrize("specimen", SPECIMENS)
def test_any_kind_can_be_read_and_written_by_functions(specimen: rlp.Record) -> None:
    """The layout of a kind that describes itself in no other way."""
    for name, bound in codec_of(type(specimen)).all_fields.items():
        value = getattr(specimen, name)
        if bound.trailing and value is None:
            continue
        word, read, write = python_layout(bound.kind)
        encoded = write(value)
        assert word == "python"
        assert read(b"\x00" + encoded, 1) == (value, 1 + len(encoded))


def test_a_record_has_its_fields_in_order() -> None:
    layout = codec_of(Header).layout()
    assert layout.cls is Header
    assert layout.types == {0}
    assert layout.type_slot is None
    assert not layout.has_check
    assert tuple(one.name for one in layout.fields) == Header.__rlp_fields__
    assert [one.name for one in layout.fields if one.trailing] == [
        "base_fee_per_gas",
        "withdrawals_root",
    ]
    header = SPECIMENS[0]
    for one in layout.fields:
        if isinstance(header, Header):
            assert one.slot.__get__(header) == getattr(header, one.name)


def test_fields_that_a_view_leaves_out_are_not_there() -> None:
    names = [one.name for one in codec_of(Header).layout({"nonce", "number"}).fields]
    assert names == [
        name for name in Header.__rlp_fields__ if name not in ("nonce", "number")
    ]


def test_the_field_that_is_the_type_byte_stands_apart() -> None:
    layout = codec_of(Receipt).layout()
    assert layout.types == {0, 1, 2}
    assert layout.type_slot.__get__(Receipt(2, True, 7)) == 2
    assert [one.name for one in layout.fields] == ["outcome", "gas_used"]
