"""
Run what the accelerator does while Python has no memory at one place after the other.

    python tests/isolated/no_memory.py

Each operation runs again and again, and each time another one of its allocations fails.
It may raise MemoryError, or do without, and is as good as ever afterwards; that no
reference is lost, or given back twice, is looked at as well.  Exit code 1 if not.
"""

from __future__ import annotations

import _testcapi
import gc
import sys
from collections.abc import Callable
from typing import Any

from parcels import PARCEL, PARTS, Parcel

import hexary
from hexary import Address, Trie, rlp
from hexary.chain import Header, Receipt
from hexary.hash import update_many
from hexary.rlp.codec import codec_of
from hexary.rlp.json_layout import json_record_layout
from hexary.rlp.kinds import JsonForm
from hexary.rlp.record_source import make_json_reader
from hexary.state import Account
from hexary.state.account import accounts_root, plain_account
from hexary.state.alloc import plain_accounts
from hexary.state.storage import plain_slots, slots_root
from hexary.trie import HashNode
from hexary.trie.core import Core, hash_cores
from hexary.trie.node_cache import stored_node
from hexary.trie.root import (
    ordered_trie_root,
    packed_trie_root,
    secure_trie_root,
    subtree_item,
)
from hexary.trie.waiting_pairs import WaitingPairs
from hexary.twin import adopt
from hexary.typed.hexstr import parse_bytes, parse_quantity

MOST_PLACES = 3_000
MOST_SPARED = 60
"""How many allocations in a row an operation may do without before its last one."""
LONG = [bytes([number]) * (900 + 700 * number) for number in range(40)]
# A list: later ones than 3.11 do not survive a generator that has no memory.
LONG_PAIRS = [(bytes([number]), each) for number, each in enumerate(LONG)]
PAIRS = {bytes([number, 7]) * 9: bytes([number]) * 40 for number in range(40)}
SORTED = sorted(PAIRS.items())
LISTED = [*PAIRS.items(), [b"a", bytearray(b"b")]]
REPEATED = [next(iter(PAIRS.items()))] * 5_000
ROOT = hexary.trie_root(PAIRS)
BLOBS = dict(Trie(PAIRS)._core.new_nodes())
SPELLED = {"0x1": "0x2", 5: 2**200, b"\1\2": "0x0"}
ENTRY = {"nonce": "0x1", "balance": hex(2**90), "code": "0x6001", "storage": SPELLED}
SLOTS = {1: 2, 2**200: 2**255, 7: 2**64}
WORDS = {slot.to_bytes(32, "big"): value for slot, value in SLOTS.items()}
ENTRIES = {f"{number:040x}": ENTRY for number in range(3)} | {40 * "f": {}}
ODD_ENTRIES = {40 * "e": {"balance": 5}} | ENTRIES
ACCOUNTS = {
    Address(number): Account(balance=2**80, storage=SLOTS, code=number * b"c")
    for number in range(1, 5)
}
HEADER = Header(extra_data=b"extra", base_fee_per_gas=2**70).to_json()
LOG = {"address": "0x" + 40 * "1", "topics": ["0x" + 64 * "2"] * 3, "data": "0x1234"}
RECEIPT = {
    "type": "0x2",
    "status": "0x1",
    "cumulativeGasUsed": hex(2**40),
    "logsBloom": "0x" + 512 * "0",
    "logs": [LOG] * 3,
}
RPC = JsonForm(fixture=False)
RECEIPT_CODEC = codec_of(Receipt)
RECEIPT_LAYOUT = json_record_layout(RECEIPT_CODEC, RPC)
# The field that is a list is made a tuple in Python, of which later ones do not survive
# that there is no memory, with no accelerator either.
VIEWS: list[dict[str, Any]] = [{"view": "short"}]
if sys.version_info < (3, 12):
    VIEWS.append({})
ITEM = [[b"x" * 40, 7, 2**200, bytearray(b"y")] * 3] * 20
ENCODED = rlp.encode(ITEM)
LETTER = PARCEL.rlp()


class Source:
    """A source of nodes."""

    def node(self, digest: bytes, path: bytes) -> object:
        return stored_node(BLOBS[digest], digest, path)

    def encoding(self, digest: bytes, _: bytes) -> bytes:
        return BLOBS[digest]


SOURCE = Source()


def lazy() -> Any:
    """Return a core of which only the hash is known."""
    return Core(HashNode(bytes(ROOT)), SOURCE)


def change() -> object:
    """Change a core in every way."""
    core = lazy()
    other = core.copy()
    for key in list(PAIRS)[:3]:
        core.set(key, b"other" * 9)
        core.delete(key)
    hash_cores([core, other])
    return core.root_hash(), other.root_hash(), core.new_nodes(), core.settle()


def read() -> object:
    """Read a core in every way."""
    core = lazy()
    keys = list(PAIRS)[:3]
    found = [core.get(key) for key in keys], core.proof(keys)
    walked = list(core.items(prefix=b"", start=keys[0], stop=keys[2], reverse=True))
    nodes = [core.node_at(bytes(count)) for count in range(4)]
    return found, walked, nodes, core.opened(core.root, b"")


def fill(pairs: Any) -> object:
    """Return the root of a core with pairs in it."""
    core = Core()
    if core.update(pairs) is None:  # as a trie does then
        for key, value in pairs.items() if isinstance(pairs, dict) else pairs:
            core.set(key, bytes(value))
    return core.root_hash()


def wait() -> object:
    """Return the pairs that wait, taken in each way."""
    waiting = WaitingPairs([], b"", 0, 6_000)
    source = iter(SORTED)
    taken = waiting.put(next(source), 144), waiting.take(source, 144)
    refused = waiting.take(iter([None]), 144)
    return taken, refused, waiting.pairs, waiting.last, waiting.count, waiting.room


OPERATIONS: dict[str, Callable[[], object]] = {
    "pairs that wait": wait,
    "a core that is changed": change,
    "a core that is read": read,
    "a core from a dict": lambda: fill(PAIRS),
    "a core from a list": lambda: fill(LISTED),
    "a core from pairs with one key": lambda: fill(REPEATED),
    "trie_root": lambda: hexary.trie_root(LISTED),
    "secure_trie_root": lambda: secure_trie_root(iter(PAIRS.items())),
    "subtree_item": lambda: subtree_item(sorted(PAIRS.items()), 0),
    "ordered_trie_root": lambda: ordered_trie_root(list(PAIRS.values())),
    "packed_trie_root": lambda: packed_trie_root(
        bytearray(b"abcd"), b"1234", key_offsets=1, value_offsets=1, threads=2
    ),
    "plain_account": lambda: plain_account(ENTRY),
    "plain_accounts": lambda: plain_accounts(ENTRIES),
    "plain_accounts, some odd": lambda: plain_accounts(ODD_ENTRIES),
    "plain_slots": lambda: plain_slots(SPELLED),
    "slots_root": lambda: slots_root(WORDS),
    "accounts_root": lambda: accounts_root(ACCOUNTS),
    "parse_bytes": lambda: (parse_bytes("0x1234"), parse_bytes("0x1", odd="pad")),
    "parse_quantity": lambda: parse_quantity("0x" + 40 * "f"),
    "a header in JSON": lambda: Header.from_json(HEADER),
    "a receipt in JSON": lambda: Receipt.from_json(RECEIPT),
    "a reader of JSON": lambda: make_json_reader(RECEIPT_CODEC, RPC)(RECEIPT),
    "encode": lambda: rlp.encode(ITEM),
    "decode": lambda: rlp.decode(ENCODED),
    "records that are decoded": lambda: rlp.decode(Parcel, LETTER),
    "records that are encoded": lambda: [PARCEL.rlp(**each) for each in VIEWS],
    "keccak256_many": lambda: hexary.keccak256_many([*PAIRS, bytearray(b"m")]),
    "keccak256": lambda: hexary.keccak256(memoryview(b"message")[::2]),
    "Keccak256": lambda: hexary.Keccak256(b"a").copy().digest(),
    "update_many": lambda: update_many([(hexary.Keccak256(), each) for each in LONG]),
    "trie_root of long values": lambda: hexary.trie_root(LONG_PAIRS),
}


def fail_everywhere(operation: Callable[[], object]) -> int:
    """Run an operation; return how many of its allocations it needs, at least."""
    right = operation()
    last = 0
    for place in range(MOST_PLACES):
        refused = False
        result: object = None
        _testcapi.set_nomemory(place, place + 1)
        try:
            result = operation()
        except (MemoryError, SystemError):
            refused = True
        finally:
            _testcapi.remove_mem_hooks()
        if not refused and result != right:
            raise SystemExit(f"without allocation {place}: {result!r}")
        if operation() != right:
            raise SystemExit(f"after allocation {place} was refused: not as before")
        if refused:
            last = place
        elif place > last + MOST_SPARED:
            break
    return last + 1


def main() -> int:
    """Run all operations."""
    # The layout is ready, as it is made in Python, where 3.12 and 3.13 crash, too.
    adopt(
        json_layout=lambda codec, form: (
            RECEIPT_LAYOUT
            if codec is RECEIPT_CODEC
            else json_record_layout(codec, form)
        )
    )
    # Without the list: list(…) of Python itself loses a reference without memory.
    watched = [
        *(
            *PAIRS,
            *PAIRS.values(),
            PAIRS,
            LISTED,
            *LISTED,
            *SORTED,
            REPEATED[0],
            REPEATED,
        ),
        *(SPELLED, *SPELLED.values(), ENTRY, *ENTRY.values(), SLOTS, *SLOTS.values()),
        *(HEADER, *HEADER.values(), RECEIPT, *RECEIPT.values(), LOG, *LOG.values()),
        *(
            ACCOUNTS,
            *ACCOUNTS,
            *ACCOUNTS.values(),
            ENTRIES,
            *ENTRIES,
            ITEM,
            *ITEM,
            ENCODED,
            SOURCE,
            *BLOBS,
            *BLOBS.values(),
        ),
        *(PARCEL, LETTER, *(part for part in PARTS if type(part) is not list)),
    ]
    # There is one of each small number, for all of Python.
    watched = [each for each in watched if type(each) is not int or each > 256]
    bad = 0
    for name, operation in OPERATIONS.items():
        operation()
        gc.collect()
        counts = [sys.getrefcount(each) for each in watched]
        places = fail_everywhere(operation)
        gc.collect()
        good = counts == [sys.getrefcount(each) for each in watched]
        bad += not good
        told = "ok" if good else "REFERENCES"
        print(f"{told:10} {places:>5} places  {name}", flush=True)  # noqa: T201
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
