"""Weights in the user's coordinates and in the moved and scaled ones of ``Pairs``, converted exactly.

w.x + b = v.x' + v0  with  x' = (x - centre) 2^-shift:  w = v 2^-shift,  b = v0 - w.centre.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import inf, lcm
from typing import Any

import numpy as np

from ..arithmetic.exact import whole_numbers
from .pairs import Direction, Pairs

READ = 64  # weights that people read; of more, simple ones are not looked for
MOST_TRIED = 100_000  # numbers of rows, likewise: every try goes through all of them
FEW_BITS = (3, 6, 10, 15, 20, 30, 40)


@dataclass(frozen=True)
class Weights:
    """Weights of the classes 1, 2, ..., K-1 in the user's coordinates, those of class 0 being zero.

    ``floats``, shape (K-1, d+1), the intercept last (0 without one), are exact if ``exact`` is None, else rounded from it.
    """

    floats: np.ndarray
    exact: tuple[tuple[Fraction, ...], ...] | None = None

    @classmethod
    def of(cls, rows: Iterable[Iterable[Fraction]]) -> Weights:
        """These fractions, and the floats nearest to them."""
        exact = tuple(map(tuple, rows))
        return cls(np.array([[float(number) for number in row] for row in exact]), exact)

    def fractions(self) -> tuple[tuple[Fraction, ...], ...]:
        if self.exact is not None:
            return self.exact
        return tuple(tuple(map(Fraction, row)) for row in self.floats.tolist())

    def fit(self, pairs: Pairs) -> bool:
        """Whether they are weights of these rows: of their shape, no intercept if there must not be one, floats and fractions
        the same."""
        shape, floats = (pairs.n_rivals, pairs.n_features + 1), self.floats
        if not isinstance(floats, np.ndarray) or floats.dtype != np.float64 or floats.shape != shape:
            return False
        if not np.all(np.isfinite(floats)) or (self.exact is not None and not self._are_rounded_from(self.exact)):
            return False
        return pairs.fit_intercept or not any(row[-1] for row in self.fractions())

    def _are_rounded_from(self, exact: Any) -> bool:
        """Whether the floats are the nearest to these fractions."""
        rows, columns = self.floats.shape
        if not isinstance(exact, tuple) or len(exact) != rows:
            return False
        if any(not isinstance(row, tuple) or len(row) != columns for row in exact):
            return False
        if any(not isinstance(number, Fraction) for row in exact for number in row):
            return False
        try:
            return [[float(number) for number in row] for row in exact] == self.floats.tolist()
        except OverflowError:
            return False

    def square(self, constant2: float | Fraction | None = None) -> Fraction:
        """|w|^2, or with a constant feature c |(w, b / c)|^2, exactly; for more than two classes over all of them, their mean
        taken off."""
        if self.exact is None:
            numbers, exponent = whole_numbers(self.floats)
            unit = Fraction(2) ** exponent
        else:
            denominator = lcm(*(number.denominator for row in self.exact for number in row))
            numbers = np.array([[int(number * denominator) for number in row] for row in self.exact], dtype=object)
            unit = Fraction(1, denominator)
        whole = numbers.astype(object)
        classes = len(whole) + 1
        squares = (whole * whole).sum(axis=0)  # of every column
        if classes > 2:
            squares = squares - whole.sum(axis=0) * whole.sum(axis=0) * Fraction(1, classes)
        constant = 0 if constant2 is None else squares[-1] / Fraction(constant2)
        return Fraction(squares[:-1].sum() + constant) * unit**2


def to_user(pairs: Pairs, direction: Direction) -> Weights:
    """The weights of a direction."""
    shape = (pairs.n_rivals, pairs.width)
    used = pairs.columns.size
    if direction.whole is None and not pairs.centre.any():
        v = direction.floats.reshape(shape)
        floats = np.zeros((pairs.n_rivals, pairs.n_features + 1))
        with np.errstate(over="ignore", under="ignore"):
            floats[:, pairs.columns] = np.ldexp(v[:, :used], -pairs.shift[pairs.columns])
            back = np.ldexp(floats[:, pairs.columns], pairs.shift[pairs.columns])
        if np.array_equal(back, v[:, :used]):
            floats[:, -1:] = v[:, used:] if pairs.fit_intercept else 0.0
            return Weights(floats)
    whole = np.array(direction.exactly()[0], dtype=object).reshape(shape)
    rows = []
    for v in whole:
        row = [Fraction(0)] * (pairs.n_features + 1)
        for place, column in enumerate(pairs.columns.tolist()):
            row[column] = Fraction(v[place]) / Fraction(2) ** int(pairs.shift[column])
        constant = Fraction(v[-1]) if pairs.fit_intercept else Fraction(0)
        row[-1] = constant - sum(
            (row[j] * Fraction(float(pairs.centre[j])) for j in np.flatnonzero(pairs.centre).tolist()), Fraction(0)
        )
        rows.append(row)
    return in_range(rows)


def in_range(rows: list[list[Fraction]]) -> Weights:
    """These weights times a power of two that makes the largest about 1, so that floats can hold them."""
    largest = max(abs(number) for row in rows for number in row)
    unit = (
        Fraction(2) ** (largest.numerator.bit_length() - largest.denominator.bit_length()) if largest else Fraction(1)
    )
    return Weights.of((number / unit for number in row) for row in rows)


def simpler(pairs: Pairs, weights: Weights) -> Iterator[Weights]:
    """Weights near these that have few bits, the simplest first: multiples of a power of two, each in the scale of its column, so that
    what is small beside the others becomes 0.  Whether they prove as much is for others to check."""
    floats, shift = weights.floats, np.append(pairs.shift, 0)
    if floats.size > READ or pairs.n_rows * floats.size > MOST_TRIED:
        return
    with np.errstate(over="ignore", under="ignore"):
        largest = float(np.ldexp(np.abs(floats), shift).max())
        if not 0 < largest < inf:
            return
        for bits in FEW_BITS:
            unit = int(np.frexp(largest)[1]) - bits - shift
            rounded = np.ldexp(np.rint(np.ldexp(floats, -unit)), unit) + 0.0
            if np.isfinite(rounded).all() and rounded.any():
                yield Weights(rounded)


def to_moved(pairs: Pairs, weights: Weights) -> Direction:
    """The direction of weights."""
    return moved(pairs, weights)[0]


def moved(pairs: Pairs, weights: Weights) -> tuple[Direction, Fraction]:
    """The direction of weights, and the factor that makes its leads those of the weights."""
    used = pairs.columns
    if weights.exact is None and not pairs.centre.any():
        constant = [pairs.n_features] * pairs.fit_intercept
        given = weights.floats[:, np.append(used, constant).astype(np.intp)]
        shift = np.append(pairs.shift[used], [0] * pairs.fit_intercept).astype(np.int64)
        exponents = (np.frexp(given)[1] + shift)[given != 0]
        largest = int(exponents.max()) if exponents.size else 0
        with np.errstate(under="ignore"):
            v = np.ldexp(given, shift - largest)  # the largest from 1/2 to 1
            back = np.ldexp(v, largest - shift)
        if np.array_equal(back, given):
            return Direction(v.ravel()), Fraction(2) ** largest
    numbers: list[Fraction] = []
    for row in weights.fractions():
        numbers += [row[j] * Fraction(2) ** int(pairs.shift[j]) for j in used.tolist()]
        if pairs.fit_intercept:
            shifted = sum(
                (row[j] * Fraction(float(pairs.centre[j])) for j in np.flatnonzero(pairs.centre).tolist()), row[-1]
            )
            numbers.append(shifted)
    denominator = lcm(*(number.denominator for number in numbers)) if numbers else 1
    direction = Direction.of_whole([int(number * denominator) for number in numbers])
    return direction, Fraction(2) ** -direction.exactly()[1] / denominator


def of_each_class(weights: Weights, number: np.ndarray) -> Weights:
    """Weights of sets of classes, those of set 0 being zero, as weights of the classes 1, 2, ...: class k is in the set
    ``number[k]``, class 0 in set 0."""
    floats = np.vstack([np.zeros((1, weights.floats.shape[1])), weights.floats])[number[1:]]
    if weights.exact is None:
        return Weights(floats)
    rows = ((Fraction(0),) * floats.shape[1], *weights.exact)
    return Weights(floats, tuple(rows[k] for k in number[1:].tolist()))
