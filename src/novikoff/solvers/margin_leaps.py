"""A step of many alphas at once: to where the dual is largest while every alpha at a bound stays there.

Coordinate descent soon finds out which rows lie on the margin, ``0 < alpha_i < C_i``, and then takes long over their numbers,
the longer the more alike the rows are.  Those follow from linear equations, solved here by conjugate gradients, which read
nothing but the rows; the other way round, descent frees and binds rows quickly (as gradient projection does for J. J. More and
G. Toraldo, On the solution of large quadratic programming problems with bound constraints, 1991).

With a bias the step keeps ``sum_i alpha_i y_i = 0``: directions are projected.  Rows are scaled to one length, as
preconditioner.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms

from .problem import Problem, dual_value, feasible, weights_of

EXACT = 1e-10  # relative; residuals below are rounding errors
AT = 1e-9  # of its bound away from it, an alpha is at it
ROUNDS = 8  # of solving, and of binding rows that the solution takes beyond a bound
SHARES = (1.0, 0.3, 0.1, 0.03, 0.01)  # of a step that are tried, each alpha stopping at its bound


class Leap(NamedTuple):
    """Where it ended."""

    alpha: np.ndarray
    b: float
    better: bool  # than where it began
    short: bool  # the equations were not solved to the end
    read: int  # rows, each as often as it was read


class Face:
    """The rows on the margin: how a step of their alphas changes the gradient, in coordinates in which rows have length 1."""

    def __init__(self, problem: Problem, free: np.ndarray, squares: np.ndarray) -> None:
        self.rows, self.signs = problem.X[free], problem.signs[free]
        self.back = self.rows.T.tocsr() if sparse.issparse(self.rows) else self.rows.T
        self.extra = 0.5 / problem.bounds[free] if problem.squared else np.zeros(free.size)
        self.scale = 1 / np.sqrt(squares + self.extra)
        # Alphas are in balance on a plane with this normal.
        self.normal = self.signs * self.scale if problem.intercept else np.zeros(free.size)
        self.square = float(self.normal @ self.normal) or 1.0
        self.read = 0

    def product(self, step: np.ndarray) -> np.ndarray:
        self.read += 2 * step.size
        step = self.scale * step
        return self.scale * (self.signs * (self.rows @ (self.back @ (self.signs * step))) + self.extra * step)

    def projected(self, step: np.ndarray) -> np.ndarray:
        return step - float(self.normal @ step) / self.square * self.normal

    def solve(self, gradient: np.ndarray, steps: int, tick: Callable[[], None]) -> tuple[np.ndarray, float, bool]:
        """The step to where the gradient vanishes but for the bias, the bias there, and whether so many steps of conjugate
        gradients were enough; if not, a step on the way, which is uphill as well."""
        x, rest = np.zeros_like(gradient), -self.scale * gradient
        inside = self.projected(rest)
        direction, size = inside, float(inside @ inside)
        enough = EXACT**2 * size
        for _ in range(steps):
            if size <= enough:
                break
            tick()
            changed = self.product(direction)
            curvature = float(direction @ changed)
            if not curvature > 0:  # flat, as along equal rows
                break
            far = size / curvature
            x += far * direction
            rest -= far * changed
            inside = self.projected(rest)
            before, size = size, float(inside @ inside)
            direction = inside + size / before * direction
        return self.scale * x, float(self.normal @ rest) / self.square, size <= enough


def leap(problem: Problem, alpha: np.ndarray, steps: int, tick: Callable[[], None]) -> Leap:
    """From ``alpha`` to a better point, by so many steps of conjugate gradients a round at most."""
    upper = np.full(alpha.size, np.inf) if problem.squared else problem.bounds
    squares = row_norms(problem.X, squared=True)
    alpha = feasible(problem, alpha)
    value = start = _value(problem, alpha)
    b, short, read = 0.0, False, 0
    for _ in range(ROUNDS):
        free = np.flatnonzero(_between(alpha, problem.bounds, upper) & (squares > 0))
        if free.size < 2:
            break
        face = Face(problem, free, squares[free])
        gradient = face.signs * (face.rows @ weights_of(problem, alpha)) - 1 + face.extra * alpha[free]
        step, b, ended = face.solve(gradient, steps, tick)
        read += face.read
        over = float(np.max(np.abs(step) / np.where(step > 0, upper[free] - alpha[free], alpha[free])))
        for share in (*(part for part in SHARES if part * over > 1), 1 / max(1.0, over)):
            to = alpha.copy()
            to[free] = np.clip(alpha[free] + share * step, 0.0, upper[free])
            to = feasible(problem, to)
            reached = _value(problem, to)
            if reached > value:
                break
        if not reached > value:
            break
        alpha, value, short = to, reached, not ended
        if over <= 1:
            break
    return Leap(alpha, b, value > start, short, read)


def _between(alpha: np.ndarray, bounds: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """Rows that are at neither bound."""
    return (alpha > AT * bounds) & (alpha < upper - AT * bounds)


def _value(problem: Problem, alpha: np.ndarray) -> float:
    return dual_value(problem, alpha, weights_of(problem, alpha))
