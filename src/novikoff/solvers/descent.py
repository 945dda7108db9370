"""Dual coordinate descent, for sparse rows of many columns.

One ``alpha_i`` after the other moves to where the dual is largest along it (Hsieh, Chang, Lin, Keerthi & Sundararajan
2008), with ``w = sum_i alpha_i y_i x_i`` kept up to date:

    alpha_i <- min(max(alpha_i - G_i / Q_ii, 0), U_i),     G_i = y_i (w.x_i + b) - 1 + q_i alpha_i,   Q_ii = |x_i|^2 + q_i

(hinge: ``U_i = C_i, q_i = 0``; squared hinge: no bound, ``q_i = 1 / (2 C_i)``).  Rows at a bound that pulls them strongly
are left out of the next sweeps.

The bias is not penalised, so the dual has the condition ``sum_i alpha_i y_i = 0``.  It is met by the method of multipliers
(Hestenes 1969, Powell 1969): within a sweep ``b`` moves with ``alpha`` as the weight of a constant feature would, and
between sweeps the penalty that this feature stands for is moved to where ``b`` is now.

Where sweeps get on slowly, all rows on the margin move at once (``margin_leaps``).
"""

# Kernels take whatever types they are compiled for.
# mypy: allow-untyped-defs

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms

from ..compiled.jit import kernel
from ..inputs.arrays import parts
from ..inputs.clock import OutOfTime
from ..learn.rows import add, as_rows, fetch, natural, score
from .gap_progress import Progress
from .margin_leaps import leap
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
SLOW = 0.5  # a look that finds the gap above this part of what it was is followed by a leap
STEPS, MOST_STEPS = 64, 4096  # of a leap; twice as many when they were too few
MOST_SWEEPS = 50  # over all rows before the first leap, and between two
PORTION = 20_000_000  # values of X are read between two looks at the clock
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
        self.steps, self.swept, self.due = STEPS, 0, MOST_SWEEPS * alpha.size
        values = problem.X.nnz if sparse.issparse(problem.X) else problem.X.size
        self.portion = max(1, PORTION * alpha.size // max(1, values))

    def sweep(self, tick: Callable[[], None]) -> None:
        """Once through the active rows, in random order; many rows by short blocks, which are read faster."""
        block = BLOCK if self.active.size > MANY else 1
        whole = self.active.size // block * block
        blocks = self.active[:whole].reshape(-1, block)
        self.active[:whole] = self.rng.permutation(blocks).ravel()
        self.swept += self.active.size
        window = np.array([np.inf, -np.inf])
        kept = []
        for part in parts(self.active.size, self.portion):
            tick()
            some = self.active[part]
            left = sweep(
                self.rows, some, self.facts, self.constant2, self.weights, self.bias, self.window, window, AHEAD
            )
            kept.append(some[:left])
        self.active = np.concatenate([self.active[:0], *kept])
        low, high = window
        self.window[:] = low if low < 0 else -np.inf, high if high > 0 else np.inf

    def check(self, best: Answer, tol: float) -> Answer:
        """The better of ``best`` and of this point; and all rows are looked at again."""
        problem, w = self.problem, self.weights.ravel()
        self.swept += 2 * self.facts.shape[0]  # rows are read twice
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

    def leap(self, best: Answer, tick: Callable[[], None]) -> Answer:
        """Move all rows on the margin at once; the better of ``best`` and of that point.

        Sweeps come first, until they have cost as much as the leap before.
        """
        if self.swept < self.due:
            return best
        found = leap(self.problem, self.facts[:, ALPHA], self.steps, tick)
        self.swept, self.due = 0, min(found.read, MOST_SWEEPS * found.alpha.size)
        self.steps = min(2 * self.steps, MOST_STEPS) if found.short else self.steps
        if not found.better:
            return best
        problem, w = self.problem, weights_of(self.problem, found.alpha)
        scores = problem.X @ w
        b = best_bias(problem, scores)
        self.facts[:, ALPHA] = found.alpha
        self.weights[...] = natural(self.rows, w[None])
        self.bias[0] = b
        self.window[:] = -np.inf, np.inf
        self.active = np.arange(found.alpha.size)
        primal, dual = primal_value(problem, w, problem.signs * (scores + b)), dual_value(problem, found.alpha, w)
        return better(best, w, b, primal, found.alpha, dual)

    def _look_again(self, scores: np.ndarray) -> None:
        """All rows are active again but those that a bound holds firmly."""
        alpha, signs, upper, extra, _ = self.facts.T
        gradient = signs * scores - 1 + extra * alpha
        low, high = self.window
        at_rest = ((alpha <= 0) & (gradient > high)) | ((alpha >= upper) & (gradient < low))
        self.active = np.flatnonzero(~at_rest)


def descend(state: Descent, best: Answer, tol: float, progress: Progress) -> tuple[Answer, int]:
    """Sweep until the gap is at most ``tol``, the time is over, or it gets no further."""
    rows = state.facts.shape[0]
    sweeps, swept, earlier = 0, 0, np.inf
    with suppress(OutOfTime):
        while True:
            swept += state.active.size
            state.sweep(progress.tick)
            sweeps += 1
            if swept >= 5 * CHECK_WORTH * rows or state.active.size == 0:
                swept = 0
                best = state.check(best, tol)
                if best.gap > tol and best.gap > SLOW * earlier:
                    best = state.leap(best, progress.tick)
                earlier = best.gap
                if progress.note(best.gap) or best.gap <= tol:
                    break
    return best, sweeps


@kernel
def sweep(rows, active, facts, constant2, weights, bias, window, new_window, ahead):
    """See above; returns how many rows stay active, which come first.  The windows hold the smallest and the largest
    gradient that was free to move, of the sweep before and of this one; rows are fetched so many steps ahead."""
    scores, step = np.zeros(1), np.zeros(1)
    low, high = window
    left = 0
    for k in range(active.size):
        i = active[k]
        if k + ahead < active.size:
            fetch(rows, active[k + ahead])
        score(rows, i, weights, bias, scores)
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
