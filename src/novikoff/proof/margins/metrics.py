"""In what metric a margin is largest: the user's own, with or without the constant feature.

A metric has vectors in floats and in whole numbers; ``begin`` are the places in a working set, whose first two pairs are
opposed (``widest_margin``), of pairs that satisfy the conditions on their weights m when these are equal.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf, sqrt

import numpy as np
from flint import fmpq

from ..arithmetic.exact import over_one_denominator, whole_numbers
from ..problem.coordinates import Weights, in_range, to_moved
from ..problem.pairs import Direction, Pairs
from ..search.nearest_point import ExactNearest, ExactRows

FAR = 2.0**13  # times the largest value: a constant feature that costs next to nothing
FARTHER = 200  # power of two: the same in whole numbers, which are not rounded


class Geometric:
    """Rows x, the intercepts free.

    For two classes that is a condition on the weights m: the constant feature must cancel, sum_i m_i y_i = 0.  For more, the
    constant feature is a column so large that the intercepts count next to nothing.
    """

    def __init__(self, pairs: Pairs) -> None:
        self.pairs = pairs
        self.used = pairs.columns.size
        shift = pairs.shift[pairs.columns]
        self.shift = shift - (shift.max() if shift.size else 0)
        with np.errstate(under="ignore"):
            self.factors = np.ldexp(1.0, self.shift)
        self.free = pairs.fit_intercept and pairs.n_rivals == 1
        self.begin = [0, 1] if self.free else [0]
        if pairs.fit_intercept and not self.free:
            self.factors = np.append(self.factors, FAR)

    def vectors(self, which: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """z_i, the conditions g_i on their weights, and what those must sum to."""
        blocks = self.pairs.vectors(which).reshape(len(which), self.pairs.n_rivals, self.pairs.width)
        conditions = np.ones((len(which), 1))
        if self.free:
            conditions = np.hstack([conditions, blocks[:, :, self.used]])
        z = every_class(blocks[:, :, : self.factors.size] * self.factors)
        return z, conditions, np.eye(1, conditions.shape[1])[0]

    def direction(self, x: np.ndarray, multipliers: np.ndarray) -> Direction | None:
        v = against_first(x, self.pairs.n_rivals) * self.factors
        if self.free:
            v = np.append(v, -multipliers[1:])
        return in_floats(v)

    def polished(self, which: np.ndarray) -> tuple[Direction, np.ndarray, np.ndarray] | None:
        """Of more than two classes, the weights under which these pairs lead by the same, the intercepts quite free, and the
        pairs with their weights m: linear equations, from which pairs with m < 0 are left out until there is none."""
        pairs = self.pairs
        blocks = pairs.vectors(which).reshape(len(which), pairs.n_rivals, pairs.width)
        slopes = self.factors[: self.used]
        z, conditions = (
            every_class(blocks[:, :, : self.used] * slopes),
            np.hstack([np.ones((len(which), 1)), blocks[:, :, -1]]),
        )
        left = np.arange(len(which))
        while left.size:
            g = conditions[left]
            nothing = np.zeros((g.shape[1], g.shape[1]))
            right = np.zeros(left.size + g.shape[1])
            right[left.size] = 1.0
            system = np.block([[z[left] @ z[left].T, -g], [g.T, nothing]])
            solved = np.linalg.lstsq(system, right, rcond=None)[0]
            m, multipliers = solved[: left.size], solved[left.size :]
            if m.min() > 0:
                x = against_first(m @ z[left], pairs.n_rivals) * slopes
                direction = in_floats(np.hstack([x, -multipliers[1:, None]]))
                return None if direction is None else (direction, which[left], m)
            left = left[m > 0]
        return None

    def exact(self, which: np.ndarray) -> ExactRows:
        """The same rows in exact arithmetic."""
        pairs = self.pairs
        whole = pairs.whole_vectors(which).astype(object).reshape(len(which), pairs.n_rivals, pairs.width)
        z = every_class(whole[:, :, : self.factors.size] << self._up())
        if not self.free:
            return ExactRows(z)
        signs = np.where(whole[:, 0, self.used] > 0, 1, -1).astype(object)
        return ExactRows(z, np.column_stack([signs * signs, signs]), [1, 0])

    def exact_direction(self, found: ExactNearest, which: np.ndarray) -> Direction:
        """The direction of the exact rows' nearest point."""
        v = against_first(np.array(found.x, dtype=object), self.pairs.n_rivals) << self._up()
        numbers = [fmpq(number) for number in v.ravel().tolist()]
        if self.free:
            constant = abs(int(self.pairs.whole_vectors(which)[0, self.used]))  # what stands for the constant feature
            numbers.append(-found.multipliers[1] / constant)
        return Direction.of_whole(over_one_denominator(numbers))

    def _up(self) -> np.ndarray:
        """The factors as shifts of whole numbers; that of the constant feature, which need not be a float, far larger."""
        exponents = np.append(self.shift, np.full(self.factors.size - self.used, FARTHER))
        return (exponents - exponents.min(initial=0)).astype(object)


class Augmented:
    """Rows (x, c), c the constant feature of a perceptron; ``constant2`` is c^2."""

    def __init__(self, pairs: Pairs, constant2: float) -> None:
        self.pairs, self.constant2, self.begin = pairs, constant2, [0]
        self.constant = sqrt(constant2) if pairs.fit_intercept else 0.0
        self.kept = np.union1d(pairs.columns, np.flatnonzero(pairs.centre))  # all others are 0
        largest = int(np.frexp(max(float(np.abs(pairs.centre).max(initial=0.0)), self.constant))[1])
        self.unit = 1 + max(largest, int(pairs.shift[pairs.columns].max(initial=largest)))

    def vectors(self, which: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        pairs = self.pairs
        blocks = pairs.vectors(which).reshape(len(which), pairs.n_rivals, pairs.width)
        used = pairs.columns.size
        z = np.zeros((len(which), pairs.n_rivals, pairs.n_features + 1))
        with np.errstate(under="ignore"):
            z[:, :, pairs.columns] = np.ldexp(blocks[:, :, :used], pairs.shift[pairs.columns] - self.unit)
            if pairs.fit_intercept:
                z += blocks[:, :, used:] * np.ldexp(np.append(pairs.centre, self.constant), -self.unit)
        return every_class(z), np.ones((len(which), 1)), np.ones(1)

    def weights(self, x: np.ndarray) -> Weights:
        """Weights in the user's coordinates; those of the constant feature, times it, are the intercepts; x is not 0."""
        floats = against_first(x, self.pairs.n_rivals) / np.abs(x).max()
        floats[:, -1] *= self.constant
        return Weights(floats)

    def direction(self, x: np.ndarray, multipliers: np.ndarray) -> Direction | None:
        return to_moved(self.pairs, self.weights(x)) if np.any(x) else None

    def exact(self, which: np.ndarray) -> ExactRows:
        """The rows (x, 1) in exact arithmetic, in a metric in which the square of the constant 1 is c^2."""
        pairs = self.pairs
        rows, rivals = pairs.rows_and_rivals(which)
        X = pairs.X[rows][:, self.kept]
        ones = np.ones((len(which), int(pairs.fit_intercept)))
        whole, _ = whole_numbers(np.hstack([X.toarray() if pairs.sparse else X, ones]))
        z = np.zeros((len(which), pairs.n_rivals + 1, whole.shape[1]), dtype=object)
        places = np.arange(len(which))
        z[places, pairs.target[rows]], z[places, rivals] = whole, -whole
        if pairs.n_rivals == 1:
            z = z[:, 1:]
        return ExactRows(z.reshape(len(which), -1), metric=self._metric())

    def exact_weights(self, found: ExactNearest) -> Weights:
        """The weights of the exact rows' nearest point, in the user's coordinates."""
        v = against_first(np.array(found.x, dtype=object) * self._metric(), self.pairs.n_rivals)
        rows = [[Fraction(0)] * (self.pairs.n_features + 1) for _ in v]
        places = np.append(self.kept, self.pairs.n_features) if self.pairs.fit_intercept else self.kept
        for row, numbers in zip(rows, v.tolist(), strict=True):
            for place, number in zip(places.tolist(), numbers, strict=True):
                row[place] = Fraction(number)
        return in_range(rows)

    def exact_direction(self, found: ExactNearest, which: np.ndarray) -> Direction:
        return to_moved(self.pairs, self.exact_weights(found))

    def _metric(self) -> np.ndarray:
        """1 for every column and c^2 for the constant, in whole numbers that are so to each other; of every class."""
        c2 = Fraction(self.constant2)
        constants = [c2.numerator] * int(self.pairs.fit_intercept)
        one_class = np.array([c2.denominator] * self.kept.size + constants, dtype=object)
        return np.tile(one_class, 1 if self.pairs.n_rivals == 1 else self.pairs.n_rivals + 1)


def in_floats(v: np.ndarray) -> Direction | None:
    """The direction of these weights; None where all are too small for floats, or one too large."""
    largest = float(np.abs(v).max())
    return Direction(v.ravel() / largest) if 0 < largest < inf else None


def every_class(blocks: np.ndarray) -> np.ndarray:
    """Vectors with a block for class 0 too, if there are more than two classes: so that no class is special."""
    if blocks.shape[1] > 1:
        blocks = np.concatenate([-blocks.sum(axis=1, keepdims=True), blocks], axis=1)
    return blocks.reshape(len(blocks), -1)


def against_first(x: np.ndarray, n_rivals: int) -> np.ndarray:
    """Weights of the classes 1, 2, ... less those of class 0."""
    if n_rivals == 1:
        return x[None, :].copy()
    weights = x.reshape(n_rivals + 1, -1)
    return weights[1:] - weights[0]
