"""From an answer that is nearly right to one that is right but for rounding.

Which rows lie on the margin, ``0 < alpha_i < C_i``, is known long before their exact numbers are.  Those follow from linear
equations: every such row has the margin 1, all others keep their bound, and ``sum_i alpha_i y_i = 0``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import lstsq
from scipy.linalg.lapack import dsysv, dsysv_lwork

from .problem import Answer, Problem, certify, weights_of

MOST = 500  # rows on the margin, or columns
FINE = 1e-9  # a gap that needs no more polishing
NEAR = (1e-9, 1e-6, 1e-3)  # rows whose margin is so close to 1 may lie on it
CAREFUL_EQUATIONS = 100  # up to so many are solved with care, as they may leave something open
WORTH = 1e9  # multiplications, at most


def polished(problem: Problem, best: Answer) -> Answer:
    """The better of the answer and of what the equations give."""
    try:
        if problem.squared:
            return _squared(problem, best)
        inside = (best.alpha > 0) & (best.alpha < problem.bounds)
        best = _hinge(problem, best, best.alpha, inside)
        for near in NEAR if best.gap > FINE else ():
            margins = problem.signs * (problem.X @ best.w + best.b)
            inside = np.abs(margins - 1) <= near
            best = _hinge(problem, best, np.where(margins < 1, problem.bounds, 0.0), inside)
    except np.linalg.LinAlgError:
        pass
    return best


def _hinge(problem: Problem, best: Answer, known_alpha: np.ndarray, inside: np.ndarray) -> Answer:
    free = np.flatnonzero(inside)
    if not 0 < free.size <= MOST:
        return best
    alpha = known_alpha.copy()
    alpha[free] = 0.0
    signs, rows = problem.signs[free], problem.X[free]
    system, right = signs[:, None] * _dense(rows @ rows.T) * signs, 1.0 - signs * (rows @ weights_of(problem, alpha))
    known = np.clip(known_alpha[free], 0.0, problem.bounds[free])
    if problem.intercept:
        system = np.block([[system, signs[:, None]], [signs[None], np.zeros((1, 1))]])
        right, known = np.append(right, -float(problem.signs @ alpha)), np.append(known, best.b)
    # A change is solved for, so that what the equations leave open stays as it is.
    alpha[free] = (known + _solution(system, right - system @ known))[: free.size]
    if not np.isfinite(alpha).all():
        return best
    return certify(problem, weights_of(problem, np.clip(alpha, 0.0, problem.bounds)), alpha, best)


def _squared(problem: Problem, best: Answer) -> Answer:
    """Of the squared hinge, rows with slack have ``alpha = 2 C xi``: one Newton step from the right rows is exact."""
    margins = problem.signs * (problem.X @ best.w + best.b)
    inside = np.flatnonzero(margins < 1)
    columns = problem.X.shape[1]
    if inside.size * columns**2 > WORTH or columns > MOST:
        return best
    rows = _dense(problem.X[inside])
    if problem.intercept:
        rows = np.column_stack([rows, np.ones(inside.size)])
    weight = 2 * problem.bounds[inside]
    system = rows.T @ (weight[:, None] * rows)
    system[np.arange(columns), np.arange(columns)] += 1.0
    weights = _solution(system, rows.T @ (weight * problem.signs[inside]))
    if not np.isfinite(weights).all():
        return best
    alpha = np.zeros(margins.size)
    alpha[inside] = weight * (1 - problem.signs[inside] * (rows @ weights))
    return certify(problem, weights[:columns], alpha, best)


def _solution(system: np.ndarray, right: np.ndarray) -> np.ndarray:
    if len(right) <= CAREFUL_EQUATIONS:
        return lstsq(system, right, check_finite=False)[0]
    size, _ = dsysv_lwork(len(right))
    *_, solution, failed = dsysv(system, right[:, None], lwork=int(size))  # whatever comes out is judged by its gap
    if failed:
        raise np.linalg.LinAlgError("the equations are singular")
    return solution[:, 0]


def _dense(rows: Any) -> np.ndarray:
    return rows.toarray() if sparse.issparse(rows) else rows
