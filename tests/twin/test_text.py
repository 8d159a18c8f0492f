"""The accelerator reads hex text as the pure code does, and refuses it alike."""

from __future__ import annotations

from collections import UserString
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hexary import HexError
from hexary.twin import pure_twins
from hexary.typed.hexstr import parse_bytes, parse_quantity
from twin.outcome import outcome

PURE = pure_twins()

if not PURE:
    pytest.skip("no accelerator in use", allow_module_level=True)

pure_parse_bytes = PURE["hexary.typed.hexstr.parse_bytes"]
pure_parse_quantity = PURE["hexary.typed.hexstr.parse_quantity"]


class Spelled(StrEnum):
    ONE = "0x01"


class Shouted(str):
    """Text that says otherwise of itself."""

    __slots__ = ()

    def __str__(self) -> str:
        return "0xff"


def same(text: Any, **named: Any) -> None:
    for mine, pure in (
        (parse_bytes, pure_parse_bytes),
        (parse_quantity, pure_parse_quantity),
    ):
        assert outcome(mine, text, **named) == outcome(pure, text, **named)


DIGITS = st.text("0123456789abcdefABCDEF", max_size=80)
TEXTS = st.one_of(
    DIGITS,
    st.builds(str.__add__, st.sampled_from(["0x", "0X"]), DIGITS),
    st.integers(0, 2**300).map(str),
    st.integers(0, 2**300).map(hex),
    st.text("0123456789xX_- \t\ngé\udc80", max_size=20),
    st.text(max_size=8),
)


@given(text=TEXTS)
@example("0x" + 15 * "f")
@example("0x" + 16 * "f")
@example("0x" + 17 * "f")
@example("0x" + 60 * "0" + "1")
@example(19 * "9")
@example(20 * "9")
@example("18446744073709551616")
@example("0x\ud800")
@example("0xé0")
@example("0x0\x00")
@example("00")
def test_text(text):
    same(text)


@given(text=TEXTS, position=st.integers(0, 80), character=st.characters())
def test_text_with_one_character_changed(text, position, character):
    same(text[:position] + character + text[position + 1 :])


@given(
    text=TEXTS,
    named=st.fixed_dictionaries(
        {},
        optional={
            "odd": st.sampled_from(["pad", "refuse", "other", None, Spelled.ONE]),
            "blanks": st.sampled_from([True, False, 1, None]),
        },
    ),
)
def test_options_of_data(text, named):
    assert outcome(parse_bytes, text, **named) == outcome(
        pure_parse_bytes, text, **named
    )


@given(
    text=TEXTS,
    named=st.fixed_dictionaries(
        {}, optional={"signed": st.booleans(), "empty": st.booleans()}
    ),
)
def test_options_of_quantities(text, named):
    assert outcome(parse_quantity, text, **named) == outcome(
        pure_parse_quantity, text, **named
    )


@pytest.mark.parametrize(
    "value",
    [Spelled.ONE, Shouted("0x01"), UserString("0x01"), b"0x01", 1, None, ["0x01"]],
)
def test_what_is_no_text_or_not_quite(value):
    same(value)


@pytest.mark.parametrize("arguments", [(), ("0x00", "pad")])
def test_wrong_numbers_of_arguments(arguments):
    for function in (parse_bytes, parse_quantity):
        with pytest.raises(TypeError):
            function(*arguments)


def test_the_position_of_what_is_wrong_is_told():
    with pytest.raises(HexError) as caught:
        parse_bytes("0x00g0")
    assert caught.value.position == 4


def test_a_quantity_may_be_long():
    assert parse_quantity("0x" + 4000 * "f") == 16**4000 - 1
