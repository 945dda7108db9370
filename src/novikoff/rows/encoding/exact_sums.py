"""Exact sums of the values of columns and of their squares: no order, block or partition of the rows changes a bit.

A float is ``m 2^e`` with a whole m, so that sums of floats, and of their squares, are whole numbers times a power of two.  They
are kept in digits of 32 bits (U. Kulisch, Computer Arithmetic and Validity, 2nd ed. 2013: the long accumulator); what mean and
standard deviation need of them is worked out in whole numbers, and rounded once.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...compiled.jit import kernel
from ...learn.rows import frozen

LEAST = 1074  # the smallest float is two to the minus this
DIGIT = 32  # bits
MASK = (1 << DIGIT) - 1
DIGITS = (2045 >> 5) + 3  # the largest float has its lowest bit 2045 places above the smallest, and 53 of them
SQUARE_DIGITS = (2 * 2045 >> 5) + 5
CARRY_AFTER = 1 << 29  # additions of less than 2^33 each: int64 holds them
SPARE = 128  # bits of a square root more than a float has


class ExactSums(NamedTuple):
    """Of every column: how many values it has, their sum in units of ``2^-LEAST``, and that of their squares in units of
    ``2^-2 LEAST``."""

    values: np.ndarray  # (columns,) int64
    sums: np.ndarray  # (columns, DIGITS) int64: digits of 32 bits, the last of which has the sign
    squares: np.ndarray  # (columns, SQUARE_DIGITS) int64

    @classmethod
    def of(cls, columns: int) -> ExactSums:
        """Sums of nothing."""
        shapes = (columns,), (columns, DIGITS), (columns, SQUARE_DIGITS)
        return cls(*(np.zeros(shape, np.int64) for shape in shapes))

    def add(self, numbers: np.ndarray) -> tuple[int, int] | None:
        """Add rows, NaN left out; row and column of the first value that is infinite, if one is."""
        numbers = np.ascontiguousarray(numbers)
        for first in range(0, len(numbers), CARRY_AFTER):
            row, column = add_rows(frozen(numbers[first : first + CARRY_AFTER].view(np.int64)), *self)
            if row >= 0:
                return first + int(row), int(column)
            carry(self.sums)
            carry(self.squares)
        return None

    def with_others(self, other: ExactSums) -> ExactSums:
        """The sums of both."""
        both = ExactSums(*(one + another for one, another in zip(self, other, strict=True)))
        carry(both.sums)
        carry(both.squares)
        return both

    def center_and_scale(self, column: int, value: float = 0.0, copies: int = 0) -> tuple[float, float]:
        """Mean and standard deviation of a column that has ``copies`` more values, all the same; the deviation of a constant
        column is 1."""
        top, bottom = value.as_integer_ratio()
        unit = (top << LEAST) // bottom  # a whole number: no float has more digits
        n = int(self.values[column]) + copies
        total = as_whole(self.sums[column]) + copies * unit
        squares = as_whole(self.squares[column]) + copies * unit * unit
        center = total / (n << LEAST)
        spread = n * squares - total * total  # n^2 times the variance
        if spread == 0:
            return center, 1.0
        more = max(0, SPARE + n.bit_length() - spread.bit_length() // 2)
        scale = math.isqrt(spread << 2 * more) / (n << LEAST + more)
        return center, max(scale, np.finfo(float).smallest_subnormal)


def carry(digits: np.ndarray) -> None:
    """Bring all digits but the last between 0 and 2^32."""
    for place in range(digits.shape[1] - 1):
        digits[:, place + 1] += digits[:, place] >> DIGIT
        digits[:, place] &= MASK


def as_whole(digits: np.ndarray) -> int:
    """The number that they are the digits of."""
    low = int.from_bytes(digits[:-1].astype("<u4").tobytes(), "little")
    return low + (int(digits[-1]) << DIGIT * (digits.size - 1))


@kernel
def add_rows(bits: np.ndarray, values: np.ndarray, sums: np.ndarray, squares: np.ndarray) -> tuple[int, int]:
    """Add the floats that have these bits: ``m 2^e`` and ``m^2 2^(2 e)``, shifted to where digits begin.

    With ``m = 2^27 a + b``, ``m^2 = 2^54 a^2 + 2^28 a b + b^2``: all products are below 2^54.
    """
    for i in range(bits.shape[0]):
        for j in range(bits.shape[1]):
            given = bits[i, j]
            e, m = (given >> 52) & 2047, given & ((1 << 52) - 1)
            if e == 2047:
                if m != 0:
                    continue
                return i, j
            values[j] += 1
            if e > 0:
                e, m = e - 1, m | (1 << 52)
            place, shift = e >> 5, e & 31
            low, high = (m & MASK) << shift, (m >> 32) << shift
            sign = 1 if given >= 0 else -1
            sums[j, place] += sign * (low & MASK)
            sums[j, place + 1] += sign * ((low >> 32) + (high & MASK))
            sums[j, place + 2] += sign * (high >> 32)
            a, b = m >> 27, m & ((1 << 27) - 1)
            middle = ((b * b) >> 27) + 2 * a * b
            low, top = ((b * b) & ((1 << 27) - 1)) | ((middle & ((1 << 27) - 1)) << 27), (middle >> 27) + a * a
            place, shift = (2 * e) >> 5, (2 * e) & 31
            first, second = (low & MASK) << shift, ((low >> 32) | ((top & 1023) << 22)) << shift
            third, fourth = ((top >> 10) & MASK) << shift, (top >> 42) << shift
            squares[j, place] += first & MASK
            squares[j, place + 1] += (first >> 32) + (second & MASK)
            squares[j, place + 2] += (second >> 32) + (third & MASK)
            squares[j, place + 3] += (third >> 32) + (fourth & MASK)
            squares[j, place + 4] += fourth >> 32
    return -1, -1
