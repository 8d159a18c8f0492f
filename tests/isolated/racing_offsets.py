"""
Find roots of packed pairs while another process writes to their offsets.

    python tests/isolated/racing_offsets.py [SECONDS]

The interpreter's lock does not keep offsets as they are where memory is shared.  What
comes out is the root of something, or a `RangeError`; the process has to survive.
"""

from __future__ import annotations

import mmap
import os
import signal
import sys
import time
from array import array

import hexary
from hexary import RangeError
from hexary.trie.root import packed_trie_root

COUNT = 30_000
PLACE = 20_000
FAR = 1 << 62
KEYS = b"".join(number.to_bytes(2, "big") for number in range(COUNT))


def main() -> None:
    """Race until the time is over, and once at least."""
    if hexary.BACKEND.name != "native":
        raise SystemExit("no accelerator in use")
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
    shared = mmap.mmap(-1, 8 * (COUNT + 1))
    shared.write(array("Q", range(0, 2 * COUNT + 2, 2)).tobytes())
    view = memoryview(shared).cast("Q")
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        while os.getppid() == parent:  # it may have died of what is tested here
            for _ in range(1_000):
                view[PLACE] = FAR
                view[PLACE] = 2 * PLACE
        os._exit(0)
    outcomes = {"roots": 0, "refused": 0}
    end = time.monotonic() + seconds
    try:
        while True:
            try:
                packed_trie_root(KEYS, KEYS, key_offsets=view, value_offsets=2)
                outcomes["roots"] += 1
            except RangeError:
                outcomes["refused"] += 1
            if time.monotonic() > end:
                break
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    print("fine:", outcomes)  # noqa: T201 - a program's output


if __name__ == "__main__":
    main()
