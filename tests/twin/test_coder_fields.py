"""What fields can hold and do, the accelerator's coder takes as the pure one does."""

from __future__ import annotations

from abc import ABCMeta
from typing import Any, Self

import pytest

from hexary import HexaryError, rlp
from hexary.rlp.codec import codec_of
from hexary.rlp.record_coder import Coder, PureCoder
from record_specimens import ODDITIES, SPECIMENS, Header
from twin.coders import Pair, outcome, pair_of

if Coder is PureCoder:
    pytest.skip("no accelerator in use", allow_module_level=True)

HEADER = SPECIMENS[0]


@pytest.mark.parametrize(
    "value", [None, "x", -1, 2**70, 2.5, b"abc", [1], (1, "x"), []]
)
@pytest.mark.parametrize("record", [*SPECIMENS[:6], ODDITIES])
def test_values_that_were_forced_in_come_to_the_same(record: Any, value: Any) -> None:
    """A record is immutable, but nothing in Python is."""
    pair = pair_of(type(record))
    for name in record.__rlp_fields__:
        forged = record.replace()
        object.__setattr__(forged, name, value)
        for form in ("encode", "encode_alone", "encode_item"):
            native, pure = getattr(pair.native, form), getattr(pair.pure, form)
            assert outcome(native, forged) == outcome(pure, forged), (name, form)


def test_a_field_that_has_no_value_is_an_attribute_error() -> None:
    empty = Header.__new__(Header)
    pair = Pair(Header)
    assert outcome(pair.native.encode, empty) == outcome(pair.pure.encode, empty)
    with pytest.raises(AttributeError):
        pair.native.encode(empty)


def test_a_subclass_may_put_properties_in_place_of_fields() -> None:
    class Later(Header):
        """A header whose number is another one."""

        @property
        def number(self) -> int:  # type: ignore[override]  # that is what is tested
            return 77

    plain = HEADER.replace(number=77)
    later = Later.__new__(Later)
    for name in Header.__rlp_fields__:
        vars(Header)[name].__set__(later, getattr(HEADER, name))
    assert Pair(Header).check_encoding(later) == plain.rlp()
    assert rlp.encode([later]) == rlp.encode([plain])


def test_conversions_raise_in_the_order_of_the_fields() -> None:
    def refuse(value: str) -> bytes:
        raise ValueError(f"no {value}")

    @rlp.record
    class Two(rlp.Record):
        first: str = rlp.field(wire=bytes, encode=str.encode, decode=bytes.decode)
        second: str = rlp.field(wire=bytes, encode=str.encode, decode=bytes.decode)

    pair = Pair(Two)
    two = Two("a", "b")
    for first, second in [(1, 2), ("a", 2), ("\ud800", 2), (refuse, "\ud800")]:
        object.__setattr__(two, "first", first)
        object.__setattr__(two, "second", second)
        native = outcome(pair.native.encode, two)
        assert native == outcome(pair.pure.encode, two)
        assert isinstance(native, tuple)
    pair.check_reading(bytes.fromhex("c461c20161"))
    pair.check_reading(bytes.fromhex("c58261ff8161"))


def test_a_list_may_change_while_it_is_read() -> None:
    class Emptier(str):
        """Text that empties a list when it is encoded."""

        __slots__ = ()

    holder: list[Any] = []

    def encode(value: str) -> bytes:
        holder.clear()
        return value.encode()

    @rlp.record
    class Text(rlp.Record):
        text: str = rlp.field(wire=bytes, encode=encode, decode=bytes.decode)

    @rlp.record
    class Texts(rlp.Record):
        texts: list[Text]

    texts = Texts([Text("a"), Text("b"), Text("c")])
    holder = texts.texts
    encoded = texts.rlp()
    assert encoded == bytes.fromhex("c7c6c161c162c163")
    assert texts.texts == []


def test_a_list_that_holds_something_else_by_now_is_refused_by_its_name() -> None:
    @rlp.record
    class Numbers(rlp.Record):
        numbers: list[rlp.U8]

    numbers = Numbers([1, 2])
    numbers.numbers.append("three")  # type: ignore[arg-type]  # that is what is tested
    with pytest.raises(HexaryError, match="numbers"):
        numbers.rlp()
    pair = Pair(Numbers)
    assert outcome(pair.native.encode, numbers) == outcome(pair.pure.encode, numbers)


def test_classes_with_ways_of_their_own_keep_compiled_python() -> None:
    @rlp.record
    class Counted(rlp.Record, metaclass=ABCMeta):
        number: rlp.U8

    @rlp.record
    class Watched(rlp.Record):
        number: rlp.U8

        def __new__(cls, *_: Any, **__: Any) -> Self:
            return super().__new__(cls)

    @rlp.record
    class Numbered(rlp.Record):
        number: rlp.U8

    @rlp.record
    class Covered(Numbered):
        more: rlp.Trailing[rlp.U8] = None

        @property
        def number(self) -> int:  # type: ignore[override]  # that is what is tested
            return 7

    for cls in (Counted, Watched):
        assert type(codec_of(cls).coder) is PureCoder
        assert rlp.decode(cls, cls(1).rlp()) == cls(1)
    assert type(codec_of(Covered).coder) is PureCoder
    assert rlp.decode(Covered, b"\xc1\x01").number == 7

    @rlp.record
    class Around(rlp.Record):
        counted: Counted
        watched: tuple[Watched, ...]

    assert type(codec_of(Around).coder) is Coder
    around = Around(Counted(1), (Watched(2), Watched(3)))
    Pair(Around).check_encoding(around)
    assert Pair(Around).check_reading(around.rlp()) == (around, len(around.rlp()))
    for size in range(len(around.rlp())):
        Pair(Around).check_reading(around.rlp()[:size])


def test_fields_that_are_looked_for_elsewhere_keep_compiled_python() -> None:
    """What a class has for its attributes is asked for them."""

    @rlp.record
    class Seven(rlp.Record):
        number: rlp.U8

        def __getattribute__(self, name: str) -> Any:
            return 7 if name == "number" else super().__getattribute__(name)

    @rlp.record
    class Nine(rlp.Record):
        number: rlp.U8

        def __getattr__(self, name: str) -> int:
            return 9

    nine = Nine(1)
    object.__delattr__(nine, "number")
    for cls, record, encoded in (
        (Seven, Seven(1), b"\xc1\x07"),
        (Nine, nine, b"\xc1\x09"),
    ):
        assert codec_of(cls).coder.encode(record) == encoded
        assert type(codec_of(cls).coder) is PureCoder
