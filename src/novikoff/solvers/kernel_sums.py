"""Scores of a machine with a kernel, worked out anew, and how far rounding may have moved them.

Meant is the kernel itself, ``k(x, z)`` without any rounding for the rows as they are given; of kernel values that are handed
in, those values.  With d columns, s rows with beta != 0, and ``e(n)`` twice the error of a sum of n products, in parts of the
sum of their absolute values (``rounding_error``), which leaves room for the rounding of the bounds:

- a sum over j of ``beta_j k_ij`` errs by at most e(s + 4) sum_j |beta_j k_ij|;
- linear: the weights ``w = sum_j beta_j x_j`` err by at most e(s + 4) sum_j |beta_j| |x_j|, a score w.x by that times |x|
  and by e(d + 4) |w| |x|;
- poly: ``(gamma x.z + c)^p`` errs by at most p e(d + 8) (gamma |x| |z| + |c|)^p;
- rbf: ``gamma |x - z|^2`` errs by at most t = gamma e(d + 12) (|x|^2 + |z|^2), the value by its (2 t + e(8))-th part.

Rows far from zero are shifted (``shifted_rows``).  That changes no distance, and of inner products nothing but what a bias
takes up.  Sums are made with the longest floats there are, where that is not too slow.
"""

from __future__ import annotations

from math import fsum
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms

from ..dual.kernels import RBF, Given, Linear, Points, Poly, Precomputed
from ..inputs.rounding_error import UNIT, gamma, sum_room, unit_of
from .gram_check import ROUGH, Flaws
from .shifted_rows import far_centre

LONG = 20_000_000  # multiplications in long floats
AT_ONCE = 500_000  # kernel values held in memory
TINY = 1e-300  # exponentials below it may be zero


class Sums(NamedTuple):
    """``sum_j beta_j k(x_i, x_j)`` of every row is within ``error`` of ``scores + offset``."""

    scores: np.ndarray
    error: np.ndarray
    offset: Any  # a number, as long as the scores are
    square: float  # sum_ij beta_i beta_j k(x_i, x_j), not below the truth


def centre_of(kernel: Linear, X: Any) -> np.ndarray | None:
    """Where rows are that are far from zero, if the kernel lets them be shifted."""
    return far_centre(X, all_columns=True) if type(kernel) in (Linear, RBF) else None


class KernelSums:
    """Sums of kernel values of some rows."""

    def __init__(self, kernel: Any, points: Points, flaws: Flaws) -> None:
        self.kernel, self.points, self.flaws = kernel, points, flaws
        self.rows, self.columns = points.X.shape
        self.centre = centre_of(kernel, points.X)
        self._last: tuple[np.ndarray, Any] = np.empty(0), None
        self.surely = sum_room(self.rows + self.columns)  # of sums over rows or columns

    def near(self) -> Points:
        """The rows as the steps are to see them: shifted, where that is possible and they are far from zero."""
        if self.centre is None:
            return self.points
        return self.kernel.points(self.points.X - self.centre, self.points.numbers)

    def of(self, beta: np.ndarray) -> Sums:
        """The sums with these factors; those of the last ones are remembered."""
        if not np.array_equal(beta, self._last[0]):
            self._last = beta.copy(), self._made(beta)
        return self._last[1]

    def _made(self, beta: np.ndarray) -> Sums:
        held = np.flatnonzero(beta)
        linear = type(self.kernel) is Linear
        work = self.rows * self.columns * (1 if linear else max(1, held.size))
        kind: Any = np.longdouble if work <= LONG else np.float64
        if linear:
            return self._linear(beta, held, kind)
        scores, error = np.zeros(self.rows, kind), np.zeros(self.rows)
        if held.size:
            self._fill(beta[held], held, scores, error)
        error += 0.5 * self.flaws.asymmetry * float(np.abs(beta).sum()) * self.surely
        square = float(beta.astype(kind) @ scores)
        around = _error(held.size + 4, kind) * np.abs(beta) @ np.abs(scores).astype(float) + np.abs(beta) @ error
        around = (float(around) + UNIT * abs(square) + self.flaws.shift * float(beta @ beta)) * self.surely
        return Sums(scores, error, kind(0), square + around)

    def largest(self) -> float:
        """``max k(x, x)``, not below the truth."""
        return max(0.0, float(self.kernel.diagonal(self.points).max())) * self.surely * (1 + ROUGH)

    def _linear(self, beta: np.ndarray, held: np.ndarray, kind: Any) -> Sums:
        centre = np.zeros(self.columns) if self.centre is None else self.centre
        X = self.points.X.astype(kind, copy=False)
        X = X if self.centre is None else X - centre.astype(kind)
        lengths = row_norms(X.astype(np.float64, copy=False)) * self.surely
        rest, away = fsum(beta.tolist()), float(np.linalg.norm(centre)) * self.surely
        w = X[held].T @ beta[held].astype(kind) + kind(rest) * centre.astype(kind)
        sizes = float(np.abs(beta[held]) @ lengths[held]) + abs(rest) * away
        error = _error(held.size + 4, kind) * sizes * self.surely
        length = float(np.linalg.norm(w.astype(np.float64))) * self.surely
        each = _error(self.columns + 4, kind) * length + error
        return Sums(
            X @ w,
            each * (lengths + away) * self.surely,
            w @ centre.astype(kind),
            (length + error) ** 2 * self.surely,
        )

    def _fill(self, beta: np.ndarray, held: np.ndarray, scores: np.ndarray, error: np.ndarray) -> None:
        """The scores, and what they may err by, some rows at a time."""
        kind = scores.dtype.type
        values_of = {RBF: _Radial, Poly: _Powers, Given: _Given, Precomputed: _Given}[type(self.kernel)]
        values = values_of(self, held, beta, kind)
        some = max(1, AT_ONCE // held.size)
        for part in (slice(first, first + some) for first in range(0, self.rows, some)):
            found, off = values.of(part)
            scores[part] = found @ beta.astype(kind)
            size = (np.abs(found) @ np.abs(beta)).astype(np.float64)
            error[part] = (_error(held.size + 4, kind) * size + off) * self.surely


class _Given:
    """Values that are handed in."""

    def __init__(self, sums: KernelSums, held: np.ndarray, beta: np.ndarray, kind: Any) -> None:
        self.sums, self.kind = sums, kind
        self.support, self.weight = sums.points.take(held), np.abs(beta)

    def of(self, part: slice) -> tuple[np.ndarray, Any]:
        """The values of these rows with all of ``held``; what ``sum_j |beta_j k_ij|`` may err by because the values do."""
        return self.sums.kernel.values(self.sums.points.take(part), self.support).astype(self.kind, copy=False), 0.0


class _Radial(_Given):
    """``exp(-gamma |x - z|^2)``."""

    def __init__(self, sums: KernelSums, held: np.ndarray, beta: np.ndarray, kind: Any) -> None:
        super().__init__(sums, held, beta, kind)
        X = sums.points.X.astype(kind, copy=False)
        self.X = X if sums.centre is None else X - sums.centre.astype(kind)
        self.squares = row_norms(self.X, squared=True) if kind is np.float64 else _squares(self.X)
        self.others, self.other_squares = self.X[held], self.squares[held]

    def of(self, part: slice) -> tuple[np.ndarray, Any]:
        scale = self.kind(self.sums.kernel.gamma)
        products = _dense(self.X[part] @ self.others.T)
        products *= -2
        products += self.squares[part, None]
        products += self.other_squares
        values = np.exp(-scale * np.maximum(products, 0))
        each = float(scale) * _error(self.sums.columns + 12, self.kind)
        mine, its = self.squares[part].astype(np.float64), self.other_squares.astype(np.float64)
        if each * (mine.max() + its.max()) > 0.5:  # nothing is known of a value but that it is from 0 to 1
            return values, float(self.weight.sum())
        plain = values.astype(np.float64, copy=False)
        size = plain @ self.weight
        off = (2 * each * mine + _error(8, self.kind)) * size + 2 * each * (plain @ (self.weight * its))
        return values, off + TINY * float(self.weight.sum())


class _Powers(_Given):
    """``(gamma x.z + coef0)^degree``."""

    def __init__(self, sums: KernelSums, held: np.ndarray, beta: np.ndarray, kind: Any) -> None:
        super().__init__(sums, held, beta, kind)
        self.X = sums.points.X.astype(kind, copy=False)
        self.others = self.X[held]
        self.lengths = row_norms(sums.points.X) * sums.surely
        self.its = self.lengths[held]

    def of(self, part: slice) -> tuple[np.ndarray, Any]:
        kernel = self.sums.kernel
        values = _power(kernel, _dense(self.X[part] @ self.others.T), self.kind(kernel.coef0))
        sizes = _power(kernel, np.multiply.outer(self.lengths[part], self.its), abs(kernel.coef0))
        return values, kernel.degree * _error(self.sums.columns + 8, self.kind) * (sizes @ self.weight)


def _error(terms: int, kind: Any) -> float:
    return 2 * gamma(terms, unit_of(kind))


def _power(kernel: Any, products: np.ndarray, coef0: Any) -> np.ndarray:
    base = products * products.dtype.type(kernel.gamma) + coef0
    result = np.ones_like(base)
    for _ in range(kernel.degree):
        result *= base
    return result


def _squares(X: Any) -> np.ndarray:
    """The squared lengths of rows, in floats of their own kind."""
    return np.asarray(X.multiply(X).sum(axis=1)).ravel() if sparse.issparse(X) else (X * X).sum(axis=1)


def _dense(values: Any) -> np.ndarray:
    return values.toarray() if sparse.issparse(values) else values
