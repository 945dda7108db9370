"""One class against the rest on rows of few columns: all problems solved in one call, and audited in a few products of matrices.

The audit is that of ``margin_audit``, with floats no longer than those of X, which is enough for all but the smallest tolerances: where
the gap that it proves is not small enough, the problem is solved as if its rows were many, from this answer.
"""

from __future__ import annotations

from math import fsum
from typing import Any

import numpy as np
from scipy import sparse

from ..inputs.arrays import parts
from ..inputs.clock import Clock
from ..inputs.rounding_error import UNIT
from .balance import balance
from .finite_newton import add_products, newton
from .margin_audit import AuditRows
from .problem import Answer, Problem
from .shifted_rows import shifted
from .short_path import walk
from .solve import ONE_KERNEL, Outcome, given

MOST_VALUES, MOST_OF_NEWTON = (
    10_000_000,
    500_000,
)  # numbers in the rows; of more, ``solvers.newton`` is quicker for the squared hinge
FEWEST_STEPS, MOST_STEPS = 60, 250  # are tried, as many as
MOST_WORK = 10**10  # multiplications allow: where next to no row has slack, rows come and go for long
WORK = 10**9  # multiplications between two looks at the clock
SOON = 10  # steps are enough for most problems
MOST_ON_PATH = 60  # steps of the interior point method
ENOUGH_ON_PATH = 1e-5  # the gap at which rows on the margin are known well enough to solve for them
ENOUGH = 1e-9  # the gap asked for where the tolerance is larger: steps are so few that less would not be faster


def few(problem: Problem) -> bool:
    """Whether rows and columns are few enough."""
    rows, columns = problem.X.shape
    values = MOST_OF_NEWTON if problem.squared or sparse.issparse(problem.X) else MOST_VALUES
    work = 0 if problem.squared else MOST_ON_PATH * rows * (columns + 1) ** 2
    return columns < ONE_KERNEL and rows * columns <= values and work <= WORK


def solve_together(
    problem: Problem, signs: np.ndarray, tol: float, clock: Clock, starts: list[Answer | None]
) -> tuple[list[Outcome], np.ndarray]:
    """The problems with these rows and each line of ``signs``: outcomes, some of which may miss ``tol``, and slacks."""
    X = problem.X.toarray() if sparse.issparse(problem.X) else problem.X
    problem = problem._replace(X=X.astype(float, copy=False))
    near = AuditRows(problem, long=False)
    rows, columns = problem.X.shape
    wide = np.empty((rows, columns + problem.intercept))
    wide[:, :columns] = near.X
    wide[:, columns:] = 1.0
    penalty = np.ones(wide.shape[1])
    penalty[columns:] = 0.0
    weights, alphas = np.zeros((len(signs), wide.shape[1])), np.zeros(signs.shape)
    for start, mine in zip(starts, weights, strict=True):
        if start is not None:
            mine[:columns], mine[columns:] = start.w, shifted(start.w, start.b, near.centre, 1)
    by = _newton if problem.squared else _interior
    steps = by(wide, problem.bounds, signs, penalty, tol, weights, alphas, clock)
    W, biases = weights[:, :columns], weights[:, columns] if problem.intercept else np.zeros(len(signs))
    b = shifted(W, biases, near.centre, -1)
    return answers_of(near, signs, W, b, alphas, "newton" if problem.squared else "interior", steps, tol, clock)


def _newton(
    rows: np.ndarray,
    bounds: np.ndarray,
    signs: np.ndarray,
    penalty: np.ndarray,
    tol: float,
    weights: np.ndarray,
    alphas: np.ndarray,
    clock: Clock,
) -> np.ndarray:
    """Leave the answers in ``weights`` and ``alphas``; returns the numbers of steps."""
    count, size = len(signs), rows.shape[1]
    steps, ended, whole = np.zeros(count, np.int64), np.zeros(count, np.bool_), np.zeros((size, size))
    add_products(rows, np.arange(len(rows)), 2 * bounds, len(rows), whole)
    a_step = len(rows) * size**2 + 1
    limit = min(MOST_STEPS, max(FEWEST_STEPS, MOST_WORK // a_step))
    enough = min(ENOUGH, 0.1 * tol)

    def run(first: int, last: int, most: int) -> None:
        newton(rows, bounds, signs, penalty, whole, enough, most, first, last, weights, alphas, steps, ended)

    if count * SOON * a_step <= WORK and not clock.over:
        run(0, count, SOON)
    for k in range(count):
        while not (ended[k] or steps[k] >= limit or clock.over):
            run(k, k + 1, min(limit, max(1, WORK // a_step)))
    return steps


def _interior(
    rows: np.ndarray,
    bounds: np.ndarray,
    signs: np.ndarray,
    penalty: np.ndarray,
    tol: float,
    weights: np.ndarray,
    alphas: np.ndarray,
    clock: Clock,
) -> np.ndarray:
    """The same for the hinge."""
    steps = np.zeros(len(signs), np.int64)
    at_once = max(1, WORK // (MOST_ON_PATH * rows.size * rows.shape[1]))
    for part in parts(len(signs), at_once):
        if clock.over:
            break
        last = min(part.stop, len(signs))
        walk(
            rows,
            bounds,
            signs,
            penalty,
            min(ENOUGH_ON_PATH, 0.1 * tol),
            MOST_ON_PATH,
            part.start,
            last,
            weights,
            alphas,
            steps,
        )
    return steps


def answers_of(
    rows: AuditRows,
    signs: np.ndarray,
    W: np.ndarray,
    b: np.ndarray,
    alphas: np.ndarray,
    solver: str,
    steps: np.ndarray,
    tol: float,
    clock: Clock,
) -> tuple[list[Outcome], np.ndarray]:
    """What was found, with values that rounding cannot have improved, and the slacks of all rows."""
    answers, slack = _audited(rows, signs, W, b, alphas)
    outcomes = [
        given(answer, solver, tol, clock)._replace(iterations=int(taken))
        for answer, taken in zip(answers, steps, strict=True)
    ]
    return outcomes, slack


def _audited(
    rows: AuditRows, signs: np.ndarray, W: np.ndarray, b: np.ndarray, alphas: np.ndarray
) -> tuple[list[Answer], np.ndarray]:
    """Answers with values that rounding cannot have improved, and the slacks of their rows."""
    problem: Any = rows.problem
    scores, errors = rows.scores(W, shifted(W, b, rows.centre, 1))
    short = 1.0 - signs * scores.T
    most = np.maximum(0.0, short + errors.T)
    most = np.square(most) if problem.squared else most
    primal = (0.5 * np.square(W).sum(axis=1) + most @ problem.bounds) * rows.surely * rows.surely
    if problem.intercept:
        balance(alphas, signs)
    sums = alphas.sum(axis=1).tolist() if problem.intercept else [fsum(alpha) for alpha in alphas.tolist()]
    dual = sums - 0.5 * rows.squares((alphas * signs).T)
    if problem.squared:
        dual -= 0.25 * ((alphas * alphas) @ (1 / problem.bounds)) * rows.surely * rows.surely
    dual -= 8 * UNIT * (sums + np.abs(dual))
    answers = [Answer(*parts) for parts in zip(W, b.tolist(), alphas, primal.tolist(), dual.tolist(), strict=True)]
    return answers, np.maximum(0.0, short)
