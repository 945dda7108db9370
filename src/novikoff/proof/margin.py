"""Margins of weights: how far the closest row lies from the boundary, never overstated."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nextafter

import numpy as np

from .coordinates import Weights, moved
from .pairs import Direction, Pairs
from .roots import LARGEST

MOST_EXACT = 1000  # pairs that may all be the one of the smallest lead and are worked out exactly


def smallest_lead(pairs: Pairs, direction: Direction, most: float = inf) -> Fraction:
    """The smallest lead over all pairs, exactly; a positive number a little below it where more than ``most`` compete."""
    leads, bound = pairs.leads(direction)
    least = float(leads.min())
    lowest = np.flatnonzero(leads <= least + 2 * bound)
    if lowest.size > most and least - bound > 0:
        return Fraction(nextafter(least - bound, -inf))
    return pairs.smallest_lead(lowest, direction)


def lead_of(pairs: Pairs, weights: Weights) -> Fraction:
    """The smallest lead of weights as they are, not above the truth."""
    direction, scale = moved(pairs, weights)
    return scale * smallest_lead(pairs, direction, MOST_EXACT)


def has_margin(pairs: Pairs, weights: Weights, margin: float) -> bool:
    """Whether the geometric margin of weights is at least so large, exactly."""
    lead = lead_of(pairs, weights)
    return 0 <= margin < inf and lead >= 0 and lead**2 >= Fraction(margin) ** 2 * weights.square()


def margin_of(pairs: Pairs, direction: Direction) -> float:
    """The geometric margin, rounded down: the smallest lead over the norm of the weights."""
    length, exponent = pairs.length(direction)
    if length == 0:
        return 0.0
    margin = smallest_lead(pairs, direction, MOST_EXACT) / Fraction(length) / Fraction(2) ** exponent
    below = nextafter(float(min(margin, Fraction(LARGEST))), -inf)
    return max(below, 0.0) if margin >= 0 else below
