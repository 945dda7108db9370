"""Machines with a kernel on few rows: all problems in one call, with all kernel values at hand.

The steps are those of ``pair_steps``, but that every row is in the working set.  With ``v_i = y_i - sum_j beta_j k_ij`` and any bias b,

    D = 1/2 sum_i (alpha_i + beta_i v_i) ,    P - D = sum_i C_i max(0, y_i (v_i - b)) - sum_i beta_i v_i ,

so that the gap is known after every step for little.  Where it is small enough, alphas are put in balance exactly (``balance``), v is
worked out anew from them and the kernel values, and both objectives are bounded as in ``kernel_audit``, with one bound of the error
for all rows: a sum over s rows of ``beta_j k_ij`` errs by at most ``(e(s + 4) K + t) sum_j |beta_j|``, where no kernel value is above K
or errs by more than t, and ``e(n)`` is twice the error of a sum of n products (``rounding_error``).

Rows are sorted by class.  A problem has the rows of two stretches (of one class and of another; or all rows and none); the signs of one
stretch are positive.  ``shares`` holds ``beta_i = alpha_i y_i``: a problem has a line of it for each of its stretches.
"""

# Kernels take whatever types they are compiled for.
# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from ..compiled.jit import helper, kernel
from ..inputs.rounding_error import UNIT
from .balance import balance

FLATTEST = 1e-12  # curvature of a pair of equal rows
LOOK = 16  # steps between two looks at the gap
CLOSER = 0.9  # of the tolerance is asked of the steps, so that what the audit adds finds room;
STRICTER = 0.1  # and of that, where it did not
TURNS = 4
AT = 1e-9  # of the way between its bounds away from one, beta is at it
ROUNDING = 1e-14  # violations so small are rounding errors


@kernel
def solve_stretches(gram, stretches, bounds, flaws, tol, most, first, last, shares, found, steps):
    """Solve the problems ``first`` to ``last - 1`` from ``shares``, each by a limited number of steps.

    A line of ``stretches`` is the beginning, the end and the line in ``shares`` of a problem's two stretches, and the beginning and the
    end of its positive rows; ``flaws`` are K, t, by how far eigenvalues may be below zero, and room for the rounding of sums.  Left in
    ``found``: the bias, P and D of every problem, proved; in ``steps``: how many were taken.
    """
    for p in range(first, last):
        s0, e0, line0 = stretches[p, 0], stretches[p, 1], stretches[p, 2]
        s1, e1, line1 = stretches[p, 3], stretches[p, 4], stretches[p, 5]
        positive, negative = stretches[p, 6], stretches[p, 7]
        size, size0 = e0 - s0 + e1 - s1, e0 - s0
        beta, v, costs, sign = np.empty(size), np.empty(size), np.empty(size), np.empty((1, size))
        low, high, diagonal = np.zeros(size), np.zeros(size), np.empty(size)
        for k in range(size):
            i = s0 + k if k < size0 else s1 + k - size0
            beta[k] = shares[line0 if k < size0 else line1, i]
            costs[k], diagonal[k] = bounds[i], gram[i, i]
            sign[0, k] = 1.0 if positive <= i < negative else -1.0
            if sign[0, k] > 0:
                high[k] = bounds[i]
            else:
                low[k] = -bounds[i]
        enough = CLOSER * tol
        scores_anew(gram, s0, s1, size0, beta, v)
        for k in range(size):
            v[k] = sign[0, k] - v[k]
        steps[p] = 0
        for _ in range(TURNS):
            steps[p] += step_rows(
                gram, s0, s1, size0, sign[0], costs, low, high, diagonal, beta, v, enough, most - steps[p]
            )
            audit(gram, s0, s1, size0, sign, costs, low, high, flaws, beta, v, found[p])
            if steps[p] >= most or found[p, 1] - found[p, 2] <= tol * found[p, 1]:
                break
            enough *= STRICTER
        for k in range(size):
            if k < size0:
                shares[line0, s0 + k] = beta[k]
            else:
                shares[line1, s1 + k - size0] = beta[k]


@kernel
def step_rows(gram, s0, s1, size0, sign, costs, low, high, diagonal, beta, v, enough, most):
    """Steps on pairs of rows until the gap is ``enough`` of P, up to a largest number of steps; returns their number."""
    size = beta.size
    size1 = size - size0
    for step in range(most):
        i, top, bottom = -1, -np.inf, np.inf
        for k in range(size):
            if beta[k] < high[k] and v[k] > top:
                i, top = k, v[k]
            if beta[k] > low[k] and v[k] < bottom:
                bottom = v[k]
        if i < 0 or not top - bottom > ROUNDING:
            return step
        if step % LOOK == 0 and small_gap(sign, costs, beta, v, 0.5 * (top + bottom), enough):
            return step
        line = gram[s0 + i if i < size0 else s1 + i - size0]
        j, gain, bend = -1, 0.0, 1.0
        for k in range(size0):  # the gain is (top - v)^2 / curvature: compared without dividing
            if beta[k] > low[k] and v[k] < top:
                fall, curvature = top - v[k], max(diagonal[i] + diagonal[k] - 2.0 * line[s0 + k], FLATTEST)
                if fall * fall * bend > gain * curvature:
                    j, gain, bend = k, fall * fall, curvature
        for k in range(size0, size):
            if beta[k] > low[k] and v[k] < top:
                fall, curvature = top - v[k], max(diagonal[i] + diagonal[k] - 2.0 * line[s1 - size0 + k], FLATTEST)
                if fall * fall * bend > gain * curvature:
                    j, gain, bend = k, fall * fall, curvature
        other = gram[s0 + j if j < size0 else s1 + j - size0]
        t = min((top - v[j]) / bend, high[i] - beta[i], beta[j] - low[j])
        beta[i] = high[i] if t == high[i] - beta[i] else beta[i] + t
        beta[j] = low[j] if t == beta[j] - low[j] else beta[j] - t
        for k in range(size0):
            v[k] -= t * (line[s0 + k] - other[s0 + k])
        for k in range(size1):
            v[size0 + k] -= t * (line[s1 + k] - other[s1 + k])
    return most


@helper
def small_gap(sign, costs, beta, v, b, enough):
    """Whether the gap, with this bias, is at most ``enough`` of P."""
    gap, dual = 0.0, 0.0
    for k in range(beta.size):
        gap += costs[k] * max(0.0, sign[k] * (v[k] - b)) - beta[k] * v[k]
        dual += 0.5 * beta[k] * (sign[k] + v[k])
    return gap <= enough * (dual + gap)


@kernel
def scores_anew(gram, s0, s1, size0, beta, scores):
    """``sum_j beta_j k_ij`` of every row; returns how many beta are not zero."""
    for k in range(beta.size):
        scores[k] = 0.0
    size1, held = beta.size - size0, 0
    for j in range(beta.size):
        if beta[j] != 0:
            line = gram[s0 + j if j < size0 else s1 + j - size0]
            held += 1
            for k in range(size0):
                scores[k] += beta[j] * line[s0 + k]
            for k in range(size1):
                scores[size0 + k] += beta[j] * line[s1 + k]
    return held


@kernel
def audit(gram, s0, s1, size0, sign, costs, low, high, flaws, beta, v, found):
    """Put beta in balance and v right, and leave the bias, P and D, bounded as above, in ``found``."""
    largest, entry, shift, surely = flaws[0], flaws[1], flaws[2], flaws[3]
    size = beta.size
    alpha = np.empty((1, size))
    for k in range(size):
        alpha[0, k] = beta[k] * sign[0, k]
    balance(alpha, sign)
    total, squares = 0.0, 0.0
    for k in range(size):
        beta[k] = alpha[0, k] * sign[0, k]
    for k in range(size):  # a loop that adds up writes nothing
        total += alpha[0, k]  # exact
        squares += beta[k] * beta[k]
    held = scores_anew(gram, s0, s1, size0, beta, v)
    rounding = twice_gamma(held + 4)
    error = (rounding * largest + entry) * total * surely
    b = middle(sign[0], low, high, beta, v)
    square, size_of_sum, cost = 0.0, 0.0, 0.0
    for k in range(size):
        square += beta[k] * v[k]
        size_of_sum += abs(beta[k] * v[k])
        short = 1.0 - sign[0, k] * (v[k] + b)
        slack = short + 2 * UNIT * abs(short) + error + twice_gamma(8) * (1.0 + abs(v[k]) + abs(b))
        cost += costs[k] * max(0.0, slack)
    for k in range(size):
        v[k] = sign[0, k] - v[k]
    square += (rounding * size_of_sum + total * error + UNIT * abs(square) + shift * squares) * surely
    dual = total - 0.5 * square
    found[0] = b
    found[1] = (0.5 * max(square, 0.0) + cost) * surely * surely
    found[2] = dual - 4 * UNIT * (total + abs(square))


@helper
def twice_gamma(terms):
    """``e(terms)``."""
    return 2.0 * terms * UNIT / (1.0 - terms * UNIT)


@helper
def middle(sign, low, high, beta, scores):
    """The mean of the biases that rows inside their bounds ask for; of none, the middle of those that all rows allow."""
    total, count, top, bottom = 0.0, 0, -np.inf, np.inf
    for k in range(beta.size):
        asked, near = (
            sign[k] - scores[k],
            AT * (high[k] - low[k]),
        )  # (beta at a bound may have been moved to balance others)
        above, below = beta[k] > low[k] + near, beta[k] < high[k] - near
        if above and below:
            total += asked
            count += 1
        if below:
            top = max(top, asked)
        if above:
            bottom = min(bottom, asked)
    return total / count if count > 0 else 0.5 * (top + bottom)
