"""Where to go next on the way to the largest likelihood: Newton's method, and L-BFGS, on ground that may lie anywhere.

Newton's method where its matrix is small: ``H = X' D X + l2`` with D the second derivatives by the scores, of two classes
``s phi (1 - phi)``.  Else L-BFGS (Liu & Nocedal 1989), which begins each direction with the inverse of Bohning's bound of H
(1992): ``X' S X / 4 + l2``, for softmax half of ``X' S X``, so that the scales of columns matter less; after some steps, with that of
H.  Of many columns the mean of the bound's diagonal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from ..inputs.arrays import overflow_error
from .least_squares import Factors

NEAR = (
    1e-2  # a Newton step that moves no score by more than this is the last: what is left is of the order of its square
)
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
PUSH = 1e-13  # relative; makes a matrix of dependent columns definite, and leaves those that nearly are as they are


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
