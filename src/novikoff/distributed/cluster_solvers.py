"""Which learners are solved at once over partitions, and by what: as on one machine, but for what a round costs.

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

from ..estimators import neuron
from ..estimators.adaline import DeltaRule, wanted_scores
from ..estimators.advice import warn
from ..estimators.base import form_of
from ..estimators.classifier import count_errors
from ..estimators.neuron import LogisticNeuron
from ..estimators.solvers import asks_for_steps, gap_asked, iterations, penalty
from ..inputs.arrays import parts
from ..learn.learning import Learning, Outcome, Solution
from ..rows.partitions import Partitions
from ..solvers import choose
from ..solvers.direct import Equations
from ..solvers.direct import Weights as Solved
from ..solvers.direct import solve as solve_equations
from ..solvers.products import FEW_COLUMNS
from ..system.threads import one_thread
from .active_rows import RowFacts, dense_enough, look_at, refuse_range, taken
from .blocks_given import Census
from .cluster_likelihood import KnownRows, Neuron, look_at_some, maximise_over, stride
from .gap_rounds import proved_over, squares_of
from .rounds import Ready, Rounds

MOST_COLUMNS = 200  # from which means are not taken off rows: products of many columns are not made there
BLOCK = 1 << 15  # numbers of rows that are factored at once, in the processor's cache

Solve = Callable[[Learning], Outcome]


def is_solved(learner: Any) -> bool:
    """Whether a learner asks for a solution, or may get one."""
    return isinstance(learner, DeltaRule | LogisticNeuron) and not asks_for_steps(learner)


def solves_at_once(learner: Any, census: Census) -> bool:
    """Whether that is known before anybody has counted the values of sparse rows."""
    if not is_solved(learner) or learner.solver != "auto":
        return is_solved(learner)
    rows, columns = census.rows, census.columns
    if isinstance(learner, DeltaRule):
        return columns <= FEW_COLUMNS and not choose.long_squares(rows, columns)
    wide, outputs = census.sparse and columns > FEW_COLUMNS, census.labels.size if census.labels.size > 2 else 1
    return not wide and not choose.long_likelihood((rows, columns), None, outputs)


def solver_of(learner: Any, source: Rounds, census: Census) -> Solve | None:
    """What solves for a learner; None: it takes steps."""
    if not is_solved(learner):
        return None
    if isinstance(learner, DeltaRule):
        return least_squares_of(learner, source, look_at(source.engine))
    columns, outputs = source.shape.columns, source.shape.outputs
    unknowns = (columns + 1) * (outputs if form_of(learner) == "softmax" else 1)
    method = learner.solver if learner.solver != "auto" else "newton" if unknowns <= choose.NEWTON_THERE else "lbfgs"
    look = look_at_some(source.engine, stride(census.rows, columns, unknowns) if method == "newton" else 0)
    facts = look.facts
    dense = not census.sparse or dense_enough(facts, columns)
    costly = choose.long_likelihood((facts.rows, columns), None if dense else facts.values, outputs)
    if learner.solver == "auto" and costly:
        return None
    refuse_range(facts)
    learner.solver_, learner.l2_ = method, penalty(learner, steps=False)
    return partial(likelihood, learner, source, look, dense)


def least_squares_of(learner: Any, source: Rounds, facts: RowFacts) -> Solve | None:
    """The direct solution, where its factor has room."""
    columns = source.shape.columns
    if columns > FEW_COLUMNS or (learner.solver == "auto" and choose.long_squares(facts.rows, columns)):
        if learner.solver == "auto":
            return None
        raise ValueError(
            f"solver='direct' needs a matrix of {columns} x {columns} numbers from every partition, which is too large: use "
            "solver='steps'."
        )
    refuse_range(facts)
    learner.solver_, learner.l2_ = "direct", penalty(learner, steps=False)
    return partial(least_squares, learner, source, facts)


def least_squares(learner: Any, source: Rounds, facts: RowFacts, learning: Learning) -> Outcome:
    """Set the weights to the least-squares solution."""
    constant = source.shape.constant2**0.5
    mean = facts.mean if constant else np.zeros(source.shape.columns)
    asked, kind = MatrixColumns(constant, mean, source.shape.outputs), learning.machine.state.weights.dtype

    def find() -> Solution:
        coef, bias = solve_over(source.engine, asked, learner.l2_)
        if not learner.l2_:
            return Solution(coef, bias)
        weights = coef.astype(kind).astype(float), bias.astype(kind).astype(float)
        loss = partial(squares_of, source.shape.outputs)
        gap = proved_over(source.engine, loss, weights, mean, constant > 0, learner.l2_, np.zeros(0))
        learner.duality_gap_ = gap
        return Solution(*weights, "solved" if gap <= gap_asked(learner) else "stalled")

    return learning.solve(find)


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


def likelihood(learner: Any, source: Rounds, look: KnownRows, dense: bool, learning: Learning) -> Outcome:
    """Set the weights to those of the largest likelihood, less the penalty."""
    columns, outputs, intercept = source.shape.columns, source.shape.outputs, source.shape.constant2 > 0
    mean = look.facts.mean if intercept and dense and columns <= MOST_COLUMNS else np.zeros(columns)
    joint = form_of(learner) == "softmax"
    kind = learning.machine.state.weights.dtype
    whole = Neuron(intercept, float(learner.slope), learner.l2_, outputs, -1, mean, dense, kind)
    each = [whole] if joint or outputs == 1 else [whole._replace(outputs=1, place=k) for k in range(outputs)]
    solve = partial(maximise_over, source.engine, look)
    most, tol = iterations(learner), gap_asked(learner)
    return learning.solve(
        lambda: neuron.combined(
            learner, [solve(one, columns, learner.solver_, most, learning.clock, tol) for one in each]
        )
    )


def warn_of_separation(learner: Any, source: Rounds, outcome: Outcome) -> None:
    """Warn where the weights found prove that classes are separated, so that without a penalty they have no best length, or where a
    solver has found no minimum."""
    found = learner.solver_ == "newton" and outcome.reason == "solved"  # a minimum
    if learner.on_separation != "warn" or learner.l2_ or found:
        return
    from ..estimators.separation import evidence_of, without_minimum  # and the prover, which not every fit needs

    text = None
    if form_of(learner) == "ovr" or not count_errors(learner, source):
        rows, lead, each = source.engine.fold(margins_of, both_margins, (learner.coef_, learner.intercept_))
        text = evidence_of(learner, lead, each, rows)
    text = text or without_minimum(learner, outcome)
    if text is not None:
        warn(text)


def margins_of(
    number: int, ready: Ready, weights: tuple[np.ndarray, np.ndarray]
) -> tuple[int, float, np.ndarray] | None:
    """Of one partition, how many rows take part, and their smallest margins."""
    from ..proof.check.sure_margins import sure_margins  # likewise

    some = ready.members
    return (some.size, *sure_margins(*weights, ready.X, ready.target, some)) if some.size else None


def both_margins(
    one: tuple[int, float, np.ndarray], other: tuple[int, float, np.ndarray]
) -> tuple[int, float, np.ndarray]:
    """Those of both."""
    return one[0] + other[0], min(one[1], other[1]), np.minimum(one[2], other[2])
