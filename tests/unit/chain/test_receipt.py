from __future__ import annotations

from typing import Any

import pytest

from hexary import rlp
from hexary.chain import Log, NetworkReceipt, Receipt, logs_bloom, receipts_root
from hexary.errors import (
    DecodeError,
    DecodeReason,
    EncodeError,
    FixtureError,
    InvalidError,
    InvalidReason,
)
from hexary.hash import keccak256
from hexary.trie import EMPTY_ROOT, ordered_trie_root
from hexary.typed import Address, Bloom, Bytes, Hash

LOGS = (
    Log(Address(1), (Hash(2), Hash(3)), Bytes(b"data")),
    Log(Address(1), (), Bytes(b"")),
)


@pytest.mark.parametrize("number", range(5))
@pytest.mark.parametrize("outcome", [True, False, Hash(7)])
def test_receipts_of_every_type_and_time(number: int, outcome: Any) -> None:
    receipt = Receipt.of(
        type=number, outcome=outcome, cumulative_gas_used=21000, logs=LOGS
    )
    encoded = receipt.rlp()
    assert encoded[0] == (number or 0xF9)
    items = rlp.decode(encoded[1:] if number else encoded)
    assert items[0] == (outcome if isinstance(outcome, Hash) else b"\1" * outcome)
    assert items[1:3] == [(21000).to_bytes(2), bytes(logs_bloom(LOGS))]
    assert Receipt.from_rlp(encoded) == receipt
    assert receipt.status is (None if isinstance(outcome, Hash) else outcome)
    assert receipt.post_state == (outcome if isinstance(outcome, Hash) else None)
    receipt.check()
    for spelling in ("rpc", "fixture"):
        written = receipt.to_json(spelling=spelling)
        assert Receipt.from_json(written, spelling=spelling) == receipt
        assert ("status" in written) is not isinstance(outcome, Hash)
        assert ("root" in written) is isinstance(outcome, Hash)
    sent = NetworkReceipt(number, outcome, 21000, LOGS)
    assert sent.receipt() == receipt
    assert sent.status is receipt.status
    assert NetworkReceipt.from_rlp(sent.rlp()) == sent


def test_a_filter_that_is_not_that_of_the_logs() -> None:
    receipt = Receipt.of(outcome=True, cumulative_gas_used=1, logs=LOGS)
    for wrong in (Bloom(0), receipt.logs_bloom.add(b"more")):
        with pytest.raises(InvalidError) as caught:
            receipt.replace(logs_bloom=wrong).check(field="receipts[3]")
        assert caught.value.reason is InvalidReason.LOGS_BLOOM
        assert caught.value.field == "receipts[3].logs_bloom"
        assert caught.value.expected == receipt.logs_bloom


def test_nodes_leave_out_what_others_say() -> None:
    written = Receipt.of(outcome=Hash(7), cumulative_gas_used=5).to_json()
    assert Receipt.from_json({**written, "status": None}).post_state == Hash(7)
    del written["type"]
    assert Receipt.from_json({**written, "type": None}).type == 0
    assert Receipt.from_json(written).type == 0
    del written["root"]
    with pytest.raises(FixtureError) as caught:
        Receipt.from_json(written)
    assert caught.value.field == "receipt.status"
    with pytest.raises(FixtureError):
        Receipt.from_json([])


@pytest.mark.parametrize(
    ("data", "reason", "field"),
    [
        ("05c0", DecodeReason.UNKNOWN_TYPE, ""),
        ("c0", DecodeReason.WRONG_ITEM_COUNT, "receipt"),
        ("c402808080", DecodeReason.NOT_A_BOOLEAN, "receipt.outcome"),
        ("c4c0808080", DecodeReason.EXPECTED_STRING, "receipt.outcome"),
        ("c6820102808080"[:14], DecodeReason.WRONG_SIZE, "receipt.outcome"),
    ],
)
def test_malformed_receipts(data: str, reason: DecodeReason, field: str) -> None:
    with pytest.raises(DecodeError) as caught:
        Receipt.from_rlp(bytes.fromhex(data))
    assert caught.value.field.startswith(field)
    assert caught.value.reason in (
        reason,
        DecodeReason.WRONG_SIZE,
        DecodeReason.EXPECTED_STRING,
    )


def test_there_is_no_receipt_of_another_type() -> None:
    with pytest.raises(EncodeError):
        Receipt.of(type=5, outcome=True, cumulative_gas_used=0)


def test_the_root_of_receipts() -> None:
    assert receipts_root([]) == EMPTY_ROOT
    receipts = [
        Receipt.of(type=number, outcome=True, cumulative_gas_used=number)
        for number in (0, 2)
    ]
    assert receipts_root(receipts) == ordered_trie_root([one.rlp() for one in receipts])


def test_filters_of_logs() -> None:
    assert logs_bloom([]) == Bloom(0)
    found = logs_bloom(LOGS)
    assert all(item in found for item in (Address(1), Hash(2), Hash(3)))
    assert b"data" not in found
    assert sum(byte.bit_count() for byte in bytes(found)) <= 9
    assert LOGS[0].hash() == keccak256(LOGS[0].rlp())


def test_json_of_nodes_that_say_status_and_root() -> None:
    receipt = Receipt.of(outcome=True, cumulative_gas_used=5)
    for nothing in (None, "", "0x"):
        assert Receipt.from_json({**receipt.to_json(), "root": nothing}) == receipt
    with pytest.raises(FixtureError, match="says otherwise than status"):
        Receipt.from_json({**receipt.to_json(), "root": "0x" + "11" * 32})
