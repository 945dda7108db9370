"""Dual coordinate descent, for sparse rows of many columns.

One ``alpha_i`` after the other moves to where the dual is largest along it (Hsieh, Chang, Lin, Keerthi & Sundararajan
2008), with ``w = sum_i alpha_i y_i x_i`` kept up to date:

    alpha_i <- min(max(alpha_i - G_i / Q_ii, 0), U_i),     G_i = y_i (w.x_i + b) - 1 + q_i alpha_i,   Q_ii = |x_i|^2 + q_i

(hinge: ``U_i = C_i, q_i = 0``; squared hinge: no bound, ``q_i = 1 / (2 C_i)``).  Rows at a bound that pulls them strongly
are left out of the next sweeps.

The bias is not penalised, so the dual has the condition ``sum_i alpha_i y_i = 0``.  It is met by the method of multipliers
(Hestenes 1969, Powell 1969): within a sweep ``b`` moves with ``alpha`` as the weight of a constant feature would, and
between sweeps the penalty that this feature stands for is moved to where ``b`` is now.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.utils.extmath import row_norms

from ..jit import kernel
from ..rows import add, as_rows, fetch, natural, score
from .problem import (
    Answer,
    Problem,
    best_bias,
    better,
    certify,
    dual_value,
    feasible,
    primal_value,
    relative_gap,
    weights_of,
)

AHEAD = 8  # rows are fetched so many steps before they are read
CHECK_WORTH = 0.5  # of a sweep over all rows is what a look at the gap costs; it may take a fifth of the time
ALMOST = 1e-12  # gradients below this are zero
MANY, BLOCK = 20_000, 16
ALPHA, SIGN, UPPER, EXTRA, SQUARE = range(5)  # what is known of a row, side by side in memory


class Descent:
    """alpha, the weights that belong to it, and the rows that still move."""

    def __init__(self, problem: Problem, alpha: np.ndarray, b: float, rng: np.random.Generator) -> None:
        self.problem, self.rng = problem, rng
        self.rows = as_rows(problem.X, 1)
        self.weights = natural(self.rows, weights_of(problem, alpha)[None])
        self.bias = np.array([b])
        squares = row_norms(problem.X, squared=True)
        self.constant2 = float(squares.mean()) if problem.intercept else 0.0
        self.facts = np.empty((alpha.size, 5))
        self.facts[:, ALPHA], self.facts[:, SIGN] = alpha, problem.signs
        self.facts[:, UPPER] = np.inf if problem.squared else problem.bounds
        self.facts[:, EXTRA] = 0.5 / problem.bounds if problem.squared else 0.0
        self.facts[:, SQUARE] = squares + self.facts[:, EXTRA] + self.constant2
        self.active = np.arange(alpha.size)
        self.window = np.array([-np.inf, np.inf])

    def sweep(self) -> None:
        """Once through the active rows, in random order; many rows by short blocks, which are read faster."""
        block = BLOCK if self.active.size > MANY else 1
        whole = self.active.size // block * block
        blocks = self.active[:whole].reshape(-1, block)
        self.active[:whole] = self.rng.permutation(blocks).ravel()
        window = np.array([np.inf, -np.inf])
        left = sweep(self.rows, self.active, self.facts, self.constant2, self.weights, self.bias, self.window, window)
        self.active = self.active[:left]
        low, high = window
        self.window[:] = low if low < 0 else -np.inf, high if high > 0 else np.inf

    def check(self, best: Answer, tol: float) -> Answer:
        """The better of ``best`` and of this point; and all rows are looked at again."""
        problem, w = self.problem, self.weights.ravel()
        alpha = feasible(problem, self.facts[:, ALPHA])
        scores = problem.X @ w
        b = best_bias(problem, scores)
        primal = primal_value(problem, w, problem.signs * (scores + b))
        dual = dual_value(problem, alpha, weights_of(problem, alpha) if problem.intercept else w)
        if not problem.intercept and relative_gap(primal, dual) <= tol:  # once more, free of what rounding has added
            w[:] = weights_of(problem, alpha)
            return certify(problem, w, alpha, best)
        self.bias += self.constant2 * float(problem.signs @ self.facts[:, ALPHA])
        self._look_again(scores + self.bias)
        return better(best, w, b, primal, alpha, dual)

    def _look_again(self, scores: np.ndarray) -> None:
        """All rows are active again but those that a bound holds firmly."""
        alpha, signs, upper, extra, _ = self.facts.T
        gradient = signs * scores - 1 + extra * alpha
        low, high = self.window
        at_rest = ((alpha <= 0) & (gradient > high)) | ((alpha >= upper) & (gradient < low))
        self.active = np.flatnonzero(~at_rest)


def descend(state: Descent, best: Answer, tol: float, note: Callable[[float], bool]) -> tuple[Answer, int]:
    """Sweep until the gap is at most ``tol``, or ``note`` (which is told the gap) says that it is enough."""
    rows = state.facts.shape[0]
    sweeps, swept = 0, 0
    while True:
        swept += state.active.size
        state.sweep()
        sweeps += 1
        if swept >= 5 * CHECK_WORTH * rows or state.active.size == 0:
            swept = 0
            best = state.check(best, tol)
            if note(best.gap) or best.gap <= tol:
                return best, sweeps


@kernel
def sweep(rows, active, facts, constant2, weights, bias, window, new_window):
    """See above; returns how many rows stay active, which come first.  The windows hold the smallest and the largest
    gradient that was free to move, of the sweep before and of this one."""
    scores, step = np.zeros(1), np.zeros(1)
    low, high = window
    left = 0
    for k in range(active.size):
        i = active[k]
        if k + AHEAD < active.size:
            fetch(rows, active[k + AHEAD])
        score(rows, i, weights, 1.0, bias, scores)
        alpha, sign, upper, extra, square = facts[i, 0], facts[i, 1], facts[i, 2], facts[i, 3], facts[i, 4]
        gradient = sign * scores[0] - 1.0 + extra * alpha
        if (alpha <= 0 and gradient > high) or (alpha >= upper and gradient < low):
            continue
        active[left] = i
        left += 1
        if (alpha <= 0 and gradient >= 0) or (alpha >= upper and gradient <= 0):
            continue
        new_window[0] = min(new_window[0], gradient)
        new_window[1] = max(new_window[1], gradient)
        if square <= 0:  # a row of zeros, and no bias: its slack is 1 whatever the weights
            facts[i, ALPHA] = upper
        elif abs(gradient) > ALMOST:
            facts[i, ALPHA] = min(max(alpha - gradient / square, 0.0), upper)
            step[0] = (facts[i, ALPHA] - alpha) * sign
            add(rows, i, weights, step)
            bias[0] += constant2 * step[0]
    return left
