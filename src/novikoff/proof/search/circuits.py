"""Walks from witness to witness: the vertices of the polytope of all relations.

    minimise  cost.l   subject to   sum_i l_i a_i = 0,  sum_i l_i = 1,  l >= 0

The pairs i with l_i > 0 at a vertex are a witness of which no pair can be left out.  The primal simplex method (G. B. Dantzig 1951)
goes from vertex to vertex; other costs, such as those of rows that are removed, leave the last one a start.  If no relation is cheaper
than t > 0, the multipliers w have cost_i - a_i.w >= t for every i: where cost is 0, -w leads.  So one walk tells whether some rows are
separable, and shows witnesses of little cost on the way.  Floats: what is found must be confirmed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf

import numpy as np

DEPENDENT = 1e-11  # of the largest singular value: smaller ones are rounding
ZERO = 1e-9  # what is smaller is rounding
NO_STEP = 1e-12
STALLED = 15  # steps of no length, after which any pair that may enter does, so that the walk does not go round
REFRESH = 60  # pivots after which the inverse is computed again
MOST_STEPS = 300  # of one walk


class Circuits:
    """The walk over these vectors, one for each pair, none of them zero; ``tick`` is called at every step.  ``begun``: whether a first vertex was found, or
    that there is none, with ``most`` multiplications."""

    def __init__(
        self, vectors: np.ndarray, rng: np.random.Generator, tick: Callable[[], None], most: float = inf
    ) -> None:
        turned, sizes, back = np.linalg.svd(vectors, full_matrices=False)
        some = sizes > DEPENDENT * sizes[0]
        norms = np.linalg.norm(turned[:, some], axis=1, keepdims=True)
        self.unit = turned[:, some] / np.where(
            norms > 0, norms, 1.0
        )  # same signs of leads, same witnesses, far better conditioned
        self._back = back[some].T / sizes[some]
        self._A = np.hstack([self.unit, np.ones((len(vectors), 1))])
        self.work, self._rng, self._tick = vectors.size * vectors.shape[1], rng, tick
        self.multipliers: np.ndarray | None = None  # of vectors that have no relation, as far as floats tell
        self.begun, self._most = True, most
        self._first_vertex()

    def direction(self, w: np.ndarray) -> np.ndarray:
        """Weights for the vectors as they were given."""
        direction = self._back @ w
        largest = float(np.abs(direction).max(initial=0.0))
        return direction / largest if largest > 0 else direction

    def support(self) -> np.ndarray:
        """The pairs of the vertex."""
        return self._basis[(self._inverse[:, -1] > ZERO) & (self._basis < len(self._A))]

    def minimise(self, cost: np.ndarray) -> Iterator[np.ndarray]:
        """Walk towards the cheapest relation; yields the multipliers w after each step, the last of them the cheapest's if that was
        reached."""
        still = 0
        for _ in range(MOST_STEPS):
            stuck = self._basis >= len(self._A)
            artificial = stuck if stuck.any() else None
            prices = (
                cost[self._basis] if artificial is None else np.where(stuck, 0.0, cost[np.where(stuck, 0, self._basis)])
            )
            multipliers = prices @ self._inverse
            reduced = cost - self._A @ multipliers
            yield multipliers[:-1]
            entering = self._entering(reduced, still)
            if entering is None or (step := self._move(entering, artificial)) is None:
                return
            still = still + 1 if step <= NO_STEP else 0

    def _first_vertex(self) -> None:
        """Go to any vertex, from unit vectors that no relation may have in the end: what is left of them is the cost."""
        count, size = self._A.shape
        self._basis, self._inverse, self._since = np.arange(count, count + size), np.eye(size), 0
        still = 0
        while True:
            artificial = self._basis >= len(self._A)
            if not np.any(artificial & (self._inverse[:, -1] > ZERO)):
                return
            if self.work > self._most:
                self.begun = False
                return
            multipliers = artificial.astype(float) @ self._inverse
            entering = self._entering(-(self._A @ multipliers), still)
            if entering is None or (step := self._move(entering, None)) is None:
                self.multipliers = multipliers[:-1]
                return
            still = still + 1 if step <= NO_STEP else 0

    def _entering(self, reduced: np.ndarray, still: int) -> int | None:
        self._tick()
        reduced[self._basis[self._basis < len(self._A)]] = 0.0
        if still <= STALLED:
            best = int(reduced.argmin())
            return best if reduced[best] < -ZERO else None
        can = np.flatnonzero(reduced < -ZERO)
        return int(can[self._rng.integers(can.size)]) if can.size else None

    def _move(self, entering: int, artificial: np.ndarray | None) -> float | None:
        """Let a pair enter; how far that was.  ``artificial`` ones, all at 0, leave first."""
        column, shares = self._inverse @ self._A[entering], np.maximum(self._inverse[:, -1], 0.0)
        can = np.zeros(0, dtype=np.intp) if artificial is None else np.flatnonzero(artificial & (np.abs(column) > 1e-7))
        if can.size:
            leaving, step = int(can[np.argmax(np.abs(column[can]))]), 0.0
        else:
            can = (column > ZERO).nonzero()[0]
            if can.size == 0:
                return None
            ratios = shares[can] / column[can]
            step = float(ratios.min())
            ties = can[ratios <= step + NO_STEP]
            leaving = int(ties[column[ties].argmax()])
        self._inverse[leaving] /= column[leaving]
        column[leaving] = 0.0
        self._inverse -= column[:, None] * self._inverse[leaving]
        self._basis[leaving] = entering
        self._since += 1
        self.work += self._A.size
        if self._since >= REFRESH:
            self._since, size = 0, len(self._basis)
            unit = np.eye(size)[np.maximum(self._basis - len(self._A), 0)]
            real = (self._basis < len(self._A))[:, None]
            try:
                self._inverse = np.linalg.inv(np.where(real, self._A[np.where(real[:, 0], self._basis, 0)], unit).T)
            except np.linalg.LinAlgError:  # rounding led to a basis that is none
                self._first_vertex()
        return step
