"""Margins of weights: how far the closest row lies from the boundary, never overstated."""

from __future__ import annotations

from math import inf, nextafter

import numpy as np

from .pairs import Direction, Pairs

ROUGH = 1000.0  # leads that are not this many times their error bound are worked out exactly


def least_lead(pairs: Pairs, direction: Direction) -> float:
    """The smallest lead over all pairs, rounded down."""
    leads, bound = pairs.leads(direction)
    least = float(leads.min())
    if least > ROUGH * bound:
        return least - 2 * bound
    exact = pairs.smallest_lead(np.flatnonzero(leads <= least + 2 * bound), direction)
    return nextafter(float(exact), -inf)


def margin_of(pairs: Pairs, direction: Direction) -> float:
    """The geometric margin, rounded down: the smallest lead over the norm of the weights."""
    length = pairs.length(direction)
    if length == 0 or length == inf:
        return 0.0
    return nextafter(least_lead(pairs, direction) / length, -inf)
