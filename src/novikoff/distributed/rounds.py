"""Rounds over partitions: a source of passes for the one driver, ``learn.learning``.

A pass is a fold.  Online rules mix (McDonald, Hall & Mann 2010): every partition makes one pass from the shared weights w, its
rows in its order, and then

    w <- sum_i mu_i w_i,        mu_i: partition i's share of the weight of all rows.

If some u of length 1 has y u.x >= gamma for all rows, of length R at most, the perceptron's mistakes k_in of partition i in round n
obey sum_n sum_i mu_i k_in <= R^2 / gamma^2 (two classes): u.w grows by at least mu_i gamma with each of them, and |w|^2, which is
convex, by at most mu_i R^2.  Averages merge as sums over all samples of all partitions.  Rules that take one step from all rows
(``batch_size="all"``) need no mixing: their steps are summed.  What a rule remembers of weights and outputs are sums, to which every
partition adds what it saw; what it remembers of columns are maxima.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import add
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from ..checks.arrays import class_numbers
from ..learn.keeps import Last, Pocket
from ..learn.learning import (
    LoopState,
    Overflow,
    Part,
    Plan,
    RowSource,
    Survey,
    Watch,
    both,
    passes_over,
    take_step,
    weight_of_part,
)
from ..learn.orders import row_numbers
from ..learn.rows import as_rows
from ..learn.schedule import Schedule
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
from ..system.clock import Clock
from .blocks_given import Block, Census, Digest, aligned, unchanged

MOST_SEED = 2**63


class PartReading(NamedTuple):
    """How partitions are made ready."""

    dtype: np.dtype[Any]
    sparse: bool
    classes: np.ndarray | None  # None: targets are numbers
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


def prepare(number: int, block: Block, how: PartReading) -> Ready:
    """A partition as it is learned from: rows of one kind, targets as kernels read them, rows held out.  Those are drawn one
    by one, so that small partitions have their share, too."""
    X, y, weight = (unchanged(number, block, how.digests) if how.digests else block)[:3]
    X = sparse.csr_array(X) if how.sparse else X
    X = X.astype(how.dtype, copy=False)
    target, factors = y, how.factors
    takes_part = weight > 0 if weight.size else np.ones(y.size, bool)
    if how.classes is not None:
        target = np.zeros(y.size, np.int32)
        target[takes_part] = class_numbers(y[takes_part], how.classes)
    if factors.size:
        weight = (weight if weight.size else np.ones(y.size)) * factors[target]
        takes_part &= weight > 0
    out = np.zeros(y.size, bool)
    if how.share_held_out:
        out = np.random.default_rng([how.seed, number]).random(y.size) < how.share_held_out
    members, held_out = (row_numbers(np.flatnonzero(takes_part & side)) for side in (~out, out))
    return Ready(X, target, weight, members, held_out)


class Shape(NamedTuple):
    """How kernels read partitions."""

    columns: int
    outputs: int
    constant2: float


def part_of(ready: Ready, shape: Shape, held_out: bool = False) -> Part:
    """The rows of a partition that are learned from, or copies of those held out.  They may have been read again: kernels rely on the
    number of columns."""
    if ready.X.shape[1] != shape.columns:
        raise ValueError(f"A partition had {shape.columns} columns before, and now has {ready.X.shape[1]}.")
    X, target, weight, members, out = map(aligned, ready)
    if held_out:
        X, target, weight, members = X[out], target[out], weight[out] if weight.size else weight, row_numbers(out.size)
    return Part(X, Problem(as_rows(X, shape.outputs), target, weight, members, shape.constant2), members, members[:0])


def say_of(function: Callable[[Part], Any], held_out: bool, number: int, ready: Ready, shape: Shape) -> Any:
    """What a function says of a partition's rows, if it has any."""
    some = ready.held_out if held_out else ready.members
    return function(part_of(ready, shape, held_out)) if some.size else None


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
    machine = LoopState(told.form, lambda: schedule, part.problem, Last(), state, told.batch)
    rng = np.random.default_rng([*told.seed, number])
    try:
        machine.one_pass(*passes_over(part.problem, told.order, rng)())
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
    memory: tuple[np.ndarray, ...]  # what the rule remembers: sums, by what each partition added
    per_column: np.ndarray  # maxima


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
        (state.memory - begun.memory, state.per_weight - begun.per_weight),
        state.per_column,
    )


def mix_both(one: Mixed, other: Mixed) -> Mixed:
    """What the partitions of both have learned."""
    weights, bias, sums, bias_sums, counts = (a + b for a, b in zip(one[:5], other[:5], strict=True))
    memory = tuple(a + b for a, b in zip(one.memory, other.memory, strict=True))
    columns = np.maximum(one.per_column, other.per_column)
    return Mixed(weights, bias, sums, bias_sums, counts, max(one.batches, other.batches), memory, columns)


def take_in(machine: LoopState, mixed: Mixed) -> None:
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
    for part, more in zip((state.memory, state.per_weight), mixed.memory, strict=True):
        part += more
    state.per_column[...] = mixed.per_column
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

    def alone(self) -> Pocket:
        pocket = Pocket()
        pocket.recall(self.remembered(), 0)
        return pocket


class Rounds(RowSource):
    """Partitions of an engine, each ``Block`` and, once ``settle`` was called, ``Ready``; ``reshuffled``: rows were reshuffled to other partitions
    than those of the census."""

    def __init__(self, engine: Partitions, census: Census, reshuffled: bool = False) -> None:
        self.engine, self.census, self.reshuffled = engine, census, reshuffled

    def labels(self) -> np.ndarray:
        return self.census.labels

    def class_sums(self, classes: np.ndarray) -> np.ndarray:
        return self.census.of_classes(classes)[:, 1]

    def settle(self, plan: Plan, rng: np.random.Generator | None) -> None:
        assert rng is not None  # partitions are no stream
        census, self.plan, self._seed = self.census, plan, int(rng.integers(MOST_SEED))
        digests = {} if self.reshuffled else census.digests
        targets = plan.classes, plan.factors, plan.held_out
        self.engine = self.engine.map(prepare, PartReading(census.dtype, census.sparse, *targets, self._seed, digests))
        if plan.held_out:
            self._refuse_empty_side()
        size, none = (0, census.columns), np.empty(0, dtype=np.int32)
        X = sparse.csr_array(size, dtype=census.dtype) if census.sparse else np.empty(size, census.dtype)
        self.problem = Problem(as_rows(X, plan.outputs), none, np.empty(0), none, 0.0)
        weighted = any(rows != weight for counts in census.counts.values() for rows, weight in counts.values())
        plain = not (plan.held_out or plan.classes is None or plan.factors.size or weighted)
        self.weight: float = float(census.rows) if plain else self.fold(weight_of_part, add)

    def _refuse_empty_side(self) -> None:
        """Refuse to hold out all rows, or none."""
        members, held_out = self.engine.fold(count_sides, np.add, None).tolist()
        if not (members and held_out):
            raise ValueError(
                f"early_stopping cannot hold out rows: {held_out} were drawn, and {members} are left to learn from. Use "
                "another validation_fraction, or early_stopping=False."
            )

    @property
    def shape(self) -> Shape:
        """How kernels read the partitions."""
        return Shape(self.census.columns, self.plan.outputs, self.problem.constant2)

    def adopt(self, machine: LoopState) -> None:
        if machine.keep.needs_all_rows:
            pocket = RoundPocket(lambda: self.survey(machine).errors)
            pocket.recall(machine.keep.remembered(), 0)
            machine.keep = pocket

    def fold(self, function: Callable[[Part], Any], merge: Callable[[Any, Any], Any], held_out: bool = False) -> Any:
        return self.engine.fold(partial(say_of, function, held_out), merge, self.shape)

    def survey(self, machine: LoopState) -> Survey:
        state = machine.state
        found: Survey = self.fold(partial(survey_part, machine.form, state.weights, state.bias), both)
        return found

    def make_pass(self, machine: LoopState, number: int, clock: Clock | None, watch: Watch | None) -> str:
        """One round.  It is made as a whole or not at all: no clock cuts it short."""
        how = self.shape, self.plan.order, self.plan.batch, (self._seed, number), self.weight
        told = Round(machine.form, machine.schedule, machine.state, *how)
        if not self.plan.summed:
            take_in(machine, self.engine.fold(mix_one, mix_both, told))
            return ""
        stepped: Stepped = self.engine.fold(step_one, step_both, told)
        total = copied(machine.state)
        for array, change in zip(total[:5], stepped.changes, strict=True):
            array[...] = array + change
        machine.lost, machine.work, machine.touched = machine.lost + stepped.lost, machine.work + stepped.work, True
        take_step(machine, total)
        return ""


def count_sides(number: int, ready: Ready, state: None) -> np.ndarray:
    """How many rows of a partition are learned from, and held out."""
    return np.array([ready.members.size, ready.held_out.size])
