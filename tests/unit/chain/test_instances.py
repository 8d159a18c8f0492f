"""What is no record of the right class has no root, hash or bloom filter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hexary import Trie, ordered_trie_root, rlp, trie_root
from hexary.chain import (
    AuthorityRoundHeader,
    BlobTransaction,
    BlobTransactionWithProofs,
    Block,
    BlockAccessList,
    ExecutionPayload,
    Header,
    LegacyTransaction,
    Log,
    NetworkReceipt,
    Receipt,
    SealSignature,
    Withdrawal,
    encode_requests,
    logs_bloom,
    ommers_hash,
    receipts_root,
    transactions_root,
    withdrawals_root,
)
from hexary.errors import InputTypeError

ADDRESS = bytes(20)
HEADER = Header(base_fee_per_gas=1)
WITHDRAWAL = Withdrawal(0, 0, ADDRESS, 1)
LOG = Log(ADDRESS)
RECEIPT = Receipt.of(type=0, outcome=True, cumulative_gas_used=0, logs=[])
WRAPPER = BlobTransactionWithProofs(BlobTransaction(chain_id=1))
NETWORK_RECEIPT = NetworkReceipt(0, True, 0, ())

MANY: dict[str, tuple[Callable[[Any], object], Any, Any]] = {
    "transactions": (transactions_root, LegacyTransaction(), WRAPPER),
    "receipts": (receipts_root, RECEIPT, NETWORK_RECEIPT),
    "withdrawals": (withdrawals_root, WITHDRAWAL, HEADER),
    "ommers": (ommers_hash, HEADER, Block(HEADER)),
    "logs": (logs_bloom, LOG, RECEIPT),
    "accounts": (BlockAccessList, None, WITHDRAWAL),
    "requests": (encode_requests, None, WITHDRAWAL),
}


@pytest.mark.parametrize("wrong", ["other", 5, None, "text", b"\xc0"])
@pytest.mark.parametrize("name", MANY)
def test_each_of_several_is_of_the_class(name: str, wrong: object) -> None:
    function, right, other = MANY[name]
    before = [] if right is None else [right]
    function(before)
    with pytest.raises(InputTypeError) as caught:
        function([*before, other if wrong == "other" else wrong])
    assert caught.value.argument == f"{name}[{len(before)}]"


@pytest.mark.parametrize("wrong", [5, None, "", b"", bytearray(), memoryview(b"")])
@pytest.mark.parametrize("name", MANY)
def test_several_can_be_iterated(name: str, wrong: object) -> None:
    """And are no text and no byte string, of which an empty one would pass for none."""
    with pytest.raises(InputTypeError) as caught:
        MANY[name][0](wrong)
    assert caught.value.argument == name


def test_ommers_may_have_the_seal_of_authority_round() -> None:
    header = AuthorityRoundHeader(step=1, signature=SealSignature(0))
    assert ommers_hash([header]) != ommers_hash([])


@pytest.mark.parametrize("wrong", [5, None, "text", RECEIPT])
@pytest.mark.parametrize(
    ("function", "name"),
    [
        (ExecutionPayload.of, "block"),
        (Block(HEADER).check_access_list, "access_list"),
        (LegacyTransaction().signed, "signature"),
        (BlobTransaction(chain_id=1).signed, "signature"),
    ],
)
def test_one_is_of_the_class(
    function: Callable[[Any], object], name: str, wrong: object
) -> None:
    with pytest.raises(InputTypeError) as caught:
        function(wrong)
    assert caught.value.argument == name


def test_receipts_of_a_block_are_receipts() -> None:
    with pytest.raises(InputTypeError, match=r"receipts\[0\] must be a Receipt"):
        Block(HEADER).check_receipts([NETWORK_RECEIPT])  # type: ignore[list-item]  # on purpose


@pytest.mark.parametrize("encoded", [b"\xc0", bytearray(), memoryview(b""), "0xc0"])
def test_who_has_encodings_is_told_what_takes_them(encoded: Any) -> None:
    for function in (transactions_root, receipts_root, withdrawals_root):
        with pytest.raises(
            InputTypeError, match="; decode it first; ordered_trie_root takes encodings"
        ):
            function([encoded])
    with pytest.raises(InputTypeError, match=r"; decode it first$"):
        ommers_hash([encoded])
    for value in (5, None, HEADER):
        with pytest.raises(InputTypeError) as caught:
            receipts_root([value])  # type: ignore[list-item]  # what is tested
        assert "decode" not in str(caught.value)


@pytest.mark.parametrize("record", [LegacyTransaction(), RECEIPT, WITHDRAWAL, HEADER])
def test_who_has_records_is_told_to_encode_them(record: Any) -> None:
    trie = Trie()
    for call in (
        lambda: ordered_trie_root([record]),
        lambda: trie_root({b"key": record}),
        lambda: trie.__setitem__(b"key", record),
        lambda: rlp.decode(record),
    ):
        with pytest.raises(InputTypeError, match=r"; pass its encoding, which rlp\(\)"):
            call()
