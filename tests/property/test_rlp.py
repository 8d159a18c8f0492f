"""RLP on inputs that nobody chose: round trips, broken bytes, other implementations."""

from __future__ import annotations

from typing import Any

import ethereum_rlp
import pytest
import rlp as pyrlp
from hypothesis import assume, example, given
from hypothesis import strategies as st

from hexary import DecodeError, DecodeReason, rlp
from hexary.rlp import Item, Raw

BOUNDARIES = st.sampled_from([0, 1, 54, 55, 56, 57, 254, 255, 256, 257])

STRINGS = (
    st.binary(max_size=70)
    | st.builds(
        lambda size, fill: bytes([fill]) * size, BOUNDARIES, st.integers(0, 255)
    )
    | st.integers(0, 255).map(lambda value: bytes([value]))
)

ITEMS = st.recursive(STRINGS, lambda inner: st.lists(inner, max_size=6), max_leaves=40)


def _mapped(item: Any, choose: Any) -> Any:
    """Return *item* with each part replaced by what *choose* makes of it."""
    if isinstance(item, list):
        return choose([_mapped(part, choose) for part in item])
    return choose(item)


@given(ITEMS)
def test_decoding_returns_what_was_encoded(item: Item) -> None:
    encoded = rlp.encode(item)
    assert rlp.decode(encoded) == item
    assert rlp.encoded_size(item) == len(encoded)
    assert Raw(encoded).encoded == encoded


@given(ITEMS, st.binary(max_size=40))
def test_a_prefix_ends_where_the_item_ends(item: Item, rest: bytes) -> None:
    assert rlp.decode_prefix(rlp.encode(item) + rest) == (item, rest)


@given(st.lists(ITEMS, max_size=5))
def test_concatenated_items_are_read_back(items: list[Item]) -> None:
    data = b"".join(map(rlp.encode, items))
    assert list(rlp.decode_concatenated(data)) == items
    assert rlp.decode(rlp.encode([Raw(rlp.encode(item)) for item in items])) == items


@given(ITEMS, st.data())
def test_equal_items_of_other_types_have_the_same_encoding(
    item: Item, data: st.DataObject
) -> None:
    def other_type(part: Any) -> Any:
        if isinstance(part, list):
            return data.draw(st.sampled_from([list, tuple]))(part)
        kinds: list[Any] = [bytes, bytearray, memoryview]
        kinds.append(lambda value: Raw(rlp.encode(value)))
        if part[:1] != b"\0":
            kinds.append(lambda value: int.from_bytes(value, "big"))
        return data.draw(st.sampled_from(kinds))(part)

    other = _mapped(item, other_type)
    assert rlp.encode(other) == rlp.encode(item)
    assert rlp.encoded_size(other) == rlp.encoded_size(item)


@given(st.integers(0, 2**600) | st.integers(0, 300))
def test_integers_round_trip(value: int) -> None:
    encoded = rlp.encode(value)
    assert rlp.decode_uint(encoded, bits=None) == value
    bits = value.bit_length()
    assert rlp.decode_uint(encoded, bits=bits) == value
    if bits:
        with pytest.raises(DecodeError) as caught:
            rlp.decode_uint(encoded, bits=bits - 1)
        assert caught.value.reason is DecodeReason.INTEGER_TOO_LARGE


@st.composite
def broken(draw: st.DrawFn) -> bytes:
    """Return an encoding with a few bytes changed, cut, put in or moved."""
    data = bytearray(rlp.encode(draw(ITEMS)))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(data)))
        change = draw(st.sampled_from(["set", "flip", "cut", "insert", "end", "wrap"]))
        byte = draw(
            st.sampled_from([0, 1, 0x7F, 0x80, 0x81, 0xB7, 0xB8, 0xB9, 0xC0, 0xC1])
            | st.integers(0, 255)
        )
        if change == "set" and at < len(data):
            data[at] = byte
        elif change == "flip" and at < len(data):
            data[at] ^= 1 << (byte & 7)
        elif change == "cut":
            del data[at : at + draw(st.integers(1, 4))]
        elif change == "insert":
            data.insert(at, byte)
        elif change == "end":
            del data[at:]
        elif change == "wrap" and len(data) < 56:
            data.insert(0, 0xC0 + len(data))
    return bytes(data)


ANY_BYTES = broken() | st.binary(max_size=40)


@given(ANY_BYTES)
@example(b"")
@example(b"\xbf" + b"\xff" * 8)
def test_whatever_is_accepted_encodes_to_the_same_bytes(data: bytes) -> None:
    try:
        item, rest = rlp.decode_prefix(data)
    except DecodeError as error:
        assert isinstance(error.reason, DecodeReason)
        assert 0 <= error.offset <= len(data)
        assert error.data == data[error.offset : error.offset + 32]
        with pytest.raises(DecodeError) as caught:
            rlp.decode(data)
        assert caught.value.reason is error.reason
        assert caught.value.offset == error.offset
        return
    assert rlp.encode(item) + rest == data
    if rest:
        with pytest.raises(DecodeError) as caught:
            rlp.decode(data)
        assert caught.value.reason is DecodeReason.TRAILING_BYTES
        assert caught.value.offset == len(data) - len(rest)
    else:
        assert rlp.decode(data) == item


def recursive_verdict(data: bytes, max_depth: int, max_items: int) -> Any:
    """
    Decode by the rules in their order, written for reading: recursive, with slices.

    Shares no code with the decoder under test; returns the item, or reason and offset.
    """
    left = max_items

    class StopError(Exception):
        pass

    def read(at: int, end: int, depth: int) -> tuple[Any, int]:
        nonlocal left
        outside = DecodeReason.OVERRUN if depth else DecodeReason.TRUNCATED
        if left == 0:
            raise StopError(DecodeReason.TOO_MANY_ITEMS, at)
        left -= 1
        body = data[at:end]
        first = body[0]
        if first < 0x80:
            return body[:1], at + 1
        is_list = first >= 0xC0
        size = first - (0xC0 if is_list else 0x80)
        head = 1
        if size > 55:
            head = size - 55 + 1
            length = body[1:head]
            if len(length) != head - 1:
                raise StopError(outside, at)
            if not length[0]:
                raise StopError(DecodeReason.LEADING_ZERO_LENGTH, at)
            size = int(length.hex(), 16)
            if size <= 55:
                raise StopError(DecodeReason.NON_CANONICAL_LENGTH, at)
        if len(body) < head + size:
            raise StopError(outside, at)
        payload = body[head : head + size]
        stop = at + head + size
        if not is_list:
            if size == 1 and payload < b"\x80":
                raise StopError(DecodeReason.NON_CANONICAL_BYTE, at)
            return payload, stop
        if depth == max_depth:
            raise StopError(DecodeReason.TOO_DEEP, at)
        items, position = [], at + head
        while position < stop:
            item, position = read(position, stop, depth + 1)
            items.append(item)
        return items, stop

    if not data:
        return DecodeReason.EMPTY_INPUT, 0
    try:
        item, stop = read(0, len(data), 0)
    except StopError as verdict:
        return verdict.args
    return item if stop == len(data) else (DecodeReason.TRAILING_BYTES, stop)


@given(
    ANY_BYTES, st.integers(0, 5) | st.just(1024), st.integers(0, 12) | st.just(10**6)
)
def test_the_verdict_is_that_of_the_rules_in_their_order(
    data: bytes, max_depth: int, max_items: int
) -> None:
    """Reason and offset too, under any limits."""
    try:
        verdict: Any = rlp.decode(data, max_depth=max_depth, max_items=max_items)
    except DecodeError as error:
        verdict = error.reason, error.offset
    assert verdict == recursive_verdict(data, max_depth, max_items)


@given(ITEMS)
def test_pyrlp_and_ethereum_rlp_encode_the_same(item: Item) -> None:
    encoded = rlp.encode(item)
    assert pyrlp.encode(item) == encoded
    assert ethereum_rlp.encode(item) == encoded
    assert pyrlp.decode(encoded, strict=True) == item
    assert ethereum_rlp.decode(encoded) == item


@given(st.integers(0, 2**300))
def test_pyrlp_and_ethereum_rlp_encode_the_same_integers(value: int) -> None:
    assert rlp.encode(value) == pyrlp.encode(value)
    assert rlp.encode([value]) == pyrlp.encode([value])


@given(ANY_BYTES)
def test_pyrlp_and_ethereum_rlp_accept_the_same_bytes(data: bytes) -> None:
    """Neither has limits; what nests this little recurses safely in both."""
    try:
        item = rlp.decode(data)
    except DecodeError:
        with pytest.raises(ethereum_rlp.exceptions.RLPException):
            ethereum_rlp.decode(data)
        with pytest.raises(pyrlp.exceptions.RLPException):
            pyrlp.decode(data, strict=True)
        return
    assert ethereum_rlp.decode(data) == item
    assert pyrlp.decode(data, strict=True) == item


@given(ITEMS, st.integers(0, 30))
def test_an_item_limit_counts_every_part(item: Item, limit: int) -> None:
    def count(part: Item) -> int:
        return 1 + (sum(map(count, part)) if isinstance(part, list) else 0)

    encoded = rlp.encode(item)
    if count(item) <= limit:
        assert rlp.decode(encoded, max_items=limit) == item
    else:
        with pytest.raises(DecodeError) as caught:
            rlp.decode(encoded, max_items=limit)
        assert caught.value.reason is DecodeReason.TOO_MANY_ITEMS


@given(ITEMS)
def test_the_depth_is_that_of_the_deepest_list(item: Item) -> None:
    def depth(part: Item) -> int:
        if isinstance(part, list):
            return 1 + max(map(depth, part), default=0)
        return 0

    encoded = rlp.encode(item)
    deepest = depth(item)
    assume(deepest)
    assert rlp.decode(encoded, max_depth=deepest) == item
    with pytest.raises(DecodeError) as caught:
        rlp.decode(encoded, max_depth=deepest - 1)
    assert caught.value.reason is DecodeReason.TOO_DEEP
