"""States and what they are read from: roots, hex text, JSON documents, records."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import partial

from measurement import Row

from hexary import Address, Bytes, Hash
from hexary.chain import (
    FeeMarketTransaction,
    Header,
    Log,
    Receipt,
    transaction_from_json,
)
from hexary.state import Account, AccountStorage, Alloc, state_root, storage_root
from hexary.state.json_file import parse_json
from hexary.typed.hexstr import parse_bytes, parse_quantity

__all__ = ["rows"]

ACCOUNTS = 10_000
SLOTS = 10_000


def _alloc(source: random.Random) -> Alloc:
    """Return accounts of which a third have storage, and a tenth share codes."""
    codes = [source.randbytes(source.randrange(1, 3_000)) for _ in range(20)]
    return Alloc(
        {
            source.randbytes(20): Account(
                nonce=source.randrange(100),
                balance=source.getrandbits(80),
                code=source.choice(codes) if number % 10 == 0 else b"",
                storage={
                    source.getrandbits(256): source.getrandbits(128) | 1
                    for _ in range(10 if number % 3 == 0 else 0)
                },
            )
            for number in range(ACCOUNTS)
        }
    )


def rows() -> Iterator[Row]:
    """Yield roots of states and storages, and reading, on the backend in use."""
    source = random.Random(7)
    alloc = _alloc(source)
    document = json.dumps(alloc.to_json()).encode()
    if Alloc.from_json(parse_json(document)) != alloc:
        raise SystemExit("the accounts that are read are others")
    slots = {source.getrandbits(256): source.getrandbits(128) | 1 for _ in range(SLOTS)}
    words = {
        slot.to_bytes(32, "big"): value.to_bytes(32, "big")
        for slot, value in slots.items()
    }
    storage = AccountStorage(slots)
    if not storage.root() == storage_root(slots) == storage_root(words):
        raise SystemExit("the ways to one root disagree")
    yield Row(
        f"state root of {ACCOUNTS:,} accounts with storage",
        {"hexary": lambda: state_root(alloc)},
    )
    yield Row(
        f"storage root of {SLOTS:,} slots",
        {
            "hexary": storage.root,
            "of a dict of ints": lambda: storage_root(slots),
            "of a dict of words": lambda: storage_root(words),
        },
    )
    value = parse_json(document)
    yield Row(
        f"{ACCOUNTS:,} accounts read from JSON",
        {
            "hexary": lambda: Alloc.from_json(value),
            "the document": lambda: parse_json(document),
            "json.loads": lambda: json.loads(document),
        },
    )
    yield from _texts()


def _texts() -> Iterator[Row]:
    """Yield reading text, and a record that is read and written."""
    data, number = "0x" + 32 * "5f", "0x" + 8 * "5f"
    yield Row(
        "hex text of 32 bytes read",
        {
            "hexary": partial(parse_bytes, data),
            "bytes.fromhex": lambda: bytes.fromhex(data[2:]),
        },
    )
    yield Row(
        "quantity of 64 bits read",
        {"hexary": partial(parse_quantity, number), "int": lambda: int(number, 16)},
    )
    header = Header(number=20_000_000, gas_limit=30_000_000, timestamp=1_700_000_000)
    encoded, written = header.rlp(), header.to_json()
    yield Row("header decoded", {"hexary": partial(Header.from_rlp, encoded)})
    yield Row("header encoded", {"hexary": header.rlp})
    yield Row("header read from JSON", {"hexary": partial(Header.from_json, written)})
    yield Row("header written as JSON", {"hexary": header.to_json})
    transaction = FeeMarketTransaction(
        chain_id=1,
        nonce=5,
        max_fee_per_gas=10**11,
        gas_limit=210_000,
        to=Address(5),
        data=Bytes(bytes(68)),
        y_parity=1,
        r=3**150,
        s=3**151,
    ).to_json()
    yield Row(
        "transaction read from JSON",
        {"hexary": partial(transaction_from_json, transaction)},
    )
    log = Log(Address(5), (Hash(1), Hash(2), Hash(3)), Bytes(bytes(32)))
    receipt = Receipt.of(
        type=2, outcome=True, cumulative_gas_used=10**6, logs=[log] * 3
    ).to_json()
    yield Row("receipt read from JSON", {"hexary": partial(Receipt.from_json, receipt)})
