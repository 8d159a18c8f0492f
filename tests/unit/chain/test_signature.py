from __future__ import annotations

import copy
import pickle
import sys
from typing import Any

import pytest

from hexary.chain import (
    SECP256K1_HALF_ORDER,
    SECP256K1_ORDER,
    Authorization,
    LegacyTransaction,
    Signature,
    private_key_address,
    public_key,
    recover_public_key,
    secp256k1,
    sign_hash,
)
from hexary.errors import (
    HexaryError,
    InputTypeError,
    InvalidError,
    InvalidReason,
    MissingExtraError,
    RangeError,
    SizeError,
)
from hexary.typed import Address

DIGEST = bytes(range(32))


@pytest.fixture
def without_coincurve(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine where the extra is not installed."""
    monkeypatch.setitem(sys.modules, "coincurve", None)
    monkeypatch.setattr(secp256k1, "_loaded", None)


@pytest.mark.usefixtures("without_coincurve")
def test_without_the_extra_its_name_is_told() -> None:
    for call in (
        lambda: public_key(1),
        lambda: private_key_address(1),
        lambda: sign_hash(DIGEST, 1),
        lambda: Signature.of(DIGEST, private_key=1),
        lambda: recover_public_key(DIGEST, 0, 1, 1),
        lambda: Signature(0, 1, 1).signer(DIGEST),
        lambda: LegacyTransaction(v=27, r=1, s=1).sender(),
        lambda: Authorization(r=1, s=1).authority(),
    ):
        with pytest.raises(
            MissingExtraError, match=r"pip install 'coincurve>=\d"
        ) as caught:
            call()
        assert caught.value.extra == "secp256k1"
        assert isinstance(caught.value, ImportError)


@pytest.mark.usefixtures("without_coincurve")
def test_numbers_are_checked_without_the_extra() -> None:
    """What needs no curve works, and is told before anything is missed."""
    Signature(1, 1, 1).check()
    with pytest.raises(InvalidError):
        recover_public_key(DIGEST, 0, 0, 1)
    with pytest.raises(RangeError):
        sign_hash(DIGEST, 0)


def test_the_order_is_the_published_one() -> None:
    assert f"{SECP256K1_ORDER:064x}" == (
        "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
    )
    assert f"{SECP256K1_HALF_ORDER:064x}" == (
        "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0"
    )


@pytest.mark.parametrize(
    ("numbers", "reason", "field"),
    [
        ((0, 0, 1), InvalidReason.SIGNATURE_R, "r"),
        ((0, SECP256K1_ORDER, 1), InvalidReason.SIGNATURE_R, "r"),
        ((0, 1, 0), InvalidReason.SIGNATURE_S, "s"),
        ((0, 1, SECP256K1_ORDER), InvalidReason.SIGNATURE_S, "s"),
        ((0, 1, SECP256K1_HALF_ORDER + 1), InvalidReason.SIGNATURE_HIGH_S, "s"),
        ((2, 1, 1), InvalidReason.SIGNATURE_Y_PARITY, "y_parity"),
        ((-1, 1, 1), InvalidReason.SIGNATURE_Y_PARITY, "y_parity"),
    ],
)
def test_numbers_out_of_their_ranges(
    numbers: tuple[int, int, int], reason: InvalidReason, field: str
) -> None:
    with pytest.raises(InvalidError) as caught:
        Signature(*numbers).check(field="transaction")
    assert (caught.value.reason, caught.value.field) == (reason, f"transaction.{field}")
    assert caught.value.got in numbers
    if reason is not InvalidReason.SIGNATURE_HIGH_S:
        with pytest.raises(InvalidError) as caught:
            Signature(*numbers).check(low_s=False)
        assert caught.value.field == field
        with pytest.raises(InvalidError) as caught:
            recover_public_key(DIGEST, *numbers)
        assert caught.value.reason is reason


def test_the_largest_numbers_are_in_range() -> None:
    Signature(1, SECP256K1_ORDER - 1, SECP256K1_HALF_ORDER).check()
    Signature(0, 1, SECP256K1_ORDER - 1).check(low_s=False)


def test_wallets_have_signatures_as_65_bytes() -> None:
    signature = Signature(1, 5, 6)
    data = signature.to_bytes()
    assert data == bytes(31) + b"\x05" + bytes(31) + b"\x06" + b"\x1c"
    assert Signature.from_bytes(data) == signature
    assert Signature.from_bytes(data[:64] + b"\x01") == signature
    with pytest.raises(InvalidError):
        Signature.from_bytes(data[:64] + b"\x02")
    with pytest.raises(SizeError):
        Signature.from_bytes(data[:64])


def test_signing_is_repeatable_and_recovered() -> None:
    pytest.importorskip("coincurve")
    key = bytes.fromhex("46" * 32)
    signature = Signature.of(DIGEST, private_key=key)
    assert signature == Signature.of(DIGEST, private_key=int.from_bytes(key, "big"))
    assert signature.s <= SECP256K1_HALF_ORDER
    assert recover_public_key(DIGEST, *signature) == public_key(key)
    assert signature.signer(DIGEST) == private_key_address(key)
    assert signature.signer(bytes(32)) != private_key_address(key)
    # The other signature of the same key, which EIP-2 rules out.
    twin = Signature(1 - signature.y_parity, signature.r, SECP256K1_ORDER - signature.s)
    assert twin.signer(DIGEST) == private_key_address(key)
    with pytest.raises(InvalidError):
        twin.check()


def test_a_key_made_ready_signs_as_the_key_itself() -> None:
    pytest.importorskip("coincurve")
    key = bytes.fromhex("46" * 32)
    ready = secp256k1.SigningKey(key)
    for digest in (DIGEST, bytes(32), b"\xff" * 32):
        assert ready.sign(digest) == sign_hash(digest, key)
        assert recover_public_key(digest, *ready.sign(digest)) == public_key(key)
    assert "46" * 16 not in repr(ready)
    with pytest.raises(SizeError):
        ready.sign(bytes(31))
    with pytest.raises(RangeError):
        secp256k1.SigningKey(0)


@pytest.mark.parametrize(
    ("key", "error"),
    [
        (0, RangeError),
        (SECP256K1_ORDER, RangeError),
        (bytes(32), RangeError),
        (b"\xff" * 32, RangeError),
        (-1, RangeError),
        (bytes(31), SizeError),
        ("46" * 32, InputTypeError),
        (True, InputTypeError),
        (None, InputTypeError),
    ],
)
def test_what_is_no_private_key(key: object, error: type[Exception]) -> None:
    with pytest.raises(error) as caught:
        public_key(key)
    # It may be one that was mistyped by a digit, so it is not shown.
    assert "ffffffff" not in str(caught.value)


def test_what_is_no_hash() -> None:
    with pytest.raises(SizeError):
        sign_hash(bytes(31), 1)
    with pytest.raises(InputTypeError):
        sign_hash("00" * 32, 1)
    with pytest.raises(SizeError):
        recover_public_key(b"", 0, 1, 1)


def test_an_authorization_is_signed_and_recovered() -> None:
    pytest.importorskip("coincurve")
    unsigned = Authorization(chain_id=1, address=Address(5), nonce=7)
    signed = unsigned.sign(1)
    assert signed.authority() == private_key_address(1)
    assert signed.replace(y_parity=0, r=0, s=0) == unsigned
    assert signed.signing_hash() == unsigned.signing_hash()
    with pytest.raises(InvalidError) as caught:
        signed.replace(s=SECP256K1_ORDER - signed.s).authority()
    assert caught.value.reason is InvalidReason.SIGNATURE_HIGH_S
    with pytest.raises(InvalidError):
        signed.replace(y_parity=2).authority()
    assert signed.replace(nonce=8).authority() != private_key_address(1)
    last = unsigned.replace(nonce=2**64 - 2).sign(1)
    assert last.authority() == private_key_address(1)
    with pytest.raises(InvalidError) as caught:
        unsigned.replace(nonce=2**64 - 1).sign(1).authority()
    assert caught.value.reason is InvalidReason.NONCE_TOO_HIGH
    assert caught.value.field == "authorization.nonce"


@pytest.mark.parametrize(
    "key", ["46" * 32, "0x" + "46" * 31, b"\x46" * 31, bytearray(b"\x46" * 33), 0]
)
def test_no_error_shows_a_private_key(key: Any) -> None:
    with pytest.raises(HexaryError) as caught:
        Signature.of(DIGEST, private_key=key)
    assert "4646" not in f"{caught.value} {caught.value!r} {vars(caught.value)}"


@pytest.mark.parametrize(
    ("signature", "error"),
    [
        (Signature(2, 1, 1), InvalidError),
        (Signature(300, 1, 1), InvalidError),
        (Signature(0, -1, 1), InvalidError),
        (Signature(0, 1, 1 << 256), InvalidError),
        (Signature(0, None, 1), InputTypeError),
        (Signature(0, 1.0, 1), InputTypeError),
        (Signature("0", 1, 1), InputTypeError),
    ],
)
def test_numbers_that_are_no_signatures(
    signature: Signature, error: type[HexaryError]
) -> None:
    with pytest.raises(error):
        signature.to_bytes()
    with pytest.raises(error):
        signature.check()
    with pytest.raises(error):
        signature.signer(DIGEST)


@pytest.mark.parametrize("data", [None, "0x" + "00" * 65, [0] * 65])
def test_only_bytes_are_65_bytes(data: Any) -> None:
    with pytest.raises(InputTypeError):
        Signature.from_bytes(data)


@pytest.mark.parametrize("text", ["0x01", "secret"])
def test_text_is_no_key_and_none_of_it_is_shown(text: Any) -> None:
    with pytest.raises(InputTypeError) as caught:
        secp256k1.SigningKey(text)
    assert "got str '(not shown)'" in str(caught.value)
    assert text not in str(caught.value)


def test_a_signing_key_is_copied_and_not_pickled() -> None:
    key = secp256k1.SigningKey(0xABCDEF)
    assert copy.copy(key) is copy.deepcopy([key])[0] is key
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        with pytest.raises(TypeError, match="cannot pickle a SigningKey"):
            pickle.dumps(key, protocol)
    assert "abcdef" not in repr(key).lower()
