"""Statistics of columns of numbers, streamed over blocks of rows: they depend on the rows and their order alone, not on
where blocks end."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from ...compiled.jit import kernel
from ...learn.rows import frozen
from ..store.blocks import TableBlock

SMALLEST_UNIT = -1000  # a power of two by which the smallest floats can be divided
DIGIT = 16  # bits of a number looked at in one pass
DIGITS = 64 // DIGIT
COLUMNS_AT_ONCE = 64  # whose counts of digits are held in memory: a megabyte each


class Moments(NamedTuple):
    """Of every column: how many values it has, their mean, and the sum of squares about it.  Means are in units of two
    to the ``unit``, which is about the largest value, so that no square leaves the range of floats."""

    values: np.ndarray  # int64: how many
    mean: np.ndarray
    squares: np.ndarray
    unit: np.ndarray  # int64
    factor: np.ndarray  # two to the minus ``unit``

    def add_copies(self, column: int, value: float, copies: int) -> None:
        """Let one column have ``copies`` more values, all the same.

        Chan, Golub & LeVeque 1979: with d the difference of both means, ``M2 = M2_a + M2_b + d^2 n_a n_b / (n_a + n_b)``.
        """
        before = int(self.values[column])
        total = before + copies
        difference = value * self.factor[column] - self.mean[column]
        self.mean[column] += difference * copies / total
        self.squares[column] += difference * difference * before * copies / total
        self.values[column] = total

    def center_and_scale(self, column: int) -> tuple[float, float]:
        """Mean and standard deviation; the deviation of a constant column is 1."""
        unit = int(self.unit[column])
        center = math.ldexp(self.mean[column], unit)
        if self.squares[column] == 0:
            return center, 1.0
        scale = math.ldexp(math.sqrt(self.squares[column] / self.values[column]), unit)
        return center, max(scale, np.finfo(float).smallest_subnormal)


def moments(blocks: Iterable[TableBlock], columns: int) -> tuple[Moments, tuple[int, int] | None]:
    """The moments of all values that are there, and the row number and column of the first that is infinite."""
    unit = np.full(columns, SMALLEST_UNIT)
    found = Moments(np.zeros(columns, np.int64), np.zeros(columns), np.zeros(columns), unit, np.ldexp(1.0, -unit))
    for block in blocks:
        row, column = add_rows(frozen(np.ascontiguousarray(block.numbers)), *found)
        if row >= 0:
            return found, (int(block.rows[row]), int(column))
    return found, None


@kernel
def add_rows(
    numbers: np.ndarray, count: np.ndarray, mean: np.ndarray, squares: np.ndarray, unit: np.ndarray, factor: np.ndarray
) -> tuple[int, int]:
    """Welford 1962, row by row: with d = x - mean, ``mean += d / n`` and ``squares += d (x - mean)``.

    That is the merge of Chan, Golub & LeVeque with a single value.  Units grow when larger values come, and powers of two
    change no digit.
    """
    for i in range(numbers.shape[0]):
        for j in range(numbers.shape[1]):
            x = numbers[i, j]
            if math.isnan(x):
                continue
            if math.isinf(x):
                return i, j
            scaled = x * factor[j]
            if not abs(scaled) < 1:
                change = math.frexp(x)[1] - int(unit[j])
                unit[j] += change
                factor[j] = math.ldexp(1.0, -int(unit[j]))
                mean[j] = math.ldexp(mean[j], -change)
                squares[j] = math.ldexp(squares[j], -2 * change)
                scaled = x * factor[j]
            count[j] += 1
            difference = scaled - mean[j]
            mean[j] += difference / count[j]
            squares[j] += difference * (scaled - mean[j])
    return -1, -1


def medians(blocks: Callable[[], Iterable[TableBlock]], columns: list[int], counts: np.ndarray) -> list[float]:
    """The exact medians of these columns, which have ``counts`` values each, in bounded memory.

    A radix selection: floats are ordered as their bits are, so four passes that count 16 bits each find the bits of the
    value of any rank.
    """
    found: list[float] = []
    for first in range(0, len(columns), COLUMNS_AT_ONCE):
        some = columns[first : first + COLUMNS_AT_ONCE]
        middle = [[(int(counts[j]) - 1) // 2, int(counts[j]) // 2] for j in some]
        low, high = _select(blocks, some, np.array(middle)).T
        with np.errstate(over="ignore"):
            total = low + high
        found += np.where(np.isfinite(total), total / 2, low / 2 + high / 2).tolist()
    return found


def _select(blocks: Callable[[], Iterable[TableBlock]], columns: list[int], ranks: np.ndarray) -> np.ndarray:
    """The values of these ranks, counted from 0; ``ranks`` has a row for each column, and equal shape."""
    ranks, prefix = ranks.copy(), np.zeros(ranks.shape, np.uint64)
    for digit in range(DIGITS):
        shift = np.uint64(64 - DIGIT * (digit + 1))
        counts = np.zeros((*ranks.shape, 2**DIGIT), np.int64)
        for block in blocks():
            for c, column in enumerate(columns):
                heads = _ordered(block.numbers[:, column]) >> shift
                for r in range(ranks.shape[1]):
                    fit = heads[heads >> np.uint64(DIGIT) == prefix[c, r]]
                    counts[c, r] += np.bincount((fit & np.uint64(2**DIGIT - 1)).astype(np.intp), minlength=2**DIGIT)
        below = np.cumsum(counts, axis=2)
        chosen = (below > ranks[:, :, None]).argmax(axis=2)
        ranks -= np.take_along_axis(below - counts, chosen[:, :, None], axis=2)[:, :, 0]
        prefix = (prefix << np.uint64(DIGIT)) | chosen.astype(np.uint64)
    return _from_ordered(prefix)


SIGN = np.uint64(1 << 63)


def _ordered(values: np.ndarray) -> np.ndarray:
    """Whole numbers in the order of these floats; NaN comes last."""
    bits = (np.where(np.isnan(values), np.nan, values) + 0.0).view(np.uint64)  # + 0.0: there is one zero
    return np.where(bits & SIGN, ~bits, bits | SIGN)


def _from_ordered(numbers: np.ndarray) -> np.ndarray:
    return np.where(numbers & SIGN, numbers ^ SIGN, ~numbers).view(np.float64)
