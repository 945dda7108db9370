"""One class against the rest on sparse rows of many columns: all problems solved in one call, and audited together.

What the gap asked for takes too many sweeps for is left to ``solve``, which goes on from here.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms

from ..inputs.clock import Clock
from ..learn.rows import as_rows, natural
from .audit import AuditRows
from .descent import EXTRA, SQUARE, UPPER
from .newton_system import parts
from .problem import Problem
from .short_descent import descend_all
from .solve import CLOSER, INTERIOR_FIRST, Outcome
from .together import answers_of

MOST_VALUES = 2_000_000  # in the rows
MOST_READ = 100  # times the rows are read
WORK = 5 * 10**8  # values that are read between two looks at the clock
CONSTANT = 0.1  # of the rows' mean square: the square of the constant feature that stands for the bias


def thin(problem: Problem) -> bool:
    """Whether rows are sparse, of many columns and few values."""
    return sparse.issparse(problem.X) and problem.X.shape[1] > INTERIOR_FIRST and problem.X.nnz <= MOST_VALUES


def descend_together(
    problem: Problem, signs: np.ndarray, tol: float, clock: Clock, rng: np.random.Generator
) -> tuple[list[Outcome], np.ndarray]:
    """The problems with these rows and each line of ``signs``: outcomes, some of which may miss ``tol``, and slacks."""
    rows, squares = as_rows(problem.X, 1), row_norms(problem.X, squared=True)
    count, columns = problem.X.shape
    constant2 = CONSTANT * float(squares.mean()) if problem.intercept else 0.0
    facts = np.empty((count, 5))
    facts[:, UPPER] = np.inf if problem.squared else problem.bounds
    facts[:, EXTRA] = 0.5 / problem.bounds if problem.squared else 0.0
    facts[:, SQUARE] = squares + facts[:, EXTRA] + constant2
    w = natural(rows, np.zeros((1, columns)))
    weights, biases, alphas = np.zeros((len(signs), columns)), np.zeros(len(signs)), np.zeros(signs.shape)
    sweeps, seed = np.zeros(len(signs), np.int64), np.uint64(rng.bit_generator.random_raw())
    for part in parts(len(signs), max(1, WORK // (MOST_READ * problem.X.nnz + 1))):
        if clock.over:
            break
        descend_all(
            rows,
            problem.bounds,
            signs,
            facts,
            constant2,
            CLOSER * tol,
            MOST_READ,
            seed,
            part.start,
            min(part.stop, len(signs)),
            w,
            w.copy(),
            weights,
            biases,
            alphas,
            sweeps,
        )
    return answers_of(AuditRows(problem, long=False), signs, weights, biases, alphas, "descent", sweeps, tol, clock)
