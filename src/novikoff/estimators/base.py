"""What all linear learners share: ``fit``, and how a learner's parameters become a learning.

``LinearClassifier`` and ``LinearRegressor`` add what their targets are; a learner adds its parameters, ``_rule`` and, if its
rate is not simply ``eta``, ``_schedule``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from copy import copy
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from ..inputs.arrays import generator, names_of, overflow_error, read_X, refuse_bad_values
from ..inputs.clock import Clock
from ..inputs.drivers import driver_of
from ..inputs.rounding import Rounded, first_rounded
from ..inputs.sklearn_parts import CallbackSupportMixin, Interval, StrOptions, fit_context, listened_to
from ..inputs.targets import read_weights
from ..learn.first_weights import first_weights, hold_out, squared_constant, squared_radius, warm_weights
from ..learn.forms import FORMS, progress_by_loss
from ..learn.keeps import KEEPS, Last, new_keep
from ..learn.learning import Learned, Learning, Outcome
from ..learn.machine import Machine, Overflow, Watch
from ..learn.orders import REPEATING, row_numbers
from ..learn.rows import as_rows, natural
from ..learn.rules import memory_size
from ..learn.schedule import Schedule
from ..learn.sources import InMemory, Source
from ..learn.state import SEEN, Problem, State, copied, fit_to_rows, new_state
from ..learn.stops import AllRight, CutShort, Cycle, NoImprovement, NoProgress, StandStill, Stop
from .advice import not_there_yet
from .answers import linear_scores
from .callbacks import tell_callbacks
from .combinations import checked_parameters, order_meant, refuse_senseless
from .fit_summary import ShownFit
from .solvers import PASSES

OnPass = Callable[["LinearLearner"], bool]
Apart = tuple[Any, np.ndarray, np.ndarray]  # X, targets and weights of rows held out


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
    _rounded: Rounded | str | None = None  # of a file that X was read from: a number that float64 cannot hold
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

    def _schedule(self, source: Source) -> Schedule:
        """The rate of its steps."""
        return Schedule(float(self.eta))

    @property
    def _most_passes(self) -> int:
        """How many passes steps may take."""
        return int(self.max_iter or PASSES)

    def _refuse(self) -> None:
        """Raise an error, with the reason, if parameters of this learner contradict each other."""

    def _needs_all_rows(self) -> str:
        """Why it cannot learn from rows that come part by part; empty if it can."""
        return ""

    def _inspect(self, source: InMemory) -> None:
        """Look at the data before learning, and raise where they must not be learned from."""

    def _confirm_cycle(self, source: Source) -> Callable[[np.ndarray], bool] | None:
        """Whether the steps of a round, added up for each row, are those of a cycle; None: they are not needed."""
        return None

    def _prover(self, source: Source) -> Callable[[], Any] | None:
        """What finds out whether the classes are separable, where no progress is made; None: that says nothing of it."""
        return None

    def _advise(self, source: InMemory, outcome: Outcome) -> None:
        """Warn where the fit did not do what was asked of it."""
        not_there_yet(self, source.X, outcome)

    def _explain_overflow(self, source: Source, row: int) -> OverflowError:
        """The error to raise when the score of a row is no longer finite."""
        return overflow_error(row)

    # What targets are: for classifiers class numbers, for regressors real numbers

    def _read_targets(
        self, y: np.ndarray, weight: np.ndarray, members: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Targets as kernels read them, the weights of their rows, and the rows that take part."""
        raise NotImplementedError

    def _predicted(self, X: Any) -> np.ndarray:
        """What it answers, as targets are stored."""
        return self._decide(X)

    def _quality(self, answers: np.ndarray, target: np.ndarray, weight: np.ndarray) -> float:
        """How good answers are; more is better."""
        raise NotImplementedError

    def _decide(self, X: Any) -> np.ndarray:
        """Scores as ``decision_function`` or ``predict`` hands them out."""
        return self._linear(X)

    # Fitting

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearLearner:
        """Learn from all rows, in one or more passes, until a stop applies.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Training rows.  C-ordered float arrays and CSR matrices are read in place.  Dask collections are learned from
            where they lie (``distributed.fit``).
        y : array-like of shape (n_samples,)
            Labels of any type; for a regressor, real numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            Multiplies the step of each row; also used in averages, error counts and scores on held-out rows.  Rows of weight
            0 are left out, as if they were not there.

        Returns
        -------
        self
        """
        driver = driver_of(X)
        if driver is not None:
            return driver.fit(self, X, y, sample_weight)
        return fit_in_memory(self, X, y, sample_weight)

    def _solve(self, learning: Learning) -> Outcome:
        """Learn."""
        return learning.run()

    def _hand_back(self, learning: Learning) -> LinearLearner:
        """Set what was learned so far, and keep what is needed to go on."""
        machine, learned = learning.machine, self._learned
        solved = not machine.state.counts[SEEN]  # at once, without a step that others could be kept of
        self.keep_ = "last" if solved else machine.keep.stands_for(learning.reason) or self.keep
        fitted, learned.state, learned.rows = machine.handed_back(learning.reason)
        self.__dict__.update(fitted)
        learned.keep, learned.constant2, learned.history = machine.keep, machine.problem.constant2, learning.history
        learned.parameters, learned.landmark = checked_parameters(self), learning.landmark()
        self.n_iter_, self.stop_reason_ = learning.passes, learning.reason or None
        return self

    def _report(self, source: InMemory, outcome: Outcome) -> None:
        """Say what became of a fit."""
        self._advise(source, outcome)

    # Rows, and what learns from them; the dual form has others

    def _problem(
        self, X: Any, target: np.ndarray, weight: np.ndarray, given: np.ndarray, members: np.ndarray, once: bool = False
    ) -> Problem:
        """The first rows, as kernels read them; ``given``: their weights without those of classes; ``once``: for one pass only."""
        constant2 = squared_constant(self, lambda: squared_radius(names_of(self), X, members))
        return Problem(as_rows(X, self._n_outputs), target, without_ones(weight), members, constant2)

    def _begin(
        self, problem: Problem, rng: np.random.Generator, dtype: Any, before: dict[str, Any] | None = None
    ) -> tuple[Last, State]:
        """The first weights and an empty keep; with a fit before, its weights."""
        keep = new_keep(self._keeps()[self.keep], self)
        shape = self._n_outputs, self.n_features_in_
        if before and "coef_" in before:
            coef, bias = np.atleast_2d(before["coef_"]), before["intercept_"]
            coef, bias = warm_weights(coef, bias * (problem.constant2 > 0), shape)
        else:
            coef, bias = first_weights(self.init, *shape, problem.constant2**0.5, rng)
        weights = natural(problem.rows, coef.astype(dtype))
        remembers = memory_size(self._rule())
        return keep, new_state(keep.pauses, weights, bias.astype(dtype), keep.averages, remembers)

    def _go_on(
        self, X: Any, target: np.ndarray, weight: np.ndarray, members: np.ndarray
    ) -> tuple[Problem, Last, State]:
        """The next rows of a stream, and a copy of what was learned so far."""
        learned, rows = self._learned, as_rows(X, self._n_outputs)
        problem = Problem(rows, target, without_ones(weight), members, learned.constant2)
        return problem, learned.keep.copied(), fit_to_rows(copied(learned.state), learned.rows, rows)

    def _machine(self, source: Source, problem: Problem, keep: Last, state: State) -> Machine:
        """What learns."""
        form = FORMS[self._form](self._rule())
        return Machine(form, partial(self._schedule, source), problem, keep, state, rows_a_step(self))

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

    _linear = linear_scores

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def without_ones(weight: np.ndarray) -> np.ndarray:
    """Sample weights; none where all are 1."""
    return weight[:0] if weight.size and np.all(weight == 1) else weight


def rows_a_step(learner: LinearLearner) -> int:
    """The rows of a batch, all of them if there are no more."""
    return sys.maxsize if learner.batch_size == "all" else int(learner.batch_size)


# Fitting


def fit_in_memory(
    learner: Any, X: Any, y: Any, sample_weight: Any, watch: Watch | None = None, on_pass: OnPass | None = None
) -> Any:
    """Fit; ``watch`` sees every step of the loop, ``on_pass`` the learner after every pass, ready to predict."""
    refuse_senseless(learner)
    try:
        with fitted_anew(learner) as before:
            _learn(learner, X, y, sample_weight, before if learner.warm_start else {}, watch, on_pass)
        return learner
    finally:
        learner.__dict__.pop("_rounded", None)


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


def _learn(
    learner: LinearLearner,
    given: Any,
    y: Any,
    sample_weight: Any,
    before: dict[str, Any],
    watch: Watch | None,
    on_pass: OnPass | None,
) -> None:
    order = order_meant(learner)
    # Where the first pass scores every row, it finds bad values: none of them hides from a score.
    left_out = sample_weight is not None or getattr(learner, "class_weight", None) or learner.early_stopping
    scored = order not in ("random", "worst") and not left_out
    X, y = read_X(learner, given, y, reset=True, finite=not scored)
    given_weight = read_weights(sample_weight, X)
    members = row_numbers(np.flatnonzero(given_weight) if given_weight.size else X.shape[0])
    if members.size == 0:
        raise ValueError("Every sample weight is zero: no row is left to learn from.")
    target, weight, members = learner._read_targets(y, given_weight, members)
    rng = generator(learner.random_state)
    apart: list[Apart] = []  # rows held out
    if learner.early_stopping:
        members, out = hold_out(members, target, learner.validation_fraction, rng)
        apart = [(X[out], target[out], weight[out] if weight.size else np.ones(out.size))]
    problem = learner._problem(X, target, weight, given_weight, members)
    source = InMemory(X, problem, order, rng, given)
    learner._inspect(source)
    machine = learner._machine(source, problem, *learner._begin(problem, rng, X.dtype, before))
    told = {"X": X, "y": y, "metadata": {"sample_weight": given_weight} if given_weight.size else None}
    outcome = run(
        learner,
        machine,
        source,
        order,
        held_out=lambda by: score_apart(by, apart),
        told=told,
        watch=watch,
        on_pass=on_pass,
    )
    if scored and outcome.passes == 1 and outcome.reason in ("time", "callback"):
        refuse_bad_values(learner, X)
    learner._report(source, outcome)


def run(
    learner: LinearLearner,
    machine: Machine,
    source: Source,
    order: str,
    *,
    held_out: Callable[[LinearLearner], float],
    told: dict[str, Any] | None = None,
    watch: Watch | None = None,
    on_pass: OnPass | None = None,
    most: int | None = None,
    solve: Callable[[Learning], Outcome] | None = None,
) -> Outcome:
    """Learn from any source until a stop applies, going on from what the learner remembers, and set the attributes.

    ``held_out`` scores a learner by the rows held out; ``told`` is what callbacks are told of the data; ``solve`` learns in place of
    the learner, where rows are not here.
    """
    history = learner._learned.history
    learning = Learning(
        machine,
        source,
        clock=Clock(learner.time_limit, history["seconds"][-1] if history else 0.0),
        history=history,
        passes=learner.n_iter_ if history else 0,
        most=most or learner._most_passes,
        stops=stops_of(learner, machine, source, order),
        full_history=learner.history == "full",
        watch=watch,
    )
    if learner.early_stopping:
        learning.held_out = lambda: held_out(learner._hand_back(learning))
    end_callbacks = tell_callbacks(learner, learning, told or {}) if listened_to(learner) else None
    if on_pass:
        tell = learning.after_pass
        learning.after_pass = lambda: tell() | bool(on_pass(learner._hand_back(learning)))
    try:
        outcome = (solve or learner._solve)(learning)
    except Overflow as overflow:
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


def stops_of(learner: LinearLearner, machine: Machine, source: Source, order: str) -> list[Stop]:
    """When it stops; the first that applies goes before the others."""
    stops: list[Stop] = [AllRight(machine.form, drawn=order == "random"), CutShort()]
    if order in REPEATING:
        stops.append(Cycle(learner._confirm_cycle(source), learner._learned.landmark))
    if learner.tol is not None:
        stops.append(StandStill(learner.tol))
    if learner.early_stopping:
        stops.append(NoImprovement(learner.n_iter_no_change))
    elif learner.min_progress is not None and (progress_by_loss(machine.form.rule) or learner._form != "real"):
        looks = source.problem.members.size if isinstance(source, InMemory) and order == "worst" else 1
        least = 0.0 if learner.batch_size == "all" else learner.min_progress  # no order of rows hides progress there
        stops.append(NoProgress(least, learner.n_iter_no_change, looks, learner._prover(source)))
    return stops


def score_apart(learner: LinearLearner, apart: Iterable[Apart]) -> float:
    """How good the answers for rows held out are."""
    columns = zip(*((learner._predicted(X), target, weight) for X, target, weight in apart), strict=True)
    return learner._quality(*(part[0] if len(part) == 1 else np.concatenate(part) for part in columns))


def rounded_number(learner: LinearLearner, source: InMemory) -> Rounded | str | None:
    """A number of the data that float64 cannot hold, so that nothing is proved of them."""
    return learner._rounded or first_rounded(source.given)  # who read X from a file may know of one
