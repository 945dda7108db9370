"""Which rows are held out: the same share of every class, drawn at random by a seed.

All rows are dealt out in a line, class after class, those of each class in a random order (rows with numbers as targets
are one class).  The row at place q of n is in part ``(q + r) mod k`` of k parts; of m rows held out it is one if ``(q m + r) / n``
passes a whole number on the way to the next place; r is random.  So parts differ by one row at most, in all and of every
class, and every class is held out in its share, but for less than one row.

A row's place depends on its class, its number among the rows of that class and the seed, so that neither the memory
nor the blocks change it, and one look at the targets finds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .blocks import Schema
from .gather import Members, count_targets
from .row_store import Store

ROUNDS = 6  # of a Feistel network; four make a permutation that few questions cannot tell from a random one
GOLDEN = 0x9E3779B97F4A7C15  # 2^64 over the golden ratio, odd

Words = NDArray[np.uint64]


class Split(NamedTuple):
    """Rows to learn from, and rows to be tested on: functions from row numbers to masks."""

    train: Members
    test: Members


def held_out(store: Store, schema: Schema, fraction: float, seed: int) -> Split:
    """Hold out this fraction of the rows, rounded to whole rows."""
    n, m = store.n_rows, round(fraction * store.n_rows)
    if not 0 < m < n:
        raise ValueError(f"A fraction of {fraction} of {n} rows holds out {m or 'none'} of them; choose another.")
    start = int(_stream(seed)[0]) % n
    part = _parts(store, schema, seed, 2, lambda place: ((place + 1) * m + start) // n - (place * m + start) // n)
    return _split(part, 1)


def folds(store: Store, schema: Schema, k: int, seed: int) -> list[Split]:
    """Cut the rows into ``k`` parts of the same size, each of them held out once."""
    if not 2 <= k <= store.n_rows:
        raise ValueError(f"{store.n_rows} rows make from 2 to {store.n_rows} folds; got {k}.")
    start = int(_stream(seed)[0]) % k
    part = _parts(store, schema, seed, k, lambda place: (place + start) % k)
    return [_split(part, which) for which in range(k)]


def _split(part: np.ndarray, which: int) -> Split:
    return Split(lambda rows: part[rows] != which, lambda rows: part[rows] == which)


def _parts(store: Store, schema: Schema, seed: int, k: int, part_at: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """The part of every row, by its number; ``part_at`` says which of ``k`` parts each place in the line belongs to."""
    counts = count_targets(store, schema, None)
    first = np.cumsum(counts) - counts
    seen = np.zeros_like(counts)

    def pieces() -> Iterator[np.ndarray]:
        end = 0  # of the row numbers so far; those that were left out are in no part
        for block in store.blocks:
            kind = block.target if schema.task == "classes" else np.zeros(len(block.rows), dtype=np.int32)
            place = first[kind] + permuted(seen[kind] + _ranks(kind), counts[kind], kind, seed)
            rows = block.rows - end
            piece = np.zeros(rows.max(initial=-1) + 1, dtype=np.min_scalar_type(k - 1))
            piece[rows] = part_at(place)
            yield piece
            end += piece.size
            seen[:] += np.bincount(kind, minlength=seen.size)
            store.release()

    return store.joined(pieces())


def _ranks(kind: np.ndarray) -> np.ndarray:
    """For every entry, how many equal ones come before it."""
    order = np.argsort(kind, kind="stable")
    ordered = kind[order]
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    ranks = np.empty(kind.size, dtype=np.int64)
    ranks[order] = np.arange(kind.size) - np.repeat(begins, np.diff(np.append(begins, kind.size)))
    return ranks


def permuted(rank: np.ndarray, size: np.ndarray, kind: np.ndarray, seed: int) -> np.ndarray:
    """Where each rank goes when the ``size`` ranks of its kind are put into a random order.

    A Feistel network (M. Luby, C. Rackoff, How to construct pseudorandom permutations from pseudorandom functions, 1988) on
    the next power of four, repeated from its answers until these are ranks (J. Black, P. Rogaway, Ciphers with arbitrary
    finite domains, 2002).  Its function is SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, Fast splittable pseudorandom
    number generators, 2014), with a separate stream for every seed, kind and round.
    """
    half = ((np.frexp(np.maximum(size - 1, 1))[1] + 1) // 2).astype(np.uint64)  # bits of either half
    low = (np.uint64(1) << half) - np.uint64(1)
    key = _mix(_stream(seed) + kind.astype(np.uint64))
    found = np.array(rank, dtype=np.uint64)
    left = np.arange(found.size)  # still to be moved
    while left.size:
        found[left] = _feistel(found[left], half[left], low[left], key[left])
        left = left[found[left] >= size[left].astype(np.uint64)]
    return found.astype(np.int64)


def _feistel(number: Words, half: Words, low: Words, key: Words) -> Words:
    upper, lower = number >> half, number & low
    for turn in range(1, ROUNDS + 1):
        step = np.uint64(turn * GOLDEN % 2**64)
        upper, lower = lower, upper ^ (_mix(_mix(key + step) + lower) & low)
    return upper << half | lower


def _stream(seed: int) -> Words:
    return _mix(np.array([seed % 2**64], dtype=np.uint64) + np.uint64(GOLDEN))


def _mix(z: Words) -> Words:
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
