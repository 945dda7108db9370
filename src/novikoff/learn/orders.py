"""Which sample comes next.

An order is a function that makes the row numbers of one pass and, beside them, the rows to fetch from memory meanwhile.

``cyclic``     as the data lie.
``shuffle``    a new uniform permutation every pass.
``blocks``     blocks of consecutive rows in random order, rows permuted inside a window of a few blocks that fits the
               cache: nearly the speed of reading in order, but *not* a uniform permutation (rows of one block stay
               within one window of each other, and all windows of a pass are permuted alike).
``random``     with replacement; a pass is as many draws as there are rows ("stochastic").
``alternate``  one row of each class in turn, each row once a pass, what is left of the larger classes last.
``worst``      the row with the smallest margin, looked for again after every update; each look at all rows is a pass.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..compiled.jit import exact, helper

REPEATING = ("cyclic", "alternate", "worst")  # weights that recur at the end of a pass recur without end

# Orders that single rows of a file cannot be read in, and why
NEEDS_ALL_ROWS = {
    "random": "draws each row at random from all rows",
    "alternate": "takes a row of each class in turn, wherever in the data it lies",
    "worst": "looks at all rows before every update",
}

AHEAD = 8  # rows to fetch ahead at most
AHEAD_BYTES = 6_400  # far enough to hide the memory's latency, near enough to stay in the first-level cache
CACHE_BYTES = 500_000  # data that fit the cache need not be fetched
BLOCK_BYTES = 50_000  # a block is read at the memory's full speed from about this size on
BLOCKS_IN_WINDOW = 4  # two windows, one read and one fetched, then fit the second-level cache of common processors
LEAST_BLOCKS = 64  # fewer blocks than this would hardly be an order at random

Pass = tuple[np.ndarray, np.ndarray]


def row_numbers(rows: np.ndarray | int) -> np.ndarray:
    """Ascending row numbers, or all numbers below a count, in as few bytes as will do."""
    rows = np.arange(rows) if isinstance(rows, int) else rows
    small = rows.size == 0 or rows[-1] < 2**31
    return rows.astype(np.int32 if small else np.int64)


def make_order(
    name: str, members: np.ndarray, target: np.ndarray, row_bytes: float, rng: np.random.Generator
) -> Callable[[], Pass]:
    """The function that makes the passes of order ``name`` over the row numbers ``members``."""
    if name == "blocks":
        return _Blocks(members, row_bytes, rng)
    if name in ("shuffle", "random"):
        return Drawn(members, name == "random", row_bytes, rng)
    fixed = _alternate(members, target) if name == "alternate" else members
    some = rows_ahead(members, row_bytes)
    ahead = np.roll(fixed, -some) if some else fixed[:0]
    return lambda: (fixed, ahead)


def rows_ahead(members: np.ndarray, row_bytes: float) -> int:
    """How far ahead rows are fetched; 0 where all of them fit the cache."""
    return min(1 + int(AHEAD_BYTES / row_bytes), AHEAD, members.size) if row_bytes * members.size > CACHE_BYTES else 0


class Drawn:
    """Passes of ``shuffle`` and ``random``, in one buffer: the rows to fetch are the same numbers a few places on."""

    def __init__(self, members: np.ndarray, replace: bool, row_bytes: float, rng: np.random.Generator) -> None:
        self._members, self._replace, self._rng = members, replace, rng
        self._ahead = rows_ahead(members, row_bytes)
        self._buffer = np.concatenate([members, members[: self._ahead]])

    def __call__(self) -> Pass:
        count = self._members.size
        order = self._buffer[:count]
        if self._replace:
            np.take(self._members, self._rng.integers(0, count, count), out=order)
        else:
            shuffle_by(self._rng, order)  # shuffling what was shuffled before is as uniform
        self._buffer[count:] = order[: self._ahead]
        return order, self._buffer[self._ahead :] if self._ahead else order[:0]

    @property
    def only_shuffles(self) -> bool:
        """Whether a pass is the last one shuffled, and no rows are fetched."""
        return not self._replace and not self._ahead

    def several(self, passes: int) -> np.ndarray:
        """The row numbers of several passes, a line for each."""
        self._before = self._rng.bit_generator.state
        lines = np.empty((passes, self._members.size), self._buffer.dtype)
        lines[0] = self._buffer
        shuffle_by_lines(self._rng, lines)
        return lines

    def used(self, lines: np.ndarray, passes: int) -> None:
        """So many of ``several`` passes were made: go on as if no more had been asked for."""
        if passes:
            self._buffer[:] = lines[passes - 1]
        if passes < len(lines):
            self._rng.bit_generator.state = self._before
            self._rng.bit_generator.random_raw(passes)


class _Blocks:
    """Passes of ``blocks``: the rows to fetch are those of the next window, as they lie in memory."""

    def __init__(self, members: np.ndarray, row_bytes: float, rng: np.random.Generator) -> None:
        self._members, self._rng = members, rng
        self._block = max(1, min(int(BLOCK_BYTES / max(row_bytes, 1)), members.size // LEAST_BLOCKS))
        self._window = min(self._block * BLOCKS_IN_WINDOW, members.size)
        self._rows = np.concatenate([members, members[: self._window]])
        self._order = members.copy()

    def __call__(self) -> Pass:
        count, block, window = self._members.size, self._block, self._window
        rows, order = self._rows[:count], self._order
        rolled = np.roll(self._members, self._rng.integers(count))  # other blocks every pass
        whole = count // block * block
        places = row_numbers(whole // block)
        shuffle_by(self._rng, places)
        blocks = rolled[:whole].reshape(-1, block)
        np.take(blocks, places, axis=0, out=rows[:whole].reshape(-1, block), mode="clip")
        rows[whole:] = rolled[whole:]
        self._rows[count:] = rows[:window]
        whole = count // window * window
        windows = rows[:whole].reshape(-1, window)
        np.take(windows, self._rng.permutation(window), axis=1, out=order[:whole].reshape(-1, window), mode="clip")
        order[whole:] = self._rng.permutation(rows[whole:])
        return order, self._rows[window:]


def shuffle_by(rng: np.random.Generator, rows: np.ndarray) -> None:
    """Shuffle in place: four times as fast as NumPy, whose shuffling would show beside a pass over the data."""
    shuffle_by_lines(rng, rows.reshape(1, -1))


def shuffle_by_lines(rng: np.random.Generator, lines: np.ndarray) -> None:
    """Shuffle the first line in place; each other one is to be the one before it, shuffled again."""
    seeds = rng.bit_generator.random_raw(len(lines))
    with np.errstate(over="ignore"):  # arithmetic is modulo 2^64; only plain Python remarks on it
        shuffle_lines(lines, seeds)


@exact(lambda lines, seeds: 2.0 * lines.size, enough=200_000.0)
def shuffle_lines(lines, seeds):
    """Shuffle each line, with its seed; all but the first are copies of the line before, shuffled."""
    for line in range(lines.shape[0]):
        if line:
            for place in range(
                lines.shape[1]
            ):  # a slice would compile the words of an error about shapes, for a second and more
                lines[line, place] = lines[line - 1, place]
        shuffle(lines[line], seeds[line])


@helper
def shuffle(rows, state):
    """Shuffle in place (Fisher & Yates; Durstenfeld 1964) with random numbers from SplitMix64 (Steele et al. 2014).

    A random 32-bit number times the bound, shifted right by 32, is uniform below the bound once the few products whose
    low half betrays a bias are drawn again (Lemire 2019).
    """
    for last in range(rows.size - 1, 0, -1):
        bound = np.uint64(last + 1)
        biased = True
        product = np.uint64(0)
        while biased:
            state += np.uint64(0x9E3779B97F4A7C15)
            z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            product = (z >> np.uint64(32)) * bound
            low = product & np.uint64(0xFFFFFFFF)
            biased = low < bound and low < (np.uint64(0x100000000) - bound) % bound
        other = np.intp(product >> np.uint64(32))
        rows[last], rows[other] = rows[other], rows[last]


def _alternate(members: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Rows sorted by their rank within their class, then by class."""
    labels = target[members]
    by_class = np.argsort(labels, kind="stable")
    firsts = np.searchsorted(labels[by_class], labels[by_class])
    rank = np.empty(members.size, dtype=np.intp)
    rank[by_class] = np.arange(members.size) - firsts
    return members[np.lexsort((labels, rank))]
