"""Which rows are held out: decided by the number of the row and a seed, whatever the order, the blocks or the files."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .gather import Members


class Split(NamedTuple):
    """Rows to learn from, and rows to be tested on: functions from row numbers to masks."""

    train: Members
    test: Members


def held_out(fraction: float, seed: int) -> Split:
    """Hold out about this fraction of the rows."""
    if not 0 < fraction < 1:
        raise ValueError(f"The fraction of rows to hold out must lie between 0 and 1; got {fraction}.")
    return Split(
        lambda rows: shares(rows, seed) >= fraction,
        lambda rows: shares(rows, seed) < fraction,
    )


def folds(k: int, seed: int) -> list[Split]:
    """Cut the rows into ``k`` parts of about the same size, each of them held out once."""
    if k < 2:
        raise ValueError(f"At least two folds are needed; got {k}.")
    return [_fold(which, k, seed) for which in range(k)]


def _fold(which: int, k: int, seed: int) -> Split:
    def inside(rows: np.ndarray) -> np.ndarray:
        return np.floor(shares(rows, seed) * k) == which

    return Split(lambda rows: ~inside(rows), inside)


def shares(rows: np.ndarray, seed: int) -> np.ndarray:
    """A number from 0 to 1 for every row number, as if drawn at random: the output of SplitMix64 (G. L. Steele, D. Lea,
    C. H. Flood, Fast splittable pseudorandom number generators, 2014) for the row-th step of a stream of its own for
    every seed."""
    start = _mix(np.array([seed % 2**64], dtype=np.uint64) + np.uint64(GOLDEN))
    mixed = _mix(start + (rows.astype(np.uint64) + np.uint64(1)) * np.uint64(GOLDEN))
    return (mixed >> np.uint64(11)) * 2.0**-53


GOLDEN = 0x9E3779B97F4A7C15  # 2^64 over the golden ratio, odd


def _mix(z: np.ndarray) -> np.ndarray:
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
