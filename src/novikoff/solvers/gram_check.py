"""Is what is given as a kernel one?

The values of all pairs of rows must be a symmetric matrix without negative eigenvalues (Mercer 1909): else the dual bounds
nothing.  If Cholesky's method goes through in floats for ``K + t I``, no eigenvalue of K is below ``-t - 4 (n + 2) u trace``
(Rump 2006).  Where rounding has left eigenvalues below zero, ``K + shift I`` is meant: the margin of row i is larger by
``shift alpha_i`` there, so that no slack is larger, and the square of the weights is larger by ``shift |alpha|^2``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dpotrf

from ..dual.kernels import Given, Linear, Points, Poly, Precomputed
from ..inputs.rounding_error import gamma

WHOLE = 2000  # rows whose matrix is looked at as a whole
ROUGH = 1e-6  # of the largest value: the largest error that is taken for rounding
SHIFTS = (0.0, 1e-12, 1e-9, ROUGH)  # of the largest value


class Flaws(NamedTuple):
    """What rounding has left in a matrix of kernel values."""

    asymmetry: float = 0.0  # the largest difference of the values of x with z and of z with x
    shift: float = 0.0  # no eigenvalue is below its negative


def looked_at(kernel: Linear, points: Points) -> tuple[Linear, Points, Flaws]:
    """The kernel and its rows, a function of few rows by its values; raises ValueError if this is seen to be no kernel."""
    doubtful = isinstance(kernel, (Given, Precomputed)) or (isinstance(kernel, Poly) and kernel.coef0 < 0)
    if not doubtful:
        return kernel, points, Flaws()
    rows = len(points.numbers)
    few = np.arange(rows) if rows <= WHOLE else np.linspace(0, rows - 1, WHOLE).astype(np.intp)
    some = points.take(few)
    values = kernel.values(some, some)
    numbers = points.numbers[few]
    asymmetry, shift = _symmetric(values, values.T, numbers, numbers), _shift(values, numbers)
    if rows <= WHOLE:
        if isinstance(kernel, Given):
            kernel, points = Precomputed(), Points(values, np.empty(0), np.arange(rows))
        return kernel, points, Flaws(asymmetry, shift)
    if isinstance(kernel, Precomputed):
        asymmetry = _symmetric_in_parts(kernel, points)
    return kernel, points, Flaws(asymmetry, 0.0)


def _symmetric_in_parts(kernel: Linear, points: Points) -> float:
    parts = [slice(first, first + WHOLE) for first in range(0, len(points.numbers), WHOLE)]
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
