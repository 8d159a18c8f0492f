"""Which annotations and options a record may have, and when they are looked at."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated, Any, Generic, NewType, TypeVar

import pytest

from hexary import (
    Bytes,
    DecodeError,
    Hash,
    InputTypeError,
    RangeError,
    rlp,
)
from hexary.typed import FixedSizeBytes, FixedSizeHexNumber
from record_specimens import (
    ListedTransaction,
)


@rlp.record
class Earlier(rlp.Record):
    """Refers to a class that comes after it."""

    later: Later
    several: tuple["Later", ...] = ()  # noqa: UP037 - a quoted part is the test


@rlp.record
class Later(rlp.Record):
    """Comes after the class that refers to it."""

    value: rlp.U8


def test_annotations_may_refer_to_later_classes() -> None:
    earlier = Earlier(Later(1), (Later(2),))
    assert rlp.decode(Earlier, earlier.rlp()) == earlier


def make(annotation: Any, **options: Any) -> Any:
    """Return a record with one field of this annotation."""
    namespace = {"__annotations__": {"value": annotation}, "__module__": __name__}
    return rlp.record(type("Made", (rlp.Record,), {**namespace, **options}))


@pytest.mark.parametrize(
    ("annotation", "hint"),
    [
        (int, "say how wide it is, as in rlp.U256"),
        (str, "Made.value must be one that the table in hexary.rlp.fields has"),
        (dict[str, int], "Made.value must be"),
        (object, "Made.value must be"),
        (5, "Made.value must be"),
        (FixedSizeBytes, "give it a size, as in FixedSizeBytes[4]"),
        (FixedSizeHexNumber, "give it a size, as in FixedSizeHexNumber[4]"),
        (rlp.Record, "decorate the class with rlp.record"),
        (rlp.U8 | None, "an item could be either of two"),
        (Bytes | None, "an item could be either of two"),
        (bool | None, "an item could be either of two"),
        (rlp.U8 | bool, "an item could be either of two"),
        (Bytes | Hash, "an item could be either of two"),
        (tuple[rlp.U8, ...] | Earlier, "an item could be either of two"),
        (rlp.Raw | None, "an item could be either of two"),
        (Earlier | Later, "both have type 0"),
        (Annotated[bytes, rlp.Uint(8)], "Uint(8) is for ints"),
        (Annotated[bool, rlp.Uint(8)], "Uint(8) is for ints"),
        (Annotated[int, rlp.Size(1)], "Size(1, 1) is for bytes"),
        (Annotated[bytes, rlp.BARE], "BARE is for records"),
        (tuple[rlp.Trailing[rlp.U8], ...], "a trailing field is not part of another"),
        (
            tuple[Annotated[int, rlp.TypeByte(1)], ...],
            "a type byte is a field of its own",
        ),
        ("nowhere", "name 'nowhere' is not defined"),
        ("rlp.nothing", "no attribute 'nothing'"),
        ("1 +", "invalid syntax"),
    ],
)
def test_annotations_that_are_no_kind_are_refused_at_the_first_use(
    annotation: Any, hint: str
) -> None:
    kind = make(annotation)
    with pytest.raises(InputTypeError) as refusal:
        kind(value=1)
    assert hint in str(refusal.value)
    with pytest.raises(InputTypeError):
        rlp.decode(kind, b"\xc0")


@pytest.mark.parametrize(
    "annotation",
    [
        tuple[()],
        Annotated[rlp.U8, "a mark of somebody else's"],
        "rlp.U8",
        Annotated[ListedTransaction, rlp.BARE] | None,
    ],
)
def test_unusual_annotations_are_fine(annotation: Any) -> None:
    assert make(annotation).from_rlp is not None
    with pytest.raises(DecodeError):
        make(annotation).from_rlp(b"")


@rlp.record
class Snake(rlp.Record):
    """Holds itself."""

    tail: tuple[Snake, ...]


def test_a_record_does_not_hold_itself() -> None:
    with pytest.raises(InputTypeError, match="Snake → Snake"):
        Snake(())
    with pytest.raises(InputTypeError, match="a record that does not hold itself"):
        rlp.decode(Snake, b"\xc1\xc0")


def test_a_record_has_one_type_byte() -> None:
    @rlp.record(type_byte=1)
    class Twice(rlp.Record):
        type: Annotated[int, rlp.TypeByte(1)]

    with pytest.raises(InputTypeError, match="a record has one type byte"):
        Twice(1)


def test_only_trailing_fields_follow_trailing_ones() -> None:
    @rlp.record
    class Late(rlp.Record):
        late: rlp.Trailing[rlp.U8] = None
        other: rlp.U8 = 0

    with pytest.raises(InputTypeError, match="only trailing fields follow"):
        Late()


@pytest.mark.parametrize("name", ["rlp", "hash", "replace", "to_json", "__x"])
def test_names_of_the_methods_are_refused_as_fields(name: str) -> None:
    with pytest.raises(InputTypeError, match="name of a field"):
        rlp.record(type("Made", (), {"__annotations__": {name: rlp.U8}}))


def test_defaults_come_last() -> None:
    with pytest.raises(InputTypeError, match=r"Wrong\.second must be given a default"):

        @rlp.record
        class Wrong(rlp.Record):
            first: rlp.U8 = 1
            second: rlp.U8


def test_bad_options_are_refused() -> None:
    class Some(rlp.Record):
        value: rlp.U8

    refused: list[tuple[dict[str, Any], type[Exception]]] = [
        ({"type_byte": 0}, RangeError),
        ({"type_byte": 128}, RangeError),
        ({"type_byte": True}, InputTypeError),
        ({"json_type": -1}, RangeError),
        ({"views": {"signing": ["nothing"]}}, InputTypeError),
    ]
    for options, error in refused:
        with pytest.raises(error):
            rlp.record(**options)(Some)
    with pytest.raises(InputTypeError):
        rlp.record(5)
    with pytest.raises(InputTypeError, match="without __slots__"):
        rlp.record(Earlier)
    with pytest.raises(InputTypeError, match="both or neither"):
        rlp.field(encode=bytes)
    with pytest.raises(InputTypeError, match="given one of them"):
        rlp.field(default=1, default_factory=int)


@pytest.mark.parametrize(
    ("mark", "error"),
    [
        (lambda: rlp.Uint(-1), RangeError),
        (lambda: rlp.Uint("8"), InputTypeError),
        (lambda: rlp.Uint(True), InputTypeError),
        (lambda: rlp.Size(3, 2), RangeError),
        (lambda: rlp.Size(-1), RangeError),
        (lambda: rlp.TypeByte(0), RangeError),
        (lambda: rlp.TypeByte(128), RangeError),
    ],
)
def test_bad_marks_are_refused(
    mark: Callable[[], object], error: type[Exception]
) -> None:
    with pytest.raises(error):
        mark()


def test_marks_show_what_they_are() -> None:
    marks = (rlp.Uint(8), rlp.Size(1, 2), rlp.TypeByte(2, 1), rlp.BARE)
    assert [repr(mark) for mark in marks] == [
        "Uint(8)",
        "Size(1, 2)",
        "TypeByte(1, 2)",
        "BARE",
    ]


Seconds = NewType("Seconds", int)
Content = TypeVar("Content")


@rlp.record
class Box(rlp.Record, Generic[Content]):
    """A record that a type checker is told more of."""

    number: rlp.U8

    def content(self) -> Content | None:
        """Return nothing, of the type that it is said to have."""
        return None


def test_a_generic_record_is_the_record() -> None:
    @rlp.record
    class Shelf(rlp.Record):
        boxes: tuple[Box[str], ...]
        best: Box[int]

    shelf = Shelf((Box(1), Box[str](2)), Box[int](3))
    assert shelf.rlp().hex() == "c7c4c101c102c103"
    assert rlp.decode(Shelf, shelf.rlp()) == shelf
    assert rlp.decode(Box[int], b"\xc1\x07") == Box[int].from_rlp(b"\xc1\x07") == Box(7)

    @rlp.record
    class Crate(Box[bytes]):
        more: rlp.U8

    assert Crate(1, 2).rlp().hex() == "c20102"


def test_a_field_of_any_type_is_no_kind() -> None:
    @rlp.record
    class Open(rlp.Record, Generic[Content]):
        content: Content

    with pytest.raises(InputTypeError, match=r"Open\.content must be one that"):
        Open(1)


def test_a_new_type_is_what_it_is_made_of() -> None:
    @rlp.record
    class Wait(rlp.Record):
        time: Annotated[Seconds, rlp.Uint(16)]

    assert rlp.decode(Wait, Wait(Seconds(300)).rlp()).time == 300
    with pytest.raises(RangeError):
        Wait(Seconds(2**16))


@pytest.mark.skipif(
    sys.version_info < (3, 12), reason="type statements came with Python 3.12"
)
def test_an_alias_is_what_it_stands_for() -> None:
    names: dict[str, Any] = {"rlp": rlp, "Later": Later}
    exec("type Many = tuple[One, ...]\ntype One = Later | None", names)  # noqa: S102 - a syntax error to older versions

    Many = names["Many"]  # noqa: N806 - the name of a type

    @rlp.record
    class Holder(rlp.Record):
        many: Many

    holder = Holder((Later(1), None))
    assert holder.rlp().hex() == "c4c3c10180"
    assert rlp.decode(Holder, holder.rlp()) == holder
    assert rlp.decode(Many, b"\xc1\x80") == (None,)


@pytest.mark.parametrize("name", ["__init__", "__rlp_list__", "__rlp_whole__"])
def test_methods_that_are_written_for_the_class_are_not_its_own(name: str) -> None:
    body = {"__annotations__": {"number": rlp.U8}, name: rlp.Record.hash}
    with pytest.raises(InputTypeError, match=f"without {name}"):
        rlp.record(type("Own", (rlp.Record,), body))


Endless = tuple["Endless", ...]


def test_annotations_that_hold_themselves_are_refused() -> None:
    @rlp.record
    class Tree(rlp.Record):
        branches: Endless

    for _ in range(2):
        with pytest.raises(InputTypeError, match="it holds itself"):
            Tree(())


@pytest.mark.parametrize(
    ("around", "items"),
    [
        (lambda inner: tuple[inner, ...], ()),
        (lambda inner: list[inner], ()),
        (lambda inner: tuple[inner, rlp.U8], (7,)),
    ],
    ids=["many", "list", "two"],
)
def test_annotations_are_nested_as_deep_as_code_can_be(
    around: Any, items: tuple[int, ...]
) -> None:
    """Lists in lists are loops in loops to it, of which Python allows twenty."""
    deep: Any = rlp.U8
    for _ in range(14):
        deep = around(deep)

    @rlp.record
    class Deep(rlp.Record):
        content: deep

    value: Any = 5
    for _ in range(14):
        value = (value, *items)
    record = Deep(value)
    assert Deep.from_rlp(record.rlp()) == Deep.from_rlp(record.rlp(), max_depth=99)
    assert Deep.from_rlp(record.rlp()) == record == Deep.from_json(record.to_json())
    with pytest.raises(DecodeError) as refusal:
        Deep.from_rlp(record.rlp().replace(b"\x05", b"\x00"))
    assert refusal.value.field.startswith("deep.content[0][0]")
    with pytest.raises(InputTypeError, match="nested deeply"):
        rlp.decode(around(around(deep)), b"\xc0")


@pytest.mark.skipif(
    sys.version_info < (3, 12), reason="type statements came with Python 3.12"
)
def test_aliases_that_hold_themselves_are_refused() -> None:
    names: dict[str, Any] = {}
    exec("type Self = Self\ntype Tree = tuple[Tree, ...]", names)  # noqa: S102 - a syntax error to older versions
    for alias in (names["Self"], names["Tree"]):
        with pytest.raises(InputTypeError, match="it holds itself"):
            rlp.decode(alias, b"\xc0")


def test_a_field_may_be_called_self() -> None:
    @rlp.record
    class Mirror(rlp.Record):
        self: rlp.U8
        cls: rlp.U8

    one = Mirror(self=1, cls=2)
    assert one.replace(self=3, cls=4) == Mirror(3, 4)
    assert Mirror.from_json(one.to_json()) == one
