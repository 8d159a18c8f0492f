"""Slots by their words, as proofs and access lists tell them."""

from __future__ import annotations

import copy
import pickle

import pytest

from hexary.state import AccountStorage, Slots


def test_a_slot_may_be_asked_for_in_any_spelling() -> None:
    slots = Slots([(1, 255), (2**256 - 1, 0)])
    assert slots[1] == slots["0x01"] == slots[bytes(31) + b"\x01"] == 255
    assert slots[2**256 - 1] == 0
    assert 3 not in slots
    with pytest.raises(KeyError, match="3"):
        slots[3]


def test_they_are_equal_to_mappings_of_the_same_numbers() -> None:
    slots = Slots([(1, 255), (2, 7)])
    assert slots == {2: 7, 1: 255}
    assert slots == AccountStorage({1: 255, 2: 7})
    assert hash(slots) == hash(AccountStorage({1: 255, 2: 7}))
    for other in ({1: 255}, {1: 255, 2: 8}, {1: 255, 3: 7}, {1: 255, "0x2": 7}, None):
        assert slots != other


def test_of_a_slot_given_twice_the_last_value_counts() -> None:
    assert list(Slots([(1, 2), (3, 4), (1, 5)]).items()) == [(1, 5), (3, 4)]


@pytest.mark.parametrize("slots", [Slots([(5, 0), (1, 2)]), AccountStorage({1: 2})])
def test_they_can_be_copied(slots: Slots) -> None:
    for other in (copy.copy(slots), copy.deepcopy(slots)):
        assert type(other) is type(slots)
        assert other == slots
    assert pickle.loads(pickle.dumps(slots)) == slots
    assert eval(repr(AccountStorage(slots))) == AccountStorage(slots)  # noqa: S307 - made here
