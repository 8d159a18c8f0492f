"""`recording()` sees all hashing, and leaves nothing behind."""

from __future__ import annotations

import threading
from array import array
from typing import TYPE_CHECKING

import pytest

import hexary
from hexary import hash as hashing

if TYPE_CHECKING:
    from collections.abc import Iterator


def test_counts_calls_and_bytes_of_every_function():
    with hashing.recording() as seen:
        hashing.keccak256(b"1234")
        hashing.keccak512(b"12")
        hashing.keccak256_many(iter([b"1", b"22", memoryview(b"333")]))
    assert (seen.calls, seen.bytes) == (5, 12)
    assert repr(seen) == "Recording(calls=5, bytes=12, permutations=5)"


def test_counts_incremental_hashes():
    with hashing.recording() as seen:
        state = hashing.Keccak256(b"ab")
        twin = state.copy()
        state.update(b"c")
        assert state.digest() == hashing.keccak256(b"abc")
        twin.digest()
        hashing.Keccak512(b"xy").hexdigest()
    assert (seen.calls, seen.bytes) == (4, 8)


def test_counts_permutations():
    with hashing.recording() as seen:
        hashing.keccak256(bytes(135))
        hashing.keccak256(bytes(136))
        hashing.keccak512(bytes(72))
        hashing.keccak256_many([b"", bytes(300)])
    assert seen.permutations == 1 + 2 + 2 + 1 + 3
    with hashing.recording() as seen:
        state = hashing.Keccak256(bytes(100))
        state.update(bytes(36))
        assert seen.permutations == 1
        twin = state.copy()
        state.digest()
        twin.update(bytes(136))
        twin.digest()
        hashing.Keccak512(bytes(143)).digest()
    assert seen.permutations == 1 + 1 + 1 + 1 + 2


def test_a_closed_recording_counts_no_longer():
    with hashing.recording() as seen:
        hexary.trie_root({b"a": bytes(40)})
        assert seen.calls == 1
    hexary.trie_root({b"a": bytes(40), b"b": bytes(40)})
    hashing.keccak256(b"")
    assert seen.calls == 1


def test_counts_through_the_package_and_restores_it():
    before = hexary.keccak256, hexary.keccak256_many, hashing.Keccak256
    with hexary.recording() as seen:
        hexary.keccak256(b"a")
        hexary.keccak256_many([b"a", b"b"])
        hexary.Keccak256(b"a").digest()
        assert hexary.keccak256 is not before[0]
    assert seen.calls == 4
    assert (hexary.keccak256, hexary.keccak256_many, hashing.Keccak256) == before
    assert hexary.keccak256 is hashing.BACKEND.keccak256


def test_counts_nothing_that_fails():
    with hashing.recording() as seen:
        with pytest.raises(TypeError):
            hashing.keccak256("text")
        with pytest.raises(TypeError):
            hashing.keccak256_many([b"", None])
    assert (seen.calls, seen.bytes) == (0, 0)


def test_recordings_nest_and_restore_after_an_error():
    with hashing.recording() as outer:
        hashing.keccak256(b"a")
        with pytest.raises(RuntimeError), hashing.recording() as inner:
            hashing.keccak256(b"b")
            raise RuntimeError
        hashing.keccak256(b"c")
    assert (outer.calls, inner.calls) == (3, 1)
    assert hashing.keccak256 is hashing.BACKEND.keccak256


def test_recordings_in_threads_count_the_whole_process():
    barrier = threading.Barrier(4)
    seen = []

    def work() -> None:
        with hashing.recording() as mine:
            barrier.wait()
            for _ in range(50):
                hashing.keccak256(b"a")
            barrier.wait()
        seen.append(mine.calls)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert seen == [200] * 4
    assert hashing.keccak256 is hashing.BACKEND.keccak256


def test_everything_above_hashing_shows_up():
    value = b"v" * 40
    with hexary.recording() as seen:
        hexary.Bytes(b"ab").keccak256()
    assert (seen.calls, seen.bytes) == (1, 2)
    with hexary.recording() as seen:
        hexary.rlp.keccak256([b"ab"])
    assert (seen.calls, seen.bytes) == (1, 4)
    with hexary.recording() as seen:
        hexary.trie_root({b"a": value, b"b": value})
    assert seen.calls == 4  # two leaves, a branch, an extension
    with hexary.recording() as seen:
        _ = hexary.Trie({b"a": value, b"b": value}).root_hash
    assert seen.calls == 4
    with hexary.recording() as seen:
        hexary.ordered_trie_root([value, value])
    assert seen.calls == 3  # two leaves, a branch
    with hexary.recording() as seen:
        hexary.secure_trie_root({b"a": value})
    assert seen.calls == 2  # a key, a leaf
    with hexary.recording() as seen:
        hexary.Alloc({"0x" + 40 * "1": hexary.Account(balance=1)}).state_root()
    assert seen.calls >= 2


def hold_open() -> Iterator[None]:
    with hashing.recording():
        yield


def test_a_recording_closed_by_the_garbage_collector_blocks_nothing():
    """A collection may run while this thread opens or closes another recording."""

    def work() -> None:
        with hashing._binding, hashing._recorder._lock:
            held = hold_open()
            next(held)
            held.close()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(timeout=10)
    assert not thread.is_alive()
    assert hashing.keccak256 is hashing.BACKEND.keccak256


def test_recordings_may_end_in_any_order():
    first, second = hold_open(), hold_open()
    next(first)
    next(second)
    first.close()
    with hashing.recording() as seen:
        second.close()
        hashing.keccak256(b"a")
    assert seen.calls == 1
    assert hashing.keccak256 is hashing.BACKEND.keccak256


def test_what_others_have_bound_meanwhile_is_left_alone(monkeypatch):
    def stub(data: bytes) -> bytes:
        return bytes(32)

    with hexary.recording():
        monkeypatch.setattr(hexary, "keccak256", stub)
        with hexary.recording():
            assert hexary.keccak256 is stub
    assert hexary.keccak256 is stub
    assert hashing.keccak256 is hashing.BACKEND.keccak256


@pytest.mark.parametrize("offsets", [150, memoryview(array("Q", [0, 150, 300]))])
def test_packed_messages_count_one_each(offsets):
    with hexary.recording() as record:
        digests = hexary.keccak256_packed(bytes(300), offsets=offsets)
        assert digests == 2 * hashing.keccak256(bytes(150))
    assert (record.calls, record.bytes, record.permutations) == (3, 450, 6)
    with hexary.recording() as record, pytest.raises(hexary.SizeError):
        hexary.keccak256_packed(bytes(300), offsets=299)
    assert (record.calls, record.bytes) == (0, 0)
