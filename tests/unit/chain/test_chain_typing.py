"""What a type checker makes of the chain's objects."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import hexary

PAGE = """
from typing import assert_type

from hexary import (
    Address, Block, Bytes, ExecutionPayload, FeeMarketTransaction, Hash, Header,
    LegacyTransaction, NewPayload, Receipt, SetCodeTransaction, Signature, Transaction,
    check_transaction, decode_transaction, rlp, selector,
)
from hexary.chain import BaseTransaction

block = Block.from_rlp(b"")
assert_type(block, Block)
assert_type(block.hash(), Hash)
assert_type(block.header.base_fee_per_gas, int | None)
assert_type(block.header.mix_hash, Hash)
assert_type(block.transactions, tuple[Transaction, ...])
for transaction in block.transactions:
    assert_type(transaction.sender(), Address)
    assert_type(transaction.signature, Signature)
    assert_type(transaction.to, Address | None)
    assert_type(transaction.data, Bytes)
    base: BaseTransaction = transaction
    if isinstance(transaction, SetCodeTransaction):
        assert_type(transaction.authorization_list[0].nonce, int)
    elif isinstance(transaction, LegacyTransaction):
        assert_type(transaction.v, int)
assert_type(decode_transaction(b""), Transaction)
assert_type(FeeMarketTransaction(chain_id=1).sign(1), FeeMarketTransaction)
assert_type(check_transaction(decode_transaction(b""), fork="Osaka").sender, Address)
assert_type(Receipt.from_json({}).outcome, bool | Hash)
assert_type(NewPayload(ExecutionPayload.of(block)).check(), Block)
assert_type(rlp.decode(Header, b""), Header)
assert_type(len(selector("f()")), int)
"""


def test_checkers_know_what_a_block_is_made_of(
    tmp_path: Path, clean_environment: dict[str, str]
) -> None:
    pytest.importorskip("mypy", reason="there is no type checker here")
    page = tmp_path / "page.py"
    page.write_text(PAGE, encoding="utf-8")
    source = Path(hexary.__file__).parents[1]
    # mypy finds an installed hexary by itself, and refuses to be told where.
    path = {} if source.name == "site-packages" else {"MYPYPATH": str(source)}
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mypy", "--strict", "--no-incremental"),
            *("--cache-dir", str(tmp_path / "cache"), str(page)),
        ],
        env=clean_environment | path,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    wrong = [line for line in done.stdout.splitlines() if line.startswith("page.py")]
    assert wrong == []
    assert "Found" not in done.stdout or "coincurve" in done.stdout
