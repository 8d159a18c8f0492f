"""What a large trie takes of memory, above the keys and values of its owner."""

from __future__ import annotations

import os
import subprocess
import sys

__all__ = ["GOAL", "KEYS", "measure_memory"]

KEYS = 100_000
GOAL = 120_000_000

CODE = """
import gc, os, random, sys
{imports}
source = random.Random(1)
pairs = {{source.randbytes(32): source.randbytes(80) for _ in range({keys})}}
def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
before = resident()
{build}
print(resident() - before)
"""

CONTESTANTS = {
    "hexary": ("import hexary", "trie = hexary.Trie(pairs); trie.root_hash"),
    "trie, squash_changes": (
        "from trie import HexaryTrie",
        """
trie = HexaryTrie({}, prune=True)
with trie.squash_changes() as batch:
    for key, value in pairs.items():
        batch[key] = value
del batch
""",
    ),
}


def measure_memory() -> dict[str, int]:
    """Return name → bytes that the process grows by, each in a new process."""
    environment = dict(os.environ, HEXARY_BACKEND="pycryptodome")
    grown = {}
    for name, (imports, build) in CONTESTANTS.items():
        code = CODE.format(imports=imports, build=build, keys=KEYS)
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        grown[name] = int(done.stdout)
    return grown
