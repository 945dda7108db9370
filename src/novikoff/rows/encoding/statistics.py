"""What is known of the columns of a table, learned from blocks of rows: levels and gaps, exact sums, exact medians.

Every question is a fold: some blocks are asked, and what several of them say is put together.  On one machine all blocks are
asked at once, on a cluster those of each partition; answers are exact, so that partitions and their order change no bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from operator import add
from typing import Any, NamedTuple

import numpy as np

from ..store.blocks import MISSING, Schema, TableBlock, check_block
from .exact_sums import ExactSums

DIGIT = 16  # bits of a number looked at in one pass
SHORT_DIGIT = 8  # the same where answers travel, and are about more than a few columns
FEW = 8  # columns
COLUMNS_AT_ONCE = 64  # whose counts of digits are held in memory: a megabyte each, of short digits less

Fold = Callable[
    [Callable[[Iterable[TableBlock]], Any], Callable[[Any, Any], Any]], Any
]  # a question, and how answers merge


class Look(NamedTuple):
    """What some blocks hold."""

    rows: int
    missing: dict[str, int]  # of categories: how many are not given
    seen: dict[str, np.ndarray]  # which codes there are: a mask
    sums: ExactSums  # of numbers
    infinite: tuple[int, int] | None  # row number and column of the first number that is infinite


def look_at(schema: Schema, blocks: Iterable[TableBlock]) -> Look:
    """What these blocks hold."""
    rows, missing = 0, dict.fromkeys(schema.categories, 0)
    seen = {name: np.zeros(0, bool) for name in schema.categories}
    sums = ExactSums.of(len(schema.numbers))
    for block in blocks:
        check_block(block, schema)
        rows += len(block.numbers)
        for place, name in enumerate(missing):
            codes = block.codes[:, place]
            missing[name] += int(np.count_nonzero(codes == MISSING))
            seen[name] = either(seen[name], np.bincount(codes[codes != MISSING]) > 0)
        if infinite := sums.add(block.numbers):
            return Look(rows, missing, seen, sums, (int(block.rows[infinite[0]]), infinite[1]))
    return Look(rows, missing, seen, sums, None)


def both_looks(one: Look, other: Look) -> Look:
    """What the blocks of two looks hold."""
    infinite = [each.infinite for each in (one, other) if each.infinite]
    return Look(
        one.rows + other.rows,
        {name: count + other.missing[name] for name, count in one.missing.items()},
        {name: either(mask, other.seen[name]) for name, mask in one.seen.items()},
        one.sums.with_others(other.sums),
        min(infinite, default=None),
    )


def either(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Where one of two masks is true, which need not have the same length."""
    longer, shorter = (one, other) if one.size >= other.size else (other, one)
    longer = longer.copy()
    longer[: shorter.size] |= shorter
    return longer


def medians(fold: Fold, columns: list[int], counts: np.ndarray, travels: bool = False) -> list[float]:
    """The exact medians of these columns, which have ``counts`` values each, in bounded memory.

    A radix selection: floats are ordered as their bits are, so a few passes that count some bits each find the bits of the value
    of any rank.  ``travels``: whether counts travel.
    """
    found: list[float] = []
    digit = SHORT_DIGIT if travels and len(columns) > FEW else DIGIT
    at_once = COLUMNS_AT_ONCE << DIGIT - digit
    for first in range(0, len(columns), at_once):
        some = columns[first : first + at_once]
        middle = [[(int(counts[j]) - 1) // 2, int(counts[j]) // 2] for j in some]
        low, high = _select(fold, some, np.array(middle), digit).T
        with np.errstate(over="ignore"):
            total = low + high
        found += np.where(np.isfinite(total), total / 2, low / 2 + high / 2).tolist()
    return found


def _select(fold: Fold, columns: list[int], ranks: np.ndarray, digit: int) -> np.ndarray:
    """The values of these ranks, counted from 0; ``ranks`` has a row for each column, and equal shape."""
    ranks, prefix = ranks.copy(), np.zeros(ranks.shape, np.uint64)
    for known in range(0, 64, digit):
        counts = fold(partial(count_digits, columns, prefix, known, digit), add)
        below = np.cumsum(counts, axis=2)
        chosen = (below > ranks[:, :, None]).argmax(axis=2)
        ranks -= np.take_along_axis(below - counts, chosen[:, :, None], axis=2)[:, :, 0]
        prefix = (prefix << np.uint64(digit)) | chosen.astype(np.uint64)
    return _from_ordered(prefix)


def count_digits(
    columns: list[int], prefix: np.ndarray, known: int, digit: int, blocks: Iterable[TableBlock]
) -> np.ndarray:
    """Of the values whose first ``known`` bits are those of a prefix: how many have each of the next digits."""
    shift, size = np.uint64(64 - known - digit), 1 << digit
    counts = np.zeros((*prefix.shape, size), np.int64)
    for block in blocks:
        for c, column in enumerate(columns):
            heads = _ordered(block.numbers[:, column]) >> shift
            for r in range(prefix.shape[1]):
                fit = heads[heads >> np.uint64(digit) == prefix[c, r]]
                counts[c, r] += np.bincount((fit & np.uint64(size - 1)).astype(np.intp), minlength=size)
    return counts


SIGN = np.uint64(1 << 63)


def _ordered(values: np.ndarray) -> np.ndarray:
    """Whole numbers in the order of these floats; NaN comes last."""
    bits = (np.where(np.isnan(values), np.nan, values) + 0.0).view(np.uint64)  # + 0.0: there is one zero
    return np.where(bits & SIGN, ~bits, bits | SIGN)


def _from_ordered(numbers: np.ndarray) -> np.ndarray:
    return np.where(numbers & SIGN, numbers ^ SIGN, ~numbers).view(np.float64)
