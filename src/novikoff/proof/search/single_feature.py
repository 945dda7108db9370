"""One feature that no row contradicts: the quickest proof that separation is at least quasi-complete."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from ..problem.coordinates import Weights, to_moved
from ..problem.pairs import Direction, Pairs, over_rows

AT_ONCE = 1 << 18  # numbers of X that are copied at a time


def single_feature(pairs: Pairs) -> Direction | None:
    """Weights of one class on one feature alone, and an intercept if there may be one, that have no negative lead and a
    positive one somewhere; None if no class and feature have such.  Comparing floats is exact.

    With s (x_j - m) for that class and nothing for the others, its rows lead every rival by it, other rows lead it by the
    opposite, and nothing else leads: the class must lie on one side of m, all others on the other.
    """
    low, high = _ranges(pairs)
    rest_low, rest_high = _least_of_others(low), -_least_of_others(-high)
    for k in range(1 if pairs.n_rivals == 1 else 0, pairs.n_rivals + 1):
        for sign, own, rest in (
            (1.0, (low[k], high[k]), (rest_low[k], rest_high[k])),
            (-1.0, (-high[k], -low[k]), (-rest_high[k], -rest_low[k])),
        ):
            middle = rest[1] if pairs.fit_intercept else np.zeros_like(rest[1])
            apart = (rest[1] <= middle) & (middle <= own[0]) & ((own[1] > middle) | (rest[0] < middle))
            good = np.flatnonzero(apart)
            if good.size:
                return _weights(pairs, k, int(good[0]), sign, float(middle[good[0]]))
    return None


def _weights(pairs: Pairs, k: int, feature: int, sign: float, middle: float) -> Direction:
    """Scores sign x_j - middle for class k and 0 for the others, less those of class 0."""
    weights = np.zeros((pairs.n_rivals, pairs.n_features + 1))
    rows, side = (k - 1, 1.0) if k else (slice(None), -1.0)
    weights[rows, feature], weights[rows, -1] = side * sign, -side * middle
    return to_moved(pairs, Weights(weights))


def _least_of_others(numbers: np.ndarray) -> np.ndarray:
    """For every number the smallest of the others in its column."""
    first, second = np.partition(numbers, 1, axis=0)[:2]
    return np.where(numbers == first, second, first)


def _ranges(pairs: Pairs) -> tuple[np.ndarray, np.ndarray]:
    """The smallest and the largest value of every column, class by class; of a class without rows, infinite."""
    order = np.argsort(pairs.target, kind="stable")
    ends = np.cumsum(np.bincount(pairs.target, minlength=pairs.n_rivals + 1))
    low = np.full((pairs.n_rivals + 1, pairs.n_features), np.inf)
    high = -low
    for k, rows in enumerate(np.split(order, ends[:-1])):
        if rows.size:
            low[k], high[k] = _range(pairs.X, np.sort(rows))
    return low, high


def _range(X: Any, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The smallest and the largest value of every column among some rows."""
    if sparse.issparse(X):
        part = X[rows].tocsc()
        return part.min(axis=0).toarray().ravel(), part.max(axis=0).toarray().ravel()
    low, high = np.full(X.shape[1], np.inf), np.full(X.shape[1], -np.inf)
    step = max(1, AT_ONCE // max(1, X.shape[1]))
    for start in range(0, rows.size, step):
        part = X[rows[start : start + step]]
        low, high = np.minimum(low, over_rows(np.min, part)), np.maximum(high, over_rows(np.max, part))
    return low, high
