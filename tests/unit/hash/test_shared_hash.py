"""One running hash in several threads, as hashlib's objects allow, on every backend."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

import hexary
from hexary import hash as hashing

THREADS = 4
ROUNDS = 12
PIECES = (1, 300, 4_000, 5_000, 1_500_000)
"""Below, around and above what is hashed without the interpreter's lock."""


def in_threads(*works: Callable[[], None]) -> None:
    """Run each of *works* in a thread; they begin together."""
    barrier = threading.Barrier(len(works))
    failures: list[BaseException] = []

    def run(work: Callable[[], None]) -> None:
        barrier.wait()
        try:
            work()
        except BaseException as error:  # noqa: BLE001  # the main thread raises it
            failures.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def digests_of(start, piece: bytes, count: int) -> list[bytes]:
    """Return the digests of no piece, one piece, and so on."""
    state = start()
    digests = [state.digest()]
    for _ in range(count):
        state.update(piece)
        digests.append(state.digest())
    return digests


@pytest.mark.parametrize("name", ["start256", "start512"])
@pytest.mark.parametrize("size", PIECES)
def test_updates_from_several_threads_are_all_absorbed(backend, name, size):
    """The pieces are equal, so that their order does not matter."""
    start = getattr(backend, name)
    piece = bytes(size)
    state = start()

    def update() -> None:
        for _ in range(ROUNDS):
            state.update(piece)

    in_threads(*[update] * THREADS)
    assert state.digest() == digests_of(start, piece, THREADS * ROUNDS)[-1]


@pytest.mark.parametrize("size", PIECES)
def test_a_digest_or_a_copy_during_an_update_has_it_whole_or_not_at_all(backend, size):
    piece = bytes(size)
    count = 2 * ROUNDS
    whole = digests_of(backend.start256, piece, count + 1)
    state = backend.start256()
    seen: list[bytes] = []
    copies: list[tuple[bytes, bytes]] = []

    def update() -> None:
        for _ in range(ROUNDS):
            state.update(piece)

    def look() -> None:
        for _ in range(3 * ROUNDS):
            seen.append(state.digest())
            other = state.copy()
            before = other.digest()
            other.update(piece)
            copies.append((before, other.digest()))

    in_threads(update, update, look)
    at = [whole.index(digest) for digest in seen]
    assert at == sorted(at)
    for before, after in copies:
        assert whole.index(after) == whole.index(before) + 1
    assert state.digest() == whole[count]


@pytest.mark.parametrize("kind", [hashing.Keccak256, hashing.Keccak512])
def test_the_public_classes_are_shared_likewise(kind):
    piece = bytearray(700_000)
    state = kind()

    def update() -> None:
        for _ in range(ROUNDS):
            state.update(memoryview(piece))

    in_threads(*[update] * THREADS)
    assert state.digest() == digests_of(kind, bytes(piece), THREADS * ROUNDS)[-1]


def test_a_recording_counts_every_permutation_of_a_shared_hash():
    with hexary.recording() as record:
        state = hashing.Keccak256()

        def update() -> None:
            for _ in range(2_000):
                state.update(bytes(17))

        in_threads(*[update] * THREADS)
    size = 2_000 * THREADS * 17
    assert (record.calls, record.bytes) == (0, size)
    assert record.permutations == size // 136
