"""The compiled readers of records in JSON accept nothing that they should not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hexary import Address, rlp
from hexary.errors import FixtureError
from hexary.rlp.codec import codec_of
from hexary.rlp.kinds import JsonForm
from hexary.rlp.record_json import _read_carefully, write_object
from hexary.rlp.source import RETRIES
from property.chain_strategies import RECORDS
from property.json_places import changed, places
from record_specimens import SPECIMENS

BRIEF = settings(
    max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None
)
PLAIN = ("header", "log", "withdrawal", "authorization", "access list entry", "payload")

FORMS = [
    JsonForm(fixture=fixture, refuse_unknown=refuse)
    for fixture in (False, True)
    for refuse in (False, True)
]

OTHER = st.sampled_from(
    [
        *(None, True, False, [], {}, "", -1, 1.5, 0, 1, 2, 10**30),
        *("0x", "0x0", "0x1", "0x01", "0x2", "1", "01", "zz", "-1", " 0x1", "\ud800"),
        *("0x" + "0" * 1100, "0x" + "f" * 64, "0x" + "f" * 66, "11" * 20, "0X1"),
        *([[]], [None], {"a": 1}, float("nan"), b"0x1", ("0x1",)),
    ]
)


class Text(str):
    """A str, but not exactly."""

    __slots__ = ()


@rlp.record
class Named(rlp.Record):
    """A record whose fields have several names, defaults, and none."""

    number: rlp.U64 = rlp.field(json="num", fixture="n", aliases=("n", "num", "third"))
    to: Address | None = rlp.field(default=None, aliases=("recipient",))
    unnamed: rlp.U8 = rlp.field(default=7, json="", fixture="")
    many: tuple[rlp.U8, ...] = ()
    fresh: list[rlp.U8] = rlp.field(default_factory=list, aliases=("new",))
    last: rlp.Trailing[rlp.U8] = rlp.field(default=None, aliases=("end",))


NAMED = Named(1, Address(2), 3, (4,), [5], 6)


def added(value: Any) -> Any:
    """Return a value, an object with a key more than it had."""
    return {**value, "another": "0x1"} if isinstance(value, dict) else value


def same(record: Any, value: Any, form: JsonForm) -> bool:
    """Compare the two readers; return whether the compiled one has accepted."""
    codec = codec_of(type(record))
    try:
        fast = codec.json_reader(form)(value)
    except RETRIES:
        return False
    careful = _read_carefully(codec, value, form, (codec.title,))
    assert fast == careful
    assert repr(fast) == repr(careful)
    return True


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("form", FORMS)
@BRIEF
@given(data=st.data(), other=OTHER)
def test_records_with_one_thing_changed(name, form, data, other):
    record = data.draw(RECORDS[name])
    written = write_object(codec_of(type(record)), record, form)
    accepted = same(record, written, form)
    assert accepted or name not in PLAIN
    path = data.draw(st.sampled_from(list(places(written))))
    same(record, changed(written, path, lambda _: other), form)
    same(record, changed(written, path, added), form)
    if path:
        same(record, changed(written, path, None), form)


@pytest.mark.parametrize("index", range(len(SPECIMENS)))
@pytest.mark.parametrize("form", FORMS)
@BRIEF
@given(data=st.data(), other=OTHER)
def test_odd_kinds_with_one_thing_changed(index, form, data, other):
    record = SPECIMENS[index]
    written = write_object(codec_of(type(record)), record, form)
    same(record, written, form)
    path = data.draw(st.sampled_from(list(places(written))))
    same(record, changed(written, path, lambda _: other), form)
    same(record, changed(written, path, added), form)
    if path:
        same(record, changed(written, path, None), form)


@pytest.mark.parametrize("form", FORMS)
@BRIEF
@given(
    members=st.dictionaries(
        st.sampled_from(
            [
                *("num", "n", "third", "to", "recipient", "many", "fresh", "new"),
                *("last", "end", "", "type", "unknown"),
            ]
        ),
        OTHER | st.just(Text("0x1")) | st.lists(st.just("0x1"), max_size=2),
    )
)
def test_several_names_of_a_field(form, members):
    same(NAMED, members, form)


@pytest.mark.parametrize(
    ("members", "accepted"),
    [
        ({"num": "0x1"}, True),
        ({"n": "0x1"}, True),
        ({"num": "0x1", "n": "0x1"}, True),
        ({"num": "0x1", "n": "0x01"}, False),
        ({"num": "0x1", "n": "0x2"}, False),
        ({"num": "0x1", "n": None}, True),
        ({"num": "0x1", "last": None, "end": "0x1"}, False),
        ({"num": 1, "n": True}, False),
        ({"n": "0x1", "third": "0x1", "to": "", "recipient": ""}, True),
    ],
)
def test_which_spellings_are_plain(members, accepted):
    """Names that say the same in other words are read, by the definition."""
    assert same(NAMED, members, JsonForm(fixture=False)) is accepted


@pytest.mark.parametrize("form", FORMS)
def test_a_key_that_is_unknown_is_left_to_the_definition_where_it_is_refused(form):
    members = {"n": "0x1", "another": None}
    assert same(NAMED, members, form) is not form.refuse_unknown
    unknown = "refuse" if form.refuse_unknown else "ignore"
    spelling = "fixture" if form.fixture else "rpc"
    if form.refuse_unknown:
        with pytest.raises(FixtureError, match="unknown key"):
            Named.from_json(members, spelling=spelling, unknown=unknown)
    else:
        assert Named.from_json(members, spelling=spelling, unknown=unknown).number == 1


def test_errors_are_those_of_the_definition():
    with pytest.raises(FixtureError) as caught:
        Named.from_json({"num": "0x1", "n": "0x2"})
    assert caught.value.field == "named.n"
    assert Named.from_json({"num": "0x1", "n": "0x01"}).number == 1
