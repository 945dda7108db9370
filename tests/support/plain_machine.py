"""The problem of a support vector machine with two classes, its dual, and the gap between them that proves an answer.

With signs ``y_i = +1`` or ``-1``, a bound ``C_i`` for every row and slacks ``xi_i = max(0, 1 - y_i (w.x_i + b))``,

    primal    P(w, b) = 1/2 |w|^2 + sum_i C_i xi_i          (squared hinge: C_i xi_i^2)
    dual      D(a) = sum_i a_i - 1/2 |sum_i a_i y_i x_i|^2   (squared hinge: - sum_i a_i^2 / (4 C_i))
              0 <= a_i <= C_i                                (squared hinge: no upper bound)
              sum_i a_i y_i = 0                              (only if there is a bias b, which is not penalised)

(Cortes & Vapnik 1995).  ``D(a) <= P(w, b)`` for every a that fulfils the conditions and every w and b, so that the relative
gap ``(P - D) / P`` bounds how far P is above its minimum.
"""

from __future__ import annotations

from math import inf, nextafter
from typing import Any, NamedTuple

import numpy as np

from novikoff.solvers.balance import balanced
from novikoff.system.rounding_error import not_below


class Problem(NamedTuple):
    """Rows, signs, and what a row's slack costs."""

    X: Any  # float64, array or CSR
    signs: np.ndarray  # +1 or -1, float64
    bounds: np.ndarray  # C_i > 0, float64
    squared: bool  # squared hinge
    intercept: bool  # whether there is a bias

    def take(self, rows: np.ndarray) -> Problem:
        """The same with these rows only."""
        return self._replace(X=self.X[rows], signs=self.signs[rows], bounds=self.bounds[rows])


class Answer(NamedTuple):
    """A point of the primal, a point of the dual, and their values."""

    w: np.ndarray
    b: float
    alpha: np.ndarray
    primal: float
    dual: float

    @property
    def gap(self) -> float:
        """The relative duality gap."""
        return relative_gap(self.primal, self.dual)


def relative_gap(primal: float, dual: float) -> float:
    """``(P - D) / P``, not below it; where P = 0 there is nothing to prove, and where they are no numbers nothing is proved."""
    if not (0 <= primal < np.inf and -np.inf < dual < np.inf):
        return np.inf
    if primal == 0 or dual >= primal:
        return 0.0
    gap = nextafter(nextafter((primal - dual) / primal, inf), inf)  # two roundings
    return min(gap, 1.0) if dual >= 0 else gap


def nothing(problem: Problem) -> Answer:
    """Zero weights, and zero in the dual."""
    rows, columns = problem.X.shape
    w = np.zeros(columns)
    b = best_bias(problem, np.zeros(rows))
    return Answer(w, b, np.zeros(rows), not_below(primal_value(problem, w, problem.signs * b), rows), 0.0)


def better(best: Answer, w: np.ndarray, b: float, primal: float, alpha: np.ndarray, dual: float) -> Answer:
    """Of each side the better of two points."""
    if primal < best.primal:
        best = best._replace(w=w.copy(), b=b, primal=primal)
    return best._replace(alpha=alpha.copy(), dual=dual) if dual > best.dual else best


def slacks(margins: np.ndarray) -> np.ndarray:
    """``xi_i`` from the margins ``y_i (w.x_i + b)``."""
    return np.maximum(0.0, 1.0 - margins)


def square(w: np.ndarray) -> float:
    """``|w|^2``.  (BLAS would wake its threads for it, which takes long where they have other work.)"""
    return float(np.square(w).sum())


def primal_value(problem: Problem, w: np.ndarray, margins: np.ndarray) -> float:
    """P, from the weights and the margins."""
    xi = slacks(margins)
    return 0.5 * square(w) + float(problem.bounds @ (xi * xi if problem.squared else xi))


def dual_value(problem: Problem, alpha: np.ndarray, w: np.ndarray) -> float:
    """D, from a and ``w = sum_i a_i y_i x_i``."""
    value = float(alpha.sum()) - 0.5 * square(w)
    return value - 0.25 * float(alpha @ (alpha / problem.bounds)) if problem.squared else value


def weights_of(problem: Problem, alpha: np.ndarray) -> np.ndarray:
    """``sum_i a_i y_i x_i``."""
    return problem.X.T @ (alpha * problem.signs)


def certify(problem: Problem, w: np.ndarray, alpha: np.ndarray, best: Answer) -> Answer:
    """The better of ``best`` and of these weights, with their best bias, and this ``alpha``, made feasible.

    Everything is computed again from the data, and nothing from what a solver believes about its progress.
    """
    scores = problem.X @ w
    b = best_bias(problem, scores)
    primal = primal_value(problem, w, problem.signs * (scores + b))
    alpha = feasible(problem, alpha)
    return better(best, w, b, primal, alpha, dual_value(problem, alpha, weights_of(problem, alpha)))


def feasible(problem: Problem, alpha: np.ndarray) -> np.ndarray:
    """The nearest bounds where ``alpha`` exceeds them; then, with a bias, the heavier class scaled down to exactly the weight
    of the other, of its rows those inside their bounds if that is enough."""
    alpha = np.clip(alpha, 0.0, None if problem.squared else problem.bounds)
    if not problem.intercept:
        return alpha
    excess = float(problem.signs @ alpha)
    heavier = problem.signs * np.sign(excess) > 0
    inside = heavier if problem.squared else heavier & (alpha < problem.bounds)
    for some in (inside, heavier):
        total = float(alpha[some].sum())
        if total > 2 * abs(excess) or (some is heavier and total > 0):
            alpha[some] *= max(0.0, total - abs(excess)) / total
            break
    return balanced(alpha, problem.signs)


def best_bias(problem: Problem, scores: np.ndarray) -> float:
    """The bias of the smallest total slack cost; 0 without a bias.

    The cost is convex and piecewise linear (squared: quadratic) in b, with its bends where a row's slack vanishes, at
    ``b_i = y_i - score_i``.  Its slope is the sum of ``-C_i`` over positive rows with ``b_i > b`` and ``C_i`` over
    negative rows with ``b_i < b``: sorted, one pass over the bends finds where it changes its sign.
    """
    if not problem.intercept:
        return 0.0
    bends = problem.signs - scores
    order = np.argsort(bends, kind="stable")
    bends, costs = bends[order], problem.bounds[order]
    up = problem.signs[order] > 0
    # Slope just right of each bend: hinge, a constant; squared, 2 (A b - B) with A and B summed over rows with slack.
    falling, rising = np.where(up, costs, 0.0), np.where(up, 0.0, costs)
    amount = _above(falling) + np.cumsum(rising)
    if not problem.squared:
        return _middle(bends, np.cumsum(rising) - _above(falling))
    moment = _above(falling * bends) + np.cumsum(rising * bends)
    slopes = amount * bends - moment
    first = int(np.argmax(slopes >= 0))
    if first == 0:
        return float(bends[0])
    return float(moment[first - 1] / amount[first - 1])


def _above(values: np.ndarray) -> np.ndarray:
    """For every place, the sum over later places."""
    return values[::-1].cumsum()[::-1] - values


def _middle(bends: np.ndarray, slopes: np.ndarray) -> float:
    """Where the slope changes its sign; the middle of the stretch, if it is zero on one."""
    first = int(np.argmax(slopes >= 0))
    slack = 1e-12 * float(np.abs(slopes).max())
    last = first
    while slopes[last] <= slack and last + 1 < slopes.size:
        last += 1
    return 0.5 * (float(bends[first]) + float(bends[last]))
