"""
Every hex text in every JSON-RPC message reads as a typed value and writes back.

That is all there is to many of the files: a balance, a fee, the outcome of a call or of
a simulation.  Headers, transactions and receipts are read as such elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.json_messages import load, questions
from conformance.vector_files import vector_cases
from hexary import (
    EMPTY_ROOT,
    Address,
    Block,
    Bytes,
    FixtureError,
    Hash,
    Header,
    HexNumber,
    LegacyTransaction,
    Receipt,
    receipts_root,
)

READ_ELSEWHERE = (
    "ethereumjs-block/eip1559baseFee.json",  # JSON integers: test_rpc_expected.py
    "ethereumjs-block/genesisHashesTest.json",  # without prefix: test_first_blocks.py
    "optimism/*/*_metadata.json",  # why a block is wrong: test_rpc_expected.py
)
"""Files without such text that another test reads."""

_HEX = re.compile(r"0x[0-9a-fA-F]*")
_DECIMAL = re.compile(r"0|[1-9][0-9]*")


def messages(path: Path) -> Iterator[tuple[str, Path]]:
    """Yield a file."""
    if path.suffix in (".json", ".io"):
        yield "file", path


def texts(document: Any) -> Iterator[str]:
    """Yield all texts in a document, keys among them."""
    waiting = [document]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, str):
            yield value


def check_text(text: str) -> None:
    """Check that the values *text* can stand for are written as it is."""
    digits = text[2:].lower()
    if len(digits) % 2 == 0:
        data = Bytes(text)
        assert data.hex() == str(data) == f"0x{digits}"
        assert data == text
        assert data == bytes.fromhex(digits)
    if len(digits) == 40:
        assert Address(text).hex() == f"0x{digits}"
        assert Address.from_checksum(Address(text).checksum()) == text
    if len(digits) == 64:
        assert Hash(text).hex() == f"0x{digits}"
    if 0 < len(digits) <= 64:
        number = HexNumber(text)
        assert number == int(digits, 16)
        assert str(number) == f"0x{digits.lstrip('0') or '0'}"


@vector_cases("rpc", messages, at_least=490, pattern="**/*")
def test_all_hex_texts_of_a_file(case: Path) -> None:
    document = load(case)
    asked = questions(case) if case.suffix == ".io" else []
    found = {text for text in texts([document, asked]) if _HEX.fullmatch(text)}
    numbers = {text for text in texts([document, asked]) if _DECIMAL.fullmatch(text)}
    for text in found:
        check_text(text)
    for text in numbers:
        assert HexNumber(text) == int(text)
    if not found and not numbers:
        answers = document if case.suffix == ".io" else [{"result": document}]
        assert any(map(case.match, READ_ELSEWHERE)) or all(map(is_nothing, answers))


def is_nothing(answer: dict[str, Any]) -> bool:
    """Check an answer of nothing, which is no record; return whether it is one."""
    if "result" not in answer:
        return set(answer["error"]) == {"code", "message"}
    result = answer["result"]
    if result == []:
        assert receipts_root(result) == EMPTY_ROOT
        return True
    for kind in (Header, Block, Receipt, LegacyTransaction):
        with pytest.raises(FixtureError, match="an object"):
            kind.from_json(result)
    return result in (None, False)
