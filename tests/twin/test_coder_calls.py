"""Calls of the accelerator's coder that nothing in hexary makes."""

from __future__ import annotations

from typing import Any

import pytest

from hexary.rlp.record_coder import Coder, PureCoder
from hexary.rlp.source import RETRIES
from record_specimens import SPECIMENS, Header, Receipt
from twin.coders import Pair, read

if Coder is PureCoder:
    pytest.skip("no accelerator in use", allow_module_level=True)

HEADER = SPECIMENS[0]


class Forged:
    """What has a layout of any kind."""

    def __init__(self, layout: object) -> None:
        self._layout = layout

    def layout(self, _: object = ()) -> object:
        return self._layout


SLOT = vars(Header)["number"]


@pytest.mark.parametrize(
    "layout",
    [
        None,
        (),
        (Header, {0}, None, (), False, 1),
        (5, {0}, None, (), False),
        (Header, 5, None, (), False),
        (Header, set(), None, (), False),
        (Header, {128}, None, (), False),
        (Header, {"0"}, None, (), False),
        (Header, {0}, 7, (), False),
        (Header, {0}, None, [], False),
        (Header, {0}, None, (1,), False),
        (Header, {0}, None, (("number", 7, False, ("bool",)),), False),
        *(
            (Header, {0}, None, (("number", SLOT, False, inner),), False)
            for inner in [
                *(None, (), (5,), ("other",), ("uint",), ("uint", -1, int, None)),
                *(("uint", "8", int, None), ("uint", 8, bytes, None)),
                *(("bytes", 0, None, int, None), ("bytes", 0, None, 5, None)),
                *(("bytes", -5, None, bytes, None), ("bytes", 0, "x", bytes, None)),
                *(("sequence", 5, tuple, None), ("tuple", [("bool",)])),
                *(("tuple", (("bool",), 5)), ("optional",), ("optional", "x")),
                *(("converted", ("bool",)), ("python", 5), ("record", 5, (0,))),
                *(("record", Forged(5), ()), ("record", Forged(5), (0, 1))),
                *(("typed", {0: 5}), ("typed", []), ("choice", (5,))),
                *(("choice", (((), 5, "x"),)), ("choice", (((5,), 5, ("bool",)),))),
                *(("choice", ()), ("choice", ((((0, -1, False),), 5, ("bool",)),))),
            ]
        ),
    ],
)
def test_what_is_no_layout_is_refused(layout: object) -> None:
    refusals = (TypeError, ValueError, AttributeError, IndexError, SystemError)
    with pytest.raises(refusals):
        Coder(Forged(layout))  # type: ignore[arg-type]  # that is what is tested


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read", ()),
        ("read", (b"\xc0",)),
        ("read", (bytearray(b"\xc0"), 0)),
        ("read", (b"\xc0", "0")),
        ("read", (b"\xc0", 0, 0, 0)),
        ("read", (b"\xc0", 0, "0")),
        ("read_alone", (b"\xc0", 0, 0)),
        ("encode_with", (HEADER,)),
        ("encode_with", (HEADER, "text")),
    ],
)
def test_arguments_of_other_types_are_refused(
    name: str, arguments: tuple[Any, ...]
) -> None:
    with pytest.raises(TypeError):
        getattr(Pair(Header).native, name)(*arguments)


@pytest.mark.parametrize(
    ("data", "arguments"),
    [(b"", (0,)), (b"\xc0", (1,)), (b"\xc0", (2**40,)), (b"\xc0", (-1,)), (b"", (-1,))],
)
def test_positions_outside_are_given_up(data: bytes, arguments: tuple[int]) -> None:
    native = Pair(Receipt).native
    assert read(lambda *_: native.read(data, *arguments), data) is None
    assert read(lambda *_: native.read_alone(data, *arguments), data) is None


def test_types_that_there_are_not_are_given_up() -> None:
    native = Pair(Header).native
    for type_byte in (-1, 128, 2**70):
        with pytest.raises((*RETRIES, OverflowError)):
            native.read(HEADER.rlp(), 0, type_byte)
