"""The accelerator's RLP does what the pure RLP does: values, and errors in full."""

from __future__ import annotations

import array
import ctypes
import gc
from collections import UserList, UserString
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import hexary
from hexary import Address, DecodeError, Hash, HexaryError, Number, rlp
from hexary.rlp import decoding, encoding
from hexary.twin import pure_twins

PURE = pure_twins()

if not PURE:
    pytest.skip("no accelerator in use", allow_module_level=True)

pure_decode = PURE["hexary.rlp.decoding.decode"]
pure_decode_prefix = PURE["hexary.rlp.decoding.decode_prefix"]
pure_decode_item = PURE["hexary.rlp.decoding._decode_item"]
pure_encode = PURE["hexary.rlp.encoding.encode"]
pure_encoded_size = PURE["hexary.rlp.encoding.encoded_size"]


def outcome(function: Callable[..., Any], *arguments: Any, **named: Any) -> object:
    """Return what *function* returns, or all that its error says."""
    try:
        result = function(*arguments, **named)
    except Exception as error:  # noqa: BLE001  # whatever it is, the twin has to raise it
        return type(error), str(error), vars(error)
    return _flat(result)


def _flat(value: Any) -> list[object]:
    """Return what is inside *value*, which may be deeper than `==` can go."""
    found: list[object] = []
    stack = [value]
    while stack:
        each = stack.pop()
        found.append(type(each))
        if isinstance(each, (list, tuple)):
            found.append(len(each))
            stack.extend(reversed(each))
        else:
            found.append(each)
    return found


def same_decoding(data: Any, **limits: Any) -> None:
    assert outcome(rlp.decode, data, **limits) == outcome(pure_decode, data, **limits)
    assert outcome(rlp.decode_prefix, data, **limits) == outcome(
        pure_decode_prefix, data, **limits
    )


def same_encoding(value: Any) -> None:
    assert outcome(rlp.encode, value) == outcome(pure_encode, value)
    assert outcome(rlp.encoded_size, value) == outcome(pure_encoded_size, value)


ITEMS = st.recursive(
    st.binary(max_size=70), lambda inner: st.lists(inner, max_size=6), max_leaves=40
)

OBJECTS = st.recursive(
    st.one_of(
        st.binary(max_size=70),
        st.integers(min_value=-2, max_value=2**300),
        st.booleans(),
        st.binary(max_size=4).map(bytearray),
        st.binary(max_size=60).map(memoryview),
        st.binary(min_size=32, max_size=32).map(Hash),
        st.integers(0, 2**64).map(Number),
        ITEMS.map(lambda item: rlp.Raw(pure_encode(item))),
        st.sampled_from([None, "text", 1.5, {}, set(), b"a", 0]),
    ),
    lambda inner: (
        st.lists(inner, max_size=6)
        | st.lists(inner, max_size=3).map(tuple)
        | st.lists(inner, max_size=3).map(UserList)
    ),
    max_leaves=30,
)

LIMITS = st.one_of(
    st.none(), st.integers(-1, 20), st.just(10**30), st.just("3"), st.booleans()
)

# Prefixes at the borders of the forms, and lengths at those of the rules.
HOSTILE = st.lists(
    st.one_of(
        st.sampled_from(
            [
                bytes([prefix])
                for prefix in (
                    *(0x00, 0x7F, 0x80, 0x81, 0x82, 0xB7, 0xB8, 0xB9, 0xBF),
                    *(0xC0, 0xC1, 0xC2, 0xC3, 0xF7, 0xF8, 0xF9, 0xFF),
                )
            ]
        ),
        st.sampled_from([b"\x37", b"\x38", b"\x00\x38", b"\x01\x00", bytes(56)]),
        st.binary(max_size=4),
    ),
    max_size=30,
).map(b"".join)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    data = bytearray(pure_encode(draw(ITEMS)))
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(data)))
        kind = draw(st.integers(0, 2))
        if kind == 0:
            data[place:place] = draw(st.binary(max_size=3))
        elif kind == 1:
            del data[place : place + draw(st.integers(1, 3))]
        elif place < len(data):
            data[place] = draw(st.integers(0, 255))
    return bytes(data)


@given(data=st.one_of(HOSTILE, mutated(), st.binary(max_size=80)))
@example(b"")
@example(b"\xbf" + 8 * b"\xff")
@example(b"\xff" + 8 * b"\xff")
@example(b"\xc2\xbf\xff")
@example(b"\xb8\x38" + bytes(55))
def test_decoding(data):
    same_decoding(data)


@given(
    data=st.one_of(HOSTILE, mutated()), max_depth=LIMITS.filter(lambda limit: limit),
    max_items=LIMITS,
)  # fmt: skip
def test_decoding_within_limits(data, max_depth, max_items):
    same_decoding(data, max_depth=max_depth, max_items=max_items)


@given(item=ITEMS, max_depth=st.integers(0, 6), max_items=st.integers(0, 20))
def test_limits_that_are_just_met_or_just_missed(item, max_depth, max_items):
    same_decoding(pure_encode(item), max_depth=max_depth, max_items=max_items)


@given(data=st.one_of(HOSTILE, mutated()), position=st.integers(-1, 40))
def test_decoding_from_a_position(data, position):
    arguments = (data, min(position, len(data)), 5, 9)
    if position >= 0:
        assert outcome(decoding._decode_item, *arguments) == outcome(
            pure_decode_item, *arguments
        )


@given(data=mutated())
def test_concatenated_items_are_read_by_the_twin_as_well(data):
    twice = 2 * data
    found = outcome(lambda: list(rlp.decode_concatenated(twice)))
    items: list[object] = []
    position = 0
    while position < len(twice):
        try:
            item, position = pure_decode_item(twice, position, 1024, None)
        except DecodeError as error:
            assert found == (type(error), str(error), vars(error))
            return
        items.append(item)
    assert found == _flat(items)


@given(value=OBJECTS)
def test_encoding(value):
    same_encoding(value)


class Endless(Sequence):
    """A sequence that holds itself."""

    def __len__(self) -> int:
        return 1

    def __getitem__(self, index):
        if index == 0:
            return self
        raise IndexError(index)


class Failing(Sequence):
    """A sequence that cannot be read."""

    def __len__(self) -> int:
        return 1

    def __getitem__(self, index):
        raise LookupError("it fails")


class IntLike:
    def __index__(self) -> int:
        return 5


class Listed(list):
    """A list with an order of its own."""

    def __iter__(self):
        return iter([b"other"])


def _holds_itself() -> list[Any]:
    inner: list[Any] = [b"x"]
    outer = [b"a", (b"b", [inner]), b"c"]
    inner.append(outer)
    return outer


def _released() -> memoryview:
    view = memoryview(b"gone")
    view.release()
    return view


def _deep(depth: int) -> list[Any]:
    item: list[Any] = []
    for _ in range(depth):
        item = [b"x", item]
    return item


class Number2(int):
    """An int that gives other bytes of itself."""

    def to_bytes(self, *_, **__):
        return b"liar"

    def __lt__(self, other):
        return False


@rlp.record
class Point:
    """A record, which encodes as a list."""

    x: rlp.U256
    y: bytes


POINT = Point(x=5, y=b"there")

VALUES: list[Any] = [
    *(POINT, [POINT, [POINT, b"x"]], [POINT, "text"]),
    *(0, 1, 127, 128, 255, 256, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 2**256, -1),
    *(-(2**70), True, False, None, 1.5, "text", UserString("text"), b"", b"\x7f"),
    *(b"\x80", bytes(55), bytes(56), bytes(255), bytes(256), bytes(65536)),
    *([], (), [[]], [[], [[]]], [bytes(54)], [bytes(55)], [bytes(300)] * 300),
    *(bytearray(b"\x01"), memoryview(b"0123456789")[::3], memoryview(bytes(8))),
    memoryview(bytes(8)).cast("I"),
    memoryview(bytes(12)).cast("B", (3, 4)),
    *(array.array("B", b"abc"), array.array("I", [1]), iter([b"a"]), {b"a": b"b"}),
    *({b"a"}, range(300), UserList([b"a", [1]]), Listed([b"mine"]), IntLike()),
    *(Number2(5), Number2(2**80), Number2(-1), Hash(1), Address(2), Number(3)),
    *(rlp.Raw(b"\xc1\x05"), [rlp.Raw(b"\x05"), b"x"], object(), int, b"a".hex),
    *([b"a", "first", -1], [-1, "second"], ["x", Failing()], [Failing(), "x"]),
    *(Endless(), [1, Endless()], _holds_itself(), [b"a", [b"b", None]]),
    *([_released(), "text"], _released(), [b"x", [1, -5]], _deep(3_000)),
    [[b"x"] * 1_000] * 20,
]


@pytest.mark.parametrize("index", range(len(VALUES)))
def test_encoding_of_special_values(index):
    same_encoding(VALUES[index])


@pytest.mark.parametrize("period", range(1, 8))
@pytest.mark.parametrize("lead", range(8))
def test_cycles_of_every_length_are_found(lead, period):
    ring: list[Any] = [[] for _ in range(period)]
    for one, other in zip(ring, [*ring[1:], ring[0]], strict=True):
        one.extend([b"x", other, b"y"])
    value = ring[0]
    for _ in range(lead):
        value = [value, b"z"]
    same_encoding(value)


def test_one_list_in_many_places_is_no_cycle():
    shared = [b"shared"]
    same_encoding([shared, [shared, [shared]], shared])


def _nowhere() -> memoryview:
    """Return a view of no bytes at no address, as foreign libraries make them."""
    make = ctypes.pythonapi.PyMemoryView_FromMemory
    make.restype = ctypes.py_object
    make.argtypes = [ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int]
    view: memoryview = make(None, 0, 0x100)  # to be read
    return view


def test_no_bytes_at_no_address():
    same_decoding(_nowhere())
    same_encoding([_nowhere(), _nowhere()])
    assert hexary.keccak256(_nowhere()) == hexary.keccak256(b"")
    assert hexary.keccak256_many([_nowhere()]) == hexary.keccak256_many([b""])


class Hostile(Sequence):
    """A sequence that does something to the list around it whenever it is looked at."""

    def __init__(self, harm: Callable[[], object]) -> None:
        self.harm = harm

    def __len__(self) -> int:
        self.harm()
        return 2

    def __getitem__(self, index: int) -> bytes:  # type: ignore[override]  # no slices
        self.harm()
        if index > 1:
            raise IndexError
        return b"item"


@pytest.mark.parametrize(
    "harm",
    [
        lambda around: around.clear(),
        lambda around: around.pop(),
        lambda around: around.extend([b"more"] * 200),
        lambda around: around.insert(0, b"first"),
        lambda around: around.append(around),
        lambda around: around.__setitem__(slice(None), [b"x" * 70] * 3),
        lambda _: rlp.encode([[b"inside", 1 << 70], bytearray(b"y")]),
        lambda _: gc.collect(),
    ],
)
@pytest.mark.parametrize("place", [0, 3, 7])
def test_a_list_that_changes_while_it_is_read_harms_nothing(harm, place):
    """What comes out is an encoding that can be read, or an error."""
    for encode in (rlp.encode, rlp.encoded_size, rlp.keccak256):
        around: list[Any] = [bytes([number]) * 40 for number in range(7)]
        times = iter(range(5))
        hostile = Hostile(
            lambda around=around, times=times: (
                harm(around) if next(times, None) is not None else None
            )
        )
        around.insert(place, hostile)
        try:
            result = encode([b"before", around, b"after"])
        except (HexaryError, IndexError, TypeError, ValueError):
            continue
        if encode is rlp.encode:
            assert rlp.decode(result)[0] == b"before"


@pytest.mark.parametrize("depth", [1023, 1024, 1025, 50_000])
def test_depth(depth):
    data = pure_encode(_deep(depth))
    same_decoding(data)
    same_decoding(data, max_depth=depth + 1)
    same_decoding(data, max_depth=depth)


@pytest.mark.parametrize(
    "data",
    [
        *(None, "0x80", 5, [b""], bytearray(b"\x83dog"), memoryview(b"\x83dog")),
        *(memoryview(b"\x83xdxoxg")[::2], memoryview(b"\x83dog!dog").cast("I")),
        *(Hash(1), array.array("B", b"\x80"), bytearray(), memoryview(b"\xc1\x81")),
    ],
    ids=lambda data: type(data).__name__,
)
def test_types_of_encoded_data(data):
    same_decoding(data)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((), {}),
        ((b"\x80", 5), {}),
        ((b"\x80",), {"depth": 5}),
        ((), {"data": b"\x80"}),
        ((), {"obj": b"\x80"}),
        ((b"\x80",), {"data": b"\x80"}),
        ((b"\x80",), {"max_depth": None}),
        ((b"\x80",), {"max_depth": -1, "max_items": -1}),
        ((None,), {"max_depth": "x"}),
    ],
)
def test_odd_calls(arguments, named):
    for native, pure in (
        (rlp.decode, pure_decode),
        (rlp.decode_prefix, pure_decode_prefix),
        (rlp.encode, pure_encode),
        (rlp.encoded_size, pure_encoded_size),
    ):
        assert outcome(native, *arguments, **named) == outcome(
            pure, *arguments, **named
        )


def test_the_twins_say_what_the_pure_functions_say():
    import inspect
    import pickle

    for native, pure in (
        (rlp.decode, pure_decode),
        (rlp.decode_prefix, pure_decode_prefix),
        (rlp.encode, pure_encode),
        (rlp.encoded_size, pure_encoded_size),
    ):
        assert native is not pure
        assert inspect.isbuiltin(native)
        assert native.__module__ == pure.__module__
        assert inspect.getdoc(native) == inspect.getdoc(pure)
        assert list(inspect.signature(native).parameters) == list(
            inspect.signature(pure).parameters
        )
        assert pickle.loads(pickle.dumps(native)) is native
    assert encoding.encode is rlp.encode
