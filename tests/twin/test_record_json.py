"""The accelerator reads records in JSON as the definition does, or gives up."""

from __future__ import annotations

import gc
import sys
from collections import UserDict
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import hexary
from hexary import Address, Bytes, Hash, HashInt, StorageKey, rlp
from hexary.chain.json_member import require_members
from hexary.rlp.codec import codec_of
from hexary.rlp.kinds import JsonForm
from hexary.rlp.record_json import _read_carefully, write_object
from hexary.rlp.record_source import make_json_reader
from hexary.rlp.source import RETRIES
from hexary.twin import pure_twins
from property.chain_strategies import RECORDS
from property.json_places import changed, places
from record_specimens import SPECIMENS, Even

PURE = pure_twins()

if not PURE:
    pytest.skip("no accelerator in use", allow_module_level=True)

make_pure_reader = PURE["hexary.rlp.record_source.make_json_reader"]
pure_require_members = PURE["hexary.chain.json_member.require_members"]

BRIEF = settings(
    max_examples=12, suppress_health_check=[HealthCheck.too_slow], deadline=None
)
FORMS = [
    JsonForm(fixture=fixture, refuse_unknown=refuse)
    for fixture in (False, True)
    for refuse in (False, True)
]
RPC = FORMS[0]


class Text(str):
    """A str, but not exactly."""

    __slots__ = ()


class Number(int):
    """An int, but not exactly."""

    __slots__ = ()


class Object(dict[str, Any]):
    """A dict, but not exactly."""


OTHER = st.one_of(
    st.sampled_from(
        [
            *(None, True, False, [], {}, "", -1, 1.5, 0, 1, 2, 10**30, 2**64, 2**256),
            *("0x", "0x0", "0x1", "0x01", "0X1", "0x2", "1", "01", "zz", "-1", " 0x1"),
            *("\ud800", "0x\ud800", "é", "0xé0", "0x1\0", "9" * 19, "9" * 20, "9" * 90),
            *("0x" + "0" * 1022 + "1", "0x" + "0" * 1023 + "1", "0x" + "0" * 4000),
            *("0x" + "f" * 16, "0x1" + "0" * 16, "0x" + "f" * 64, "0x1" + "0" * 64),
            *("11" * 20, "0x" + "11" * 20, "11" * 32, "0x" + "11" * 33),
            *("0xg" + "1" * 63, "0x" + "1" * 64 + "\0", "0x" + "1" * 63 + "é"),
            *([[]], [None], {"a": 1}, float("nan"), b"0x1", ("0x1",), Text("0x1")),
            *(Number(1), HashInt(1), Hash(1), Object(), UserDict(), [Text("0x1")]),
        ]
    ),
    st.integers(0, 2**256).map(hex),
    st.binary(max_size=40).map(lambda data: "0x" + data.hex()),
    st.text("0123456789abcdefABCDEFxX", max_size=70),
)


@rlp.record
class Named(rlp.Record):
    """A record whose fields have several names, defaults of every sort, and none."""

    number: rlp.U64 = rlp.field(json="num", fixture="n", aliases=("n", "num", "third"))
    to: Address | None = rlp.field(default=None, aliases=("recipient",))
    unnamed: rlp.U8 = rlp.field(default=7, json="", fixture="")
    spelled: Address = "0x" + "11" * 20  # type: ignore[assignment]  # it is converted
    wrong: rlp.U8 = 256
    many: tuple[rlp.U8, ...] = ()
    fresh: list[rlp.U8] = rlp.field(default_factory=list, aliases=("new",))
    started: list[rlp.U8] = rlp.field(default=[1, 2])
    last: rlp.Trailing[rlp.U8] = rlp.field(default=None, aliases=("end",))
    very_last: rlp.Trailing[Bytes] = rlp.field(default=None)


@rlp.record
class Checked(rlp.Record):
    """A record that refuses some values, each in a way of its own."""

    number: rlp.U8

    def __post_init__(self) -> None:
        if self.number % 2:
            raise ValueError("the number is even")
        if self.number == 66:
            raise ZeroDivisionError("not this one")


@rlp.record
class Converted(rlp.Record):
    """A record of functions of one's own."""

    text: str = rlp.field(
        wire=bytes, encode=str.encode, decode=bytes.decode, from_json=str, to_json=str
    )
    doubled: rlp.U8 = rlp.field(from_json=lambda value: value * 2, to_json=lambda v: v)
    even: Even
    inner: tuple[Checked, ...]
    form: Annotated[bytes, rlp.Size(2)] | Hash | bool


@rlp.record
class Made(rlp.Record):
    """A record with a constructor before its constructor."""

    number: rlp.U8

    def __new__(cls, *_: Any, **__: Any) -> Any:
        made = super().__new__(cls)
        MADE.append(made)
        return made


@rlp.record
class Holder(rlp.Record):
    """A record that holds such a one."""

    made: Made


MADE: list[Any] = []
NAMED = Named(1, Address(2), 3, Address(4), 5, (6,), [7], [8], 9, Bytes(b"end"))
CONVERTED = Converted("é", 2, Even(b"\0\2"), (Checked(2),), Hash(3))
MORE = [NAMED, CONVERTED, Checked(8), Made(4), Holder(Made(5)), *SPECIMENS]


def told(value: Any) -> object:
    """Return a value with the types of all that it is made of."""
    if isinstance(value, rlp.Record):
        names = value.__rlp_fields__
        return type(value), [told(getattr(value, name)) for name in names]
    if isinstance(value, (tuple, list)):
        return type(value), [told(each) for each in value]
    return type(value), value


def outcome(function: Callable[..., Any], *arguments: Any) -> object:
    """Return what *function* returns, types and all, or what its error says."""
    try:
        return told(function(*arguments))
    except Exception as error:  # noqa: BLE001  # whatever it is, it has to be the same
        return type(error), str(error), getattr(error, "field", None)


def compare(cls: Any, value: Any, form: JsonForm) -> bool:
    """Compare the readers; return whether the accelerator's has accepted."""
    codec = codec_of(cls)
    careful = outcome(_read_carefully, codec, value, form, (codec.title,))
    spelling = "fixture" if form.fixture else "rpc"
    unknown = "refuse" if form.refuse_unknown else "ignore"
    # By the class: what is refused is refused with the same words, at the same place.
    whole = rlp.Record.from_json.__func__  # type: ignore[attr-defined]
    assert outcome(lambda: whole(cls, value, spelling=spelling, unknown=unknown)) == (
        careful
    )
    try:
        native = codec.json_reader(form)(value)
    except (*RETRIES, TypeError, ArithmeticError):
        return False
    assert told(native) == careful
    assert outcome(make_pure_reader(codec, form), value) == careful
    return True


def test_the_reader_is_the_accelerators():
    for cls in (Named, Converted, Checked):
        assert type(codec_of(cls).json_reader(RPC)) is type(len)
    # What is made by code of its own is left to Python.
    assert type(codec_of(Made).json_reader(RPC)) is type(lambda: None)


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("form", FORMS)
@BRIEF
@given(data=st.data(), other=OTHER)
def test_records_of_the_chain(name, form, data, other):
    record = data.draw(RECORDS[name])
    cls = type(record)
    codec = codec_of(cls)
    written = write_object(codec, record, form)
    accepted = compare(cls, written, form)
    assert accepted == (outcome(make_pure_reader(codec, form), written) == told(record))
    path = data.draw(st.sampled_from(list(places(written))))
    compare(cls, changed(written, path, lambda _: other), form)
    if path:
        compare(cls, changed(written, path, None), form)


@pytest.mark.parametrize("index", range(len(MORE)))
@pytest.mark.parametrize("form", FORMS)
@BRIEF
@given(data=st.data(), other=OTHER)
def test_records_of_every_kind(index, form, data, other):
    record = MORE[index]
    written = write_object(codec_of(type(record)), record, form)
    compare(type(record), written, form)
    path = data.draw(st.sampled_from(list(places(written))))
    compare(type(record), changed(written, path, lambda _: other), form)
    if path:
        compare(type(record), changed(written, path, None), form)


@pytest.mark.parametrize("form", FORMS)
@BRIEF
@given(
    members=st.dictionaries(
        st.sampled_from(
            [
                *("num", "n", "third", "to", "recipient", "many", "fresh", "new"),
                *("spelled", "wrong", "started", "last", "end", "veryLast", "", "type"),
                *("unknown", 5, None, Text("num"), Text("unknown")),
            ]
        ),
        OTHER | st.lists(st.just("0x1"), max_size=2) | st.just("0x1"),
    )
)
def test_several_names_and_defaults(form, members):
    compare(Named, {"wrong": "0x1", **members}, form)
    compare(Named, members, form)


PLAIN = {"num": "0x1", "wrong": "0x2"}


@pytest.mark.parametrize(
    ("members", "accepted"),
    [
        (PLAIN, True),
        ({"n": "0x1", "third": "0x1", "wrong": 2}, True),
        ({**PLAIN, "n": None}, True),
        ({**PLAIN, "n": "0x01"}, False),
        ({**PLAIN, "n": Text("0x1")}, False),
        ({"num": 1, "n": 1, "wrong": 2}, False),
        ({"num": 1, "wrong": 2**64}, False),
        ({"num": "0x1"}, False),
        ({**PLAIN, "to": "", "recipient": ""}, True),
        ({**PLAIN, "last": None, "veryLast": "0x00"}, False),
        ({**PLAIN, "last": "0x1", "veryLast": "0x00"}, True),
        ({**PLAIN, "spelled": "22" * 20, "many": ["0x1", 2], "started": []}, True),
        ({**PLAIN, "many": ("0x1",)}, False),
        (Object(PLAIN), False),
        (UserDict(PLAIN), False),
    ],
)
def test_what_is_plain(members, accepted):
    assert compare(Named, members, RPC) is accepted


@pytest.mark.parametrize(
    ("text", "accepted"),
    [
        ("0x" + "0" * 1022, True),
        ("0x" + "0" * 1023, False),
        ("0xffffffffffffffff", True),
        ("0x10000000000000000", False),
        (2**64 - 1, True),
        (2**64, False),
        (True, False),
        ("18446744073709551616", False),
        ("1844674407370955161", True),
        ("0x", False),
        ("", False),
    ],
)
def test_how_long_and_how_large_a_number_may_be(text, accepted):
    assert compare(Named, {"num": text, "wrong": 1}, RPC) is accepted


@rlp.record
class Slot(rlp.Record):
    """A record with a key, which short text is padded to where it is none."""

    key: StorageKey | None


@pytest.mark.parametrize(
    ("text", "key"),
    [("", None), ("0x", None), ("0x1", StorageKey(1)), (None, None)],
)
def test_absence_is_told_from_text_of_other_classes(text, key):
    """No text is no key, and no key of zeros, whatever class the text is of."""
    assert Slot.from_json({"key": text}) == Slot(key)
    if text is not None:
        assert Slot.from_json({"key": Text(text)}) == Slot(key)
        compare(Slot, {"key": Text(text)}, RPC)


def test_a_default_is_made_anew_each_time():
    read = codec_of(Named).json_reader(RPC)
    one, other = read(PLAIN), read(PLAIN)
    for name, value in (("fresh", []), ("started", [1, 2])):
        assert getattr(one, name) == value
        assert getattr(one, name) is not getattr(other, name)
    assert one.spelled == Address("0x" + "11" * 20)


def test_a_check_may_refuse_or_fail():
    assert compare(Checked, {"number": 2}, RPC)
    assert not compare(Checked, {"number": 1}, RPC)
    with pytest.raises(ZeroDivisionError):
        Checked.from_json({"number": "0x42"})


def test_a_class_that_makes_its_instances_makes_them():
    MADE.clear()
    made = Holder.from_json({"made": {"number": "0x5"}})
    assert made.made is MADE[0]
    assert len(MADE) == 1


class Meddling(str):
    """A key that changes the object when it is compared."""

    __slots__ = ("target",)

    target: Any

    def __eq__(self, other: object) -> bool:
        self.target.clear()
        gc.collect()
        return False

    def __hash__(self) -> int:
        return hash("num")


class Failing(Meddling):
    """A key that cannot be compared."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        raise ZeroDivisionError

    __hash__ = Meddling.__hash__


@pytest.mark.usefixtures("usual_stack")
def test_records_in_records_are_as_deep_as_the_stack():
    """What is too deep for it is a RecursionError, as it is of Python's own code."""
    cls: Any = Checked
    record: Any = Checked(2)
    value: Any = {"number": "0x2"}
    for depth in range(900):
        body = {"__annotations__": {"inner": cls}, "__module__": __name__}
        cls = rlp.record(type(f"Nested{depth}", (rlp.Record,), body))
        codec_of(cls).json_reader(RPC)
        record, value = cls(record), {"inner": value}
    read_json = codec_of(cls).json_reader(RPC)
    assert codec_of(cls).coder.encode(read_json(value)) == record.rlp()

    def descend(levels: int) -> Any:
        return descend(levels - 1) if levels else read_json(value)

    if sys.version_info >= (3, 12):
        # What C may use is no longer counted with what Python uses.
        assert codec_of(cls).coder.encode(descend(500)) == record.rlp()
        return
    with pytest.raises(RecursionError):
        descend(500)


@pytest.mark.parametrize("form", FORMS)
def test_keys_that_change_the_object(form):
    for _ in range(50):
        members: dict[str, Any] = {}
        key = Meddling("num")
        key.target = members
        members[key] = "0x" + "1" * 8
        dict.update(members, {"wrong": "0x" + "2" * 2, "to": "0x" + "33" * 20})
        with pytest.raises(hexary.FixtureError):
            Named.from_json(members)


def test_keys_that_cannot_be_compared():
    with pytest.raises(ZeroDivisionError):
        Named.from_json({Failing("num"): "0x1"})
    with pytest.raises(ZeroDivisionError):
        require_members({Failing("num"): "0x1"}, [("num",)], path="named")


def test_lists_that_change_while_they_are_read():
    values: list[Any] = []

    @rlp.record
    class Emptying(rlp.Record):
        number: rlp.U8 = rlp.field(
            from_json=lambda value: values.clear() or value, to_json=int
        )

    @rlp.record
    class Many(rlp.Record):
        many: tuple[Emptying, ...]

    values += [{"number": 1}, {"number": 2}]
    with pytest.raises(RETRIES):
        codec_of(Many).json_reader(RPC)({"many": values})


@given(
    value=st.dictionaries(st.sampled_from(["a", "b", "c", Text("a"), 1]), st.none()),
    members=st.lists(
        st.lists(st.sampled_from(["a", "b", "c", Text("c"), 1]), max_size=3).map(tuple)
    ),
    as_tuple=st.booleans(),
)
def test_required_members(value, members, as_tuple):
    given_members = tuple(members) if as_tuple else members
    for each in (value, UserDict(value)):
        assert outcome(
            partial(require_members, path="object"), each, given_members
        ) == (
            outcome(partial(pure_require_members, path="object"), each, given_members)
        )


@pytest.mark.parametrize("arguments", [(), ({},), ({}, ()), ({}, (), "path")])
def test_required_members_with_wrong_arguments(arguments):
    for function in (require_members, pure_require_members):
        with pytest.raises(TypeError):
            function(*arguments)


@pytest.mark.parametrize(
    "layout",
    [
        (),
        ("unknown",),
        ("bytes", 1),
        ("bytes", 1, 2, int, None),
        ("bytes", 1, "2", bytes, None),
        ("uint", 5, bytes, 1),
        ("sequence", ("unknown",), tuple),
        ("tuple", (("bool",), ("unknown",))),
        ("optional", ()),
        ("choice", ()),
    ],
)
def test_a_layout_that_is_none_is_refused(accelerator, layout):
    """Only a kind of one's own could come up with one."""

    class Kind:
        name = "number"
        json = fixture = "number"
        aliases = ()
        trailing = False
        has_default = False
        options = rlp.field()
        kind: Any

        def json_layout(self, _: JsonForm) -> Any:
            return layout

    codec = codec_of(Checked)
    odd: Any = Kind()
    odd.kind = odd
    copy = object.__new__(type(codec))
    vars(copy).update({**vars(codec), "all_fields": {"number": odd}})
    with pytest.raises((TypeError, ValueError, IndexError)):
        make_json_reader(copy, RPC)
