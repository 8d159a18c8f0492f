from __future__ import annotations

from typing import Any

import pytest

from hexary import recording, rlp
from hexary.chain import (
    AccessListEntry,
    AccessListTransaction,
    Authorization,
    BaseTransaction,
    BlobTransaction,
    FeeMarketTransaction,
    LegacyTransaction,
    SetCodeTransaction,
    Signature,
    TypedTransaction,
    decode_transaction,
    private_key_address,
    transaction_from_json,
    transactions_root,
)
from hexary.errors import (
    DecodeError,
    DecodeReason,
    FixtureError,
    ForkError,
    InputTypeError,
    InvalidError,
    InvalidReason,
    RangeError,
    SizeError,
)
from hexary.hash import keccak256
from hexary.trie import EMPTY_ROOT
from hexary.typed import Address, Bytes, Hash

KEY = bytes.fromhex("46" * 32)
ALL: list[Any] = [
    LegacyTransaction(gas_limit=21000, to=Address(5)),
    LegacyTransaction(gas_limit=21000, to=Address(5)).for_chain(1),
    AccessListTransaction(
        chain_id=1, access_list=(AccessListEntry(Address(1), (Hash(2), Hash(3))),)
    ),
    FeeMarketTransaction(chain_id=1, max_fee_per_gas=9, max_priority_fee_per_gas=2),
    BlobTransaction(chain_id=1, to=Address(5), blob_versioned_hashes=(Hash(1),)),
    SetCodeTransaction(
        chain_id=1, to=Address(5), authorization_list=(Authorization(1, Address(9), 3),)
    ),
]
NAMES = ["legacy", "EIP-155", "2930", "1559", "4844", "7702"]
every = pytest.mark.parametrize("transaction", ALL, ids=NAMES)


@every
def test_signing_gives_the_sender_and_changes_nothing_else(transaction: Any) -> None:
    pytest.importorskip("coincurve")
    signed = transaction.sign(KEY)
    assert signed.sender() == private_key_address(KEY)
    assert signed.signing_hash() == transaction.signing_hash()
    assert signed.hash() != transaction.hash()
    assert decode_transaction(signed.rlp()) == signed
    assert signed.sign(KEY) == signed
    assert signed.signed(signed.signature) == signed
    assert isinstance(signed, BaseTransaction)
    assert signed.replace(nonce=1).sender() != private_key_address(KEY)


@every
def test_what_is_signed_leaves_the_signature_out(transaction: Any) -> None:
    items = rlp.decode(transaction.rlp()[1 if transaction.type else 0 :])
    unsigned = items[:-3]
    if isinstance(transaction, LegacyTransaction) and transaction.v:
        unsigned = [*unsigned, 1, 0, 0]
    prefix = bytes([transaction.type]) if transaction.type else b""
    expected = keccak256(prefix + rlp.encode(unsigned))
    assert transaction.signing_hash() == expected


def test_the_example_of_eip_155() -> None:
    pytest.importorskip("coincurve")
    transaction = LegacyTransaction(
        nonce=9,
        gas_price=20 * 10**9,
        gas_limit=21000,
        to=bytes.fromhex("35" * 20),
        value=10**18,
    ).for_chain(1)
    assert transaction.signing_hash().hex() == (
        "0xdaf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53"
    )
    signed = transaction.sign(KEY)
    assert signed.v == 37
    assert signed.rlp().hex() == (
        "f86c098504a817c800825208943535353535353535353535353535353535353535880"
        "de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63"
        "e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297"
        "fb1966a3b6d83"
    )
    assert signed.signed_chain_id == 1
    assert signed.signature.y_parity == 0


def test_v_of_legacy_transactions() -> None:
    plain = LegacyTransaction()
    assert plain.signed_chain_id is None
    assert not plain.is_signed
    assert plain.for_chain(5).signed_chain_id == 5
    assert plain.for_chain(27).signed_chain_id == 27
    signature = Signature(1, 7, 8)
    assert plain.signed(signature).v == 28
    assert plain.signed(signature).signed_chain_id is None
    assert plain.for_chain(27).signed(signature).v == 90
    assert plain.for_chain(27).signed(signature).signed_chain_id == 27
    assert plain.for_chain(27).signed(signature).signature == signature
    assert plain.replace(v=36, r=1, s=1).signature.y_parity == 1
    # A v that is neither is told when it is used.
    assert plain.replace(v=29, r=1, s=1).signature.y_parity == 2
    for v in (0, 1, 26, 29, 34):
        with pytest.raises(InvalidError) as caught:
            plain.replace(v=v, r=1, s=1).sender()
        assert caught.value.reason is InvalidReason.SIGNATURE_V
        assert (caught.value.field, caught.value.got) == ("v", v)
    with pytest.raises(RangeError):
        plain.for_chain(0)
    with pytest.raises(RangeError):
        plain.for_chain(1 << 255)


def test_fees() -> None:
    legacy = LegacyTransaction(gas_price=7)
    assert (legacy.highest_gas_price, legacy.priority_fee) == (7, 7)
    assert legacy.effective_gas_price(5) == 7
    listed = AccessListTransaction(gas_price=7)
    assert listed.effective_gas_price(0) == 7
    market = FeeMarketTransaction(max_fee_per_gas=9, max_priority_fee_per_gas=2)
    assert [market.effective_gas_price(base) for base in (0, 5, 7, 9)] == [2, 7, 9, 9]


def test_types() -> None:
    assert [transaction.type for transaction in ALL] == [0, 0, 1, 2, 3, 4]
    assert [isinstance(one, TypedTransaction) for one in ALL] == [False] * 2 + [
        True
    ] * 4
    assert LegacyTransaction().is_creation
    assert not LegacyTransaction(to=Address(0)).is_creation
    assert not BlobTransaction().is_creation
    with pytest.raises(InputTypeError):
        BlobTransaction(to=None)


@pytest.mark.parametrize(
    ("data", "reason", "field", "offset"),
    [
        ("", DecodeReason.EMPTY_INPUT, "", 0),
        ("00", DecodeReason.UNKNOWN_TYPE, "", 0),
        ("05c0", DecodeReason.UNKNOWN_TYPE, "", 0),
        ("7fc0", DecodeReason.UNKNOWN_TYPE, "", 0),
        ("80", DecodeReason.UNKNOWN_TYPE, "", 0),
        ("01", DecodeReason.TRUNCATED, "access_list_transaction", 1),
        ("0180", DecodeReason.EXPECTED_LIST, "access_list_transaction", 1),
        ("c0", DecodeReason.WRONG_ITEM_COUNT, "legacy_transaction", 0),
        (
            "c980808080808080808080",
            DecodeReason.TRAILING_BYTES,
            "",
            10,
        ),
        (
            "ca80808080808080808080",
            DecodeReason.WRONG_ITEM_COUNT,
            "legacy_transaction",
            0,
        ),
        ("c9808080808080808080", None, "", 0),
        ("c9008080808080808080", DecodeReason.LEADING_ZERO_INTEGER, "nonce", 1),
        ("c980808011808080808080"[:20], DecodeReason.WRONG_SIZE, "to", 4),
        ("c980808080c08080808080"[:20], DecodeReason.EXPECTED_STRING, "value", 5),
        ("c98080808080c080808080"[:20], DecodeReason.EXPECTED_STRING, "data", 6),
        ("c9808080808080808081", DecodeReason.OVERRUN, "s", 9),
        ("03cd" + "80" * 13, DecodeReason.WRONG_SIZE, "blob_transaction.to", 7),
        ("03d0" + "80" * 5 + "94" + "11" * 10, DecodeReason.OVERRUN, "to", 7),
        ("03ce" + "80" * 14, DecodeReason.WRONG_SIZE, "blob_transaction.to", 7),
    ],
)
def test_malformed_bytes_are_refused_with_the_field_and_the_place(
    data: str, reason: DecodeReason | None, field: str, offset: int
) -> None:
    if reason is None:
        assert decode_transaction(bytes.fromhex(data)) == LegacyTransaction()
        return
    with pytest.raises(DecodeError) as caught:
        decode_transaction(bytes.fromhex(data))
    assert caught.value.reason is reason
    assert caught.value.field.endswith(field)
    assert caught.value.offset == offset


def test_fields_too_wide_are_refused() -> None:
    items: list[Any] = [0, 0, 0, b"", 0, b"", 0, 0, 0]
    for place, bits in ((0, 64), (1, 256), (2, 64), (4, 256), (6, 256), (7, 256)):
        most = list(items)
        most[place] = (1 << bits) - 1
        assert decode_transaction(rlp.encode(most))
        most[place] += 1
        with pytest.raises(DecodeError) as caught:
            decode_transaction(rlp.encode(most))
        assert caught.value.reason is DecodeReason.INTEGER_TOO_LARGE


def test_a_forks_types_are_told_before_anything_else() -> None:
    data = bytes.fromhex("04ff")
    with pytest.raises(InvalidError) as caught:
        decode_transaction(data, fork="Cancun")
    assert caught.value.reason is InvalidReason.TYPE_NOT_SUPPORTED
    assert caught.value.got == 4
    with pytest.raises(DecodeError):
        decode_transaction(data, fork="Prague")
    with pytest.raises(ForkError):
        decode_transaction(data, fork="Eden")
    with pytest.raises(InputTypeError):
        decode_transaction("04ff")


@every
@pytest.mark.parametrize("spelling", ["rpc", "fixture"])
def test_json_in_both_spellings(transaction: Any, spelling: Any) -> None:
    written = transaction.to_json(spelling=spelling)
    assert transaction_from_json(written, spelling=spelling) == transaction
    assert ("gas" in written) is (spelling == "rpc")
    assert ("gasLimit" in written) is (spelling == "fixture")
    assert ("input" in written) is (spelling == "rpc")
    # Either spelling is understood in reading.
    assert transaction_from_json(written) == transaction
    if transaction.type:
        # Old fixtures leave the type out.
        del written["type"]
        assert transaction_from_json(written, spelling=spelling) == transaction


@every
def test_json_that_leaves_something_out_is_refused(transaction: Any) -> None:
    written = transaction.to_json()
    missing = {"nonce", "gas", "to", "value", "input", "gasPrice", "maxFeePerGas"}
    for key in missing & written.keys():
        fewer = {name: value for name, value in written.items() if name != key}
        with pytest.raises(FixtureError) as caught:
            transaction_from_json(fewer)
        assert caught.value.field in (f"transaction.{key}", "transaction.gasPrice")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"type": "0x5"}, "transaction.type"),
        ({"type": "two"}, "transaction.type"),
        ({"nonce": "0x10000000000000000"}, "nonce"),
        ({"to": "0x11"}, "to"),
        ({"input": "0x1"}, "input"),
        ({"value": None}, "value"),
    ],
)
def test_json_that_does_not_fit(change: dict[str, Any], field: str) -> None:
    with pytest.raises(FixtureError) as caught:
        transaction_from_json({**LegacyTransaction().to_json(), **change})
    assert caught.value.field.endswith(field)
    with pytest.raises(FixtureError):
        transaction_from_json("0x00")


def test_the_root_of_transactions() -> None:
    assert transactions_root([]) == EMPTY_ROOT
    with recording() as seen:
        assert transactions_root(ALL) != EMPTY_ROOT
    assert seen.calls > 0


def test_constructors_convert_and_check() -> None:
    transaction = LegacyTransaction(to="0x" + "11" * 20, data=b"data")
    assert type(transaction.to) is Address
    assert type(transaction.data) is Bytes
    with pytest.raises(RangeError, match=r"legacy_transaction\.nonce"):
        LegacyTransaction(nonce=-1)
    with pytest.raises(SizeError, match=r"fee_market_transaction\.to"):
        FeeMarketTransaction(to=b"\1")


def test_u035_a_zero_is_written_one_way_in_json_and_another_in_rlp() -> None:
    """JSON may write a quantity of 0 as 0x00; in RLP a zero byte is not an integer."""
    written = {**Authorization(nonce=1).to_json(), "chainId": "0x00"}
    assert Authorization.from_json(written) == Authorization(nonce=1)
    data = Authorization(nonce=1).rlp()
    assert data[1] == 0x80
    with pytest.raises(DecodeError) as caught:
        Authorization.from_rlp(data[:1] + b"\0" + data[2:])
    assert caught.value.reason is DecodeReason.LEADING_ZERO_INTEGER
    assert caught.value.field == "authorization.chain_id"


@pytest.mark.parametrize(
    ("transaction", "members"),
    [
        (LegacyTransaction(), ["gasPrice", "nonce", "gas", "to", "value", "input"]),
        (AccessListTransaction(), ["gasPrice", "chainId", "accessList"]),
        (FeeMarketTransaction(), ["maxFeePerGas", "maxPriorityFeePerGas", "chainId"]),
        (BlobTransaction(), ["maxFeePerBlobGas", "blobVersionedHashes", "chainId"]),
        (SetCodeTransaction(), ["authorizationList", "accessList", "chainId"]),
    ],
)
def test_json_has_every_member_of_its_type(
    transaction: Any, members: list[str]
) -> None:
    written = transaction.to_json()
    assert transaction_from_json(written) == transaction
    for name in members:
        with pytest.raises(FixtureError, match="is missing") as caught:
            transaction_from_json({k: v for k, v in written.items() if k != name})
        assert caught.value.field == f"transaction.{name}"


def test_json_that_contradicts_itself_is_refused() -> None:
    """A node that says two things of one field does not get to be right."""
    written = FeeMarketTransaction(chain_id=1, y_parity=1, gas_limit=5).to_json()
    assert transaction_from_json({**written, "v": "0x1", "gasLimit": "0x5"})
    for key, value in (("v", "0x0"), ("gasLimit", "0x6"), ("data", "0xff")):
        with pytest.raises(FixtureError, match="says otherwise than") as caught:
            transaction_from_json({**written, key: value})
        assert caught.value.field == f"fee_market_transaction.{key}"
