"""Raw items: checked once, immutable, values."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from hexary import DecodeError, DecodeReason, InputTypeError, rlp
from hexary.rlp import Raw


@pytest.mark.parametrize(
    ("encoded", "reason"),
    [
        ("", DecodeReason.EMPTY_INPUT),
        ("8100", DecodeReason.NON_CANONICAL_BYTE),
        ("c283", DecodeReason.TRUNCATED),
        ("c180c0", DecodeReason.TRAILING_BYTES),
    ],
)
def test_only_one_canonical_item_is_taken(encoded: str, reason: DecodeReason) -> None:
    with pytest.raises(DecodeError) as caught:
        Raw(bytes.fromhex(encoded))
    assert caught.value.reason is reason


def test_the_depth_is_limited_as_in_decode() -> None:
    deep: Any = []
    for _ in range(1024):
        deep = [deep]
    encoded = rlp.encode(deep)
    with pytest.raises(DecodeError) as caught:
        Raw(encoded)
    assert caught.value.reason is DecodeReason.TOO_DEEP
    assert pickle.loads(pickle.dumps(Raw(encoded, max_depth=1025))).encoded == encoded


def test_other_types_are_refused() -> None:
    with pytest.raises(InputTypeError):
        Raw("c0")


def test_a_raw_item_keeps_its_bytes() -> None:
    buffer = bytearray(b"\x83dog")
    raw = Raw(buffer)
    buffer[1] = 0
    assert bytes(raw) == raw.encoded == b"\x83dog"
    assert type(Raw(memoryview(b"\x83dog")).encoded) is bytes


def test_a_raw_item_is_immutable() -> None:
    raw = Raw(b"\x80")
    with pytest.raises(AttributeError, match="immutable"):
        raw.encoded = b""
    with pytest.raises(AttributeError, match="immutable"):
        del raw.encoded
    with pytest.raises(AttributeError, match="immutable"):
        raw.other = 1


def test_raw_items_are_equal_by_their_bytes() -> None:
    raw = Raw(b"\x83dog")
    assert raw == Raw(b"\x83dog") != Raw(b"\x80")
    assert raw != b"\x83dog"
    assert hash(raw) == hash(Raw(b"\x83dog"))
    assert {raw: 1}[Raw(b"\x83dog")] == 1


def test_raw_items_can_be_copied_and_pickled() -> None:
    raw = Raw(b"\x83dog")
    for again in (copy.copy(raw), copy.deepcopy(raw), pickle.loads(pickle.dumps(raw))):
        assert again == raw
        assert type(again) is Raw


def test_raw_items_show_their_bytes() -> None:
    assert repr(Raw(b"\x83dog")) == "Raw(0x83646f67)"
    assert len(repr(Raw(rlp.encode(bytes(10_000))))) < 100
