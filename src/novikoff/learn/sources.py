"""Where the rows of a pass come from: all that differs between ``fit``, ``partial_fit``, files and whatever comes next.

A source cuts its rows into parts that fit into memory, and makes passes over them.  Of rows in memory there is one part;
of a file there are many, one after the other; partitions each make their pass from the same weights, as the parts of
``Summed`` do, before those are merged (``distributed.rounds``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from ..inputs.clock import Clock
from .machine import Machine, Overflow, Watch
from .orders import Drawn, Pass, make_order, row_numbers
from .rows import CSR, Dense
from .state import (
    BATCHES,
    COUNTED,
    MOVES,
    NEVER,
    RIGHT_RUN,
    SEEN,
    SURVIVED,
    Problem,
    State,
    copied,
    row_values,
    total_weight,
)
from .sweep import Records, passes_made


class Part(NamedTuple):
    """Rows that are in memory at once."""

    X: Any  # the rows as scikit-learn has them
    problem: Problem  # the same as kernels read them
    order: np.ndarray  # the row numbers, as they are learned from
    ahead: np.ndarray  # the row numbers to fetch meanwhile; empty: none
    names: np.ndarray | None = None  # what a message calls these rows, if not by their numbers


class Survey(NamedTuple):
    """What weights do on rows."""

    errors: float  # the weight of rows that are answered wrongly
    lost: float  # the loss, weighted
    least: float  # the smallest margin
    weight: float  # of all rows


def both(one: Survey, other: Survey) -> Survey:
    """What weights do on the rows of two surveys."""
    least = other.least if not other.least >= one.least else one.least  # NaN is the least of all
    return Survey(one.errors + other.errors, one.lost + other.lost, least, one.weight + other.weight)


class Source:
    """Rows to learn from.

    ``prove``: what finds out whether their classes are separable, where who has the rows knows how.
    """

    prove: Callable[[], Any] | None = None

    def parts(self, number: int, machine: Machine) -> Iterator[Part]:
        """The parts of pass ``number``, in the order in which they are learned from."""
        raise NotImplementedError

    def looks(self) -> Iterator[Part]:
        """All rows once, as they lie, part by part: for those who look at them without learning."""
        raise NotImplementedError

    def fold(self, function: Callable[[Part], Any], merge: Callable[[Any, Any], Any]) -> Any:
        """What ``function`` says of each part, merged; None if there are no parts."""
        answers = map(function, self.looks())
        return reduce(merge, answers, next(answers, None))

    def survey(self, machine: Machine) -> Survey:
        """What the running weights do on all rows."""

        def of_part(part: Part) -> Survey:
            machine.turn_to(part.problem)
            return Survey(*machine.survey()[:3], total_weight(part.problem))

        return self.fold(of_part, both) or Survey(0.0, 0.0, np.inf, 0.0)

    def at_once(self, machine: Machine) -> int:
        """How many passes may be made in one call of ``make_passes``; 1: none are."""
        return 1

    def make_passes(self, machine: Machine, records: Records) -> None:
        """Make as many passes as ``records`` has room for, or fewer: see ``sweep``."""
        raise NotImplementedError

    def make_pass(self, machine: Machine, number: int, clock: Clock | None, watch: Watch | None) -> str:
        """Learn from every part; the reason if the pass was cut short."""
        for place, part in enumerate(self.parts(number, machine)):
            if place and clock is not None and clock.over:
                return "time"
            cut = learn_from(part, machine, number, clock, watch)
            if cut:
                return cut
        return ""


def weight_of_part(part: Part) -> float:
    """The weight of its rows."""
    return total_weight(part.problem)


def learn_from(part: Part, machine: Machine, number: int, clock: Clock | None, watch: Watch | None) -> str:
    """Learn from one part; the reason if that was cut short."""
    machine.turn_to(part.problem)
    try:
        return machine.one_pass(part.order, part.ahead, clock=clock, watch=watch, number=number)
    except Overflow as overflow:
        overflow.X = part.X
        if part.names is not None:
            overflow.row = int(part.names[overflow.row])
        raise


class InMemory(Source):
    """All rows in memory, in an order of ``orders``.  ``given``: X as it was handed in."""

    def __init__(self, X: Any, problem: Problem, order: str, rng: np.random.Generator, given: Any = None) -> None:
        self.X, self.problem, self.order, self.given = X, problem, order, given
        row_bytes = 0.0  # in the dual form rows are read by matrix products, which fetch them as they need them
        if isinstance(problem.rows, Dense | CSR):
            row_bytes = row_values(problem.rows, problem.members) * sum(part.itemsize for part in problem.rows[:2])
        self._next = make_order(order, problem.members, problem.target, row_bytes, rng)
        self._shuffled = self._next if isinstance(self._next, Drawn) and self._next.only_shuffles else None

    def at_once(self, machine: Machine) -> int:
        return 1 if self._shuffled is None else machine.at_once(self.problem.members)

    def make_passes(self, machine: Machine, records: Records) -> None:
        shuffled = self._shuffled
        assert shuffled is not None  # else there are no several passes at once
        machine.turn_to(self.problem)
        order = shuffled.several(len(records.bias))
        try:
            machine.passes(order.reshape(-1), records)
        except Overflow as overflow:
            overflow.X = self.X
            raise
        finally:
            shuffled.used(order, passes_made(records))

    def parts(self, number: int, machine: Machine) -> Iterator[Part]:
        yield Part(self.X, self.problem, *self._rows(machine))

    def _rows(self, machine: Machine) -> Pass:
        if self.order != "worst":
            return self._next()
        worst = row_numbers(np.array([machine.survey()[3]]))
        return worst, worst[:0]

    def looks(self) -> Iterator[Part]:
        members = self.problem.members
        yield Part(self.X, self.problem, members, members[:0])


class AsGiven(Source):
    """Rows that come once, as they were given: those of a call of ``partial_fit``."""

    def __init__(self, X: Any, problem: Problem, learn: bool = True) -> None:
        members = problem.members
        self._part = Part(X, problem, members if learn else members[:0], members[:0])

    def parts(self, number: int, machine: Machine) -> Iterator[Part]:
        return self.looks()

    def looks(self) -> Iterator[Part]:
        yield self._part


class Summed(Source):
    """One step from all parts of another source together (``batch_size="all"``): each part makes its steps from the same
    weights, and what they change is added up.

    Decay comes once, at the end: with w the weights before, S the sum of the steps and a the factor of the decay,
    ``w' = a w + S``.  An average then takes in the samples that w was held for, and those of this pass, which w' counts for.
    """

    def __init__(self, source: Source) -> None:
        self._source = source

    def looks(self) -> Iterator[Part]:
        return self._source.looks()

    def fold(self, function: Callable[[Part], Any], merge: Callable[[Any, Any], Any]) -> Any:
        return self._source.fold(function, merge)

    def make_pass(self, machine: Machine, number: int, clock: Clock | None, watch: Watch | None) -> str:
        """One step.  It is made as a whole or not at all: no clock cuts it short."""
        state, schedule = machine.state, machine.schedule
        machine.schedule = schedule._replace(lam=0.0)
        total: State | None = None
        try:
            for part in self._source.parts(number, machine):
                machine.state = copied(state)._replace(pauses=NEVER)
                learn_from(part, machine, number, None, None)
                total = machine.state if total is None else added(total, machine.state, state)
        except BaseException:
            machine.touched = False  # nothing was learned
            raise
        finally:
            machine.state, machine.schedule = state, schedule
        if total is not None:
            take_step(machine, total)
        return ""


def added(total: State, new: State, old: State) -> State:
    """The sum with what changed from the old state to the new one."""
    right_run = total.counts[RIGHT_RUN] + new.counts[RIGHT_RUN] - old.counts[RIGHT_RUN]
    broken = min(total.counts[RIGHT_RUN], new.counts[RIGHT_RUN]) == 0
    for whole, now, then in zip(total[:5], new[:5], old[:5], strict=True):
        whole += now - then
    total.counts[RIGHT_RUN] = 0.0 if broken else right_run
    return total


def take_step(machine: Machine, total: State) -> None:
    """Move the machine's state to ``total``, the sum of all parts, which knows of no decay."""
    state, schedule = machine.state, machine.schedule
    counts, before = total.counts, state.counts
    moved, seen = counts[MOVES] > before[MOVES], counts[SEEN] - before[SEEN]
    if moved and state.pauses != NEVER:
        machine.keep.retire(state, machine.problem)
    counts[SURVIVED] = seen if moved else before[SURVIVED] + seen
    if schedule.lam:
        rate = schedule.eta / (1 + schedule.slowing * before[BATCHES])
        total.weights[...] += (max(0.0, 1 - rate * schedule.lam) - 1) * state.weights
        if total.overcount.size:
            total.overcount[...] = state.overcount - before[COUNTED] * state.weights - seen * total.weights
        counts[COUNTED] = 0.0
    counts[BATCHES] = before[BATCHES] + 1
    for part, now in zip(state[:5], total[:5], strict=True):
        part[...] = now
