"""Views on bytes that nobody chose: they see and refuse what `decode` does."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hexary import DecodeError, rlp
from hexary.rlp import View

STRINGS = st.binary(max_size=60) | st.integers(0, 255).map(lambda byte: bytes([byte]))
ITEMS = st.recursive(STRINGS, lambda inner: st.lists(inner, max_size=6), max_leaves=30)

# Valid encodings with a byte changed, cut or put in, and bytes that are mostly headers.
HOSTILE = st.one_of(
    st.lists(
        st.sampled_from([0, 5, 0x7F, 0x80, 0x81, 0x83, 0xB8, 0xB9, 0xC0, 0xC1, 0xC3])
        | st.integers(0, 255),
        max_size=24,
    ).map(bytes),
    st.builds(
        lambda item, place, byte, kind: broken(rlp.encode(item), place, byte, kind),
        ITEMS,
        st.integers(0, 200),
        st.integers(0, 255),
        st.sampled_from(["change", "cut", "insert"]),
    ),
    st.lists(st.sampled_from([0xC1, 0xC2, 0x81, 0x05, 0x80]), max_size=12).map(
        lambda codes: bytes([0xC0 + len(codes), *codes])
    ),
)


def broken(data: bytes, place: int, byte: int, kind: str) -> bytes:
    """Return *data* with something wrong in it, mostly."""
    place %= len(data)
    if kind == "cut":
        return data[:place]
    kept = data[place:] if kind == "insert" else data[place + 1 :]
    return data[:place] + bytes([byte]) + kept


def outcome(function: Any, *arguments: Any, **named: Any) -> object:
    """Return what *function* returns, or reason, offset and bytes of its error."""
    try:
        return function(*arguments, **named)
    except DecodeError as error:
        return error.reason, error.offset, error.data


def walked(item: View) -> Any:
    """Return what a view holds, by iteration alone."""
    return [walked(one) for one in item] if item.is_list else item.bytes


def indexed(item: View) -> Any:
    """Return what a view holds, by index, the last item first."""
    if not item.is_list:
        return item.memory.tobytes()
    return [indexed(item[place]) for place in reversed(range(len(item)))][::-1]


@given(ITEMS)
def test_a_view_of_a_right_encoding_sees_what_decode_sees(item: Any) -> None:
    data = rlp.encode(item)
    for held in (data, memoryview(data)):
        seen = rlp.view(held)
        assert seen.check() is seen
        assert walked(seen) == indexed(seen) == seen.decode() == item


@given(HOSTILE, st.integers(0, 4) | st.just(1024))
def test_what_decode_refuses_is_refused_alike(data: bytes, max_depth: int) -> None:
    expected = outcome(rlp.decode, data, max_depth=max_depth)
    for held in (data, memoryview(data)):
        seen = outcome(rlp.view, held, max_depth=max_depth)
        if not isinstance(seen, View):
            # The outermost header is read first, and so is its size.
            assert isinstance(expected, tuple)
            continue
        assert outcome(seen.decode) == expected
        checked = outcome(seen.check)
        if isinstance(expected, tuple):
            assert checked == expected
            # Going through all of it from the left meets the same error.
            assert outcome(walked, seen) == expected
            assert isinstance(outcome(indexed, seen), tuple)
        else:
            assert checked is seen
            assert walked(seen) == indexed(seen) == expected


@given(HOSTILE)
def test_every_part_that_can_be_seen_is_decoded_as_if_alone(data: bytes) -> None:
    seen = outcome(rlp.view, data)
    waiting = [seen] if isinstance(seen, View) else []
    while waiting:
        item = waiting.pop()
        alone = outcome(rlp.decode, bytes(item.rlp))
        inside = outcome(item.decode)
        if isinstance(alone, tuple):
            reason, offset, _ = alone
            assert isinstance(inside, tuple)
            assert inside[:2] == (reason, item.offset + offset)
            assert outcome(item.check)[:2] == inside[:2]  # type: ignore[index]  # a refusal
        else:
            assert inside == alone
        if item.is_list:
            try:
                waiting += list(item)
            except DecodeError:
                assert isinstance(alone, tuple)


def test_there_is_something_hostile_to_see() -> None:
    assert broken(b"\xc1\x05", 0, 0xC5, "change") == b"\xc5\x05"
    assert broken(b"\xc1\x05", 1, 0x81, "insert") == b"\xc1\x81\x05"
    assert broken(b"\xc1\x05", 1, 0, "cut") == b"\xc1"
