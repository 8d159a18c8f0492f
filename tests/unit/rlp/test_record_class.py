"""What `rlp.record` makes of a class, before anything is encoded."""

from __future__ import annotations

import copy
import inspect
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from typing import Annotated, Any, ClassVar

import pytest

from hexary import (
    Address,
    Bytes,
    DecodeError,
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
from hexary.rlp.records import _restore
from hexary.typed import FixedSizeBytes, FixedSizeHexNumber, HashInt
from record_specimens import (
    BLOCK,
    HEADER,
    LEGACY,
    LISTED,
    ROOT,
    SMALL,
    SPECIMENS,
    Block,
    Header,
    ListedTransaction,
    Receipt,
    SmallTransaction,
)


@rlp.record
class Point(rlp.Record):
    """Two small numbers, one with a default."""

    left: rlp.U8
    right: rlp.U8 = 7

    origin: ClassVar[int] = 0

    @property
    def total(self) -> int:
        """Return the sum."""
        return self.left + self.right

    @classmethod
    def zero(cls) -> Point:
        return cls(0, 0)

    @staticmethod
    def word() -> str:
        return "point"


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


def test_fields_are_given_in_order_or_by_name() -> None:
    assert Point(1, 2) == Point(left=1, right=2) == Point(1, right=2)
    assert Point(1).right == 7
    assert (Point(1).left, Point.origin, Point(3).total) == (1, 0, 10)
    assert (Point.zero(), Point.word()) == (Point(0, 0), "point")


@pytest.mark.parametrize("arguments", [(), (1, 2, 3)])
def test_a_wrong_number_of_arguments_is_a_type_error(arguments: tuple[int]) -> None:
    with pytest.raises(TypeError, match="argument"):
        Point(*arguments)


def test_an_unknown_name_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="nothing"):
        Point(1, nothing=2)
    with pytest.raises(TypeError, match="nothing"):
        Point(1).replace(nothing=2)


def test_keyword_only_records_take_keywords_only() -> None:
    @rlp.record(kw_only=True)
    class Named(rlp.Record):
        first: rlp.U8 = 1
        second: rlp.U8

    assert Named(second=2).first == 1
    assert Named.__match_args__ == ()
    with pytest.raises(TypeError):
        Named(1, 2)


def test_a_default_factory_is_called_each_time() -> None:
    one, two = Everything(), Everything()
    assert one.kept == two.kept == []
    assert one.kept is not two.kept


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
            {"item": [bytearray(b"a"), 1, (Point(1, 2),)]},
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


def test_records_are_immutable_and_have_no_dict() -> None:
    point = Point(1)
    with pytest.raises(AttributeError, match=r"Point is immutable, cannot set 'left'"):
        point.left = 2
    with pytest.raises(AttributeError, match="cannot delete 'left'"):
        del point.left
    with pytest.raises(AttributeError, match="cannot set 'other'"):
        point.other = 2
    assert not hasattr(point, "__dict__")
    assert not hasattr(BLOCK.header, "__dict__")


def test_records_are_values() -> None:
    assert Point(1, 2) == Point(1, 2) != Point(2, 1)
    assert Point(1, 2) != (1, 2)
    assert len({Point(1, 2), Point(1, 2), Point(2, 1)}) == 2
    assert hash(HEADER) == hash(HEADER.replace())
    assert LISTED != SMALL


def test_a_record_with_a_list_is_not_hashable() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(BLOCK)


def test_records_match_patterns() -> None:
    match Point(3, 4):
        case Point(left, right=4):
            assert left == 3
        case _:
            pytest.fail("no match")


def test_repr_shows_the_fields_unless_told_not_to() -> None:
    @rlp.record
    class Secret(rlp.Record):
        name: bytes
        key: bytes = rlp.field(default=b"", repr=False)

    assert repr(Point(1)) == "Point(left=1, right=7)"
    assert repr(Secret(b"x")) == "Secret(name=b'x')"


def test_replace_changes_only_what_is_named() -> None:
    changed = HEADER.replace(number=5)
    assert (changed.number, changed.replace(number=HEADER.number)) == (5, HEADER)
    assert HEADER.number == 128
    assert HEADER.__replace__(number=5) == changed


@pytest.mark.parametrize("record", SPECIMENS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize(
    "duplicate",
    [
        copy.copy,
        copy.deepcopy,
        *(
            lambda record, protocol=protocol: pickle.loads(
                pickle.dumps(record, protocol)
            )
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
        ),
    ],
)
def test_records_survive_copies_and_pickles(
    record: rlp.Record, duplicate: Callable[[rlp.Record], rlp.Record]
) -> None:
    twin = duplicate(record)
    assert twin == record
    assert type(twin) is type(record)
    assert twin.rlp() == record.rlp()


def test_the_signature_is_that_of_the_constructor() -> None:
    assert str(inspect.signature(Point)) == "(left: 'rlp.U8', right: 'rlp.U8' = 7)"
    assert str(inspect.signature(SMALL.replace)) == "(**changes: 'Any') -> 'Self'"
    assert not hasattr(SMALL, "__signature__")


def test_names_of_fields_hide_nothing() -> None:
    """Not the built-in functions, nor what the written code calls."""

    @rlp.record
    class Names(rlp.Record):
        type: rlp.U8
        len: bytes
        self: bytes
        data: bytes
        p: rlp.U64
        b: Annotated[bytes, rlp.Size(0, 3)]
        s: Hash
        r: rlp.U8
        from_bytes: rlp.U64
        encode_uint: rlp.U64
        bytes: tuple[rlp.U8, ...]

    names = Names(1, b"2", b"3", b"4", 500, b"6", ROOT, 8, 900, 1000, [1])
    assert rlp.decode(Names, names.rlp()) == names
    assert Names(
        len=b"", **{n: getattr(names, n) for n in Names.__match_args__ if n != "len"}
    )


def test_records_inherit_fields_and_methods() -> None:
    @rlp.record
    class Solid(Point):
        depth: rlp.U8 = 1
        left: rlp.U16

        @property
        def total(self) -> int:
            return super().total + self.depth

        @classmethod
        def zero(cls) -> Solid:
            assert super().zero() is not None
            return cls(0)

    solid = Solid(300, 2, 3)
    assert solid.total == 305
    assert Solid.zero() == Solid(0)
    assert Solid.__rlp_fields__ == ("left", "right", "depth")
    assert rlp.decode(Solid, solid.rlp()) == solid
    assert isinstance(solid, Point)
    assert solid != Point(3, 2)
    with pytest.raises(RangeError):
        Point(300, 2)


def test_plain_bases_are_fine() -> None:
    class Named:
        __slots__ = ()

        def name(self) -> str:
            return type(self).__name__

    @rlp.record
    class Both(Named, rlp.Record):
        value: rlp.U8

    assert Both(1).name() == "Both"
    assert rlp.decode(Both, b"\xc1\x01") == Both(1)


def test_the_base_is_added_where_it_is_missing() -> None:
    @rlp.record
    class Bare:
        value: rlp.U8

    assert issubclass(Bare, rlp.Record)
    assert rlp.decode(Bare, b"\xc1\x05").value == 5
    assert Bare.__qualname__.endswith(
        "test_the_base_is_added_where_it_is_missing.<locals>.Bare"
    )
    assert Bare.__module__ == __name__


def test_a_record_without_fields_is_the_empty_list() -> None:
    @rlp.record
    class Nothing(rlp.Record):
        pass

    assert Nothing().rlp() == b"\xc0"
    assert rlp.decode(Nothing, b"\xc0") == Nothing()
    assert repr(Nothing()) == "Nothing()"
    assert len({Nothing(), Nothing()}) == 1


def test_a_subclass_that_is_no_record_constructs_but_does_not_decode() -> None:
    class Derived(Point):
        pass

    assert Derived(1).total == 8
    assert Derived(1, 2).rlp() == b"\xc2\x01\x02"
    for use in (Derived.from_rlp, lambda data: rlp.decode(Derived, data)):
        with pytest.raises(InputTypeError, match=r"rlp\.record"):
            use(b"\xc2\x01\x02")
    with pytest.raises(InputTypeError, match=r"rlp\.record"):
        Derived.from_json({})


def test_a_class_that_was_not_decorated_says_so() -> None:
    class Forgotten(rlp.Record):
        value: int

    with pytest.raises(InputTypeError, match="Forgotten must be decorated with"):
        Forgotten(1)
    with pytest.raises(AttributeError):
        Forgotten.__signature__  # noqa: B018 - looking it up is the test


def test_a_record_checks_itself_however_it_is_made() -> None:
    @rlp.record
    class Ordered(rlp.Record):
        low: rlp.U8
        high: rlp.U8

        def __post_init__(self) -> None:
            if self.low > self.high:
                raise EncodeError("low comes before high", path=("low",))

    assert rlp.decode(Ordered, b"\xc2\x01\x02") == Ordered(1, 2)
    with pytest.raises(EncodeError, match="low comes before high"):
        Ordered(2, 1)
    with pytest.raises(EncodeError, match="low comes before high"):
        Ordered(1, 2).replace(low=3)


def test_methods_of_the_class_itself_stay() -> None:
    @rlp.record
    class Own(rlp.Record):
        value: rlp.U8

        def __eq__(self, other: object) -> bool:
            return self.value == other

        def __hash__(self) -> int:
            return 5

        def __repr__(self) -> str:
            return "own"

    own = Own(3)
    assert own == 3
    assert (hash(own), repr(own)) == (5, "own")


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


@rlp.record
class Earlier(rlp.Record):
    """Refers to a class that comes after it."""

    later: Later
    several: tuple["Later", ...] = ()  # noqa: UP037 - a quoted part is the test


@rlp.record
class Later(rlp.Record):
    """Comes after the class that refers to it."""

    value: rlp.U8


def test_annotations_may_refer_to_later_classes() -> None:
    earlier = Earlier(Later(1), (Later(2),))
    assert rlp.decode(Earlier, earlier.rlp()) == earlier


def make(annotation: Any, **options: Any) -> Any:
    """Return a record with one field of this annotation."""
    namespace = {"__annotations__": {"value": annotation}, "__module__": __name__}
    return rlp.record(type("Made", (rlp.Record,), {**namespace, **options}))


@pytest.mark.parametrize(
    ("annotation", "hint"),
    [
        (int, "say how wide it is, as in rlp.U256"),
        (str, "Made.value must be one that the table in hexary.rlp.fields has"),
        (dict[str, int], "Made.value must be"),
        (object, "Made.value must be"),
        (5, "Made.value must be"),
        (FixedSizeBytes, "give it a size, as in FixedSizeBytes[4]"),
        (FixedSizeHexNumber, "give it a size, as in FixedSizeHexNumber[4]"),
        (rlp.Record, "decorate the class with rlp.record"),
        (rlp.U8 | None, "an item could be either of two"),
        (Bytes | None, "an item could be either of two"),
        (bool | None, "an item could be either of two"),
        (rlp.U8 | bool, "an item could be either of two"),
        (Bytes | Hash, "an item could be either of two"),
        (tuple[rlp.U8, ...] | Point, "an item could be either of two"),
        (rlp.Raw | None, "an item could be either of two"),
        (Point | Later, "both have type 0"),
        (Annotated[bytes, rlp.Uint(8)], "Uint(8) is for ints"),
        (Annotated[bool, rlp.Uint(8)], "Uint(8) is for ints"),
        (Annotated[int, rlp.Size(1)], "Size(1, 1) is for bytes"),
        (Annotated[bytes, rlp.BARE], "BARE is for records"),
        (tuple[rlp.Trailing[rlp.U8], ...], "a trailing field is not part of another"),
        (
            tuple[Annotated[int, rlp.TypeByte(1)], ...],
            "a type byte is a field of its own",
        ),
        ("nowhere", "name 'nowhere' is not defined"),
        ("rlp.nothing", "no attribute 'nothing'"),
        ("1 +", "invalid syntax"),
    ],
)
def test_annotations_that_are_no_kind_are_refused_at_the_first_use(
    annotation: Any, hint: str
) -> None:
    kind = make(annotation)
    with pytest.raises(InputTypeError) as refusal:
        kind(value=1)
    assert hint in str(refusal.value)
    with pytest.raises(InputTypeError):
        rlp.decode(kind, b"\xc0")


@pytest.mark.parametrize(
    "annotation",
    [
        tuple[()],
        Annotated[rlp.U8, "a mark of somebody else's"],
        "rlp.U8",
        Annotated[ListedTransaction, rlp.BARE] | None,
    ],
)
def test_unusual_annotations_are_fine(annotation: Any) -> None:
    assert make(annotation).from_rlp is not None
    with pytest.raises(DecodeError):
        make(annotation).from_rlp(b"")


@rlp.record
class Snake(rlp.Record):
    """Holds itself."""

    tail: tuple[Snake, ...]


def test_a_record_does_not_hold_itself() -> None:
    with pytest.raises(InputTypeError, match="Snake → Snake"):
        Snake(())
    with pytest.raises(InputTypeError, match="a record that does not hold itself"):
        rlp.decode(Snake, b"\xc1\xc0")


def test_a_record_has_one_type_byte() -> None:
    @rlp.record(type_byte=1)
    class Twice(rlp.Record):
        type: Annotated[int, rlp.TypeByte(1)]

    with pytest.raises(InputTypeError, match="a record has one type byte"):
        Twice(1)


def test_only_trailing_fields_follow_trailing_ones() -> None:
    @rlp.record
    class Late(rlp.Record):
        late: rlp.Trailing[rlp.U8] = None
        other: rlp.U8 = 0

    with pytest.raises(InputTypeError, match="only trailing fields follow"):
        Late()


@pytest.mark.parametrize("name", ["rlp", "hash", "replace", "to_json", "__x"])
def test_names_of_the_methods_are_refused_as_fields(name: str) -> None:
    with pytest.raises(InputTypeError, match="name of a field"):
        rlp.record(type("Made", (), {"__annotations__": {name: rlp.U8}}))


def test_defaults_come_last() -> None:
    with pytest.raises(InputTypeError, match=r"Wrong\.second must be given a default"):

        @rlp.record
        class Wrong(rlp.Record):
            first: rlp.U8 = 1
            second: rlp.U8


def test_bad_options_are_refused() -> None:
    class Some(rlp.Record):
        value: rlp.U8

    refused: list[tuple[dict[str, Any], type[Exception]]] = [
        ({"type_byte": 0}, RangeError),
        ({"type_byte": 128}, RangeError),
        ({"type_byte": True}, InputTypeError),
        ({"json_type": -1}, RangeError),
        ({"views": {"signing": ["nothing"]}}, InputTypeError),
    ]
    for options, error in refused:
        with pytest.raises(error):
            rlp.record(**options)(Some)
    with pytest.raises(InputTypeError):
        rlp.record(5)
    with pytest.raises(InputTypeError, match="without __slots__"):
        rlp.record(Point)
    with pytest.raises(InputTypeError, match="both or neither"):
        rlp.field(encode=bytes)
    with pytest.raises(InputTypeError, match="given one of them"):
        rlp.field(default=1, default_factory=int)


@pytest.mark.parametrize(
    ("mark", "error"),
    [
        (lambda: rlp.Uint(-1), RangeError),
        (lambda: rlp.Uint("8"), InputTypeError),
        (lambda: rlp.Uint(True), InputTypeError),
        (lambda: rlp.Size(3, 2), RangeError),
        (lambda: rlp.Size(-1), RangeError),
        (lambda: rlp.TypeByte(0), RangeError),
        (lambda: rlp.TypeByte(128), RangeError),
    ],
)
def test_bad_marks_are_refused(
    mark: Callable[[], object], error: type[Exception]
) -> None:
    with pytest.raises(error):
        mark()


def test_marks_show_what_they_are() -> None:
    marks = (rlp.Uint(8), rlp.Size(1, 2), rlp.TypeByte(2, 1), rlp.BARE)
    assert [repr(mark) for mark in marks] == [
        "Uint(8)",
        "Size(1, 2)",
        "TypeByte(1, 2)",
        "BARE",
    ]


def test_threads_compile_a_class_once() -> None:
    @rlp.record
    class Raced(rlp.Record):
        value: rlp.U8

    start = threading.Barrier(8)
    codecs = []

    def use() -> None:
        start.wait()
        assert Raced.from_rlp(b"\xc1\x01").value == 1
        codecs.append(Raced.__rlp_codec__)

    threads = [threading.Thread(target=use) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(codecs) == 8
    assert len(set(map(id, codecs))) == 1


def test_nothing_is_compiled_before_the_first_use(
    clean_environment: dict[str, str],
) -> None:
    code = (
        "import sys\nfrom hexary import rlp\n@rlp.record\nclass One(rlp.Record):\n"
        "    value: rlp.U8\nprint('hexary.rlp.codec' in sys.modules)\n"
        "One(1); print('hexary.rlp.codec' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=clean_environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["False", "True"]


@pytest.mark.parametrize("method", ["rlp", "to_json", "hash"])
def test_an_unpickled_record_compiles_its_class(method: str) -> None:
    """In a process that has not used the class before."""

    @rlp.record(type_byte=1)
    class Fresh(rlp.Record):
        value: rlp.U8

    def restored() -> Any:
        return _restore(Fresh, (5,))

    expected = {"rlp": b"\x01\xc1\x05", "to_json": {"type": "0x1", "value": "0x5"}}
    if method in expected:
        assert getattr(restored(), method)() == expected[method]
    assert rlp.encode([restored()]) == bytes.fromhex("c48301c105") or method == "hash"
    assert restored().hash() == Fresh(5).hash()


@pytest.mark.parametrize("method", ["__rlp_whole__", "__rlp_item__", "__rlp_list__"])
def test_each_stub_compiles_and_calls_what_has_taken_its_place(method: str) -> None:
    @rlp.record(type_byte=1)
    class Fresh(rlp.Record):
        value: rlp.U8

    encoded = getattr(_restore(Fresh, (5,)), method)()
    assert encoded.endswith(b"\xc1\x05")


def test_methods_may_use_names_that_are_bound_later() -> None:
    """Their cells are empty while the class is made."""

    @rlp.record
    class Closed(rlp.Record):
        value: rlp.U8

        def later(self) -> int:
            return self.value + late

    late = 5
    assert Closed(1).later() == 6


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
        value: tuple[Later | SmallTransaction, ...] | Hash
        other: Later | Hash | None = None

    for mixed in (
        Mixed((Later(1), SMALL)),
        Mixed([SMALL]),
        Mixed(ROOT, Later(5)),
        Mixed((), ROOT),
    ):
        assert rlp.decode(Mixed, mixed.rlp()) == mixed
        assert Mixed.from_json(mixed.to_json()) == mixed
    with pytest.raises(InputTypeError):
        Mixed((LEGACY,))


def test_a_union_of_lists_only_has_no_string() -> None:
    @rlp.record
    class Only(rlp.Record):
        value: Later | Annotated[ListedTransaction, "typed, so a string"]
        maybe: Later | None = None

    assert rlp.decode(Only, Only(LISTED, Later(1)).rlp()) == Only(LISTED, Later(1))


def test_a_list_that_was_changed_is_checked_when_it_is_encoded() -> None:
    block = Block.from_rlp(BLOCK.rlp())
    block.ommers.append(SMALL)
    with pytest.raises(InputTypeError, match=r"ommers\[1\] must be a Header"):
        block.rlp()
