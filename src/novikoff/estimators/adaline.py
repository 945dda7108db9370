"""Adaline: the delta rule, for labels and for numbers."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import safe_sparse_dot

from ..inputs.arrays import refuse_bad_values, spread
from ..inputs.sklearn_parts import Interval, StrOptions
from ..inputs.targets import own_output
from ..learn import rules
from ..learn.learning import Learned, Learning, Outcome
from ..learn.rows import natural, public
from ..learn.schedule import Schedule
from ..learn.sources import InMemory, Source
from .advice import remark
from .classifier import LinearClassifier
from .docs import documented
from .rates import explain_overflow, safe_schedule, too_large
from .regressor import LinearRegressor

CURVATURE = 1.0  # the second derivative of (d - a)^2 / 2
TIGHT = 1e-14  # relative tolerance of the iterative least-squares solver for sparse rows


class DeltaRule:
    """What both Adalines share: the rule, a step that cannot diverge, and the direct solution."""

    _constraints: ClassVar[dict[str, list[Any]]] = {
        "eta": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "solver": [StrOptions({"steps", "direct"})],
    }

    def _rule(self) -> Any:
        return rules.Delta()

    def _schedule(self, source: Source) -> Schedule:
        return safe_schedule(self, source, CURVATURE)

    def _needs_all_rows(self) -> str:
        return "solver='direct' solves for all rows at once" if self.solver == "direct" else ""  # type: ignore[attr-defined]

    def _explain_overflow(self, source: Source, row: int) -> OverflowError:
        return explain_overflow(self, source, row, CURVATURE)

    def _solve(self, learning: Learning) -> Outcome:
        if self.solver == "direct":  # type: ignore[attr-defined]
            return solve_directly(self, learning)
        return super()._solve(learning)  # type: ignore[misc]

    def _advise(self, source: InMemory, outcome: Outcome) -> None:
        if outcome.reason != "solved" and worse_than_nothing(source, self._learned):  # type: ignore[attr-defined]
            why = too_large(self, source, CURVATURE)
            if why:
                remark(why)
        super()._advise(source, outcome)  # type: ignore[misc]


def worse_than_nothing(source: InMemory, learned: Learned) -> bool:
    """Whether the running weights have a larger squared error than zero weights, on rows spread over the data: weights that
    lead ever farther away do on any rows."""
    problem, state = source.problem, learned.state
    some = spread(problem.members)
    with np.errstate(over="ignore", invalid="ignore"):
        scores = safe_sparse_dot(source.X[some], public(problem.rows, state.weights).T, dense_output=True) + state.bias
        wanted = wanted_scores(problem.target[some], state.bias.size)
        return not np.square(wanted - scores).sum() <= np.square(wanted).sum()


def wanted_scores(target: np.ndarray, outputs: int) -> np.ndarray:
    """What every output ought to say: of classes +1 for a row's own and -1 for any other, else the number itself."""
    if target.dtype.kind != "i":
        return target[:, None]
    return np.where(own_output(target, outputs), 1.0, -1.0)


def solve_directly(learner: Any, learning: Learning) -> Outcome:
    """Set the weights to the least-squares solution, of several the shortest, and say so."""
    (X, problem, *_), state = next(learning.source.looks()), learning.machine.state
    refuse_bad_values(learner, X)
    members, target = problem.members, problem.target[problem.members]
    wanted = wanted_scores(target, state.bias.size)
    root = np.sqrt(problem.weight[members] if problem.weight.size else np.ones(members.size))
    constant = problem.constant2**0.5
    rows = X[members].astype(float)
    if sparse.issparse(rows):
        from scipy.sparse.linalg import lsmr  # takes long to import

        rows = sparse.diags_array(root) @ sparse.hstack([rows, np.full((members.size, 1), constant)], format="csr")
        most = 10 * max(rows.shape)
        solved = [lsmr(rows, root * each, atol=TIGHT, btol=TIGHT, conlim=0, maxiter=most)[0] for each in wanted.T]
        solution = np.array(solved)
    else:
        rows = root[:, None] * np.column_stack([rows, np.full(members.size, constant)])
        solution = np.linalg.lstsq(rows, root[:, None] * wanted, rcond=None)[0].T
    state.weights[:] = natural(problem.rows, solution[:, :-1])
    state.bias[:] = solution[:, -1] * constant
    learning.note({"mistakes": 0, "norm": learning.machine.norm()})
    learning.reason = "solved"
    return learning.outcome()


@documented
class Adaline(DeltaRule, LinearClassifier):
    """The adaptive linear neuron: least squares on labels -1 and +1, learned by the delta rule.

    Every row moves the weights in proportion to its error, ``w <- w + eta (d - w.x - b) x``, d = +1 for its class and -1
    for any other (Widrow and Hoff 1960): the gradient of the squared error ``(d - w.x - b)^2 / 2``.  Several classes have
    one such neuron each.  Steps of a small constant size hover about the least-squares solution, the closer the smaller
    they are; averaged weights come closer (with ``order="random"`` to it), ``batch_size="all"`` comes to it, and
    ``solver="direct"`` computes it at once.

    Choose it to learn from every row, right or wrong, when classes overlap, or to teach gradient descent.  Do not choose
    it when some rows lie far out on the right side: the square punishes them, too, so that even separable classes may
    not be separated (use ``Perceptron`` or ``HingeSGD``), or when you need probabilities (``LogisticNeuron``).

    Parameters
    ----------
    eta : float or "auto", default="auto"
        Step.  "auto" is 1 / L, where L bounds the curvature of a batch's squared error: one over the largest squared norm
        of a row with its constant feature; for batches that many times less, but never less than one over the largest
        eigenvalue of all rows.  It cannot diverge, nor can any step below twice that.
    solver : {"steps", "direct"}, default="steps"
        "direct" computes the least-squares solution, of several the shortest, with no steps: then all that speaks of
        steps, passes and stops has no part.
    {parameters}

    Attributes
    ----------
    {attributes}
    eta_ : float
        The step.

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
    >>> exact = Adaline(solver="direct").fit(scale(X), y)
    >>> steps = Adaline(batch_size="all", max_iter=5000).fit(scale(X), y)
    >>> bool(abs(steps.coef_ - exact.coef_).max() < 1e-3)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearClassifier._parameter_constraints,
        **DeltaRule._constraints,
        "keep": [StrOptions({"auto", "last", "average", "pocket"})],
    }

    def __init__(
        self,
        eta: float | str = "auto",
        *,
        solver: str = "steps",
        order: str = "auto",
        batch_size: int | str = 1,
        keep: str = "auto",
        init: Any = "zeros",
        max_iter: int = 100,
        tol: float | None = None,
        min_progress: float | None = 1e-3,
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
        self.eta = eta
        self.solver = solver
        self.order = order
        self.batch_size = batch_size
        self.keep = keep
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.min_progress = min_progress
        self.time_limit = time_limit
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.history = history
        self.warm_start = warm_start
        self.random_state = random_state


@documented
class AdalineRegressor(DeltaRule, LinearRegressor):
    """Linear regression by the delta rule: ``w <- w + eta (d - w.x - b) x`` (Widrow and Hoff 1960), d any number.

    Known as the LMS filter.  All that is said of ``Adaline`` holds: steps of a small constant size hover about the
    least-squares solution; averaged weights come closer, ``batch_size="all"`` comes to it, ``solver="direct"`` computes it.

    Choose it to follow a stream of numbers whose law may drift, or to teach.  Do not choose it for a fixed table of moderate
    size: least squares solved directly is exact and takes one step.

    Parameters
    ----------
    eta : float or "auto", default="auto"
        Step, as of ``Adaline``.
    solver : {"steps", "direct"}, default="steps"
        "direct" computes the least-squares solution, of several the shortest, with no steps: then all that speaks of
        steps, passes and stops has no part.
    {parameters}

    Attributes
    ----------
    {attributes}
    eta_ : float
        The step.

    References
    ----------
    B. Widrow, M. E. Hoff, Adaptive switching circuits, 1960.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff import AdalineRegressor
    >>> X = np.arange(6.0)[:, None]
    >>> line = AdalineRegressor(order="cyclic", max_iter=2000).fit(X, 3 * X[:, 0] - 1)
    >>> line.coef_.round(6).tolist(), line.intercept_.round(6).tolist()
    ([3.0], [-1.0])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **LinearRegressor._parameter_constraints,
        **DeltaRule._constraints,
    }

    def __init__(
        self,
        eta: float | str = "auto",
        *,
        solver: str = "steps",
        order: str = "auto",
        batch_size: int | str = 1,
        keep: str = "auto",
        init: Any = "zeros",
        max_iter: int = 100,
        tol: float | None = None,
        min_progress: float | None = 1e-3,
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
        self.eta = eta
        self.solver = solver
        self.order = order
        self.batch_size = batch_size
        self.keep = keep
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.min_progress = min_progress
        self.time_limit = time_limit
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.history = history
        self.warm_start = warm_start
        self.random_state = random_state
