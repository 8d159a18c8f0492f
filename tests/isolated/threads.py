"""
Use hexary in threads: all of them read one trie, and each changes one of its own.

    python tests/isolated/threads.py [ROUNDS]

The interpreter switches threads as often as it can.  One more thread changes the kernel
all the time, which may change nothing else.
"""

from __future__ import annotations

import random
import sys
import threading
from collections.abc import Callable

import hexary
from hexary import Trie, rlp, verify_proof
from hexary.state import Account, Alloc

THREADS = 4
SHARED = {random.Random(n).randbytes(32): bytes([n % 251]) * 60 for n in range(600)}
LARGE = {random.Random(-n).randbytes(32): bytes([n % 251]) * 90 for n in range(3_000)}
ALLOC = Alloc(
    {
        hexary.Address(n): Account(
            n, code=bytes([n % 7]) * n, storage={n: n, 5: 2**200}
        )
        for n in range(1, 300)
    }
)


class Failures:
    """What went wrong, in whichever thread."""

    def __init__(self) -> None:
        self.found: list[BaseException] = []

    def guard(self, work: Callable[[int], None], number: int) -> None:
        """Do the work of a thread."""
        try:
            work(number)
        except BaseException as error:  # noqa: BLE001  # the main thread raises it
            self.found.append(error)


def expect(condition: object, what: str) -> None:
    """Raise unless *condition* is true."""
    if not condition:
        raise AssertionError(what)


def read(trie: Trie, root: bytes, source: random.Random) -> None:
    """Read the shared trie in every way."""
    key = source.choice(list(SHARED))
    expect(trie.root_hash == root, "the root of the shared trie")
    expect(trie[key] == SHARED[key], "a value of the shared trie")
    expect(key[::-1] not in trie, "an absent key of the shared trie")
    proof = trie.prove(key)
    expect(verify_proof(root, key, proof) == SHARED[key], "a proof")
    pairs = list(trie.items(prefix=key[:1]))
    expect(
        pairs == sorted(pair for pair in SHARED.items() if pair[0][0] == key[0]),
        "the pairs below a prefix",
    )
    copy = trie.copy()
    copy[key] = b"changed"
    expect(copy.root_hash != root, "the root of a copy")
    expect(trie[key] == SHARED[key], "a value after a copy changed")


def change(own: Trie, table: dict[bytes, bytes], source: random.Random) -> None:
    """Change a trie and a dict alike, and compare their roots."""
    for _ in range(30):
        key = source.randbytes(2)
        if source.random() < 0.3 and table:
            key = source.choice(list(table))
            del own[key]
            del table[key]
        else:
            own[key] = table[key] = source.randbytes(1 + source.randrange(60))
    expect(own.root_hash == hexary.trie_root(table), "the root of a trie that changes")


def main() -> int:
    """Run the threads."""
    accelerator = hexary.BACKEND.accelerator
    if accelerator is None:
        raise SystemExit("no accelerator in use")
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    sys.setswitchinterval(1e-6)
    root = hexary.trie_root(SHARED)
    shared = Trie(SHARED)  # its nodes are hashed by whichever thread comes first
    large_root = hexary.trie_root(LARGE)
    state_root, entries = ALLOC.state_root(), ALLOC.to_json()
    encoded = rlp.encode([[key, [value]] for key, value in SHARED.items()])
    failures = Failures()
    is_over = threading.Event()

    def work(number: int) -> None:
        source = random.Random(number)
        own, table = Trie(), dict[bytes, bytes]()
        for _ in range(rounds):
            read(shared, root, source)
            change(own, table, source)
            found = hexary.trie_root(LARGE, threads=1 + number % 3)
            expect(found == large_root, "the root of many pairs")
            expect(ALLOC.state_root() == state_root, "the root of a state")
            expect(Alloc.from_json(entries) == ALLOC, "accounts that are read")
            expect(rlp.encode(rlp.decode(encoded)) == encoded, "a round trip of RLP")

    def switch_kernels(_: int) -> None:
        usable = [name for name, _, runs in accelerator.kernels() if runs]
        source = random.Random(0)
        while not is_over.wait(0.001):
            accelerator.use_kernel(source.choice(usable))

    threads = [
        threading.Thread(target=failures.guard, args=(work, number))
        for number in range(THREADS)
    ]
    switching = threading.Thread(target=failures.guard, args=(switch_kernels, 0))
    for each in (*threads, switching):
        each.start()
    for each in threads:
        each.join()
    is_over.set()
    switching.join()
    for error in failures.found:
        raise error
    print("fine")  # noqa: T201 - a program's output
    return 0


if __name__ == "__main__":
    sys.exit(main())
