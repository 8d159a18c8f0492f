"""
Compare the accelerator with the pure code on random cases, as many as asked for.

    python tests/isolated/count_differences.py [CASES [SEED]]

Each case is one input to both twins: hostile or valid encodings to `rlp.decode` and
`rlp.decode_prefix`, objects to `rlp.encode` and `rlp.encoded_size`, pairs to the
functions of roots, messages to every kernel of Keccak, text to `parse_bytes` and
`parse_quantity`, entries of allocs, and states, and what is nearly a record to coders.
What they return, or the class, text and attributes of what they raise, has to be
equal.  Exit code 1 and the first differences if not.
"""

from __future__ import annotations

import random
import sys
from array import array
from collections.abc import Callable
from typing import Any

from parcels import PARCEL, Parcel

import hexary
from hexary import rlp
from hexary._backends import pycryptodome
from hexary.rlp.codec import codec_of
from hexary.rlp.record_coder import Coder, PureCoder
from hexary.rlp.source import RETRIES
from hexary.state.account import Account, accounts_root, plain_account
from hexary.state.alloc import plain_accounts
from hexary.state.storage import AccountStorage, plain_slots, slots_root
from hexary.trie.root import (
    ordered_trie_root,
    packed_trie_root,
    secure_trie_root,
    subtree_item,
    trie_root,
)
from hexary.twin import pure_twins
from hexary.typed.hexstr import parse_bytes, parse_quantity

LETTER = PARCEL.rlp()
CODERS: Any = [make(codec_of(Parcel)) for make in (Coder, PureCoder)]
PURE = pure_twins()
ACCELERATOR: Any = hexary.BACKEND.accelerator
LIBRARY: Any = pycryptodome.load()
KERNELS = [name for name, _, runs in ACCELERATOR.kernels() if runs] if PURE else []
PREFIXES = bytes(
    [
        *(0x00, 0x01, 0x37, 0x38, 0x7F, 0x80, 0x81, 0x82, 0xB6, 0xB7, 0xB8, 0xB9, 0xBF),
        *(0xC0, 0xC1, 0xC2, 0xC3, 0xF6, 0xF7, 0xF8, 0xF9, 0xFF),
    ]
)


def outcome(function: Callable[..., Any], *arguments: Any, **named: Any) -> object:
    """Return what *function* returns, or all that its error says."""
    try:
        return function(*arguments, **named)
    except Exception as error:  # noqa: BLE001  # whatever it is, both have to raise it
        return type(error), str(error), vars(error)


def read_and_encode(coder: Any, data: bytes) -> object:
    """Return the record that *data* begin with, where it ends and how it is encoded."""
    try:
        record, stop = coder.read_alone(data, 0)
    except RETRIES:
        return None
    # Compiled Python leaves it to its caller to see that the bytes are all there.
    return (repr(record), stop, coder.encode(record)) if stop <= len(data) else None


class Cases:
    """Random cases, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def item(self, depth: int = 0) -> Any:
        """Return an item that has an encoding, mostly."""
        source = self.random
        kind = source.random()
        if kind < 0.35 and depth < 5:
            return [self.item(depth + 1) for _ in range(source.randrange(5))]
        if kind < 0.85:
            return source.randbytes(source.choice((0, 1, 1, 2, 5, 32, 54, 55, 56, 60)))
        if kind < 0.97:
            return source.getrandbits(source.choice((1, 7, 8, 63, 64, 65, 256)))
        return source.choice((-1, "text", None, bytearray(b"x"), memoryview(b"y")))

    def encoded(self) -> bytes:
        """Return bytes that are an encoding, or nearly one, or look like one."""
        source = self.random
        if source.random() < 0.5:
            return bytes(
                source.choice(PREFIXES)
                if source.random() < 0.7
                else source.randrange(256)
                for _ in range(source.randrange(14))
            ) + bytes(source.choice((0, 0, 0, 1, 55, 56, 60)))
        data = bytearray(PURE["hexary.rlp.encoding.encode"](self._valid(0)))
        for _ in range(source.randrange(3)):
            place = source.randrange(len(data) + 1)
            if source.random() < 0.5:
                data[place:place] = source.randbytes(1)
            else:
                data[place : place + 1] = source.randbytes(source.randrange(2))
        return bytes(data)

    def _valid(self, depth: int) -> Any:
        source = self.random
        if source.random() < 0.4 and depth < 5:
            return [self._valid(depth + 1) for _ in range(source.randrange(4))]
        return source.randbytes(source.choice((0, 1, 2, 20, 55, 56)))

    def key(self) -> bytes:
        """Return a key that shares its beginning with others."""
        source = self.random
        if source.random() < 0.2:
            return source.randbytes(32)
        return bytes(source.choice((0, 1, 16, 17)) for _ in range(source.randrange(4)))

    def value(self) -> bytes:
        """Return a value, sometimes an empty one."""
        return self.random.randbytes(self.random.choice((0, 1, 2, 20, 33, 130, 300)))

    def text(self) -> str:
        """Return hex or decimal text, or nearly."""
        source = self.random
        digits = f"{source.getrandbits(source.choice((4, 60, 64, 68, 256, 264))):x}"
        if source.random() < 0.1:
            digits = str(source.getrandbits(source.choice((4, 60, 70, 256, 264))))
        text = source.choice(("0x", "0x", "0x", "0X", "", "00")) + digits
        if source.random() < 0.2:
            place = source.randrange(len(text) + 1)
            other = source.choice(("", "g", " ", "-", "_", "\0", "é", "\ud800", "F"))
            text = text[:place] + other + text[place + 1 :]
        return text

    def word(self) -> object:
        """Return a slot or its value in some spelling."""
        source = self.random
        kind = source.random()
        if kind < 0.5:
            return self.text()
        if kind < 0.8:
            return source.getrandbits(source.choice((1, 2, 8, 63, 64, 256, 257)))
        if kind < 0.95:
            return source.randbytes(source.choice((0, 1, 2, 31, 32, 33)))
        return source.choice((None, True, -1, 1.5))

    def storage(self) -> dict[Any, Any]:
        """Return a storage in some spelling."""
        return {self.word(): self.word() for _ in range(self.random.randrange(4))}

    def entry(self) -> dict[str, Any]:
        """Return an entry of an alloc, mostly a plain one."""
        source = self.random
        entry: dict[str, Any] = {}
        for name in ("nonce", "balance", "code", "storage", "comment"):
            if source.random() < (0.05 if name == "comment" else 0.8):
                entry[name] = self.storage() if name == "storage" else self.text()
        return entry

    def compare_text(self) -> tuple[str, object, object, object]:
        """Run a case that begins with text; return as `compare` does."""
        kind = self.random.random()
        given: Any
        if kind < 0.4:
            given, name = self.text(), "parse_bytes"
            pure = PURE["hexary.typed.hexstr.parse_bytes"]
            options = {"odd": "pad"} if kind < 0.15 else {}
            mine = outcome(parse_bytes, given, **options)
            return name, given, mine, outcome(pure, given, **options)
        if kind < 0.7:
            given, name = self.text(), "parse_quantity"
            pure = PURE["hexary.typed.hexstr.parse_quantity"]
            return name, given, outcome(parse_quantity, given), outcome(pure, given)
        if kind < 0.8:
            given, name = self.storage(), "slots"
            pure = PURE["hexary.state.storage.plain_slots"]
            mine, theirs = outcome(plain_slots, given), outcome(pure, given)
            if mine is None or mine != theirs:
                return name, given, mine, theirs
            pure = PURE["hexary.state.storage.slots_root"]
            return name, given, outcome(slots_root, mine), outcome(pure, theirs)
        if kind < 0.9:
            given, name = self.entry(), "account"
            pure = PURE["hexary.state.account.plain_account"]
            return name, given, outcome(plain_account, given), outcome(pure, given)
        if kind < 0.95:
            entries = {self.address(): self.entry() for _ in range(4)}
            pure = PURE["hexary.state.alloc.plain_accounts"]
            mine, theirs = outcome(plain_accounts, entries), outcome(pure, entries)
            return "alloc", entries, mine, theirs
        accounts = dict(self.account() for _ in range(self.random.randrange(5)))
        pure = PURE["hexary.state.account.accounts_root"]
        mine, theirs = outcome(accounts_root, accounts), outcome(pure, accounts)
        return "state", accounts, mine, theirs

    def address(self) -> str:
        """Return the text of an address, or of nearly one; seldom the same twice."""
        source = self.random
        number = source.getrandbits(160 if source.random() < 0.95 else 1)
        text = source.choice(("0x", "0x", "0X", "")) + f"{number:040x}"
        return text if source.random() < 0.98 else text[1:] + source.choice("0gx")

    def account(self) -> tuple[bytes, Account]:
        """Return an account with its address."""
        source = self.random
        slots = {
            source.getrandbits(source.choice((3, 64, 256))).to_bytes(32, "big"): (
                source.getrandbits(source.choice((3, 7, 8, 64, 256))) | 1
            )
            for _ in range(source.randrange(4))
        }
        account = Account(
            nonce=source.getrandbits(source.choice((1, 8, 64))),
            balance=source.getrandbits(source.choice((1, 63, 64, 100, 256))),
            code=b"code"[: source.choice((0, 0, 2, 4))] * source.choice((1, 40, 400)),
            storage=AccountStorage.of_slots(slots),
        )
        return source.randbytes(20), account

    def compare(self) -> tuple[str, object, object, object]:
        """Run a case; return its kind, input and both outcomes."""
        kind = self.random.random()
        if self.random.random() < 0.4:
            return self.compare_text()
        if self.random.random() < 0.2:
            return self.compare_record()
        if kind < 0.6:
            data = self.encoded()
            limits = {}
            if kind < 0.2:
                limits["max_depth"] = self.random.randrange(5)
                limits["max_items"] = self.random.randrange(8)
            name, own = "decode", rlp.decode
            if kind > 0.5:
                name, own = "decode_prefix", rlp.decode_prefix
            mine = outcome(own, data, **limits)
            pure = PURE[f"hexary.rlp.decoding.{name}"]
            return name, (data, limits), mine, outcome(pure, data, **limits)
        if kind < 0.9:
            item = self.item()
            if kind < 0.8:
                pure = PURE["hexary.rlp.encoding.encode"]
                return "encode", item, outcome(rlp.encode, item), outcome(pure, item)
            pure = PURE["hexary.rlp.encoding.encoded_size"]
            return "size", item, outcome(rlp.encoded_size, item), outcome(pure, item)
        return self.compare_root() if kind < 0.96 else self.compare_keccak()

    def compare_record(self) -> tuple[str, object, object, object]:
        """Read what is nearly a record; return as `compare` does."""
        source = self.random
        data = bytearray(LETTER)
        for _ in range(source.choice((0, 1, 1, 1, 2))):
            place = source.randrange(len(data) + 1)
            byte = source.choice((source.randrange(256), source.choice(PREFIXES)))
            width = source.choice((1, 1, 1, 1, 0))
            data[place : place + width] = bytes([byte] * source.choice((1, 1, 1, 1, 0)))
        mine, theirs = (read_and_encode(coder, bytes(data)) for coder in CODERS)
        return "record", bytes(data), mine, theirs

    def compare_root(self) -> tuple[str, object, object, object]:
        """Run a case of a root; return as `compare` does."""
        source = self.random
        count = source.randrange(8) if source.random() < 0.95 else source.randrange(300)
        pairs: Any = [(self.key(), self.value()) for _ in range(count)]
        if source.random() < 0.03 and pairs:
            odd = (b"", "key", None, bytearray(b"k"), memoryview(b"k"), 5)
            pairs[-1] = source.choice(((source.choice(odd), b"v"), (b"k",), 7))
        kind = source.random()
        if kind < 0.5:
            given = source.choice((list, tuple))(pairs)
            name, own = "trie_root", trie_root
        elif kind < 0.7:
            name, own, given = "secure_trie_root", secure_trie_root, pairs
        elif kind < 0.8:
            given = [pair[-1] if isinstance(pair, tuple) else pair for pair in pairs]
            name, own = "ordered_trie_root", ordered_trie_root
        elif kind < 0.9:
            return self.compare_subtree(pairs)
        else:
            return self.compare_packed(count)
        pure = PURE[f"hexary.trie.root.{name}"]
        return name, given, outcome(own, given), outcome(pure, given)

    def compare_subtree(self, pairs: list[Any]) -> tuple[str, object, object, object]:
        """Find the item of a part of a trie; return as `compare` does."""
        source = self.random
        prefix = source.randbytes(source.randrange(4))
        table = {
            prefix + pair[0]: pair[1]
            for pair in pairs
            if isinstance(pair, tuple) and [*map(type, pair)] == [bytes, bytes]
        }
        given = ([*table.items()], source.randrange(2 * len(prefix) + 2))
        if source.random() < 0.9:
            given[0].sort()
        pure = PURE["hexary.trie.root.subtree_item"]
        return "subtree", given, outcome(subtree_item, *given), outcome(pure, *given)

    def compare_packed(self, count: int) -> tuple[str, object, object, object]:
        """Run a case of packed pairs; return as `compare` does."""
        source = self.random
        named: dict[str, object] = {}
        buffers = []
        for name in ("key_offsets", "value_offsets"):
            if source.random() < 0.4:
                size = source.choice((1, 2, 32))
                named[name] = (
                    size if source.random() < 0.95 else source.randrange(-1, 4)
                )
                buffers.append(source.randbytes(size * count))
            else:
                places = sorted(source.randrange(60) for _ in range(count + 1))
                if source.random() < 0.1:
                    source.shuffle(places)
                named[name] = memoryview(array("Q", places))
                size = 59 if source.random() < 0.05 else 60
                buffers.append(bytes(source.choice((0, 1, 16)) for _ in range(size)))
        pure = PURE["hexary.trie.root.packed_trie_root"]
        mine = outcome(packed_trie_root, *buffers, **named)
        given = (buffers, {name: repr(value) for name, value in named.items()})
        return "packed_root", given, mine, outcome(pure, *buffers, **named)

    def compare_keccak(self) -> tuple[str, object, object, object]:
        """Hash with some kernel and with a library; return as `compare` does."""
        source = self.random
        ACCELERATOR.use_kernel(source.choice(KERNELS))
        sizes = (source.choice((0, 20, 32, 64, 134, 135, 136, 532, 1088)), 300, 60)
        messages: list[Any] = [
            source.randbytes(source.randrange(source.choice(sizes) + 1))
            for _ in range(source.randrange(20))
        ]
        if source.random() < 0.1:
            messages.append(source.choice((None, "text", 5, bytearray(b"m"))))
            messages.append(memoryview(b"message")[:: source.choice((1, -1, 2))])
        whole = b"".join(each for each in messages if isinstance(each, bytes))
        found = []
        for backend in (hexary.BACKEND, LIBRARY):
            running = [backend.start256(), backend.start512()]
            for state in running:
                for message in messages:
                    if isinstance(message, bytes):
                        state.update(message)
            together = [each.copy() for each in running for _ in range(len(messages))]
            pieces = [each for each in messages if isinstance(each, bytes)]
            together = together[: len(pieces)]
            backend.update_many(together, pieces)
            running += together
            found.append(
                (
                    outcome(backend.keccak256_many, messages),
                    [outcome(backend.keccak256, each) for each in messages],
                    outcome(backend.keccak512, whole),
                    [state.digest() for state in running],
                )
            )
        return "keccak", messages, *found


def main() -> int:
    """Run the cases of the command line."""
    if not PURE:
        print("no accelerator in use: there is nothing to compare")  # noqa: T201 - a program's output
        return 2
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    cases = Cases(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    differences = 0
    kinds: dict[str, int] = {}
    for _ in range(count):
        kind, given, mine, theirs = cases.compare()
        kinds[kind] = kinds.get(kind, 0) + 1
        if mine != theirs:
            differences += 1
            print(f"{kind} of {given!r}: {mine!r}, not {theirs!r}")  # noqa: T201 - a program's output
            if differences == 20:
                break
    told = ", ".join(f"{number:,} {kind}" for kind, number in sorted(kinds.items()))
    print(f"{differences} differences in {sum(kinds.values()):,} cases ({told})")  # noqa: T201 - a program's output
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
