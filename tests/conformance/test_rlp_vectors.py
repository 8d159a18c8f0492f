"""RLP tables of ethereum/tests and of other clients, and blocks of mainnet."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.vector_files import VECTORS, files, vector_cases
from hexary import DecodeError, DecodeReason, keccak256, rlp
from hexary.rlp import Item

WORDS = ("INVALID", "VALID")

BLOCK_FILES = files("rlp/besu-mainnet-blocks", "*.blocks")


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text.removeprefix("0x"))


def _item(value: Any) -> Any:
    """Read the ``in`` of a case: text, a number, ``#`` and digits, or a list."""
    if isinstance(value, list):
        return [_item(part) for part in value]
    if isinstance(value, str):
        return int(value[1:]) if value.startswith("#") else value.encode()
    return value


def _hex_item(value: Any) -> Any:
    """Read the ``decoded`` of a case of ethers: hex text or a list."""
    return list(map(_hex_item, value)) if isinstance(value, list) else _bytes(value)


def _decoded(item: Any) -> Item:
    """Return what an item decodes to: numbers are big-endian strings."""
    if isinstance(item, list):
        return [_decoded(part) for part in item]
    if isinstance(item, int):
        return item.to_bytes((item.bit_length() + 7) // 8, "big")
    return item


def _content(path: Path) -> Iterator[tuple[str, Any, bytes]]:
    """Yield name, item or word, and encoding of the cases of a file of any source."""
    content = json.loads(path.read_text())
    if isinstance(content, list):
        for case in content:
            yield case["name"], _hex_item(case["decoded"]), _bytes(case["encoded"])
        return
    for name, case in content.get("tests", content).items():
        value = case["in"] if case["in"] in WORDS else _item(case["in"])
        yield name, value, _bytes(case["out"])


def _pairs(path: Path) -> Iterator[tuple[str, tuple[Any, bytes]]]:
    for name, value, encoding in _content(path):
        if not isinstance(value, str):
            yield name, (value, encoding)


def _refused(path: Path) -> Iterator[tuple[str, bytes]]:
    for name, value, encoding in _content(path):
        if value == "INVALID":
            yield name, encoding


def _accepted(path: Path) -> Iterator[tuple[str, bytes]]:
    for name, value, encoding in _content(path):
        if value == "VALID":
            yield name, encoding


def _seen(item: rlp.View) -> Item:
    """Return what a view holds, by iteration alone."""
    return [_seen(one) for one in item] if item.is_list else item.bytes


def _check_pair(case: tuple[Any, bytes]) -> None:
    item, encoding = case
    assert rlp.encode(item) == encoding
    assert rlp.encoded_size(item) == len(encoding)
    assert rlp.decode(encoding) == _decoded(item)
    assert _seen(rlp.view(encoding).check()) == _decoded(item)
    assert rlp.decode_prefix(encoding + b"\xff") == (_decoded(item), b"\xff")
    assert rlp.encode([rlp.Raw(encoding)]) == rlp.encode([item])
    assert rlp.keccak256(item) == keccak256(encoding)
    if isinstance(item, int):
        assert rlp.decode_uint(encoding, bits=None) == item
    for size in range(len(encoding)):
        with pytest.raises(DecodeError) as caught:
            rlp.decode(encoding[:size])
        assert caught.value.offset == 0
        assert caught.value.reason in (
            DecodeReason.TRUNCATED if size else DecodeReason.EMPTY_INPUT,
        )


def _check_refused(encoding: bytes) -> None:
    with pytest.raises(DecodeError) as caught:
        rlp.decode(encoding)
    error = caught.value
    assert isinstance(error.reason, DecodeReason)
    assert 0 <= error.offset <= len(encoding)
    assert error.data == encoding[error.offset : error.offset + 32]
    with pytest.raises(DecodeError):
        rlp.Raw(encoding)
    with pytest.raises(DecodeError):
        rlp.view(encoding).check()


@vector_cases("rlp/ethereum-tests", _pairs, at_least=28)
def test_ethereum_tests_pairs(case: tuple[Any, bytes]) -> None:
    _check_pair(case)


@vector_cases("rlp/ethereumjs", _pairs, at_least=28)
def test_ethereumjs_pairs(case: tuple[Any, bytes]) -> None:
    _check_pair(case)


@vector_cases("rlp/ethers", _pairs, at_least=61)
def test_ethers_pairs(case: tuple[Any, bytes]) -> None:
    _check_pair(case)


@vector_cases("rlp/pyrlp", _pairs, at_least=25)
def test_pyrlp_pairs(case: tuple[Any, bytes]) -> None:
    _check_pair(case)


@vector_cases("rlp/ethereum-tests", _refused, at_least=26)
def test_ethereum_tests_refused(case: bytes) -> None:
    _check_refused(case)


@vector_cases("rlp/besu", _refused, at_least=22)
def test_besu_refused(case: bytes) -> None:
    _check_refused(case)


@vector_cases("rlp/ethereumjs", _refused, at_least=25)
def test_ethereumjs_refused(case: bytes) -> None:
    _check_refused(case)


@vector_cases("rlp/ethereum-tests", _accepted, at_least=1)
def test_ethereum_tests_accepted(case: bytes) -> None:
    assert rlp.encode(rlp.decode(case)) == case


REASONS = {
    "int32Overflow": DecodeReason.TRUNCATED,
    "int32Overflow2": DecodeReason.TRUNCATED,
    "wrongSizeList": DecodeReason.NON_CANONICAL_LENGTH,
    "wrongSizeList2": DecodeReason.NON_CANONICAL_LENGTH,
    "incorrectLengthInArray": DecodeReason.LEADING_ZERO_LENGTH,
    "randomRLP": DecodeReason.LEADING_ZERO_LENGTH,
    "bytesShouldBeSingleByte00": DecodeReason.NON_CANONICAL_BYTE,
    "bytesShouldBeSingleByte01": DecodeReason.NON_CANONICAL_BYTE,
    "bytesShouldBeSingleByte7F": DecodeReason.NON_CANONICAL_BYTE,
    "leadingZerosInLongLengthArray1": DecodeReason.LEADING_ZERO_LENGTH,
    "leadingZerosInLongLengthArray2": DecodeReason.LEADING_ZERO_LENGTH,
    "leadingZerosInLongLengthList1": DecodeReason.LEADING_ZERO_LENGTH,
    "leadingZerosInLongLengthList2": DecodeReason.LEADING_ZERO_LENGTH,
    "nonOptimalLongLengthArray1": DecodeReason.NON_CANONICAL_LENGTH,
    "nonOptimalLongLengthArray2": DecodeReason.NON_CANONICAL_LENGTH,
    "nonOptimalLongLengthList1": DecodeReason.NON_CANONICAL_LENGTH,
    "nonOptimalLongLengthList2": DecodeReason.NON_CANONICAL_LENGTH,
    "emptyEncoding": DecodeReason.EMPTY_INPUT,
    "lessThanShortLengthArray1": DecodeReason.TRUNCATED,
    "lessThanShortLengthArray2": DecodeReason.TRUNCATED,
    "lessThanShortLengthList1": DecodeReason.TRUNCATED,
    "lessThanShortLengthList2": DecodeReason.TRUNCATED,
    "lessThanLongLengthArray1": DecodeReason.TRUNCATED,
    "lessThanLongLengthArray2": DecodeReason.TRUNCATED,
    "lessThanLongLengthList1": DecodeReason.TRUNCATED,
    "lessThanLongLengthList2": DecodeReason.TRUNCATED,
}


def test_the_reasons_are_those_that_the_names_tell() -> None:
    """Of ethereum/tests; ``randomRLP`` is at fault in the first string inside."""
    path = VECTORS / "rlp/ethereum-tests/invalidRLPTest.json"
    told: dict[str, object] = {}
    for name, encoding in _refused(path):
        with pytest.raises(DecodeError) as caught:
            rlp.decode(encoding)
        told[name] = caught.value.reason
        assert caught.value.offset == (4 if name == "randomRLP" else 0), name
    assert told == REASONS


def test_the_block_files_are_all_there() -> None:
    assert len(BLOCK_FILES) >= 9


@pytest.mark.parametrize("path", BLOCK_FILES, ids=lambda path: path.name)
def test_mainnet_blocks_are_read_one_after_the_other(path: Path) -> None:
    expected = json.loads((path.parent / "EXPECTED-rlp.json").read_text())["files"]
    data = path.read_bytes()
    rest, blocks = data, []
    while rest:
        block, after = rlp.decode_prefix(rest)
        assert rlp.encode(block) == rest[: len(rest) - len(after)]
        blocks.append(block)
        rest = after
    assert blocks == list(rlp.decode_concatenated(data))
    assert sum(map(rlp.encoded_size, blocks)) == len(data)
    assert len(blocks) == expected[path.name]["blocks"]
    assert _seen(rlp.view(rlp.encode(blocks))) == blocks
    for block, end in ((blocks[0], "first"), (blocks[-1], "last")):
        assert isinstance(block, list)
        header = block[0]
        assert rlp.keccak256(header) == expected[path.name][end]["hash"]
        assert rlp.uint_from_payload(header[8]) == expected[path.name][end]["number"]
