"""Novikoff's bound: how many mistakes a perceptron can make before it separates.

    mistakes <= R^2 / g^2 ,   R = max |z_i| ,   g = max_|v|=1 min_i y_i v.z_i ,   z_i = (x_i, c)

from zero weights, with c the constant feature of the intercept (A. B. J. Novikoff, On convergence proofs on perceptrons,
1962); for several classes, learning from the worst or all rivals evenly, 2 R^2 / g^2 with g the least lead over any rival.
R and g speak of the rows with their constant feature: the geometric margin and the smallest enclosing ball promise less than
a perceptron may need.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
from scipy import sparse

from .clock import Clock
from .coordinates import Weights, to_user
from .margin import lead_of
from .metrics import Augmented
from .pairs import BLOCK, UNIT, Direction, Pairs
from .widest import widest


@dataclass(frozen=True)
class Ideal:
    """Weights that separate, for a perceptron to be compared with."""

    weights: Weights
    constant2: float  # c^2
    lead: Fraction  # the smallest over all pairs, not above the truth
    square: Fraction  # |(w, b / c)|^2; for more than two classes over all of them, their mean taken off

    @property
    def ratio(self) -> Fraction:
        """1 / g^2."""
        return self.square / self.lead**2


def mistake_bound(pairs: Pairs, ideal: Ideal) -> int:
    """The bound that these weights give: any that separate give one that holds."""
    return int(square_step(pairs, ideal.constant2) * ideal.ratio)  # mistakes are whole: the fraction may go


def ideal_weights(pairs: Pairs, start: Direction, constant2: float, clock: Clock) -> Ideal:
    """Weights of the largest g, to rounding, from weights that separate; ``constant2`` is c^2.

    Any separating weights give a bound that holds; those of the largest margin give the smallest.
    """
    metric = Augmented(pairs, sqrt(constant2) if pairs.fit_intercept else 0.0)
    found = widest(pairs, metric, start, clock)
    candidates = [to_user(pairs, start)]
    if found is not None:
        candidates.append(metric.weights(found.x))
    ideals = (as_ideal(pairs, weights, constant2) for weights in candidates)
    return min((ideal for ideal in ideals if ideal.lead > 0), key=lambda each: each.ratio)


def as_ideal(pairs: Pairs, weights: Weights, constant2: float) -> Ideal:
    """The lead and the square of these weights."""
    square = weights.square(constant2 if pairs.fit_intercept else None)
    return Ideal(weights, constant2, lead_of(pairs, weights), square)


def square_step(pairs: Pairs, constant2: float) -> Fraction:
    """The largest square of a step on one mistake at eta = 1, rounded up: R^2, for more than two classes 2 R^2."""
    times = 1 if pairs.n_rivals == 1 else 2
    return times * (largest_square(pairs.X) + (Fraction(constant2) if pairs.fit_intercept else 0))


def largest_square(X: Any) -> Fraction:
    """max |x|^2, rounded up, whatever the scale."""
    size = float(abs(X).max())
    exponent = int(np.frexp(size)[1])
    largest = max((float(squares.max()) for squares in _squares(X, exponent)), default=0.0)
    return Fraction(largest) * (1 + (X.shape[1] + 5) * Fraction(UNIT)) * Fraction(4) ** exponent


def square_norms(X: Any) -> np.ndarray:
    """|x|^2 of every row, to rounding."""
    return np.concatenate(list(_squares(X, 0)))


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
