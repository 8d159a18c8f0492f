"""What the functions of `hexary.hash` compute and refuse, on every usable backend."""

from __future__ import annotations

import array
import copy
import pickle

import numpy
import pytest

import hexary
from case_names import shown
from hexary import hash as hashing
from hexary.errors import InputTypeError, RangeError, SizeError
from odd_values import BUFFERS, CONTENT, FOREIGN

EMPTY_256 = "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"
EMPTY_512 = (
    "0eab42de4c3ceb9235fc91acffe746b29c29a8c366b7c60e4e67c466f36a4304"
    "c00fa9caf9d87976ba469bcbe06713b435f091ef2769fb160cdab33d3670680e"
)
# Keccak team, "Keccak implementation overview" style answers; also in many libraries.
ABC_256 = "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45"
HELLO_256 = "1c8aff950685c2ed4bc3174f3472287b56d9517b9c948127319a09a7a36deac8"

BLOCK_BOUNDARIES = {  # report U132: letters "a" around Keccak-256's rate of 136 bytes
    135: "34367dc248bbd832f4e3e69dfaac2f92638bd0bbd18f2912ba4ef454919cf446",
    136: "a6c4d403279fe3e0af03729caada8374b5ca54d8065329a3ebcaeb4b60aa386e",
    137: "d869f639c7046b4929fc92a4d988a8b22c55fbadb802c0c66ebcd484f1915f39",
    271: "132f47effd6c8b1b299efa53fe68aece77ec8ae4eb2e294f668eec94f76001e1",
    272: "cf7fcd4f705ee749930d19ca84561a9bf62516bd90a471545fa2f49fdc7e63c8",
    273: "5a7b8187d2778e614097fac3097573de1fee4d972304d3360796a857029bb176",
}


class Coerced(bytes):
    """A subclass that lies about itself; its buffer is what counts."""

    def __len__(self) -> int:
        return 1

    def __bytes__(self) -> bytes:
        return b"other"

    def __bool__(self) -> bool:
        return False


@pytest.mark.parametrize(
    ("message", "digest"),
    [(b"", EMPTY_256), (b"abc", ABC_256), (b"hello", HELLO_256)],
    ids=["empty", "abc", "hello"],
)
def test_keccak256_gives_published_answers(backend, message, digest):
    assert backend.keccak256(message).hex() == digest


def test_keccak512_gives_the_published_answer(backend):
    assert backend.keccak512(b"").hex() == EMPTY_512


@pytest.mark.parametrize("length", BLOCK_BOUNDARIES)
def test_u132_block_boundaries(backend, length):
    message = b"a" * length
    digest = bytes.fromhex(BLOCK_BOUNDARIES[length])
    assert backend.keccak256(message) == digest
    assert backend.keccak256_many([message, message]) == [digest, digest]
    state = backend.start256()
    for index in range(0, length, 7):
        state.update(message[index : index + 7])
    assert state.digest() == digest


def _views() -> dict[str, object]:
    data = bytes(range(64))
    return {
        "bytearray": bytearray(data),
        "memoryview": memoryview(data),
        "writable memoryview": memoryview(bytearray(data)),
        "subclass": Coerced(data),
        "typed bytes": hexary.Bytes(data),
        "wide items": memoryview(array.array("Q", data)),
        "two dimensions": memoryview(data).cast("B", (8, 8)),
        "signed chars": memoryview(data).cast("b"),
        "numpy": memoryview(numpy.frombuffer(data, dtype="<u4")),
        "big-endian numpy": memoryview(
            numpy.frombuffer(data, dtype=">u2").reshape(4, 8)
        ),
    }


@pytest.mark.parametrize("kind", _views())
def test_every_buffer_hashes_as_its_bytes(backend, kind):
    view = _views()[kind]
    expected = backend.keccak256(bytes(range(64)))
    assert backend.keccak256(view) == expected
    assert backend.keccak512(view) == backend.keccak512(bytes(range(64)))
    assert backend.keccak256_many([view]) == [expected]


@pytest.mark.parametrize(
    ("view", "flat"),
    [
        (memoryview(bytes(range(64)))[::2], bytes(range(0, 64, 2))),
        (memoryview(bytes(range(64)))[::-1], bytes(range(63, -1, -1))),
        (
            memoryview(numpy.arange(6, dtype="u1").reshape(2, 3).T),
            bytes([0, 3, 1, 4, 2, 5]),
        ),
        (memoryview(numpy.array(7, dtype="<u2")), b"\x07\0"),
        (memoryview(b""), b""),
        (memoryview(array.array("Q")), b""),
    ],
    ids=[
        "every other",
        "backwards",
        "transposed",
        "no dimension",
        "empty",
        "empty wide",
    ],
)
def test_odd_memoryviews_hash_as_their_tobytes(backend, view, flat):
    assert view.tobytes() == flat
    assert backend.keccak256(view) == backend.keccak256(flat)
    state = hashing.Keccak256(view)
    assert state.digest() == backend.keccak256(flat)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "0xab",
        0,
        1,
        True,
        None,
        1.5,
        [],
        [1],
        (b"a",),
        object,
        numpy.zeros(2),
        array.array("B"),
    ],
    ids=shown,
)
def test_everything_else_is_a_type_error_on_every_backend(backend, value):
    for function in (backend.keccak256, backend.keccak512):
        with pytest.raises(InputTypeError) as caught:
            function(value)
        assert caught.value.argument == "data"
        assert caught.value.got is type(value)
        assert isinstance(caught.value, TypeError)
    with pytest.raises(InputTypeError, match=r"items\[1\]"):
        backend.keccak256_many([b"", value])
    for start in (hashing.Keccak256, hashing.Keccak512):
        with pytest.raises(InputTypeError):
            start(value)
        with pytest.raises(InputTypeError):
            start().update(value)


def test_text_is_refused_with_a_way_out():
    with pytest.raises(InputTypeError, match=r"hexary\.Bytes"):
        hashing.keccak256("0xab")


@pytest.mark.parametrize("items", [b"ab", "ab", 5, None], ids=shown)
def test_many_takes_no_single_message(backend, items):
    with pytest.raises(TypeError):
        backend.keccak256_many(items)


def test_many_keeps_the_order_of_any_iterable(backend):
    messages = [bytes([n % 256]) * n for n in range(300)]
    expected = [backend.keccak256(each) for each in messages]
    assert backend.keccak256_many(messages) == expected
    assert backend.keccak256_many(iter(messages)) == expected
    assert backend.keccak256_many(tuple(messages)) == expected
    assert backend.keccak256_many([]) == []


def test_digests_are_plain_bytes(backend):
    assert type(backend.keccak256(b"")) is bytes
    assert type(backend.keccak512(b"")) is bytes
    assert {type(each) for each in backend.keccak256_many([b"", b"a"])} == {bytes}


def test_a_released_memoryview_is_an_error_not_a_digest(backend):
    view = memoryview(b"abc")
    view.release()
    with pytest.raises(InputTypeError, match="released"):
        backend.keccak256(view)


def test_u140_incremental_update_after_digest_and_copy(backend):
    state = backend.start256()
    state.update(b"a")
    twin = state.copy()
    state.update(b"b")
    assert state.digest() == backend.keccak256(b"ab")
    state.update(b"c")
    assert state.digest() == backend.keccak256(b"abc")
    assert twin.digest() == backend.keccak256(b"a")


@pytest.mark.parametrize(
    ("kind", "function", "name", "size", "block"),
    [
        (hashing.Keccak256, hashing.keccak256, "keccak-256", 32, 136),
        (hashing.Keccak512, hashing.keccak512, "keccak-512", 64, 72),
    ],
)
def test_incremental_hashes_look_like_hashlib(kind, function, name, size, block):
    state = kind(b"ab")
    assert (state.name, state.digest_size, state.block_size) == (name, size, block)
    assert state.update(b"c") is None
    twin = state.copy()
    assert type(twin) is kind
    twin.update(b"d")
    assert state.digest() == function(b"abc")
    assert state.hexdigest() == function(b"abc").hex()
    assert twin.digest() == function(b"abcd")
    assert repr(state) == f"<{name} hash object>"


def test_a_long_message_in_pieces_equals_the_message_at_once(backend):
    message = bytes(range(256)) * 4096
    state = backend.start256()
    for start in range(0, len(message), 65_521):
        state.update(memoryview(message)[start : start + 65_521])
    assert state.digest() == backend.keccak256(message)


def test_a_backend_is_frozen(backend):
    with pytest.raises(AttributeError, match="frozen"):
        backend.name = "other"
    with pytest.raises(AttributeError, match="frozen"):
        del backend.name
    assert backend.name in repr(backend)


@pytest.mark.parametrize("value", BUFFERS.values(), ids=BUFFERS.keys())
def test_subclasses_are_hashed_as_what_they_hold(backend, value):
    expected = backend.keccak256(CONTENT)
    assert backend.keccak256(value) == expected
    assert backend.keccak256_many([value]) == [expected]
    assert backend.keccak512(value) == backend.keccak512(CONTENT)
    assert hashing.Keccak256(value).digest() == expected
    with hashing.recording() as seen:
        hashing.keccak256(value)
    assert (seen.calls, seen.bytes) == (1, len(CONTENT))


@pytest.mark.parametrize("value", FOREIGN.values(), ids=FOREIGN.keys())
def test_mocks_are_refused(backend, value):
    for hash_one in (backend.keccak256, backend.keccak512, hashing.Keccak256):
        with pytest.raises(InputTypeError):
            hash_one(value)
    with pytest.raises(InputTypeError, match=r"^items"):
        backend.keccak256_many([b"", value])


@pytest.mark.parametrize("items", [5, None, 1.5, b"", b"ab", bytearray(), "", "ab"])
def test_many_takes_several_messages_not_one(backend, items):
    with pytest.raises(InputTypeError, match=r"^items must be an iterable of messages"):
        backend.keccak256_many(items)
    with hashing.recording(), pytest.raises(InputTypeError, match=r"^items"):
        hashing.keccak256_many(items)


@pytest.mark.parametrize("clone", [copy.copy, copy.deepcopy])
@pytest.mark.parametrize("kind", [hashing.Keccak256, hashing.Keccak512])
def test_a_copied_hash_is_independent(kind, clone):
    state = kind(b"a")
    twin = clone(state)
    twin.update(b"b")
    assert type(twin) is kind
    assert state.digest() == kind(b"a").digest()
    assert twin.digest() == kind(b"ab").digest()


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_running_hash_is_not_pickled(protocol):
    with pytest.raises(TypeError, match="cannot pickle a keccak-256 hash object"):
        pickle.dumps(hashing.Keccak256(), protocol)


@pytest.mark.parametrize("name", ["keccak256", "keccak512", "keccak256_many"])
def test_functions_show_their_public_place_and_text(name):
    function = getattr(hashing, name)
    assert function is getattr(hashing.BACKEND, name)
    assert f"{function.__module__}.{function.__qualname__}" == f"hexary.hash.{name}"
    assert "Example:" in function.__doc__
    with hashing.recording():
        counting = getattr(hashing, name)
        assert counting is not function
        assert counting.__doc__ == function.__doc__


def test_packed_messages_of_one_size_and_of_many(backend):
    message = b"dogdoggie"
    places = memoryview(array.array("Q", [0, 3, 3, 9]))
    digests = backend.keccak256_many([b"dog", b"", b"doggie"])
    assert backend.keccak256_packed(message, offsets=places) == b"".join(digests)
    thirds = backend.keccak256_many([b"dog", b"dog", b"gie"])
    for data in (message, bytearray(message), memoryview(message)):
        assert backend.keccak256_packed(data, offsets=3) == b"".join(thirds)
    assert backend.keccak256_packed(b"", offsets=3) == b""
    assert backend.keccak256_packed(b"", offsets=places[:0]) == b""


@pytest.mark.parametrize(
    ("data", "offsets", "error", "words"),
    [
        ("text", 1, InputTypeError, "data must be bytes"),
        ([b"dog"], 3, InputTypeError, "data must be bytes"),
        (b"dog", None, InputTypeError, "offsets must be an int or a memoryview"),
        (b"dog", [0, 3], InputTypeError, "offsets must be an int or a memoryview"),
        (b"dog", 0, RangeError, "offsets must be at least 1, got 0"),
        (b"dog", 2, SizeError, "data holds a multiple of 2 bytes, got 3"),
        (b"dog", (0, 4), RangeError, r"offsets\[1\] must be from 0 to 3, got 4"),
        (b"dog", (2, 1), RangeError, r"offsets\[1\] must be from 2 to 3, got 1"),
    ],
)
def test_packed_messages_have_to_fit(backend, data, offsets, error, words):
    if isinstance(offsets, tuple):
        offsets = memoryview(array.array("Q", offsets))
    with pytest.raises(error, match=words):
        backend.keccak256_packed(data, offsets=offsets)


def test_what_is_missing_is_missed_by_the_public_function(backend):
    missing = r"^keccak256_packed\(\) missing 1 required keyword-only .*: 'offsets'"
    for function in (hexary.keccak256_packed, backend.keccak256_packed):
        with pytest.raises(TypeError, match=missing):
            function(b"ab")


def test_the_copy_of_a_subclass_is_made_without_its_constructor():
    class Named(hexary.Keccak256):
        def __init__(self, name):
            super().__init__(name)
            self.label = name

    copied = Named(b"abc").copy()
    assert type(copied) is Named
    assert copied.digest() == hexary.keccak256(b"abc")
    assert not hasattr(copied, "label")
