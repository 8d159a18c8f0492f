"""
Look for memory and references that the accelerator does not give back.

    python tests/isolated/leaks.py

Each operation runs many times, good and failing; the process must not grow, and the
objects that were passed must have as many references as before.  Exit code 1 if not.
"""

from __future__ import annotations

import contextlib
import copy
import gc
import random
import sys
from array import array
from collections import UserDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from parcels import PARCEL, PARTS, Parcel, made_up

import hexary
from hexary import Address, HexaryError, MemoryStore, State, Trie, partial_trie, rlp
from hexary.chain import Block, Header, Receipt, transaction_from_json
from hexary.hash import update_many
from hexary.rlp.codec import codec_of
from hexary.rlp.kinds import JsonForm
from hexary.rlp.record_source import make_json_reader
from hexary.state import Account, Alloc, storage_root
from hexary.state.account import accounts_root, plain_account
from hexary.state.alloc import plain_accounts
from hexary.state.storage import plain_slots, slots_root
from hexary.trie.root import packed_trie_root, subtree_item
from hexary.typed.hexstr import parse_bytes, parse_quantity

SOURCE = random.Random(1)
LONG = [bytes([number]) * (900 + 700 * number) for number in range(40)]
PAIRS = {SOURCE.randbytes(32): SOURCE.randbytes(80) for _ in range(300)}
ITEM = [[b"x" * 40, 7, 2**200, bytearray(b"y")] * 5] * 5
ENCODED = rlp.encode(ITEM)
SORTED = sorted(PAIRS.items())
TRIE = Trie(PAIRS)
SLOTS = {SOURCE.getrandbits(256): SOURCE.getrandbits(256) for _ in range(200)}
WORDS = {slot.to_bytes(32, "big"): value for slot, value in SLOTS.items()}
SPELLED = {hex(slot): hex(value) for slot, value in SLOTS.items()} | {"0x0": "0x0"}
ENTRY = {"nonce": "0x1", "balance": hex(2**80), "code": "0x6001", "storage": SPELLED}
BAD_ENTRIES = [
    {**ENTRY, "nonce": hex(2**64)},
    {**ENTRY, "balance": 5},
    {**ENTRY, "code": "0x6"},
    {**ENTRY, "storage": {**SPELLED, "0x00": "0x0"}},
    {**ENTRY, "storage": {**SPELLED, "0x5": None}},
    {**ENTRY, "other": None},
]
ALLOC = Alloc({SOURCE.randbytes(20): Account.from_json(ENTRY) for _ in range(20)})
FORGED = Account()
object.__setattr__(FORGED, "storage", {})
ODD_ACCOUNTS = dict(list(ALLOC.items())[:1]) | {Address(5): FORGED}
ENTRIES = {f"{number:040x}": ENTRY for number in range(20)}
ODD_ENTRIES = [
    {**ENTRIES, "0x" + 40 * "0": ENTRY},
    {**ENTRIES, "0x": ENTRY},
    {**ENTRIES, 40 * "f": BAD_ENTRIES[0]},
    {**ENTRIES, 5: ENTRY},
]
TEXT = "0x" + 40 * "5f"
HEADER = Header(extra_data=b"extra", base_fee_per_gas=2**70).to_json()
LOG = {"address": "0x" + 40 * "1", "topics": ["0x" + 64 * "2"] * 3, "data": TEXT}
RECEIPT = {
    "type": "0x2",
    "status": "0x1",
    "cumulativeGasUsed": hex(2**40),
    "logsBloom": "0x" + 512 * "0",
    "logs": [LOG] * 3,
}
TRANSACTION = {
    "type": "0x2",
    "chainId": "0x1",
    "nonce": "0x5",
    "gas": "0x5208",
    "to": None,
    "value": hex(2**80),
    "input": TEXT,
    "maxFeePerGas": "0x9",
    "v": "0x1",
    "maxPriorityFeePerGas": "0x1",
    "yParity": "0x1",
    "r": "0x1",
    "s": hex(2**255),
    "accessList": [{"address": "0x" + 40 * "1", "storageKeys": ["0x" + 64 * "2"]}],
}
RECORDS = [HEADER, LOG, RECEIPT, TRANSACTION]
MANY = {number.to_bytes(2, "big"): b"v" * 40 for number in range(2_500)}
KEYS, VALUES = b"".join(PAIRS), b"".join(PAIRS.values())
FALLING = memoryview(array("Q", [*range(len(PAIRS), 0, -1), 0]))
FEW = memoryview(array("Q", [0, 1, 3]))
LETTER = PARCEL.rlp()
FORGED_PARCEL = PARCEL.replace()
object.__setattr__(FORGED_PARCEL, "pair", (7, None))
ACCELERATOR: Any = hexary.BACKEND.accelerator
ROUNDS = 400
MOST_GROWTH = 1 << 20


class Rows(UserDict):  # type: ignore[type-arg]  # its items are none on purpose
    """A mapping whose items are no pairs."""

    def items(self) -> Any:
        return [(b"a", b"b"), (b"a", bytearray(b"b")), (b"a",)]


def packed(size: int, values: Any) -> object:
    """Return the root of pairs in two buffers."""
    return packed_trie_root(
        KEYS, VALUES, key_offsets=size, value_offsets=values, threads=2
    )


def attempt(function: Callable[..., object], *arguments: object) -> None:
    """Call *function*, which may refuse its arguments."""
    with contextlib.suppress(
        *(HexaryError, TypeError, ValueError, LookupError, ArithmeticError),
        AttributeError,
    ):
        function(*arguments)


def change_a_copy() -> None:
    """Copy a trie, change and hash the copy, walk through a part of it."""
    other = TRIE.copy()
    for key in list(PAIRS)[:20]:
        other[key] = b"changed"
        del other[key]
    assert other.root_hash != TRIE.root_hash
    next(other.items(start=b"\x40"))
    list(other.items(prefix=b"\x40", reverse=True))


STORE = MemoryStore()
ROOT = Trie(PAIRS, store=STORE).commit()


def use_a_store() -> None:
    """Read, change, prove and commit a trie on a store, and leave some of it lazy."""
    trie = Trie(STORE, ROOT)
    assert trie.prove_many(list(PAIRS)[:9]) != []
    for key in list(PAIRS)[:9]:
        trie[key] = PAIRS[key][:40]
        del trie[key]
    trie.update(list(PAIRS.items())[:9])
    for number, walked in enumerate(trie.nodes()):
        assert trie._core.node_at(walked.path) == walked.node
        if number > 20:
            break
    assert trie.commit() == ROOT


def meet_missing_nodes() -> None:
    """Try to read, change and walk where nodes are not there, or are none."""
    part = partial_trie(ROOT, Trie(STORE, ROOT).prove(next(iter(PAIRS))))
    for key in list(PAIRS)[1:9]:
        attempt(part.__getitem__, key)
        attempt(part.__setitem__, key, b"v")
        attempt(part.__delitem__, key)
        attempt(part.prove, key)
    attempt(lambda: list(part))
    attempt(part._core.set, b"k", None)
    attempt(part._core.opened, None)
    attempt(part._core.items, b"")


def read_json_records() -> None:
    """Read records from JSON: right ones, and ones with something wrong in each key."""
    for read, value in (
        (Header.from_json, HEADER),
        (Receipt.from_json, RECEIPT),
        (transaction_from_json, TRANSACTION),
    ):
        read(value)
        for key in value:
            for other in (None, "zz", 5, [], [None], {}, [{}], "0x" + 66 * "f"):
                attempt(read, {**value, key: other})
    attempt(Receipt.from_json, {**RECEIPT, "logs": [LOG, {**LOG, "topics": ["0x"]}]})
    attempt(Receipt.from_json, {**RECEIPT, "status": None, "root": "0x" + 64 * "3"})
    attempt(lambda: Header.from_json({**HEADER, "more": 1}, unknown="refuse"))


def make_readers() -> None:
    """Make readers of records, and refuse to."""
    for cls in (Header, Receipt, Block):
        make_json_reader(codec_of(cls), JsonForm(fixture=True, refuse_unknown=True))
    attempt(make_json_reader, codec_of(Header), None)
    attempt(make_json_reader, None, None)


def read_records() -> None:
    """Decode a record, and what is nearly one."""
    assert rlp.decode(Parcel, LETTER) == PARCEL
    for place in range(0, len(LETTER), 7):
        attempt(Parcel.from_rlp, LETTER[:place])
        attempt(Parcel.from_rlp, LETTER[:place] + b"\x0d" + LETTER[place + 1 :])


def write_records() -> None:
    """Encode a record in every form, and one that cannot be."""
    assert rlp.encode([PARCEL]) != PARCEL.rlp(exclude=["item"], append=[b"more"])
    assert PARCEL.hash() != PARCEL.hash(view="short")
    attempt(FORGED_PARCEL.rlp)
    with contextlib.suppress(AttributeError):
        Parcel.__new__(Parcel).rlp()


def build_in_one_pass() -> None:
    """Build from pairs of each kind, copy the builder, and meet what it refuses."""
    builder = hexary.TrieBuilder()
    builder.add(*SORTED[0])
    builder.update(iter(SORTED[1:200]))
    builder.update([(bytearray(key), value) for key, value in SORTED[200:250]])
    for odd in ((SORTED[0],), ((b"\xff", None),), (None,), None):
        attempt(builder.update, odd)
    for odd_arguments in ((), (None, 1), (iter(SORTED), None), (SORTED[0], 2**200)):
        attempt(builder._waiting.take, *odd_arguments)
        attempt(builder._waiting.put, *odd_arguments)
    attempt(type(builder._waiting), SORTED, b"", 2**200, 1)
    other = copy.copy(builder)
    other.update([*SORTED[250:], (b"\xff" * 40, b"")])
    assert other.finish() == hexary.trie_root(PAIRS) != builder.finish()
    copy.deepcopy(builder)
    # A cycle, for the collector to find.
    builder._waiting.pairs.append(builder)  # type: ignore[arg-type]


def change_a_state() -> None:
    """Set and read accounts and slots, and find the root."""
    state = State()
    for number in range(20):
        state.set_balance(bytes([number]) * 20, number + 1)
        state.set_storage(bytes([number]) * 20, number, number + 1)
    assert state.copy().root() == state.root()


OPERATIONS: dict[str, Callable[[], object]] = {
    "keccak256": lambda: [attempt(hexary.keccak256, each) for each in (b"a", None)],
    "keccak256_many": lambda: hexary.keccak256_many(PAIRS),
    "keccak256_many, refused": lambda: attempt(hexary.keccak256_many, [b"", None]),
    "keccak256_many, long ones": lambda: hexary.keccak256_many(LONG),
    "Keccak256": lambda: hexary.Keccak256(b"a").copy().digest(),
    "update_many": lambda: update_many([(hexary.Keccak256(), each) for each in LONG]),
    "update_many, refused": lambda: [
        attempt(ACCELERATOR.update_many, [ACCELERATOR.start256(), each], [b"", each])
        for each in (None, ACCELERATOR.start512())
    ],
    "trie_root of long values": lambda: hexary.trie_root(
        (bytes([number]), each) for number, each in enumerate(LONG)
    ),
    "encode": lambda: rlp.encode(ITEM),
    "encode, refused": lambda: attempt(rlp.encode, [ITEM, "text", ITEM]),
    "encoded_size": lambda: rlp.encoded_size(ITEM),
    "decode": lambda: rlp.decode(ENCODED),
    "decode, cut": lambda: [
        attempt(rlp.decode, ENCODED[:size]) for size in range(0, len(ENCODED), 97)
    ],
    "decode_prefix": lambda: rlp.decode_prefix(ENCODED + b"more"),
    "trie_root": lambda: hexary.trie_root(PAIRS),
    "trie_root of a list": lambda: hexary.trie_root(list(PAIRS.items())),
    "trie_root, refused": lambda: attempt(
        hexary.trie_root, [*PAIRS.items(), (b"a", None)]
    ),
    "secure_trie_root": lambda: hexary.secure_trie_root(iter(PAIRS.items())),
    "trie_root in threads": lambda: hexary.trie_root(MANY, threads=2),
    "trie_root, items of a mapping refused": lambda: attempt(hexary.trie_root, Rows()),
    "packed_trie_root": lambda: packed(32, 80),
    "subtree_item": lambda: subtree_item(SORTED, 0),
    "subtree_item, left to the pure twin": lambda: subtree_item(SORTED[:1], 99),
    "subtree_item, refused": lambda: attempt(subtree_item, [(b"a", None)], 1),
    "packed_trie_root, offsets refused": lambda: attempt(packed, 32, FALLING),
    "packed_trie_root of what changes": lambda: packed_trie_root(
        bytearray(b"ab"), memoryview(b"12345")[::2], key_offsets=1, value_offsets=FEW
    ),
    "keccak256_packed": lambda: [
        attempt(ACCELERATOR.keccak256_packed, b"1234", size) for size in (0, 2, 3, "2")
    ],
    "ordered_trie_root": lambda: hexary.ordered_trie_root(list(PAIRS.values())),
    "TrieBuilder": build_in_one_pass,
    "parse_bytes": lambda: [parse_bytes(TEXT), parse_bytes("0x1", odd="pad")],
    "parse_bytes, refused": lambda: [
        attempt(parse_bytes, text) for text in ("0xg0", "0x0", 5, "\ud800")
    ],
    "parse_quantity": lambda: [parse_quantity(text) for text in ("0x5", TEXT, "12")],
    "parse_quantity, refused": lambda: [
        attempt(parse_quantity, text) for text in ("0x", "0xg", None, "01", "é")
    ],
    "slots": lambda: slots_root(plain_slots(SPELLED) or {}),
    "slots, refused": lambda: [
        plain_slots({**SPELLED, "0x00": "0x1"}),
        attempt(slots_root, {**WORDS, -1: 1}),
        attempt(slots_root, {**WORDS, bytes(32): 0}),
    ],
    "storage_root": lambda: storage_root(SLOTS),
    "account": lambda: plain_account(ENTRY),
    "account, refused": lambda: [plain_account(entry) for entry in BAD_ENTRIES],
    "alloc": lambda: plain_accounts(ENTRIES),
    "alloc, refused": lambda: [plain_accounts(entries) for entries in ODD_ENTRIES],
    "alloc from JSON": lambda: [Alloc.from_json(ENTRIES).items(), Alloc.from_json({})],
    "alloc from JSON, refused": lambda: [
        attempt(Alloc.from_json, entries) for entries in ODD_ENTRIES
    ],
    "state root": ALLOC.state_root,
    "state root, refused": lambda: attempt(accounts_root, ODD_ACCOUNTS),
    "Trie": lambda: Trie(PAIRS).root_hash,
    "Trie of a list": lambda: Trie(list(PAIRS.items())).root_hash,
    "Trie of pairs with one key": lambda: Trie([next(iter(PAIRS.items()))] * 5_000),
    "a copy of a Trie": change_a_copy,
    "a Trie on a store": use_a_store,
    "a partial trie": meet_missing_nodes,
    "State": change_a_state,
    "records in JSON": read_json_records,
    "readers of records in JSON": make_readers,
    "records that are decoded": read_records,
    "records that are encoded": write_records,
    "classes of records": lambda: (made_up(), gc.collect()),
}


def resident() -> int:
    """Return the bytes that the process holds."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * 4096


def main() -> int:
    """Run all operations."""
    watched = [
        *(*PAIRS, *PAIRS.values(), ENCODED, ITEM, PAIRS),
        *(*SLOTS, *SLOTS.values(), SLOTS, *WORDS, WORDS, *SPELLED, SPELLED),
        *(*ENTRY.values(), ENTRY),
        *(each for record in RECORDS for each in (record, *record.values()) if each),
        *(ALLOC, *ALLOC.values(), FORGED, TEXT, Account, Address, ENTRIES, *ENTRIES),
        *(account.code for account in ALLOC.values()),
        *(PARCEL, LETTER, Parcel, *PARTS, FORGED_PARCEL),
    ]
    bad = 0
    for name, operation in OPERATIONS.items():
        for _ in range(ROUNDS // 4):
            operation()
        gc.collect()
        counts = [sys.getrefcount(each) for each in watched]
        size = resident()
        for _ in range(ROUNDS):
            operation()
        gc.collect()
        growth = resident() - size
        same = counts == [sys.getrefcount(each) for each in watched]
        good = same and growth < MOST_GROWTH
        bad += not good
        told = "ok" if good else "LEAKS" if same else "REFERENCES"
        print(f"{told:10} {growth:>10,} bytes  {name}")  # noqa: T201 - a program's output
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
