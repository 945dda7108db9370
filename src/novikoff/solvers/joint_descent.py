"""Dual coordinate descent for all classes at once: a row's alphas together, one row after the other.

With the scores ``f_k`` of a row, its shares ``beta_k`` (what it gives class k: ``sum_k beta_k = 0``, ``beta_k <= C`` for its own
class and ``<= 0`` for others) and ``A = |x|^2``, the best shares are (Crammer & Singer 2001; Keerthi et al. 2008)

    beta_k = min(C [k = y], (v - B_k) / A),     B_k = f_k + 1 - [k = y] - A beta_k,

where v, found by sorting, makes them add up to zero.  Biases are treated as in ``descent``.
"""

# Kernels take whatever types they are compiled for.
# mypy: allow-untyped-defs

from __future__ import annotations

from contextlib import suppress

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms

from ..compiled.jit import kernel
from ..inputs.arrays import parts
from ..inputs.clock import OutOfTime
from ..learn.rows import add, as_rows, natural, public, score
from .gap_progress import Progress
from .joint import Joint, JointAnswer, joint_certify, signed

SWEEPS_A_LOOK = 3
PORTION = 20_000_000  # multiplications between two looks at the clock


def joint_descend(
    problem: Joint, best: JointAnswer, tol: float, rng: np.random.Generator, progress: Progress
) -> tuple[JointAnswer, int]:
    """Sweep until the gap is at most ``tol``, the time is over, or it gets no further."""
    rows = as_rows(problem.X, problem.classes)
    shares = signed(problem.target, best.alpha)
    weights, bias = natural(rows, (problem.X.T @ shares).T), best.b.copy()
    squares = row_norms(problem.X, squared=True)
    constant2 = float(squares.mean()) if problem.intercept else 0.0
    order = np.arange(problem.target.size)
    values = problem.X.nnz if sparse.issparse(problem.X) else problem.X.size
    portion = max(1, PORTION // problem.classes * order.size // max(1, values))
    sweeps = 0
    with suppress(OutOfTime):
        while True:
            for _ in range(SWEEPS_A_LOOK):
                rng.shuffle(order)
                for part in parts(order.size, portion):
                    progress.tick()
                    some = order[part]
                    joint_sweep(rows, some, problem.target, problem.bounds, squares, constant2, shares, weights, bias)
                bias += constant2 * shares.sum(axis=0)
            sweeps += SWEEPS_A_LOOK
            best = joint_certify(problem, public(rows, weights), bias, np.maximum(-shares, 0.0), best)
            if progress.note(best.gap) or best.gap <= tol:
                break
    return best, sweeps


@kernel
def joint_sweep(rows, order, target, bounds, squares, constant2, shares, weights, bias):
    """See above."""
    classes = bias.size
    scores, step = np.zeros(classes), np.zeros(classes)
    for i in order:
        A, own = squares[i] + constant2, target[i]
        if A <= 0:  # a row of zeros, and no bias: its slack is 1 whatever the weights
            shares[i, own], shares[i, own - 1] = bounds[i], -bounds[i]
            continue
        score(rows, i, weights, bias, scores)
        for k in range(classes):
            scores[k] += 1.0 - A * shares[i, k]
        scores[own] -= 1.0
        for k in range(classes):
            step[k] = -scores[k]
        step[own] -= A * bounds[i]
        step.sort()
        v, count = -step[0] - A * bounds[i], 1
        while count < classes and v < count * -step[count]:
            v -= step[count]
            count += 1
        v /= count
        moved = 0.0
        for k in range(classes):
            to = min((v - scores[k]) / A, bounds[i] if k == own else 0.0)
            step[k] = to - shares[i, k]
            shares[i, k] = to
            moved = max(moved, abs(step[k]))
        if moved > 0:
            add(rows, i, weights, step)
            for k in range(classes):
                bias[k] += constant2 * step[k]
