"""What an adversary does with proofs: awkward tries, and changes of their nodes."""

from __future__ import annotations

from hypothesis import strategies as st

from hexary import keccak256
from oracle import oracle_item, oracle_rlp

__all__ = ["KEYS", "VALUES", "forged", "mutated"]

KEYS = st.one_of(
    st.binary(max_size=3),
    st.binary(min_size=2, max_size=4).map(
        lambda key: bytes(byte & 0x11 for byte in key)
    ),
)
VALUES = st.one_of(
    st.binary(min_size=1, max_size=4),
    st.binary(min_size=28, max_size=36),
    # Values that could be taken for nodes or hashes.
    st.just(bytes.fromhex("c22076")),
    st.just(keccak256(b"\x80")),
)


def mutated(
    data: st.DataObject, nodes: list[bytes], others: list[bytes]
) -> list[bytes]:
    """Return *nodes* after one to three changes that an adversary could make."""
    nodes = list(nodes)
    for _ in range(data.draw(st.integers(1, 3))):
        way = data.draw(
            st.sampled_from(
                [
                    "flip",
                    "cut",
                    "extend",
                    "drop",
                    "double",
                    "swap",
                    "add",
                    "value",
                    "hash",
                ]
            )
        )
        if way == "add" or not nodes:
            nodes.append(data.draw(st.sampled_from([*others, b"\x80", b"", b"\xc0"])))
            continue
        index = data.draw(st.integers(0, len(nodes) - 1))
        node = nodes[index]
        if way == "flip" and node:
            place = data.draw(st.integers(0, len(node) - 1))
            changed = node[place] ^ data.draw(st.integers(1, 255))
            nodes[index] = node[:place] + bytes([changed]) + node[place + 1 :]
        elif way == "cut":
            nodes[index] = node[: data.draw(st.integers(0, len(node)))]
        elif way == "extend":
            nodes[index] = node + data.draw(st.binary(min_size=1, max_size=3))
        elif way == "drop":
            del nodes[index]
        elif way == "double":
            nodes.append(node)
        elif way == "swap":
            nodes[0], nodes[index] = nodes[index], nodes[0]
        elif way == "value" and len(node) > 33:
            # A value or a child becomes the hash of another node.
            place = data.draw(st.integers(0, len(node) - 32))
            digest = keccak256(data.draw(st.sampled_from([*others, node])))
            nodes[index] = node[:place] + digest + node[place + 32 :]
        elif way == "hash":
            nodes[index] = keccak256(node)
    return nodes


LEAF = [b" ", b"v"]
FORK = [*[b""] * 14, LEAF, LEAF, b""]


def forged(data: st.DataObject, nodes: list[bytes]) -> tuple[bytes, list[bytes]]:
    """
    Return a root and nodes of an adversary who changes one and makes all hashes fit.

    Args:
        data: what to draw from.
        nodes: nodes of a trie, each after its parent.
    """
    made = list(nodes)
    index = data.draw(st.integers(0, len(nodes) - 1))
    if data.draw(st.booleans()):
        place = data.draw(st.integers(0, len(made[index]) - 1))
        changed = bytearray(made[index])
        changed[place] ^= data.draw(st.integers(1, 255))
        made[index] = bytes(changed)
    else:
        made[index] = oracle_rlp(_with_other_item(data, oracle_item(made[index]), made))
    for below in range(index, 0, -1):
        if made[below] != nodes[below]:
            before, after = keccak256(nodes[below]), keccak256(made[below])
            made[:below] = [node.replace(before, after) for node in made[:below]]
    return keccak256(made[0]), made


def _with_other_item(data: st.DataObject, item: list, nodes: list[bytes]) -> list:
    """Return a node's items with one of them replaced, added or removed."""
    items = list(item)
    place = data.draw(st.integers(0, len(items) - 1))
    if isinstance(items[place], list) and data.draw(st.booleans()):
        items[place] = _with_other_item(data, items[place], nodes)
        return items
    way = data.draw(st.sampled_from(["replace", "replace", "replace", "add", "remove"]))
    other = data.draw(
        st.one_of(
            st.sampled_from([b"", LEAF, FORK, [], [b"", b""], [b"\x16", FORK]]),
            st.sampled_from([b"\x20", b"\x31", b"\x11", b"\x00\x11", b"\x40", b"\x2f"]),
            st.sampled_from(nodes).map(keccak256),
            st.sampled_from(nodes).map(oracle_item),
            st.sampled_from([31, 32, 33]).map(bytes),
            st.binary(max_size=3),
        )
    )
    if way == "replace":
        items[place] = other
    elif way == "add":
        items.insert(place, other)
    else:
        del items[place]
    return items
