"""From an answer that is nearly right to one that is right but for rounding.

Which rows lie on the margin, ``0 < alpha_i < C_i``, is known long before their exact numbers are.  Those follow from linear
equations: every such row has the margin 1, all others keep their bound, and ``sum_i alpha_i y_i = 0``.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.linalg import lstsq

from .problem import Answer, Problem, certify, weights_of

MOST = 2000  # rows on the margin


def polished(problem: Problem, best: Answer) -> Answer:
    """The better of the answer and of what the equations give."""
    free = np.flatnonzero((best.alpha > 0) & (best.alpha < problem.bounds))
    if problem.squared or not 0 < free.size <= MOST:
        return best
    at_bound = best.alpha.copy()
    at_bound[free] = 0.0
    pulled = weights_of(problem, at_bound)
    rows = problem.X[free].toarray() if sparse.issparse(problem.X) else problem.X[free]
    rows = rows * problem.signs[free, None]
    system, right = rows @ rows.T, 1.0 - rows @ pulled
    if problem.intercept:
        signs = problem.signs[free]
        system = np.block([[system, signs[:, None]], [signs[None], np.zeros((1, 1))]])
        right = np.append(right, -float(problem.signs @ at_bound))
    try:
        alpha = at_bound
        # (A change is solved for, so that what the equations leave open stays as it is.)
        known = np.append(best.alpha[free], best.b) if problem.intercept else best.alpha[free]
        alpha[free] = (known + lstsq(system, right - system @ known, check_finite=False)[0])[: free.size]
    except np.linalg.LinAlgError:
        return best
    if not np.isfinite(alpha).all():
        return best
    return certify(problem, weights_of(problem, np.clip(alpha, 0.0, problem.bounds)), alpha, best)
