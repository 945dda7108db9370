"""Whether weights surely separate the classes, rounding errors included."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.extmath import safe_sparse_dot

from .targets import own_output

if TYPE_CHECKING:
    from ..problem import Problem

SCORES_AT_ONCE = 1_000_000


def sure_margins(coef: np.ndarray, intercept: np.ndarray, X: Any, problem: Problem) -> tuple[float, np.ndarray]:
    """The smallest lead of a row's class over a rival, and for each output its smallest signed score, all lessened by
    what rounding may have added.

    A sum of n products computed in any order errs by no more than n u / (1 - n u) times the sum of their absolute values
    (Higham 2002), u = eps / 2; here n = features + 1, and half of the bound is left over for the rounding of the bound.
    Each product may also lose as much as the smallest number where it is too small.
    """
    coef, intercept = coef.astype(float), intercept.astype(float)
    unsure = (coef.shape[1] + 2) * np.finfo(float).eps * 1.01
    vanished = (coef.shape[1] + 2) * np.finfo(float).smallest_subnormal
    least_lead, least = np.inf, np.full(len(coef), np.inf)
    some = max(1, SCORES_AT_ONCE // max(coef.shape))
    for first in range(0, problem.members.size, some):
        members = problem.members[first : first + some]
        rows, target = X[members].astype(float), problem.target[members]
        with np.errstate(over="ignore", invalid="ignore"):
            scores = safe_sparse_dot(rows, coef.T, dense_output=True) + intercept
            error = unsure * (safe_sparse_dot(abs(rows), abs(coef).T, dense_output=True) + abs(intercept)) + vanished
        true = own_output(target, len(coef))
        least = np.fmin(least, np.where(np.isnan(scores), -np.inf, np.where(true, scores, -scores) - error).min(axis=0))
        if len(coef) > 1:
            low, high = scores - error, np.where(true, -np.inf, scores + error)
            least_lead = min(least_lead, float((low[true] - high.max(axis=1)).min()))
    return (least_lead if len(coef) > 1 else float(least[0])), least
