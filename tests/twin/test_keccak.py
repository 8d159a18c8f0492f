"""Every kernel of the accelerator gives the digests of pycryptodome, or its errors."""

from __future__ import annotations

import random
import threading
from array import array
from collections.abc import Callable, Iterator
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hexary import HexaryError, RangeError
from hexary._backends import native, pycryptodome

PURE = pycryptodome.load()

SIZES = [
    0,
    1,
    7,
    8,
    71,
    72,
    73,
    100,
    127,
    128,
    135,
    136,
    137,
    271,
    272,
    273,
    1087,
    1088,
]


class Liar(bytes):
    """Bytes whose length is not what it says."""

    def __len__(self) -> int:
        return 0


def messages(count: int, longest: int) -> list[bytes]:
    source = random.Random(count)
    return [source.randbytes(source.randrange(longest)) for _ in range(count)]


def outcome(function: Callable[[object], object], argument: object) -> object:
    """Return what *function* returns, or all that its error says."""
    try:
        return function(argument)
    except (HexaryError, TypeError, ValueError, BufferError) as error:
        return type(error), str(error), vars(error)


def test_the_kernel_is_the_one_asked_for(kernel, accelerator):
    assert accelerator.kernel_in_use()[0] == kernel


@pytest.mark.parametrize("size", SIZES)
def test_single_digests(kernel, accelerator, size):
    message = random.Random(size).randbytes(size)
    assert accelerator.keccak256(message) == PURE.keccak256(message)
    assert accelerator.keccak512(message) == PURE.keccak512(message)


def test_batches_of_all_sizes(kernel, accelerator):
    items = messages(3_000, 1_500)
    assert accelerator.keccak256_many(items) == PURE.keccak256_many(items)


@pytest.mark.parametrize("count", [*range(20), 255, 256, 257, 600])
def test_batches_of_any_number(kernel, accelerator, count):
    items = [bytes([number % 256]) * 100 for number in range(count)]
    assert accelerator.keccak256_many(items) == PURE.keccak256_many(items)
    packed = accelerator.keccak256_packed(b"".join(items), offsets=100)
    assert packed == b"".join(PURE.keccak256_many(items))


def test_running_hashes(kernel, accelerator):
    for start, pure in (
        (accelerator.start256, PURE.start256),
        (accelerator.start512, PURE.start512),
    ):
        mine, theirs = start(), pure()
        for piece in messages(60, 400):
            assert mine.update(piece) is None
            theirs.update(piece)
            twin = mine.copy()
            assert mine.digest() == theirs.digest() == twin.digest()
            twin.update(b"x")


@pytest.mark.parametrize("count", [*range(1, 20), 63, 64, 65, 140])
def test_running_hashes_that_absorb_together(kernel, accelerator, count):
    """Of both functions, some with a block begun; short, long and equal pieces."""
    source = random.Random(count)
    starts = [source.choice((256, 512)) for _ in range(count)]
    mine = [getattr(accelerator, f"start{bits}")() for bits in starts]
    pure = [getattr(PURE, f"start{bits}")() for bits in starts]
    for longest in (1, 400, 5_000, 0):
        pieces = [
            source.randbytes(source.randrange(longest) if longest else 1_000)
            for _ in range(count)
        ]
        assert accelerator.update_many(mine, pieces) is None
        PURE.update_many(pure, pieces)
        assert [each.digest() for each in mine] == [each.digest() for each in pure]


def test_one_hash_among_those_that_absorb_together(kernel, accelerator):
    mine, other = accelerator.start256(), accelerator.start512()
    pieces = [bytes([number]) * 300 for number in range(5)]
    accelerator.update_many([mine, other, mine, mine, other], pieces)
    assert mine.digest() == PURE.keccak256(pieces[0] + pieces[2] + pieces[3])
    assert other.digest() == PURE.keccak512(pieces[1] + pieces[4])


@pytest.mark.parametrize("piece", [b"a", b"a" * 5_000])
def test_what_is_no_running_hash_does_not_absorb(accelerator, piece):
    state = accelerator.start256()
    for states, pieces in (
        ([state, None], [piece, piece]),
        ([state, PURE.start256()], [piece, piece]),
        ([state, state], [piece, None]),
        ([state, state], [piece]),
        ((state,), (piece,)),
    ):
        with pytest.raises(TypeError):
            accelerator.update_many(states, pieces)
    with pytest.raises(TypeError):
        accelerator.update_many([state])
    assert state.digest() == PURE.keccak256(b"")


def test_threads_that_update_the_same_hashes_lose_nothing_and_come_to_an_end(
    accelerator,
):
    """Each thread has the hashes in another order; what all absorb is the same."""
    states = [accelerator.start256() for _ in range(6)]
    piece = b"p" * (136 * 50)

    def work(seed: int) -> None:
        source = random.Random(seed)
        for _ in range(100):
            mine = source.sample(states, k=4)
            accelerator.update_many(mine, [piece] * 4)
            with locked:
                counts.extend(states.index(each) for each in mine)
            mine[0].digest()

    counts: list[int] = []
    locked = threading.Lock()
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
        assert not thread.is_alive()
    for index, state in enumerate(states):
        assert state.digest() == PURE.keccak256(piece * counts.count(index))


def test_waiting_for_one_hash_lets_no_other_thread_into_those_entered_before(
    accelerator,
):
    """Small pieces, of a hash that a thread is in and of one that none was in."""
    large = random.Random(3).randbytes(4 << 20)
    small = b"s" * 101
    expected = {
        PURE.keccak256(large * before + small + large * (1 - before))
        for before in (0, 1)
    }
    for _ in range(60):
        first, second = sorted((accelerator.start256() for _ in range(2)), key=id)
        second.update(large[:5_000])  # makes the lock of this one
        threads = [
            threading.Thread(target=function, args=arguments)
            for function, arguments in (
                (second.update, (large,)),
                (accelerator.update_many, ([first, second], [small, small])),
                (first.update, (large,)),
            )
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert first.digest() in expected


@pytest.mark.parametrize("count", [1, 2, 3, 8, 9, 31, 32, 33, 70])
def test_long_messages_side_by_side(kernel, accelerator, count):
    source = random.Random(count)
    items = [source.randbytes(source.randrange(1_000, 9_000)) for _ in range(count)]
    expected = PURE.keccak256_many(items)
    assert accelerator.keccak256_many(items) == expected
    mixed = [each for item in items for each in (item, item[:40])]
    assert accelerator.keccak256_many(mixed) == PURE.keccak256_many(mixed)
    places = memoryview(array("Q", [0, *accumulate(map(len, items))]))
    packed = accelerator.keccak256_packed(b"".join(items), offsets=places)
    assert packed == b"".join(expected)


def test_large_inputs_release_the_gil_and_are_right(kernel, accelerator):
    large = random.Random(1).randbytes(1 << 20)
    expected = PURE.keccak256(large)
    assert accelerator.keccak256(large) == expected
    assert accelerator.keccak256(memoryview(bytearray(large))) == expected
    state = accelerator.start256()
    state.update(large)
    assert state.digest() == expected


INPUTS = [
    b"bytes",
    Liar(b"a subclass that lies"),
    bytearray(b"bytearray"),
    memoryview(b"view"),
    memoryview(b"0123456789")[::3],
    memoryview(b"0123456789")[::-1],
    memoryview(bytes(8)).cast("I"),
    memoryview(bytes(12)).cast("B", (3, 4)),
    memoryview(bytearray(b"writable")),
    None,
    "text",
    12,
    1.5,
    [b"list"],
    True,
    object,
]


@pytest.mark.parametrize("value", INPUTS, ids=lambda value: type(value).__name__)
def test_inputs_are_read_or_refused_alike(accelerator, value):
    assert outcome(accelerator.keccak256, value) == outcome(PURE.keccak256, value)
    assert outcome(accelerator.keccak512, value) == outcome(PURE.keccak512, value)
    items = [b"first", value]
    assert outcome(accelerator.keccak256_many, items) == outcome(
        PURE.keccak256_many, items
    )
    mine, pure = accelerator.start256(), PURE.start256()
    if isinstance(value, bytes):
        mine.update(value)
        pure.update(memoryview(value))
        assert mine.digest() == pure.digest()


def test_a_released_view_is_refused_alike(accelerator):
    view = memoryview(b"gone")
    view.release()
    assert outcome(accelerator.keccak256, view) == outcome(PURE.keccak256, view)


@pytest.mark.parametrize("items", [None, 5, object()])
def test_what_is_not_iterable_is_refused_alike(accelerator, items):
    with pytest.raises(TypeError) as mine:
        accelerator.keccak256_many(items)
    with pytest.raises(TypeError) as pure:
        PURE.keccak256_many(items)
    assert str(mine.value) == str(pure.value)


def test_an_iterator_may_yield_one_changing_buffer(accelerator):
    def changing() -> Iterator[bytearray]:
        buffer = bytearray(3)
        for number in range(500):
            buffer[0] = number % 256
            yield buffer

    assert accelerator.keccak256_many(changing()) == PURE.keccak256_many(changing())


def test_an_error_of_the_iterator_comes_after_that_of_an_item(accelerator):
    def failing(first: object) -> Iterator[object]:
        yield first
        raise LookupError("from the iterator")

    with pytest.raises(LookupError):
        accelerator.keccak256_many(failing(b""))
    with pytest.raises(TypeError, match=r"items\[0\]"):
        accelerator.keccak256_many(failing(None))


def places(*numbers: int) -> memoryview:
    return memoryview(array("Q", numbers))


@given(items=st.lists(st.binary(max_size=300), max_size=40), kind=st.integers(0, 3))
def test_any_packed_batch(accelerator, items, kind):
    ends = places(0, *accumulate(map(len, items)))
    data = (
        bytes,
        bytearray,
        memoryview,
        lambda whole: memoryview(whole + whole)[: len(whole)],
    )[kind](b"".join(items))
    found = accelerator.keccak256_packed(data, offsets=ends)
    assert found == PURE.keccak256_packed(data, offsets=ends)
    assert found == b"".join(PURE.keccak256_many(items))


RELEASED = memoryview(b"released")
RELEASED.release()


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"12345678", bytearray(b"1234"), memoryview(b"12345678")[::2], "text"),
        *(None, 5, [b"1234"], RELEASED, array("Q", [1]), places(1, 2)),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize(
    "offsets",
    [
        *(1, 2, 3, 4, 8, 0, -1, True, False, 2**64, 10**30, 1.0, None, "4", [0, 4]),
        *(RELEASED, places(), places(0), places(3), places(9), places(0, 4)),
        *(places(0, 9), places(2, 1), places(1, 1, 4), places(0, 2**63)),
        *(places(0, 4)[::-1], places(0, 1, 2, 4)[::2], memoryview(b"12345678")),
        *(memoryview(array("q", [0, 4])), places(0, 4).cast("B").cast("Q", [1, 2])),
        memoryview(b""),
    ],
    ids=lambda value: type(value).__name__,
)
def test_packed_arguments_are_read_or_refused_alike(accelerator, data, offsets):
    mine, pure = (
        outcome(lambda function: function(data, offsets=offsets), each)
        for each in (accelerator.keccak256_packed, PURE.keccak256_packed)
    )
    assert mine == pure


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((), {}),
        ((b"1234",), {}),
        ((b"1234", 4), {}),
        ((), {"data": b"1234", "offsets": 4}),
        ((b"1234",), {"size": 4}),
        ((b"1234",), {"offsets": 4, "more": 4}),
    ],
)
def test_packed_arguments_have_one_form(accelerator, arguments, named):
    for each in (accelerator.keccak256_packed, PURE.keccak256_packed):
        with pytest.raises(TypeError):
            each(*arguments, **named)


def test_offsets_that_change_meanwhile_are_used_as_they_were_checked(accelerator):
    """Another thread writes to them; what is read is within the data, or refused."""
    numbers = array("Q", range(0, 400_004, 4))
    offsets, data = memoryview(numbers), bytes(400_000)
    stop = threading.Event()

    def meddle() -> None:
        while not stop.is_set():
            for number in (2**62, 7, 50_000 * 4):
                numbers[50_000] = number

    thread = threading.Thread(target=meddle)
    thread.start()
    seen = set()
    try:
        for _ in range(50):
            try:
                found = accelerator.keccak256_packed(data, offsets=offsets)
                seen.add(len(found))
            except RangeError:
                seen.add(0)
    finally:
        stop.set()
        thread.join()
    assert seen <= {0, 100_000 * 32}


@given(items=st.lists(st.binary(max_size=600), max_size=40))
def test_any_batch(accelerator, items):
    assert accelerator.keccak256_many(items) == PURE.keccak256_many(items)


def test_threads_hash_side_by_side(accelerator):
    items = messages(2_000, 300)
    expected = PURE.keccak256_many(items)
    answers = []

    def work() -> None:
        answers.extend(accelerator.keccak256_many(items) == expected for _ in range(5))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert answers == 20 * [True]


def test_a_kernel_that_does_not_exist_is_refused(accelerator):
    with pytest.raises(ValueError, match="no kernel 'fast'"):
        accelerator.use_kernel("fast")


def test_the_backend_names_its_kernel(kernel, accelerator):
    backend = native.load()
    assert backend.name == "native"
    assert backend.detail == accelerator.kernel_in_use()[1]
