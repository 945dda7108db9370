"""Novikoff's bound: how many mistakes a perceptron can make before it separates.

    mistakes <= R^2 / g^2 ,   R = max |z_i| ,   g = max_|v|=1 min_i y_i v.z_i ,   z_i = (x_i, c)

from zero weights, with c the constant feature of the intercept (A. B. J. Novikoff, On convergence proofs on perceptrons,
1962); for several classes, learning from the worst or all rivals evenly, 2 R^2 / g^2 with g the least lead over any rival.
R and g are for the rows with their constant feature: the geometric margin and the smallest enclosing ball promise less than
a perceptron may need.

R is exact, and so is g where the weights are few: then the bound is the smallest that the theorem gives, to the last digit.
Any separating weights give a bound that holds, so that elsewhere the best ones found do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from numbers import Real
from typing import Any, TypeGuard

import numpy as np
from scipy import sparse

from ...system.rounding_error import TINY, gamma
from ..arithmetic.exact import whole_numbers
from ..problem.coordinates import Weights
from ..problem.pairs import BLOCK, EXACT_AT_ONCE, Pairs
from .margin_of_rows import lead_of


@dataclass(frozen=True)
class Ideal:
    """Weights that separate, for a perceptron to be compared with."""

    weights: Weights
    constant2: float | Fraction  # c^2
    lead: Fraction  # the smallest over all pairs
    square: Fraction  # |(w, b / c)|^2; for more than two classes over all of them, their mean taken off

    @property
    def ratio(self) -> Fraction:
        """1 / g^2."""
        return self.square / self.lead**2


def is_well_formed_ideal(ideal: Any, pairs: Pairs) -> TypeGuard[Ideal]:
    """Whether these are weights of such rows, and a constant feature."""
    if not isinstance(ideal, Ideal) or not isinstance(ideal.weights, Weights) or not ideal.weights.fit(pairs):
        return False
    return isinstance(ideal.constant2, float) and 0 < ideal.constant2 < inf


def mistake_bound(pairs: Pairs, ideal: Ideal) -> int:
    """The bound that these weights give: any that separate give one that holds."""
    return int(square_step(pairs, ideal.constant2) * ideal.ratio)  # mistakes are whole: the fraction may go


def as_ideal(pairs: Pairs, weights: Weights, constant2: float | Fraction) -> Ideal:
    """The lead and the square of these weights."""
    square = weights.square(constant2 if pairs.fit_intercept else None)
    return Ideal(weights, constant2, lead_of(pairs, weights), square)


def square_step(pairs: Pairs, constant2: float | Fraction) -> Fraction:
    """The largest square of a step on one mistake at eta = 1: R^2, for more than two classes 2 R^2."""
    times = 1 if pairs.n_rivals == 1 else 2
    return times * (largest_square(pairs.X) + (Fraction(constant2) if pairs.fit_intercept else 0))


def check_constant(intercept_scaling: float | str) -> float | None:
    """c; None stands for "radius"."""
    if isinstance(intercept_scaling, str) and intercept_scaling == "radius":
        return None
    if not isinstance(intercept_scaling, Real) or not 0 < float(intercept_scaling) < inf:
        raise ValueError(f'intercept_scaling must be a positive number or "radius"; got {intercept_scaling!r}.')
    return float(intercept_scaling)


def constant_square(pairs: Pairs, constant: float | None) -> float:
    """c^2, as a perceptron has it: of a number, or the largest squared norm of a row."""
    square = constant * constant if constant is not None else _rounded(largest_square(pairs.X)) or 1.0
    if not 0 < square < inf:
        shown = "'radius'" if constant is None else constant
        raise ValueError(
            f"intercept_scaling={shown} is out of range: its square is too small or too large for float64."
        )
    return square


def _rounded(number: Fraction) -> float:
    """The nearest float; infinite beyond the largest."""
    try:
        return float(number)
    except OverflowError:
        return inf


def largest_square(X: Any) -> Fraction:
    """max |x|^2, exactly: floats say which rows may have it."""
    largest = float(abs(X).max())
    if largest == 0:
        return Fraction(0)
    squares = np.concatenate(list(_squares(X, int(np.frexp(largest)[1]))))
    error = gamma(X.shape[1] + 5) * float(squares.max()) + X.shape[1] * TINY
    rows = np.flatnonzero(squares >= squares.max() - 2 * error)
    step = max(1, EXACT_AT_ONCE // X.shape[1])
    return max(_largest_exactly(X[rows[start : start + step]]) for start in range(0, rows.size, step))


def _largest_exactly(X: Any) -> Fraction:
    """max |x|^2 of rows that are not zero, all in whole numbers."""
    whole, exponent = whole_numbers(X.data if sparse.issparse(X) else X)
    squares = whole.astype(object) ** 2
    sums = np.add.reduceat(squares, X.indptr[:-1]) if sparse.issparse(X) else squares.sum(axis=1)
    return int(sums.max()) * Fraction(4) ** exponent


def _squares(X: Any, exponent: int) -> Iterator[np.ndarray]:
    """|x|^2 of rows divided by a power of two, some at a time."""
    step = max(1, BLOCK // max(1, X.shape[1])) if not sparse.issparse(X) else X.shape[0]
    for start in range(0, X.shape[0], step):
        part = X[start : start + step].astype(np.float64)
        values = part.data if sparse.issparse(part) else part
        np.ldexp(values, -exponent, out=values)
        if sparse.issparse(part):
            yield np.asarray(part.multiply(part).sum(axis=1), dtype=np.float64).ravel()
        else:
            yield np.einsum("ij,ij->i", part, part)
