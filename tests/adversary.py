"""What an adversary does with proofs: awkward tries, and changes of their nodes."""

from __future__ import annotations

from hypothesis import strategies as st

from hexary import keccak256

__all__ = ["KEYS", "VALUES", "mutated"]

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
