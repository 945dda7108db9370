"""Rows in the dual form: those of a fit, and those of a stream."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np

from ..dual.dual_machine import Span, square_of
from ..dual.kernels import Linear, Points, make_kernel
from ..inputs.arrays import generator, refuse_bad_values
from ..learn.keeps import new_keep
from ..learn.orders import row_numbers
from ..learn.state import Problem, State, copied

if TYPE_CHECKING:
    from ..learn.keeps import Last
    from .kernel_perceptron import KernelPerceptron


def first_rows(
    learner: KernelPerceptron, X: Any, target: np.ndarray, weight: np.ndarray, given: np.ndarray, members: np.ndarray
) -> Problem:
    """The rows that take part, and no others.  They settle the kernel, with their sample weights ``given``, and the radius."""
    refuse_bad_values(learner, X)
    if learner.kernel == "precomputed" and X.shape[0] != X.shape[1]:
        raise ValueError(
            "kernel='precomputed' needs the kernel values of all pairs of rows, a square matrix, but X has the shape "
            f"{X.shape}."
        )
    rows = X if members.size == X.shape[0] else X[members]
    kernel = make_kernel(
        learner.kernel, learner.degree, learner.gamma, learner.coef0, rows, given[members] if given.size else given
    )
    points = kernel.points(rows, members.astype(np.intp))
    rng = generator(learner.random_state).spawn(1)[0]  # not the numbers that orders are drawn from
    span = Span(kernel, points, np.empty((0, 0)), np.zeros(1), rng, X.shape[0])
    constant2 = radius2(kernel, points) if learner.fit_intercept else 0.0
    weight = weight[members] if weight.size and not np.all(weight == 1) else weight[:0]
    return Problem(span, target[members], weight, row_numbers(int(members.size)), constant2)


def with_scores(learner: KernelPerceptron, problem: Problem) -> Problem:
    """The same with room for the scores of all rows and, for an average, of its overcount."""
    outputs = learner._n_outputs * (2 if new_keep(learner._keeps()[learner.keep], learner).averages else 1)
    sums = np.zeros((outputs, problem.target.size))
    return problem._replace(rows=problem.rows._replace(sums=sums))


def radius2(kernel: Linear, points: Points) -> float:
    """``R^2 = max k(x, x)``, or 1 if that is zero."""
    squares = kernel.diagonal(points)
    finite = np.isfinite(squares)
    worst = int(np.argmin(finite)) if not finite.all() else int(np.argmin(squares))
    where = f"k(x, x) is {squares[worst]:.3g} in row {points.numbers[worst]}"
    if not finite.all():
        raise OverflowError(f"{where}: the values of X are too large for this kernel. Scale the columns.")
    if squares[worst] < 0:
        raise ValueError(f"{where}: a kernel has no negative k(x, x). Choose another kernel, or a coef0 >= 0.")
    return float(squares.max()) or 1.0


def next_rows(
    learner: KernelPerceptron, X: Any, target: np.ndarray, weight: np.ndarray, members: np.ndarray
) -> tuple[Problem, Last, State]:
    """The support and, after it, the next rows of a stream, which have no weights yet; what was learned so far is copied."""
    learned = learner._learned
    state, span = learned.state, learned.rows
    points = span.points.join(span.kernel.points(X[members], span.seen + members))
    square = span.square.copy()
    if state.bias.size > len(learner.dual_coef_) == 1:  # one output became a pair
        square = np.array([square_of(span.kernel, state.weights, span.points)])
    held, new = len(span.points.numbers), members.size

    def wider(part: np.ndarray) -> np.ndarray:
        return np.concatenate([part, np.zeros((len(part), new))], axis=1)

    state = copied(state)
    state = state._replace(weights=wider(state.weights), overcount=wider(state.overcount))
    weight = np.concatenate([np.zeros(held), weight[members]]) if weight.size else weight
    target = np.concatenate([np.zeros(held, np.int32), target[members]])
    rng = span.rng if learner.budget is None else deepcopy(span.rng)
    span = span._replace(points=points, square=square, rng=rng, seen=span.seen + X.shape[0])
    return Problem(span, target, weight, held + np.arange(new), learned.constant2), learned.keep.copied(), state
