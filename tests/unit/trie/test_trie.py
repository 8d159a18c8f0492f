"""`Trie` and `SecureTrie` as mappings."""

from __future__ import annotations

import copy
import pickle

import pytest

import hexary
from case_names import shown
from hexary import (
    Address,
    SecureTrie,
    Trie,
    ordered_trie_root,
    secure_trie_root,
    trie_root,
)
from hexary import hash as hashing
from hexary.errors import InputTypeError
from hexary.trie import EMPTY_ROOT
from hexary.trie.core import PureCore
from oracle import oracle_keccak256, oracle_root

DOGS = {b"do": b"verb", b"dog": b"puppy", b"doge": b"coin", b"horse": b"stallion"}
DOGS_ROOT = "0x5991bb8c6514148a29db676a14ac506cd2cd5775ace63c30a4fe457715e9ac84"
BOTH = pytest.mark.parametrize("kind", [Trie, SecureTrie])


def test_the_classic_example_gives_its_published_root():
    assert str(Trie(DOGS).root_hash) == DOGS_ROOT
    assert type(Trie(DOGS).root_hash) is hexary.Hash
    assert str(trie_root(DOGS)) == DOGS_ROOT


@BOTH
def test_behaves_as_a_mapping(kind):
    trie = kind(DOGS)
    assert len(trie) == 4
    assert trie[b"dog"] == b"puppy"
    assert b"dog" in trie
    assert b"cat" not in trie
    assert trie.get(b"cat") is None
    assert trie.get(b"cat", b"miaow") == b"miaow"
    assert dict(trie) == DOGS
    assert trie == DOGS
    assert trie != {**DOGS, b"cat": b"x"}
    assert sorted(trie.keys()) == sorted(DOGS)
    assert sorted(trie.values()) == sorted(DOGS.values())
    assert trie.pop(b"do") == b"verb"
    assert trie.pop(b"do", None) is None
    assert trie.setdefault(b"do", b"again") == b"again"
    key, value = trie.popitem()
    assert key not in trie
    assert value
    trie.clear()
    assert (len(trie), trie.root_hash, list(trie)) == (0, EMPTY_ROOT, [])
    with pytest.raises(KeyError):
        trie.popitem()


@BOTH
def test_absent_keys_are_key_errors(kind):
    trie = kind(DOGS)
    for key in (b"", b"d", b"dogs", b"doges", b"zebra"):
        with pytest.raises(KeyError) as caught:
            trie[key]
        assert caught.value.args == (key,)
        with pytest.raises(KeyError):
            del trie[key]
        assert trie.get(key) is None
    assert len(trie) == 4


@BOTH
def test_setting_an_empty_value_deletes(kind):
    trie = kind(DOGS)
    trie[b"dog"] = b""
    trie[b"never there"] = b""
    assert b"dog" not in trie
    assert len(trie) == 3
    assert (
        trie.root_hash == kind({k: v for k, v in DOGS.items() if k != b"dog"}).root_hash
    )


@BOTH
def test_overwriting_keeps_the_length(kind):
    trie = kind(DOGS)
    trie[b"dog"] = b"hound"
    trie[b"do"] = b"noun"
    assert (len(trie), trie[b"dog"], trie[b"do"]) == (4, b"hound", b"noun")


@BOTH
def test_a_copy_is_independent_and_shares_nodes(kind):
    trie = kind(DOGS)
    root = trie.root_hash
    for other in (trie.copy(), copy.copy(trie), copy.deepcopy(trie)):
        assert type(other) is kind
        assert other == trie
        other[b"cat"] = b"miaow"
        del other[b"dog"]
        assert len(other) == 4
        assert other.root_hash != root
        assert trie.root_hash == root
        assert trie == DOGS
    trie[b"late"] = b"1"
    assert b"late" not in other


@BOTH
@pytest.mark.parametrize("shape", [list, tuple, iter, dict])
def test_update_puts_pairs_in_in_their_order(kind, shape):
    trie = kind({b"a": b"0", b"z": b"9"})
    before = trie.copy()
    pairs = [(b"a", b"1"), (b"b", b"2"), (b"a", b""), (b"c", b"3"), (b"b", b"4")]
    trie.update(shape(pairs))
    assert dict(trie) == {b"b": b"4", b"c": b"3", b"z": b"9"}
    assert len(trie) == 3
    assert trie == kind({b"z": b"9", b"c": b"3", b"b": b"4"})
    trie.update(shape([]))
    trie.update(shape([(b"e", bytearray(b"5")), (b"z", memoryview(b"6"))]))
    assert (trie[b"e"], trie[b"z"], len(trie)) == (b"5", b"6", 4)
    assert (dict(before), len(before)) == ({b"a": b"0", b"z": b"9"}, 2)


@BOTH
@pytest.mark.parametrize("wrong", [(b"x", None), (5, b"v"), b"xy", (b"x",), None])
def test_with_a_wrong_pair_among_them_none_is_in(kind, wrong):
    trie = kind({b"a": b"0"})
    with pytest.raises(InputTypeError):
        trie.update([(b"a", b""), (b"b", b"1"), (b"c", b"2"), wrong, (b"d", b"3")])
    assert dict(trie) == {b"a": b"0"}
    assert len(trie) == 1


@pytest.mark.parametrize("shape", [list, tuple, dict])
def test_a_secure_trie_hashes_many_keys_together_and_keeps_them_as_they_came(shape):
    address = Address(bytes(range(20)))
    trie = SecureTrie({b"old": b"0"})
    pairs = [(bytearray(b"a"), b"1"), (address, b"2"), (b"old", b""), (b"gone", b"")]
    if shape is dict:
        pairs[0] = (b"a", b"1")
    trie.update(shape(pairs))
    assert dict(trie) == {b"a": b"1", address: b"2"}
    assert {type(key) for key in trie} == {bytes, Address}
    assert len(trie) == 2
    with hashing.recording() as record:
        trie.update(shape(pairs))
    assert record.calls == len(pairs)


@pytest.mark.parametrize("shape", [list, tuple, dict])
@pytest.mark.parametrize("plain", [True, False])
def test_a_secure_trie_is_the_same_whether_or_not_pairs_need_conversion(shape, plain):
    pairs = [(bytes([number]), bytes([number]) * 9) for number in range(60)]
    if not plain:
        pairs[30] = (pairs[30][0], bytearray(pairs[30][1]))
    pairs += [(b"\x05", b""), (b"other", b"")]
    expected = SecureTrie()
    for key, value in pairs:
        expected[key] = value
    trie = SecureTrie()
    trie.update(shape(pairs))
    assert trie.root_hash == expected.root_hash
    assert len(trie) == 59
    assert dict(trie) == dict(expected)


def test_copying_is_constant_time_in_the_number_of_keys():
    core = PureCore()
    for number in range(100):
        core.set(oracle_keccak256(bytes([number])), b"v")
    assert core.copy().root is core.root


@BOTH
def test_pickles(kind):
    trie = kind(DOGS)
    again = pickle.loads(pickle.dumps(trie))
    assert type(again) is kind
    assert again == trie
    assert again.root_hash == trie.root_hash
    assert dict(again) == DOGS


@BOTH
def test_is_not_hashable_and_compares_by_root(kind):
    with pytest.raises(TypeError):
        hash(kind())
    assert kind(DOGS) == kind(reversed(DOGS.items()))
    assert kind(DOGS) != kind()
    assert kind(DOGS) != 5
    assert repr(kind(DOGS)).startswith(f"<{kind.__name__} of 4 keys, root 0x")


def test_a_plain_and_a_secure_trie_compare_as_mappings():
    assert Trie(DOGS) == SecureTrie(DOGS)
    assert Trie(DOGS).root_hash != SecureTrie(DOGS).root_hash


@BOTH
@pytest.mark.parametrize("bad", ["dog", 5, None, [1], 1.5], ids=shown)
def test_keys_and_values_are_bytes(kind, bad):
    trie = kind(DOGS)
    calls = [
        lambda: trie.__setitem__(bad, b"v"),
        lambda: trie.__setitem__(b"k", bad),
        lambda: trie[bad],
        lambda: trie.get(bad),
        lambda: bad in trie,
        lambda: trie.__delitem__(bad),
        lambda: trie.update([(bad, b"v")]),
    ]
    for call in calls:
        with pytest.raises(InputTypeError):
            call()
    assert trie == DOGS


@pytest.mark.parametrize(
    "bad", [b"ab", "ab", 5, None, [b"ab"], [(b"a",)], [(1, 2, 3)], ["ab"]]
)
def test_pairs_are_pairs(bad):
    for call in (Trie, SecureTrie, trie_root, secure_trie_root):
        with pytest.raises(InputTypeError, match="pair"):
            call(bad)


@pytest.mark.parametrize(
    "bad", [b"ab", "ab", {0: b"a"}, {b"a"}, memoryview(b"a"), 5, None], ids=shown
)
def test_ordered_values_are_a_sequence_of_byte_strings(bad):
    with pytest.raises(InputTypeError, match="values"):
        ordered_trie_root(bad)
    with pytest.raises(InputTypeError, match=r"values\[1\]"):
        ordered_trie_root([b"a", "b"])


def test_buffers_are_kept_as_bytes():
    key, value = bytearray(b"key"), bytearray(b"value")
    trie = Trie({b"other": memoryview(b"x")})
    trie[memoryview(key)] = value
    key[0] = value[0] = 0
    assert trie[bytearray(b"key")] == b"value"
    assert type(trie[b"key"]) is bytes
    assert next(trie.keys()) == b"key"
    assert trie_root([(bytearray(b"k"), memoryview(b"v"))]) == trie_root({b"k": b"v"})


def test_typed_bytes_pass_through():
    address = hexary.Address(5)
    trie = Trie({address: hexary.Bytes(b"v")})
    assert trie[bytes(address)] == b"v"
    assert trie[address] == b"v"
    assert trie.root_hash == trie_root({bytes(address): b"v"})
    assert trie.root_hash == trie_root({address: hexary.Bytes(b"v")})
    assert SecureTrie({address: b"v"}).root_hash == secure_trie_root(
        {bytes(address): b"v"}
    )


KEYS = [
    b"",
    b"\0",
    b"\0\0",
    b"\1",
    b"\x0f",
    b"\x10",
    b"\x10\0",
    b"\x10\1",
    b"\x11",
    b"\xff",
    b"\xff\xff",
]


def test_iterates_in_key_order_with_bounds():
    trie = Trie({key: b"v" + key for key in reversed(KEYS)})
    assert list(trie) == KEYS
    assert list(reversed(trie)) == KEYS[::-1]
    assert list(trie.values()) == [b"v" + key for key in KEYS]
    bounds = [None, *KEYS, b"\x05", b"\x10\0\0", b"\x10\2", b"\xfe", b"\xff\xff\xff"]
    for prefix in (b"", b"\0", b"\x10", b"\x10\0", b"\x11\0", b"\xff", b"\xf0"):
        for start in bounds:
            for stop in bounds:
                expected = [
                    key
                    for key in KEYS
                    if key.startswith(prefix)
                    and (start is None or key >= start)
                    and (stop is None or key < stop)
                ]
                options = {"prefix": prefix, "start": start, "stop": stop}
                assert list(trie.keys(**options)) == expected, options
                assert list(trie.keys(**options, reverse=True)) == expected[::-1], (
                    options
                )
                assert [value[1:] for value in trie.values(**options)] == expected


def test_next_and_previous_key_of_any_key():
    trie = Trie(dict.fromkeys(KEYS, b"v"))
    for key in [*KEYS, b"\x05", b"\x10\0\0", b"\xfe", b"\xff\xff\xff"]:
        after = [each for each in KEYS if each > key]
        before = [each for each in KEYS if each < key]
        assert trie.next_key(key) == (after[0] if after else None)
        assert trie.previous_key(key) == (before[-1] if before else None)
    assert Trie().next_key(b"") is None
    assert Trie().previous_key(b"a") is None


def test_iteration_sees_the_trie_as_it_was():
    trie = Trie(DOGS)
    walk = trie.items()
    assert next(walk) == (b"do", b"verb")
    trie.clear()
    assert [key for key, _ in walk] == [b"dog", b"doge", b"horse"]


def test_a_secure_trie_iterates_by_hash_and_yields_keys():
    trie = SecureTrie(DOGS)
    by_hash = sorted(DOGS, key=oracle_keccak256)
    assert list(trie) == by_hash
    assert list(reversed(trie)) == by_hash[::-1]
    second = oracle_keccak256(by_hash[1])
    assert list(trie.keys(start=second)) == by_hash[1:]
    assert list(trie.keys(stop=second)) == by_hash[:1]
    assert list(trie.keys(prefix=second[:4])) == [by_hash[1]]
    assert trie.next_key(by_hash[0]) == by_hash[1]
    assert trie.previous_key(by_hash[1]) == by_hash[0]
    assert trie.next_key(by_hash[3]) is None
    assert trie.previous_key(by_hash[0]) is None


def test_a_secure_trie_has_the_root_of_hashed_keys():
    hashed = {oracle_keccak256(key): value for key, value in DOGS.items()}
    assert (
        SecureTrie(DOGS).root_hash == Trie(hashed).root_hash == secure_trie_root(DOGS)
    )
    assert str(SecureTrie(DOGS).root_hash) == (
        "0x29b235a58c3c25ab83010c327d5932bcf05324b7d6b1185e650798034783ca9d"
    )


def test_a_later_duplicate_wins_and_an_empty_value_is_absent():
    pairs = [(b"a", b"1"), (b"b", b"2"), (b"a", b"3"), (b"b", b"")]
    assert trie_root(pairs) == trie_root({b"a": b"3"}) == Trie(pairs).root_hash
    assert secure_trie_root(pairs) == secure_trie_root({b"a": b"3"})
    assert trie_root([(b"a", b"1"), (b"a", b"")]) == EMPTY_ROOT
    assert trie_root(iter(pairs)) == trie_root(pairs)


def test_deleting_merges_an_extension_with_what_is_left_below():
    """Four kinds of neighbour: leaf into extension, and extension into extension."""
    keys = [b"\x12\x34\x56", b"\x12\x34\x57", b"\x12\x44\x11", b"\x99"]
    for doomed in (keys[2], keys[3]):
        trie = Trie(dict.fromkeys(keys, b"v" * 40))
        del trie[doomed]
        rest = dict.fromkeys([key for key in keys if key != doomed], b"v" * 40)
        assert trie.root_hash == oracle_root(rest)
        assert dict(trie) == rest


def test_ordered_roots_take_any_iterable():
    values = [bytes([n % 256]) * (n % 50 + 1) for n in range(300)]
    expected = oracle_root(
        {hexary.rlp.encode(n): value for n, value in enumerate(values)}
    )
    assert ordered_trie_root(values) == expected
    assert ordered_trie_root(iter(values)) == expected
    assert ordered_trie_root(tuple(values)) == expected
    assert ordered_trie_root([]) == EMPTY_ROOT


def test_very_long_and_deep_keys_need_no_recursion():
    pairs = {b"a" * length: b"v" for length in range(0, 1500, 3)}
    root = trie_root(pairs)
    trie = Trie(pairs)
    assert trie.root_hash == root
    assert len(list(trie.items())) == 500
    assert copy.deepcopy(trie) == trie
    assert pickle.loads(pickle.dumps(trie)).root_hash == root
    half = {key: value for key, value in pairs.items() if len(key) < 750}
    for key in pairs:
        if key not in half:
            del trie[key]
    assert trie.root_hash == trie_root(half)
    assert Trie({b"k" * 100_000: b"v"}).root_hash == trie_root({b"k" * 100_000: b"v"})


def test_unhashed_depth_does_not_depend_on_the_recursion_limit():
    import sys

    pairs = {b"b" * length: b"v" * 40 for length in range(400)}
    expected = Trie(pairs).root_hash
    limit = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(120)
        assert Trie(pairs).root_hash == expected
        assert trie_root(pairs) == expected
    finally:
        sys.setrecursionlimit(limit)
