"""The vectors that decide: one for every row and rival class (Kesler's construction).

Weights (w_k, b_k) for every class k separate the rows if every row's own class c leads every rival r,

    (w_c.x + b_c) - (w_r.x + b_r) > 0 .

Class 0 may keep zero weights, as only differences count.  So with z = (x, 1) and one block of weights for each of the
classes 1, 2, ..., K-1, the lead is the product of all weights with one vector: z in block c, -z in block r.  For two classes
that is the familiar y (x, 1).  (Nilsson, Learning Machines, 1965, section 5.1; Duda and Hart 1973, section 5.12.)

Before anything is solved the columns are moved and scaled, x' = (x - centre) 2^-shift, so that |x'| is at most 1.  The
map is exact, being by sums and powers of two, and invertible, so it changes no verdict and no witness.  X itself is not
copied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, isqrt, lcm
from typing import Any

import numpy as np
from scipy import sparse

from ...system.clock import never
from ...system.rounding_error import TINY, gamma
from ..arithmetic.exact import nearest_floats, product_of_floats, weigh, whole_numbers

BLOCK = 1 << 16  # numbers of X that are converted at a time
OFF_CENTRE = 32.0  # a column farther from zero than this many times half its spread is moved
SAFE = 2.0**900  # scaled weights beyond this, or below its inverse, could overflow on the way
LONG = 512  # numbers of a row that NumPy goes through quickly
EXACT_AT_ONCE = 1 << 17  # numbers of X, or scores, that become whole numbers at a time, which take about 200 bytes each


@dataclass(frozen=True)
class Direction:
    """Weights in the moved and scaled coordinates, up to a positive factor, exactly.

    ``floats`` are about the weights, each with a relative error of at most ``UNIT``, the largest about 1.  ``whole`` are
    the weights, as whole numbers; None where ``floats`` are themselves exact.
    """

    floats: np.ndarray
    whole: list[int] | None = None

    @staticmethod
    def of_whole(numbers: list[int]) -> Direction:
        return Direction(nearest_floats(numbers), numbers)

    def exactly(self) -> tuple[list[int], int]:
        """Whole numbers and the exponent of two that makes them the weights ``floats`` are about."""
        if self.whole is not None:
            return self.whole, -max((number.bit_length() for number in self.whole), default=0)
        whole, exponent = whole_numbers(self.floats)
        return whole.tolist(), exponent


class Pairs:
    """All pairs of a row and a rival class.

    Pair number i (K-1) + q is row i against its q-th rival: rivals are counted in order, the row's own class left out.
    ``X`` is C-ordered or CSR (no entry twice); ``target`` has class numbers 0, 1, ..., K-1.
    """

    def __init__(self, X: Any, target: np.ndarray, n_classes: int, fit_intercept: bool) -> None:
        self.X, self.target, self.fit_intercept = X, target, fit_intercept
        self.sparse = sparse.issparse(X)
        self.n_rows, self.n_features = X.shape
        self.n_rivals = n_classes - 1
        self.count = self.n_rows * self.n_rivals
        self.y = np.where(target == 1, 1.0, -1.0)  # the labels of two classes
        low, high = _ranges(X)
        self.centre = np.zeros(self.n_features)
        if fit_intercept and not self.sparse:
            middle, half = low / 2 + high / 2, high / 2 - low / 2
            self.centre = np.where(np.abs(middle) / OFF_CENTRE > half, middle, 0.0)
        size = np.maximum(np.abs(low - self.centre), np.abs(high - self.centre))
        self.columns = np.flatnonzero(size)  # the others say nothing that the intercept does not
        self.shift = np.frexp(size)[1].astype(np.int64)
        self.width = self.columns.size + fit_intercept
        self.dim = self.n_rivals * self.width
        self._in_place = not np.any(self.centre) and (self.sparse or X.dtype == np.float64)
        self._terms = int(np.diff(X.indptr).max(initial=0)) if self.sparse else self.n_features

    def part(self, rows: np.ndarray) -> tuple[Pairs, np.ndarray]:
        """The problem of some rows in the columns they have (CSR), and those columns; all classes still rivals."""
        X, columns = self.X[rows], np.arange(self.n_features)
        if self.sparse:
            columns = np.unique(X.indices)
            X = X[:, columns].tocsr()
        return Pairs(X, self.target[rows], self.n_rivals + 1, self.fit_intercept), columns

    # Names of pairs

    def rows_and_rivals(self, pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rows, place = np.divmod(pairs, self.n_rivals)
        return rows, place + (place >= self.target[rows])

    def pair(self, rows: np.ndarray, rivals: np.ndarray) -> np.ndarray:
        return rows * self.n_rivals + rivals - (rivals > self.target[rows])

    def not_zero(self) -> np.ndarray:
        """Which pairs have a vector that is not zero: with an intercept, all."""
        if self.fit_intercept:
            return np.ones(self.count, dtype=bool)
        some = np.diff(self.X.indptr) > 0 if self.sparse else np.any(self.X != 0, axis=1)
        return np.repeat(some, self.n_rivals)

    # Floats

    def vectors(self, pairs: np.ndarray) -> np.ndarray:
        """The vectors of these pairs as floats: rounded, where columns were moved."""
        rows, rivals = self.rows_and_rivals(pairs)
        vectors = np.empty((len(rows), self.dim))
        for part in blocks(len(rows), self.dim):
            z = np.ones((len(rows[part]), self.width))
            z[:, : self.columns.size] = self.moved(rows[part], self.columns)
            vectors[part] = self._in_blocks(z, self.target[rows[part]], rivals[part])
        return vectors

    def leads(self, direction: Direction) -> tuple[np.ndarray, float]:
        """About the lead of every pair, and a bound on the error of each, rigorous.

        They are sums of products x'_j v_j (``rounding_error``) with |x'_j| <= 1 up to rounding; three more roundings come from
        moving x and from v, and a hundredth is left over for the rounding of the bound.
        """
        weights = direction.floats.reshape(self.n_rivals, self.width)
        scores = self._scores(weights)
        terms = self._terms + 8
        largest = float(np.abs(weights).sum(axis=1).max(initial=0.0))
        bound = 1.01 * gamma(terms) * largest + terms * TINY
        if self.n_rivals == 1:
            return scores[:, 0] * self.y, bound
        scores = np.column_stack([np.zeros(self.n_rows), scores])
        own = np.take_along_axis(scores, self.target[:, None].astype(np.intp), axis=1)
        rivals = np.arange(self.n_rivals) + (np.arange(self.n_rivals) >= self.target[:, None])
        return (own - np.take_along_axis(scores, rivals, axis=1)).ravel(), 3 * bound

    def _scores(self, weights: np.ndarray) -> np.ndarray:
        """x'.v for every row and every block of weights; shape (rows, blocks)."""
        constants = weights[:, -1] if self.fit_intercept else np.zeros(self.n_rivals)
        slopes = np.zeros((self.n_rivals, self.n_features))
        slopes[:, self.columns] = weights[:, : self.columns.size]
        with np.errstate(over="ignore", under="ignore"):
            scaled = np.ldexp(slopes, -self.shift)
        sizes = np.abs(scaled[slopes != 0])
        safe = sizes.max(initial=1.0) < SAFE and sizes.min(initial=1.0) > 1 / SAFE
        if safe and self._in_place:
            return self.X @ scaled.T + constants
        scores = np.empty((self.n_rows, self.n_rivals))
        for part in blocks(self.n_rows, self.n_features):
            if safe and not self.sparse:
                scores[part] = (self.X[part].astype(np.float64) - self.centre) @ scaled.T + constants
            else:
                scores[part] = self.moved(part) @ slopes.T + constants
        return scores

    def moved(self, rows: np.ndarray | slice, columns: np.ndarray | None = None) -> Any:
        """x' of these rows, as floats; CSR stays CSR if all columns are asked for, and then has columns in common with X."""
        with np.errstate(under="ignore"):
            if self.sparse and columns is None:
                some = self.X[rows]
                data = np.empty(some.data.size)
                for part in blocks(data.size, 1):
                    np.ldexp(some.data[part].astype(np.float64), -self.shift[some.indices[part]], out=data[part])
                return type(some)((data, some.indices, some.indptr), shape=some.shape)
            numbers = np.arange(self.n_rows)[rows] if isinstance(rows, slice) else rows
            columns = np.arange(self.n_features) if columns is None else columns
            found = np.empty((len(numbers), columns.size))
            for part in blocks(len(numbers), columns.size):
                some = self.X[numbers[part]]
                some = some[:, columns] if columns.size < self.n_features else some
                some = np.subtract(some.toarray() if self.sparse else some, self.centre[columns], out=found[part])
                np.ldexp(some, -self.shift[columns], out=some)
            return found

    def norms(self, rows: np.ndarray) -> np.ndarray:
        """The norms of (x', 1) of these rows, about."""
        part = self.moved(rows)
        squares = (
            np.asarray(part.multiply(part).sum(axis=1)).ravel() if self.sparse else np.einsum("ij,ij->i", part, part)
        )
        return np.sqrt(squares + self.fit_intercept)

    def _in_blocks(self, z: np.ndarray, own: np.ndarray, rivals: np.ndarray) -> np.ndarray:
        """z in the block of the own class, -z in the rival's; class 0 has none."""
        vectors = np.zeros((len(z), self.n_rivals, self.width), dtype=z.dtype)
        for classes, sign in ((own, 1), (rivals, -1)):
            some = np.flatnonzero(classes > 0)
            vectors[some, classes[some] - 1] = sign * z[some]
        return vectors.reshape(len(z), self.dim)

    def length(self, direction: Direction) -> tuple[float, int]:
        """The norm of the weights without intercepts in the user's coordinates, as a number times a power of two, not below
        the truth: |w| for two classes; for more, the Frobenius norm with the mean over the classes taken off."""
        weights = direction.floats.reshape(self.n_rivals, self.width)[:, : self.columns.size]
        exponents = (np.frexp(weights)[1] - self.shift[self.columns])[weights != 0]
        if exponents.size == 0:
            return 0.0, 0
        exponent = int(exponents.max())
        with np.errstate(under="ignore"):
            slopes = np.ldexp(weights, -self.shift[self.columns] - exponent)  # the largest from 1/2 to 1
            if self.n_rivals > 1:
                slopes = np.vstack([np.zeros((1, self.columns.size)), slopes])
                slopes = slopes - slopes.mean(axis=0)
            norm = float(np.linalg.norm(slopes))
        return norm * (1 + (self.n_rivals + 3) * gamma(slopes.size + 8)), exponent

    # Whole numbers

    def whole_vectors(self, pairs: np.ndarray) -> np.ndarray:
        """The vectors of these pairs, times one power of two, exactly."""
        rows, rivals = self.rows_and_rivals(pairs)
        whole = self._whole(rows, np.arange(self.width))[0]
        return self._in_blocks(whole, self.target[rows], rivals)

    def whole_rows(self, rows: np.ndarray) -> np.ndarray:
        """(x', 1) of these rows, times one power of two, exactly."""
        return self._whole(rows, np.arange(self.width))[0].astype(object)

    def _whole(self, rows: np.ndarray, places: np.ndarray) -> tuple[np.ndarray, int]:
        """(x', 1) of these rows, in these places of it, as whole numbers times a power of two, exactly."""
        part, shift, centre = self._stored(rows, places)
        if not centre.any():
            return whole_numbers(part, shift)
        both, exponent = whole_numbers(np.vstack([part, centre]), shift)
        both = both.astype(object)
        return both[:-1] - both[-1], exponent

    def _stored(self, rows: np.ndarray, places: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(x, 1) of these rows, in these places of it, with the shift and the centre that make x' of it."""
        columns = self.columns[places[places < self.columns.size]]
        constants = places.size - columns.size
        part = self.X[rows][:, columns].toarray() if self.sparse else self.X[rows[:, None], columns]
        part = np.hstack([part.astype(np.float64, copy=False), np.ones((len(rows), constants))])
        shift = np.append(self.shift[columns], np.zeros(constants, dtype=np.int64))
        return part, shift, np.append(self.centre[columns], np.zeros(constants))

    def combined(self, pairs: np.ndarray, weights: Sequence[Fraction | int]) -> tuple[np.ndarray, Fraction]:
        """sum_i weights_i a_i, exactly: whole numbers, shape (K-1, width), and the factor they are to be multiplied by."""
        rows, rivals = self.rows_and_rivals(pairs)
        whole, exponent = self._whole(rows, np.arange(self.width))
        denominator = lcm(*(weight.denominator for weight in weights))
        shares = np.array([int(weight * denominator) for weight in weights], dtype=object)
        total = np.zeros((self.n_rivals, self.width), dtype=object)
        for classes, sign in ((self.target[rows], 1), (rivals, -1)):
            for k in np.unique(classes[classes > 0]).tolist():
                total[k - 1] += sign * np.array(weigh(shares[classes == k].tolist(), whole[classes == k]), dtype=object)
        return total, Fraction(2) ** exponent / denominator

    def signs(self, direction: Direction) -> np.ndarray:
        """The sign of every pair's lead, exactly: floats where their error bound allows, whole numbers elsewhere."""
        return self.signs_of(direction, *self.leads(direction))

    def signs_of(self, direction: Direction, leads: np.ndarray, bound: float) -> np.ndarray:
        """The same of leads that are known."""
        signs = (leads > bound).astype(np.int8) - (leads < -bound).astype(np.int8)
        unsure = np.flatnonzero(signs == 0)
        if self.n_rivals > 1:
            unsure = unsure[self._differ(unsure, direction)]
        if unsure.size:
            signs[unsure] = self.exact_signs(unsure, direction)
        return signs

    def _differ(self, pairs: np.ndarray, direction: Direction) -> np.ndarray:
        """Which of these pairs are of two classes whose weights differ: between equal ones nothing leads."""
        weights = np.array(direction.exactly()[0], dtype=object).reshape(self.n_rivals, self.width)
        names: dict[tuple[int, ...], int] = {}
        same = [names.setdefault(tuple(row), k) for k, row in enumerate([[0] * self.width, *weights.tolist()])]
        rows, rivals = self.rows_and_rivals(pairs)
        return np.array(same)[self.target[rows]] != np.array(same)[rivals]

    def exact_signs(self, pairs: np.ndarray, direction: Direction, tick: Callable[[], None] = never) -> np.ndarray:
        """The signs of the leads of these pairs, exactly."""
        signs = np.zeros(len(pairs), dtype=np.int8)
        for part, leads, _ in self._exact_leads(pairs, [direction.exactly()[0]]):
            tick()
            signs[part] = (leads[:, 0] > 0).astype(np.int8) - (leads[:, 0] < 0)
        return signs

    def not_zero_under(self, pairs: np.ndarray, directions: list[list[int]], tick: Callable[[], None]) -> np.ndarray:
        """For every one of these pairs whether its lead under some of these whole weights is not zero, exactly."""
        found = np.zeros(len(pairs), dtype=bool)
        for part, leads, _ in self._exact_leads(pairs, directions):
            tick()
            found[part] = np.any(leads != 0, axis=1)
        return found

    def smallest_lead(self, pairs: np.ndarray, direction: Direction) -> Fraction:
        """The smallest lead of these pairs, exactly, in the scale of the direction's floats."""
        weights, unit = direction.exactly()
        parts = self._exact_leads(pairs, [weights])
        return min(int(leads.min()) * Fraction(2) ** (exponent + unit) for _, leads, exponent in parts)

    def below(self, pairs: np.ndarray, direction: Direction, lead: Fraction) -> np.ndarray:
        """Those of these pairs that lead by less, exactly; the lead is in the scale of the direction's floats."""
        weights, unit = direction.exactly()
        found = [pairs[:0]]
        for part, leads, exponent in self._exact_leads(pairs, [weights]):
            least = ceil(lead / Fraction(2) ** (exponent + unit))
            found.append(pairs[part][leads[:, 0].astype(object) < least])
        return np.concatenate(found)

    def _exact_leads(self, pairs: np.ndarray, directions: list[list[int]]) -> Iterator[tuple[slice, np.ndarray, int]]:
        """Some of these pairs at a time: their leads under every direction, as whole numbers times a power of two.  Columns
        in which no direction has a weight are not looked at, nor those in which all of these rows have 0."""
        blocks = np.array(directions, dtype=object).reshape(len(directions), self.n_rivals, self.width)
        weights = blocks.transpose(2, 1, 0).reshape(self.width, self.n_rivals * len(directions))
        used = np.flatnonzero((weights != 0).any(axis=1))
        step = max(1, EXACT_AT_ONCE // max(1, used.size, weights.shape[1]))
        if self.sparse:  # the more CSR rows, the more columns they have
            step = max(step, isqrt(EXACT_AT_ONCE // max(1, self._terms)))
        all_rows, all_rivals = self.rows_and_rivals(pairs)
        firsts = np.flatnonzero(
            np.diff(all_rows, prepend=-1)
        )  # pairs of one row come one after the other: its scores are worked out once
        for start in range(0, firsts.size, step):
            part = slice(int(firsts[start]), int(firsts[start + step]) if start + step < firsts.size else len(pairs))
            rows, rivals = all_rows[firsts[start : start + step]], all_rivals[part]
            of = np.searchsorted(firsts[start : start + step], np.arange(part.start, part.stop), side="right") - 1
            places = used
            if self.sparse:
                there = np.searchsorted(self.columns, np.unique(self.X[rows].indices))
                places = used[np.isin(used, there) | (used == self.columns.size)]
            values, shift, centre = self._stored(rows, places)
            moved = bool(centre.any())
            values = np.vstack([values, centre]) if moved else values
            some = np.flatnonzero(np.any(values != 0, axis=0))
            scores, exponent = product_of_floats(values[:, some], shift[some], weights[places[some]])
            scores = scores[:-1].astype(object) - scores[-1].astype(object) if moved else scores
            scores = scores.reshape(len(rows), self.n_rivals, len(directions))
            yield part, self._differences(scores, of, self.target[rows][of], rivals), exponent

    @staticmethod
    def _differences(scores: np.ndarray, of: np.ndarray, own: np.ndarray, rivals: np.ndarray) -> np.ndarray:
        """The score of the own class less that of the rival, class 0 having none; ``scores`` by row, class and direction, and
        ``of`` the row of each pair."""
        leads = np.zeros((len(of), scores.shape[2]), dtype=scores.dtype)
        for classes, sign in ((own, 1), (rivals, -1)):
            some = np.flatnonzero(classes > 0)
            leads[some] += sign * scores[of[some], classes[some] - 1]
        return leads


def blocks(count: int, width: int) -> Iterator[slice]:
    """So many rows of so many numbers, some at a time."""
    step = max(1, BLOCK // max(1, width))
    return (slice(start, start + step) for start in range(0, count, step))


def _ranges(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """The smallest and the largest value of every column; for CSR numbers not above and not below them."""
    if sparse.issparse(X):
        size = np.zeros(X.shape[1])
        np.maximum.at(size, X.indices, np.abs(X.data).astype(np.float64))
        return -size, size
    return over_rows(np.min, X), over_rows(np.max, X)


def over_rows(reduce: Callable[..., np.ndarray], X: np.ndarray) -> np.ndarray:
    """The smallest or largest value of every column.  Several rows are taken as one long one: that is what NumPy is quick at."""
    together = max(1, LONG // max(1, X.shape[1]))
    whole = len(X) // together * together
    if whole == 0:
        return reduce(X, axis=0).astype(np.float64)
    folded = reduce(X[:whole].reshape(whole // together, -1), axis=0).reshape(together, -1)
    return reduce(np.vstack([folded, X[whole:]]), axis=0).astype(np.float64)
