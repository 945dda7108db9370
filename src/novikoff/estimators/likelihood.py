"""Maximum likelihood at once: ``min over w, b of sum_i s_i loss_i(w.x_i + b) + l2 / 2 |w|^2``, the bias not penalised, where
``loss`` is the cross-entropy of a logistic neuron, or of a softmax over several.

Newton's method where its matrix is small: ``H = X' D X + l2`` with D the second derivatives by the scores, of two classes
``s phi (1 - phi)``.  Else L-BFGS (Liu & Nocedal 1989), which begins each direction with the inverse of Bohning's bound of H
(1992): ``X' S X / 4 + l2``, for softmax half of ``X' S X``, so that the scales of columns matter less.  Of many columns the
mean of the bound's diagonal.

Every step goes down: along a direction the loss is known from two vectors of scores, with no further look at the rows, and a
step is halved, or made longer, until it goes down enough (Armijo 1966, Wolfe 1969).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg.blas import dsyrk

from ..inputs.arrays import overflow_error
from ..inputs.clock import Clock
from .least_squares import Factors
from .solver_rows import rows_of

NEAR = (
    1e-2  # a Newton step that moves no score by more than this is the last: what is left is of the order of its square
)
DOWN = 1e-4  # the share of the slope that a step must go down by
LEVEL = 0.9  # and the share of the slope that may be left behind it
HALVINGS = 40
PAIRS = 10  # of steps and changes of the gradient that L-BFGS remembers
# What a direction of L-BFGS promises, of the loss a row, that is not worth going on for: where directions are good and cheap, going
# on costs little.  (Where LogisticRegression stops by default, 1e-8 to 1e-4 are left.)
SMALL_GAIN = {True: 3e-8, False: 2e-5}
LIFT = (
    0.03  # of the mean of a bound's diagonal, which is added: H is smaller than the bound, most so where that is large
)
FLAT = 1e-9  # the share of the first gradient below which weights that still move fast have no end
FAST = 0.5  # a move of a score that is fast: where weights grow without limit, Newton steps move one by about 1
PUSH = 1e-9  # relative; makes a matrix of dependent columns definite


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
    rows = rows_of(problem.X, problem.intercept, problem.l2)
    look: TwoClasses | Softmax = TwoClasses(problem) if problem.outputs == 1 else Softmax(problem)
    ahead: Newton | QuasiNewton = Newton(rows, problem) if method == "newton" else QuasiNewton(rows, problem)
    return climb(problem, rows, look, ahead, np.zeros((rows.width, problem.outputs)), most, clock)


def climb(
    problem: Problem, rows: Any, look: Any, ahead: Newton | QuasiNewton, weights: np.ndarray, most: int, clock: Clock
) -> Found:
    """Go on from these weights, which are changed, until little is left to gain."""
    scores = rows.scores(weights)
    now = look(scores)
    first, reason, steps = 0.0, "budget", 0
    needs_moves = not problem.l2 or isinstance(ahead, Newton)
    while steps < most:
        steps += 1
        gradient = rows.back(now.slopes) + rows.penalty * weights
        first = first or float(np.abs(gradient).max())
        direction = ahead.direction(weights, gradient, now)
        along = rows.scores(direction)
        slope = float(np.vdot(now.slopes, along)) + float(np.vdot(rows.penalty * weights, direction))
        far, now = search(rows.penalty, look, weights, scores, now, direction, along, slope)
        weights += far * direction
        scores += far * along
        moved = problem.slope * float(np.abs(along).max(initial=0.0)) if needs_moves else 0.0
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
    if not problem.l2 and reason != "time" and look.separated(scores):
        reason = "separated"
    coef, bias = rows.public(weights)
    return Found(coef, bias, reason, steps)


def curvatures(problem: Problem, chances: np.ndarray | None = None) -> np.ndarray:
    """The second derivatives of the loss by a row's own scores; without chances their largest values (of softmax, a bound
    for all scores together)."""
    weight = problem.weight if problem.weight.size else np.ones(len(problem.target))
    if chances is None:
        return problem.slope**2 * (0.25 if problem.outputs == 1 else 0.5) * weight
    return problem.slope**2 * weight[:, None] * chances * (1 - chances)


def total_weight(problem: Problem) -> float:
    """The weight of all rows."""
    return float(problem.weight.sum()) if problem.weight.size else float(len(problem.target))


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

    def separated(self, scores: np.ndarray) -> bool:
        """Whether every row is on its right side."""
        return bool((self._signs * scores).min() > 0)


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

    def separated(self, scores: np.ndarray) -> bool:
        """Whether every row's own score is the largest."""
        others = scores.T.copy()
        own = others[self._own]
        others[self._own] = -np.inf
        return bool((own > others.max(axis=0)).all())


def search(
    penalty: np.ndarray,
    look: Any,
    weights: np.ndarray,
    scores: np.ndarray,
    now: Look,
    direction: np.ndarray,
    along: np.ndarray,
    slope: float,
) -> tuple[float, Look]:
    """How far to go along a direction, and the loss there: 0, and the loss here, if no step goes down."""
    decayed = penalty * direction
    linear, square = float(np.vdot(decayed, weights)), float(np.vdot(decayed, direction))
    if not slope < 0:
        return 0.0, now
    low, high, far = 0.0, np.inf, 1.0
    best, there = 0.0, now
    for _ in range(HALVINGS):
        new = look(scores + far * along)
        change = new.loss - now.loss + far * linear + far**2 / 2 * square
        if not change <= DOWN * far * slope:
            high = far
        else:
            best, there = far, new
            steepness = float(np.vdot(new.slopes, along)) + linear + far * square
            if steepness >= LEVEL * slope:
                return far, new
            low = far
        if best and high < np.inf:
            return best, there
        far = 2 * low if high == np.inf else (low + high) / 2
    return best, there


# Directions


class Newton:
    """``-H^-1 g``."""

    def __init__(self, rows: Any, problem: Problem) -> None:
        self._rows, self._problem = rows, problem

    def direction(self, weights: np.ndarray, gradient: np.ndarray, now: Look) -> np.ndarray:
        """Where the quadratic through the present point has its minimum."""
        rows, problem = self._rows, self._problem
        if problem.outputs == 1:
            matrix = rows.gram(curvatures(problem, now.chances)[:, 0])
        else:
            share = problem.slope**2 * (problem.weight if problem.weight.size else np.ones(len(problem.target)))
            matrix = self._joint(share, now.chances)
        penalty = np.tile(rows.penalty[:, 0], problem.outputs)
        if problem.outputs > 1:  # what is common to all outputs changes nothing
            penalty += PUSH * matrix.diagonal()
        factors = positive(matrix, penalty)
        return -factors.solve(gradient.T.reshape(-1, 1)).reshape(problem.outputs, -1).T

    def _joint(self, share: np.ndarray, chances: np.ndarray) -> np.ndarray:
        """``sum_i s_i (diag(p_i) - p_i p_i') (x) x_i x_i'``, output after output; the lower triangle."""
        width, outputs = self._rows.width, self._problem.outputs
        spread = self._rows.spread(np.sqrt(share)[:, None] * chances)
        matrix = dsyrk(-1.0, spread.T, lower=1)
        for k in range(outputs):
            own = slice(k * width, (k + 1) * width)
            matrix[own, own] += self._rows.gram(share * chances[:, k])
        return matrix

    def arrived(self, moved: float, slope: float) -> bool:
        """Whether a step hardly moves a score."""
        return moved <= NEAR

    def began_anew(self) -> bool:
        """Whether there is another direction to try from here."""
        return False


def positive(matrix: np.ndarray, penalty: np.ndarray) -> Factors:
    """Factors of a matrix, with a small push of its diagonal where its columns depend on each other."""
    keep = matrix.copy(order="F")
    factors = Factors(matrix, penalty)
    push = PUSH
    while not factors.whole:
        if push > 1:
            raise overflow_error(None)
        size = keep.diagonal() + penalty
        pushed = penalty + push * np.where(size > 0, size, 1.0)
        factors = Factors(keep.copy(order="F"), pushed)
        push *= 100
    return factors


def bound_of(rows: Any, share: np.ndarray) -> tuple[Callable[[np.ndarray], np.ndarray], np.ndarray]:
    """The inverse of about ``X' D X + l2``; of many columns, of the mean of its diagonal, and of the bias's own.  And that
    diagonal."""
    penalty = rows.penalty[:, 0]
    columns = np.arange(rows.width) < rows.columns
    if rows.second_order:
        matrix = rows.gram(share)
        sizes = matrix.diagonal().copy()
        return positive(matrix, penalty + LIFT * sizes[columns].mean() * columns).solve, sizes + penalty
    size = penalty + np.where(columns, rows.squares(share) / rows.columns, share.sum())
    inverse = 1 / np.where(size > 0, size, 1.0)[:, None]
    return lambda rest: inverse * rest, size


class QuasiNewton:
    """L-BFGS, which begins with the inverse of a bound of H."""

    def __init__(self, rows: Any, problem: Problem) -> None:
        self._bound, sizes = bound_of(rows, curvatures(problem))
        self._sizes = np.where(sizes > 0, sizes, np.inf)
        self._alone = 0.0  # what the column with the most to gain would gain if it moved alone, at least
        self._enough = SMALL_GAIN[rows.second_order and problem.outputs == 1] * total_weight(problem)
        self._pairs: list[tuple[np.ndarray, np.ndarray, float]] = []
        self._before: tuple[np.ndarray, np.ndarray] | None = None

    def direction(self, weights: np.ndarray, gradient: np.ndarray, now: Look) -> np.ndarray:
        """``-B g``, where B takes the last changes of the gradient back to the steps that made them."""
        if self._before is not None:
            step, change = weights - self._before[0], gradient - self._before[1]
            product = float(np.vdot(step, change))
            if product > 0:
                self._pairs = [*self._pairs[-PAIRS + 1 :], (step, change, product)]
        self._before = weights.copy(), gradient
        self._alone = float((np.square(gradient).sum(axis=1) / self._sizes).max()) / 2
        rest, shares = gradient.copy(), []
        for step, change, product in reversed(self._pairs):
            shares.append(float(np.vdot(step, rest)) / product)
            rest -= shares[-1] * change
        found = self._bound(rest)
        if self._pairs:
            step, change, product = self._pairs[-1]
            found *= product / float(np.vdot(change, self._bound(change)))
        for (step, change, product), share in zip(self._pairs, reversed(shares), strict=True):
            found += (share - float(np.vdot(change, found)) / product) * step
        return -found

    def arrived(self, moved: float, slope: float) -> bool:
        """Whether too little is promised to go on, by the direction and by every column alone: a direction hardly moves columns
        that are much smaller than others."""
        return max(abs(slope), self._alone) <= self._enough

    def began_anew(self) -> bool:
        """Forget what was remembered, if anything was: it led nowhere."""
        led = bool(self._pairs)
        self._pairs, self._before = [], None
        return led
