"""Logistic regression over partitions: the solvers of ``solvers.lbfgs``, whose sums are folds.

A trial step is a round: its fold brings the loss there and, in case the step is taken, the gradient and the matrix for the next one.  So
Newton's method takes about as many rounds as steps.  One more round proves the duality gap (``gap_rounds``).

Newton's method begins at the solution for some of the rows, which is found here.  The solution for n rows is about ``sqrt(columns / n)`` away from that
for all, in units of the deviation of scores, and its second derivatives are as near to those of all: the first step is made with them
(Roosta-Khorasani & Mahoney 2019).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial, reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..checks.arrays import overflow_error, parts
from ..rows.partitions import Partitions
from ..solvers.direct import Factors
from ..solvers.lbfgs import (
    LossInMemory,
    Minimum,
    SmoothProblem,
    climb,
    inverse_of_diagonal,
    joint_matrix,
    loss_of,
    maximise,
)
from ..solvers.products import FEW_COLUMNS, DenseRows, SparseRows, divided, factor_of, few_rows
from ..system.clock import Clock
from ..system.threads import one_thread
from .active_rows import ActiveRows, RowFacts, both_facts, facts_of, taken
from .gap_rounds import entropy_of, proved_over, shares_kept
from .rounds import Ready

TOO_LARGE = 1e150  # its square is out of range
WORTH = 160  # times the rows and outputs: columns squared (times 4) up to which a matrix costs less than the rounds that it saves
SHORTER = 0.3  # the part of the last step below which a matrix serves once more

MOST_NUMBERS = 1 << 20  # of some rows, which are sent here
ROWS_AN_UNKNOWN = 20  # fewer tell little
SHARE = 4  # of all rows no more than a part of so many are some
MOST_STEPS = 30

NEARLY = 1e-3  # a gap of the solution for some rows that is near enough for a start


class Neuron(NamedTuple):
    """What is to be solved."""

    problem: SmoothProblem  # except for the rows
    place: int  # the class that stands against the rest; -1: targets as they are
    mean: np.ndarray  # of columns, which is taken off dense rows
    dense: bool

    @property
    def loss(self) -> Callable[[np.ndarray, np.ndarray], Any]:
        """That of rows with these targets and weights."""
        return partial(entropy_of, self.problem.slope, self.problem.outputs, self.place)

    def rows(self, X: Any, room: np.ndarray | None = None) -> DenseRows | SparseRows:
        """Rows as they are multiplied."""
        how = self.problem.intercept, self.problem.l2, self.problem.outputs
        return DenseRows(X, *how, float, self.mean, room) if self.dense else SparseRows(X, *how)


class AskLikelihood(NamedTuple):
    """Weights, and the direction that led to them."""

    neuron: Neuron
    weights: np.ndarray
    direction: np.ndarray
    matrix: bool


class LossSums(NamedTuple):
    """The loss of all rows there, its derivatives, and, without a penalty, how far the direction moves scores; with one, how large one is."""

    loss: float
    gradient: np.ndarray
    matrix: np.ndarray  # empty: not asked for
    most: np.ndarray  # how far a score moves, a margin falls, and a margin is behind, at most
    flows: np.ndarray  # of each class, the pulls of its rows; of softmax, against each other class


def pieces(ready: Ready, neuron: Neuron) -> Iterator[tuple[SmoothProblem, DenseRows | SparseRows]]:
    """The rows of a partition, ready to be multiplied; dense ones a few at a time."""
    X, target, weight = taken(ready)
    if not target.size:
        return
    if neuron.place >= 0:
        target = target == neuron.place

    def problem(X: Any, some: slice) -> SmoothProblem:
        return neuron.problem._replace(X=X, target=target[some], weight=weight[some] if weight.size else weight)

    if not neuron.dense:
        yield problem(X, slice(None)), neuron.rows(X)
        return
    room = np.empty((2, few_rows(X.shape[1]), X.shape[1]))
    for some in parts(target.size, room.shape[1]):
        few = X[some].toarray() if sparse.issparse(X) else X[some]
        yield problem(few, some), neuron.rows(few, room[:, : len(few)])


def loss_sums(number: int, ready: Ready, ask: AskLikelihood) -> LossSums | None:
    """Those of one partition."""
    with one_thread():
        return added_up(both_sums, (sums_of(problem, rows, ask) for problem, rows in pieces(ready, ask.neuron)))


def sums_of(problem: SmoothProblem, rows: DenseRows | SparseRows, ask: AskLikelihood) -> LossSums:
    """Those of some rows."""
    loss = loss_of(problem)
    scores = rows.scores(ask.weights)
    slopes = scores.copy(order="K")
    now = loss.descend(slopes)
    matrix = joint_matrix(rows, loss, slopes, Clock()) if ask.matrix else np.zeros(0)
    most = np.array([np.abs(scores).max(), 0.0, 0.0])
    if not problem.l2:
        along = rows.scores(ask.direction)
        most[:] = np.abs(along).max(), -loss.margin(along), -loss.margin(scores)
    return LossSums(now, rows.back(slopes), matrix, most, pulls_of(slopes.T, problem.target))


def both_sums(one: LossSums, other: LossSums) -> LossSums:
    """Those of both."""
    loss, gradient, matrix, most, flows = other
    return LossSums(
        one.loss + loss, one.gradient + gradient, one.matrix + matrix, np.maximum(one.most, most), one.flows + flows
    )


def pulls_of(slopes: np.ndarray, target: np.ndarray) -> np.ndarray:
    """The sums of slopes over the rows of each class, in size: (2,), or of softmax (classes, classes) with nothing for a row's own class."""
    target, outputs = target.astype(np.intp), slopes.shape[1]
    if outputs == 1:
        return np.bincount(target, np.abs(slopes[:, 0]), 2)
    flows = np.column_stack([np.bincount(target, slopes[:, k], outputs) for k in range(outputs)])
    np.fill_diagonal(flows, 0.0)
    return flows


def first_sums(number: int, ready: Ready, ask: tuple[Neuron, bool]) -> np.ndarray | None:
    """With the second derivatives D of zero weights: ``X' D X``, or its diagonal."""
    neuron, matrix = ask
    with one_thread():
        return added_up(add, (first_of(problem, rows, matrix) for problem, rows in pieces(ready, neuron)))


def first_of(problem: SmoothProblem, rows: DenseRows | SparseRows, matrix: bool) -> np.ndarray:
    """Those of some rows."""
    share = loss_of(problem).curvatures(None)[0]
    return rows.gram(share) if matrix else rows.squares(share)


def added_up(both: Callable[[Any, Any], Any], sums: Iterable[Any]) -> Any:
    """Sums of pieces, one after the other; None if there are none."""
    sums = iter(sums)
    return reduce(both, sums, next(sums, None))


class Start(NamedTuple):
    """Weights to begin with, for rows less their means, and about what the second derivatives are there."""

    weights: np.ndarray
    matrix: np.ndarray


class RowsElsewhere(LossInMemory):
    """Rows of partitions, asked for what ``LossInMemory`` says of rows in memory.  Without a start, every fold brings a matrix for Newton's method.  With one, a matrix serves as long
    as steps become much shorter: a fold without it takes half the time."""

    def __init__(
        self,
        engine: Partitions,
        facts: RowFacts,
        neuron: Neuron,
        columns: int,
        newton: bool,
        start: Start | None = None,
    ) -> None:
        self._engine, self._neuron, self._newton = engine, neuron, newton
        outputs = neuron.problem.outputs
        shape = neuron.rows(np.empty((0, columns)) if neuron.dense else sparse.csr_array((0, columns)))
        self.penalty, self.public, self.grid, self.flat = shape.penalty, shape.public, shape.grid, shape.flat
        worth = 4 * columns**2 <= WORTH * facts.rows * outputs
        self._worth, self.price = worth and (neuron.dense or columns <= FEW_COLUMNS), np.inf
        self.kind = np.dtype(float)
        self.weight = facts.weight
        self._direction = zeros = np.zeros(self.penalty.size)
        self._trials: dict[float, LossSums] = {}
        self._slope = -np.inf  # of the last direction
        if start:
            self.first, self._matrix, self._asks, self.fresh = start.weights, start.matrix, False, False
            self._rough = True  # of the matrix: it is of other rows
            self._take(self._fold(self.first))
            started = self.loss + float(np.sum(self.penalty * self.first**2)) / 2
        if not start or not started < self.weight * np.log(max(2, outputs)):  # the loss of zero weights
            start, self.first, self._asks, self.fresh, self._rough = None, zeros, newton, newton, False
            self._take(self._fold(zeros))
            self._matrix = self._now.matrix
        self._weights, self._spares = self.first, start is not None

    def _fold(self, weights: np.ndarray) -> LossSums:
        ask = AskLikelihood(self._neuron, weights, self._direction, self._asks)
        found: LossSums = self._engine.fold(loss_sums, both_sums, ask)
        if not np.abs(found.gradient).max(initial=found.loss) + found.most[0] < TOO_LARGE:
            raise overflow_error(None)
        return found

    def _take(self, sums: LossSums) -> None:
        self._now, self.loss = sums, sums.loss

    def gradient(self) -> np.ndarray:
        """See ``LossInMemory``."""
        return self._now.gradient

    def matrix(self, clock: Clock) -> np.ndarray:
        """See ``LossInMemory``."""
        return self._matrix.copy(order="F")

    def renew(self) -> bool:
        """See ``LossInMemory``."""
        if self.fresh:
            return False
        self._newton = self._asks = True
        self._take(self._fold(self._weights))
        self._matrix, self.fresh, self._rough = self._now.matrix, True, False
        return True

    def some_matrix(self, output: int) -> np.ndarray:
        """See ``LossInMemory``; there is none."""
        raise NotImplementedError

    def first_guess(self) -> Callable[[np.ndarray], np.ndarray]:
        """See ``LossInMemory``: the inverse of one matrix, the same for all outputs, or of its diagonal."""
        found = self._engine.fold(first_sums, add, (self._neuron, self._worth))
        if not self._worth:
            return inverse_of_diagonal(found, self)
        factor = factor_of(np.asfortranarray(found), self.grid(self.penalty)[0])
        return lambda right: self.flat(divided(factor, self.grid(right)))

    def settle(self) -> float:
        """See ``LossInMemory``: a round costs more than it may save."""
        return 0.0

    def set_direction(self, direction: np.ndarray) -> None:
        """See ``LossInMemory``."""
        slope = float(np.vdot(self._now.gradient + self.penalty * self._weights, direction))
        serves = self._spares and not self._rough and slope > SHORTER**2 * self._slope
        self._asks = self._newton and not serves
        self._direction, self._trials, self._slope = direction, {}, slope

    def value(self, far: float) -> tuple[float, float]:
        """See ``LossInMemory``."""
        there = self._trials[far] = self._fold(self._weights + far * self._direction)
        return there.loss, float(np.vdot(there.gradient, self._direction))

    def step(self, far: float) -> None:
        """See ``LossInMemory``."""
        self._looked = next(iter(self._trials.values()), self._now)
        if not far:
            return
        self._take(self._trials[far])
        self.fresh = self._asks
        self._weights = self._weights + far * self._direction
        if self._asks:
            self._matrix, self._rough = self._now.matrix, False

    def moved(self) -> float:
        """See ``LossInMemory``."""
        return float(self._looked.most[0])

    def lowered(self) -> float:
        """See ``LossInMemory``."""
        return float(self._looked.most[1])

    def separated(self) -> bool:
        """See ``LossInMemory``."""
        return bool(self._now.most[2] < 0)

    def prove(self, weights: np.ndarray, tol: float) -> tuple[np.ndarray, np.ndarray, float]:
        """See ``LossInMemory``."""
        neuron, problem = self._neuron, self._neuron.problem
        coef, bias = (part.astype(problem.kind).astype(float) for part in self.public(weights))
        centre = neuron.mean if neuron.dense else np.zeros(0)
        parts = shares_kept(self._now.flows) if problem.intercept else np.zeros(0)
        gap = proved_over(self._engine, neuron.loss, (coef, bias), centre, problem.intercept, problem.l2, parts)
        return coef, bias, gap


def maximise_over(
    engine: Partitions, look: KnownRows, columns: int, method: str, most: int, clock: Clock, tol: float, neuron: Neuron
) -> Minimum:
    """The weights of largest likelihood, less the penalty."""
    with one_thread():
        start = start_of(look, neuron, clock)
        objective = RowsElsewhere(engine, look.facts, neuron, columns, method == "newton", start)
        return climb(neuron.problem, objective, method, most, clock, tol)


class KnownRows(NamedTuple):
    """What is known of rows, and some of them, partition after partition.  If there are some, means are of those."""

    facts: RowFacts
    some: tuple[ActiveRows, ...]


def stride(rows: int, columns: int, unknowns: int) -> int:
    """Which rows are some: each of so many; 0: none."""
    some = min(MOST_NUMBERS // max(1, columns), rows // SHARE)
    return -(-rows // some) if some >= ROWS_AN_UNKNOWN * unknowns else 0


def look_at_some(engine: Partitions, every: int) -> KnownRows:
    """Of all partitions."""
    look: KnownRows = engine.fold(look_of, both_looks, every)
    return look


def look_of(number: int, ready: Ready, every: int) -> KnownRows | None:
    """Of one partition."""
    X, target, weight = rows = taken(ready)
    some = ActiveRows(X[::every], target[::every], weight[::every]) if every else rows
    facts = facts_of(number, some, None)
    if facts is None or not every:
        return KnownRows(facts, ()) if facts else None
    each = weight if weight.size else np.ones(1)
    total = float(weight.sum()) if weight.size else float(target.size)
    facts = facts._replace(rows=target.size, values=X.size, weight=total)
    return KnownRows(facts._replace(least=float(each.min()), most=float(each.max())), (some,))


def both_looks(one: KnownRows, other: KnownRows) -> KnownRows:
    """Of both."""
    return KnownRows(both_facts(one.facts, other.facts), one.some + other.some)


def all_some(look: KnownRows) -> Ready:
    """The rows that are some, below each other."""
    parts = [rows.X for rows in look.some]
    X = sparse.csr_array(sparse.vstack(parts)) if sparse.issparse(parts[0]) else np.concatenate(parts)
    target = np.concatenate([rows.target for rows in look.some])
    each = [rows.weight if rows.weight.size else np.ones(rows.target.size) for rows in look.some]
    weight = np.concatenate(each) if any(rows.weight.size for rows in look.some) else np.empty(0)
    return Ready(X.astype(float), target, weight, np.arange(target.size), np.empty(0, np.intp))


def weight_of(rows: Ready) -> float:
    """That of all rows."""
    return float(rows.weight.sum()) if rows.weight.size else float(rows.target.size)


def guess(rows: Ready, share: float, neuron: Neuron, clock: Clock) -> Minimum:
    """The solution for some rows, which are this share of all."""
    target = rows.target == neuron.place if neuron.place >= 0 else rows.target
    l2 = neuron.problem.l2 * share
    own = neuron.problem._replace(X=rows.X, target=target, weight=rows.weight, l2=l2, kind=np.float64)
    return maximise(own, "newton", MOST_STEPS, clock, NEARLY)


def start_of(look: KnownRows, neuron: Neuron, clock: Clock) -> Start | None:
    """The solution for some rows; None if there are none, or if they have no solution.  Nor without a penalty if their columns depend
    on each other: those of all rows may not, and then a step may lead too far ever to come back."""
    if not look.some:
        return None
    rows = all_some(look)
    if not neuron.problem.l2:
        products = added_up(add, (first_of(*piece, True) for piece in pieces(rows, neuron)))
        if not Factors(np.asfortranarray(products), 0.0).fair:
            return None
    share = weight_of(rows) / look.facts.weight
    found = guess(rows, share, neuron, clock)
    if found.reason != "solved":
        return None
    (_, shape), *_ = pieces(rows, neuron)
    weights = shape.private(np.column_stack([found.coef, found.bias]))
    ask = AskLikelihood(neuron, weights, np.zeros_like(weights), True)
    sums = added_up(both_sums, (sums_of(*piece, ask) for piece in pieces(rows, neuron)))
    return Start(weights, sums.matrix / share)
