"""Margins of weights: how far the closest row lies from the boundary, never overstated; and points of the hull, which bound the largest
geometric margin from above.

Weights m_i >= 0 of pairs with sum m = 1, under which the constant features cancel where there is an intercept, name a point
sum_i m_i z_i whose norm no margin exceeds (``widest_margin``).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import inf

import numpy as np

from ..arithmetic.exact import root_within
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


def upper_bound(pairs: Pairs, support: Mapping[int, Fraction | int]) -> float:
    """A number the largest geometric margin is not above: the norm of a point of the hull, exact but for its rounding up.

    Infinity where the norm is beyond all floats, and where the weights are no such point: negative, or the constant features
    do not cancel.
    """
    square = hull_square(pairs, support)
    return inf if square is None else root_within(square)[1]


def hull_square(pairs: Pairs, support: Mapping[int, Fraction | int]) -> Fraction | None:
    """The squared norm of a point of the hull, exactly; None where the weights are no such point."""
    if not support or min(support.values()) < 0 or not sum(support.values()):
        return None
    which, weights = np.array(list(support), dtype=np.intp), [Fraction(weight) for weight in support.values()]
    whole, factor = pairs.combined(which, weights)
    shift = pairs.shift[pairs.columns]
    if np.any(whole[:, shift.size :]):
        return None
    least = int(shift.min()) if shift.size else 0
    point = whole[:, : shift.size] << (shift - least).astype(object)  # in the user's coordinates
    if pairs.n_rivals > 1:
        point = np.vstack([point, -point.sum(axis=0)])
    unit = factor * Fraction(2) ** least / sum(weights)
    return int((point * point).sum()) * unit**2
