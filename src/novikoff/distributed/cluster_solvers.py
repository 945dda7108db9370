"""Which learners are solved at once over partitions, and by what: as on one machine, but for what a round costs.

"auto" takes steps where it does on one machine.  Else a logistic neuron takes Newton's method, if its matrix is small, and L-BFGS with
many columns: a round costs more than a matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..estimators import adaline, neuron
from ..estimators.adaline import DeltaRule
from ..estimators.advice import remark
from ..estimators.neuron import LogisticNeuron
from ..estimators.solvers import asks_for_steps, gap_asked, iterations, penalty
from ..learn.learning import Learning, Outcome, Solution
from ..solvers.products import FEW_COLUMNS
from .blocks_given import Census
from .cluster_least_squares import Columns, solve_over
from .cluster_likelihood import Neuron, maximise_over
from .first_guess import Look, look_at_some, stride
from .gap_rounds import Weights, proved_over, squares_of
from .rounds import Ready, Rounds
from .taken_rows import Facts, dense_enough, look_at, refuse_range

MOST_COLUMNS = 200  # from which means are not taken off rows: products of many columns are not made there
MOST_UNKNOWNS = 1000  # of Newton's method

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
        return columns <= FEW_COLUMNS and not adaline.is_long(rows, columns)
    wide = census.sparse and columns > FEW_COLUMNS
    return not wide and not neuron.is_costly((rows, columns), None, learner._n_outputs)


def solver_of(learner: Any, source: Rounds, census: Census) -> Solve | None:
    """What solves for a learner; None: it takes steps."""
    if not is_solved(learner):
        return None
    if isinstance(learner, DeltaRule):
        return least_squares_of(learner, source, look_at(source.engine))
    columns, outputs = source.shape.columns, source.shape.outputs
    unknowns = (columns + 1) * (outputs if learner._form == "softmax" else 1)
    method = learner.solver if learner.solver != "auto" else "newton" if unknowns <= MOST_UNKNOWNS else "lbfgs"
    look = look_at_some(source.engine, stride(census.rows, columns, unknowns) if method == "newton" else 0)
    facts = look.facts
    dense = not census.sparse or dense_enough(facts, columns)
    costly = neuron.is_costly((facts.rows, columns), None if dense else facts.values, outputs)
    if learner.solver == "auto" and costly:
        return None
    refuse_range(facts)
    learner.solver_, learner.l2_ = method, penalty(learner, steps=False)
    return partial(likelihood, learner, source, look, dense)


def least_squares_of(learner: Any, source: Rounds, facts: Facts) -> Solve | None:
    """The direct solution, where its factor has room."""
    columns = source.shape.columns
    if columns > FEW_COLUMNS or (learner.solver == "auto" and adaline.is_long(facts.rows, columns)):
        if learner.solver == "auto":
            return None
        raise ValueError(
            f"solver='direct' needs a matrix of {columns} x {columns} numbers from every partition, which is too large: use "
            "solver='steps'."
        )
    refuse_range(facts)
    learner.solver_, learner.l2_ = "direct", penalty(learner, steps=False)
    return partial(least_squares, learner, source, facts)


def least_squares(learner: Any, source: Rounds, facts: Facts, learning: Learning) -> Outcome:
    """Set the weights to the least-squares solution."""
    constant = source.shape.constant2**0.5
    mean = facts.mean if constant else np.zeros(source.shape.columns)
    asked, kind = Columns(constant, mean, source.shape.outputs), learning.machine.state.weights.dtype

    def find() -> Solution:
        coef, bias = solve_over(source.engine, asked, learner.l2_)
        if not learner.l2_:
            return Solution(coef, bias)
        weights = Weights(coef.astype(kind).astype(float), bias.astype(kind).astype(float))
        loss = partial(squares_of, source.shape.outputs)
        gap = proved_over(source.engine, loss, weights, mean, constant > 0, learner.l2_, None, np.zeros(0))
        learner.duality_gap_ = gap
        return Solution(*weights, "solved" if gap <= gap_asked(learner) else "stalled")

    return learning.solve(find)


def likelihood(learner: Any, source: Rounds, look: Look, dense: bool, learning: Learning) -> Outcome:
    """Set the weights to those of the largest likelihood, less the penalty."""
    columns, outputs, intercept = source.shape.columns, source.shape.outputs, source.shape.constant2 > 0
    mean = look.facts.mean if intercept and dense and columns <= MOST_COLUMNS else np.zeros(columns)
    joint = learner._form == "softmax"
    kind = learning.machine.state.weights.dtype
    whole = Neuron(intercept, float(learner.slope), learner.l2_, outputs, -1, mean, dense, kind)
    each = [whole] if joint or outputs == 1 else [whole._replace(outputs=1, place=k) for k in range(outputs)]
    solve = partial(maximise_over, source.engine, look)
    most, tol = iterations(learner), gap_asked(learner)
    return learning.solve(
        lambda: neuron.together(
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
    if not learner.n_errors_ or learner._form == "ovr":
        rows, lead, each = source.engine.fold(margins_of, both_margins, (learner.coef_, learner.intercept_))
        text = evidence_of(learner, lead, each, rows)
    text = text or without_minimum(learner, outcome)
    if text is not None:
        remark(text)


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
