from __future__ import annotations

import hashlib
from typing import Any

import pytest

from hexary.chain import (
    EMPTY_REQUESTS_HASH,
    ConsolidationRequest,
    DepositRequest,
    WithdrawalRequest,
    check_requests,
    decode_requests,
    encode_requests,
    requests_hash,
)
from hexary.errors import (
    InputTypeError,
    InvalidError,
    InvalidReason,
    RangeError,
    SizeError,
)
from hexary.typed import Address, BLSPublicKey, BLSSignature, Hash


def test_the_hash_of_requests() -> None:
    assert requests_hash([]) == EMPTY_REQUESTS_HASH
    # Those without data are left out.
    assert requests_hash([b"\0", b"\1", b""]) == EMPTY_REQUESTS_HASH
    one, two = b"\0deposits", b"\2consolidations"
    expected = hashlib.sha256(
        hashlib.sha256(one).digest() + hashlib.sha256(two).digest()
    ).digest()
    assert requests_hash([one, b"\1", two]) == expected
    assert requests_hash([two, one]) != expected


@pytest.mark.parametrize(
    ("requests", "reason", "field"),
    [
        ([b""], InvalidReason.REQUEST_EMPTY, "requests[0]"),
        ([b"\0"], InvalidReason.REQUEST_EMPTY, "requests[0]"),
        ([b"\0a", b"\1"], InvalidReason.REQUEST_EMPTY, "requests[1]"),
        ([b"\1a", b"\0b"], InvalidReason.REQUEST_ORDER, "requests[1]"),
        ([b"\1a", b"\1b"], InvalidReason.REQUEST_ORDER, "requests[1]"),
        ([b"\0a", b"\2b", b"\1c"], InvalidReason.REQUEST_ORDER, "requests[2]"),
    ],
)
def test_the_order_of_requests(
    requests: list[bytes], reason: InvalidReason, field: str
) -> None:
    with pytest.raises(InvalidError) as caught:
        check_requests(requests)
    assert (caught.value.reason, caught.value.field) == (reason, field)


def test_requests_in_order() -> None:
    check_requests([])
    check_requests([b"\0a", b"\1b", b"\2c", b"\xffd"])


def test_what_requests_hold() -> None:
    deposit = (
        b"\x11" * 48
        + b"\x22" * 32
        + (32 * 10**9).to_bytes(8, "little")
        + b"\x33" * 96
        + (7).to_bytes(8, "little")
    )
    assert decode_requests(b"\0" + deposit) == (
        DepositRequest(
            BLSPublicKey(b"\x11" * 48),
            Hash(b"\x22" * 32),
            32 * 10**9,
            BLSSignature(b"\x33" * 96),
            7,
        ),
    )
    withdrawal = b"\x11" * 20 + b"\x22" * 48 + (5).to_bytes(8, "little")
    assert decode_requests(b"\1" + 2 * withdrawal) == 2 * (
        WithdrawalRequest(Address(b"\x11" * 20), BLSPublicKey(b"\x22" * 48), 5),
    )
    merger = b"\x11" * 20 + b"\x22" * 48 + b"\x33" * 48
    assert decode_requests(b"\2" + merger) == (
        ConsolidationRequest(
            Address(b"\x11" * 20),
            BLSPublicKey(b"\x22" * 48),
            BLSPublicKey(b"\x33" * 48),
        ),
    )


def test_what_is_no_request() -> None:
    for data, reason in (
        (b"", InvalidReason.REQUEST_EMPTY),
        (b"\0", InvalidReason.REQUEST_EMPTY),
        (b"\3data", InvalidReason.REQUEST_TYPE),
    ):
        with pytest.raises(InvalidError) as caught:
            decode_requests(data)
        assert caught.value.reason is reason
    for data in (b"\0" + bytes(191), b"\1" + bytes(77), b"\2" + bytes(117)):
        with pytest.raises(SizeError):
            decode_requests(data)


def test_requests_are_written_as_they_were() -> None:
    data = (
        bytes([0]) + bytes(range(192)) + bytes(192),
        bytes([1]) + bytes(range(76)),
        bytes([2]) + bytes(range(116)) + bytes(116),
    )
    requests = [one for part in reversed(data) for one in decode_requests(part)]
    assert encode_requests(requests) == data
    assert encode_requests([]) == ()
    check_requests(encode_requests(requests))
    assert [one.type for one in requests] == [2, 2, 1, 0, 0]


def test_requests_have_values_that_fit() -> None:
    key = bytes(48)
    with pytest.raises(RangeError):
        WithdrawalRequest(bytes(20), key, 1 << 64)
    with pytest.raises(SizeError):
        ConsolidationRequest(bytes(20), key, b"")
    with pytest.raises(InputTypeError):
        DepositRequest(key, bytes(32), None, bytes(96), 0)


@pytest.mark.parametrize("requests", [["0x00"], [None], b"\0a", [5], "", None])
def test_requests_are_byte_strings(requests: Any) -> None:
    for take in (requests_hash, check_requests):
        with pytest.raises(InputTypeError):
            take(requests)
    with pytest.raises(InputTypeError):
        decode_requests("0x00")
