"""Typed values in pickle, copy, json, pydantic and msgspec."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
from typing import Any

import msgspec
import pydantic
import pytest

from hexary.typed import (
    Address,
    Bloom,
    BLSPublicKey,
    BLSSignature,
    Bytes,
    CoerceBytes,
    FixedSizeBytes,
    FixedSizeHexNumber,
    ForkHash,
    Hash,
    HashInt,
    HeaderNonce,
    HexNumber,
    Number,
    StorageKey,
    Wei,
    ZeroPaddedHexNumber,
    to_json,
)

VALUES = [
    Bytes(b""),
    Bytes("0xdead"),
    CoerceBytes("0x de ad"),
    FixedSizeBytes[4](1),
    Hash(1),
    StorageKey(1),
    Address(1),
    Address(1, label="one"),
    Bloom(1),
    HeaderNonce(1),
    ForkHash(1),
    BLSPublicKey(1),
    BLSSignature(1),
    Number(-10),
    Wei("1.5 ether"),
    HexNumber(10),
    ZeroPaddedHexNumber(10),
    FixedSizeHexNumber[8](10),
    HashInt(10),
]

EACH = pytest.mark.parametrize(
    "value", VALUES, ids=lambda value: f"{type(value).__name__}-{len(str(value))}"
)


def same(again: Any, value: Any) -> bool:
    """Whether *again* is of *value*'s type, content and label."""
    return (
        type(again) is type(value)
        and again == value
        and str(again) == str(value)
        and getattr(again, "label", None) == getattr(value, "label", None)
    )


@EACH
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickle(value: Any, protocol: int) -> None:
    data = pickle.dumps({"key": [value]}, protocol)
    assert same(pickle.loads(data)["key"][0], value)


@EACH
def test_copies(value: Any) -> None:
    assert same(copy.copy(value), value)
    assert same(copy.deepcopy([value])[0], value)


def test_a_subclass_with_a_dict_keeps_it() -> None:
    noted = NotedHash(1)
    noted.note = "x"
    assert pickle.loads(pickle.dumps(noted)).note == "x"
    assert copy.copy(noted).note == "x"


class NotedHash(Hash):
    """A hash to which anybody can add."""


@EACH
def test_plain_json(value: Any) -> None:
    """Numbers are JSON numbers to the standard library, bytes need `to_json`."""
    if isinstance(value, int):
        assert json.loads(json.dumps(value)) == value
    else:
        assert json.loads(json.dumps(value, default=to_json)) == str(value)


@EACH
def test_pydantic_validates_what_the_class_takes(value: Any) -> None:
    adapter: Any = pydantic.TypeAdapter(type(value))
    assert adapter.validate_python(value) is value
    base = bytes(value) if isinstance(value, bytes) else int(value)
    again = adapter.validate_python(base)
    assert (type(again), again) == (type(value), value)
    assert adapter.validate_python(str(value)) == value
    assert adapter.validate_json(json.dumps(str(value))) == value


@EACH
def test_pydantic_serialises_as_text(value: Any) -> None:
    adapter: Any = pydantic.TypeAdapter(dict[type(value), type(value)])
    assert adapter.dump_python({value: value}, mode="json") == {str(value): str(value)}
    assert json.loads(adapter.dump_json({value: value})) == {str(value): str(value)}
    assert adapter.dump_python({value: value})[value] is value
    assert adapter.validate_json(adapter.dump_json({value: value})) == {value: value}


@pytest.mark.parametrize(
    ("cls", "bad"),
    [
        (Hash, b"\1"),
        (Hash, "0xzz"),
        (Hash, -1),
        (Hash, None),
        (Hash, 1.5),
        (Bytes, 5),
        (HexNumber, -1),
        (HexNumber, "zz"),
        (HashInt, 2**256),
        (Number, 1.5),
        (Number, None),
        (Wei, "1 bitcoin"),
        (FixedSizeBytes, b"\1"),
        (FixedSizeHexNumber, 1),
    ],
)
def test_pydantic_collects_every_refusal(cls: Any, bad: Any) -> None:
    with pytest.raises(pydantic.ValidationError) as caught:
        pydantic.TypeAdapter(cls).validate_python(bad)
    assert caught.value.error_count() == 1
    assert caught.value.errors()[0]["msg"]


class Transaction(pydantic.BaseModel):
    """A model as a filler has it."""

    model_config = pydantic.ConfigDict(frozen=True)

    to: Address | None = None
    value: HexNumber = HexNumber(0)
    data: Bytes = Bytes(b"")
    storage_keys: list[StorageKey] = []
    four: FixedSizeBytes[4] = FixedSizeBytes[4](0)


def test_pydantic_models() -> None:
    transaction = Transaction(
        to=1,
        value="0x10",
        data="0xdead",
        storage_keys=["0x5"],
    )
    assert type(transaction.to) is Address
    assert (transaction.to, transaction.value) == (Address(1), 16)
    dumped = transaction.model_dump(mode="json")
    assert dumped == {
        "to": "0x" + "00" * 19 + "01",
        "value": "0x10",
        "data": "0xdead",
        "storage_keys": ["0x" + "00" * 31 + "05"],
        "four": "0x00000000",
    }
    assert Transaction(**dumped) == transaction
    assert Transaction.model_validate_json(transaction.model_dump_json()) == transaction
    assert transaction.model_copy(deep=True) == transaction


def test_pydantic_reports_the_field() -> None:
    with pytest.raises(pydantic.ValidationError) as caught:
        Transaction(to="0x12", data=None)
    assert [error["loc"] for error in caught.value.errors()] == [
        ("to",),
        ("data",),
    ]


@pytest.mark.parametrize(
    ("cls", "schema"),
    [
        (Bytes, {"type": "string", "pattern": "^0x([0-9a-fA-F]{2})*$"}),
        (Hash, {"type": "string", "pattern": "^0x[0-9a-fA-F]{64}$"}),
        (Address, {"type": "string", "pattern": "^0x[0-9a-fA-F]{40}$"}),
        (HexNumber, {"type": "string", "pattern": "^0x[0-9a-fA-F]+$"}),
        (ZeroPaddedHexNumber, {"type": "string", "pattern": "^0x([0-9a-fA-F]{2})+$"}),
        (HashInt, {"type": "string", "pattern": "^0x([0-9a-fA-F]{2}){1,32}$"}),
        (Number, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        (Wei, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
    ],
)
def test_json_schema(cls: Any, schema: Any) -> None:
    adapter = pydantic.TypeAdapter(cls)
    assert adapter.json_schema() == schema
    assert adapter.json_schema(mode="serialization") == {"type": "string"}


@EACH
@pytest.mark.parametrize("codec", [msgspec.json, msgspec.msgpack])
def test_msgspec_with_hooks(value: Any, codec: Any) -> None:
    def from_text(cls: Any, text: str) -> Any:
        return cls(text)

    data = codec.encode([value], enc_hook=to_json)
    assert codec.decode(data) == [str(value)]
    again = codec.decode(data, type=list[type(value)], dec_hook=from_text)
    assert (type(again[0]), again[0]) == (type(value), value)


def test_msgspec_without_hooks_refuses_rather_than_guesses() -> None:
    for value in (Hash(1), HexNumber(1)):
        with pytest.raises(TypeError):
            msgspec.json.encode(value)
        with pytest.raises(msgspec.ValidationError):
            msgspec.json.decode(b'"0x01"', type=type(value))


def test_importing_the_types_loads_no_other_library(
    clean_environment: dict[str, str],
) -> None:
    code = (
        "import sys, hashlib, Crypto.Hash.keccak; before = set(sys.modules);"
        "import hexary.typed as typed; typed.Wei('1.5 ether');"
        "typed.Hash(1).sha256(); unwanted = {'pydantic', 'pydantic_core', 'decimal',"
        "'dataclasses', 'inspect', 'fractions', 'numpy', 'msgspec', 'json', 'pickle'};"
        "print(sorted(unwanted & set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=clean_environment | {"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"
