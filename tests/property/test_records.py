"""Records: round trips, mutated bytes, and the compiled decoder against the careful."""

from __future__ import annotations

import copy
import pickle
from itertools import product
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hexary import DecodeError, Hash, HexaryError, rlp
from hexary.rlp.decoding import decoder_of
from hexary.rlp.reading import Reader
from hexary.rlp.source import RETRIES
from record_specimens import (
    SPECIMENS,
    TRANSACTION,
    AccessEntry,
    Block,
    Header,
    LegacyTransaction,
    ListedTransaction,
    Oddities,
    Receipt,
    SmallTransaction,
    Transaction,
)

KINDS: list[Any] = [type(record) for record in SPECIMENS] + [TRANSACTION]

U64 = st.integers(0, 2**64 - 1) | st.integers(0, 300)
U256 = st.integers(0, 2**256 - 1) | st.integers(0, 300)
ROOTS = st.binary(min_size=32, max_size=32)
ADDRESSES = st.binary(min_size=20, max_size=20)

ENTRIES = st.builds(AccessEntry, ADDRESSES, st.lists(ROOTS, max_size=3))
LISTED = st.builds(
    ListedTransaction,
    U64,
    st.none() | ADDRESSES,
    st.lists(ENTRIES, max_size=3),
    st.booleans(),
    U256,
)
LEGACY = st.builds(
    LegacyTransaction, U64, U64, st.none() | ADDRESSES, U256, st.binary(max_size=70)
)
SMALL = st.builds(SmallTransaction, U64)
RECEIPTS = st.builds(
    Receipt, st.sampled_from([0, 1, 2]), ROOTS.map(Hash) | st.booleans(), U64
)


@st.composite
def headers(draw: st.DrawFn) -> Header:
    """Any header: with no, one or two of the fields that came later."""
    count = draw(st.integers(0, 2))
    late = [draw(U256), Hash(draw(ROOTS))][:count]
    return Header(
        draw(ROOTS),
        draw(ROOTS),
        draw(ADDRESSES),
        draw(st.binary(min_size=256, max_size=256)),
        draw(U256),
        draw(U64),
        draw(st.binary(max_size=32)),
        draw(st.binary(min_size=8, max_size=8)),
        *late,
    )


BLOCKS = st.builds(
    Block,
    headers(),
    st.lists(LISTED | LEGACY | SMALL, max_size=3),
    st.lists(RECEIPTS, max_size=3),
    LISTED,
    st.lists(headers(), max_size=1),
    st.none() | st.lists(U64, max_size=3),
)

RECORDS = BLOCKS | headers() | LISTED | LEGACY | SMALL | RECEIPTS


@given(RECORDS)
def test_records_survive_their_encodings(record: rlp.Record) -> None:
    """RLP, JSON in both spellings, pickle and copies."""
    encoded = record.rlp()
    again = rlp.decode(type(record), encoded)
    assert again == record
    assert again.rlp() == encoded == rlp.encode(record)
    assert rlp.encoded_size(record) == len(encoded)
    assert record.from_json(record.to_json()) == record
    fixture = record.to_json(spelling="fixture")
    assert record.from_json(fixture, spelling="fixture") == record
    assert pickle.loads(pickle.dumps(record)) == record == copy.deepcopy(record)


@given(RECORDS)
def test_a_record_encodes_as_its_fields_do(record: rlp.Record) -> None:
    """The same bytes as from `encode` of nested lists, which shares no code."""
    plain = rlp.encode(as_items(record))
    if plain != record.rlp():
        number, payload = record.rlp()[:1], record.rlp()[1:]
        assert number < b"\x80"
        assert plain == rlp.encode(number + payload)
    assert rlp.encode([record]) == rlp.encode([as_items(record)])


def as_items(value: Any) -> Any:
    """Return a record as what `encode` takes otherwise."""
    if isinstance(value, rlp.Record):
        values = {name: getattr(value, name) for name in value.__rlp_fields__}
        number = {ListedTransaction: 1, SmallTransaction: 2}.get(type(value), 0)
        if isinstance(value, Receipt):
            number = values.pop("type")
        late = ("base_fee_per_gas", "withdrawals_root", "withdrawals")
        items = [
            as_items(inner)
            for name, inner in values.items()
            if not (name in late and inner is None)
        ]
        return bytes([number]) + rlp.encode(items) if number else items
    if isinstance(value, (list, tuple)):
        return [as_items(inner) for inner in value]
    return b"" if value is None else value


def verdict(kind: Any, data: bytes, *, max_items: int | None = None) -> Any:
    """Return what decoding comes to: the value, or class, reason, offset and field."""
    try:
        value = rlp.decode(kind, data, max_items=max_items)
    except DecodeError as error:
        return (type(error), error.reason, error.offset, error.field)
    return value


def careful(kind: Any, data: bytes) -> Any:
    """Return what the reader alone comes to: with a limit, it uses no compiled code."""
    decoder = decoder_of(kind)
    reader = Reader(data, 1024, len(data))
    assert not reader.is_wide
    value, stop = decoder.careful(reader, 0, len(data), decoder.path)
    if stop != len(data):
        raise HexaryError
    return value


def check(kind: Any, data: bytes) -> bool:
    """Check all that holds for any bytes; return whether they are accepted."""
    decoder = decoder_of(kind)
    try:
        fast, stop = decoder.fast(data, 0)
    except RETRIES:
        fast, stop = None, -1
    # Compiled code has read the lists around what is wrong, or nothing at all.
    assert verdict(kind, data) == verdict(kind, data, max_items=len(data))
    try:
        slow = careful(kind, data)
    except HexaryError:
        assert stop != len(data), "the compiled decoder accepts too much"
        assert isinstance(verdict(kind, data), tuple)
        return False
    assert stop == len(data), "the compiled decoder gives up too early"
    assert fast == slow == verdict(kind, data)
    assert type(fast) is type(slow)
    assert fast.rlp() == data, "two encodings of one value"
    # It is plain RLP too, inside its type byte.
    rlp.decode(data if data[0] >= 0xC0 else data[1:])
    return True


def test_specimens_are_accepted() -> None:
    for specimen in SPECIMENS:
        assert check(type(specimen), specimen.rlp())
        assert rlp.decode(type(specimen), specimen.rlp()) == specimen


EDITS = st.lists(
    st.tuples(
        st.sampled_from(["set", "insert", "delete", "repeat"]),
        st.integers(0, 10**6),
        st.sampled_from([0, 1, 0x7F, 0x80, 0x81, 0xB7, 0xB8, 0xC0, 0xC1, 0xF7, 0xF8])
        | st.integers(0, 255),
    ),
    min_size=1,
    max_size=4,
)


def edited(data: bytes, edits: list[tuple[str, int, int]]) -> bytes:
    """Return *data* with single bytes changed."""
    made = bytearray(data)
    for what, place, byte in edits:
        where = place % (len(made) + 1)
        if what == "insert":
            made.insert(where, byte)
        elif what == "repeat":
            made[where:where] = made[where : where + byte]
        elif where < len(made):
            if what == "set":
                made[where] = byte
            else:
                del made[where]
    return bytes(made)


@given(st.sampled_from(SPECIMENS), EDITS)
def test_mutated_bytes_are_refused_or_the_one_encoding(
    record: rlp.Record, edits: list[tuple[str, int, int]]
) -> None:
    check(type(record), edited(record.rlp(), edits))
    check(TRANSACTION, edited(record.rlp(), edits))


@given(st.sampled_from(SPECIMENS), st.data())
def test_lists_with_wrong_items_are_refused_or_the_one_encoding(
    record: rlp.Record, data: st.DataObject
) -> None:
    """Sound lists whose items are changed, which edits of single bytes seldom make."""
    encoded = record.rlp()
    number = b"" if encoded[0] >= 0xC0 else encoded[:1]
    items: Any = rlp.decode(encoded[len(number) :])
    place = data.draw(st.integers(0, len(items)))
    other: Any = data.draw(
        st.binary(max_size=40)
        | st.sampled_from([[], [b""], b"\x00", b"\x01", bytes(32), bytes(20)])
        | st.sampled_from(items)
    )
    if data.draw(st.booleans()):
        items[place : place + 1] = [other]
    else:
        items.insert(place, other)
    check(type(record), number + rlp.encode(items))


@pytest.mark.parametrize("specimen", SPECIMENS, ids=lambda one: type(one).__name__)
def test_every_byte_matters(specimen: rlp.Record) -> None:
    """Each prefix is refused, and each byte replaced by the ones next to it."""
    data = specimen.rlp()
    for place, byte in enumerate(data):
        assert not check(type(specimen), data[:place])
        for other in (byte ^ 1, (byte + 1) % 256, byte ^ 0x80, 0, 0xFF):
            if other != byte:
                made = data[:place] + bytes([other]) + data[place + 1 :]
                check(type(specimen), made)
    assert not check(type(specimen), data + b"\x00")


@rlp.record
class Tiny(rlp.Record):
    """So small that all its encodings can be tried."""

    number: Annotated[int, rlp.Uint(9)]
    flag: bool | Annotated[bytes, rlp.Size(2)]
    late: rlp.Trailing[bytes] = None


@rlp.record(type_byte=1)
class TinyTyped(rlp.Record):
    """Likewise with a type byte."""

    number: rlp.U8 | tuple[()]


BYTES = (0, 1, 2, 3, 0x7F, 0x80, 0x81, 0x82, 0x83, 0xB8, 0xC0, 0xC1, 0xC2, 0xC3, 0xF8)


@pytest.mark.parametrize("kind", [Tiny, TinyTyped])
def test_all_short_inputs(kind: type[rlp.Record]) -> None:
    """All strings of up to four of the bytes that mean something."""
    accepted = sum(
        check(kind, bytes(data))
        for size in range(5)
        for data in product(BYTES, repeat=size)
    )
    assert accepted > 10


@given(st.binary(max_size=80))
def test_any_bytes_are_refused_or_the_one_encoding(data: bytes) -> None:
    for kind in (Tiny, TinyTyped, Header, Oddities, Receipt, TRANSACTION):
        check(kind, data)


@given(st.sampled_from(SPECIMENS), st.integers(0, 40), st.integers(0, 9))
def test_limits_are_those_of_decode(
    record: rlp.Record, max_items: int, max_depth: int
) -> None:
    """Counted over all items, also those in the strings of typed records."""
    encoded = record.rlp()
    kind: Any = type(record)
    try:
        assert rlp.decode(kind, encoded, max_items=max_items) == record
    except DecodeError as error:
        assert error.reason.name == "TOO_MANY_ITEMS"
    try:
        assert rlp.decode(kind, encoded, max_depth=max_depth) == record
    except DecodeError as error:
        assert error.reason.name == "TOO_DEEP"


def test_a_union_alias_decodes_as_the_union_object() -> None:
    for record in SPECIMENS:
        if isinstance(record, Transaction):
            assert rlp.decode(TRANSACTION, record.rlp()) == record
            kind: Any = Transaction
            assert rlp.decode(kind, record.rlp()) == record
