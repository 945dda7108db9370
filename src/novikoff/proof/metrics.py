"""In what metric a margin is largest: the user's own, with or without the constant feature."""

from __future__ import annotations

import numpy as np
from flint import fmpq

from .coordinates import Weights, to_moved
from .exact import over_one_denominator
from .nearest import ExactRows
from .pairs import Direction, Pairs

FAR = 2.0**13  # times the largest value: a constant feature that costs next to nothing


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

    def direction(self, x: np.ndarray, multipliers: np.ndarray) -> Direction:
        v = against_first(x, self.pairs.n_rivals) * self.factors
        if self.free:
            v = np.append(v, -multipliers[1:])
        return Direction(v.ravel() / np.abs(v).max())

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
                v = np.hstack([x, -multipliers[1:, None]])
                return Direction(v.ravel() / np.abs(v).max()), which[left], m
            left = left[m > 0]
        return None

    def exact(self, which: np.ndarray) -> tuple[ExactRows, int]:
        """The same rows in exact arithmetic, and the whole number that stands for the constant feature."""
        whole = (
            self.pairs.whole_vectors(which).astype(object).reshape(len(which), self.pairs.n_rivals, self.pairs.width)
        )
        z = every_class(whole[:, :, : self.factors.size] << self._up())
        if not self.free:
            return ExactRows(z), 1
        constants = whole[:, 0, self.used]
        signs = np.where(constants > 0, 1, -1).astype(object)
        return ExactRows(z, np.column_stack([signs * signs, signs]), [1, 0]), abs(constants[0])

    def exact_direction(self, x: list[int], multipliers: list[fmpq], constant: int) -> Direction:
        """The direction of the exact rows' nearest point."""
        v = against_first(np.array(x, dtype=object), self.pairs.n_rivals) << self._up()
        numbers = [fmpq(number) for number in v.ravel().tolist()]
        if self.free:
            numbers.append(-multipliers[1] / constant)
        return Direction.of_whole(over_one_denominator(numbers))

    def _up(self) -> np.ndarray:
        """The factors as shifts of whole numbers."""
        exponents = np.append(self.shift, np.frexp(self.factors[self.used :])[1] - 1)
        return (exponents - exponents.min(initial=0)).astype(object)


class Augmented:
    """Rows (x, c), c the constant feature of a perceptron."""

    def __init__(self, pairs: Pairs, constant: float) -> None:
        self.pairs, self.constant = pairs, constant
        largest = int(np.frexp(max(float(np.abs(pairs.centre).max(initial=0.0)), constant))[1])
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
        """Weights in the user's coordinates; those of the constant feature, times it, are the intercepts."""
        floats = against_first(x, self.pairs.n_rivals) / np.abs(x).max()
        floats[:, -1] *= self.constant
        return Weights(floats)

    def direction(self, x: np.ndarray, multipliers: np.ndarray) -> Direction:
        return to_moved(self.pairs, self.weights(x))


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
