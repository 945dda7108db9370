"""Whether weights surely separate the classes, rounding errors included."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.extmath import safe_sparse_dot

from ...checks.arrays import own_output
from ...system.rounding_error import SMALLEST, gamma

SCORES_AT_ONCE = 1_000_000


def sure_margins(
    coef: np.ndarray, intercept: np.ndarray, X: Any, target: np.ndarray, members: np.ndarray
) -> tuple[float, np.ndarray]:
    """Of the rows in ``members``, the smallest lead of a row's class over a rival, and for each output its smallest signed score,
    all lessened by what rounding may have added.

    Scores are sums of features + 1 products (``rounding_error``); half of the bound is left over for the rounding of the bound.
    """
    coef, intercept = coef.astype(float), intercept.astype(float)
    terms = coef.shape[1] + 2
    unsure, vanished = 2 * gamma(terms), terms * SMALLEST
    least_lead, least = np.inf, np.full(len(coef), np.inf)
    some = max(1, SCORES_AT_ONCE // max(coef.shape))
    for first in range(0, members.size, some):
        which = members[first : first + some]
        rows, true = X[which].astype(float), own_output(target[which], len(coef))
        with np.errstate(over="ignore", invalid="ignore"):
            scores = safe_sparse_dot(rows, coef.T, dense_output=True) + intercept
            error = unsure * (safe_sparse_dot(abs(rows), abs(coef).T, dense_output=True) + abs(intercept)) + vanished
        least = np.fmin(least, np.where(np.isnan(scores), -np.inf, np.where(true, scores, -scores) - error).min(axis=0))
        if len(coef) > 1:
            low, high = scores - error, np.where(true, -np.inf, scores + error)
            least_lead = min(least_lead, float((low[true] - high.max(axis=1)).min()))
    return (least_lead if len(coef) > 1 else float(least[0])), least
