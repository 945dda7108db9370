"""The perceptron in its dual form, with kernels."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .advice import not_right, not_there_yet, remark
from .classifier import LinearClassifier
from .combinations import checked_parameters
from .docs import documented
from .inputs import overflow_error, read_X

if TYPE_CHECKING:
    from ..dual import Dual, Span
    from ..keeps import Last
    from ..kernels import Points
    from ..loop import Outcome, Watch
    from ..pace import Pace
    from ..problem import Problem, State
    from .base import OnPass

MEGABYTE = 1e6


class KernelContinuation(NamedTuple):
    """What ``partial_fit`` and predictions need."""

    keep: Last
    state: State  # its weights have a column for each row of the support
    rows: Span  # the support
    constant2: float
    parameters: dict[str, Any]


def _can_stream(learner: KernelPerceptron) -> bool:
    if learner.kernel == "precomputed":
        raise AttributeError("kernel='precomputed' knows the rows of one fit only, and partial_fit brings others.")
    return True


@documented
class KernelPerceptron(LinearClassifier):
    """The perceptron in its dual form: linear in the features of a kernel, never reckoning them.

    The weights are a sum over training rows, ``w = sum_i alpha_i y_i phi(x_i)``, and the score of a row needs kernel
    values only: ``w.phi(x) + b = sum_i alpha_i y_i k(x_i, x) + b``.  On a mistake, ``y (w.phi(x) + b) <= 0``, the row's
    ``alpha_i`` grows by 1 and ``b <- b + y R^2``, where ``R^2 = max k(x, x)`` (Aizerman, Braverman & Rozonoer 1964;
    Freund & Schapire 1999).  With the linear kernel it does step for step what
    ``Perceptron(intercept_scaling="radius")`` does.  Several classes have a sum each, as the weights of ``Perceptron``.

    Choose it when no straight boundary will do: it trains several times as fast as a support vector machine with the same
    kernel and comes close to its accuracy (with ``keep="average"``), and with a ``budget`` it learns from a stream
    without end.  Few passes (``max_iter``) are best where classes overlap; to separate classes, allow more.

    Do not choose it for the linear kernel on data with more rows than columns (``Perceptron`` does the same faster), nor
    when you need the largest margin or few support vectors: every row that was ever mistaken stays one.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "precomputed"} or function, default="rbf"
        "linear": ``x.z``; "poly": ``(gamma x.z + coef0)^degree``; "rbf": ``exp(-gamma |x - z|^2)``; "precomputed": X holds
        the kernel values themselves, of shape (n_samples, n_samples) to fit and (n_samples, n_training_samples) to
        predict; a function takes two arrays of rows and returns the values of all pairs.
    degree : int, default=3
        Of the kernel "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        Of the kernels "poly" and "rbf"; "scale": ``1 / (n_features * X.var())``; "auto": ``1 / n_features``.
    coef0 : float, default=0.0
        Of the kernel "poly".
    budget : int or None, default=None
        Largest number of support vectors.  A mistake that would exceed it removes one of the others, chosen uniformly at
        random (Cavallanti, Cesa-Bianchi & Gentile 2007).  Needs ``keep="last"``.
    cache_size : float, default=200.0
        Memory for kernel values that later passes need again, in megabytes (``fit`` without a budget).
    {parameters}

    Attributes
    ----------
    support_ : ndarray of shape (n_support,)
        Row numbers of the support vectors, ascending; ``partial_fit`` goes on counting from call to call.
    support_vectors_ : array or CSR matrix of shape (n_support, n_features)
        Those rows; without columns if the kernel is precomputed.
    dual_coef_ : ndarray of shape (1, n_support) or (n_classes, n_support)
        ``alpha_i y_i``, as ``keep`` hands it back.  For the linear kernel the weights are
        ``dual_coef_ @ support_vectors_``.
    intercept_ : ndarray of shape (1,) or (n_classes,)
    classes_ : ndarray of shape (n_classes,)
    n_iter_ : int
        Passes made.
    n_mistakes_ : int
        Mistakes over all passes; of ``multiclass="ovr"`` counted for each class.
    n_errors_ : int or None
        Training rows that ``predict`` gets wrong (but for scores that are zero up to rounding); None after
        ``partial_fit``.
    stop_reason_ : str or None
        "separated", "stable", "cycle", "no_improvement", "budget" (of passes, ``max_iter``), "time", "callback" or
        "interrupted"; None after ``partial_fit``.
    history_ : dict of ndarrays
        One entry a pass, or call of ``partial_fit``, of which the last 4096 are kept.
    votes_ : DualVotes
        Only with ``keep="vote"``.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if X had string column names.

    References
    ----------
    M. A. Aizerman, E. M. Braverman, L. I. Rozonoer, Theoretical foundations of the potential function method in pattern
    recognition learning, 1964.
    Y. Freund, R. E. Schapire, Large margin classification using the perceptron algorithm, 1999.
    G. Cavallanti, N. Cesa-Bianchi, C. Gentile, Tracking the best hyperplane with a simple budget Perceptron, 2007.

    Examples
    --------
    >>> from novikoff import KernelPerceptron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["same", "different", "different", "same"]
    >>> clf = KernelPerceptron(kernel="poly", degree=2, coef0=1, order="cyclic", keep="last", max_iter=100).fit(X, y)
    >>> clf.stop_reason_, clf.n_errors_
    ('separated', 0)
    >>> clf.predict([[1, 1], [1, 0]]).tolist()
    ['same', 'different']
    """

    warm_start = False
    _share_of_lead = 1.0  # as of the perceptron
    _continue: KernelContinuation  # type: ignore[assignment]
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{
            name: allowed
            for name, allowed in LinearClassifier._parameter_constraints.items()
            if name not in ("init", "intercept_scaling", "warm_start")
        },
        "kernel": [StrOptions({"linear", "poly", "rbf", "precomputed"}), callable],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "gamma": [StrOptions({"scale", "auto"}), Interval(Real, 0, None, closed="neither")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "order": [StrOptions({"auto", "cyclic", "shuffle", "random", "alternate", "worst"})],
        "keep": [StrOptions({"last", "average", "vote"})],
        "max_votes": [Interval(Integral, 1, None, closed="left"), None],
        "multiclass": [StrOptions({"worst", "all", "uniform", "ovr"})],
        "budget": [Interval(Integral, 1, None, closed="left"), None],
        "cache_size": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        budget: int | None = None,
        cache_size: float = 200.0,
        order: str = "auto",
        batch_size: int | str = 1,
        keep: str = "average",
        max_votes: int | None = 100,
        multiclass: str = "worst",
        max_iter: int = 3,
        tol: float | None = None,
        time_limit: float | None = None,
        fit_intercept: bool = True,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: Any = None,
        history: str = "basic",
        random_state: Any = None,
    ) -> None:
        self._store(locals())

    # Fitting

    def _fit(
        self, X: Any, y: Any, sample_weight: Any, watch: Watch | None = None, on_pass: OnPass | None = None
    ) -> KernelPerceptron:
        if watch:
            raise ValueError("A trace shows weights, and a kernel perceptron has none: trace a Perceptron instead.")
        super()._fit(X, y, sample_weight, on_pass=on_pass)
        return self

    def _refuse(self) -> None:
        if self.budget is None:
            return
        if self.keep != "last":
            raise ValueError(
                f"keep={self.keep!r} would remember every row that was ever in the support, whatever the budget: use "
                "keep='last', or budget=None."
            )
        if self.batch_size == "all" or self.batch_size > self.budget:
            raise ValueError(
                f"A batch may add all of its rows to the support, so batch_size={self.batch_size!r} must be a number not "
                f"larger than budget={self.budget}."
            )

    def _rule(self) -> Any:
        from .. import rules

        return rules.Perceptron()

    def _pace(self, X: Any, problem: Problem) -> Pace:
        from ..pace import Pace

        return Pace(1.0)

    def _problem(self, X: Any, target: np.ndarray, weight: np.ndarray, members: np.ndarray) -> Problem:
        """The rows that take part and, as many passes need them, their scores."""
        from .kernel_rows import first_rows, with_scores

        problem = first_rows(self, X, target, weight, members)
        return problem if self.budget is not None else with_scores(self, problem)

    def _begin(self, problem: Problem, rng: Any, dtype: Any, before: Any = None) -> tuple[Last, State]:
        from ..dual_votes import DualVote
        from ..keeps import KEEPS
        from ..problem import new_state

        keep = DualVote(self.max_votes) if self.keep == "vote" else KEEPS[self.keep]()
        weights, bias = np.zeros((self._n_outputs, problem.target.size)), np.zeros(self._n_outputs)
        return keep, new_state(keep.pauses, weights, bias, averages=self.keep == "average")

    def _machine(self, X: Any, problem: Problem, keep: Last, state: State) -> Dual:
        from ..bounded import Bounded
        from ..dual import Lazy, Scored
        from ..forms import FORMS

        rows = problem.members.size
        batch = int(rows if self.batch_size == "all" else min(self.batch_size, rows))
        common = FORMS[self._form](self._rule()), self._pace(X, problem), problem, keep, state, max(1, batch)
        if self.budget is not None:
            return Bounded(*common, self.budget)
        if problem.rows.sums.size:
            return Scored(*common, self.cache_size * MEGABYTE)
        return Lazy(*common)

    def _row_bytes(self, problem: Problem) -> float:
        return 0.0  # rows are read by matrix products, which fetch them as they need them

    # Results

    def _hand_back(self, problem: Problem, keep: Last, state: State) -> KernelPerceptron:
        """Set the fitted weights, and keep what predictions and ``partial_fit`` need."""
        span: Span = problem.rows
        held = np.flatnonzero(state.weights.any(axis=0))
        support = span.points.take(held)
        if self.kernel == "precomputed":  # row numbers say everything
            support = support._replace(X=support.X[:, :0])
        square = np.array([np.vdot(state.weights, span.sums[: state.bias.size])]) if span.sums.size else span.square
        if self.keep == "vote":
            self.votes_ = keep.votes(state, support.numbers)  # type: ignore[attr-defined]
            coef, intercept = self.votes_.mean()
        else:
            coef, intercept = keep.handed_back(state, span)
            coef = coef[:, held]
        if not (np.isfinite(coef).all() and np.isfinite(intercept).all()):
            raise overflow_error(None)
        dtype = support.X.dtype
        self.support_, self.support_vectors_ = support.numbers, support.X
        self.dual_coef_, self.intercept_ = coef.astype(dtype), intercept.astype(dtype)
        small = state._replace(
            weights=state.weights[:, held], debt=state.debt[:, held] if state.debt.size else state.debt
        )
        rest = span._replace(points=support, sums=np.empty((0, 0)), square=square)
        self._continue = KernelContinuation(keep, small, rest, problem.constant2, checked_parameters(self))
        return self

    def _count_errors(self, X: Any, problem: Problem) -> int:
        """Training rows that ``predict`` gets wrong; from their scores where those are kept."""
        from ..problem import SEEN

        span: Span = problem.rows
        if self.keep == "vote" or not span.sums.size:
            scores = self._decide_points(span.points)
        else:
            sums = span.sums[: self._n_outputs]
            if self.keep == "average":
                sums = sums - span.sums[self._n_outputs :] / (self._continue.state.counts[SEEN] or 1.0)
            scores = self._flat(sums.T + self.intercept_)
        return int(np.count_nonzero(self._answers(scores) != problem.target))

    def _advise(self, X: Any, problem: Problem, order: str, outcome: Outcome) -> None:
        not_there_yet(self, X, outcome)
        if self.keep == "last" and outcome.reason in ("budget", "time", "cycle"):
            remark(not_right(self, outcome, problem.members.size))

    # Learning from a stream

    @available_if(_can_stream)
    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None, extend_classes: bool = False
    ) -> KernelPerceptron:
        """Learn from these rows once, in the given order, going on from the present weights.

        ``order``, ``max_iter``, the stops and early stopping belong to ``fit``.  A batch is cut at the end of a call.
        ``gamma="scale"`` and the radius of the bias are settled by the rows of the first call.  Without a ``budget`` every
        mistake adds a row to the support for good.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The next rows.
        y : array-like of shape (n_samples,)
            Their labels.
        classes : array-like, default=None
            All labels that will ever come; needed at the first call unless ``extend_classes``.
        sample_weight : array-like of shape (n_samples,), default=None
            As in ``fit``.
        extend_classes : bool, default=False
            Admit labels that were not named before, with zero weights.

        Returns
        -------
        self
        """
        super().partial_fit(X, y, classes, sample_weight, extend_classes)
        return self

    def _dtype(self) -> Any:
        return self._continue.rows.points.X.dtype

    def _first_rows(
        self, X: Any, target: np.ndarray, weight: np.ndarray, members: np.ndarray
    ) -> tuple[Problem, Last, State]:
        from .kernel_rows import first_rows

        problem = first_rows(self, X, target, weight, members)
        return problem, *self._begin(problem, None, X.dtype)

    def _next_rows(
        self, X: Any, target: np.ndarray, weight: np.ndarray, members: np.ndarray
    ) -> tuple[Problem, Last, State]:
        from .kernel_rows import next_rows

        return next_rows(self, X, target, weight, members)

    # Using the weights

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores: ``(n_samples,)`` for two classes, positive for ``classes_[1]``; else ``(n_samples, n_classes)``.

        With ``keep="vote"`` the share of the vote: of ``classes_[1]`` minus of ``classes_[0]``, or of each class.
        With ``kernel="precomputed"``, X holds the kernel values of each row with all training rows.
        """
        check_is_fitted(self, "dual_coef_")
        return self._decide(read_X(self, X, reset=False))

    def signed_distance(self, X: Any) -> np.ndarray:
        """Distance of every phi(x) from the hyperplane of ``dual_coef_`` and ``intercept_``, positive on the side of
        ``classes_[1]``; for several classes from each class's own hyperplane.  Weights that are all zero have no
        hyperplane: everything is infinitely far on the side the intercept says, or 0 if that is zero too.
        """
        check_is_fitted(self, "dual_coef_")
        from ..kernels import weighted_sums

        if self.kernel == "precomputed":
            raise ValueError(
                "Distances need the kernel values of the support vectors, which kernel='precomputed' does not keep."
            )
        points = self._points(read_X(self, X, reset=False))
        kernel, support = self._continue.rows[:2]
        scores = self._flat(weighted_sums(kernel, self.dual_coef_, support, points) + self.intercept_)
        squares = (self.dual_coef_ * weighted_sums(kernel, self.dual_coef_, support, support).T).sum(axis=1)
        norms = np.sqrt(np.maximum(squares, 0))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(scores == 0, 0.0, scores / (norms[0] if scores.ndim == 1 else norms))

    def _decide(self, X: Any) -> np.ndarray:
        return self._decide_points(self._points(X))

    def _points(self, X: Any) -> Points:
        """Rows that are no training rows."""
        return self._continue.rows.kernel.points(X, np.full(X.shape[0], -1))

    def _decide_points(self, points: Points) -> np.ndarray:
        from ..kernels import weighted_sums

        kernel, support = self._continue.rows[:2]
        if self.keep == "vote":
            return self.votes_.shares(kernel, support, points)
        return self._flat(weighted_sums(kernel, self.dual_coef_, support, points) + self.intercept_)

    def _flat(self, scores: np.ndarray) -> np.ndarray:
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags
