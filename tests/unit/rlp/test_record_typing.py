"""What a type checker makes of records: their constructors and decoded values."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import hexary

PAGE = """
from collections.abc import Sequence
from typing import assert_type

from hexary import Address, Bytes, Hash, rlp


@rlp.record
class Header(rlp.Record):
    number: rlp.U64
    parent_hash: Hash = rlp.field(json="parent")
    extra_data: Bytes = Bytes(b"")
    some: Sequence[rlp.U8] = rlp.field(default=())
    base_fee: rlp.Trailing[rlp.U256] = None


@rlp.record(type_byte=1, kw_only=True)
class Typed(rlp.Record):
    to: Address | None = None
    value: rlp.U64


@rlp.record
class Block(rlp.Record):
    header: Header
    transactions: tuple[Header | Typed, ...]


ANY: rlp.TypedUnion[Header | Typed] = rlp.typed_union({1: Typed}, legacy=Header)

header = Header(1, Hash(0), some=[1, 2])
assert_type(header.number, int)
assert_type(header.base_fee, int | None)
assert_type(header.rlp(), bytes)
assert_type(header.hash(), Hash)
assert_type(header.replace(number=2), Header)
assert_type(Header.from_json({}), Header)
assert_type(Typed.from_rlp(b""), Typed)
assert_type(rlp.decode(Header, b""), Header)
assert_type(rlp.decode(tuple[Header, ...], b""), tuple[Header, ...])
assert_type(rlp.decode(ANY, b""), Header | Typed)
assert_type(ANY.from_json({}), Header | Typed)
assert_type(rlp.decode_prefix(Header, b""), tuple[Header, bytes])
assert_type(next(rlp.decode_concatenated(Block, b"")).header, Header)
assert_type(rlp.decode(b""), rlp.Item)
rlp.encode([header, 1, b"x"])
Block(header, (Typed(value=1),))

Header(1)  # wrong: call-arg
Header(1, b"")  # wrong: arg-type
Header(number=1, parent_hash=Hash(0), other=1)  # wrong: call-arg
Typed(None, 1)  # wrong: call-arg
header.number = 2  # wrong: misc
Block(header, (1,))  # wrong: arg-type
rlp.decode(Header, "text")  # wrong: call-overload
"""


def test_checkers_know_constructors_and_decoded_types(
    tmp_path: Path, clean_environment: dict[str, str]
) -> None:
    pytest.importorskip("mypy", reason="there is no type checker here")
    page = tmp_path / "page.py"
    page.write_text(PAGE, encoding="utf-8")
    source = Path(hexary.__file__).parents[1]
    # An installed package is found without, and mypy refuses to be told.
    path = {} if source.name == "site-packages" else {"MYPYPATH": str(source)}
    command = [
        *(sys.executable, "-m", "mypy", "--strict", "--no-incremental"),
        *("--cache-dir", str(tmp_path / "cache"), str(page)),
    ]
    # mypy finds an installed hexary by itself, and refuses to be told where.
    path = {} if source.name == "site-packages" else {"MYPYPATH": str(source)}
    done = subprocess.run(
        command,
        env=clean_environment | path,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    found = {
        (int(line), code)
        for line, code in re.findall(
            r"page\.py:(\d+): error: .*\[([\w-]+)\]", done.stdout
        )
    }
    wanted = {
        (number, line.partition("# wrong: ")[2])
        for number, line in enumerate(PAGE.splitlines(), 1)
        if "# wrong: " in line
    }
    assert found == wanted, done.stdout + done.stderr
