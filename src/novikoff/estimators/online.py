"""One row at a time: ``online(learner)`` learns from rows as they come, arrays or mappings of names to numbers.

The weights are those that ``partial_fit`` has after the same rows, one a call, to the last bit: the same kernel makes the same step.  What a
call of ``partial_fit`` does besides (checks of parameters, a copy of the state to go back to after an error, history) is done once, when
the stream begins and when ``learner`` is asked for, so that a row costs little more than its numbers.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import partial
from struct import pack_into
from typing import Any, NamedTuple, NoReturn
from zlib import crc32

import numpy as np
from scipy import sparse
from sklearn.base import is_regressor

from ..compiled.arithmetic import run
from ..compiled.jit import Awaiting, bound, helper, in_place
from ..learn.forms import answer
from ..learn.learning import NO_TALLY, AsGiven, Learning, LoopState, Plan
from ..learn.rows import products
from ..learn.state import BAD_ROW, COUNTED, NEVER, SEEN, copied, picked, resized
from ..learn.sweep import sweep
from ..system.clock import Clock
from .base import LinearLearner

FIRST_ROOM = 64  # for names, and for the numbers of a row; doubled when it is full


class Scores(NamedTuple):
    """What was predicted for each row before it was learned from, by the running weights."""

    rows: int
    mistakes: int  # wrong predictions; of regressors 0
    accuracy: float  # NaN before the first row, and of regressors
    loss: float  # the mean; 0 of perceptrons, which count mistakes


@in_place
def row_products(rows, weights, scores):
    """w_k . x of the one row.  A call: Numba warns where it is put in place twice."""
    products(rows, 0, weights, scores)


@in_place
def average_answer(rows, weights, bias, overcount, bias_overcount, counts, scores, extra):
    """Score the one row by averaged weights, those of the last ones less their overcount; return the number of the answer."""
    row_products(rows, weights, scores)
    row_products(rows, overcount, extra)
    seen = max(counts[SEEN], 1e-300)
    share = counts[COUNTED] / seen
    for k in range(scores.size):
        scores[k] = share * scores[k] - extra[k] / seen + bias[k] - bias_overcount[k] / seen
    return answer(scores)


@in_place
def last_answer(rows, weights, bias, scores):
    """Score the one row by the running weights; return the number of the answer."""
    products(rows, 0, weights, scores)
    for k in range(scores.size):
        scores[k] += bias[k]
    return answer(scores)


@in_place
def learn_row(step, target, labels, scores, lost, totals, window):
    """Make the step of the one row and note how it was predicted; 0: its numbers are out of range, and nothing was learned."""
    done = run(step)
    if done:
        note_row(totals, window, labels and answer(scores) != target[0], lost[0])
    lost[0] = 0.0
    return done


ROWS, MISTAKES, LOSS = range(3)  # of totals


@helper
def note_row(totals, window, wrong, lost):
    """Note a row in the totals, and in the window, where it takes the place of the oldest."""
    if window.shape[0]:
        line = int(totals[ROWS]) % window.shape[0]
        window[line, 0] = 1.0 if wrong else 0.0
        window[line, 1] = lost
    totals[ROWS] += 1
    totals[MISTAKES] += 1 if wrong else 0
    totals[LOSS] += lost


class Online:
    """A learner that learns from one row at a time; made by ``novikoff.online``."""

    def __init__(
        self,
        learner: Any,
        classes: Any,
        max_names: int | None,
        hashed: int | None,
        window: int,
        names: Any = None,
        progress: Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(learner, LinearLearner):
            raise TypeError(f"{type(learner).__name__} does not learn row by row: use a learner that has partial_fit.")
        if hashed is not None and hashed < 1:
            raise ValueError(f"hashed={hashed}: it is the number of columns that names share, at least 1.")
        self._learner, self._classes, self._most, self._hashed = learner, classes, max_names, hashed
        self._numbers = is_regressor(learner)
        self._machine: LoopState | None = None
        self._target_of: Callable[[Any], Any] = {}.get  # as kernels read it; None of a row that they do not learn from
        self._line: memoryview | None = None  # where an array is written
        self._columns: dict[Hashable, int] = {}
        self._kind: str | None = None  # of rows: "array", "mapping" or "sparse row"; None: there was none yet
        self._keys: list[str] | None = None  # of the last mapping
        self._totals = np.zeros(3)  # rows, mistakes, loss
        self._told = 0  # rows that the learner knows of
        self._since = 0  # rows before the first one that the window knows of
        self._window = np.zeros(
            (window, 2)
        )  # of the last rows, whether each was a mistake, and its loss; row r in line r mod window
        self._room = FIRST_ROOM
        self._known: np.ndarray | None = None
        if progress is not None:
            self._totals[:] = self._told, *_ = [progress[name] for name in ("rows", "mistakes", "loss")]
            self._since = self._rows - len(progress["window"])
            for row, told in enumerate(
                progress["window"][-window:] if window else [], self._rows - min(window, len(progress["window"]))
            ):
                self._window[row % window] = told
        if hasattr(learner, "_learned"):
            self._go_on(names)

    def _go_on(self, names: Any) -> None:
        """Go on with a learner that has learned before; rows are mappings if its columns have names."""
        learner = self._learner
        named = getattr(learner, "feature_names_in_", None) if names is None else list(names)
        if named is None and self._hashed is None:
            return
        if self._hashed is None and named is not None:
            self._columns = {name: column for column, name in enumerate(named)}
        width = self._hashed or len(self._columns)
        if width != learner.n_features_in_:
            raise ValueError(
                f"The learner has {learner.n_features_in_} columns, and the stream names {width}: name the same."
            )
        self._kind = "mapping"
        self._begin()

    # Learning

    def learn_one(self, x: Any, y: Hashable, sample_weight: float = 1.0) -> Online:
        """Learn from one row: a 1-D array, a mapping of names to numbers, or a sparse row; y is a label, or a number for a regressor."""
        target = self._target_of(y)
        if target is None or sample_weight != 1.0:
            return self._learn_slowly(x, y, sample_weight)
        if (line := self._line) is None:
            self._put(x, True)
        else:
            try:
                line[:] = x  # the quick way, of an array of the same floats and length
            except (TypeError, ValueError, NotImplementedError):
                self._put_array(x)
        self._target_now[0] = target
        if not self._learn():
            assert self._machine is not None
            self._machine.state.counts[BAD_ROW] = -1
            raise ValueError(
                f"Row {self._rows} of the stream has NaN, infinity or a number out of range; nothing was learned from it."
            )
        return self

    def learn_many(self, rows: Iterable[Any], targets: Iterable[Any]) -> Online:
        """Learn from rows one after the other; they may be a sparse matrix."""
        if sparse.issparse(rows):
            matrix = rows.tocsr()  # type: ignore[attr-defined]
            rows = (matrix[i : i + 1] for i in range(matrix.shape[0]))
        for x, y in zip(rows, targets, strict=True):
            self.learn_one(x, y)
        return self

    def _learn_slowly(self, x: Any, y: Any, sample_weight: float) -> Online:
        """One call of ``partial_fit``; it may be the first, or bring a new class."""
        row, begun = self._row(x), hasattr(self._learner, "_learned")
        known = begun and not self._numbers and y in self._learner.classes_.tolist()
        learner = self._synced()
        if begun and row.shape[1] < learner.n_features_in_:
            row = self._row(x)
        named: dict[str, Any] = {}
        if not self._numbers:
            named = {"extend_classes": True} if self._classes is None else {} if begun else {"classes": self._classes}
        weight = None if sample_weight == 1.0 else np.array([sample_weight])
        learner.partial_fit(row, np.array([y]), sample_weight=weight, **named)
        told = learner._learned.history  # by the weights before the row
        wrong = 0 if self._numbers else int(told["mistakes"][-1]) if known else 1
        lost = float(told["progressive_loss"][-1]) if "progressive_loss" in told else 0.0
        note_row(self._totals, self._window, wrong > 0, lost)
        self._told = self._rows
        self._begin()
        return self

    # Answers

    def predict_one(self, x: Any) -> Any:
        """The answer for one row; None before the first row was learned from."""
        if self._machine is None:
            return (
                self._synced().predict(self._row(x, grow=False))[0].item()
                if hasattr(self._learner, "_learned")
                else None
            )
        if (line := self._line) is None:
            self._put(x, False)
        else:
            try:
                line[:] = x  # the quick way, of an array of the same floats and length
            except (TypeError, ValueError, NotImplementedError):
                self._put_array(x)
        number = self._predict()
        return self._answer[0] if self._numbers else self._labels[number]

    def predict_proba_one(self, x: Any) -> dict[Any, float]:
        """The probability of every class, of learners that have ``predict_proba``; empty before the first row."""
        if not hasattr(self._learner, "predict_proba"):
            raise AttributeError(
                f"{type(self._learner).__name__} has no probabilities: use AdaGradClassifier or LogisticNeuron."
            )
        if not hasattr(self._learner, "_learned"):
            return {}
        told = self._synced().predict_proba(self._row(x, grow=False))[0]
        return dict(zip(self._learner.classes_.tolist(), told.tolist(), strict=True))

    # Rows, as kernels read them

    def _at(self, x: Mapping[str, float], grow: bool) -> list[int]:
        """The columns of a mapping's names; -1: none, which new names have that are not to be learned, or are too many."""
        if self._hashed is not None:
            return [crc32(str(name).encode()) % self._hashed for name in x]
        columns = self._columns
        if grow:
            for name in x:
                if name not in columns and (self._most is None or len(columns) < self._most):
                    columns[name] = len(columns)
        return [columns.get(name, -1) for name in x]

    def _row(self, x: Any, grow: bool = True) -> Any:
        """One row as ``partial_fit`` and ``predict`` take it."""
        kind = "mapping" if isinstance(x, Mapping) else "sparse row" if sparse.issparse(x) else "array"
        if self._kind is None:
            self._kind = kind
            no_new_columns = hasattr(self._learner, "kernel") or self._learner.keep == "vote"
            if kind == "mapping" and self._hashed is None and no_new_columns:
                raise ValueError(
                    f"{self._learner} cannot have new columns in a stream: say hashed=..., the number of columns for all names."
                )
        if kind != self._kind:
            self._refuse_kind()
        if kind == "array":
            return np.asarray(x, dtype=float).reshape(1, -1)
        if kind == "sparse row":
            return x.reshape(1, -1).tocsr().astype(float)
        at, values = np.array(self._at(x, grow), dtype=np.int32), np.fromiter(x.values(), float, len(x))
        values, at = values[at >= 0], at[at >= 0]
        width = self._hashed or max(1, len(self._columns))
        return sparse.csr_array((values, at, np.array([0, len(at)], dtype=np.int32)), shape=(1, width))

    def _refuse_kind(self) -> NoReturn:
        raise TypeError("The rows of a stream are all arrays, all mappings of names to numbers, or all sparse rows.")

    def _refuse_length(self, numbers: int) -> None:
        if numbers != self._width:
            raise ValueError(f"Row {self._rows} of the stream has {numbers} numbers; those before had {self._width}.")

    def _put_array(self, x: Any) -> None:
        """Write a row where the kernels read it."""
        if sparse.issparse(x) or isinstance(x, Mapping):
            self._refuse_kind()
        self._refuse_length(len(x))
        np.asarray(self._line)[:] = x

    def _put_sparse(self, x: Any, grow: bool) -> None:
        """The same of a sparse row."""
        if not sparse.issparse(x):
            self._refuse_kind()
        self._refuse_length(x.shape[-1])
        if x.format != "csr" or len(x.shape) == 1:
            x = x.reshape(1, -1).tocsr()
        numbers = len(x.data)
        if numbers > self._values.size:
            self._begin_wider(numbers)
        self._places[:numbers], self._values[:numbers] = x.indices, x.data
        self._ends[1] = numbers

    def _put_mapping(self, x: Any, grow: bool) -> None:
        """The same of names and numbers."""
        if type(x) is not dict and not isinstance(x, Mapping):
            self._refuse_kind()
        keys = list(x)
        if keys != self._keys:
            at = self._at(x, grow)
            if len(at) > self._values.size or len(self._columns) > self._width:
                self._begin_wider(len(at))
            self._known = None if min(at, default=0) >= 0 else np.array([column >= 0 for column in at])
            known = at if self._known is None else [column for column in at if column >= 0]
            self._places[: len(known)] = known
            self._ends[1] = len(known)
            self._keys = keys if grow or self._known is None else None
            self._format = f"{len(keys)}{self._values.dtype.char}"
        if self._known is None:
            try:
                pack_into(self._format, self._values, 0, *x.values())
                return
            except struct.error:  # of numbers that are not Python's
                pass
        values = np.fromiter(x.values(), float, len(keys))
        self._values[: self._ends[1]] = values if self._known is None else values[self._known]

    def _begin_wider(self, numbers: int) -> None:
        """Make room for more columns, or longer rows."""
        machine = self._machine
        assert machine is not None
        self._room = max(2 * numbers, self._room)
        width = self._width if self._hashed or self._kind == "sparse row" else max(self._width, 2 * len(self._columns))
        self._begin(resized(machine.state, machine.problem.rows, width))

    def _begin(self, state: Any = None) -> None:
        """Set the quick lane up, from what the learner has learned, or from a state that is wider."""
        learner = self._learner
        keep, self._machine, self._target_of = learner._learned.keep, None, {}.get
        plain = (
            getattr(learner, "class_weight", None) is None
            and learner.history == "basic"
            and learner.batch_size != "all"
        )
        classes = None if self._numbers else learner.classes_
        if (
            learner._rate_from_rows  # then each row is a call of ``partial_fit``
            or not plain
            or keep.pauses != NEVER
            or (classes is not None and len(classes) < 2)
        ):
            return
        dtype = learner.intercept_.dtype
        self._width, self._line = learner.n_features_in_, None
        if self._kind == "array":
            X: Any = np.zeros((1, self._width), dtype)
            self._line = X[0].data
        else:
            if state is not None:
                self._width = state.weights.size // state.bias.size
            elif self._kind == "mapping":
                self._width = self._hashed or max(FIRST_ROOM, 2 * len(self._columns))
            ends = np.array([0, self._room], dtype=np.int32)
            X = sparse.csr_array(
                (np.zeros(self._room, dtype), np.zeros(self._room, np.int32), ends), shape=(1, self._width)
            )
        target = np.zeros(1) if classes is None else classes[:1]
        source = self._source = AsGiven(X, target, np.empty(0))
        source.settle(Plan(learner._n_outputs, "cyclic", 1, False, classes, np.empty(0), 0.0), None)
        machine = learner._go_on(source)
        if state is not None:
            machine.state = state
        elif self._kind == "mapping":
            machine.state = resized(machine.state, machine.problem.rows, self._width)
        if self._kind != "array":
            self._values, self._places, self._ends = X.data, X.indices, X.indptr
            self._put = self._put_mapping if self._kind == "mapping" else self._put_sparse
            self._keys = None
        self._machine, self._target_now = machine, source.problem.target.data
        self._labels = [] if classes is None else classes.tolist()
        self._target_of = float if self._numbers else {label: k for k, label in enumerate(self._labels)}.get
        self._bind()

    def _bind(self) -> None:
        """Have the kernels called with the present arrays."""
        machine = self._machine
        assert machine is not None
        order = machine.problem.members
        scratch, records = machine._scratch, machine._no_records
        row = machine.form, machine.schedule, machine.problem, machine.state, scratch, order, order[:0]
        step = bound(sweep, *row, 0, 1, NO_TALLY, records)
        noted = scratch.scores, scratch.lost, self._totals, self._window
        self._learn = bound(learn_row, step, machine.problem.target, not self._numbers, *noted)
        if isinstance(self._learn, Awaiting):
            self._learn.tell = partial(setattr, self, "_learn")
        state, scores = machine.state, np.zeros_like(machine.state.bias)
        own = machine.problem.rows, state.weights, state.bias
        if machine.keep.averages and machine.keep.stands_for("") != "last":
            summed = state.overcount, state.bias_overcount, state.counts
            self._predict = bound(average_answer, *own, *summed, scores, np.zeros(scores.size))
        else:
            self._predict = bound(last_answer, *own, scores)
        self._answer = scores.data  # single numbers of a memoryview are read sooner than those of an array

    # What was learned

    def _synced(self) -> Any:
        """The learner with all that was learned, without names."""
        learner: Any = self._learner
        machine = self._machine
        learner.__dict__.pop("feature_names_in_", None)
        if not hasattr(learner, "_learned"):
            return learner
        width = learner.n_features_in_
        if self._kind == "mapping" and self._hashed is None:
            width = max(1, len(self._columns))
        if machine is None and width != learner.n_features_in_:  # there is nothing to learn from one class but names
            learned = learner._learned
            learned.state, learner.n_features_in_ = resized(learned.state, learned.rows, width), width
            new = width - learner.coef_.shape[-1]
            learner.coef_ = np.pad(learner.coef_, [(0, 0)] * (learner.coef_.ndim - 1) + [(0, new)])
        if machine is not None and (self._rows > self._told or width != learner.n_features_in_):
            state = copied(machine.state)
            state = resized(state, machine.problem.rows, width) if self._kind == "mapping" else state
            told = LoopState(machine.form, lambda: machine.schedule, machine.problem, machine.keep, state, 1)
            history, passes = learner._learned.history, learner.n_iter_ + self._rows - self._told
            learner._hand_back(
                Learning(told, self._source, clock=Clock(None, 0.0), history=history, passes=passes, most=0)
            )
            learner.n_features_in_, self._told = width, self._rows
        return learner

    @property
    def learner(self) -> Any:
        """The ordinary fitted learner, as it is now: to be saved, exported, or asked for many rows."""
        learner = self._synced()
        if self._columns and hasattr(learner, "coef_"):
            learner.feature_names_in_ = np.array(list(self._columns), dtype=object)
        return learner

    @property
    def names(self) -> list[Hashable]:
        """Of mappings: the names so far, each has one column."""
        return list(self._columns)

    def arranged(self, names: Iterable[Hashable]) -> Any:
        """The learner with a column for each of these names, in this order, which are all that rows had; its columns have no names."""
        names, learner = list(names), self._synced()
        if sorted(map(repr, names)) != sorted(map(repr, self._columns)):
            raise ValueError("The names are not those of the rows so far.")
        columns = np.array([self._columns[name] for name in names])
        learned = learner._learned
        learned.state = picked(learned.state, learned.rows, columns)
        learner.coef_ = learner.coef_[..., columns]
        self._columns = {name: column for column, name in enumerate(names)}
        self._begin()
        return learner

    @property
    def _rows(self) -> int:
        """How many rows were learned from."""
        return int(self._totals[ROWS])

    def _last_rows(self) -> list[list[float]]:
        """The window, the oldest row first."""
        oldest = self._rows % max(1, len(self._window))
        lines: list[list[float]] = np.roll(self._window, -oldest, axis=0).tolist()
        return lines[max(0, len(lines) - (self._rows - self._since)) :]

    def progress(self) -> dict[str, Any]:
        """What ``scores()`` are made of, as JSON can hold it: for ``online(..., progress=...)`` of a later process."""
        rows, mistakes, loss = self._totals.tolist()
        window = [[int(wrong), lost] for wrong, lost in self._last_rows()]
        return {"rows": int(rows), "mistakes": int(mistakes), "loss": loss, "window": window}

    def scores(self, window: bool = False) -> Scores:
        """Progressive scores over all rows, or over the window of the last ones."""
        told, mistakes, loss = self._totals.tolist()
        rows = int(told)
        if window:
            last = self._last_rows()
            rows, mistakes, loss = len(last), sum(wrong for wrong, _ in last), sum(lost for _, lost in last)
        accuracy = float("nan") if self._numbers or not rows else 1 - mistakes / rows
        return Scores(rows, int(mistakes), accuracy, loss / rows if rows else float("nan"))

    def as_river(self) -> Any:
        """The same as a classifier or regressor of River, which must be installed: for its pipelines, metrics and evaluations."""
        from river import base
        from sklearn.base import clone

        stream = self

        class Adapted(base.Regressor if self._numbers else base.Classifier):  # type: ignore[misc]
            """A learner of this package, as River calls it."""

            _multiclass = True

            def __init__(self) -> None:
                self.online = stream

            def learn_one(self, x: Mapping[str, float], y: Any) -> None:
                self.online.learn_one(x, y)

            def predict_one(self, x: Mapping[str, float]) -> Any:
                told = self.online.predict_one(x)
                return 0.0 if told is None and stream._numbers else told

            def predict_proba_one(self, x: Mapping[str, float]) -> dict[Any, float]:
                if hasattr(stream._learner, "predict_proba"):
                    return self.online.predict_proba_one(x)
                told = self.online.predict_one(x)
                return {} if told is None else {told: 1.0}

            def clone(self, *arguments: Any, **parameters: Any) -> Any:
                fresh = clone(stream._learner)
                return Online(fresh, stream._classes, stream._most, stream._hashed, len(stream._window)).as_river()

        return Adapted()


def online(
    learner: Any,
    *,
    classes: Any = None,
    max_names: int | None = None,
    hashed: int | None = None,
    window: int = 1000,
    names: Any = None,
    progress: Mapping[str, Any] | None = None,
) -> Online:
    """A learner that learns from one row at a time, and answers for one row at a time.

    Parameters
    ----------
    learner : estimator
        Any learner of this package that has ``partial_fit``.
    classes : array-like, default=None
        All labels; another one is then an error.  None: labels are admitted as they come.
    max_names : int, default=None
        Of mappings: how many names are learned; later ones are ignored.  None: memory grows with the names.
    hashed : int, default=None
        Of mappings: have names share so many columns, by their hash, whatever number of names there is.
    window : int, default=1000
        The number of rows of ``scores(window=True)``.
    names : iterable, default=None
        Of mappings, and a learner that has learned before: the names of its columns.  None: its ``feature_names_in_``.
    progress : dict, default=None
        What ``progress()`` of an earlier stream said: scores go on from there.

    Returns
    -------
    Online
        ``learn_one(x, y)``, ``predict_one(x)``, ``predict_proba_one(x)``, ``learn_many(rows, targets)``; ``learner``, the ordinary
        fitted learner; ``scores()``, ``progress()``; ``as_river()``.

    Examples
    --------
    >>> from novikoff import Perceptron, online
    >>> stream = online(Perceptron())
    >>> for x, y in [({"sun": 1.0}, "dry"), ({"rain": 1.0}, "wet"), ({"rain": 2.0, "sun": 1.0}, "wet")] * 5:
    ...     stream = stream.learn_one(x, y)
    >>> stream.predict_one({"rain": 3.0})
    'wet'
    >>> stream.learner.coef_.shape
    (1, 2)
    """
    return Online(learner, classes, max_names, hashed, window, names, progress)
