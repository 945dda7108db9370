"""The one loop, ``w <- w + eta g x``: the place where rule, pace, order, batch, keep, stop and rows meet.

``sweep`` is the kernel: it goes through the rows it is given.  ``survey`` looks at rows without learning.  A ``Machine``
holds everything that learns and makes single passes; ``run`` asks it for pass after pass until a stop applies.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .forms import All, errs, margin, push, total_loss, vectors
from .jit import helper, kernel
from .keeps import Last
from .orders import REPEATING, Pass, row_numbers
from .pace import Pace
from .problem import (
    AT_RECORDS,
    BAD_ROW,
    BATCHES,
    BEST_RUN,
    EXCUSED,
    GO,
    HELD,
    MISTAKES,
    MOVES,
    NEVER,
    PAUSE,
    PAUSED,
    RIGHT_RUN,
    SEEN,
    TENURE,
    Problem,
    State,
    length,
    new_state,
    row_values,
    total_weight,
)
from .rows import CSR, add, fetch, score
from .rules import temper
from .stops import Clock, Improvement, Movement, Recurrence

MULTIPLICATIONS_A_CALL = 20_000_000  # about 10 ms: the clock and Ctrl-C are heard between two calls of a kernel
SMALLEST_SCALE = 1e-6  # decay beyond this is multiplied into the weights


class Scratch(NamedTuple):
    """Room that ``sweep`` works in."""

    scores: np.ndarray  # (outputs,)
    step: np.ndarray  # (outputs,), zeros between two samples
    late: np.ndarray  # (outputs,), float64
    pending: np.ndarray  # (batch, outputs): the steps of a batch
    pending_row: np.ndarray  # (batch,)


def new_scratch(bias: np.ndarray, batch: int) -> Scratch:
    """Room for batches of this size."""
    scores, step, pending = (np.zeros(shape, bias.dtype) for shape in (bias.size, bias.size, (batch, bias.size)))
    return Scratch(scores, step, np.zeros(bias.size), pending, np.zeros(batch, np.intp))


@kernel
def sweep(form, pace, problem, state, scratch, order, ahead, start, work, tally):
    """Learn from the rows ``order[start:]`` until ``work`` rows were scored or the keep wants a look; return the place.

    For each batch of rows all scores are taken at the old weights; then the weights decay, if they do, and every row that
    has a step adds it (batch 1 is the online rule, a batch of all rows is the batch rule).  The bias is the weight of a
    constant feature c, so its step is c^2 g; it does not decay.  Where ``tally`` has rows, each row's steps are added up
    in it.

    While weights decay they are ``scale`` times what is stored, so that a sparse step costs no more than its non-zeros.
    """
    rows, target, weight, _, constant2 = problem
    weights, bias, debt, bias_debt, counts, pauses = state
    scores, step, late, pending, pending_row = scratch
    outputs = bias.size
    seen, held, tenure, right_run = counts[SEEN], counts[HELD], counts[TENURE], counts[RIGHT_RUN]
    batches = counts[BATCHES]
    scale = 1.0
    t = start
    last = order.size
    while t < last and work > 0:
        end = t + pending_row.size
        if end > last:
            end = last
        waiting = 0
        mistakes = 0
        heft = 0.0
        for place in range(t, end):
            i = order[place]
            if ahead.size:
                fetch(rows, ahead[place])
            score(rows, i, weights, scale, bias, scores)
            if not all_finite(scores):
                counts[BAD_ROW] = i
                break
            s = weight[i] if weight.size else 1.0
            heft += s
            moves, wrong = push(form, target[i], scores, step)
            mistakes += wrong
            if moves:
                if not temper(form.rule, rows, i, constant2, vectors(form), step):
                    counts[BAD_ROW] = i
                    break
                for k in range(outputs):
                    pending[waiting, k] = step[k] * s
                    step[k] = 0
                pending_row[waiting] = i
                waiting += 1
        if counts[BAD_ROW] >= 0:
            break
        if waiting:
            record = right_run > counts[BEST_RUN]
            if pauses != NEVER and (record or pauses != AT_RECORDS) and counts[PAUSE] != EXCUSED:
                counts[PAUSE] = PAUSED
                break
        rate = pace.eta
        if pace.slowing > 0:
            rate /= 1 + pace.slowing * batches
        if pace.lam > 0:
            scale *= max(0.0, 1 - rate * pace.lam)
            if scale < SMALLEST_SCALE:
                held = multiply_in(weights, debt, scale, held)
                scale = 1.0
        if waiting:
            if pace.mean:
                rate /= end - t
            stored_rate = rate / scale
            for r in range(waiting):
                i = pending_row[r]
                for k in range(outputs):
                    step[k] = rate * pending[r, k]
                    bias[k] += constant2 * step[k]
                    if bias_debt.size:
                        bias_debt[k] += constant2 * (step[k] * seen)
                    if tally.size:
                        tally[i, k] += step[k]
                    step[k] = stored_rate * pending[r, k]
                    late[k] = step[k] * held
                add(rows, i, weights, step)
                if bias_debt.size and held > 0:
                    add(rows, i, debt, late)
                for k in range(outputs):
                    step[k] = 0
            counts[MOVES] += waiting
            counts[PAUSE] = GO
            tenure = 0.0
        counts[MISTAKES] += mistakes
        batches += 1
        right_run = 0.0 if waiting or mistakes else right_run + (end - t)
        tenure += heft
        seen += heft
        held += heft * scale
        work -= end - t
        t = end
    if scale != 1:
        held = multiply_in(weights, debt, scale, held)
    counts[SEEN], counts[HELD], counts[TENURE], counts[RIGHT_RUN] = seen, held, tenure, right_run
    counts[BATCHES] = batches
    return t


@helper
def multiply_in(weights, debt, scale, held):
    """Multiply the scale into the weights, and let the debt take in the sum of the weights so far; it is held no more."""
    for j in range(weights.shape[0]):
        for k in range(weights.shape[1]):
            if debt.size:
                debt[j, k] -= held * weights[j, k]
            weights[j, k] *= scale
    return 0.0


@helper
def all_finite(scores):
    """Whether no score overflowed."""
    for k in range(scores.size):
        if not abs(scores[k]) < np.inf:
            return False
    return True


@kernel
def survey(form, problem, weights, bias):
    """What the weights do on all rows: weight of errors, weighted loss, smallest margin, and the row that has it."""
    rows, target, weight, members, _ = problem
    scores = np.empty(bias.size, weights.dtype)
    errors = 0.0
    lost = 0.0
    least = np.inf
    worst = members[0]
    for m in range(members.size):
        i = members[m]
        score(rows, i, weights, 1.0, bias, scores)
        s = weight[i] if weight.size else 1.0
        if errs(form, target[i], scores):
            errors += s
        lost += s * total_loss(form, target[i], scores)
        clear = margin(form, target[i], scores)
        if not clear >= least:
            least = clear
            worst = i
    return errors, lost, least, worst


class Overflow(Exception):
    """A score is no longer finite."""

    def __init__(self, row: int) -> None:
        super().__init__(row)
        self.row = row


# Sees the first weights, with no rows, and then every step: the data, the state, the rows of the step, the pass counted
# from 0.  True ends the run.
Watch = Callable[[Problem, State, np.ndarray, int], bool]
NO_TALLY = np.empty((0, 0))


class Machine:
    """Rule, pace, data, keep and state: everything that learns, and can tell how far it has come."""

    def __init__(self, form: Any, pace: Pace, problem: Problem, keep: Last, state: State, batch: int) -> None:
        self.form, self.pace, self.problem, self.keep, self.state = form, pace, problem, keep, state
        self._scratch = new_scratch(state.bias, batch)
        self._batch = batch

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
        a_row = state.bias.size * (row_values(problem.rows, problem.members) + 1)
        work = 1 if watch else max(1, MULTIPLICATIONS_A_CALL // a_row)
        place = 0
        while place < order.size:
            reached = sweep(self.form, self.pace, problem, state, self._scratch, order, ahead, place, work, tally)
            if counts[BAD_ROW] >= 0:
                row, counts[BAD_ROW] = int(counts[BAD_ROW]), -1
                raise Overflow(row)
            asked = bool(watch and reached > place and watch(problem, state, order[place:reached], number))
            place = reached
            if asked or (clock and place < order.size and clock.over):
                counts[PAUSE] = GO
                return "callback" if asked else "time"
            if counts[PAUSE] == PAUSED:
                self.keep.retire(state, problem)
                counts[PAUSE] = EXCUSED
        return ""

    def survey(self) -> tuple[float, float, float, int]:
        """What the running weights do on all rows: weight of errors, weighted loss, smallest margin, and its row."""
        return survey(self.form, self.problem, self.state.weights, self.state.bias)

    def norm(self) -> float:
        """The length of the running weights."""
        return length(self.problem, self.state)

    def movement(self) -> Movement:
        """Something that tells how far the weights move from now on."""
        return Movement(self.problem, self.state)

    def recurrence(self) -> Recurrence | None:
        """Something that sees weights come back in an order that repeats; none if the rate changes meanwhile."""
        if self.pace.slowing:
            return None
        drifts = isinstance(self.form, All)  # the weights of all classes, together
        classes = (1 if isinstance(self.problem.rows, CSR) else 0) if drifts else None
        return Recurrence(self.state.weights, self.state.bias, classes)

    def tally(self, next_rows: Callable[[Machine], Pass], passes: int) -> np.ndarray:
        """Each row's steps, added up over some more passes, which leave this machine as it is: (rows, outputs)."""
        state = new_state(NEVER, self.state.weights.copy(), self.state.bias.copy(), averages=False)
        again = Machine(self.form, self.pace, self.problem, Last(), state, self._batch)
        total = np.zeros((self.problem.target.size, state.bias.size))
        for _ in range(passes):
            again.one_pass(*next_rows(again), tally=total)
        return total


class Choices(NamedTuple):
    """Everything ``run`` needs to know besides the machine."""

    order: str
    next_pass: Callable[[], Pass]
    max_iter: int
    tol: float | None = None
    time_limit: float | None = None
    full_history: bool = False
    cycle_proves: bool = False  # whether the steps of a cycle are worth adding up
    goes_round: Callable[[np.ndarray], bool] | None = None  # whether such steps, added up, are those of a cycle
    patience: int = 0  # passes without a better held-out score
    held_out: Callable[[], float] | None = None
    before_pass: Callable[[], None] | None = None
    after_pass: Callable[[], bool] | None = None  # true asks to stop
    watch: Watch | None = None


class Outcome(NamedTuple):
    """How a run ended."""

    reason: str
    passes: int
    history: dict[str, list[float]]
    cycle: np.ndarray | None  # (rows, outputs): each row's steps over a cycle, added up
    moved: float  # how far the weights moved over the last pass, if there is a tol


def run(machine: Machine, choices: Choices) -> Outcome:
    """Learn pass after pass until a stop applies."""
    clock = Clock(choices.time_limit)
    problem, keep, state, counts = machine.problem, machine.keep, machine.state, machine.state.counts
    recurrence = machine.recurrence() if choices.order in REPEATING else None
    movement = machine.movement() if choices.tol is not None else None
    improvement = Improvement(choices.patience) if choices.held_out else None
    history: list[dict[str, float]] = []
    keep.consider(state, problem)
    reason, moved, cycle = "", np.inf, None
    if choices.watch:
        choices.watch(problem, state, problem.members[:0], 0)

    def next_rows(machine: Machine) -> Pass:
        if choices.order == "worst":
            worst = row_numbers(np.array([machine.survey()[3]]))
            return worst, worst[:0]
        return choices.next_pass()

    while not reason and len(history) < choices.max_iter:
        before, unmoved = counts[MISTAKES], counts[MOVES]
        if choices.before_pass:
            choices.before_pass()
        cut = machine.one_pass(*next_rows(machine), clock=clock, watch=choices.watch, number=len(history))
        keep.consider(state, problem)
        record = look_back(machine, counts[MISTAKES] - before, choices.full_history)
        separated = not cut and record["mistakes"] == 0 and counts[MOVES] == unmoved and not machine.pace.lam
        if separated and choices.order == "random":  # draws with replacement may have missed a row
            separated = machine.survey()[2] > 0
        if choices.held_out:
            record["held_out_score"] = choices.held_out()
        record["seconds"] = clock.seconds
        history.append(record)
        moved = movement.since_last() if movement else np.inf

        asked = choices.after_pass is not None and choices.after_pass()
        if separated:
            reason = "separated"
        elif cut:
            reason = cut
        elif recurrence and recurrence.found():
            cycle = machine.tally(next_rows, recurrence.length) if choices.cycle_proves else None
            if cycle is None or choices.goes_round is None or choices.goes_round(cycle):
                reason = "cycle"
        elif choices.tol is not None and moved < choices.tol:
            reason = "stable"
        elif improvement and improvement.ended(record["held_out_score"]):
            reason = "no_improvement"
        elif asked:
            reason = "callback"
        elif clock.over:
            reason = "time"
    columns = {name: [record[name] for record in history] for name in history[0]}
    return Outcome(reason or "budget", len(history), columns, cycle if reason == "cycle" else None, moved)


def look_back(machine: Machine, mistakes: float, full: bool) -> dict[str, float]:
    """What the history says of a pass."""
    record = {"mistakes": int(mistakes), "norm": machine.norm()}
    if full:
        errors, lost, least, _ = machine.survey()
        record |= {"errors": errors, "loss": lost / total_weight(machine.problem), "smallest_margin": least}
    return record
