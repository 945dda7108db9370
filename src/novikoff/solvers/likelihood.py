"""Maximum likelihood: ``min over w, b of P = sum_i s_i loss_i(w.x_i + b) + l2/2 |w|^2``, the bias not penalised, where ``loss`` is the
cross-entropy of a logistic neuron, ``log(1 + exp(-s y a))``, or of a softmax over several, ``log sum_k exp(s a_k) - s a_c``.

Directions.  Newton's method where its matrix is small: ``-H^-1 g``, ``H = X' D X + l2`` with D the second derivatives by the scores.  Else
L-BFGS (Liu & Nocedal 1989), which begins each direction with the inverse of about H: of few columns ``X' D X + l2`` from some rows (at
first with D as for zero weights, later as it is then; of softmax, of each class alone), of many columns its diagonal.  So the scales of
columns hardly matter.

Steps go down: along a direction the loss is known from two vectors of scores, with no further look at the rows, and a step is halved, or
made longer, until it goes down enough (Armijo 1966, Wolfe 1969; where rounding hides by how much, until its slope does: Hager & Zhang 2005).

The end.  With a penalty, the duality gap of weights whose gradient is g is ``|g|^2 / (2 l2)``, the bias being the best one (Fenchel): where that
is small enough, ``audit`` proves it, rounding included, or steps go on.  Without one, Newton's method ends where a step moves no score by more than
``NEAR``: the loss is then above its minimum by no more than about the step's promise ``g' H^-1 g`` (Bach 2010, for the losses here, which are
generalised self-concordant); that is no proof in floats, and whether there is a minimum at all, a proof of separability says.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.linalg.blas import dsyrk

from ..inputs.arrays import overflow_error
from ..inputs.clock import Clock
from .audit import Fit, prove
from .direct import Factors
from .objectives import CrossEntropy, SoftmaxEntropy
from .products import rows_of

DOWN = 1e-4  # the share of the slope that a step must go down by
LEVEL = 0.9  # and the share of the slope that may be left behind it
NOISE = 1e-6  # of P: what rounding may hide, of float32 rows
FLAT = 1e-9  # the share of the first gradient below which weights that still move fast have no end
FAST = 0.5  # a move of a score that is fast: where weights grow without limit, Newton steps move one by about 1
BACK = 1e-6  # of that move: what the margin of a row may lose where weights grow without limit; that of none does, but for rounding
NEAR = 1e-2  # a Newton step that moves no score by more than this is the last one without a penalty
HALVINGS = 40
FEW_HALVINGS = 3  # of a step by an older matrix, which is then asked for again
PAIRS = 10  # of steps and changes of the gradient that L-BFGS remembers
RENEWED, AGAIN = 12, 30  # steps after which L-BFGS begins with H as it is then; and how many until the next time
WORTH = 160  # times the rows and outputs: unknowns squared (times 4) up to which a matrix costs less than the steps that it saves
WORTH_EACH = 30  # the same of a matrix for each class
LATE, NEWTON_LATER = (
    200,
    1000,
)  # steps after which Newton's method takes over from L-BFGS, with no more unknowns than these
SMALL_GAIN = 3e-8  # of the loss a row: what L-BFGS promises without a penalty that is not worth going on for
PUSH = 1e-13  # relative; makes a matrix of dependent columns definite, and leaves those that nearly are as they are
FARTHEST = 1e15  # the push at which a matrix is given up: more than all its numbers, so that these are not finite
CLOSER = 0.8  # of the tolerance is asked of the gap, so that what the audit adds for rounding finds room
CLOSER_STILL = 0.1  # of that, or more if little is missing, is asked for where the audit could not prove it,
ASKED_LEAST = 1e-6  # as long as it is more than this part of the tolerance


class Problem(NamedTuple):
    """What is to be solved."""

    X: Any  # (rows, columns)
    target: np.ndarray  # class numbers
    weight: np.ndarray  # (rows,), or empty: all are 1
    intercept: bool
    slope: float
    l2: float
    outputs: int  # 1: two classes; more: softmax
    kind: Any = np.float64  # the floats of the weights that a fit keeps


class Found(NamedTuple):
    """What was found."""

    coef: np.ndarray  # (outputs, columns)
    bias: np.ndarray  # (outputs,)
    reason: (
        str  # "solved"; "separated" or "no_minimum", where weights grow without limit; "stalled", "budget" or "time"
    )
    steps: int
    gap: float  # the relative duality gap, proved; infinite if nothing is


def maximise(
    problem: Problem, method: str, most: int, clock: Clock, tol: float, start: np.ndarray | None = None
) -> Found:
    """The weights of largest likelihood, less the penalty; ``method``: "newton" or "lbfgs"; ``start``: (outputs, columns + 1), weights
    and bias to begin with."""
    return climb(problem, RowsHere(problem, start), method, most, clock, tol)


class Objective(Protocol):
    """The loss of all rows, at weights and on from there along a direction; rows may be anywhere."""

    first: np.ndarray  # the weights to begin with, (weights of an output, outputs)
    penalty: np.ndarray  # of each weight, (weights of an output, 1); of the bias, which is the last if there is one, 0
    columns: int
    second_order: bool  # whether a matrix of some rows costs less than the steps that it saves
    each_class: bool  # whether one for each class does
    weight: float  # of all rows
    fresh: bool  # whether ``matrix`` is of these weights, not of some that are near, or not known

    @property
    def loss(self) -> float:
        """Without the penalty."""

    def gradient(self) -> np.ndarray:
        """The loss by the weights."""

    def matrix(self) -> np.ndarray:
        """Its second derivatives, output after output; the lower triangle."""

    def renew(self) -> bool:
        """Make the matrix fresh; whether it was not."""

    def some_matrix(self, output: int) -> np.ndarray:
        """About the second derivatives by the weights of one output; -1: for zero weights, which are the same for all outputs."""

    def diagonal(self) -> np.ndarray:
        """The diagonal of these for zero weights."""

    def set_direction(self, direction: np.ndarray) -> float:
        """Look along a direction; how steep the loss is there."""

    def value(self, far: float) -> tuple[float, float]:
        """The loss so far along it, and how steep it is."""

    def step(self, far: float) -> None:
        """Go so far."""

    def moved(self) -> float:
        """By how much the direction moves the score that it moves most."""

    def lowered(self) -> float:
        """By how much it lowers the margin that it lowers most, times the slope; not positive if it lowers none."""

    def separated(self) -> bool:
        """Whether the weights are right about every row."""

    def prove(self, weights: np.ndarray, tol: float) -> tuple[np.ndarray, np.ndarray, float]:
        """Weights and bias for rows as they were given, the bias being the best one, and the proved relative gap."""

    def public(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weights and bias for rows as they were given."""


def climb(problem: Problem, objective: Objective, method: str, most: int, clock: Clock, tol: float) -> Found:
    """Go on from the first weights until the gap is proved to be at most ``tol``, or, without a penalty, until little is left to gain."""
    l2, penalty = problem.l2, objective.penalty
    small = penalty.size * problem.outputs <= NEWTON_LATER
    ahead: Newton | QuasiNewton = (Newton if method == "newton" else QuasiNewton)(objective, problem.outputs)
    weights = objective.first.copy()
    first, reason, steps, asked, gap = 0.0, "", 0, CLOSER * tol, inf
    coef, bias = objective.public(weights)
    while not reason:
        gradient = objective.gradient() + penalty * weights
        if l2 and gap_about(objective, l2, weights, gradient) <= asked:
            coef, bias, gap = objective.prove(weights, tol)
            if gap <= tol:
                reason = "solved"
                break
            asked = max(ASKED_LEAST * tol, asked * max(CLOSER_STILL, min(CLOSER, CLOSER * tol / gap)))
        if steps == most or clock.over:
            reason = "time" if clock.over else "budget"
            break
        steps += 1
        first = first or float(np.abs(gradient).max())
        if small and steps == LATE and isinstance(ahead, QuasiNewton):
            objective.renew()
            ahead = Newton(objective, problem.outputs)
        direction = ahead.direction(weights, gradient)
        slope = objective.set_direction(direction) + float(np.vdot(penalty * weights, direction))
        far = search(objective, weights, direction, slope, ahead.most_trials)
        objective.step(far)
        weights += far * direction
        if not l2:
            moved = problem.slope * objective.moved()
            if ahead.arrived(moved, slope):
                reason = "solved"
            elif moved > FAST and float(np.abs(gradient).max()) < FLAT * first and objective.lowered() <= BACK * moved:
                reason = "no_minimum"
        if not far and not reason and not ahead.began_again():
            reason = "stalled"
    if l2 and reason != "solved":
        coef, bias, gap = objective.prove(weights, tol)
        reason = "solved" if gap <= tol else reason
    if not l2:
        coef, bias = objective.public(weights)
        reason = "separated" if reason != "time" and objective.separated() else reason
    return Found(coef, bias, reason, steps, gap)


def gap_about(objective: Objective, l2: float, weights: np.ndarray, gradient: np.ndarray) -> float:
    """The relative duality gap, as floats have it: ``|g|^2 / (2 l2)``, and about what a better bias gains, which the proof looks for."""
    penalised = objective.penalty[:, 0] > 0
    own = float(np.square(gradient[penalised]).sum()) / (2 * l2)
    rest = float(np.square(gradient[~penalised]).sum()) / objective.weight
    value = objective.loss + 0.5 * float(np.vdot(objective.penalty * weights, weights))
    return (own + rest) / value if value > 0 else 0.0


class Newton:
    """``-H^-1 g``."""

    def __init__(self, objective: Objective, outputs: int) -> None:
        self._objective, self._outputs = objective, outputs
        self._last = 0.0  # how steep the last direction was
        self._fresh = True

    def direction(self, weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        """Where the quadratic through the present point has its minimum."""
        matrix, self._fresh = self._objective.matrix(), self._objective.fresh
        penalty = np.tile(self._objective.penalty[:, 0], self._outputs)
        if self._outputs > 1:
            refuse_common(matrix, self._outputs)
        factors = positive(matrix, penalty)
        return -factors.solve(gradient.T.reshape(-1, 1)).reshape(self._outputs, -1).T

    def arrived(self, moved: float, slope: float) -> bool:
        """Whether the scores will hardly move any more after a step: by the square of it, or with an older matrix by as much less as it was
        shorter than the one before."""
        shorter = float((slope / self._last) ** 0.5) if slope <= 0 > self._last else inf
        self._last = slope
        return moved * (moved if self._fresh or not moved else shorter) <= NEAR**2

    @property
    def most_trials(self) -> int:
        """How many lengths of a step are worth trying."""
        return HALVINGS if self._fresh else FEW_HALVINGS

    def began_again(self) -> bool:
        """Whether there is another direction to try from here: that of a fresh matrix."""
        return self._objective.renew()


def refuse_common(matrix: np.ndarray, outputs: int) -> None:
    """Add to a matrix of softmax what makes steps that are common to all outputs costly, which change nothing.  The sum over outputs of
    the gradient is zero, and so is then that of the step: it is what it would be otherwise, but definite."""
    width = len(matrix) // outputs
    places = np.arange(width)
    sizes = matrix.diagonal().reshape(outputs, width).mean(axis=0)
    for k in range(outputs):
        for other in range(k + 1):
            matrix[k * width + places, other * width + places] += sizes / outputs


def positive(matrix: np.ndarray, penalty: np.ndarray) -> Factors:
    """Factors of a matrix, with a small push of its diagonal where its columns depend on each other; columns of zeros, as constant ones
    are less their means, need none."""
    penalty = np.where(matrix.diagonal() + penalty > 0, penalty, 1.0)
    keep = matrix.copy(order="F")
    sizes = np.abs(keep.diagonal()) + penalty
    sizes = np.maximum(
        sizes, PUSH * sizes.max(initial=0.0)
    )  # a number that rounding left below zero needs more than itself
    factors = Factors(matrix, penalty)
    push = PUSH
    while not factors.whole:
        if push > FARTHEST:
            raise overflow_error(None)
        pushed = penalty + push * sizes
        factors = Factors(keep.copy(order="F"), pushed)
        push *= 100
    return factors


class QuasiNewton:
    """L-BFGS, which begins with the inverse of about H."""

    most_trials = HALVINGS

    def __init__(self, objective: Objective, outputs: int) -> None:
        self._objective, self._outputs, self._steps = objective, outputs, 0
        self._enough = SMALL_GAIN * objective.weight
        self._renewed = 0  # the step at which it last began with H as it was then
        self._pairs: list[tuple[np.ndarray, np.ndarray, float]] = []
        self._before: tuple[np.ndarray, np.ndarray] | None = None
        self._start: Callable[[np.ndarray], np.ndarray]
        if objective.second_order:
            self._start = positive(objective.some_matrix(-1), objective.penalty[:, 0]).solve
        else:
            size = objective.diagonal() + objective.penalty[:, 0]
            inverse = 1 / np.where(size > 0, size, 1.0)[:, None]
            self._start = lambda rest: inverse * rest

    def direction(self, weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        """``-B g``, where B takes the last changes of the gradient back to the steps that made them."""
        self._steps += 1
        due = self._renewed + (AGAIN if self._renewed else RENEWED)
        if self._steps >= due and self._objective.each_class:
            self._renew()
        if self._before is not None:
            step, change = weights - self._before[0], gradient - self._before[1]
            product = float(np.vdot(step, change))
            if product > 0:
                self._pairs = [*self._pairs[-PAIRS + 1 :], (step, change, product)]
        self._before = weights.copy(), gradient
        rest, shares = gradient.copy(), []
        for step, change, product in reversed(self._pairs):
            shares.append(float(np.vdot(step, rest)) / product)
            rest -= shares[-1] * change
        found = self._start(rest)
        if self._pairs:
            step, change, product = self._pairs[-1]
            found *= product / float(np.vdot(change, self._start(change)))
        for (step, change, product), share in zip(self._pairs, reversed(shares), strict=True):
            found += (share - float(np.vdot(change, found)) / product) * step
        return -found

    def _renew(self) -> None:
        """Begin with H as it is now, of softmax that of each class."""
        penalty = self._objective.penalty[:, 0]
        each = [positive(self._objective.some_matrix(k), penalty).solve for k in range(self._outputs)]
        self._start = lambda rest: np.hstack([solve(rest[:, [k]]) for k, solve in enumerate(each)])
        self._pairs, self._before, self._renewed = [], None, self._steps

    def arrived(self, moved: float, slope: float) -> bool:
        """Whether too little is promised to go on, by directions that begin with H where that is possible."""
        near = abs(slope) <= self._enough
        if near and self._objective.each_class and self._renewed < self._steps - 1:
            self._renewed = self._steps - AGAIN
            return False
        return near

    def began_again(self) -> bool:
        """Forget what was remembered, if anything was: it led nowhere.  Or begin with H next."""
        led = bool(self._pairs)
        if not led and self._objective.each_class and self._renewed < self._steps:
            led, self._renewed = True, self._steps - AGAIN
        self._pairs, self._before = [], None
        return led


def search(
    objective: Objective, weights: np.ndarray, direction: np.ndarray, slope: float, trials: int = HALVINGS
) -> float:
    """How far to go along a direction that was set: 0 if no step goes down."""
    decayed = objective.penalty * direction
    linear, square = float(np.vdot(decayed, weights)), float(np.vdot(decayed, direction))
    if not slope < 0:
        return 0.0
    hidden = NOISE * abs(objective.loss)
    low, high, far = 0.0, inf, 1.0
    best = 0.0
    for _ in range(trials):
        loss, steep = objective.value(far)
        change, left = loss - objective.loss + far * linear + far**2 / 2 * square, steep + linear + far * square
        down = change <= DOWN * far * slope or (abs(change) <= hidden and left <= (2 * DOWN - 1) * slope)
        if not down:
            high = far
        else:
            best = far
            if left >= LEVEL * slope:
                return far
            low = far
        if best and high < inf:
            return best
        far = 2 * low if high == inf else (low + high) / 2
    return best


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
        self._signs = self._signs.astype(scores.dtype, copy=False)
        margins = self._signs * scores
        small = np.exp(-np.abs(margins))
        wrong = np.where(margins >= 0, small, 1.0) / (1 + small)
        losses, slopes = np.log1p(small) - np.minimum(margins, 0), -self._signs * wrong
        if self._weight.size:
            losses, slopes = losses * self._weight, slopes * self._weight
        return Look(float(losses.sum(dtype=float)), slopes, wrong)

    def margin(self, scores: np.ndarray) -> float:
        """The smallest margin of a row, times the slope: positive if all are on their right side."""
        return float((self._signs * scores).min())


class Softmax:
    """``log sum_k exp(s a_k) - s a_c``, c a row's own class."""

    def __init__(self, problem: Problem) -> None:
        self._slope, self._weight = problem.slope, problem.weight
        self._own = problem.target, np.arange(len(problem.target))

    def __call__(self, scores: np.ndarray) -> Look:
        lifted = scores.dtype.type(self._slope) * np.ascontiguousarray(scores.T)  # sums over outputs go by whole lines
        lifted -= lifted.max(axis=0)
        losses = -lifted[self._own]
        chances = np.exp(lifted, out=lifted)
        totals = chances.sum(axis=0)
        losses += np.log(totals)
        chances /= totals
        slopes = chances * chances.dtype.type(self._slope)
        slopes[self._own] -= self._slope
        if self._weight.size:
            losses, slopes = losses * self._weight, slopes * self._weight
        return Look(float(losses.sum(dtype=float)), slopes.T, chances.T)

    def margin(self, scores: np.ndarray) -> float:
        """By how much a row's own score leads all others, at the least, times the slope."""
        others = scores.T.copy()
        own = others[self._own]
        others[self._own] = -inf
        return self._slope * float((own - others.max(axis=0)).min())


def curvatures(problem: Problem, chances: np.ndarray | None = None) -> np.ndarray:
    """The second derivatives of the loss by a row's own scores; without chances, those of zero weights."""
    weight = problem.weight if problem.weight.size else np.ones(len(problem.target))
    if chances is None:
        even = 1 / max(2, problem.outputs)
        return problem.slope**2 * even * (1 - even) * weight
    return problem.slope**2 * weight[:, None] * chances * (1 - chances)


def joint_matrix(rows: Any, problem: Problem, chances: np.ndarray) -> np.ndarray:
    """``X' D X`` of two classes; of softmax ``sum_i s_i (diag(p_i) - p_i p_i') (x) x_i x_i'``, output after output; the lower
    triangle."""
    if problem.outputs == 1:
        matrix: np.ndarray = rows.gram(curvatures(problem, chances)[:, 0])
        return matrix
    share = problem.slope**2 * (problem.weight if problem.weight.size else np.ones(len(problem.target)))
    matrix = dsyrk(-1.0, rows.spread(np.sqrt(share)[:, None] * chances).T, lower=1)
    top = np.arange(len(chances)), chances.argmax(axis=1)
    others = chances.copy()
    others[top] = 0.0
    rest = 1 - chances
    rest[top] = others.sum(axis=1)  # of a chance near 1, the difference would be little but rounding
    for k in range(problem.outputs):
        own = slice(k * rows.width, (k + 1) * rows.width)
        matrix[own, own] = rows.gram(share * chances[:, k] * rest[:, k])
    return matrix


def worth_matrix(rows: int, columns: int, outputs: int) -> tuple[bool, bool]:
    """Whether a matrix of some rows costs less than the steps that it saves, and whether one for each class does."""
    cost = 4 * columns**2
    return cost <= WORTH * rows * outputs, cost <= WORTH_EACH * rows


class RowsHere:
    """Rows in memory, with the scores that the weights give them and those along a direction."""

    fresh = True

    def __init__(self, problem: Problem, start: np.ndarray | None = None) -> None:
        self._problem = problem
        self._rows = rows_of(problem.X, problem.intercept, problem.l2)
        self._look: TwoClasses | Softmax = TwoClasses(problem) if problem.outputs == 1 else Softmax(problem)
        self.penalty, self.columns = self._rows.penalty, self._rows.columns
        count = len(problem.target)
        worth = worth_matrix(count, self.columns, problem.outputs)
        self.second_order, self.each_class = (one and self._rows.second_order for one in worth)
        self.weight = float(problem.weight.sum()) if problem.weight.size else float(count)
        self.first = np.zeros((len(self.penalty), problem.outputs)) if start is None else self._rows.private(start)
        self._scores = self._rows.scores(self.first)
        self._along = self._scores[:0]
        self._now = self._look(self._scores)
        self._tried: dict[float, Look] = {}
        self.public = self._rows.public

    @property
    def loss(self) -> float:
        """See ``Objective``."""
        return self._now.loss

    def gradient(self) -> np.ndarray:
        """See ``Objective``."""
        return self._rows.back(self._now.slopes)

    def matrix(self) -> np.ndarray:
        """See ``Objective``."""
        return joint_matrix(self._rows, self._problem, self._now.chances)

    def renew(self) -> bool:
        """See ``Objective``."""
        return False

    def some_matrix(self, output: int) -> np.ndarray:
        """See ``Objective``."""
        share = curvatures(self._problem) if output < 0 else curvatures(self._problem, self._now.chances)[:, output]
        return self._rows.some_gram(share)

    def diagonal(self) -> np.ndarray:
        """See ``Objective``."""
        return self._rows.squares(curvatures(self._problem))

    def set_direction(self, direction: np.ndarray) -> float:
        """See ``Objective``."""
        self._along = self._rows.scores(direction)
        self._tried = {0.0: self._now}
        return float(np.vdot(self._now.slopes, self._along))

    def value(self, far: float) -> tuple[float, float]:
        """See ``Objective``."""
        new = self._tried[far] = self._look(self._scores + self._scores.dtype.type(far) * self._along)
        return new.loss, float(np.vdot(new.slopes, self._along))

    def step(self, far: float) -> None:
        """See ``Objective``."""
        self._now = self._tried[far]
        self._scores += self._scores.dtype.type(far) * self._along

    def moved(self) -> float:
        """See ``Objective``."""
        return float(np.abs(self._along).max(initial=0.0))

    def lowered(self) -> float:
        """See ``Objective``."""
        return -self._look.margin(self._along)

    def separated(self) -> bool:
        """See ``Objective``."""
        return self._look.margin(self._scores) > 0

    def prove(self, weights: np.ndarray, tol: float) -> tuple[np.ndarray, np.ndarray, float]:
        """See ``Objective``."""
        X, target, weight, intercept, slope, l2, outputs, kind = self._problem
        loss = CrossEntropy(target, weight, slope) if outputs == 1 else SoftmaxEntropy(target, weight, slope, outputs)
        proof = prove(loss, Fit(X, intercept, l2, kind), *self.public(weights), tol)
        return proof.coef, proof.bias, proof.gap.relative
