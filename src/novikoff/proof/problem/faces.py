"""Directions that are zero on some pairs: a face of the cone of all directions without a negative lead.

Rows that carry a relation sum_i lambda_i a_i = 0 with every lambda_i > 0 force a_i.w = 0 for every w that has no negative
lead.  What remains to be found lies in the space of those w, w = N z with N a basis of it, in which the pair a has the
vector a N.  (Facial reduction: Borwein and Wolkowicz 1981; here in exact arithmetic.)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from ...system.clock import never
from ..arithmetic.exact import (
    independent_rows,
    nearest_floats,
    product,
    regular_columns,
    smallest,
    solve,
    whole_numbers,
)
from .pairs import Direction, Pairs, blocks

LOST = 2.0**-20  # where so little is left of a vector, floats are too rough: exact arithmetic rounds it
EXACT_QUOTIENTS = 4096  # numbers of B_P^-1 B_F that are worked out exactly before they are rounded
SOME = 4  # times the dimension: pairs that are looked at together for independent ones


class Face:
    """All w with a.w = 0 for the independent pairs in ``basis``.

    Their vectors B are a regular matrix in some columns, the pivots P; the other columns F are free.  So w_F = z is any
    vector, w_P = -B_P^-1 B_F z, and the pair a has the vector a_F - a_P B_P^-1 B_F in this face.
    """

    def __init__(self, pairs: Pairs, basis: np.ndarray, tick: Callable[[], None] = never) -> None:
        self.pairs, self.basis, self.tick = pairs, basis, tick
        self.dim = pairs.dim - basis.size
        self.all = basis.size == 0 or self.dim == 0
        if not self.all:
            self.whole, floats = pairs.whole_vectors(basis), pairs.vectors(basis)
            self.pivots = regular_columns(self.whole, floats)
            self.free = np.setdiff1d(np.arange(pairs.dim), self.pivots)
            exact = self._quotients() if basis.size * self.dim <= EXACT_QUOTIENTS else None
            if exact is None:
                exact = np.linalg.lstsq(floats[:, self.pivots], floats[:, self.free], rcond=None)[0]
            self.floats = exact

    def vectors(self, which: np.ndarray) -> np.ndarray:
        """About the vectors of these pairs in this face, up to a positive factor each; zero only if they are."""
        if self.all:
            vectors, largest = self.pairs.vectors(which), np.zeros(len(which))
        else:
            vectors, largest = np.empty((len(which), self.dim)), np.empty(len(which))
            for part in blocks(len(which), self.pairs.dim):
                whole = self.pairs.vectors(which[part])
                free, bound = whole[:, self.free], whole[:, self.pivots]
                vectors[part] = free - bound @ self.floats
                largest[part] = (np.abs(free) + np.abs(bound) @ np.abs(self.floats)).max(axis=1, initial=0.0)
        rough = np.flatnonzero(largest_sizes(vectors) <= LOST * largest)
        if rough.size:
            vectors[rough] = [nearest_floats(list(row)) for row in self.whole_vectors(which[rough])]
        return vectors

    def norms(self, which: np.ndarray) -> np.ndarray:
        """The norms of ``vectors(which)``, of which a block at a time is made: of many classes, all of them would take gigabytes."""
        norms = np.empty(len(which))
        for part in blocks(len(which), self.pairs.dim):
            norms[part] = np.linalg.norm(self.vectors(which[part]), axis=1)
        return norms

    def whole_vectors(self, which: np.ndarray) -> np.ndarray:
        """The vectors of these pairs in this face exactly, up to a positive factor each."""
        return self._reduced(self.pairs.whole_vectors(which))

    def product(self, vector: list[int]) -> list[int]:
        """A vector of whole numbers in this face, up to a positive factor."""
        return self._reduced(np.array([vector], dtype=object))[0].tolist()

    def _reduced(self, vectors: np.ndarray) -> np.ndarray:
        if self.all:
            return vectors
        free, bound = vectors[:, self.free], vectors[:, self.pivots]
        if len(vectors) < self.dim:  # fewer systems to solve than for the inverse below
            shares, denominator = solve(self.whole[:, self.pivots].T, bound.T, self.tick)
            taken = product(np.ascontiguousarray(shares.T), self.whole[:, self.free])
        else:
            inverse, denominator = self._inverse
            taken = product(bound, inverse)
        times = np.array([[denominator]], dtype=object)
        return product(free.reshape(-1, 1), times).reshape(free.shape) - taken

    def _quotients(self) -> np.ndarray | None:
        """B_P^-1 B_F in floats, each rounded once; None where one is larger than any float."""
        inverse, denominator = self._inverse
        try:
            return (inverse / denominator).astype(np.float64)
        except OverflowError:
            return None

    @cached_property
    def _inverse(self) -> tuple[np.ndarray, int]:
        """B_P^-1 B_F."""
        return solve(self.whole[:, self.pivots], self.whole[:, self.free], self.tick)

    def direction(self, z: np.ndarray | list[int]) -> Direction:
        """The direction w with w_F = z, up to a positive factor."""
        if self.all:
            return Direction(z / np.abs(z).max()) if isinstance(z, np.ndarray) else Direction.of_whole(z)
        numbers = whole_numbers(z)[0].astype(object) if isinstance(z, np.ndarray) else np.array(z, dtype=object)
        right = product(self.whole[:, self.free], numbers[:, None])
        bound, denominator = solve(self.whole[:, self.pivots], right, self.tick)
        w = np.empty(self.pairs.dim, dtype=object)
        w[self.free] = numbers * denominator
        w[self.pivots] = -bound[:, 0]
        return Direction.of_whole(smallest(w.tolist()))

    def outside(self, which: np.ndarray | None = None) -> np.ndarray:
        """For every pair (of these) whether its lead is not zero in all of the face, exactly."""
        which = np.arange(self.pairs.count) if which is None else which
        if self.all:
            return np.full(which.size, self.dim > 0) & self.pairs.not_zero()[which]
        some = np.random.default_rng(0).integers(1, 1 << 20, size=self.dim)
        leads, bound = self.pairs.leads(self.direction([int(number) for number in some]))
        outside = np.abs(leads[which]) > bound
        unsure = np.flatnonzero(~outside)
        if unsure.size < self.dim:  # fewer systems to solve than for a basis
            outside[unsure] = np.any(self.whole_vectors(which[unsure]) != 0, axis=1)
        else:
            outside[unsure] = self.pairs.not_zero_under(which[unsure], self._basis(), self.tick)
        return outside

    def _basis(self) -> list[list[int]]:
        """Directions that span the face, in the smallest whole numbers: where few columns matter, they have few weights."""
        inverse, denominator = self._inverse
        directions = np.zeros((self.dim, self.pairs.dim), dtype=object)
        directions[np.arange(self.dim), self.free] = denominator
        directions[:, self.pivots] = -inverse.T
        return [smallest(direction) for direction in directions.tolist()]


def largest_sizes(vectors: np.ndarray) -> np.ndarray:
    """The largest absolute value of every vector."""
    return np.maximum(vectors.max(axis=1, initial=0.0), -vectors.min(axis=1, initial=0.0))


def spanning_pairs(pairs: Pairs, which: np.ndarray, tick: Callable[[], None]) -> np.ndarray:
    """Some of these pairs, whose vectors are independent and span those of all of them, exactly."""
    basis, outside = which[:0], which[Face(pairs, which[:0]).outside(which)]
    while outside.size and basis.size < pairs.dim:
        tick()
        step = max(1, outside.size // (SOME * pairs.dim))
        some = np.append(basis, outside[::step][: SOME * pairs.dim])
        basis = some[independent_rows(pairs.whole_vectors(some), least=basis.size + 1)]
        outside = outside[Face(pairs, basis, tick).outside(outside)]
    return basis


def spanning_rows(pairs: Pairs, tick: Callable[[], None]) -> tuple[Pairs, np.ndarray]:
    """The rows (x, 1) as a separate problem, and places of independent ones that span them all, exactly."""
    plain = Pairs(pairs.X, np.ones(pairs.n_rows, dtype=np.intp), 2, pairs.fit_intercept)
    return plain, spanning_pairs(plain, np.flatnonzero(plain.not_zero()), tick)


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
