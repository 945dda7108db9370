"""The last word on an answer: both objectives with everything that rounding may have hidden.

A slack as small as a rounding error, times a large C, may be more than the whole gap.  So the primal value is bounded from
above and the dual value from below:

- a score w.x of n terms errs by at most n u |x| |w|, u being half the distance of 1 from the next number (Higham 2002), and
  every slack may be larger by so much;
- the weights of the dual point err by at most m u sum_i alpha_i |x_i|, m being the rows with alpha > 0;
- where sum_i alpha_i y_i = 0 holds but for r, the dual value may be too large by r |b|, b being the best bias; as that is where
  some row's slack vanishes, |b| <= 1 + R sqrt(2 P), R the length of the longest row.

Sums are made with the longest floats there are, where that is not too slow.  If the only slacks are rounding errors, longer
weights may have none: (w, b) is stretched by next to nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from math import fsum
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms

from .joint import Joint, JointAnswer, joint_feasible, leads, signed
from .problem import Answer, Problem, feasible

LONG = 2_000_000  # numbers of X that are multiplied in long floats
UNIT = 2.0**-53
HALF = 0.5  # beyond, no slack is a rounding error
SMALL = (1e-15, 1e-13, 1e-11, 1e-9, 1e-7)  # slacks that may be rounding errors


def audited(problem: Problem, answer: Answer) -> Answer:
    """The answer with values that rounding cannot have improved."""
    rows = _Rows(problem.X)
    signs, power = problem.signs, 2 if problem.squared else 1

    def margins(w: np.ndarray, b: Any) -> tuple[np.ndarray, np.ndarray]:
        scores, error = rows.scores(w)
        return signs * (scores[:, 0] + b), error + abs(b) * UNIT

    primal, stretch = rows.primal(answer.w[None], answer.b, problem.bounds, power, margins)
    alpha = feasible(problem, answer.alpha)
    dual = fsum(alpha.tolist()) - 0.5 * rows.square((alpha * signs)[:, None])
    if problem.squared:
        dual -= 0.25 * fsum((alpha * alpha / problem.bounds).tolist()) * rows.surely
    if problem.intercept:
        dual -= rows.reach(primal) * abs(fsum((alpha * signs).tolist()))
    return Answer(stretch * answer.w, stretch * answer.b, alpha, primal, dual)


def audited_jointly(problem: Joint, answer: JointAnswer) -> JointAnswer:
    """The same for all classes at once."""
    rows = _Rows(problem.X)

    def margins(w: np.ndarray, b: Any) -> tuple[np.ndarray, np.ndarray]:
        scores, error = rows.scores(w)
        return leads(problem.target, scores + b).min(axis=1), 2 * (error + float(np.abs(b).max()) * UNIT)

    primal, stretch = rows.primal(answer.w, answer.b, problem.bounds, 1, margins)
    alpha = joint_feasible(problem, answer.alpha)
    shares = signed(problem.target, alpha)
    dual = fsum(alpha.ravel().tolist()) - 0.5 * rows.square(shares)
    if problem.intercept:
        dual -= 2 * rows.reach(primal) * sum(abs(fsum(column.tolist())) for column in shares.T)
    return JointAnswer(stretch * answer.w, stretch * answer.b, alpha, primal, dual)


class _Rows:
    """Rows, their lengths, and the floats that sums are made with."""

    def __init__(self, X: Any) -> None:
        self.terms = int(np.diff(X.indptr).max(initial=0)) if sparse.issparse(X) else X.shape[1]
        values = X.nnz if sparse.issparse(X) else X.size
        self.kind: Any = np.longdouble if values <= LONG else np.float64
        self.unit = float(np.finfo(self.kind).eps)
        self.X = X.astype(self.kind, copy=False)
        # A sum of positive numbers over rows or columns, in whatever order, is at most this factor too small.
        self.surely = 1 + 4 * (sum(X.shape) + 8) * UNIT
        self.lengths = row_norms(X) * self.surely

    def scores(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """``w.x`` of every row and output, and a bound of the error."""
        largest = float(np.linalg.norm(w, axis=1).max(initial=0.0))
        scores = np.asarray(self.X @ w.T.astype(self.kind), dtype=np.float64)
        return scores, ((self.terms + 2) * self.unit + 2 * UNIT) * self.lengths * largest * self.surely

    def primal(
        self, w: np.ndarray, b: Any, bounds: np.ndarray, power: int, margins: Callable[..., Any]
    ) -> tuple[float, float]:
        """The objective, not below the truth, and the factor of the weights, 1 or a hair more, for which it is that."""
        found, error = margins(w, b)
        value, stretch = self._value(w, bounds, found, error, power), 1.0
        best = value
        for small in SMALL:
            near = np.abs(1.0 - found) <= np.minimum(small + error, HALF)
            if near.any():
                factor = float(np.max((1.0 + 2 * error[near] + UNIT) / found[near]))
                promised = self._value(factor * w, bounds, factor * found, factor * error, power)
                if promised < best:
                    best, stretch = promised, factor
        if stretch > 1:
            found, error = margins(stretch * w, stretch * b)
            longer = self._value(stretch * w, bounds, found, error, power)
            if longer < value:
                return longer, stretch
        return value, 1.0

    def _value(self, w: np.ndarray, bounds: np.ndarray, margins: np.ndarray, error: np.ndarray, power: int) -> float:
        slack = np.maximum(0.0, 1.0 - margins + error)
        return (0.5 * float(np.square(w).sum()) + float(bounds @ slack**power)) * self.surely * self.surely

    def square(self, shares: np.ndarray) -> float:
        """``sum_k |sum_i shares_ik x_i|^2``, not below the truth."""
        held = int(np.count_nonzero(shares.any(axis=1)))
        made = np.asarray(self.X.T @ shares.astype(self.kind), dtype=np.float64)
        error = ((held + 2) * self.unit + UNIT) * np.abs(shares).T @ self.lengths * self.surely
        return float(np.sum((np.linalg.norm(made, axis=0) * self.surely + error) ** 2)) * self.surely

    def reach(self, primal: float) -> float:
        """A bound of the best bias."""
        return 1.0 + float(self.lengths.max(initial=0.0)) * (2.0 * max(primal, 0.0)) ** 0.5
