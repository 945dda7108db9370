"""The one loop, ``w <- w + eta g x``: the kernel in which rule, schedule, order, batch and rows meet.

``sweep`` goes through the rows it is given and learns.  ``survey`` looks at rows without learning.

Weights that decay, or shrink after a step, are ``scale`` times what is stored, one factor for each output, so that a
sparse step costs no more than its non-zeros.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..compiled.jit import exact, helper, part
from .forms import errs, loss_for_progress, margin, push, total_loss
from .per_feature import look, make_step, training_scores
from .rows import add, add_to_both, fetch, multiply, score, subtract
from .rules import after_step
from .state import (
    AT_RECORDS,
    BAD_ROW,
    BATCHES,
    BEST_RUN,
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
    State,
    plain_work,
)

SMALLEST_SCALE = 1e-6  # a smaller one is multiplied into the weights
HALF_OF_COMPILING = 2_500_000.0  # microseconds: the loop takes four to six seconds (measured)


class Scratch(NamedTuple):
    """Room that ``sweep`` works in."""

    scores: np.ndarray  # (outputs,)
    step: np.ndarray  # (outputs,), zeros between two samples
    extra: np.ndarray  # (outputs,), float64: what a step adds to the overcount of an average
    pending: np.ndarray  # (batch, outputs): the steps of a batch
    pending_row: np.ndarray  # (batch,)
    scale: np.ndarray  # (outputs,), float64
    counted: np.ndarray  # (outputs,), float64: the sum of ``scale`` over the samples that an average counts
    lost: np.ndarray  # (1,), float64: the loss of the rows scored so far, at the weights that scored them


def new_scratch(bias: np.ndarray, batch: int) -> Scratch:
    """Room for batches of this size."""
    scores, step, pending = (np.zeros(shape, bias.dtype) for shape in (bias.size, bias.size, (batch, bias.size)))
    extra, scale, counted = np.zeros((3, bias.size))
    return Scratch(scores, step, extra, pending, np.zeros(batch, np.intp), scale, counted, np.zeros(1))


class Records(NamedTuple):
    """What ``sweep`` writes down of each pass."""

    numbers: (
        np.ndarray
    )  # (passes, 4): mistakes, rows that moved the weights, weight of the rows, all so far; the pass's loss
    weights: np.ndarray  # (passes, weights): after the pass
    bias: np.ndarray  # (passes, outputs)


def new_records(state: State, passes: int) -> Records:
    """Room to write this number of passes down."""
    weights, bias = (np.empty((passes, part.size), part.dtype) for part in (state.weights, state.bias))
    return Records(np.full((passes, 4), np.nan), weights, bias)


@cache
def no_records(weights: np.dtype[Any], bias: np.dtype[Any]) -> Records:
    """Room for none, of these types."""
    return Records(np.empty((0, 4)), np.empty((0, 0), weights), np.empty((0, 0), bias))


def work_of_sweep(
    form: Any,
    schedule: Any,
    problem: Any,
    state: State,
    scratch: Any,
    order: Any,
    ahead: Any,
    start: int,
    work: int,
    *rest: Any,
) -> float:
    """What plain Python takes for the rows of a call."""
    rows = min(order.size - start, work)
    return plain_work(problem, rows, state.bias.size, by_feature=state.per_weight.size > 0)


def passes_made(records: Records) -> int:
    """How many passes are written down."""
    return int(np.isfinite(records.numbers[:, 0]).sum())


@exact(work_of_sweep, makes_arrays=False, enough=HALF_OF_COMPILING)
def sweep(form, schedule, problem, state, scratch, order, ahead, start, work, tally, records):
    """Learn from the rows ``order[start:]`` until ``work`` rows were scored or the keep wants a look; return the place.

    For each batch of rows all scores are taken at the old weights; then the weights decay, if they do, and every row that
    has a step adds it (batch 1 is the online rule, a batch of all rows is the batch rule).  Where ``tally`` has rows, each
    row's steps are added up in it.  Where ``records`` has lines, ``order`` is as many passes, one after the other, and each
    is written down; one without a mistake or a step is the last.
    """
    counts, scale, counted = state.counts, scratch.scale, scratch.counted
    seen, survived, right_run = counts[SEEN], counts[SURVIVED], counts[RIGHT_RUN]
    batches = counts[BATCHES]
    a_pass = order.size // max(1, records.bias.shape[0])
    place = start
    going_on = place < order.size
    while going_on:
        changes = counts[MISTAKES] + counts[MOVES]
        number = place // a_pass
        over = number * a_pass + a_pass
        begin(scale, counted, counts[COUNTED])
        while place < over and work > 0:
            end = min(place + scratch.pending_row.size, over)
            steps, mistakes, weight, length2 = score_batch(form, problem, state, scratch, order, ahead, place, end)
            if counts[BAD_ROW] >= 0:
                break
            if steps and wants_a_look(state.pauses, right_run, counts):
                counts[PAUSE] = PAUSED
                break
            rate = schedule.eta
            if schedule.slowing > 0:
                rate /= 1 + schedule.slowing * batches
            if schedule.lam > 0:
                decay(rate * schedule.lam, problem.rows, state, scratch)
            if steps:
                if schedule.mean:
                    rate /= end - place
                apply_steps(form.rule, rate, steps, length2, seen, problem, state, scratch, tally)
                counts[MOVES] += steps
                counts[PAUSE] = GO
                survived = 0.0
            counts[MISTAKES] += mistakes
            batches += 1
            right_run = 0.0 if steps or mistakes else right_run + (end - place)
            survived += weight
            seen += weight
            if state.bias_overcount.size:
                count(counted, scale, weight)
            work -= end - place
            place = end
        if is_scaled(scale):
            multiply_in(problem.rows, state, scratch)
        counts[SEEN], counts[COUNTED], counts[SURVIVED], counts[RIGHT_RUN] = seen, counted[0], survived, right_run
        counts[BATCHES] = batches
        if records.bias.shape[0]:
            write_down(state, scratch, records, number)
        changed = counts[MISTAKES] + counts[MOVES] > changes or schedule.lam > 0
        going_on = changed and place == over and place < order.size
    return place


@part
def write_down(state, scratch, records, p):
    """Line p of ``records``: the counts after a pass, its loss, and the weights after it."""
    counts = state.counts
    records.numbers[p, 0] = counts[MISTAKES]
    records.numbers[p, 1] = counts[MOVES]
    records.numbers[p, 2] = counts[SEEN]
    records.numbers[p, 3] = scratch.lost[0]
    scratch.lost[0] = 0.0
    width = state.weights.shape[1]
    for k in range(state.weights.shape[0]):
        for j in range(width):
            records.weights[p, k * width + j] = state.weights[k, j]
    for k in range(state.bias.size):
        records.bias[p, k] = state.bias[k]


@helper
def score_batch(form, problem, state, scratch, order, ahead, place, end):
    """Score the rows ``order[place:end]`` and put the steps that they ask for aside.

    Returns how many rows ask for one, the mistakes made, the weight of all rows and the last row's squared length, if the
    rule asks for it.  A row whose score or step is out of range becomes ``counts[BAD_ROW]``.
    """
    rows, target, weight, _, constant2 = problem
    scores, step, pending, pending_row = scratch.scores, scratch.step, scratch.pending, scratch.pending_row
    steps = 0
    mistakes = 0
    batch_weight = 0.0
    length2 = 0.0
    for q in range(place, end):
        i = order[q]
        if ahead.size:
            fetch(rows, ahead[q])
        in_range = look(form.rule, rows, i, constant2, state, scratch)
        training_scores(form.rule, rows, i, constant2, state, scratch.scale, scores)
        if not (in_range and all_finite(scores)):
            state.counts[BAD_ROW] = i
            break
        s = weight[i] if weight.size else 1.0
        batch_weight += s
        scratch.lost[0] += s * loss_for_progress(form.rule, form, target[i], scores)
        moves, wrong, length2 = push(form, target[i], scores, rows, i, constant2, state, step)
        mistakes += wrong
        if moves:
            if not (length2 < 0 or usable(step, moves)):
                state.counts[BAD_ROW] = i
                break
            put_aside(step, s, pending, steps)
            pending_row[steps] = i
            steps += 1
    return steps, mistakes, batch_weight, length2


@helper
def decay(share, rows, state, scratch):
    """w <- (1 - eta lam) w, where ``share`` is eta lam; the bias does not decay (Krogh & Hertz 1992)."""
    scale = scratch.scale
    least = np.inf
    for k in range(scale.size):
        scale[k] *= max(0.0, 1 - share)
        least = min(least, scale[k])
    if least < SMALLEST_SCALE:
        multiply_in(rows, state, scratch)


@helper
def apply_steps(rule, rate, steps, length2, seen, problem, state, scratch, tally):
    """w <- w + eta g x for each row of a batch that asked for a step, and what the rule makes of it afterwards."""
    rows, bias = problem.rows, state.bias
    step, scale = scratch.step, scratch.scale
    for r in range(steps):
        i = scratch.pending_row[r]
        make_step(rule, rows, i, r, rate, problem.constant2, seen, state, scratch)
        if tally.size:
            add_up(tally, i, step)
        for k in range(step.size):
            step[k] = 0
            g = rate * np.float64(scratch.pending[r, k])
            factor = after_step(rule, g, np.float64(scratch.scores[k]), length2, state.memory, k) if g != 0 else 1.0
            if factor != 1:
                shrink(bias, state.bias_overcount, scale, k, factor, seen)
                if scale[k] < SMALLEST_SCALE:
                    multiply_in(rows, state, scratch)


@make_step.otherwise
def step_along_row(rule, rows, i, r, rate, constant2, seen, state, scratch):
    take_step(rate, r, constant2, seen, state, scratch)
    if state.bias_overcount.size:
        add_to_both(rows, i, state.weights, scratch.step, state.overcount, scratch.extra)
    else:
        add(rows, i, state.weights, scratch.step)


@helper
def begin(scale, counted, so_far):
    """The stored weights are the weights, and an average has counted them for samples of this weight."""
    for k in range(scale.size):
        scale[k] = 1.0
        counted[k] = so_far


@helper
def all_finite(scores):
    """Whether no score overflowed."""
    for k in range(scores.size):
        if not abs(scores[k]) < np.inf:
            return False
    return True


@helper
def usable(step, moves):
    """Whether steps that depend on the length of a row are neither too large nor too small for floats."""
    found = 0
    for k in range(step.size):
        found += 0 < abs(step[k]) < np.inf
    return found == moves


@helper
def put_aside(step, s, pending, r):
    """Make a row's steps, times its weight, line r of ``pending``."""
    for k in range(step.size):
        pending[r, k] = step[k] * s
        step[k] = 0


@helper
def wants_a_look(pauses, right_run, counts):
    """Whether the keep wants to look at the weights before they change."""
    record = right_run > counts[BEST_RUN]
    return pauses != NEVER and (record or pauses != AT_RECORDS) and counts[PAUSE] != EXCUSED


@helper
def take_step(rate, r, constant2, seen, state, scratch):
    """b <- b + c^2 eta g, since the bias is the weight of a constant feature c, where g is line r of ``pending``.

    ``step`` becomes eta g / scale, which the stored weights move by, and ``extra`` what that adds to the overcount.
    """
    step, extra, pending, scale = scratch.step, scratch.extra, scratch.pending, scratch.scale
    for k in range(step.size):
        g = np.float64(pending[r, k])
        step[k] = rate * g
        state.bias[k] += constant2 * np.float64(step[k])
        if state.bias_overcount.size:
            state.bias_overcount[k] += constant2 * (step[k] * seen)
        step[k] = rate / scale[k] * g
        extra[k] = step[k] * scratch.counted[k]


@helper
def add_up(tally, i, step):
    """Add a step of row i to its tally."""
    for k in range(step.size):
        tally[i, k] += step[k]


@part
def shrink(bias, bias_overcount, scale, k, factor, seen):
    """w_k <- f w_k, bias included."""
    if bias_overcount.size:
        bias_overcount[k] += (factor - 1) * np.float64(bias[k]) * seen
    bias[k] = factor * np.float64(bias[k])
    scale[k] *= factor


@part
def multiply_in(rows, state, scratch):
    """Multiply ``scale`` into the stored weights v.  For an average, first take the sum of the weights so far, counted_k v_k,
    off the overcount; counting then starts anew."""
    if state.overcount.size:
        subtract(rows, state.overcount, state.weights, scratch.counted)
    multiply(rows, state.weights, scratch.scale)
    begin(scratch.scale, scratch.counted, 0.0)


@helper
def count(counted, scale, batch_weight):
    """For an average: the present weights count for a batch of this weight."""
    for k in range(scale.size):
        counted[k] += batch_weight * scale[k]


@helper
def is_scaled(scale):
    """Whether the stored weights are not the weights."""
    for k in range(scale.size):
        if scale[k] != 1:
            return True
    return False


@exact(lambda form, problem, weights, bias: plain_work(problem, problem.members.size, bias.size))
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
        score(rows, i, weights, bias, scores)
        s = weight[i] if weight.size else 1.0
        if errs(form, target[i], scores):
            errors += s
        lost += s * total_loss(form, target[i], scores)
        clear = margin(form, target[i], scores)
        if not clear >= least:
            least = clear
            worst = i
    return errors, lost, least, worst
