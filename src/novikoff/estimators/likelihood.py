"""Maximum likelihood at once: ``min over w, b of sum_i s_i loss_i(w.x_i + b) + l2 / 2 |w|^2``, the bias not penalised, where
``loss`` is the cross-entropy of a logistic neuron, or of a softmax over several.

Newton's method where its matrix is small: ``H = X' D X + l2`` with D the second derivatives by the scores, of two classes
``s phi (1 - phi)``.  Else L-BFGS (Liu & Nocedal 1989), which begins each direction with the inverse of Bohning's bound of H
(1992): ``X' S X / 4 + l2``, for softmax half of ``X' S X``, so that the scales of columns matter less; after some steps, with that of
H.  Of many columns the mean of the bound's diagonal.

Every step goes down: along a direction the loss is known from two vectors of scores, with no further look at the rows, and a
step is halved, or made longer, until it goes down enough (Armijo 1966, Wolfe 1969).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

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
FEW_HALVINGS = 3  # of a step by an older matrix, which is then asked for anew
RENEWED = (
    12  # steps after which L-BFGS begins with H itself: who is still on the way then, is where H is far from its bound
)
PAIRS = 10  # of steps and changes of the gradient that L-BFGS remembers
# What a direction of L-BFGS promises, of the loss a row, that is not worth going on for: where directions are good and cheap, going
# on costs little.  (Where LogisticRegression stops by default, 1e-8 to 1e-4 are left.)
SMALL_GAIN = {True: 3e-8, False: 2e-5}
LIFT = (
    0.03  # of the mean of a bound's diagonal, which is added: H is smaller than the bound, most so where that is large
)
FLAT = 1e-9  # the share of the first gradient below which weights that still move fast have no end
FAST = 0.5  # a move of a score that is fast: where weights grow without limit, Newton steps move one by about 1
PUSH = 1e-13  # relative; makes a matrix of dependent columns definite, and leaves those that nearly are as they are


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


class Ground(Protocol):
    """The loss of all rows, at weights and on from there along a direction; rows may be anywhere."""

    first: np.ndarray  # the weights to begin with, (weights of an output, outputs)
    penalty: np.ndarray  # of each weight, (weights of an output, 1); of the bias, which is the last if there is one, 0
    columns: int
    second_order: bool  # whether products of columns are worth their cost
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

    def bound(self) -> np.ndarray:
        """A bound of them for any weights, of one output."""

    def squares(self) -> tuple[float, float]:
        """``sum_i D_i |x_i|^2`` and ``sum_i D_i`` with the largest second derivatives D."""

    def turn(self, direction: np.ndarray) -> float:
        """Look along a direction; how steep the loss is there."""

    def at(self, far: float) -> tuple[float, float]:
        """The loss so far along it, and how steep it is."""

    def go(self, far: float) -> None:
        """Go so far."""

    def moved(self) -> float:
        """By how much the direction moves the score that it moves most."""

    def reaches(self, direction: np.ndarray) -> float:
        """About that of a direction that nobody turned to, as far as it is known without a round; not less than any weight alone moves."""

    def separated(self) -> bool:
        """Whether the weights are right about every row."""

    def public(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weights and bias for rows as they were given."""


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


# Directions


class Newton:
    """``-H^-1 g``."""

    def __init__(self, ground: Ground, outputs: int) -> None:
        self._ground, self._outputs = ground, outputs
        self._last = np.inf, 0.0  # how far the last step moved a score, and how steep it was
        self._fresh = True

    def direction(self, weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        """Where the quadratic through the present point has its minimum."""
        matrix, self._fresh = self._ground.matrix(), self._ground.fresh
        penalty = np.tile(self._ground.penalty[:, 0], self._outputs)
        if self._outputs > 1:
            refuse_common(matrix, self._outputs)
        factors = positive(matrix, penalty)
        return -factors.solve(gradient.T.reshape(-1, 1)).reshape(self._outputs, -1).T

    def arrived(self, moved: float, slope: float) -> bool:
        """Whether a step hardly moves a score."""
        left = self._left(moved, slope)
        self._last = moved, slope
        return left <= NEAR**2

    def surely_near(self, slope: float, reaches: Callable[[], float]) -> bool:
        """Whether a step will hardly move a score, so that nobody needs to try it: about as the last one, but for its length, which
        is the root of ``-slope`` in the measure of H; and no more than it ``reaches``, since rows of small weight hardly count in
        that measure."""
        moved = self._last[0] * self._shorter(slope)
        return self._left(moved, slope) <= NEAR**2 / 4 and self._left(reaches(), slope) <= NEAR**2 / 4

    def _left(self, moved: float, slope: float) -> float:
        """About how much a score will still move after a step: the square of it, or with an older matrix as much shorter as it was
        than the one before.  Nobody knows after a first step with the matrix of other rows."""
        return moved * (moved if self._fresh or not moved else self._shorter(slope))

    def _shorter(self, slope: float) -> float:
        """How long a step is, as a part of the last one."""
        before = self._last[1]
        return float((slope / before) ** 0.5) if slope <= 0 > before else np.inf

    @property
    def most_trials(self) -> int:
        """How many lengths of a step are worth trying."""
        return HALVINGS if self._fresh else FEW_HALVINGS

    def began_anew(self) -> bool:
        """Whether there is another direction to try from here: that of a fresh matrix."""
        return self._ground.renew()


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
    factors = Factors(matrix, penalty)
    push = PUSH
    while not factors.whole:
        if push > 1:
            raise overflow_error(None)
        pushed = penalty + push * (keep.diagonal() + penalty)
        factors = Factors(keep.copy(order="F"), pushed)
        push *= 100
    return factors


def bound_of(ground: Ground) -> tuple[Callable[[np.ndarray], np.ndarray], np.ndarray, bool]:
    """The inverse of about ``X' D X + l2``; of many columns, of the mean of its diagonal, and of the bias's own.  That diagonal.  And
    whether columns nearly depend on each other, so that it hides what they could gain together."""
    penalty = ground.penalty[:, 0]
    columns = np.arange(penalty.size) < ground.columns
    if ground.second_order:
        matrix = ground.bound()
        sizes = matrix.diagonal().copy()
        hides = not Factors(matrix.copy(order="F"), np.where(sizes + penalty > 0, penalty, 1.0)).good
        return positive(matrix, penalty + LIFT * sizes[columns].mean() * columns).solve, sizes + penalty, hides
    squares, total = ground.squares()
    size = penalty + np.where(columns, squares / ground.columns, total)
    inverse = 1 / np.where(size > 0, size, 1.0)[:, None]
    return lambda rest: inverse * rest, size, False


class QuasiNewton:
    """L-BFGS, which begins with the inverse of a bound of H, and after some steps with that of H where it is then."""

    most_trials = HALVINGS

    def __init__(self, ground: Ground, outputs: int) -> None:
        self._ground, self._one, self._steps = ground, outputs == 1, 0
        self._bound, sizes, self._hides = bound_of(ground)
        self._sizes = np.where(sizes > 0, sizes, np.inf)
        self._alone = 0.0  # what the column with the most to gain would gain if it moved alone, at least
        self._enough = SMALL_GAIN[ground.second_order and self._one] * ground.weight
        self._pairs: list[tuple[np.ndarray, np.ndarray, float]] = []
        self._before: tuple[np.ndarray, np.ndarray] | None = None
        self._renews = self._one and ground.second_order and ground.fresh

    def direction(self, weights: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        """``-B g``, where B takes the last changes of the gradient back to the steps that made them."""
        self._steps += 1
        if self._steps == RENEWED and self._renews:
            self._bound = positive(self._ground.matrix(), self._ground.penalty[:, 0]).solve
            self._pairs, self._before, self._hides = [], None, False
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
        that are much smaller than others.  Columns that nearly depend on each other are asked with H itself first."""
        near = max(abs(slope), self._alone) <= self._enough
        if near and self._hides and self._renews:
            self._steps = RENEWED - 1
            return False
        return near

    def surely_near(self, slope: float, reaches: Callable[[], float]) -> bool:
        """See ``Newton``; its directions say too little of what is left."""
        return False

    def began_anew(self) -> bool:
        """Forget what was remembered, if anything was: it led nowhere.  Or begin with H next."""
        led = bool(self._pairs) or (self._hides and self._renews and self._steps == RENEWED - 1)
        self._pairs, self._before = [], None
        return led
