"""Maximum likelihood at once: ``min over w, b of sum_i s_i loss_i(w.x_i + b) + l2 / 2 |w|^2``, the bias not penalised, where
``loss`` is the cross-entropy of a logistic neuron, or of a softmax over several.

``climbing_directions`` says where to go next.  Steps go down: along a direction the loss is known from two vectors of scores, with no
further look at the rows, and a step is halved, or made longer, until it goes down enough (Armijo 1966, Wolfe 1969).  Only a last step of
Newton's method that will hardly move a score is not tried before.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg.blas import dsyrk

from ..inputs.clock import Clock
from .climbing_directions import HALVINGS, Ground, Newton, QuasiNewton
from .solver_rows import rows_of

DOWN = 1e-4  # the share of the slope that a step must go down by
LEVEL = 0.9  # and the share of the slope that may be left behind it
FLAT = 1e-9  # the share of the first gradient below which weights that still move fast have no end
FAST = 0.5  # a move of a score that is fast: where weights grow without limit, Newton steps move one by about 1


class Problem(NamedTuple):
    """What is to be solved."""

    X: Any  # (rows, columns)
    target: np.ndarray  # class numbers
    weight: np.ndarray  # (rows,), or empty: all are 1
    intercept: bool
    slope: float
    l2: float
    outputs: int  # 1: two classes; more: softmax


class Found(NamedTuple):
    """What was found."""

    coef: np.ndarray  # (outputs, columns)
    bias: np.ndarray  # (outputs,)
    reason: (
        str  # "solved"; "separated" or "no_minimum", where weights grow without limit; "stalled", "budget" or "time"
    )
    steps: int


def maximise(problem: Problem, method: str, most: int, clock: Clock) -> Found:
    """The weights of largest likelihood, less the penalty; ``method``: "newton" or "lbfgs"."""
    return climb(problem, RowsHere(problem), method, most, clock)


def climb(problem: Problem, ground: Ground, method: str, most: int, clock: Clock) -> Found:
    """Go on from the first weights, until little is left to gain."""
    ahead: Newton | QuasiNewton = (Newton if method == "newton" else QuasiNewton)(ground, problem.outputs)
    weights = ground.first.copy()
    first, reason, steps = 0.0, "budget", 0
    needs_moves = not problem.l2 or isinstance(ahead, Newton)
    while steps < most:
        steps += 1
        gradient = ground.gradient() + ground.penalty * weights
        first = first or float(np.abs(gradient).max())
        direction = ahead.direction(weights, gradient)
        promised = float(np.vdot(gradient, direction))
        if problem.l2 and ahead.surely_near(promised, lambda: problem.slope * ground.reaches(direction)):  # noqa: B023
            weights += direction
            reason = "solved"
            break
        slope = ground.turn(direction) + float(np.vdot(ground.penalty * weights, direction))
        far = search(ground, weights, direction, slope, ahead.most_trials)
        ground.go(far)
        weights += far * direction
        moved = problem.slope * ground.moved() if needs_moves else 0.0
        if ahead.arrived(moved, slope):
            reason = "solved"
            break
        if not problem.l2 and moved > FAST and float(np.abs(gradient).max()) < FLAT * first:
            reason = "no_minimum"
            break
        if not far and not ahead.began_anew():
            reason = "stalled"
            break
        if clock.over:
            reason = "time"
            break
    if not problem.l2 and reason != "time" and ground.separated():
        reason = "separated"
    coef, bias = ground.public(weights)
    return Found(coef, bias, reason, steps)


def curvatures(problem: Problem, chances: np.ndarray | None = None) -> np.ndarray:
    """The second derivatives of the loss by a row's own scores; without chances their largest values (of softmax, a bound
    for all scores together)."""
    weight = problem.weight if problem.weight.size else np.ones(len(problem.target))
    if chances is None:
        return problem.slope**2 * (0.25 if problem.outputs == 1 else 0.5) * weight
    return problem.slope**2 * weight[:, None] * chances * (1 - chances)


# The loss and its slopes


class Look(NamedTuple):
    """The loss at given scores."""

    loss: float  # of all rows, without the penalty
    slopes: np.ndarray  # (rows, outputs): the loss by the scores
    chances: np.ndarray  # (rows, outputs); of two classes, that of the wrong one


class TwoClasses:
    """``log(1 + exp(-z))`` of the margin z = s y a."""

    def __init__(self, problem: Problem) -> None:
        self._signs = np.where(problem.target == 1, problem.slope, -problem.slope)[:, None]
        self._weight = problem.weight[:, None]

    def __call__(self, scores: np.ndarray) -> Look:
        margins = self._signs * scores
        small = np.exp(-np.abs(margins))
        wrong = np.where(margins >= 0, small, 1.0) / (1 + small)
        losses, slopes = np.log1p(small) - np.minimum(margins, 0), -self._signs * wrong
        if self._weight.size:
            losses, slopes = losses * self._weight, slopes * self._weight
        return Look(float(losses.sum()), slopes, wrong)

    def margin(self, scores: np.ndarray) -> float:
        """The smallest margin of a row: positive if all are on their right side."""
        return float((self._signs * scores).min())


class Softmax:
    """``log sum_k exp(s a_k) - s a_c``, c a row's own class."""

    def __init__(self, problem: Problem) -> None:
        self._slope, self._weight = problem.slope, problem.weight
        self._own = problem.target, np.arange(len(problem.target))

    def __call__(self, scores: np.ndarray) -> Look:
        lifted = self._slope * np.ascontiguousarray(scores.T)  # sums over the outputs then go by whole lines
        lifted -= lifted.max(axis=0)
        losses = -lifted[self._own]
        chances = np.exp(lifted, out=lifted)
        totals = chances.sum(axis=0)
        losses += np.log(totals)
        chances /= totals
        slopes = chances * self._slope
        slopes[self._own] -= self._slope
        if self._weight.size:
            losses, slopes = losses * self._weight, slopes * self._weight
        return Look(float(losses.sum()), slopes.T, chances.T)

    def margin(self, scores: np.ndarray) -> float:
        """By how much a row's own score leads all others, at the least."""
        others = scores.T.copy()
        own = others[self._own]
        others[self._own] = -np.inf
        return float((own - others.max(axis=0)).min())


def joint_matrix(rows: Any, problem: Problem, chances: np.ndarray) -> np.ndarray:
    """``X' D X`` of two classes; of softmax ``sum_i s_i (diag(p_i) - p_i p_i') (x) x_i x_i'``, output after output; the lower
    triangle."""
    if problem.outputs == 1:
        matrix: np.ndarray = rows.gram(curvatures(problem, chances)[:, 0])
        return matrix
    share = problem.slope**2 * (problem.weight if problem.weight.size else np.ones(len(problem.target)))
    matrix = dsyrk(-1.0, rows.spread(np.sqrt(share)[:, None] * chances).T, lower=1)
    for k in range(problem.outputs):
        own = slice(k * rows.width, (k + 1) * rows.width)
        matrix[own, own] += rows.gram(share * chances[:, k])
    return matrix


class RowsHere:
    """Rows in memory, with the scores that the weights give them and those along a direction."""

    fresh = True

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._rows = rows_of(problem.X, problem.intercept, problem.l2)
        self._look: TwoClasses | Softmax = TwoClasses(problem) if problem.outputs == 1 else Softmax(problem)
        self.penalty, self.columns, self.second_order = (
            self._rows.penalty,
            self._rows.columns,
            self._rows.second_order,
        )
        self.weight = float(problem.weight.sum()) if problem.weight.size else float(len(problem.target))
        self.first = np.zeros((len(self.penalty), problem.outputs))
        self._scores = self._rows.scores(self.first)
        self._along = self._scores[:0]
        self._now = self._look(self._scores)
        self._tried: dict[float, Look] = {}
        self.public = self._rows.public

    @property
    def loss(self) -> float:
        """See ``Ground``."""
        return self._now.loss

    def gradient(self) -> np.ndarray:
        """See ``Ground``."""
        return self._rows.back(self._now.slopes)

    def matrix(self) -> np.ndarray:
        """See ``Ground``."""
        return joint_matrix(self._rows, self._problem, self._now.chances)

    def renew(self) -> bool:
        """See ``Ground``."""
        return False

    def bound(self) -> np.ndarray:
        """See ``Ground``."""
        return self._rows.gram(curvatures(self._problem))

    def squares(self) -> tuple[float, float]:
        """See ``Ground``."""
        share = curvatures(self._problem)
        return self._rows.squares(share), float(share.sum())

    def turn(self, direction: np.ndarray) -> float:
        """See ``Ground``."""
        self._along = self._rows.scores(direction)
        self._tried = {0.0: self._now}
        return float(np.vdot(self._now.slopes, self._along))

    def at(self, far: float) -> tuple[float, float]:
        """See ``Ground``."""
        new = self._tried[far] = self._look(self._scores + far * self._along)
        return new.loss, float(np.vdot(new.slopes, self._along))

    def go(self, far: float) -> None:
        """See ``Ground``."""
        self._now = self._tried[far]
        self._scores += far * self._along

    def moved(self) -> float:
        """See ``Ground``."""
        return float(np.abs(self._along).max(initial=0.0))

    def reaches(self, direction: np.ndarray) -> float:
        """See ``Ground``; exact."""
        return float(np.abs(self._rows.scores(direction)).max(initial=0.0))

    def separated(self) -> bool:
        """See ``Ground``."""
        return self._look.margin(self._scores) > 0


def search(ground: Ground, weights: np.ndarray, direction: np.ndarray, slope: float, trials: int = HALVINGS) -> float:
    """How far to go along a direction that the ground was turned to: 0 if no step goes down."""
    decayed = ground.penalty * direction
    linear, square = float(np.vdot(decayed, weights)), float(np.vdot(decayed, direction))
    if not slope < 0:
        return 0.0
    low, high, far = 0.0, np.inf, 1.0
    best = 0.0
    for _ in range(trials):
        loss, steep = ground.at(far)
        change = loss - ground.loss + far * linear + far**2 / 2 * square
        if not change <= DOWN * far * slope:
            high = far
        else:
            best = far
            if steep + linear + far * square >= LEVEL * slope:
                return far
            low = far
        if best and high < np.inf:
            return best
        far = 2 * low if high == np.inf else (low + high) / 2
    return best
