from __future__ import annotations

import time
from typing import Any

import pytest

from hexary import recording, rlp
from hexary.chain import (
    AccountChanges,
    BalanceChange,
    Block,
    BlockAccessList,
    BlockBody,
    CodeChange,
    ExecutionPayload,
    FeeMarketTransaction,
    Header,
    LegacyTransaction,
    Log,
    NewPayload,
    NonceChange,
    Receipt,
    SlotChanges,
    StorageChange,
    Withdrawal,
    decode_transaction,
    logs_bloom,
    ommers_hash,
    receipts_root,
    requests_hash,
)
from hexary.errors import (
    DecodeError,
    DecodeReason,
    EncodeError,
    FixtureError,
    InputTypeError,
    InvalidError,
    InvalidReason,
)
from hexary.hash import keccak256
from hexary.trie import EMPTY_ROOT
from hexary.typed import Address, Bloom, Bytes, Hash

LEGACY = LegacyTransaction(nonce=1, gas_limit=21000, to=Address(5), v=27, r=1, s=1)
MARKET = FeeMarketTransaction(chain_id=1, nonce=2, data=Bytes(bytes(100)))
WITHDRAWAL = Withdrawal(1, 2, Address(3), 4)
LATE = Header(
    number=9,
    base_fee_per_gas=7,
    withdrawals_root=EMPTY_ROOT,
    blob_gas_used=0,
    excess_blob_gas=0,
    parent_beacon_block_root=Hash(1),
    requests_hash=requests_hash([]),
    block_access_list_hash=BlockAccessList().hash(),
    slot_number=3,
)
BLOCK = Block.of(LATE, [LEGACY, MARKET], withdrawals=[WITHDRAWAL])


def refused(check: Any, *arguments: Any) -> InvalidError:
    """Return why something is refused."""
    with pytest.raises(InvalidError) as caught:
        check(*arguments)
    return caught.value


def test_a_block_is_known_by_its_header() -> None:
    assert BLOCK.hash() == BLOCK.header.hash() == keccak256(BLOCK.header.rlp())
    assert BLOCK.hash() != keccak256(BLOCK.rlp())
    assert BLOCK.check() == BLOCK.hash()


def test_typed_transactions_stand_in_blocks_as_strings() -> None:
    items = rlp.decode(BLOCK.rlp())
    assert len(items) == 4
    assert items[1] == [rlp.decode(LEGACY.rlp()), MARKET.rlp()]
    assert Block.from_rlp(BLOCK.rlp()) == BLOCK
    early = Block.of(Header(), [LEGACY], [Header(number=5)])
    assert len(rlp.decode(early.rlp())) == 3
    assert Block.from_rlp(early.rlp()) == early
    assert early.withdrawals is None
    assert early.header.ommers_hash == ommers_hash([Header(number=5)])


def test_a_body_and_a_header_make_a_block() -> None:
    body = BlockBody(BLOCK.transactions, (), BLOCK.withdrawals)
    assert BlockBody.from_rlp(body.rlp()) == body
    assert body.block(BLOCK.header) == BLOCK


@pytest.mark.parametrize(
    ("block", "reason", "field"),
    [
        (
            BLOCK.replace(transactions=(LEGACY,)),
            "TRANSACTIONS_ROOT",
            "header.transactions_root",
        ),
        (BLOCK.replace(ommers=(Header(),)), "OMMERS_HASH", "header.ommers_hash"),
        (BLOCK.replace(withdrawals=()), "WITHDRAWALS_ROOT", "header.withdrawals_root"),
        (BLOCK.replace(withdrawals=None), "BODY_FIELDS", "withdrawals"),
        (Block(Header(), withdrawals=()), "BODY_FIELDS", "withdrawals"),
    ],
)
def test_a_body_that_is_not_the_headers(block: Block, reason: str, field: str) -> None:
    error = refused(block.check)
    assert error.reason is InvalidReason[reason]
    assert error.field == field


def test_receipts_of_a_block() -> None:
    logs = (Log(Address(1), (Hash(2),), Bytes(b"")),)
    receipts = [
        Receipt.of(type=0, outcome=True, cumulative_gas_used=21000),
        Receipt.of(type=2, outcome=False, cumulative_gas_used=42000, logs=logs),
    ]
    block = BLOCK.replace(
        header=BLOCK.header.replace(
            receipts_root=receipts_root(receipts), logs_bloom=logs_bloom(logs)
        )
    )
    block.check_receipts(receipts)
    assert refused(block.check_receipts, receipts[:1]).reason is (
        InvalidReason.RECEIPTS_ROOT
    )
    wrong = receipts[1].replace(logs_bloom=Bloom(0))
    error = refused(block.check_receipts, [receipts[0], wrong])
    assert error.field == "receipts[1].logs_bloom"
    other = block.replace(header=block.header.replace(logs_bloom=Bloom(0)))
    error = refused(other.check_receipts, receipts)
    assert (error.reason, error.field) == (
        InvalidReason.LOGS_BLOOM,
        "header.logs_bloom",
    )


def test_requests_of_a_block() -> None:
    BLOCK.check_requests([])
    assert refused(BLOCK.check_requests, [b"\0data"]).reason is (
        InvalidReason.REQUESTS_HASH
    )
    assert refused(BLOCK.check_requests, [b"\0"]).reason is InvalidReason.REQUEST_EMPTY
    assert refused(Block(Header()).check_requests, []).reason is (
        InvalidReason.HEADER_FIELDS
    )


def test_access_lists_of_a_block() -> None:
    BLOCK.check_access_list(BlockAccessList())
    touched = BlockAccessList((AccountChanges(Address(1)),))
    paid = BLOCK.replace(header=BLOCK.header.replace(gas_limit=2_000))
    assert refused(paid.check_access_list, touched).reason is (
        InvalidReason.ACCESS_LIST_HASH
    )
    assert refused(Block(Header()).check_access_list, touched).reason is (
        InvalidReason.HEADER_FIELDS
    )


def account(number: int, **changes: Any) -> AccountChanges:
    """Return an account of an access list."""
    return AccountChanges(address=Address(number), **changes)


@pytest.mark.parametrize(
    ("accounts", "reason", "field"),
    [
        ([account(2), account(1)], "ORDER", "[1].address"),
        ([account(1), account(1)], "ORDER", "[1].address"),
        ([account(1, storage_reads=(2, 1))], "ORDER", "[0].storage_reads[1]"),
        ([account(1, storage_reads=(2, 2))], "ORDER", "[0].storage_reads[1]"),
        (
            [
                account(
                    1,
                    storage_changes=(
                        SlotChanges(2, (StorageChange(1, 0),)),
                        SlotChanges(1, (StorageChange(1, 0),)),
                    ),
                )
            ],
            "ORDER",
            "[0].storage_changes[1]",
        ),
        (
            [
                account(
                    1,
                    storage_changes=(
                        SlotChanges(2, (StorageChange(2, 0), StorageChange(2, 1))),
                    ),
                )
            ],
            "ORDER",
            "[0].storage_changes[0].changes[1]",
        ),
        (
            [account(1, storage_changes=(SlotChanges(2, ()),))],
            "EMPTY",
            "[0].storage_changes[0].changes",
        ),
        (
            [
                account(
                    1,
                    storage_changes=(SlotChanges(2, (StorageChange(1, 0),)),),
                    storage_reads=(1, 2),
                )
            ],
            "READ",
            "[0].storage_reads[1]",
        ),
        (
            [account(1, balance_changes=(BalanceChange(2, 0), BalanceChange(1, 0)))],
            "ORDER",
            "[0].balance_changes[1]",
        ),
        (
            [account(1, nonce_changes=(NonceChange(1, 0), NonceChange(1, 1)))],
            "ORDER",
            "[0].nonce_changes[1]",
        ),
        (
            [account(1), account(2, code_changes=(CodeChange(4, Bytes(b"")),))],
            "INDEX",
            "[1].code_changes[0].block_access_index",
        ),
    ],
)
def test_access_lists_that_are_not_canonical(
    accounts: list[AccountChanges], reason: str, field: str
) -> None:
    found = BlockAccessList(tuple(accounts))
    assert BlockAccessList.from_rlp(found.rlp()) == found
    with pytest.raises(InvalidError) as caught:
        found.check(transactions=2)
    assert caught.value.reason is InvalidReason[f"ACCESS_LIST_{reason}"]
    assert caught.value.field == field


def test_access_lists_that_are() -> None:
    found = BlockAccessList(
        (
            account(
                1,
                storage_changes=(
                    SlotChanges(2, (StorageChange(0, 0), StorageChange(3, 1))),
                ),
                storage_reads=(1, 3),
                code_changes=(CodeChange(3, Bytes(b"code")),),
            ),
            account(2),
        )
    )
    assert found.check(transactions=2) == found.hash()
    assert len(found) == 2
    assert list(found) == list(found.accounts)
    with recording() as seen:
        found.hash()
    assert seen.calls == 1
    with pytest.raises(FixtureError):
        BlockAccessList.from_json({})
    with pytest.raises(DecodeError) as caught:
        BlockAccessList.from_rlp(bytes.fromhex("c1c0"))
    assert caught.value.reason is DecodeReason.WRONG_ITEM_COUNT


def test_json_of_blocks() -> None:
    for spelling in ("rpc", "fixture"):
        written = BLOCK.to_json(spelling=spelling)
        assert Block.from_json(written, spelling=spelling) == BLOCK
    written = BLOCK.to_json()
    assert written["hash"] == str(BLOCK.hash())
    assert written["transactions"][1]["hash"] == str(MARKET.hash())
    assert written["transactions"][1]["transactionIndex"] == "0x1"
    assert written["uncles"] == []


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"transactions": ["0x" + "11" * 32]}, "block.transactions[0]"),
        ({"transactions": [{}]}, "block.transactions[0]"),
        ({"transactions": {}}, "block.transactions"),
        ({"uncles": ["0x" + "11" * 32]}, "block.uncles"),
        ({"withdrawals": [None]}, "block.withdrawals[0]"),
        ({"number": None}, "header.number"),
        ({"stateRoot": "0x00"}, "header.stateRoot"),
    ],
)
def test_json_that_is_no_block(change: dict[str, Any], field: str) -> None:
    with pytest.raises(FixtureError) as caught:
        Block.from_json({**BLOCK.to_json(), **change})
    assert caught.value.field.startswith(field)
    with pytest.raises(FixtureError):
        Block.from_json([])


def test_payloads() -> None:
    assert ExecutionPayload.of(BLOCK, access_list=BlockAccessList()).version == 4
    with pytest.raises(EncodeError):
        ExecutionPayload.of(BLOCK)
    with pytest.raises(InputTypeError):
        ExecutionPayload.of(Block(Header()))
    call = NewPayload(
        ExecutionPayload.of(BLOCK, access_list=BlockAccessList()), (), Hash(1), ()
    )
    assert call.check() == BLOCK
    assert NewPayload.from_params(call.to_params(), version=5) == call
    payload = call.payload
    for change, reason in (
        ({"gas_used": 1}, InvalidReason.BLOCK_HASH),
        ({"block_hash": Hash(5)}, InvalidReason.BLOCK_HASH),
        ({"transactions": ()}, InvalidReason.BLOCK_HASH),
    ):
        wrong = NewPayload(payload.replace(**change), (), Hash(1), ())
        assert refused(wrong.check).reason is reason
    wrong = NewPayload(payload.replace(transactions=(Bytes(b"\5"),)), (), Hash(1), ())
    with pytest.raises(DecodeError) as caught:
        wrong.check()
    assert caught.value.field.startswith("payload.transactions[0]")
    unordered = BlockAccessList((account(2), account(1)))
    block = BLOCK.replace(
        header=BLOCK.header.replace(block_access_list_hash=unordered.hash())
    )
    call = NewPayload(
        ExecutionPayload.of(block, access_list=unordered), (), Hash(1), ()
    )
    assert refused(call.check).reason is InvalidReason.ACCESS_LIST_ORDER


@pytest.mark.parametrize(
    "garbage",
    [
        bytes(100_000_000),
        b"\xff" * 100_000_000,
        b"\xfb\xff\xff\xff\xff" + b"\xc0" * 100_000_000,
        b"\x02\xfb\x05\xf5\xe1\x00" + b"\x80" * 100_000_000,
    ],
    ids=["zeros", "ones", "long list", "many fields"],
)
@pytest.mark.parametrize(
    "read", [Block.from_rlp, Header.from_rlp, Receipt.from_rlp, decode_transaction]
)
def test_a_hundred_million_bytes_of_garbage_are_refused_at_once(
    read: Any, garbage: bytes
) -> None:
    start = time.process_time()
    with pytest.raises(DecodeError) as caught:
        read(garbage)
    assert time.process_time() - start < 5
    assert len(caught.value.data) <= 32


def test_many_small_things_take_time_in_proportion() -> None:
    """A block of transactions that are right, but for the last one."""
    encoded = LEGACY.rlp()
    wrong = encoded[:-1] + b"\0"

    def spent(count: int) -> float:
        payload = b"".join([encoded] * count + [wrong])
        data = _block(payload)
        start = time.process_time()
        with pytest.raises(DecodeError) as caught:
            Block.from_rlp(data)
        assert caught.value.field == f"block.transactions[{count}].s"
        return time.process_time() - start

    spent(10)
    small = min(spent(1_000) for _ in range(5))
    large = min(spent(10_000) for _ in range(5))
    assert large < 40 * small


def _block(transactions: bytes) -> bytes:
    """Return the encoding of a block with these encodings of transactions."""
    from hexary.rlp.source import list_header

    parts = LATE.rlp() + list_header(len(transactions)) + transactions + b"\xc0\xc0"
    return list_header(len(parts)) + parts


def test_a_block_access_list_has_accounts_only() -> None:
    account = AccountChanges(bytes(20))
    assert BlockAccessList([account]).accounts == (account,)
    assert hash(BlockAccessList([account])) == hash(BlockAccessList((account,)))
    with pytest.raises(InputTypeError, match=r"accounts\[1\] must be an Acc"):
        BlockAccessList((account, 1))


def test_json_names_the_item_at_fault() -> None:
    block = Block(Header(base_fee_per_gas=1, withdrawals_root=bytes(32)))
    for spelling, name in (
        ("rpc", "transactions"),
        ("rpc", "withdrawals"),
        ("fixture", "uncleHeaders"),
    ):
        written = block.to_json(spelling=spelling)
        with pytest.raises(FixtureError) as caught:
            Block.from_json({**written, name: [None]}, spelling=spelling)
        assert caught.value.field.startswith(f"block.{name}[0] › ")
    with pytest.raises(FixtureError) as caught:
        BlockAccessList.from_json([AccountChanges(bytes(20)).to_json(), {}])
    assert caught.value.field == "[1] › account_changes.address"


def test_a_block_access_list_is_no_longer_than_the_gas_limit_pays_for() -> None:
    """Accounts, slots that are written and slots that are read count, 2000 gas each."""
    found = BlockAccessList(
        (
            AccountChanges(
                Address(1),
                storage_changes=(SlotChanges(1, (StorageChange(0, 1),)),),
                storage_reads=(2, 3),
            ),
            AccountChanges(Address(2)),
        )
    )
    assert found.count_items() == 5
    assert found.check(gas_limit=10_000) == found.check() == found.hash()
    with pytest.raises(InvalidError) as caught:
        found.check(gas_limit=9_999)
    assert caught.value.reason is InvalidReason.ACCESS_LIST_SIZE
    assert (caught.value.got, caught.value.expected) == (5, 4)
    header = BLOCK.header.replace(block_access_list_hash=found.hash())
    BLOCK.replace(header=header.replace(gas_limit=10_000)).check_access_list(found)
    with pytest.raises(InvalidError) as caught:
        BLOCK.replace(header=header.replace(gas_limit=9_999)).check_access_list(found)
    assert caught.value.reason is InvalidReason.ACCESS_LIST_SIZE
    for gas_limit in (10_000, 9_999):
        block = BLOCK.replace(header=header.replace(gas_limit=gas_limit), ommers=())
        block = Block.of(block.header, block.transactions, (), block.withdrawals)
        requests = (bytes([0]) + bytes(192),)
        block = block.replace(
            header=block.header.replace(requests_hash=requests_hash(requests))
        )
        call = NewPayload(
            ExecutionPayload.of(block, access_list=found),
            tuple(
                one
                for transaction in block.transactions
                for one in getattr(transaction, "blob_versioned_hashes", ())
            ),
            block.header.parent_beacon_block_root,
            requests,
        )
        try:
            call.check()
        except InvalidError as error:
            assert (gas_limit, error.reason) == (9_999, InvalidReason.ACCESS_LIST_SIZE)
        else:
            assert gas_limit == 10_000
