"""The accelerator's coder of records against the one in compiled Python."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hexary.rlp.record_coder import Coder, PureCoder
from property.chain_strategies import RECORDS
from record_specimens import ODDITIES, SPECIMENS, ListedTransaction, Receipt
from twin.coders import Pair, pair_of
from twin.made_up_records import records

if Coder is PureCoder:
    pytest.skip("no accelerator in use", allow_module_level=True)

BRIEF = settings(
    max_examples=60, suppress_health_check=[HealthCheck.too_slow], deadline=None
)


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


@settings(BRIEF, max_examples=150)
@given(records(), st.data())
def test_coders_agree_about_classes_that_are_made_up(
    record: Any, data: st.DataObject
) -> None:
    check_record(Pair(type(record)), record, data)
