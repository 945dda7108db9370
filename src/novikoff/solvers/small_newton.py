"""The method of ``newton`` for few rows and columns: compiled loops, for all outputs in one call.

On a hundred rows a call of NumPy takes longer than its work.  What is solved, and how, stands in ``newton``: here are its steps, one output
after the other, with the matrix of active rows made from the one before by adding the rows that came and taking off those that went.
"""

# Kernels take whatever types they are compiled for.
# mypy: allow-untyped-defs

from __future__ import annotations

from math import sqrt

import numpy as np
from scipy import sparse

from ..compiled.jit import helper, kernel
from ..system.clock import Clock
from .audit import Candidate, Fit
from .objectives import Hinge, SquaredHinge
from .shifted_rows import shifted

SQUARED, FIRST_STIFFNESS = (
    2.0,
    0.45,
)  # the stiffness of the squared hinge; that of the hinge at first: every row is active then
GROWTH = 3.0  # of the stiffness, where an update of the multipliers has not brought the gap down to
FAST = 0.1  # of what it was
READY = 0.1  # of the gap of exact weights is what inexact ones may add before multipliers are updated
PATIENCE = 5  # updates that bring the gap no further
STIFFEST = 1e12
MOST_SEARCHES, NEARER = 60, 0.1  # for the best length of a step; of its upper bound, where it is far below
STEEP = 1e-2  # of the slope at the beginning of a step is left at its end, at most
FLATTEST = 1e-14  # of a matrix's diagonal: its pivots are no smaller
ENOUGH = 1e-9  # the gap asked for where the tolerance is larger: the last steps are exact, and a few more cost little
FEWEST_STEPS, MOST_STEPS = 100, 400  # are tried, as many as
MOST_WORK = 10**10  # multiplications allow
WORK = 10**9  # multiplications between two looks at the clock
SOON = 10  # steps are enough for most problems


def small_newton(loss: Hinge, fit: Fit, tol: float, clock: Clock, start: Candidate | None) -> Candidate:
    """Weights of every output and their dual point, as ``newton`` finds them."""
    X, centre, signs, bounds = fit.X.toarray() if sparse.issparse(fit.X) else fit.X, fit.near(), loss.signs, loss.bounds
    (count, columns), outputs = X.shape, len(signs)
    size, upper = columns + fit.intercept, np.inf if isinstance(loss, SquaredHinge) else 1.0
    rows, penalty = np.ones((count, size)), np.ones(size)
    rows[:, :columns] = X if centre is None else X - centre
    penalty[columns:] = 0.0
    weights, pulls = np.zeros((outputs, size)), np.zeros((outputs, count))
    if start is not None:
        weights[:, :columns] = start.coef
        weights[:, columns:] = np.asarray(shifted(start.coef, start.bias, centre, 1))[:, None]
        if start.shares is not None:
            pulls[:] = np.abs(start.shares.T) / bounds
    steps, ended = np.zeros(outputs, np.int64), np.zeros(outputs, np.bool_)
    whole = np.zeros((size, size))
    add_products(rows, np.arange(count), bounds, count, whole)
    a_step = count * size**2 + 1
    limit = min(MOST_STEPS, max(FEWEST_STEPS, MOST_WORK // a_step))
    enough = min(ENOUGH, 0.1 * tol)
    warm = start is not None

    def run(first: int, last: int, most: int) -> None:
        solve_batch(
            rows, bounds, signs, penalty, whole, upper, warm, enough, most, first, last, weights, pulls, steps, ended
        )

    at_once = max(1, WORK // (SOON * a_step))
    for first in range(0, outputs, at_once):
        if not clock.over:
            run(first, min(outputs, first + at_once), limit if clock.limit == np.inf else SOON)
    warm = True
    for k in range(outputs):
        while not (ended[k] or steps[k] >= limit or clock.over):
            before = steps[k]
            run(k, k + 1, max(1, WORK // a_step))
            if steps[k] == before:
                break
    coef, near = weights[:, :columns], weights[:, columns:].sum(axis=1)
    return Candidate(coef, np.asarray(shifted(coef, near, centre, -1)), steps, (pulls * bounds * signs).T)


@kernel
def solve_batch(
    rows, bounds, signs, penalty, whole, upper, warm, enough, most, first, last, weights, pulls, steps, ended
):
    """Solve the problems ``first`` to ``last - 1``, whose signs are lines of ``signs``, from ``weights`` and, of the hinge, from the multipliers
    ``pulls`` (as parts of the bounds), until the gap is ``enough`` of P or for a limited number of steps.

    ``whole`` is the matrix of all rows, ``sum_i C_i x_i x_i'``; ``upper`` is 1 for the hinge, infinite for the squared one.  Answers are left in ``weights`` and
    ``pulls``; steps are counted in ``steps``, and ``ended`` says which problems were solved.
    """
    count, size = rows.shape
    matrix, factor = np.empty((size, size)), np.empty((size, size))
    margins, along, base = np.empty(count), np.empty(count), np.empty(count)
    inside, numbers, scales = np.empty(count, np.bool_), np.empty(count, np.int64), np.empty(count)
    z, rest, step = np.empty(size), np.empty(size), np.empty(size)
    squared = upper == np.inf
    for k in range(first, last):
        pull = pulls[k]
        for j in range(size):
            z[j] = weights[k, j]
            for i in range(size):
                matrix[j, i] = whole[j, i]
        for i in range(count):
            inside[i] = True
            base[i] = pull[i] if not squared else 0.0
        stiff = SQUARED if squared else FIRST_STIFFNESS
        if warm and not squared:
            stiff *= GROWTH**3
        multiply(rows, z, signs[k], margins)
        best, last_gap, value_before, waited = np.inf, 0.0, np.inf, 0
        taken = 0
        while True:
            value, primal, gap = pulls_of(bounds, margins, base, stiff, upper, pull)
            square = gradient(rows, bounds, signs[k], penalty, z, pull, rest)
            value += 0.5 * square
            primal += 0.5 * square
            left = gap_left(z, rest, penalty)
            ended[k] = gap + left <= enough * primal
            if ended[k] or taken == most:
                break
            stuck = not value < value_before
            value_before = value
            if not squared and (left <= READY * gap or stuck):
                waited = 0 if gap + left < 0.7 * best else waited + 1
                best = min(best, gap + left)
                if waited > PATIENCE:
                    break
                if gap > FAST * last_gap and stiff < STIFFEST:
                    stiff *= GROWTH
                last_gap, value_before = gap, np.inf
                for i in range(count):
                    base[i] = pull[i]
                value, primal, gap = pulls_of(bounds, margins, base, stiff, upper, pull)
                square = gradient(rows, bounds, signs[k], penalty, z, pull, rest)
            elif stuck:
                break
            change_rows(rows, bounds, margins, base, stiff, upper, inside, numbers, scales, matrix)
            factorise(matrix, stiff, penalty, factor)
            solve_with(factor, rest, step)
            multiply(rows, step, signs[k], along)
            far = best_length(z, step, rest, penalty, bounds, margins, along, base, stiff, upper)
            for j in range(size):
                z[j] += far * step[j]
            multiply(rows, z, signs[k], margins)
            taken += 1
        steps[k] += taken
        for j in range(size):
            weights[k, j] = z[j]


@kernel
def multiply(rows, z, signs, out):
    """``y_i x_i.z`` of every row."""
    for i in range(rows.shape[0]):
        total = 0.0
        for j in range(rows.shape[1]):
            total += rows[i, j] * z[j]
        out[i] = signs[i] * total


@kernel
def pulls_of(bounds, margins, base, stiff, upper, pull):
    """The slopes p of every row; the smoothed loss, the loss, and what the dual point p lacks to it: ``sum_i C_i (loss_i - p_i t_i)``, of the squared
    hinge nothing."""
    for i in range(margins.size):
        pull[i] = min(max(base[i] + stiff * (1.0 - margins[i]), 0.0), upper)
    value, loss, gap = 0.0, 0.0, 0.0
    for i in range(margins.size):  # a loop that adds up writes nothing
        slack = 1.0 - margins[i]
        moved = pull[i] - base[i]
        value += bounds[i] * (pull[i] * slack - moved * moved / (2.0 * stiff))
        if upper < np.inf:
            loss += bounds[i] * max(slack, 0.0)
            gap += bounds[i] * (max(slack, 0.0) - pull[i] * slack)
        else:
            loss += 0.25 * bounds[i] * pull[i] * pull[i]
    return value, loss, gap


@kernel
def gradient(rows, bounds, signs, penalty, z, pull, rest):
    """``r``, and the square of the weights."""
    square = 0.0
    for j in range(z.size):
        square += penalty[j] * z[j] * z[j]
    for j in range(z.size):
        rest[j] = -penalty[j] * z[j]
    for i in range(pull.size):
        if pull[i] > 0:
            much = bounds[i] * pull[i] * signs[i]
            for j in range(z.size):
                rest[j] += much * rows[i, j]
    return square


@helper
def gap_left(z, rest, penalty):
    """About how much inexact weights add to the gap."""
    total = 0.0
    for j in range(z.size):
        total += 0.5 * rest[j] * rest[j] if penalty[j] > 0 else abs(rest[j]) * (1.0 + abs(z[j]))
    return total


@kernel
def change_rows(rows, bounds, margins, base, stiff, upper, inside, numbers, scales, matrix):
    """Make ``inside`` the active rows, and ``matrix`` that of these rows."""
    changed, now = 0, 0
    for i in range(margins.size):
        slope = base[i] + stiff * (1.0 - margins[i])
        has = 0.0 < slope < upper
        now += has
        if has != inside[i]:
            numbers[changed], scales[changed] = i, bounds[i] if has else -bounds[i]
            inside[i] = has
            changed += 1
    if changed <= now:
        add_products(rows, numbers, scales, changed, matrix)
        return
    for j in range(matrix.shape[0]):
        for k in range(matrix.shape[0]):
            matrix[j, k] = 0.0
    place = 0
    for i in range(margins.size):
        if inside[i]:
            numbers[place], scales[place] = i, bounds[i]
            place += 1
    add_products(rows, numbers, scales, now, matrix)


@kernel
def add_products(rows, numbers, scales, count, matrix):
    """``matrix += sum_i scale_i x_i x_i'`` over rows of these numbers, four at a time; the lower triangle."""
    size = matrix.shape[0]
    place = 0
    while place + 4 <= count:
        x, y = rows[numbers[place]], rows[numbers[place + 1]]
        u, v = rows[numbers[place + 2]], rows[numbers[place + 3]]
        for j in range(size):
            a, b = scales[place] * x[j], scales[place + 1] * y[j]
            c, d = scales[place + 2] * u[j], scales[place + 3] * v[j]
            line = matrix[j]
            for k in range(j + 1):
                line[k] += a * x[k] + b * y[k] + (c * u[k] + d * v[k])
        place += 4
    for i in range(place, count):
        x = rows[numbers[i]]
        for j in range(size):
            a, line = scales[i] * x[j], matrix[j]
            for k in range(j + 1):
                line[k] += a * x[k]


@kernel
def factorise(matrix, stiff, penalty, factor):
    """The Cholesky factor of ``stiff matrix + L``."""
    for i in range(penalty.size):
        mine = factor[i]
        for j in range(i + 1):
            its, total = factor[j], 0.0
            for k in range(j):
                total += mine[k] * its[k]
            if j < i:
                mine[j] = (stiff * matrix[i, j] - total) / its[j]
            else:
                whole = stiff * matrix[i, i] + penalty[i]
                mine[i] = sqrt(max(whole - total, FLATTEST * whole, FLATTEST))


@kernel
def solve_with(factor, right, out):
    """``factor factor' out = right``."""
    size = out.size
    for i in range(size):
        total = 0.0
        for k in range(i):
            total += factor[i, k] * out[k]
        out[i] = (right[i] - total) / factor[i, i]
    for i in range(size - 1, -1, -1):
        out[i] /= factor[i, i]
        for k in range(i):
            out[k] -= factor[i, k] * out[i]


@kernel
def best_length(z, step, rest, penalty, bounds, margins, along, base, stiff, upper):
    """Where the smoothed objective is about smallest along the step: Newton's method on its slope, between bounds that close in."""
    start, bend, fall = 0.0, 0.0, 0.0
    for j in range(z.size):
        start += penalty[j] * z[j] * step[j]
        bend += penalty[j] * step[j] * step[j]
        fall += rest[j] * step[j]
    low, high, far = 0.0, np.inf, 1.0
    for _ in range(MOST_SEARCHES):
        slope, curvature = start + far * bend, bend
        for i in range(margins.size):
            pull = base[i] + stiff * (1.0 - margins[i] - far * along[i])
            if pull > 0:
                slope -= bounds[i] * min(pull, upper) * along[i]
                if pull < upper:
                    curvature += stiff * bounds[i] * along[i] * along[i]
        if abs(slope) <= STEEP * abs(fall) or not curvature > 0:
            break
        if slope > 0:
            high = far
        else:
            low = far
        far -= slope / curvature
        if not low < far < high:  # between numbers of very different sizes, the size is looked for first
            if high == np.inf:
                far = 10.0 * low
            elif low < NEARER * high:
                far = max(NEARER * high, sqrt(low * high))
            else:
                far = 0.5 * (low + high)
    return far
