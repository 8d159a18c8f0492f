"""Decoding records within limits, and in time and memory that fit the input."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable

import pytest

from hexary import (
    DecodeError,
    DecodeReason,
    InputTypeError,
    RangeError,
    rlp,
)
from record_specimens import (
    ADDRESS,
    BLOCK,
    HEADER,
    LEGACY,
    LISTED,
    SMALL,
    TRANSACTION,
    Block,
    Header,
    Holder,
    LegacyTransaction,
    SmallTransaction,
    Transaction,
)

R = DecodeReason


def test_limits_are_checked() -> None:
    data = BLOCK.rlp()
    assert rlp.decode(Block, data, max_depth=6) == BLOCK
    with pytest.raises(DecodeError) as refusal:
        rlp.decode(Block, data, max_depth=5)
    assert refusal.value.reason is R.TOO_DEEP
    assert refusal.value.field == "block.transactions[1].access_list[0].storage_keys"
    assert refusal.value.offset == data.index(ADDRESS + b"\xf8\x42") + 20
    with pytest.raises(DecodeError) as refusal:
        rlp.decode(SmallTransaction, SMALL.rlp(), max_items=1)
    assert (refusal.value.reason, refusal.value.offset) == (R.TOO_MANY_ITEMS, 2)
    assert SmallTransaction.from_rlp(SMALL.rlp(), max_items=2) == SMALL
    assert TRANSACTION.from_rlp(SMALL.rlp(), max_items=2, max_depth=1) == SMALL
    for limits in ({"max_depth": -1}, {"max_items": -1}):
        with pytest.raises(RangeError):
            rlp.decode(Header, HEADER.rlp(), **limits)
    for bad in ({"max_depth": "1"}, {"max_items": 1.5}):
        with pytest.raises(InputTypeError):
            Header.from_rlp(HEADER.rlp(), **bad)


def test_untyped_items_count_towards_the_limits() -> None:
    holder = Holder([b"a", [b"b"]], rlp.Raw(b"\xc1\x80"), SMALL, ())
    data = holder.rlp()
    # The record, 4 for the item, 2 for the raw one, 3 for the typed, 1 for the list.
    assert Holder.from_rlp(data, max_items=11) == holder
    for few in range(11):
        with pytest.raises(DecodeError) as refusal:
            Holder.from_rlp(data, max_items=few)
        assert refusal.value.reason is R.TOO_MANY_ITEMS
    assert Holder.from_rlp(data, max_depth=3) == holder
    with pytest.raises(DecodeError) as refusal:
        Holder.from_rlp(data, max_depth=2)
    assert (refusal.value.reason, refusal.value.field) == (R.TOO_DEEP, "holder.item")


def test_the_depth_of_an_untyped_item_counts_with_the_lists_around_it() -> None:
    def nested(depth: int) -> bytes:
        data = b""
        for _ in range(depth):
            data = rlp.encode_list(data)
        return data

    @rlp.record
    class Deep(rlp.Record):
        item: rlp.Raw

    for depth, accepted in ((511, True), (600, True), (1023, True), (1024, False)):
        data = rlp.encode_list(nested(depth))
        try:
            assert rlp.decode(Deep, data).rlp() == data
        except DecodeError as error:
            assert error.reason is R.TOO_DEEP
            assert not accepted
        else:
            assert accepted


@pytest.mark.parametrize(
    "garbage",
    [
        b"\xff" * 2_000_000,
        b"\xfb\x01\x31\x2d\x00" + b"\x00" * 20_000_000,
        b"\xfb\x01\x31\x2d\x00" + b"\xc0" * 20_000_000,
        rlp.encode([HEADER, [b"\xb9"] * 300_000]),
        rlp.encode([HEADER, [LEGACY] * 20_000, [], LISTED, b""]),
        rlp.encode([HEADER, [SMALL] * 100_000 + [HEADER]]),
    ],
    ids=["headers", "zeros", "lists", "bytes", "records", "typed"],
)
def test_garbage_is_refused_in_time_proportional_to_its_size(garbage: bytes) -> None:
    start = time.process_time()
    for kind in (Block, Header, TRANSACTION, tuple[Transaction, ...]):
        with pytest.raises(DecodeError):
            rlp.decode(kind, garbage)
    assert time.process_time() - start < 10


def calls_of(function: Callable[[], object]) -> int:
    """Return how many calls of Python code it takes."""
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(before)
    return calls


def test_the_last_of_many_records_is_found_about_as_fast_as_all_are_read() -> None:
    """Not only the whole input: each list is read by compiled code up to the error."""
    kind = tuple[LegacyTransaction, ...]
    many = [LEGACY] * 2_000
    wrong = rlp.encode([*many, LEGACY.rlp(exclude=["to"], append=[b"short"])])
    right = rlp.encode([*many, LEGACY])
    assert len(rlp.decode(kind, right)) == 2_001

    def refuse() -> None:
        with pytest.raises(DecodeError) as refusal:
            rlp.decode(kind, wrong)
        assert refusal.value.field.startswith("[2000]")

    refuse()  # What is compiled at first use does not count.
    accepting = calls_of(lambda: rlp.decode(kind, right))
    # All are read twice; the careful reader alone takes some fifty calls for each.
    assert calls_of(refuse) < 2.5 * accepting + 1_000


def test_nothing_keeps_what_was_refused() -> None:
    """Neither the input, nor the part of the values that was already read."""
    data = rlp.encode([*[LEGACY] * 3, [b"\x00"]])
    before = sys.getrefcount(data)
    for _ in range(10):
        with pytest.raises(DecodeError):
            rlp.decode(tuple[LegacyTransaction, ...], data)
    gc.collect()
    assert sys.getrefcount(data) == before
