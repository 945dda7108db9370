"""The perceptron in its dual form, with kernels."""

from __future__ import annotations

from copy import deepcopy
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..checks.arrays import generator, read_X, refuse_bad_values
from ..checks.sklearn_parts import Interval, StrOptions
from ..dual.budget import Bounded
from ..dual.dual_machine import DualLoop, KeptScores, Lazy, Span, square_of
from ..dual.dual_votes import BOUNDED_KEEPS, DUAL_KEEPS
from ..dual.kernels import Linear, Points, make_kernel, weighted_sums
from ..learn import rules
from ..learn.forms import FORMS
from ..learn.keeps import Last
from ..learn.learning import Outcome, RowSource
from ..learn.orders import row_numbers
from ..learn.schedule import Schedule
from ..learn.state import SEEN, Problem, State, copied, new_state
from .advice import not_right, warn
from .base import empty_keep, rows_a_step
from .classifier import LinearClassifier
from .docs import documented

MEGABYTE = 1e6


@documented
class KernelPerceptron(LinearClassifier):
    """The perceptron in its dual form: linear in the features of a kernel, without computing them.

    The weights are a sum over training rows, ``w = sum_i alpha_i y_i phi(x_i)``, and the score of a row needs only kernel
    values: ``w.phi(x) + b = sum_i alpha_i y_i k(x_i, x) + b``.  On a mistake, ``y (w.phi(x) + b) <= 0``, the row's
    ``alpha_i`` grows by 1 and ``b <- b + y R^2``, where ``R^2 = max k(x, x)`` (Aizerman, Braverman & Rozonoer 1964;
    Freund & Schapire 1999).  With the linear kernel, every step is the same as in
    ``Perceptron(intercept_scaling="radius")``.  Several classes have one sum each, like the weights of ``Perceptron``.
    With ``partial_fit``, the rows of the first call determine ``gamma="scale"`` and R; without a ``budget``, every mistake adds a
    support vector, which is never removed.

    Choose it if a straight boundary is not good enough: it trains several times as fast as a support vector machine with
    the same kernel and comes close to its accuracy (with ``keep="average"``), and with a ``budget`` it learns from a stream
    without end.  Few passes (``max_iter``) are best if classes overlap; to separate classes, allow more passes.

    Do not choose it for the linear kernel on data with more rows than columns (``Perceptron`` does the same faster), or if
    you need the largest margin or few support vectors: every row with a mistake in any pass stays a support vector.

    Parameters
    ----------
    kernel : {"linear", "poly", "rbf", "precomputed"} or function, default="rbf"
        "linear": ``x.z``; "poly": ``(gamma x.z + coef0)^degree``; "rbf": ``exp(-gamma |x - z|^2)``; "precomputed": X holds
        the kernel values themselves, of shape (n_samples, n_samples) to fit and (n_samples, n_training_samples) to
        predict; a function takes two arrays of rows and returns the values of all pairs.
    degree : int, default=3
        The degree of the kernel "poly".
    gamma : {"scale", "auto"} or float, default="scale"
        The factor gamma of the kernels "poly" and "rbf".  "scale": ``1 / (n_features * X.var())``, where a row
        of sample weight 2 counts as two rows; "auto": ``1 / n_features``.
    coef0 : float, default=0.0
        The constant of the kernel "poly".
    budget : int or None, default=None
        The largest number of support vectors.  If a mistake would exceed it, one of the others is removed, chosen uniformly
        at random (Cavallanti, Cesa-Bianchi & Gentile 2007).  ``keep`` must then be "last" or "auto" (which means "last").
    cache_size : float, default=200.0
        Memory for kernel values that later passes use again, in megabytes (``fit`` without a budget).
    {parameters}

    Attributes
    ----------
    support_ : ndarray of shape (n_support,)
        Row numbers of the support vectors, in ascending order; ``partial_fit`` counts the rows of all calls.
    support_vectors_ : array or CSR matrix of shape (n_support, n_features)
        Those rows; without columns if the kernel is precomputed.
    dual_coef_ : ndarray of shape (1, n_support) or (n_classes, n_support)
        ``alpha_i y_i``, of the weights chosen by ``keep``.  For the linear kernel the weights are
        ``dual_coef_ @ support_vectors_``.
    intercept_ : ndarray of shape (1,) or (n_classes,)
    classes_ : ndarray of shape (n_classes,)
    n_iter_ : int
        The number of passes.
    n_mistakes_ : int
        The number of mistakes in all passes; with ``multiclass="ovr"``, of all classes together.
    n_errors_ : int or None
        The number of training rows that ``predict`` gets wrong (up to rounding of scores near zero); None after
        ``partial_fit``.
    stop_reason_ : str or None
        "separated", "stable", "cycle", "no_improvement", "budget" (``max_iter`` passes), "time", "callback" or
        "interrupted"; None after ``partial_fit``.
    history_ : dict of ndarrays
        One entry for each pass; with ``partial_fit``, one for each of the last 4096 calls.
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
    dual_coef_: np.ndarray
    _share_of_lead = 1.0  # as of the perceptron
    kernel: Any
    degree: int
    gamma: float | str
    coef0: float
    budget: int | None
    cache_size: float
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
        "keep": [StrOptions({"auto", "last", "average", "vote"})],
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
        keep: str = "auto",
        max_votes: int | None = 100,
        multiclass: str = "worst",
        max_iter: int = 3,
        tol: float | None = None,
        min_progress: float | None = 0.05,
        time_limit: float | None = None,
        fit_intercept: bool = True,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        class_weight: Any = None,
        history: str = "basic",
        random_state: Any = None,
    ) -> None:
        self._take(locals())

    # Fitting

    def _refuse(self) -> None:
        if self.budget is None:
            return
        if self._remembers():
            raise ValueError(
                f"keep={self.keep!r} would need every row that was ever a support vector, which exceeds any budget: use "
                "keep='last', or budget=None."
            )
        if isinstance(self.batch_size, str) or self.batch_size > self.budget:
            raise ValueError(
                f"A batch may add all of its rows to the support vectors, so batch_size={self.batch_size!r} must be a number that is "
                f"not larger than budget={self.budget}."
            )

    def _not_in_partitions(self) -> str:
        return "its weights are sums of rows, which lie in other partitions"

    def _needs_all_rows(self) -> str:
        return "the weights of a kernel machine are a sum over rows, and every score needs these rows"

    def _keeps(self) -> dict[str, type[Last]]:
        return DUAL_KEEPS if self.budget is None else BOUNDED_KEEPS

    def _remembers(self) -> bool:
        """Whether the keep needs more than the running weights."""
        kind = self._keeps()[self.keep]
        return kind.averages or kind.remembers

    def _rule(self) -> Any:
        return rules.Perceptron()

    def _schedule(self, source: RowSource) -> Schedule:
        return Schedule(1.0)

    # Rows, and what learns from them

    def _begin(self, source: RowSource, rng: Any, before: Any = None) -> DualLoop:
        problem = source.problem = first_rows(self, source)
        keep = empty_keep(self)
        weights, bias = np.zeros((self._n_outputs, problem.target.size)), np.zeros(self._n_outputs)
        return self._dual(source, keep, new_state(keep.pauses, weights, bias, averages=keep.averages))

    def _go_on(self, source: RowSource) -> DualLoop:
        source.problem, keep, state = next_rows(self, source)
        return self._dual(source, keep, state)

    def _dual(self, source: RowSource, keep: Last, state: State) -> DualLoop:
        """What learns."""
        schedule = partial(self._schedule, source)
        common = FORMS[self._form](self._rule()), schedule, source.problem, keep, state, rows_a_step(self)
        if self.budget is not None:
            return Bounded(*common, self.budget)
        if source.problem.rows.sums.size:
            return KeptScores(*common, self.cache_size * MEGABYTE)
        return Lazy(*common)

    def _answering(self) -> KernelPerceptron:
        return self  # its weights are among what it needs to go on

    # Results

    def _count_errors(self, source: RowSource) -> int:
        """Training rows that ``predict`` gets wrong; from their scores where those are kept."""
        span: Span = source.problem.rows
        if hasattr(self, "votes_") or not span.sums.size:
            scores = self._decide_points(span.points)
        else:
            sums = span.sums[: self._n_outputs]
            if self.keep_ == "average":
                sums = sums - span.sums[self._n_outputs :] / (self._learned.state.counts[SEEN] or 1.0)
            scores = self._flat(sums.T + self.intercept_)
        return int(np.count_nonzero(self._answers(scores) != source.problem.target))

    def _advise(self, source: RowSource, outcome: Outcome) -> None:
        super()._advise(source, outcome)
        if self.keep_ == "last" and outcome.reason in ("budget", "time", "cycle", "no_progress"):
            warn(not_right(self, outcome, source.problem.members.size))

    # Using the weights

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores: for two classes one number for each row, positive for ``classes_[1]``; else one for each class.

        With ``keep="vote"``, shares of the vote: that of ``classes_[1]`` minus that of ``classes_[0]``, or that of each class.
        With ``kernel="precomputed"``, X holds the kernel values of each row with all training rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            One number for each row; for three or more classes, one for each row and class.
        """
        check_is_fitted(self, "dual_coef_")
        return self._decide(read_X(self, X, reset=False))

    def signed_distance(self, X: Any) -> np.ndarray:
        """Distance of every phi(x) from the hyperplane of the dual weights, positive on the side of ``classes_[1]``.

        Dual weights are ``dual_coef_`` and ``intercept_``.  For several classes, the distance from each class's own hyperplane.  If
        all weights are zero, there is no hyperplane: the distance is infinite, with the sign of the intercept, or 0 if that is
        zero too.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            One number for each row; for three or more classes, one for each row and class.
        """
        check_is_fitted(self, "dual_coef_")
        if self.kernel == "precomputed":
            raise ValueError(
                "Distances need the kernel values of the support vectors, which are not stored with kernel='precomputed'."
            )
        points = self._points(read_X(self, X, reset=False))
        kernel, support = self._learned.rows[:2]
        scores = self._flat(weighted_sums(kernel, self.dual_coef_, support, points) + self.intercept_)
        squares = (self.dual_coef_ * weighted_sums(kernel, self.dual_coef_, support, support).T).sum(axis=1)
        norms = np.sqrt(np.maximum(squares, 0))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(scores == 0, 0.0, scores / (norms[0] if scores.ndim == 1 else norms))

    def _decide(self, X: Any) -> np.ndarray:
        return self._decide_points(self._points(X))

    def _points(self, X: Any) -> Points:
        """Rows that are no training rows."""
        return self._learned.rows.kernel.points(X, np.full(X.shape[0], -1))

    def _decide_points(self, points: Points) -> np.ndarray:
        kernel, support = self._learned.rows[:2]
        if hasattr(self, "votes_"):
            return self.votes_.shares(kernel, support, points)
        return self._flat(weighted_sums(kernel, self.dual_coef_, support, points) + self.intercept_)

    def _flat(self, scores: np.ndarray) -> np.ndarray:
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags


# Rows in the dual form: those of a fit, and those of a stream


def first_rows(learner: KernelPerceptron, source: Any) -> Problem:
    """The rows that take part, and no others, with room for their scores if many passes need them.  They settle the kernel, with their
    sample weights as they were given, and the radius."""
    X, given, (_, target, weight, members, _) = source.X, source.weight, source.problem
    refuse_bad_values(learner, X)
    if learner.kernel == "precomputed" and X.shape[0] != X.shape[1]:
        raise ValueError(
            "kernel='precomputed' needs the kernel values of all pairs of rows, a square matrix, but X has the shape "
            f"{X.shape}."
        )
    rows = X if members.size == X.shape[0] else X[members]
    kernel = make_kernel(
        learner.kernel, learner.degree, learner.gamma, learner.coef0, rows, given[members] if given.size else given
    )
    points = kernel.points(rows, members.astype(np.intp))
    rng = generator(learner.random_state).spawn(1)[0]  # not the numbers that orders are drawn from
    sums = np.empty((0, 0))
    if not source.once and learner.budget is None:  # of an average also those of its overcount
        averages = empty_keep(learner).averages
        sums = np.zeros((learner._n_outputs * (2 if averages else 1), members.size))
    span = Span(kernel, points, sums, np.zeros(1), rng, X.shape[0])
    constant2 = radius2(kernel, points) if learner.fit_intercept else 0.0
    weight = weight[members] if weight.size else weight
    return Problem(span, target[members], weight, row_numbers(int(members.size)), constant2)


def radius2(kernel: Linear, points: Points) -> float:
    """``R^2 = max k(x, x)``, or 1 if that is zero."""
    squares = kernel.diagonal(points)
    finite = np.isfinite(squares)
    worst = int(np.argmin(finite)) if not finite.all() else int(np.argmin(squares))
    where = f"k(x, x) is {squares[worst]:.3g} in row {points.numbers[worst]}"
    if not finite.all():
        raise OverflowError(f"{where}: the values of X are too large for this kernel. Scale the columns.")
    if squares[worst] < 0:
        raise ValueError(f"{where}: a kernel has no negative k(x, x). Choose another kernel, or a coef0 >= 0.")
    return float(squares.max()) or 1.0


def next_rows(learner: KernelPerceptron, source: Any) -> tuple[Problem, Last, State]:
    """The support and, after it, the next rows of a stream, which have no weights yet; what was learned so far is copied."""
    learned, X, (_, target, weight, members, _) = learner._learned, source.X, source.problem
    state, span = learned.state, learned.rows
    points = span.points.join(span.kernel.points(X[members], span.seen + members))
    square = span.square.copy()
    if state.bias.size > len(learner.dual_coef_) == 1:  # one output became a pair
        square = np.array([square_of(span.kernel, state.weights, span.points)])
    held, new = len(span.points.numbers), members.size

    def wider(part: np.ndarray) -> np.ndarray:
        return np.concatenate([part, np.zeros((len(part), new))], axis=1)

    state = copied(state)
    state = state._replace(weights=wider(state.weights), overcount=wider(state.overcount))
    weight = np.concatenate([np.zeros(held), weight[members]]) if weight.size else weight
    target = np.concatenate([np.zeros(held, np.int32), target[members]])
    rng = span.rng if learner.budget is None else deepcopy(span.rng)
    span = span._replace(points=points, square=square, rng=rng, seen=span.seen + X.shape[0])
    return Problem(span, target, weight, held + np.arange(new), learned.constant2), learned.keep.copied(), state
