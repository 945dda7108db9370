"""The one loop, ``w <- w + eta g x``: the kernel in which rule, schedule, order, batch and rows meet.

``sweep`` goes through the rows it is given and learns.  ``survey`` looks at rows without learning.

Weights that decay, or shrink after a step, are ``scale`` times what is stored, one factor for each output, so that a
sparse step costs no more than its non-zeros.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..compiled.jit import helper, kernel
from .forms import errs, margin, push, total_loss
from .rows import add, fetch, multiply, scaled_score, score, subtract
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
)

SMALLEST_SCALE = 1e-6  # a smaller one is multiplied into the weights


class Scratch(NamedTuple):
    """Room that ``sweep`` works in."""

    scores: np.ndarray  # (outputs,)
    step: np.ndarray  # (outputs,), zeros between two samples
    extra: np.ndarray  # (outputs,), float64: what a step adds to the overcount of an average
    pending: np.ndarray  # (batch, outputs): the steps of a batch
    pending_row: np.ndarray  # (batch,)
    scale: np.ndarray  # (outputs,), float64
    counted: np.ndarray  # (outputs,), float64: the sum of ``scale`` over the samples that an average counts


def new_scratch(bias: np.ndarray, batch: int) -> Scratch:
    """Room for batches of this size."""
    scores, step, pending = (np.zeros(shape, bias.dtype) for shape in (bias.size, bias.size, (batch, bias.size)))
    extra, scale, counted = np.zeros((3, bias.size))
    return Scratch(scores, step, extra, pending, np.zeros(batch, np.intp), scale, counted)


@kernel
def sweep(form, schedule, problem, state, scratch, order, ahead, start, work, tally):
    """Learn from the rows ``order[start:]`` until ``work`` rows were scored or the keep wants a look; return the place.

    For each batch of rows all scores are taken at the old weights; then the weights decay, if they do, and every row that
    has a step adds it (batch 1 is the online rule, a batch of all rows is the batch rule).  Where ``tally`` has rows, each
    row's steps are added up in it.
    """
    rows, target, weight, _, constant2 = problem
    weights, bias, overcount, bias_overcount, counts, pauses, memory = state
    scores, step, extra, pending, pending_row, scale, counted = scratch
    rule = form.rule
    begin(scale, counted, counts[COUNTED])
    seen, survived, right_run = counts[SEEN], counts[SURVIVED], counts[RIGHT_RUN]
    batches = counts[BATCHES]
    place = start
    while place < order.size and work > 0:
        # Score a batch, and note the steps of its rows
        end = min(place + pending_row.size, order.size)
        steps = 0
        mistakes = 0
        batch_weight = 0.0
        length2 = 0.0
        for q in range(place, end):
            i = order[q]
            if ahead.size:
                fetch(rows, ahead[q])
            scaled_score(rows, i, weights, scale, bias, scores)
            if not all_finite(scores):
                counts[BAD_ROW] = i
                break
            s = weight[i] if weight.size else 1.0
            batch_weight += s
            moves, wrong, length2 = push(form, target[i], scores, rows, i, constant2, memory, step)
            mistakes += wrong
            if moves:
                if not (length2 < 0 or usable(step, moves)):
                    counts[BAD_ROW] = i
                    break
                put_aside(step, s, pending, steps)
                pending_row[steps] = i
                steps += 1
        if counts[BAD_ROW] >= 0:
            break
        if steps and wants_a_look(pauses, right_run, counts):
            counts[PAUSE] = PAUSED
            break

        # Decay, then apply the steps
        rate = schedule.eta
        if schedule.slowing > 0:
            rate /= 1 + schedule.slowing * batches
        if schedule.lam > 0:
            decay(scale, rate * schedule.lam)
            if smallest(scale) < SMALLEST_SCALE:
                multiply_in(rows, weights, overcount, scale, counted)
        if steps:
            if schedule.mean:
                rate /= end - place
            for r in range(steps):
                i = pending_row[r]
                take_step(rate, pending, r, bias, constant2, bias_overcount, seen, step, scale, extra, counted)
                add(rows, i, weights, step)
                if tally.size:
                    add_up(tally, i, step)
                if bias_overcount.size:
                    add(rows, i, overcount, extra)
                for k in range(step.size):
                    step[k] = 0
                    g = rate * pending[r, k]
                    factor = after_step(rule, g, scores[k], length2, memory, k) if g != 0 else 1.0
                    if factor != 1:
                        shrink(bias, bias_overcount, scale, k, factor, seen)
                        if scale[k] < SMALLEST_SCALE:
                            multiply_in(rows, weights, overcount, scale, counted)
            counts[MOVES] += steps
            counts[PAUSE] = GO
            survived = 0.0

        # Count
        counts[MISTAKES] += mistakes
        batches += 1
        right_run = 0.0 if steps or mistakes else right_run + (end - place)
        survived += batch_weight
        seen += batch_weight
        if bias_overcount.size:
            count(counted, scale, batch_weight)
        work -= end - place
        place = end
    if is_scaled(scale):
        multiply_in(rows, weights, overcount, scale, counted)
    counts[SEEN], counts[COUNTED], counts[SURVIVED], counts[RIGHT_RUN] = seen, counted[0], survived, right_run
    counts[BATCHES] = batches
    return place


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
def decay(scale, share):
    """w <- (1 - eta lam) w, where ``share`` is eta lam; the bias does not decay (Krogh & Hertz 1992)."""
    for k in range(scale.size):
        scale[k] *= max(0.0, 1 - share)


@helper
def smallest(scale):
    """The smallest factor."""
    least = scale[0]
    for k in range(1, scale.size):
        least = min(least, scale[k])
    return least


@helper
def take_step(rate, pending, r, bias, constant2, bias_overcount, seen, step, scale, extra, counted):
    """b <- b + c^2 eta g, since the bias is the weight of a constant feature c, where g is line r of ``pending``.

    ``step`` becomes eta g / scale, which the stored weights move by, and ``extra`` what that adds to the overcount.
    """
    for k in range(step.size):
        step[k] = rate * pending[r, k]
        bias[k] += constant2 * step[k]
        if bias_overcount.size:
            bias_overcount[k] += constant2 * (step[k] * seen)
        step[k] = rate / scale[k] * pending[r, k]
        extra[k] = step[k] * counted[k]


@helper
def add_up(tally, i, step):
    """Add a step of row i to its tally."""
    for k in range(step.size):
        tally[i, k] += step[k]


@helper
def shrink(bias, bias_overcount, scale, k, factor, seen):
    """w_k <- f w_k, bias included."""
    if bias_overcount.size:
        bias_overcount[k] += (factor - 1) * bias[k] * seen
    bias[k] *= factor
    scale[k] *= factor


@helper
def multiply_in(rows, weights, overcount, scale, counted):
    """Multiply ``scale`` into the stored weights v.  For an average, first take the sum of the weights so far, counted_k v_k,
    off the overcount; counting then starts anew."""
    if overcount.size:
        subtract(rows, overcount, weights, counted)
    multiply(rows, weights, scale)
    begin(scale, counted, 0.0)


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
