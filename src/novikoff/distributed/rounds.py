"""Rounds over partitions: a source of passes for the one driver, ``learn.learning``.

A pass is a fold.  Online rules mix (McDonald, Hall & Mann 2010): every partition makes one pass from the shared weights w, its
rows in its order, and then

    w <- sum_i mu_i w_i,        mu_i: partition i's share of the weight of all rows.

If some u of length 1 has y u.x >= gamma for all rows, of length R at most, the perceptron's mistakes k_in of partition i in round n
obey sum_n sum_i mu_i k_in <= R^2 / gamma^2 (two classes): u.w grows by at least mu_i gamma with each of them, and |w|^2, which is
convex, by at most mu_i R^2.  Averages merge as sums over all samples of all partitions.  Rules that take one step from all rows
(``batch_size="all"``) need no mixing: their steps are summed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from operator import add
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..inputs.clock import Clock
from ..inputs.targets import class_numbers
from ..learn.keeps import Last, Pocket
from ..learn.machine import Machine, Overflow, Watch
from ..learn.orders import row_numbers
from ..learn.rows import as_rows
from ..learn.schedule import Schedule
from ..learn.sources import InMemory, Part, Source, Survey, both, take_step, weight_of_part
from ..learn.state import (
    BATCHES,
    COUNTED,
    MISTAKES,
    MOVES,
    NEVER,
    RIGHT_RUN,
    SEEN,
    SURVIVED,
    Problem,
    State,
    copied,
    total_weight,
)
from ..learn.sweep import survey
from ..rows.partitions import Partitions
from .blocks_given import Given, aligned
from .digests import Digest, unchanged


class Plan(NamedTuple):
    """What a learner says of all rows before the first round."""

    dtype: np.dtype[Any]
    sparse: bool
    classes: np.ndarray  # of numbers none
    factors: np.ndarray  # of the weights of classes; empty: all are 1
    share_held_out: float
    seed: int
    digests: dict[int, Digest]  # that partitions must have; empty: that was looked at before


class Ready(NamedTuple):
    """A partition, as it is learned from."""

    X: Any
    target: np.ndarray
    weight: np.ndarray  # empty: all are 1
    members: np.ndarray  # the rows that are learned from
    held_out: np.ndarray  # those that judge


def prepare(number: int, block: Given, plan: Plan) -> Ready:
    """A partition as it is learned from: rows of one kind, targets as kernels read them, rows held out.  Those are drawn one
    by one, so that small partitions have their share, too."""
    X, y, weight = (unchanged(number, block, plan.digests) if plan.digests else block)[:3]
    X = sparse.csr_array(X) if plan.sparse else X
    X = X.astype(plan.dtype, copy=False)
    target = y
    takes_part = weight > 0 if weight.size else np.ones(y.size, bool)
    if plan.classes.size:
        target = np.zeros(y.size, np.int32)
        target[takes_part] = class_numbers(y[takes_part], plan.classes)
    if plan.factors.size:
        weight = (weight if weight.size else np.ones(y.size)) * plan.factors[target]
        takes_part &= weight > 0
    out = np.zeros(y.size, bool)
    if plan.share_held_out:
        out = np.random.default_rng([plan.seed, number]).random(y.size) < plan.share_held_out
    members, held_out = (row_numbers(np.flatnonzero(takes_part & side)) for side in (~out, out))
    return Ready(X, target, weight, members, held_out)


class Shape(NamedTuple):
    """How kernels read partitions."""

    columns: int
    outputs: int
    constant2: float


def part_of(ready: Ready, shape: Shape) -> Part:
    """The rows of a partition that are learned from.  They may have been read anew: kernels rely on the number of columns."""
    if ready.X.shape[1] != shape.columns:
        raise ValueError(f"A partition had {shape.columns} columns before, and now has {ready.X.shape[1]}.")
    X, target, weight, members, _ = map(aligned, ready)
    return Part(X, Problem(as_rows(X, shape.outputs), target, weight, members, shape.constant2), members, members[:0])


def say_of(function: Callable[[Part], Any], number: int, ready: Ready, shape: Shape) -> Any:
    """What a function says of a partition's rows, if it has any."""
    return function(part_of(ready, shape)) if ready.members.size else None


def survey_part(form: Any, weights: np.ndarray, bias: np.ndarray, part: Part) -> Survey:
    """What weights do on the rows of a partition."""
    errors, lost, least, _ = survey(form, part.problem, weights, bias)
    return Survey(errors, lost, least, total_weight(part.problem))


class Round(NamedTuple):
    """What a partition needs to know to make its pass."""

    form: Any
    schedule: Schedule
    state: State
    shape: Shape
    order: str
    batch: int
    seed: tuple[int, int]  # and the number of the round
    weight: float  # of all rows of all partitions


def pass_over(number: int, ready: Ready, told: Round, schedule: Schedule) -> tuple[State, float, float]:
    """One pass over a partition's rows: the state after it, the loss, and the work.  The state that it starts from is left as it
    is."""
    part = part_of(ready, told.shape)
    state = copied(told.state)._replace(pauses=NEVER)
    machine = Machine(told.form, lambda: schedule, part.problem, Last(), state, told.batch)
    source = InMemory(part.X, part.problem, told.order, np.random.default_rng([*told.seed, number]))
    [ordered] = source.parts(told.seed[1], machine)
    try:
        machine.one_pass(ordered.order, ordered.ahead)
    except Overflow as overflow:
        overflow.row = f"{overflow.row} of partition {number}"
        raise
    return state, machine.lost, machine.work


class Mixed(NamedTuple):
    """What partitions have learned in a round, all in float64."""

    weights: np.ndarray  # sum_i mu_i w_i
    bias: np.ndarray
    sums: np.ndarray  # for an average: the weights after each sample, added up; else empty
    bias_sums: np.ndarray
    counts: np.ndarray  # mistakes, rows that moved the weights, their weight, loss, work
    batches: float  # of the partition that had the most


def mix_one(number: int, ready: Ready, told: Round) -> Mixed | None:
    """One partition's pass from the shared weights."""
    if not ready.members.size:
        return None
    begun = copied(told.state)
    for array in begun.overcount, begun.bias_overcount:
        array[...] = 0.0
    begun.counts[[MISTAKES, MOVES, SEEN, COUNTED]] = 0.0
    state, lost, work = pass_over(number, ready, told._replace(state=begun), told.schedule)
    weights, bias, overcount, bias_overcount, counts = (array.astype(np.float64) for array in state[:5])
    mu = weight_of_part(part_of(ready, told.shape)) / told.weight
    averages = overcount.size > 0
    return Mixed(
        mu * weights,
        mu * bias,
        counts[COUNTED] * weights - overcount if averages else overcount,
        counts[SEEN] * bias - bias_overcount if averages else bias_overcount,
        np.array([counts[MISTAKES], counts[MOVES], counts[SEEN], lost, work]),
        float(counts[BATCHES]),
    )


def mix_both(one: Mixed, other: Mixed) -> Mixed:
    """What the partitions of both have learned."""
    weights, bias, sums, bias_sums, counts = (a + b for a, b in zip(one[:5], other[:5], strict=True))
    return Mixed(weights, bias, sums, bias_sums, counts, max(one.batches, other.batches))


def take_in(machine: Machine, mixed: Mixed) -> None:
    """Make the mixture the machine's state."""
    state = machine.state
    counts = state.counts
    mistakes, moves, seen, lost, work = mixed.counts.tolist()
    if state.overcount.size:
        sums = counts[COUNTED] * state.weights - state.overcount + mixed.sums
        bias_sums = counts[SEEN] * state.bias - state.bias_overcount + mixed.bias_sums
        state.overcount[...] = -sums
        state.bias_overcount[...] = (counts[SEEN] + seen) * mixed.bias - bias_sums
    counts[COUNTED] = 0.0  # the overcount knows all sums
    state.weights[...], state.bias[...] = mixed.weights, mixed.bias
    counts[[MISTAKES, MOVES, SEEN]] += mistakes, moves, seen
    counts[SURVIVED] = 0.0 if moves else counts[SURVIVED] + seen
    counts[RIGHT_RUN] = 0.0
    counts[BATCHES] = mixed.batches
    machine.lost, machine.work, machine.touched = machine.lost + lost, machine.work + work, True


class Stepped(NamedTuple):
    """The steps of partitions that started from the same weights, in float64."""

    changes: tuple[np.ndarray, ...]  # of the first five arrays of a state
    lost: float
    work: float


def step_one(number: int, ready: Ready, told: Round) -> Stepped | None:
    """The step of one partition, without decay."""
    if not ready.members.size:
        return None
    state, lost, work = pass_over(number, ready, told, told.schedule._replace(lam=0.0))
    before = (array.astype(np.float64) for array in told.state[:5])
    return Stepped(tuple(new - old for new, old in zip(state[:5], before, strict=True)), lost, work)


def step_both(one: Stepped, other: Stepped) -> Stepped:
    """The sum."""
    changes = tuple(a + b for a, b in zip(one.changes, other.changes, strict=True))
    return Stepped(changes, one.lost + other.lost, one.work + other.work)


class RoundPocket(Pocket):
    """The pocket of rounds: errors are counted once a round, where the rows lie."""

    pauses = NEVER

    def __init__(self, count: Callable[[], float]) -> None:
        super().__init__()
        self._count_all = count

    def _count(self, state: State, problem: Problem) -> float:
        return self._count_all()


def alone(keep: Last) -> Last:
    """The same keep, which knows nothing of partitions."""
    if not isinstance(keep, RoundPocket):
        return keep
    pocket = Pocket()
    pocket.recall(keep.remembered(), 0)
    return pocket


class Rounds(Source):
    """Partitions of an engine, each ``Ready``; ``weight``: of all rows that are learned from, if that is known."""

    def __init__(
        self, engine: Partitions, shape: Shape, order: str, batch: int, seed: int, weight: float | None = None
    ) -> None:
        self.engine, self.shape, self._order, self._batch, self._seed = engine, shape, order, batch, seed
        self.weight: float = self.fold(weight_of_part, add) if weight is None else weight
        self.summed = batch == sys.maxsize  # whether all rows together make one step

    def fold(self, function: Callable[[Part], Any], merge: Callable[[Any, Any], Any]) -> Any:
        return self.engine.fold(partial(say_of, function), merge, self.shape)

    def survey(self, machine: Machine) -> Survey:
        state = machine.state
        found: Survey = self.fold(partial(survey_part, machine.form, state.weights, state.bias), both)
        return found

    def make_pass(self, machine: Machine, number: int, clock: Clock | None, watch: Watch | None) -> str:
        """One round.  It is made as a whole or not at all: no clock cuts it short."""
        how = self.shape, self._order, self._batch, (self._seed, number), self.weight
        told = Round(machine.form, machine.schedule, machine.state, *how)
        if not self.summed:
            take_in(machine, self.engine.fold(mix_one, mix_both, told))
            return ""
        stepped: Stepped = self.engine.fold(step_one, step_both, told)
        total = copied(machine.state)
        for array, change in zip(total[:5], stepped.changes, strict=True):
            array[...] = array + change
        machine.lost, machine.work, machine.touched = machine.lost + stepped.lost, machine.work + stepped.work, True
        take_step(machine, total)
        return ""
