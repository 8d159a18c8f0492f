"""
`rlp.decode`, `decode_prefix`, `encode` and `encoded_size`: the accelerator and the code
that it replaces give the same values or the same errors, on any bytes and limits.

Input: a byte for each limit, 255 for none, then what is decoded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hexary import DecodeError, rlp
from hexary.twin import pure_twins

_PURE = pure_twins()


def _outcome(function: Callable[..., Any], *arguments: Any, **named: Any) -> object:
    """Return what *function* returns, or all that its error says."""
    try:
        return function(*arguments, **named)
    except Exception as error:  # noqa: BLE001  # whatever it is, both have to raise it
        return type(error), str(error), vars(error)


def test_one_input(data: bytes) -> None:
    """Decode *data* by both."""
    if not _PURE:
        raise SystemExit("no accelerator in use: there is nothing to compare")
    if len(data) < 2:
        return
    depth, items, data = data[0], data[1], data[2:]
    limits: dict[str, int | None] = {"max_depth": 1024 if depth == 255 else depth}
    limits["max_items"] = None if items == 255 else items
    for name in ("decode", "decode_prefix"):
        native = getattr(rlp, name)
        pure = _PURE[f"hexary.rlp.decoding.{name}"]
        for given in (data, bytearray(data), memoryview(data)):
            mine, theirs = (
                _outcome(native, given, **limits),
                _outcome(pure, data, **limits),
            )
            if mine != theirs:
                raise AssertionError(f"{name}({data.hex()}): {mine!r}, not {theirs!r}")
    try:
        item, rest = rlp.decode_prefix(data, max_depth=1_000)
    except DecodeError:
        return
    size = len(data) - len(rest)
    for encoder in (rlp.encode, _PURE["hexary.rlp.encoding.encode"]):
        if encoder(item) != data[:size]:
            raise AssertionError(f"{data.hex()} is encoded as {encoder(item).hex()}")
    if rlp.encoded_size(item) != size:
        raise AssertionError(
            f"{rlp.encoded_size(item)}, not {size}, bytes encode {item}"
        )
