"""What a large trie takes of memory, above the keys and values of its owner."""

from __future__ import annotations

from fresh_interpreter import run_code

__all__ = ["MEASURED", "measure_memory"]

MEASURED = {"pycryptodome": (100_000, 120_000_000), "native": (1_000_000, 350_000_000)}
"""Backend → number of keys, and the goal in bytes."""

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


def measure_memory(backend: str) -> dict[str, int]:
    """Return name → bytes that the process grows by, each in a new process."""
    keys, _ = MEASURED[backend]
    grown = {}
    for name, (imports, build) in CONTESTANTS.items():
        if backend == "native" and name != "hexary":
            continue  # a million keys take it many minutes
        code = CODE.format(imports=imports, build=build, keys=keys)
        grown[name] = int(run_code(code, backend=backend))
    return grown
