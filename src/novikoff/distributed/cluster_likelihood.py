"""Logistic regression over partitions: the solvers of ``estimators.likelihood``, whose sums are folds.

A trial step is a round: its fold brings the loss there and, in case the step is taken, the gradient and the matrix for the next one.  So
Newton's method takes about as many rounds as steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..estimators.likelihood import Found, Problem, Softmax, TwoClasses, climb, curvatures, joint_matrix
from ..estimators.solver_rows import MOST_COLUMNS, ROWS_A_COLUMN, DenseRows, SparseRows, few_rows
from ..inputs.clock import Clock
from ..inputs.threads import one_thread
from ..svm.newton_system import parts
from .first_guess import Look, guess
from .folding import Engine
from .rounds import Ready
from .sound_sums import Most, merge
from .taken_rows import Facts, taken


class Neuron(NamedTuple):
    """What is to be solved, but for the rows."""

    intercept: bool
    slope: float
    l2: float
    outputs: int
    place: int  # the class that stands against the rest; -1: targets as they are
    mean: np.ndarray  # of columns, which is taken off dense rows
    dense: bool


class Ask(NamedTuple):
    """Weights, and the direction that led to them."""

    neuron: Neuron
    weights: np.ndarray
    direction: np.ndarray
    matrix: bool


class LossSums(NamedTuple):
    """The loss of all rows there, its derivatives, and how far the direction moves scores."""

    loss: float
    gradient: np.ndarray
    matrix: np.ndarray  # empty: not asked for
    moved: Most  # the score that moves most
    behind: Most  # the smallest margin, its sign turned over


def pieces(ready: Ready, neuron: Neuron) -> Iterator[tuple[Problem, DenseRows | SparseRows]]:
    """The rows of a partition, ready to be multiplied; dense ones a few at a time."""
    X, target, weight = taken(ready)
    if not target.size:
        return
    if neuron.place >= 0:
        target = target == neuron.place

    def problem(X: Any, some: slice) -> Problem:
        own = weight[some] if weight.size else weight
        return Problem(X, target[some], own, neuron.intercept, neuron.slope, 0.0, neuron.outputs)

    if not neuron.dense:
        yield problem(X, slice(None)), SparseRows(X, neuron.intercept, neuron.l2)
        return
    room = np.empty((2, few_rows(X.shape[1]), X.shape[1]))
    for some in parts(target.size, room.shape[1]):
        few = X[some].toarray() if sparse.issparse(X) else X[some]
        rows = DenseRows(few, neuron.intercept, neuron.l2, neuron.mean, room[:, : len(few)])
        yield problem(few, some), rows


def loss_sums(number: int, ready: Ready, ask: Ask) -> LossSums | None:
    """Those of one partition."""
    with one_thread():
        return added_up(loss_of(problem, rows, ask) for problem, rows in pieces(ready, ask.neuron))


def loss_of(problem: Problem, rows: DenseRows | SparseRows, ask: Ask) -> LossSums:
    """Those of some rows."""
    look: TwoClasses | Softmax = TwoClasses(problem) if problem.outputs == 1 else Softmax(problem)
    scores = rows.scores(ask.weights)
    now = look(scores)
    matrix = joint_matrix(rows, problem, now.chances) if ask.matrix else np.zeros(0)
    moved = float(np.abs(rows.scores(ask.direction)).max()) if ask.direction.any() else 0.0
    return LossSums(now.loss, rows.back(now.slopes), matrix, Most(moved), Most(-look.margin(scores)))


def bound_sums(number: int, ready: Ready, ask: tuple[Neuron, bool]) -> tuple[Any, ...] | None:
    """With the largest second derivatives D: ``X' D X``, or ``sum_i D_i |x_i|^2`` and ``sum_i D_i``."""
    neuron, matrix = ask
    with one_thread():
        return added_up(bound_of(problem, rows, matrix) for problem, rows in pieces(ready, neuron))


def bound_of(problem: Problem, rows: DenseRows | SparseRows, matrix: bool) -> tuple[Any, ...]:
    """Those of some rows."""
    share = curvatures(problem)
    return (rows.gram(share),) if matrix else (rows.squares(share), float(share.sum()))


def added_up(sums: Iterable[Any]) -> Any:
    """Sums of pieces, one after the other; None if there are none."""
    return reduce(lambda one, other: other if one is None else merge(one, other), sums, None)


class RowsElsewhere:
    """Partitions as a ``Ground``."""

    def __init__(
        self,
        engine: Engine,
        facts: Facts,
        neuron: Neuron,
        columns: int,
        newton: bool,
        guessed: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> None:
        self._engine, self._neuron, self._newton = engine, neuron, newton
        none = np.empty((0, columns)) if neuron.dense else sparse.csr_array((0, columns))
        shape = (
            DenseRows(none, neuron.intercept, neuron.l2, neuron.mean)
            if neuron.dense
            else SparseRows(none, neuron.intercept, neuron.l2)
        )
        self.penalty, self.columns, self.public = shape.penalty, columns, shape.public
        self.second_order = columns <= MOST_COLUMNS and facts.rows >= ROWS_A_COLUMN * columns
        self.weight = facts.weight
        self._direction = zeros = np.zeros((len(self.penalty), neuron.outputs))
        self.first = self._weights = self._own(*guessed) if guessed else zeros
        self._now = self._fold(self._weights)
        if guessed and not self._worth() < self.weight * np.log(max(2, neuron.outputs)):  # than zero weights
            self.first = self._weights = zeros
            self._now = self._fold(zeros)
        self._tried: dict[float, LossSums] = {}

    def _own(self, coef: np.ndarray, bias: np.ndarray) -> np.ndarray:
        """Weights for rows less their means: what ``public`` undoes."""
        return np.vstack([coef.T, bias + self._neuron.mean @ coef.T]) if self._neuron.intercept else coef.T

    def _worth(self) -> float:
        """The loss with its penalty."""
        return self._now.loss + float(np.sum(self.penalty * self._weights**2)) / 2

    def _fold(self, weights: np.ndarray) -> LossSums:
        found: LossSums = self._engine.fold(loss_sums, merge, Ask(self._neuron, weights, self._direction, self._newton))
        return found

    @property
    def loss(self) -> float:
        """See ``Ground``."""
        return self._now.loss

    def gradient(self) -> np.ndarray:
        """See ``Ground``."""
        return self._now.gradient

    def matrix(self) -> np.ndarray:
        """See ``Ground``."""
        return self._now.matrix.copy(order="F")

    def bound(self) -> np.ndarray:
        """See ``Ground``."""
        (matrix,) = self._engine.fold(bound_sums, merge, (self._neuron, True))
        return np.asfortranarray(matrix)

    def squares(self) -> tuple[float, float]:
        """See ``Ground``."""
        squares, total = self._engine.fold(bound_sums, merge, (self._neuron, False))
        return squares, total

    def turn(self, direction: np.ndarray) -> float:
        """See ``Ground``."""
        self._direction, self._tried = direction, {}
        return float(np.vdot(self._now.gradient, direction))

    def at(self, far: float) -> tuple[float, float]:
        """See ``Ground``."""
        there = self._tried[far] = self._fold(self._weights + far * self._direction)
        return there.loss, float(np.vdot(there.gradient, self._direction))

    def go(self, far: float) -> None:
        """See ``Ground``."""
        self._moved = next(iter(self._tried.values()), self._now).moved.value
        if far:
            self._now = self._tried[far]
            self._weights = self._weights + far * self._direction

    def moved(self) -> float:
        """See ``Ground``."""
        return self._moved

    def separated(self) -> bool:
        """See ``Ground``."""
        return self._now.behind.value < 0


def maximise_over(
    engine: Engine, look: Look, neuron: Neuron, columns: int, method: str, most: int, clock: Clock
) -> Found:
    """The weights of largest likelihood, less the penalty."""
    none = np.empty(0)
    problem = Problem(None, none, none, neuron.intercept, neuron.slope, neuron.l2, neuron.outputs)
    with one_thread():
        guessed = guess(look, problem, neuron.place, clock)
        ground = RowsElsewhere(engine, look.facts, neuron, columns, method == "newton", guessed)
        return climb(problem, ground, method, most, clock)
