"""How messages show a value: shortened, cheap, and without running foreign code."""

from __future__ import annotations

import array
import pickle

import numpy
import pytest

from hexary.errors import InputTypeError, describe, path_text, shorten
from odd_values import BUFFERS, FOREIGN, OddText, TextEnum, released


class Hostile:
    def __repr__(self) -> str:
        raise RuntimeError("a message must not run this")

    def __len__(self) -> int:
        raise RuntimeError("nor this")


def deep() -> list[object]:
    inner: list[object] = []
    for _ in range(100_000):
        inner = [inner]
    return inner


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (b"", "0x"),
        (b"\xab" * 32, "0x" + 32 * "ab"),
        (bytearray(33), f"0x{32 * '0'}… (33 bytes)"),
        (memoryview(bytes(100))[::2], f"0x{32 * '0'}… (50 bytes)"),
        (memoryview(array.array("Q", [1])), "memoryview of 8 bytes"),
        (memoryview(numpy.zeros((0, 3), dtype="<u4")), "memoryview of 0 bytes"),
        (memoryview(bytes(9)).cast("B", (3, 3)), "memoryview of 9 bytes"),
        ("dog", "'dog'"),
        ("x" * 65, f"'{32 * 'x'}'… (65 characters)"),
        (7, "7"),
        (True, "True"),
        (1.5, "1.5"),
        (None, "None"),
        (1 << 300, "int of 301 bits"),
        ([1, 2], "list of 2"),
        ({}, "dict of 0"),
        (Hostile(), "Hostile"),
        ({"a": deep()}.values(), "dict_values"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_value_is_shown_in_one_short_line(value, shown):
    assert shorten(value) == shown


def test_deep_values_are_shown_without_walking_them():
    assert shorten(deep()) == "list of 1"


def test_kind_and_value_without_saying_anything_twice():
    assert describe(5) == "int 5"
    assert describe("5") == "str '5'"
    assert describe(b"5") == "bytes 0x35"
    assert describe([5]) == "list of 1"
    assert describe(None) == "None"
    assert describe(Hostile()) == "Hostile"


def test_a_type_error_says_what_came():
    assert str(InputTypeError("data", "bytes", None)) == "data must be bytes, got None"
    error = InputTypeError("data", "bytes", "ab", hint="encode it")
    assert str(error) == "data must be bytes, got str 'ab'; encode it"


def test_a_place_is_spelled_as_in_python():
    assert path_text(()) == ""
    assert path_text(("block", "transactions", 3, "to")) == "block.transactions[3].to"
    assert path_text((1, 0)) == "[1][0]"
    long = path_text(tuple(range(100)))
    assert long == "[0][1][2][3][4][5].…[95][96][97][98][99]"


@pytest.mark.parametrize("value", BUFFERS.values(), ids=BUFFERS.keys())
def test_a_message_shows_what_a_subclass_holds(value):
    assert shorten(value) == "0x61626300"


@pytest.mark.parametrize("value", FOREIGN.values(), ids=FOREIGN.keys())
def test_a_message_is_not_taken_in_by_a_mock(value):
    assert describe(value) == "Mock"


def test_a_message_runs_no_method_of_text_numbers_or_lists():
    class Big(int):
        def bit_length(self) -> int:
            return 1

    class Endless(list):
        def __len__(self) -> int:
            raise RuntimeError("not asked")

    assert shorten(OddText("0xab")) == "'0xab'"
    assert describe(TextEnum.VALUE) == "TextEnum '0xab'"
    assert shorten(Big(1 << 300)) == "int of 301 bits"
    assert shorten(Endless([1])) == "Endless of 1"
    assert describe(numpy.float64(5)) == "float64 5.0"
    assert shorten(released()) == "memoryview, released"
    assert len(describe(type("x" * 10_000, (), {})())) < 100


def local_class() -> type:
    class Local:
        pass

    return Local


@pytest.mark.parametrize(
    ("value", "got"),
    [
        (5, int),
        (None, type(None)),
        ((each for each in ()), object),
        ({}.keys(), object),
        (pytest, object),
        (local_class()(), object),
        (type("Local", (array.array,), {})("b"), array.array),
    ],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_type_error_is_pickled_whatever_came(protocol, value, got):
    error = InputTypeError("data", "bytes", value)
    assert error.got is type(value)
    again = pickle.loads(pickle.dumps(error, protocol))
    assert (str(again), again.argument, again.accepted) == (
        *(str(error), "data", "bytes"),
    )
    assert again.got is got
