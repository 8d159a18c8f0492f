"""``FixedSizeBytes[n]`` and ``FixedSizeHexNumber[n]``: one class a size."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from hexary.errors import InputTypeError, RangeError
from hexary.typed import FixedSizeBytes, FixedSizeHexNumber, Hash, HashInt, sized

BOTH = [FixedSizeBytes, FixedSizeHexNumber]


@pytest.mark.parametrize("generic", BOTH)
def test_a_size_is_one_class(generic: Any) -> None:
    assert generic[4] is generic[4]
    assert generic[4] is not generic[5]
    assert issubclass(generic[4], generic)
    assert generic[4].byte_length == 4
    assert generic[4].__name__ == f"{generic.__name__}[4]"
    assert generic[4].__doc__
    assert not hasattr(generic[4](1), "__dict__")


@pytest.mark.parametrize("generic", BOTH)
@pytest.mark.parametrize("size", ["4", 4.0, None, True, (4,)], ids=repr)
def test_a_size_is_an_int(generic: Any, size: Any) -> None:
    with pytest.raises(InputTypeError, match=f"size of {generic.__name__}"):
        generic[size]


@pytest.mark.parametrize("generic", BOTH)
@pytest.mark.parametrize("size", [-1, 2**31, 10**30])
def test_a_size_has_bounds(generic: Any, size: int) -> None:
    with pytest.raises(RangeError, match=f"size of {generic.__name__}"):
        generic[size]


def test_a_size_is_given_once() -> None:
    for cls in (Hash, HashInt, FixedSizeBytes[4]):
        sizes: Any = cls
        with pytest.raises(InputTypeError, match="without a size of its own"):
            sizes[4]


@pytest.mark.parametrize("generic", BOTH)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_classes_and_values_survive_pickling(generic: Any, protocol: int) -> None:
    for thing in (generic[6], generic[6](5)):
        again = pickle.loads(pickle.dumps(thing, protocol))
        assert again == thing
        assert type(again) is type(thing)


class Words(FixedSizeBytes):
    """A family of sizes that a user defines."""

    __slots__ = ()


def test_a_family_of_ones_own() -> None:
    family: Any = Words
    value = family[2](1)
    assert repr(value) == "Words[2]('0x0001')"
    assert isinstance(value, Words)
    assert family[2] is not FixedSizeBytes[2]
    plain, _ = sized.reduce_sized(value, bytes(value))[1][1:], None
    assert plain == (2, b"\0\1")
    assert value.__reduce__()[1] == (Words, 2, b"\0\1")


@pytest.mark.parametrize(
    "name", ["FixedSizeBytes", "FixedSizeBytes[x]", "FixedSizeBytes[4", "Bytes[4]", "x"]
)
def test_only_such_classes_are_found_by_name(name: str) -> None:
    with pytest.raises(AttributeError, match="has no attribute"):
        getattr(sized, name)
