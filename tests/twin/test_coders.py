"""The accelerator's coder of records against the one in compiled Python."""

from __future__ import annotations

import gc
import pickle
import sys
import weakref
from abc import ABCMeta
from functools import cache
from typing import Annotated, Any, Self

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hexary import Address, Bytes, DecodeError, Hash, HexaryError, HexNumber, rlp
from hexary.rlp.codec import codec_of
from hexary.rlp.record_coder import Coder, PureCoder
from hexary.rlp.source import RETRIES
from hexary.typed import FixedSizeBytes
from property.chain_strategies import RECORDS
from record_specimens import (
    ODDITIES,
    SPECIMENS,
    Header,
    Letter,
    ListedTransaction,
    Receipt,
)

if Coder is PureCoder:
    pytest.skip("no accelerator in use", allow_module_level=True)

BRIEF = settings(
    max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None
)
HEADER = SPECIMENS[0]


class Pair:
    """Both coders of a class."""

    def __init__(self, cls: Any, without: frozenset[str] = frozenset()) -> None:
        codec = codec_of(cls)
        self.native: Any = Coder(codec, without)
        self.pure: Any = PureCoder(codec, without)
        assert type(self.native) is not PureCoder

    def check_reading(self, data: bytes, start: int = 0) -> Any:
        """Return what both read alone, ``None`` if both give up."""
        native = read(self.native.read_alone, data, start)
        pure = read(self.pure.read_alone, data, start)
        assert native == pure
        assert shape(native) == shape(pure)
        return native

    def check_encoding(self, record: Any) -> bytes:
        """Return what both encode a record as, in all forms."""
        for name in ("encode", "encode_item"):
            native, pure = getattr(self.native, name), getattr(self.pure, name)
            assert native(record) == pure(record)
        for extra in (b"", rlp.encode([b"more"])):
            assert self.native.encode_with(record, extra) == self.pure.encode_with(
                record, extra
            )
        encoded: bytes = self.native.encode_alone(record)
        assert encoded == self.pure.encode_alone(record)
        return encoded


@cache
def pair_of(cls: Any) -> Pair:
    """Return the coders of a class that many cases are about."""
    return Pair(cls)


def read(function: Any, data: bytes, start: int = 0) -> Any:
    """Return what a reader returns, ``None`` if it gives up."""
    try:
        record, stop = function(data, start)
    except RETRIES:
        return None
    # Compiled Python leaves it to its caller to see that the bytes are all there.
    return (record, stop) if stop <= len(data) else None


def shape(value: Any) -> Any:
    """Return a value with the classes of all that it is made of."""
    if isinstance(value, rlp.Record):
        inner = [shape(getattr(value, name)) for name in value.__rlp_fields__]
        return type(value), inner
    if isinstance(value, (list, tuple)):
        return type(value), [shape(one) for one in value]
    return type(value), value


def outcome(function: Any, *arguments: Any) -> object:
    """Return what a call returns, or what its error tells."""
    try:
        return function(*arguments)
    except Exception as error:  # noqa: BLE001 - whatever it is, both have to raise it
        return type(error), str(error)


@st.composite
def mutated(draw: st.DrawFn, data: bytes) -> bytes:
    """Return bytes that differ from *data* a little."""
    made = bytearray(data)
    bytes_of_headers = st.sampled_from(
        [0, 1, 0x7F, 0x80, 0x81, 0x88, 0xA0, 0xB7, 0xB8, 0xC0, 0xC1, 0xF7, 0xF8, 0xFF]
    )
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(made)))
        byte = draw(bytes_of_headers | st.integers(0, 255))
        how = draw(st.sampled_from(["change", "change", "insert", "delete", "cut"]))
        if how == "insert":
            made.insert(place, byte)
        elif how == "cut":
            del made[place:]
        elif how == "delete":
            del made[place : place + 1]
        elif place < len(made):
            made[place] = byte
    return bytes(made)


def check_record(pair: Pair, record: Any, data: st.DataObject) -> None:
    """Check that both coders agree about a record, and about what resembles it."""
    encoded = pair.check_encoding(record)
    found, stop = pair.check_reading(encoded)
    assert (found, stop) == (record, len(encoded))
    assert pair.check_reading(b"\x00" + encoded + b"\x00", 1) == (record, stop + 1)
    for _ in range(8):
        pair.check_reading(data.draw(mutated(encoded)))


@pytest.mark.parametrize("record", SPECIMENS)
@BRIEF
@given(data=st.data())
def test_coders_agree_about_specimens(record: Any, data: st.DataObject) -> None:
    check_record(pair_of(type(record)), record, data)


@pytest.mark.parametrize("name", RECORDS)
@BRIEF
@given(data=st.data())
def test_coders_agree_about_the_chain(name: str, data: st.DataObject) -> None:
    record = data.draw(RECORDS[name])
    check_record(pair_of(type(record)), record, data)


@pytest.mark.parametrize("record", SPECIMENS)
def test_coders_agree_about_every_cut_and_every_changed_header(record: Any) -> None:
    pair = pair_of(type(record))
    encoded = record.rlp()
    for size in range(len(encoded)):
        assert pair.check_reading(encoded[:size]) is None
    for place in range(len(encoded)):
        for byte in (0, 0x7F, 0x80, 0x81, 0xB8, 0xBF, 0xC0, 0xC1, 0xF8, 0xFF):
            pair.check_reading(encoded[:place] + bytes([byte]) + encoded[place + 1 :])


@given(st.binary(max_size=80))
def test_coders_agree_about_any_bytes(data: bytes) -> None:
    for cls in (Receipt, ListedTransaction, type(ODDITIES)):
        pair_of(cls).check_reading(data)


# ---- classes that are made up ----


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
            (
                Receipt,
                st.sampled_from([one for one in SPECIMENS if type(one) is Receipt]),
            ),
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


@settings(BRIEF, max_examples=150)
@given(records(), st.data())
def test_coders_agree_about_classes_that_are_made_up(
    record: Any, data: st.DataObject
) -> None:
    check_record(Pair(type(record)), record, data)


# ---- instances ----


def test_instances_are_as_the_class_itself_makes_them() -> None:
    """Also what the limited API does not describe: the hash."""
    found, _ = Pair(Header).check_reading(HEADER.rlp())
    for name in ("parent_hash", "coinbase", "logs_bloom", "extra_data", "nonce"):
        mine = getattr(found, name)
        same = type(mine)(bytes(mine))
        assert hash(mine) == hash(same) == hash(bytes(mine))
        assert {same: 1}[mine] == 1
        assert (mine, repr(mine), len(mine)) == (same, repr(same), len(same))
        assert pickle.loads(pickle.dumps(mine)) == same
        assert gc.is_tracked(mine) == gc.is_tracked(same)
    assert found.coinbase.label is None
    assert hash(found) == hash(HEADER)


def test_records_that_were_read_are_immutable() -> None:
    found, _ = Pair(Header).check_reading(HEADER.rlp())
    with pytest.raises(AttributeError, match="immutable"):
        found.number = 1
    assert gc.is_tracked(found)
    assert found.replace(number=1).number == 1


def test_classes_of_records_are_collected_with_their_coders() -> None:
    @rlp.record
    class Brief(rlp.Record):
        text: Annotated[Shout, rlp.Size(0, 9)]

    assert rlp.decode(Brief, Brief(Shout(b"a")).rlp()).text == b"a"
    seen = weakref.ref(Brief)
    del Brief
    gc.collect()
    assert seen() is None


# ---- what fields can do ----


def checked(*, refuse: bool = False) -> Any:
    """Return a class with a check of its own."""

    @rlp.record
    class Checked(rlp.Record):
        number: rlp.U8
        data: Annotated[Shout, rlp.Size(0, 9)]

        def __post_init__(self) -> None:
            if refuse or self.number == 5:
                raise ValueError(f"five, with {self.data!r}")

    return Checked


@pytest.mark.parametrize(
    "payload", ["c20161", "c20561", "c2013f", "c20161ff", "c10161", "c3016161", "c301"]
)
def test_checks_of_the_users_own_are_called(payload: str) -> None:
    cls = checked()
    data = bytes.fromhex(payload)
    Pair(cls).check_reading(data)
    found = outcome(cls.from_rlp, data)
    accepted = payload == "c20161"
    assert (type(found) is cls) == accepted
    if not accepted:
        assert isinstance(found, tuple)
        assert found[0] is DecodeError


def test_what_is_no_fault_of_the_bytes_is_raised() -> None:
    @rlp.record
    class Broken(rlp.Record):
        number: rlp.U8

        def __post_init__(self) -> None:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        rlp.decode(Broken, b"\xc1\x01")


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


def test_instances_are_made_with_what_their_other_bases_need() -> None:
    """An exception has arguments, even where its class says it is made as an object."""

    class Plain:
        __slots__ = ()
        __new__ = object.__new__

    @rlp.record
    class FailureError(Plain, rlp.Record, Exception):
        number: rlp.U8

    for failure in (
        FailureError.from_rlp(b"\xc1\x05"),
        FailureError.from_json({"number": 5}),
    ):
        assert failure == FailureError(5)
        assert failure.args == ()
        assert Exception.__str__(failure) == ""


@pytest.mark.usefixtures("usual_stack")
def test_records_in_records_are_as_deep_as_the_stack() -> None:
    """What is too deep for it is a RecursionError, as it is of Python's own code."""
    cls: Any = Letter
    value: Any = Letter(1)
    for depth in range(900):
        body = {"__annotations__": {"inner": cls}, "__module__": __name__}
        cls = rlp.record(type(f"Nested{depth}", (rlp.Record,), body))
        value = cls(value)
    encoded = codec_of(cls).coder.encode(value)
    found, stop = codec_of(cls).coder.read(encoded, 0)
    assert stop == len(encoded)
    assert codec_of(cls).coder.encode(found) == encoded

    def descend(levels: int) -> bytes:
        return descend(levels - 1) if levels else codec_of(cls).coder.encode(value)

    if sys.version_info >= (3, 12):
        # What C may use is no longer counted with what Python uses.
        assert descend(500) == encoded
        assert deep_reading(cls, encoded, 500)[1] == stop
        return
    with pytest.raises(RecursionError):
        descend(500)
    with pytest.raises(RecursionError):
        deep_reading(cls, encoded, 500)


def deep_reading(cls: Any, data: bytes, levels: int) -> Any:
    """Read where little of the stack is left."""
    if levels:
        return deep_reading(cls, data, levels - 1)
    return codec_of(cls).coder.read(data, 0)


# ---- calls that nothing in hexary makes ----


class Forged:
    """What has a layout of any kind."""

    def __init__(self, layout: object) -> None:
        self._layout = layout

    def layout(self, _: object = ()) -> object:
        return self._layout


SLOT = vars(Header)["number"]


@pytest.mark.parametrize(
    "layout",
    [
        None,
        (),
        (Header, {0}, None, (), False, 1),
        (5, {0}, None, (), False),
        (Header, 5, None, (), False),
        (Header, set(), None, (), False),
        (Header, {128}, None, (), False),
        (Header, {"0"}, None, (), False),
        (Header, {0}, 7, (), False),
        (Header, {0}, None, [], False),
        (Header, {0}, None, (1,), False),
        (Header, {0}, None, (("number", 7, False, ("bool",)),), False),
        *(
            (Header, {0}, None, (("number", SLOT, False, inner),), False)
            for inner in [
                *(None, (), (5,), ("other",), ("uint",), ("uint", -1, int, None)),
                *(("uint", "8", int, None), ("uint", 8, bytes, None)),
                *(("bytes", 0, None, int, None), ("bytes", 0, None, 5, None)),
                *(("bytes", -5, None, bytes, None), ("bytes", 0, "x", bytes, None)),
                *(("sequence", 5, tuple, None), ("tuple", [("bool",)])),
                *(("tuple", (("bool",), 5)), ("optional",), ("optional", "x")),
                *(("converted", ("bool",)), ("python", 5), ("record", 5, (0,))),
                *(("record", Forged(5), ()), ("record", Forged(5), (0, 1))),
                *(("typed", {0: 5}), ("typed", []), ("choice", (5,))),
                *(("choice", (((), 5, "x"),)), ("choice", (((5,), 5, ("bool",)),))),
                *(("choice", ()), ("choice", ((((0, -1, False),), 5, ("bool",)),))),
            ]
        ),
    ],
)
def test_what_is_no_layout_is_refused(layout: object) -> None:
    refusals = (TypeError, ValueError, AttributeError, IndexError, SystemError)
    with pytest.raises(refusals):
        Coder(Forged(layout))  # type: ignore[arg-type]  # that is what is tested


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read", ()),
        ("read", (b"\xc0",)),
        ("read", (bytearray(b"\xc0"), 0)),
        ("read", (b"\xc0", "0")),
        ("read", (b"\xc0", 0, 0, 0)),
        ("read", (b"\xc0", 0, "0")),
        ("read_alone", (b"\xc0", 0, 0)),
        ("encode_with", (HEADER,)),
        ("encode_with", (HEADER, "text")),
    ],
)
def test_arguments_of_other_types_are_refused(
    name: str, arguments: tuple[Any, ...]
) -> None:
    with pytest.raises(TypeError):
        getattr(Pair(Header).native, name)(*arguments)


@pytest.mark.parametrize(
    ("data", "arguments"),
    [(b"", (0,)), (b"\xc0", (1,)), (b"\xc0", (2**40,)), (b"\xc0", (-1,)), (b"", (-1,))],
)
def test_positions_outside_are_given_up(data: bytes, arguments: tuple[int]) -> None:
    native = Pair(Receipt).native
    assert read(lambda *_: native.read(data, *arguments), data) is None
    assert read(lambda *_: native.read_alone(data, *arguments), data) is None


def test_types_that_there_are_not_are_given_up() -> None:
    native = Pair(Header).native
    for type_byte in (-1, 128, 2**70):
        with pytest.raises((*RETRIES, OverflowError)):
            native.read(HEADER.rlp(), 0, type_byte)
