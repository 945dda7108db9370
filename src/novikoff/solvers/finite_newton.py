"""The squared hinge on few rows and columns: Newton's method, for all classes in one call.

``P(w, b) = 1/2 |w|^2 + sum_i C_i max(0, 1 - y_i (w.x_i + b))^2`` is quadratic as long as the same rows I have slack.  The minimum of
that quadratic is one step away from z = (w, b), with x_i having a 1 at its end for the bias, and L being the identity but 0 for it:

    (L + 2 sum_I C_i x_i x_i') step = r ,    r = 2 sum_I C_i xi_i y_i x_i - L z .

A step goes that way as far as P falls; where the same rows have slack at its end, that is the minimum of P (O. L. Mangasarian, A
finite Newton method for classification, 2002; S. S. Keerthi, D. DeCoste, A modified finite Newton method for fast solution of large
scale linear SVMs, 2005).  So it ends after some ten steps, small tolerances taking hardly more than large ones.

``alpha_i = 2 C_i xi_i`` makes the duality gap ``1/2 |r|^2`` over the weights, and what r leaves of ``sum_i alpha_i y_i`` for the bias
costs about ``|r_b b|``: the steps end where these are small enough.

From zero weights all rows have slack: the first matrix is that of all classes.  A later one is the one before with the rows that
came and without those that went, where these are fewer.
"""

# Kernels take whatever types they are compiled for.
# mypy: allow-untyped-defs

from __future__ import annotations

from math import sqrt

import numpy as np

from ..compiled.jit import helper, kernel

MOST_SEARCHES = 20  # for the best length of a step
STEEP = 1e-2  # of the slope at the beginning of a step is left at its end, at most
FLATTEST = 1e-14  # of a matrix's diagonal: its pivots are no smaller


@kernel
def newton(rows, bounds, signs, penalty, whole, enough, most, first, last, weights, alphas, steps, ended):
    """Solve the problems ``first`` to ``last - 1``, whose signs are lines of ``signs``, from ``weights``, until the gap is ``enough`` of P,
    each by a limited number of steps.

    ``whole`` is the matrix of all rows.  Answers are left in ``weights`` and ``alphas``; steps are counted in ``steps``, and ``ended`` says
    which were enough.
    """
    count, size = rows.shape
    matrix, factor = np.empty((size, size)), np.empty((size, size))
    margins, along = np.empty(count), np.empty(count)
    inside, numbers, scales = np.empty(count, np.bool_), np.empty(count, np.int64), np.empty(count)
    z, rest, step = np.empty(size), np.empty(size), np.empty(size)
    for k in range(first, last):
        for j in range(size):
            z[j] = weights[k, j]
            for i in range(size):
                matrix[j, i] = whole[j, i]
        for i in range(count):
            inside[i] = True
        multiply(rows, z, signs[k], margins)
        for taken in range(most + 1):
            value = gradient(rows, bounds, signs[k], penalty, z, margins, rest)
            ended[k] = gap_left(z, rest, penalty) <= enough * value
            if ended[k] or taken == most:
                break
            if change_rows(rows, bounds, margins, inside, numbers, scales, matrix) or taken == 0:
                factorise(matrix, penalty, factor)
            solve_with(factor, rest, step)
            multiply(rows, step, signs[k], along)
            far = best_length(z, step, rest, penalty, bounds, margins, along)
            for j in range(size):
                z[j] += far * step[j]
            multiply(rows, z, signs[k], margins)
            steps[k] += 1
        for j in range(size):
            weights[k, j] = z[j]
        for i in range(count):
            alphas[k, i] = 2.0 * bounds[i] * max(0.0, 1.0 - margins[i])


@kernel
def multiply(rows, z, signs, out):
    """``y_i x_i.z`` of every row."""
    for i in range(rows.shape[0]):
        total = 0.0
        for j in range(rows.shape[1]):
            total += rows[i, j] * z[j]
        out[i] = signs[i] * total


@kernel
def gradient(rows, bounds, signs, penalty, z, margins, rest):
    """``r``, and P."""
    value = 0.0
    for j in range(z.size):
        value += 0.5 * penalty[j] * z[j] * z[j]
    for j in range(z.size):  # a loop that adds up writes nothing (``central_path``)
        rest[j] = -penalty[j] * z[j]
    for i in range(margins.size):
        slack = 1.0 - margins[i]
        if slack > 0:
            value += bounds[i] * slack * slack
            pull = 2.0 * bounds[i] * slack * signs[i]
            for j in range(z.size):
                rest[j] += pull * rows[i, j]
    return value


@helper
def gap_left(z, rest, penalty):
    """About how large the gap is."""
    total = 0.0
    for j in range(z.size):
        total += 0.5 * rest[j] * rest[j] if penalty[j] > 0 else abs(rest[j]) * (1.0 + abs(z[j]))
    return total


@kernel
def change_rows(rows, bounds, margins, inside, numbers, scales, matrix):
    """Make ``inside`` the rows with slack, and ``matrix`` that of these rows; returns how many came or went."""
    changed, now = 0, 0
    for i in range(margins.size):
        has = margins[i] < 1.0
        now += has
        if has != inside[i]:
            numbers[changed], scales[changed] = i, 2.0 * bounds[i] if has else -2.0 * bounds[i]
            inside[i] = has
            changed += 1
    if changed <= now:
        add_products(rows, numbers, scales, changed, matrix)
        return changed
    for j in range(matrix.shape[0]):
        for k in range(matrix.shape[0]):
            matrix[j, k] = 0.0
    place = 0
    for i in range(margins.size):
        if inside[i]:
            numbers[place], scales[place] = i, 2.0 * bounds[i]
            place += 1
    add_products(rows, numbers, scales, now, matrix)
    return changed


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
def factorise(matrix, penalty, factor):
    """The Cholesky factor of ``matrix + L``."""
    for i in range(penalty.size):
        mine = factor[i]
        for j in range(i + 1):
            its, total = factor[j], 0.0
            for k in range(j):
                total += mine[k] * its[k]
            if j < i:
                mine[j] = (matrix[i, j] - total) / its[j]
            else:
                whole = matrix[i, i] + penalty[i]
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
def best_length(z, step, rest, penalty, bounds, margins, along):
    """Where P is about smallest along the step: Newton's method on its slope, between bounds that close in."""
    start, bend, fall = 0.0, 0.0, 0.0
    for j in range(z.size):
        start += penalty[j] * z[j] * step[j]
        bend += penalty[j] * step[j] * step[j]
        fall += rest[j] * step[j]
    low, high, far = 0.0, np.inf, 1.0
    for _ in range(MOST_SEARCHES):
        slope, curvature = start + far * bend, bend
        for i in range(margins.size):
            slack = 1.0 - margins[i] - far * along[i]
            if slack > 0:
                slope -= 2.0 * bounds[i] * slack * along[i]
                curvature += 2.0 * bounds[i] * along[i] * along[i]
        if abs(slope) <= STEEP * abs(fall) or not curvature > 0:
            break
        if slope > 0:
            high = far
        else:
            low = far
        far -= slope / curvature
        if not low < far < high:
            far = 0.5 * (low + high) if high < np.inf else 2.0 * low
    return far
