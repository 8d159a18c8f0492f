"""``FixedSizeBytes[n]`` and ``FixedSizeHexNumber[n]``: one class a size."""

from __future__ import annotations

import pickle
import re
from typing import Any

import pytest
from pydantic import TypeAdapter

from case_names import shown
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
@pytest.mark.parametrize("size", ["4", 4.0, None, True, (4,)], ids=shown)
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


@pytest.mark.parametrize("generic", BOTH)
@pytest.mark.parametrize(
    ("size", "error"),
    [
        *(("4", InputTypeError), (1.5, InputTypeError), (None, InputTypeError)),
        *((True, InputTypeError), (-1, RangeError), (2**31, RangeError)),
    ],
    ids=shown,
)
def test_a_class_statement_needs_a_size_too(
    generic: Any, size: Any, error: type[Exception]
) -> None:
    with pytest.raises(error, match=r"^byte_length of Odd must be"):
        type("Odd", (generic,), {"byte_length": size})


def test_a_large_size_costs_nothing_until_it_is_used() -> None:
    """The largest number of 2^31-1 bytes would take 2 GiB and some seconds."""
    kind = FixedSizeHexNumber[2**31 - 1]
    assert kind(5) == 5
    assert HashInt.max_value == HashInt(5).max_value == 2**256 - 1
    assert not hasattr(FixedSizeHexNumber, "max_value")


def test_zero_bytes_are_a_size() -> None:
    assert FixedSizeHexNumber[0](0) == FixedSizeHexNumber[0].max_value == 0
    assert FixedSizeBytes[0](0) == b""
    with pytest.raises(RangeError):
        FixedSizeHexNumber[0](1)
    schema = TypeAdapter(FixedSizeHexNumber[0]).json_schema()
    assert re.match(schema["pattern"], str(FixedSizeHexNumber[0](0)))


@pytest.mark.parametrize(
    "name",
    [
        *("FixedSizeBytes[04]", "FixedSizeBytes[٤]", "FixedSizeBytes[4", "Hash[4]"),
        *("FixedSizeBytes[-1]", "FixedSizeBytes[]", "FixedSizeBytes[9999999999]"),
        f"FixedSizeBytes[{5000 * '9'}]",
    ],
)
def test_a_class_is_found_under_its_own_name_alone(name: str) -> None:
    assert not hasattr(sized, name)
