"""Support vector machines over partitions, round by round; each round is one fold.

**Squared hinge**: Newton's method on P itself, which ends after finitely many steps (``svm.finite_newton``).

**Hinge**: Newton's method on P with its slacks smoothed, which is a primal view of the central path (Fiacco & McCormick 1968):
row by row, alpha follows from the margin and ``mu`` in closed form, so that rows carry no state.  ``mu`` falls tenfold whenever the
weights are near its point of the path, and a step looks ahead to the next (``d alpha / d mu``).  When what is left is small, the side
of the margin of most rows is known: the rows near it are handed over, all others wait with alpha 0 or C, and the interior point
method solves for those few rows here.  Rows that turn out to be on the other side are handed over, too, until the gap is proved.

Where columns are many, the equations of a step are solved by conjugate gradients, each of whose steps is a round, and no rows are handed
over: the alpha of the smoothed slacks proves the gap.

A solver is a generator: it asks (``machine_sums``) and is sent the sums over all rows.  So the problems of several classes, or of
several values of C, share their rounds.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg.lapack import dpotrs

from ..inputs.clock import Clock
from ..svm.gap_progress import Progress
from ..svm.interior import MOST_ITERATIONS, STALLED, Path
from ..svm.newton_system import cholesky
from ..svm.problem import Problem, relative_gap
from ..svm.solve import WARM
from .folding import Engine
from .machine_sums import (
    COARSEST,
    FINEST,
    Along,
    Gather,
    Gathered,
    Newton,
    NewtonSums,
    Product,
    Proof,
    Proved,
    Which,
    answer_all,
    dual_bound,
    judged,
    merge_all,
    primal_bound,
    proved,
)
from .sound_sums import Sum, merge

MOST_COLUMNS = 1500  # of a matrix that every partition makes and sends
MOST_ROUNDS = 100  # of Newton's method
MOST_STEPS = 30  # along the path: where nearly all rows are right, smoothing is slow, and rows near the margin are few
IDLE, PATIENCE = 1 - 1e-9, 5  # P that has not fallen to this part of what it was for so many steps falls no more
MOST_CHECKS = 20  # of rows that wait
FALL = 0.1  # mu falls to this part
CENTRED = 0.02  # of the width of the path: near enough to go on to the next mu
SMOOTH_ENOUGH = 1e-3  # the share of the objective that smoothing may cost before rows near the margin are asked for
STEEP = 0.5  # of its slope at the beginning that a step may end with
LENGTHS = 2.0 ** -np.arange(14.0, 0.0, -1.0)  # of a step that is too long
WIDE = 20.0  # a row is near the margin if it is within so many steps, or widths of the path
FEWEST_NEAR, MOST_NEAR = 4, 2000  # rows near the margin for each column
AT_ONCE = 2000  # rows of a partition that are handed over for their side
WIDER = 4.0  # times as wide, where rows near the margin were too few
ASTRAY = 0.5  # more rows than this part of those near were on another side: they are looked for anew
FINE = 0.1  # of the tolerance is asked of steps whose end is cheap
ROUGH, FINER, MOST_PRODUCTS = (
    0.3,
    0.05,
    60,
)  # relative accuracy of conjugate gradients: to the next mu, to the centre; their steps
WIDE_FALL, WIDE_CENTRED = 0.2, 0.3  # as FALL and CENTRED, where steps are as rough
ENOUGH, NEARLY = 0.5, 0.9  # of the tolerance, as sums that are not audited say; where rounds are many


class Solved(NamedTuple):
    """The best weights, and what is proved of them."""

    weights: np.ndarray  # the bias last, if there is one
    primal: float
    dual: float
    held: int  # rows with alpha > 0
    tol: float
    reason: str  # "solved", "time" or "stalled"
    history: list[tuple[float, float]]  # seconds and gap

    @property
    def gap(self) -> float:
        """The relative gap, proved."""
        return relative_gap(self.primal, self.dual)


Solver = Generator[Any, Any, Solved]


def run_rounds(engine: Engine, solvers: list[Solver]) -> tuple[list[Solved], int]:
    """What all solvers find, and in how many rounds: in each of them all that are not done ask."""
    found: dict[int, Solved] = {}
    asks: dict[int, Any] = {number: next(solver) for number, solver in enumerate(solvers)}
    rounds = 0
    while asks:
        answers = engine.fold(answer_all, merge_all, list(asks.values()))
        rounds += 1
        asked, asks = list(asks), {}
        for number, answer in zip(asked, answers, strict=True):
            try:
                asks[number] = solvers[number].send(answer)
            except StopIteration as end:
                found[number] = end.value
    return [found[number] for number in range(len(solvers))], rounds


class Task(NamedTuple):
    """A problem, and when it is solved."""

    which: Which
    rows: int  # of all partitions
    columns: int
    cost: float  # the mean of C_i
    tol: float
    clock: Clock

    @property
    def size(self) -> int:
        """Weights, the bias included."""
        return self.columns + self.which.intercept

    @property
    def narrow(self) -> bool:
        """Whether partitions can make and send a matrix of the columns."""
        return self.size <= MOST_COLUMNS

    @property
    def penalty(self) -> np.ndarray:
        """1 for weights, 0 for the bias."""
        return np.append(np.ones(self.columns), np.zeros(int(self.which.intercept)))


def solve(task: Task, start: np.ndarray | None) -> Solver:
    """Rounds until the gap is proved, the time is over, or nothing gets further; from the weights of another problem, if any."""
    weights = np.zeros(task.size) if start is None else start.copy()
    if task.which.squared:
        return (yield from solve_squared(task, weights))
    mu = task.cost * (1.0 if start is None else WARM)
    return (yield from (solve_hinge(task, weights, mu) if task.narrow else solve_wide(task, weights, mu)))


class Best:
    """The best weights and the best dual value so far."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._weights, self._primal, self._dual, self._held = np.zeros(task.size), np.inf, -np.inf, 0
        self.history: list[tuple[float, float]] = []

    def note(self, weights: np.ndarray, cost: Sum) -> float:
        """Consider these weights; returns the smallest objective so far, not below the truth."""
        value = primal_bound(weights, self._task.which.intercept, cost)
        if value < self._primal:
            self._weights, self._primal = weights.copy(), value
        return self._primal

    def note_dual(self, proof: Proved) -> None:
        """Consider this dual point."""
        value = dual_bound(proof, self._task.which, self._primal)
        if value > self._dual:
            self._dual, self._held = value, proof.held

    def note_proof(self, weights: np.ndarray, proof: Proved) -> None:
        """Consider these weights, and the alpha that belongs to them."""
        self.note(weights, proof.cost)
        self.note_dual(proof)

    @property
    def gap(self) -> float:
        """What is proved so far; noted."""
        gap = relative_gap(self._primal, self._dual)
        self.history.append((self._task.clock.seconds, gap))
        return gap

    @property
    def solved(self) -> Solved:
        """What was found."""
        gap = self.gap
        reason = "solved" if gap <= self._task.tol else "time" if self._task.clock.over else "stalled"
        return Solved(self._weights, self._primal, self._dual, self._held, self._task.tol, reason, self.history)


# Newton's method


def value_of(weights: np.ndarray, penalty: np.ndarray, sums: NewtonSums) -> float:
    """P."""
    return 0.5 * float(penalty @ (weights * weights)) + sums.cost


def gap_of(weights: np.ndarray, penalty: np.ndarray, sums: NewtonSums) -> float:
    """About the gap between P and the dual value of the alpha that belongs to the weights."""
    dual = sums.alpha - sums.squares - 0.5 * float(penalty @ (sums.made * sums.made))
    left = sums.made[penalty == 0]
    dual -= float(np.abs(left).sum()) * (1.0 + float(np.abs(weights[penalty == 0]).sum()))
    return value_of(weights, penalty, sums) - dual


def step_to(
    task: Task, weights: np.ndarray, mu: float, right: np.ndarray, sums: NewtonSums, accuracy: float
) -> Generator[Any, Any, np.ndarray]:
    """``(L + A' D A)^-1 right``; of many columns to this relative accuracy, by conjugate gradients."""
    if sums.matrix.ndim == 2:
        matrix = sums.matrix.copy()
        matrix[np.diag_indices_from(matrix)] += task.penalty
        try:
            solution: np.ndarray = dpotrs(cholesky(matrix), right, lower=1)[0]
        except np.linalg.LinAlgError:  # numbers beyond what floats can solve for
            return np.zeros_like(right)
        return solution
    small = sums.matrix + task.penalty
    small = 1.0 / np.where(small > 0, small, 1.0)
    found, left = np.zeros_like(right), right.copy()
    towards = small * left
    direction, size = towards, float(left @ towards)
    first = size
    for _ in range(MOST_PRODUCTS):
        if size <= accuracy**2 * first or task.clock.over:
            break
        (changed,) = yield Product(task.which, weights, mu, direction)
        changed = changed + task.penalty * direction
        curvature = float(direction @ changed)
        if not curvature > 0:
            break
        far = size / curvature
        found += far * direction
        left -= far * changed
        towards = small * left
        before, size = size, float(left @ towards)
        direction = towards + size / before * direction
    if task.which.intercept:  # what is left of the bias's own equation costs most
        found[-1] += left[-1] * small[-1]
    return found


def reached(
    task: Task, weights: np.ndarray, step: np.ndarray, mu: float, slope: float
) -> Generator[Any, Any, tuple[np.ndarray, NewtonSums]]:
    """Weights along a step, which P falls along by ``slope`` at its beginning, and their sums: at the end of the step, or where P,
    which is convex, is about smallest along it if it rises steeply at its end."""
    there = weights + step
    sums = yield Newton(task.which, there, mu, task.narrow)
    rises = float((task.penalty * there - sums.made) @ step)
    if rises <= STEEP * abs(slope):
        return there, sums
    (slopes,) = yield Along(task.which, weights, mu, step, LENGTHS)
    slopes += (task.penalty * weights) @ step + LENGTHS * float(task.penalty @ (step * step))
    last = int(np.count_nonzero(slopes <= 0))  # slopes ascend
    (low, fall), (high, rise) = (
        (0.0, slope) if last == 0 else (LENGTHS[last - 1], slopes[last - 1]),
        (1.0, rises) if last == LENGTHS.size else (LENGTHS[last], slopes[last]),
    )
    there = weights + (low + (high - low) * min(0.9, max(0.1, -fall / (rise - fall)))) * step
    return there, (yield Newton(task.which, there, mu, task.narrow))


def solve_squared(task: Task, weights: np.ndarray) -> Solver:
    """The squared hinge."""
    best = Best(task)
    penalty, enough = task.penalty, FINE if task.narrow else NEARLY
    sums = yield Newton(task.which, weights, 0.0, task.narrow)
    least, idle = np.inf, 0
    for _ in range(MOST_ROUNDS):
        value = value_of(weights, penalty, sums)
        least, idle = (value, 0) if value < IDLE * least else (least, idle + 1)
        if gap_of(weights, penalty, sums) <= enough * task.tol * value:
            best.note_proof(weights, (yield Proof(task.which, weights, 0.0)))
            if best.gap <= task.tol:
                break
            enough *= FINE
        right = sums.made - penalty * weights
        step = yield from step_to(task, weights, 0.0, right, sums, ROUGH)
        slope = -float(right @ step)
        if not slope < 0 or idle == PATIENCE or task.clock.over:
            best.note_proof(weights, (yield Proof(task.which, weights, 0.0)))
            break
        weights, sums = yield from reached(task, weights, step, 0.0, slope)
    return best.solved


def smooth(
    task: Task, weights: np.ndarray, mu: float, enough: float
) -> Generator[Any, Any, tuple[np.ndarray, float, np.ndarray, NewtonSums]]:
    """Follow the path until smoothing, and what is left of the last step, cost no more than ``enough`` of P.  Weights, mu, the
    step that was not taken, and the sums there."""
    penalty, slack = task.penalty, 2 * task.rows
    sums = yield Newton(task.which, weights, mu, True)
    for _ in range(MOST_STEPS):
        right = sums.made - penalty * weights
        step = yield from step_to(task, weights, mu, right, sums, FINER)
        left = float(right @ step)
        value = value_of(weights, penalty, sums)
        small = slack * mu <= enough * value and left <= enough * value
        if small or not left > 0 or task.clock.over:
            break
        if left > CENTRED * slack * mu:
            weights, sums = yield from reached(task, weights, step, mu, -left)
            continue
        target = FALL * mu
        if slack * target < ENOUGH * enough * value:
            target = min(mu, ENOUGH * enough * value / slack)
        right = right + (target - mu) * sums.ahead
        step = yield from step_to(task, weights, mu, right, sums, FINER)
        mu = target
        weights, sums = yield from reached(task, weights, step, mu, -float(right @ step))
    return weights, mu, step, sums


def solve_wide(task: Task, weights: np.ndarray, mu: float) -> Solver:
    """The hinge with many columns: the smoothed problem alone."""
    best = Best(task)
    penalty, slack, enough = task.penalty, 2 * task.rows, NEARLY * task.tol
    sums = yield Newton(task.which, weights, mu, False)
    for _ in range(MOST_ROUNDS):
        value = value_of(weights, penalty, sums)
        if gap_of(weights, penalty, sums) <= enough * value or task.clock.over:
            best.note_proof(weights, (yield Proof(task.which, weights, mu)))
            if best.gap <= task.tol or task.clock.over:
                return best.solved
            enough *= ENOUGH
        right = sums.made - penalty * weights
        target = mu
        if float(right @ (right / (sums.matrix + penalty))) <= WIDE_CENTRED * slack * mu:
            target = min(mu, max(WIDE_FALL * mu, ENOUGH * enough * value / slack))
            right = right + (target - mu) * sums.ahead
        step = yield from step_to(task, weights, mu, right, sums, ROUGH if target < mu else FINER)
        mu = target
        weights, sums = yield from reached(task, weights, step, mu, -float(right @ step))
    best.note_proof(weights, (yield Proof(task.which, weights, mu)))
    return best.solved


# Rows near the margin


def solve_hinge(task: Task, weights: np.ndarray, mu: float) -> Solver:
    """The hinge with few columns."""
    best = Best(task)
    enough = SMOOTH_ENOUGH
    while True:
        weights, mu, step, sums = yield from smooth(task, weights, mu, enough)
        right = sums.made - task.penalty * weights
        moved2 = (
            max(0.0, float(step @ (right - task.penalty * step))) / sums.stiff
        )  # the mean of squares over rows near the margin
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
