"""A support of bounded size, so that the dual form can learn from a stream that never ends.

The Randomized Budget Perceptron (Cavallanti, Cesa-Bianchi & Gentile 2007): a mistake adds its row to the support; if that
is then larger than the budget, one of the rows that were in it before, chosen uniformly at random, is removed.  Against a
target that drifts slowly enough its expected number of mistakes is bounded.  A row of the support that is mistaken again
only gains weight.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..learn.learning import NO_TALLY
from ..learn.state import ALWAYS, EXCUSED, PAUSE, PAUSED, Problem, State
from ..learn.sweep import sweep
from .dual_machine import Lazy
from .kernels import weighted_sums


class Bounded(Lazy):
    """Learns with at most ``budget`` rows in the support."""

    def __init__(
        self, form: Any, schedule: Any, problem: Problem, keep: Any, state: State, batch: int, budget: int
    ) -> None:
        super().__init__(form, schedule, problem, keep, state, batch)
        self._budget = budget

    def _make_steps(self, rows: np.ndarray, problem: Problem, state: State, order: np.ndarray) -> None:
        """Learn from a block, and look at the support after every change."""
        counts, state = state.counts, state._replace(pauses=ALWAYS)
        support = self._support(rows, state)
        learned = self.form, self.schedule, problem, state, self._scratch
        place, work = 0, order.size
        while place < order.size:
            place = sweep(*learned, order, order[:0], place, work, NO_TALLY, self._no_records)
            self._refuse_overflow()
            if counts[PAUSE] == PAUSED:
                counts[PAUSE] = EXCUSED
                work = 1  # the batch that makes the change, and no more
            elif work == 1:
                support = self._within_budget(support, rows, problem, state)
                work = order.size

    def _support(self, rows: np.ndarray, state: State) -> np.ndarray:
        """The rows that have a weight, those of the block included, as ascending places in the data."""
        held = np.flatnonzero(self.state.weights.any(axis=0))
        moved = rows[state.weights.any(axis=0)]
        return np.union1d(held, moved)

    def _within_budget(self, before: np.ndarray, rows: np.ndarray, problem: Problem, state: State) -> np.ndarray:
        """The support after a change, less as many of its former rows as it is too large by."""
        support = self._support(rows, state)
        surplus = support.size - self._budget
        if surplus <= 0:
            return support
        gone = self.span.rng.choice(before, surplus, replace=False)
        for row in gone:
            self._remove(row, rows, problem, state)
        return np.setdiff1d(support, gone)

    def _remove(self, row: int, rows: np.ndarray, problem: Problem, state: State) -> None:
        """Take a row out of the support: ``w_k <- w_k - a_ki phi(x_i)``."""
        state.weights[:, rows == row] = 0
        weights, kernel, points = self.state.weights, self.span.kernel, self.span.points
        own = weights[:, row].copy()
        if own.any():  # it was in the support before this block
            held, point = np.flatnonzero(weights.any(axis=0)), points.take([row])
            score = weighted_sums(kernel, weights[:, held], points.take(held), point)[0]
            self.span.square[0] += float(own @ own) * float(kernel.diagonal(point)[0]) - 2 * float(own @ score)
            problem.rows.known[...] -= np.outer(own, kernel.values(point, points.take(rows))[0])
            weights[:, row] = 0
