"""Decimal numbers in bytes, read exactly.

Most numbers are short, and ``read_short`` takes eight bytes of them at a time, without loops or branches (after
D. Lemire, Number parsing at a gigabyte per second, Software: Practice and Experience 51, 2021); ``read_number`` takes all.

A mantissa of at most 2**53 and a power of ten of at most 22 are both floats without error, so that one multiplication
or division rounds once, as it should (W. D. Clinger, How to read floating point numbers accurately, PLDI 1990); other
numbers are left to Arrow's parser, all of a text at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compiled.arithmetic import trailing_zeros
from ...compiled.jit import helper, part

TENS = np.array([10.0**k for k in range(23)])
EXACT = 2**53
MANTISSA_DIGITS = 18  # that many fit into 64 bits
EXPONENT_DIGITS = 9
# Bytes that must lie ahead of ``read_short``: it looks at eight, and its caller at the one behind the number
AT_ONCE = 9
PLUS, MINUS, DOT, ZERO, NINE, UPPER_E, LOWER_E = 43, 45, 46, 48, 57, 69, 101


# Eight bytes as one number, the first byte lowest; with ``ZEROS`` taken off, digits are 0 to 9.

U = np.uint64
# Bits of every byte:
LOWER_FOUR, LOWER_SEVEN, TOP_BIT = U(0x0F0F0F0F0F0F0F0F), U(0x7F7F7F7F7F7F7F7F), U(0x8080808080808080)
BEYOND_NINE = U(0x7676767676767676)  # takes 10 and more beyond seven bits
ZEROS, DOTS = U(0x3030303030303030), U(0x1E1E1E1E1E1E1E1E)
PAIRS, FOURS, EIGHT = U(0x00FF00FF00FF00FF), U(0x0000FFFF0000FFFF), U(0x00000000FFFFFFFF)


@helper
def _eight_bytes(data: Any, i: Any) -> Any:
    """One load, once it is compiled."""
    i = U(i)
    low = U(data[i]) | U(data[i + U(1)]) << U(8) | U(data[i + U(2)]) << U(16) | U(data[i + U(3)]) << U(24)
    i += U(4)
    high = U(data[i]) | U(data[i + U(1)]) << U(8) | U(data[i + U(2)]) << U(16) | U(data[i + U(3)]) << U(24)
    return low | high << U(32)


@helper
def _no_digits(word: Any) -> Any:
    """Marks of bytes that are no digits: their top bits."""
    return (((word & LOWER_SEVEN) + BEYOND_NINE) | word) & TOP_BIT


@helper
def _bits_before(marks: Any) -> Any:
    """The place of the first byte with its top bit set, in bits; 64: there is none."""
    return U(trailing_zeros(marks)) & U(0x78)


@helper
def _only(digits: Any, bits: Any) -> Any:
    """Eight digits: zeros and those in the first bits; the others go out at the top."""
    half = (U(64) - bits) >> U(1)
    return digits << half << half


@helper
def _whole_number(digits: Any) -> Any:
    """Eight digits as a number: pairs first, then fours.  Every product stays in its own part, even if digits are none."""
    digits = digits & LOWER_FOUR
    digits = (digits * U(10) + (digits >> U(8))) & PAIRS
    digits = (digits * U(100) + (digits >> U(16))) & FOURS
    return np.int64((digits * U(10000) + (digits >> U(32))) & EIGHT)


@helper
def read_digits(data: bytes, i: int) -> Any:
    """Read at most eight digits from ``i``: the whole number, and where they end.  There must be ``AT_ONCE`` bytes."""
    word = _eight_bytes(data, i) ^ ZEROS
    size = _bits_before(_no_digits(word))
    return _whole_number(_only(word, size)), i + np.int64(size >> U(3))


@helper
def read_short(data: bytes, i: int) -> Any:
    """Read a number of at most eight bytes (seven after a minus), with no exponent, from ``i``: its value, where it ends,
    and whether it is one.  What follows may yet belong to it: that is for the caller to see.

    There must be ``AT_ONCE`` bytes from ``i`` on.
    """
    word = _eight_bytes(data, i)
    minus = U(word & U(0xFF) == U(MINUS))
    word = (word >> (minus << U(3))) ^ ZEROS  # after a minus, the last byte is now none of a number's
    dots = word ^ DOTS
    dots = ~(((dots & LOWER_SEVEN) + LOWER_SEVEN) | dots | LOWER_SEVEN)
    others = _no_digits(word) & ~dots
    size, dot = _bits_before(others), _bits_before(dots)
    digits, pointed = word, U(dot < size)
    if pointed:
        before = (U(1) << dot) - U(1)
        digits = (word & before) | ((word >> U(8)) & ~before)
    count = size - (pointed << U(3))
    digits = _only(digits, count)
    mantissa = _whole_number(digits)
    found = (count > U(0)) & (_no_digits(digits) == U(0)) & ((mantissa > 0) | (minus == U(0)))
    places = (count - dot) >> U(3) if pointed else U(0)
    value = float(-mantissa if minus else mantissa) / TENS[places]
    return value, i + np.int64((size >> U(3)) + minus), found


@helper
def is_digit(c: int) -> bool:
    return c >= ZERO and c <= NINE


@helper
def _read_digits(data: bytes, i: int, before: int) -> tuple[int, int]:
    """Append digits to a whole number, which may overflow; where they end."""
    digit = data[i] - ZERO
    while digit >= 0 and digit <= 9:
        before = before * 10 + digit
        i += 1
        digit = data[i] - ZERO
    return before, i


@part
def _fits(data: bytes, i: int, end: int) -> bool:
    """Whether the digits between are few enough for 64 bits, zeros in front not counted."""
    digits = 0
    for place in range(i, end):
        if data[place] != DOT and (digits > 0 or data[place] != ZERO):
            digits += 1
    return digits <= MANTISSA_DIGITS


@part
def read_number(data: bytes, i: int) -> tuple[float, int, bool]:
    """Read a number from ``i``: its value, where it ends (``i``: it is none), and whether the value is exact.

    The text ends with a line feed, so that no place needs a test against the end.
    """
    start = i
    negative = data[i] == MINUS
    if negative or data[i] == PLUS:
        i += 1
    first = i
    mantissa, i = _read_digits(data, i, 0)
    digits = i - first
    power = 0
    if data[i] == DOT:
        dot = i
        mantissa, i = _read_digits(data, dot + 1, mantissa)
        power = dot + 1 - i
        digits -= power
    if digits == 0:
        return 0.0, start, True
    exact = digits <= MANTISSA_DIGITS or _fits(data, first, i)
    if data[i] == LOWER_E or data[i] == UPPER_E:
        down = data[i + 1] == MINUS
        sign = i + 1 if down or data[i + 1] == PLUS else i
        exponent, i = _read_digits(data, sign + 1, 0)
        if i == sign + 1:
            return 0.0, start, True
        exact = exact and i - sign <= EXPONENT_DIGITS
        if exact:  # else it may have overflown, and does not count
            power += -exponent if down else exponent
    exact = exact and mantissa <= EXACT and -22 <= power <= 22 and not (negative and mantissa == 0)
    value = 0.0
    if exact:
        value = float(mantissa)
        value = value * TENS[power] if power >= 0 else value / TENS[-power]
        if negative:
            value = -value
    return value, i, exact
