"""
Compare the accelerator with the pure code on random cases, as many as asked for.

    python tests/isolated/count_differences.py [CASES [SEED]]

Each case is one input to both twins: hostile or valid encodings to `rlp.decode`,
objects to `rlp.encode` and `rlp.encoded_size`, pairs to `trie_root`, text to
`parse_bytes` and `parse_quantity`, entries of allocs, and states.
What they return, or the class, text and attributes of what they raise, has to be
equal.  Exit code 1 and the first differences if not.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any

from hexary import rlp
from hexary.state.account import Account, accounts_root, plain_account
from hexary.state.storage import AccountStorage, plain_slots, slots_root
from hexary.trie.root import trie_root
from hexary.twin import pure_twins
from hexary.typed.hexstr import parse_bytes, parse_quantity

PURE = pure_twins()
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
            digits = str(source.getrandbits(source.choice((4, 60, 70))))
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
        accounts = [self.account() for _ in range(self.random.randrange(5))]
        pure = PURE["hexary.state.account.accounts_root"]
        mine, theirs = outcome(accounts_root, accounts), outcome(pure, accounts)
        return "state", accounts, mine, theirs

    def account(self) -> tuple[bytes, Account, bytes]:
        """Return an account with its address and the hash of its code."""
        source = self.random
        slots = {
            source.getrandbits(source.choice((3, 64, 256))): source.getrandbits(
                source.choice((3, 7, 8, 64, 256))
            )
            | 1
            for _ in range(source.randrange(4))
        }
        account = Account(
            nonce=source.getrandbits(source.choice((1, 8, 64))),
            balance=source.getrandbits(source.choice((1, 63, 64, 100, 256))),
            storage=AccountStorage.of_slots(slots),
        )
        address = source.randbytes(20) if source.random() < 0.95 else bytes(20)
        return address, account, source.randbytes(32)

    def compare(self) -> tuple[str, object, object, object]:
        """Run a case; return its kind, input and both outcomes."""
        kind = self.random.random()
        if self.random.random() < 0.4:
            return self.compare_text()
        if kind < 0.6:
            data = self.encoded()
            limits = {}
            if kind < 0.2:
                limits["max_depth"] = self.random.randrange(5)
                limits["max_items"] = self.random.randrange(8)
            pure = PURE["hexary.rlp.decoding.decode"]
            return (
                "decode",
                (data, limits),
                outcome(rlp.decode, data, **limits),
                outcome(pure, data, **limits),
            )
        if kind < 0.9:
            item = self.item()
            if kind < 0.8:
                pure = PURE["hexary.rlp.encoding.encode"]
                return "encode", item, outcome(rlp.encode, item), outcome(pure, item)
            pure = PURE["hexary.rlp.encoding.encoded_size"]
            return "size", item, outcome(rlp.encoded_size, item), outcome(pure, item)
        count = self.random.randrange(8)
        pairs = [(self.key(), self.value()) for _ in range(count)]
        pure = PURE["hexary.trie.root.trie_root"]
        return "root", pairs, outcome(trie_root, pairs), outcome(pure, pairs)


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
