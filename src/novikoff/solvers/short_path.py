"""The hinge on few rows and columns: the interior point method, for all classes in one call.

The steps are those of ``interior``, with matrices of all rows, so that its equations

    M step = A' (alpha + D g) - L z ,    M = L + A' D A ,

are solved at once, and without corrections beyond Mehrotra's.

Where the gap is small, every alpha goes to the bound that the path leads to, if it leads to one, which leaves few support vectors.
The others are those of rows F on the margin, ``A_F z = 1``: as for ``polish`` these equations determine them, which are solved by the
method of multipliers with the last matrix of the path (D is large where a row is on the margin, and next to zero elsewhere):

    z <- z + M^-1 (A' alpha - L z + A_F' D (1 - A_F z)) ,    alpha_F <- alpha_F + D (1 - A_F z) .

Where rows have been taken for such as are on the margin, or have not, wrongly, the gap says so, and the path goes on.
"""

# Kernels take whatever types they are compiled for.
# mypy: allow-untyped-defs

from __future__ import annotations

import numpy as np

from ..compiled.jit import kernel
from .central_path import Inner, Moves, advance, centre, look_ahead, move, note_curves, pull, stiffness
from .finite_newton import add_products, factorise, multiply, solve_with

SHARE = 0.99  # of the way to the nearest bound
STALLED = 1e-5  # steps as short as this lead nowhere
ROUNDS = 6  # of the method of multipliers
FINE = 1e-10  # a gap that needs no more polishing
NEXT, LAST = 1e-2, 1e-10  # where it is larger, the path goes on to a gap so many times smaller, down to this


@kernel
def walk(rows, bounds, signs, penalty, enough, most, first, last, weights, alphas, steps):
    """Solve the problems ``first`` to ``last - 1``, whose signs are lines of ``signs``, from zero weights until the gap is ``enough`` of P,
    each by a limited number of steps.

    Answers are left in ``weights`` and ``alphas``; steps are counted in ``steps``.
    """
    count, size = rows.shape
    numbers, stiff, pulled, alpha = np.arange(count), np.empty(count), np.empty(count), np.empty(count)
    a, b, c, d, e = np.empty(count), np.empty(count), np.empty(count), np.empty(count), np.empty(count)
    point = Inner(bounds, a, b, c, d, e)
    a, b, c, d, e = np.empty(count), np.empty(count), np.empty(count), np.empty(count), np.empty(count)
    moves = Moves(a, b, c, d, e, np.empty(count))
    matrix, factor = np.empty((size, size)), np.empty((size, size))
    z, step, sums = np.empty(size), np.empty(size), np.empty(size)
    for k in range(first, last):
        z[:] = 0.0
        point.margins[:] = 0.0
        centre(point, False, bounds.mean())
        back(rows, signs[k] * point.alpha, sums)
        best, goal = np.inf, enough
        for _ in range(most):
            steps[k] += 1
            stiffness(point, False, stiff)
            matrix[:] = 0.0
            add_products(rows, numbers, stiff, count, matrix)
            factorise(matrix, penalty, factor)
            moves.curve[:] = 0.0
            moves.curve_xi[:] = 0.0
            far = go(rows, signs[k], penalty, factor, z, point, moves, 0.0, stiff, pulled, step)
            mu = look_ahead(point, False, moves, 0.0)
            target = mu * (look_ahead(point, False, moves, far) / mu) ** 3
            note_curves(False, moves)
            far = min(1.0, SHARE * go(rows, signs[k], penalty, factor, z, point, moves, target, stiff, pulled, step))
            for j in range(size):
                sums[j] += far * (penalty[j] * (z[j] + step[j]) - sums[j])
                z[j] += far * step[j]
            primal, dual = 0.0, 0.0
            for j in range(size):
                primal += 0.5 * penalty[j] * z[j] * z[j]
                dual -= 0.5 * sums[j] * sums[j] if penalty[j] > 0 else abs(sums[j])
            cost, total, _, _ = advance(point, False, moves, far)
            primal, dual = primal + cost, dual + total
            if primal - dual <= goal * primal or far < STALLED:
                best = finish(
                    rows, signs[k], penalty, factor, stiff, z, point, pulled, alpha, best, weights[k], alphas[k]
                )
                goal *= NEXT
                if best <= FINE or goal < LAST or far < STALLED:
                    break


@kernel
def go(rows, signs, penalty, factor, z, point, moves, mu, stiff, pulled, step):
    """The steps of the weights and of all rows towards a point with this ``mu``; returns how far they may go, at most 1."""
    pull(point, False, moves, mu, stiff, signs, pulled)
    back(rows, pulled, step)
    solve_with(factor, step - penalty * z, step)
    multiply(rows, step, signs, moves.margins)
    move(point, False, moves, mu, stiff, pulled)
    return 1.0 / max(1.0, pulled.max())


@kernel
def finish(rows, signs, penalty, factor, stiff, z, point, margins, alpha, best, weights, alphas):
    """From a point of the path to one of few support vectors; kept in ``weights`` and ``alphas`` if its gap is below ``best``.  Returns the
    smaller gap."""
    z, step, sums = z.copy(), np.empty(z.size), np.empty(z.size)
    settle(point, alpha)
    inside = (alpha > 0) & (alpha < point.bounds)
    for turn in range(ROUNDS + 1):
        multiply(rows, z, signs, margins)
        feasible = np.minimum(np.maximum(alpha, 0.0), point.bounds)
        if penalty[z.size - 1] == 0:
            into_balance(feasible, signs, point.bounds)
        back(rows, signs * feasible, sums)
        gap = gap_of(point.bounds, penalty, z, margins, feasible, sums)
        if gap < best:
            best = gap
            weights[:] = z
            alphas[:] = feasible
        if turn == ROUNDS or best <= FINE:
            break
        for i in range(alpha.size):
            margins[i] = signs[i] * (alpha[i] + stiff[i] * (1.0 - margins[i]) if inside[i] else alpha[i])
        back(rows, margins, sums)
        solve_with(factor, sums - penalty * z, step)
        z += step
        multiply(rows, z, signs, margins)
        for i in range(alpha.size):
            if inside[i]:
                alpha[i] += stiff[i] * (1.0 - margins[i])
    return best


@kernel
def settle(point, alpha):
    """``alpha`` at the bounds that the path leads to."""
    for i in range(alpha.size):
        if point.alpha[i] < point.bounds[i] * point.s[i]:
            alpha[i] = 0.0
        elif point.eta[i] < point.bounds[i] * point.xi[i]:
            alpha[i] = point.bounds[i]
        else:
            alpha[i] = point.alpha[i]


@kernel
def into_balance(alpha, signs, bounds):
    """The heavier class scaled down to the weight of the other but for rounding, as ``feasible`` does."""
    inside, whole = np.zeros(2), np.zeros(2)  # of both classes
    for i in range(alpha.size):
        side = 1 if signs[i] > 0 else 0
        whole[side] += alpha[i]
        inside[side] += alpha[i] if alpha[i] < bounds[i] else 0.0
    heavier = 1 if whole[1] > whole[0] else 0
    excess = whole[heavier] - whole[1 - heavier]
    some = inside[heavier] > 2 * excess
    total = inside[heavier] if some else whole[heavier]
    if not excess > 0:
        return
    for i in range(alpha.size):
        if (signs[i] > 0) == (heavier == 1) and not (some and alpha[i] >= bounds[i]):
            alpha[i] *= (total - excess) / total


@kernel
def gap_of(bounds, penalty, z, margins, alpha, sums):
    """The relative gap of these weights and this alpha."""
    primal, dual = 0.0, 0.0
    for j in range(z.size):
        primal += 0.5 * penalty[j] * z[j] * z[j]
        dual -= 0.5 * penalty[j] * sums[j] * sums[j]
    for i in range(alpha.size):
        primal += bounds[i] * max(0.0, 1.0 - margins[i])
        dual += alpha[i]
    return (primal - dual) / primal


@kernel
def back(rows, shares, out):
    """``sum_i shares_i x_i``."""
    out[:] = 0.0
    for i in range(shares.size):
        if shares[i] != 0:
            for j in range(out.size):
                out[j] += shares[i] * rows[i, j]
