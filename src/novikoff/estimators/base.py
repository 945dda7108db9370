"""What all linear learners share: reading data, running the loop, and handing back what scikit-learn users expect.

``LinearClassifier`` and ``LinearRegressor`` add what their targets are; a learner adds its parameters, ``_rule`` and, if its
rate is not simply ``eta``, ``_pace``.  Numba is imported at the first fit, not with the package.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.callback import CallbackSupportMixin
from sklearn.utils._param_validation import Interval, StrOptions

from ..rounding import Rounded, first_rounded
from .answers import linear_scores
from .callbacks import tell_callbacks
from .combinations import checked_parameters, refuse_senseless
from .inputs import generator, overflow_error, read_X, refuse_bad_values
from .start import first_weights, warm_weights
from .targets import read_weights

if TYPE_CHECKING:
    from ..keeps import Last
    from ..loop import Machine, Outcome, Watch
    from ..pace import Pace
    from ..problem import Problem, State
    from ..rows import CSR, Dense

    OnPass = Callable[["LinearLearner"], bool]


TINIEST = 1e-150  # the square of a smaller number, or of one over it, leaves the range of floats


class Continuation(NamedTuple):
    """What ``partial_fit`` needs to go on."""

    keep: Last
    state: State
    rows: Dense | CSR  # empty: their type says how the state is stored
    constant2: float
    parameters: dict[str, Any]  # as they were when last checked


class LinearLearner(CallbackSupportMixin, BaseEstimator):
    """Base of everything that learns by ``w <- w + eta g x``."""

    stop_reason_: str | None
    _form: str  # of ``forms.FORMS``
    _n_outputs: int
    _cycle_proves = False  # whether weights that recur may prove something
    _rounded: Rounded | None = (
        None  # of the X of a fit under way: a number that float64 cannot hold, so that nothing is proved
    )
    _records: dict[str, list[float]]
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "order": [StrOptions({"auto", "cyclic", "shuffle", "blocks", "random", "worst"})],
        "batch_size": [Interval(Integral, 1, None, closed="left"), StrOptions({"all"})],
        "keep": [StrOptions({"last", "average"})],
        "init": [StrOptions({"zeros", "ones", "random"}), "array-like"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither"), None],
        "time_limit": [Interval(Real, 0, None, closed="neither"), None],
        "fit_intercept": ["boolean"],
        "intercept_scaling": [Interval(Real, 0, None, closed="neither"), StrOptions({"radius"})],
        "early_stopping": ["boolean"],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
        "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
        "history": [StrOptions({"basic", "full"})],
        "warm_start": ["boolean"],
        "random_state": ["random_state"],
    }

    def _store(self, parameters: dict[str, Any]) -> None:
        """Keep the parameters of ``__init__``, given as its ``locals()``, under their names."""
        self.__dict__.update({name: value for name, value in parameters.items() if name not in ("self", "__class__")})

    def _rule(self) -> Any:
        """The learning rule."""
        raise NotImplementedError

    def _pace(self, X: Any, problem: Problem) -> Pace:
        """The rate of its steps."""
        from ..pace import Pace

        return Pace(float(self.eta))

    def _refuse(self) -> None:
        """Refuse choices of its own that contradict each other, each with the reason."""

    def _inspect(self, X: Any, problem: Problem) -> None:
        """Look at the data before learning, and raise where they must not be learned from."""

    # What targets are: for classifiers class numbers, for regressors real numbers

    def _read_targets(
        self, y: np.ndarray, weight: np.ndarray, members: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Targets as kernels read them, the weights of their rows, and the rows that take part."""
        raise NotImplementedError

    def _quality(self, scores: np.ndarray, target: np.ndarray, weight: np.ndarray) -> float:
        """How good scores are; more is better."""
        raise NotImplementedError

    def _decide(self, X: Any) -> np.ndarray:
        """Scores as ``decision_function`` or ``predict`` hands them out."""
        return self._linear(X)

    def _note_counts(self, state: State) -> None:
        """Set what ``partial_fit`` counts."""

    def _report_targets(self, X: Any, problem: Problem, order: str, outcome: Outcome) -> None:
        """Set what a fit says of its targets, and warn where it should."""

    # Fitting

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearLearner:
        """Learn from all rows, pass after pass, until a stop applies.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Training rows.  C-ordered float arrays and CSR matrices are read in place.
        y : array-like of shape (n_samples,)
            Labels of any kind; for a regressor, numbers.
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
            self._rounded = self._rounded or first_rounded(X)  # who read X from a file may know of one
            return self._learn(X, y, sample_weight, before if self.warm_start else {}, watch, on_pass)
        except BaseException:  # a fit that is refused leaves the learner as it was
            if getattr(self, "stop_reason_", None) != "interrupted":
                self._forget()
                self.__dict__.update(before)
            raise
        finally:
            self.__dict__.pop("_rounded", None)

    def _learn(
        self, X: Any, y: Any, sample_weight: Any, before: dict[str, Any], watch: Watch | None, on_pass: OnPass | None
    ) -> LinearLearner:
        from ..loop import Overflow
        from ..orders import row_numbers

        order = self._order()
        # Where the first pass scores every row, it finds bad values: none of them hides from a score.
        left_out = sample_weight is not None or getattr(self, "class_weight", None) or self.early_stopping
        scored = order not in ("random", "worst") and not left_out
        X, y = read_X(self, X, y, reset=True, finite=not scored)
        given_weight = read_weights(sample_weight, X)
        members = row_numbers(np.flatnonzero(given_weight) if given_weight.size else X.shape[0])
        if members.size == 0:
            raise ValueError("Every sample weight is zero: no row is left to learn from.")
        target, weight, members = self._read_targets(y, given_weight, members)
        rng = generator(self.random_state)
        members, held_out = self._split(members, target, rng)

        problem = self._problem(X, target, weight, members)
        self._inspect(X, problem)
        keep, state = self._begin(problem, rng, X.dtype, before)
        hooks, end_callbacks = tell_callbacks(self, X, y, given_weight, lambda: self._hand_back(problem, keep, state))
        if held_out.size:
            apart = X[held_out], target[held_out], weight[held_out] if weight.size else np.ones(held_out.size)
            hooks["held_out"] = self._held_out_score(*apart, lambda: self._hand_back(problem, keep, state))
        if on_pass:
            tell = hooks.get("after_pass", lambda: False)
            hooks["after_pass"] = lambda: tell() | on_pass(self._hand_back(problem, keep, state))
        machine = self._machine(X, problem, keep, state)
        try:
            outcome = self._solve(X, machine, self._choices(problem, order, rng, {"watch": watch, **hooks}))
        except Overflow as overflow:
            refuse_bad_values(self, X)
            raise self._explain_overflow(X, problem, overflow.row) from None
        except KeyboardInterrupt:
            self._hand_back(problem, keep, state)  # partial_fit can go on from it
            self.stop_reason_, self._records = "interrupted", {}
            self._note_counts(state)
            raise
        if scored and outcome.passes == 1 and outcome.reason in ("time", "callback"):
            refuse_bad_values(self, X)
        self._hand_back(problem, keep, state)
        self.n_iter_ = outcome.passes
        self.stop_reason_ = outcome.reason
        self._records = outcome.history
        self._report_targets(X, problem, order, outcome)
        end_callbacks()
        return self

    def _forget(self) -> dict[str, Any]:
        """Become unfitted; return what was forgotten."""
        fitted = [name for name in vars(self) if name.endswith("_") and not name.endswith("__")]
        private = [name for name in ("_continue", "_records", "_class_counts", "_reach") if name in vars(self)]
        return {name: self.__dict__.pop(name) for name in [*fitted, *private]}

    def _split(
        self, members: np.ndarray, target: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Training rows and held-out rows, both in the data's order."""
        if not self.early_stopping:
            return members, members[:0]
        from sklearn.model_selection import train_test_split

        labels = target[members] if target.dtype.kind == "i" else None
        try:
            learn, held_out = train_test_split(
                members, test_size=self.validation_fraction, stratify=labels, random_state=int(rng.integers(2**31))
            )
        except ValueError as error:
            what = "rows" if labels is None else "rows of every class"
            raise ValueError(f"early_stopping cannot hold out {what}: {error}") from None
        return np.sort(learn), np.sort(held_out)

    def _problem(self, X: Any, target: np.ndarray, weight: np.ndarray, members: np.ndarray) -> Problem:
        from ..problem import Problem
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
        from ..problem import new_state
        from ..rows import natural

        keep = Vote(self.max_votes) if self.keep == "vote" else KEEPS[self.keep]()
        shape = self._n_outputs, self.n_features_in_
        if before and "coef_" in before:
            coef, bias = np.atleast_2d(before["coef_"]), before["intercept_"]
            coef, bias = warm_weights(coef, bias * (problem.constant2 > 0), shape)
        else:
            coef, bias = first_weights(self.init, *shape, problem.constant2**0.5, rng)
        weights = natural(problem.rows, coef.astype(dtype))
        return keep, new_state(keep.pauses, weights, bias.astype(dtype), averages=self.keep == "average")

    def _machine(self, X: Any, problem: Problem, keep: Last, state: State) -> Machine:
        from ..forms import FORMS
        from ..loop import Machine

        rows = problem.members.size
        batch = rows if self.batch_size == "all" else min(self.batch_size, rows)
        return Machine(FORMS[self._form](self._rule()), self._pace(X, problem), problem, keep, state, int(batch))

    def _solve(self, X: Any, machine: Machine, choices: Any) -> Outcome:
        """Learn."""
        from ..loop import run

        return run(machine, choices)

    def _order(self) -> str:
        """The order that "auto" stands for, or the one asked for."""
        if self.order != "auto":
            return self.order
        if self.batch_size == "all":
            return "cyclic"
        return "random" if self.keep in ("run", "ratchet") else "shuffle"

    def _dtype(self) -> Any:
        """The type of numbers that learning goes on with."""
        return self.coef_.dtype

    def _first_rows(
        self, X: Any, target: np.ndarray, weight: np.ndarray, members: np.ndarray
    ) -> tuple[Problem, Last, State]:
        """The first rows of a stream as kernels read them, an empty keep, and the first weights."""
        from ..problem import Problem
        from ..rows import as_rows

        problem = Problem(as_rows(X, self._n_outputs), target, weight, members, self._constant2(X, members))
        return problem, *self._begin(problem, generator(self.random_state), X.dtype)

    def _next_rows(
        self, X: Any, target: np.ndarray, weight: np.ndarray, members: np.ndarray
    ) -> tuple[Problem, Last, State]:
        """The next rows, and what the stream has learned so far."""
        from ..problem import Problem, State, fit_to_rows
        from ..rows import as_rows

        rows = as_rows(X, self._n_outputs)
        keep, state, before_rows, constant2, _ = self._continue
        if not state.weights.flags.writeable:  # as memory-mapped files are
            weights, bias, debt, bias_debt, counts = (np.array(part) for part in state[:5])
            state = State(weights, bias, debt, bias_debt, counts, state.pauses)
        return Problem(rows, target, weight, members, constant2), keep, fit_to_rows(state, before_rows, rows)

    def _choices(self, problem: Problem, order: str, rng: np.random.Generator, hooks: dict[str, Any]) -> Any:
        from ..loop import Choices
        from ..orders import make_order

        return Choices(
            order=order,
            next_pass=make_order(order, problem.members, problem.target, self._row_bytes(problem), rng),
            max_iter=self.max_iter,
            tol=self.tol,
            time_limit=self.time_limit,
            full_history=self.history == "full",
            cycle_proves=self._cycle_proves,
            patience=self.n_iter_no_change,
            **hooks,
        )

    def _row_bytes(self, problem: Problem) -> float:
        """Memory that a row takes, on the average."""
        from ..problem import row_values

        return row_values(problem.rows, problem.members) * sum(part.itemsize for part in problem.rows[:2])

    def _held_out_score(self, apart: Any, target: np.ndarray, weight: np.ndarray, hand_back: Callable[[], Any]) -> Any:
        """A function that scores the weights a fit would hand back now on rows held out."""

        def score() -> float:
            hand_back()
            return self._quality(self._decide(apart), target, weight)

        return score

    def _explain_overflow(self, X: Any, problem: Problem, row: int) -> OverflowError:
        """The error to raise when the score of a row is no longer finite."""
        return overflow_error(row)

    # Results

    def _hand_back(self, problem: Problem, keep: Last, state: State) -> LinearLearner:
        """Set the fitted weights, and keep what ``partial_fit`` needs to go on."""
        coef, intercept = keep.handed_back(state, problem.rows)
        if not (np.isfinite(coef).all() and np.isfinite(intercept).all()):
            raise overflow_error(None)
        self.coef_, self.intercept_ = coef, intercept
        empty = type(problem.rows)(*(part[:0].copy() for part in problem.rows))  # says how the state is stored
        self._continue = Continuation(keep, state, empty, problem.constant2, checked_parameters(self))
        return self

    @property
    def history_(self) -> dict[str, np.ndarray]:
        """One entry a pass (with ``partial_fit``, a call, of which the last 4096 are kept): mistakes (of classifiers), norm of the
        running weights, seconds since the start; with ``history="full"`` also the mean loss and, of classifiers, the weight
        of the errors and the smallest margin of the running weights; with ``early_stopping`` the held-out score."""
        if not hasattr(self, "_records"):
            raise AttributeError(f"this {type(self).__name__} is not fitted yet: history_ is made by fit.")
        return {name: np.asarray(values) for name, values in self._records.items()}

    _linear = linear_scores

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
