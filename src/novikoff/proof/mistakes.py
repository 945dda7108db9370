"""Novikoff's bound: how many mistakes a perceptron can make before it separates.

    mistakes <= R^2 / g^2 ,   R = max |z_i| ,   g = max_|v|=1 min_i y_i v.z_i ,   z_i = (x_i, c)

from zero weights, with c the constant feature of the intercept (A. B. J. Novikoff, On convergence proofs on perceptrons,
1962); for several classes, learning from the worst or all rivals evenly, 2 R^2 / g^2 with g the least lead over any rival.
R and g speak of the rows with their constant feature: the geometric margin and the smallest enclosing ball promise less than
a perceptron may need.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from scipy import sparse

from .clock import Clock
from .coordinates import Weights, to_moved, to_user
from .margin import least_lead
from .metrics import Augmented
from .pairs import BLOCK, UNIT, Direction, Pairs
from .widest import widest


def mistake_bound(pairs: Pairs, start: Direction, constant: float, clock: Clock) -> int:
    """The bound, from the best weights found: never below the true one.

    Any separating weights give a bound that holds; those of the largest margin give the smallest.
    """
    metric = Augmented(pairs, constant)
    found = widest(pairs, metric, start, clock)
    candidates = [to_user(pairs, start)] + ([] if found is None else [metric.weights(found.x)])
    ratios = []
    for weights in candidates:
        direction = to_moved(pairs, weights)
        lead = Fraction(least_lead(pairs, direction)) / _scale(pairs, direction, weights)
        if lead > 0:
            ratios.append(_square_norm(weights, constant, pairs.fit_intercept) / lead**2)
    times = 1 if pairs.n_rivals == 1 else 2
    return int(times * _square_radius(pairs, constant) * min(ratios))  # mistakes are whole: the fraction may go


def _scale(pairs: Pairs, direction: Direction, weights: Weights) -> Fraction:
    """The factor by which the direction's numbers exceed those of the weights in moved coordinates."""
    whole, exponent = direction.exactly()
    place = next(j for j in range(pairs.dim) if whole[j] and j % pairs.width < pairs.columns.size)
    column = int(pairs.columns[place % pairs.width])
    number = weights.fractions()[place // pairs.width][column] * Fraction(2) ** int(pairs.shift[column])
    return whole[place] * Fraction(2) ** exponent / number


def _square_norm(weights: Weights, constant: float, fit_intercept: bool) -> Fraction:
    """|(w, b / c)|^2 exactly; for more than two classes over all of them, their mean taken off."""
    rows = [list(row) for row in weights.fractions()]
    for row in rows:
        row[-1] = row[-1] / Fraction(constant) if fit_intercept else Fraction(0)
    total = sum((number * number for row in rows for number in row), Fraction(0))
    if len(rows) > 1:
        sums = [sum(column, Fraction(0)) for column in zip(*rows, strict=True)]
        total -= sum((number * number for number in sums), Fraction(0)) / (len(rows) + 1)
    return total


def _square_radius(pairs: Pairs, constant: float) -> Fraction:
    """max |(x, c)|^2, rounded up."""
    largest = Fraction(float(square_norms(pairs.X).max())) * (1 + (pairs.n_features + 4) * Fraction(UNIT))
    return largest + (Fraction(constant) ** 2 if pairs.fit_intercept else 0)


def square_norms(X: Any) -> np.ndarray:
    """|x|^2 of every row, to rounding."""
    if sparse.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
    squares = np.empty(len(X))
    step = max(1, BLOCK // max(1, X.shape[1]))
    for start in range(0, len(X), step):
        part = X[start : start + step].astype(np.float64)
        squares[start : start + step] = np.einsum("ij,ij->i", part, part)
    return squares
