"""A perceptron as a first guess: quick, and believed only where exact arithmetic confirms it."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from ...checks.arrays import generator
from ...learn.forms import Binary, Worst
from ...learn.keeps import Average, Last
from ...learn.learning import LoopState
from ...learn.orders import make_order, row_numbers
from ...learn.rows import as_rows, natural
from ...learn.rules import Perceptron
from ...learn.schedule import Schedule
from ...learn.state import MISTAKES, Problem, new_state, row_values
from ...system.clock import Clock
from ..problem.pairs import Direction, Pairs

log = logging.getLogger(__name__)


def learned_direction(
    pairs: Pairs, rows: np.ndarray, *, average: bool, passes: int, time_limit: float | None
) -> Direction | None:
    """The weights, or their average, that a perceptron learns from these rows, every column scaled to about 1, in a limited number of
    passes; None if they are all zero."""
    classes, target = np.unique(pairs.target[rows], return_inverse=True)
    machine = _machine(pairs.moved(rows), target.astype(np.int32), classes.size, pairs.fit_intercept, average)
    _learn(machine, passes, Clock(time_limit))
    coef, intercept = machine.keep.handed_back(machine.state, machine.problem.rows)
    weights = np.zeros((pairs.n_rivals + 1, pairs.n_features + 1))
    weights[classes if classes.size > 2 else classes[1:]] = np.hstack([coef, intercept[:, None]])
    kept = np.append(pairs.columns, pairs.n_features) if pairs.fit_intercept else pairs.columns
    v = (weights[1:] - weights[0])[:, kept].ravel()
    return Direction(v / np.abs(v).max()) if np.any(v) else None


def _machine(X: Any, target: np.ndarray, n_classes: int, fit_intercept: bool, average: bool) -> LoopState:
    """A perceptron that learns from zero weights, row by row."""
    outputs = n_classes if n_classes > 2 else 1
    rows = as_rows(X, outputs)
    problem = Problem(rows, target, np.empty(0), row_numbers(target.size), float(fit_intercept))
    keep = Average() if average else Last()
    state = new_state(keep.pauses, natural(rows, np.zeros((outputs, X.shape[1]))), np.zeros(outputs), average)
    form = Worst(Perceptron()) if outputs > 1 else Binary(Perceptron())
    return LoopState(form, lambda: Schedule(1.0), problem, keep, state, batch=1)


def _learn(machine: LoopState, passes: int, clock: Clock) -> None:
    """Passes over the rows, shuffled anew, until one has no mistake or the time is over."""
    problem, counts = machine.problem, machine.state.counts
    row_bytes = row_values(problem.rows, problem.members) * sum(part.itemsize for part in problem.rows[:2])
    next_pass = make_order("shuffle", problem.members, problem.target, row_bytes, generator(0))
    for _ in range(passes):
        before = counts[MISTAKES]
        machine.one_pass(*next_pass(), clock=clock)
        if counts[MISTAKES] == before or clock.over:
            break
    log.info("perceptron: %d mistakes in all, %d in its last pass", counts[MISTAKES], counts[MISTAKES] - before)
