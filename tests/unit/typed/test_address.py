"""Addresses: labels, checksums, public keys."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from hexary import hash as hashing
from hexary.errors import HexError, InputTypeError, RangeError, SizeError
from hexary.typed import Address, Hash

EIP_55 = [
    "0x52908400098527886E0F7030069857D2E4169EE7",
    "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
    "0xde709f2102306220921060314715629080e2fb77",
    "0x27b1fdb04752bbc536007a920d24acb045561c26",
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
    "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
    "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
]

EIP_1191 = {
    30: [
        "0x6549F4939460DE12611948B3F82B88C3C8975323",
        "0x27b1FdB04752BBc536007A920D24ACB045561c26",
        "0x3599689E6292B81B2D85451025146515070129Bb",
        "0x52908400098527886E0F7030069857D2E4169ee7",
        "0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD",
        "0x8617E340b3D01Fa5f11f306f4090fd50E238070D",
        "0xD1220A0Cf47c7B9BE7a2e6ba89F429762E7B9adB",
        "0xDBF03B407c01E7CD3cBea99509D93F8Dddc8C6FB",
        "0xDe709F2102306220921060314715629080e2FB77",
        "0xFb6916095cA1Df60bb79ce92cE3EA74c37c5d359",
    ],
    31: [
        "0x42712D45473476B98452F434E72461577D686318",
        "0x27B1FdB04752BbC536007a920D24acB045561C26",
        "0x3599689e6292b81b2D85451025146515070129Bb",
        "0x52908400098527886E0F7030069857D2e4169EE7",
        "0x5aAeb6053F3e94c9b9A09F33669435E7EF1BEaEd",
        "0x66f9664F97F2b50f62d13eA064982F936DE76657",
        "0x8617e340b3D01fa5F11f306F4090Fd50e238070d",
        "0xDE709F2102306220921060314715629080e2Fb77",
        "0xFb6916095CA1dF60bb79CE92ce3Ea74C37c5D359",
        "0xd1220a0CF47c7B9Be7A2E6Ba89f429762E7b9adB",
        "0xdbF03B407C01E7cd3cbEa99509D93f8dDDc8C6fB",
    ],
}

RIGHT = EIP_55[5]


@pytest.mark.parametrize("text", EIP_55)
def test_checksums_of_eip_55(
    text: str, backend: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hashing, "keccak256", backend.keccak256)
    assert Address(text).checksum() == text
    assert Address(text.lower()).checksum() == text
    assert Address.from_checksum(text) == Address(text)
    assert Address.from_checksum(text, label="x").label == "x"
    assert str(Address(text)) == text.lower()


@pytest.mark.parametrize(
    ("chain_id", "text"),
    [(chain_id, text) for chain_id, texts in EIP_1191.items() for text in texts],
)
def test_checksums_of_eip_1191(chain_id: int, text: str) -> None:
    assert Address(text).checksum(chain_id=chain_id) == text
    assert Address.from_checksum(text, chain_id=chain_id) == Address(text)
    with pytest.raises(HexError):
        Address.from_checksum(text, chain_id=chain_id + 1000)


@pytest.mark.parametrize(
    ("text", "position"),
    [
        (RIGHT.lower(), 3),
        ("0xFB6916095ca1df60bB79Ce92cE3Ea74c37c5d359", 2),
        (RIGHT[:-4] + "D359", 38),
        ("0X" + RIGHT[2:], 0),
        (RIGHT[2:], 0),
        ("0x" + "zz" * 20, 2),
        (" " + RIGHT, 0),
    ],
)
def test_a_wrong_checksum_is_refused_with_its_position(
    text: str, position: int
) -> None:
    with pytest.raises(HexError) as caught:
        Address.from_checksum(text)
    assert caught.value.position == position


def test_a_wrong_checksum_is_told_the_right_letter() -> None:
    with pytest.raises(HexError, match=r"at position 3 \('b'\): the checksum has 'B'"):
        Address.from_checksum(RIGHT.lower())


@pytest.mark.parametrize("text", ["0x", RIGHT + "00", RIGHT[:-2]])
def test_a_checksummed_text_of_another_size_is_refused(text: str) -> None:
    with pytest.raises(SizeError):
        Address.from_checksum(text)


@pytest.mark.parametrize("value", [None, 1, bytes(20), Address(1)])
def test_only_text_has_a_checksum(value: Any) -> None:
    with pytest.raises(InputTypeError):
        Address.from_checksum(value)


def test_chain_identifiers_are_natural_numbers() -> None:
    with pytest.raises(RangeError):
        Address(1).checksum(chain_id=-1)
    for value in (True, "30", 30.0):
        with pytest.raises(InputTypeError):
            Address(1).checksum(chain_id=value)


GENERATOR = bytes.fromhex(
    "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
    "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"
)


@pytest.mark.parametrize(
    "key", [GENERATOR, b"\4" + GENERATOR, bytearray(GENERATOR), "0x" + GENERATOR.hex()]
)
def test_the_address_of_a_public_key(key: Any) -> None:
    """Private key 1, whose public key is the generator of secp256k1."""
    address = Address.from_public_key(key)
    assert address.checksum() == "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf"
    assert type(address) is Address
    assert Address.from_public_key(key, label="one").label == "one"


def test_a_compressed_public_key_is_told_what_it_is() -> None:
    with pytest.raises(SizeError, match="compressed: decompress it first") as caught:
        Address.from_public_key(b"\2" + GENERATOR[:32])
    assert (caught.value.expected, caught.value.got) == (64, 33)


@pytest.mark.parametrize("size", [0, 20, 32, 63, 66])
def test_other_sizes_of_public_keys_are_refused(size: int) -> None:
    with pytest.raises(SizeError, match="an uncompressed public key holds 64 bytes"):
        Address.from_public_key(bytes(size))


def test_the_first_of_65_bytes_is_four() -> None:
    with pytest.raises(RangeError, match="first byte of a 65-byte public key"):
        Address.from_public_key(b"\6" + GENERATOR)


@pytest.mark.parametrize("value", [1, None, 1.5])
def test_public_keys_are_bytes(value: Any) -> None:
    with pytest.raises(InputTypeError):
        Address.from_public_key(value)


def test_a_label_is_for_people_only() -> None:
    named = Address(1, label="one")
    assert named.label == "one"
    assert Address(1).label is None
    assert named == Address(1) == Address(1, label="uno")
    assert hash(named) == hash(Address(1))
    assert {Address(1): 1}[named] == 1
    assert str(named) == str(Address(1))
    text = "0x" + "00" * 19 + "01"
    assert repr(named) == f"Address('{text}', label='one')"
    assert repr(Address(1)) == f"Address('{text}')"


def test_a_label_is_passed_on_and_never_put_on_another_object() -> None:
    named = Address(1, label="one")
    plain = Address(2)
    assert Address(named) is named
    renamed = Address(named, label="uno")
    assert (renamed.label, named.label) == ("uno", "one")
    assert Address(plain, label="two").label == "two"
    assert plain.label is None

    class Contract(Address):
        """Another class of addresses."""

    assert Contract(named).label == "one"
    assert Address(Contract(2, label="two")).label == "two"
    assert type(Address(Contract(2))) is Address
    with pytest.raises(InputTypeError):
        Address(1, label=5)


def test_labels_can_be_set_and_survive_copies_and_pickles() -> None:
    address = Address(1)
    address.label = "one"
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(address, protocol))
        assert (again, again.label, type(again)) == (address, "one", Address)
    assert copy.copy(address).label == copy.deepcopy(address).label == "one"
    twin = copy.copy(address)
    twin.label = "two"
    assert address.label == "one"


def test_padding_and_sizes() -> None:
    assert Address(b"\1", left_padding=True) == Address(1)
    assert Address(b"\x80", right_padding=True) == "0x80" + "00" * 19
    assert Address("0x80", right_padding=True, label="x").label == "x"
    with pytest.raises(SizeError):
        Address(Hash(1))
    with pytest.raises(RangeError):
        Address(2**160)
