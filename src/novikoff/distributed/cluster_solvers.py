"""What solves for a learner over partitions, as on one machine, except for what a round costs.

"auto" takes steps where it does on one machine.  Else a logistic neuron takes Newton's method, if its matrix is small, and L-BFGS with
many columns: a round costs more than a matrix.

Least squares takes one round: an orthogonal factor of each partition, merged by the tree (TSQR; Demmel, Grigori, Hoemmen & Langou 2012).
``(c, x_i - mean, d_i)`` times the root of the weight of its row is a row of a matrix, c being the constant feature of the bias.  Its
triangular factor R has the same products of columns, so that R is a problem of a few rows with the same solution, which is solved
as rows in memory are (``solvers.direct``).  The constant comes first: below it, R has columns less their weighted means,
so that the bias drops out of a penalty.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..checks.arrays import parts
from ..estimators.adaline import wanted_scores
from ..estimators.base import form_of
from ..estimators.neuron import problem_of
from ..estimators.solver_or_steps import gap_asked, iterations
from ..learn.learning import Learning, Solution
from ..rows.partitions import Partitions
from ..solvers import choose
from ..solvers.direct import Equations
from ..solvers.direct import Weights as Solved
from ..solvers.direct import solve as solve_equations
from ..solvers.lbfgs import Minimum
from ..solvers.products import FEW_COLUMNS
from ..system.threads import one_thread
from .active_rows import dense_enough, look_at, refuse_range, taken
from .cluster_likelihood import Neuron, look_at_some, maximise_over, stride
from .gap_rounds import proved_over, squares_of
from .rounds import Ready, Rounds

MOST_COLUMNS = 200  # from which means are not taken off rows: products of many columns are not made there
BLOCK = 1 << 15  # numbers of rows that are factored at once, in the processor's cache


def squares_over(source: Rounds, learner: Any, learning: Learning) -> Callable[[], Solution] | None:
    """What finds the least-squares solution, where its factor has room (``estimators.adaline``)."""
    facts, (columns, outputs, constant2) = look_at(source.engine), source.shape
    if columns > FEW_COLUMNS or (learner.solver == "auto" and choose.long_squares(facts.rows, columns)):
        if learner.solver == "auto":
            return None
        raise ValueError(
            f"solver='direct' needs a matrix of {columns} x {columns} numbers from every partition, which is too large: use "
            "solver='steps'."
        )
    refuse_range(facts)
    mean = facts.mean if constant2 else np.zeros(columns)
    asked, kind = MatrixColumns(constant2**0.5, mean, outputs), learning.machine.state.weights.dtype

    def find() -> Solution:
        coef, bias = solve_over(source.engine, asked, learner.l2_)
        if not learner.l2_:
            return Solution(coef, bias)
        weights, loss = (coef.astype(kind).astype(float), bias.astype(kind).astype(float)), partial(squares_of, outputs)
        gap = proved_over(source.engine, loss, weights, mean, constant2 > 0, learner.l2_, np.zeros(0))
        learner.duality_gap_ = gap
        return Solution(*weights, "solved" if gap <= gap_asked(learner) else "stalled")

    return find


def likelihood_over(source: Rounds, learner: Any, learning: Learning) -> tuple[str, Callable[[], list[Minimum]]] | None:
    """The solver, and what finds the weights of the largest likelihood, less the penalty (``estimators.neuron``)."""
    (columns, outputs, _), problem = source.shape, problem_of(learner, learning)
    joint = form_of(learner) == "softmax"
    unknowns = (columns + 1) * (outputs if joint else 1)
    method = learner.solver if learner.solver != "auto" else "newton" if unknowns <= choose.NEWTON_THERE else "lbfgs"
    look = look_at_some(source.engine, stride(source.census.rows, columns, unknowns) if method == "newton" else 0)
    facts = look.facts
    dense = not source.census.sparse or dense_enough(facts, columns)
    costly = choose.long_likelihood((facts.rows, columns), None if dense else facts.values, outputs)
    if learner.solver == "auto" and costly:
        return None
    refuse_range(facts)
    mean = facts.mean if problem.intercept and dense and columns <= MOST_COLUMNS else np.zeros(columns)
    whole = Neuron(problem, -1, mean, dense)
    each = [whole]
    if outputs > 1 and not joint:
        each = [whole._replace(problem=problem._replace(outputs=1), place=k) for k in range(outputs)]

    def find() -> list[Minimum]:
        limits = iterations(learner), learning.clock, gap_asked(learner)
        return [maximise_over(source.engine, look, columns, method, *limits, one) for one in each]

    return method, find


class MatrixColumns(NamedTuple):
    """What the columns of the matrix are."""

    constant: float  # 0: no bias
    mean: np.ndarray
    outputs: int


def factor_of(number: int, ready: Ready, columns: MatrixColumns) -> np.ndarray | None:
    """R of one partition."""
    X, target, weight = taken(ready)
    if not target.size:
        return None
    wanted = wanted_scores(target, columns.outputs)
    root = np.sqrt(weight if weight.size else np.ones(target.size))[:, None]
    width = 1 + X.shape[1] + columns.outputs
    factor = np.zeros((0, width))
    with one_thread():
        for part in parts(target.size, max(8 * width, BLOCK // width)):
            rows = X[part].toarray() if sparse.issparse(X) else X[part]
            block = np.column_stack([np.full(len(rows), columns.constant), rows - columns.mean, wanted[part]])
            factor = both_factors(factor, root[part] * block)
    return factor


def both_factors(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """R of both, or of some rows and more."""
    with one_thread():
        return np.asarray(np.linalg.qr(np.concatenate([one, other]), mode="r"))


def solve_over(engine: Partitions, columns: MatrixColumns, l2: float) -> Solved:
    """``(coef, bias)`` of all rows.  Without a penalty the shortest of several solutions, the bias counted as the weight of its
    constant feature, for columns as they are."""
    factor = np.array(
        engine.fold(factor_of, both_factors, columns)
    )  # its own memory: last bits may depend on where it begins
    size, none = columns.mean.size, np.empty(0)
    rows, wanted = factor[:, : 1 + size], factor[:, 1 + size :]
    with one_thread():
        if not columns.constant:
            return solve_equations(Equations(rows[:, 1:], wanted, none, 0.0, l2))
        if not l2:
            rows = rows.copy()
            rows[:, 1:] += rows[:, :1] * (columns.mean / columns.constant)  # columns as they are
            found, _ = solve_equations(Equations(rows, wanted, none, 0.0, 0.0))
            return found[:, 1:], found[:, 0] * columns.constant
        coef, _ = solve_equations(Equations(rows[1:, 1:], wanted[1:], none, 0.0, l2))
        bias = (wanted[0] - rows[0, 1:] @ coef.T) / rows[0, 0] * columns.constant
        return coef, bias - coef @ columns.mean
