"""What all linear classifiers share: reading data, running the loop, and handing back what scikit-learn users expect.

A learner adds its parameters and ``_rule``.  Numba is imported at the first fit, not with the package.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.callback import CallbackSupportMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .advice import advice, column_sizes, is_sorted_by_class
from .callbacks import tell_callbacks
from .combinations import checked_parameters, refuse_senseless
from .inputs import generator, overflow_error, read_X, refuse_bad_values
from .start import first_weights, warm_weights
from .targets import class_numbers, find_classes, read_weights, with_class_weight
from .voting import SCORES_AT_ONCE, count_votes

if TYPE_CHECKING:
    from ..keeps import Last, Problem, State
    from ..loop import Outcome, Watch
    from ..rows import CSR, Dense

    OnPass = Callable[["LinearLearner"], bool]


def _can_stream(learner: LinearLearner) -> bool:
    if learner.keep in ("pocket", "ratchet"):
        raise AttributeError(
            f"keep={learner.keep!r} counts errors on all training rows, which partial_fit never sees together: use fit, "
            "or keep='average'."
        )
    return True


TINIEST = 1e-150  # the square of a smaller number, or of one over it, leaves the range of floats


class Continuation(NamedTuple):
    """What ``partial_fit`` needs to go on."""

    keep: Last
    state: State
    rows: Dense | CSR  # empty: their type says how the state is stored
    constant2: float
    parameters: dict[str, Any]  # as they were when last checked


class LinearLearner(ClassifierMixin, CallbackSupportMixin, BaseEstimator):
    """Base of the classifiers that learn by ``w <- w + g x``."""

    n_errors_: int | None
    stop_reason_: str | None
    _records: dict[str, list[float]]
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "order": [StrOptions({"auto", "cyclic", "shuffle", "blocks", "random", "alternate", "worst"})],
        "batch_size": [Interval(Integral, 1, None, closed="left"), StrOptions({"all"})],
        "keep": [StrOptions({"last", "average", "vote", "pocket", "run", "ratchet"})],
        "max_votes": [Interval(Integral, 1, None, closed="left"), None],
        "multiclass": [StrOptions({"worst", "all", "uniform", "ovr"})],
        "init": [StrOptions({"zeros", "ones", "random"}), "array-like"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither"), None],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
        "fit_intercept": ["boolean"],
        "intercept_scaling": [Interval(Real, 0, None, closed="neither"), StrOptions({"radius"})],
        "early_stopping": ["boolean"],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "history": [StrOptions({"basic", "full"})],
        "warm_start": ["boolean"],
        "random_state": ["random_state"],
    }

    def _rule(self, form: str) -> Any:
        """The learning rule for ``form``: "binary" or one of the multi-class forms."""
        raise NotImplementedError

    # Fitting

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearLearner:
        """Learn from all rows, pass after pass, until a stop applies.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Training rows.  C-ordered float arrays and CSR matrices are read in place.
        y : array-like of shape (n_samples,)
            Labels of any kind.
        sample_weight : array-like of shape (n_samples,), default=None
            Multiplies each row's step and counts in averages, pockets and held-out scores.  Rows of weight 0 are left
            out, as if they were not there.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight)

    def _fit(
        self, X: Any, y: Any, sample_weight: Any, watch: Watch | None = None, on_pass: OnPass | None = None
    ) -> LinearLearner:
        """Fit; ``watch`` sees every step of the loop, ``on_pass`` the learner after every pass, ready to predict."""
        refuse_senseless(self)
        before = self._forget()
        try:
            return self._learn(X, y, sample_weight, before if self.warm_start else {}, watch, on_pass)
        except BaseException:  # a fit that is refused leaves the learner as it was
            if getattr(self, "stop_reason_", None) != "interrupted":
                self._forget()
                self.__dict__.update(before)
            raise

    def _learn(
        self, X: Any, y: Any, sample_weight: Any, before: dict[str, Any], watch: Watch | None, on_pass: OnPass | None
    ) -> LinearLearner:
        from ..keeps import MISTAKES
        from ..loop import Overflow, run
        from ..orders import row_numbers

        order = self._order()
        # Where the first pass scores every row, it finds bad values: none of them hides from a score.
        scored = order not in ("random", "worst") and sample_weight is None and self.class_weight is None
        X, y = read_X(self, X, y, reset=True, finite=not scored)
        weight = read_weights(sample_weight, X)
        members = row_numbers(np.flatnonzero(weight) if weight.size else X.shape[0])
        if members.size == 0:
            raise ValueError("Every sample weight is zero: no row is left to learn from.")
        self.classes_ = find_classes(y if members.size == len(y) else y[members])
        target = np.zeros(len(y), dtype=np.int32)
        target[members] = class_numbers(y[members], self.classes_)
        given_weight, weight = weight, with_class_weight(self, weight, target, members)
        members = members[weight[members] > 0] if weight.size else members
        if self.class_weight is not None and np.unique(target[members]).size < 2:
            raise ValueError("class_weight leaves rows of one class at most: give two classes a positive weight.")
        rng = generator(self.random_state)
        members, held_out = self._split(members, target, rng)

        problem = self._problem(X, target, weight, members)
        keep, state = self._begin(problem, rng, X.dtype, before)
        hooks, end_callbacks = tell_callbacks(self, X, y, given_weight, problem, keep)
        if held_out.size:
            hooks["held_out"] = self._held_out_score(X, problem, keep, held_out)
        if on_pass:
            tell = hooks.get("after_pass", lambda state: False)
            hooks["after_pass"] = lambda state: tell(state) | on_pass(self._hand_back(problem, keep, state))
        choices = self._choices(problem, order, rng, {"watch": watch, **hooks})
        try:
            outcome = run(self._rule(self._form), problem, keep, state, choices)
        except Overflow as overflow:
            refuse_bad_values(self, X)
            raise overflow_error(overflow.row) from None
        except KeyboardInterrupt:
            self._hand_back(problem, keep, state)  # partial_fit can go on from it
            self.stop_reason_, self.n_errors_, self._records = "interrupted", None, {}
            self.n_mistakes_ = int(state.counts[MISTAKES])
            raise
        if scored and outcome.passes == 1 and outcome.reason in ("time", "callback"):
            refuse_bad_values(self, X)
        self._hand_back(problem, keep, state)
        self._report(X, problem, order, outcome)
        end_callbacks()
        return self

    def _forget(self) -> dict[str, Any]:
        """Become unfitted; return what was forgotten."""
        fitted = [name for name in vars(self) if name.endswith("_") and not name.endswith("__")]
        private = [name for name in ("_continue", "_records", "_class_counts") if name in vars(self)]
        return {name: self.__dict__.pop(name) for name in [*fitted, *private]}

    @property
    def _form(self) -> str:
        return "binary" if len(self.classes_) <= 2 else self.multiclass

    @property
    def _n_outputs(self) -> int:
        return 1 if len(self.classes_) <= 2 else len(self.classes_)

    def _split(
        self, members: np.ndarray, target: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Training rows and held-out rows, both in the data's order."""
        if not self.early_stopping:
            return members, members[:0]
        from sklearn.model_selection import train_test_split

        try:
            learn, held_out = train_test_split(
                members,
                test_size=self.validation_fraction,
                stratify=target[members],
                random_state=int(rng.integers(2**31)),
            )
        except ValueError as error:
            raise ValueError(f"early_stopping cannot hold out rows of every class: {error}") from None
        return np.sort(learn), np.sort(held_out)

    def _problem(self, X: Any, target: np.ndarray, weight: np.ndarray, members: np.ndarray) -> Problem:
        from ..keeps import Problem
        from ..rows import as_rows

        if np.all(weight == 1):
            weight = weight[:0]
        return Problem(as_rows(X, self._n_outputs), target, weight, members, self._constant2(X, members))

    def _constant2(self, X: Any, members: np.ndarray) -> float:
        """The square of the constant feature; with "radius", the largest squared norm of a row."""
        if not self.fit_intercept:
            return 0.0
        if self.intercept_scaling != "radius":
            constant = float(self.intercept_scaling)
            if not TINIEST < constant < 1 / TINIEST:
                raise ValueError(f"intercept_scaling={constant} is out of range: its square is no usable number.")
            return constant**2
        from sklearn.utils.extmath import row_norms

        squares = row_norms(X, squared=True)[members].astype(float)
        largest = float(squares.max(initial=0.0))
        if not np.isfinite(largest):
            refuse_bad_values(self, X)
        if not np.isfinite(largest) or (members.size and largest < np.finfo(float).tiny and abs(X[members]).max() > 0):
            raise OverflowError(
                "intercept_scaling='radius' needs the squared norms of the rows, and they are out of range. Scale the columns."
            )
        return largest or 1.0

    def _begin(
        self, problem: Problem, rng: np.random.Generator, dtype: Any, before: dict[str, Any] | None = None
    ) -> tuple[Last, State]:
        """The first weights and an empty keep; with a fit before, its weights."""
        from ..keeps import KEEPS, Vote
        from ..loop import new_state
        from ..rows import natural

        keep = Vote(self.max_votes) if self.keep == "vote" else KEEPS[self.keep]()
        shape = self._n_outputs, self.n_features_in_
        if before and "coef_" in before:
            coef, bias = warm_weights(before["coef_"], before["intercept_"] * (problem.constant2 > 0), shape)
        else:
            coef, bias = first_weights(self.init, *shape, problem.constant2**0.5, rng)
        weights = natural(problem.rows, coef.astype(dtype))
        return keep, new_state(keep, weights, bias.astype(dtype), averages=self.keep == "average")

    def _order(self) -> str:
        """The order that "auto" stands for, or the one asked for."""
        if self.order != "auto":
            return self.order
        if self.batch_size == "all":
            return "cyclic"
        return "random" if self.keep in ("run", "ratchet") else "shuffle"

    def _choices(self, problem: Problem, order: str, rng: np.random.Generator, hooks: dict[str, Any]) -> Any:
        from ..loop import Choices, row_values
        from ..orders import make_order

        batch = problem.members.size if self.batch_size == "all" else min(self.batch_size, problem.members.size)
        row_bytes = row_values(problem.rows, problem.members) * sum(part.itemsize for part in problem.rows[:2])
        return Choices(
            order=order,
            next_pass=make_order(order, problem.members, problem.target, row_bytes, rng),
            batch=int(batch),
            max_iter=self.max_iter,
            tol=self.tol,
            time_limit=self.time_limit,
            full_history=self.history == "full",
            patience=self.n_iter_no_change,
            **hooks,
        )

    def _held_out_score(self, X: Any, problem: Problem, keep: Last, held_out: np.ndarray) -> Any:
        """A function that scores the weights a fit would hand back now on the held-out rows."""
        apart, target = X[held_out], problem.target[held_out]
        if not np.isfinite(apart.data if sparse.issparse(apart) else apart).all():
            refuse_bad_values(self, X)
        weight = problem.weight[held_out] if problem.weight.size else np.ones(held_out.size)

        def score(state: State) -> float:
            self._hand_back(problem, keep, state)
            right = self._answers(self._decide(apart)) == target
            return float(weight @ right / weight.sum())

        return score

    # Results

    def _hand_back(self, problem: Problem, keep: Last, state: State) -> LinearLearner:
        """Set the fitted weights, and keep what ``partial_fit`` needs to go on."""
        coef, intercept = keep.handed_back(state, problem.rows)
        if not (np.isfinite(coef).all() and np.isfinite(intercept).all()):
            raise overflow_error(None)
        self.coef_, self.intercept_ = coef, intercept
        if self.keep == "vote":
            self.votes_ = keep.votes(state, problem.rows)  # type: ignore[attr-defined]
        empty = type(problem.rows)(*(part[:0].copy() for part in problem.rows))  # says how the state is stored
        self._continue = Continuation(keep, state, empty, problem.constant2, checked_parameters(self))
        return self

    def _report(self, X: Any, problem: Problem, order: str, outcome: Outcome) -> None:
        """Set what a fit says of itself, and warn where it did not separate the classes."""
        from ..cycles import read_cycle
        from ..keeps import MISTAKES

        state = self._continue.state
        self.n_iter_ = outcome.passes
        self.n_mistakes_ = int(state.counts[MISTAKES])
        self.stop_reason_ = outcome.reason
        self._records = outcome.history
        members = problem.members
        self.n_errors_ = self._count_errors(X, problem)
        if outcome.cycle is not None:
            self.cycle_ = read_cycle(outcome.cycle, X, problem.target, self._form, self.fit_intercept)
        if outcome.reason in ("budget", "time", "cycle"):
            in_sorted_order = (
                order == "cyclic" and self.batch_size != "all" and is_sorted_by_class(problem.target[members])
            )
            proved = outcome.cycle is not None and self.cycle_.proves_inseparable
            numbers = outcome.reason, outcome.passes, self.n_errors_, members.size
            text = advice(*numbers, column_sizes(X), problem.constant2**0.5, in_sorted_order, proved, self.keep)
            warnings.warn(text, ConvergenceWarning, stacklevel=6)

    def _count_errors(self, X: Any, problem: Problem) -> int:
        """Training rows that ``predict`` gets wrong, a part of the rows at a time."""
        some = max(1, SCORES_AT_ONCE // self._n_outputs)
        takes_part = np.zeros(X.shape[0], dtype=bool)
        takes_part[problem.members] = True
        errors = 0
        for part in (slice(first, first + some) for first in range(0, X.shape[0], some)):
            rows = X if some >= X.shape[0] else X[part]  # part of a sparse matrix is a copy
            wrong = self._answers(self._decide(rows)) != problem.target[part]
            errors += int(np.count_nonzero(wrong & takes_part[part]))
        return errors

    @property
    def history_(self) -> dict[str, np.ndarray]:
        """One entry a pass (with ``partial_fit``, a call): mistakes, norm of the running weights, seconds since the
        start; with ``history="full"`` also the weight of the errors, the mean loss and the smallest margin of the running
        weights; with ``early_stopping`` the held-out score."""
        if not hasattr(self, "_records"):
            raise AttributeError(f"this {type(self).__name__} is not fitted yet: history_ is made by fit.")
        return {name: np.asarray(values) for name, values in self._records.items()}

    # Learning from a stream

    @available_if(_can_stream)
    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None, extend_classes: bool = False
    ) -> LinearLearner:
        """Learn from these rows once, in the given order, going on from the present weights.

        ``order``, ``max_iter``, the stops and early stopping belong to ``fit``.  A batch is cut at the end of a call.

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
        from .streaming import learn_on

        return learn_on(self, X, y, classes, sample_weight, extend_classes)

    # Using the weights

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores: ``(n_samples,)`` for two classes, positive for ``classes_[1]``; else ``(n_samples, n_classes)``.

        With ``keep="vote"`` the share of the vote: of ``classes_[1]`` minus of ``classes_[0]``, or of each class.
        """
        check_is_fitted(self, "coef_")
        return self._decide(read_X(self, X, reset=False))

    def predict(self, X: Any) -> np.ndarray:
        """The class of every row: ``classes_[1]`` for a positive score, ``classes_[0]`` otherwise, a tie included; of
        several classes the first with the largest score."""
        scores = self.decision_function(X)
        return self.classes_[self._answers(scores)]

    def signed_distance(self, X: Any) -> np.ndarray:
        """Distance of every row from the hyperplane of ``coef_`` and ``intercept_``, positive on the side of
        ``classes_[1]``; for several classes from each class's own hyperplane.  Weights that are all zero have no
        hyperplane: everything is infinitely far on the side the intercept says, or 0 if that is zero too.
        """
        check_is_fitted(self, "coef_")
        scores = self._linear(read_X(self, X, reset=False))
        largest = np.abs(self.coef_).max(axis=1, initial=0.0)
        safe = np.where(largest > 0, largest, 1)  # keeps squares of tiny and huge weights in range
        norms = np.linalg.norm(self.coef_ / safe[:, None], axis=1)
        norms = norms[0] if scores.ndim == 1 else norms
        safe = safe[0] if scores.ndim == 1 else safe
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(scores == 0, 0.0, scores / safe / norms)

    def _linear(self, X: Any) -> np.ndarray:
        scores = safe_sparse_dot(X, self.coef_.T, dense_output=True) + self.intercept_
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def _decide(self, X: Any) -> np.ndarray:
        return count_votes(self.votes_, X) if hasattr(self, "votes_") else self._linear(X)

    def _answers(self, scores: np.ndarray) -> np.ndarray:
        """Class numbers for scores."""
        if scores.ndim == 2:
            return scores.argmax(axis=1)
        return (scores > 0).astype(np.intp) if len(self.classes_) == 2 else np.zeros(len(scores), dtype=np.intp)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
