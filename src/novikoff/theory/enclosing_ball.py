"""The smallest ball that encloses rows.

Its centre is a mean of rows, the support, with weights m > 0; it is as far from each of them as from no other row.  The
weights solve the dual problem

    r^2 = max  sum_i m_i |x_i|^2 - |sum_i m_i x_i|^2 ,   m >= 0 ,  sum_i m_i = 1 ,

so that any m bounds r from below, and any centre from above.  As in Wolfe's nearest point the support is kept affinely
independent: the farthest row joins; the weights move towards those of the circumcentre of the support; a row whose weight
falls to zero before that leaves.  The dual rises with every step, so no support recurs and in exact arithmetic the method ends.
(J. Elzinga and D. W. Hearn, The minimum covering sphere problem, Management Science 19, 1972; K. Fischer, B. Gaertner and
M. Kutz, Fast smallest-enclosing-ball computation in high dimensions, ESA 2003.)

Floats find the support; up to ``EXACT_DIM`` features the same method goes on in fractions to the exact end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import inf, nextafter, sqrt
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat
from scipy import sparse

from ..proof.arithmetic.exact import root_within
from ..proof.problem.pairs import BLOCK
from ..proof.problem.read_rows import read_rows
from ..report.html import notebook_view
from ..report.sections import Section, Table
from ..report.words import listed, number
from ..system.clock import Clock, OutOfTime, check_limit
from ..system.rounding_error import UNIT, gamma

EXACT_DIM = 20  # features; beyond, fractions take too long
MANY = 200  # rows of a support, from which on least squares would take long
CLOSE = 1e-14  # relative; a row that sticks out by no more is inside, to rounding
FLAT = 1e-24  # of the largest square; a row nearer than that to the affine hull of others is in it, to rounding


@dataclass(frozen=True)
class Ball:
    """The smallest ball that encloses rows.  Made by ``radius``.

    Attributes
    ----------
    centre : ndarray of shape (n_features,)
        Up to rounding.
    lower, upper : float
        Floats below and above the radius; if it was found exactly, they differ only by rounding.
    support : ndarray
        The numbers of rows on the sphere whose convex hull contains the centre; no smaller set of them has the same ball.
    """

    centre: np.ndarray
    lower: float
    upper: float
    support: np.ndarray

    @property
    def radius(self) -> float:
        """``upper``: never too small."""
        return self.upper

    def _repr_html_(self) -> str:
        rows = [
            ["radius", f"between {self.lower!r} and {self.upper!r}"],
            ["centre", listed([number(float(part)) for part in self.centre])],
            ["rows on the sphere that hold it", listed(self.support.tolist())],
        ]
        return notebook_view(
            [Section("The smallest ball that encloses the rows", tables=[Table(["", ""], rows, "ll")])]
        )


def radius(X: Any, *, time_limit: float | None = None) -> Ball:
    """Find the smallest ball that encloses all rows: its radius is min_c max_i |x_i - c|.

    For up to 20 features the result is exact up to one rounding; for more, it lies between two bounds that include all rounding.
    This radius is used in margin bounds that do not depend on the origin, such as Vapnik's bound for the dimension of
    separating hyperplanes with a margin.  Novikoff's theorem needs another radius, the largest norm of a row with its constant
    feature: see ``novikoff_bound``.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
        Rows.
    time_limit : float, default=None
        Seconds after which the ball found so far is returned.  ``lower`` and ``upper`` still enclose the radius, but are farther
        apart, and ``support`` is that of a smaller ball.

    Returns
    -------
    Ball
        ``centre``; ``radius``, and ``lower`` and ``upper`` that enclose it; ``support``, the numbers of at most
        n_features + 1 rows that have the same smallest ball.

    References
    ----------
    J. Elzinga, D. W. Hearn, The minimum covering sphere problem, 1972.
    E. Welzl, Smallest enclosing disks (balls and ellipsoids), 1991.
    K. Fischer, B. Gaertner, M. Kutz, Fast smallest-enclosing-ball computation in high dimensions, 2003.

    Examples
    --------
    >>> from novikoff.theory import radius
    >>> ball = radius([[0, 0], [6, 8], [3, 4], [1, 2]])
    >>> ball.centre.tolist(), ball.radius, ball.support.tolist()
    ([3.0, 4.0], 5.0, [0, 1])
    """
    points = _Points(read_rows(X))
    if points.size == 0:
        return Ball(points.origin, 0.0, 0.0, np.zeros(1, dtype=np.intp))
    clock = Clock(check_limit(time_limit))
    found = _Support(0, points.floats([0]), _solve_floats, FLAT)
    with suppress(OutOfTime):
        _enclose(found, points, clock)
        if points.origin.size <= EXACT_DIM:
            return _exact(found, points, clock)
    return _certified(found, points)


class _Points:
    """Rows, moved so that the first is the origin and scaled by a power of two to at most 1."""

    def __init__(self, X: Any) -> None:
        self.X = X
        self.step = max(1, BLOCK // X.shape[1])
        self.exponent = 0
        self.origin = self._dense(slice(0, 1))[0]
        with np.errstate(over="ignore"):
            self.size = max(float(np.abs(part).max()) for part in self._parts())
        if self.size == inf:
            raise OverflowError("Rows are farther apart than the largest float. Scale the columns.")
        self.exponent = int(np.frexp(self.size)[1])

    def floats(self, rows: Any) -> np.ndarray:
        return np.ldexp(self._dense(rows) - self.origin, -self.exponent)

    def exactly(self, rows: Any) -> np.ndarray:
        """x - origin as fractions, not scaled."""
        numbers = [[Fraction(number) for number in row] for row in self._dense(rows).tolist()]
        return np.array(numbers, dtype=object) - np.array([Fraction(number) for number in self.origin.tolist()])

    def squares(self, centre: np.ndarray) -> np.ndarray:
        """The squared distance of every row, to rounding."""
        return np.concatenate([np.einsum("ij,ij->i", part, part) for part in (each - centre for each in self._parts())])

    def _parts(self) -> Iterator[np.ndarray]:
        for start in range(0, self.X.shape[0], self.step):
            yield self.floats(slice(start, start + self.step))

    def _dense(self, rows: Any) -> np.ndarray:
        part = self.X[rows]
        return (part.toarray() if sparse.issparse(part) else part).astype(np.float64)


class _Support:
    """Affinely independent points with positive weights, in floats or in fractions."""

    def __init__(self, row: int, point: np.ndarray, solve: Callable[[np.ndarray, np.ndarray], np.ndarray], flat: float):
        self.rows, self.points, self.solve, self.flat = [row], point, solve, flat
        self.shares = np.ones(1, dtype=point.dtype)

    def circle(self) -> tuple[np.ndarray, Any]:
        """The centre, and the square of the radius: the dual's value."""
        centre = self.shares @ self.points
        away = self.points - centre
        return centre, self.shares @ (away * away).sum(axis=1)

    def join(self, row: int, point: np.ndarray) -> None:
        """Take a point from outside the circle in, and settle."""
        mixture = self._mixture(lambda edges: edges @ (point - self.points[0]))
        rest = point - mixture @ self.points
        share = self.shares[0] * 0
        if rest @ rest <= self.flat * (point @ point):  # in the affine hull: put it in the place of another
            share = min(own / part for own, part in zip(self.shares, mixture, strict=True) if part > 0)
            self._move(self.shares - share * mixture)
        self.rows = [*self.rows, row]
        self.points, self.shares = np.vstack([self.points, point]), np.append(self.shares, share)
        self._settle()

    def _settle(self) -> None:
        """Move to the circumcentre, points leaving on the way."""
        while True:
            aims = self._mixture(lambda edges: (edges * edges).sum(axis=1) / 2)
            if min(aims) > 0:
                self.shares = aims
                return
            pairs = [(own, aim) for own, aim in zip(self.shares, aims, strict=True) if aim <= 0]
            step = min(own / (own - aim) if own > aim else own for own, aim in pairs)
            self._move(self.shares + step * (aims - self.shares))

    def _move(self, shares: np.ndarray) -> None:
        """Take new weights; points without weight leave, at least one."""
        left = [place for place in range(len(shares)) if shares[place] > 0 and place != np.argmin(shares)]
        self.rows = [self.rows[place] for place in left]
        self.points, self.shares = self.points[left], shares[left]

    def _mixture(self, right: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """The weights, summing to 1, of the point q of the affine hull whose products with the edges are given."""
        edges = self.points[1:] - self.points[0]
        parts = self.solve(edges @ edges.T, right(edges))
        return np.append(1 - parts.sum(), parts) if len(parts) else self.shares * 0 + 1


def _solve_floats(gram: np.ndarray, right: np.ndarray) -> np.ndarray:
    if len(right) > MANY:  # thirty times as quick; points of the support are independent to rounding
        with suppress(np.linalg.LinAlgError):
            return np.linalg.solve(gram, right)
    return np.linalg.lstsq(gram, right, rcond=None)[0] if len(right) else right


def _solve_exactly(gram: np.ndarray, right: np.ndarray) -> np.ndarray:
    if not len(right):
        return right
    system, side = (
        fmpq_mat(len(right), columns.size // len(right), [fmpq(n.numerator, n.denominator) for n in columns.flat])
        for columns in (gram, right)
    )
    return np.array([Fraction(int(number.p), int(number.q)) for number in system.solve(side).entries()])


def _enclose(support: _Support, points: _Points, clock: Clock) -> None:
    """In floats, until every row is inside or rounding stops any progress."""
    best = -1.0
    while True:
        clock.tick()
        centre, square = support.circle()
        squares = points.squares(centre)
        farthest = int(np.argmax(squares))
        if squares[farthest] <= square * (1 + CLOSE) or square <= best or farthest in support.rows:
            return
        best = square
        support.join(farthest, points.floats([farthest])[0])


def _exact(found: _Support, points: _Points, clock: Clock) -> Ball:
    """Go on in fractions: first among the rows that floats found, then with any row outside."""
    work = list(found.rows)
    support = _Support(work[0], points.exactly([work[0]]), _solve_exactly, 0)
    while True:
        clock.tick()
        centre, square = support.circle()
        away = points.exactly(work) - centre
        squares = (away * away).sum(axis=1)
        farthest = int(np.argmax(squares))
        if squares[farthest] > square:
            support.join(work[farthest], away[farthest] + centre)
            continue
        outside = _farthest_outside(points, centre, square)
        if outside is None:
            break
        work.append(outside)
    lower, upper = root_within(square)
    origin = [Fraction(number) for number in points.origin.tolist()]
    return Ball(np.array([float(a + b) for a, b in zip(centre, origin, strict=True)]), lower, upper, _numbers(support))


def _farthest_outside(points: _Points, centre: np.ndarray, square: Fraction) -> int | None:
    """The row farthest outside the circle, exactly; floats tell which rows may be."""
    unit = Fraction(2) ** points.exponent
    features = len(centre)
    squares = points.squares(np.array([float(number / unit) for number in centre]))
    error = 64 * features * gamma(features + 8)  # numbers are at most 1, squared distances 4 features
    rows = np.flatnonzero(squares >= float(square / unit**2) - error)
    rows = rows[np.unique(points.floats(rows), axis=0, return_index=True)[1]]
    away = points.exactly(rows) - centre
    exact = (away * away).sum(axis=1)
    worst = int(np.argmax(exact))
    return int(rows[worst]) if exact[worst] > square else None


def _certified(support: _Support, points: _Points) -> Ball:
    """The float answer, enclosed by the error of each sum (``rounding_error``); moving the rows costs each one more rounding."""
    centre, _ = support.circle()
    features, count = points.origin.size, len(support.rows)
    largest = sqrt(float(points.squares(centre).max()))
    upper = largest * (1 + gamma(features + 16))
    away, total = support.points - centre, support.shares.sum()
    dual = float(support.shares @ np.einsum("ij,ij->i", away, away)) / total * (1 - gamma(features + count + 8))
    off = float(np.linalg.norm(support.shares @ away)) / total + gamma(count + 4) * largest * sqrt(features)
    lower = max(0.0, sqrt(max(0.0, dual - off**2)) - 4 * UNIT * largest) * (1 - 4 * UNIT)
    lower, upper = (float(np.ldexp(number, points.exponent)) for number in (lower, upper))
    return Ball(
        points.origin + np.ldexp(centre, points.exponent),
        nextafter(lower, 0.0),
        nextafter(upper, inf),
        _numbers(support),
    )


def _numbers(support: _Support) -> np.ndarray:
    return np.array(sorted(support.rows), dtype=np.intp)
