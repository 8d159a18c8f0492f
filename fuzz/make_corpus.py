"""
Make the seeds of fuzz/corpus from the published facts in fixtures/.

    python fuzz/make_corpus.py

Files are named by the hash of what they hold; those that fuzzing has found and that
were kept stay as they are.  fuzz/README.md tells each harness's form of input.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from hexary import SecureTrie, Trie

FUZZ = Path(__file__).resolve().parent
FIXTURES = FUZZ.parent / "fixtures"
LONGEST = 2_000


def read(path: str) -> dict[str, Any]:
    """Return a JSON file of fixtures/."""
    table: dict[str, Any] = json.loads((FIXTURES / path).read_text(encoding="utf-8"))
    return table


def text_bytes(text: str | None) -> bytes:
    """Return the bytes of a key or value: 0x-hex, or the text itself."""
    if text is None:
        return b""
    return bytes.fromhex(text[2:]) if text.startswith("0x") else text.encode()


def encodings() -> Iterator[bytes]:
    """Yield RLP, valid and not."""
    for name in ("examples", "boundaries", "refused"):
        for case in read(f"rlp/{name}.json").values():
            yield text_bytes(case["out"])


def pair_lists() -> Iterator[list[tuple[bytes, bytes]]]:
    """Yield the contents of tries, in their order."""
    for name in ("any_order", "any_order_secure", "in_order"):
        for case in read(f"trie/{name}.json").values():
            pairs = case["in"]
            items = pairs.items() if isinstance(pairs, dict) else pairs
            yield [(text_bytes(key), text_bytes(value)) for key, value in items]


def messages() -> Iterator[bytes]:
    """Yield what is hashed."""
    for name in ("texts", "specifications", "blocks"):
        text = (FIXTURES / f"keccak/{name}_256.txt").read_text(encoding="ascii")
        for size, digits in re.findall(r"Len = (\d+)\nMsg = ([0-9A-Fa-f]+)", text):
            yield bytes.fromhex(digits)[: int(size) // 8]


def tries() -> Iterator[Trie]:
    """Yield tries with the pairs."""
    for pairs in pair_lists():
        for kind in (Trie, SecureTrie):
            trie = kind()
            for key, value in pairs:
                trie[key] = value
            if trie:
                yield trie


def sized(piece: bytes) -> bytes:
    """Return *piece* with its size before it."""
    return bytes([len(piece)]) + piece


def operations(keys: list[bytes]) -> bytes:
    """Return what is done to tries with the beginnings of *keys*."""
    rows = [sized(key[:6]) + key[-1:] for key in keys if key]
    done = [b"\x00" + row for row in rows]
    # Hash, copy to the second, commit, walk, change by what is there, and many at once.
    done += [b"\x0a", b"\x08\x01", b"\x09", b"\x0c\x01\x05\x05\x05", b"\x0d\x02"]
    done += [b"\x05" + bytes([4 * place + 1]) for place in range(len(rows))]
    done += [
        b"\x13\x01",
        b"\x1f",
        b"\x15\x05",
        b"\x1b\x02\x01\x00\x05\x01",
        b"\x0d\x0f",
    ]
    return b"".join(done) + b"\x1e\x07\x3f\x03\x19\x15\x09\x15\x0d\x1a"


def account(key: bytes) -> bytes:
    """Return an account at a place that *key* gives, with two slots."""
    number = sized(key[-32:])
    return key[:1].ljust(1) + b"\x01\x02\x01\x05" + number + b"\x02" + 2 * (number * 2)


def seeds() -> Iterator[tuple[str, bytes]]:
    """Yield the harness and the bytes of each seed."""
    for encoding in encodings():
        yield "rlp", encoding
        yield "codec", b"\xff\xff" + encoding
        yield "codec", b"\x02\x03" + encoding
        yield "decode_node", encoding
        yield "node", b"\x02\x01\x23" + encoding
        yield "hex", encoding.hex().encode()[:40]
    for message in messages():
        parts = b"".join(len(message).to_bytes(2, "big") for _ in range(9))
        yield "keccak", bytes([len(message) % 137, 0x1B, 9]) + parts + message
    for pairs in pair_lists():
        keys, values = [key for key, _ in pairs], [value for _, value in pairs]
        yield (
            "bulk_root",
            b"".join(bytes([len(key), len(key) % 48]) + key for key in keys),
        )
        sizes = bytes(map(len, keys)) + bytes(map(len, values))
        packed = bytes([len(pairs)]) + sizes + b"".join(keys) + b"".join(values)
        yield "packed_root", b"\x00\x00" + packed
        yield "packed_root", b"\xd0\xa1" + packed
        yield "trie", operations(keys)
        yield "state", b"".join(map(account, keys))
        for key, other in pairwise(keys):
            yield "hex_prefix", bytes([1, 1, 9, len(key)]) + key + other
            yield "hex_prefix", bytes([0, 2, 2 * len(key), len(key)]) + key + other
        changes = [b"\x01\x02\x01\x00", b"\x00", b"\x01\x01"]
        yield "verify_proof", b"\x80" + b"".join(map(sized, keys + changes))
    for trie in tries():
        for walked in trie.nodes():
            yield "decode_node", walked.node.encoding
            yield "node", b"\x02\x11\x11" + walked.node.encoding
        for key in list(trie)[:2]:
            nodes = trie.prove(key)
            if all(len(node) < 256 for node in nodes):
                stored = sized(key) + b"".join(map(sized, nodes))
                yield "verify_proof", b"\x00" + stored


def main() -> None:
    """Write the seeds."""
    for harness, data in seeds():
        if len(data) > LONGEST:
            continue
        folder = FUZZ / "corpus" / harness
        folder.mkdir(parents=True, exist_ok=True)
        name = hashlib.sha256(data).hexdigest()[:16]
        (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
