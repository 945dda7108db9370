"""Fitting to rows that are read part by part, as those of a file larger than memory are.

What ``fit`` does with rows in memory, this does with a source that has ``no_rows``, ``targets``, ``looks`` and ``apart``: early
stopping, ``tol``, full history, batches of all rows, the radius of all rows, warm starts and callbacks included.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import is_regressor

from ..inputs.arrays import ColumnNames, generator, names_of
from ..inputs.targets import class_factors, find_classes
from ..learn.first_weights import hold_out, squared_constant, squared_radius
from ..learn.keeps import KEEPS
from ..learn.machine import Machine
from ..learn.orders import NEEDS_ALL_ROWS
from ..learn.rows import as_rows
from ..learn.sources import Part, Source, Summed
from ..learn.state import Problem
from ..learn.stops import FOR_EVER
from .advice import not_there_yet
from .base import LinearLearner, as_before_an_error, fitted_anew, run, score_apart
from .classifier import ONE_CLASS_LEFT
from .combinations import check_again, order_meant, refuse_senseless


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


def fit_parts(
    learner: Any,
    source: Any,
    most: int,
    *,
    go_on: bool = False,
    on_pass: Callable[[LinearLearner], bool] | None = None,
) -> None:
    """Learn from all parts until ``most`` passes are made or a stop applies; ``go_on``: from what the learner has learned."""
    refused = needs_all_rows(learner)
    if refused:
        raise ValueError(refused)
    if go_on and learner.stop_reason_ in FOR_EVER:
        return
    learner._validate_params()
    refuse_senseless(learner)
    if go_on:
        check_again(learner, learner._learned.parameters)
    with as_before_an_error(learner) if go_on else fitted_anew(learner) as before:
        order = order_meant(learner)
        machine = _begin(learner, source, order, before or {})
        rows = Summed(source) if learner.batch_size == "all" else source
        outcome = run(
            learner,
            machine,
            rows,
            order,
            held_out=lambda by: score_apart(by, source.apart()),
            on_pass=on_pass,
            most=most,
        )
    not_there_yet(learner, None, outcome)


def _begin(learner: Any, source: Any, order: str, before: dict[str, Any]) -> Machine:
    """Tell the source what the learner says of its rows, and make what learns from them."""
    source.order = "cyclic" if order == "cyclic" else "shuffle"
    source.batch = 1 if learner.batch_size == "all" else learner.batch_size
    if not is_regressor(learner):
        know_classes(learner, source)
    rng = generator(learner.random_state)
    if learner.early_stopping:
        hold_out_rows(learner, source, rng)
    X = source.no_rows()
    learner.n_features_in_ = X.shape[1]
    source.outputs = learner._n_outputs
    none = np.empty(0, dtype=np.int32)
    if learner._learned.begun:
        source.constant2 = learner._learned.constant2
        problem, keep, state = learner._go_on(X, none, np.empty(0), none)
    else:
        source.constant2 = squared_constant(learner, lambda: largest_square(learner, source))
        problem = Problem(as_rows(X, source.outputs), none, np.empty(0), none, source.constant2)
        keep, state = learner._begin(problem, rng, X.dtype, before if learner.warm_start else None)
    machine: Machine = learner._machine(source, problem, keep, state)
    return machine


def largest_square(learner: Any, source: Source) -> float:
    """The largest squared norm of all rows; 0 if there are none."""
    return source.fold(partial(_largest_square, names_of(learner)), max) or 0.0


def _largest_square(names: ColumnNames, part: Part) -> float:
    return squared_radius(names, part.X, part.problem.members)


def know_classes(learner: Any, source: Any) -> None:
    """Set the classes, and the factors of their weights, which go by all rows."""
    classes = learner.classes_ = find_classes(source.labels)
    counts = np.bincount(source.class_number, source.counts, classes.size)
    if learner.class_weight is None:
        return
    some = counts > 0
    learner._learned.class_counts = dict(zip(classes[some].tolist(), counts[some].tolist(), strict=True))
    source.factors = class_factors(learner.class_weight, classes, learner._learned.class_counts)
    if np.count_nonzero(source.factors[some]) < 2:
        raise ValueError(ONE_CLASS_LEFT)


def hold_out_rows(learner: Any, source: Any, rng: np.random.Generator) -> None:
    """Hold out the rows that ``fit`` would hold out."""
    rows, target = source.targets()
    if source.factors.size:
        weighty = source.factors[target] > 0
        rows, target = rows[weighty], target[weighty]
    _, out = hold_out(np.arange(rows.size), target, learner.validation_fraction, rng)
    source.held_out = np.zeros(int(rows.max()) + 1, dtype=bool)
    source.held_out[rows[out]] = True
