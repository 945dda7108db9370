"""What is proved of a machine with a kernel: both objectives, with everything that rounding may have hidden.

The machine is its ``beta_i = alpha_i y_i`` and its bias, as they are returned, with the kernel itself, ``k(x, z)`` without any rounding for
the rows as they are given; of kernel values that are handed in, those values.  The dual bounds the primal only if ``sum_i beta_i = 0``, which
``balance`` sees to, exactly.  P is bounded from above and D from below (``bounded``), from scores ``sum_j beta_j k_ij`` and bounds of their
errors.  With d columns, s rows with beta != 0, and ``e(n)`` twice the error of a sum of n products, in parts of the sum of their absolute values
(``rounding_error``), which leaves room for the rounding of the bounds:

- a sum over j of ``beta_j k_ij`` errs by at most e(s + 4) sum_j |beta_j k_ij|, and by what the values err by;
- linear: ``x.z`` errs by at most e(d + 4) |x| |z|; from the weights ``w = sum_j beta_j x_j``, which err by at most e(s + 4) sum_j |beta_j| |x_j|,
  a score w.x errs by that times |x| and by e(d + 4) |w| |x|;
- poly: ``(gamma x.z + c)^p`` errs by at most p e(d + 8) (gamma |x| |z| + |c|)^p;
- rbf: ``gamma |x - z|^2`` errs by at most t = gamma e(d + 12) (|x|^2 + |z|^2), the value by its (2 t + e(8))-th part.

There are two ways.  ``Facts`` are one bound K of all kernel values and one bound t of their errors: n terms ``beta_j k_ij`` added to a score s
change it with an error of at most ``e(n + 4) (|s| + K sum_j |beta_j|) + t sum_j |beta_j|``.  So scores that follow beta from step to step stay
scores with a bound of their error (``Running``).  Where that does not prove enough, ``KernelSums`` makes them again, with a bound for every
row, and with the longest floats there are, where that is not too slow.

Rows far from zero are shifted (``shifted_rows``).  That changes no distance, and of inner products nothing but what a bias takes up.

The values of all pairs of rows must be a symmetric matrix without negative eigenvalues (Mercer 1909): else the dual bounds nothing
(``checked``).  If Cholesky's method goes through in floats for ``K + t I``, no eigenvalue of K is below ``-t - 4 (n + 2) u trace`` (Rump 2006).
Where rounding has left eigenvalues below zero, ``K + shift I`` is meant: the margin of row i is larger by ``shift alpha_i`` there, so that no slack
is larger, and the square of the weights is larger by ``shift |alpha|^2``.
"""

# Kernels take whatever types they are compiled for.
# mypy: allow-untyped-defs

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from math import fsum, inf
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg.lapack import dpotrf
from sklearn.utils.extmath import row_norms

from ..compiled.jit import helper, kernel
from ..dual.kernels import RBF, Given, Linear, Points, Poly, Precomputed
from ..inputs.clock import never
from ..inputs.rounding_error import UNIT, gamma, not_below, sum_room, unit_of
from .audit import relative_gap
from .balance import balanced
from .objectives import Hinge
from .shifted_rows import far_centre

LONG = 20_000_000  # multiplications in long floats
AT_ONCE = 500_000  # kernel values held in memory
TINY = 1e-300  # exponentials below it may be zero
CHECKED = 2000  # rows whose matrix is looked at as a whole
ROUGH = 1e-6  # of the largest value: the largest error that is taken for rounding
SHIFTS = (0.0, 1e-12, 1e-9, ROUGH)  # of the largest value
COLUMNS = 2048  # at a time, so that scores stay in the processor's cache
DENSE = (
    0.05  # of all numbers: from so many non-zeros on, products of rows with zeros are faster than those of sparse rows
)


class Proved(NamedTuple):
    """The bias of a machine, and what its objective is not above and its minimum not below."""

    b: float
    primal: float
    dual: float

    @property
    def gap(self) -> float:
        """The relative duality gap."""
        return relative_gap(self.primal, self.dual, 0.0)


def no_support(signs: np.ndarray, bounds: np.ndarray) -> Proved:
    """Zero weights with their best bias, and zero in the dual."""
    positive, negative = float(bounds[signs > 0].sum()), float(bounds[signs < 0].sum())
    return Proved(float(np.sign(positive - negative)), not_below(2 * min(positive, negative), signs.size), 0.0)


@kernel
def bounded(costs, short, error, total, square, surely, found):
    """P and D into ``found``: from what margins are short of 1, and by how much that may be too small; the sum of all alphas, exact; the
    square of the weights, not below the truth."""
    cost = 0.0
    for k in range(costs.size):
        cost += costs[k] * max(0.0, short[k] + 2 * UNIT * abs(short[k]) + error[k])
    found[1] = (0.5 * max(square, 0.0) + cost) * surely * surely
    found[2] = total - 0.5 * square - 4 * UNIT * (total + abs(square))


@kernel
def square_above(beta, scores, error, shift, surely):
    """``sum_i beta_i scores_i``, not below the truth where no score errs by more than ``error``."""
    square, size, total, squares = 0.0, 0.0, 0.0, 0.0
    for k in range(beta.size):
        product = beta[k] * scores[k]
        square += product
        size += abs(product)
        total += abs(beta[k])
        squares += beta[k] * beta[k]
    return square + (twice_gamma(beta.size + 4) * size + total * error + UNIT * abs(square) + shift * squares) * surely


@helper
def twice_gamma(terms):
    """``e(terms)``."""
    return 2.0 * terms * UNIT / (1.0 - terms * UNIT)


@kernel
def add_lines(scores, change, lines, places):
    """``scores += change[i] * lines[places[i]]`` for all i, four at a time, a part of the columns after the other."""
    fours = change.size - change.size % 4
    for first in range(0, scores.size, COLUMNS):
        last = min(first + COLUMNS, scores.size)
        for i in range(0, fours, 4):
            a, b, c, d = change[i], change[i + 1], change[i + 2], change[i + 3]
            one, two, three, four = lines[places[i]], lines[places[i + 1]], lines[places[i + 2]], lines[places[i + 3]]
            for j in range(first, last):
                scores[j] += (a * one[j] + b * two[j]) + (c * three[j] + d * four[j])
        for i in range(fours, change.size):
            a, one = change[i], lines[places[i]]
            for j in range(first, last):
                scores[j] += a * one[j]


class Flaws(NamedTuple):
    """What rounding has left in a matrix of kernel values."""

    asymmetry: float = 0.0  # the largest difference of the values of x with z and of z with x
    shift: float = 0.0  # no eigenvalue is below its negative


class Facts(NamedTuple):
    """What is known of all kernel values."""

    largest: float  # none is above it; infinite where that would prove nothing
    entry: float  # none errs by more
    shift: float  # that of ``Flaws``
    surely: float  # room for the rounding of sums


class Running:
    """Scores that follow beta, and a bound of their errors."""

    def __init__(self, sums: KernelSums, beta: np.ndarray) -> None:
        self.sums, self.beta = sums, beta.copy()
        self.scores, self.error = np.zeros(beta.size), 0.0
        if beta.any():
            self._make_again()

    def _make_again(self) -> Sums:
        found = self.sums.of(self.beta)
        self.scores = found.scores.astype(float)
        self.error = (float(found.error.max()) + UNIT * float(np.abs(self.scores).max())) * self.sums.surely
        return found

    def move(self, rows: np.ndarray, to: np.ndarray, lines: Any, places: np.ndarray) -> None:
        """Beta of these rows becomes ``to``; ``places``: of their kernel values among ``lines`` (``smo.Lines``)."""
        change = to - self.beta[rows]
        size, moved = float(np.abs(self.scores).max()), float(np.abs(change).sum())
        moves = np.flatnonzero(change)
        add_lines(self.scores, lines.step * change[moves], lines.values, places[moves])
        self.beta[rows] = to
        largest, entry, _, surely = self.sums.facts
        self.error += (twice_gamma(rows.size + 4) * (size + largest * moved) + (entry + lines.error) * moved) * surely

    def proved(self, signs: np.ndarray, bounds: np.ndarray, careful: bool) -> tuple[Proved, np.ndarray]:
        """What is proved of beta, put in balance; that beta.  ``careful``: scores are made again."""
        alpha = balanced(self.beta * signs, signs)
        beta, loss = alpha * signs, Hinge(signs[None], bounds)
        largest, _, shift, surely = self.sums.facts
        if careful:
            self.beta = beta.copy()
            found = self._make_again()
            b = float(loss.best_bias(self.scores[:, None], np.zeros(1))[0] - found.offset)
            scores, bias, square = found.scores, b + found.offset, found.square
            error, unit = found.error, unit_of(found.scores.dtype)
            away = abs(b) + abs(float(found.offset))
        else:
            scores, unit = self.scores, UNIT
            b = bias = float(loss.best_bias(scores[:, None], np.zeros(1))[0])
            away = abs(b)
            each = self.error + largest * float(np.abs(beta - self.beta).sum()) * surely
            error, square = np.full(beta.size, each), square_above(beta, scores, each, shift, surely)
        rounding = 2 * gamma(8, unit) * (1.0 + np.abs(scores).astype(float) + away)
        short = (1 - signs * (scores + bias)).astype(float)
        values = np.array([b, inf, -inf])
        if fsum(beta.tolist()) == 0:  # else the dual proves nothing
            bounded(bounds, short, error + rounding, fsum(alpha.tolist()), square, surely, values)
        return Proved(*values.tolist()), beta


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

    def __init__(
        self, kernel: Any, points: Points, flaws: Flaws, room: float = 0.0, tick: Callable[[], None] = never
    ) -> None:
        """``room``: bytes that a copy of the rows may have; ``tick`` raises OutOfTime when the time is over."""
        self.kernel, self.points, self.flaws, self._room, self._tick = kernel, points, flaws, room, tick
        self.rows, self.columns = points.X.shape
        self.symmetric = not isinstance(kernel, (Given, Precomputed))
        self.centre = centre_of(kernel, points.X)
        self._last: tuple[np.ndarray, Any] = np.empty(0), None
        self.surely = sum_room(self.rows + self.columns)  # of sums over rows or columns

    def take(self, rows: np.ndarray) -> KernelSums:
        """Those of some of the rows."""
        return KernelSums(self.kernel, self.points.take(rows), self.flaws, self._room, self._tick)

    @cached_property
    def near(self) -> Points:
        """The rows as the steps are to see them: shifted, where that is possible and they are far from zero; sparse ones with their
        zeros, where that is faster and there is room."""
        X = self.points.X
        if self.centre is not None:
            return self.kernel.points(X - self.centre, self.points.numbers)
        size = self.rows * self.columns
        if self.symmetric and sparse.issparse(X) and X.nnz > DENSE * size and 8 * size <= self._room:
            return self.points._replace(X=X.toarray())
        return self.points

    @cached_property
    def facts(self) -> Facts:
        """What is known of the kernel values of ``near``."""
        kernel, shift, surely = self.kernel, self.flaws.shift, self.surely
        if not self.symmetric:
            largest = float(kernel.diagonal(self.points).max()) * (1 + ROUGH) + shift
            return Facts(largest, 0.5 * self.flaws.asymmetry * surely, shift, surely)
        square = float(self.near.squares.max()) * surely
        if isinstance(kernel, RBF):
            each = 2 * gamma(self.columns + 12) * kernel.gamma * square
            # of a distance so inexact nothing is known of a value but that it is from 0 to 1
            return Facts(1.0 if each <= 0.25 else inf, (4 * each + 2 * gamma(8) + TINY) * surely, shift, surely)
        if isinstance(kernel, Poly):
            largest = (kernel.gamma * square + abs(kernel.coef0)) ** kernel.degree * surely
            return Facts(largest, kernel.degree * 2 * gamma(self.columns + 8) * largest * surely, shift, surely)
        # scores of shifted rows say what the bias is after a careful sum only
        largest = square if self.centre is None else inf
        return Facts(largest, 2 * gamma(self.columns + 4) * square * surely, shift, surely)

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
            self._tick()
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


def checked(kernel: Linear, points: Points) -> tuple[Linear, Points, Flaws]:
    """The kernel and its rows, a function of few rows by its values; raises ValueError if this is seen to be no kernel."""
    doubtful = isinstance(kernel, (Given, Precomputed)) or (isinstance(kernel, Poly) and kernel.coef0 < 0)
    if not doubtful:
        return kernel, points, Flaws()
    rows = len(points.numbers)
    few = np.arange(rows) if rows <= CHECKED else np.linspace(0, rows - 1, CHECKED).astype(np.intp)
    some = points.take(few)
    values = kernel.values(some, some)
    numbers = points.numbers[few]
    asymmetry, shift = _symmetric(values, values.T, numbers, numbers), _shift(values, numbers)
    if rows <= CHECKED:
        if isinstance(kernel, Given):
            kernel, points = Precomputed(), Points(values, np.empty(0), np.arange(rows))
        return kernel, points, Flaws(asymmetry, shift)
    if isinstance(kernel, Precomputed):
        asymmetry = _symmetric_in_parts(kernel, points)
    return kernel, points, Flaws(asymmetry, 0.0)


def _symmetric_in_parts(kernel: Linear, points: Points) -> float:
    parts = [slice(first, first + CHECKED) for first in range(0, len(points.numbers), CHECKED)]
    worst = 0.0
    for part in parts:
        for other in parts:
            mine, its = points.take(part), points.take(other)
            values, mirrored = kernel.values(mine, its), kernel.values(its, mine).T
            worst = max(worst, _symmetric(values, mirrored, mine.numbers, its.numbers))
    return worst


def _symmetric(values: np.ndarray, mirrored: np.ndarray, mine: np.ndarray, its: np.ndarray) -> float:
    """The largest difference of a value and its mirror image."""
    apart = np.abs(values - mirrored)
    worst = float(apart.max())
    if worst > ROUGH * float(np.abs(values).max()):
        i, j = np.unravel_index(int(np.argmax(apart)), apart.shape)
        raise ValueError(
            f"This is not a kernel: its value for rows {mine[i]} and {its[j]} is {values[i, j]:.9g}, and for rows {its[j]} and "
            f"{mine[i]} it is {mirrored[i, j]:.9g}. A kernel is symmetric."
        )
    return worst


def _shift(values: np.ndarray, numbers: np.ndarray) -> float:
    """A bound of how far eigenvalues are below zero."""
    diagonal = np.diagonal(values)
    row = int(np.argmin(diagonal))
    if diagonal[row] < 0:
        raise ValueError(
            f"This is not a kernel: it gives {diagonal[row]:.3g} for row {numbers[row]} with itself, but a kernel has no "
            "negative k(x, x). Choose another kernel."
        )
    matrix, largest = 0.5 * (values + values.T), float(np.abs(values).max())
    if largest == 0:
        return 0.0
    rounding = 4 * gamma(len(values) + 2) * float(diagonal.sum())
    for share in SHIFTS:
        push = rounding + share * largest
        shifted = matrix.copy()
        shifted[np.diag_indices_from(shifted)] += push
        if not dpotrf(shifted.T, lower=1, overwrite_a=1)[1]:
            return push + rounding
    least = float(np.linalg.eigvalsh(matrix)[0])
    raise ValueError(
        f"This is not a kernel: the matrix of its values for {len(values)} rows has an eigenvalue of {least:.3g}. The matrix of a "
        "kernel has no negative eigenvalue. Choose another kernel."
    )
