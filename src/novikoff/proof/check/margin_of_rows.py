"""Margins of weights: how far the closest row lies from the boundary, never overstated."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import numpy as np

from ..arithmetic.roots import root_within
from ..problem.coordinates import Weights, moved
from ..problem.pairs import Direction, Pairs


def smallest_lead(pairs: Pairs, direction: Direction) -> Fraction:
    """The smallest lead over all pairs, exactly."""
    return least_of(pairs, direction, *pairs.leads(direction))


def least_of(pairs: Pairs, direction: Direction, leads: np.ndarray, bound: float) -> Fraction:
    """The same of leads that are known to ``bound``."""
    return pairs.smallest_lead(np.flatnonzero(leads <= leads.min() + 2 * bound), direction)


def lead_of(pairs: Pairs, weights: Weights) -> Fraction:
    """The smallest lead of weights as they are."""
    direction, scale = moved(pairs, weights)
    return scale * smallest_lead(pairs, direction)


def has_margin(pairs: Pairs, weights: Weights, margin: float | Fraction) -> bool:
    """Whether the geometric margin of weights is at least so large, exactly."""
    return is_margin(lead_of(pairs, weights), weights, margin)


def is_margin(lead: Fraction, weights: Weights, margin: float | Fraction) -> bool:
    """The same of a smallest lead that is known."""
    return 0 <= margin < inf and lead >= 0 and lead**2 >= Fraction(margin) ** 2 * weights.square()


def margin_of(pairs: Pairs, weights: Weights) -> float:
    """The geometric margin, rounded down: the smallest lead over the norm of the weights; 0 where they do not separate."""
    return margin_from(lead_of(pairs, weights), weights)


def margin_from(lead: Fraction, weights: Weights) -> float:
    """The same of a smallest lead that is known."""
    square = weights.square()
    return root_within(lead**2 / square)[0] if lead > 0 and square else 0.0
