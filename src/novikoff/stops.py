"""When to stop, and why.

``separated``       every row was scored right by the same weights.
``stable``          the weights moved less than ``tol`` over a pass.
``cycle``           the weights recurred at the end of a pass in an order that repeats: they will for ever.  (With
                    ``multiclass="all"``, but for what is common to all classes.)
``no_improvement``  the held-out score has not improved for ``n_iter_no_change`` passes.
``budget``          ``max_iter`` passes are over.
``time``            ``time_limit`` seconds are over.
``callback``        a callback asked for it.

(And "interrupted", which the estimator says after Ctrl-C.)
"""

from __future__ import annotations

import time

import numpy as np

from .problem import Problem, State, sum_of_squares


class Recurrence:
    """Exact recurrence of weights, by Brent's cycle finding (1980): one stored copy, compared after every pass.

    The copy is renewed after 1, 2, 4, 8, ... further passes, so that a cycle of any length is found within a constant factor.

    With ``classes``, the axis of the weights along which they lie, what is common to all classes is taken off first: it
    changes no margin.
    """

    def __init__(self, weights: np.ndarray, bias: np.ndarray, classes: int | None = None) -> None:
        self._running, self._classes = (weights, bias), classes
        self._renew(1)

    def _state(self) -> tuple[np.ndarray, ...]:
        if self._classes is None:
            return self._running
        weights, bias = self._running
        return weights - weights.take([0], axis=self._classes), bias - bias[0]

    def _renew(self, patience: int) -> None:
        self._copy = tuple(part.copy() for part in self._state())
        self._patience = patience
        self.length = 0

    def found(self) -> bool:
        """Whether the weights after this pass equal the stored ones; ``length`` is then the cycle's, in passes."""
        self.length += 1
        if all(np.array_equal(now, then) for now, then in zip(self._state()[::-1], self._copy[::-1], strict=True)):
            return True
        if self.length == self._patience:
            self._renew(2 * self._patience)
        return False


class Movement:
    """How far the weights moved over a pass, the bias counted as the weight of its constant feature."""

    def __init__(self, problem: Problem, state: State) -> None:
        self._state, self._constant = state, problem.constant2**0.5 or 1.0
        self._copy = self._all()

    def _all(self) -> np.ndarray:
        return np.append(self._state.weights, self._state.bias / self._constant)

    def since_last(self) -> float:
        """Euclidean length of the change since the last call."""
        before, self._copy = self._copy, self._all()
        with np.errstate(over="ignore", invalid="ignore"):  # weights that diverge
            return sum_of_squares(self._copy - before) ** 0.5


class Improvement:
    """Counts the passes since the held-out score was last beaten."""

    def __init__(self, patience: int) -> None:
        self._patience = patience
        self._best = -np.inf
        self._idle = 0

    def ended(self, score: float) -> bool:
        """Whether the score has failed to improve for as many passes as patience allows."""
        self._idle = 0 if score > self._best else self._idle + 1
        self._best = max(self._best, score)
        return self._idle >= self._patience


class Clock:
    """Seconds since the start, those spent before it included, and whether they are used up."""

    def __init__(self, limit: float | None, spent: float = 0.0) -> None:
        self._start = time.perf_counter() - spent
        self._limit = np.inf if limit is None else limit

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._start

    @property
    def over(self) -> bool:
        return self.seconds >= self._limit
