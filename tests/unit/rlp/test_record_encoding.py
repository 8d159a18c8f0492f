"""Encoding records: type bytes, views, appended items, forms of one's own."""

from __future__ import annotations

from typing import Any

import pytest

from hexary import (
    Bloom,
    DecodeError,
    DecodeReason,
    EncodeError,
    InputTypeError,
    RangeError,
    keccak256,
    rlp,
)
from record_specimens import (
    ADDRESS,
    HEADER,
    LEGACY,
    LISTED,
    ROOT,
    SMALL,
    LegacyTransaction,
    Parcel,
    Receipt,
    Transaction,
)

R = DecodeReason


def test_typed_records_are_strings_in_lists_and_bare_alone() -> None:
    assert SMALL.rlp() == bytes.fromhex("02c101") == rlp.encode(SMALL)
    assert rlp.encode([SMALL]) == bytes.fromhex("c48302c101")
    assert rlp.encode([[SMALL], b""]) == bytes.fromhex("c6c48302c10180")
    assert rlp.encoded_size(SMALL) == 3
    assert rlp.encoded_size([SMALL, HEADER]) == len(rlp.encode([SMALL, HEADER]))
    assert rlp.keccak256(SMALL) == SMALL.hash() == keccak256(bytes.fromhex("02c101"))
    assert rlp.encode(LEGACY) == rlp.encode([LEGACY])[1:] != b""
    assert rlp.decode(Transaction, SMALL.rlp()) == SMALL


def test_a_bare_record_has_no_type_byte() -> None:
    parcel = Parcel(LISTED, [b"blob"])
    assert parcel.rlp() == b"\x03" + rlp.encode([rlp.Raw(LISTED.rlp()[1:]), [b"blob"]])
    assert rlp.decode(Parcel, parcel.rlp()) == parcel


def test_a_field_can_be_the_type_byte() -> None:
    assert Receipt(0, True, 5).rlp() == bytes.fromhex("c20105")
    assert Receipt(1, True, 5).rlp() == bytes.fromhex("01c20105")
    assert rlp.encode([Receipt(1, True, 5)]) == bytes.fromhex("c58401c20105")
    for number in range(3):
        receipt = Receipt(number, ROOT, 5)
        assert rlp.decode(Receipt, receipt.rlp()) == receipt
        many = rlp.encode([receipt, receipt])
        assert rlp.decode(tuple[Receipt, ...], many) == (receipt, receipt)
    with pytest.raises(DecodeError, match="not one of those that there are"):
        rlp.decode(Receipt, bytes.fromhex("03c20105"))
    assert Receipt(2, True, 5).rlp(exclude=["gas_used"]) == bytes.fromhex("02c101")


def test_views_leave_fields_out() -> None:
    signing = LISTED.rlp(view="signing")
    assert signing == LISTED.rlp(exclude=("r", "y_parity"))
    assert signing == b"\x01" + rlp.encode(
        [1, b"", [rlp.Raw(rlp.encode(entry)) for entry in LISTED.access_list]]
    )
    assert LISTED.hash(view="signing") == keccak256(signing)
    assert LISTED.hash(exclude=["r"]) == keccak256(LISTED.rlp(exclude=["r"]))
    with pytest.raises(InputTypeError, match=r"one of the views \(signing\)"):
        LISTED.rlp(view="unsigned")
    with pytest.raises(InputTypeError, match=r"one of the views \(none\)"):
        SMALL.rlp(view="signing")
    with pytest.raises(InputTypeError, match="exclude must be fields of small_trans"):
        SMALL.rlp(exclude=["nothing"])


def test_items_can_be_appended() -> None:
    """The form that EIP-155 signs."""
    signed = LEGACY.rlp(exclude=["input"], append=(1, 0, 0))
    assert signed == rlp.encode([0, 21_000, ADDRESS, 10**18, 1, 0, 0])
    late = HEADER.replace(base_fee_per_gas=7)
    items: Any = rlp.decode(late.rlp())
    assert late.rlp(append=[b"more"]) == rlp.encode([*items, b"more"])


def test_long_records_have_long_headers() -> None:
    for size in (0, 40, 60, 250, 260, 70_000):
        record = LEGACY.replace(input=bytes(size))
        assert record.rlp() == rlp.encode([0, 21_000, ADDRESS, 10**18, bytes(size)])
        assert rlp.decode(LegacyTransaction, record.rlp()) == record


def test_an_overridden_form_is_converted_both_ways() -> None:
    @rlp.record
    class Signed(rlp.Record):
        """Zigzag: 0, -1, 1, -2, … as 0, 1, 2, 3, …."""

        value: int = rlp.field(
            wire=rlp.U64,
            encode=lambda number: 2 * number if number >= 0 else -2 * number - 1,
            decode=lambda coded: coded // 2 if coded % 2 == 0 else -(coded + 1) // 2,
        )

    for value, text in ((0, "c180"), (-1, "c101"), (1, "c102"), (-2, "c103")):
        assert Signed(value).rlp().hex() == text
        assert rlp.decode(Signed, bytes.fromhex(text)) == Signed(value)
    with pytest.raises(RangeError, match=r"signed\.value must be from 0 to 2\^64-1"):
        Signed(2**63)
    with pytest.raises(EncodeError, match=r"signed\.value"):
        Signed("text")


def test_a_conversion_with_two_encodings_of_a_value_is_refused() -> None:
    @rlp.record
    class Lower(rlp.Record):
        text: str = rlp.field(
            encode=lambda text: text.encode(), decode=lambda item: item.decode().lower()
        )

    assert rlp.decode(Lower, rlp.encode([b"dog"])) == Lower("dog")
    for encoded in (rlp.encode([b"Dog"]), rlp.encode([b"\xff"])):
        with pytest.raises(DecodeError) as refusal:
            rlp.decode(Lower, encoded)
        assert refusal.value.reason is R.INVALID_VALUE
        assert refusal.value.field == "lower.text"


def test_a_bloom_and_other_large_sizes_have_long_headers() -> None:
    @rlp.record
    class Large(rlp.Record):
        first: Bloom
        middle: rlp.U8
        second: Bloom

    large = Large(Bloom(1), 0, Bloom(2))
    assert rlp.decode(Large, large.rlp()) == large
    broken = large.rlp().replace(b"\xb9\x01\x00", b"\xb9\x01\x01", 1)
    with pytest.raises(DecodeError):
        rlp.decode(Large, broken)
