"""Overlap, proved in floating point: rounding is bounded, so that nothing rests on a tolerance.

Rows z_i with signs y_i overlap if positive numbers l_i on rows that span the space have sum_i l_i y_i z_i = 0 (Stiemke 1915).  Floats
find l only about, and a sum of floats is not exactly 0.  That an exact l is near is proved as follows.

Let T be any square matrix, G = Z T, and A the rows on which the floats l are positive.  If the smallest singular value s of G_A is
positive, T is regular, the rows A span the space, and the shortest d with G_A' (y (l + d)) = 0 exists and is at most |r| / s long,
r = G_A' (y l).  So the rows overlap if

    |r| < s min_A l_i .

T, from a QR decomposition, makes G nearly orthonormal: s is near 1 for all rows.  For some of them it is bounded from below by a
Cholesky decomposition: if the computed one of a symmetric matrix M of n rows does not break down, no eigenvalue of M is below
-2 gamma_{n+8} tr M, with room for the order of operations (S. M. Rump, Verification of positive definiteness, BIT 46, 2006; Verification methods: rigorous
results using floating-point arithmetic, Acta Numerica 19, 2010, section 10.8).  Since |G_A v|^2 = |G v|^2 - |G_I v|^2 for the other
rows I, either G_A' G_A or 1 - G_I G_I' will do, whichever is smaller: one decomposition G serves all signs y.
"""

from __future__ import annotations

from functools import cached_property
from math import inf, sqrt

import numpy as np
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpotrf

from ...system.rounding_error import UNIT, gamma, not_below

LEAST_SQUARE = 1e-8  # s^2 that is asked for first: far above rounding, and small enough for nearly all rows
LOST = 1e-150  # more than all products together lose that are too small for floats
LARGEST = 2.0**400  # numbers of T beyond which that might not be so
BLOCK = 256  # rows whose lengths are worked out at once
NEARLY = 1e-3  # so far from orthonormal T may leave G
MOST_PRODUCTS = 1_000_000  # numbers of G G' that are kept: those of 1,000 rows, 8 MB


class NearlyOrthonormal:
    """Rows Z of floats, each at most a relative rounding away from the truth, T, and about G = Z T, whose columns are nearly orthonormal.

    ``regular``: whether they are; if not, nothing is proved with them.
    """

    @np.errstate(over="ignore", under="ignore", invalid="ignore")  # what is not finite proves nothing
    def __init__(self, Z: np.ndarray) -> None:
        self.Z = Z
        count, size = Z.shape
        self.regular = False
        if not 0 < size <= count:
            return
        R = np.linalg.qr(Z, mode="r")
        if not np.isfinite(R).all() or np.abs(np.diag(R)).min() <= UNIT * np.abs(R).max():
            return
        self.T = solve_triangular(R, np.eye(size), check_finite=False)
        largest = np.abs(self.T).max()
        if not largest < LARGEST:
            return
        self.G = Z @ self.T
        lengths = np.abs(self.T)
        parts = [_norm(np.abs(Z[first : first + BLOCK]) @ lengths) for first in range(0, count, BLOCK)]
        self._error = 1.01 * gamma(size + 4) * _norm(np.array(parts)) + LOST  # of G, as a whole
        self._square = _norm(self.G) ** 2 * (1 + 4 * UNIT)
        grown = self.G.T @ self.G
        grown.flat[:: size + 1] -= 1.0
        self._uneven = _norm(grown) + gamma(count + 4) * self._square  # |G'G - 1|, G as it is stored
        self.regular = self._uneven < NEARLY

    @cached_property
    def P(self) -> np.ndarray | None:
        """G G', of few rows."""
        return self.G @ self.G.T if len(self.G) ** 2 <= MOST_PRODUCTS else None

    @np.errstate(over="ignore", under="ignore", invalid="ignore")
    def overlap(self, y: np.ndarray, weights: np.ndarray) -> bool:
        """Whether rows with these signs surely overlap, by about these weights, 0 or positive."""
        if not self.regular or not np.isfinite(weights).all():
            return False
        for _ in range(2):
            active = weights > 0
            if np.count_nonzero(active) <= self.Z.shape[1]:
                return False
            signed = np.where(active, y * weights, 0.0)
            length = _norm(signed)
            rest = _norm(self.G.T @ signed)
            rest += (1.01 * gamma(len(self.Z) + 4) * sqrt(self._square) + self._error) * length * (1 + 8 * UNIT) + LOST
            least = self._least(active) - self._error * (1 + 4 * UNIT)
            if not least > 0:
                return False
            if rest < least * float(weights[active].min()) * (1 - 8 * UNIT):
                return True
            weights = np.where(weights > 4 * rest / least, weights, 0.0)  # without those that rounding might turn
        return False

    def _least(self, active: np.ndarray) -> float:
        """A number not above the smallest singular value of these rows of G as it is stored; -inf where none is found."""
        count, size = self.G.shape
        others = np.flatnonzero(~active)
        if others.size == 0:
            return sqrt(1 - self._uneven) * (1 - 4 * UNIT)
        if others.size < size:
            G = self.G[others]
            M = -(G @ G.T if self.P is None else self.P[np.ix_(others, others)])
            error = self._uneven + gamma(size + 4) * _norm(G) ** 2
            diagonal = 1.0
        else:
            G = self.G[active]
            M, diagonal = G.T @ G, 0.0
            error = gamma(count + 4) * _norm(G) ** 2
        error = 1.01 * (error + 2 * gamma(len(M) + 8) * 2 * max(len(M), self._square) + 16 * UNIT)
        square = max(LEAST_SQUARE, 8 * error)
        M.flat[:: len(M) + 1] += diagonal - square
        if dpotrf(M, lower=True, clean=False, overwrite_a=True)[1] != 0:
            return -inf
        return sqrt(square - error) * (1 - 4 * UNIT)


def _norm(numbers: np.ndarray) -> float:
    """The root of the sum of the squares, not below the truth."""
    return not_below(float(np.linalg.norm(numbers)), numbers.size) + LOST
