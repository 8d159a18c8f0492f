"""
Use hexary in interpreters inside one process, one after the other and side by side.

    python tests/isolated/interpreters.py
"""

from __future__ import annotations

import sys
import threading
from importlib import import_module

import hexary

NAME = "_interpreters" if sys.version_info >= (3, 13) else "_xxsubinterpreters"
INTERPRETERS = import_module(NAME)

CODE = """
import hexary
from hexary import rlp
assert hexary.BACKEND.name == "native"
assert hexary.keccak256(b"").hex().startswith("c5d2460186f7233c")
pairs = {bytes([number]): b"v" * 40 for number in range(200)}
assert hexary.Trie(pairs).root_hash == hexary.trie_root(pairs)
store = hexary.MemoryStore()
root = hexary.Trie(pairs, store=store).commit()
trie = hexary.Trie(store, root)
trie[b"key"] = b"v"
del trie[b"key"]
assert dict(trie) == pairs and trie.root_hash == root
try:
    hexary.partial_trie(root)[b"key"]
except hexary.MissingNodeError as error:
    assert error.node_hash == root
else:
    raise SystemExit("read")
assert rlp.decode(rlp.encode([b"a", [2**100]]))[0] == b"a"
@rlp.record
class Pair(rlp.Record):
    left: hexary.Hash
    right: rlp.U256
pair = rlp.decode(Pair, Pair(hexary.Hash(1), 2**200).rlp())
assert pair == Pair(hexary.Hash(1), 2**200) and pair.hash() == Pair.hash(pair)
assert Pair.from_json(pair.to_json()) == pair
try:
    Pair.from_json({**pair.to_json(), "right": "0x"})
except hexary.FixtureError as error:
    assert error.field == "pair.right", error.field
else:
    raise SystemExit("accepted")
try:
    rlp.decode(bytes([0xb8, 1]))
except hexary.DecodeError as error:
    assert error.reason is hexary.DecodeReason.NON_CANONICAL_LENGTH
else:
    raise SystemExit("accepted")
"""


CHAIN = """
from hexary.chain import Header
header = Header(number=5, base_fee_per_gas=2**70)
assert Header.from_json(header.to_json()) == header
try:
    Header.from_json({**header.to_json(), "number": "0x"})
except hexary.FixtureError as error:
    assert error.field == "header.number"
else:
    raise SystemExit("accepted")
"""
# This imports hashlib, and by that alone CPython 3.12.1 corrupts its memory, in an
# interpreter that is not the main one.
if sys.version_info[:2] != (3, 12):
    CODE += CHAIN


def run_inside() -> None:
    """Run the code in an interpreter of its own."""
    interpreter = INTERPRETERS.create()
    run = getattr(INTERPRETERS, "exec", None) or INTERPRETERS.run_string
    failure = run(interpreter, CODE)
    INTERPRETERS.destroy(interpreter)
    if failure is not None:
        raise SystemExit(str(failure))


def main() -> None:
    """Run some of them."""
    if hexary.BACKEND.name != "native":
        raise SystemExit("no accelerator in use")
    for _ in range(3):
        run_inside()
    threads = [threading.Thread(target=run_inside) for _ in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert hexary.keccak256(b"").hex().startswith("c5d2460186f7233c")
    print("fine")  # noqa: T201 - a program's output


if __name__ == "__main__":
    main()
