"""Learning rates that cannot diverge, from the scale of the data."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms

from ..checks.arrays import ColumnNames, names_of, overflow_error, refuse_bad_values, spread
from ..learn.learning import Part, RowSource
from ..learn.schedule import Schedule
from ..learn.state import Problem

if TYPE_CHECKING:
    from .base import LinearLearner

FEW_COLUMNS = 1000  # so few that the eigenvalues of their products are worth computing
ROWS_AT_ONCE = 10_000


def safe_schedule(learner: Any, source: RowSource, curvature: float, lam: float = 0.0) -> Schedule:
    """The schedule of ``eta``, or for "auto" of 1 / L, where the gradient of a batch's loss is L-Lipschitz.

    The second derivative of a sample's loss by its score is ``curvature`` at most, so L = curvature * reach + lam, the decay of
    a batch.  A step of a convex, quadratic loss then never leads away from its minimum, and even steps up to 2 / L do not.
    """
    if learner.eta == "auto":
        learned = learner._learned
        learned.reach = max(learned.reach, reach(learner, source))
        bound = curvature * learned.reach + lam
        learner.eta_ = 1 / bound if bound else 1.0
        if not np.isfinite(learner.eta_):
            raise _out_of_range()
    else:
        learner.eta_ = float(learner.eta)
    return Schedule(learner.eta_, lam=lam)


def reach(learner: LinearLearner, source: RowSource) -> float:
    """A bound for the largest eigenvalue of sum s x x^T over the rows of any one batch, x with its constant feature.

    One row: the largest s |x|^2.  Several: so many times that, and no more than the sum of all s |x|^2; all rows: also no
    more than the eigenvalue itself.
    """
    together = learner.batch_size == "all" and learner.n_features_in_ <= FEW_COLUMNS
    found = source.fold(partial(_reach_of, names_of(learner), together), _reach_of_both)
    if found is None:
        return 0.0
    largest, total, products = found
    if learner.batch_size != "all":
        return min(learner.batch_size * largest, total)
    if not together:
        return total
    return min(total, float(np.linalg.eigvalsh(products)[-1]) * (1 + 1e-6))  # what rounding may have taken away


Reach = tuple[float, float, np.ndarray]  # of rows: the largest s |x|^2, their sum, and sum s x x^T or nothing


def _reach_of(names: ColumnNames, together: bool, part: Part) -> Reach:
    squares = _squares(names, part.X, part.problem, part.problem.members)
    products = _products(part.X, part.problem) if together else np.zeros((0, 0))
    return float(squares.max(initial=0.0)), float(squares.sum()), products


def _reach_of_both(one: Reach, other: Reach) -> Reach:
    return max(one[0], other[0]), one[1] + other[1], one[2] + other[2]


def _squares(names: ColumnNames, X: Any, problem: Problem, members: np.ndarray) -> np.ndarray:
    """``s |x|^2`` of these rows, x with its constant feature."""
    with np.errstate(over="ignore"):
        squares = row_norms(X if members.size == X.shape[0] else X[members], squared=True)
        squares = squares.astype(float, copy=False) + problem.constant2
        squares = squares * problem.weight[members] if problem.weight.size else squares
    total = float(squares.sum())
    if not np.isfinite(total):
        refuse_bad_values(names, X)
        raise _out_of_range()
    if total == 0 and members.size and abs(X[members]).max() > 0:
        raise _out_of_range()
    return squares


def refuse_out_of_range(learner: LinearLearner, part: Part) -> None:
    """Refuse rows whose squares are out of range, before products of columns are; those of float32 never are.  Their
    constant feature is not counted: it would hide that all others are too small."""
    if part.X.dtype == np.float64:
        plain = part.problem._replace(constant2=0.0)
        refuse_total(float(_squares(names_of(learner), part.X, plain, plain.members).sum()))


def refuse_total(squares: float) -> None:
    """Refuse rows with such a sum of squares."""
    if not np.isfinite(squares) or 0 < squares < np.finfo(float).tiny:
        raise _out_of_range()


def usual_reach(learner: LinearLearner, source: RowSource) -> float:
    """The same for rows of the usual length, the mean of some thousand: enough where no step can diverge, and a few rows that
    are far longer than all others do not make every step tiny.

    A row of weight s counts as s rows: of a batch of n rows, (n / N) (sum s |x|)^2 / sum s, where N is the number of all rows.
    """
    found = source.fold(partial(_lengths_of, names_of(learner)), np.add)
    if found is None or not found[2]:
        return 0.0
    lengths, weight, rows = found.tolist()
    batch = rows if learner.batch_size == "all" else min(learner.batch_size, rows)
    return batch / rows * lengths * (lengths / weight)


def _lengths_of(names: ColumnNames, part: Part) -> np.ndarray:
    """Sums of s |x| and of s, and the number of rows: the first two of rows that stand for all."""
    members = part.problem.members
    some = spread(members)
    squares = _squares(names, part.X, part.problem, some)
    s = part.problem.weight[some] if part.problem.weight.size else np.ones(some.size)
    share = members.size / max(1, some.size)
    return np.array([share * float(np.sqrt(squares * s).sum()), share * float(s.sum()), members.size])


def _products(X: Any, problem: Problem) -> np.ndarray:
    """``sum s x x^T``, x with its constant feature."""
    products = np.zeros((X.shape[1] + 1, X.shape[1] + 1))
    for first in range(0, problem.members.size, ROWS_AT_ONCE):
        members = problem.members[first : first + ROWS_AT_ONCE]
        rows = X[members]
        rows = (rows.toarray() if sparse.issparse(rows) else rows).astype(float)
        rows = np.column_stack([rows, np.full(len(rows), problem.constant2**0.5)])
        if problem.weight.size:
            rows *= np.sqrt(problem.weight[members])[:, None]
        products += rows.T @ rows
    return products


def _out_of_range() -> OverflowError:
    return OverflowError("The squared norms of the rows are needed, but they are out of range. Scale the columns.")


def too_large(learner: Any, source: RowSource, curvature: float) -> str:
    """What to say of a fixed step that may diverge; empty if it cannot."""
    if learner.eta == "auto":
        return ""
    limit = 2 / (curvature * (reach(learner, source) or 1.0))
    if learner.eta < limit:
        return ""
    return (
        f"eta={learner.eta:.6g} is too large for these data, and the steps diverge. An eta below {limit:.3g} cannot diverge: "
        "use eta='auto', which is half of that, or scale the columns."
    )


def explain_overflow(learner: Any, source: RowSource, row: int, curvature: float) -> OverflowError:
    """The error to raise when the score of a row is no longer finite."""
    why = too_large(learner, source, curvature)
    return OverflowError(f"The score of row {row} is no longer finite. {why}") if why else overflow_error(row)
