"""The largest geometric margin, enclosed.

The geometric margin of weights is the smallest lead over their norm, the intercepts not counted.  Its maximum is the
distance of the origin from the convex hull of the vectors z_i (y_i x_i for two classes), under weights that let the constant
feature cancel where there is an intercept:

    max_w,b min_i (w.z_i + b y_i) / |w|  =  min |sum_i m_i z_i|,   m >= 0,  sum m = 1,  sum m_i y_i = 0 .

Any weights are a lower bound and any such m an upper bound; both are evaluated so that rounding only widens the enclosure.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf

import numpy as np
from flint import fmpq, fmpq_mat

from .clock import Clock, OutOfTime
from .margin import margin_of
from .metrics import Augmented, Geometric
from .nearest import exact_nearest_point, nearest_point
from .pairs import Direction, Pairs
from .roots import root_within

log = logging.getLogger(__name__)

SHARE = 1 - 1e-12  # of the margin of the working set is asked for
CLOSE = 1e-9  # relative; rows that fall short of the margin by no more need not join
WIDE_GAP = 1e-12  # relative; a wider enclosure is worth exact arithmetic
EXACT_DIM = 64  # up to so many dimensions
FIRST, FIRST_TIMES = 300, 4  # pairs to begin with, or times the dimension
MORE, MORE_TIMES = 100, 1  # pairs that join in a round, likewise
MOST_NUMBERS = 20_000_000  # of vectors in work: beyond, the enclosure stays wider


@dataclass
class Widest:
    """Weights of a large margin; the pairs that hold them up, with their weights m."""

    direction: Direction
    x: np.ndarray
    work: np.ndarray
    corral: list[int]
    weights: np.ndarray


@dataclass
class Enclosure:
    """Weights whose margin is at least ``lower``, and pairs with weights m that prove that none has more than ``upper``."""

    direction: Direction
    lower: float
    upper: float = inf
    support: dict[int, Fraction] = field(default_factory=dict)

    def take(self, pairs: Pairs, direction: Direction, which: np.ndarray, weights: list[Fraction]) -> None:
        """Make it narrower, if these weights or these pairs do."""
        margin = margin_of(pairs, direction)
        if margin > self.lower:
            self.direction, self.lower = direction, margin
        shares = _projected(pairs, which, weights)
        support = {} if shares is None else dict(zip(which.tolist(), shares, strict=True))
        upper = upper_bound(pairs, support)
        if upper < self.upper:
            self.upper, self.support = upper, {pair: share for pair, share in support.items() if share}


def largest_margin(pairs: Pairs, start: Direction, clock: Clock) -> Enclosure:
    """The best weights found, and numbers below and above the largest margin."""
    best = Enclosure(start, margin_of(pairs, start))
    metric = Geometric(pairs)
    found = widest(pairs, metric, start, clock)
    if found is None:
        return best
    best.take(pairs, found.direction, found.work[found.corral], [Fraction(weight) for weight in found.weights.tolist()])
    if pairs.fit_intercept and not metric.free:
        polished = metric.polished(found.work[found.corral])
        if polished is not None:
            direction, which, weights = polished
            best.take(pairs, direction, which, [Fraction(weight) for weight in weights.tolist()])
    if best.upper - best.lower > WIDE_GAP * best.upper and pairs.dim <= EXACT_DIM:
        exactly(pairs, metric, found, clock, best)
    return best


def widest(pairs: Pairs, metric: Geometric | Augmented, start: Direction, clock: Clock) -> Widest | None:
    """Weights of the largest margin, to rounding, from weights that separate; None if the time ended before any."""
    leads, _ = pairs.leads(start)
    dim = (pairs.n_rivals + 1) * (pairs.n_features + 1)
    most = MOST_NUMBERS // dim
    work = _join(_opposed(pairs, leads), leads, np.arange(leads.size), min(max(FIRST, FIRST_TIMES * dim), most // 4))
    corral, weights = [0, 1], np.full(2, 0.5)
    best = None
    try:
        while True:
            A, conditions, sums = metric.vectors(work)
            found = nearest_point(A, SHARE, corral, weights, clock.tick, conditions, sums, zero=0.0)
            if not np.any(found.x):  # too small for floats
                return best
            corral, weights = found.corral, found.weights
            direction = metric.direction(found.x, found.multipliers)
            best = Widest(direction, found.x, work, corral, weights)
            missed, leads = _short(pairs, direction, work, work[corral])
            room = most - work.size
            if missed.size == 0 or room <= 0:
                return best
            work = _join(work, leads, missed, min(max(MORE, MORE_TIMES * dim), room))
    except OutOfTime:
        return best


def exactly(pairs: Pairs, metric: Geometric, found: Widest, clock: Clock, best: Enclosure) -> None:
    """The same in exact arithmetic, from where floats ended."""
    work, corral, weights = found.work, found.corral, found.weights
    with suppress(OutOfTime, ZeroDivisionError):
        while True:
            rows, unit = metric.exact(work)
            nearest = exact_nearest_point(rows, corral, weights, clock.tick, to_the_end=True)
            corral, weights = nearest.corral, np.array([float(weight) for weight in nearest.weights])
            direction = metric.exact_direction(nearest.x, nearest.multipliers, unit)
            shares = [Fraction(int(weight.p), int(weight.q)) for weight in nearest.weights]
            best.take(pairs, direction, work[corral], shares)
            missed, leads = _short(pairs, direction, work, work[corral])
            if missed.size == 0:
                return
            work = _join(work, leads, missed, MORE)


def _short(pairs: Pairs, direction: Direction, work: np.ndarray, corral: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pairs outside the working set that fall short of the corral's lead, and all leads."""
    leads, _ = pairs.leads(direction)
    short = leads < (1 - CLOSE) * float(leads[corral].min())
    short[work] = False
    log.info("margin: %d pairs fall short, %d in work", np.count_nonzero(short), work.size)
    return np.flatnonzero(short), leads


def _join(work: np.ndarray, leads: np.ndarray, which: np.ndarray, most: int) -> np.ndarray:
    """The working set with those of these pairs that lead least."""
    if which.size > most:
        which = which[np.argpartition(leads[which], most)[:most]]
    return np.append(work, np.setdiff1d(which, work))


def _opposed(pairs: Pairs, leads: np.ndarray) -> np.ndarray:
    """A pair that leads least and one of its rivals against it: under equal weights the constant feature cancels."""
    first = int(np.argmin(leads))
    row, rival = (int(numbers[0]) for numbers in pairs.rows_and_rivals(np.array([first])))
    others = np.flatnonzero(pairs.target == rival)
    place = int(pairs.target[row]) - int(pairs.target[row] > rival)
    opposite = others * pairs.n_rivals + place
    return np.array([first, int(opposite[np.argmin(leads[opposite])])])


def upper_bound(pairs: Pairs, support: Mapping[int, Fraction | int]) -> float:
    """A number the largest geometric margin is not above: the norm of a point of the hull, exact but for its rounding up.

    Infinity where the weights are no such point: negative, or the constant features do not cancel.
    """
    if not support or min(support.values()) < 0 or not sum(support.values()):
        return inf
    which, weights = np.array(list(support), dtype=np.intp), [Fraction(weight) for weight in support.values()]
    whole, factor = pairs.combined(which, weights)
    shift = pairs.shift[pairs.columns]
    if np.any(whole[:, shift.size :]):
        return inf
    least = int(shift.min()) if shift.size else 0
    point = whole[:, : shift.size] << (shift - least).astype(object)  # in the user's coordinates
    if pairs.n_rivals > 1:
        point = np.vstack([point, -point.sum(axis=0)])
    unit = factor * Fraction(2) ** least / sum(weights)
    return root_within(int((point * point).sum()) * unit**2)[1]


def _projected(pairs: Pairs, support: np.ndarray, weights: list[Fraction]) -> list[Fraction] | None:
    """Weights near these with sum m = 1 and the constant features cancelling, exactly; None if one would be negative."""
    rows, rivals = pairs.rows_and_rivals(support)
    conditions = [[1] * len(support)]
    if pairs.fit_intercept:
        own = pairs.target[rows]
        conditions += [((own == k).astype(int) - (rivals == k)).tolist() for k in range(1, pairs.n_rivals + 1)]
    G = fmpq_mat(len(conditions), len(support), [number for row in conditions for number in row])
    m = fmpq_mat(len(weights), 1, [fmpq(weight.numerator, weight.denominator) for weight in weights])
    right = fmpq_mat(len(conditions), 1, [int(k == 0) for k in range(len(conditions))]) - G * m
    change = _any_solution(G * G.transpose(), right)
    if change is None:
        return None
    shares = [Fraction(int(number.p), int(number.q)) for number in (m + G.transpose() * change).entries()]
    return shares if min(shares) >= 0 else None


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
