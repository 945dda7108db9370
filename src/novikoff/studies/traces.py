"""What a traced fit leaves behind: its steps, the data and the parameters, which can be saved and read again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import is_classifier

from ..estimators.base import LinearLearner, check_parameters, rule_of
from ..estimators.learners import LEARNERS
from ..report.html import drawn, notebook_view
from ..report.sections import Section, Table
from ..system.files import atomic_write

FORMAT = "novikoff trace 1"
ARRAYS = ("row", "scores", "before", "after", "mistakes", "pass_number", "moved", "run", "kept_run", "kept")
PLAIN = (bool, int, float, str, type(None))


class Update(NamedTuple):
    """One step of a fit."""

    row: Any  # the row's index; for a batch, an array of them
    scores: np.ndarray  # (outputs,), or (batch, outputs): w.x + b at the weights before, float64
    before: np.ndarray  # (outputs, features + 1): weights before, the bias in the last column
    after: np.ndarray  # the same after the step
    mistakes: int  # mistakes in this step; of a regression 0
    pass_number: int  # the pass it happened in, counted from 1
    moved: bool  # whether it changed the weights
    run: int  # right answers in a row of the weights after it, so far
    kept_run: int  # the longest such run of the weights in the pocket; 0 if the keep has none
    kept: np.ndarray  # the weights that the fit would return if it ended here: of a pocket, its content


@dataclass(frozen=True, eq=False, repr=False)
class Trace:
    """The steps of a fit, in order: as arrays, or as one ``Update`` after the other in a loop.

    Attributes
    ----------
    estimator : LinearLearner
        The clone that was fitted; its ``stop_reason_`` is "callback" if the trace is not complete.
    row : ndarray of shape (updates,) or (updates, batch)
        The row of each step; if a step reads several rows, all of them, with -1 at the end of a shorter last batch.
    scores : ndarray of shape (updates, outputs) or (updates, batch, outputs), float64
        ``w.x + b`` of those rows with the weights before the update; NaN if there is no row.
    before, after : ndarrays of shape (updates, outputs, features + 1)
        The running weights before and after, with the bias in the last column, in the dtype of the fit.  Of a kernel
        perceptron: ``alpha_i y_i`` of every training row, then the bias.
    mistakes : ndarray of shape (updates,)
        Mistakes in each step: for the perceptron 1, or more with batches and ``multiclass="ovr"``; rules that also learn
        from correctly classified rows may have none, and a regression has none.
    pass_number : ndarray of shape (updates,)
        The pass of each step, counted from 1.
    moved : ndarray of shape (updates,), bool
        Whether the step changed the weights; all do, unless the trace was made with ``every_row=True``.
    run, kept_run : ndarrays of shape (updates,)
        After each step: how many rows in a row its weights have answered rightly, and the same of the weights in the pocket
        (0 where the keep has none).
    kept : ndarray of shape (updates, outputs, features + 1)
        The weights that the fit would return if it ended there: those in the pocket, the average, the mean of the votes.
    complete : bool
        False if the fit was stopped because there were more than ``max_updates`` steps to record.
    X, y, sample_weight : arrays
        The data of the fit; ``sample_weight`` is None if there was none.
    """

    estimator: LinearLearner
    row: np.ndarray
    scores: np.ndarray
    before: np.ndarray
    after: np.ndarray
    mistakes: np.ndarray
    pass_number: np.ndarray
    moved: np.ndarray
    run: np.ndarray
    kept_run: np.ndarray
    kept: np.ndarray
    complete: bool
    X: Any
    y: np.ndarray
    sample_weight: np.ndarray | None = None

    @property
    def rule(self) -> Any:
        """The rule of the steps, of ``learn.rules``."""
        return rule_of(self.estimator)

    @property
    def dual(self) -> bool:
        """Whether weights are sums over training rows, which have a number each: those of a kernel perceptron."""
        return hasattr(self.estimator, "kernel")

    def __len__(self) -> int:
        return len(self.mistakes)

    def __getitem__(self, number: int) -> Update:
        row, scores = self.row[number], self.scores[number]
        if self.row.ndim == 2:
            row, scores = row[row >= 0], scores[row >= 0]
        else:
            row = int(row)
        return Update(
            row,
            scores,
            self.before[number],
            self.after[number],
            int(self.mistakes[number]),
            int(self.pass_number[number]),
            bool(self.moved[number]),
            int(self.run[number]),
            int(self.kept_run[number]),
            self.kept[number],
        )

    def __iter__(self) -> Iterator[Update]:
        return (self[number] for number in range(len(self)))

    def as_dict(self) -> dict[str, Any]:
        """The steps as plain lists and numbers, ready for ``json.dumps``; for a regression without ``classes``."""
        updates = [
            {
                name: value.tolist() if isinstance(value, np.ndarray) else value
                for name, value in update._asdict().items()
            }
            for update in self
        ]
        classes = {"classes": self.estimator.classes_.tolist()} if is_classifier(self.estimator) else {}
        return {
            "estimator": type(self.estimator).__name__,
            **classes,
            "complete": self.complete,
            "stop_reason": self.estimator.stop_reason_,
            "updates": updates,
        }

    def save(self, path: str | PathLike[str]) -> None:
        """Write steps, data and parameters as a JSON file, which ``load_trace`` reads: every number exactly as it is.

        Parameters
        ----------
        path : path
            The file.
        """
        text = json.dumps(self.to_dict(), allow_nan=False)
        atomic_write(path, [text.encode()])

    def to_dict(self) -> dict[str, Any]:
        """What ``save`` writes, of nothing but what JSON holds."""
        learner = self.estimator
        X = self.X.toarray() if sparse.issparse(self.X) else self.X
        return {
            "format": FORMAT,
            "estimator": type(learner).__name__,
            "parameters": {name: _plain(name, value) for name, value in learner.get_params(deep=False).items()},
            "classes": _array(learner.classes_) if is_classifier(learner) else None,
            "passes": learner.n_iter_,
            "stop_reason": learner.stop_reason_,
            "keep": learner.keep_,
            "X": _array(X),
            "y": _array(self.y),
            "sample_weight": None if self.sample_weight is None else _array(self.sample_weight),
            "complete": self.complete,
            **{name: _array(getattr(self, name)) for name in ARRAYS},
        }

    def plot(self, ax: Any = None) -> Any:
        """Draw the line after every step; see ``novikoff.plots.plot_trace``."""
        from ..plots.study_pictures import plot_trace

        return plot_trace(self, ax=ax)

    def _repr_html_(self) -> str:
        name = type(self.estimator).__name__
        return notebook_view([trace_section(self, f"Trace of {name}", f"{self._summary()}.")], drawn(self.plot))

    def __repr__(self) -> str:
        return f"<Trace of {type(self.estimator).__name__}: {self._summary()}>"

    def _summary(self) -> str:
        many = int(np.count_nonzero(self.moved))
        count = f"{many} update{'s' * (many != 1)}"
        if not self.complete:
            return f"the first {count}, then stopped"
        passes = self.estimator.n_iter_
        return f"{count} in {passes} pass{'es' * (passes != 1)}, {self.estimator.stop_reason_}"

    def __str__(self) -> str:
        return "\n".join([f"{type(self.estimator).__name__}: {self._summary()}", *trace_lines(self)])


def load_trace(path: str | PathLike[str]) -> Trace:
    """Read a trace that ``Trace.save`` wrote.

    Its estimator has the parameters, the classes and what is said of the fit; a linear one has ``coef_`` and ``intercept_``
    too.  To predict with a kernel perceptron, fit it again: ``trace.estimator.fit(trace.X, trace.y)``.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    Trace

    Examples
    --------
    >>> import os, tempfile
    >>> from novikoff import Perceptron, load_trace, trace
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "steps.json")
    ...     trace(Perceptron(order="cyclic"), [[0], [1], [2]], [0, 0, 1]).save(path)
    ...     print(load_trace(path)[1].after)
    [[2. 0.]]
    """
    try:
        given = json.loads(Path(path).read_text(encoding="utf8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is no trace: it is not JSON ({error}). Trace.save writes traces.") from None
    try:
        return trace_of(given)
    except ValueError as error:
        raise ValueError(f"{path} is no trace: {error}") from None


def trace_of(given: Any) -> Trace:
    """A trace from what ``Trace.to_dict`` said; ``ValueError`` if it is something else."""
    if not isinstance(given, dict) or given.get("format") != FORMAT:
        raise ValueError(f"its format is not {FORMAT!r}.")
    lacking = [name for name in ("estimator", "parameters", "X", "y", "complete", *ARRAYS) if name not in given]
    if lacking:
        raise ValueError(f"it lacks {', '.join(lacking)}.")
    X, y, weight = (_read(given, name) for name in ("X", "y", "sample_weight"))
    arrays = {name: _read(given, name) for name in ARRAYS}
    _check_shapes(arrays, X, y)
    learner = _learner(given)
    if is_classifier(learner):
        learner.classes_ = _read(given, "classes")
    learner.n_iter_, learner.stop_reason_ = int(given.get("passes", 0)), given.get("stop_reason")
    learner.keep_, learner.n_features_in_ = str(given.get("keep")), X.shape[1]
    last = arrays["kept"][-1] if len(arrays["kept"]) else None
    if last is not None and not hasattr(learner, "kernel"):
        learner.coef_ = last[:, :-1] if is_classifier(learner) else last[0, :-1]
        learner.intercept_ = last[:, -1]
    return Trace(learner, **arrays, complete=bool(given["complete"]), X=X, y=y, sample_weight=weight)


def _learner(given: dict[str, Any]) -> Any:
    """The estimator with its parameters, not fitted."""
    named = [each for each in LEARNERS if each.name == given["estimator"]]
    if not named or not isinstance(given["parameters"], dict):
        raise ValueError(f"{given['estimator']!r} is no learner of this package.")
    try:
        learner = named[0].make(**given["parameters"])
        check_parameters(learner)
    except TypeError as error:
        raise ValueError(f"its parameters are not those of {given['estimator']} ({error}).") from None
    return learner


def _check_shapes(arrays: dict[str, np.ndarray], X: np.ndarray, y: np.ndarray) -> None:
    """Raise ``ValueError`` unless all arrays speak about the same steps and rows."""
    if X.ndim != 2 or y.shape != X.shape[:1]:
        raise ValueError("X and y do not have the same number of rows.")
    steps = len(arrays["row"])
    odd = [name for name, values in arrays.items() if len(values) != steps]
    odd += [name for name in ("before", "kept") if arrays[name].shape != arrays["after"].shape]
    if arrays["after"].ndim != 3 or arrays["row"].ndim not in (1, 2):
        odd.append("after")
    if odd:
        raise ValueError(f"its arrays have different lengths: {', '.join(sorted(set(odd)))}.")
    if steps and not (arrays["row"] < len(X)).all():
        raise ValueError("it names a row that X does not have.")


# Arrays and parameters as JSON


def _array(values: np.ndarray) -> dict[str, Any]:
    """An array: its kind of numbers, its shape, and the values one after the other; NaN is null."""
    values = np.asarray(values)
    flat = values.reshape(-1).tolist()
    if values.dtype.kind == "f":
        flat = [None if value != value else value for value in flat]
    if not all(isinstance(value, PLAIN) for value in flat):
        raise ValueError(f"labels of the type {type(flat[0]).__name__} cannot be written: use numbers or text.")
    return {
        "dtype": values.dtype.str if values.dtype.kind in "biuf" else "text",
        "shape": list(values.shape),
        "values": flat,
    }


def _read(given: dict[str, Any], name: str) -> Any:
    """The array of this name; None if there is none."""
    part = given.get(name)
    if part is None:
        return None
    try:
        values = [np.nan if value is None else value for value in part["values"]]
        text = part["dtype"] == "text"
        if not text and np.dtype(part["dtype"]).kind not in "biuf":
            raise ValueError(f"{part['dtype']!r} is no kind of number")
        read = np.array(values, None if text else part["dtype"])
        return read.reshape([int(size) for size in part["shape"]])
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name} is no array ({error}).") from None


def _plain(name: str, value: Any) -> Any:
    """A parameter as JSON holds it."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(name, each) for each in value]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: _plain(name, each) for key, each in value.items()}
    if not isinstance(value, PLAIN):
        raise ValueError(f"{name}={value!r} cannot be written to a file: use a number or a word.")
    return value


# A trace as a table, of text or in a notebook: one line for each step and output.

ALL_LINES = 40  # a table of more steps than this shows the first and the last few only
FEW_LINES = 8
ALL_COLUMNS = 8  # and weights longer than this are shown by their first and last ones


def trace_lines(trace: Trace) -> list[str]:
    """One line for each step and output, columns right-aligned; long tables without their middle."""
    first, last = _steps(trace)
    lines = [_head(trace), *first, *last]
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    text = ["  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
    if last:
        text.insert(1 + len(first), "...".rjust(widths[0]))
    return text


def trace_section(trace: Trace, title: str, said: str) -> Section:
    """The same table for a notebook."""
    head, (first, last) = _head(trace), _steps(trace)
    gap = [["..."] + [""] * (len(head) - 1)] if last else []
    return Section(title, [said], [Table(head, [*first, *gap, *last], "r" * len(head))])


def _steps(trace: Trace) -> tuple[list[list[str]], list[list[str]]]:
    """The lines of all steps; of many, of the first few and of the last few."""
    steps = [range(len(trace)), range(0)]
    if len(trace) > ALL_LINES:
        steps = [range(FEW_LINES), range(len(trace) - FEW_LINES, len(trace))]
    first, last = ([line for number in part for line in _lines_of(trace, number)] for part in steps)
    return first, last


def _head(trace: Trace) -> list[str]:
    outputs, width = trace.after.shape[1:]
    what = ["row", "score"] if trace.row.ndim == 1 else ["rows", "mistakes"][: 1 + is_classifier(trace.estimator)]
    if outputs > 1:
        what.insert(1, "class")
    names = [f"alpha{i}" if trace.dual else f"w{i + 1}" for i in range(width - 1)]
    return ["update" if trace.moved.all() else "step", "pass", *what, *_shortened([*names, "b"])]


def _lines_of(trace: Trace, number: int) -> list[list[str]]:
    """The cells of one step: a line for each output, its number only in the first."""
    update = trace[number]
    outputs = len(update.after)
    lines = []
    for k, weights in enumerate(update.after):
        if trace.row.ndim == 1:
            what = [str(update.row) if k == 0 else "", f"{update.scores[k]:.4g}"]
        else:
            what = [str(len(update.row)), str(update.mistakes)] if k == 0 else ["", ""]
            what = what[: 1 + is_classifier(trace.estimator)]
        if outputs > 1:
            what.insert(1, str(trace.estimator.classes_[k]))
        place = [str(number + 1), str(update.pass_number)] if k == 0 else ["", ""]
        lines.append([*place, *what, *_shortened([f"{w:.4g}" for w in weights])])
    return lines


def _shortened(cells: list[str]) -> list[str]:
    """Without the middle, where there are too many."""
    return cells if len(cells) <= ALL_COLUMNS else [*cells[: ALL_COLUMNS - 3], "...", *cells[-2:]]
