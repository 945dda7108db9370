"""The last word on an answer: both objectives with everything that rounding may have hidden.

A slack as small as a rounding error, times a large C, may be more than the whole gap.  So the primal value is bounded from
above and the dual value from below:

- a score w.x of n terms errs by at most gamma_n sum_j |w_j x_j| (``rounding_error``), and every slack may be larger by so
  much;
- the j-th weight of the dual point errs by at most gamma_m sum_i alpha_i |x_ij|, m being the rows with alpha > 0.

Twice as much is allowed for, which leaves room for rounding rows that are shifted, and the bounds themselves.

With a bias, ``sum_i alpha_i y_i = 0`` holds exactly (``balance``), and rows far from zero are shifted (``shifted_rows``), so that x is
their distance from one another.  Sums are made with the longest floats there are, where that is not too slow.

If the only slacks are rounding errors, longer weights may have none: (w, b) is stretched by next to nothing.  A hard margin,
C = inf, allows no slack at all: the objective of weights that may have one is infinite.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from math import fsum
from typing import Any

import numpy as np
from scipy import sparse

from ..inputs.arrays import parts
from ..inputs.rounding_error import UNIT, gamma, sum_room, unit_of
from .crammer_singer import Joint, JointAnswer, joint_feasible, leads, signed
from .problem import Answer, Problem, feasible, slacks
from .shifted_rows import far_centre, shifted

LONG = 2_000_000  # numbers of X that are multiplied in long floats
BLOCK = 1 << 20  # numbers of X at a time
HALF = 0.5  # beyond, no slack is a rounding error
SMALL = (1e-15, 1e-13, 1e-11, 1e-9, 1e-7)  # slacks that may be rounding errors


def audited(rows: AuditRows, answer: Answer) -> Answer:
    """The answer with values that rounding cannot have improved."""
    problem = rows.problem
    assert isinstance(problem, Problem)
    w, b, primal = rows.primal(answer.w, answer.b)
    alpha = feasible(problem, answer.alpha)
    dual = fsum(alpha.tolist()) - 0.5 * rows.square((alpha * problem.signs)[:, None])
    if problem.squared:
        dual -= 0.25 * fsum((alpha * alpha / problem.bounds).tolist()) * rows.surely
    return Answer(w, b, alpha, primal, _not_above(dual, alpha))


def audited_jointly(rows: AuditRows, answer: JointAnswer) -> JointAnswer:
    """The same for all classes at once."""
    problem = rows.problem
    assert isinstance(problem, Joint)
    w, b, primal = rows.primal(answer.w, answer.b)
    alpha = joint_feasible(problem, answer.alpha)
    dual = fsum(alpha.ravel().tolist()) - 0.5 * rows.square(signed(problem.target, alpha))
    return JointAnswer(w, b, alpha, primal, _not_above(dual, alpha))


def _not_above(dual: float, alpha: np.ndarray) -> float:
    """A dual value, which is a few roundings of parts no larger than ``sum_i alpha_i`` or itself, not above the truth."""
    return dual - 8 * UNIT * (float(alpha.sum()) + abs(dual))


class AuditRows:
    """The rows of a problem, near zero, and the floats that sums are made with."""

    def __init__(self, problem: Problem | Joint, long: bool = True) -> None:
        """``long=False``: floats no longer than those of X, which is quicker."""
        X = problem.X
        self.problem, self.centre = problem, far_centre(X) if problem.intercept else None
        self.terms = int(np.diff(X.indptr).max(initial=0)) if sparse.issparse(X) else X.shape[1]
        values = X.nnz if sparse.issparse(X) else X.size
        self.kind: Any = np.longdouble if long and values <= LONG else np.float64
        self.unit = unit_of(self.kind)
        self.X = X.astype(self.kind, copy=False)
        if self.centre is not None:
            self.X = self.X - self.centre  # of every number the relative error is a unit
        self.surely = sum_room(sum(X.shape))  # of sums over rows or columns
        self.blocks = list(parts(X.shape[0], max(1, BLOCK * X.shape[0] // max(1, values))))
        self.few = [(part, self._size(part)) for part in self.blocks] if len(self.blocks) == 1 else None

    def of(self, problem: Problem) -> AuditRows:
        """The same rows for another problem with them."""
        rows = copy(self)
        rows.problem = problem
        return rows

    def margins(self, w: np.ndarray, b: Any) -> tuple[np.ndarray, np.ndarray]:
        """``y (w.x + b)`` of every row, of several classes its smallest lead, and a bound of the error."""
        return self.near_margins(w, shifted(w, b, self.centre, 1))

    def slacks(self, w: np.ndarray, b: Any) -> np.ndarray:
        """What the margin of every row lacks to 1."""
        return slacks(self.margins(w, b)[0])

    def near_margins(self, w: np.ndarray, near: Any) -> tuple[np.ndarray, np.ndarray]:
        """The same, of a bias for the shifted rows."""
        many = np.atleast_2d(w)
        scores, errors = self.scores(many, near)
        if isinstance(self.problem, Joint):
            return leads(self.problem.target, scores).min(axis=1), 2 * errors.max(axis=1)
        return self.problem.signs * scores[:, 0], errors[:, 0]

    def scores(self, many: np.ndarray, near: Any) -> tuple[np.ndarray, np.ndarray]:
        """``w.x + b`` of every row for many weights, with biases for the shifted rows, and bounds of the errors."""
        columns = np.ascontiguousarray(many.T)  # (which sparse rows would make of it, for each product)
        scores = np.asarray(self.X @ columns.astype(self.kind, copy=False), dtype=np.float64) + near
        absolute = np.abs(columns)
        sizes = np.concatenate([block @ absolute for _, block in self._sizes()])
        part, rest = 2 * gamma(self.terms + 3, self.unit) + 3 * UNIT, 3 * np.abs(near) * UNIT
        return scores, part * sizes * self.surely + rest

    def primal(self, w: np.ndarray, b: Any) -> tuple[np.ndarray, Any, float]:
        """The weights, stretched by nothing or next to nothing, and their objective, not below the truth."""
        found, error = self.margins(w, b)
        value = self.value(w, found, error)
        best, stretch = value, 1.0
        step = float(np.spacing(np.abs(b)).max())  # a bias is rounded to such steps
        for small in SMALL:
            near = np.abs(1.0 - found) <= np.minimum(small + error + step, HALF)
            if near.any():
                factor = float(np.max((1.0 + 2 * error[near] + UNIT + step) / found[near]))
                promised = self.value(factor * w, factor * found, factor * error)
                if promised < best:
                    best, stretch = promised, factor
        if stretch > 1:
            longer = stretch * w
            bias = shifted(longer, stretch * shifted(w, b, self.centre, 1), self.centre, -1)
            better = self.value(longer, *self.margins(longer, bias))
            if better < value:
                return longer, bias, better
        return w, b, value

    def value(self, w: np.ndarray, margins: np.ndarray, error: np.ndarray) -> float:
        """The objective of weights with these margins, not below the truth."""
        slack = 1.0 - margins + error
        some = slack > 0
        power = 2 if isinstance(self.problem, Problem) and self.problem.squared else 1
        cost = float(self.problem.bounds[some] @ slack[some] ** power)
        return (0.5 * float(np.square(w).sum()) + cost) * self.surely * self.surely

    def square(self, shares: np.ndarray) -> float:
        """``sum_k |sum_i shares_ik x_i|^2``, not below the truth; with a bias, each ``sum_i shares_ik`` is zero."""
        return float(np.square(self._lengths(shares)).sum()) * self.surely * self.surely

    def squares(self, shares: np.ndarray) -> np.ndarray:
        """``|sum_i shares_ik x_i|^2`` for every k, likewise."""
        return np.square(self._lengths(shares)).sum(axis=0) * self.surely * self.surely

    def _lengths(self, shares: np.ndarray) -> np.ndarray:
        """``|sum_i shares_ik x_ij|`` for every column j and every k, not below the truth."""
        made, error = self.sums(shares)
        return np.abs(made) + error

    def sums(self, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """``sum_i shares_ik x_ij`` for every column j and every k, and a bound of the error."""
        held = int(np.count_nonzero(shares.any(axis=1)))
        made = np.asarray(self.X.T @ shares.astype(self.kind), dtype=np.float64)
        sizes = np.sum([block.T @ np.abs(shares[part]) for part, block in self._sizes()], axis=0)
        return made, (2 * gamma(held + 3, self.unit) + UNIT) * sizes * self.surely

    def _sizes(self) -> Iterable[tuple[slice, Any]]:
        """The absolute values of the rows: those of few rows are kept, of many they are made block by block."""
        return self.few or ((part, self._size(part)) for part in self.blocks)

    def _size(self, part: slice) -> Any:
        return abs(self.X[part]).astype(np.float64, copy=False)
