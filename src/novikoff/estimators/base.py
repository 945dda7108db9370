"""What all linear learners share: ``fit``, and how a learner's parameters become a learning.

``LinearClassifier`` and ``LinearRegressor`` add what their targets are; a learner adds its parameters, ``_rule`` and, if its
rate is not simply ``eta``, ``_schedule``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import is_regressor
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import column_or_1d

from ..checks.arrays import DTYPES, generator, overflow_error, read_weights, read_X, refuse_bad_values
from ..checks.rounding import Rounded, first_rounded
from ..checks.sklearn_parts import (
    CALLBACKS,
    BaseEstimator,
    CallbackSupportMixin,
    Interval,
    StrOptions,
    check_values,
    fit_context,
    open_callbacks,
)
from ..learn.forms import FORMS
from ..learn.keeps import KEEPS, Last, new_keep
from ..learn.learning import (
    AsGiven,
    InMemory,
    Learned,
    Learning,
    LoopState,
    Outcome,
    Overflow,
    Part,
    Plan,
    RowSource,
    Watch,
    new_machine,
    next_machine,
)
from ..learn.orders import NEEDS_ALL_ROWS, REPEATING
from ..learn.schedule import Schedule
from ..learn.state import SEEN
from ..learn.stops import FOR_EVER, AllRight, CutShort, NoImprovement, NoProgress, Recurred, StandStill, Stop
from ..report.fit_sentences import shown_fit
from ..system.backends import backend_of
from ..system.clock import Clock
from .advice import not_there_yet, said_here
from .solver_or_steps import PASSES, asks_for_steps, defaults, refuse_steps

OnPass = Callable[["LinearLearner"], bool]
MOST_CALLS = 4096  # of ``partial_fit``, in the history
# What cannot change once learning has begun.
SETTLED = ("keep", "max_votes", "fit_intercept", "intercept_scaling", "kernel", "degree", "gamma", "coef0", "budget")
FITTED = ("coef_", "intercept_", "votes_", "classes_", "dual_coef_", "_learned")  # what predicting needs


class ShownFit(BaseEstimator):
    """An estimator that knows what other libraries call its parameters, and whose fit is summed up where a notebook shows it.  In a
    pipeline, its picture stays scikit-learn's."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]]

    def __new__(cls, *arguments: Any, **parameters: Any) -> Self:
        for name in parameters:
            if name not in cls._parameter_constraints and (said := said_here(cls, name)):
                raise TypeError(f"{cls.__name__}() got an unexpected keyword argument {name!r}. {said}")
        return super().__new__(cls)

    def _validate_params(self) -> None:
        """Refuse parameters that are none of their kind.  Those that are as they are by default are right: looking at each takes longer than a small fit."""
        kind: Any = type(self)
        usual, allowed = defaults(kind), self._parameter_constraints
        given = {name: getattr(self, name) for name in allowed}
        changed = {name: value for name, value in given.items() if value is not usual.get(name, allowed)}
        check_values(allowed, changed, caller_name=type(self).__name__)

    def _take(self, given: dict[str, Any]) -> None:
        """Set the parameters as they were given: ``given`` are the ``locals()`` of ``__init__``, which names each of them."""
        vars(self).update({name: value for name, value in given.items() if name in self._parameter_constraints})

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters; a name that only another library has gets an error that says what to use here.

        Parameters
        ----------
        **parameters : dict
            Parameters by name.

        Returns
        -------
        self
        """
        for name in parameters:
            if said := said_here(type(self), name):
                raise ValueError(f"Invalid parameter {name!r} for estimator {self}. {said}")
        return super().set_params(**parameters)

    def _html_repr(self) -> str:
        return super()._html_repr() + (shown_fit(self) if hasattr(self, "stop_reason_") else "")


class LinearLearner(CallbackSupportMixin, ShownFit):
    """Base of everything that learns by ``w <- w + eta g x``."""

    # Parameters; each learner's ``__init__`` has those that it offers.
    eta: Any
    order: str
    batch_size: Any
    keep: str
    max_votes: int | None
    init: Any
    max_iter: int | None  # None, of those that can be solved: so many as passes, or iterations, have by default
    tol: float | None
    min_progress: float | None
    time_limit: float | None
    fit_intercept: bool
    intercept_scaling: Any
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    class_weight: Any
    history: str
    warm_start: bool
    random_state: Any

    classes_: np.ndarray  # of classifiers
    intercept_: np.ndarray
    stop_reason_: str | None
    keep_: str
    proof_: Any
    _form: str  # of ``forms.FORMS``
    _n_outputs: int
    _learned: Learned
    _solve: Any = None  # of a learning, what solves for its rows; None: it learns by steps alone
    _rounded: Rounded | str | None = None  # of a file that X was read from: a number that float64 cannot hold
    _column_names: Any = (
        None  # of the table that X was made of, for messages; None: ``feature_names_in_``, or x0, x1, ...
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "order": [StrOptions({"auto", "cyclic", "shuffle", "blocks", "random", "worst"})],
        "batch_size": [Interval(Integral, 1, None, closed="left"), StrOptions({"all"})],
        "keep": [StrOptions({"auto", "last", "average"})],
        "init": [StrOptions({"zeros", "ones", "random"}), "array-like"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="neither"), None],
        "min_progress": [Interval(Real, 0, 1, closed="neither"), None],
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

    # What a learner says of itself

    def _rule(self) -> Any:
        """The learning rule."""
        raise NotImplementedError

    def _keeps(self) -> dict[str, type[Last]]:
        """Keeps by name."""
        return KEEPS

    def _schedule(self, source: RowSource) -> Schedule:
        """The rate of its steps."""
        return Schedule(float(self.eta))

    @property
    def _rate_from_rows(self) -> bool:
        """Whether the rate may depend on rows: so it may if a learner overrides ``_schedule``, unless it says otherwise."""
        return type(self)._schedule is not LinearLearner._schedule

    @property
    def _most_passes(self) -> int:
        """How many passes steps may take."""
        return int(self.max_iter or PASSES)

    def _refuse(self) -> None:
        """Raise an error, with the reason, if parameters of this learner contradict each other."""

    def _needs_all_rows(self) -> str:
        """Why it cannot learn from rows that come part by part; empty if it can."""
        return ""

    def _not_in_partitions(self) -> str:
        """Why weights that partitions learn, and that are mixed, would not be its own; empty if they are."""
        keep = self._keeps()[self.keep]
        if keep.by_vote:
            return f"keep={self.keep!r} lets every weight vector of the fit vote, and partitions learn weights that are mixed after each pass"
        if keep.needs_random_order:
            return (
                f"keep={self.keep!r} goes by runs of right answers of the same weights, and partitions have their own"
            )
        if order_meant(self) == "worst":
            return "order='worst' looks at all rows before every update"
        if not getattr(self._rule(), "mixes", True):
            return "its rule keeps a memory beside the weights, for which no way to mix is known"
        return (
            "" if not asks_for_steps(self) and getattr(self, "on_separation", "") != "raise" else self._needs_all_rows()
        )

    def _inspect(self, source: RowSource) -> None:
        """Look at the data before learning, and raise where they must not be learned from."""

    def _confirm_cycle(self, source: RowSource) -> Callable[[np.ndarray], bool] | None:
        """Whether the steps of a round, added up for each row, are those of a cycle; None: they are not needed."""
        return None

    def _prover(self, source: RowSource) -> Callable[[], Any] | None:
        """What finds out whether the classes are separable, where no progress is made; None: that says nothing of it."""
        return None

    def _advise(self, source: RowSource, outcome: Outcome) -> None:
        """Warn where the fit did not do what was asked of it."""
        not_there_yet(self, source.X, outcome)

    def _explain_overflow(self, source: RowSource, row: int) -> OverflowError:
        """The error to raise when the score of a row is no longer finite."""
        return overflow_error(row)

    # What it answers; targets are class numbers of classifiers, real numbers of regressors

    def _predicted(self, X: Any) -> np.ndarray:
        """What it answers, as targets are stored."""
        return self._decide(X)

    def _decide(self, X: Any) -> np.ndarray:
        """Scores as ``decision_function`` or ``predict`` hands them out."""
        return self._linear(X)

    def _linear(self, X: Any) -> np.ndarray:
        return linear_scores(self, X)

    def _answering(self) -> LinearLearner:
        """The same without what it needs to go on learning: what is sent to those who ask it."""
        return answering(self)

    # Fitting

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearLearner:
        """Learn from all rows, in one or more passes, until a stop applies.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Training rows.  C-ordered float arrays and CSR matrices are read in place.  Dask collections are learned from
            in their partitions (``distributed.fit``).
        y : array-like of shape (n_samples,)
            Labels of any type; for a regressor, real numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            Multiplies the step of each row; also used in averages, error counts and scores on held-out rows.  Rows of weight
            0 are left out, as if they were not there.

        Returns
        -------
        self
        """
        backend = backend_of(X)
        if backend is not None:
            return backend.fit(self, X, y, sample_weight)
        return fit_in_memory(self, X, y, sample_weight)

    def _hand_back(self, learning: Learning) -> LinearLearner:
        """Set what was learned so far, and keep what is needed to go on."""
        machine, learned = learning.machine, self._learned
        learned.parameters = checked_parameters(self)
        solved = not machine.state.counts[SEEN]  # at once, without a step that others could be kept of
        self.keep_ = "last" if solved else machine.keep.stands_for(learning.reason) or self.keep
        fitted, learned.state, learned.rows = machine.handed_back(learning.reason)
        learned.keep, learned.constant2, learned.history = (
            machine.keep.alone(),
            machine.problem.constant2,
            learning.history,
        )
        learned.landmark = learning.landmark()
        self.__dict__.update(fitted)
        self.n_iter_, self.stop_reason_ = learning.passes, learning.reason or None
        return self

    def _report(self, source: RowSource, outcome: Outcome) -> None:
        """Say what became of a fit."""
        self._advise(source, outcome)

    # Rows, and what learns from them; the dual form has others

    def _know_classes(self, source: RowSource, named: Any = None) -> tuple[np.ndarray | None, np.ndarray]:
        """The classes, None if targets are numbers, and what the weights of their rows are multiplied by."""
        return None, np.empty(0)

    def _begin(self, source: RowSource, rng: np.random.Generator, before: dict[str, Any] | None = None) -> LoopState:
        """What learns from the first rows, from the weights of a fit ``before`` if there was one."""
        form, kind = FORMS[self._form](self._rule()), self._keeps()[self.keep]
        return new_machine(self, form, partial(self._schedule, source), kind, source, rng, before)

    def _go_on(self, source: RowSource) -> LoopState:
        """What learns from the next rows, from a copy of what was learned so far."""
        form = FORMS[self._form](self._rule())
        return next_machine(self._learned, form, partial(self._schedule, source), source)

    # Results

    @property
    def history_(self) -> dict[str, np.ndarray]:
        """One entry for each pass; with ``partial_fit``, one for each of the last 4096 calls.

        Mistakes (only classifiers), norm of the running weights, seconds since the start; with ``history="full"`` also the mean
        loss and, for classifiers, the total weight of the errors and the smallest margin of the running weights; with
        ``early_stopping`` the score on the held-out rows.
        """
        if not hasattr(self, "_learned"):
            raise AttributeError(f"this {type(self).__name__} is not fitted yet: call fit first.")
        return {name: np.asarray(values) for name, values in self._learned.history.items()}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def answering(learner: Any, names: bool = True) -> Any:
    """A learner that can answer, without what it needs to go on learning; ``names``: with the names of its columns."""
    left_out = () if names else ("feature_names_in_",)
    sent = object.__new__(type(learner))
    sent.__dict__.update(
        {name: value for name, value in vars(learner).items() if not name.startswith("_") and name not in left_out}
    )
    return sent


def linear_scores(model: Any, X: Any) -> np.ndarray:
    """``w.x + b`` of every row, for every output if there are several."""
    coef = model.coef_ if model.coef_.ndim == 2 else model.coef_[None]
    scores = safe_sparse_dot(X, coef.T, dense_output=True) + model.intercept_
    return scores[:, 0] if scores.shape[1] == 1 else scores


def rows_a_step(learner: LinearLearner) -> int:
    """The rows of a batch, all of them if there are no more."""
    return sys.maxsize if learner.batch_size == "all" else int(learner.batch_size)


# What rooms above may ask


def learned_by(learner: Any) -> Learned:
    """All that it needs to go on."""
    found: Learned = learner._learned
    return found


# What a fitted model remembers beside its public attributes, after a dot a part of it, by the names that files have for it.
REMEMBERED = {
    "stream": "_learned",
    "records": "_learned.history",
    "class_counts": "_learned.class_counts",
    "reach": "_learned.reach",
    "landmark": "_learned.landmark",
    "last_solution": "_last",
    "fitted_kernel": "_kernel",
    "support_points": "_support",
}


def remembered(model: Any) -> dict[str, Any]:
    """All that a model has, by the names that files have for it."""
    found = dict(vars(model))
    for name, (owner, _, part) in {name: place.partition(".") for name, place in REMEMBERED.items()}.items():
        if owner in vars(model):
            found[name] = getattr(vars(model)[owner], part) if part else found.pop(owner)
    return found


def remember(model: Any, name: str, value: Any) -> None:
    """Set one of these."""
    owner, _, own = REMEMBERED.get(name, name).rpartition(".")
    setattr(getattr(model, owner) if owner else model, own, value)


def rule_of(learner: Any) -> Any:
    """The rule that it learns by."""
    return learner._rule()


def form_of(learner: Any) -> str:
    """Its form, of ``forms.FORMS``; it knows its classes."""
    return str(learner._form)


def note_rounded(learner: Any, text: str) -> None:
    """Have its next fit know of a number of the file that X was read from, which float64 cannot hold: nothing is proved then."""
    learner._rounded = text


def empty_keep(learner: Any) -> Any:
    """Its keep, which remembers nothing yet."""
    return new_keep(learner._keeps()[learner.keep], learner)


def most_passes(learner: Any) -> int:
    """How many passes its steps may take."""
    return int(learner._most_passes)


def class_answers(learner: Any, X: Any, scores: np.ndarray | None = None) -> np.ndarray:
    """What ``predict`` answers, as places in ``classes_``: texts are slow to compare, and each takes as much as the longest.  ``scores``:
    those of X, if they are known."""
    if hasattr(learner, "_answers"):
        return np.asarray(learner._answers(learner.decision_function(X) if scores is None else scores))
    return np.asarray(np.searchsorted(learner.classes_, learner.predict(X)))


# Which parameters go together


def check_parameters(learner: Any) -> None:
    """Raise an error, with the reason, if a parameter is none of its kind, as ``fit`` does."""
    learner._validate_params()


def check(learner: Any) -> None:
    """The same if parameters contradict each other, too."""
    check_parameters(learner)
    if isinstance(learner, LinearLearner):
        check_compatible(learner)


def check_compatible(learner: Any) -> None:
    """Raise an error, with the reason, if parameters contradict each other."""
    order, batch, keep = learner.order, learner.batch_size, learner.keep
    kind = learner._keeps()[keep]
    if kind.needs_random_order and order not in ("auto", "random"):
        raise ValueError(
            f"keep={keep!r} measures weights by their run of correct predictions on rows drawn at random, so it cannot be used "
            f"with order={order!r}: use order='random' or 'auto'."
        )
    if kind.needs_single_rows and batch != 1:
        raise ValueError(f"keep={keep!r} counts single rows between two updates, so it needs batch_size=1.")
    if batch == "all" and order not in ("auto", "cyclic"):
        raise ValueError(
            f"batch_size='all' uses all rows at once, so order={order!r} has no meaning: use order='auto' or 'cyclic'."
        )
    if order == "worst" and batch != 1:
        raise ValueError("order='worst' searches for the worst row after every update, so it needs batch_size=1.")
    if getattr(learner, "solver", "steps") not in ("auto", "steps"):
        refuse_steps(learner)
    learner._refuse()


def order_meant(learner: Any) -> str:
    """The order that "auto" stands for, or the one asked for."""
    if learner.order != "auto":
        return learner.order
    if learner.batch_size == "all":
        return "cyclic"
    return "random" if KEEPS[learner.keep].needs_random_order else "shuffle"


def checked_parameters(learner: Any) -> dict[str, Any]:
    """The learner's parameters, to see later whether one was changed."""
    values = vars(learner)
    return {name: values[name] for name in learner._parameter_constraints}


def check_again(learner: Any) -> None:
    """Check parameters that were changed since; refuse those that cannot change while learning goes on."""
    values, before = vars(learner), learner._learned.parameters
    changed = [name for name, value in before.items() if values[name] is not value]
    if not changed:
        return
    for name in SETTLED:
        if values.get(name) != before.get(name):
            raise ValueError(
                f"{name} cannot change between calls of partial_fit: call fit, or set it back to {before[name]!r}."
            )
    check(learner)


def needs_all_rows(learner: Any) -> str:
    """Why a learner cannot learn from rows that come part by part; empty if it can."""
    name = type(learner).__name__
    if not isinstance(learner, LinearLearner):
        return f"{name} uses all rows at once, so it needs all of them in memory."
    keep, order = KEEPS[learner.keep], order_meant(learner)
    why = learner._needs_all_rows()
    if keep.needs_random_order:
        why = why or f"keep={learner.keep!r} asks for rows drawn at random, each from anywhere in the data"
    elif keep.needs_all_rows:
        why = why or f"keep={learner.keep!r} counts the errors of all rows before every update"
    elif order in NEEDS_ALL_ROWS:
        why = why or f"order={order!r} {NEEDS_ALL_ROWS[order]}"
    return f"{why}, so {name} needs all rows in memory." if why else ""


def refuse_for_partitions(learner: Any) -> None:
    """Refuse what cannot learn from rows in partitions, with the reason."""
    name = type(learner).__name__
    if not hasattr(learner, "_not_in_partitions"):
        raise ValueError(f"{name} needs all rows at once: it cannot learn from partitions yet. Fit it in memory.")
    check(learner)
    why = learner._not_in_partitions()
    if why:
        raise ValueError(f"{name} cannot learn from partitions: {why}.")


def has_loop(learner: Any) -> bool:
    """Whether it learns by the loop, or is solved for by its driver."""
    return isinstance(learner, LinearLearner)


def solved_for(learner: Any, shape: tuple[int, int], compressed: bool, outputs: int) -> bool:
    """Whether rows in partitions are solved for, as far as that is known before anybody has counted the values of sparse (``compressed``) ones."""
    return not asks_for_steps(learner) and (learner.solver != "auto" or learner._is_quick(shape, compressed, outputs))


def advise(learner: Any, source: RowSource, outcome: Outcome) -> None:
    """Warn where the fit did not do what was asked of it."""
    learner._advise(source, outcome)


@contextmanager
def named_columns(learner: Any, names: Any) -> Iterator[None]:
    """Within it, the learner's messages name the columns so: those of the table that X was made of; None: as X names them."""
    learner._column_names = names
    try:
        yield
    finally:
        learner.__dict__.pop("_column_names", None)


# Learning: from rows in memory, from the rows of a call, from any other source


def fit_in_memory(
    learner: Any, X: Any, y: Any, sample_weight: Any, watch: Watch | None = None, on_pass: OnPass | None = None
) -> Any:
    """Fit; ``watch`` sees every step of the loop, ``on_pass`` the learner after every pass, ready to predict."""
    check_compatible(learner)
    try:
        with fitted_anew(learner) as before:
            # Where the first pass scores every row, it finds bad values: none of them hides from a score.
            left_out = sample_weight is not None or getattr(learner, "class_weight", None) or learner.early_stopping
            scored = not left_out and order_meant(learner) not in ("random", "worst")
            read, y = read_X(learner, X, y, reset=True, finite=not scored)
            source = InMemory(read, y, read_weights(sample_weight, read), X)
            if not source.rows:
                raise ValueError("Every sample weight is zero: no row is left to learn from.")
            outcome = learn(learner, source, before, watch=watch, on_pass=on_pass)
            if scored and outcome.passes == 1 and outcome.reason in ("time", "callback"):
                refuse_bad_values(learner, read)
            learner._report(source, outcome)
        return learner
    finally:
        learner.__dict__.pop("_rounded", None)


def fit_parts(learner: Any, source: Any, most: int, *, go_on: bool = False, on_pass: OnPass | None = None) -> None:
    """Learn from rows that come part by part, until ``most`` passes are made or a stop applies; ``go_on``: from what the learner
    has learned."""
    refused = needs_all_rows(learner)
    if refused:
        raise ValueError(refused)
    if go_on and learner.stop_reason_ in FOR_EVER:
        return
    check(learner)
    if go_on:
        check_again(learner)
    with as_before_an_error(learner) if go_on else fitted_anew(learner) as before:
        learner.n_features_in_ = source.columns
        outcome = learn(learner, source, before, on_pass=on_pass, most=most)
    not_there_yet(learner, None, outcome)


def learn_on(learner: Any, X: Any, y: Any, sample_weight: Any, named: Any = None) -> Any:
    """One pass over these rows, in the given order, from the present weights: see ``partial_fit``.  ``named``: what reads the classes
    of this call.  A call that raises, also by Ctrl-C, leaves the learner as it was, so that it can be repeated."""
    with as_before_an_error(learner):
        first = not learner._learned.begun
        if first:
            check(learner)
            if named is not None:
                named.refuse_first()
        else:
            check_again(learner)
        X, y = _read_next(learner, X, y, first)
        learn(learner, AsGiven(X, y, read_weights(sample_weight, X)), named=named)
        learner.stop_reason_ = None
    for values in learner._learned.history.values():
        del values[:-MOST_CALLS]
    return learner


def _read_next(learner: Any, X: Any, y: Any, first: bool) -> tuple[Any, np.ndarray]:
    """Checked X and y of a call.  A plain array like the ones before, as streams send them one by one, takes a short cut that
    leaves no check out."""
    if (
        not first
        and type(X) is np.ndarray
        and X.dtype == learner.intercept_.dtype
        and X.ndim == 2
        and X.shape[1] == learner.n_features_in_
        and X.flags.c_contiguous
        and not hasattr(learner, "feature_names_in_")
        and type(y) in (np.ndarray, list)
        and len(y) == len(X) > 0
        and np.isfinite(X).all()
    ):
        y = np.asarray(y)
        if y.ndim == 1 and (hasattr(learner, "classes_") or (y.dtype.kind in "fiu" and np.isfinite(y).all())):
            return X, y
    X, y = read_X(learner, X, y, reset=first, dtype=DTYPES if first else learner.intercept_.dtype)
    return X, column_or_1d(y)


def learn(
    learner: Any,
    source: RowSource,
    before: dict[str, Any] | None = None,
    *,
    named: Any = None,
    watch: Watch | None = None,
    on_pass: OnPass | None = None,
    most: int | None = None,
) -> Outcome:
    """Learn from any source until a stop applies, and set the attributes: from the weights of a fit ``before`` with ``warm_start``, from
    what the learner remembers if it has begun, else from the first weights.

    Classes, their weights, rows held out, the constant feature, what learns, who is told: all that comes before the passes and
    after them is here, whatever has the rows.
    """
    learned: Learned = learner._learned
    history = learned.history
    rng = None if source.once and learned.begun else generator(learner.random_state)
    clock = Clock(None if source.once else learner.time_limit, history["seconds"][-1] if history else 0.0)
    classes, factors = learner._know_classes(source, named)
    all_rows = learner.batch_size == "all"
    share = learner.validation_fraction if learner.early_stopping and not source.once else 0.0
    how = learner._n_outputs, order_meant(learner), rows_a_step(learner), all_rows
    source.settle(Plan(*how, classes, factors, share), rng)
    if getattr(learner, "stop_reason_", None) in FOR_EVER:  # a file says that all was learned
        return Outcome(learner.stop_reason_, learner.n_iter_)
    if learned.begun:
        machine = learner._go_on(source)
    else:
        if not source.once:
            learner._inspect(source)
        machine = learner._begin(source, rng, before if learner.warm_start else None)
    source.adopt(machine)

    made = learner.n_iter_ if history else 0
    learning = Learning(
        machine,
        source,
        clock=clock,
        history=history,
        passes=made,
        most=made + 1 if source.once else most or learner._most_passes,
        stops=[] if source.once else stops_of(learner, machine, source),
        full_history=learner.history == "full" and not (source.once and not source.problem.members.size),
        watch=watch,
    )
    if share:
        learning.held_out = lambda: score_held_out(learner._hand_back(learning), source)
    end_callbacks = tell_callbacks(learner, learning) if getattr(learner, CALLBACKS, None) and not source.once else None
    if on_pass:
        tell = learning.after_pass
        learning.after_pass = lambda: tell() | bool(on_pass(learner._hand_back(learning)))
    try:
        solve = None if source.once else learner._solve
        outcome = solve(learning) if solve else learning.run()
    except Overflow as overflow:
        if overflow.X is not None:  # rows of this process
            refuse_bad_values(learner, overflow.X)
        raise learner._explain_overflow(source, overflow.row) from None
    learner._hand_back(learning)._learned.landmark = None
    if outcome.proof is not None:
        learner.proof_ = outcome.proof
    if outcome.reason == "interrupted":
        raise KeyboardInterrupt  # partial_fit can go on from the weights so far
    if end_callbacks:
        end_callbacks()
    return outcome


@contextmanager
def fitted_anew(learner: Any) -> Iterator[dict[str, Any]]:
    """Within it a learner is fitted that has forgotten what it had learned, which is handed out."""
    with as_before_an_error(learner):
        before = forget(learner)
        learner._learned = Learned()
        yield before


@contextmanager
def as_before_an_error(learner: Any) -> Iterator[None]:
    """Within it a learner learns, or goes on from a copy of what it had learned.  After an error it is as it was before; after
    Ctrl-C it keeps the passes so far, if it was given their weights."""
    before = fitted(learner)
    learned = learner._learned = copy(before.get("_learned")) or Learned()
    learned.class_counts = dict(learned.class_counts)
    passes = {name: len(values) for name, values in learned.history.items()}
    learner.__dict__.pop("stop_reason_", None)
    try:
        yield
    except BaseException:
        if getattr(learner, "stop_reason_", None) != "interrupted":
            forget(learner)
            learner.__dict__.update(before)
            for name, values in list(learned.history.items()):  # not copied: that of a stream is long
                if name in passes:
                    del values[passes[name] :]
                else:
                    del learned.history[name]
        raise


def fitted(learner: LinearLearner) -> dict[str, Any]:
    """What it has learned, by attribute."""
    return {
        name: value
        for name, value in vars(learner).items()
        if name == "_learned" or (name.endswith("_") and not name.endswith("__"))
    }


def forget(learner: LinearLearner) -> dict[str, Any]:
    """Make it unfitted; return what was forgotten."""
    before = fitted(learner)
    for name in before:
        del learner.__dict__[name]
    return before


def stops_of(learner: LinearLearner, machine: LoopState, source: RowSource) -> list[Stop]:
    """When it stops; the first that applies goes before the others."""
    order, progress = (
        source.plan.order,
        learner.min_progress is not None and (machine.by_loss or learner._form != "real"),
    )
    prove = learner._prover(source) if progress and not learner.early_stopping else None
    stops: list[Stop] = [AllRight(machine.form, drawn=order == "random"), CutShort()]
    if order in REPEATING:
        stops.append(Recurred(learner._confirm_cycle(source), learner._learned.landmark))
    if learner.tol is not None:
        stops.append(StandStill(learner.tol))
    if learner.early_stopping:
        stops.append(NoImprovement(learner.n_iter_no_change))
    elif progress:
        looks = source.problem.members.size if order == "worst" else 1
        least = (
            0.0 if learner.batch_size == "all" else learner.min_progress or 0.0
        )  # no order of rows hides progress there
        stops.append(NoProgress(least, learner.n_iter_no_change, looks, prove))
    return stops


def tell_callbacks(learner: Any, learning: Learning) -> Callable[[], object]:
    """Have the callbacks told of every pass, and of X, y and metadata if these are in memory; return a function
    to call at the end."""
    root = open_callbacks(learner, learning.most)
    told = {"estimator": learner, "X": None, "y": None, "metadata": None, **learning.source.told()}
    root.call_on_fit_task_begin(**told)
    contexts: list[Any] = []

    def fitted() -> dict[str, Any]:
        learner._hand_back(learning)
        return {name: value for name, value in vars(learner).items() if name in FITTED}

    def before() -> None:
        contexts.append(root.subcontext(task_name="pass"))
        contexts[-1].call_on_fit_task_begin(**told, reconstruction_attributes=fitted)

    def after() -> bool:
        return contexts.pop().call_on_fit_task_end(**told, reconstruction_attributes=fitted)

    learning.before_pass, learning.after_pass = before, after
    return lambda: root.call_on_fit_task_end(**told, reconstruction_attributes={})


# Scores, part by part


class Judged(NamedTuple):
    """Answers for rows: sums of weights s, of s times 1 for a right answer or the squared error of a number, and of
    targets their mean and ``sum s (d - mean)^2``."""

    weight: float
    sum: float
    mean: float = 0.0
    spread: float = 0.0

    def quality(self, numbers: bool) -> float:
        """The accuracy or, of numbers, R squared."""
        if not numbers:
            return self.sum / self.weight
        return 1.0 - self.sum / self.spread if self.spread else float(self.sum == 0)


def judged(learner: Any, answers: np.ndarray, target: np.ndarray, weight: np.ndarray) -> Judged:
    """Some answers; no weights: all are 1."""
    weight = weight if weight.size else np.ones(len(target))
    total = float(weight.sum())
    if not is_regressor(learner):
        return Judged(total, float(weight[answers == target].sum()))
    mean = float((weight * target).sum()) / total
    return Judged(
        total, float((weight * (target - answers) ** 2).sum()), mean, float((weight * (target - mean) ** 2).sum())
    )


def judged_both(one: Judged, other: Judged) -> Judged:
    """The answers for both (Chan, Golub & LeVeque 1979)."""
    weight = one.weight + other.weight
    apart = other.mean - one.mean
    spread = one.spread + other.spread + apart**2 * one.weight * other.weight / weight
    return Judged(weight, one.sum + other.sum, one.mean + apart * other.weight / weight, spread)


def score_held_out(learner: Any, source: RowSource) -> float:
    """How good the answers for rows held out are; more is better."""
    found: Judged = source.fold(partial(_judge, learner._answering()), judged_both, held_out=True)
    return found.quality(is_regressor(learner))


def _judge(learner: Any, part: Part) -> Judged:
    return judged(learner, learner._predicted(part.X), part.problem.target, part.problem.weight)


def rounded_number(learner: LinearLearner, source: RowSource) -> Rounded | str | None:
    """A number of the data that float64 cannot hold, so that nothing is proved of them."""
    return learner._rounded or first_rounded(source.given)  # who read X from a file may know of one
