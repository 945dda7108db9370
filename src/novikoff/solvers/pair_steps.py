"""The dual of a support vector machine with a kernel, by steps on pairs of rows.

With ``beta_i = alpha_i y_i`` and ``v_i = y_i - sum_j beta_j k(x_i, x_j)``, moving ``beta_i`` up and ``beta_j`` down by t keeps
their sum and gains most at ``t = (v_i - v_j) / (k_ii + k_jj - 2 k_ij)``, as far as the bounds allow (SMO, Platt 1998).  The
row of the largest ``v_i`` goes up, and the one that gains most with it goes down (Fan, Chen & Lin 2005).

Pairs are taken from a working set of some hundred rows that violate the conditions most, half of them from the set before
(Joachims 1999; Wen et al. 2018): its kernel values come from BLAS at once and stay in the processor's cache, and all other
rows hear of the steps once.
"""

# Kernels take whatever types they are compiled for.
# mypy: allow-untyped-defs

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..compiled.jit import kernel
from ..dual.gram import add_scaled
from ..inputs.rounding_error import not_below
from .balance import balanced
from .gram_lines import Lines
from .kernel_sums import KernelSums
from .problem import Problem, best_bias, relative_gap, slacks

SET = 256  # rows of a working set
STEPS = 20  # of pairs for each row of it, at most
WITHIN = 0.1  # the set is solved to this part of the largest violation
FLATTEST = 1e-12  # curvature of a pair of equal rows


class KernelAnswer(NamedTuple):
    """``alpha``, the bias, and the values of both problems."""

    alpha: np.ndarray
    b: float
    primal: float
    dual: float

    @property
    def gap(self) -> float:
        """The relative duality gap."""
        return relative_gap(self.primal, self.dual)


def no_support(problem: Problem) -> KernelAnswer:
    """Zero weights, and zero in the dual."""
    zeros = np.zeros(problem.signs.size)
    b = best_bias(problem, zeros)
    primal = not_below(float(problem.bounds @ slacks(problem.signs * b)), zeros.size)
    return KernelAnswer(zeros, b, primal, 0.0)


def solve_pairs(
    problem: Problem, lines: Lines, sums: KernelSums, start: np.ndarray, tol: float, note: Callable[[float], bool]
) -> tuple[KernelAnswer, int]:
    """Steps from ``start`` until the gap is at most ``tol``, or ``note`` (which is told the gap) says that it is enough; the
    answer, its bias being that of the scores less their offset, and the number of working sets."""
    signs = problem.signs
    low, high = np.where(signs > 0, 0.0, -problem.bounds), np.where(signs > 0, problem.bounds, 0.0)
    diagonal = lines.kernel.diagonal(lines.points)
    beta = start * signs
    v = _fresh(sums, beta, signs)
    best = no_support(problem)
    working = np.empty(0, dtype=np.intp)
    rounds = 0
    while True:
        best = _judged(problem, beta, v, best)
        enough = note(best.gap)
        if enough or best.gap <= tol:  # v is the sum of many small steps: before it is believed it is worked out anew
            beta = balanced(best.alpha, signs) * signs
            v = _fresh(sums, beta, signs)
            best = _judged(problem, beta, v, no_support(problem))
            if enough or best.gap <= tol:
                return best, rounds
        working, worst = _working_set(beta, v, low, high, working)
        places = lines.places(working)
        some = lines.points.take(working)
        block = lines.kernel.values(some, some)
        before = beta[working]
        mine, its_v = before.copy(), v[working]
        step_pairs(mine, its_v, low[working], high[working], block, diagonal[working], WITHIN * worst, STEPS * SET)
        beta[working] = mine
        add_scaled(v[None], (before - mine)[None], lines.values, places)
        rounds += 1


def _fresh(sums: KernelSums, beta: np.ndarray, signs: np.ndarray) -> np.ndarray:
    """v, from nothing but beta and the rows."""
    return (signs - sums.of(beta).scores).astype(np.float64)


def _judged(problem: Problem, beta: np.ndarray, v: np.ndarray, best: KernelAnswer) -> KernelAnswer:
    """The better of ``best`` and of this point."""
    scores = problem.signs - v
    square = max(0.0, float(beta @ scores))  # below zero by rounding only
    b = best_bias(problem, scores)
    primal = 0.5 * square + float(problem.bounds @ slacks(problem.signs * (scores + b)))
    alpha = beta * problem.signs
    dual = float(alpha.sum()) - 0.5 * square
    # The weights are those of alpha, so both change at once: a better primal is worth more.
    if primal - dual < best.primal - best.dual:
        return KernelAnswer(alpha, b, primal, dual)
    return best


def _working_set(
    beta: np.ndarray, v: np.ndarray, low: np.ndarray, high: np.ndarray, before: np.ndarray
) -> tuple[np.ndarray, float]:
    """The rows that violate the conditions most, from both sides, and half of the set before; the largest violation."""
    up, down = np.where(beta < high, v, -np.inf), np.where(beta > low, v, np.inf)
    worst = float(up.max() - down.min())
    size = min(SET, v.size)
    kept = before[before.size // 2 :] if before.size == size else before[:0]
    half = max(1, (size - kept.size) // 2)
    highest = np.argpartition(-up, half - 1)[:half]
    lowest = np.argpartition(down, half - 1)[:half]
    fresh = np.concatenate([highest[up[highest] > -np.inf], lowest[down[lowest] < np.inf]])
    chosen = dict.fromkeys(np.concatenate([kept, fresh]).tolist())
    return np.fromiter(chosen, dtype=np.intp), worst


@kernel
def step_pairs(beta, v, low, high, block, diagonal, enough, most):
    """Steps on pairs of the working set until no violation is above ``enough``, up to a largest number of steps; returns their number."""
    size = beta.size
    for step in range(most):
        i, top, bottom = -1, -np.inf, np.inf
        for k in range(size):
            if beta[k] < high[k] and v[k] > top:
                i, top = k, v[k]
            if beta[k] > low[k] and v[k] < bottom:
                bottom = v[k]
        if i < 0 or not top - bottom > enough:
            return step
        j, gain = -1, 0.0
        line = block[i]
        for k in range(size):
            if beta[k] > low[k] and v[k] < top:
                curvature = max(diagonal[i] + diagonal[k] - 2.0 * line[k], FLATTEST)
                worth = (top - v[k]) ** 2 / curvature
                if worth > gain:
                    j, gain = k, worth
        curvature = max(diagonal[i] + diagonal[j] - 2.0 * line[j], FLATTEST)
        t = min((top - v[j]) / curvature, high[i] - beta[i], beta[j] - low[j])
        beta[i] = high[i] if t == high[i] - beta[i] else beta[i] + t
        beta[j] = low[j] if t == beta[j] - low[j] else beta[j] - t
        other = block[j]
        for k in range(size):
            v[k] -= t * (line[k] - other[k])
    return most
