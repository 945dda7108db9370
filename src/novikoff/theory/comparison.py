"""The weights that a convergence proof compares a perceptron with, in exact numbers.

Both proofs here look at the rows with their constant feature, z = (x, c), and at weights u = (w, b / c), so that
u.z = w.x + b.  Separating weights v have y v.z >= lead > 0 on every row; a mistake adds eta y z to u, whose square is at most
eta^2 R^2.  For several classes u and v have a row for each class, the lead is the least over any rival, and as a mistake moves
the rows of rivals, too, the square of its step is at most eta^2 2 R^2.  A batch of m rows adds the steps of its k <= m
mistakes at once; the square of their sum is at most k^2 eta^2 R^2 <= k m eta^2 R^2, as if each of them were m R^2 long.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral
from typing import Any

import numpy as np

from ..proof.answer.describe import witness_in_words
from ..proof.answer.proofs import Proof
from ..proof.answer.separable import separability
from ..proof.check.mistakes import check_constant, constant_square, square_step
from ..proof.margins.widest_margin import ideal_weights
from ..proof.problem.coordinates import Weights, to_moved
from ..proof.problem.pairs import Pairs
from ..system.clock import Clock

Matrix = list[list[Fraction]]


@dataclass(frozen=True)
class Comparison:
    """Separating weights, and what bounds a perceptron on the rows they separate."""

    weights: Matrix  # for every output w and then b; of several classes, the mean over the classes taken off
    lead: Fraction  # the smallest of any row (over any rival)
    step: Fraction  # the square of the longest step of one mistake, times the rows of a batch, at eta = 1
    constant: Fraction  # c^2; 0 without an intercept
    pairs: Pairs  # the rows

    def inner(self, first: Matrix, second: Matrix) -> Fraction:
        """u.v of the weights (w, b / c) behind (w, b)."""
        total = Fraction(0)
        for one, other in zip(first, second, strict=True):
            total += sum((a * b for a, b in zip(one[:-1], other[:-1], strict=True)), Fraction(0))
            if self.constant:
                total += one[-1] * other[-1] / self.constant
        return total

    def separated_by(self, weights: Matrix) -> bool:
        """Whether these weights, too, separate the rows, exactly."""
        others = Weights.of(weights if len(weights) == 1 else differences(weights))
        return bool(self.pairs.signs(to_moved(self.pairs, others)).min() > 0)


def compare(
    X: Any, y: Any, batch_size: int | str, fit_intercept: bool, intercept_scaling: Any, time_limit: float | None = None
) -> Comparison:
    """The weights of the largest lead at a given |u|, or the best that were found; an error where there are none."""
    clock = Clock(time_limit)
    proof = separability(X, y, fit_intercept=fit_intercept, time_limit=time_limit)
    pairs = proof._pairs
    constant = constant_square(pairs, check_constant(intercept_scaling))
    if not proof.separable:
        raise ValueError(_refusal(proof))
    assert proof.certificate.weights is not None
    ideal = ideal_weights(pairs, [proof.certificate.weights], constant, clock)
    weights = [list(row) for row in ideal.weights.fractions()]
    if len(proof.classes) > 2:
        weights = without_mean([[Fraction(0)] * len(weights[0]), *weights])
    return Comparison(
        weights,
        ideal.lead,
        square_step(pairs, constant) * _rows_at_once(batch_size, pairs.n_rows),
        Fraction(constant) if fit_intercept else Fraction(0),
        pairs,
    )


def without_mean(weights: Matrix) -> Matrix:
    """The same leads of every class over every other."""
    means = [sum(column, Fraction(0)) / len(weights) for column in zip(*weights, strict=True)]
    return [[number - mean for number, mean in zip(row, means, strict=True)] for row in weights]


def differences(weights: Matrix) -> Matrix:
    """Weights of the classes 1, 2, ... less those of class 0."""
    return [[number - first for number, first in zip(row, weights[0], strict=True)] for row in weights[1:]]


def fractions(weights: np.ndarray) -> Matrix:
    """Floats as they are."""
    return [[Fraction(number) for number in row] for row in weights.astype(float).tolist()]


def _rows_at_once(batch_size: int | str, n_rows: int) -> int:
    if batch_size == "all":
        return n_rows
    if isinstance(batch_size, Integral) and not isinstance(batch_size, bool) and batch_size >= 1:
        return min(int(batch_size), n_rows)
    raise ValueError(f'batch_size must be a whole number, at least 1, or "all"; got {batch_size!r}.')


def _refusal(proof: Proof) -> str:
    if proof.separable is None:
        return "Whether the classes are separable could not be decided, so there is no bound. If you set a time limit, raise it."
    return (
        "The classes are not linearly separable, so a perceptron never stops making mistakes: "
        f"{witness_in_words(proof)} to prove it."
    )
