"""Views: what is looked at is found and checked, what is not is left alone."""

from __future__ import annotations

import contextlib
import copy
import mmap
import pickle
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from types import FrameType
from typing import Any

import pytest

from hexary import DecodeError, DecodeReason, InputTypeError, RangeError, rlp

BLOCK = [[1, b"coinbase", b"x" * 60], [b"first", [b"second", []]], b"", b"\x7f"]
ENCODED = rlp.encode(BLOCK)


def refusal(function: Any, *arguments: Any) -> tuple[DecodeReason, int, bytes]:
    """Return reason, offset and bytes of the error that a call raises."""
    with pytest.raises(DecodeError) as caught:
        function(*arguments)
    reason = caught.value.reason
    assert isinstance(reason, DecodeReason)
    return reason, caught.value.offset, caught.value.data


def test_items_are_found_at_any_depth():
    block = rlp.view(ENCODED)
    assert len(block) == 4
    assert block[0][1].bytes == block[0, 1].bytes == b"coinbase"
    assert block[1, 1, 0].bytes == b"second"
    assert block[-1].bytes == block[3].bytes == b"\x7f"
    assert block[()] is block
    assert [item.is_list for item in block] == [True, True, False, False]
    assert [item.decode() for item in block] == rlp.decode(ENCODED)
    assert [item.offset for item in block[1:]] == [
        item.offset for item in list(block)[1:]
    ]
    assert [item.bytes for item in block[:1:-1]] == [b"\x7f", b""]


def test_an_item_is_a_slice_of_the_input():
    block = rlp.view(ENCODED)
    item = block[0, 1]
    assert item.memory == b"coinbase"
    assert item.rlp == b"\x88coinbase"
    assert item.rlp.obj is ENCODED
    assert ENCODED[item.offset : item.offset + len(item.rlp)] == item.rlp
    assert block[1, 1].memory == b"\x86second\xc0"
    assert block.rlp == ENCODED
    assert rlp.decode(block[1].rlp) == [b"first", [b"second", []]]
    assert rlp.encode([rlp.Raw(block[1].rlp)])[1:] == block[1].rlp


def test_a_view_is_true_if_there_is_anything_in_it():
    truths = [bool(item) for item in rlp.view(rlp.encode([b"", [], b"\0", [b""]]))]
    assert truths == [False, False, True, True]


def test_numbers_are_read_as_decode_uint_reads_them():
    numbers = rlp.view(rlp.encode([0, 5, 2**256 - 1, b"\0", [], 300]))
    assert [numbers[index].uint() for index in (0, 1, 2)] == [0, 5, 2**256 - 1]
    assert refusal(numbers[3].uint)[:2] == (DecodeReason.LEADING_ZERO_INTEGER, 36)
    assert refusal(numbers[4].uint)[:2] == (DecodeReason.EXPECTED_STRING, 37)
    with pytest.raises(DecodeError) as caught:
        numbers[5].uint(bits=8)
    assert caught.value.reason is DecodeReason.INTEGER_TOO_LARGE
    assert caught.value.offset == 38


def test_a_view_tells_what_it_is():
    block = rlp.view(ENCODED)
    assert repr(block[1]) == "<View of a list, 16 bytes at offset 76>"
    assert repr(block[0, 1]) == "<View of a string, 9 bytes at offset 5>"


@pytest.mark.parametrize(
    ("data", "reason", "offset"),
    [
        ("", DecodeReason.EMPTY_INPUT, 0),
        ("83646f", DecodeReason.TRUNCATED, 0),
        ("c483646f", DecodeReason.TRUNCATED, 0),
        ("83646f6780", DecodeReason.TRAILING_BYTES, 4),
        ("8105", DecodeReason.NON_CANONICAL_BYTE, 0),
        ("b803646f67", DecodeReason.NON_CANONICAL_LENGTH, 0),
        ("b90003", DecodeReason.LEADING_ZERO_LENGTH, 0),
        ("bfffffffffffffffff", DecodeReason.TRUNCATED, 0),
    ],
)
def test_the_header_is_checked_at_once(data, reason, offset):
    assert refusal(rlp.view, bytes.fromhex(data))[:2] == (reason, offset)


def test_only_what_is_looked_at_is_checked():
    # 01, then 8105, which is no encoding, then 02.
    faulty = rlp.view(bytes.fromhex("c401810502"))
    assert faulty[0].uint() == 1
    found = (DecodeReason.NON_CANONICAL_BYTE, 2, bytes.fromhex("810502"))
    assert refusal(lambda: faulty[1]) == found
    assert refusal(lambda: faulty[2]) == found
    assert refusal(len, faulty) == found
    assert refusal(faulty.check) == found
    assert refusal(faulty.decode) == found
    items = iter(faulty)
    assert next(items).uint() == 1
    assert refusal(next, items) == found
    # What is inside an item that is passed by is not looked at.
    hidden = rlp.view(bytes.fromhex("c4c2810502"))
    assert hidden[1].uint() == 2
    assert len(hidden) == 2
    assert refusal(hidden.check) == (*found[:2], bytes.fromhex("810502"))
    assert refusal(lambda: hidden[0, 0])[:2] == found[:2]


def test_an_item_may_not_leave_its_list():
    overrun = rlp.view(bytes.fromhex("c3c2830102")[:4])
    assert refusal(lambda: overrun[0, 0])[:2] == (DecodeReason.OVERRUN, 2)
    assert refusal(overrun[0].decode)[:2] == (DecodeReason.OVERRUN, 2)
    assert refusal(overrun[0].check)[:2] == (DecodeReason.OVERRUN, 2)


def test_depth_is_that_of_decode():
    nested = bytes.fromhex("c3c201c0")
    assert rlp.view(nested, max_depth=3).check()[0, 1].decode() == []
    shallow = rlp.view(nested, max_depth=2)
    assert shallow[0, 0].uint() == 1
    found = (DecodeReason.TOO_DEEP, 3)
    assert refusal(lambda: shallow[0, 1])[:2] == found
    assert refusal(shallow.check)[:2] == found
    assert refusal(shallow.decode)[:2] == found
    assert refusal(shallow[0].check)[:2] == found
    assert refusal(shallow[0].decode)[:2] == found
    assert refusal(lambda: list(shallow[0]))[:2] == found
    assert refusal(len, shallow[0])[:2] == found
    with pytest.raises(DecodeError, match="max_depth"):
        rlp.view(b"\xc0", max_depth=0)
    assert rlp.view(b"\x05", max_depth=0).uint() == 5


def test_thousands_of_nested_lists_are_checked_without_recursion():
    nested: list[Any] = []
    for _ in range(5_000):
        nested = [nested]
    data = rlp.encode(nested)
    deep = rlp.view(data)
    assert refusal(deep.check)[0] is DecodeReason.TOO_DEEP
    assert rlp.view(data, max_depth=20_000).check()


def test_what_is_no_list_has_no_items():
    string = rlp.view(rlp.encode([b"dog"]))[0]
    for look in (
        lambda: string[0],
        lambda: string[0:1],
        lambda: string[0, 0],
        lambda: len(string),
        lambda: iter(string),
    ):
        assert refusal(look)[:2] == (DecodeReason.EXPECTED_LIST, 1)
    assert refusal(lambda: rlp.view(b"\xc0").bytes)[0] is DecodeReason.EXPECTED_STRING


@pytest.mark.parametrize("index", [4, -5, 10**30, -(10**30)])
def test_an_index_outside_is_an_index_error(index):
    with pytest.raises(IndexError, match="in the list of 4 at offset 0"):
        rlp.view(ENCODED)[index]


@pytest.mark.parametrize("index", ["0", None, 1.0, (0, "1")])
def test_an_index_of_another_type_is_refused(index):
    with pytest.raises(InputTypeError, match="index must be an int"):
        rlp.view(ENCODED)[index]


@pytest.mark.parametrize("index", [slice("a", None), slice(1.0), slice(0, 1, "b")])
def test_a_slice_of_other_types_is_refused(index):
    with pytest.raises(InputTypeError, match="index must be an int"):
        rlp.view(ENCODED)[index]


def test_a_step_of_zero_is_refused():
    with pytest.raises(RangeError, match=r"step of a slice must be .*, got 0"):
        rlp.view(ENCODED)[::0]


def test_one_kind_is_decoded_at_most():
    block: Any = rlp.view(ENCODED)
    with pytest.raises(TypeError, match=r"View.decode\(\) takes from 1 to 2"):
        block.decode(bytes, bytes)


def test_views_are_pickled_and_copied():
    block = rlp.view(ENCODED)
    assert block[0].is_list
    again = pickle.loads(pickle.dumps(block[1]))
    assert again.decode() == block[1].decode()
    assert again.offset == block[1].offset
    mapped = rlp.view(memoryview(ENCODED))
    with pytest.raises(InputTypeError, match="pickled must be bytes, got memoryview"):
        pickle.dumps(mapped)
    for each in (block, mapped):
        for other in (copy.copy(each), copy.deepcopy(each)):
            assert other[1, 0].bytes == b"first"
            assert [each[index].offset for index in range(4)] == [
                item.offset for item in each
            ]
            assert len(other) == len(each) == 4


def test_arguments_of_other_types_are_refused():
    text: Any = "c0"
    with pytest.raises(InputTypeError, match=r"data must be bytes, .* got str"):
        rlp.view(text)
    with pytest.raises(InputTypeError, match="max_depth"):
        rlp.view(b"\xc0", max_depth=text)
    with pytest.raises(RangeError, match="max_depth"):
        rlp.view(b"\xc0", max_depth=-1)
    released = memoryview(b"\xc0")
    released.release()
    with pytest.raises(InputTypeError, match="released"):
        rlp.view(released)


def test_what_may_change_is_copied():
    data = bytearray(ENCODED)
    views = [rlp.view(data), rlp.view(memoryview(data))]
    data[:] = bytes(len(data))  # nothing is exported, so it could even grow
    data.append(0)
    for block in views:
        assert block.decode() == rlp.decode(ENCODED)


def test_a_read_only_memoryview_is_held():
    padded = b"\0" + ENCODED + b"\0"
    part = memoryview(padded)[1:-1]
    block = rlp.view(part)
    assert block[0, 1].memory.obj is padded
    assert block[0, 1].bytes == b"coinbase"
    assert type(block[0, 1].bytes) is bytes
    assert block.check().decode() == rlp.decode(ENCODED)
    assert refusal(lambda: rlp.view(part[:-1]))[2] == ENCODED[:32]
    assert rlp.view(memoryview(ENCODED[::-1])[::-1])[0, 1].bytes == b"coinbase"
    assert refusal(rlp.view, memoryview(b""))[0] is DecodeReason.EMPTY_INPUT
    wide = memoryview(b"\x83dog").cast("H")
    assert rlp.view(wide).bytes == b"dog"


def test_a_file_mapped_for_reading_is_not_read_whole(tmp_path: Path):
    path = tmp_path / "blocks.rlp"
    path.write_bytes(ENCODED)
    with (
        path.open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped,
        memoryview(mapped) as data,
    ):
        block = rlp.view(data)
        assert block[1, 0].bytes == b"first"
        assert block.decode() == rlp.decode(ENCODED)
        with block.rlp as encoding:
            assert encoding.obj is mapped
        # The map cannot be closed while views hold it.
        held = block._data
        assert isinstance(held, memoryview)
        del block
        held.release()


def test_records_are_decoded_from_where_they_are():
    @rlp.record
    class Pair(rlp.Record):
        number: rlp.U8
        word: bytes

    pairs = rlp.view(rlp.encode([[1, b"one"], [300, b"many"], [2, b"two"]]))
    assert pairs[2].decode(Pair) == Pair(2, b"two")
    with pytest.raises(DecodeError) as caught:
        pairs[1].decode(Pair)
    assert caught.value.reason is DecodeReason.INTEGER_TOO_LARGE
    assert caught.value.field == "pair.number"
    assert caught.value.offset == pairs[1].offset + 1
    assert refusal(lambda: pairs.decode(max_items=3))[:2] == (
        DecodeReason.TOO_MANY_ITEMS,
        3,
    )


def test_any_order_of_access_takes_linear_time():
    """Headers are read once: a list ten times as long takes about ten times as long."""
    taken = []
    for count in (5_000, 50_000):
        items = rlp.view(rlp.encode([b"item"] * count))
        start = perf_counter()
        for index in range(count - 1, -1, -1):
            assert items[index].offset >= 0
        taken.append(perf_counter() - start)
    assert taken[1] < 50 * taken[0]


def test_threads_may_share_a_view():
    count = 20_000
    items = rlp.view(rlp.encode([b"%d" % number for number in range(count)]))
    wrong: list[int] = []

    def read(start: int) -> None:
        wrong.extend(
            number
            for number in range(start, count, 7)
            if items[number].bytes != b"%d" % number
        )

    threads = [threading.Thread(target=read, args=(start,)) for start in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert wrong == []
    assert len(items) == count


def at_line(number: int, action: Callable[[], None], function: Any) -> int:
    """Call *function*, and *action* before a line of `View._reach`; count lines."""
    code = rlp.View._reach.__code__
    seen = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal seen
        if frame.f_code is not code:
            return None
        if event == "line":
            seen += 1
            if seen == number:
                action()
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(before)
    return seen


def interrupt() -> None:
    """Do what Ctrl-C does."""
    raise KeyboardInterrupt


def test_an_interruption_leaves_a_view_as_right_as_it_was():
    """A signal may come anywhere: here before each line, one after the other."""
    words = [b"%d" % number * 5 for number in range(12)]
    encoded = rlp.encode(words)
    lines = at_line(0, interrupt, lambda: len(rlp.view(encoded)))
    assert lines > 50
    for number in range(1, lines + 1):
        items = rlp.view(encoded)
        assert items[3].bytes == words[3]
        with contextlib.suppress(KeyboardInterrupt):
            at_line(number, interrupt, items.__len__)
        assert [items[index].bytes for index in range(12)] == words
        assert len(items) == 12


def test_a_view_can_be_used_while_another_thread_or_a_handler_reads_it():
    """Nobody waits for anybody: no lock is left held by a fork or a signal handler."""
    words = [b"word"] * 12
    encoded = rlp.encode(words)
    lines = at_line(0, interrupt, lambda: len(rlp.view(encoded)))
    for number in range(1, lines + 1):
        items = rlp.view(encoded)
        counted: list[int] = []

        def count(items: rlp.View = items, counted: list[int] = counted) -> None:
            thread = threading.Thread(target=lambda: counted.append(len(items)))
            thread.start()
            thread.join(timeout=5)
            assert counted == [12]

        at_line(number, count, items.__len__)
        assert counted == [12]
        assert [item.bytes for item in items[:]] == words
