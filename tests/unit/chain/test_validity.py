from __future__ import annotations

from typing import Any

import pytest

from hexary.chain import (
    FORKS,
    SECP256K1_HALF_ORDER,
    SECP256K1_ORDER,
    AccessListEntry,
    AccessListTransaction,
    Authorization,
    BlobTransaction,
    BlobTransactionWithProofs,
    FeeMarketTransaction,
    LegacyTransaction,
    SetCodeTransaction,
    check_signature,
    check_transaction,
    floor_gas,
    intrinsic_gas,
)
from hexary.errors import ForkError, InputTypeError, InvalidError, InvalidReason
from hexary.typed import Address, Bytes, Hash

BLOB_HASH = Hash(b"\1" + bytes(31))
TO = Address(5)


def refused(transaction: Any, fork: str, chain_id: int | None = 1) -> InvalidError:
    """Return why a fork refuses a transaction."""
    with pytest.raises(InvalidError) as caught:
        check_transaction(transaction, fork=fork, chain_id=chain_id)
    return caught.value


def sign(transaction: Any) -> Any:
    """Sign a transaction, if that can be done here."""
    pytest.importorskip("coincurve")
    return transaction.sign(1)


def test_intrinsic_gas_by_fork() -> None:
    creation = LegacyTransaction(data=Bytes(bytes(10) + b"\1" * 30))
    found = {fork.name: intrinsic_gas(creation, fork=fork) for fork in FORKS[:-1]}
    assert found["Frontier"] == 21000 + 40 + 30 * 68
    assert found["Homestead"] == found["Petersburg"] == 53000 + 40 + 30 * 68
    assert found["Istanbul"] == found["Paris"] == 53000 + 40 + 30 * 16
    assert found["Shanghai"] == found["BPO2"] == 53000 + 40 + 30 * 16 + 2 * 2
    call = creation.replace(to=TO)
    assert intrinsic_gas(call, fork="Osaka") == 21000 + 40 + 30 * 16


def test_intrinsic_gas_of_lists() -> None:
    entries = (AccessListEntry(TO, (Hash(1), Hash(2))), AccessListEntry(TO))
    listed = AccessListTransaction(to=TO, access_list=entries)
    assert intrinsic_gas(listed, fork="Berlin") == 21000 + 2 * 2400 + 2 * 1900
    agreed = SetCodeTransaction(to=TO, authorization_list=(Authorization(),) * 3)
    assert intrinsic_gas(agreed, fork="Prague") == 21000 + 3 * 25000


def test_the_floor_since_prague() -> None:
    call = LegacyTransaction(to=TO, data=Bytes(bytes(10) + b"\1" * 30))
    assert floor_gas(call, fork="Cancun") == 0
    assert floor_gas(call, fork="Prague") == 21000 + 100 + 1200


def test_gas_that_is_not_settled_is_not_told() -> None:
    for function in (intrinsic_gas, floor_gas):
        with pytest.raises(ForkError, match="not settled"):
            function(LegacyTransaction(), fork="Amsterdam")
    for transaction in (
        LegacyTransaction(to=TO, gas_limit=50000),
        # Neither is how large init code may be.
        LegacyTransaction(data=Bytes(bytes(49153)), gas_limit=10**7),
    ):
        with pytest.raises(ForkError, match="not settled"):
            check_transaction(sign(transaction), fork="Amsterdam")


def test_a_valid_transaction_of_each_type() -> None:
    fees = {"chain_id": 1, "max_fee_per_gas": 9, "gas_limit": 100_000, "to": TO}
    for transaction, fork in (
        (LegacyTransaction(gas_limit=100_000), "Frontier"),
        (LegacyTransaction(gas_limit=100_000).for_chain(1), "Spurious Dragon"),
        (AccessListTransaction(chain_id=1, gas_limit=100_000), "Berlin"),
        (FeeMarketTransaction(**fees), "London"),
        (BlobTransaction(blob_versioned_hashes=(BLOB_HASH,), **fees), "Cancun"),
        (SetCodeTransaction(authorization_list=(Authorization(),), **fees), "Prague"),
    ):
        signed = sign(transaction)
        checked = check_transaction(signed, fork=fork, chain_id=1)
        assert checked.hash == signed.hash()
        assert checked.sender == signed.sender()
        assert checked.intrinsic_gas == intrinsic_gas(signed, fork=fork)
        assert check_transaction(signed, fork="Osaka").floor_gas >= 21000
        if transaction.type:
            before = FORKS[[one.name for one in FORKS].index(fork) - 1].name
            error = refused(signed, before)
            assert error.reason is InvalidReason.TYPE_NOT_SUPPORTED


@pytest.mark.parametrize(
    ("transaction", "fork", "reason", "field"),
    [
        (LegacyTransaction(nonce=2**64 - 1), "Osaka", "NONCE_TOO_HIGH", "nonce"),
        (LegacyTransaction(v=26, r=1, s=1), "Osaka", "SIGNATURE_V", "v"),
        (LegacyTransaction(v=29, r=1, s=1), "Osaka", "SIGNATURE_V", "v"),
        (LegacyTransaction(v=34, r=1, s=1), "Osaka", "SIGNATURE_V", "v"),
        (LegacyTransaction(v=0, r=1, s=1), "Osaka", "SIGNATURE_V", "v"),
        (LegacyTransaction(v=1, r=1, s=1), "Osaka", "SIGNATURE_V", "v"),
        (LegacyTransaction(v=37, r=1, s=1), "EIP150", "SIGNATURE_V", "v"),
        (LegacyTransaction(v=39, r=1, s=1), "Osaka", "WRONG_CHAIN", "v"),
        (LegacyTransaction(v=2**256 - 1, r=1, s=1), "Osaka", "WRONG_CHAIN", "v"),
        (LegacyTransaction(v=27, r=0, s=1), "Osaka", "SIGNATURE_R", "r"),
        (LegacyTransaction(v=27, r=1, s=0), "Osaka", "SIGNATURE_S", "s"),
        (
            LegacyTransaction(v=27, r=SECP256K1_ORDER, s=1),
            "Frontier",
            "SIGNATURE_R",
            "r",
        ),
        (
            LegacyTransaction(v=27, r=1, s=SECP256K1_HALF_ORDER + 1),
            "Homestead",
            "SIGNATURE_HIGH_S",
            "s",
        ),
        (
            LegacyTransaction(v=27, r=1, s=SECP256K1_ORDER),
            "Frontier",
            "SIGNATURE_S",
            "s",
        ),
        (
            AccessListTransaction(chain_id=2, r=1, s=1),
            "Osaka",
            "WRONG_CHAIN",
            "chain_id",
        ),
        (
            AccessListTransaction(chain_id=1, y_parity=2, r=1, s=1),
            "Osaka",
            "SIGNATURE_Y_PARITY",
            "y_parity",
        ),
        (LegacyTransaction(v=27, r=5, s=1), "Osaka", "NO_PUBLIC_KEY", ""),
    ],
)
def test_signatures_that_a_fork_refuses(
    transaction: Any, fork: str, reason: str, field: str
) -> None:
    pytest.importorskip("coincurve")
    error = refused(transaction, fork)
    assert error.reason is InvalidReason[reason]
    assert error.field == (f"transaction.{field}" if field else "")


def test_a_high_s_is_right_in_frontier() -> None:
    signed = sign(LegacyTransaction(gas_limit=100_000))
    twin = signed.replace(v=55 - signed.v, s=SECP256K1_ORDER - signed.s)
    assert check_transaction(twin, fork="Frontier").sender == signed.sender()
    assert refused(twin, "Homestead").reason is InvalidReason.SIGNATURE_HIGH_S


FEES: dict[str, Any] = {"chain_id": 1, "gas_limit": 100_000, "to": TO}


@pytest.mark.parametrize(
    ("transaction", "fork", "reason", "field"),
    [
        (
            FeeMarketTransaction(max_priority_fee_per_gas=1, **FEES),
            "London",
            "PRIORITY_FEE_TOO_HIGH",
            "max_priority_fee_per_gas",
        ),
        (
            LegacyTransaction(gas_limit=2**64 - 1, gas_price=2**192 + 2**130),
            "Osaka",
            "COST_TOO_HIGH",
            "gas_limit",
        ),
        (
            BlobTransaction(
                max_fee_per_blob_gas=2**240, blob_versioned_hashes=(BLOB_HASH,), **FEES
            ),
            "Osaka",
            "COST_TOO_HIGH",
            "gas_limit",
        ),
        (BlobTransaction(**FEES), "Cancun", "NO_BLOBS", "blob_versioned_hashes"),
        (
            BlobTransaction(blob_versioned_hashes=(BLOB_HASH,) * 7, **FEES),
            "Cancun",
            "TOO_MANY_BLOBS",
            "blob_versioned_hashes",
        ),
        (
            BlobTransaction(blob_versioned_hashes=(BLOB_HASH,) * 10, **FEES),
            "Prague",
            "TOO_MANY_BLOBS",
            "blob_versioned_hashes",
        ),
        (
            BlobTransaction(blob_versioned_hashes=(BLOB_HASH,) * 7, **FEES),
            "BPO2",
            "TOO_MANY_BLOBS",
            "blob_versioned_hashes",
        ),
        (
            LegacyTransaction(gas_limit=52999),
            "Homestead",
            "GAS_LIMIT_TOO_LOW",
            "gas_limit",
        ),
        (
            BlobTransaction(blob_versioned_hashes=(BLOB_HASH,) * 7, **FEES),
            "Osaka",
            "TOO_MANY_BLOBS",
            "blob_versioned_hashes",
        ),
        (
            BlobTransaction(blob_versioned_hashes=(BLOB_HASH, Hash(1)), **FEES),
            "Cancun",
            "BLOB_HASH_VERSION",
            "blob_versioned_hashes[1]",
        ),
        (
            SetCodeTransaction(**FEES),
            "Prague",
            "NO_AUTHORIZATIONS",
            "authorization_list",
        ),
        (
            LegacyTransaction(data=Bytes(bytes(49153)), gas_limit=10**7),
            "Shanghai",
            "INIT_CODE_TOO_LARGE",
            "data",
        ),
        (
            LegacyTransaction(to=TO, gas_limit=20999),
            "Frontier",
            "GAS_LIMIT_TOO_LOW",
            "gas_limit",
        ),
        (
            LegacyTransaction(to=TO, data=Bytes(b"\1" * 10), gas_limit=21399),
            "Prague",
            "GAS_LIMIT_BELOW_FLOOR",
            "gas_limit",
        ),
        (
            LegacyTransaction(to=TO, gas_limit=2**24 + 1),
            "Osaka",
            "GAS_LIMIT_TOO_HIGH",
            "gas_limit",
        ),
    ],
)
def test_rules_that_need_no_state(
    transaction: Any, fork: str, reason: str, field: str
) -> None:
    error = refused(sign(transaction), fork)
    assert error.reason is InvalidReason[reason]
    assert error.field == f"transaction.{field}"


@pytest.mark.parametrize(
    ("transaction", "fork"),
    [
        (LegacyTransaction(data=Bytes(bytes(49152)), gas_limit=10**6), "Shanghai"),
        (LegacyTransaction(data=Bytes(bytes(49153)), gas_limit=10**6), "Paris"),
        (LegacyTransaction(to=TO, data=Bytes(bytes(49153)), gas_limit=10**6), "Osaka"),
        (LegacyTransaction(to=TO, gas_limit=2**24), "Osaka"),
        (LegacyTransaction(to=TO, gas_limit=2**64 - 1), "Prague"),
        (LegacyTransaction(to=TO, data=Bytes(b"\1" * 10), gas_limit=21400), "Prague"),
        (LegacyTransaction(to=TO, data=Bytes(b"\1" * 10), gas_limit=21160), "Cancun"),
        (LegacyTransaction(to=TO, nonce=2**64 - 2, gas_limit=21000), "Frontier"),
        (BlobTransaction(blob_versioned_hashes=(BLOB_HASH,) * 9, **FEES), "Prague"),
        (BlobTransaction(blob_versioned_hashes=(BLOB_HASH,) * 6, **FEES), "Cancun"),
        (BlobTransaction(blob_versioned_hashes=(BLOB_HASH,) * 6, **FEES), "Osaka"),
        (BlobTransaction(blob_versioned_hashes=(BLOB_HASH,) * 6, **FEES), "BPO2"),
        (LegacyTransaction(gas_limit=53000), "Homestead"),
        (LegacyTransaction(gas_limit=21000), "Frontier"),
    ],
)
def test_bounds_are_part_of_the_range(transaction: Any, fork: str) -> None:
    assert check_transaction(sign(transaction), fork=fork).sender


def test_any_chain_passes_where_none_is_given() -> None:
    check_signature(LegacyTransaction(v=39, r=1, s=1), fork="Osaka")
    check_signature(AccessListTransaction(chain_id=7, r=1, s=1), fork="Osaka")
    with pytest.raises(ForkError):
        check_signature(LegacyTransaction(v=27, r=1, s=1), fork="Serenity 3")


def test_what_is_no_transaction_is_told_so() -> None:
    wrapped = BlobTransactionWithProofs(BlobTransaction())
    for check in (check_transaction, check_signature, intrinsic_gas, floor_gas):
        with pytest.raises(InputTypeError, match="out of the wrapper"):
            check(wrapped, fork="Osaka")
        with pytest.raises(InputTypeError, match="got None"):
            check(None, fork="Osaka")
