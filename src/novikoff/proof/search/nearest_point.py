"""The point of a polytope that is nearest to the origin: Wolfe's algorithm, in floats and in exact arithmetic.

The polytope is the convex hull of the rows of a matrix A.  Its nearest point x answers Gordan's alternative: if x = 0, the
weights that make x of the rows are a relation sum_i m_i a_i = 0, m >= 0; else a_i.x >= x.x > 0 for every row.

The iterate is the nearest point of the affine hull of a few affinely independent rows (the corral).  A row with a_j.x < x.x
joins them; where the new nearest point of the affine hull lies outside the convex hull, x moves towards it as far as it can
and a row whose weight thereby falls to zero leaves.  The distance falls with every step, so no corral recurs and, with
exact arithmetic, the algorithm ends.  (P. Wolfe, Finding the nearest point in a polytope, Mathematical Programming 11,
1976, 128-149.)

The weights may be bound by more than sum_i m_i = 1.  With linear conditions sum_i m_i g_i = h the multipliers t of those
replace x.x: a row joins if a_j.x < g_j.t, and x.x = h.t at the nearest point.  An intercept that is not part of the norm is
such a condition (``widest_margin``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from flint import fmpq, fmpz_mat
from scipy.linalg import qr_delete
from scipy.linalg.lapack import dtrtrs

from ..arithmetic.exact import common_denominator, matrix, solve, whole_numbers

ZERO = 1e-14  # rows have norms of about 1: what is nearer is rounding, and exact arithmetic must tell
AT_ONCE = 1 << 28  # multiplications of one panel of a QR decomposition, about
REFRESH = 64  # updates of a QR decomposition before it is made anew
NARROW, MOST_TURNED = (
    2,
    1000,
)  # rows of so many times their number of columns are turned; of more, one step would take long
TURNED_AT_ONCE = 8  # times as many columns as rows
FEW = 4  # a corral of less than this part of the rows is copied rather than all rows gone through
EPSILON = 2.0**-52  # a column of which no more is left by the others is one of their combinations, to rounding


class Nearest(NamedTuple):
    """Where the algorithm stopped.

    ``ended``: "apart" (every row is as close as asked to a_i.x >= g_i.t), "near" (x cannot be told from 0), "stuck" (rounding
    stops any progress).
    """

    ended: str
    x: np.ndarray
    multipliers: np.ndarray
    corral: list[int]
    weights: np.ndarray


def nearest_point(
    A: np.ndarray,
    share: float,
    corral: list[int],
    weights: np.ndarray,
    tick: Callable[[], None],
    conditions: np.ndarray | None = None,
    sums: np.ndarray | None = None,
    zero: float = ZERO,
) -> Nearest:
    """Wolfe's algorithm in floats, until a_i.x >= g_i.t - (1 - share) x.x for every row.

    It goes on from a corral and its weights; an empty one means the shortest row.  ``conditions`` has a row g_i for every
    row of A, ``sums`` is h: together sum_i m_i = 1 unless told.  x is "near" the origin within ``zero``.
    """
    G = np.ones((len(A), 1)) if conditions is None else conditions
    h = np.ones(1) if sums is None else sums
    if not corral:
        corral, weights = [int(np.argmin(np.einsum("ij,ij->i", A, A)))], np.ones(1)
    if NARROW * len(A) <= A.shape[1] and len(A) <= MOST_TURNED:
        turned = nearest_point(_turned(A, tick), share, corral, weights, tick, G, h, zero)
        return turned._replace(x=_combined(A, turned.corral, turned.weights))
    state = _Corral(A, G, h, corral, weights, tick)
    smallest = np.inf
    moved = state.settle()
    while True:
        tick()
        x = _combined(A, state.rows, state.weights)
        square = float(x @ x)
        multipliers = state.multipliers(x)
        over = A @ x - G @ multipliers
        worst = int(np.argmin(over))
        ended = ""
        if over[worst] > (share - 1) * square and square > 0:
            ended = "apart"
        elif square <= zero**2:
            ended = "near"
        elif not moved or square >= smallest or worst in state.rows or not state.join(worst):
            ended = "stuck"
        if ended:
            return Nearest(ended, x, multipliers, state.rows, state.weights)
        smallest = square
        moved = state.settle()


def _turned(A: np.ndarray, tick: Callable[[], None]) -> np.ndarray:
    """As many columns as rows, whose products with each other are those of the rows of A: rows that are turned into the space that they
    span.  Of A = L Q', some columns after others."""
    count, columns = A.shape
    R = np.empty((0, count))
    for start in range(0, columns, TURNED_AT_ONCE * count):
        tick()
        R = np.asarray(np.linalg.qr(np.vstack([R, A[:, start : start + TURNED_AT_ONCE * count].T]), mode="r"))
    return np.ascontiguousarray(R.T)


def _combined(A: np.ndarray, rows: list[int], weights: np.ndarray) -> np.ndarray:
    """The sum of these rows of A, by weight."""
    if FEW * len(rows) < len(A):
        return weights @ A[rows]
    all_weights = np.zeros(len(A))
    all_weights[rows] = weights
    return all_weights @ A


class _Corral:
    """The rows of the corral, their weights m, and the QR decomposition of the columns (g_i, a_i).

    The nearest point minimises |A' m|^2 with G' m = h.  With (G, A)' = Q R and Q_g the first rows of Q, those of G, that is
    R m = Q_g' s with (Q_g Q_g') s = h: one triangular system, not the squared condition of A A'.  The multipliers solve
    g_i.t = a_i.x for the rows of the corral.
    """

    def __init__(
        self,
        A: np.ndarray,
        G: np.ndarray,
        h: np.ndarray,
        rows: list[int],
        weights: np.ndarray,
        tick: Callable[[], None],
    ) -> None:
        self.A, self.G, self.h, self.rows, self.weights, self.tick = A, G, h, list(rows), weights, tick
        size = h.size + A.shape[1]
        most = max(len(rows), min(len(A), size))
        self._Q, self._R = np.empty((size, most), order="F"), np.zeros((most, most), order="F")  # taken as they fill
        self._decompose()

    @property
    def Q(self) -> np.ndarray:
        return self._Q[:, : len(self.rows)]

    @property
    def R(self) -> np.ndarray:
        return self._R[: len(self.rows), : len(self.rows)]

    def _column(self, rows: list[int] | int) -> np.ndarray:
        return np.concatenate([self.G[rows].T, self.A[rows].T])

    def _decompose(self) -> None:
        by_panels(lambda first, last: self._column(self.rows[first:last]), self.Q, self.R, self.tick)
        self.updates = 0

    def join(self, row: int) -> bool:
        """Take a row in, with weight 0; False where there is no room for it, to rounding.

        What the others have of its column is taken off twice, which is enough (``by_panels``)."""
        if len(self.rows) >= self._Q.shape[1]:
            return False
        column, Q, count = self._column(row), self.Q, len(self.rows)
        first = Q.T @ column
        left = column - Q @ first
        second = Q.T @ left
        left -= Q @ second
        norm = float(np.linalg.norm(left))
        if norm <= EPSILON * float(np.linalg.norm(column)):
            return False
        self._Q[:, count] = left / norm
        self._R[:count, count], self._R[count, count] = first + second, norm
        self._R[count, :count] = 0.0
        self.rows = [*self.rows, row]
        self.weights = np.append(self.weights, 0.0)
        self._count_update()
        return True

    def leave(self, place: int) -> None:
        Q, R = qr_delete(self.Q, self.R, place, 1, which="col", overwrite_qr=True, check_finite=False)
        self.rows = self.rows[:place] + self.rows[place + 1 :]
        self.weights = np.delete(self.weights, place)
        for old, new in ((self.Q, Q[:, : len(self.rows)]), (self.R, R[: len(self.rows)])):
            if not np.may_share_memory(old, new):
                old[:] = new
        self._count_update()

    def _count_update(self) -> None:
        self.updates += 1
        if self.updates >= REFRESH:
            self._decompose()

    def settle(self) -> bool:
        """Move to the nearest point of the affine hull, rows leaving on the way; False where rounding prevents it."""
        while True:
            self.tick()
            aims = self._aims()
            if aims is None:
                return False
            if aims.min() > 0:
                self.weights = aims
                return True
            outside = np.flatnonzero(aims <= 0)
            share = self.weights[outside]
            steps = np.divide(share, share - aims[outside], out=np.zeros(outside.size), where=share > 0)
            if len(self.rows) == 1:
                return False
            self.weights = np.maximum(self.weights + steps.min() * (aims - self.weights), 0.0)
            self.leave(int(outside[np.argmin(steps)]))

    def multipliers(self, x: np.ndarray) -> np.ndarray:
        if self.h.size == 1:
            return np.array([x @ x])
        return np.linalg.lstsq(self.G[self.rows], self.A[self.rows] @ x, rcond=None)[0]

    def _aims(self) -> np.ndarray | None:
        """The weights of the nearest point of the affine hull."""
        top = self.Q[: self.h.size]
        if self.h.size == 1:
            inner = self.h / float(top[0] @ top[0])
        else:
            inner = np.linalg.lstsq(top @ top.T, self.h, rcond=None)[0]
        solution, failed = dtrtrs(self._R[:, : len(self.rows)], top.T @ inner)
        return None if failed or not np.isfinite(solution).all() else solution


def by_panels(
    columns: Callable[[int, int], np.ndarray], Q: np.ndarray, R: np.ndarray, tick: Callable[[], None]
) -> None:
    """The QR decomposition of a matrix, whose columns from a first to a last are asked for, into Q and R; some columns at a time so
    that no step takes long, nor much room: block Gram-Schmidt, each panel made orthogonal to those before it twice, which is as good as
    Householder's unless columns are dependent to rounding (J. L. Barlow and A. Smoktunowicz, Reorthogonalized block classical
    Gram-Schmidt, Numerische Mathematik 123, 2013)."""
    size, count = Q.shape
    step = max(1, AT_ONCE // max(1, size * count))
    R[:] = 0.0
    for start in range(0, count, step):
        end = min(start + step, count)
        panel = columns(start, end)
        if start == 0:
            Q[:, :end], R[:end, :end] = np.linalg.qr(panel)
            continue
        tick()
        before = Q[:, :start]
        first = before.T @ panel
        panel, inner = np.linalg.qr(panel - before @ first)
        second = before.T @ panel
        Q[:, start:end], outer = np.linalg.qr(panel - before @ second)
        R[:start, start:end] = first + second @ inner
        R[start:end, start:end] = outer @ inner


class ExactNearest(NamedTuple):
    """``x`` (up to a positive factor), all zero if the origin is in the hull; the corral with its positive weights; the
    multipliers, in the scale of x."""

    x: list[int]
    corral: list[int]
    weights: list[fmpq]
    multipliers: list[fmpq]


class ExactRows:
    """Rows of whole numbers with the conditions on their weights: sum_i m_i g_i = h.

    The product of two vectors is sum_j metric_j a_j x_j, with positive whole numbers, all 1 unless told.
    """

    def __init__(
        self,
        rows: np.ndarray,
        conditions: np.ndarray | None = None,
        sums: list[int] | None = None,
        metric: np.ndarray | None = None,
    ) -> None:
        self.rows, self.measured = rows, rows if metric is None else rows * metric
        self.A = matrix(self.measured)
        self.G = np.ones((len(rows), 1), dtype=object) if conditions is None else conditions
        self.h = [1] if sums is None else sums

    def minimiser(self, places: list[int], tick: Callable[[], None]) -> tuple[list[fmpq], list[fmpq]]:
        """Weights m and multipliers t of the nearest point of the affine hull: A A' m = G t, G' m = h."""
        chosen, g = matrix(self.rows[places]), self.G[places]
        count, more = g.shape
        gram = (matrix(self.measured[places]) * chosen.transpose()).tolist()
        table = [[*gram[i], *(-number for number in g[i])] for i in range(count)]
        table += [[*g[:, j], *[0] * more] for j in range(more)]
        right = np.array([0] * count + self.h, dtype=object)[:, None]
        whole, denominator = solve(np.array(table, dtype=object), right, tick)
        solved = [fmpq(int(number), denominator) for number in whole[:, 0]]
        return solved[:count], solved[count:]

    def combine(self, places: list[int], shares: list[fmpq]) -> tuple[list[int], int]:
        """The smallest whole numbers along sum_i shares_i a_i, up to a factor, and that factor."""
        denominator = common_denominator(shares)
        whole = [int(share * denominator) for share in shares]
        x = [int(entry) for entry in (fmpz_mat(1, len(whole), whole) * matrix(self.rows[places])).entries()]
        return x, denominator

    def over(self, x: list[int], multipliers: list[fmpq]) -> list[fmpq]:
        """a_i.x - g_i.t for every row."""
        leads = (self.A * fmpz_mat(len(x), 1, x)).entries()
        return [
            lead - sum((g * t for g, t in zip(row, multipliers, strict=True)), fmpq(0))
            for lead, row in zip(leads, self.G.tolist(), strict=True)
        ]


def exact_nearest_point(
    rows: ExactRows,
    corral: list[int],
    weights: np.ndarray | list[fmpq],
    tick: Callable[[], None],
    to_the_end: bool = False,
    begin: list[int] | None = None,
) -> ExactNearest:
    """Wolfe's algorithm in exact arithmetic, from this corral and about these weights, until x = 0 or a_i.x > 0 for every
    row; or ``to_the_end``, until a_i.x >= g_i.t for every row.

    Where the corral, as floats may leave it, is dependent, it begins anew with rows that must do: the first, or those in
    ``begin``, with equal weights.
    """
    begin = begin or [0]
    equal = [fmpq(1, len(begin))] * len(begin)
    try:
        places, shares, multipliers = _settle(rows, *_start(corral, weights) if corral else (begin, equal), tick)
    except ZeroDivisionError:
        places, shares, multipliers = _settle(rows, begin, equal, tick)
    while True:
        x, denominator = rows.combine(places, shares)
        multipliers = [number * denominator for number in multipliers]
        found = ExactNearest(x, places, shares, multipliers)
        if not any(x):
            return found
        tick()
        over = rows.over(x, multipliers if to_the_end else [fmpq(0)] * len(multipliers))
        worst = min(range(len(over)), key=over.__getitem__)
        if over[worst] >= 0 if to_the_end else over[worst] > 0:
            return found
        places, shares, multipliers = _settle(rows, [*places, worst], [*shares, fmpq(0)], tick)


def _start(corral: list[int], weights: np.ndarray | list[fmpq]) -> tuple[list[int], list[fmpq]]:
    """A corral with its weights as fractions; those of floats sum to 1."""
    shares = weights
    if isinstance(weights, np.ndarray):
        whole = [int(number) for number in whole_numbers(weights)[0]]
        shares = [fmpq(number, sum(whole)) for number in whole]
    kept = [(place, share) for place, share in zip(corral, shares, strict=True) if share > 0]
    return [place for place, _ in kept], [share for _, share in kept]


def _settle(
    rows: ExactRows, places: list[int], shares: list[fmpq], tick: Callable[[], None]
) -> tuple[list[int], list[fmpq], list[fmpq]]:
    """Move to the nearest point of the affine hull, rows leaving on the way."""
    while True:
        tick()
        aims, multipliers = rows.minimiser(places, tick)
        if min(aims) > 0:
            return places, aims, multipliers
        step = min(share / (share - aim) for share, aim in zip(shares, aims, strict=True) if aim <= 0)
        moved = [share + step * (aim - share) for share, aim in zip(shares, aims, strict=True)]
        left = [place for place, share in enumerate(moved) if share > 0]
        places, shares = [places[i] for i in left], [moved[i] for i in left]
