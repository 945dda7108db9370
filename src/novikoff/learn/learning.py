"""Learning, pass after pass, until a stop applies: the one driver behind ``fit``, ``partial_fit``, files and partitions.

A *machine* is what learns: rule, schedule, keep and running weights.  A *source* has the rows, cuts them into parts that fit into
memory, and makes passes over them: of rows in memory there is one part; of a file there are many, one after the other; partitions
each make their pass from the same weights before those are merged (``distributed.rounds``).  A *learning* has both, the history,
the stops and those who are told of passes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial, reduce
from typing import Any, NamedTuple

import numpy as np

from ..checks.arrays import ColumnNames, class_numbers, names_of, overflow_error
from ..system.clock import Clock
from .forms import All, Real
from .keeps import Last, meant, new_keep
from .orders import Drawn, Pass, make_order, row_numbers
from .rows import CSR, Dense, as_rows, by_columns, natural
from .rules import judged_by_loss
from .schedule import Schedule
from .state import (
    BAD_ROW,
    BATCHES,
    COUNTED,
    EXCUSED,
    GO,
    MISTAKES,
    MOVES,
    NEVER,
    PAUSE,
    PAUSED,
    RIGHT_RUN,
    SEEN,
    SURVIVED,
    Problem,
    State,
    copied,
    first_weights,
    fit_to_rows,
    length,
    lengths,
    memory_of,
    new_state,
    row_values,
    squared_constant,
    squared_radius,
    total_weight,
    warm_weights,
)
from .stops import AskedToStop, Landmark, Movement, NoProgress, Recurred, Recurrence, StandStill, Stop, TimeOver, which
from .sweep import Records, new_records, new_scratch, no_records, passes_made, survey, sweep

MULTIPLICATIONS_A_CALL = 20_000_000  # about 10 ms: the clock and Ctrl-C are heard between two calls of a kernel
FEW_WEIGHTS = 1000  # several passes are made at once with no more
MOST_COPIED = 1_000_000  # weights of passes that are made at once

ROW, SCATTERED = 30, 4  # what a row takes besides its numbers, and a number of a sparse row, in multiplications


History = dict[str, list[float]]  # one entry a pass


# What learns


class Overflow(Exception):
    """A score is no longer finite."""

    def __init__(self, row: int) -> None:
        super().__init__(row)
        self.row: Any = row  # as a message should call it
        self.X: Any = None  # the rows that it is one of


# Sees the first weights, with no rows, and then every step: what learns, the rows of the step, the pass counted from 0.
# True ends the run.
Watch = Callable[["LoopState", np.ndarray, int], bool]
NO_TALLY = np.empty((0, 0))


class LoopState:
    """Rule, schedule, data, keep and state: everything that learns, and can tell how far it has come.

    The schedule may look at all rows: it is made when a step first needs it.
    """

    def __init__(
        self, form: Any, schedule: Callable[[], Schedule], problem: Problem, keep: Last, state: State, batch: int
    ) -> None:
        self.form, self._make_schedule, self.problem, self.keep, self.state = form, schedule, problem, keep, state
        self.by_loss = judged_by_loss(form.rule)  # its loss tells its progress, not its mistakes
        self._batch = batch  # rows, all of them if there are no more
        self._scratch = new_scratch(state.bias, max(1, min(batch, problem.members.size)))
        self._no_records = no_records(state.weights.dtype, state.bias.dtype)
        self.touched = False  # whether rows were turned to since somebody said that none were
        self.work = 0.0  # so far, in multiplications of dense rows
        self.lost = (
            0.0  # loss of the rows so far, each at the weights that scored it; of rules that learn from right answers
        )

    @cached_property
    def schedule(self) -> Schedule:
        """The rates of its steps."""
        return self._make_schedule()

    def turn_to(self, problem: Problem) -> None:
        """Take these as the rows to learn from, or to look at."""
        self.problem, self.touched = problem, True

    def one_pass(
        self,
        order: np.ndarray,
        ahead: np.ndarray,
        *,
        clock: Clock | None = None,
        watch: Watch | None = None,
        number: int = 0,
        tally: np.ndarray = NO_TALLY,
    ) -> str:
        """One sweep over ``order``, in calls of about 10 ms; the reason if it was cut short: "time" or "callback"."""
        problem, state, counts = self.problem, self.state, self.state.counts
        batch = min(self._batch, order.size)
        if batch > self._scratch.pending_row.size:
            self._scratch = new_scratch(state.bias, batch)
        a_row = self._numbers_of_a_row()
        self.work += self.work_of(order)
        work = 1 if watch else max(1, MULTIPLICATIONS_A_CALL // a_row)
        learned = self.form, self.schedule, problem, state, self._scratch
        place = 0
        while place < order.size:
            reached = sweep(*learned, order, ahead, place, work, tally, self._no_records)
            self.lost += float(self._scratch.lost[0])
            self._scratch.lost[0] = 0.0
            self._refuse_overflow()
            asked = bool(watch and reached > place and watch(self, order[place:reached], number))
            place = reached
            if asked or (clock and place < order.size and clock.over):
                counts[PAUSE] = GO
                return "callback" if asked else "time"
            if counts[PAUSE] == PAUSED:
                self.keep.retire(state, problem)
                counts[PAUSE] = EXCUSED
        return ""

    def _numbers_of_a_row(self) -> int:
        """Multiplications that score a row."""
        return self.state.bias.size * (row_values(self.problem.rows, self.problem.members) + 1)

    def work_of(self, order: np.ndarray) -> int:
        """What a pass takes, in multiplications of dense rows."""
        scattered = SCATTERED if isinstance(self.problem.rows, CSR) else 1
        return order.size * (ROW + self._numbers_of_a_row() * scattered)

    def _refuse_overflow(self) -> None:
        """Raise an error if the kernel met a row whose score is not finite."""
        counts = self.state.counts
        if counts[BAD_ROW] >= 0:
            row, counts[BAD_ROW] = int(counts[BAD_ROW]), -1
            raise Overflow(row)

    def at_once(self, order: np.ndarray) -> int:
        """How many passes over these rows one call of a kernel may make; 1 where the keep looks at weights meanwhile, or there
        are so many that copies of them cost time."""
        weights = self.state.weights.size
        if self.keep.remembers or self.keep.pauses != NEVER or weights > FEW_WEIGHTS:
            return 1
        return max(1, min(MULTIPLICATIONS_A_CALL // self.work_of(order), MOST_COPIED // weights))

    def passes(self, order: np.ndarray, records: Records) -> None:
        """Passes that stand one after the other in ``order``, each written down in ``records``."""
        learned = self.form, self.schedule, self.problem, self.state, self._scratch
        sweep(*learned, order, order[:0], 0, order.size, NO_TALLY, records)
        self._refuse_overflow()

    def survey(self) -> tuple[float, float, float, int]:
        """What the running weights do on all rows: weight of errors, weighted loss, smallest margin, and its row."""
        return survey(self.form, self.problem, self.state.weights, self.state.bias)

    def norm(self) -> float:
        """The length of the running weights."""
        return length(self.problem, self.state)

    def movement(self) -> Movement:
        """Something that tells how far the weights move from now on."""
        return Movement(self.problem, self.state)

    def recurrence(self, confirmed: bool) -> Recurrence | None:
        """Something that sees weights come back in an order that repeats; none if the rate, or what the rule remembers, changes
        meanwhile, or if it takes a confirmation to tell, and there will be none."""
        drifts = isinstance(self.form, All)  # the weights of all classes, together
        if self.schedule.slowing or any(memory_of(self.form.rule)) or (drifts and not confirmed):
            return None
        classes = int(by_columns(self.problem.rows)) if drifts else None
        return Recurrence(self.state.weights, self.state.bias, classes)

    def tally(self, source: RowSource, number: int, passes: int) -> np.ndarray:
        """Each row's steps, added up over some more passes, which leave this machine as it is: (rows, outputs)."""
        state = new_state(NEVER, self.state.weights.copy(), self.state.bias.copy(), averages=False)
        again = LoopState(self.form, lambda: self.schedule, self.problem, Last(), state, self._batch)
        total = np.zeros((self.problem.target.size, state.bias.size))
        for more in range(passes):
            for part in source.parts(number + more, again):
                again.one_pass(part.order, part.ahead, tally=total)
        return total

    def handed_back(self, ended: str) -> tuple[dict[str, Any], State, Any]:
        """The weights that the keep chooses if learning ended for this reason (empty: it goes on), by the names that a
        learner has for them; and what is needed to go on with
        other rows: the state, and empty rows that say how it is stored."""
        coef, intercept = meant(self.keep, ended).handed_back(self.state, self.problem.rows)
        if not (np.isfinite(coef).all() and np.isfinite(intercept).all()):
            raise overflow_error(None)
        if isinstance(self.form, Real):
            coef = coef[0]
        fitted = {"coef_": coef, "intercept_": intercept}
        if hasattr(self.keep, "votes"):
            fitted["votes_"] = self.keep.votes(self.state, self.problem.rows)
        return fitted, self.state, type(self.problem.rows)(*(part[:0].copy() for part in self.problem.rows))


# Rows


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


class Plan(NamedTuple):
    """What a learner says of its rows before the first pass."""

    outputs: int
    order: str  # of ``orders``
    batch: int  # rows of a step, all of them if there are no more
    summed: bool  # whether all rows together make one step
    classes: np.ndarray | None  # None: targets are numbers
    factors: np.ndarray  # of the weights of classes; empty: all are 1
    held_out: float  # the share of the rows that judge, and are not learned from


class RowSource:
    """Rows to learn from.  ``settle`` comes first; after it ``problem`` has the rows as kernels read them, none where they are not in
    memory at once, and the learner then sets its constant feature."""

    once = False  # whether rows come once, as they were given: those of a stream
    X: Any = None  # all rows, as scikit-learn has them; None: they are not in memory at once
    given: Any = None  # X as it was handed in
    plan: Plan
    problem: Problem
    # What asks all rows in their partitions, for a learner that is solved (``estimators.neuron``, ``estimators.adaline``); None: they are here.
    likelihood: Callable[[Any, Learning], Any] | None = None
    squares: Callable[[Any, Learning], Any] | None = None
    prove: Callable[[], Any] | None = None  # finds out whether classes are separable, where the source knows how

    def labels(self) -> np.ndarray:
        """The label of every row, or every label once."""
        raise NotImplementedError

    def class_sums(self, classes: np.ndarray) -> np.ndarray:
        """The weight of the rows of each class."""
        raise NotImplementedError

    def settle(self, plan: Plan, rng: np.random.Generator | None) -> None:
        """Have targets, weights, and rows held out ready; ``rng`` is None if nothing is drawn."""
        raise NotImplementedError

    def told(self) -> dict[str, Any]:
        """What callbacks are told of the data."""
        return {}

    def adopt(self, machine: LoopState) -> None:
        """Have the machine learn from these rows."""

    def parts(self, number: int, machine: LoopState) -> Iterator[Part]:
        """The parts of pass ``number``, in the order in which they are learned from."""
        raise NotImplementedError

    def looks(self, held_out: bool = False) -> Iterator[Part]:
        """All rows that are learned from, or those held out, once, as they lie, part by part: to look at them without learning."""
        raise NotImplementedError

    def fold(self, function: Callable[[Part], Any], merge: Callable[[Any, Any], Any], held_out: bool = False) -> Any:
        """What ``function`` says of each part, merged; None if there are no parts."""
        answers = map(function, self.looks(held_out))
        return reduce(merge, answers, next(answers, None))

    def survey(self, machine: LoopState) -> Survey:
        """What the running weights do on all rows."""

        def of_part(part: Part) -> Survey:
            machine.turn_to(part.problem)
            return Survey(*machine.survey()[:3], total_weight(part.problem))

        return self.fold(of_part, both) or Survey(0.0, 0.0, np.inf, 0.0)

    def at_once(self, machine: LoopState) -> int:
        """How many passes may be made in one call of ``make_passes``; 1: none are."""
        return 1

    def make_passes(self, machine: LoopState, records: Records) -> None:
        """Make as many passes as ``records`` has room for, or fewer: see ``sweep``."""
        raise NotImplementedError

    def make_pass(self, machine: LoopState, number: int, clock: Clock | None, watch: Watch | None) -> str:
        """Learn from every part; the reason if the pass was cut short."""
        for place, part in enumerate(self.parts(number, machine)):
            if place and clock is not None and clock.over:
                return "time"
            cut = learn_from(part, machine, number, clock, watch)
            if cut:
                return cut
        return ""

    def make_step(self, machine: LoopState, number: int) -> None:
        """One step from all parts (``batch_size="all"``): each part makes its steps from the same weights, and what they change is
        added up.  It is made as a whole or not at all: no clock cuts it short.

        Decay comes once, at the end: with w the weights before, S the sum of the steps and a the factor of the decay,
        ``w' = a w + S``.  An average then takes in the samples that w was held for, and those of this pass, which w' counts for.
        """
        state, schedule = machine.state, machine.schedule
        machine.schedule = schedule._replace(lam=0.0)
        total: State | None = None
        try:
            for part in self.parts(number, machine):
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


def weight_of_part(part: Part) -> float:
    """The weight of its rows."""
    return total_weight(part.problem)


def learn_from(part: Part, machine: LoopState, number: int, clock: Clock | None, watch: Watch | None) -> str:
    """Learn from one part; the reason if that was cut short."""
    machine.turn_to(part.problem)
    try:
        return machine.one_pass(part.order, part.ahead, clock=clock, watch=watch, number=number)
    except Overflow as overflow:
        overflow.X = part.X
        if part.names is not None:
            overflow.row = int(part.names[overflow.row])
        raise


def passes_over(problem: Problem, order: str, rng: Any) -> Callable[[], Pass]:
    """What makes the passes of an order over rows in memory."""
    row_bytes = 0.0  # in the dual form rows are read by matrix products, which fetch them as they need them
    if isinstance(problem.rows, Dense | CSR):
        row_bytes = row_values(problem.rows, problem.members) * sum(part.itemsize for part in problem.rows[:2])
    return make_order(order, problem.members, problem.target, row_bytes, rng)


class InMemory(RowSource):
    """All rows in memory; ``weight``: sample weights as they were given, empty: all are 1."""

    def __init__(self, X: Any, y: np.ndarray, weight: np.ndarray, given: Any = None) -> None:
        self.X, self.y, self.weight, self.given = X, y, weight, given
        self._members = row_numbers(np.flatnonzero(weight) if weight.size else X.shape[0])
        self._held_out: Part | None = None

    @property
    def rows(self) -> int:
        """How many rows weigh something."""
        return self._members.size

    def labels(self) -> np.ndarray:
        return self.y if self._members.size == len(self.y) else self.y[self._members]

    def class_sums(self, classes: np.ndarray) -> np.ndarray:
        members = self._members
        weight = self.weight[members] if self.weight.size else np.ones(members.size)
        return np.bincount(class_numbers(self.labels(), classes), weight, len(classes))

    def settle(self, plan: Plan, rng: np.random.Generator | None) -> None:
        weight, members = self.weight, self._members
        if plan.classes is None:
            target = np.array(self.y, dtype=np.float64)  # one kind of array: others would be compiled for, too
        else:
            target = np.zeros(len(self.y), dtype=np.int32)
            target[members] = class_numbers(self.labels(), plan.classes)
        if plan.factors.size:
            weight = (weight if weight.size else np.ones(target.size)) * plan.factors[target]
            members = members[weight[members] > 0]
        if weight.size and np.all(weight == 1):
            weight = weight[:0]
        self.problem = Problem(as_rows(self.X, plan.outputs), target, weight, members, 0.0)
        if plan.held_out and rng is not None:
            members, out = hold_out(members, target, plan.held_out, rng)
            self.problem = self.problem._replace(members=members)
            judges = Problem(None, target[out], weight[out] if weight.size else weight, row_numbers(out.size), 0.0)
            self._held_out = Part(self.X[out], judges, judges.members, members[:0])
        self.plan, self._rng = plan, rng

    def told(self) -> dict[str, Any]:
        return {"X": self.X, "y": self.y, "metadata": {"sample_weight": self.weight} if self.weight.size else None}

    @cached_property
    def _next(self) -> Callable[[], Pass]:
        return passes_over(self.problem, self.plan.order, self._rng)

    def _shuffled(self) -> Drawn | None:
        """Passes of which several may be made in one call."""
        return self._next if isinstance(self._next, Drawn) and self._next.only_shuffles else None

    def at_once(self, machine: LoopState) -> int:
        return 1 if self._shuffled() is None else machine.at_once(self.problem.members)

    def make_passes(self, machine: LoopState, records: Records) -> None:
        shuffled = self._shuffled()
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

    def parts(self, number: int, machine: LoopState) -> Iterator[Part]:
        if self.plan.order == "worst":
            worst = row_numbers(np.array([machine.survey()[3]]))
            yield Part(self.X, self.problem, worst, worst[:0])
        else:
            yield Part(self.X, self.problem, *self._next())

    def looks(self, held_out: bool = False) -> Iterator[Part]:
        members = self.problem.members
        rows = self._held_out if held_out else Part(self.X, self.problem, members, members[:0])
        return iter([] if rows is None else [rows])


class AsGiven(InMemory):
    """Rows that come once, as they were given: those of a call of ``partial_fit``."""

    once = True

    def at_once(self, machine: LoopState) -> int:
        return 1

    def parts(self, number: int, machine: LoopState) -> Iterator[Part]:
        members, classes = self.problem.members, self.plan.classes
        one_class = classes is not None and len(classes) < 2  # then there is nothing to learn yet
        yield Part(self.X, self.problem, members[:0] if one_class else members, members[:0])


def hold_out(
    members: np.ndarray, target: np.ndarray, fraction: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Rows to learn from and rows held out, both in the data's order; of classes, the same share of each."""
    from sklearn.model_selection import train_test_split  # takes long to import

    labels = target[members] if target.dtype.kind == "i" else None
    try:
        learn, held_out = train_test_split(
            members, test_size=fraction, stratify=labels, random_state=int(rng.integers(2**31))
        )
    except ValueError as error:
        what = "rows" if labels is None else "rows of every class"
        raise ValueError(f"early_stopping cannot hold out {what}: {error}") from None
    return np.sort(learn), np.sort(held_out)


def new_machine(
    learner: Any,
    form: Any,
    schedule: Callable[[], Schedule],
    kind: type[Last],
    source: RowSource,
    rng: np.random.Generator,
    before: dict[str, Any] | None,
) -> LoopState:
    """What learns from the first rows: the constant feature, an empty keep, and the first weights or, with a fit ``before``, its."""
    constant2 = squared_constant(learner, lambda: source.fold(partial(largest_square, names_of(learner)), max) or 0.0)
    source.problem = problem = source.problem._replace(constant2=constant2)
    keep, dtype = new_keep(kind, learner), problem.rows.values.dtype
    shape = source.plan.outputs, learner.n_features_in_
    if before and "coef_" in before:
        coef, bias = np.atleast_2d(before["coef_"]), before["intercept_"]
        coef, bias = warm_weights(coef, bias * (constant2 > 0), shape)
    else:
        coef, bias = first_weights(learner.init, *shape, constant2**0.5, rng)
    weights = natural(problem.rows, coef.astype(dtype))
    state = new_state(keep.pauses, weights, bias.astype(dtype), keep.averages, memory_of(form.rule), problem.rows)
    return LoopState(form, schedule, problem, keep, state, source.plan.batch)


def largest_square(names: ColumnNames, part: Part) -> float:
    """The largest squared norm of its rows."""
    return squared_radius(names, part.X, part.problem.members)


def next_machine(learned: Learned, form: Any, schedule: Callable[[], Schedule], source: RowSource) -> LoopState:
    """What learns from the next rows, from a copy of what was learned so far."""
    source.problem = problem = source.problem._replace(constant2=learned.constant2)
    state = fit_to_rows(copied(learned.state), learned.rows, problem.rows)
    return LoopState(form, schedule, problem, learned.keep.copied(), state, source.plan.batch)


def added(total: State, new: State, old: State) -> State:
    """The sum with what changed from the old state to the new one."""
    right_run = total.counts[RIGHT_RUN] + new.counts[RIGHT_RUN] - old.counts[RIGHT_RUN]
    broken = min(total.counts[RIGHT_RUN], new.counts[RIGHT_RUN]) == 0
    for whole, now, then in zip(total[:5], new[:5], old[:5], strict=True):
        whole += now - then
    total.counts[RIGHT_RUN] = 0.0 if broken else right_run
    return total


def take_step(machine: LoopState, total: State) -> None:
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


# Passes


@dataclass
class Learned:
    """What learning leaves behind: all that it needs to go on later, and to say what it did."""

    keep: Last = None  # type: ignore[assignment]
    state: State = None  # type: ignore[assignment]  # the running weights
    rows: Any = None  # empty rows, whose type says how the state is stored; in the dual form, the support
    constant2: float = 0.0
    parameters: dict[str, Any] = field(default_factory=dict)  # of the learner, as they were when last checked
    history: History = field(default_factory=dict)
    class_counts: dict[Any, float] = field(default_factory=dict)  # weight of the rows of each class so far
    reach: float = 0.0  # of the rows so far: what ``eta="auto"`` divides by
    landmark: Landmark | None = None  # between two passes, where a cycle is looked for

    @property
    def begun(self) -> bool:
        """Whether there is anything to go on from."""
        return self.state is not None


class Outcome(NamedTuple):
    """How learning ended."""

    reason: str
    passes: int
    cycle: np.ndarray | None = None  # (rows, outputs): each row's steps over a cycle, added up
    moved: float = np.inf  # how far the weights moved over the last pass, if there is a tol
    proof: Any = None  # of whether the classes are separable, if somebody asked for it


class Solution(NamedTuple):
    """What a solver found."""

    coef: np.ndarray  # (outputs, columns)
    bias: np.ndarray  # (outputs,)
    reason: str = "solved"
    iterations: int = 1


class Learning:
    """A machine, the source of its passes, and all that goes with learning from them."""

    def __init__(
        self,
        machine: LoopState,
        source: RowSource,
        *,
        clock: Clock,
        history: History | None = None,
        stops: Sequence[Stop] = (),
        full_history: bool = False,
        watch: Watch | None = None,
        passes: int = 0,
        most: int,
    ) -> None:
        self.machine, self.source, self.clock, self.stops = machine, source, clock, stops
        self.history: History = {} if history is None else history
        self.passes, self.most = passes, most  # made so far, and at the end
        self.moves = 0.0  # of the last pass: rows that moved the weights
        self.rows = 0.0  # of the last pass: their weight
        self.cut = ""  # why the last pass was cut short
        self.asked = False  # whether somebody who was told of the last pass asked to stop
        self.reason = ""
        self._full_history, self._watch = full_history, watch
        # Who is told of passes: a score of rows held out, and what comes before and after each; the last asks to stop.
        self.held_out: Callable[[], float] | None = None
        self.before_pass: Callable[[], None] = do_nothing
        self.after_pass: Callable[[], bool] = ask_nothing

    @property
    def watched(self) -> bool:
        """Whether somebody sees every step."""
        return self._watch is not None

    def solve(self, find: Callable[[], Solution]) -> Outcome:
        """Take the weights that a solver finds.  Callbacks are told of one pass; what they ask for is ignored, as it has ended."""
        self.before_pass()
        found, machine = find(), self.machine
        machine.state.weights[:] = natural(machine.problem.rows, found.coef)
        machine.state.bias[:] = found.bias
        self.passes += found.iterations - 1
        self.note({"mistakes": 0, "norm": machine.norm()})
        self.reason = found.reason
        self.after_pass()
        return self.outcome()

    def run(self) -> Outcome:
        """Learn until a stop applies or all passes are made.  After Ctrl-C the outcome says so, if there are any
        weights yet."""
        machine = self.machine
        machine.keep.consider(machine.state, machine.problem)
        for stop in self.stops:
            stop.begin(self)
        if self._watch:
            self._watch(machine, machine.problem.members[:0], 0)
        try:
            while not self.reason and self.passes < self.most:
                together = self.at_once()
                if together > 1:
                    self.make_passes(together)
                else:
                    self.make_pass()
                self.reason = which(self.stops, self)
                self.asked = self.after_pass()
                self.reason = self.reason or which(AT_LAST, self)
        except KeyboardInterrupt:
            if not self.passes or self.source.once:  # a call of ``partial_fit`` can be repeated
                raise
            self.reason = "interrupted"
        self.reason = self.reason or "budget"
        return self.outcome()

    def at_once(self) -> int:
        """How many passes may be made before anybody looks."""
        told = self.before_pass is not do_nothing or self.after_pass is not ask_nothing or self.held_out is not None
        if told or self.watched or self._full_history or self.clock.limit < np.inf:
            return 1
        most = min(self.most - self.passes, self.source.at_once(self.machine))
        if most == 1:
            return 1
        if getattr(
            sweep, "plainly", False
        ):  # a call that ends early should not have counted as the work of many passes
            most = min(most, max(1, self.passes))
        work = self.machine.work_of(self.machine.problem.members)
        return int(min([most, *(stop.soonest(self, work) for stop in self.stops)]))

    def make_passes(self, most: int) -> None:
        """Passes in one call of a kernel, up to the first that changes nothing, and what the history says of each."""
        machine = self.machine
        before = machine.state.counts[[MISTAKES, MOVES, SEEN]]
        records = new_records(machine.state, most)
        start = self.history["seconds"][-1] if self.history else 0.0
        try:
            self.source.make_passes(machine, records)
        finally:  # what was learned before an error or Ctrl-C counts
            made = passes_made(records)
            counts = np.diff(records.numbers[:made, :3], axis=0, prepend=before[None])
            self.moves, self.rows = counts[-1, 1:].tolist() if made else (0.0, 0.0)
            machine.work += made * machine.work_of(machine.problem.members)
            told: History = {"mistakes": counts[:, 0].astype(int).tolist()}
            told["norm"] = lengths(machine.problem.constant2, records.weights[:made], records.bias[:made])
            if self.machine.by_loss:
                told["progressive_loss"] = (
                    records.numbers[:made, 3] / np.where(counts[:, 2], counts[:, 2], 1.0)
                ).tolist()
            told["seconds"] = np.linspace(start, self.clock.seconds, made + 1)[1:].tolist()
            self.write(told)
        for stop in self.stops:
            stop.note(self, told)

    def make_pass(self) -> None:
        """One pass, and what the history says of it."""
        machine = self.machine
        counts = machine.state.counts
        mistakes, moves, seen = counts[MISTAKES], counts[MOVES], counts[SEEN]
        self.before_pass()
        machine.touched = False
        machine.lost = 0.0
        try:
            self.cut = self.source.make_pass(machine, self.passes, self.clock, self._watch)
        except BaseException:  # what was learned before an error or Ctrl-C counts
            if machine.touched:
                machine.keep.consider(machine.state, machine.problem)
                self.note({"mistakes": int(counts[MISTAKES] - mistakes), "norm": machine.norm()})
            raise
        machine.keep.consider(machine.state, machine.problem)
        self.moves, self.rows = counts[MOVES] - moves, counts[SEEN] - seen
        record = {"mistakes": int(counts[MISTAKES] - mistakes), "norm": machine.norm()}
        if self.machine.by_loss:
            record["progressive_loss"] = machine.lost / (self.rows or 1.0)
        if self._full_history:
            found = self.source.survey(machine)
            record |= {"errors": found.errors, "loss": found.lost / found.weight, "smallest_margin": found.least}
        if self.held_out:
            record["held_out_score"] = self.held_out()
        told = self.note(record)
        for stop in self.stops:
            stop.note(self, told)

    def note(self, record: dict[str, float]) -> History:
        """Write down the pass that ended just now."""
        told = {name: [value] for name, value in record.items()} | {"seconds": [self.clock.seconds]}
        self.write(told)
        return told

    def write(self, told: History) -> None:
        """Add passes to the history; what other passes say and these do not, or the other way round, is NaN."""
        history, count = self.history, len(told["seconds"])
        self.passes += count
        before = len(history["seconds"]) if history else 0
        if history.keys() != told.keys():
            for name in told:
                history.setdefault(name, [np.nan] * before)
        for name, values in history.items():
            values += told[name] if name in told else [np.nan] * count

    def landmark(self) -> Landmark | None:
        """What the search for a cycle goes on from if learning is interrupted now."""
        return next((stop.landmark for stop in self.stops if isinstance(stop, Recurred)), None)

    def outcome(self) -> Outcome:
        """How it ended, or would if it ended now."""
        cycle, moved, proof = None, np.inf, None
        for stop in self.stops:
            if isinstance(stop, Recurred) and self.reason == stop.reason:
                cycle = stop.steps
            elif isinstance(stop, StandStill):
                moved = stop.moved
            elif isinstance(stop, NoProgress):
                proof = stop.proof
        return Outcome(self.reason, self.passes, cycle, moved, proof)


def do_nothing() -> None:
    """Before a pass that nobody is told of."""


def ask_nothing() -> bool:
    """After a pass that nobody is told of."""
    return False


AT_LAST = AskedToStop(), TimeOver()  # asked once everybody was told of a pass
