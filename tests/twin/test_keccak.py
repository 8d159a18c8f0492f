"""Every kernel of the accelerator gives the digests of pycryptodome, or its errors."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hexary import HexaryError
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
    packed = accelerator.keccak256_packed(b"".join(items), 100)
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


def test_packed_messages_have_to_fill_the_data(accelerator):
    assert accelerator.keccak256_packed(b"", 5) == b""
    for data, size in ((b"1234", 3), (b"1234", 0), (b"1234", -1)):
        with pytest.raises(ValueError, match="not messages"):
            accelerator.keccak256_packed(data, size)
    with pytest.raises(TypeError):
        accelerator.keccak256_packed("text", 1)


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
