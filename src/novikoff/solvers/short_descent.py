"""Dual coordinate descent (``descent``) on rows of few values: sweeps and looks at the gap, for all classes in one call.

The bias is met after every sweep as ``descent`` does it between looks at the gap, and begins where it is best for zero weights: where
one class has few rows, that is most of the way.  A look at the gap reads all rows twice: for the scores, with which the best bias is
found by Newton's method or by halving, and for the weights of alpha in balance.
"""

# Kernels take whatever types they are compiled for.
# mypy: allow-untyped-defs

from __future__ import annotations

from math import log

import numpy as np

from ..compiled.jit import kernel
from ..learn.orders import shuffle
from ..learn.rows import add, products
from .balance import into_balance
from .descent import sweep

FIRST_LOOK, NEXT_LOOK = (
    3.0,
    0.25,
)  # sweeps over all rows before the first look at the gap; part of those so far before the next
SMALL = 0.3  # a gap from which on it falls steadily
MOST_SEARCHES = 60  # for the bias
WIDTH = 0.1  # of the first stretch that it is looked for in
EXACT = 0.1  # of the gap asked for may be lost by the bias
NEXT_SWEEP, NEXT_PROBLEM = np.uint64(0xD1B54A32D192ED03), np.uint64(0x8CB92BA72F3D8DD7)  # from seed to seed


@kernel
def descend_all(
    rows,
    bounds,
    signs,
    facts,
    constant2,
    enough,
    most,
    crowd,
    seed,
    w,
    other,
    first,
    last,
    weights,
    biases,
    alphas,
    sweeps,
    gaps,
):
    """Solve the problems ``first`` to ``last - 1``, whose signs are lines of ``signs``, from zero weights until the gap is ``enough`` of P;
    unless rows have been read as often as ``most`` sweeps do, or more than ``crowd`` of them are support vectors.

    ``facts`` are those of ``descent`` but for alpha and sign; ``w`` and ``other`` are room for weights, as the rows want to read them.
    Answers are left in ``weights``, ``biases`` and ``alphas``, and their gaps in ``gaps``, which are 1 before; sweeps are counted in ``sweeps``.
    """
    count = bounds.size
    active, scores = np.empty(count, np.int64), np.empty(count)
    bias, window, next_window = np.empty(1), np.empty(2), np.empty(2)
    for k in range(first, last):
        w[:] = 0.0
        facts[:, 0] = 0.0
        facts[:, 1] = signs[k]
        bias[0], window[0], window[1] = 0.0, -np.inf, np.inf
        for i in range(count):
            active[i] = i
        scores[:] = 0.0
        bias[0] = good_bias(bounds, facts, scores, 0.0, 0.0, enough) if constant2 > 0 else 0.0
        state, base = seed + np.uint64(k) * NEXT_PROBLEM, bias[0]
        left, read, read_before, due, primal = count, 0, 0, FIRST_LOOK * count, np.inf
        while True:
            state += NEXT_SWEEP
            shuffle(active[:left], state)
            read += left
            next_window[0], next_window[1] = np.inf, -np.inf
            left = sweep(rows, active[:left], facts, constant2, w, bias, window, next_window, left)
            window[0] = next_window[0] if next_window[0] < 0 else -np.inf
            window[1] = next_window[1] if next_window[1] > 0 else np.inf
            sweeps[k] += 1
            bias[0], base = 2.0 * bias[0] - base, bias[0]
            if left > 0 and read < due:
                continue
            due = read + max(FIRST_LOOK * count, NEXT_LOOK * read)
            value, b = primal_of(rows, bounds, facts, constant2 > 0, w, bias[0], enough, scores)
            if value < primal:
                primal = value
                weights[k] = w.ravel()
                biases[k] = b
            dual = dual_of(rows, facts, constant2 > 0, other, alphas[k])
            before, gaps[k] = gaps[k], (primal - dual) / primal
            if gaps[k] <= enough or read >= most * count or np.count_nonzero(alphas[k]) > crowd:
                break
            if hopeless(gaps[k], before, enough, read - read_before, most * count):
                break
            read_before = read
            left = look_again(facts, scores, bias[0], window, active)


@kernel
def hopeless(gap, before, enough, read, most):
    """Whether a gap that goes on to fall as it did over the last rows read is not small enough after so many.  As long as it is large it
    says nothing: it falls faster once the rows on the margin are found."""
    return gap < SMALL and log(before / gap) * most < log(gap / enough) * read


@kernel
def primal_of(rows, bounds, facts, intercept, w, b, enough, scores):
    """P with the best bias, and the bias; the scores without it."""
    square, one = 0.0, np.empty(1)
    for x in w.ravel():
        square += x * x
    for i in range(bounds.size):
        products(rows, i, w, one)
        scores[i] = one[0]
    b = good_bias(bounds, facts, scores, square, b, enough) if intercept else 0.0
    value = 0.5 * square
    for i in range(bounds.size):
        slack = max(0.0, 1.0 - facts[i, 1] * (scores[i] + b))
        value += bounds[i] * slack * (slack if facts[i, 3] > 0 else 1.0)
    return value, b


@kernel
def good_bias(bounds, facts, scores, square, b, enough):
    """A bias whose cost is above the smallest by no more than a part of ``enough`` of P."""
    low, high, below, above, width = -np.inf, np.inf, 0.0, 0.0, WIDTH
    for _ in range(MOST_SEARCHES):
        value, slope, curvature = 0.5 * square, 0.0, 0.0
        for i in range(bounds.size):
            slack = 1.0 - facts[i, 1] * (scores[i] + b)
            if slack > 0:
                if facts[i, 3] > 0:
                    value += bounds[i] * slack * slack
                    slope -= 2.0 * bounds[i] * slack * facts[i, 1]
                    curvature += 2.0 * bounds[i]
                else:
                    value += bounds[i] * slack
                    slope -= bounds[i] * facts[i, 1]
        if slope > 0:
            high, above = b, slope
        else:
            low, below = b, -slope
        room = EXACT * enough * value
        if slope == 0 or (high - low) * max(below, above) <= room or slope * slope <= room * curvature:
            break
        towards = b - slope / curvature if curvature > 0 else np.inf
        if not low < towards < high:
            if high - low < np.inf:
                towards = 0.5 * (low + high)
            else:
                towards = b - width if slope > 0 else b + width
                width *= 2.0
        b = towards
    return b


@kernel
def dual_of(rows, facts, intercept, w, alpha):
    """D of alpha, which is left in balance."""
    for i in range(alpha.size):
        alpha[i] = facts[i, 0]
    if intercept:
        into_balance(alpha, facts[:, 1], facts[:, 2])
    w[:] = 0.0
    one, total = np.empty(1), 0.0
    for i in range(alpha.size):
        if alpha[i] > 0:
            one[0] = alpha[i] * facts[i, 1]
            add(rows, i, w, one)
            total += alpha[i] - 0.5 * facts[i, 3] * alpha[i] * alpha[i]
    for x in w.ravel():
        total -= 0.5 * x * x
    return total


@kernel
def look_again(facts, scores, b, window, active):
    """All rows are active again but those that a bound holds firmly; returns how many."""
    left = 0
    for i in range(scores.size):
        alpha = facts[i, 0]
        gradient = facts[i, 1] * (scores[i] + b) - 1.0 + facts[i, 3] * alpha
        if not ((alpha <= 0 and gradient > window[1]) or (alpha >= facts[i, 2] and gradient < window[0])):
            active[left] = i
            left += 1
    return left
