"""
Python source of the encoders and decoders of records, while it is being written.

The decoders that are written only ever accept or give up: each check that fails raises
`RetryError`, and an index over the end raises by itself.  Then a `Reader` finds out
what is wrong, or that nothing is.

Positions only grow, and each list compares where its items have ended with where it
should end, the whole input last.  So no item needs a check of its own that it is
within its list: if one is not, that comparison fails.
"""

from __future__ import annotations

from struct import Struct, error
from typing import TYPE_CHECKING, Any

from hexary.errors import DecodeReason, HexaryError
from hexary.rlp.decoding import decode, read_header
from hexary.rlp.encoding import LIST_HEADERS, STRING_HEADERS, long_header
from hexary.rlp.raw import Raw
from hexary.typed.hexstr import parse_bytes, parse_quantity

if TYPE_CHECKING:
    from collections.abc import Callable

    from hexary.rlp.decoding import Item
    from hexary.rlp.kinds import Kind

__all__ = [
    "MOST_RAW_DEPTH",
    "RETRIES",
    "RetryError",
    "Source",
    "compile_reader",
    "compile_run_reader",
    "compile_writer",
    "list_header",
    "read_item",
    "read_raw",
    "string_header",
]

MOST_RAW_DEPTH = 512
"""
Depth of raw items that compiled code decodes: half of what is allowed in all, so that
it never accepts what is too deep together with the lists around it.
"""


class RetryError(ValueError):
    """
    The compiled decoder has given up.

    A new one each time: an error that is kept keeps the frames that it has passed, and
    with them whatever was being decoded.
    """


RETRIES = (ValueError, LookupError, OverflowError, error, HexaryError)
"""What compiled decoders raise where the input may be bad."""

_TOO_LARGE = 1 << 1024

SMALL_INTS = (b"\x80", *(bytes([value]) for value in range(1, 128)))


def string_header(data: bytes) -> bytes:
    r"""
    Return what goes before *data* in their encoding.

    Example:
        >>> string_header(b"dog"), string_header(b"A")
        (b'\x83', b'')
    """
    size = len(data)
    if size < 56:
        return b"" if size == 1 and data[0] < 0x80 else STRING_HEADERS[size]
    return long_header(0xB7, size)


def list_header(size: int) -> bytes:
    r"""
    Return what goes before the items of a list, which take *size* bytes.

    Example:
        >>> list_header(3), list_header(56)
        (b'\xc3', b'\xf88')
    """
    if size < 56:
        return LIST_HEADERS[size]
    return long_header(0xF7, size)


def _encode_string(data: bytes) -> bytes:
    """Return the encoding of a string."""
    return string_header(data) + data


def _encode_list(payload: bytes) -> bytes:
    """Return the encoding of a list with this payload."""
    return list_header(len(payload)) + payload


def _encode_uint(value: int) -> bytes:
    """Return the encoding of an integer of 128 or more."""
    size = (value.bit_length() + 7) >> 3
    if size < 56:
        return STRING_HEADERS[size] + value.to_bytes(size, "big")
    return _encode_string(value.to_bytes(size, "big"))


def _read_wide(data: bytes, position: int, bits: int | None) -> tuple[int, int]:
    """Return the integer of any size at *position*, and the index behind it."""
    start, stop = read_header(data, position, len(data), DecodeReason.OVERRUN)
    if data[position] >= 0xC0 or (start != stop and not data[start]):
        raise RetryError
    if bits is not None and stop - start > bits // 8 + 1:
        raise RetryError
    value = int.from_bytes(data[start:stop], "big")
    if bits is not None and value >> bits:
        raise RetryError
    return value, stop


def read_item(data: bytes, position: int) -> tuple[Item, int]:
    """Return the item of any form at *position*, and the index behind it."""
    _, stop = read_header(data, position, len(data), DecodeReason.OVERRUN)
    return decode(data[position:stop], max_depth=MOST_RAW_DEPTH), stop


def read_raw(data: bytes, position: int) -> tuple[Raw, int]:
    """Return the item at *position* as it is, and the index behind it."""
    _, stop = read_header(data, position, len(data), DecodeReason.OVERRUN)
    return Raw(data[position:stop], max_depth=MOST_RAW_DEPTH), stop


_NAMES: dict[str, Any] = {
    "RETRY": RetryError,
    "__int": int,
    "__len": len,
    "__str": str,
    "__type": type,
    "SMALL_INTS": SMALL_INTS,
    "encode_list": _encode_list,
    "encode_string": _encode_string,
    "encode_uint": _encode_uint,
    "from_bytes": int.from_bytes,
    "list_header": list_header,
    "new_bytes": bytes.__new__,
    "new_int": int.__new__,
    "parse_bytes": parse_bytes,
    "parse_quantity": parse_quantity,
    "read_item": read_item,
    "read_raw": read_raw,
    "read_wide": _read_wide,
    "string_header": string_header,
}
"""What the written code calls."""


class Source:
    """One function's source, line by line, and the objects that it names."""

    __slots__ = ("_counter", "_depth", "_lines", "names")

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._depth = 0
        self._counter = 0
        self.names: dict[str, Any] = dict(_NAMES)

    def write(self, line: str) -> None:
        """Add a line to the block that is open."""
        self._lines.append("    " * self._depth + line)

    def open(self, line: str) -> None:
        """Add the first line of a block, and open it."""
        self.write(line)
        self._depth += 1

    def close(self) -> None:
        """Close the block that is open."""
        self._depth -= 1

    def fresh(self) -> str:
        """Return a name that nothing has yet."""
        self._counter += 1
        return f"x{self._counter}"

    def bind(self, thing: object) -> str:
        """Return a name for *thing*."""
        for name, known in self.names.items():
            if known is thing:
                return name
        name = f"__g{len(self.names)}"
        self.names[name] = thing
        return name

    def refuse(self, condition: str) -> None:
        """Give up if *condition* holds."""
        self.write(f"if {condition}: raise RETRY")

    def refuse_cut(self, end: str = "p") -> None:
        """
        Give up if the bytes before *end* are not all there.

        Written before code of a user's own is called, which may rely on sizes.
        """
        self.refuse(f"{end} > __len(data)")

    def struct(self, layout: str) -> str:
        """Return a name for the function that unpacks *layout*."""
        name = f"S{len(self.names)}"
        self.names[name] = Struct(layout).unpack_from
        return name

    def minima(self, bits: int) -> str:
        """
        Return a name for the smallest integer that begins with a prefix, by prefix.

        There is none for what is not an integer of *bits* bits behind a prefix.
        """
        sizes = range(1, (bits + 7) // 8 + 1)
        table = (
            *[_TOO_LARGE] * 129,
            *(128 if size == 1 else 1 << 8 * (size - 1) for size in sizes),
        )
        for name, known in self.names.items():
            if known == table:
                return name
        return self.bind(table)

    def read_string_header(self, start: str, stop: str) -> None:
        """Write code that reads the header of a string at ``p``."""
        self.write("b = data[p]")
        self.write(f"if b < 128: {start} = p; {stop} = p + 1")
        self.open("elif b < 184:")
        self.write(f"{start} = p + 1; {stop} = p + b - 127")
        self.refuse(f"b == 129 and data[{start}] < 128")
        self.close()
        self.refuse("b >= 192")
        self._lines[-1] = self._lines[-1].replace("if b", "elif b")
        self.open("else:")
        self._read_long_header(182, start, stop)
        self.close()

    def read_list_header(self, stop: str) -> None:
        """Write code that moves ``p`` from a list to its first item."""
        self.write("b = data[p]")
        self.refuse("b < 192")
        self.write(f"elif b < 248: {stop} = p + b - 191; p += 1")
        self.open("else:")
        self._read_long_header(246, "p", stop)
        self.close()

    def _read_long_header(self, shift: int, start: str, stop: str) -> None:
        """Write code that reads a length in bytes of its own."""
        self.write(f"q = p + b - {shift}")
        self.write("n = from_bytes(data[p + 1:q])")
        self.refuse("n < 56 or not data[p + 1]")
        self.write(f"{start} = q; {stop} = q + n")

    def compile(self, name: str) -> Callable[..., Any]:
        """Return the function *name* that the source defines."""
        text = "\n".join(self._lines)
        exec(compile(text, f"<hexary.rlp {name}>", "exec"), self.names)  # noqa: S102 - written here, from sizes and names that are identifiers
        function: Callable[..., Any] = self.names[name]
        return function


def compile_reader(kind: Kind) -> Callable[[bytes, int], tuple[Any, int]]:
    """Return the function that reads one value of *kind*, or gives up."""
    source = Source()
    source.open("def read(data, p):")
    kind.write_read(source, "r")
    source.write("return r, p")
    return source.compile("read")


def compile_writer(kind: Kind) -> Callable[[Any], bytes]:
    """Return the function that encodes one value of *kind*."""
    source = Source()
    source.open("def write(value):")
    source.write(f"return {kind.expression(source, 'value')}")
    return source.compile("write")


def compile_run_reader(kind: Kind) -> Callable[[bytes, int, int, list[Any]], int]:
    """
    Return the function that reads values of *kind* one after the other.

    It adds those that are right and end by an index to a list, and returns the index
    behind the last of them.
    """
    source = Source()
    source.open("def read_run(data, p, stop, values):")
    source.write("behind = p")
    source.open("try:")
    source.open("while p < stop:")
    kind.write_read(source, "r")
    source.write("if p > stop: break")
    source.write("values.append(r)")
    source.write("behind = p")
    source.close()
    source.close()
    source.write(f"except {source.bind(RETRIES)}: pass")
    source.write("return behind")
    return source.compile("read_run")
