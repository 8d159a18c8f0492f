"""Range proofs: what they prove, at all edges, and what is refused."""

from __future__ import annotations

import tracemalloc

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
    rlp,
    verify_range,
)
from raw_proofs import branch, extension, leaf

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


def failure(root, start, keys, values, nodes, **options) -> ProofError:
    with pytest.raises(ProofError) as caught:
        verify_range(root, start, keys, values, nodes, **options)
    return caught.value


def chain(depth: int) -> tuple[bytes, bytes, list[bytes]]:
    """Return the root, the key, and the nodes of a chain of branches to one leaf."""
    nodes = [leaf(b"", b"v" * 40)]
    for _ in range(depth):
        below = {1: keccak256(nodes[-1]), 2: b"\x07" * 32}
        nodes.append(branch(below))
    return keccak256(nodes[-1]), b"\x11" * (depth // 2), nodes


def test_a_deep_range_costs_its_size() -> None:
    """Paths used to be put together at every node, which takes their length each."""
    peaks = []
    for depth in (2_000, 8_000):
        root, key, nodes = chain(depth)
        tracemalloc.start()
        try:
            assert verify_range(root, key, [key], [b"v" * 40], nodes) == MORE
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
        error = failure(root, key, [], [], nodes)
        assert (error.reason, error.path) == (ProofReason.LEFT_OUT, b"\x02")
    assert peaks[1] < 6 * peaks[0]


def test_a_branch_with_a_value_at_every_edge() -> None:
    pairs = {b"\x11" * size: bytes([size]) * 40 for size in range(1, 5)}
    pairs |= {b"\x11\x11\x22": b"w" * 40, b"\x10": b"x", b"\x12": b"y"}
    trie = Trie(pairs)
    rising = sorted(pairs)
    for low, start in enumerate(rising):
        for high in range(low, len(rising)):
            keys = rising[low : high + 1]
            values = [pairs[key] for key in keys]
            nodes = trie.prove_many([start, keys[-1]])
            more = RangeResult(high + 1 < len(rising))
            assert verify_range(trie.root_hash, start, keys, values, nodes) == more
            # Every gap is found, also at values that branches hold.
            for gap in range(len(keys) - 1):
                short = keys[:gap] + keys[gap + 1 :]
                error = failure(
                    trie.root_hash,
                    start,
                    short,
                    [pairs[key] for key in short],
                    nodes,
                )
                assert error.reason in (
                    ProofReason.LEFT_OUT,
                    ProofReason.WRONG_ENTRIES,
                )


def test_subtrees_hidden_beside_the_range_are_seen() -> None:
    """A node without the children left or right of the range is another node."""
    keys, values = entries(16, 17, 18)
    for index, node in enumerate(edges(16, 18)):
        items = rlp.decode(node)
        if len(items) != 17:
            continue
        for slot in range(16):
            if items[slot]:
                hidden = [*items[:slot], b"", *items[slot + 1 :]]
                nodes = edges(16, 18)
                nodes[index] = rlp.encode(hidden)
                refused(ProofReason.MISSING_NODE, 16, keys, values, nodes)


def test_inner_nodes_do_not_change_places() -> None:
    keys, values = entries(1, 2, 3, 4, 16)
    nodes = edges(1, 16)
    for one in range(len(nodes)):
        for other in range(one):
            swapped = list(nodes)
            swapped[one], swapped[other] = nodes[other], nodes[one]
            # As a list their order says nothing, as a mapping it is the hash.
            assert verify_range(ROOT, word(1), keys, values, swapped) == MORE
            mapping = dict(zip(map(keccak256, nodes), swapped, strict=True))
            refused(ProofReason.WRONG_HASH, 1, keys, values, mapping)


def test_embedded_nodes_at_the_edges() -> None:
    trie = Trie({bytes([16 * high + low]): b"v" for high in (1, 2) for low in (1, 2)})
    assert len(trie.prove(b"\x11")) == 1
    keys = sorted(trie)
    for low in range(4):
        for high in range(low, 4):
            part = keys[low : high + 1]
            nodes = trie.prove_many([part[0], part[-1]])
            result = verify_range(
                trie.root_hash, part[0], part, [b"v"] * len(part), nodes
            )
            assert result.has_more == (high < 3)
            for gap in range(len(part)):
                rest = part[:gap] + part[gap + 1 :]
                error = failure(
                    trie.root_hash,
                    part[0],
                    rest,
                    [b"v"] * len(rest),
                    nodes,
                    end=part[-1],
                )
                assert error.reason in (
                    ProofReason.LEFT_OUT,
                    ProofReason.WRONG_ENTRIES,
                )


def test_elements_after_the_end_are_refused() -> None:
    keys, values = entries(16, 17, 18)
    nodes = edges(16, 18)
    more_keys, more_values = [*keys, word(19)], [*values, TRIE[word(19)]]
    refused(ProofReason.WRONG_ENTRIES, 16, more_keys, [b"w"] * 4, edges(16, 19))
    error = failure(ROOT, word(16), more_keys, more_values, nodes)
    assert error.reason is ProofReason.MISSING_NODE
    # There is more, and saying that it is the whole does not help.
    refused(ProofReason.WRONG_ROOT, 16, keys, values, None)


def test_an_extension_over_a_leaf_is_refused_inside_a_range_too() -> None:
    """No trie has one: there the leaf takes up the path.  Nor one over another."""
    end = leaf(b"\x01\x01", b"v" * 40)
    ends = [keccak256(leaf(b"", letter * 40)) for letter in (b"v", b"w")]
    fork = branch({1: ends[0], 2: ends[1]})
    longer = extension(b"\x01", keccak256(fork))
    two = {b"\x11\x11": b"v" * 40, b"\x11\x12": b"w" * 40}
    for child, pairs in ((end, {b"\x11\x11": b"v" * 40}), (longer, two)):
        root = extension(b"\x01\x01", keccak256(child))
        error = failure(
            keccak256(root), b"\0", [*pairs], [*pairs.values()], [root], end=b"\x20"
        )
        assert error.reason is ProofReason.EXTENSION_CHILD_NOT_BRANCH
        assert error.path == b"\x01\x01"
        # And where it is on the way to an edge, and so in the proof.
        for start, last in ((b"\x11\x11", None), (b"", b"\x11\x11")):
            error = failure(keccak256(root), start, [], [], [root, child], end=last)
            assert error.reason is ProofReason.EXTENSION_CHILD_NOT_BRANCH


def test_keys_of_another_length_are_refused_on_both_edges() -> None:
    """What no trie has, or none whose keys are all of one size."""
    odd = leaf(b"\x01\x01\x01", b"v" * 40)
    below = branch({1: b"\x07" * 32, 2: b"\x08" * 32}, b"value")
    half = branch({0: b"\x07" * 32, 1: keccak256(below)})
    for root, nodes in ((odd, [odd]), (half, [half, below])):
        for start, end in ((b"\x11\x11", None), (b"\x10", b"\x11\x11")):
            error = failure(keccak256(root), start, [], [], nodes, end=end)
            assert error.reason is ProofReason.WRONG_PATH_LENGTH
    mixed = Trie({b"\x11\x11": b"v" * 40, b"\x11": b"w" * 40, b"\x22\x22": b"x" * 40})
    found = mixed.prove_range(b"\x11\x11")
    given = (mixed.root_hash, b"\x11\x11", found.keys, found.values, found.nodes)
    assert verify_range(*given) == ALL
    error = failure(*given, key_size=2)
    assert error.reason is ProofReason.WRONG_PATH_LENGTH
    assert (error.got, error.expected) == (2, 4)


UNIVERSE = [
    b"",
    *(bytes([byte]) for byte in (0x00, 0x01, 0x10, 0x11)),
    *(bytes([high, low]) for high in (0x01, 0x10) for low in (0x00, 0x01, 0x10)),
]


@pytest.mark.parametrize("pad", [1, 40], ids=["embedded", "hashed"])
@pytest.mark.parametrize("step", [1, 2, 3, 5])
def test_every_range_of_small_tries_with_every_single_deviation(pad, step) -> None:
    """An entry left out, added or changed, at every place, for all pairs of edges."""
    pairs = {key: bytes([place + 1]) * pad for place, key in enumerate(UNIVERSE)}
    pairs = {key: pairs[key] for key in UNIVERSE[::step]}
    trie = Trie(pairs)
    nodes = trie.prove_many(UNIVERSE)
    ordered = sorted(UNIVERSE)

    def check(start, entries, end) -> None:
        keys = sorted(entries)
        last = max(keys, default=None) if end is None else end
        right = {
            key: value
            for key, value in pairs.items()
            if key >= start and (last is None or key <= last)
        }
        given = (trie.root_hash, start, keys, [entries[key] for key in keys], nodes)
        options = {"end": end, "allow_extra": True}
        if entries != right:
            failure(*given, **options)
            return
        more = last is not None and any(key > last for key in pairs)
        assert verify_range(*given, **options) == RangeResult(more)

    for low, start in enumerate(ordered):
        for end in (None, *ordered[low:]):
            inside = {
                key: value
                for key, value in pairs.items()
                if key >= start and (end is None or key <= end)
            }
            check(start, inside, end)
            for key in ordered[low:]:
                if end is not None and key > end:
                    continue
                if key in inside:
                    check(start, {**inside, key: b"other"}, end)
                    rest = dict(inside)
                    del rest[key]
                    check(start, rest, end)
                    # The range ends there.
                    part = {one: inside[one] for one in inside if one <= key}
                    check(start, part, None)
                else:
                    check(start, {**inside, key: b"new"}, end)
                    part = {one: inside[one] for one in inside if one < key}
                    check(start, {**part, key: b"new"}, None)
