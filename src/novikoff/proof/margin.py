"""Margins of weights: how far the closest row lies from the boundary, never overstated."""

from __future__ import annotations

from math import inf, nextafter

import numpy as np

from .pairs import Direction, Pairs

MOST_EXACT = 1000  # pairs that may all be the one of the smallest lead and are worked out exactly


def least_lead(pairs: Pairs, direction: Direction) -> float:
    """The smallest lead over all pairs, rounded down."""
    leads, bound = pairs.leads(direction)
    least = float(leads.min())
    lowest = np.flatnonzero(leads <= least + 2 * bound)
    if lowest.size > MOST_EXACT:
        return nextafter(least - bound, -inf)
    return nextafter(float(pairs.smallest_lead(lowest, direction)), -inf)


def margin_of(pairs: Pairs, direction: Direction) -> float:
    """The geometric margin, rounded down: the smallest lead over the norm of the weights."""
    length = pairs.length(direction)
    if length == 0 or length == inf:
        return 0.0
    return nextafter(least_lead(pairs, direction) / length, -inf)
