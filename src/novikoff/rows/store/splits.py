"""Which rows are held out: the same share of every class, drawn at random by a seed.

All rows are dealt out in a line, class after class, those of each class in a random order (rows with numbers as targets
are one class).  The row at place q of n is in part ``(q + r) mod k`` of k parts; of m rows held out it is one if ``(q m + r) / n``
passes a whole number on the way to the next place; r is random.  So parts differ by one row at most, in all and of every
class, and every class is held out in its share, to less than one row.

A row's place depends on its class, its number among the rows of that class and the seed, so that neither the memory
nor the blocks change it, and one look at the targets finds it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .blocks import Schema
from .row_store import Members, RowBlocks, count_kinds

ROUNDS = 6  # of a Feistel network; four make a permutation that few questions cannot tell from a random one
GOLDEN = 0x9E3779B97F4A7C15  # 2^64 over the golden ratio, odd

Words = NDArray[np.uint64]


class HeldOut(NamedTuple):
    """Of n rows m are held out, which are part 1."""

    seed: int
    m: int
    n: int
    parts: int = 2

    def __call__(self, place: np.ndarray) -> np.ndarray:
        """The part of each place in the line."""
        m, n = self.m, self.n
        start = int(_stream(self.seed)[0]) % n
        part: np.ndarray = ((place + 1) * m + start) // n - (place * m + start) // n
        return part


class Folds(NamedTuple):
    """Parts of the same size."""

    seed: int
    parts: int

    def __call__(self, place: np.ndarray) -> np.ndarray:
        """The part of each place in the line."""
        part: np.ndarray = (place + int(_stream(self.seed)[0]) % self.parts) % self.parts
        return part


Way = HeldOut | Folds


class PartOf(NamedTuple):
    """Rows that are in one of the parts that rows are dealt to, or in the others: those that take part in a fold."""

    way: Way
    which: int
    inside: bool
    schema: Schema
    counts: np.ndarray  # rows of each label, in all

    def among(self, rows: RowBlocks) -> Members:
        """The same for the rows of a partition, by their numbers."""
        part = rows.once(self.way, lambda: self._pieces(rows))
        which, inside, first = self.which, self.inside, rows.first
        return lambda numbers: (part[numbers - first] == which) == inside

    def _pieces(self, rows: RowBlocks) -> Iterator[np.ndarray]:
        """The part of every row by its number, of the first rows, then of the next ones."""
        seen, end = np.zeros_like(self.counts) + rows.seen, rows.first
        for block in rows.blocks:
            numbers = block.rows - end
            piece = np.zeros(numbers.max(initial=-1) + 1, dtype=np.min_scalar_type(self.way.parts - 1))
            piece[numbers] = parts_of(block.target, self.schema, self.way, self.counts, seen)
            yield piece
            rows.release()
            end += piece.size
            seen += count_kinds(block.target, self.schema)


class Split(NamedTuple):
    """Rows to learn from, and rows to be tested on."""

    train: PartOf
    test: PartOf


def held_out(schema: Schema, counts: np.ndarray, fraction: float, seed: int) -> Split:
    """Hold out this fraction of rows, rounded to whole rows; ``counts`` has the rows of each label."""
    n = int(counts.sum())
    m = round(fraction * n)
    if not 0 < m < n:
        raise ValueError(f"A fraction of {fraction} of {n} rows holds out {m or 'none'} of them; choose another.")
    return _split(HeldOut(seed, m, n), 1, schema, counts)


def folds(schema: Schema, counts: np.ndarray, k: int, seed: int) -> list[Split]:
    """Cut rows into ``k`` parts of the same size, each of them held out once."""
    n = int(counts.sum())
    if not 2 <= k <= n:
        raise ValueError(f"{n} rows make from 2 to {n} folds; got {k}.")
    return [_split(Folds(seed, k), which, schema, counts) for which in range(k)]


def _split(way: Way, which: int, schema: Schema, counts: np.ndarray) -> Split:
    return Split(*(PartOf(way, which, inside, schema, counts) for inside in (False, True)))


def parts_of(target: np.ndarray, schema: Schema, way: Way, counts: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """The parts of some neighbouring rows; ``counts`` has the rows of each class, ``seen`` those before these."""
    kind = target if schema.task == "classes" else np.zeros(len(target), dtype=np.int32)
    first = np.cumsum(counts) - counts
    return way(first[kind] + permuted(seen[kind] + _ranks(kind), counts[kind], kind, way.seed))


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
