"""Layouts of JSON: what each kind of field and record tells the accelerator."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from hexary import Address, Bytes, Hash, HashInt, HexaryError, StorageKey, rlp
from hexary.rlp.annotations import Scope, kind_of
from hexary.rlp.codec import codec_of
from hexary.rlp.json_layout import JsonFieldLayout, json_record_layout
from hexary.rlp.kinds import JsonForm
from record_specimens import (
    AccessEntry,
    Even,
    Header,
    ListedTransaction,
    Receipt,
    SmallTransaction,
)

RPC = JsonForm(fixture=False)
FIXTURE = JsonForm(fixture=True, refuse_unknown=True)
HASH = ("bytes", 32, 32, Hash, None)
U8 = ("uint", 255, int, 1024)


def layout(annotation: Any) -> tuple[Any, ...]:
    """Return the layout of what an annotation stands for."""
    return kind_of(annotation, Scope("test")).json_layout(RPC)


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (rlp.U8, U8),
        (Annotated[int, rlp.Uint(8000)], ("uint", (1 << 8000) - 1, int, 2004)),
        (Annotated[int, rlp.Uint(None)], ("uint", None, int, None)),
        (HashInt, ("uint", 2**256 - 1, HashInt, 1024)),
        (bytes, ("bytes", 0, None, bytes, None)),
        (Hash, HASH),
        (Annotated[bytes, rlp.Size(1, 9)], ("bytes", 1, 9, bytes, None)),
        (bool, ("bool",)),
        (tuple[Hash, ...], ("sequence", HASH, tuple)),
        (list[bool], ("sequence", ("bool",), list)),
        (tuple[rlp.U8, Hash], ("tuple", (U8, HASH))),
        (Address | None, ("optional", ("bytes", 20, 20, Address, None))),
        (Hash | bool, ("choice", (HASH, ("bool",)))),
        (bool | Hash, ("choice", (HASH, ("bool",)))),
        (
            Address | Hash | tuple[rlp.U8, ...],
            (
                "choice",
                (HASH, ("bytes", 20, 20, Address, None), ("sequence", U8, tuple)),
            ),
        ),
        (
            AccessEntry,
            ("record", codec_of(AccessEntry).json_reader(RPC), AccessEntry),
        ),
    ],
)
def test_a_kind_describes_its_json(annotation: Any, expected: tuple[Any, ...]) -> None:
    assert layout(annotation) == expected


@pytest.mark.parametrize(
    ("annotation", "given", "value"),
    [
        (StorageKey, "0x5", StorageKey(5)),
        (Even, "0x0102", Even(b"\1\2")),
        (rlp.Item, "0xc101", [b"\1"]),
        (rlp.Raw, "0xc101", rlp.Raw(b"\xc1\1")),
        (AccessEntry | SmallTransaction, {"type": "0x2", "chainId": 1}, None),
        (tuple[rlp.U8, ...] | Annotated[bytes, rlp.Size(3, 4)], "0x010203", b"\1\2\3"),
    ],
)
def test_other_kinds_are_read_by_python(
    annotation: Any, given: Any, value: Any
) -> None:
    word, read = layout(annotation)
    assert word == "python"
    assert read(given) == (SmallTransaction(1) if value is None else value)
    with pytest.raises(HexaryError):
        read(1.5)


def record_layout(cls: Any, form: JsonForm = RPC) -> dict[str, JsonFieldLayout]:
    """Return the layouts of the fields by name."""
    made = json_record_layout(codec_of(cls), form)
    assert made is not None
    return dict(zip(cls.__rlp_fields__, made.fields, strict=True))


def test_the_keys_are_those_of_the_spelling() -> None:
    assert record_layout(Header)["coinbase"].keys == ("miner",)
    assert record_layout(Header, FIXTURE)["coinbase"].keys == ("coinbase",)
    made = json_record_layout(codec_of(ListedTransaction), RPC)
    assert made is not None
    assert made.types == (1, "0x1", "0x01")
    assert made.known is None
    strict = json_record_layout(codec_of(ListedTransaction), FIXTURE)
    assert strict is not None
    assert strict.known == {"type", "chainId", "to", "accessList", "yParity", "r"}


def test_a_trailing_field_has_none_as_its_default() -> None:
    fields = record_layout(Header)
    assert fields["withdrawals_root"].default == (None,)
    assert fields["withdrawals_root"].trailing
    assert fields["number"].default == ()
    assert fields["number"].make_default is None


def test_the_field_that_is_the_type_has_only_some_values() -> None:
    assert record_layout(Receipt)["type"].accepted == {0, 1, 2}
    assert record_layout(Receipt)["gas_used"].accepted is None


@rlp.record
class Defaults(rlp.Record):
    """Defaults of every sort."""

    type: Annotated[int, rlp.TypeByte(1)] = 1
    odd_type: rlp.U8 = 256
    to: Address | None = None
    known: Address | None = Address(5)
    spelled: Address = "0x" + "11" * 20  # type: ignore[assignment]  # it is converted
    empty: tuple[rlp.U8, ...] = ()
    some: tuple[rlp.U8, ...] = (1,)
    fresh: list[rlp.U8] = rlp.field(default_factory=list)
    last: rlp.Trailing[Bytes] = rlp.field(default_factory=lambda: None)


def test_a_default_is_a_value_if_it_is_the_same_each_time() -> None:
    fields = record_layout(Defaults)
    for name, value in (
        ("type", 1),
        ("to", None),
        ("known", Address(5)),
        ("empty", ()),
    ):
        assert fields[name].default == (value,), name
        assert fields[name].make_default is None, name


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("spelled", Address("0x" + "11" * 20)),
        ("some", (1,)),
        ("fresh", []),
        ("last", None),
    ],
)
def test_other_defaults_are_made(name: str, value: Any) -> None:
    field = record_layout(Defaults)[name]
    assert field.default == ()
    assert field.make_default is not None
    assert field.make_default() == value
    assert type(field.make_default()) is type(value)


def test_a_default_that_does_not_fit_is_refused_when_it_is_needed() -> None:
    make_default = record_layout(Defaults)["odd_type"].make_default
    assert make_default is not None
    with pytest.raises(HexaryError):
        make_default()


def test_a_class_that_makes_its_own_instances_has_no_layout() -> None:
    @rlp.record
    class Made(rlp.Record):
        number: rlp.U8

        def __new__(cls, *_: Any, **__: Any) -> Any:
            return super().__new__(cls)

    class Meta(type):
        def __call__(cls, *arguments: Any, **named: Any) -> Any:
            return super().__call__(*arguments, **named)

    @rlp.record
    class Called(rlp.Record, metaclass=Meta):
        number: rlp.U8

    for cls in (Made, Called):
        assert json_record_layout(codec_of(cls), RPC) is None
        assert cls.from_json({"number": "0x5"}).number == 5
