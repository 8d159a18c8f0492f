"""Records of every kind of field, modelled on a chain's, for the tests of records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Self

from hexary import Address, Bloom, Bytes, Hash, HashInt, HeaderNonce, rlp
from hexary.typed import FixedSizeBytes

ADDRESS = Address("0x" + "11" * 20)
ROOT = Hash("0x" + "22" * 32)


class Letter(FixedSizeBytes):
    """One byte, whose encoding may have a header or not."""

    byte_length = 1


class Even(FixedSizeBytes):
    """Two bytes with a rule of their own."""

    byte_length = 2

    def __new__(cls, value: bytes, /) -> Self:
        if bytes(value)[-1] % 2:
            raise ValueError("the last byte is even")
        return super().__new__(cls, value)


@rlp.record
class Header(rlp.Record):
    """Neighbours of fixed sizes, numbers, and fields that came later."""

    parent_hash: Hash
    ommers_hash: Hash = rlp.field(json="sha3Uncles", fixture="uncleHash")
    coinbase: Address = rlp.field(json="miner", fixture="coinbase")
    logs_bloom: Bloom = rlp.field(fixture="bloom")
    difficulty: rlp.U256
    number: rlp.U64
    extra_data: Annotated[Bytes, rlp.Size(0, 32)]
    nonce: HeaderNonce
    base_fee_per_gas: rlp.Trailing[rlp.U256] = None
    withdrawals_root: rlp.Trailing[Hash] = None


@rlp.record(json_type=0)
class LegacyTransaction(rlp.Record):
    """A transaction without a type byte."""

    nonce: rlp.U64
    gas: rlp.U64 = rlp.field(fixture="gasLimit")
    to: Address | None
    value: rlp.U256
    input: Bytes = rlp.field(fixture="data", aliases=("data",))


@rlp.record
class AccessEntry(rlp.Record):
    """A list in a list."""

    address: Address
    storage_keys: tuple[Hash, ...]


@rlp.record(type_byte=1, views={"signing": ("y_parity", "r")})
class ListedTransaction(rlp.Record):
    """A transaction with type byte 1."""

    chain_id: rlp.U64
    to: Address | None
    access_list: tuple[AccessEntry, ...]
    y_parity: bool
    r: rlp.U256


@rlp.record(type_byte=2)
class SmallTransaction(rlp.Record):
    """A transaction with type byte 2."""

    chain_id: rlp.U64


Transaction = LegacyTransaction | ListedTransaction | SmallTransaction

TRANSACTION: rlp.TypedUnion[Transaction] = rlp.typed_union(
    {1: ListedTransaction, 2: SmallTransaction}, legacy=LegacyTransaction
)


@rlp.record(type_byte=3)
class Parcel(rlp.Record):
    """A typed record around another one without its type byte."""

    inner: Annotated[ListedTransaction, rlp.BARE]
    blobs: Sequence[bytes]


@rlp.record
class Receipt(rlp.Record):
    """A field that is the type byte, and one with two forms."""

    type: Annotated[int, rlp.TypeByte(1, 2)]
    outcome: Hash | bool
    gas_used: rlp.U64


@rlp.record
class Holder(rlp.Record):
    """Untyped items, a typed record, and one of several."""

    item: rlp.Item
    raw: rlp.Raw
    typed: SmallTransaction
    many: tuple[Transaction, ...]


@rlp.record
class Block(rlp.Record):
    """Records in records."""

    header: Header
    transactions: tuple[Transaction, ...]
    receipts: tuple[Receipt, ...]
    signed: ListedTransaction
    ommers: list[Header]
    withdrawals: rlp.Trailing[tuple[rlp.U64, ...]] = None


@rlp.record
class Oddities(rlp.Record):
    """Kinds that a chain's records have seldom."""

    letter: Letter
    colour: Annotated[int, rlp.Uint(24)]
    bit: Annotated[int, rlp.Uint(1)]
    nine: Annotated[int, rlp.Uint(9)]
    any_size: Annotated[int, rlp.Uint(None)]
    key: HashInt
    at_least: Annotated[bytes, rlp.Size(2, 3)]
    even: Even
    pair: tuple[rlp.U8, bytes]
    nothing: tuple[()]
    form: Address | Hash | tuple[rlp.U8, ...]
    seal: HeaderNonce | Annotated[bytes, rlp.Size(65)] | None
    maybe: AccessEntry | None
    raw: rlp.Raw
    item: rlp.Item
    text: str = rlp.field(wire=bytes, encode=str.encode, decode=bytes.decode)
    pairs: tuple[tuple[rlp.U8, rlp.U16], ...] = ()
    keys: tuple[Letter, ...] = ()


HEADER = Header(
    parent_hash=ROOT,
    ommers_hash=Hash(1),
    coinbase=ADDRESS,
    logs_bloom=Bloom(0).add(b"a"),
    difficulty=2**255,
    number=128,
    extra_data=Bytes(b"extra"),
    nonce=HeaderNonce(66),
)
LEGACY = LegacyTransaction(0, 21_000, ADDRESS, 10**18, Bytes(b"\x01"))
LISTED = ListedTransaction(
    1, None, (AccessEntry(ADDRESS, (ROOT, Hash(2))), AccessEntry(ADDRESS, ())), True, 77
)
SMALL = SmallTransaction(1)
BLOCK = Block(
    header=HEADER,
    transactions=(LEGACY, LISTED, SMALL),
    receipts=(Receipt(0, ROOT, 1), Receipt(1, True, 2), Receipt(2, False, 0)),
    signed=LISTED,
    ommers=[HEADER.replace(base_fee_per_gas=7)],
    withdrawals=(1, 2),
)
ODDITIES = Oddities(
    letter=Letter(b"\x80"),
    colour=2**24 - 1,
    bit=1,
    nine=511,
    any_size=2**600,
    key=HashInt(2**255),
    at_least=b"abc",
    even=Even(b"\x01\x02"),
    pair=(255, b"x"),
    nothing=(),
    form=ROOT,
    seal=bytes(65),
    maybe=AccessEntry(ADDRESS, ()),
    raw=rlp.Raw(rlp.encode([[b"raw"], b""])),
    item=[b"a", [b"b", []]],
    text="é",
    pairs=((1, 2), (3, 4)),
    keys=(Letter(1), Letter(200)),
)

SPECIMENS = (
    HEADER,
    HEADER.replace(base_fee_per_gas=0),
    HEADER.replace(base_fee_per_gas=7, withdrawals_root=ROOT),
    LEGACY,
    LEGACY.replace(to=None, input=b""),
    LISTED,
    LISTED.replace(to=ADDRESS, access_list=(), y_parity=False),
    SMALL,
    Parcel(LISTED, [b"", bytes(100)]),
    Receipt(0, ROOT, 0),
    Receipt(2, True, 300),
    BLOCK,
    BLOCK.replace(transactions=(), receipts=(), ommers=[], withdrawals=None),
    ODDITIES,
    ODDITIES.replace(
        letter=Letter(5),
        form=ADDRESS,
        seal=None,
        maybe=None,
        any_size=0,
        bit=0,
        nine=256,
        colour=0,
        raw=rlp.Raw(b"\x80"),
        item=b"",
        text="",
    ),
    ODDITIES.replace(form=(1, 2, 3), seal=HeaderNonce(1), keys=()),
)
"""Values of every record above."""
