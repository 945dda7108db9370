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

Scores are summed again from beta, once the steps have ended (``KernelSums.proved``): in float64, and where that does not prove enough and is not
too slow, in the longest floats there are.  The gap is a sum over rows, to which a row adds nothing if alpha is at the bound of the side of the margin that
the row is on (``_sides``).  So of the steps' own scores in float32, with bounds of their errors, only those that leave a doubt are made again.  A matrix of
all kernel values has one bound K of all values and one bound t of their errors (``KernelFacts``).

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

from ..checks.arrays import parts
from ..compiled.jit import helper, kernel
from ..dual.kernels import RBF, KernelFunction, Linear, Points, Poly, Precomputed
from ..system.clock import never
from ..system.rounding_error import UNIT, gamma, not_below, sum_room, unit_of
from .audit import relative_gap
from .balance import balanced
from .objectives import Hinge
from .shifted_rows import far_centre

LONG = 20_000_000  # multiplications in long floats
AT_ONCE = 256  # rows whose kernel values are made at once
TINY = 1e-300  # exponentials below it may be zero
MOST_IN_DOUBT = 0.8  # of the rows: scores of so many, summed again, take less time than those of all
NEARLY = 2.0  # times the tolerance: a gap that more steps close, not more careful sums
CHECKED = 2000  # rows whose matrix is looked at as a whole
ROUGH = 1e-6  # of the largest value: the largest error that is taken for rounding
SHIFTS = (0.0, 1e-12, 1e-9, ROUGH)  # of the largest value
# of all numbers: from so many non-zeros on, products of rows with zeros are faster than those of sparse rows
DENSE = 0.05


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


class Attempt(NamedTuple):
    """What is proved of a beta that is in balance, and its scores (of shifted rows, without what the bias takes up)."""

    answer: Proved
    beta: np.ndarray
    scores: np.ndarray
    error: np.ndarray  # that scores may have
    cost: np.ndarray  # what rows add to the gap at most


class KernelSides(NamedTuple):
    """The best bias, what the objective is not below and not above, and what rows add to the gap at most."""

    b: float
    low: float
    high: float
    cost: np.ndarray


class Flaws(NamedTuple):
    """What rounding has left in a matrix of kernel values."""

    asymmetry: float = 0.0  # the largest difference of the values of x with z and of z with x
    shift: float = 0.0  # no eigenvalue is below its negative


class KernelFacts(NamedTuple):
    """What is known of all kernel values."""

    largest: float  # none is above it; infinite where that would prove nothing
    entry: float  # none errs by more
    shift: float  # that of ``Flaws``
    surely: float  # room for the rounding of sums


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
        self.symmetric = not isinstance(kernel, (KernelFunction, Precomputed))
        self.centre = centre_of(kernel, points.X)
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
    def facts(self) -> KernelFacts:
        """What is known of the kernel values of ``near``."""
        return self.facts_in(UNIT)

    def facts_in(self, unit: float) -> KernelFacts:
        """The same in floats of this unit."""
        kernel, shift, surely = self.kernel, self.flaws.shift, self.surely
        if not self.symmetric:
            largest = float(kernel.diagonal(self.points).max()) * (1 + ROUGH) + shift
            return KernelFacts(largest, (0.5 * self.flaws.asymmetry + (unit - UNIT) * largest) * surely, shift, surely)
        square = float(self.near.squares.max()) * surely
        if isinstance(kernel, RBF):
            each = 2 * gamma(self.columns + 12, unit) * kernel.gamma * square
            # of a distance so inexact nothing is known of a value but that it is from 0 to 1
            return KernelFacts(
                1.0 if each <= 0.25 else inf, (4 * each + 2 * gamma(8, unit) + TINY) * surely, shift, surely
            )
        if isinstance(kernel, Poly):
            largest = (kernel.gamma * square + abs(kernel.coef0)) ** kernel.degree * surely
            return KernelFacts(
                largest, kernel.degree * 2 * gamma(self.columns + 8, unit) * largest * surely, shift, surely
            )
        # scores of shifted rows say what the bias is after a careful sum only
        largest = square if self.centre is None else inf
        return KernelFacts(largest, 2 * gamma(self.columns + 4, unit) * square * surely, shift, surely)

    def proved(
        self,
        beta: np.ndarray,
        signs: np.ndarray,
        bounds: np.ndarray,
        tol: float,
        known: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> Attempt:
        """What is proved of beta, put in balance: as careful as it takes to prove ``tol``.

        ``known``: scores of beta and bounds of their errors, if there are any already.  Where those leave no doubt on which side of its margin a
        row is, and the row is at the bound of that side, it adds nothing to the gap; the other scores are made again.
        """
        alpha = balanced(beta * signs, signs)
        if known is not None:
            found = self.rough(beta, signs, bounds, *known)
            doubt = np.flatnonzero(found.cost > 0)
            if 2 * doubt.size >= self.rows:  # P is worth as much care then: the rows left out cost nothing
                doubt = np.flatnonzero((found.cost > 0) | (alpha > 0))
            few = doubt.size < MOST_IN_DOUBT * self.rows
            if found.answer.gap > tol and few:
                scores, error = known[0].copy(), found.error
                scores[doubt], error[doubt], _ = self._sums(alpha * signs, np.float64, doubt)
                found = self.rough(alpha * signs, signs, bounds, scores, error)
            if found.answer.gap <= tol or (
                few and found.answer.gap <= NEARLY * tol
            ):  # (what is missing then are steps)
                return found
        beta = alpha * signs
        linear = type(self.kernel) is Linear
        work = self.rows * self.columns * (1 if linear else max(1, np.count_nonzero(beta)))
        best: Attempt | None = None
        for kind in (np.float64, np.longdouble) if work <= LONG else (np.float64,):
            plain, error, offset = self._linear(beta, kind) if linear else self._sums(beta, kind)
            sides = self._sides(alpha, signs, bounds, plain, error, offset, kind)
            dual = sides.low - float(sides.cost.sum()) * self.surely
            answer = Proved(sides.b, sides.high, dual if fsum(beta.tolist()) == 0 else -inf)
            if best is None or answer.gap < best.answer.gap:
                best = Attempt(answer, beta, plain.astype(float), error, sides.cost)
            if best.answer.gap <= tol:
                break
        assert best is not None
        return best

    def rough(
        self, beta: np.ndarray, signs: np.ndarray, bounds: np.ndarray, scores: np.ndarray, error: np.ndarray
    ) -> Attempt:
        """What is known of beta, put in balance, if its scores are, except for these errors.  P is then what it is about."""
        alpha = balanced(beta * signs, signs)
        moved = float(np.abs(beta - alpha * signs).sum())
        error = (error + moved * self.facts.largest) * self.surely if moved else error
        sides = self._sides(alpha, signs, bounds, scores, error, 0.0, np.float64)
        primal = 0.5 * (sides.low + sides.high)
        far = float(sides.cost.sum()) * self.surely
        dual = primal - primal * (far / sides.low + 4 * UNIT) if 0 < sides.low < inf and far < inf else -inf
        return Attempt(Proved(sides.b, primal, dual), alpha * signs, scores, error.copy(), sides.cost)

    def _sides(
        self,
        alpha: np.ndarray,
        signs: np.ndarray,
        bounds: np.ndarray,
        plain: np.ndarray,
        error: np.ndarray,
        offset: Any,
        kind: Any,
    ) -> KernelSides:
        """Both sides of the gap, by scores that err by at most ``error``: with the slacks ``s_i = 1 - y_i (f_i + b)``, which may be negative,

            P - D = sum_i (C_i - alpha_i) max(0, s_i) + alpha_i max(0, -s_i) ,

        and each term is largest at one end of what s_i may be."""
        scores, beta, surely = plain.astype(float), alpha * signs, self.surely
        b = float(Hinge(signs[None], bounds).best_bias(scores[:, None], np.zeros(1))[0] - offset)
        away = abs(b) + abs(float(offset))
        error = error + 2 * gamma(8, unit_of(kind)) * (1.0 + np.abs(scores) + away) + self.flaws.shift * alpha
        short = (1 - signs * (plain + (b + offset))).astype(float)
        low, high = short - error, short + error
        cost = np.maximum(*((bounds - alpha) * np.maximum(s, 0) + alpha * np.maximum(-s, 0) for s in (low, high)))
        square = float(beta.astype(kind) @ (plain + offset))  # (beta adds up to zero)
        around = float(alpha @ error) + 2 * gamma(alpha.size + 4) * float(alpha @ (np.abs(scores) + away))
        square_low, square_high = (max(0.0, square + sign * around * surely) for sign in (-1, 1))
        primal = (
            0.5 * square_low + float(bounds @ np.maximum(low, 0)),
            0.5 * square_high + float(bounds @ np.maximum(high, 0)),
        )
        return KernelSides(b, primal[0] / surely**2, primal[1] * surely**2, cost)

    def _sums(self, beta: np.ndarray, kind: Any, some: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray, Any]:
        """``sum_j beta_j k(x_i, x_j)`` of every row, or of some, bounds of their errors, and what they lack (nothing).  The value of two of these
        rows with beta != 0 is made once for both."""
        asked = np.ones(self.rows, bool) if some is None else np.zeros(self.rows, bool)
        asked[some if some is not None else slice(0)] = True
        both, rest = np.flatnonzero(asked & (beta != 0)), np.flatnonzero(asked & (beta == 0))
        held = np.concatenate([both, np.flatnonzero(~asked & (beta != 0))])
        points = self._points(kind)
        support = points.take(held)
        size = np.abs(beta[held])
        weights = np.stack([beta[held], size, size * (support.squares if support.squares.size else 1)], axis=1).astype(
            kind
        )
        sums = np.zeros((self.rows, 3), kind)
        for begin in range(0, both.size, AT_ONCE):
            self._tick()
            part = slice(begin, min(begin + AT_ONCE, both.size))
            own = support.take(part)
            for other in (slice(part.stop if self.symmetric else both.size), slice(both.size, held.size)):
                values = self.kernel.values(own, support.take(other))
                sums[both[part]] += values @ weights[other]
                if self.symmetric and other.start is None and begin:
                    sums[both[:begin]] += values[:, :begin].T @ weights[part]
        for part in parts(rest.size if held.size else 0, AT_ONCE):
            self._tick()
            sums[rest[part]] = self.kernel.values(points.take(rest[part]), support) @ weights
        terms = held.size + held.size // AT_ONCE + 5
        size, off = self._off(points.squares.astype(float), sums[:, 1:].astype(float), float(np.abs(beta).sum()), kind)
        error = (2 * gamma(terms, unit_of(kind)) * size + off) * self.surely
        every = slice(None) if some is None else some
        return sums[every, 0], error[every], kind(0)

    def _points(self, kind: Any) -> Points:
        """The rows in floats of this kind."""
        if kind is np.float64:
            return self.near
        X = self.points.X.toarray() if sparse.issparse(self.points.X) else self.points.X
        X = X.astype(kind) if self.centre is None else X.astype(kind) - self.centre.astype(kind)
        return self.kernel.points(X, self.points.numbers)

    def _off(self, squares: np.ndarray, sizes: np.ndarray, total: float, kind: Any) -> tuple[np.ndarray, np.ndarray]:
        """``sum_j |beta_j k_ij|`` of every row, not below the truth, and what its score may err by because kernel values do.  ``sizes``: sums of
        ``|beta_j| k_ij`` and of ``|beta_j| k_ij |x_j|^2``; ``total``: the sum of all |beta|."""
        kernel, unit = self.kernel, unit_of(kind)
        if isinstance(kernel, RBF):
            each = 2 * gamma(self.columns + 12, unit) * kernel.gamma
            off = 2 * each * (squares * sizes[:, 0] + sizes[:, 1]) + 2 * gamma(8, unit) * sizes[:, 0] + TINY * total
            # of a distance so inexact nothing is known of a value but that it is from 0 to 1
            return sizes[:, 0], np.where(each * (squares + squares.max()) > 0.5, total, off)
        if isinstance(kernel, Poly):
            lengths = np.sqrt(squares) * self.surely
            size = (kernel.gamma * lengths * lengths.max() + abs(kernel.coef0)) ** kernel.degree * total
            return size, kernel.degree * 2 * gamma(self.columns + 8, unit) * size
        return np.full(len(sizes), self.facts.largest * total), np.full(len(sizes), 0.5 * self.flaws.asymmetry * total)

    def _linear(self, beta: np.ndarray, kind: Any) -> tuple[np.ndarray, np.ndarray, Any]:
        """The same by the weights ``w = sum_j beta_j x_j``; what the scores of shifted rows lack is ``w.centre``."""
        held, unit = np.flatnonzero(beta), unit_of(kind)
        centre = np.zeros(self.columns) if self.centre is None else self.centre
        X = self.points.X.astype(kind, copy=False)
        X = X if self.centre is None else X - centre.astype(kind)
        lengths = row_norms(X.astype(np.float64, copy=False)) * self.surely
        away = float(np.linalg.norm(centre)) * self.surely
        w = X[held].T @ beta[held].astype(kind)  # (beta adds up to zero)
        error = 2 * gamma(held.size + 4, unit) * float(np.abs(beta[held]) @ lengths[held]) * self.surely
        length = float(np.linalg.norm(w.astype(np.float64))) * self.surely
        each = 2 * gamma(self.columns + 4, unit) * length + error
        return X @ w, each * (lengths + away) * self.surely, w @ centre.astype(kind)

    def single_errors(self) -> np.ndarray:
        """Of "rbf": what part of a kernel value of each row ``values`` may err by in float32, of rows rounded to it.

        In units of float32, rounding rows, squares, products and sums moves ``|x - z|^2`` by at most d + 10 times ``|x|^2 + |z|^2``, and
        multiplying by gamma and reducing the exponent by 12 times as much; the series errs by 8.
        """
        squares = self.near.squares * self.surely
        unit = unit_of(np.float32)
        return np.expm1(self.kernel.gamma * gamma(self.columns + 22, unit) * (squares + squares.max())) + 10 * unit


def checked(kernel: Linear, points: Points) -> tuple[Linear, Points, Flaws]:
    """The kernel and its rows, a function of few rows by its values; raises ValueError if this is seen to be no kernel."""
    doubtful = isinstance(kernel, (KernelFunction, Precomputed)) or (isinstance(kernel, Poly) and kernel.coef0 < 0)
    if not doubtful:
        return kernel, points, Flaws()
    rows = len(points.numbers)
    few = np.arange(rows) if rows <= CHECKED else np.linspace(0, rows - 1, CHECKED).astype(np.intp)
    some = points.take(few)
    values = kernel.values(some, some)
    numbers = points.numbers[few]
    asymmetry, shift = _symmetric(values, values.T, numbers, numbers), _shift(values, numbers)
    if rows <= CHECKED:
        if isinstance(kernel, KernelFunction):
            kernel, points = Precomputed(), Points(values, np.empty(0), np.arange(rows))
        return kernel, points, Flaws(asymmetry, shift)
    if isinstance(kernel, Precomputed):
        asymmetry = _symmetric_in_parts(kernel, points)
    return kernel, points, Flaws(asymmetry, 0.0)


def _symmetric_in_parts(kernel: Linear, points: Points) -> float:
    worst, rows = 0.0, len(points.numbers)
    for part in parts(rows, CHECKED):
        for other in parts(rows, CHECKED):
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
