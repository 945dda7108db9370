"""Points of the hull near given weights of pairs, exactly: what bounds the largest margin from above (``hull_bound``).

The constant features cancel if every class is as often a pair's own as its rival, by weight.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat

from ..problem.pairs import Pairs


def point_near(pairs: Pairs, which: np.ndarray, weights: list[Fraction], leads: np.ndarray) -> dict[int, Fraction]:
    """A point of the hull whose weights are near these: pairs and positive weights, exactly.

    The nearest weights under which everything cancels; those that would be negative are left out, and pairs that lead least
    restore the balance.
    """
    shares = _projected(pairs, which, weights)
    support = {pair: share for pair, share in zip(which.tolist(), shares, strict=True) if share > 0}
    for lacking, other, share in _imbalances(pairs, support):
        pair = _least_leading(pairs, lacking, other, leads)
        support[pair] = support.get(pair, Fraction(0)) + share
    total = sum(support.values())
    return {pair: share / total for pair, share in support.items()}


def _projected(pairs: Pairs, which: np.ndarray, weights: list[Fraction]) -> list[Fraction]:
    """The nearest weights with sum m = 1 and the constant features cancelling; the same ones where there are none."""
    rows, rivals = pairs.rows_and_rivals(which)
    conditions = [[1] * len(which)]
    if pairs.fit_intercept:
        own = pairs.target[rows]
        conditions += [((own == k).astype(int) - (rivals == k)).tolist() for k in range(1, pairs.n_rivals + 1)]
    G = fmpq_mat(len(conditions), len(which), [number for row in conditions for number in row])
    m = fmpq_mat(len(weights), 1, [fmpq(weight.numerator, weight.denominator) for weight in weights])
    right = fmpq_mat(len(conditions), 1, [int(k == 0) for k in range(len(conditions))]) - G * m
    change = _any_solution(G * G.transpose(), right)
    if change is None:
        return weights
    return [Fraction(int(number.p), int(number.q)) for number in (m + G.transpose() * change).entries()]


def _any_solution(system: fmpq_mat, right: fmpq_mat) -> fmpq_mat | None:
    """Some solution of a square system that may be singular; None where there is none."""
    size = system.nrows()
    table = fmpq_mat([[*row, value] for row, value in zip(system.tolist(), right.entries(), strict=True)])
    reduced, rank = table.rref()
    solution = fmpq_mat(size, 1)
    for i in range(rank):
        pivot = next(j for j in range(size + 1) if reduced[i, j] != 0)
        if pivot == size:
            return None
        solution[pivot, 0] = reduced[i, size]
    return solution


def _imbalances(pairs: Pairs, support: dict[int, Fraction]) -> list[tuple[int, int, Fraction]]:
    """Classes that are too seldom a pair's own, each with one that is so too often, and by how much."""
    if not pairs.fit_intercept:
        return []
    over = [Fraction(0)] * (pairs.n_rivals + 1)
    rows, rivals = pairs.rows_and_rivals(np.array(list(support), dtype=np.intp))
    for own, rival, share in zip(pairs.target[rows].tolist(), rivals.tolist(), support.values(), strict=True):
        over[own] += share
        over[rival] -= share
    moves = []
    while any(over):
        lacking, other = over.index(min(over)), over.index(max(over))
        share = min(-over[lacking], over[other])
        moves.append((lacking, other, share))
        over[lacking] += share
        over[other] -= share
    return moves


def _least_leading(pairs: Pairs, own: int, rival: int, leads: np.ndarray) -> int:
    """Of all rows of a class against a rival, the pair that leads least."""
    rows = np.flatnonzero(pairs.target == own)
    which = pairs.pair(rows, np.full(rows.size, rival))
    return int(which[np.argmin(leads[which])])
