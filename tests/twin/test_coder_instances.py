"""Instances that the accelerator's coder makes are as their classes make them."""

from __future__ import annotations

import gc
import pickle
import sys
import weakref
from typing import Annotated, Any

import pytest

from hexary import DecodeError, rlp
from hexary.rlp.codec import codec_of
from hexary.rlp.record_coder import Coder, PureCoder
from record_specimens import SPECIMENS, Header, Letter
from twin.coders import Pair, outcome
from twin.made_up_records import Shout

if Coder is PureCoder:
    pytest.skip("no accelerator in use", allow_module_level=True)

HEADER = SPECIMENS[0]


def test_instances_are_as_the_class_itself_makes_them() -> None:
    """Also what the limited API does not describe: the hash."""
    found, _ = Pair(Header).check_reading(HEADER.rlp())
    for name in ("parent_hash", "coinbase", "logs_bloom", "extra_data", "nonce"):
        mine = getattr(found, name)
        same = type(mine)(bytes(mine))
        assert hash(mine) == hash(same) == hash(bytes(mine))
        assert {same: 1}[mine] == 1
        assert (mine, repr(mine), len(mine)) == (same, repr(same), len(same))
        assert pickle.loads(pickle.dumps(mine)) == same
        assert gc.is_tracked(mine) == gc.is_tracked(same)
    assert found.coinbase.label is None
    assert hash(found) == hash(HEADER)


def test_records_that_were_read_are_immutable() -> None:
    found, _ = Pair(Header).check_reading(HEADER.rlp())
    with pytest.raises(AttributeError, match="immutable"):
        found.number = 1
    assert gc.is_tracked(found)
    assert found.replace(number=1).number == 1


def test_classes_of_records_are_collected_with_their_coders() -> None:
    @rlp.record
    class Brief(rlp.Record):
        text: Annotated[Shout, rlp.Size(0, 9)]

    assert rlp.decode(Brief, Brief(Shout(b"a")).rlp()).text == b"a"
    seen = weakref.ref(Brief)
    del Brief
    gc.collect()
    assert seen() is None


def test_instances_are_made_with_what_their_other_bases_need() -> None:
    """An exception has arguments, even where its class says it is made as an object."""

    class Plain:
        __slots__ = ()
        __new__ = object.__new__

    @rlp.record
    class FailureError(Plain, rlp.Record, Exception):
        number: rlp.U8

    for failure in (
        FailureError.from_rlp(b"\xc1\x05"),
        FailureError.from_json({"number": 5}),
    ):
        assert failure == FailureError(5)
        assert failure.args == ()
        assert Exception.__str__(failure) == ""


def checked(*, refuse: bool = False) -> Any:
    """Return a class with a check of its own."""

    @rlp.record
    class Checked(rlp.Record):
        number: rlp.U8
        data: Annotated[Shout, rlp.Size(0, 9)]

        def __post_init__(self) -> None:
            if refuse or self.number == 5:
                raise ValueError(f"five, with {self.data!r}")

    return Checked


@pytest.mark.parametrize(
    "payload", ["c20161", "c20561", "c2013f", "c20161ff", "c10161", "c3016161", "c301"]
)
def test_checks_of_the_users_own_are_called(payload: str) -> None:
    cls = checked()
    data = bytes.fromhex(payload)
    Pair(cls).check_reading(data)
    found = outcome(cls.from_rlp, data)
    accepted = payload == "c20161"
    assert (type(found) is cls) == accepted
    if not accepted:
        assert isinstance(found, tuple)
        assert found[0] is DecodeError


def test_what_is_no_fault_of_the_bytes_is_raised() -> None:
    @rlp.record
    class Broken(rlp.Record):
        number: rlp.U8

        def __post_init__(self) -> None:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        rlp.decode(Broken, b"\xc1\x01")


@pytest.mark.usefixtures("usual_stack")
def test_records_in_records_are_as_deep_as_the_stack() -> None:
    """What is too deep for it is a RecursionError, as it is of Python's own code."""
    cls: Any = Letter
    value: Any = Letter(1)
    for depth in range(900):
        body = {"__annotations__": {"inner": cls}, "__module__": __name__}
        cls = rlp.record(type(f"Nested{depth}", (rlp.Record,), body))
        value = cls(value)
    encoded = codec_of(cls).coder.encode(value)
    found, stop = codec_of(cls).coder.read(encoded, 0)
    assert stop == len(encoded)
    assert codec_of(cls).coder.encode(found) == encoded

    def descend(levels: int) -> bytes:
        return descend(levels - 1) if levels else codec_of(cls).coder.encode(value)

    if sys.version_info >= (3, 12):
        # What C may use is no longer counted with what Python uses.
        assert descend(500) == encoded
        assert deep_reading(cls, encoded, 500)[1] == stop
        return
    with pytest.raises(RecursionError):
        descend(500)
    with pytest.raises(RecursionError):
        deep_reading(cls, encoded, 500)


def deep_reading(cls: Any, data: bytes, levels: int) -> Any:
    """Read where little of the stack is left."""
    if levels:
        return deep_reading(cls, data, levels - 1)
    return codec_of(cls).coder.read(data, 0)
