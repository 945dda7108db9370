"""Adaline: the delta rule, for classification and for regression."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import safe_sparse_dot

from ..checks.arrays import own_output, refuse_bad_values, spread
from ..checks.sklearn_parts import Interval, StrOptions
from ..learn import rules
from ..learn.learning import Learned, Learning, Outcome, RowSource, Solution
from ..learn.rows import public
from ..learn.schedule import Schedule
from ..solvers import choose
from ..solvers.audit import Fit, SmoothProof, prove_smooth
from ..solvers.direct import Equations, attempts, solve
from ..solvers.objectives import Squares
from ..solvers.products import FEW_COLUMNS
from ..system.clock import Clock, OutOfTime
from ..system.threads import one_thread
from .advice import warn
from .base import LinearLearner
from .classifier import CountedMistakes, LinearClassifier
from .docs import documented
from .rates import explain_overflow, refuse_out_of_range, safe_schedule, too_large
from .regressor import LinearRegressor
from .solver_or_steps import asks_for_steps, decay, gap_asked, penalty

CURVATURE = 1.0  # the second derivative of (d - a)^2 / 2


class DeltaRule:
    """What both Adalines share: the rule, a step that cannot diverge, and the direct solution."""

    _constraints: ClassVar[dict[str, list[Any]]] = {
        "eta": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "solver": [StrOptions({"auto", "steps", "direct"})],
        "max_iter": [*LinearLearner._parameter_constraints["max_iter"], None],
    }

    def _rule(self) -> Any:
        return rules.Delta()

    def _schedule(self, source: RowSource) -> Schedule:
        if source.once:  # partial_fit takes steps
            self.solver_, self.l2_ = "steps", penalty(self, steps=True)
        return safe_schedule(self, source, CURVATURE, decay(self, source, self.l2_))

    def _needs_all_rows(self) -> str:
        return "solver='direct' solves for all rows at once" if self.solver == "direct" else ""  # type: ignore[attr-defined]

    def _explain_overflow(self, source: RowSource, row: int) -> OverflowError:
        return explain_overflow(self, source, row, CURVATURE)

    def _solve(self, learning: Learning) -> Outcome:
        steps = asks_for_steps(self) or learning.watched
        self.l2_ = penalty(self, steps)
        find = None if steps else (learning.source.squares or squares_here)(self, learning)
        self.solver_ = "steps" if find is None else "direct"
        return learning.run() if find is None else learning.solve(find)

    def _is_quick(self, shape: tuple[int, int], compressed: bool, outputs: int) -> bool:
        return shape[1] <= FEW_COLUMNS and not choose.long_squares(*shape)

    def _advise(self, source: RowSource, outcome: Outcome) -> None:
        if outcome.reason != "solved" and source.X is not None and worse_than_nothing(source, self._learned):  # type: ignore[attr-defined]
            why = too_large(self, source, CURVATURE)
            if why:
                warn(why)
        super()._advise(source, outcome)  # type: ignore[misc]


def worse_than_nothing(source: RowSource, learned: Learned) -> bool:
    """Whether the running weights have a larger squared error than zero weights, on rows spread over the data: weights that
    lead ever farther away do on any rows."""
    problem, state = source.problem, learned.state
    some = spread(problem.members)
    with np.errstate(over="ignore", invalid="ignore"):
        scores = safe_sparse_dot(source.X[some], public(problem.rows, state.weights).T, dense_output=True) + state.bias
        wanted = wanted_scores(problem.target[some], state.bias.size)
        return not np.square(wanted - scores).sum() <= np.square(wanted).sum()


def wanted_scores(target: np.ndarray, outputs: int, kind: Any = np.float64) -> np.ndarray:
    """What every output ought to say: of classes +1 for a row's own and -1 for any other, in floats of ``kind``, else the number itself."""
    if target.dtype.kind != "i":
        return target[:, None]
    if outputs == 1:
        return np.where(own_output(target, outputs), kind(1), kind(-1))
    wanted = np.full((target.size, outputs), kind(-1))
    wanted[np.arange(target.size), target] = 1
    return wanted


def is_costly(learning: Learning, l2: float) -> bool:
    """Whether the direct solution takes so long that steps are the better choice, as they are for rows that come part by part."""
    if learning.source.X is None:
        return True
    (X, *_), outputs = next(learning.source.looks()), learning.machine.state.bias.size
    rows, columns = X.shape
    if sparse.issparse(X) and columns > FEW_COLUMNS:
        return not l2 or 1000 * X.nnz * outputs > choose.MOST_SQUARES
    return choose.long_squares(rows, columns)


def squares_here(learner: Any, learning: Learning) -> Callable[[], Solution] | None:
    """What finds the least-squares solution for rows in memory; None: steps are the better choice."""
    l2 = learner.l2_
    if learner.solver != "direct" and is_costly(learning, l2):
        return None
    part, state = next(learning.source.looks()), learning.machine.state
    X, problem, *_ = part
    refuse_bad_values(learner, X)
    refuse_out_of_range(learner, part)
    members = problem.members
    if members.size < X.shape[0]:
        X = X[members]
    target, outputs = problem.target[members], state.bias.size
    wanted = wanted_scores(target, outputs, X.dtype.type)
    weight = problem.weight[members] if problem.weight.size else problem.weight
    labels = target if outputs > 1 and target.dtype.kind == "i" else None
    equations = Equations(X, wanted, weight, problem.constant2**0.5, l2, labels)
    fit, tol = Fit(X, problem.constant2 > 0, l2, state.weights.dtype), gap_asked(learner)

    def find() -> Solution:
        with one_thread():
            start = public(problem.rows, state.weights).astype(float), state.bias.astype(float)
            if not l2:
                try:
                    return Solution(*solve(equations, learning.clock))
                except OutOfTime:
                    return Solution(*start, "time")
            loss = Squares(wanted, weight, target if target.dtype.kind == "i" else None)
            proof, reason = proved(loss, equations, fit, tol, learning.clock, start)
        learner.duality_gap_ = proof.gap
        if target.dtype.kind == "i":
            learner._counted = CountedMistakes.of(proof.leads, proof.lead_errors, members)
        return Solution(proof.coef, proof.bias, reason)

    return find


def proved(
    loss: Squares, equations: Equations, fit: Fit, tol: float, clock: Clock, start: tuple[np.ndarray, np.ndarray]
) -> tuple[SmoothProof, str]:
    """The first attempt that is proved to be near enough, or the best one, and how it ended; ``start`` if there is no time for any."""
    best, reason = None, "stalled"
    try:
        for count, found in enumerate(attempts(equations, clock)):
            proof = prove_smooth(loss, fit, *found, tol)
            best = proof if best is None or proof.gap < best.gap else best
            clock.note("direct", count + 1, best.gap)
            if best.gap <= tol:
                return best, "solved"
    except OutOfTime:
        reason = "time"
    best = prove_smooth(loss, fit, *start, tol) if best is None else best
    return best, "solved" if best.gap <= tol else reason


@documented
class Adaline(DeltaRule, LinearClassifier):
    """The adaptive linear neuron: least squares on labels -1 and +1, by a direct solution or by the delta rule.

    Every row changes the weights in proportion to its error, ``w <- w + eta (d - w.x - b) x``, with d = +1 for its class and
    -1 for any other (Widrow and Hoff 1960).  This is gradient descent on the squared error ``(d - w.x - b)^2 / 2``.  Several
    classes have one neuron each.  Steps of a small constant size stay near the least-squares solution, and nearer if they are
    smaller.  Averaged weights come closer (with ``order="random"`` they converge to it), ``batch_size="all"`` converges to it,
    and ``solver="direct"`` computes it without steps.  ``Adaline()`` uses the direct solution, with a penalty (``l2``), unless
    you ask for steps.

    Choose it to learn from every row, right or wrong, if classes overlap, or to teach gradient descent.  Do not choose it if
    some rows are far from the boundary on the correct side: their squared error is large, so even separable classes may
    not be separated (use ``Perceptron`` or ``HingeSGD``).  Do not choose it if you need probabilities (``LogisticNeuron``).

    Parameters
    ----------
    eta : float or "auto", default="auto"
        The learning rate.  "auto" is 1 / L, where L is an upper bound of the curvature of the squared error of a batch: for
        one row, the largest squared norm of a row with its constant feature; for a batch of n rows, n times that, but not more
        than the sum over all rows; for all rows, not more than their largest eigenvalue.  Steps with this rate cannot
        diverge, and steps with any rate below twice that cannot either.
    solver : {"auto", "steps", "direct"}, default="auto"
        "steps": the delta rule, row after row.  "direct": the least-squares solution, with the penalty (the shortest solution,
        if there are several), without iterations that ``max_iter`` could end.  "auto": "direct", unless you ask for steps, the rows do not fit in memory, or it would take more than 1e11 multiplications (n d min(n, d)
        for n rows and d columns, about ten seconds).
        {wanted}
    {parameters}

    Attributes
    ----------
    {attributes}
    eta_ : float
        The learning rate, if steps were taken.
    solver_ : str
        "steps" or "direct".
    l2_ : float
        The L2 regularisation that was used.
    duality_gap_ : float
        Of a solver with a penalty: the proved relative duality gap, all rounding included.  The objective is above its minimum by no more than
        this part of it, or, if that is larger, of 1e-16 times the objective of zero weights with the best bias; of one-vs-rest, the
        largest gap of all problems.

    References
    ----------
    B. Widrow, M. E. Hoff, Adaptive switching circuits, 1960.
    Y. Nesterov, Introductory lectures on convex optimization, 2004 (steps that cannot diverge).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import scale
    >>> from novikoff import Adaline
    >>> X, y = load_iris(return_X_y=True)
    >>> exact = Adaline(l2=0).fit(scale(X), y)
    >>> steps = Adaline(solver="steps", batch_size="all", max_iter=5000, min_progress=None).fit(scale(X), y)
    >>> bool(abs(steps.coef_ - exact.coef_).max() < 1e-3)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearClassifier._parameter_constraints,
        **DeltaRule._constraints,
        "l2": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
        "keep": [StrOptions({"auto", "last", "average", "pocket"})],
    }

    def __init__(
        self,
        eta: float | str = "auto",
        *,
        solver: str = "auto",
        l2: float | str = "auto",
        order: str = "auto",
        batch_size: int | str = 1,
        keep: str = "auto",
        init: Any = "zeros",
        max_iter: int | None = None,
        tol: float | None = None,
        min_progress: float | None = 0.05,
        time_limit: float | None = None,
        fit_intercept: bool = True,
        intercept_scaling: float | str = 1.0,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: Any = None,
        history: str = "basic",
        warm_start: bool = False,
        random_state: Any = None,
    ) -> None:
        self._take(locals())


@documented
class AdalineRegressor(DeltaRule, LinearRegressor):
    """Linear regression by the delta rule: ``w <- w + eta (d - w.x - b) x`` (Widrow and Hoff 1960), for a real number d.

    Also known as the LMS filter.  As for ``Adaline``, steps of a small constant size stay near the least-squares solution,
    averaged weights come closer, ``batch_size="all"`` converges to it, and ``solver="direct"`` computes it without steps.
    ``AdalineRegressor()`` uses the direct solution unless you ask for steps.

    Choose it for least squares, for a stream whose relation may change over time, or to teach.  Do not choose it if there
    are outliers among the targets: their squared error is large (use ``PassiveAggressiveRegressor``).

    Parameters
    ----------
    eta : float or "auto", default="auto"
        The learning rate, as in ``Adaline``.
    solver : {"auto", "steps", "direct"}, default="auto"
        "steps": the delta rule, row after row.  "direct": the least-squares solution, with the penalty (the shortest solution,
        if there are several), without iterations that ``max_iter`` could end.  "auto": "direct", unless you ask for steps, the rows do not fit in memory, or it would take more than 1e11 multiplications (n d min(n, d)
        for n rows and d columns, about ten seconds).
        {wanted}
    {parameters}

    Attributes
    ----------
    {attributes}
    eta_ : float
        The learning rate, if steps were taken.
    solver_ : str
        "steps" or "direct".
    l2_ : float
        The L2 regularisation that was used.
    duality_gap_ : float
        Of a solver with a penalty: the proved relative duality gap, all rounding included.  The objective is above its minimum by no more than
        this part of it, or, if that is larger, of 1e-16 times the objective of zero weights with the best bias; of one-vs-rest, the
        largest gap of all problems.

    References
    ----------
    B. Widrow, M. E. Hoff, Adaptive switching circuits, 1960.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff import AdalineRegressor
    >>> X = np.arange(6.0)[:, None]
    >>> line = AdalineRegressor(solver="steps", keep="last", order="cyclic", max_iter=2000, min_progress=None).fit(X, 3 * X[:, 0] - 1)
    >>> line.coef_.round(6).tolist(), line.intercept_.round(6).tolist()
    ([3.0], [-1.0])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearRegressor._parameter_constraints,
        **DeltaRule._constraints,
        "l2": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        eta: float | str = "auto",
        *,
        solver: str = "auto",
        l2: float = 0.0,
        order: str = "auto",
        batch_size: int | str = 1,
        keep: str = "auto",
        init: Any = "zeros",
        max_iter: int | None = None,
        tol: float | None = None,
        min_progress: float | None = 0.05,
        time_limit: float | None = None,
        fit_intercept: bool = True,
        intercept_scaling: float | str = 1.0,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        history: str = "basic",
        warm_start: bool = False,
        random_state: Any = None,
    ) -> None:
        self._take(locals())
