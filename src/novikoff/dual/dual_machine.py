"""The dual form of the loop: ``w_k = sum_i a_ki phi(x_i)``, where phi is known by its kernel only.

What a rule needs of a row is its scores, and those need kernel values only:
``w_k . phi(x) = sum_i a_ki k(x_i, x)``.  A step ``w_k <- w_k + g_k phi(x_i)`` is ``a_ki <- a_ki + g_k`` (Aizerman,
Braverman & Rozonoer 1964).  The weights of the state are the numbers ``a``, of shape (outputs, rows).

To the kernel ``sweep`` this is one more row format.  It learns from a block of rows at a time: their scores at the start
of the block are known, and ``GramRows`` adds what the steps inside the block change.  Rules, batches, sample weights,
averages and pauses are those of the primal loop.  Between two blocks matrix products bring scores up to date:

``KeptScores``  the scores of all rows are kept up to date.  For many passes over the same rows.
``Lazy``    scores are computed when a block comes.  For rows that come once, and (``budget``) for a bounded support.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..checks.arrays import overflow_error
from ..compiled.arithmetic import dot
from ..learn.keeps import meant
from ..learn.learning import LoopState, Overflow, Watch
from ..learn.orders import row_numbers
from ..learn.rows import add, fetch, products
from ..learn.state import Problem, State
from ..learn.stops import Recurrence
from ..learn.sweep import survey
from ..system.clock import Clock
from ..system.threads import one_thread
from .gram import Gram
from .kernels import Linear, Points, Precomputed, weighted_sums

BLOCK = 256  # rows learned from between two matrix products
BLOCKS_AHEAD = 16  # are learned from at once if they hold no mistake


class GramRows(NamedTuple):
    """Rows known by their kernel values."""

    values: np.ndarray  # (rows, rows): of these rows with each other; (rows, 0) where no step can change another score
    known: np.ndarray  # (outputs, rows): w_k . phi(x_i) before these rows had any step


@products.of(GramRows)
def products_gram(rows, i, weights, scores):
    for k in range(scores.size):
        scores[k] = rows.known[k, i] + dot(rows.values, i, weights, k)


@add.of(GramRows)
def add_gram(rows, i, weights, g):
    for k in range(g.size):
        weights[k, i] += g[k]


@fetch.of(GramRows)
def fetch_gram(rows, i):
    """A block is in the cache already."""


class Span(NamedTuple):
    """The rows whose images phi(x) span the weights, and what is known of the weights beside them."""

    kernel: Linear
    points: Points
    sums: np.ndarray  # (outputs, rows): the scores of all rows, below them those of an average's overcount; else empty
    square: np.ndarray  # (1,): sum_k |w_k|^2, where scores are not kept
    rng: np.random.Generator  # says which rows a full support loses
    seen: int  # rows seen so far, those left out included


class DualLoop(LoopState):
    """What both ways of keeping scores share: a pass is cut into blocks.  ``problem.rows`` is a ``Span``."""

    def __init__(self, form: Any, schedule: Any, problem: Problem, keep: Any, state: State, batch: int) -> None:
        super().__init__(form, schedule, problem, keep, state, batch)
        self.span: Span = problem.rows

    def one_pass(
        self,
        order: np.ndarray,
        ahead: np.ndarray,
        *,
        clock: Clock | None = None,
        watch: Watch | None = None,
        number: int = 0,
        **unused: Any,
    ) -> str:
        """Learn from these rows, whole batches at a time, one at a time if somebody watches; the reason if that was cut short:
        "time" or "callback".  (Rows are not fetched ahead.)"""
        size = min(self._batch, order.size) if watch else max(1, BLOCK // self._batch) * self._batch
        self.work += order.size * self.state.bias.size * BLOCK
        first = 0
        with one_thread():
            while first < order.size:
                if first and clock and clock.over:
                    return "time"
                coming = order[first : first + BLOCKS_AHEAD * size]
                some = coming if not watch and self._all_right(coming) else coming[:size]
                self.learn(*np.unique(some, return_inverse=True))
                first += some.size
                if watch and watch(self, some, number):
                    return "callback"
        return ""

    def at_once(self, order: np.ndarray) -> int:
        return 1  # a pass is made in blocks

    def _all_right(self, rows: np.ndarray) -> bool:
        """Whether it is known without further work that none of these rows is a mistake."""
        return False

    def learn(self, rows: np.ndarray, order: np.ndarray) -> None:
        """Learn from a block: ``rows``, which come in this order of places among them."""
        problem, state = self._part(rows, GramRows(np.empty((rows.size, 0)), self._known(rows)))
        one_batch = order.size <= self._batch  # all its scores are taken before any step
        if not one_batch and self._has_mistakes(problem, state):
            some = self.span.points.take(rows)
            values = self.span.kernel.values(some, some).astype(float, copy=False)
            problem = problem._replace(rows=problem.rows._replace(values=values))
        try:
            self._make_steps(rows, problem, state, order)
        except Overflow as overflow:
            raise Overflow(int(self.span.points.numbers[rows[overflow.row]])) from None
        finally:  # also the steps made before an error count
            self.keep.finish(state, problem)
            self.state.weights[:, rows] += state.weights
            if state.overcount.size:
                self.state.overcount[:, rows] += state.overcount
            self._take_in(rows, problem, state)

    def _has_mistakes(self, problem: Problem, state: State) -> bool:
        """Whether a row of a block moves the weights.  If none is a mistake at the start of the block, none is later."""
        every = problem._replace(members=row_numbers(problem.target.size))
        return not survey(self.form, every, state.weights, state.bias)[2] > 0

    def _part(self, rows: np.ndarray, gram: GramRows) -> tuple[Problem, State]:
        """A problem of these rows, its members named by their row numbers, and a state whose weights are their steps; all
        else in it is the run's own."""
        whole, state = self.problem, self.state
        weight = whole.weight[rows] if whole.weight.size else whole.weight
        steps = np.zeros((state.bias.size, rows.size))
        overcount = np.zeros_like(steps) if state.bias_overcount.size else np.zeros((0, 0))
        problem = Problem(gram, whole.target[rows], weight, self.span.points.numbers[rows], whole.constant2)
        return problem, state._replace(weights=steps, overcount=overcount)

    def _make_steps(self, rows: np.ndarray, problem: Problem, state: State, order: np.ndarray) -> None:
        LoopState(self.form, lambda: self.schedule, problem, self.keep, state, self._batch).one_pass(order, order[:0])

    def _known(self, rows: np.ndarray) -> np.ndarray:
        """The scores of these rows without the bias: (outputs, rows)."""
        raise NotImplementedError

    def _take_in(self, rows: np.ndarray, problem: Problem, state: State) -> None:
        """Bring up to date what is known of the weights, after the steps in ``state``."""
        raise NotImplementedError

    def survey(self) -> tuple[float, float, float, int]:
        points, members = self.span.points, self.problem.members
        every = np.arange(len(points.numbers))
        known = np.zeros((self.state.bias.size, every.size))
        known[:, members] = self._known(members)
        problem = self.problem._replace(rows=GramRows(np.empty((every.size, 0)), known))
        return survey(self.form, problem, self.state.weights, self.state.bias)

    def _square(self) -> float:
        """``sum_k |w_k|^2``."""
        raise NotImplementedError

    def norm(self) -> float:
        return self._length(self._square(), self.state.bias)

    def _length(self, square: float, bias: np.ndarray) -> float:
        """The length of weights, the bias counted as the weight of its constant feature; rounding may make a square of
        nearly zero negative."""
        return max(0.0, square + float(bias @ bias) / (self.problem.constant2 or 1.0)) ** 0.5

    def movement(self) -> Any:
        return DualMovement(self)

    def handed_back(self, ended: str) -> tuple[dict[str, Any], State, Span]:
        """Of what is needed to go on: the weights of the support, and the support."""
        state, span = self.state, self.span
        held, support = self._support_rows()
        if hasattr(self.keep, "votes"):
            votes = self.keep.votes(state, support.numbers)
            coef, intercept = votes.mean()
            more = {"votes_": votes}
        else:
            coef, intercept = meant(self.keep, ended).handed_back(state, span)
            coef, more = coef[:, held], {}
        if not (np.isfinite(coef).all() and np.isfinite(intercept).all()):
            raise overflow_error(None)
        dtype = support.X.dtype
        fitted = {"support_": support.numbers, "support_vectors_": support.X}
        fitted |= {"dual_coef_": coef.astype(dtype), "intercept_": intercept.astype(dtype), **more}
        overcount = state.overcount[:, held] if state.overcount.size else state.overcount
        square = np.array([np.vdot(state.weights, span.sums[: state.bias.size])]) if span.sums.size else span.square
        rest = span._replace(points=support, sums=np.empty((0, 0)), square=square)
        return fitted, state._replace(weights=state.weights[:, held], overcount=overcount), rest

    def _support_rows(self) -> tuple[np.ndarray, Points]:
        """The rows that have weights: their places, and what is kept of them."""
        held = np.flatnonzero(self.state.weights.any(axis=0))
        support = self.span.points.take(held)
        if isinstance(self.span.kernel, Precomputed):  # row numbers say everything
            support = support._replace(X=support.X[:, :0])
        return held, support


class DualMovement:
    """How far the weights moved over a pass: ``|d|^2 = sum_kij d_ki d_kj k(x_i, x_j)``."""

    def __init__(self, machine: DualLoop) -> None:
        self._machine = machine
        self._copy = self._running()

    def _running(self) -> tuple[np.ndarray, np.ndarray]:
        state = self._machine.state
        return state.weights.copy(), state.bias.copy()

    def since_last(self) -> float:
        """Euclidean length of the change since the last call."""
        before, self._copy = self._copy, self._running()
        change, bias = (now - then for now, then in zip(self._copy, before, strict=True))
        span = self._machine.span
        return self._machine._length(square_of(span.kernel, change, span.points), bias)


def square_of(kernel: Linear, weights: np.ndarray, points: Points) -> float:
    """``sum_kij a_ki a_kj k(x_i, x_j)``."""
    moved = np.flatnonzero(weights.any(axis=0))
    some = points.take(moved)
    return float(np.vdot(weights[:, moved], weighted_sums(kernel, weights[:, moved], some, some).T))


class KeptScores(DualLoop):
    """The scores of all rows are kept up to date: the steps of a block are added line by line of the Gram matrix."""

    def __init__(
        self, form: Any, schedule: Any, problem: Problem, keep: Any, state: State, batch: int, cache_bytes: float
    ) -> None:
        super().__init__(form, schedule, problem, keep, state, batch)
        self._gram = Gram(self.span.kernel, self.span.points, cache_bytes)
        self._scores = self.span.sums[: state.bias.size]

    def _known(self, rows: np.ndarray) -> np.ndarray:
        return np.take(self._scores, rows, axis=1)

    def _all_right(self, rows: np.ndarray) -> bool:
        known = GramRows(np.empty((self._scores.shape[1], 0)), self._scores)
        return (
            survey(self.form, self.problem._replace(rows=known, members=rows), self.state.weights, self.state.bias)[2]
            > 0
        )

    def _take_in(self, rows: np.ndarray, problem: Problem, state: State) -> None:
        moved = np.flatnonzero(state.weights.any(axis=0))
        steps = np.concatenate([state.weights, state.overcount]) if state.overcount.size else state.weights
        self._gram.add_lines(self.span.sums, steps[:, moved], rows[moved])

    def _square(self) -> float:
        return float((self.state.weights * self._scores).sum())  # in an order that does not depend on threads

    def recurrence(self, confirmed: bool) -> Recurrence | None:
        """Scores that come back in an order that repeats will repeat without end: nothing else says what happens next."""
        return Recurrence(self._scores, self.state.bias)


class Lazy(DualLoop):
    """Scores are computed when a block comes: ``w_k . phi(x) = sum_i a_ki k(x_i, x)`` over the rows in the support."""

    def _known(self, rows: np.ndarray) -> np.ndarray:
        held = np.flatnonzero(self.state.weights.any(axis=0))
        weights, points = self.state.weights[:, held], self.span.points.take(held)
        return np.ascontiguousarray(weighted_sums(self.span.kernel, weights, points, self.span.points.take(rows)).T)

    def _take_in(self, rows: np.ndarray, problem: Problem, state: State) -> None:
        """``|w + d|^2 = |w|^2 + 2 w.d + |d|^2``."""
        steps = state.weights
        self.span.square[0] += 2 * float(np.vdot(steps, problem.rows.known))
        self.span.square[0] += square_of(self.span.kernel, steps, self.span.points.take(rows))

    def _square(self) -> float:
        return float(self.span.square[0])

    def recurrence(self, confirmed: bool) -> Recurrence | None:
        return None
