"""``LinearSVM`` over partitions: from rows in their partitions to an ordinary fitted machine, its gap proved."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..checks.arrays import class_factors, find_classes
from ..estimators.linear_svm import LinearSVM, forget_rows, over_norms
from ..estimators.svm_base import canonical, conclude, refuse_bounds
from ..rows.partitions import Partitions
from ..solvers.audit import relative_gap
from ..solvers.shifted_rows import FAR, shifted
from ..system.clock import Clock
from ..system.threads import one_thread
from .active_rows import ActiveRows, dense_enough, look_at, taken
from .blocks_given import Census
from .rounds import PartReading, Ready, prepare
from .svm_rounds import At, RowsThere, Which, answer_all, merge_all, prove, sides, solve

NOTHING = np.empty(0)


class Placed(NamedTuple):
    """Partitions of ``ActiveRows``, and what is known of all of them."""

    engine: Partitions
    rows: int
    columns: int
    weight: float  # of all rows
    counts: np.ndarray  # of rows, of each class
    centre: np.ndarray | None  # where columns were that are far from zero


def place(machine: LinearSVM, engine: Partitions, census: Census, values: list[float]) -> Placed:
    """Rows as a machine with these values of C reads them, in their partitions; sets the classes."""
    machine.loss_ = "hinge" if machine.loss == "hinge" else "squared_hinge"
    machine.classes_ = find_classes(census.labels)
    counts, factors = census.of_classes(machine.classes_), NOTHING
    if machine.class_weight is not None:
        weights = dict(zip(machine.classes_.tolist(), counts[:, 1].tolist(), strict=True))
        factors = class_factors(machine.class_weight, machine.classes_, weights)
        if np.any(factors == 0):
            raise ValueError("class_weight leaves a class without rows: give every class a positive weight.")
    plan = PartReading(np.dtype(np.float64), census.sparse, machine.classes_, factors, 0.0, 0, census.digests)
    engine = engine.map(prepare, plan).map(read_rows, None)
    facts = look_at(engine)
    dense = not census.sparse or dense_enough(facts, census.columns)
    if census.sparse and dense:
        engine = engine.map(as_dense, None)
    known = facts.rows, census.columns, facts.weight, counts[:, 0].astype(int)
    refuse_bounds(min(values) * facts.least, max(values) * facts.most)
    spread = np.sqrt(facts.squares / facts.rows)
    centre = np.where(np.abs(facts.mean) > FAR * spread, facts.mean, 0.0)
    if not dense or not machine.fit_intercept or not centre.any():
        return Placed(engine, *known, None)
    return Placed(engine.map(shift, centre), *known, centre)


def read_rows(number: int, ready: Ready, state: None) -> ActiveRows:
    """The rows of a partition that take part, with their weights."""
    X, target, weight = taken(ready)
    return ActiveRows(canonical(X), target, weight if weight.size else np.ones(target.size))


def as_dense(number: int, rows: ActiveRows, state: None) -> ActiveRows:
    """Sparse rows that have so few zeros that they are better dense."""
    return rows._replace(X=rows.X.toarray())


def shift(number: int, rows: ActiveRows, centre: np.ndarray) -> ActiveRows:
    """Rows less the place where they are."""
    return rows._replace(X=rows.X - centre)


class Fitted(NamedTuple):
    """What is found for one C, of each class."""

    coef: np.ndarray
    bias: np.ndarray
    primals: list[float]
    gaps: list[float]  # proved
    rounds: int
    history: list[tuple[float, float]]  # seconds and gap
    held: int  # rows with alpha > 0, added up over all problems


def solve_all(machine: LinearSVM, placed: Placed, values: list[float], start: np.ndarray | None) -> list[Fitted]:
    """The machine for many values of C, and all its classes, in common rounds."""
    squared, intercept, columns = machine.loss_ == "squared_hinge", machine.fit_intercept, placed.columns
    places = [1] if outputs_of(machine) == 1 else list(range(outputs_of(machine)))
    which = [Which(place, C, squared, intercept) for C in values for place in places]
    least = min(values) * placed.weight / placed.rows
    rows = RowsThere(placed.engine, which, placed.counts, columns, least, Clock(machine.time_limit))
    with one_thread():
        found = solve(rows, start, machine.tol)
        coef, primals = found.weights[:, :columns], found.primal.tolist()
        bias = found.weights[:, columns:].sum(axis=1)
        if placed.centre is not None:
            # the bias is rounded when it is shifted back: what it costs then is worked out again
            bias = shifted(coef, bias, placed.centre, -1)
            near = np.column_stack([coef, shifted(coef, bias, placed.centre, 1)])
            ends = [At(one, weights, 1.0, ()) for one, weights in zip(which, near, strict=True)]
            proofs = placed.engine.fold(answer_all, merge_all, [(prove, at, np.zeros(2)) for at in ends])
            primals = [float(sides(*both).primal[0]) for both in zip(ends, proofs, strict=True)]
    rounds, duals = found.rounds, found.dual.tolist()
    gaps = [relative_gap(*sides, 0.0) for sides in zip(primals, duals, strict=True)]
    fitted = []
    for first in range(0, len(which), len(places)):
        own = slice(first, first + len(places))
        held = sum(found.held[own])
        fitted.append(Fitted(coef[own], bias[own], primals[own], gaps[own], rounds, found.history, held))
        rounds = 0  # which are counted once
    return fitted


def fit_machine(machine: LinearSVM, engine: Partitions, census: Census, before: dict[str, Any]) -> None:
    """Set the attributes of a fit to partitions as they were read; ``before``: those of an earlier fit to start from."""
    placed = place(machine, engine, census, [machine.C])
    start = None
    if before.get("coef_", NOTHING).shape == (outputs_of(machine), placed.columns):
        bias = shifted(before["coef_"], before["intercept_"], placed.centre, 1)
        start = np.column_stack([before["coef_"], bias]) if machine.fit_intercept else before["coef_"]
    [fitted] = solve_all(machine, placed, [machine.C], start)
    set_attributes(machine, fitted)


def fit_path(machine: LinearSVM, engine: Partitions, census: Census, values: list[float]) -> Iterator[Fitted]:
    """Fit for many values of C, in common rounds; the machine has the attributes of each fit in turn."""
    placed = place(machine, engine, census, values)
    for fitted in solve_all(machine, placed, values, None):
        set_attributes(machine, fitted)
        yield fitted


def outputs_of(machine: LinearSVM) -> int:
    """How many problems there are."""
    return 1 if len(machine.classes_) == 2 else len(machine.classes_)


def set_attributes(machine: LinearSVM, fitted: Fitted) -> None:
    """Those that a fit in memory sets, but for those that have a number for every row."""
    forget_rows(machine)
    machine.coef_, machine.intercept_ = fitted.coef, fitted.bias
    machine.margin_ = over_norms(fitted.coef) if len(fitted.coef) > 1 else float(over_norms(fitted.coef)[0])
    machine.solver_ = "newton"
    timed = machine.time_limit is not None and fitted.history[-1][0] >= machine.time_limit
    missed = "time" if timed else "stalled"
    reason = "solved" if max(fitted.gaps) <= machine.tol else missed
    conclude(machine, fitted.primals, fitted.gaps, fitted.rounds, fitted.history, reason)
