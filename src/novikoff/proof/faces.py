"""Directions that are zero on some pairs: a face of the cone of all directions without a negative lead.

Rows that carry a relation sum_i lambda_i a_i = 0 with every lambda_i > 0 force a_i.w = 0 for every w that has no negative
lead.  What remains to be found lies in the space of those w, w = N z with N a basis of it, in which the pair a has the
vector a N.  (Facial reduction: Borwein and Wolkowicz 1981; here in exact arithmetic.)
"""

from __future__ import annotations

import numpy as np
from flint import fmpz_mat

from .exact import nearest_floats, null_vectors, whole_numbers
from .pairs import Direction, Pairs

LOST = 2.0**-20  # where so little is left of a vector, floats are too rough: exact arithmetic rounds it


class Face:
    """All w with a.w = 0 for the independent pairs in ``basis``."""

    def __init__(self, pairs: Pairs, basis: np.ndarray) -> None:
        self.pairs, self.basis = pairs, basis
        self.dim = pairs.dim - basis.size
        self.whole: fmpz_mat | None = None
        self.floats = np.empty((0, 0))
        if basis.size and self.dim:
            self.whole = null_vectors(pairs.whole_vectors(basis), pairs.vectors(basis))
            if self.whole is None:
                raise ArithmeticError("the pairs of a face must be independent")
            entries = [int(entry) for entry in self.whole.entries()]
            self.floats = nearest_floats(entries).reshape(pairs.dim, self.dim)

    def vectors(self, which: np.ndarray) -> np.ndarray:
        """The vectors of these pairs in this face, as floats, each with a small relative error."""
        full = self.pairs.vectors(which)
        if self.whole is None:
            return full
        vectors = full @ self.floats
        rough = np.abs(vectors).max(axis=1) < LOST * (np.abs(full) @ np.abs(self.floats)).max(axis=1)
        for place in np.flatnonzero(rough).tolist():
            whole = self.whole_vectors(which[place : place + 1])[0]
            vectors[place] = nearest_floats(list(whole))
        return vectors

    def whole_vectors(self, which: np.ndarray) -> np.ndarray:
        """The vectors of these pairs in this face, exactly, times one positive factor."""
        vectors = self.pairs.whole_vectors(which)
        if self.whole is None:
            return vectors
        products = fmpz_mat(*vectors.shape, vectors.ravel().tolist()) * self.whole
        return np.array([int(entry) for entry in products.entries()], dtype=object).reshape(len(which), self.dim)

    def direction(self, z: np.ndarray | list[int]) -> Direction:
        """w = N z."""
        if self.whole is None:
            return Direction(z / np.abs(z).max()) if isinstance(z, np.ndarray) else Direction.of_whole(z)
        numbers = [int(number) for number in whole_numbers(z)[0]] if isinstance(z, np.ndarray) else z
        return Direction.of_whole([int(entry) for entry in (self.whole * fmpz_mat(len(numbers), 1, numbers)).entries()])

    def outside(self, which: np.ndarray | None = None) -> np.ndarray:
        """For every pair (of these) whether its lead is not zero in all of the face, exactly."""
        pairs = self.pairs
        which = np.arange(pairs.count) if which is None else which
        if self.whole is None:
            return np.full(which.size, self.dim > 0) & self._not_zero()[which]
        outside = np.zeros(which.size, dtype=bool)
        for column in range(self.dim):
            direction = Direction.of_whole([int(self.whole[row, column]) for row in range(pairs.dim)])
            leads, bound = pairs.leads(direction)
            outside |= np.abs(leads[which]) > bound
            unsure = np.flatnonzero(~outside)
            if unsure.size == 0:
                break
            outside[unsure] = pairs.exact_signs(which[unsure], direction) != 0
        return outside

    def _not_zero(self) -> np.ndarray:
        """Which pairs have a vector that is not zero: with an intercept, all."""
        if self.pairs.fit_intercept:
            return np.ones(self.pairs.count, dtype=bool)
        X = self.pairs.X
        some = np.diff(X.indptr) > 0 if self.pairs.sparse else np.any(X != 0, axis=1)
        return np.repeat(some, self.pairs.n_rivals)


def add_up(relation: dict[int, int], more: dict[int, int], basis: dict[int, int]) -> dict[int, int]:
    """One positive relation of two: ``relation`` (positive, summing to 0) and ``more`` (positive) plus ``basis`` (any sign,
    on pairs of ``relation``), summing to 0: as much of the first as keeps everything positive."""
    times = 1
    for pair, weight in basis.items():
        if weight < 0:
            times = max(times, -weight // relation[pair] + 1)
    total = {pair: times * weight for pair, weight in relation.items()}
    for part in (more, basis):
        for pair, weight in part.items():
            total[pair] = total.get(pair, 0) + weight
    return total
