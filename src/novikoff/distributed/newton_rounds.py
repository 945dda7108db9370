"""A support vector machine over partitions by Newton's method: the squared hinge, the hinge with its slacks smoothed, and the best that
is proved so far.  ``machine_rounds`` tells how they go together."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrs

from ..inputs.clock import Clock
from ..solvers.newton_system import cholesky
from ..solvers.problem import relative_gap
from .machine_sums import (
    Along,
    Newton,
    NewtonSums,
    Product,
    Proof,
    Proved,
    Which,
    dual_bound,
    primal_bound,
)
from .sound_sums import Sum

MOST_COLUMNS = 1500  # of a matrix that every partition makes and sends
MOST_ROUNDS = 100  # of Newton's method
MOST_STEPS = 30  # along the path: where nearly all rows are right, smoothing is slow, and rows near the margin are few
IDLE, PATIENCE = 1 - 1e-9, 5  # P that has not fallen to this part of what it was for so many steps falls no more
FALL = 0.1  # mu falls to this part
CENTRED = 0.02  # of the width of the path: near enough to go on to the next mu
STEEP = 0.5  # of its slope at the beginning that a step may end with
LENGTHS = 2.0 ** -np.arange(14.0, 0.0, -1.0)  # of a step that is too long
SHORTEST = 1e-30  # shorter steps move nothing
ASTRAY = 1e30  # times the smallest P so far: steps lead nowhere
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
    lengths = LENGTHS
    while True:
        (slopes,) = yield Along(task.which, weights, mu, step, lengths)
        slopes += (task.penalty * weights) @ step + lengths * float(task.penalty @ (step * step))
        last = int(np.count_nonzero(slopes <= 0))  # slopes ascend
        if last or lengths[0] < SHORTEST:
            break
        lengths = lengths * lengths[0]  # far too long, as where one row is huge
    (low, fall), (high, rise) = (
        (0.0, slope) if last == 0 else (lengths[last - 1], slopes[last - 1]),
        (1.0, rises) if last == lengths.size else (lengths[last], slopes[last]),
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
    least, best = np.inf, (weights, mu, np.zeros_like(weights), sums)
    for _ in range(MOST_STEPS):
        right = sums.made - penalty * weights
        step = yield from step_to(task, weights, mu, right, sums, FINER)
        left = float(right @ step)
        value = value_of(weights, penalty, sums)
        if value < least:
            least, best = value, (weights, mu, step, sums)
        elif not value < ASTRAY * least:  # numbers beyond what floats can solve for
            return best
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
