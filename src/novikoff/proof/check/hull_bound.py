"""Points of the hull, which bound the largest geometric margin from above.

Weights m_i >= 0 of pairs with sum m = 1, under which the constant features cancel where there is an intercept, name a point
sum_i m_i z_i whose norm no margin exceeds (``widest_margin``).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import inf

import numpy as np

from ..arithmetic.roots import root_within
from ..problem.pairs import Pairs


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
