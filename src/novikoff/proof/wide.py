"""Sparse rows of very many features: look for easy proofs before solving anything.

A perceptron separates most such data in a few passes.  Where it does not, features that speak for one class only take rows
out of the problem: if all values of a column have the sign of their rows' labels, a large weight on it separates every row
that has the feature, whatever the other weights are.  Taking those rows out leaves columns that were not one-sided before,
and so on; what decides is the rest.  (A direction of this kind is lexicographic: earlier columns outweigh later ones.)
"""

from __future__ import annotations

import logging
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from .clock import Clock
from .coordinates import Weights, to_moved
from .pairs import Direction, Pairs

log = logging.getLogger(__name__)

WIDE = 2000  # sparse rows with more features than this are looked at here first
PASSES = 300  # of the perceptron
MOST_POWER = 900  # of two, by which an earlier column outweighs later ones


def is_wide(pairs: Pairs) -> bool:
    return pairs.sparse and pairs.width > WIDE


def perceptron_direction(pairs: Pairs, clock: Clock) -> Direction | None:
    """Weights of a perceptron that made no more mistakes."""
    from ..estimators import Perceptron

    limit = None if clock.limit == float("inf") else max(clock.left / 2, 1e-3)
    learner = Perceptron(fit_intercept=pairs.fit_intercept, max_iter=PASSES, time_limit=limit, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        learner.fit(scaled(pairs), pairs.target)
    log.info("perceptron: %s after %d passes", learner.stop_reason_, learner.n_iter_)
    if learner.stop_reason_ != "separated":
        return None
    weights = np.hstack([learner.coef_, learner.intercept_[:, None]])
    if pairs.n_rivals > 1:
        weights = weights[1:] - weights[0]
    kept = np.append(pairs.columns, pairs.n_features) if pairs.fit_intercept else pairs.columns
    v = weights[:, kept].ravel()
    return Direction(v / np.abs(v).max())


def scaled(pairs: Pairs) -> Any:
    """CSR rows with every column scaled to at most 1."""
    X = pairs.X.astype(np.float64)
    with np.errstate(under="ignore"):
        X.data = np.ldexp(X.data, -pairs.shift[X.indices])
    return X


class Peeling:
    """Rows of two classes that one-sided columns separate, round by round."""

    def __init__(self, pairs: Pairs, clock: Clock) -> None:
        self.pairs = pairs
        self.signed = sparse.csr_array(scaled(pairs).multiply(pairs.y[:, None]))
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
