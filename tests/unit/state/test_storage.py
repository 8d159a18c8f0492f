from __future__ import annotations

import copy
import gc
import pickle
import sys
import time
from typing import Any

import pytest

from hexary.errors import (
    FixtureError,
    HexError,
    InputTypeError,
    RangeError,
    SizeError,
)
from hexary.state import (
    Account,
    AccountProof,
    AccountStorage,
    Alloc,
    State,
    apply_access_list,
    post_values,
    storage_root,
)
from hexary.trie import EMPTY_ROOT

MAX = 2**256 - 1


@pytest.mark.parametrize(
    "spelling",
    [
        5,
        "0x5",
        "0x05",
        "0X05",
        "5",
        "0x" + "5".rjust(64, "0"),
        "5".rjust(64, "0"),
        b"\x05",
        bytes(31) + b"\x05",
    ],
)
def test_every_spelling_of_a_slot_or_value_is_its_number(spelling: Any) -> None:
    assert AccountStorage({spelling: 1}) == {5: 1}
    assert AccountStorage({1: spelling}) == {1: 5}
    assert AccountStorage({5: 7})[spelling] == 7


@pytest.mark.parametrize(
    "zero", [0, "0x", "0x0", "0x00", "0", "0x" + "0" * 64, b"", bytes(32)]
)
def test_zero_values_vanish_and_slot_zero_is_a_slot(zero: Any) -> None:
    assert AccountStorage({1: zero}) == {}
    assert AccountStorage({zero: 1}) == {0: 1}
    assert storage_root({1: zero}) == EMPTY_ROOT


@pytest.mark.parametrize(
    ("word", "error"),
    [
        (-1, RangeError),
        (MAX + 1, RangeError),
        (bytes(33), SizeError),
        ("0x" + "0" * 65, SizeError),
        ("0xzz", HexError),
        ("", HexError),
        ("10", HexError),
        ("0a", HexError),
        ("٣", HexError),
        ("z" * 64, HexError),
        (1.0, InputTypeError),
        (True, InputTypeError),
        (None, InputTypeError),
    ],
)
def test_what_is_no_slot_or_value_is_refused(word: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        AccountStorage({word: 1})
    with pytest.raises(error):
        storage_root({1: word})
    with pytest.raises(KeyError):
        AccountStorage()[word]


def test_text_without_prefix_is_refused_where_it_can_be_misread() -> None:
    with pytest.raises(HexError, match="without 0x, a slot or value has 64 hex digits"):
        AccountStorage({"10": 1})


def test_one_slot_twice_is_refused_and_both_spellings_named() -> None:
    with pytest.raises(FixtureError) as caught:
        AccountStorage({0: 1, 1: 1, "0x00": 1})
    assert caught.value.rule == "slot 0 occurs twice, as 0 and '0x00'"


def test_the_mapping_is_immutable_and_compares_by_value() -> None:
    storage = AccountStorage({2: 3, 0: 1})
    assert dict(storage) == {2: 3, 0: 1}
    assert len(storage) == 2
    assert storage == AccountStorage({0: 1, 2: 3})
    assert hash(storage) == hash(AccountStorage({0: 1, 2: 3}))
    assert storage != AccountStorage({0: 1})
    assert storage != 5
    assert AccountStorage(storage) == storage
    assert storage.get(9, 0) == 0
    assert not hasattr(storage, "__setitem__")
    with pytest.raises(InputTypeError, match="storage must be a mapping"):
        AccountStorage([(1, 2)])


def test_it_survives_copying_and_pickling() -> None:
    storage = AccountStorage({1: MAX})
    assert pickle.loads(pickle.dumps(storage)) == storage
    assert copy.deepcopy(storage) == storage
    assert repr(AccountStorage({1: 2})) == "AccountStorage({1: 2})"


def test_roots_of_one_slot() -> None:
    """Values under 0x80, of one byte, and of 32 bytes."""
    assert storage_root({0: 1}).hex() == (
        "0x821e2556a290c86405f8160a2d662042a431ba456b9db265c79bb837c04be5f0"
    )
    assert storage_root({}) == EMPTY_ROOT
    assert AccountStorage({0: MAX}).root().hex() == (
        "0xca6f0fbdeda818216f399c395dc814121e66bca0139cef25a2b81223c438c1f6"
    )


def test_json_is_read_and_written() -> None:
    storage = AccountStorage.from_json({"0x0": "0x0", "0x10": "0x1234", "1": 7})
    assert storage == {16: 0x1234, 1: 7}
    assert storage.to_json() == {"0x01": "0x07", "0x10": "0x1234"}
    assert AccountStorage.from_json(storage.to_json()) == storage


@pytest.mark.parametrize(
    ("value", "field", "rule"),
    [
        ([], "a.storage", "must be an object, got list of 0"),
        (None, "a.storage", "must be an object"),
        ({"zz": "0x1"}, "a.storage", "without 0x"),
        ({"0x1": "0xg"}, "a.storage.0x1", "hex digits are"),
        ({"0x1": 1.5}, "a.storage.0x1", "storage value must be an int, bytes or text"),
        ({"0x1": -1}, "a.storage.0x1", "storage value must be from 0"),
        ({"0x1": None}, "a.storage.0x1", "storage value must be"),
        ({"0x1": {}}, "a.storage.0x1", "storage value must be"),
        ({1: "0x1", "0x01": 2}, "a.storage", "slot 1 occurs twice, as 1 and '0x01'"),
        ({"0x1": "0x" + "1" * 65}, "a.storage.0x1", "holds 32 bytes, got 33"),
    ],
)
def test_malformed_json_is_refused_with_its_path(
    value: object, field: str, rule: str
) -> None:
    with pytest.raises(FixtureError) as caught:
        AccountStorage.from_json(value, file="f.json", field="a.storage")
    assert (caught.value.file, caught.value.field) == ("f.json", field)
    assert rule in caught.value.rule


@pytest.mark.parametrize("count", [2, 3, 9, 10])
def test_text_of_digits_without_0x_is_ambiguous_from_the_second_digit_on(count):
    """Runs of the ten digits, too: some clients would read 12 as eighteen."""
    texts = {"0123456789"[start : start + count] for start in range(11 - count)}
    texts |= {"9" * count, "1" * count}
    for text in texts:
        with pytest.raises(HexError, match="64 hex digits"):
            AccountStorage({text: 1})
        with pytest.raises(HexError, match="64 hex digits"):
            AccountStorage({0: text})


def test_views_know_slots_in_any_spelling() -> None:
    storage = AccountStorage({1: 255, 2: 7})
    items, values = storage.items(), storage.values()
    assert list(items) == [(1, 255), (2, 7)]
    assert list(values) == [255, 7]
    assert (len(items), len(values)) == (2, 2)
    assert ("0x01", 255) in items
    assert (1, 7) not in items
    assert 7 in values
    assert 8 not in values
    assert items & {(2, 7), (3, 7)} == {(2, 7)}
    assert items == {(1, 255), (2, 7)}


@pytest.mark.parametrize(
    ("slot", "field"), [(0, "storage"), (b"\x01", "storage"), ("0x1", "storage.0x1")]
)
def test_a_bad_value_is_told_with_its_slot_if_that_is_text(
    slot: Any, field: str
) -> None:
    with pytest.raises(FixtureError) as caught:
        AccountStorage.from_json({slot: None})
    assert caught.value.field == field


ADDRESS = "0x" + 40 * "1"


def _seconds(use: Any, step: int) -> float:
    """Return how long it takes to use slots that are *step* apart."""
    slots = {hex(number * step): "0x1" for number in range(1, 30_001)}
    gc.collect()
    gc.disable()  # which would look through all that other tests have left
    try:
        start = time.process_time()
        use(slots)
        return time.process_time() - start
    finally:
        gc.enable()


def _write_and_read(slots: dict[str, str]) -> None:
    state = State()
    for slot, value in slots.items():
        state.set_storage(ADDRESS, slot, value)
    assert all(state.get_storage(ADDRESS, slot) == 1 for slot in slots)


def _changes(slots: dict[str, str]) -> list[Any]:
    return [[int(slot, 16), [[1, value]]] for slot, value in slots.items()]


def _apply(slots: dict[str, str]) -> None:
    apply_access_list(State(), [[bytes(20), _changes(slots), [], [], [], []]])


def _verify(slots: dict[str, str]) -> None:
    claims = [{"key": slot, "value": "0x0", "proof": []} for slot in slots]
    answer = {"address": ADDRESS, "accountProof": [], "storageProof": claims}
    proof = AccountProof.from_json(answer, slots=list(slots))
    proven = proof.verify(State().root()).storage
    assert len(proven) == len(slots)
    assert proven != dict.fromkeys(range(len(slots)), 0)
    assert len(repr(proven)) > len(slots)


@pytest.mark.parametrize(
    "use",
    [
        lambda slots: AccountStorage.from_json(slots).root(),
        lambda slots: repr(AccountStorage(slots)),
        lambda slots: AccountStorage(slots) == {1: 1},
        lambda slots: State().prove(ADDRESS, slots),
        lambda slots: AccountStorage({**slots, "0x0": "0"}).root(),
        lambda slots: Alloc.from_json({ADDRESS: {"storage": slots}}).state_root(),
        lambda slots: State().create_account(ADDRESS, Account(storage=slots)),
        _write_and_read,
        _apply,
        lambda slots: post_values([bytes(20), _changes(slots), [], [], [], []]),
        _verify,
    ],
    ids=[
        "plain",
        "shown",
        "compared",
        "proven",
        "one by one",
        "alloc",
        "state",
        "slots of a state",
        "access list",
        "values of an access list",
        "proofs",
    ],
)
def test_slots_whose_numbers_have_one_hash_in_time_proportional(use: Any) -> None:
    """Ints that are a multiple of the modulus apart have one hash, as all know."""
    assert _seconds(use, sys.hash_info.modulus) < 4 * _seconds(use, 1) + 0.5
