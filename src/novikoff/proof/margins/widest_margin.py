"""The largest geometric margin, enclosed.

The geometric margin of weights is the smallest lead over their norm, the intercepts not counted.  Its maximum is the
distance of the origin from the convex hull of the vectors z_i (y_i x_i for two classes), under weights that let the constant
feature cancel where there is an intercept:

    max_w,b min_i (w.z_i + b y_i) / |w|  =  min |sum_i m_i z_i|,   m >= 0,  sum m = 1,  sum m_i y_i = 0 .

Any weights are a lower bound and any such m an upper bound (``upper_bound``); both are evaluated so that rounding only widens
the enclosure.  The constant features cancel if every class is as often a pair's own as its rival, by weight.

The weights of the largest margin with the constant feature give the smallest bound of Novikoff's theorem (``mistakes``).
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf

import numpy as np
from flint import fmpq, fmpq_mat

from ...system.clock import Clock, OutOfTime
from ..check.margin_of_rows import margin_of, upper_bound
from ..check.mistakes import Ideal, as_ideal, mistake_bound
from ..problem.coordinates import READ, Weights, simpler, to_moved, to_user
from ..problem.pairs import Direction, Pairs
from ..search.nearest_point import ExactNearest, exact_nearest_point, nearest_point
from .metrics import Augmented, Geometric

log = logging.getLogger(__name__)

SHARE = 1 - 1e-12  # of the margin of the working set is asked for
CLOSE = 1e-9  # relative; rows that fall short of the margin by no more need not join
WIDE_GAP = 1e-12  # relative; a wider enclosure is worth exact arithmetic
ROUNDED_SHARE = 1 - 2.0**-44  # of a margin is enough for weights that are floats: nothing finer is worth fractions
EXACT_DIM = 64  # up to so many dimensions
FIRST, FIRST_TIMES = 300, 4  # pairs to begin with, or times the dimension
MORE, MORE_TIMES = 100, 1  # pairs that join in a round, likewise
MOST_NUMBERS = 20_000_000  # of vectors in work: beyond, the enclosure stays wider
DENOMINATORS = (12, 1000, 10**6)  # of shares that people read


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

    weights: Weights
    lower: float
    upper: float = inf
    support: dict[int, Fraction] = field(default_factory=dict)

    def take(self, pairs: Pairs, direction: Direction, which: np.ndarray, shares: list[Fraction]) -> None:
        """Make it narrower, if this direction or these pairs do."""
        weights, margin = _handed_out(pairs, to_user(pairs, direction))
        if margin > self.lower:
            self.weights, self.lower = weights, margin
        support = point_near(pairs, which, shares, pairs.leads(direction)[0])
        upper = upper_bound(pairs, support)
        if upper < self.upper or not self.support:
            self.upper, self.support = upper, support

    def take_simpler(self, pairs: Pairs) -> None:
        """Weights and shares of few digits, if some are no worse."""
        for weights in simpler(pairs, self.weights):
            margin = margin_of(pairs, weights)
            if margin >= self.lower > 0:  # so they separate
                self.weights, self.lower = weights, margin
                break
        if len(self.support) > READ:
            return
        which = np.array(list(self.support), dtype=np.intp)
        for most in DENOMINATORS:
            shares = [share.limit_denominator(most) for share in self.support.values()]
            support = {pair: share for pair, share in zip(which.tolist(), shares, strict=True) if share > 0}
            upper = upper_bound(pairs, support) if sum(shares) == 1 else inf
            if upper <= self.upper < inf:
                self.upper, self.support = upper, support
                break


def _handed_out(pairs: Pairs, weights: Weights) -> tuple[Weights, float]:
    """Weights that floats hold, so that those that users see are those whose margin is proved; fractions where rounding them would
    cost a part of the margin."""
    margin = margin_of(pairs, weights)
    if weights.exact is None:
        return weights, margin
    floats = Weights(weights.floats)
    rounded = margin_of(pairs, floats)
    return (floats, rounded) if rounded >= ROUNDED_SHARE * margin > 0 else (weights, margin)


def largest_margin(pairs: Pairs, known: Weights, clock: Clock) -> Enclosure:
    """The best weights found, and numbers below and above the largest margin; ``known`` are some that separate."""
    start, best = to_moved(pairs, known), Enclosure(known, margin_of(pairs, known))
    best.take(pairs, start, _opposed(pairs, pairs.leads(start)[0])[:1], [Fraction(1)])
    metric = Geometric(pairs)
    found = widest(pairs, metric, start, clock)
    if found is not None:
        _take_floats(pairs, metric, found, best)
    wide = best.upper == inf or best.upper - best.lower > WIDE_GAP * best.upper
    if wide and pairs.dim <= EXACT_DIM:
        for nearest, direction, which in exactly(pairs, metric, start, found, clock):
            best.take(pairs, direction, which, [Fraction(int(each.p), int(each.q)) for each in nearest.weights])
    best.take_simpler(pairs)
    return best


def _take_floats(pairs: Pairs, metric: Geometric, found: Widest, best: Enclosure) -> None:
    """What floats found, and for several classes with intercepts the same without rounding by a large constant feature."""
    which, weights = found.work[found.corral], found.weights
    best.take(pairs, found.direction, which, [Fraction(weight) for weight in weights.tolist()])
    polished = metric.polished(which) if pairs.fit_intercept and not metric.free else None
    if polished is not None:
        direction, which, weights = polished
        best.take(pairs, direction, which, [Fraction(weight) for weight in weights.tolist()])


def widest(pairs: Pairs, metric: Geometric | Augmented, start: Direction, clock: Clock) -> Widest | None:
    """Weights of the largest margin, to rounding, from weights that separate; None if the time ended before any."""
    work, most = _first_pairs(pairs, start)
    dim = (pairs.n_rivals + 1) * (pairs.n_features + 1)
    corral, weights = metric.begin, np.full(len(metric.begin), 1 / len(metric.begin))
    best = None
    try:
        while True:
            A, conditions, sums = metric.vectors(work)
            found = nearest_point(A, SHARE, corral, weights, clock.tick, conditions, sums, zero=0.0)
            direction = metric.direction(found.x, found.multipliers)
            if direction is None:
                return best
            corral, weights = found.corral, found.weights
            best = Widest(direction, found.x, work, corral, weights)
            missed, leads = _short(pairs, direction, work, work[corral])
            room = most - work.size
            if missed.size == 0 or room <= 0:
                return best
            work = _join(work, leads, missed, min(max(MORE, MORE_TIMES * dim), room))
    except OutOfTime:
        return best


def exactly(
    pairs: Pairs, metric: Geometric | Augmented, start: Direction, found: Widest | None, clock: Clock
) -> Iterator[tuple[ExactNearest, Direction, np.ndarray]]:
    """The same in exact arithmetic, from where floats ended: for larger and larger working sets the nearest point, its direction and
    the pairs of its corral.  The last is that of all pairs, unless the time ends before."""
    work, corral = _first_pairs(pairs, start)[0], metric.begin
    weights: np.ndarray | list[fmpq] = np.ones(len(metric.begin))
    if found is not None:
        work, corral, weights = found.work, found.corral, found.weights
    with suppress(OutOfTime):
        while True:
            rows = metric.exact(work)
            nearest = exact_nearest_point(rows, corral, weights, clock.tick, to_the_end=True, begin=metric.begin)
            corral, weights = nearest.corral, nearest.weights
            direction = metric.exact_direction(nearest, work)
            yield nearest, direction, work[corral]
            missed, leads = _short_exactly(pairs, direction, work, work[corral])
            if missed.size == 0:
                return
            work = _join(work, leads, missed, MORE)


def _first_pairs(pairs: Pairs, start: Direction) -> tuple[np.ndarray, int]:
    """Pairs to begin with, two opposed ones first and then those that lead least, and how many there may be in the end."""
    leads, _ = pairs.leads(start)
    dim = (pairs.n_rivals + 1) * (pairs.n_features + 1)
    most = MOST_NUMBERS // dim
    few = min(max(FIRST, FIRST_TIMES * dim), most // 4)
    return _join(_opposed(pairs, leads), leads, np.arange(leads.size), few), most


def _short(pairs: Pairs, direction: Direction, work: np.ndarray, corral: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pairs outside the working set that fall short of the corral's lead, and all leads."""
    leads, _ = pairs.leads(direction)
    short = leads < (1 - CLOSE) * float(leads[corral].min())
    short[work] = False
    log.info("margin: %d pairs fall short, %d in work", np.count_nonzero(short), work.size)
    return np.flatnonzero(short), leads


def _short_exactly(
    pairs: Pairs, direction: Direction, work: np.ndarray, corral: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The same, exactly, but that only some of many are named."""
    leads, bound = pairs.leads(direction)
    leads_of_corral = float(leads[corral].min())
    surely = leads < leads_of_corral - 2 * bound
    surely[work] = False
    if surely.any():
        return np.flatnonzero(surely), leads
    unsure = np.setdiff1d(np.flatnonzero(leads <= leads_of_corral + 2 * bound), work)
    least = pairs.smallest_lead(corral[:1], direction)
    return pairs.below(unsure, direction, least), leads


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


def point_near(pairs: Pairs, which: np.ndarray, weights: list[Fraction], leads: np.ndarray) -> dict[int, Fraction]:
    """A point of the hull whose weights are near these: pairs and positive weights, exactly.

    The nearest weights under which everything cancels; those that would be negative are left out, and pairs that lead least
    restore the balance.
    """
    shares = _projected(pairs, which, weights)
    support = {pair: share for pair, share in zip(which.tolist(), shares, strict=True) if share > 0}
    for lacking, other, share in _imbalances(pairs, support):
        rows = np.flatnonzero(pairs.target == lacking)
        against = pairs.pair(rows, np.full(rows.size, other))
        pair = int(
            against[np.argmin(leads[against])]
        )  # of all rows of a class against a rival, the one that leads least
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


def ideal_weights(pairs: Pairs, known: list[Weights], constant2: float, clock: Clock) -> Ideal:
    """Weights of the largest g, or the best that were found; ``known`` are some that separate, ``constant2`` is c^2."""
    metric, start = Augmented(pairs, constant2), to_moved(pairs, known[0])
    found = widest(pairs, metric, start, clock)
    candidates = [*known] if found is None else [*known, metric.weights(found.x)]
    if pairs.n_rivals * (metric.kept.size + pairs.fit_intercept) <= EXACT_DIM:
        candidates += [metric.exact_weights(nearest) for nearest, *_ in exactly(pairs, metric, start, found, clock)][
            -1:
        ]
    ideals = (as_ideal(pairs, weights, constant2) for weights in candidates)
    return min((ideal for ideal in ideals if ideal.lead > 0), key=lambda each: each.ratio)


def simple_ideal(pairs: Pairs, ideal: Ideal) -> Ideal:
    """Weights of few digits that give the same bound, if there are such."""
    ideals = (as_ideal(pairs, weights, ideal.constant2) for weights in simpler(pairs, ideal.weights))
    bound = mistake_bound(pairs, ideal)
    return next((each for each in ideals if each.lead > 0 and mistake_bound(pairs, each) <= bound), ideal)
