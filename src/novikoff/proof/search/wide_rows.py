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

from ...system.clock import Clock
from ..problem.coordinates import Weights, to_moved
from ..problem.pairs import Direction, Pairs

log = logging.getLogger(__name__)

WIDE = 2000  # sparse rows with more features than this are looked at here first
MOST_POWER = 900  # of two, by which an earlier column outweighs later ones and floats can still hold both
TINIEST = 2.0**-1074


def is_wide(pairs: Pairs) -> bool:
    return pairs.sparse and pairs.width > WIDE


class Peeling:
    """Rows of two classes that one-sided columns separate, round by round."""

    def __init__(self, pairs: Pairs, clock: Clock) -> None:
        self.pairs = pairs
        self.signed = pairs.moved(slice(None))
        self.rounds: list[tuple[np.ndarray, np.ndarray]] = []  # rows, and the one-sided columns with their signs
        self.left = np.ones(pairs.n_rows, dtype=bool)
        rows, columns = np.repeat(np.arange(pairs.n_rows), np.diff(pairs.X.indptr)), pairs.X.indices
        labels = pairs.y[rows]
        self.signed.data *= labels
        positive = (pairs.X.data > 0) == (labels > 0)
        while rows.size:
            clock.tick()
            plus = np.bincount(columns[positive], minlength=pairs.n_features)
            minus = np.bincount(columns[~positive], minlength=pairs.n_features)
            sides = np.where(minus == 0, 1.0, -1.0) * ((plus == 0) != (minus == 0))
            gone = np.unique(rows[sides[columns] != 0])
            if gone.size == 0:
                break
            self.rounds.append((gone, sides))
            self.left[gone] = False
            here = self.left[rows]
            rows, columns, positive = rows[here], columns[here], positive[here]
        log.info("%d rounds of one-sided columns leave %d rows", len(self.rounds), np.count_nonzero(self.left))

    def direction(self, start: Weights) -> Direction:
        """A direction that is positive on every row taken out, and on the others what the weights ``start`` are.

        From the last round to the first, the columns of a round get a power of two that outweighs all that came before; no
        column is in two rounds, and none of them in a row that is left.  Leads are kept in units of the latest power.
        """
        direction = to_moved(self.pairs, start)
        leads = self.pairs.leads(direction)[0]
        power, powers = 0, np.zeros(self.pairs.n_features, dtype=np.int64)
        sides = np.zeros(self.pairs.n_features, dtype=np.int64)
        for rows, signs in reversed(self.rounds):
            gains = self.signed @ signs
            behind = rows[leads[rows] < 0]
            needed = np.frexp(leads[behind])[1] - np.frexp(np.maximum(gains[behind], TINIEST))[1] + 2
            more = int(needed.max(initial=0))
            power += more
            with np.errstate(under="ignore"):
                leads = np.ldexp(leads, -more) + gains
            powers[signs != 0] = power
            sides[signs != 0] = signs[signs != 0]
        used = self.pairs.columns
        if direction.whole is None and power <= MOST_POWER:
            added = np.append(
                np.ldexp(sides[used].astype(float), powers[used] - power), np.zeros(int(self.pairs.fit_intercept))
            )
            return Direction(np.ldexp(direction.floats, -power) + added)
        whole, exponent = direction.exactly()
        least = min(exponent, 0)
        numbers = [number << (exponent - least) for number in whole]
        for place, column in enumerate(used.tolist()):
            numbers[place] += int(sides[column]) << int(powers[column] - least)
        return Direction.of_whole(numbers)


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
