"""What `rlp.record` makes of a class, before anything is encoded."""

from __future__ import annotations

import copy
import inspect
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Annotated, Any, ClassVar

import pytest

from hexary import (
    EncodeError,
    Hash,
    InputTypeError,
    RangeError,
    rlp,
)
from hexary.rlp.records import _restore
from record_specimens import (
    BLOCK,
    HEADER,
    LISTED,
    ROOT,
    SMALL,
    SPECIMENS,
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


def test_a_single_field_or_item_does_not_pass_for_several() -> None:
    with pytest.raises(InputTypeError, match="exclude must be names of fields, got"):
        SMALL.rlp(exclude="left")
    with pytest.raises(InputTypeError, match="append must be items that come after"):
        SMALL.hash(append=b"ab")
