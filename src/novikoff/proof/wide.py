"""Sparse rows of very many features: look for easy proofs before solving anything.

A perceptron separates most such data in a few passes.  Where it does not, features that speak for one class only take rows
out of the problem: if all values of a column have the sign of their rows' labels, a large weight on it separates every row
that has the feature, whatever the other weights are.  Taking those rows out leaves columns that were not one-sided before,
and so on; what decides is the rest.  (A direction of this kind is lexicographic: earlier columns outweigh later ones.)
"""

from __future__ import annotations

import logging
from fractions import Fraction

import numpy as np
from scipy import sparse

from .clock import Clock
from .coordinates import Weights, to_moved
from .pairs import Direction, Pairs

log = logging.getLogger(__name__)

WIDE = 2000  # sparse rows with more features than this are looked at here first
MOST_POWER = 900  # of two, by which an earlier column outweighs later ones


def is_wide(pairs: Pairs) -> bool:
    return pairs.sparse and pairs.width > WIDE


class Peeling:
    """Rows of two classes that one-sided columns separate, round by round."""

    def __init__(self, pairs: Pairs, clock: Clock) -> None:
        self.pairs = pairs
        self.signed = sparse.csr_array(pairs.moved(slice(None)).multiply(pairs.y[:, None]))
        self.rounds: list[tuple[np.ndarray, np.ndarray]] = []  # rows, and the one-sided columns with their signs
        self.left = np.ones(pairs.n_rows, dtype=bool)
        entry_rows = np.repeat(np.arange(pairs.n_rows), np.diff(self.signed.indptr))
        columns, positive = self.signed.indices, self.signed.data > 0
        while self.left.any():
            clock.tick()
            here = self.left[entry_rows]
            plus = np.bincount(columns[here & positive], minlength=pairs.n_features)
            minus = np.bincount(columns[here & ~positive], minlength=pairs.n_features)
            sides = np.where(minus == 0, 1.0, -1.0) * ((plus == 0) != (minus == 0))
            rows = np.unique(entry_rows[here & (sides[columns] != 0)])
            if rows.size == 0:
                break
            self.rounds.append((rows, sides))
            self.left[rows] = False
        log.info("%d rounds of one-sided columns leave %d rows", len(self.rounds), np.count_nonzero(self.left))

    def direction(self, start: Weights) -> Direction:
        """A direction that is positive on every row taken out, and on the others what the weights ``start`` are."""
        direction = to_moved(self.pairs, start)
        leads = self.pairs.leads(direction)[0]
        v = np.zeros(self.pairs.n_features)
        for rows, sides in reversed(self.rounds):
            gains = self.signed @ sides
            needed = float(np.max(-leads[rows] / gains[rows]))
            times = float(np.ldexp(1.0, min(max(0, int(np.frexp(needed)[1]) + 1), MOST_POWER))) if needed > 0 else 1.0
            leads = leads + times * gains
            v += times * sides
        moved = v[self.pairs.columns]
        if direction.whole is None:
            constant = direction.floats[moved.size :]
            return Direction(np.append(direction.floats[: moved.size] + moved, constant))
        whole, exponent = direction.exactly()
        added = [int(value) << -exponent for value in moved.tolist()] + [0] * int(self.pairs.fit_intercept)
        return Direction.of_whole([a + b for a, b in zip(whole, added, strict=True)])


def lifted(weights: Weights, columns: np.ndarray, n_features: int) -> Weights:
    """Weights of some columns as weights of all."""
    places = np.append(columns, n_features)
    floats = np.zeros((len(weights.floats), n_features + 1))
    floats[:, places] = weights.floats
    if weights.exact is None:
        return Weights(floats)
    exact = []
    for small in weights.exact:
        row = [Fraction(0)] * (n_features + 1)
        for place, number in zip(places.tolist(), small, strict=True):
            row[place] = number
        exact.append(tuple(row))
    return Weights(floats, tuple(exact))
