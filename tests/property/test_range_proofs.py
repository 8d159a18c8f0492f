"""
Range proofs against a full rebuild: accepted is what really is the trie's content.

The rebuild shares no code with the verifier: a dict, sorted, and the oracle's root.
"""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from adversary import KEYS, VALUES, forged, mutated
from hexary import ProofError, Trie, verify_range
from oracle import OracleError, oracle_entries, oracle_root

TABLES = st.dictionaries(KEYS, VALUES, max_size=20)


def content(pairs, start, end):
    """Return the entries from *start* to *end*, in order."""
    return [
        (key, pairs[key])
        for key in sorted(pairs)
        if key >= start and (end is None or key <= end)
    ]


@settings(max_examples=500, deadline=None)
@given(
    TABLES,
    KEYS,
    st.one_of(st.none(), KEYS),
    st.one_of(st.none(), st.integers(1, 8)),
)
def test_every_range_of_a_trie_is_proven(pairs, start, end, limit):
    trie = Trie(pairs)
    if end is not None and end < start:
        start, end = end, start
    found = trie.prove_range(start, end=end, limit=limit)
    right = content(pairs, start, end)[:limit]
    assert list(zip(found.keys, found.values, strict=True)) == right
    result = verify_range(
        oracle_root(pairs), start, found.keys, found.values, found.nodes, end=found.end
    )
    bound = found.end if found.end is not None else max(found.keys, default=None)
    assert result.has_more == (bound is not None and any(key > bound for key in pairs))


@settings(max_examples=800, deadline=None)
@given(st.data(), TABLES, KEYS, st.one_of(st.none(), st.integers(1, 8)))
def test_any_change_of_keys_values_or_edges_is_refused(data, pairs, start, limit):
    trie = Trie(pairs)
    found = trie.prove_range(start, limit=limit)
    entries = list(zip(found.keys, found.values, strict=True))
    nodes: list[bytes] | None = found.nodes
    first, end = start, None
    way = data.draw(
        st.sampled_from(
            ["drop", "add", "value", "swap", "double", "start", "end", "nodes", "none"]
        )
    )
    index = data.draw(st.integers(0, max(len(entries) - 1, 0)))
    if way == "drop" and entries:
        del entries[index]
    elif way == "add":
        entries.append((data.draw(KEYS), data.draw(VALUES)))
        entries.sort()
    elif way == "value" and entries:
        entries[index] = (entries[index][0], data.draw(VALUES | st.just(b"")))
    elif way == "swap" and entries:
        entries[0], entries[index] = entries[index], entries[0]
    elif way == "double" and entries:
        entries.insert(index, entries[index])
    elif way == "start":
        first = data.draw(KEYS)
    elif way == "end":
        end = data.draw(KEYS)
    elif way == "nodes":
        nodes = mutated(data, found.nodes, trie.prove_many([*pairs, b"x"]) or [b"\x80"])
    elif way == "none":
        nodes = None
    # With edges of the adversary's choice, so that nothing fails for want of nodes.
    extra = data.draw(st.booleans())
    if extra and nodes is not None and way != "nodes":
        nodes = trie.prove_many([*pairs, first, *(key for key, _ in entries)])
    keys = [key for key, _ in entries]
    values = [value for _, value in entries]
    try:
        result = verify_range(
            trie.root_hash, first, keys, values, nodes, end=end, allow_extra=extra
        )
    except ProofError:
        return
    last = end if end is not None else max(keys, default=None)
    if nodes is None:
        assert oracle_root(dict(entries)) == trie.root_hash
        assert not result.has_more
        return
    assert entries == content(pairs, first, last)
    assert result.has_more == (last is not None and any(key > last for key in pairs))


@settings(max_examples=500, deadline=None)
@given(st.data(), TABLES.filter(bool), KEYS, st.none() | KEYS)
def test_a_range_of_a_forged_trie_is_what_is_in_it_or_refused(data, pairs, start, end):
    if end is not None and end < start:
        start, end = end, start
    root, nodes = forged(data, Trie(pairs).prove_many(pairs))
    try:
        inside = oracle_entries(root, nodes)
    except OracleError:
        inside = None
    claimed = pairs if inside is None or data.draw(st.booleans()) else inside
    entries = content(claimed, start, end)
    keys, values = [key for key, _ in entries], [value for _, value in entries]
    try:
        result = verify_range(
            root, start, keys, values, nodes, end=end, allow_extra=True
        )
    except ProofError:
        # What is a trie, and whose entries are told, is not refused.
        assert inside is None or entries != content(inside, start, end)
        return
    if inside is not None:
        last = end if end is not None else max(keys, default=None)
        assert entries == content(inside, start, last)
        assert result.has_more == (
            last is not None and any(key > last for key in inside)
        )
