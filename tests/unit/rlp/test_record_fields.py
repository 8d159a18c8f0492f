"""What the constructor of a record makes of the values of its fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import pytest

from hexary import (
    Address,
    Bytes,
    EncodeError,
    Hash,
    HexError,
    HexNumber,
    InputTypeError,
    RangeError,
    SizeError,
    StorageKey,
    rlp,
)
from hexary.typed import HashInt
from record_specimens import (
    ADDRESS,
    BLOCK,
    HEADER,
    LEGACY,
    LISTED,
    ROOT,
    SMALL,
    AccessEntry,
    Block,
    Header,
    ListedTransaction,
    Receipt,
    SmallTransaction,
)


@rlp.record
class Couple(rlp.Record):
    """Two small numbers."""

    left: rlp.U8
    right: rlp.U8


@rlp.record
class Number(rlp.Record):
    """One small number."""

    value: rlp.U8


@rlp.record
class Everything(rlp.Record):
    """One field for each kind with a check of its own."""

    uint: rlp.U64 = 0
    number: HexNumber = HexNumber(0)
    flag: bool = False
    plain: bytes = b""
    free: Bytes = Bytes(b"")
    root: Hash = ROOT
    key: StorageKey = StorageKey(0)
    sized: Annotated[bytes, rlp.Size(1, 3)] = b"x"
    values: tuple[rlp.U8, ...] = ()
    kept: list[rlp.U8] = rlp.field(default_factory=list)
    some: Sequence[rlp.U8] = ()
    pair: tuple[rlp.U8, bytes] = (0, b"")
    maybe: Address | None = None
    either: Hash | bool = False
    raw: rlp.Raw = rlp.Raw(b"\x80")
    item: rlp.Item = b""


@pytest.mark.parametrize(
    ("changes", "name", "expected"),
    [
        ({"uint": HashInt(5)}, "uint", 5),
        ({"number": 5}, "number", HexNumber(5)),
        ({"flag": 1}, "flag", True),
        ({"plain": bytearray(b"ab")}, "plain", b"ab"),
        ({"plain": memoryview(b"ab")}, "plain", b"ab"),
        ({"plain": ROOT}, "plain", bytes(ROOT)),
        ({"free": "0xdead"}, "free", Bytes("0xdead")),
        ({"free": b"ab"}, "free", Bytes(b"ab")),
        ({"root": "0x" + "22" * 32}, "root", ROOT),
        ({"root": bytes(ROOT)}, "root", ROOT),
        ({"root": StorageKey(1)}, "root", Hash(1)),
        ({"key": "0x1"}, "key", StorageKey(1)),
        ({"sized": b"abc"}, "sized", b"abc"),
        ({"values": [1, 2]}, "values", (1, 2)),
        ({"values": iter([1, 2])}, "values", (1, 2)),
        ({"kept": (1, 2)}, "kept", [1, 2]),
        ({"kept": ()}, "kept", []),
        ({"some": [1]}, "some", (1,)),
        ({"pair": [1, bytearray(b"x")]}, "pair", (1, b"x")),
        ({"maybe": "0x" + "11" * 20}, "maybe", Address("0x" + "11" * 20)),
        ({"either": True}, "either", True),
        ({"either": bytes(ROOT)}, "either", ROOT),
        ({"either": 1}, "either", True),
        (
            {"item": [bytearray(b"a"), 1, (Couple(1, 2),)]},
            "item",
            [b"a", b"\1", [[b"\1", b"\2"]]],
        ),
    ],
)
def test_values_become_what_the_annotation_says(
    changes: dict[str, Any], name: str, expected: object
) -> None:
    value = getattr(Everything(**changes), name)
    assert value == expected
    assert type(value) is type(expected)


def test_objects_with_an_index_and_with_bytes_are_taken() -> None:
    class Five:
        def __index__(self) -> int:
            return 5

        def __bytes__(self) -> bytes:
            return b"five"

    assert Everything(uint=Five()).uint == 5
    assert Everything(free=Five()).free == b"five"


class Unwilling:
    """An index that has conditions."""

    def __index__(self) -> int:
        raise TypeError("not now")


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"uint": -1}, RangeError, "everything.uint must be from 0 to 2^64-1, got -1"),
        ({"uint": 2**64}, RangeError, "everything.uint must be from 0 to 2^64-1"),
        ({"uint": True}, InputTypeError, "everything.uint must be an int, got bool"),
        ({"uint": "1"}, InputTypeError, "everything.uint must be an int, got str"),
        ({"uint": Hash(1)}, InputTypeError, "everything.uint must be an int, got Hash"),
        ({"uint": 1.0}, InputTypeError, "everything.uint must be an int, got float"),
        ({"uint": Unwilling()}, InputTypeError, "everything.uint must be an int"),
        ({"number": -1}, RangeError, "everything.number must be at least 0, got -1"),
        ({"flag": 2}, RangeError, "everything.flag must be from 0 to 1, got 2"),
        ({"flag": b""}, InputTypeError, "everything.flag must be a bool, got bytes"),
        ({"plain": "0x00"}, InputTypeError, "everything.plain must be bytes, got str"),
        ({"plain": 5}, InputTypeError, "everything.plain must be bytes, got int"),
        ({"plain": [1]}, InputTypeError, "everything.plain must be bytes, got list"),
        ({"plain": None}, InputTypeError, "everything.plain must be bytes, got None"),
        ({"free": "0x0"}, HexError, "everything.free: bytes take an even number"),
        ({"free": 5}, InputTypeError, "everything.free must be bytes or hex text"),
        ({"root": b"ab"}, SizeError, "everything.root holds 32 bytes, got 2: 0x6162"),
        ({"root": "0xab"}, SizeError, "everything.root holds 32 bytes, got 1"),
        ({"root": 1}, InputTypeError, "everything.root must be bytes or hex text"),
        ({"sized": b""}, RangeError, "size of everything.sized must be from 1 to 3"),
        ({"sized": b"four"}, RangeError, "size of everything.sized must be from 1"),
        (
            {"values": [1, 256]},
            RangeError,
            "everything.values[1] must be from 0 to 255",
        ),
        (
            {"values": b"ab"},
            InputTypeError,
            "everything.values must be a tuple or list",
        ),
        ({"values": 5}, InputTypeError, "everything.values must be a tuple or list"),
        ({"pair": (1,)}, InputTypeError, "everything.pair must be a tuple of 2"),
        ({"pair": (1, 2)}, InputTypeError, "everything.pair[1] must be bytes"),
        ({"maybe": b""}, SizeError, "everything.maybe holds 20 bytes, got 0"),
        ({"either": b"ab"}, SizeError, "everything.either holds 32 bytes, got 2"),
        ({"either": None}, InputTypeError, "everything.either must be bytes or hex"),
        ({"raw": b"ab"}, InputTypeError, "everything.raw must be a Raw item"),
        ({"item": -1}, EncodeError, "an int must not be negative"),
        ({"item": "text"}, InputTypeError, "obj must be bytes"),
    ],
)
def test_values_that_do_not_fit_are_refused_with_the_field(
    changes: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as refusal:
        Everything(**changes)
    assert message in str(refusal.value)
    with pytest.raises(error):
        Everything().replace(**changes)


def test_a_record_is_refused_where_another_one_is_due() -> None:
    with pytest.raises(InputTypeError, match=r"block\.header must be a Header, got"):
        BLOCK.replace(header=LEGACY)
    with pytest.raises(
        InputTypeError, match=r"block\.transactions\[1\] must be one of"
    ):
        BLOCK.replace(transactions=[SMALL, HEADER])
    with pytest.raises(InputTypeError, match=r"block\.signed must be a Listed"):
        BLOCK.replace(signed=SMALL)


def test_a_subclass_with_a_codec_of_its_own_is_another_record() -> None:
    """It could have another encoding."""

    @rlp.record
    class Longer(Header):
        more: rlp.Trailing[rlp.U8] = None

    longer = Longer(*HEADER.__rlp_values__())
    with pytest.raises(InputTypeError, match="must be a Header, got Longer"):
        BLOCK.replace(header=longer)
    assert longer != HEADER


def test_an_item_nested_too_deeply_is_refused() -> None:
    deep: Any = []
    for _ in range(1100):
        deep = [deep]
    with pytest.raises(
        InputTypeError, match=r"everything\.item must be lists are nested"
    ):
        Everything(item=deep)


def test_trailing_fields_have_no_gaps() -> None:
    with pytest.raises(EncodeError) as refusal:
        HEADER.replace(withdrawals_root=ROOT)
    assert str(refusal.value) == (
        "a record with withdrawals_root has base_fee_per_gas as well"
        " (at header.withdrawals_root)"
    )


def test_the_field_for_the_type_byte_is_one_of_its_types() -> None:
    with pytest.raises(EncodeError, match="type 3 is not one of 0, 1, 2"):
        Receipt(3, True, 0)
    with pytest.raises(RangeError, match=r"receipt\.type must be from 0 to 255"):
        Receipt(256, True, 0)


def test_what_is_in_a_list_decides_between_forms() -> None:
    @rlp.record
    class Forms(rlp.Record):
        value: (
            tuple[tuple[rlp.U8, Address | None, Hash | bool, rlp.Raw, rlp.Item], ...]
            | Hash
        )

    raw = rlp.Raw(b"\x80")
    exact = ((1, None, True, raw, [b"x", []]),)
    assert Forms(exact).value is exact
    changed = Forms([[1, bytes(20), bytes(32), raw, [bytearray(b"x")]]])
    assert changed.value == ((1, Address(0), Hash(0), raw, [b"x"]),)
    assert rlp.decode(Forms, changed.rlp()) == changed
    assert Forms(ROOT).rlp() == rlp.encode([ROOT])
    assert Forms.from_json(changed.to_json()) == changed
    with pytest.raises(InputTypeError):
        Forms((1, 2))


def test_unions_of_records_and_other_forms() -> None:
    @rlp.record
    class Mixed(rlp.Record):
        value: tuple[Number | SmallTransaction, ...] | Hash
        other: Number | Hash | None = None

    for mixed in (
        Mixed((Number(1), SMALL)),
        Mixed([SMALL]),
        Mixed(ROOT, Number(5)),
        Mixed((), ROOT),
    ):
        assert rlp.decode(Mixed, mixed.rlp()) == mixed
        assert Mixed.from_json(mixed.to_json()) == mixed
    with pytest.raises(InputTypeError):
        Mixed((LEGACY,))


def test_a_union_of_lists_only_has_no_string() -> None:
    @rlp.record
    class Only(rlp.Record):
        value: Number | Annotated[ListedTransaction, "typed, so a string"]
        maybe: Number | None = None

    assert rlp.decode(Only, Only(LISTED, Number(1)).rlp()) == Only(LISTED, Number(1))


def test_a_list_that_was_changed_is_checked_when_it_is_encoded() -> None:
    block = Block.from_rlp(BLOCK.rlp())
    block.ommers.append(SMALL)
    with pytest.raises(InputTypeError, match=r"ommers\[1\] must be a Header"):
        block.rlp()


def test_a_default_factory_is_called_each_time() -> None:
    one, two = Everything(), Everything()
    assert one.kept == two.kept == []
    assert one.kept is not two.kept


@rlp.record
class Tuples(rlp.Record):
    """Tuples of what is told by its class alone, and of what is not."""

    hashes: tuple[Hash, ...] = ()
    texts: tuple[Bytes, ...] = ()
    short: tuple[Annotated[Bytes, rlp.Size(1, 2)], ...] = ()
    four: tuple[Annotated[bytes, rlp.Size(4)], ...] = ()
    records: tuple[AccessEntry, ...] = ()
    several: tuple[SmallTransaction | AccessEntry, ...] = ()


ENTRY = AccessEntry(ADDRESS, ())


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("hashes", (ROOT, Hash(1))),
        ("texts", (Bytes(b""), Bytes(b"a" * 40))),
        ("short", (Bytes(b"ab"), Bytes(b"a"))),
        ("four", (b"1234",)),
        ("records", (ENTRY, ENTRY)),
        ("several", (ENTRY, SMALL)),
    ],
)
def test_tuples_of_what_fits_stay_as_they_are(
    name: str, values: tuple[Any, ...]
) -> None:
    for given in (values, list(values), iter(values)):
        found = getattr(Tuples(**{name: given}), name)
        assert found == values
        assert [type(one) for one in found] == [type(one) for one in values]


@pytest.mark.parametrize(
    ("name", "values", "error", "message"),
    [
        ("hashes", (ROOT, b"short"), SizeError, r"tuples\.hashes\[1\]"),
        ("short", (Bytes(b"abc"),), RangeError, r"tuples\.short\[0\]"),
        ("short", (Bytes(b""),), RangeError, r"tuples\.short\[0\]"),
        ("four", (b"1234", b"123"), SizeError, r"tuples\.four\[1\]"),
        ("records", (ENTRY, SMALL), InputTypeError, r"tuples\.records\[1\]"),
        ("several", (SMALL, LEGACY), InputTypeError, r"tuples\.several\[1\]"),
    ],
)
def test_tuples_of_what_does_not_fit_are_refused(
    name: str, values: tuple[Any, ...], error: Any, message: str
) -> None:
    with pytest.raises(error, match=message):
        Tuples(**{name: values})


def test_what_fits_in_tuples_is_converted_among_what_does_not_need_it() -> None:
    made = Tuples(hashes=(ROOT, bytes(ROOT), "0x" + "22" * 32))
    assert made.hashes == (ROOT, ROOT, ROOT)
    assert {type(one) for one in made.hashes} == {Hash}
