"""Several running hashes that absorb together."""

from __future__ import annotations

import pytest

from hexary import hash as hashing
from hexary.errors import InputTypeError

KINDS = [hashing.Keccak256, hashing.Keccak512]


def one_by_one(updates):
    """What each hash of *updates* holds after its own updates."""
    running = []
    for state, data in updates:
        twin = state.copy()
        twin.update(data)
        running.append(twin.digest())
    return running


@pytest.mark.parametrize("count", range(20))
def test_hashes_absorb_what_each_would_alone(backend, count):
    """Both functions, with pieces of no, one and many blocks, after any rest."""
    message = bytes(range(256)) * 20
    states = []
    for index in range(count):
        state = (backend.start256, backend.start512)[index % 3 == 2]()
        state.update(message[: index * 31])
        states.append(state)
    pieces = [message[index : index + index * 271] for index in range(count)]
    expected = []
    for state, piece in zip(states, pieces, strict=True):
        twin = state.copy()
        twin.update(piece)
        expected.append(twin.digest())
    backend.update_many(states, pieces)
    assert [state.digest() for state in states] == expected


@pytest.mark.parametrize("kind", KINDS)
def test_pairs_of_a_hash_and_its_data(kind):
    updates = [
        (kind(b"a" * index), wrap(b"b" * 100 * index))
        for index, wrap in enumerate([bytes, bytearray, memoryview] * 4)
    ]
    expected = one_by_one(updates)
    assert hashing.update_many(iter(updates)) is None
    assert [state.digest() for state, _ in updates] == expected
    hashing.update_many([])
    hashing.update_many([list(updates[0])])


def test_a_hash_that_stands_there_twice_absorbs_in_order():
    state = hashing.Keccak256()
    other = hashing.Keccak512()
    hashing.update_many([(state, b"a" * 300), (other, b"x"), (state, b"b" * 300)])
    assert state.digest() == hashing.keccak256(b"a" * 300 + b"b" * 300)
    assert other.digest() == hashing.keccak512(b"x")


@pytest.mark.parametrize(
    ("updates", "words"),
    [
        (5, "^updates must be an iterable of pairs of a running hash and its data"),
        (b"ab", "^updates must be an iterable of pairs of a running hash and its data"),
        ([b"ab"], r"^updates\[1\] must be a pair of a running hash and its data"),
        ([()], r"^updates\[1\] must be a pair of a running hash and its data"),
        ([(b"ab", b"c")], r"^updates\[1\]\[0\] must be a Keccak256 or Keccak512"),
        ([(hashing.Keccak256(), "c")], r"^updates\[1\]\[1\] must be bytes, bytearray"),
        ([(hashing.Keccak256(), None)], r"^updates\[1\]\[1\] must be bytes, bytearray"),
        ([(hashing.Keccak256,)], r"^updates\[1\] must be a pair of a running hash"),
    ],
)
def test_nothing_is_absorbed_where_one_pair_is_wrong(updates, words):
    state = hashing.Keccak256(b"a")
    if isinstance(updates, list):
        updates = [(state, b"b"), *updates]
    with pytest.raises(InputTypeError, match=words):
        hashing.update_many(updates)
    assert state.digest() == hashing.keccak256(b"a")


def test_a_class_of_its_own_is_asked_itself():
    class Counted(hashing.Keccak256):
        seen = 0

        def update(self, data, /):
            self.seen += len(data)
            super().update(data)

    mine, plain = Counted(), hashing.Keccak256()
    hashing.update_many([(mine, b"dog"), (plain, b"dog")])
    assert mine.seen == 3
    assert mine.digest() == plain.digest() == hashing.keccak256(b"dog")


def test_a_buffer_that_is_used_again_for_each_piece_is_read_in_time():
    def updates():
        for state, text in zip(states, texts, strict=True):
            buffer[:] = text
            yield state, buffer

    buffer = bytearray()
    texts = [b"one", b"three", b"seven" * 100]
    states = [hashing.Keccak256() for _ in texts]
    hashing.update_many(updates())
    assert [state.digest() for state in states] == hashing.keccak256_many(texts)


def test_classes_of_their_own_come_in_their_turn():
    class Witness(hashing.Keccak256):
        seen = b""

        def update(self, data, /):
            self.seen = plain.digest()
            super().update(data)

    plain = hashing.Keccak256()
    witness = Witness()
    hashing.update_many([(plain, b"a"), (witness, b"b"), (plain, b"c")])
    assert witness.seen == hashing.keccak256(b"a")
    assert plain.digest() == hashing.keccak256(b"ac")


def test_a_hash_may_be_older_than_the_recording():
    state = hashing.Keccak256()
    with hashing.recording() as seen:
        newer = hashing.Keccak512()
        hashing.update_many([(state, b"dog"), (newer, b"cat")])
    assert seen.bytes == 3  # of the newer one, as with its own update
    assert state.digest() == hashing.keccak256(b"dog")
    hashing.update_many([(state, b"gie"), (newer, b"fish")])
    assert state.digest() == hashing.keccak256(b"doggie")
    assert newer.digest() == hashing.keccak512(b"catfish")


def test_a_recording_counts_pieces_and_blocks():
    with hashing.recording() as seen:
        one, two = hashing.Keccak256(b"a" * 100), hashing.Keccak512()
        hashing.update_many([(one, b"b" * 100), (two, b"c" * 100)])
        digests = one.digest(), two.digest()
    assert (seen.calls, seen.bytes, seen.permutations) == (2, 300, 4)
    assert digests[0] == hashing.keccak256(b"a" * 100 + b"b" * 100)
