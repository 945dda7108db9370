"""One feature that no row contradicts: the quickest proof that separation is at least quasi-complete."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from .coordinates import Weights, to_moved
from .pairs import Direction, Pairs, over_rows

AT_ONCE = 1 << 18  # numbers of X that are copied at a time


def single_feature(pairs: Pairs) -> Direction | None:
    """Of two classes: weights on one feature alone, and an intercept if there may be one, that have no negative lead and a
    positive one somewhere; None if no feature has such.  Comparing floats is exact."""
    if pairs.n_rivals > 1:
        return None
    (low0, high0), (low1, high1) = (_ranges(pairs.X, pairs.target == k) for k in (0, 1))
    for sign, (least0, most0, least1, most1) in (
        (1.0, (low0, high0, low1, high1)),
        (-1.0, (-high0, -low0, -high1, -low1)),
    ):
        middle = most0 if pairs.fit_intercept else np.zeros_like(most0)
        good = np.flatnonzero((most0 <= middle) & (middle <= least1) & ((most1 > middle) | (least0 < middle)))
        if good.size:
            weights = np.zeros((1, pairs.n_features + 1))
            weights[0, good[0]], weights[0, -1] = sign, -middle[good[0]]
            return to_moved(pairs, Weights(weights))
    return None


def _ranges(X: Any, members: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The smallest and the largest value of every column among some rows; among none, infinite."""
    low, high = np.full(X.shape[1], np.inf), np.full(X.shape[1], -np.inf)
    if not members.any():
        return low, high
    if sparse.issparse(X):
        X = X[np.flatnonzero(members)].tocsc()
        return X.min(axis=0).toarray().ravel(), X.max(axis=0).toarray().ravel()
    step = max(1, AT_ONCE // max(1, X.shape[1]))
    for start in range(0, len(X), step):
        part = X[start : start + step][members[start : start + step]]
        if len(part):
            low, high = np.minimum(low, over_rows(np.min, part)), np.maximum(high, over_rows(np.max, part))
    return low, high
