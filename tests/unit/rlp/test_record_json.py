"""Records as JSON, in both spellings."""

from __future__ import annotations

import json
from typing import Annotated, Any

import pytest

from hexary import Address, Bytes, FixtureError, Hash, InputTypeError, rlp
from record_specimens import (
    ADDRESS,
    BLOCK,
    HEADER,
    LEGACY,
    LISTED,
    ROOT,
    SMALL,
    SPECIMENS,
    TRANSACTION,
    Block,
    Header,
    LegacyTransaction,
    ListedTransaction,
    Receipt,
    SmallTransaction,
)


def test_json_rpc_has_camel_case_and_short_numbers() -> None:
    assert LEGACY.to_json() == {
        "type": "0x0",
        "nonce": "0x0",
        "gas": "0x5208",
        "to": "0x" + "11" * 20,
        "value": "0xde0b6b3a7640000",
        "input": "0x01",
    }
    assert HEADER.to_json() == {
        "parentHash": "0x" + "22" * 32,
        "sha3Uncles": "0x" + "00" * 31 + "01",
        "miner": "0x" + "11" * 20,
        "logsBloom": HEADER.logs_bloom.hex(),
        "difficulty": "0x8" + "0" * 63,
        "number": "0x80",
        "extraData": "0x6578747261",
        "nonce": "0x0000000000000042",
    }


def test_fixtures_have_their_own_names_and_whole_bytes() -> None:
    changed = LEGACY.replace(to=None, nonce=1)
    assert changed.to_json(spelling="fixture") == {
        "nonce": "0x01",
        "gasLimit": "0x5208",
        "to": "",
        "value": "0x0de0b6b3a7640000",
        "data": "0x01",
    }
    keys = list(HEADER.replace(base_fee_per_gas=0).to_json(spelling="fixture"))
    assert keys == [
        *("parentHash", "uncleHash", "coinbase", "bloom", "difficulty", "number"),
        *("extraData", "nonce", "baseFeePerGas"),
    ]


def test_typed_records_say_their_type() -> None:
    assert SMALL.to_json() == {"type": "0x2", "chainId": "0x1"}
    assert SMALL.to_json(spelling="fixture") == {"type": "0x02", "chainId": "0x01"}
    assert Receipt(1, True, 0).to_json() == {
        "type": "0x1",
        "outcome": "0x1",
        "gasUsed": "0x0",
    }
    assert LISTED.to_json()["accessList"][1] == {
        "address": "0x" + "11" * 20,
        "storageKeys": [],
    }


@pytest.mark.parametrize("record", SPECIMENS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("spelling", ["rpc", "fixture"])
def test_records_survive_json(record: rlp.Record, spelling: Any) -> None:
    text = json.dumps(record.to_json(spelling=spelling))
    again = type(record).from_json(
        json.loads(text), spelling=spelling, unknown="refuse"
    )
    assert again == record
    assert again.to_json(spelling=spelling) == json.loads(text)


@pytest.mark.parametrize(
    ("changes", "name", "value"),
    [
        ({"nonce": "0x0005"}, "nonce", 5),
        ({"nonce": "5"}, "nonce", 5),
        ({"nonce": 5}, "nonce", 5),
        ({"to": None}, "to", None),
        ({"to": ""}, "to", None),
        ({"to": "0x"}, "to", None),
        ({"to": "11" * 20}, "to", ADDRESS),
        ({"input": "0xABCD"}, "input", b"\xab\xcd"),
    ],
)
def test_values_are_read_in_any_spelling(
    changes: dict[str, Any], name: str, value: object
) -> None:
    read = LegacyTransaction.from_json({**LEGACY.to_json(), **changes})
    assert getattr(read, name) == value


def test_other_names_are_accepted_where_the_field_has_them() -> None:
    data = LEGACY.to_json()
    data["data"] = data.pop("input")
    assert LegacyTransaction.from_json(data) == LEGACY
    # Both may be there, as nodes send it, if they say the same.
    data["input"] = data["data"]
    assert LegacyTransaction.from_json(data) == LEGACY
    data["data"] = None
    assert LegacyTransaction.from_json(data) == LEGACY
    data["data"] = "0x02"
    with pytest.raises(FixtureError, match="says otherwise than input") as caught:
        LegacyTransaction.from_json(data)
    assert caught.value.field == "legacy_transaction.data"


def test_booleans_are_read_as_such_too() -> None:
    for value, expected in ((True, True), ("0x0", False), ("0x01", True), (0, False)):
        data = {**LISTED.to_json(), "yParity": value}
        assert ListedTransaction.from_json(data).y_parity is expected


def test_fields_with_a_default_may_be_absent() -> None:
    @rlp.record
    class Lenient(rlp.Record):
        first: rlp.U8 = 3
        second: tuple[rlp.U8, ...] = rlp.field(default_factory=tuple)
        late: rlp.Trailing[rlp.U8] = None

    assert Lenient.from_json({}) == Lenient()
    assert Lenient.from_json({"late": None, "first": "0x1"}) == Lenient(1)
    assert Lenient.from_json({"late": "0x5"}).late == 5


def test_a_trailing_field_needs_no_default_to_be_absent() -> None:
    @rlp.record
    class Late(rlp.Record):
        first: rlp.U8
        late: rlp.Trailing[rlp.U8]

    assert Late.from_json({"first": "0x1"}) == Late(1, None)


def test_a_field_may_have_no_json() -> None:
    @rlp.record
    class Hidden(rlp.Record):
        shown: rlp.U8
        hidden: rlp.U8 = rlp.field(default=0, json="")

    assert Hidden(1, 2).to_json() == {"shown": "0x1"}
    assert Hidden(1, 2).to_json(spelling="fixture") == {"shown": "0x01"}
    assert Hidden.from_json({"shown": 1, "hidden": 5}) == Hidden(1, 0)


def test_a_field_may_have_a_json_of_its_own() -> None:
    @rlp.record
    class Own(rlp.Record):
        count: rlp.U8 = rlp.field(to_json=int, from_json=int)
        text: str = rlp.field(
            wire=bytes,
            encode=str.encode,
            decode=bytes.decode,
            to_json=str,
            from_json=lambda value: value.strip(),
        )
        coded: int = rlp.field(
            wire=rlp.U8, encode=lambda value: value + 1, decode=lambda value: value - 1
        )

        read: rlp.U8 = rlp.field(default=0, from_json=lambda value: value * 2)

    own = Own(3, "dog", 5)
    assert own.to_json() == {"count": 3, "text": "dog", "coded": "0x6", "read": "0x0"}
    assert Own.from_json({**own.to_json(), "read": 4}).read == 8
    assert Own.from_json({"count": 3, "text": " dog ", "coded": "0x6"}) == own
    assert rlp.decode(Own, own.rlp()) == own
    with pytest.raises(FixtureError) as refusal:
        Own.from_json({"count": "many", "text": "", "coded": 1})
    assert refusal.value.field == "own.count"
    with pytest.raises(FixtureError) as refusal:
        Own.from_json({"count": 300, "text": "", "coded": 1})
    assert "from 0 to 255" in refusal.value.rule


def test_unknown_keys_are_ignored_unless_refused() -> None:
    data = {**SMALL.to_json(), "blockHash": "0x00"}
    assert SmallTransaction.from_json(data) == SMALL
    with pytest.raises(FixtureError, match="unknown key") as refusal:
        SmallTransaction.from_json(data, unknown="refuse")
    assert refusal.value.field == "small_transaction.blockHash"
    nested = {**BLOCK.to_json(), "signed": {**LISTED.to_json(), "from": "0x"}}
    with pytest.raises(FixtureError, match=r"block\.signed\.from: unknown key"):
        Block.from_json(nested, unknown="refuse")


def with_change(record: rlp.Record, *keys: Any, value: Any) -> Any:
    """Return the JSON of *record* with the member at *keys* changed."""
    made: Any = record.to_json()
    inner = made
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = value
    return made


@pytest.mark.parametrize(
    ("keys", "value", "field", "rule"),
    [
        (("header",), [], "block.header", "expected an object, got list of 0"),
        (("header",), None, "block.header", "expected an object, got null"),
        (("header", "number"), None, "block.header.number", "must be an int"),
        (("header", "number"), "0x", "block.header.number", "digit"),
        (("header", "number"), "0xg", "block.header.number", "hex digits are 0-9"),
        (("header", "number"), 1.5, "block.header.number", "must be an int, got float"),
        (("header", "number"), True, "block.header.number", "must be an int, got bool"),
        (("header", "number"), -1, "block.header.number", "from 0 to 2^64-1, got -1"),
        (("header", "number"), hex(2**64), "block.header.number", "from 0 to 2^64-1"),
        (("header", "number"), "1" * 2000, "block.header.number", "too long"),
        (("header", "nonce"), "0x42", "block.header.nonce", "holds 8 bytes, got 1"),
        (("header", "nonce"), "0x4", "block.header.nonce", "even number"),
        (("header", "nonce"), 66, "block.header.nonce", "expected 0x-hex, got int 66"),
        (("header", "miner"), {}, "block.header.miner", "expected 0x-hex, got dict"),
        (("header", "extraData"), "0x" + "00" * 33, "block.header.extraData", "to 32"),
        (("transactions",), {}, "block.transactions", "expected a list, got dict"),
        (
            ("transactions", 0),
            5,
            "block.transactions[0]",
            "expected an object, got int",
        ),
        (
            ("transactions", 1, "type"),
            "0x7",
            "block.transactions[1].type",
            "type 7 is not one of 0, 1, 2",
        ),
        (
            ("transactions", 1, "accessList", 0, "storageKeys", 1),
            "0x00",
            "block.transactions[1].accessList[0].storageKeys[1]",
            "holds 32 bytes, got 1",
        ),
        (("signed", "type"), "0x2", "block.signed.type", "expected type 1, got 2"),
        (("signed", "yParity"), "0x2", "block.signed.yParity", "from 0 to 1"),
        (("signed", "yParity"), "yes", "block.signed.yParity", "digits"),
        (("receipts", 0, "outcome"), "0x55", "block.receipts[0].outcome", "0 to 1"),
        (("receipts", 0, "type"), "0x9", "block.receipts[0]", "type 9 is not one of"),
        (("withdrawals", 1), "0x" + "f" * 17, "block.withdrawals[1]", "2^64-1"),
    ],
)
def test_json_that_does_not_fit_is_refused_with_its_path(
    keys: tuple[Any, ...], value: Any, field: str, rule: str
) -> None:
    with pytest.raises(FixtureError) as refusal:
        Block.from_json(with_change(BLOCK, *keys, value=value))
    assert refusal.value.field == field
    assert rule in refusal.value.rule


def test_a_missing_field_is_named() -> None:
    data = HEADER.to_json()
    del data["miner"]
    with pytest.raises(FixtureError) as refusal:
        Header.from_json(data)
    assert str(refusal.value) == "header.miner: missing"
    data = HEADER.to_json(spelling="fixture")
    del data["coinbase"]
    with pytest.raises(FixtureError, match=r"header\.coinbase: missing"):
        Header.from_json(data, spelling="fixture")


def test_a_gap_between_late_fields_is_refused() -> None:
    data = HEADER.replace(base_fee_per_gas=1, withdrawals_root=ROOT).to_json()
    del data["baseFeePerGas"]
    with pytest.raises(FixtureError, match="has base_fee_per_gas as well"):
        Header.from_json(data)


def test_a_union_is_read_by_its_type() -> None:
    for record in (LEGACY, LISTED, SMALL):
        for spelling in ("rpc", "fixture"):
            data = record.to_json(spelling=spelling)
            read = TRANSACTION.from_json(data, spelling=spelling)
            assert read == record
    data = LEGACY.to_json()
    del data["type"]
    assert TRANSACTION.from_json(data) == LEGACY
    with pytest.raises(FixtureError, match=r"legacy_transaction\.nonce: missing"):
        TRANSACTION.from_json({})
    with pytest.raises(FixtureError, match="expected an object, got str 'x'"):
        TRANSACTION.from_json("x")
    typed: Any = rlp.typed_union({2: SmallTransaction})
    with pytest.raises(FixtureError, match="type: missing"):
        typed.from_json({"chainId": "0x1"})


def test_every_kind_has_a_json() -> None:
    @rlp.record
    class Kinds(rlp.Record):
        raw: rlp.Raw
        item: rlp.Item
        pair: tuple[rlp.U8, bytes]
        either: Hash | Annotated[int, rlp.Uint(64)]
        free: Bytes
        maybe: Address | None

    kinds = Kinds(rlp.Raw(b"\xc1\x80"), [b"a", []], (1, b"x"), 0, b"", None)
    assert kinds.to_json() == {
        "raw": "0xc180",
        "item": "0xc261c0",
        "pair": ["0x1", "0x78"],
        "either": "0x0",
        "free": "0x",
        "maybe": None,
    }
    assert Kinds.from_json(kinds.to_json()) == kinds
    zero = kinds.replace(either=Hash(0))
    assert Kinds.from_json(zero.to_json()) == zero
    for key, value in (
        ("raw", "0xc2"),
        ("raw", None),
        ("item", "0x8101"),
        ("item", []),
        ("pair", ["0x1"]),
        ("pair", None),
        ("either", "0xzz"),
    ):
        with pytest.raises(FixtureError) as refusal:
            Kinds.from_json({**kinds.to_json(), key: value})
        assert refusal.value.field == f"kinds.{key}"


def test_options_are_checked() -> None:
    with pytest.raises(InputTypeError, match='spelling must be "rpc" or "fixture"'):
        SMALL.to_json(spelling="geth")
    with pytest.raises(InputTypeError, match='unknown must be "ignore" or "refuse"'):
        SmallTransaction.from_json({}, unknown="drop")
    with pytest.raises(FixtureError, match="small_transaction: expected an object"):
        SmallTransaction.from_json([])


@pytest.mark.parametrize("given", [1, "0x1", "0x01", "1", "0x0001", None])
def test_a_type_is_any_quantity(given: Any) -> None:
    assert ListedTransaction.from_json({**LISTED.to_json(), "type": given}) == LISTED


@pytest.mark.parametrize("given", [2, True, 1.0, "0x2", [1], -1])
def test_another_type_is_refused(given: Any) -> None:
    with pytest.raises(FixtureError) as refusal:
        ListedTransaction.from_json({**LISTED.to_json(), "type": given})
    assert refusal.value.field == "listed_transaction.type"
