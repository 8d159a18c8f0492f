"""
Public bug reports about tries and their nodes (``reports/cases.json``), by id.

The inputs and answers are in the file; here they are spelled as calls.  In scope here
are the classes trie-delete, encoding and security where they concern tries.  Out of
scope of a trie without stores, and left to the parts that bring them:

* U039's "persist, reopen", U053, U054, U056: stores and what they lack, in
  ``test_report_cases_stores.py``.
* U106: proofs.
* U059, U065, U071, U076: states and storage, in ``test_report_cases_state.py``.
"""

from __future__ import annotations

import itertools
import json

import pytest

from conformance.vector_files import VECTORS
from hexary import SecureTrie, Trie, ordered_trie_root, secure_trie_root, trie_root
from hexary.errors import NodeError, NodeReason
from hexary.trie import EMPTY_ROOT, LeafNode, decode_node

pytestmark = pytest.mark.vectors


@pytest.fixture(scope="module")
def answers() -> dict[str, str]:
    """Return id → the expected answer as the file spells it."""
    cases = json.loads((VECTORS / "reports/cases.json").read_text())
    return {case["id"]: case["expected"] for case in cases}


def _text(pairs: str) -> dict[bytes, bytes]:
    """Read ``do=verb dog=puppy``."""
    entries = (pair.partition("=") for pair in pairs.split())
    return {key.encode(): value.encode() for key, _, value in entries}


def _shown(root: bytes) -> str:
    return bytes(root).hex()


def test_u037_the_empty_root(answers):
    assert _shown(trie_root({})) == answers["U037"]
    assert _shown(Trie().root_hash) == answers["U037"]


def test_u038_deleting_prefix_keys_one_by_one(answers):
    trie = Trie(_text("do=verb doge=coin dog=puppy"))
    roots = []
    for key in (b"dog", b"doge", b"do"):
        del trie[key]
        roots.append(_shown(trie.root_hash))
    assert ", ".join(roots) == answers["U038"]


def test_u039_deleting_one_of_two(answers):
    trie = Trie(_text("a=a b=b"))
    assert _shown(trie.root_hash) in answers["U039"]
    del trie[b"b"]
    assert answers["U039"].startswith(_shown(trie.root_hash))
    assert trie.root_hash == trie_root({b"a": b"a"})


def test_u040_deleting_a_key_that_ends_at_a_branch(answers):
    trie = Trie(_text("do=verb ether=wookiedoo horse=stallion shaman=horse doge=coin"))
    trie[b"dog"] = b"puppy"
    trie[b"somethingveryoddindeedthis is"] = b"myothernodedata"
    before = _shown(trie.root_hash)
    del trie[b"do"]
    assert f"before {before}, after {_shown(trie.root_hash)}" == answers["U040"]


def test_u041_deleting_one_of_two_long_keys(answers):
    trie = Trie(_text("key1=value1 key2=value2"))
    del trie[b"key1"]
    assert _shown(trie.root_hash) == answers["U041"]


def test_u044_deleting_an_absent_key_that_begins_others(answers):
    trie = Trie(
        {b"\xff\xff": b"\x0a", b"\xfe\xff\xe9": b"\x0b", b"\xff\xff\xff": b"\x0c"}
    )
    trie[b"\xff"] = b""
    assert answers["U044"].endswith(_shown(trie.root_hash))
    with pytest.raises(KeyError):
        del trie[b"\xff"]
    assert len(trie) == 3


def test_u045_an_empty_value_deletes(answers):
    trie = Trie(_text("a=1 ab=2"))
    trie[b"a"] = b""
    assert answers["U045"].startswith(_shown(trie.root_hash))
    assert b"a" not in trie


def test_u046_empty_items_of_an_ordered_root(answers):
    roots = [_shown(ordered_trie_root(values)) for values in ([b""], [b"", b"\1"])]
    assert " and ".join(roots) == answers["U046"]


def test_u061_any_order(answers):
    tables = [
        {b"A": b"a" * 50},
        _text("doe=reindeer dog=puppy dogglesworth=cat"),
        _text("do=verb horse=stallion doge=coin dog=puppy"),
        _text("foo=bar food=bass"),
        _text("be=e dog=puppy bed=d"),
        _text("test=test te=testy"),
    ]
    *plain, secure = answers["U061"].split(" | ")
    for table, root in zip(tables, plain, strict=True):
        for order in itertools.permutations(table.items()):
            assert _shown(Trie(order).root_hash) == root
            assert _shown(trie_root(order)) == root
    for order in itertools.permutations(tables[2].items()):
        assert _shown(SecureTrie(order).root_hash) == secure
        assert _shown(secure_trie_root(order)) == secure


def test_u062_the_empty_key(answers):
    for table in ({b"": b"v"}, {b"": b"v", b"a": b"w"}):
        root = _shown(trie_root(table))
        assert root in answers["U062"]
        trie = Trie(table)
        assert _shown(trie.root_hash) == root
        assert list(trie) == list(table)


def test_u064_ordered_roots_with_small_nodes(answers):
    three = ordered_trie_root([b"\1", b"\2", b"\3"])
    seventeen = ordered_trie_root([bytes([n]) for n in range(17)])
    assert f"{_shown(three)} and {_shown(seventeen)}" == answers["U064"]


def test_u067_the_key_of_index_0(answers):
    one, none = _shown(ordered_trie_root([b"\1"])), _shown(ordered_trie_root([]))
    assert answers["U067"].startswith(one)
    assert answers["U067"].endswith(none)


def test_u068_ordered_keys_are_not_hashed(answers):
    root = _shown(ordered_trie_root([b"\1"]))
    assert answers["U068"].startswith(root[:16])
    hashed = secure_trie_root({b"\x80": b"\1"})
    assert _shown(hashed) in answers["U068"]


def test_u082_a_child_is_no_31_byte_string():
    digest = "de7c50416554768fe3c81c6ffd72aa1639c7e1f57de8ec775330eab0330b0bd7"
    node = bytes.fromhex("f8509f" + 31 * "78" + "a0" + digest + 15 * "80")
    with pytest.raises(NodeError) as caught:
        decode_node(node)
    assert (caught.value.reason, caught.value.offset) == (NodeReason.BAD_REFERENCE, 2)
    assert caught.value.detail == "it is a string of 31 bytes"


@pytest.mark.parametrize(
    ("node", "detail"),
    [
        ("f852a1" + 33 * "78" + "a0" + 32 * "11" + 15 * "80", "a string of 33 bytes"),
        ("f854e331a1" + 33 * "41" + "a0" + 32 * "11" + 15 * "80", "a list of 36 bytes"),
    ],
    ids=["string", "list"],
)
def test_u083_a_child_is_never_over_32_bytes(node, detail):
    with pytest.raises(NodeError) as caught:
        decode_node(bytes.fromhex(node))
    assert (caught.value.reason, caught.value.offset) == (NodeReason.BAD_REFERENCE, 2)
    assert caught.value.detail == f"it is {detail}"


def test_u084_hex_prefix_padding_is_checked():
    with pytest.raises(NodeError) as caught:
        decode_node(bytes.fromhex("c22f76"))
    assert caught.value.reason is NodeReason.BAD_PATH
    leaf = decode_node(bytes.fromhex("c22076"))
    assert leaf == LeafNode(b"", b"v")
    assert _shown(leaf.hash) == (
        "d1d2f336dd4802fbcdec525f52769d77dd33353190946679c0291e745af2ca5c"
    )


def test_u166_keys_are_sorted_as_bytes(answers):
    assert "sorts bytes" in answers["U166"]
    table = _text("Ye=1 Qui=2 Vo1=3 azyx=4 12345=5")
    locale_order = sorted(table.items(), key=lambda pair: pair[0].lower())
    assert trie_root(locale_order) == Trie(sorted(table.items())).root_hash
    assert trie_root(locale_order) != EMPTY_ROOT
