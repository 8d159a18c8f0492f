"""
TransactionTests of ethereum/tests: what each fork makes of the bytes of a transaction.

A file tells, for every fork, either the hash, the sender and the intrinsic gas, or
which rule is broken.  Its names of rules are those of other programs: `RULES` has what
each of them is called here, a list where a rule can show in more than one way.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.vector_files import vector_cases
from hexary.chain import check_transaction, decode_transaction, fork_named
from hexary.errors import DecodeError, DecodeReason, InvalidError, InvalidReason

pytest.importorskip("coincurve", reason="the extra secp256k1 is not installed")

FOLDER = "blockchain/ethereum-tests/TransactionTests"

SIZES = {
    DecodeReason.TRUNCATED,
    DecodeReason.OVERRUN,
    DecodeReason.TRAILING_BYTES,
    # The files have a byte put in somewhere.  What goes wrong behind it is the same to
    # the programs that filled them, but not here.
    DecodeReason.EXPECTED_STRING,
    DecodeReason.UNKNOWN_TYPE,
    DecodeReason.WRONG_ITEM_COUNT,
    DecodeReason.WRONG_SIZE,
}
VRS = {
    InvalidReason.SIGNATURE_R,
    InvalidReason.SIGNATURE_S,
    InvalidReason.SIGNATURE_HIGH_S,
    InvalidReason.SIGNATURE_V,
    InvalidReason.SIGNATURE_Y_PARITY,
}

RULES: dict[str, tuple[set[Any], str]] = {
    "ADDRESS_TOO_LONG": ({DecodeReason.WRONG_SIZE}, "to"),
    "ADDRESS_TOO_SHORT": ({DecodeReason.WRONG_SIZE}, "to"),
    "EC_RECOVERY_FAIL": ({InvalidReason.NO_PUBLIC_KEY}, ""),
    "GASLIMIT_OVERFLOW": (
        {DecodeReason.INTEGER_TOO_LARGE, DecodeReason.LEADING_ZERO_INTEGER},
        "gas_limit",
    ),
    "GASLIMIT_PRICE_PRODUCT_OVERFLOW": ({InvalidReason.COST_TOO_HIGH}, "gas_limit"),
    "GASPRICE_OVERFLOW": ({DecodeReason.INTEGER_TOO_LARGE}, ""),
    "INITCODE_SIZE_EXCEEDED": ({InvalidReason.INIT_CODE_TOO_LARGE}, "data"),
    "INTRINSIC_GAS_TOO_LOW": ({InvalidReason.GAS_LIMIT_TOO_LOW}, "gas_limit"),
    "INVALID_CHAINID": ({InvalidReason.WRONG_CHAIN, InvalidReason.SIGNATURE_V}, ""),
    "INVALID_SIGNATURE_VRS": (VRS | {DecodeReason.INTEGER_TOO_LARGE}, ""),
    "NONCE_OVERFLOW": ({DecodeReason.INTEGER_TOO_LARGE}, "nonce"),
    "NONCE_TOO_BIG": ({InvalidReason.NONCE_TOO_HIGH}, "nonce"),
    "PRIORITY_GREATER_THAN_MAX_FEE_PER_GAS_2": (
        {InvalidReason.PRIORITY_FEE_TOO_HIGH},
        "max_priority_fee_per_gas",
    ),
    "PRIORITY_OVERFLOW": (
        {DecodeReason.INTEGER_TOO_LARGE},
        "max_priority_fee_per_gas",
    ),
    "RLP_ERROR_EOF": (SIZES, ""),
    "RLP_ERROR_SIZE": (SIZES, ""),
    "RLP_ERROR_SIZE_LEADING_ZEROS": ({DecodeReason.LEADING_ZERO_LENGTH}, ""),
    "RLP_INVALID_ACCESS_LIST_ADDRESS_TOO_LONG": ({DecodeReason.WRONG_SIZE}, "address"),
    "RLP_INVALID_ACCESS_LIST_ADDRESS_TOO_SHORT": ({DecodeReason.WRONG_SIZE}, "address"),
    "RLP_INVALID_ACCESS_LIST_STORAGE_TOO_LONG": ({DecodeReason.WRONG_SIZE}, ""),
    "RLP_INVALID_ACCESS_LIST_STORAGE_TOO_SHORT": ({DecodeReason.WRONG_SIZE}, ""),
    "RLP_INVALID_DATA": ({DecodeReason.EXPECTED_STRING}, "data"),
    "RLP_INVALID_GASLIMIT": ({DecodeReason.EXPECTED_STRING}, "gas_limit"),
    "RLP_INVALID_HEADER": (SIZES, ""),
    "RLP_INVALID_NONCE": ({DecodeReason.EXPECTED_STRING}, "nonce"),
    "RLP_INVALID_SIGNATURE_R": ({DecodeReason.EXPECTED_STRING}, "r"),
    "RLP_INVALID_SIGNATURE_S": ({DecodeReason.EXPECTED_STRING}, "s"),
    "RLP_INVALID_TO": ({DecodeReason.EXPECTED_STRING}, "to"),
    "RLP_LEADING_ZEROS_BASEFEE": ({DecodeReason.LEADING_ZERO_INTEGER}, ""),
    "RLP_LEADING_ZEROS_DATA_SIZE": ({DecodeReason.LEADING_ZERO_LENGTH}, "data"),
    "RLP_LEADING_ZEROS_GASLIMIT": ({DecodeReason.LEADING_ZERO_INTEGER}, "gas_limit"),
    "RLP_LEADING_ZEROS_GASPRICE": ({DecodeReason.LEADING_ZERO_INTEGER}, "gas_price"),
    "RLP_LEADING_ZEROS_NONCE": ({DecodeReason.LEADING_ZERO_INTEGER}, "nonce"),
    "RLP_LEADING_ZEROS_NONCE_SIZE": ({DecodeReason.NON_CANONICAL_BYTE}, "nonce"),
    "RLP_LEADING_ZEROS_PRIORITY_FEE": ({DecodeReason.LEADING_ZERO_INTEGER}, ""),
    "RLP_LEADING_ZEROS_R": ({DecodeReason.LEADING_ZERO_INTEGER}, "r"),
    "RLP_LEADING_ZEROS_S": ({DecodeReason.LEADING_ZERO_INTEGER}, "s"),
    "RLP_LEADING_ZEROS_V": ({DecodeReason.LEADING_ZERO_INTEGER}, ""),
    "RLP_LEADING_ZEROS_VALUE": ({DecodeReason.LEADING_ZERO_INTEGER}, "value"),
    "RLP_TOO_FEW_ELEMENTS": ({DecodeReason.WRONG_ITEM_COUNT}, ""),
    "RLP_TOO_MANY_ELEMENTS": ({DecodeReason.WRONG_ITEM_COUNT}, ""),
    "TYPE_NOT_SUPPORTED": ({DecodeReason.UNKNOWN_TYPE}, ""),
    "VALUE_OVERFLOW": ({DecodeReason.INTEGER_TOO_LARGE}, "value"),
}
"""Rule of the files, without its prefix → reasons, and the field at the path's end."""


def verdicts(path: Path) -> Iterator[tuple[str, tuple[bytes, str, dict[str, str]]]]:
    """Yield the verdict of each fork on the transaction in a file."""
    for name, case in json.loads(path.read_bytes()).items():
        data = bytes.fromhex(case["txbytes"].removeprefix("0x"))
        for fork, result in case["result"].items():
            yield f"{name}-{fork}", (data, fork, result)


@vector_cases(FOLDER, verdicts, at_least=2665)
def test_what_each_fork_makes_of_a_transaction(case: Any) -> None:
    data, fork, result = case
    try:
        transaction = decode_transaction(data, fork=fork)
        checked = check_transaction(transaction, fork=fork, chain_id=1)
    except (DecodeError, InvalidError) as error:
        rule = result["exception"].removeprefix("TransactionException.")
        if error.reason is InvalidReason.TYPE_NOT_SUPPORTED:
            # Some files say what is wrong inside a type also where there is none.
            assert data[0] not in fork_named(fork).transaction_types
            assert rule.startswith(("RLP_", "TYPE_"))
            return
        reasons, field = RULES[rule]
        assert error.reason in reasons
        assert error.field.endswith(field)
        return
    assert "exception" not in result
    assert checked.hash == result["hash"]
    assert checked.sender == result["sender"]
    assert checked.intrinsic_gas == int(result["intrinsicGas"], 16)


def test_every_file_is_read(vectors: Path) -> None:
    found = list((vectors / FOLDER).glob("**/*.json"))
    assert len(found) >= 210
