"""Newton's method for the squared hinge, for a batch of outputs over the same dense rows.

For each output, with signs ``y_i`` and costs ``C_i``,

    P(w, b) = 1/2 |w|^2 + sum_i C_i max(0, 1 - y_i (w.x_i + b))^2

is quadratic as long as the same rows have slack, the *active* ones.  The minimum of that quadratic is one step away from z = (w, b), with x_i
having a 1 at its end for the bias, and L being the identity but 0 for it:

    (L + 2 sum_active C_i x_i x_i') step = r ,    r = 2 sum_active C_i xi_i y_i x_i - L z .

A step goes that way as far as P falls, which is found exactly enough from the margins there and along it; where the same rows are active at
its end, that is the minimum of P (Mangasarian 2002; Keerthi & DeCoste 2005).  ``1/2 |r|^2`` over the weights is the duality gap of z, but for
the bias.

All outputs go in lockstep, so that scores and gradients are products of matrices, in the precision of the rows.  From zero weights all rows are
active, and the first matrix is that of all outputs.  A later one is the one before with the rows that came and without those that went, where
these are fewer than the active ones; where those are fewer than the columns, equations in rows are the smaller ones: with X the active rows and
``D = diag(1 / (2 C_i))``, ``(X X' + D) t = X r_w + step_b``, ``step_w = r_w - X' t``, ``sum_i t_i = r_b``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg.blas import dsyrk, ssyrk
from scipy.linalg.lapack import dpotrf, dpotrs, spotrf, spotrs

from ..inputs.clock import Clock
from .finite_newton import best_length

ENOUGH = 0.5  # of the tolerance is asked for, so that what a better bias and rounding add finds room
MOST_STEPS = 200
KEPT = 1 << 29  # bytes of the matrices of all outputs that are kept from step to step
FEWER = 0.7  # of the columns: active rows below which equations in rows are quicker
PUSHES = (
    0.0,
    1e-6,
    1e-4,
    1e-2,
)  # of the mean of a matrix's diagonal, until it is definite: of float32 rows, rounding may hide that it is

SYRK, POTRF, POTRS = {"f": ssyrk, "d": dsyrk}, {"f": spotrf, "d": dpotrf}, {"f": spotrs, "d": dpotrs}


class Found(NamedTuple):
    """What was found."""

    coef: np.ndarray  # (outputs, columns)
    bias: np.ndarray  # (outputs,)
    steps: np.ndarray  # of each output


def newton(
    X: np.ndarray,
    signs: np.ndarray,
    bounds: np.ndarray,
    centre: np.ndarray | None,
    intercept: bool,
    tol: float,
    clock: Clock,
    start: np.ndarray | None,
) -> Found:
    """Weights for each line of ``signs``, from ``start``, (outputs, columns + 1), until the gap is about ``tol`` of P, the time is over, or steps
    get no further.  ``centre``: what is taken off the rows, as a bias allows."""
    count, columns = X.shape
    outputs, kind = len(signs), X.dtype
    rows = np.empty((count, columns + intercept), kind)
    np.subtract(X, 0.0 if centre is None else centre, out=rows[:, :columns], casting="same_kind")
    rows[:, columns:] = 1.0
    penalty = np.ones(rows.shape[1])
    penalty[columns:] = 0.0
    z = np.zeros((outputs, rows.shape[1]))
    if start is not None:
        z[:] = start[:, : rows.shape[1]]
    elif intercept:
        z[:, columns] = signs @ bounds / bounds.sum()
    y = signs.astype(kind)
    margins = y * (z.astype(kind) @ rows.T)
    matrices = Matrices(rows, bounds, outputs)
    steps, live, before = np.zeros(outputs, np.int64), np.arange(outputs), np.full(outputs, np.inf)
    while live.size and steps.max() < MOST_STEPS and not clock.over:
        slack = np.maximum(0.0, 1.0 - margins[live])
        pulls = (2 * bounds).astype(kind) * slack * y[live]
        rest = (pulls @ rows).astype(float) - penalty * z[live]
        value = 0.5 * (penalty * np.square(z[live])).sum(axis=1) + np.square(slack, dtype=float) @ bounds
        left = 0.5 * (penalty * np.square(rest)).sum(axis=1)
        if intercept:  # what a better bias gains, which the proof looks for
            left += np.square(rest[:, columns]) / np.maximum(4 * (slack > 0) @ bounds, bounds.min())
        going = (left > ENOUGH * tol * value) & (value < before[live])
        before[live] = value
        live, slack, rest = live[going], slack[going], rest[going]
        if not live.size:
            break
        directions = np.empty((live.size, rows.shape[1]), kind)
        for place, k in enumerate(live.tolist()):
            if clock.over:
                return _found(z, columns, intercept, steps)
            directions[place] = matrices.step(k, slack[place] > 0, rest[place], penalty)
        along = y[live] * (directions @ rows.T)
        for place, k in enumerate(live.tolist()):
            step = directions[place].astype(float)
            far = best_length(z[k], step, rest[place], penalty, bounds, margins[k], along[place])
            z[k] += far * step
            margins[k] += kind.type(far) * along[place]
        steps[live] += 1
    return _found(z, columns, intercept, steps)


def _found(z: np.ndarray, columns: int, intercept: bool, steps: np.ndarray) -> Found:
    return Found(z[:, :columns], z[:, columns] if intercept else np.zeros(len(z)), steps)


class Matrices:
    """``2 sum_active C_i x_i x_i'`` of each output, lower triangles, kept while there is room."""

    def __init__(self, rows: np.ndarray, bounds: np.ndarray, outputs: int) -> None:
        self._rows, self._costs = rows, 2 * bounds
        self._roots = np.sqrt(self._costs).astype(rows.dtype)[:, None]
        self._even = float(self._costs[0]) if np.all(self._costs == self._costs[0]) else 0.0
        self._keeps = outputs * rows.shape[1] ** 2 * rows.itemsize <= KEPT
        self._last: dict[int, tuple[np.ndarray, np.ndarray]] = {}  # of an output, its active rows and their matrix
        self._whole: np.ndarray | None = None
        kind = rows.dtype.char
        self._syrk, self._potrf, self._potrs = SYRK[kind], POTRF[kind], POTRS[kind]

    def step(self, k: int, active: np.ndarray, rest: np.ndarray, penalty: np.ndarray) -> np.ndarray:
        """The step of output k."""
        numbers = np.flatnonzero(active)
        if numbers.size < FEWER * self._rows.shape[1]:
            self._last.pop(k, None)
            return self._in_rows(numbers, rest, penalty)
        matrix = self._of(k, active, numbers)
        return self._solve(matrix, penalty, rest.astype(self._rows.dtype))

    def _of(self, k: int, active: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        if numbers.size == active.size:
            if self._whole is None:
                self._whole = self._add(None, slice(None), 1)
            return self._whole
        matrix: np.ndarray | None
        if k in self._last:
            before, matrix = self._last[k]
            changed = active != before
            came, went = np.flatnonzero(changed & active), np.flatnonzero(changed & before)
        else:
            matrix, came, went = self._whole, numbers[:0], np.flatnonzero(~active)
        if matrix is None or came.size + went.size >= numbers.size:
            matrix = self._add(None, numbers, 1)
        else:
            matrix = matrix.copy(order="F") if matrix is self._whole else matrix
            for some, sign in ((came, 1), (went, -1)):
                matrix = self._add(matrix, some, sign) if some.size else matrix
        if self._keeps:
            self._last[k] = active, matrix
        return matrix

    def _add(self, matrix: np.ndarray | None, some: Any, sign: int) -> np.ndarray:
        """A matrix with these rows, or without them; it is overwritten."""
        block = self._rows[some] if self._even else self._roots[some] * self._rows[some]
        factor = sign * (self._even or 1.0)
        if matrix is None:
            return self._syrk(factor, block.T, lower=1)
        return self._syrk(factor, block.T, beta=1.0, c=matrix, lower=1, overwrite_c=1)

    def _solve(self, matrix: np.ndarray, added: np.ndarray, right: np.ndarray) -> np.ndarray:
        """``(matrix + diag(added))^-1 right``; the matrix stays as it is."""
        size = float(np.abs(matrix.diagonal()).mean()) or 1.0
        for push in PUSHES:
            pushed = matrix.copy(order="F")
            pushed[np.diag_indices_from(pushed)] += added + push * size
            factor, failed = self._potrf(pushed, lower=1, overwrite_a=1, clean=0)
            if not failed:
                return self._potrs(factor, right, lower=1)[0]
        return right / (np.abs(matrix.diagonal()) + added + size).reshape(-1, *[1] * (right.ndim - 1))

    def _in_rows(self, numbers: np.ndarray, rest: np.ndarray, penalty: np.ndarray) -> np.ndarray:
        columns = int(penalty.sum())
        if not numbers.size:
            return rest * penalty
        X, own = self._rows[numbers, :columns], rest[:columns].astype(self._rows.dtype)
        matrix = self._syrk(1.0, X.T, trans=1, lower=1)
        right = np.column_stack([X @ own, np.ones(len(X), X.dtype)])
        t, ones = self._solve(matrix, 1 / self._costs[numbers], np.asfortranarray(right)).T
        bias = (rest[columns:] - t.sum()) / ones.sum()  # (of no bias, nothing)
        moved = t + (bias[0] if bias.size else 0.0) * ones
        return np.append(own - X.T @ moved.astype(X.dtype), bias)
