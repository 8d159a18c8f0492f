"""Decoding records: every rule, with its reason, offset and field."""

from __future__ import annotations

from typing import Annotated, Any, Self

import pytest

from hexary import (
    Address,
    Bytes,
    DecodeError,
    DecodeReason,
    EncodeError,
    Hash,
    InputTypeError,
    rlp,
)
from hexary.typed import FixedSizeBytes
from record_specimens import (
    ADDRESS,
    BLOCK,
    HEADER,
    LEGACY,
    LISTED,
    ODDITIES,
    ROOT,
    SMALL,
    SPECIMENS,
    TRANSACTION,
    Block,
    Even,
    Header,
    Holder,
    ListedTransaction,
    Oddities,
    SmallTransaction,
)

R = DecodeReason


@rlp.record
class Pair(rlp.Record):
    """A number and four bytes, and a late number."""

    number: rlp.U16
    sized: Annotated[bytes, rlp.Size(4)]
    late: rlp.Trailing[rlp.U8] = None


@rlp.record
class Flag(rlp.Record):
    """One boolean."""

    flag: bool


@rlp.record
class Rough(rlp.Record):
    """Sizes and forms to choose from."""

    text: Annotated[bytes, rlp.Size(1, 3)]
    form: Address | tuple[rlp.U8, ...] | None
    pair: tuple[rlp.U8, rlp.U8]


REFUSED = [
    # The list itself.
    (Pair, "", R.EMPTY_INPUT, 0, "pair"),
    (Pair, "83010203", R.EXPECTED_LIST, 0, "pair"),
    (Pair, "c601", R.TRUNCATED, 0, "pair"),
    (Pair, "f80601840a0b0c0d", R.NON_CANONICAL_LENGTH, 0, "pair"),
    (Pair, "f9000601840a0b0c0d", R.LEADING_ZERO_LENGTH, 0, "pair"),
    (Pair, "c0", R.WRONG_ITEM_COUNT, 0, "pair"),
    (Pair, "c101", R.WRONG_ITEM_COUNT, 0, "pair"),
    (Pair, "c801840a0b0c0d0102", R.WRONG_ITEM_COUNT, 0, "pair"),
    (Pair, "c601840a0b0c0d00", R.TRAILING_BYTES, 7, "pair"),
    # Integers.
    (Pair, "c600840a0b0c0d", R.LEADING_ZERO_INTEGER, 1, "pair.number"),
    (Pair, "c8820001840a0b0c0d", R.LEADING_ZERO_INTEGER, 1, "pair.number"),
    (Pair, "c983010000840a0b0c0d", R.INTEGER_TOO_LARGE, 1, "pair.number"),
    (Pair, "c6c0840a0b0c0d", R.EXPECTED_STRING, 1, "pair.number"),
    (Pair, "c78101840a0b0c0d", R.NON_CANONICAL_BYTE, 1, "pair.number"),
    (Pair, "c18201", R.OVERRUN, 1, "pair.number"),
    (Pair, "c701840a0b0c0d00", R.LEADING_ZERO_INTEGER, 7, "pair.late"),
    # Sized strings.
    (Pair, "c501830a0b0c", R.WRONG_SIZE, 2, "pair.sized"),
    (Pair, "c201c0", R.EXPECTED_STRING, 2, "pair.sized"),
    (Pair, "c501840a0b0c", R.OVERRUN, 2, "pair.sized"),
    (Pair, "c701b8040a0b0c0d", R.NON_CANONICAL_LENGTH, 2, "pair.sized"),
    (Rough, "c48080c20102", R.WRONG_SIZE, 1, "rough.text"),
    (Rough, "c984aabbccdd80c20102", R.WRONG_SIZE, 1, "rough.text"),
    # Forms.
    (Rough, "c76182aabbc20102", R.WRONG_SIZE, 2, "rough.form"),
    (Rough, "c761c200c1c20102", R.LEADING_ZERO_INTEGER, 3, "rough.form[0]"),
    (Rough, "c26180", R.WRONG_ITEM_COUNT, 0, "rough"),
    (Rough, "c46180c101", R.WRONG_ITEM_COUNT, 3, "rough.pair"),
    (Rough, "c66180c3010203", R.WRONG_ITEM_COUNT, 3, "rough.pair"),
    (Rough, "c5618082aabb", R.EXPECTED_LIST, 3, "rough.pair"),
    # Booleans.
    (Flag, "c100", R.NOT_A_BOOLEAN, 1, "flag.flag"),
    (Flag, "c102", R.NOT_A_BOOLEAN, 1, "flag.flag"),
    (Flag, "c1c0", R.EXPECTED_STRING, 1, "flag.flag"),
    # Type bytes: alone.
    (SmallTransaction, "", R.EMPTY_INPUT, 0, "small_transaction"),
    (SmallTransaction, "01c101", R.UNKNOWN_TYPE, 0, "small_transaction"),
    (SmallTransaction, "c101", R.UNKNOWN_TYPE, 0, "small_transaction"),
    (SmallTransaction, "02", R.TRUNCATED, 1, "small_transaction"),
    (SmallTransaction, "0201", R.EXPECTED_LIST, 1, "small_transaction"),
    (SmallTransaction, "02c2", R.TRUNCATED, 1, "small_transaction"),
    (
        SmallTransaction,
        "02c100",
        R.LEADING_ZERO_INTEGER,
        2,
        "small_transaction.chain_id",
    ),
    (SmallTransaction, "02c10100", R.TRAILING_BYTES, 3, "small_transaction"),
    (SmallTransaction, "8302c101", R.UNKNOWN_TYPE, 0, "small_transaction"),
    (TRANSACTION, "", R.EMPTY_INPUT, 0, "legacy_transaction"),
    (TRANSACTION, "00c101", R.UNKNOWN_TYPE, 0, ""),
    (TRANSACTION, "03c101", R.UNKNOWN_TYPE, 0, ""),
    (TRANSACTION, "8302c101", R.UNKNOWN_TYPE, 0, ""),
    (TRANSACTION, "02c100", R.LEADING_ZERO_INTEGER, 2, "small_transaction.chain_id"),
    (TRANSACTION, "c101", R.WRONG_ITEM_COUNT, 0, "legacy_transaction"),
    # Type bytes: inside a list.
    (
        Holder,
        "ca80808302c100c3c20102",
        R.LEADING_ZERO_INTEGER,
        6,
        "holder.typed.chain_id",
    ),
    (Holder, "c88080c20203c20102", R.EXPECTED_STRING, 3, "holder.typed"),
    (Holder, "c4808080c0", R.UNKNOWN_TYPE, 4, "holder.typed"),
    (Holder, "c78080830102c1c0", R.UNKNOWN_TYPE, 4, "holder.typed"),
    (Holder, "c880808402c10102c0", R.TRAILING_BYTES, 7, "holder.typed"),
    (Holder, "c780808302c201c0", R.OVERRUN, 5, "holder.typed"),
    (Holder, "c5808081c0c0", R.UNKNOWN_TYPE, 4, "holder.typed"),
    (Holder, "c980808302c101c26300", R.UNKNOWN_TYPE, 8, "holder.many[0]"),
    (Holder, "cb80808302c101c48303c101", R.UNKNOWN_TYPE, 9, "holder.many[0]"),
    (Holder, "ca80808302c101c3c20102", R.WRONG_ITEM_COUNT, 8, "holder.many[0]"),
    # Items of any form.
    (Holder, "c881018080808080c0", R.NON_CANONICAL_BYTE, 1, "holder.item"),
    (Holder, "c6c28101808080", R.NON_CANONICAL_BYTE, 2, "holder.item"),
    (Holder, "c580c281018080", R.NON_CANONICAL_BYTE, 3, "holder.raw"),
]


@pytest.mark.parametrize(("kind", "text", "reason", "offset", "field"), REFUSED)
def test_what_breaks_a_rule_is_refused_with_its_place(
    kind: Any, text: str, reason: DecodeReason, offset: int, field: str
) -> None:
    data = bytes.fromhex(text)
    with pytest.raises(DecodeError) as refusal:
        rlp.decode(kind, data)
    error = refusal.value
    assert (error.reason, error.offset, error.field) == (reason, offset, field)
    assert error.data == data[offset : offset + 32]


def test_every_reason_of_records_is_in_the_table() -> None:
    tried = {reason for _, _, reason, _, _ in REFUSED}
    later = {R.TOO_DEEP, R.TOO_MANY_ITEMS, R.INVALID_VALUE}
    assert tried | later == set(DecodeReason)


@pytest.mark.parametrize(
    ("kind", "text", "detail"),
    [
        (Pair, "c101", "2 to 3 items, got 1: no sized"),
        (Pair, "c801840a0b0c0d0102", "2 to 3 items, got more"),
        (Flag, "c0", "1 items, got 0: no flag"),
        (Pair, "c501830a0b0c", "4 bytes, got 3"),
        (Rough, "c48080c20102", "1 to 3 bytes, got 0"),
        (Oddities, "c9808080808080816180", "at least"),
        (Rough, "c46180c101", "2 items, got only 1"),
        (Rough, "c66180c3010203", "2 items, got more"),
        (Rough, "c76182aabbc20102", "got 2 bytes"),
        (SmallTransaction, "01c101", "2, got 1"),
        (TRANSACTION, "07", "1, 2, got 7"),
        (Holder, "c4808080c0", "2, got no byte"),
        (Pair, "c983010000840a0b0c0d", "16 bits, got 17"),
    ],
)
def test_details_say_what_was_expected_and_what_there_is(
    kind: Any, text: str, detail: str
) -> None:
    with pytest.raises(DecodeError) as refusal:
        rlp.decode(kind, bytes.fromhex(text))
    if detail != "at least":
        assert refusal.value.detail == detail


def test_the_path_leads_through_lists_and_records() -> None:
    data = BLOCK.rlp()
    # The recipient's header says 19 bytes, and what follows is one byte off.
    place = data.index(b"\x94" + ADDRESS + b"\x88")
    broken = data[:place] + b"\x93" + data[place + 1 :]
    with pytest.raises(DecodeError) as refusal:
        rlp.decode(Block, broken)
    assert str(refusal.value).startswith(
        "block.transactions[0].to: the byte string has the wrong size"
        " (20 bytes, got 19); at offset"
    )
    assert refusal.value.offset == place


def test_the_first_broken_rule_from_the_left_wins() -> None:
    """A wrong size comes before a broken length behind it."""
    with pytest.raises(DecodeError) as refusal:
        rlp.decode(Pair, bytes.fromhex("ca01830a0b0cb80400000000"))
    assert refusal.value.reason is R.WRONG_SIZE


def test_any_buffer_is_read() -> None:
    data = HEADER.rlp()
    for buffer in (bytearray(data), memoryview(data)):
        assert rlp.decode(Header, buffer) == HEADER == Header.from_rlp(buffer)
    with pytest.raises(InputTypeError, match="data must be bytes"):
        rlp.decode(Header, data.hex())


def test_decoded_values_have_the_types_of_their_annotations() -> None:
    header = rlp.decode(Header, HEADER.rlp())
    assert [type(value).__name__ for value in header.__rlp_values__()] == [
        *("Hash", "Hash", "Address", "Bloom", "int", "int", "Bytes", "HeaderNonce"),
        *("NoneType", "NoneType"),
    ]
    odd = rlp.decode(Oddities, ODDITIES.rlp())
    for name in Oddities.__rlp_fields__:
        assert type(getattr(odd, name)) is type(getattr(ODDITIES, name)), name


def test_trailing_fields_are_there_one_after_the_other() -> None:
    late = HEADER.replace(base_fee_per_gas=7, withdrawals_root=ROOT)
    for count in range(3):
        values = HEADER.__rlp_values__()[:8] + late.__rlp_values__()[8 : 8 + count]
        header = rlp.decode(Header, rlp.encode(values))
        assert header == Header(*values)


def test_prefixes_and_concatenations_decode_to_records() -> None:
    data = SMALL.rlp() + LEGACY.rlp() + LISTED.rlp()
    first, rest = rlp.decode_prefix(TRANSACTION, data)
    assert (first, rest) == (SMALL, data[3:])
    records = list(rlp.decode_concatenated(TRANSACTION, data))
    assert records == [SMALL, LEGACY, LISTED]
    assert list(rlp.decode_concatenated(TRANSACTION, b"")) == []
    blocks = rlp.decode_concatenated(Header, HEADER.rlp() + HEADER.rlp()[:-1])
    assert next(blocks) == HEADER
    with pytest.raises(DecodeError) as refusal:
        next(blocks)
    assert refusal.value.reason is R.TRUNCATED
    assert refusal.value.offset == len(HEADER.rlp())
    with pytest.raises(DecodeError) as refusal:
        rlp.decode_prefix(Header, b"")
    assert refusal.value.reason is R.EMPTY_INPUT
    assert rlp.decode_prefix(SmallTransaction, data, max_items=3)[0] == SMALL


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (rlp.U64, 5),
        (bool, True),
        (bytes, b"dog"),
        (Hash, ROOT),
        (tuple[rlp.U8, ...], (1, 2)),
        (list[bytes], [b"", b"x"]),
        (tuple[Header, SmallTransaction], (HEADER, SMALL)),
        (Address | None, None),
        (Header, HEADER),
        (Annotated[ListedTransaction, rlp.BARE], LISTED),
        (rlp.Item, [b"a", [b"b"]]),
        (Annotated[bytes, ["unhashable"]], b"dog"),
    ],
)
def test_any_annotation_decodes_on_its_own(kind: Any, value: Any) -> None:
    data = b"\x80" if value is None else rlp.encode(value)
    if value is LISTED:
        data = data[1:]
    for _ in range(2):
        assert rlp.decode(kind, data) == value


@pytest.mark.parametrize("kind", [b"\xc0", "Header", 5, None, Address(1)])
def test_what_is_no_kind_is_refused(kind: Any) -> None:
    with pytest.raises(InputTypeError):
        rlp.decode(kind, b"\xc0")


def test_the_path_of_an_annotation_begins_with_the_index() -> None:
    with pytest.raises(DecodeError) as refusal:
        rlp.decode(tuple[rlp.U8, ...], bytes.fromhex("c20100"))
    assert refusal.value.field == "[1]"


def test_what_the_class_itself_refuses_is_a_decode_error() -> None:
    @rlp.record
    class Ordered(rlp.Record):
        low: rlp.U8
        high: rlp.U8

        def __post_init__(self) -> None:
            if self.low > self.high:
                raise EncodeError("low comes before high")
            if self.low == 99:
                raise DecodeError(R.WRONG_SIZE, field="its own")

    with pytest.raises(DecodeError) as refusal:
        rlp.decode(tuple[Ordered, ...], bytes.fromhex("c6c20102c20201"))
    error = refusal.value
    assert (error.reason, error.offset, error.field) == (R.INVALID_VALUE, 4, "[1]")
    assert error.detail == "low comes before high"
    assert isinstance(error.__cause__, EncodeError)
    with pytest.raises(DecodeError) as refusal:
        rlp.decode(Ordered, bytes.fromhex("c26364"))
    assert refusal.value.field == "its own"


def test_a_type_with_rules_of_its_own_is_asked() -> None:
    class Kind(rlp.Record):
        even: Even

    kind = rlp.record(Kind)
    assert rlp.decode(kind, bytes.fromhex("c3820102")).even == b"\x01\x02"
    with pytest.raises(DecodeError) as refusal:
        rlp.decode(kind, bytes.fromhex("c3820101"))
    error = refusal.value
    assert (error.reason, error.field) == (R.INVALID_VALUE, "kind.even")
    assert error.detail == "the last byte is even"


def test_code_of_the_users_own_sees_whole_values_only() -> None:
    """Also where the input is cut off inside the value."""
    seen = []

    class Strict(FixedSizeBytes):
        byte_length = 4

        def __new__(cls, value: bytes, /) -> Self:
            seen.append(len(value))
            return super().__new__(cls, value)

    class Free(Bytes):
        def __new__(cls, value: bytes = b"", /) -> Self:
            seen.append(len(value))
            return super().__new__(cls, value)

    def decode_text(data: bytes) -> str:
        seen.append(len(data))
        return data.decode()

    @rlp.record
    class Last(rlp.Record):
        sized: Annotated[bytes, rlp.Size(4)]

        def __post_init__(self) -> None:
            seen.append(len(self.sized))

    def kinds() -> list[Any]:
        text = rlp.field(wire=Hash, encode=str.encode, decode=decode_text)
        made: list[Any] = [Last]
        for annotation, default in ((Strict, None), (Free, None), (str, text)):
            namespace: dict[str, Any] = {"__annotations__": {"value": annotation}}
            if default is not None:
                namespace["value"] = default
            made.append(rlp.record(type("Made", (), namespace)))
        return made

    for kind, value in zip(
        kinds(), (bytes(4), bytes(4), bytes(60), bytes(32)), strict=True
    ):
        data = rlp.encode([value])
        for size in range(1, len(data)):
            with pytest.raises(DecodeError):
                rlp.decode(kind, data[:size])
        assert seen == []
        assert rlp.decode(kind, data).rlp() == data
        assert set(seen) == {len(value)}
        seen.clear()


def test_a_union_of_classes_with_other_type_bytes_is_refused() -> None:
    union: Any = rlp.typed_union({1: SmallTransaction})
    with pytest.raises(InputTypeError, match="types of a union"):
        rlp.decode(union, b"")
    union = rlp.typed_union({}, legacy=SmallTransaction)
    with pytest.raises(InputTypeError, match="types of a union"):
        rlp.decode(union, b"")
    assert repr(TRANSACTION) == (
        "TypedUnion({0: LegacyTransaction, 1: ListedTransaction, 2: SmallTransaction})"
    )


def test_a_union_may_have_no_legacy_record() -> None:
    union: Any = rlp.typed_union({1: ListedTransaction, 2: SmallTransaction})
    assert rlp.decode(union, SMALL.rlp()) == SMALL
    for text in ("c101", "", "8302c101"):
        with pytest.raises(DecodeError) as refusal:
            rlp.decode(union, bytes.fromhex(text))
        assert refusal.value.reason in (R.UNKNOWN_TYPE, R.EMPTY_INPUT)
    with pytest.raises(DecodeError) as refusal:
        rlp.decode(tuple[ListedTransaction | SmallTransaction, ...], b"\xc2\xc1\x01")
    assert refusal.value.reason is R.EXPECTED_STRING


def test_specimens_round_trip() -> None:
    for record in SPECIMENS:
        assert rlp.decode(type(record), record.rlp()) == record
        assert rlp.decode(type(record), record.rlp(), max_items=10_000) == record
