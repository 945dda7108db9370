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

from ..solvers.least_squares import Factors
from ..solvers.likelihood import Found, Problem, Softmax, TwoClasses, climb, curvatures, joint_matrix
from ..solvers.rows import MOST_COLUMNS, ROWS_A_COLUMN, DenseRows, SparseRows, few_rows
from ..inputs.arrays import overflow_error
from ..inputs.clock import Clock
from ..inputs.threads import one_thread
from ..svm.newton_system import parts
from .first_guess import Look, guess, together, weight_of
from .folding import Engine
from .rounds import Ready
from .sound_sums import Most, MostOfEach, merge
from .taken_rows import Facts, taken

TOO_LARGE = 1e150  # its square is out of range
SHORTER = 0.3  # the part of the last step below which a matrix serves once more


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
    reach: bool = False


class LossSums(NamedTuple):
    """The loss of all rows there, its derivatives, and how far the direction moves scores."""

    loss: float
    gradient: np.ndarray
    matrix: np.ndarray  # empty: not asked for
    moved: Most  # the score that moves most
    behind: Most  # the smallest margin, its sign turned over
    reach: MostOfEach  # the largest number of each column, in size; empty: not asked for


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
    reach = MostOfEach(rows.reach() if ask.reach else np.zeros(0))
    return LossSums(now.loss, rows.back(now.slopes), matrix, Most(moved), Most(-look.margin(scores)), reach)


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


class Start(NamedTuple):
    """Weights to begin with, for rows less their means, and about what the second derivatives are there."""

    weights: np.ndarray
    matrix: np.ndarray


class RowsElsewhere:
    """Partitions as a ``Ground``.  Without a start, every fold brings a matrix for Newton's method.  With one, a matrix serves as long
    as steps become much shorter: a fold without it takes half the time."""

    def __init__(
        self, engine: Engine, facts: Facts, neuron: Neuron, columns: int, newton: bool, start: Start | None = None
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
        self._tried: dict[float, LossSums] = {}
        self._reach = np.zeros(0)  # of columns, once a fold has brought it
        self._slope = -np.inf  # of the last direction
        if start:
            self.first, self._matrix, self._asks, self.fresh = start.weights, start.matrix, False, False
            self._rough = True  # of the matrix: it is of other rows
            self._now = self._fold(self.first)
            started = self._now.loss + float(np.sum(self.penalty * self.first**2)) / 2
        if not start or not started < self.weight * np.log(max(2, neuron.outputs)):  # the loss of zero weights
            start, self.first, self._asks, self.fresh, self._rough = None, zeros, newton, newton, False
            self._now = self._fold(zeros)
            self._matrix = self._now.matrix
        self._weights, self._spares = self.first, start is not None

    def _fold(self, weights: np.ndarray) -> LossSums:
        reach = self._asks and not self._reach.size
        ask = Ask(self._neuron, weights, self._direction, self._asks, reach)
        found: LossSums = self._engine.fold(loss_sums, merge, ask)
        if not np.abs(found.gradient).max(initial=found.loss) + found.moved.value < TOO_LARGE:
            raise overflow_error(None)
        self._reach = found.reach.value if reach else self._reach
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
        return self._matrix.copy(order="F")

    def renew(self) -> bool:
        """See ``Ground``."""
        if self.fresh or not self._newton:
            return False
        self._asks = True
        self._now = self._fold(self._weights)
        self._matrix, self.fresh, self._rough = self._now.matrix, True, False
        return True

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
        slope = float(np.vdot(self._now.gradient + self.penalty * self._weights, direction))
        serves = self._spares and not self._rough and slope > SHORTER**2 * self._slope
        self._asks = self._newton and not serves
        self._direction, self._tried, self._slope = direction, {}, slope
        return float(np.vdot(self._now.gradient, direction))

    def at(self, far: float) -> tuple[float, float]:
        """See ``Ground``."""
        there = self._tried[far] = self._fold(self._weights + far * self._direction)
        return there.loss, float(np.vdot(there.gradient, self._direction))

    def go(self, far: float) -> None:
        """See ``Ground``."""
        self._moved = next(iter(self._tried.values()), self._now).moved.value
        if not far:
            return
        self._now, self.fresh = self._tried[far], self._asks
        self._weights = self._weights + far * self._direction
        if self._asks:
            self._matrix, self._rough = self._now.matrix, False

    def moved(self) -> float:
        """See ``Ground``."""
        return self._moved

    def reaches(self, direction: np.ndarray) -> float:
        """See ``Ground``; what the weight that moves a score most moves alone."""
        return float((self._reach[:, None] * np.abs(direction)).max()) if self._reach.size else np.inf

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
        start = start_of(look, neuron, problem, clock)
        ground = RowsElsewhere(engine, look.facts, neuron, columns, method == "newton", start)
        return climb(problem, ground, method, most, clock)


def start_of(look: Look, neuron: Neuron, problem: Problem, clock: Clock) -> Start | None:
    """The solution for some rows; None if there are none, or if they have no solution.  Nor without a penalty if their columns depend
    on each other: those of all rows may not, and then a step may lead too far ever to come back."""
    if not look.some:
        return None
    rows = together(look)
    if not neuron.l2:
        (products,) = added_up(bound_of(*piece, True) for piece in pieces(rows, neuron))
        if not Factors(np.asfortranarray(products), 0.0).fair:
            return None
    share = weight_of(rows) / look.facts.weight
    found = guess(rows, share, problem, neuron.place, clock)
    if found.reason != "solved":
        return None
    weights = found.coef.T
    if neuron.intercept:
        weights = np.vstack([weights, found.bias + neuron.mean @ weights])  # what ``public`` undoes
    sums = added_up(
        loss_of(*piece, Ask(neuron, weights, np.zeros_like(weights), True)) for piece in pieces(rows, neuron)
    )
    return Start(weights, sums.matrix / share)
