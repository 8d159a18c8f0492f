"""Bytes of any size and of one size: building, comparing, printing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest

from case_names import shown
from hexary import hash as hashing
from hexary.errors import HexError, InputTypeError, RangeError, SizeError
from hexary.typed import (
    Address,
    Bloom,
    BLSPublicKey,
    BLSSignature,
    Bytes,
    BytesConcatenation,
    CoerceBytes,
    FixedSizeBytes,
    ForkHash,
    Hash,
    HeaderNonce,
    StorageKey,
)

SIZES = {
    Address: 20,
    BLSPublicKey: 48,
    BLSSignature: 96,
    Bloom: 256,
    ForkHash: 4,
    Hash: 32,
    HeaderNonce: 8,
    StorageKey: 32,
}

EVERY_SIZE = pytest.mark.parametrize(
    ("cls", "size"), SIZES.items(), ids=[cls.__name__ for cls in SIZES]
)

ONE = bytes(31) + b"\1"
TEXT = "0x" + ONE.hex()


@EVERY_SIZE
def test_each_type_has_its_size(cls: Any, size: int) -> None:
    assert cls.byte_length == size
    assert issubclass(cls, FixedSizeBytes)
    data = bytes(range(size % 256)) or bytes(size)
    value = cls(data)
    assert type(value) is cls
    assert isinstance(value, bytes)
    assert bytes(value) == data
    assert type(bytes(value)) is bytes
    assert len(value) == size
    assert cls("0x" + data.hex()) == cls(bytearray(data)) == cls(list(data)) == data


@EVERY_SIZE
def test_wrong_sizes_are_size_errors(cls: Any, size: int) -> None:
    with pytest.raises(SizeError) as caught:
        cls(bytes(size + 1))
    assert caught.value.type_name == cls.__name__
    assert (caught.value.expected, caught.value.got) == (size, size + 1)
    with pytest.raises(SizeError):
        cls("0x" + "00" * (size + 1), right_padding=True)
    if cls is not StorageKey:
        with pytest.raises(SizeError):
            cls(b"")


@EVERY_SIZE
def test_ints_are_padded_on_the_left_and_bounded(cls: Any, size: int) -> None:
    largest = 256**size - 1
    assert bytes(cls(1)) == bytes(size - 1) + b"\1"
    assert bytes(cls(largest)) == b"\xff" * size
    assert bytes(cls(1, right_padding=True)) == bytes(size - 1) + b"\1"
    for value in (-1, largest + 1):
        with pytest.raises(RangeError) as caught:
            cls(value)
        assert caught.value.type_name == cls.__name__
        assert (caught.value.minimum, caught.value.maximum) == (0, largest)


@EVERY_SIZE
@pytest.mark.parametrize(
    "value", [None, 1.0, object(), {}, numpy.bool_(True)], ids=shown
)
def test_other_types_are_refused(cls: Any, size: int, value: Any) -> None:
    with pytest.raises(InputTypeError):
        cls(value)


def test_bool_and_numpy_ints_are_ints() -> None:
    assert Hash(True) == Hash(numpy.int64(1)) == Hash(numpy.uint8(1)) == Hash(1)
    with pytest.raises(RangeError):
        Hash(numpy.int64(-1))


@pytest.mark.parametrize("cls", [Bytes, CoerceBytes, Hash, Address, StorageKey, Bloom])
def test_an_exact_instance_is_returned_itself(cls: Any) -> None:
    value = cls(bytes(getattr(cls, "byte_length", 5)))
    assert cls(value) is value


def test_an_instance_of_another_class_is_converted() -> None:
    class Root(Hash):
        """A hash of one kind."""

        __slots__ = ()

    root = Root(1)
    assert type(Hash(root)) is Hash
    assert type(Root(Hash(1))) is Root
    assert type(Bytes(root)) is Bytes
    assert Hash(root) == root == Bytes(root)


@pytest.mark.parametrize(
    "value", [0, 5, True, None, 1.5, numpy.int64(1), object()], ids=shown
)
def test_bytes_of_no_size_take_no_ints(value: Any) -> None:
    """``bytes(5)`` is five zeros, which nobody means here."""
    with pytest.raises(InputTypeError):
        Bytes(value)


def test_bytes_default_to_empty_and_hashes_to_nothing() -> None:
    assert Bytes() == b"" == CoerceBytes()
    with pytest.raises(TypeError):
        Hash()


def test_text_parsing_is_strict() -> None:
    for text in ("0x1", "0x 12", "zz", "0x1_0", "\uff11\uff11", "é"):
        with pytest.raises(HexError):
            Bytes(text)
    with pytest.raises(HexError):
        Hash("0x1", left_padding=True)


def test_leniency_has_its_own_door() -> None:
    assert Bytes.from_text(" 0x1 23", odd="pad", blanks=True) == b"\x01\x23"
    assert Bytes.from_text("0x12") == b"\x12"
    with pytest.raises(HexError):
        Bytes.from_text("0x1")
    assert Hash.from_text("0x1", odd="pad", left_padding=True) == Hash(1)
    padded = ForkHash.from_text("f", odd="pad", right_padding=True)
    assert (type(padded), bytes(padded)) == (ForkHash, b"\x0f\0\0\0")
    with pytest.raises(SizeError):
        Hash.from_text("0x01")
    with pytest.raises(InputTypeError):
        Hash.from_text(b"0x01")


def test_fromhex_is_as_strict_as_the_rest() -> None:
    assert Bytes.fromhex("dead") == Bytes.fromhex("0xdead") == b"\xde\xad"
    assert type(Hash.fromhex("00" * 32)) is Hash
    with pytest.raises(HexError):
        Bytes.fromhex("de ad")


def test_padding() -> None:
    assert Hash(b"\1", left_padding=True) == TEXT
    assert Hash("0x02", right_padding=True) == "0x02" + "00" * 31
    with pytest.raises(InputTypeError):
        Hash(b"\1", left_padding=True, right_padding=True)


def test_coerce_bytes_skips_blanks_in_text_and_nothing_else() -> None:
    assert CoerceBytes("0x 60 01\n\t60 02") == b"\x60\x01\x60\x02"
    assert type(CoerceBytes("0x 60")) is CoerceBytes
    assert CoerceBytes(b" ") == b" "
    with pytest.raises(HexError):
        CoerceBytes("0x 123")
    with pytest.raises(HexError):
        CoerceBytes("0x\u00a012")


@pytest.mark.parametrize(
    "spelling",
    ["0x", "0x0", "0x00", "0", "", 0, b"", b"\0", bytes(32), "0x" + "00" * 32],
    ids=shown,
)
def test_storage_key_zero_in_every_spelling(spelling: Any) -> None:
    assert bytes(StorageKey(spelling)) == bytes(32)


def test_storage_keys_are_padded_unless_told_otherwise() -> None:
    assert StorageKey("0x5") == StorageKey(b"\5") == StorageKey(5)
    assert StorageKey("0x" + "5" * 63) == StorageKey("0x0" + "5" * 63)
    assert bytes(StorageKey(b"\5", right_padding=True)) == b"\5" + bytes(31)
    with pytest.raises(SizeError):
        StorageKey(b"\5", left_padding=False)
    with pytest.raises(HexError):
        StorageKey("0x5", left_padding=False)
    with pytest.raises(SizeError):
        StorageKey("0x" + "0" * 65)
    with pytest.raises(InputTypeError):
        StorageKey(b"\5", left_padding=True, right_padding=True)


def test_texts() -> None:
    value = Bytes("0xdeadbeef")
    assert str(value) == value.hex() == f"{value}" == "0xdeadbeef"
    assert repr(value) == "Bytes('0xdeadbeef')"
    assert value.hex("-") == "0xde-ad-be-ef"
    assert value.hex(":", bytes_per_sep=-3) == "0xdeadbe:ef"
    assert f"{value:>12}" == "  0xdeadbeef"
    assert repr(Hash(1)) == f"Hash('{TEXT}')"
    assert repr(FixedSizeBytes[2](1)) == "FixedSizeBytes[2]('0x0001')"
    assert eval(repr(Hash(1))) == Hash(1)  # noqa: S307 - our own text


def test_numbers_of_bytes() -> None:
    assert int(Hash(5)) == 5
    assert int(Address(2**160 - 1)) == 2**160 - 1


def test_bytes_behaviour_is_inherited() -> None:
    value = Hash(1)
    assert value[31] == 1
    assert type(value[:4]) is bytes
    assert type(value + b"x") is bytes
    assert value.endswith(b"\1")
    assert bytes(memoryview(value)) == ONE
    assert b"".join([value, value]) == ONE * 2
    assert sorted([Hash(2), Hash(1), bytes(32)]) == [bytes(32), 1, 2]
    assert max(Hash(2), Hash(3)) == 3
    assert Hash(1) < Hash(2) <= b"\xff" * 32


@pytest.mark.parametrize("cls", [Bytes, CoerceBytes, Hash, StorageKey, Bloom])
def test_values_have_no_attributes(cls: Any) -> None:
    value = cls(bytes(getattr(cls, "byte_length", 5)))
    assert not hasattr(value, "__dict__")
    with pytest.raises(AttributeError):
        value.label = "x"


EMPTY_KECCAK = "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"


def test_hashing(backend: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hashing, "keccak256", backend.keccak256)
    assert Bytes(b"").keccak256() == EMPTY_KECCAK
    assert Bytes(b"abc").keccak256() == (
        "0x4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45"
    )
    assert type(Hash(0).keccak256()) is Hash
    assert Hash(0).keccak256() == (
        "0x290decd9548b62a8d60345a988386fc84ba6bc95484008f6362f93160ef3e563"
    )


def test_sha256() -> None:
    assert Bytes(b"abc").sha256() == (
        "0xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )
    assert type(Bytes(b"abc").sha256()) is Hash


def test_every_hash_goes_through_the_dispatch() -> None:
    with hashing.recording() as record:
        Bytes(b"abc").keccak256()
        Address(1).checksum()
        Address.from_public_key(bytes(64))
        bloom = Bloom(0).add(b"a")
        assert b"a" in bloom
        Bloom.from_items([b"a", b"b"])
    assert record.calls == 7


def test_a_size_is_needed() -> None:
    with pytest.raises(InputTypeError, match=r"size first, as in FixedSizeBytes\[4\]"):
        FixedSizeBytes(b"abcd")


def test_a_class_statement_with_a_size() -> None:
    class Selector(FixedSizeBytes):
        """Four bytes."""

        __slots__ = ()
        byte_length = 4

    assert repr(Selector("0xa9059cbb")) == "Selector('0xa9059cbb')"
    assert Selector(1) == 1


class Push(BytesConcatenation):
    """One instruction."""

    def __bytes__(self) -> bytes:
        return b"\x60\x01"


def test_concatenation() -> None:
    push = Push()
    assert push + b"\0" == b"\x60\x01\0"
    assert b"\0" + push == b"\0\x60\x01"
    assert push + push == b"\x60\x01\x60\x01"
    assert Bytes(b"\0") + push == b"\0\x60\x01"
    assert len(push) == 2
    assert Bytes(push) == b"\x60\x01"
    with pytest.raises(InputTypeError):
        push + 1
    with pytest.raises(TypeError, match="abstract"):
        BytesConcatenation()


@pytest.mark.parametrize(
    "make",
    [
        lambda: Hash(bytes(31)),
        lambda: Hash("0xzz"),
        lambda: Hash(-1),
        lambda: Hash(None),
        lambda: Bytes("0x1"),
        lambda: Bytes(None),
    ],
)
def test_each_refusal_is_also_the_built_in_error(make: Callable[[], object]) -> None:
    with pytest.raises((ValueError, TypeError)) as caught:
        make()
    assert str(caught.value)


def test_type_checkers_understand_the_types(
    tmp_path: Path, clean_environment: dict[str, str], checkout: Path
) -> None:
    page = tmp_path / "user.py"
    page.write_text(
        """
from typing import assert_type

from hexary.typed import (
    Address, Bytes, FixedSizeBytes, FixedSizeHexNumber, Hash, HexNumber, to_bytes
)


class Selector(FixedSizeBytes):
    byte_length = 4


class Small(FixedSizeHexNumber):
    byte_length = 2


def digest(data: Bytes) -> Hash:
    return data.keccak256()


def both(selector: Selector, number: Small) -> tuple[FixedSizeBytes, int]:
    return selector, number + number.byte_length


assert_type(FixedSizeBytes[4], type[FixedSizeBytes])
assert_type(FixedSizeBytes[4](1).keccak256(), Hash)
assert_type(FixedSizeHexNumber[2]("0x01"), FixedSizeHexNumber)
both(Selector(1), Small(2))

selector: Selector = Selector("0xa9059cbb")
address: Address = Address(1, label="one")
plain: bytes = digest(Bytes.from_text("0x1", odd="pad"))
total: int = HexNumber("0x10") + 1
label: str | None = address.label
hash_of_list: Hash = Hash(to_bytes([1, 2]), left_padding=True)
""",
        encoding="utf-8",
    )
    command = [
        *(sys.executable, "-m", "mypy", "--strict", "--no-incremental"),
        *("--cache-dir", str(tmp_path / "cache"), str(page)),
    ]
    environment = clean_environment | {"MYPYPATH": str(checkout / "src")}
    done = subprocess.run(
        command,
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Success" in done.stdout, done.stdout + done.stderr
