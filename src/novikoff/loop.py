"""The one loop, ``w <- w + g x``: the place where rule, order, batch, keep, stop and rows meet.

``sweep`` is the kernel: it goes through the rows it is given.  ``survey`` looks at rows without learning.  ``run`` calls
them pass after pass until a stop applies.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .jit import helper, kernel
from .keeps import (
    AT_RECORDS,
    BAD_ROW,
    BEST_RUN,
    EXCUSED,
    GO,
    MISTAKES,
    MOVES,
    NEVER,
    PAUSE,
    PAUSED,
    RIGHT_RUN,
    SEEN,
    TENURE,
    Last,
    Problem,
    State,
    answer,
)
from .orders import REPEATING, Pass, row_numbers
from .rows import CSR, Dense, add, fetch, natural, public, score
from .rules import loss, margin, push
from .stops import Clock, Improvement, Movement, Recurrence

MULTIPLICATIONS_A_CALL = 20_000_000  # about 10 ms: the clock and Ctrl-C are heard between two calls of a kernel


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
def sweep(rule, problem, state, scratch, order, ahead, start, work, tally):
    """Learn from the rows ``order[start:]`` until ``work`` rows were scored or the keep wants a look; return the place.

    For each batch of rows all scores are taken at the old weights; then every row that has a step adds it
    (batch 1 is the online rule, a batch of all rows is the batch rule).  The bias is the weight of a constant feature
    c, so its step is c^2 g.  Where ``tally`` has rows, each row's steps are added up in it.
    """
    rows, target, weight, _, constant2 = problem
    weights, bias, debt, bias_debt, counts, pauses = state
    scores, step, late, pending, pending_row = scratch
    outputs = bias.size
    seen, tenure, right_run = counts[SEEN], counts[TENURE], counts[RIGHT_RUN]
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
            score(rows, i, weights, bias, scores)
            if not all_finite(scores):
                counts[BAD_ROW] = i
                break
            s = weight[i] if weight.size else 1.0
            heft += s
            moves, wrong = push(rule, target[i], scores, step)
            mistakes += wrong
            if moves:
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
            for r in range(waiting):
                i = pending_row[r]
                for k in range(outputs):
                    step[k] = pending[r, k]
                    late[k] = step[k] * seen
                    bias[k] += constant2 * step[k]
                    if bias_debt.size:
                        bias_debt[k] += constant2 * late[k]
                    if tally.size:
                        tally[i, k] += step[k]
                add(rows, i, weights, step)
                if bias_debt.size and seen > 0:
                    add(rows, i, debt, late)
                for k in range(outputs):
                    step[k] = 0
            counts[MOVES] += waiting
            counts[PAUSE] = GO
            tenure = 0.0
        counts[MISTAKES] += mistakes
        right_run = 0.0 if waiting or mistakes else right_run + (end - t)
        tenure += heft
        seen += heft
        work -= end - t
        t = end
    counts[SEEN], counts[TENURE], counts[RIGHT_RUN] = seen, tenure, right_run
    return t


@helper
def all_finite(scores):
    """Whether no score overflowed."""
    for k in range(scores.size):
        if not abs(scores[k]) < np.inf:
            return False
    return True


@kernel
def survey(rule, problem, weights, bias):
    """What the weights do on all rows: weight of errors, weighted loss, smallest margin, and the row that has it."""
    rows, target, weight, members, _ = problem
    scores = np.empty(bias.size, weights.dtype)
    errors = 0.0
    lost = 0.0
    least = np.inf
    worst = members[0]
    for m in range(members.size):
        i = members[m]
        score(rows, i, weights, bias, scores)
        s = weight[i] if weight.size else 1.0
        if answer(scores) != target[i]:
            errors += s
        lost += s * loss(rule, target[i], scores)
        clear = margin(rule, target[i], scores)
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


def new_state(keep: Last, weights: np.ndarray, bias: np.ndarray, averages: bool) -> State:
    """The state before any sample was seen."""
    debt = np.zeros(weights.shape if averages else (0, 0))
    counts = np.zeros(BAD_ROW + 1)
    counts[BAD_ROW] = -1
    return State(weights, bias, debt, np.zeros(bias.size if averages else 0), counts, keep.pauses)


def fit_to_rows(state: State, before: Dense | CSR, now: Dense | CSR) -> State:
    """The same state, stored as rows of another format want to read it."""
    if isinstance(before, Dense) == isinstance(now, Dense):
        return state
    weights, debt = (natural(now, public(before, stored)) for stored in (state.weights, state.debt))
    return state._replace(weights=weights, debt=debt)


def one_pass(
    rule: Any,
    problem: Problem,
    keep: Last,
    state: State,
    scratch: Scratch,
    order: np.ndarray,
    ahead: np.ndarray,
    *,
    clock: Clock | None = None,
    watch: Watch | None = None,
    number: int = 0,
    tally: np.ndarray = NO_TALLY,
) -> str:
    """One sweep over ``order``, in calls of about 10 ms; the reason if it was cut short: "time" or "callback"."""
    a_row = state.bias.size * (row_values(problem.rows, problem.members) + 1)
    work = 1 if watch else max(1, MULTIPLICATIONS_A_CALL // a_row)
    place = 0
    counts = state.counts
    while place < order.size:
        reached = sweep(rule, problem, state, scratch, order, ahead, place, work, tally)
        if counts[BAD_ROW] >= 0:
            row, counts[BAD_ROW] = int(counts[BAD_ROW]), -1
            raise Overflow(row)
        asked = bool(watch and reached > place and watch(problem, state, order[place:reached], number))
        place = reached
        if asked or (clock and place < order.size and clock.over):
            counts[PAUSE] = GO
            return "callback" if asked else "time"
        if counts[PAUSE] == PAUSED:
            keep.retire(state, problem)
            counts[PAUSE] = EXCUSED
    return ""


class Choices(NamedTuple):
    """Everything ``run`` needs to know besides rule, data and keep."""

    order: str
    next_pass: Callable[[], Pass]
    batch: int
    max_iter: int
    tol: float | None = None
    time_limit: float | None = None
    full_history: bool = False
    patience: int = 0  # passes without a better held-out score
    held_out: Callable[[State], float] | None = None
    before_pass: Callable[[State], None] | None = None
    after_pass: Callable[[State], bool] | None = None  # true asks to stop
    watch: Watch | None = None


class Outcome(NamedTuple):
    """How a run ended."""

    reason: str
    passes: int
    history: dict[str, list[float]]
    cycle: np.ndarray | None  # (rows, outputs): each row's steps over a cycle, added up


def run(rule: Any, problem: Problem, keep: Last, state: State, choices: Choices) -> Outcome:
    """Learn pass after pass until a stop applies."""
    clock = Clock(choices.time_limit)
    weights, bias, counts = state.weights, state.bias, state.counts
    recurrence = Recurrence(weights, bias) if choices.order in REPEATING else None
    movement = Movement(problem, state) if choices.tol is not None else None
    improvement = Improvement(choices.patience) if choices.held_out else None
    scratch = new_scratch(bias, choices.batch)
    history: list[dict[str, float]] = []
    keep.consider(state, problem)
    reason = ""
    if choices.watch:
        choices.watch(problem, state, problem.members[:0], 0)
    while not reason and len(history) < choices.max_iter:
        before, unmoved = counts[MISTAKES], counts[MOVES]
        if choices.before_pass:
            choices.before_pass(state)
        order, ahead = next_rows(rule, problem, state, choices)
        cut = one_pass(
            rule, problem, keep, state, scratch, order, ahead, clock=clock, watch=choices.watch, number=len(history)
        )
        keep.consider(state, problem)
        record = look_back(rule, problem, state, counts[MISTAKES] - before, choices.full_history)
        separated = not cut and record["mistakes"] == 0 and counts[MOVES] == unmoved
        if separated and choices.order == "random":  # draws with replacement may have missed a row
            separated = survey(rule, problem, weights, bias)[2] > 0
        if choices.held_out:
            record["held_out_score"] = choices.held_out(state)
        record["seconds"] = clock.seconds
        history.append(record)

        asked = choices.after_pass is not None and choices.after_pass(state)
        if separated:
            reason = "separated"
        elif cut:
            reason = cut
        elif recurrence and recurrence.found(weights, bias):
            reason = "cycle"
        elif movement and choices.tol and movement.since_last(problem, state) < choices.tol:
            reason = "stable"
        elif improvement and improvement.ended(record["held_out_score"]):
            reason = "no_improvement"
        elif asked:
            reason = "callback"
        elif clock.over:
            reason = "time"
    columns = {name: [record[name] for record in history] for name in history[0]}
    cycle = tally_cycle(rule, problem, state, choices, recurrence.length) if recurrence and reason == "cycle" else None
    return Outcome(reason or "budget", len(history), columns, cycle)


def look_back(rule: Any, problem: Problem, state: State, mistakes: float, full: bool) -> dict[str, float]:
    """What the history says of a pass."""
    record = {"mistakes": int(mistakes), "norm": length(problem, state)}
    if full:
        errors, lost, least, _ = survey(rule, problem, state.weights, state.bias)
        record |= {"errors": errors, "loss": lost / total_weight(problem), "smallest_margin": least}
    return record


def next_rows(rule: Any, problem: Problem, state: State, choices: Choices) -> Pass:
    """The rows of the next pass."""
    if choices.order == "worst":
        worst = row_numbers(np.array([survey(rule, problem, state.weights, state.bias)[3]]))
        return worst, worst[:0]
    return choices.next_pass()


def tally_cycle(rule: Any, problem: Problem, state: State, choices: Choices, passes: int) -> np.ndarray:
    """Go through the cycle that starts and ends at these weights once more, adding up each row's steps."""
    keep = Last()
    again = new_state(keep, state.weights.copy(), state.bias.copy(), averages=False)
    scratch = new_scratch(again.bias, choices.batch)
    tally = np.zeros((problem.target.size, state.bias.size))
    for _ in range(passes):
        one_pass(rule, problem, keep, again, scratch, *next_rows(rule, problem, again, choices), tally=tally)
    return tally


def row_values(rows: Dense | CSR, members: np.ndarray) -> int:
    """Stored values a row that takes part, on the average."""
    if isinstance(rows, Dense):
        return rows.values.shape[1]
    if members.size == rows.starts.size - 1:
        return rows.values.size // max(1, members.size)
    return int((rows.starts[members + 1] - rows.starts[members]).sum()) // max(1, members.size)


def total_weight(problem: Problem) -> float:
    """The weight of all rows that take part."""
    return float(problem.weight[problem.members].sum()) if problem.weight.size else float(problem.members.size)


def length(problem: Problem, state: State) -> float:
    """The norm of the running weights, the bias counted as the weight of its constant feature."""
    flat = state.weights.ravel()
    with np.errstate(over="ignore", under="ignore"):
        squares = float(np.dot(flat, flat))
        if problem.constant2:
            squares += float(np.dot(state.bias, state.bias)) / problem.constant2
    if 1e-290 < squares < np.inf:
        return squares**0.5
    whole = np.append(flat.astype(float), state.bias / (problem.constant2**0.5 or 1.0))  # squares out of range
    largest = float(np.abs(whole).max())
    return largest * float(np.linalg.norm(whole / largest)) if largest > 0 else 0.0
