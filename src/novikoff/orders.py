"""Which sample comes next.

An order is a function that makes the row numbers of one pass and, beside them, the rows to fetch from memory meanwhile.

``cyclic``     as the data lie.
``shuffle``    a new uniform permutation every pass.
``blocks``     blocks of consecutive rows in random order, rows permuted inside a window of a few blocks that fits the
               cache: nearly the speed of reading in order, but *not* a uniform permutation (rows of one block stay
               within one window of each other).
``random``     with replacement; a pass is as many draws as there are rows ("stochastic").
``alternate``  one row of each class in turn, each row once a pass, what is left of the larger classes last.
``worst``      the row with the smallest margin, looked for again after every update; each look at all rows is a pass.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .jit import JIT_OFF, kernel

ORDERS = ("cyclic", "shuffle", "blocks", "random", "alternate", "worst")
REPEATING = ("cyclic", "alternate", "worst")  # weights that recur at the end of a pass recur for ever

AHEAD = 8  # rows; far enough to hide the memory's latency, near enough to stay in the first-level cache
CACHE_BYTES = 500_000  # data that fit the cache need not be fetched
BLOCK_BYTES = 50_000  # a block is read at the memory's full speed from about this size on
BLOCKS_IN_WINDOW = 8  # a window then fits the second-level cache of common processors
LEAST_BLOCKS = 64  # fewer blocks than this would hardly be an order at random

NOTHING_AHEAD = np.empty(0, dtype=np.intp)

Pass = tuple[np.ndarray, np.ndarray]


def make_order(
    name: str, members: np.ndarray, target: np.ndarray, row_bytes: float, rng: np.random.Generator
) -> Callable[[], Pass]:
    """The function that makes the passes of order ``name`` over the row numbers ``members``."""
    fetched_soon = _fetched_soon if row_bytes * members.size > CACHE_BYTES else lambda order: (order, NOTHING_AHEAD)
    if name == "shuffle":
        return lambda: fetched_soon(_permuted(members, rng))
    if name == "random":
        return lambda: fetched_soon(members[rng.integers(0, members.size, members.size)])
    if name == "blocks":
        return lambda: _blocks(members, row_bytes, rng)
    fixed = _alternate(members, target) if name == "alternate" else members
    return lambda: (fixed, NOTHING_AHEAD)


def _fetched_soon(order: np.ndarray) -> Pass:
    return order, np.roll(order, -AHEAD)


def _blocks(members: np.ndarray, row_bytes: float, rng: np.random.Generator) -> Pass:
    block = max(1, min(int(BLOCK_BYTES / max(row_bytes, 1)), members.size // LEAST_BLOCKS))
    window = min(block * BLOCKS_IN_WINDOW, members.size)
    rows = np.roll(members, rng.integers(members.size))  # other blocks every pass
    whole = rows.size // block * block
    rows[:whole] = rows[:whole].reshape(-1, block)[_permuted(np.arange(whole // block), rng)].ravel()
    order = rows.copy()
    whole = rows.size // window * window
    order[:whole] = np.take(rows[:whole].reshape(-1, window), rng.permutation(window), axis=1).ravel()
    order[whole:] = rng.permutation(rows[whole:])
    return order, np.roll(rows, -window)


def _permuted(rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A uniform permutation, four times as fast as NumPy's, whose cost would show beside a pass over the data."""
    rows = rows.copy()
    seed = np.uint64(rng.bit_generator.random_raw())
    if JIT_OFF:
        with np.errstate(over="ignore"):  # arithmetic is modulo 2^64; only plain Python remarks on it
            shuffle(rows, seed)
    else:
        shuffle(rows, seed)
    return rows


@kernel
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
