from __future__ import annotations

from typing import Any

import pytest

from hexary import rlp
from hexary.chain import (
    BLOB_SCHEDULES,
    FORKS,
    GAS_PER_BLOB,
    AccessListTransaction,
    BlobTransaction,
    Block,
    Header,
    LegacyTransaction,
    check_block,
    fork_named,
)
from hexary.errors import ForkError, InputTypeError, InvalidError, InvalidReason
from hexary.typed import Bytes, Hash

EIGHT_MEBIBYTES = 8_388_608
BLOB_HASH = Hash(b"\1" + bytes(31))

VALUES: dict[str, Any] = {
    name: 0 if "gas" in name or name == "slot_number" else Hash(0)
    for name in FORKS[-1].appended
}


def header(fork: str, **fields: Any) -> Header:
    """Return a header with exactly the fields of a fork."""
    appended = {name: VALUES[name] for name in fork_named(fork).appended}
    return Header(**{"number": 1, "gas_limit": 30_000_000, **appended, **fields})


def block(fork: str, transactions: Any = (), ommers: Any = (), **fields: Any) -> Block:
    """Return a block of a fork."""
    has_withdrawals = 4895 in fork_named(fork).active
    return Block.of(
        header(fork, **fields), transactions, ommers, [] if has_withdrawals else None
    )


def refused(one: Block, fork: str) -> InvalidError:
    """Return why a fork refuses a block."""
    with pytest.raises(InvalidError) as caught:
        check_block(one, fork=fork)
    return caught.value


@pytest.mark.parametrize("fork", [fork.name for fork in FORKS])
def test_a_block_of_each_fork_is_valid_there(fork: str) -> None:
    one = block(fork)
    assert check_block(one, fork=fork) == one.hash()


def of_size(size: int, fork: str) -> Block:
    """Return a block whose RLP has a size, by the data of a transaction."""
    data = size - rlp.encoded_size(block(fork)) - 64
    while True:
        made = block(fork, [LegacyTransaction(data=Bytes(bytes(data)))])
        if len(made.rlp()) == size:
            return made
        data += size - len(made.rlp())


@pytest.mark.parametrize("fork", ["Osaka", "BPO2", "Amsterdam"])
def test_a_block_has_at_most_8_mebibytes_since_osaka(fork: str) -> None:
    """EIP-7934: 10 MiB less the margin of 2 MiB."""
    largest = of_size(EIGHT_MEBIBYTES, fork)
    assert check_block(largest, fork=fork) == largest.hash()
    error = refused(of_size(EIGHT_MEBIBYTES + 1, fork), fork)
    assert error.reason is InvalidReason.BLOCK_SIZE
    assert (error.field, error.got, error.expected) == (
        "block",
        EIGHT_MEBIBYTES + 1,
        EIGHT_MEBIBYTES,
    )


def test_a_block_had_any_size_before_osaka() -> None:
    large = of_size(EIGHT_MEBIBYTES + 1, "Prague")
    assert check_block(large, fork="Prague") == large.hash()


def test_the_header_has_the_fields_of_the_fork() -> None:
    for earlier, later in (("Berlin", "London"), ("Paris", "Shanghai")):
        for made, asked in ((earlier, later), (later, earlier)):
            error = refused(block(made), asked)
            assert error.reason is InvalidReason.HEADER_FIELDS
            assert error.field == f"header.{fork_named(later).appended[-1]}"


@pytest.mark.parametrize(
    ("fields", "reason", "field"),
    [
        ({"difficulty": 1}, "PROOF_OF_WORK", "header.difficulty"),
        ({"nonce": bytes(7) + b"\1"}, "PROOF_OF_WORK", "header.nonce"),
        ({"ommers": [Header()]}, "PROOF_OF_WORK", "ommers"),
        ({"extra_data": bytes(33)}, "EXTRA_DATA_TOO_LONG", "header.extra_data"),
    ],
)
def test_nothing_is_mined_since_paris(
    fields: dict[str, Any], reason: str, field: str
) -> None:
    error = refused(block("Paris", **fields), "Paris")
    assert (error.reason.name, error.field) == (reason, field)
    check_block(block("Gray Glacier", **fields), fork="Gray Glacier")
    if "ommers" not in fields:
        check_block(block("Paris", number=0, **fields), fork="Paris")


def test_gas_used_is_within_the_limit() -> None:
    check_block(block("Frontier", gas_limit=5, gas_used=5), fork="Frontier")
    error = refused(block("Frontier", gas_limit=5, gas_used=6), "Frontier")
    assert error.reason is InvalidReason.GAS_USED_TOO_HIGH
    assert (error.got, error.expected) == (6, 5)


def test_types_of_transactions() -> None:
    typed = AccessListTransaction(chain_id=1)
    both = [LegacyTransaction(), typed]
    check_block(block("Berlin", both), fork="Berlin")
    error = refused(block("Istanbul", both), "Istanbul")
    assert error.reason is InvalidReason.TYPE_NOT_SUPPORTED
    assert (error.field, error.got) == ("transactions[1].type", 1)


@pytest.mark.parametrize("fork", sorted(BLOB_SCHEDULES))
def test_blobs_of_a_block(fork: str) -> None:
    most = BLOB_SCHEDULES[fork].maximum
    one = BlobTransaction(chain_id=1, blob_versioned_hashes=(BLOB_HASH,))
    used = GAS_PER_BLOB * most
    check_block(block(fork, [one] * most, blob_gas_used=used), fork=fork)
    error = refused(block(fork, [one] * most, blob_gas_used=used - 1), fork)
    assert error.reason is InvalidReason.BLOB_GAS_USED
    assert (error.got, error.expected) == (used - 1, used)
    many = block(fork, [one] * (most + 1), blob_gas_used=used + GAS_PER_BLOB)
    error = refused(many, fork)
    assert error.reason is InvalidReason.TOO_MANY_BLOCK_BLOBS
    assert (error.got, error.expected) == (most + 1, most)


def test_the_roots_are_those_of_the_body() -> None:
    one = block("Osaka").replace(transactions=(LegacyTransaction(),))
    assert refused(one, "Osaka").reason is InvalidReason.TRANSACTIONS_ROOT


def test_what_is_no_block_or_no_fork() -> None:
    with pytest.raises(ForkError):
        check_block(block("Osaka"), fork="Eden")
    with pytest.raises(InputTypeError):
        check_block(header("Osaka"), fork="Osaka")  # type: ignore[arg-type]  # on purpose
