"""``LinearSVM`` over partitions: from rows where they lie to an ordinary fitted machine, its gap proved."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..estimators.linear_svm import LinearSVM, over_norms
from ..estimators.svm_base import canonical, refuse_bounds
from ..inputs.clock import Clock
from ..inputs.targets import class_factors, find_classes
from ..inputs.threads import one_thread
from ..solvers.problem import Answer
from ..solvers.shifted_rows import FAR, shifted
from ..solvers.solve import Outcome
from .blocks_given import Census
from .folding import Engine
from .rounds import Plan, Ready, prepare
from .svm_rounds import Best, Proof, Task, Which, answer_all, merge_all, primal_bound, run_rounds, solve
from .taken_rows import Rows, dense_enough, look_at, taken

NOTHING = np.empty(0)


def refuse_machine(machine: Any) -> None:
    """Refuse what partitions cannot do, with the reason."""
    name, why = type(machine).__name__, ""
    if not isinstance(machine, LinearSVM):
        why = "its kernel needs every row beside every other"
    elif np.isinf(machine.C):
        why = "C=inf asks for a proof that the classes are separable; choose a finite C"
    elif machine.multiclass == "crammer_singer":
        why = "multiclass='crammer_singer' solves for all classes at once; use 'ovr'"
    elif machine.solver != "auto":
        why = f"solver={machine.solver!r} keeps a number for every row in one place; use 'auto'"
    if why:
        raise ValueError(f"{name} cannot learn from partitions: {why}.")


class Placed(NamedTuple):
    """Partitions of ``Rows``, and what is known of all of them."""

    engine: Engine
    rows: int
    columns: int
    weight: float  # of all rows
    centre: np.ndarray | None  # where columns were that are far from zero


def place(machine: LinearSVM, engine: Engine, census: Census, values: list[float]) -> Placed:
    """Rows as a machine with these values of C reads them, where they lie; sets the classes."""
    machine.loss_ = "hinge" if machine.loss == "hinge" else "squared_hinge"
    machine.classes_ = find_classes(census.labels)
    counts: dict[Any, float] = dict.fromkeys(machine.classes_.tolist(), 0.0)
    for of_partition in census.counts.values():
        for label, (_, weight) in of_partition.items():
            counts[label] += weight
    factors = NOTHING
    if machine.class_weight is not None:
        factors = class_factors(machine.class_weight, machine.classes_, counts)
        if np.any(factors == 0):
            raise ValueError("class_weight leaves a class without rows: give every class a positive weight.")
    plan = Plan(np.dtype(np.float64), census.sparse, machine.classes_, factors, 0.0, 0, census.digests)
    engine = engine.map(prepare, plan).map(read_rows, None)
    facts = look_at(engine)
    dense = not census.sparse or dense_enough(facts, census.columns)
    if census.sparse and dense:
        engine = engine.map(as_dense, None)
    refuse_bounds(min(values) * facts.least, max(values) * facts.most)
    spread = np.sqrt(facts.squares / facts.rows)
    centre = np.where(np.abs(facts.mean) > FAR * spread, facts.mean, 0.0)
    if not dense or not machine.fit_intercept or not centre.any():
        return Placed(engine, facts.rows, census.columns, facts.weight, None)
    return Placed(engine.map(shift, centre), facts.rows, census.columns, facts.weight, centre)


def read_rows(number: int, ready: Ready, state: None) -> Rows:
    """The rows of a partition that take part, with their weights."""
    X, target, weight = taken(ready)
    return Rows(canonical(X), target, weight if weight.size else np.ones(target.size))


def as_dense(number: int, rows: Rows, state: None) -> Rows:
    """Sparse rows that have so few zeros that they are better dense."""
    return rows._replace(X=rows.X.toarray())


def shift(number: int, rows: Rows, centre: np.ndarray) -> Rows:
    """Rows less the place where they are."""
    return rows._replace(X=rows.X - centre)


class Fitted(NamedTuple):
    """What is found for one C."""

    outcomes: list[Outcome]
    held: int  # rows with alpha > 0, added up over all problems


def solve_all(machine: LinearSVM, placed: Placed, values: list[float], starts: list[np.ndarray | None]) -> list[Fitted]:
    """The machine for many values of C, and all its classes, in common rounds."""
    squared = machine.loss_ == "squared_hinge"
    places = [1] if outputs_of(machine) == 1 else list(range(outputs_of(machine)))
    clock = Clock(machine.time_limit)
    which = [Which(place, C, squared, machine.fit_intercept) for C in values for place in places]
    mean = placed.weight / placed.rows
    tasks = [Task(one, placed.rows, placed.columns, one.C * mean, machine.tol, clock) for one in which]
    solvers = [solve(task, start) for task, start in zip(tasks, starts * len(values), strict=True)]
    with one_thread():
        solved, rounds = run_rounds(placed.engine, solvers)
        outcomes = handed_back(
            placed, which, solved, "newton" if squared or not tasks[0].narrow else "newton+interior", machine.tol
        )
    outcomes[0] = outcomes[0]._replace(iterations=rounds)
    held = [one.held for one in solved]
    step = len(places)
    return [Fitted(outcomes[k : k + step], sum(held[k : k + step])) for k in range(0, len(which), step)]


def handed_back(placed: Placed, which: list[Which], solved: list[Best], solver: str, tol: float) -> list[Outcome]:
    """Outcomes as every machine reports them.  The bias of shifted rows is rounded when it is shifted back: then the objective is
    worked out once more."""
    biases = [float(one.weights[-1]) if w.intercept else 0.0 for one, w in zip(solved, which, strict=True)]
    coefs = [one.weights[: placed.columns] for one in solved]
    primals = [one.primal for one in solved]
    if placed.centre is not None:
        biases = [shifted(w, b, placed.centre, -1) for w, b in zip(coefs, biases, strict=True)]
        near = [np.append(w, shifted(w, b, placed.centre, 1)) for w, b in zip(coefs, biases, strict=True)]
        asks = [Proof(w, weights, 1.0) for w, weights in zip(which, near, strict=True)]
        proofs = placed.engine.fold(answer_all, merge_all, asks)
        primals = [primal_bound(weights, True, proof.cost) for weights, proof in zip(near, proofs, strict=True)]
    outcomes = []
    for w, b, primal, one in zip(coefs, biases, primals, solved, strict=True):
        answer = Answer(w, b, NOTHING, primal, one.dual)
        reason = "stalled" if one.reason == "solved" and answer.gap > tol else one.reason
        outcomes.append(Outcome(answer, solver, 0, one.history, reason))
    return outcomes


def fit_machine(machine: LinearSVM, engine: Engine, census: Census, before: dict[str, Any]) -> None:
    """Set the attributes of a fit to partitions as they were read; ``before``: those of an earlier fit to start from."""
    placed = place(machine, engine, census, [machine.C])
    starts: list[np.ndarray | None] = [None] * outputs_of(machine)
    if before.get("coef_", NOTHING).shape == (len(starts), placed.columns):
        bias = shifted(before["coef_"], before["intercept_"], placed.centre, 1)
        starts = list(np.column_stack([before["coef_"], bias]) if machine.fit_intercept else before["coef_"])
    [fitted] = solve_all(machine, placed, [machine.C], starts)
    set_attributes(machine, fitted)


def fit_path(machine: LinearSVM, engine: Engine, census: Census, values: list[float]) -> Iterator[Fitted]:
    """Fit for many values of C, in common rounds; the machine has the attributes of each fit in turn."""
    placed = place(machine, engine, census, values)
    starts: list[np.ndarray | None] = [None] * outputs_of(machine)
    for fitted in solve_all(machine, placed, values, starts):
        set_attributes(machine, fitted)
        yield fitted


def outputs_of(machine: LinearSVM) -> int:
    """How many problems there are."""
    return 1 if len(machine.classes_) == 2 else len(machine.classes_)


def set_attributes(machine: LinearSVM, fitted: Fitted) -> None:
    """Those that a fit in memory sets, but for those that have a number for every row."""
    for name in ("support_", "dual_coef_", "slack_", "_last"):  # of an earlier fit
        machine.__dict__.pop(name, None)
    outcomes = fitted.outcomes
    machine.coef_ = np.array([outcome.answer.w for outcome in outcomes])
    machine.intercept_ = np.array([outcome.answer.b for outcome in outcomes])
    machine.margin_ = over_norms(machine.coef_) if len(outcomes) > 1 else float(over_norms(machine.coef_)[0])
    machine.solver_ = outcomes[0].solver
    machine._report(outcomes)
