"""Decimal numbers in bytes, read exactly.

A mantissa of at most 2**53 and a power of ten of at most 22 are both floats without error, so that one multiplication
or division rounds once, as it should (W. D. Clinger, How to read floating point numbers accurately, PLDI 1990); other
numbers are left to Arrow's parser, all of a text at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..jit import helper, kernel

TENS = np.array([10.0**k for k in range(23)])
EXACT = 2**53
MANTISSA_DIGITS = 18  # that many fit into 64 bits
EXPONENT_DIGITS = 9
PLUS, MINUS, DOT, ZERO, NINE, UPPER_E, LOWER_E = 43, 45, 46, 48, 57, 69, 101


def read_texts(data: bytes, bounds: np.ndarray) -> Any:
    """The texts between bounds (rows of an increasing start and end), as an Arrow array.

    Arrow's bounds of texts are where the next one starts, so these are every second of those between all bounds.
    """
    import pyarrow as pa

    count = len(bounds)
    offsets = pa.py_buffer(np.ascontiguousarray(bounds, np.int32))
    texts = pa.StringArray.from_buffers(max(0, 2 * count - 1), offsets, pa.py_buffer(data))
    return texts.take(pa.array(np.arange(0, 2 * count, 2)))


@helper
def is_digit(c):
    return c >= ZERO and c <= NINE


@helper
def _read_digits(data, i, before):
    """Append digits to a whole number, which may overflow; where they end."""
    digit = data[i] - ZERO
    while digit >= 0 and digit <= 9:
        before = before * 10 + digit
        i += 1
        digit = data[i] - ZERO
    return before, i


@kernel
def _fits(data, i, end):
    """Whether the digits between are few enough for 64 bits, zeros in front not counted."""
    digits = 0
    for place in range(i, end):
        if data[place] != DOT and (digits > 0 or data[place] != ZERO):
            digits += 1
    return digits <= MANTISSA_DIGITS


@kernel
def read_number(data, i):
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
        power += -exponent if down else exponent
    exact = exact and mantissa <= EXACT and -22 <= power <= 22 and not (negative and mantissa == 0)
    value = 0.0
    if exact:
        value = float(mantissa)
        value = value * TENS[power] if power >= 0 else value / TENS[-power]
        if negative:
            value = -value
    return value, i, exact
