"""Partitions sorted by class ruin mixing, since each then learns that all rows are of its class: found by counting, and dealt anew.

How sorted: let p be the shares of the classes among all rows, p_i those of partition i, and mu_i its share of the rows.  Rows are
mixed if the distances |p_i - p|_1 / 2 are about those of rows dealt at random, about sqrt(p (1 - p) / (2 pi n_i)) for each class;
where each partition has one class only, the mean distance is sum p (1 - p).  ``sortedness`` is 0 and 1 there.
"""

from __future__ import annotations

import numpy as np

from ..rows.partitions import Dealing, scrambled, stacked
from .blocks_given import Census, Given

TOO_SORTED = 0.3  # partitions of 65 % and 35 % of two classes, and the other way round


def sortedness(census: Census) -> float:
    """From 0 (about as at random) to 1 (each partition has one class)."""
    places = {label: place for place, label in enumerate(census.labels.tolist())}
    table = np.zeros((len(census.counts), len(places)))
    for line, counts in zip(table, census.counts.values(), strict=True):
        for label, (rows_of_label, _) in counts.items():
            line[places[label]] = rows_of_label
    rows = table.sum(axis=1)
    shares, share = table / rows[:, None], table.sum(axis=0) / rows.sum()
    spread = share * (1 - share)
    distance = np.abs(shares - share).sum(axis=1) / 2
    chance = np.sqrt(spread[None] / (2 * np.pi * rows[:, None])).sum(axis=1)
    beyond = np.maximum(distance - chance, 0.0)
    return float(rows / rows.sum() @ beyond / spread.sum()) if spread.any() else 0.0


def places(number: int, block: Given, count: int) -> np.ndarray:
    """Which new partition each row of a partition goes to."""
    return dealt_to(number, block.y.size, count).astype(np.int32)


def dealt_to(number: int, rows: int, count: int) -> np.ndarray:
    """Which new partition each row goes to."""
    return scrambled(number, rows) % np.uint64(count)


def before_dealing(sizes: list[int], partition: np.ndarray, place: np.ndarray) -> np.ndarray:
    """The numbers that rows had among all before they were dealt, by their new partitions and places there; ``sizes`` are those of
    the partitions as they were."""
    found, begin = np.empty(partition.size, np.int64), 0
    passed = np.zeros(len(sizes), np.int64)  # rows of each new partition that earlier ones gave
    for number, size in enumerate(sizes):
        new = dealt_to(number, size, len(sizes)).astype(np.intp)
        given = np.bincount(new, minlength=len(sizes))
        here = (place >= passed[partition]) & (place < (passed + given)[partition])
        first = np.cumsum(given) - given
        order = np.argsort(new, kind="stable")
        found[here] = begin + order[(first - passed)[partition[here]] + place[here]]
        passed, begin = passed + given, begin + size
    return found


def taken(block: Given, rows: np.ndarray) -> Given:
    """Some rows of a partition."""
    weight = block.weight[rows] if block.weight.size else block.weight
    return Given(block.X[rows], block.y[rows], weight, block.names)


def join(pieces: list[Given]) -> Given:
    """One partition of several."""
    some = [piece for piece in pieces if piece.y.size] or pieces[:1]
    weighted = any(piece.weight.size for piece in some)
    weights = [piece.weight if piece.weight.size or not weighted else np.ones(piece.y.size) for piece in some]
    X, y = stacked([piece.X for piece in some]), np.concatenate([piece.y for piece in some])
    return Given(X, y, np.concatenate(weights), some[0].names)


BY_HASH = Dealing(places, taken, join)
