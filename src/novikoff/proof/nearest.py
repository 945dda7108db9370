"""The point of a polytope that is nearest to the origin: Wolfe's algorithm, in floats and in exact arithmetic.

The polytope is the convex hull of the rows of a matrix A.  Its nearest point x answers Gordan's alternative: if x = 0, the
weights that make x of the rows are a relation sum_i lambda_i a_i = 0, lambda >= 0; else a_i.x >= x.x > 0 for every row.

The iterate is the nearest point of the affine hull of a few affinely independent rows (the corral).  A row with a_j.x < x.x
joins them; where the new nearest point of the affine hull lies outside the convex hull, x moves towards it as far as it can
and a row whose weight thereby falls to zero leaves.  The distance falls with every step, so no corral recurs and, with
exact arithmetic, the algorithm ends.  (P. Wolfe, Finding the nearest point in a polytope, Mathematical Programming 11,
1976, 128-149.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from flint import fmpq, fmpz_mat
from scipy.linalg import qr_delete, qr_insert
from scipy.linalg.lapack import dtrtrs

from .exact import matrix, over_one_denominator, whole_numbers

ZERO = 1e-11  # rows have norms of about 1; a nearer point than this may be the origin itself: exact arithmetic must tell
REFRESH = 64  # updates of a QR decomposition before it is made anew


class Nearest(NamedTuple):
    """Where the algorithm stopped.  ``ended``: "apart" (every row has a_i.x >= share x.x), "near" (x cannot be told from
    0), "stuck" (rounding stops any progress)."""

    ended: str
    x: np.ndarray
    corral: list[int]
    weights: np.ndarray


def nearest_point(
    A: np.ndarray, share: float, corral: list[int], weights: np.ndarray, tick: Callable[[], None]
) -> Nearest:
    """Wolfe's algorithm in floats, from this corral (empty: from the shortest row) until a_i.x >= share x.x everywhere."""
    if not corral:
        corral, weights = [int(np.argmin(np.einsum("ij,ij->i", A, A)))], np.ones(1)
    state = _Corral(A, list(corral), weights)
    smallest = np.inf
    while True:
        tick()
        x = state.weights @ A[state.rows]
        square = float(x @ x)
        leads = A @ x
        worst = int(np.argmin(leads))
        if leads[worst] >= share * square and leads[worst] > 0:
            return Nearest("apart", x, state.rows, state.weights)
        if square <= ZERO**2:
            return Nearest("near", x, state.rows, state.weights)
        if square >= smallest or worst in state.rows or len(state.rows) > A.shape[1] or not state.join(worst):
            return Nearest("stuck", x, state.rows, state.weights)
        smallest = square
        if not state.settle():
            return Nearest("stuck", x, state.rows, state.weights)


class _Corral:
    """The rows of the corral, their weights, and the QR decomposition of the columns (1, a_i).

    Its nearest point minimises |A' m|^2 with sum m = 1.  With (1, A)' = Q R that is m = u / sum u, R u = (first row of Q):
    one triangular system, not the squared condition of A A'.
    """

    def __init__(self, A: np.ndarray, rows: list[int], weights: np.ndarray) -> None:
        self.A, self.rows, self.weights = A, rows, weights
        self._decompose()

    def _decompose(self) -> None:
        columns = np.vstack([np.ones(len(self.rows)), self.A[self.rows].T])
        self.Q, self.R = np.linalg.qr(columns)
        self.updates = 0

    def join(self, row: int) -> bool:
        """Take a row in, with weight 0; False where it is not affinely independent of the others, to rounding."""
        self.rows = [*self.rows, row]
        self.weights = np.append(self.weights, 0.0)
        place = len(self.rows) - 1
        try:
            column = np.append(1.0, self.A[row])
            self.Q, self.R = qr_insert(self.Q, self.R, column, place, which="col", check_finite=False)
        except np.linalg.LinAlgError:
            return False
        self._count_update()
        return True

    def leave(self, place: int) -> None:
        self.rows = self.rows[:place] + self.rows[place + 1 :]
        self.weights = np.delete(self.weights, place)
        self.Q, self.R = qr_delete(self.Q, self.R, place, 1, which="col", check_finite=False)
        self.Q, self.R = self.Q[:, : len(self.rows)], self.R[: len(self.rows)]
        self._count_update()

    def _count_update(self) -> None:
        self.updates += 1
        if self.updates >= REFRESH:
            self._decompose()

    def settle(self) -> bool:
        """Move to the nearest point of the affine hull, rows leaving on the way; False where rounding prevents it."""
        while True:
            solution, failed = dtrtrs(self.R, self.Q[0])
            total = solution.sum()
            if failed or not np.isfinite(total) or total == 0:
                return False
            aims = solution / total
            if aims.min() > 0:
                self.weights = aims
                return True
            outside = np.flatnonzero(aims <= 0)
            share = self.weights[outside]
            steps = np.divide(share, share - aims[outside], out=np.zeros(outside.size), where=share > 0)
            step = steps.min()
            if not np.isfinite(step) or len(self.rows) == 1:
                return False
            self.weights = np.maximum(self.weights + step * (aims - self.weights), 0.0)
            self.leave(int(outside[np.argmin(steps)]))
            self.weights /= self.weights.sum()


class ExactNearest(NamedTuple):
    """``x`` (up to a positive factor), all zero if the origin is in the hull, and the corral with its positive weights."""

    x: list[int]
    corral: list[int]
    weights: list[int]


def exact_nearest_point(
    rows: np.ndarray, corral: list[int], weights: np.ndarray, tick: Callable[[], None]
) -> ExactNearest:
    """Wolfe's algorithm on rows of whole numbers, from this corral and about these weights, until a_i.x > 0 for every row
    or x = 0."""
    A = matrix(rows)
    try:
        places, shares = _settle(rows, *_start(corral, weights), tick)
    except ZeroDivisionError:  # the corral of the float algorithm is affinely dependent
        places, shares = [0], [fmpq(1)]
    while True:
        x, square = _combine(rows, places, shares)
        if square == 0:
            return ExactNearest(x, places, over_one_denominator(shares))
        tick()
        leads = (A * fmpz_mat(len(x), 1, x)).entries()
        worst = min(range(len(leads)), key=leads.__getitem__)
        if leads[worst] > 0:
            return ExactNearest(x, places, over_one_denominator(shares))
        places, shares = _settle(rows, [*places, worst], [*shares, fmpq(0)], tick)


def _start(corral: list[int], weights: np.ndarray) -> tuple[list[int], list[fmpq]]:
    """The corral of the float algorithm, its weights as fractions; without one, the first row."""
    whole = [int(number) for number in whole_numbers(weights)[0]] if corral else [1]
    total = sum(whole)
    kept = [(place, fmpq(number, total)) for place, number in zip(corral or [0], whole, strict=True) if number > 0]
    return [place for place, _ in kept], [share for _, share in kept]


def _settle(
    rows: np.ndarray, places: list[int], shares: list[fmpq], tick: Callable[[], None]
) -> tuple[list[int], list[fmpq]]:
    """Move to the nearest point of the affine hull, rows leaving on the way."""
    while True:
        tick()
        aims = _affine_minimiser(rows, places)
        if min(aims) > 0:
            return places, aims
        step = min(share / (share - aim) for share, aim in zip(shares, aims, strict=True) if aim <= 0)
        moved = [share + step * (aim - share) for share, aim in zip(shares, aims, strict=True)]
        left = [place for place, share in enumerate(moved) if share > 0]
        places, shares = [places[i] for i in left], [moved[i] for i in left]


def _combine(rows: np.ndarray, places: list[int], shares: list[fmpq]) -> tuple[list[int], int]:
    """sum_i shares_i a_i up to a positive factor, and its square."""
    whole = over_one_denominator(shares)
    x = [int(entry) for entry in (fmpz_mat(1, len(whole), whole) * matrix(rows[places])).entries()]
    return x, sum(number * number for number in x)


def _affine_minimiser(rows: np.ndarray, places: list[int]) -> list[fmpq]:
    """Weights m, sum m = 1, of the nearest point of the affine hull: (A A' + 1 1') u = 1, m = u / sum u."""
    chosen = matrix(rows[places])
    count = len(places)
    gram = chosen * chosen.transpose()
    ones = fmpz_mat(count, 1, [1] * count)
    solved = (gram + ones * ones.transpose()).solve(ones).entries()
    total = sum(solved, fmpq(0))
    return [number / total for number in solved]
