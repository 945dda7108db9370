"""The last steps of a hinge machine over partitions: the rows near the margin are handed over and solved for here, while all others
wait with alpha 0 or C."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import suppress
from typing import Any

import numpy as np
from scipy import sparse

from ..solvers.gap_progress import Progress
from ..solvers.interior import MOST_ITERATIONS, STALLED, Path
from ..solvers.problem import Problem
from ..solvers.solve import WARM
from .machine_sums import (
    COARSEST,
    FINEST,
    Gather,
    Gathered,
    Proof,
    Proved,
    judged,
    proved,
)
from .newton_rounds import FALL, FINE, Best, Solver, Task, smooth
from .sound_sums import Sum, merge

MOST_CHECKS = 20  # of rows that wait
SMOOTH_ENOUGH = 1e-3  # the share of the objective that smoothing may cost before rows near the margin are asked for
WIDE = 20.0  # a row is near the margin if it is within so many steps, or widths of the path
FEWEST_NEAR, MOST_NEAR = 4, 2000  # rows near the margin for each column
AT_ONCE = 2000  # rows of a partition that are handed over for their side
WIDER = 4.0  # times as wide, where rows near the margin were too few
ASTRAY = 0.5  # more rows than this part of those near were on another side: they are looked for anew


def solve_hinge(task: Task, weights: np.ndarray, mu: float) -> Solver:
    """The hinge with few columns."""
    best = Best(task)
    enough = SMOOTH_ENOUGH
    while True:
        weights, mu, step, sums = yield from smooth(task, weights, mu, enough)
        right = sums.made - task.penalty * weights
        moved = max(0.0, float(step @ (right - task.penalty * step)))
        moved2 = (
            moved / sums.stiff if sums.stiff > 0 else 0.0
        )  # the mean of squares over rows near the margin, if there are any
        width = near_width(task, WIDE * max(moved2**0.5, mu / task.cost), sums.near)
        if (yield from settle(task, weights + step, width, best)) or task.clock.over:
            return best.solved
        best.note_proof(
            weights, (yield Proof(task.which, weights, mu))
        )  # many rows exactly on the margin: smoothing shares alpha out
        if best.gap <= task.tol or enough < FINE * task.tol:
            return best.solved
        enough *= FALL


def near_width(task: Task, width: float, near: np.ndarray) -> float:
    """About this width, but one that holds neither next to no rows nor too many to hand over."""
    widths = np.ldexp(1.0, np.arange(FINEST, COARSEST + 1))
    fewest = min(FEWEST_NEAR * task.size, task.rows)
    least = widths[min(int(np.searchsorted(near, fewest)), near.size - 1)]
    most = widths[max(int(np.searchsorted(near, MOST_NEAR * task.size, side="right")) - 1, 0)]
    return float(max(min(width, most), least))


def settle(task: Task, around: np.ndarray, width: float, best: Best) -> Generator[Any, Any, bool]:
    """Solve for the rows near the margin, and hand over those that were wrong to wait, until the gap is proved; whether it is."""
    weights, got, near = yield from fetched(task, around, width, best)
    for _ in range(MOST_CHECKS):
        if task.clock.over or not near.signs.size:
            break
        weights, alpha = solve_near(task, near, got.proof, around)
        best.note_dual(merge(got.proof, of_near(near, alpha, around)))
        got = yield Gather(task.which, around, width, weights, got.rows, AT_ONCE)
        best.note(weights, got.proof.cost)
        if best.gap <= task.tol:
            return True
        if not got.wrong:
            break
        if got.wrong > ASTRAY * near.signs.size:
            around, width = weights, WIDER * width
            weights, got, near = yield from fetched(task, around, width, best)
        else:
            near = handed_over(task, got, near)
    return False


def fetched(
    task: Task, around: np.ndarray, width: float, best: Best
) -> Generator[Any, Any, tuple[np.ndarray, Gathered, Problem]]:
    """The rows near the margin: so many that their alphas can make up for what those of all others leave of
    ``sum_i alpha_i y_i``; else the bias would have no best value."""
    while True:
        got: Gathered = yield Gather(task.which, around, width, around, {}, AT_ONCE)
        best.note(around, got.proof.cost)
        near = handed_over(task, got)
        up, down = got.proof.alpha.value
        room = float(near.bounds[near.signs * (up - down) < 0].sum())
        if not task.which.intercept or abs(up - down) < room or near.signs.size == task.rows:
            return around, got, near
        width *= WIDER


def handed_over(task: Task, got: Gathered, before: Problem | None = None) -> Problem:
    """The rows that are here, those that came before first."""
    parts = [*([before.X] if before else []), *got.X]
    X = sparse.vstack(parts, format="csr") if sparse.issparse(parts[0]) else np.concatenate(parts)
    signs = np.concatenate([*([before.signs] if before else []), *got.signs])
    bounds = np.concatenate([*([before.bounds] if before else []), *got.bounds])
    return Problem(X, signs, bounds, squared=False, intercept=task.which.intercept)


def solve_near(task: Task, near: Problem, waiting: Proved, start: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights and alpha of the rows near the margin, with all others waiting."""
    sums = waiting.alpha.value
    linear = waiting.made.value[:, 0] - waiting.made.value[:, 1]
    excess = float(sums[0] - sums[1]) if task.which.intercept else 0.0
    linear = np.append(linear, excess) if task.which.intercept else linear
    rng = np.random.default_rng(0)
    path = Path(near, start, WARM * float(near.bounds.mean()), rng, linear=linear, offset=float(sums.sum()))
    progress = Progress(task.clock)
    for _ in range(MOST_ITERATIONS):
        with suppress(
            np.linalg.LinAlgError
        ):  # numbers beyond what floats can solve for: what came before is as good as it gets
            path.go_on()
        gap = path.mu * 2 * near.signs.size + (abs(float(path.sums[-1] * path.weights[-1])) if near.intercept else 0.0)
        gap = max(path.gap, gap / path.primal if path.primal > 0 else np.inf)
        if gap <= FINE * task.tol or path.far < STALLED or progress.note(gap):
            break
    point = path.point
    alpha = np.clip(np.where(point.alpha < point.eta, point.alpha, near.bounds - point.eta), 0.0, near.bounds)
    return path.weights.copy(), into_balance(near, alpha, excess) if task.which.intercept else alpha


def into_balance(near: Problem, alpha: np.ndarray, excess: float) -> np.ndarray:
    """Alpha with less of the class that has too much, rows inside their bounds before others."""
    excess += float(near.signs @ alpha)
    heavier = near.signs * excess > 0
    for some in (heavier & (alpha < near.bounds), heavier):
        held = float(alpha[some].sum())
        if held > 2 * abs(excess):
            alpha = alpha.copy()
            alpha[some] *= (held - abs(excess)) / held
            break
    return alpha


def of_near(near: Problem, alpha: np.ndarray, weights: np.ndarray) -> Proved:
    """The sums of the rows that are here; their slacks count where they lie."""
    audit, margins, errors = judged(near, weights)
    return proved(near, audit, alpha, margins, errors)._replace(cost=Sum(0.0, 0.0))
