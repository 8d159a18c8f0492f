"""
Published tables of hex text, numbers, addresses, units, hashes and blooms.

Where a table of another library asks for what these types decide otherwise, the case
stands in a list here, with the reason, and is tested for what is decided.  Not of this
layer, or not offered by it: eth-utils' functions that add, remove or look for a prefix
(``test_0x_prefix_addition_and_removal``, ``test_is_0x_prefixed``), text in UTF-8
(``*_text`` of ``test_conversions``) and ints as bytes of minimal length
(``test_to_bytes_primitive``, which is RLP's business); creation addresses
(``test_typed_create.py``); transactions and typed data.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conformance.vector_files import vector_cases
from hexary.errors import HexaryError, HexError, InputTypeError, RangeError, SizeError
from hexary.typed import (
    Address,
    Bloom,
    Bytes,
    FixedSizeBytes,
    FixedSizeHexNumber,
    Hash,
    HexNumber,
    Number,
    Wei,
    to_bytes,
    to_fixed_size_bytes,
    to_hex,
    to_number,
)
from hexary.typed.hexstr import parse_bytes, parse_quantity


def listed(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the entries of a JSON list, numbered."""
    for index, entry in enumerate(json.loads(path.read_bytes())):
        yield str(index), entry


# EIP-55


@vector_cases("typed/eips", listed, at_least=8, pattern="eip-55-*.json")
def test_checksums_of_eip_55(case: Any) -> None:
    address = Address(case["lower"])
    assert address.checksum() == case["checksum"]
    assert Address.from_checksum(case["checksum"]) == address
    assert str(address) == case["lower"]
    if case["lower"] != case["checksum"]:
        with pytest.raises(HexError):
            Address.from_checksum(case["lower"])


# geth's hexutil: the inputs and wanted values are Go literals.

DATA = ("decodeBytesTests", "unmarshalBytesTests")
QUANTITIES = (
    *("decodeBigTests", "decodeUint64Tests", "unmarshalBigTests"),
    *("unmarshalU256Tests", "unmarshalUint64Tests", "unmarshalUintTests"),
)

GETH_EMPTY = "empty text is zero bytes here: the prefix may be absent"
GETH_PREFIX = "without a prefix a number is decimal here"
GETH_ZEROS = "leading zeros of hex numbers are accepted here, as fixtures have them"
GETH_NUMBER = "a JSON number is a number here as well"
GETH_NOTHING = "Go's unmarshalling makes 0 of the empty string"

DECIDED_DATA = {"": GETH_EMPTY}
DECIDED_QUANTITIES: dict[Any, tuple[int | None, str]] = {
    "0": (0, GETH_PREFIX),
    "0x01": (1, GETH_ZEROS),
    10: (10, GETH_NUMBER),
}


def hexutil_cases(tables: tuple[str, ...]) -> Any:
    """Return a reader of *tables*, yielding the input as a value and the whole case."""

    def read(path: Path) -> Iterator[tuple[str, Any]]:
        for table, cases in json.loads(path.read_bytes()).items():
            if table not in tables:
                continue
            for index, case in enumerate(cases):
                text = case["input"][1:-1]
                if table.startswith("unmarshal"):
                    if not text:
                        continue  # the end of JSON input, not a value
                    text = json.loads(text)
                yield f"{table}:{index}", (table, text, case)

    return read


def go_number(text: str) -> int:
    """Return the number of a Go literal such as ``uint64(0xff)``."""
    inner = text[text.index("(") + 1 : text.rindex(")")].strip('"')
    if inner.startswith("max"):
        return 2 ** int(inner.removeprefix("maxUint").removesuffix("bits")) - 1
    negative, digits = inner.startswith("-"), inner.lstrip("-").removeprefix("0x")
    return -int(digits, 16) if negative else int(digits, 16)


@vector_cases("typed/geth-hexutil", hexutil_cases(DATA), at_least=20)
def test_data_of_geth(case: Any) -> None:
    _, value, table = case
    if value in DECIDED_DATA:
        assert Bytes(value) == b""
    elif "wantErr" in table:
        with pytest.raises(HexaryError) as caught:
            Bytes(value)
        wanted = InputTypeError if "NonString" in table["wantErr"] else HexError
        assert type(caught.value) is wanted
    else:
        text = table["want"].removeprefix('referenceBytes("').removesuffix('")')
        if text.startswith("[]byte{"):
            numbers = text.removeprefix("[]byte{").removesuffix("}").split(",")
            data = bytes(int(number, 16) for number in numbers if number)
        else:
            data = bytes.fromhex(text)
        assert Bytes(value) == data


@vector_cases("typed/geth-hexutil", hexutil_cases(QUANTITIES), at_least=60)
def test_quantities_of_geth(case: Any) -> None:
    table, value, entry = case
    cls: Any = FixedSizeHexNumber[8] if "int" in table.lower() else HexNumber
    if "wantErr" not in entry and "maxUint" in entry["want"]:
        # The literal names a variable; the input itself is what it stands for.
        assert cls(value) == int(value, 16)
    elif value in DECIDED_QUANTITIES:
        assert cls(value) == DECIDED_QUANTITIES[value][0]
    elif "Range" in entry.get("wantErr", ""):
        with pytest.raises(RangeError):
            cls(value)
    elif "NonString" in entry.get("wantErr", ""):
        with pytest.raises(InputTypeError):
            cls(value)
    elif "wantErr" in entry:
        with pytest.raises(HexError):
            cls(value)
    elif value == "":
        # GETH_NOTHING
        with pytest.raises(HexError):
            cls(value)
        assert parse_quantity(value, empty=True) == go_number(entry["want"])
    else:
        assert cls(value) == go_number(entry["want"])


def encode_cases(path: Path) -> Iterator[tuple[str, Any]]:
    for table, cases in json.loads(path.read_bytes()).items():
        if table.startswith("encode"):
            for index, case in enumerate(cases):
                yield f"{table}:{index}", case


@vector_cases("typed/geth-hexutil", encode_cases, at_least=15)
def test_text_of_geth(case: Any) -> None:
    wanted = json.loads(case["want"])
    if case["input"].startswith("[]byte"):
        numbers = case["input"].removeprefix("[]byte{").removesuffix("}")
        data = [int(number) for number in numbers.split(",") if number.strip()]
        assert to_hex(data) == str(Bytes(data)) == wanted
    else:
        number = go_number(case["input"])
        assert Number(number).hex() == wanted
        if number >= 0:
            assert str(HexNumber(number)) == wanted
            assert HexNumber(wanted) == number


# eth-utils


def eth_utils_cases(*tests: str) -> Any:
    """Return a reader of the tables of *tests*, with marked bytes turned into bytes."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict) and "bytes" in value:
            return bytes.fromhex(value["bytes"][2:])
        return (
            int(value["int"]) if isinstance(value, dict) and "int" in value else value
        )

    def read(path: Path) -> Iterator[tuple[str, Any]]:
        for table in json.loads(path.read_bytes()):
            if table["test"] in tests:
                for index, case in enumerate(table["cases"]):
                    values = case if isinstance(case, list) else [case]
                    yield f"{table['test']}:{index}", [plain(value) for value in values]

    return read


@vector_cases(
    "typed/eth-utils", eth_utils_cases("test_is_hex", "test_is_hexstr"), at_least=28
)
def test_hex_text_of_eth_utils(case: Any) -> None:
    """Theirs allows an odd number of digits; the empty text is no hex to them."""
    text, is_hex = case
    if not isinstance(text, str):
        with pytest.raises(InputTypeError):
            parse_bytes(text)
    elif is_hex or text == "":
        assert "0x" + parse_bytes(text, odd="pad").hex() == "0x" + (
            "0" * (len(text) % 2) + text.lower().removeprefix("0x")
        )
    else:
        with pytest.raises(HexError):
            parse_bytes(text, odd="pad")


@vector_cases(
    "typed/eth-utils", eth_utils_cases("test_is_hex_rejects_non_text_types"), at_least=3
)
def test_what_is_no_text_to_eth_utils(case: Any) -> None:
    with pytest.raises(InputTypeError):
        parse_bytes(case[0])
    with pytest.raises(InputTypeError):
        Bytes.from_text(case[0])


@vector_cases("typed/eth-utils", eth_utils_cases("test_to_bytes_hexstr"), at_least=9)
def test_bytes_of_text_of_eth_utils(case: Any) -> None:
    text, data = case
    assert Bytes.from_text(text, odd="pad") == data


@vector_cases("typed/eth-utils", eth_utils_cases("test_to_int"), at_least=6)
def test_numbers_of_eth_utils(case: Any) -> None:
    value, number = case
    assert to_number(value) == Number(value) == number


@vector_cases("typed/eth-utils", eth_utils_cases("test_to_int_text"), at_least=3)
def test_decimal_numbers_of_eth_utils(case: Any) -> None:
    value, number = case
    assert to_number(value) == Number(value) == number


@vector_cases("typed/eth-utils", eth_utils_cases("test_to_int_hexstr"), at_least=8)
def test_hex_numbers_of_eth_utils(case: Any) -> None:
    """Their ``hexstr=`` makes text without a prefix hex; here it takes the prefix."""
    text, number = case
    assert to_number(text if text.startswith("0x") else "0x" + text) == number
    assert int.from_bytes(parse_bytes(text, odd="pad"), "big") == number


@vector_cases("typed/eth-utils", eth_utils_cases("test_to_hex"), at_least=14)
def test_text_of_eth_utils(case: Any) -> None:
    value, text = case
    if isinstance(value, bytes):
        assert to_hex(value) == str(Bytes(value)) == text
    else:
        assert str(HexNumber(value)) == text


@vector_cases(
    "typed/eth-utils", eth_utils_cases("test_big_endian_conversions"), at_least=6
)
def test_big_endian_numbers_of_eth_utils(case: Any) -> None:
    number, data = case
    assert to_number(data) == number
    assert to_fixed_size_bytes(number, len(data)) == data
    assert FixedSizeBytes[len(data)](number) == data  # type: ignore[misc]


def parses(text: Any) -> bool:
    """Whether *text* is the text of an address."""
    try:
        Address.from_text(text)
    except HexaryError:
        return False
    return True


@vector_cases("typed/eth-utils", eth_utils_cases("test_is_address"), at_least=28)
def test_addresses_of_eth_utils(case: Any) -> None:
    """Theirs takes a text in mixed case for a checksum, and refuses a wrong one."""
    value, is_any, is_text, is_binary = case
    if is_text:
        assert parses(value)
        assert len(Address(value)) == 20
    elif is_binary:
        assert Address(value) == value
    else:
        assert not is_any
        wrong_checksum = isinstance(value, str) and parses(value)
        if wrong_checksum:
            assert value.lower() != value
            with pytest.raises(HexError):
                Address.from_checksum(value)
        else:
            with pytest.raises((HexError, SizeError, InputTypeError)):
                Address(value)


@vector_cases(
    "typed/eth-utils", eth_utils_cases("test_is_checksum_address"), at_least=14
)
def test_checksums_of_eth_utils(case: Any) -> None:
    text, right = case
    if right:
        assert Address.from_checksum(text).checksum() == text
    else:
        with pytest.raises((HexError, InputTypeError)):
            Address.from_checksum(text)


@vector_cases(
    "typed/eth-utils", eth_utils_cases("test_to_checksum_address"), at_least=7
)
def test_making_checksums_of_eth_utils(case: Any) -> None:
    value, text = case
    assert Address(value).checksum() == text


@vector_cases(
    "typed/eth-utils", eth_utils_cases("test_to_normalized_address"), at_least=3
)
def test_normal_addresses_of_eth_utils(case: Any) -> None:
    value, text = case
    assert str(Address(value)) == text


@vector_cases(
    "typed/eth-utils", eth_utils_cases("test_is_normalized_address"), at_least=14
)
def test_what_is_normal_to_eth_utils(case: Any) -> None:
    value, normal = case
    try:
        address = Address(value)
    except HexaryError:
        assert not normal
    else:
        assert (isinstance(value, str) and str(address) == value) is normal


@vector_cases("typed/eth-utils", eth_utils_cases("test_is_same_address"), at_least=4)
def test_same_addresses_of_eth_utils(case: Any) -> None:
    one, other, same = case
    assert (Address(one) == Address(other)) is same
    assert (Address(one) == other) is same
    assert (other == Address(one)) is same


@vector_cases(
    "typed/eth-utils", eth_utils_cases("test_to_canonical_address"), at_least=3
)
def test_binary_addresses_of_eth_utils(case: Any) -> None:
    value, data = case
    assert bytes(Address(value)) == to_bytes(value) == data


@vector_cases(
    "typed/eth-utils", eth_utils_cases("test_is_canonical_address"), at_least=4
)
def test_what_is_binary_to_eth_utils(case: Any) -> None:
    value, binary = case
    made = isinstance(value, bytes) and len(value) == 20 and Address(value) == value
    assert made is binary


# ethers

NOT_A_UNIT = {"satoshi": "a unit of another currency"}


def unit_cases(path: Path) -> Iterator[tuple[str, Any]]:
    for entry in json.loads(path.read_bytes()):
        for unit, amount in entry.items():
            known = unit != "name" and not unit.endswith("_format")
            if known and unit not in NOT_A_UNIT:
                yield f"{entry['name']}:{unit}", (amount, unit, int(entry["wei"]))


@vector_cases("typed/ethers", unit_cases, at_least=45, pattern="units.json")
def test_units_of_ethers(case: Any) -> None:
    amount, unit, wei = case
    assert Wei(f"{amount} {unit}") == wei


PRIME = 2**256 - 2**32 - 977
GENERATOR = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)

Point = tuple[int, int] | None


def add(one: Point, two: Point) -> Point:
    """Add two points of secp256k1 (SEC 1, section 2.2.1)."""
    if one is None or two is None:
        return one or two
    if one[0] != two[0]:
        slope = (two[1] - one[1]) * pow(two[0] - one[0], -1, PRIME)
    elif one[1] == two[1]:
        slope = 3 * one[0] * one[0] * pow(2 * one[1], -1, PRIME)
    else:
        return None
    x = (slope * slope - one[0] - two[0]) % PRIME
    return x, (slope * (one[0] - x) - one[1]) % PRIME


def public_key(private_key: int) -> bytes:
    """Return the uncompressed public key, which this package does not compute."""
    point: Point = None
    power: Point = GENERATOR
    while private_key:
        if private_key & 1:
            point = add(point, power)
        power = add(power, power)
        private_key >>= 1
    assert point is not None
    return point[0].to_bytes(32, "big") + point[1].to_bytes(32, "big")


def account_cases(path: Path) -> Iterator[tuple[str, Any]]:
    for index, entry in enumerate(json.loads(path.read_bytes())):
        yield f"{index}:{entry['name']}", entry


@vector_cases("typed/ethers", account_cases, at_least=250, pattern="accounts.json")
def test_accounts_of_ethers(case: Any) -> None:
    key = public_key(to_number(case["privateKey"]))
    assert Address.from_public_key(key).checksum() == case["address"]
    assert Address.from_public_key(b"\4" + key) == case["address"]


@vector_cases(
    "typed/ethereum-tests/BasicTests", listed, at_least=2, pattern="keyaddrtest.json"
)
def test_accounts_of_ethereum_tests(case: Any) -> None:
    """The private key is the hash of the seed, too."""
    assert Bytes(case["seed"].encode()).keccak256() == case["key"]
    key = public_key(int(Hash(case["key"])))
    assert Address.from_public_key(key) == case["addr"]


def packed(kind: str, value: Any) -> bytes:
    """Return *value* as Solidity packs a value that is no array."""
    if kind == "string":
        return bytes(value.encode())
    if kind == "bytes":
        return Bytes(value)
    if kind == "address":
        return Address(value)
    if kind == "bool":
        return FixedSizeBytes[1](value)  # type: ignore[misc, no-any-return]
    if kind.startswith("bytes"):
        size = int(kind.removeprefix("bytes"))
        return FixedSizeBytes[size](value)  # type: ignore[misc, no-any-return]
    bits = int(kind.removeprefix("u").removeprefix("int") or 256)
    return to_fixed_size_bytes(to_number(value) % 2**bits, bits // 8)


def packed_cases(path: Path) -> Iterator[tuple[str, Any]]:
    for entry in json.loads(path.read_bytes()):
        if not any("[" in kind for kind in entry["types"]):
            yield entry["name"], entry


@vector_cases(
    "typed/ethers", packed_cases, at_least=1300, pattern="solidity-hashes.json"
)
def test_hashes_of_packed_values_of_ethers(case: Any) -> None:
    parts = [
        packed(kind, value)
        for kind, value in zip(case["types"], case["values"], strict=True)
    ]
    whole = Bytes(b"".join(parts))
    assert whole.keccak256() == case["keccak256"]
    assert whole.sha256() == case["sha256"]


# Blooms of real receipts


def receipt_cases(path: Path) -> Iterator[tuple[str, Any]]:
    content = json.loads(path.read_bytes())
    found = content["result"] if "jsonrpc" in (content or ()) else content
    for index, receipt in enumerate(found if isinstance(found, list) else [found]):
        if receipt and "logsBloom" in receipt:
            yield str(index), receipt


def check_bloom(receipt: Any) -> None:
    items = [
        item for log in receipt["logs"] for item in (log["address"], *log["topics"])
    ]
    bloom = Bloom.from_items(items)
    assert bloom == receipt["logsBloom"]
    assert str(bloom) == receipt["logsBloom"]
    assert all(item in bloom for item in items)
    assert (bloom == 0) is (not items)


@vector_cases(
    "rpc/trin/infura_batch", receipt_cases, at_least=500, pattern="receipts-*.json"
)
def test_blooms_of_mainnet_receipts(case: Any) -> None:
    check_bloom(case)


@vector_cases("rpc/geth-ethapi", receipt_cases, at_least=12, pattern="*eceipt*.json")
def test_blooms_of_geth_receipts(case: Any) -> None:
    check_bloom(case)
