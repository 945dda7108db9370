"""Steps that cannot diverge, from the scale of the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms

from .inputs import overflow_error, refuse_bad_values, spread

if TYPE_CHECKING:
    from ..pace import Pace
    from ..problem import Problem
    from .base import LinearLearner

FEW_COLUMNS = 1000  # so few that the eigenvalues of their products are worth computing
ROWS_AT_ONCE = 10_000


def safe_pace(learner: Any, X: Any, problem: Problem, curvature: float) -> Pace:
    """The pace of ``eta``, or for "auto" of 1 / L, where the gradient of a batch's loss is L-Lipschitz.

    The second derivative of a sample's loss by its score is ``curvature`` at most, so L = curvature * reach.  A step of a
    convex, quadratic loss then never leads away from its minimum, and even steps up to 2 / L do not.
    """
    from ..pace import Pace

    if learner.eta == "auto":
        learner._reach = max(getattr(learner, "_reach", 0.0), reach(learner, X, problem))
        learner.eta_ = 1 / (curvature * learner._reach) if learner._reach else 1.0
        if not np.isfinite(learner.eta_):
            raise _out_of_range()
    else:
        learner.eta_ = float(learner.eta)
    return Pace(learner.eta_)


def reach(learner: LinearLearner, X: Any, problem: Problem) -> float:
    """A bound for the largest eigenvalue of sum s x x^T over the rows of any one batch, x with its constant feature.

    One row: the largest s |x|^2.  Several: so many times that, and no more than the sum of all s |x|^2; all rows: also no
    more than the eigenvalue itself.
    """
    members, weight = problem.members, problem.weight
    with np.errstate(over="ignore"):
        squares = row_norms(X, squared=True)
        squares = squares if members.size == squares.size else squares[members]
        squares = squares.astype(float, copy=False) + problem.constant2
        squares = squares * weight[members] if weight.size else squares
    largest, total = float(squares.max(initial=0.0)), float(squares.sum())
    if not np.isfinite(total):
        refuse_bad_values(learner, X)
        raise _out_of_range()
    if total == 0 and members.size and abs(X[members]).max() > 0:
        raise _out_of_range()
    if learner.batch_size != "all":
        return min(learner.batch_size * largest, total)
    return min(total, _largest_eigenvalue(X, problem)) if X.shape[1] <= FEW_COLUMNS else total


def rough_reach(learner: LinearLearner, X: Any, problem: Problem) -> float:
    """About the same as ``reach``, from rows spread over the data: enough where no step can diverge."""
    some, weight = spread(problem.members), problem.weight
    with np.errstate(over="ignore"):
        squares = row_norms(X[some], squared=True).astype(float) + problem.constant2
        squares = squares * weight[some] if weight.size else squares
    if not np.isfinite(squares.sum()):
        refuse_bad_values(learner, X)
        raise _out_of_range()
    rows = problem.members.size
    batch = rows if learner.batch_size == "all" else learner.batch_size
    return min(batch * float(squares.max()), rows * float(squares.mean())) if some.size else 0.0


def _largest_eigenvalue(X: Any, problem: Problem) -> float:
    products = np.zeros((X.shape[1] + 1, X.shape[1] + 1))
    for first in range(0, problem.members.size, ROWS_AT_ONCE):
        members = problem.members[first : first + ROWS_AT_ONCE]
        rows = X[members]
        rows = (rows.toarray() if sparse.issparse(rows) else rows).astype(float)
        rows = np.column_stack([rows, np.full(len(rows), problem.constant2**0.5)])
        if problem.weight.size:
            rows *= np.sqrt(problem.weight[members])[:, None]
        products += rows.T @ rows
    return float(np.linalg.eigvalsh(products)[-1]) * (1 + 1e-6)  # what rounding may have taken away


def _out_of_range() -> OverflowError:
    return OverflowError(
        "eta='auto' needs the squared norms of the rows, and they are out of range. Scale the columns."
    )


def too_large(learner: Any, X: Any, problem: Problem, curvature: float) -> str:
    """What to say of a fixed step that may diverge; empty if it cannot."""
    if learner.eta == "auto":
        return ""
    limit = 2 / (curvature * (reach(learner, X, problem) or 1.0))
    if learner.eta < limit:
        return ""
    return (
        f"Steps of eta={learner.eta:.6g} are too large for these data and lead ever farther away: below {limit:.3g} they "
        "cannot diverge. Use eta='auto', which takes half of that, or scale the columns."
    )


def explain_overflow(learner: Any, X: Any, problem: Problem, row: int, curvature: float) -> OverflowError:
    """The error to raise when the score of a row is no longer finite."""
    why = too_large(learner, X, problem, curvature)
    return OverflowError(f"The score of row {row} is no longer finite. {why}") if why else overflow_error(row)
