"""
Text to bytes and numbers, and bytes to text: the only parser of such text here.

Two kinds of text are told apart, as JSON-RPC does:

* *data* stands for bytes, two digits a byte: ``0x00ff``.  Leading zeros count.
  The prefix may be absent, and the number of digits is even.
* a *quantity* stands for a number: ``0xff`` or decimal ``255``.  The prefix is what
  makes it hex.  Leading zeros do not count, and a hex quantity may be odd.

Rules for both: digits and the ``x`` of the prefix may be of either case; only ASCII
characters count; no blanks, underscores, signs or NULs.  Everything else is a
`HexError` that carries the position of the first offending character.  Leniency is
asked for by keyword.

The cost of a text, and of its refusal, is linear in its length, and no verdict depends
on `sys.set_int_max_str_digits`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from hexary.errors import HexError, InputTypeError
from hexary.twin import twin
from hexary.typed.buffer import exact_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["encode_hex", "exact_text", "parse_amount", "parse_bytes", "parse_quantity"]

_HEX_DIGITS = "0123456789abcdefABCDEF"
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_DECIMAL_DIGITS = "0123456789"
_PREFIXES = ("0x", "0X")
_BLANKS = " \t\n\r\f\v"
_WITHOUT_BLANKS = dict.fromkeys(map(ord, _BLANKS))
_TO_SPACES = dict.fromkeys(map(ord, _BLANKS), " ")

_MOST_DECIMAL_DIGITS = 640
"""
Decimal text costs quadratic time, so it is bounded.  This is the smallest limit that
the interpreter itself can be set to, so that its setting never changes a verdict.
"""

_MOST_POWER = 1024
_MOST_BASE_BITS = 256
"""Bounds of ``base**power``, so that short text cannot ask for a huge number."""


def exact_text(text: object) -> str:
    """
    Return *text*, of `str` or a subclass, as the characters that it holds.

    What a subclass makes of ``len()`` or ``str()`` does not count: a member of an enum
    of texts is its value.

    Raises:
        InputTypeError: *text* is not a str.

    Example:
        >>> exact_text("0xff")
        '0xff'
    """
    if not issubclass(type(text), str):
        raise InputTypeError("text", "str", text)
    return str.__str__(text)


def encode_hex(data: bytes | bytearray | memoryview) -> str:
    r"""
    Return *data* as ``0x`` and two lower-case digits a byte.

    Raises:
        InputTypeError: *data* is not bytes, a bytearray or a memoryview.

    Example:
        >>> encode_hex(b"\x00\xff")
        '0x00ff'
    """
    return "0x" + exact_bytes(data, "data").hex()


@twin
def parse_bytes(
    text: str, *, odd: Literal["refuse", "pad"] = "refuse", blanks: bool = False
) -> bytes:
    r"""
    Return the bytes that hex *text* stands for, with or without the ``0x``.

    Args:
        text: two hex digits a byte.
        odd: what to do about an odd number of digits: ``"refuse"``, or ``"pad"`` with
            a zero digit on the left.
        blanks: skip ASCII blanks, wherever they stand.

    Raises:
        HexError: *text* is something else, with the position of the first offending
            character and the rule that it breaks.
        InputTypeError: *text* is not a str.

    Example:
        >>> parse_bytes("0x00ff"), parse_bytes("00FF"), parse_bytes("0x")
        (b'\x00\xff', b'\x00\xff', b'')
        >>> parse_bytes("0x 0 ff", odd="pad", blanks=True)
        b'\x00\xff'
        >>> parse_bytes("0x0g")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        hexary.errors.HexError: '0x0g' at position 3 ('g'): hex digits are 0-9, ...
    """
    text = exact_text(text)
    digits = text.translate(_WITHOUT_BLANKS) if blanks else text
    if digits[:2] in _PREFIXES:
        digits = digits[2:]
    if odd != "refuse":
        if odd != "pad":
            raise InputTypeError("odd", '"refuse" or "pad"', odd)
        if len(digits) % 2:
            digits = "0" + digits
    try:
        data = bytes.fromhex(digits)
    except ValueError:
        raise _data_fault(text, blanks=blanks) from None
    if 2 * len(data) != len(digits):
        # `fromhex` skips blanks between bytes; only they can make it come out short.
        raise _data_fault(text, blanks=blanks)
    return data


def _data_fault(text: str, *, blanks: bool) -> HexError:
    """Find what is wrong with *text* that is not data; slower, and only for errors."""
    skipped = _BLANKS if blanks else ""
    rest = text.lstrip(skipped)
    if rest[:1] == "0" and rest[1:].lstrip(skipped)[:1] in ("x", "X"):
        rest = rest[1:].lstrip(skipped)[1:]
    start = len(text) - len(rest)
    rest = rest.lstrip(_HEX_DIGITS + skipped)
    if rest:
        rule = "hex digits are 0-9, a-f and A-F"
        if rest[0] in _BLANKS:
            rule = "blanks are not allowed"
        return HexError(text, rule, position=len(text) - len(rest))
    digits = text[start:].translate(_WITHOUT_BLANKS) if blanks else text[start:]
    return HexError(text, f"bytes take an even number of hex digits, got {len(digits)}")


@twin
def parse_quantity(text: str, *, signed: bool = False, empty: bool = False) -> int:
    """
    Return the number that *text* stands for: ``0x`` and hex digits, or decimal digits.

    Leading zeros are fine in hex.  In decimal they are refused, ``0`` and ``00`` apart:
    whether ``010`` is ten or eight depends on who reads it.

    Args:
        text: the digits.
        signed: accept a leading ``-``.
        empty: read ``""`` and ``"0x"`` as zero, as some clients write it.

    Raises:
        HexError: *text* is something else, or over 640 decimal digits.
        InputTypeError: *text* is not a str.

    Example:
        >>> parse_quantity("0x0f"), parse_quantity("15"), parse_quantity("0xF")
        (15, 15, 15)
        >>> parse_quantity("f")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        hexary.errors.HexError: 'f' at position 0 ('f'): decimal digits are 0-9, ...
    """
    text = exact_text(text)
    negative = signed and text[:1] == "-"
    start = 1 if negative else 0
    if text[start : start + 2] in _PREFIXES:
        start += 2
        digits = text[start:]
        if digits.strip(_HEX_DIGITS):
            raise _digit_fault(
                text, start, _HEX_DIGITS, "hex digits are 0-9, a-f and A-F"
            )
        if digits:
            number = int(digits, 16)
            return -number if negative else number
    else:
        digits = text[start:]
        if digits.strip(_DECIMAL_DIGITS):
            rule = "decimal digits are 0-9, and hex needs 0x"
            raise _digit_fault(text, start, _DECIMAL_DIGITS, rule)
        if digits:
            if digits[0] == "0" and digits.strip("0"):
                rule = "a decimal number has no leading zeros"
                raise HexError(text, rule, position=start)
            number = _decimal(text, start, digits)
            return -number if negative else number
    if empty and not negative:
        return 0
    raise HexError(text, "a number has at least one digit", position=start)


def _digit_fault(text: str, start: int, alphabet: str, rule: str) -> HexError:
    """Place the first character of *text* from *start* that is not in *alphabet*."""
    rest = text[start:].lstrip(alphabet)
    return HexError(text, rule, position=len(text) - len(rest))


def _decimal(text: str, position: int, digits: str) -> int:
    """Return the number of decimal *digits*, all of them checked, found in *text*."""
    if len(digits) > _MOST_DECIMAL_DIGITS:
        rule = f"a decimal number has at most {_MOST_DECIMAL_DIGITS} digits"
        raise HexError(text, rule, position=position)
    return int(digits)


def parse_amount(text: str, *, units: Mapping[str, int]) -> int:
    """
    Return the whole number that an amount such as ``1.5 ether`` comes to, exactly.

    An amount is a number and, after blanks, a unit of either case.  The number is a
    ``0x`` quantity, or decimal with fraction and exponent, either with an optional sign
    ``-`` (``-1.5e3``), or an unsigned decimal raised to a whole power (``10**18``).  No
    floating point is involved: ``0.1 ether`` is 10^17 to the last digit.

    Args:
        text: the amount.
        units: factor of each unit by lower-case name.

    Raises:
        HexError: *text* is something else, its unit is unknown, the amount is not
            whole, or a number in it is beyond the bounds (640 decimal digits,
            exponents of 640, powers of 1024 on bases under 2^256).
        InputTypeError: *text* is not a str.

    Example:
        >>> parse_amount("1.5 kilo", units={"kilo": 1000})
        1500
        >>> parse_amount("10**-4 kilo", units={"kilo": 1000})
        Traceback (most recent call last):
        hexary.errors.HexError: '10**-4 kilo': the amount is not a whole number
    """
    text = exact_text(text)
    if not text.isascii():
        place = next(place for place, sign in enumerate(text) if not sign.isascii())
        raise HexError(text, "an amount is ASCII text", position=place)
    # Not by `str.split` alone, which takes some control characters for blanks.
    words = [word for word in text.translate(_TO_SPACES).split(" ") if word]
    if not words:
        raise HexError(text, "an amount starts with a number")
    start = text.index(words[0])
    factor = 1
    if len(words) > 1:
        place = start + len(words[0])
        place += len(text[place:]) - len(text[place:].lstrip(_BLANKS))
        if len(words) > 2:
            place += len(words[1])
            place += len(text[place:]) - len(text[place:].lstrip(_BLANKS))
            rule = "an amount is a number and a unit, nothing more"
            raise HexError(text, rule, position=place)
        known = units.get(words[1].lower())
        if known is None:
            rule = f"the unit is one of {', '.join(sorted(units))}"
            raise HexError(text, rule, position=place)
        factor = known
    else:
        _check_unit_apart(text, start, words[0], units)
    numerator, denominator = _ratio(text, start, words[0])
    amount, rest = divmod(numerator * factor, denominator)
    if rest:
        raise HexError(text, "the amount is not a whole number")
    return amount


def _check_unit_apart(
    text: str, start: int, word: str, units: Mapping[str, int]
) -> None:
    """Refuse a number with a unit at its end, without a blank between the two."""
    number = word.lower().rstrip(_LETTERS)
    if number and word[len(number) :].lower() in units:
        rule = "a blank is missing between the number and its unit"
        raise HexError(text, rule, position=start + len(number))


def _ratio(text: str, start: int, word: str) -> tuple[int, int]:
    """Return the number *word*, at *start* in *text*, as numerator and denominator."""
    unsigned = word[1:] if word[:1] == "-" else word
    if unsigned[:2] in _PREFIXES:
        if unsigned[2:].strip(_HEX_DIGITS):
            rule = "hex digits are 0-9, a-f and A-F"
            first = start + len(word) - len(unsigned) + 2
            raise _digit_fault(text, first, _HEX_DIGITS, rule)
        return parse_quantity(word, signed=True), 1
    base, power_sign, power = word.partition("**")
    if not power_sign:
        return _scaled(text, start, word)
    if base[:1] == "-":
        # -2**2 is 4 to some readers and -4 to others.
        raise HexError(text, "a power has no sign", position=start)
    numerator, denominator = _scaled(text, start, base)
    place = start + len(base) + 2
    exponent = _exponent(text, place, power, limit=_MOST_POWER, signs="-")
    if max(numerator, denominator).bit_length() > _MOST_BASE_BITS:
        rule = f"the base of a power is under 2^{_MOST_BASE_BITS}"
        raise HexError(text, rule, position=start)
    if exponent < 0:
        if not numerator:
            raise HexError(text, "zero has no negative power", position=place)
        numerator, denominator, exponent = denominator, numerator, -exponent
    return numerator**exponent, denominator**exponent


def _scaled(text: str, start: int, word: str) -> tuple[int, int]:
    """Return decimal *word* with optional sign, fraction and exponent as a ratio."""
    mantissa, mark, power = word.replace("E", "e").partition("e")
    unsigned = mantissa[1:] if mantissa[:1] == "-" else mantissa
    first = start + len(mantissa) - len(unsigned)
    whole, _, fraction = unsigned.partition(".")
    for digits, place in ((whole, first), (fraction, first + len(whole) + 1)):
        if digits.strip(_DECIMAL_DIGITS):
            rule = "a number is decimal digits, with a fraction, e or ** at most"
            raise _digit_fault(text, place, _DECIMAL_DIGITS, rule)
    if not whole and not fraction:
        raise HexError(text, "a number has at least one digit", position=first)
    numerator = _decimal(text, first, whole + fraction)
    shift = -len(fraction)
    if mark:
        place = start + len(mantissa) + 1
        limit = _MOST_DECIMAL_DIGITS
        shift += _exponent(text, place, power, limit=limit, signs="-+")
    if mantissa != unsigned:
        numerator = -numerator
    if shift < 0:
        return numerator, int(10**-shift)
    return numerator * int(10**shift), 1


def _exponent(text: str, start: int, word: str, *, limit: int, signs: str) -> int:
    """Return the exponent *word*, a whole number of at most *limit* either way."""
    digits = word[1:] if word[:1] and word[0] in signs else word
    first = start + len(word) - len(digits)
    if not digits or digits.strip(_DECIMAL_DIGITS):
        rule = "an exponent is a whole number in decimal digits"
        raise _digit_fault(text, first, _DECIMAL_DIGITS, rule)
    value = _decimal(text, first, digits)
    if value > limit:
        raise HexError(text, f"an exponent is at most {limit}", position=first)
    return -value if word[0] == "-" else value
