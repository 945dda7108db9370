"""The largest geometric margin, enclosed.

The geometric margin of weights is the smallest lead over their norm, the intercepts not counted.  Its maximum is the
distance of the origin from the convex hull of the vectors z_i (y_i x_i for two classes), under weights that let the constant
feature cancel where there is an intercept:

    max_w,b min_i (w.z_i + b y_i) / |w|  =  min |sum_i m_i z_i|,   m >= 0,  sum m = 1,  sum m_i y_i = 0 .

Any weights are a lower bound and any such m an upper bound; both are evaluated so that rounding only widens the enclosure.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf

import numpy as np
from flint import fmpq

from ...system.clock import Clock, OutOfTime
from ..check.hull_bound import upper_bound
from ..check.margin_of_rows import margin_of
from ..problem.coordinates import READ, Weights, simpler, to_moved, to_user
from ..problem.pairs import Direction, Pairs
from ..search.nearest_point import ExactNearest, exact_nearest_point, nearest_point
from .hull_points import point_near
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
