"""Range proofs: what they prove, at all edges, and what is refused."""

from __future__ import annotations

import pytest

from hexary import (
    EMPTY_ROOT,
    NodeError,
    ProofError,
    ProofReason,
    RangeError,
    RangeResult,
    SecureTrie,
    SizeError,
    Trie,
    keccak256,
    verify_range,
)

NUMBERS = [*range(1, 5), *range(16, 21), 40, 300]


def word(number: int) -> bytes:
    return number.to_bytes(32, "big")


TRIE = Trie({word(number): bytes([number % 256]) * 40 for number in NUMBERS})
ROOT = TRIE.root_hash
MORE, ALL = RangeResult(has_more=True), RangeResult(has_more=False)


def entries(*numbers: int) -> tuple[list[bytes], list[bytes]]:
    keys = [word(number) for number in numbers]
    return keys, [TRIE.get(key, b"?") for key in keys]


def edges(*numbers: int) -> list[bytes]:
    return TRIE.prove_many(map(word, numbers))


def refused(reason, start, keys, values, nodes, **options) -> ProofError:
    with pytest.raises(ProofError) as caught:
        verify_range(ROOT, word(start), keys, values, nodes, **options)
    assert caught.value.reason is reason, caught.value
    return caught.value


@pytest.mark.parametrize(
    ("start", "numbers", "result"),
    [
        (1, [1], MORE),
        (0, [1], MORE),
        (1, [1, 2, 3], MORE),
        (5, [16, 17], MORE),
        (10, [16, 17, 18, 19, 20], MORE),
        (0, NUMBERS, ALL),
        (300, [300], ALL),
        (41, [300], ALL),
        (301, [], ALL),
        (2**256 - 1, [], ALL),
    ],
)
def test_ranges_are_accepted(start, numbers, result) -> None:
    nodes = edges(start, *numbers[-1:])
    assert verify_range(ROOT, word(start), *entries(*numbers), nodes) == result
    mapping = {keccak256(node): node for node in nodes}
    assert verify_range(ROOT, word(start), *entries(*numbers), mapping) == result


@pytest.mark.parametrize(
    ("start", "end", "numbers", "result"),
    [
        (5, 15, [], MORE),
        (5, 17, [16, 17], MORE),
        (0, 39, NUMBERS[:-2], MORE),
        (0, 299, NUMBERS[:-1], MORE),
        (41, 1000, [300], ALL),
        (301, 1000, [], ALL),
        (18, 18, [18], MORE),
        (6, 6, [], MORE),
    ],
)
def test_the_end_need_not_be_there(start, end, numbers, result) -> None:
    found = TRIE.prove_range(word(start), end=word(end))
    assert (found.keys, found.values) == entries(*numbers)
    assert (
        verify_range(
            ROOT, word(start), found.keys, found.values, found.nodes, end=word(end)
        )
        == result
    )


def test_the_whole_trie_needs_no_proof() -> None:
    keys, values = entries(*NUMBERS)
    assert verify_range(ROOT, b"", keys, values, None) == ALL
    error = refused(ProofReason.WRONG_ROOT, 0, keys[1:], values[1:], None)
    assert error.expected == ROOT
    assert verify_range(EMPTY_ROOT, b"", [], [], None) == ALL
    assert verify_range(EMPTY_ROOT, b"", [], [], []) == ALL
    assert verify_range(EMPTY_ROOT, b"", [], [], [b"\x80"]) == ALL


def test_one_side_alone_is_not_enough() -> None:
    keys, values = entries(2, 3, 4)
    refused(ProofReason.MISSING_NODE, 2, keys, values, edges(2)[:1])
    # Neighbours may share all their nodes but the leaves.
    nodes = [node for node in edges(2, 4) if node not in edges(4)]
    refused(ProofReason.MISSING_NODE, 2, keys, values, nodes)


def test_gaps_are_found_inside_and_at_both_edges() -> None:
    nodes = edges(1, 20)
    numbers = NUMBERS[:-2]
    for left_out in numbers[:-1]:
        keys, values = entries(*(number for number in numbers if number != left_out))
        with pytest.raises(ProofError) as caught:
            verify_range(ROOT, word(1), keys, values, nodes)
        assert caught.value.reason in (ProofReason.LEFT_OUT, ProofReason.WRONG_ENTRIES)
    # Without the last one the edge is another.
    keys, values = entries(*numbers[:-1])
    assert verify_range(ROOT, word(1), keys, values, edges(1, 19)) == MORE
    error = refused(ProofReason.LEFT_OUT, 5, [], [], edges(5))
    assert error.path is not None


def test_additions_and_changes_are_found() -> None:
    numbers = [1, 2, 3, 4, 16]
    keys, values = entries(*numbers)
    nodes = edges(1, 16)
    for index in range(len(numbers)):
        changed = [*values[:index], b"other", *values[index + 1 :]]
        with pytest.raises(ProofError) as caught:
            verify_range(ROOT, word(1), keys, changed, nodes)
        assert caught.value.reason in (
            ProofReason.WRONG_VALUE,
            ProofReason.WRONG_ENTRIES,
        )
    for more in (5, 9, 15):
        added = sorted([*keys, word(more)])
        at = added.index(word(more))
        with pytest.raises(ProofError) as caught:
            verify_range(
                ROOT, word(1), added, [*values[:at], b"new", *values[at:]], nodes
            )
        assert caught.value.reason in (ProofReason.ABSENT, ProofReason.WRONG_ENTRIES)
    # Behind the last key of the trie.
    keys, values = entries(40, 300)
    refused(
        ProofReason.ABSENT,
        40,
        [*keys, word(301)],
        [*values, b"new"],
        edges(40, 301),
    )


def test_keys_rise_strictly_and_stay_in_the_range() -> None:
    keys, values = entries(1, 2, 3)
    nodes = edges(1, 3)
    refused(ProofReason.UNORDERED_KEYS, 1, [keys[0], *keys], [b"v", *values], nodes)
    refused(ProofReason.UNORDERED_KEYS, 1, [keys[1], keys[0], keys[2]], values, nodes)
    refused(ProofReason.KEY_OUTSIDE, 2, keys, values, nodes)
    refused(ProofReason.KEY_OUTSIDE, 1, keys, values, nodes, end=word(2))
    refused(ProofReason.KEY_OUTSIDE, 2, [], [], nodes, end=word(1))
    refused(ProofReason.WRONG_COUNT, 1, keys, values[:2], nodes)
    # A deleted value is not an entry.
    refused(ProofReason.EMPTY_VALUE, 1, keys, [values[0], b"", values[2]], nodes)


def test_nodes_are_checked_as_in_other_proofs() -> None:
    keys, values = entries(1, 2, 3)
    nodes = edges(1, 3)
    refused(ProofReason.DUPLICATE_NODE, 1, keys, values, [*nodes, nodes[0]])
    surplus = edges(300)[-1]
    refused(ProofReason.SURPLUS_NODE, 1, keys, values, [*nodes, surplus])
    options = {"allow_extra": True, "key_size": 32}
    assert (
        verify_range(ROOT, word(1), keys, values, [*nodes, surplus], **options) == MORE
    )
    broken = nodes[0] + b"\x00"
    with pytest.raises(ProofError) as caught:
        verify_range(keccak256(broken), word(1), keys, values, [broken])
    assert isinstance(caught.value.__cause__, NodeError)
    with pytest.raises(SizeError):
        verify_range(ROOT, b"", keys, values, nodes, key_size=32)
    refused(ProofReason.MISSING_NODE, 1, keys, values, [])


def test_a_trie_makes_its_ranges() -> None:
    found = TRIE.prove_range(word(3), limit=3)
    assert (found.keys, found.values) == entries(3, 4, 16)
    assert found.end is None
    assert found.nodes == edges(3, 16)
    # A limit that is not reached leaves the end as it was asked for.
    assert TRIE.prove_range(word(3), end=word(5), limit=3).end == word(5)
    assert TRIE.prove_range(word(3), end=word(5), limit=1).end is None
    assert TRIE.prove_range(word(301)).keys == []
    with pytest.raises(RangeError):
        TRIE.prove_range(limit=0)


def test_keys_of_a_secure_trie_are_hashes() -> None:
    trie = SecureTrie({bytes([number]): b"v" * 40 for number in range(50)})
    start = bytes([0x40]) + bytes(31)
    found = trie.prove_range(start, limit=10)
    hashes = sorted(keccak256(bytes([number])) for number in range(50))
    assert found.keys == [digest for digest in hashes if digest >= start][:10]
    assert verify_range(
        trie.root_hash, start, found.keys, found.values, found.nodes, key_size=32
    )
    # Whole, without a proof: rebuilt from the hashes as they are.
    whole = trie.prove_range()
    assert verify_range(trie.root_hash, b"", whole.keys, whole.values, None) == ALL


def test_keys_that_begin_others_are_in_their_order() -> None:
    trie = Trie({b"a" * size: b"v" * size for size in range(40)})
    for first in range(0, 40, 7):
        for count in (1, 5, 40):
            found = trie.prove_range(b"a" * first, limit=count)
            result = verify_range(
                trie.root_hash, found.start, found.keys, found.values, found.nodes
            )
            assert result.has_more == (first + count < 40)
