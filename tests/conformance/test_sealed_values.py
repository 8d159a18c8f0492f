"""
Stored keys and sealed messages: hexary's values go through other packages' ciphers.

Hexary has no ciphers, and needs none: what it has to do with them is to read keys and
texts, hand them over as the bytes that they are, and hash.  So the ciphers here are
pycryptodome's, HMAC the standard library's, and the curve coincurve's.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from Crypto.Cipher import AES
from Crypto.Protocol.KDF import scrypt

from conformance.vector_files import vector_cases
from hexary import Address, Bytes, FixedSizeBytes, Hash
from hexary.chain import private_key_address

coincurve = pytest.importorskip(
    "coincurve", reason="the extra secp256k1 is not installed"
)


def named(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the members of a JSON object."""
    yield from json.loads(path.read_bytes()).items()


def counter_mode(key: bytes, start: bytes, text: bytes) -> Bytes:
    """Return what *text* is under AES in counter mode, which is its own inverse."""
    cipher = AES.new(key, AES.MODE_CTR, nonce=b"", initial_value=start)
    return Bytes(cipher.decrypt(text))


def derived_key(password: str, kind: str, options: dict[str, Any]) -> Hash:
    """Return the key that a password is stretched to (Web3 Secret Storage)."""
    salt, size = Bytes(options["salt"]), options["dklen"]
    if kind == "pbkdf2":
        assert options["prf"] == "hmac-sha256"
        secret = password.encode()
        return Hash(hashlib.pbkdf2_hmac("sha256", secret, salt, options["c"], size))
    assert kind == "scrypt"
    # OpenSSL's, in hashlib, refuses the numbers of one of the keys.
    n, r, p = options["n"], options["r"], options["p"]
    return Hash(scrypt(password, salt, size, n, r, p))


def public_point(private_key: bytes) -> bytes:
    """Return the 64 bytes of the public key."""
    key: bytes = coincurve.PrivateKey(private_key).public_key.format(compressed=False)
    return key[1:]


@vector_cases("typed/ethereum-tests/KeyStoreTests", named, at_least=5)
def test_stored_keys(case: Any) -> None:
    """The seal is a keccak-256; what opens is the private key, of the address told."""
    crypto = case["json"]["crypto"]
    key = derived_key(case["password"], crypto["kdf"], crypto["kdfparams"])
    ciphertext = Bytes(crypto["ciphertext"])
    assert Bytes(key[16:] + ciphertext).keccak256() == Hash(crypto["mac"])
    assert crypto["cipher"] == "aes-128-ctr"
    start = FixedSizeBytes[16](crypto["cipherparams"]["iv"])
    private_key = Hash(counter_mode(key[:16], start, ciphertext))
    assert private_key == Hash(case["priv"])
    address = private_key_address(private_key)
    assert address == Address.from_public_key(public_point(private_key))
    if "address" in case["json"]:
        assert address == Address(case["json"]["address"])


def sealed(kind: str) -> Any:
    """Return a reader of the cases with this way to seal."""

    def read(path: Path) -> Iterator[tuple[str, Any]]:
        for name, case in named(path):
            if case["decryption_type"] == kind:
                yield name, case

    return read


@vector_cases(
    "typed/ethereum-tests/BasicTests",
    sealed("aes_ctr"),
    at_least=1,
    pattern="crypto.json",
)
def test_a_message_under_a_key(case: Any) -> None:
    key = Hash(case["key"])
    opened = counter_mode(key, bytes(16), Bytes(case["cipher"]))
    assert opened == Bytes(case["payload"])
    assert counter_mode(key, bytes(16), opened) == Bytes(case["cipher"])


@vector_cases(
    "typed/ethereum-tests/BasicTests",
    sealed("ecies_sec1_altered"),
    at_least=1,
    pattern="crypto.json",
)
def test_a_message_under_a_public_key(case: Any) -> None:
    """
    ECIES as nodes use it: SEC 1, section 5.1, with the start of the counter in front.

    The message is a point, the start, the text and its HMAC.
    """
    private_key, message = Hash(case["key"]), Bytes(case["cipher"])
    point, start, text, seal = (
        Bytes(message[:65]),
        Bytes(message[65:81]),
        Bytes(message[81:-32]),
        Hash(message[-32:]),
    )
    # The prefix of a point that is written out, which an address does not depend on.
    assert point[0] == 4
    assert Address.from_public_key(point) == Address.from_public_key(point[1:])
    shared = coincurve.PublicKey(point).multiply(private_key).format(compressed=False)
    key = Bytes(b"\x00\x00\x00\x01" + shared[1:33]).sha256()
    seal_key = Bytes(key[16:]).sha256()
    assert Hash(hmac.digest(seal_key, start + text, "sha256")) == seal
    assert counter_mode(key[:16], start, text) == Bytes(case["payload"])
